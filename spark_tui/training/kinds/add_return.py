"""Put back a `return` that was left out."""

import ast
import re
from collections.abc import Iterator
from random import Random
from typing import ClassVar

from spark_tui.editing.code import Function, indentation, stands_alone, statement_lines, walk_scope
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.base import Edit, Kind, Planted
from spark_tui.training.kinds.planting import Bug, planted

_CASES = (
    "print({}(...)) prints None",
    "x = {}() leaves x None",
    "assert {}() is not None fails",
    "{}() is None",
    "{}() == None",
    "{}(...) evaluates to None",
)
_TROUBLE = (
    "TypeError: 'NoneType' object is not iterable",
    "TypeError: 'NoneType' object is not subscriptable",
    "TypeError: object of type 'NoneType' has no len()",
    "TypeError: cannot unpack non-iterable NoneType object",
    "TypeError: unsupported operand type(s) for +: 'NoneType' and 'int'",
    "TypeError: argument of type 'NoneType' is not iterable",
    "AttributeError: 'NoneType' object has no attribute 'get'",
    "AttributeError: 'NoneType' object has no attribute 'items'",
    'TypeError: can only concatenate str (not "NoneType") to str',
)


class AddReturn(Kind):
    """`total` becomes `return total`; `return total` comes in at the end.

    Slots: {value} what is to be returned, {function} where, {trouble} the error the caller sees.
    """

    name: ClassVar[str] = "add_return"
    weight: ClassVar[float] = 0.7
    skeletons: ClassVar[str] = """
[there's|there is] a return missing
[there's|there is] a return missing in {function}
the return is missing
<a_missing> return statement
<fix> <the> missing return
<add> the missing return
<add> the missing return [in|to] {function}
<add> a return [statement|] to {function}
i forgot [the|to] return [in|at the end of] {function}
i forgot [the|a] return
i forgot to return anything
[we|i|you] forgot to return {value}
{function} [doesn't|does not|never] [return|returns] anything
{function} [always|only|] returns None
{function} returns None [instead of|rather than|but should return] {value}
<why> does {function} return None
<why> do i get None [back|] from {function}
<why> is the result [of {function}|] None
i [always|only|just] get None [back|out of it|from this]
[all|what] i get is None
it returns None
it gives [me|us] None [back|]
[calling|the call to] {function} [gives|returns|yields] None
the result of {function} is [always|] None
the result is [always|] None
the result gets lost
the result of {function} [is|gets] [lost|thrown away|dropped]
the result is [computed|calculated|there] but [never|not] returned
{value} is [computed|calculated|built] but [never|not] returned
{value} is never returned
{value} [gets|is] [lost|thrown away]
nothing [happens with|is done with] {value}
{value} has no effect
it <should> return {value}
<return> {value} [at the end|]
{function} <should> return {value}
return {value}[, not None| instead of None|]
make {function} return {value}
{function} <should> <return> something
[make it|it <should>] <return> the result
<return> the result [of {function}|]
[give back|hand back] {value}
{value} [isn't|is not] returned
[why isn't|how come] {value} [returned|not returned]
{trouble}
{trouble} [when|where|after] i call {function}
[i get|we get|getting|it fails with] {trouble}
{function} gives {trouble}
[calling|when i call] {function} i get {trouble}
{case}
{case}, <fix> it
<why>: {case}
[the test|my test|assert] [says|fails]: assert None == [1|3|'a'|expected]
AssertionError: None != [1|'abc'|\\[\\]|42]
<lint>: R1710 inconsistent-return-statements
<lint>: R1710 Either all return statements in {function} should return an expression, or none of them should
<lint>: RET503 missing explicit return at the end of {function}
<lint>: RET503 missing explicit return
<lint>: W0104 Statement seems to have no effect
<lint>: W0106 expression "{value}" is assigned to nothing
<lint>: B018 useless expression
<lint>: E1111 assigning result of {function}, where the function has no return
mypy: Missing return statement
mypy: error: Missing return statement \\[return\\] in {function}
mypy: "{function}" does not return a value
[falls|it falls|runs] off the end without [a return|returning]
{function} falls off the end
no return [here|]
no return in {function}
a path without return
one [branch|path] of {function} [doesn't|does not] return [anything|a value]
[one|this] <branch> has no return
[some|not all] paths return a value
@[this|it] <should> be returned
@<return> this
@<return> [it|that|the result]
@[missing|no|forgot the] return [here|]
@<add> a return [here|to this line|]
@this line [does nothing|has no effect]
@this value [is|gets] lost
@this [lacks|needs] a return
@[shouldn't|should not] this [return|be returned]
@<why> do i get None [here|]
@this is computed but [never|not] returned
@B018
@W0104 here
always None??
None comes back
i get nothing back [from {function}|]
nothing comes out of {function}
{function} gives me nothing
the caller [gets|receives|sees] None
callers of {function} get None
[who|where do we] return {value}?
{value} goes nowhere
{value} is [worked out|put together|filled] and then [forgotten|dropped|left behind]
{value} never leaves {function}
{value} back to the caller [please|]
hand {value} back to the caller
so {function} computes {value} and keeps it to itself?
what about returning {value}
-> return {value}
return {value}
end with return {value}
at the [end|bottom]: return {value}
{function}() -> None, should be {value}
None instead of {value}
expected {value}, got None
the return value is [thrown away|dropped|not passed on]
return value is thrown away
return got lost [in the last refactoring|in the merge|when i moved things around|]
my refactoring lost a return
somebody deleted the return
the return fell out [of {function}|]
where's the return?
where is the return in {function}
shouldn't {function} return something?
isn't there a return missing?
the last line <should> be a return
{function} forgets to hand over its result
print({function}(...)) -> None
{function} is annotated to return something but doesn't
says it returns something in the signature, doesn't
the annotation promises a value and we give None
pyright: Function with declared return type must return value
error: Function with declared return type "str" must return value. "None" is not assignable to "str"
error: Missing return statement  \\[return\\]
mypy: error: "{function}" does not return a value (it only ever returns None)  \\[func-returns-value\\]
E1128 assignment-from-none: Assigning result of a function call, where the function returns None
assignment-from-no-return (E1111) at every caller of {function}
PLR1710 inconsistent-return-statements
RET503 Missing explicit `return` at the end of function able to return non-`None` value
RET502 Do not implicitly `return None` in function able to return non-`None` value
B018 Found useless expression. Either assign it to a variable or remove it.
Expression value is unused
W0106: Expression is assigned to nothing (expression-not-assigned)
[the tests|pytest] [say|says]: assert None == {value}
assert None is not None
E   assert None == 'abc'
E   AssertionError: assert None
{trouble} in the code that calls {function}
{trouble} one level up
callers crash: {trouble}
whoever uses {function} gets {trouble}
{trouble}, because {function} hands back nothing
{case} ???
since yesterday {case}
can't chain calls on {function}, it gives None
@the value is [dropped|not used|thrown away]
@return missing
@-> return
@this goes nowhere
@and the return?
@useless expression, meant as the result
@give this back [to the caller|]
"""

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Leave out one return, or the word alone."""
        bugs = [bug for function in snippet.functions for bug in _bugs(snippet, function, rng)]
        return planted(self.name, rng.choice(bugs), rng) if bugs else None

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Nothing: real code is taken to be right."""
        return None


