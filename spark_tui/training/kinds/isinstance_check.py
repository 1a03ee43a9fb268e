"""Check types with isinstance instead of comparing them."""

import ast
from random import Random
from typing import ClassVar

from spark_tui.editing.code import text_of
from spark_tui.editing.codemods.changes import Change
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
