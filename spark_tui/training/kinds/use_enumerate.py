"""Loop over enumerate rather than over indices or with a counter."""

import ast
from collections.abc import Mapping
from random import Random
from typing import ClassVar

from spark_tui.editing.code import indentation, statement_lines
from spark_tui.editing.codemods.common.occasions import Occasion, inserted, rewritten
from spark_tui.editing.codemods.idioms.element_loops import Loop, head, loops
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds import staging
from spark_tui.training.kinds.base import Planted
from spark_tui.training.kinds.by_index import by_index, element_name, index_name, plain, replaceable
from spark_tui.training.kinds.occasional import Occasional
from spark_tui.training.kinds.statements import spliced


class UseEnumerate(Occasional):
    """`for i in range(len(xs))`, or a counter kept by hand, becomes `for i, x in enumerate(xs)`.

    Slots: besides those of Occasional, {item} the name to give the element.
    """

    name: ClassVar[str] = "use_enumerate"
    one: ClassVar[str] = "the loop|this loop|the for loop|the index loop|the for"
    many: ClassVar[str] = "the loops|these loops|all loops|all the index loops|both loops|every loop|the for loops"
    named: ClassVar[str] = (
        "the loop over {}|the {} loop|the for loop over {}|the loop that goes over {}|looping over {}|the iteration of {}"
    )
    skeletons: ClassVar[str] = """
<use> enumerate for {what}
<use> enumerate in {what}
<use> enumerate() [for|in] {what}
<use> enumerate instead of [range|range(len())|range(len(...))|indexing|an index|a counter] [in|for] {what}
<rewrite> {what} with enumerate
<convert> {what} to enumerate
<make> {what} use enumerate
<replace> range(len(...)) [with|by] enumerate in {what}
{what} <should> use enumerate
[why|how come] no enumerate in {what}
can't we enumerate in {what}
{what} could [be written with|do with|go through] enumerate
<get_rid> range(len()) in {what}
no range(len()) in {what}
don't [count by hand|index by hand|keep a counter|go through range and len] in {what}
get the index [and the item|and the element|] from enumerate in {what}
{what}: index and [item|element|value] together
have {what} give [both the index and the item|index and element] at once
let python do the counting in {what}
<simplify> the [indexing|counting] in {what}
<lint>: C0200 consider using enumerate [for|in] {what}
SIM113 {what}
C0200 in {what}
<nit>: enumerate for {what}
<review>: enumerate in {what} [please|]
{what} [reads|looks] like C, [use|go for] enumerate
iterate [directly|properly|the pythonic way] in {what}, [but |]keep the index
{what}, but with enumerate
<want> enumerate in {what}
enumerate {what}
<use> enumerate for {case}, <with> {item} as the [item|element|loop variable|variable]
<use> enumerate in {case} and call the [item|element|value] {item}
<use> enumerate in {case}, call it {item}
<rewrite> {case} with enumerate, naming the [item|element] {item}
<convert> {case} to enumerate[,| and] call each one {item}
{case} <should> use enumerate, with the [item|element] called {item}
{case} with enumerate, the [item|element|value] named {item}
<replace> range(len()) in {case} by enumerate, item named {item}
<lint>: C0200 consider using enumerate in {case}, name the item {item}
no more indexing in {case}: enumerate, and call the [element|item] {item}
enumerate in {case}, element called {item}
<use> enumerate{unsaid}
<use> enumerate here{unsaid}
<use> enumerate instead of [range(len())|range|counting|indexing|a manual counter|the index variable]{unsaid}
[enumerate|enumerate()] [here|please|instead|]{unsaid}
<lint>: C0200 consider-using-enumerate{unsaid}
C0200: Consider using enumerate instead of iterating with range and len{unsaid}
SIM113 Use enumerate() for index variable in for loop{unsaid}
<get_rid> [the range(len())|the range and len|the manual counter|the manual index]{unsaid}
range(len()) is [ugly|not pythonic|unpythonic|a code smell|bad style]{unsaid}
[why|how come] do we count [by hand|manually] here{unsaid}
no need to [count|index|keep count] by hand{unsaid}
<replace> range(len()) [with|by] enumerate{unsaid}
iterate with index and [value|item|element] at the same time{unsaid}
[there's|there is] a builtin for looping with an index{unsaid}
don't loop over range(len()){unsaid}
looping over indices is ugly, get the [elements|items] too{unsaid}
<make> the loop[s|] more pythonic with enumerate{unsaid}
stop indexing [by hand|manually]{unsaid}
@<use> enumerate [here|for this|]{plain}
@this <should> be an enumerate{plain}
@enumerate{plain}
@[C0200|SIM113] here{plain}
@loop with enumerate{plain}
@no range(len()) here{plain}
@<rewrite> this loop with enumerate{plain}
@get [index and item|both index and value|item and index] in this loop{plain}
@[why|how come] not enumerate{plain}
@enumerate instead of [indexing|counting|range]{plain}
@<use> enumerate [here|], call the [item|element] {item}
@enumerate with {item} as the [item|loop variable]
@<rewrite> this with enumerate and name the item {item}
@loop with index and element called {item}
@this <should> enumerate, the element named {item}
range(len()) -> enumerate{unsaid}
range(len(...)) => enumerate(...){unsaid}
enumerate!{unsaid}
enumerate?{unsaid}
enumerate exists{unsaid}
can we enumerate here?{unsaid}
could this be enumerate{unsaid}
why range(len())?{unsaid}
why the counter?{unsaid}
why not enumerate{unsaid}
C-style loop{unsaid}
looks like C{unsaid}
reads like java, enumerate{unsaid}
for (i = 0; i \\< n; i++) in disguise{unsaid}
unpythonic{unsaid}, enumerate it
not very pythonic loop, enumerate{unsaid}
no manual counter{unsaid}
the counter can go, enumerate counts{unsaid}
counting is enumerate's job{unsaid}
i += 1 by hand? enumerate{unsaid}
the index is only used to get at the element, so enumerate{unsaid}
\\[i\\] everywhere, enumerate gives the element{unsaid}
less indexing please, enumerate{unsaid}
both index and element from enumerate{unsaid}
give me index and element in one go{unsaid}
element and index at once{unsaid}
index + item in the loop head{unsaid}
C0200: Consider using enumerate instead of iterating with range and len (consider-using-enumerate){unsaid}
SIM113 Use `enumerate()` for index variable `i` in `for` loop{unsaid}
sonar: use enumerate to get the index{unsaid}
FURB148/C0200 enumerate{unsaid}
nit: enumerate{unsaid}
review: enumerate would be nicer{unsaid}
shorter with enumerate{unsaid}
easier to read with enumerate{unsaid}
one line less with enumerate{unsaid}
let enumerate count{unsaid}
loop over the elements, index from enumerate{unsaid}
in the for: enumerate{unsaid}
in the loop head: enumerate(...){unsaid}
without range(len()){unsaid}
without [counting|the counter] by hand, enumerate{unsaid}
{what} -> enumerate
{what}: enumerate
{what} by enumerate
{what} by index? enumerate
{what} without range(len())
range(len()) in {what} hurts my eyes
{what} counts by hand
{what} counts by itself, enumerate does that
{what} indexes [all the time|everywhere|again and again], enumerate it
{what} is C-style, enumerate
why does {what} use range(len())?
in the head of {what}: enumerate
index and element for {what}
C0200 at {what}
let enumerate do the counting in {what}
isn't {what} a case for enumerate
there's enumerate for {what}
{case}: enumerate, and call the element {item}
{case} by enumerate, element as {item}, so call it {item}
enumerate for {case}, item called {item}
name the element {item} and use enumerate in {case}
in {case} call the element {item}, with enumerate
@enumerate!{plain}
@-> enumerate{plain}
@range(len())?{plain}
@C-style{plain}
@let enumerate count{plain}
@why count by hand?{plain}
@enumerate, element called {item}
@call the element {item}, enumerate
"""

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Take a loop over enumerate apart."""
        fit = [one for one in loops(snippet) if _enumerated(snippet, one)]
        if not fit:
            return _counting(snippet, rng)
        loop = rng.choice(fit)
        index, element, source, start = _enumerated(snippet, loop) or ("", "", "", 0)
        if loop.body and (start or rng.random() < 0.3):
            return _by_counter(snippet, loop, (index, element, source, start), rng)
        if start or not element.isidentifier():
            return None
        return by_index(snippet, loop, index, f"range(len({source}))", {element: f"{source}[{index}]"}, rng)

    def told(self, snippet: Snippet, rng: Random) -> dict[str, str]:
        """Now and then the name of the element."""
        name = element_name(snippet, rng) if rng.random() < 0.35 and _needs_name(snippet) else None
        return {"item": name} if name else {}

    def said(self, slots: Mapping[str, str]) -> str:
        """The element's name as one."""
        return f"call it {slots['item']}" if "item" in slots else ""


