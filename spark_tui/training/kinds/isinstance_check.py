"""Check types with isinstance instead of comparing them."""

import ast
from random import Random
from typing import ClassVar

from spark_tui.editing.code import text_of
from spark_tui.editing.codemods.common.changes import Change
from spark_tui.editing.codemods.isinstance_check import type_tests
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.base import Edit, Kind, Planted
from spark_tui.training.kinds.idioms import conditions, plant_changes, propose_changes

_ONE = "type comparison|type check|type() check|comparison of types|type test|type() comparison|check of the type"
_MANY = "type comparisons|type checks|type() checks|comparisons of types|type tests|type() comparisons"


class IsinstanceCheck(Kind):
    """`type(x) == T` becomes `isinstance(x, T)`, `!=` becomes `not isinstance`, `in` takes the tuple."""

    name: ClassVar[str] = "isinstance_check"
    skeletons: ClassVar[str] = """
<use> isinstance for the {one}
<use> isinstance [instead of|rather than] [the|this] {one}
<make> the {one} an isinstance [check|call|]
<convert> the {one} to isinstance
<rewrite> the {one} with isinstance
<replace> the {one} [with|by] isinstance
<fix> the {one}
the {one} <should> [use|be] isinstance
the {one} <should> accept subclasses
the {one} [ignores|rejects|breaks with|fails for] subclasses
the {one} is not [idiomatic|pythonic]
allow subclasses in the {one}
[why|how come] the {one} [isn't done with|doesn't use] isinstance
<lint>: E721 {one}, use isinstance()
<lint>: E721 do not compare types, the {one}
E721: {one}
pylint C0123 unidiomatic-typecheck: {one}
<nit>: isinstance for the {one}
<review>: isinstance, not a {one}
isinstance instead of the {one}
[no|avoid the|get rid of the] {one}[,|:] isinstance
{one} -> isinstance
can the {one} be an isinstance?
<use> isinstance for [all|] the {many}
<use> isinstance [instead of|rather than] {many} [everywhere|]
<convert> [all|] the {many} to isinstance
<rewrite> [all|] the {many} with isinstance
<replace> [all|] the {many} [with|by] isinstance
<fix> [all|] the {many}
[all|] the {many} <should> [use|be] isinstance
[all|] the {many} <should> accept subclasses
the {many} [ignore|reject|break with|fail for] subclasses
the {many} are not [idiomatic|pythonic]
[why|how come] the {many} [aren't done with|don't use] isinstance
<lint>: E721 {many}, use isinstance()
E721 [everywhere|throughout]: {many}
pylint unidiomatic-typecheck: {many}
<nit>: isinstance for the {many}
<review>: isinstance, not {many}
[no|no more|avoid] {many}[,|:] isinstance
{many} -> isinstance
<use> isinstance for {name}
<use> isinstance [to|when you] check the type of {name}
<use> isinstance on {name}
<check> {name} with isinstance
<check> the type of {name} with isinstance
<replace> type({name}) [by|with] isinstance
<rewrite> the [check|type check|test] of {name} with isinstance
the type of {name} <should> be checked with isinstance
the type check of {name} <should> [use|be] isinstance
{name} <should> be checked by isinstance
don't compare the type of {name}
don't compare type({name})[, use isinstance|]
[why|how come] is type({name}) compared[ and not isinstance|]
subclasses <should> be fine for {name}
{name} may be a subclass [too|], <use> isinstance
allow subclasses for {name}
E721 do not compare types: type({name})
<lint>: type({name}) <should> be isinstance
<nit>: isinstance({name}, ...)
<review>: isinstance on {name} [please|]
isinstance for {name}
isinstance not type for {name}
@<use> isinstance [here|]
@<use> isinstance [instead of|not] type
@this <should> [be|use] isinstance
@isinstance
@<fix> this type check
@<fix> the type comparison
@allow subclasses [here|]
@[E721|C0123] here
@don't compare types
@don't use type() [here|]
@[why|how come] type() and not isinstance
@subclasses [fail|break|are rejected] here
@this [ignores|rejects|misses] subclasses
@type comparison, [use|make it] isinstance
@[a|the] subclass should [pass|be fine] here too
@isinstance [please|instead|would be better]
@[compare|check] types [properly|the right way]
E721 Use `is` and `is not` for type comparisons, or `isinstance()` for isinstance checks: {one}
E721 Do not compare types, for exact checks use `is`, for instance checks use `isinstance()` ({one})
C0123: Use isinstance() rather than type() for a typecheck. ({one})
{one}: isinstance
{one}? isinstance!
S6660 / E721: {one}, isinstance
{one} => isinstance
the {one} says no to [derived classes|subclasses|a mock|a proxy|a bool|an enum|a namedtuple]
the {one} [doesn't|won't] let subclasses [in|through|pass]
a subclass falls through the {one}
children of the class [should|must] pass the {one} too
my own dict subclass isn't taken [by|in] the {one}
OrderedDict and friends fail the {one}
a mock doesn't pass the {one}
works for the class itself only, the {one} [is too strict|needs loosening]
inheritance is ignored by the {one}
derived classes count too, see the {one}
is-a, not is-exactly, for the {one}
the {one} is too strict, isinstance
an exact {one} is too narrow
mypy can't narrow with the {one}, isinstance it can
mypy doesn't narrow after the {one}
pyright needs isinstance to narrow, not the {one}
there is a builtin for that {one}
python has a builtin for the {one}
ask whether it is an instance [rather than|instead of] a {one}
can the {one} be done by isinstance
why not isinstance where the {one} is
ruff flags the {one}
flake8 doesn't like the {one}
the {one} is not how one does that, isinstance
liskov would cry about the {one}
E721 Do not compare types: {many}
C0123: Use isinstance() rather than type() for a typecheck. ({many})
{many}: isinstance
{many}? isinstance!
{many} => isinstance
the {many} say no to derived classes
derived classes count too, in all the {many}
subclasses fall through the {many}
there is a builtin for {many}
mypy can't narrow with {many}
ruff flags {many}
flake8 doesn't like the {many}
can the {many} be isinstance?
each of the {many} with isinstance
is-a, not is-exactly, in the {many}
the {many} are too strict, isinstance
a mock passes none of the {many}
type({name}) -> isinstance({name}, ...)
type({name})? isinstance!
if type({name}) == ...: isinstance
if type({name}) is ...: no, isinstance
no type({name}), isinstance({name}, ...)
E721 type({name})
C0123: Use isinstance() rather than type() for a typecheck: {name}
type of {name} by isinstance
is {name} an instance? ask isinstance
ask isinstance about {name}
{name} can be [of a derived class|a subclass|a mock|something derived]
a subclass for {name} should [do|work|pass|be taken] as well
someone passes a subclass as {name} and it [falls through|is refused|goes wrong]
derived classes for {name} too
mypy can't narrow {name} [here|there|]
pyright doesn't narrow {name}, isinstance would
{name} is checked too strictly, children of the class are out
type() on {name} is too narrow
why type({name})
{name}: isinstance, not type()
when {name} is derived from it, it counts too
there is a builtin to ask what {name} is
don't ask for the exact type of {name}
@E721
@C0123
@E721 Do not compare types
@C0123: Use isinstance() rather than type() for a typecheck
@isinstance!
@is-a, not is-exactly
@derived classes [too|count too|should pass]
@subclasses too
@children of the class should pass too
@too strict, subclasses are fine
@works for the class itself only
@exact type is too strict
@mypy can't narrow this
@mypy doesn't narrow here
@there's a builtin for this
@a mock fails here
@a subclass falls through
@type() == is [ugly|wrong|frowned upon|a smell]
@not the exact type
"""

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Compare types where isinstance stands."""
        return plant_changes(snippet, _degraded(snippet, rng), rng)

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Put isinstance where types are compared."""
        return propose_changes(snippet, type_tests(snippet), rng, _ONE, _MANY)


def _degraded(snippet: Snippet, rng: Random) -> list[Change]:
    changes: list[Change] = []
    equal, unequal = rng.choice([("==", "!="), ("==", "!="), ("is", "is not")])
    for node, parent in conditions(snippet.tree):
        negated = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
        call = node.operand if isinstance(node, ast.UnaryOp) else node
        match call:
            case ast.Call(func=ast.Name(id="isinstance"), args=[value, kind], keywords=[]):
                several = isinstance(kind, ast.Tuple)
                operator = ("not in" if negated else "in") if several else (unequal if negated else equal)
                texts = text_of(snippet, value), text_of(snippet, kind)
                fit = isinstance(kind, ast.Name | ast.Attribute | ast.Tuple) and all(texts)
                if fit and not isinstance(parent, ast.UnaryOp) and (negated or call is node):
                    changes.append(Change(node, f"type({texts[0]}) {operator} {texts[1]}"))
    return changes