def _bugs(snippet: Snippet, function: Function, rng: Random) -> Iterator[Bug]:
    for node in walk_scope(function):
        if not isinstance(node, ast.Return) or node.value is None or not stands_alone(snippet, node):
            continue
        value = " ".join(snippet.segment(node.value).split())
        slots = {"value": value} if rng.random() < 0.6 else {}
        symptoms = {"trouble": rng.choice(_TROUBLE), "case": rng.choice(_CASES).format(function.name)}
        simple = isinstance(node.value, ast.Name | ast.Constant | ast.Attribute)
        if simple:
            yield from _left_out(snippet, node, slots, symptoms)
        if not isinstance(node.value, ast.Constant) and (not simple or rng.random() < 0.3):
            row = node.lineno - 1
            bare = re.sub(r"^(\s*)return\b\s*", r"\1", snippet.lines[row])
            yield Bug((*snippet.lines[:row], bare, *snippet.lines[row + 1 :]), snippet.lines, slots, symptoms)


def _left_out(snippet: Snippet, node: ast.Return, slots: dict[str, str], symptoms: dict[str, str]) -> Iterator[Bug]:
    """Without the line, and without the blank lines above it: no return, and none to be seen missing."""
    first, last = statement_lines(node)
    above = first
    while above and not snippet.lines[above - 1].strip():
        above -= 1
    line = snippet.lines[first]
    if first != last or not above or line.strip() != f"return {snippet.segment(node.value)}" if node.value else True:
        return
    if len(indentation(snippet.lines[above - 1])) < len(indentation(line)):
        return
    wrong = (*snippet.lines[:above], *snippet.lines[last + 1 :])
    yield Bug(wrong, (*wrong[:above], line, *wrong[above:]), slots, symptoms)
