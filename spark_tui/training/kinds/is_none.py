"""Compare to None with `is` and `is not`."""

import ast
from random import Random
from typing import ClassVar

from spark_tui.editing.codemods.common.changes import Change
from spark_tui.editing.codemods.is_none import equalities
from spark_tui.editing.comparisons import comparison_text
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import outside_fstrings
from spark_tui.training.kinds.base import Edit, Kind, Planted
from spark_tui.training.kinds.idioms import plant_changes, propose_changes

_ONE = "comparison to None|None comparison|comparison with None|None check|== None|check for None|None test|equality check with None"
_MANY = "comparisons to None|None comparisons|comparisons with None|None checks|checks for None|None tests|equality checks with None"


class IsNone(Kind):
    """`x == None` becomes `x is None`, `!=` becomes `is not`."""

    name: ClassVar[str] = "is_none"
    skeletons: ClassVar[str] = """
<use> is for the {one}
<use> is [instead of|rather than] == for the {one}
<use> identity for the {one}
<fix> the {one}
<make> the {one} [use is|an identity check]
<rewrite> the {one} with is
the {one} <should> use is
the {one} <should> be done with is
the {one} <should> be an identity check
the {one} [uses equality|is not idiomatic|is not pythonic|goes through __eq__]
<change> == None to is None, the {one}
don't use == [here|] for the {one}
[why|how come] the {one} isn't done with is
<lint>: E711 {one} should be 'if cond is None:'
<lint>: E711 {one}
E711: {one}
pep8: {one} with is
pylint C0121 singleton-comparison: {one}
<nit>: {one} with is
<nit>: use is for the {one}
<review>: the {one} needs is
is, not ==, for the {one}
[pythonic|idiomatic|proper] {one} please
[numpy|a custom __eq__] breaks the {one}, use is
<use> is for the {many}
<use> is [instead of|rather than] == for [all|] the {many}
<use> identity for [all|] the {many}
<fix> [all|] the {many}
<make> [all|] the {many} use is
<rewrite> [all|] the {many} with is
<replace> == by is in [all|] the {many}
<change> [all|] the {many} to is
[all|] the {many} <should> use is
[all|] the {many} <should> be done with is
[all|] the {many} [use equality|are not idiomatic|are not pythonic|go through __eq__]
[why|how come] the {many} aren't done with is
<lint>: E711 {many}
E711 [everywhere|throughout|all over]: {many}
pep8: {many} with is
pylint singleton-comparison: {many}
<nit>: {many} with is
<review>: the {many} need is
is, not ==, for [all|] the {many}
[pythonic|idiomatic|proper] {many} please
no == in {many}
compare {name} to None with is
compare {name} with None by identity
<use> is when [comparing|checking|testing] {name} [to|with|against] None
<use> is for {name} and None
<check> {name} [for|against] None with is
{name} <should> be compared to None with is
{name} == None <should> be {name} is None
<replace> {name} == None [by|with] {name} is None
<fix> the None check of {name}
<fix> the comparison of {name} [to|with] None
<change> {name} == None to is
<change> == to is for {name}
the None check of {name} <should> use is
[why|how come] is {name} compared to None with ==
is {name} compared to None properly? use is
E711 comparison to None: {name}
<lint>: {name} is compared to None by ==
<nit>: {name} is None [instead|]
<review>: is None for {name}
don't compare {name} to None with equality
don't use == on {name} and None
identity check for {name} [please|]
{name} needs an identity check against None
@<use> is [here|]
@<use> is [instead of|not] ==
@<use> is None
@this <should> be is None
@[E711|pep8] here
@<fix> this None check
@<fix> the comparison to None
@compare to None with is
@identity, not equality
@[why|how come] == and not is
@None is a singleton
E711 Comparison to `None` should be `cond is None`, {one}
E711 comparison to None [(use 'is')|should be 'if cond is not None:'] - {one}
C0121: Comparison should be 'expr is None' ({one})
{one}: is
{one}? is, please
{one} goes by identity
no equality for the {one}
None is a singleton, so the {one} [goes|works|is done] with is
there is only one None, {one} by identity
the {one} trips over [numpy|pandas|sqlalchemy|a custom __eq__]
[with an array|with numpy|with a dataframe] the {one} gives an array instead of a bool
the truth value of an array is ambiguous, because of the {one}
someone overloaded __eq__, the {one} calls it
== [for|in] the {one} [hurts|is bad style|is a smell|is frowned upon]
double equals in the {one}? is
can the {one} be done by identity?
shouldn't the {one} say is
flake8 trips over the {one}
ruff flags the {one}
two equals signs [in|for] the {one} are not how one does it
is (not) for the {one}
our style guide wants is for the {one}
pep 8 says is for the {one}
the {one} with ==, ugh
sonar S5727 / E711: {one}
E711 Comparison to `None` should be `cond is None`, {many}
C0121: Comparison should be 'expr is None' ({many})
{many}: is
{many}? is, please
{many} go by identity
no equality for {many}
None is a singleton, so {many} with is
there is only one None, {many} by identity
== None all over [the place|this function|], {many} want is
someone overloaded __eq__, {many} call it
can the {many} be done by identity?
flake8 trips over the {many}
ruff flags {many}
pep 8 says is for {many}
double equals in the {many}, is everywhere
each of the {many} with is (or is not)
our style guide wants is for {many}
{name} == None -> {name} is None
{name} is None, not {name} == None
if {name} == None[? is!|, ugh|: is]
{name} == None? is
{name} == None / != None: is / is not
{name} and None: identity
E711 {name} == None
E711 Comparison to `None` should be `cond is None`: {name}
C0121: Comparison '{name} == None' should be '{name} is None'
{name} might be [an array|a numpy array|a dataframe|a sqlalchemy column], == None goes wrong there
{name} may define __eq__
== None on {name} calls its __eq__
is {name} None? ask by identity
ask for {name} being None the right way
None and {name}: double equals won't do
by identity please, {name} against None
no == for {name}
no equality between {name} and None
can {name} be compared to None with is
why the double equals for {name}
{name} is None would be [right|idiomatic|proper|pep8]
flake8 doesn't like how {name} is compared to None
@is
@is None
@E711
@C0121
@E711 Comparison to `None` should be `cond is None`
@comparison to None
@pep8 wants is
@== None[?|, ugh| hurts|]
@== None is not [pythonic|idiomatic|how it's done]
@double equals with None
@None wants is
@there is only one None
@by identity
@is / is not
@this calls __eq__
@[breaks|goes wrong] with numpy
@is, please
@no == with None
@flake8 doesn't like this None check
@use the keyword for None
"""

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Compare with == what is compared with is."""
        return plant_changes(snippet, _identities(snippet), rng)

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Compare with is what is compared with ==."""
        return propose_changes(snippet, equalities(snippet), rng, _ONE, _MANY)


def _identities(snippet: Snippet) -> list[Change]:
    changes: list[Change] = []
    for node in outside_fstrings(snippet.tree):
        match node:
            case ast.Compare(ops=[ast.Is() | ast.IsNot() as op], comparators=[ast.Constant(value=None)]):
                if parts := comparison_text(snippet, node):
                    changes.append(Change(node, f"{parts[0]} {'==' if isinstance(op, ast.Is) else '!='} {parts[2]}"))
    return changes
