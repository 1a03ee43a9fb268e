"""Remove the assignment to a variable that nothing uses."""

from random import Random
from typing import ClassVar

from spark_tui.editing import code
from spark_tui.editing.codemods.unused_variable import unused_variables
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import argument_names, is_string, places
from spark_tui.training.kinds import pools
from spark_tui.training.kinds.base import Edit, Kind, Planted

_WORDS = "unused variable|unused local variable|dead variable|unused assignment|dead assignment|unused local|dead store"


class UnusedVariable(Kind):
    """The assignment goes; a call whose result it took stays."""

    name: ClassVar[str] = "unused_variable"
    weight: ClassVar[float] = 0.8
    skeletons: ClassVar[str] = """
<remove> the <unused> variable {name}
<remove> the <unused> local {name}
<remove> the variable {name}
<remove> the <unused> {name}
<get_rid> the <unused> variable {name}
<get_rid> {name}, it is <unused>
<drop> the <unused> variable {name}
<drop> {name}, nothing uses it
the variable {name} is <unused>
the variable {name} is <unneeded>
the local {name} is <unused>
{name} is <unused>
{name} is never [used|read|needed]
{name} is assigned but [never used|not used|unused|never read]
{name} is set but [never used|not used|never read]
{name} isn't used [any more|anymore|anywhere|]
{name} is not needed [any more|anymore|]
nothing [uses|reads] {name}[, <remove> it|]
nobody [uses|reads] {name}[, <drop> it|]
[we|you|i] don't use {name} [any more|anymore|]
[we|you|i] don't need {name} [any more|anymore|]
[we|you|i] don't need the variable {name}
[why|how come] do we [have|need|set] {name}
[why|how come] is {name} [there|assigned|set]
what is {name} for? <remove> it
do we need {name}? <remove> it
is {name} even used? <drop> it
<lint>: F841 {name}
<lint>: F841 local variable {name} is assigned to but never used
F841 local variable {name} is assigned to but never used
F841 {name}
W0612 unused variable {name}
pylint unused-variable: {name}
unused variable: {name}
unused variable {name}
<lint>: unused variable {name}
<nit>: unused variable {name}
<nit>: {name} is <unused>
<review>: {name} is never used
pyflakes: local variable {name} is assigned to but never used
dead variable {name}
dead code: {name}
dead store to {name}
{name} [can|should|must] go
{name} <should> be <removed>
[clean up|tidy up]: {name} is <unused>
the code works without {name}
without {name} [please|]
forgot to <remove> {name}
left over variable {name}
<remove> the {what}
<get_rid> the {what}
<drop> the {what}
the {what} [can|should|must] go
the {what} <should> be <removed>
there is an {what} [here|in here|]
<nit>: {what}
<review>: {what}
<lint>: {what}
[clean up|tidy up] the {what}
<fix> the {what}
[we|you|i] don't need the {what}
@<remove> this [variable|assignment]
@this [variable|assignment] is <unused>
@<unused> variable
@[F841|W0612] here
@this variable is never [used|read]
@<drop> this [variable|assignment]
@nobody reads this
@[why|how come] do we [set|have|keep] this
@assigned but never [used|read]
@we don't need this [variable|assignment|]
@this [assignment|variable] [is pointless|does nothing|can go]
@dead [store|assignment|code] [here|]
@the result is never [used|looked at|read]
F841 Local variable `{name}` is assigned to but never used
F841 [\\[*\\] |]Local variable `{name}` is assigned to but never used
F841 local variable '{name}' is assigned to but never used
W0612: Unused variable '{name}' (unused-variable)
W0612: Unused variable '{name}'
Variable "{name}" is not accessed
reportUnusedVariable: Variable "{name}" is not accessed
S1481 Remove the unused local variable "{name}"
S1854 Remove this assignment to local variable '{name}'; the value is never used.
sonar: unused local variables should be removed, {name}
vulture: unused variable '{name}' (60% confidence)
pycharm: local variable '{name}' value is not used
RUF059 / F841: {name}
value assigned to {name} is never [read|used]
{name} is greyed out [in my editor|in vscode|in pycharm|]
{name} has no [reader|readers|use|purpose]
{name} has a value that [nobody|nothing|no one] [wants|looks at|reads|asks for]
{name} goes nowhere
{name} leads nowhere
{name} is written, never read
{name} is a leftover [from debugging|of the old version|from the last change|]
{name} was for debugging
{name} used to be [returned|printed|passed on|logged], now it isn't
since the [refactoring|rewrite|last change] nothing looks at {name}
{name} serves no purpose
{name} isn't [read|referenced|mentioned] after that
{name} is computed for nothing
[we|you] compute {name} and then forget [it|about it]
[we|you] set {name} and never look at it again
we never do anything with {name}
what happens with {name}? nothing
what's the point of {name}
what is {name} for
did we ever read {name}?
can {name} go?
can we lose {name}?
could we do without {name}
is {name} good for anything
do we still need {name}
out with {name}
{name} out
minus {name}
no need for {name}
no {name}
no use for {name} [here|]
less is more: {name}
one line less without {name}
i forgot {name} [in there|when i cleaned up|after debugging]
grep says {name} occurs once
{name} occurs once only
{name} occurs only where it is set
the name {name} isn't needed, nothing mentions it later
a name for the value is not needed: {name}
don't bother with {name}
don't keep {name} around
{name} = ... and then nothing
{name} is dead [code|weight|]
useless: {name}
pointless: {name}
[bind|store|assign|save] nothing to {name}
the assignment to {name} is [pointless|useless|wasted|for nothing|dead]
take {name} away
strike {name}
an {what}
{what} alert
i see an {what}
flake8 found an {what}
ruff: {what}
pylint: {what}
without the {what}
we can do without the {what}
can the {what} go?
what's with the {what}
there's still an {what}
@F841
@W0612
@is not accessed
@greyed out
@can go
@unused
@what for
@what's this for
@written, never read
@set and forgotten
@leftover
@nothing looks at this
@this goes nowhere
@no need to keep this in a variable
@why keep this [around|]
@not used below
@[was for|from] debugging
@computed for nothing
@value is not used
@the name is never mentioned again
""".replace("an {what}", "a {what}")

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Assign something to a new name."""
        fit = [place for place in places(snippet) if place.function and not is_string(place.node)]
        fit = [place for place in fit if not snippet.lines[place.first - 1].lstrip().startswith("#")]
        if not fit:
            return None
        place = rng.choice(fit)
        name = pools.variable_name(rng)
        if code.mentions(snippet, name) or place.function is None:
            return None
        names = argument_names(place.function)
        value = rng.choice(names) if names and rng.random() < 0.3 else pools.value(rng, rng.choice("'\""))
        call = f"{pools.function_name(rng)}({rng.choice([*names, ''])})"
        line = f"{place.indent}{name} = {rng.choice([value, value, value, '[]', '{}', '0', call, f'len({value})'])}"
        return Planted(Snippet((*snippet.lines[: place.first], line, *snippet.lines[place.first :])))

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Remove one variable that nothing reads."""
        found = [one for one in unused_variables(snippet) if code.mentions(snippet, one.name) == len(one.rows)]
        if not found:
            return None
        one = rng.choice(found)
        slots = {"function": one.function.name}
        roll = rng.random()
        if roll < 0.15 and sum(set(one.rows) & set(other.rows) != set() for other in found) == 1:
            return Edit.between(snippet, one.after, slots, (min(one.rows), max(one.rows)))
        if roll < 0.35 and len(found) == 1:
            return Edit.between(snippet, one.after, slots | {"what": rng.choice(_WORDS.split("|"))})
        return Edit.between(snippet, one.after, slots | {"name": one.name})
