"""`not x in y` becomes `x not in y`, `not x is y` becomes `x is not y`."""

import ast
from random import Random
from typing import ClassVar

from spark_tui.editing.codemods.common.changes import Change
from spark_tui.editing.codemods.not_in import negations
from spark_tui.editing.comparisons import comparison_text
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.base import Edit, Kind, Planted
from spark_tui.training.kinds.idioms import conditions, plant_changes, propose_changes

_ONE = "membership test|negated test|negated condition|not ... in|negation|not x in y|test with not|condition with not"
_MANY = "membership tests|negated tests|negated conditions|not ... in tests|negations|not x in ys|tests with not"


class NotIn(Kind):
    """The `not` moves into the operator."""

    name: ClassVar[str] = "not_in"
    skeletons: ClassVar[str] = """
<use> the not in operator for the {one}
<use> 'not in' [or 'is not'|] for the {one}
<fix> the {one}
<fix> the order of the {one}
<rewrite> the {one} with [not in|the right operator]
<move> the not into the operator in the {one}
<move> the not inside the {one}
<make> the {one} [idiomatic|pythonic|read better|more readable]
the {one} reads [badly|oddly|backwards]
the {one} <should> be [written with|] not in
the not of the {one} <should> be [further right|in the operator|next to in]
the {one} <should> use the not in operator
[why|how come] the {one} isn't a not in
<lint>: E713 {one} should be 'not in'
<lint>: E714 test for object identity should be 'is not', the {one}
E713: {one}
E713 test for membership should be 'not in': {one}
pylint C0117 unneeded-not: {one}
SIM201 {one}
<nit>: not in for the {one}
<review>: the {one} [reads|looks] backwards
[simplify|tidy up|clean up] the {one}
{one} -> not in
the precedence of the {one} is confusing
put the not where it belongs in the {one}
<use> the not in operator for [all|] the {many}
<fix> [all|] the {many}
<rewrite> [all|] the {many} with [not in|the right operator]
<move> the not into the operator in [all|] the {many}
<make> [all|] the {many} [idiomatic|pythonic|read better|more readable]
[all|] the {many} <should> use the not in operator
[all|] the {many} read [badly|oddly|backwards]
<lint>: E713 {many}
E713 [everywhere|throughout]: {many}
pylint unneeded-not: {many}
<nit>: not in for the {many}
<review>: the {many} [read|look] backwards
[simplify|tidy up|clean up] [all|] the {many}
{many} -> not in
the precedence of the {many} is confusing
<use> the not in operator for {name}
<use> {name} not in
<write> {name} not in [...|instead of not {name} in]
<write> {name} not in rather than not {name} in
<change> not {name} in to {name} not in
not {name} in <should> be {name} not in
not {name} in ... reads [badly|oddly|backwards]
<replace> not {name} in [by|with] {name} not in
<fix> the test of {name}
<fix> the [negated|membership] test of {name}
<move> the not [behind|after|to the right of] {name}
the not <should> come after {name}
the test of {name} <should> use [not in|the negated operator]
[why|how come] is the not in front of {name}
E713 test for membership should be 'not in': {name}
<lint>: not {name} in
<nit>: {name} not in
<review>: {name} not in, please
put the not after {name}
[simplify|tidy up|clean up] the [negated|] test [of|on] {name}
@<use> not in [here|]
@<use> is not [or not in|here|]
@<move> the not [inside|into the operator]
@this <should> be not in
@[E713|E714] here
@<fix> [this|the] negated test
@the not is in the wrong place
@this reads backwards
@not in
@[simplify|tidy up] this negation
@[why|how come] the not in front
E713 Test for membership should be `not in`, {one}
E714 Test for object identity should be `is not`, {one}
E713 [\\[*\\] |]Test for membership should be `not in` ({one})
{one}: not in
{one}? not in!
C0117 / E713: {one}
the not is in front of the {one}, it belongs [in the middle|between the two|next to in]
not before in: {one}
i always misread the {one}
the {one} hurts my eyes
the {one} takes a second look
one has to think about the {one}. not in is plain
the {one} sounds like yoda
english order for the {one}
say the {one} like one would say it aloud
a leading not in the {one}, [it has|there's] an operator for that
python has an operator for the {one}
python has not in, so the {one}...
there's an operator for that: {one}
two words instead of a leading not for the {one}
can the {one} be a not in?
[could|would] the {one} read better with not in?
less confusing {one} [please|]
ruff flags the {one}
flake8 doesn't like the {one}
idiomatic {one}
does the {one} bind right? nobody knows, so not in
no leading not in the {one}
E713 Test for membership should be `not in`, {many}
E713 E714: {many}
{many}: not in
{many}? not in!
the not is in front of the {many}, it belongs next to in
i always misread the {many}
python has an operator for {many}
can the {many} be not in?
ruff flags {many}
flake8 doesn't like the {many}
idiomatic {many} please
english order for [all|] the {many}
no leading not in [any of|] the {many}
each of the {many} the usual way round
less confusing {many}
the {many} hurt my eyes
not {name} in -> {name} not in
not {name} in ..., ugh
if not {name} in: the other way round
if not {name} in ... => if {name} not in ...
{name} not in please
{name} not in / is not
E713 not {name} in
E713 Test for membership should be `not in`, {name}
{name} first, then the not
{name} comes first, not second
start with {name}, then not in
the not before {name} is [misplaced|odd|confusing|in the wrong place]
i read "not {name}" first, [confusing|misleading|wrong]
it looks as if {name} was negated
not {name} looks like a bool, but it's about in
{name} isn't negated, the test is
swap not and {name}
not goes after {name}
can the not come after {name}?
why "not {name} in"
the usual order for {name}: {name}, not, in
@not in!
@not in, please
@is not / not in
@E713
@E714
@E713 Test for membership should be `not in`
@C0117
@the not is misplaced
@the not goes next to in
@wrong place for the not
@i misread this every time
@confusing not
@english word order
@python has an operator for that
@python has not in
@the usual order
@the other way round, with not in
@reads like yoda
@not x in y -> x not in y
"""

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Put the `not` in front."""
        changes: list[Change] = []
        for node, _ in conditions(snippet.tree):
            match node:
                case ast.Compare(ops=[ast.NotIn() | ast.IsNot() as op]) if parts := comparison_text(snippet, node):
                    operator = "in" if isinstance(op, ast.NotIn) else "is"
                    changes.append(Change(node, f"not {parts[0]} {operator} {parts[2]}"))
        return plant_changes(snippet, changes, rng)

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Move the `not` into the operator."""
        return propose_changes(snippet, negations(snippet), rng, _ONE, _MANY)
