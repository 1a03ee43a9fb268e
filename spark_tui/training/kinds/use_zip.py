"""Loop over several sequences with zip rather than over indices."""

import ast
from collections.abc import Mapping
from random import Random
from typing import ClassVar

from spark_tui.editing.codemods.common.occasions import Change, names_of, replaced
from spark_tui.editing.codemods.idioms.element_loops import Loop, loops, singular
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds import pools
from spark_tui.training.kinds.base import Planted
from spark_tui.training.kinds.by_index import by_index, element_name, index_name, plain, replaceable
from spark_tui.training.kinds.occasional import Occasional
from spark_tui.training.kinds.statements import spliced


class UseZip(Occasional):
    """`for i in range(len(a))` with `a[i]` and `b[i]` becomes `for x, y in zip(a, b)`.

    Slots: besides those of Occasional, {item} and {item2} the names to give the elements.
    """

    name: ClassVar[str] = "use_zip"
    one: ClassVar[str] = "the loop|this loop|the for loop|the index loop|the loop with the index"
    many: ClassVar[str] = "the loops|these loops|all loops|all the index loops|both loops|every loop|the for loops"
    named: ClassVar[str] = (
        "the loop over {}|the {} loop|the for loop over {}|the loop that indexes {}|the loop through {}"
    )
    skeletons: ClassVar[str] = """
<use> zip for {what}
<use> zip in {what}
<use> zip() [for|in] {what}
<use> zip instead of [range|range(len())|indexing|an index|indices] [in|for] {what}
<rewrite> {what} with zip
<convert> {what} to zip
<make> {what} use zip
<replace> the [indexing|index|indices] [with|by] zip in {what}
{what} <should> use zip
{what} <should> go through [them|both|the lists] in parallel
[why|how come] no zip in {what}
can't we zip in {what}
<get_rid> the [index|indices|indexing] in {what}, zip them
no [index|subscripts|index juggling] in {what}, <use> zip
zip [the lists|the sequences|them|both lists|the two] in {what}
zip [them|the two|both] up in {what}
walk [both|the two lists|them|the sequences] [in parallel|together|side by side|pairwise|in lockstep] in {what}
iterate [in parallel|pairwise|side by side|in lockstep] in {what}
go through [both|all of them|the lists] at [once|the same time] in {what}
pair [them|the elements|the items] up in {what}
take the [items|elements] in pairs in {what}
<simplify> the indexing in {what} [with zip|by zipping|using zip]
<nit>: zip for {what}
<nit>: zip instead of indices in {what}
<review>: zip [in|for] {what} [please|]
<lint>: indexing several lists at once in {what}, <use> zip
<lint>: consider using zip in {what}
B905 style zip for {what}
{what} reads like C, zip [would be|is] [nicer|better|cleaner]
{what}, but with zip
<want> zip in {what}
zip {what}
parallel iteration in {what} [please|]
<use> zip for {case}, <with> {item} and {item2} as the [items|elements|variables]
<use> zip in {case} and call the [items|elements|values] {item} and {item2}
<use> zip in {case}, call them {item} and {item2}
<rewrite> {case} with zip, naming the elements {item} and {item2}
zip in {case}, elements called {item} and {item2}
{case} with zip, the items named {item} and {item2}
for {item}, {item2} in zip(...) [for|in] {case}
<use> "for {item}, {item2} in zip" for {case}
zip in {case}: for {item}, {item2} in
<use> zip{unsaid}
<use> zip here{unsaid}
<use> zip instead of [range(len())|range|indices|indexing|subscripts|the index variable]{unsaid}
[zip|zip()] [here|please|instead|]{unsaid}
zip [the lists|the two|both lists|them|the sequences] [together|]{unsaid}
iterate over [both|the two lists|the sequences|them] [in parallel|together|at the same time|simultaneously|in lockstep]{unsaid}
loop over [both|the two] at [once|the same time]{unsaid}
go over [both lists|the lists|them|both] [side by side|together|in parallel|pairwise]{unsaid}
no need for [an index|indices|the index|subscripts] here, zip [does it|will do|exists]{unsaid}
<get_rid> the index, <use> zip{unsaid}
<replace> the [indexing|subscripts|indices] [with|by] zip{unsaid}
[why|how come] do we index [both|the lists|two lists] by hand{unsaid}
range(len()) over [two|several] lists [is ugly|is a zip|should be zip|is not pythonic]{unsaid}
[there's|there is] zip for [that|this|looping over two lists]{unsaid}
<lint>: consider-using-zip{unsaid}
<nit>: [zip|parallel loop with zip|zip is nicer]{unsaid}
pair the elements [up|] instead of indexing{unsaid}
don't index [both|the two|several] lists [by i|with i|by hand|]{unsaid}
<make> the loop[s|] more pythonic with zip{unsaid}
@<use> zip [here|for this|]{plain}
@this <should> be a zip{plain}
@zip{plain}
@zip [them|these|the two|both]{plain}
@loop with zip{plain}
@no range(len()) here, zip{plain}
@<rewrite> this loop with zip{plain}
@[go over|walk] [both|them] in parallel{plain}
@[why|how come] not zip{plain}
@zip instead of [indexing|range|indices]{plain}
@pairwise instead of by index{plain}
@<use> zip [here|], call them {item} and {item2}
@zip with the elements named {item} and {item2}
@for {item}, {item2} in zip
@<rewrite> this with zip and name the items {item} and {item2}
range(len()) -> zip{unsaid}
\\[i\\] on both sides -> zip{unsaid}
zip!{unsaid}
zip?{unsaid}
zip it{unsaid}
zip them{unsaid}
zip exists{unsaid}
can we zip here?{unsaid}
could be a zip{unsaid}
why not zip{unsaid}
why the index? zip{unsaid}
the index is only there to walk two lists{unsaid}
the index is only used for the lookups, so zip{unsaid}
a\\[i\\], b\\[i\\] -> zip(a, b){unsaid}
a\\[i\\] and b\\[i\\] all over, zip{unsaid}
two lists in step{unsaid}
two lists side by side: zip{unsaid}
both lists in one for{unsaid}
both at once, without an index{unsaid}
in lockstep please{unsaid}
pairs instead of indices{unsaid}
go through them pair by pair{unsaid}
elements in pairs please{unsaid}
same length anyway, so zip{unsaid}
IndexError when the second list is shorter, zip stops in time{unsaid}
IndexError: list index out of range if they differ in length, zip{unsaid}
C-style double indexing, zip{unsaid}
unpythonic indexing of two lists{unsaid}
less indexing, zip{unsaid}
no subscripts please, zip{unsaid}
without the index, zip{unsaid}
without range(len()), zip{unsaid}
C0200 suggests enumerate, but zip is what we need{unsaid}
sonar: use zip to iterate over both{unsaid}
refurb: use zip here{unsaid}
nit: zip{unsaid}
review: zip would be nicer{unsaid}
shorter with zip{unsaid}
easier to read with zip{unsaid}
in the for: zip{unsaid}
in the loop head: zip(...){unsaid}
let zip pair them up{unsaid}
zip does that for you{unsaid}
parallel lists, so zip{unsaid}
{what} -> zip
{what}: zip
{what} by zip, not by index
{what} by index? zip
{what} without the index
{what} pair by pair
{what} walks several lists, zip
{what} indexes two lists [all the time|again and again|by hand], zip
{what} only needs i for the lookups, zip
why does {what} need an index? zip
in the head of {what}: zip
zip is made for {what}
isn't {what} a zip?
there's zip for {what}
let zip drive {what}
{case}: zip, and call them {item} and {item2}
{case} by zip, for {item}, {item2} in
zip for {case}, for {item}, {item2} in ...
for {item}, {item2} in {case}, by zip
@zip!{plain}
@-> zip{plain}
@both in step{plain}
@pairs, no index{plain}
@parallel lists{plain}
@why the index?{plain}
@zip: for {item}, {item2} in
"""

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Take a zip apart, or let a loop over one sequence index another one too."""
        fit = [one for one in loops(snippet) if _zipped(snippet, one)]
        index = index_name(snippet, rng)
        if index is None:
            return None
        if not fit:
            return _with_second(snippet, index, rng)
        loop = rng.choice(fit)
        names, sources = _zipped(snippet, loop) or ([], [])
        elements = {name: f"{source}[{index}]" for name, source in zip(names, sources, strict=True)}
        return by_index(snippet, loop, index, f"range(len({sources[0]}))", elements, rng)

    def told(self, snippet: Snippet, rng: Random) -> dict[str, str]:
        """Now and then the names of two elements."""
        if rng.random() < 0.75 or any(isinstance(one.parts[0], ast.Assign) for one in loops(snippet)):
            return {}
        one, two = element_name(snippet, rng), element_name(snippet, rng)
        return {"item": one, "item2": two} if one and two and one != two else {}

    def said(self, slots: Mapping[str, str]) -> str:
        """The names as names."""
        return f"for {slots['item']}, {slots['item2']} in" if "item" in slots else ""


def _zipped(snippet: Snippet, loop: Loop) -> tuple[list[str], list[str]] | None:
    """The names of the elements and the sequences."""
    match loop.target, loop.iter:
        case ast.Tuple(elts=elements), ast.Call(func=ast.Name(id="zip"), args=sources):
            names = [one.id for one in elements if isinstance(one, ast.Name)]
            texts = list(filter(None, (plain(snippet, one) for one in sources)))
            if len(names) == len(elements) == len(texts) == len(sources) > 1:
                return names, texts
    return None


def _with_second(snippet: Snippet, index: str, rng: Random) -> Planted | None:
    """In a loop over one sequence, something else that is read becomes an element of a second one."""
    known = names_of(snippet.tree)
    fit = [
        (loop, node)
        for loop in loops(snippet)
        if isinstance(loop.target, ast.Name) and plain(snippet, loop.iter)
        for part in loop.parts
        for node in ast.walk(part)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and replaceable(loop, node)
    ]
    second = next((n for n in (pools.noun(rng) + "s" for _ in range(5)) if n not in known), "")
    if not fit or not second:
        return None
    loop, node = rng.choice(fit)
    element = next((name for name in singular(second) if name not in known), "")
    if not element or loop.line == 0:
        return None
    changes: list[Change] = [replaced(snippet, node, element)]
    other = Snippet(tuple(spliced(snippet, [(node, changes[0][2])])))
    moved = next(
        (one for one in loops(other) if one.line == loop.line and ast.dump(one.iter) == ast.dump(loop.iter)), None
    )
    if moved is None:
        return None
    source, name = plain(snippet, loop.iter), ast.unparse(loop.target)
    elements = {name: f"{source}[{index}]", element: f"{second}[{index}]"}
    return by_index(other, moved, index, f"range(len({source}))", elements, rng)
