"""Remove the assignment to a variable that nothing uses."""

import ast
from collections.abc import Mapping, Sequence
from random import Random
from typing import ClassVar

from spark_tui.editing import code
from spark_tui.editing.script import Delete
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds import pools
from spark_tui.training.kinds.base import Edit, Kind, Planted
from spark_tui.training.kinds.statements import Place, argument_names, is_string, places

_WORDS = "unused variable|unused local variable|dead variable|unused assignment|dead assignment|unused local|dead store"


class UnusedVariable(Kind):
    """The assignment goes when it does nothing else."""

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
""".replace("an {what}", "a {what}")

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Assign something to a new name."""
        fit = [place for place in places(snippet) if place.function and not is_string(place.node)]
        fit = [place for place in fit if not snippet.lines[place.first - 1].lstrip().startswith("#")]
        if not fit or _unused(snippet):
            return None
        place = rng.choice(fit)
        name = pools.variable_name(rng)
        if code.mentions(snippet, name) or place.function is None:
            return None
        names = argument_names(place.function)
        value = rng.choice(names) if names and rng.random() < 0.3 else pools.value(rng, rng.choice("'\""))
        line = f"{place.indent}{name} = {rng.choice([value, value, '[]', '{}', '0'])}"
        return Planted(Snippet((*snippet.lines[: place.first], line, *snippet.lines[place.first :])))

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Remove one variable that is mentioned once and whose value is made without a call."""
        found = _unused(snippet)
        if not found:
            return None
        place, name = rng.choice(found)
        ops = (Delete(place.first, place.last),)
        slots = {"function": place.function.name} if place.function else {}
        roll = rng.random()
        if roll < 0.15:
            return Edit(ops, slots, (place.first, place.last))
        if roll < 0.35 and len(found) == 1:
            return Edit(ops, slots | {"what": rng.choice(_WORDS.split("|"))})
        return Edit(ops, slots | {"name": name})

    def accepts(self, before: Snippet, after: Sequence[str], slots: Mapping[str, str]) -> bool:
        """It parses, and every line left was there."""
        return super().accepts(before, after, slots) and set(after) <= set(before.lines)


def _unused(snippet: Snippet) -> list[tuple[Place, str]]:
    found: list[tuple[Place, str]] = []
    for place in places(snippet):
        match place.node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if place.function and len(place.block) > 1:
                blank = not snippet.lines[place.first - 1].strip()
                pure = not any(isinstance(node, ast.Call | ast.Await | ast.Yield) for node in ast.walk(value))
                if pure and not blank and place.first == place.last and code.mentions(snippet, name) == 1:
                    found.append((place, name))
    return found