def _needs_name(snippet: Snippet) -> bool:
    return not any(isinstance(one.parts[0], ast.Assign) for one in loops(snippet) if "range(" in ast.unparse(one.iter))


def _enumerated(snippet: Snippet, loop: Loop) -> tuple[str, str, str, int] | None:
    """Index, element, sequence and first number."""
    match loop.target, loop.iter:
        case ast.Tuple(elts=[ast.Name(id=index), element]), ast.Call(
            func=ast.Name(id="enumerate"), args=[source, *rest], keywords=keywords
        ):
            starts = [*rest, *(one.value for one in keywords)]
            first = starts[0].value if starts and isinstance(starts[0], ast.Constant) else 0 if not starts else None
            text = plain(snippet, source)
            if text and isinstance(first, int) and ast.unparse(element):
                return index, ast.unparse(element), text, first
    return None


def _counting(snippet: Snippet, rng: Random) -> Planted | None:
    """Use an index in a loop that needs none: the element as `xs[i]`, and the index in place of something else."""
    fit = [one for one in loops(snippet) if isinstance(one.target, ast.Name) and plain(snippet, one.iter) and one.body]
    index = index_name(snippet, rng)
    if not fit or not index:
        return None
    loop = rng.choice(fit)
    nodes = (node for part in loop.parts for node in staging.outside_strings(part))
    others = [
        one for one in nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load) and replaceable(loop, one)
    ]
    if others:
        other = Snippet(tuple(spliced(snippet, [(rng.choice(others), index)])))
        again = next((one for one in loops(other) if one.line == loop.line and one.body), None)
        if again is None or ast.dump(again.iter) != ast.dump(loop.iter):
            return None
        snippet, loop = other, again
    elif rng.random() < 0.9:
        return None
    source, element = plain(snippet, loop.iter), ast.unparse(loop.target)
    return by_index(snippet, loop, index, f"range(len({source}))", {element: f"{source}[{index}]"}, rng)


def _by_counter(snippet: Snippet, loop: Loop, parts: tuple[str, str, str, int], rng: Random) -> Planted | None:
    index, element, source, start = parts
    element = element.strip("()") if element.count("(") == 1 else element
    outer = indentation(snippet.lines[loop.line])
    inner = indentation(snippet.lines[loop.body[0].lineno - 1])
    if loop.line == 0 or inner <= outer or statement_lines(loop.body[-1])[1] != loop.last:
        return None
    changes = [head(snippet, loop, element, source), inserted(snippet, loop.line - 1, [f"{outer}{index} = {start}"])]
    if start == 1 and rng.random() < 0.3:
        changes[1] = inserted(snippet, loop.line - 1, [f"{outer}{index} = 0"])
        changes.append(inserted(snippet, loop.body[0].lineno - 2, [f"{inner}{index} += 1"]))
    else:
        changes.append(inserted(snippet, loop.last, [f"{inner}{index} += 1"]))
    after = rewritten(snippet, [Occasion(loop.line, tuple(changes))])
    return Planted(Snippet(tuple(after))) if after else None
