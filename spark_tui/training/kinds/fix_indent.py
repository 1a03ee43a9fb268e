"""Put statements back to the depth they belong to."""

import ast
from collections.abc import Sequence
from random import Random
from typing import ClassVar

from spark_tui.editing.codemods.base import Ops, Request, applied, listed
from spark_tui.editing.codemods.registry import codemods
from spark_tui.editing.script import Dedent, Indent
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import Place, places
from spark_tui.training.kinds.base import Edit, Kind, Planted
from spark_tui.training.kinds.planting import Bug, planted
from spark_tui.training.kinds.statements import describe

_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_INNER = {
    ast.If: "if",
    ast.For: "loop",
    ast.AsyncFor: "loop",
    ast.While: "loop",
    ast.With: "with",
    ast.AsyncWith: "with",
    ast.Try: "try",
}


class FixIndent(Kind):
    """A line moves one level to the left or to the right.

    Slots: {statement} what moves, in words; {outer} the block it moves out of, or into ("loop", "if"); {unsaid} when it
    moves out, {ending} when it moves in; {below} more about out of a loop, {above} more about into a loop, {case} more
    about a return that leaves a loop too early (all show nothing).
    """

    name: ClassVar[str] = "fix_indent"
    weight: ClassVar[float] = 0.7
    skeletons: ClassVar[str] = """
{statement} is [badly|wrongly|not correctly] indented
{statement} has the wrong [indentation|indent|depth|level]
<wrong> indentation [of|for|on] {statement}
<fix> the [indentation|indent] of {statement}
{statement} is at the wrong [level|depth|place]
{statement} is [indented wrong|misindented|mis-indented|off by one level]
[wrong|bad|broken] [indentation|indent]
<fix> the [indentation|indent]
<fix> the indentation, {statement} is [off|wrong]
the [indentation|indent] is [off|wrong]
{unsaid}[dedent|unindent|outdent] {statement}
{unsaid}[dedent|unindent|outdent] {statement} [once|by one level|one level|by 4 spaces]
{unsaid}<move> {statement} one level [left|out|to the left]
{unsaid}<move> {statement} out of the {outer}
{unsaid}<move> {statement} [after|below|behind] the {outer}
{unsaid}{statement} <should> [be|come|stand|go] [after|outside|outside of|below] the {outer}
{unsaid}{statement} [doesn't belong|does not belong|shouldn't be|should not be] in the {outer}
{unsaid}{statement} belongs [after|outside|below] the {outer}
{unsaid}{statement} is [indented too much|too deep|one level too deep|nested too deep|too far right|too far in]
{unsaid}{statement} is [still|] [inside|in] the {outer}[, it should be after it|]
{unsaid}<why> is {statement} [inside|in] the {outer}
{unsaid}{statement} <should> [always|also] [run|happen|be done][, not only in the {outer}|]
{unsaid}{statement} only [runs|happens] [in|inside] the {outer}
{unsaid}one level too deep
{unsaid}[pull|take] {statement} out of the {outer}
{below}{statement} [runs|happens|is done|gets executed] [on|in] every [iteration|round|pass]
{below}{statement} [runs|happens|is done] [for each|for every|once per] item[, it should only happen once|]
{below}{statement} <should> [run|happen|be done] [only once|once|just once|at the end]
{below}{statement} <should> [run|happen|be done] [when|after|once] the loop [is done|has finished|is over|ends]
{below}do {statement} only [once|after the loop|at the end]
{below}[don't|do not] do {statement} [in|inside] the loop
{below}[this|it] is done [again and again|in every round], {statement} <should> come after the loop
{case}it returns [in|after] the first [iteration|round|pass|item]
{case}[returns|it returns|returning] too early
{case}[it|the function|{function}] returns after the first [item|element|iteration|round]
{case}only the first [item|element|one|entry] is [processed|handled|looked at|counted|used]
{case}the loop [only|just] runs once
{case}the loop [stops|ends] after [the first|one] [item|iteration|round]
{case}the return is [inside|in] the loop
{case}the return <should> [be|come] [after|outside|outside of] the loop
{case}[move|put] the return [after|out of|outside] the loop
{case}<why> does the loop [only run once|stop after the first item|end at once]
{case}i [only|just] get the first [item|one|result]
{case}[it|the loop] never [gets|comes] to the second [item|one|element]
{case}[the result|it] [has|contains] only [one|the first] [item|element|entry]
{ending}indent {statement}
{ending}indent {statement} [once|by one level|one level|by 4 spaces|one more level]
{ending}<move> {statement} one level [right|in|to the right]
{ending}<move> {statement} [into|inside] the {outer}
{ending}{statement} <should> [be|stand|go] [in|inside|within|under] the {outer}
{ending}{statement} belongs [in|into|inside|under] the {outer}
{ending}{statement} [is|stands] [outside|outside of|after|below] the {outer}[, it should be in it|]
{ending}{statement} is [not indented enough|not deep enough|too far left|one level too shallow|dedented too much]
{ending}{statement} <should> [be a|be] part of the {outer}
{ending}{statement} is not part of the {outer}
{ending}<why> is {statement} [outside|outside of|after] the {outer}
{ending}{statement} <should> only [run|happen|be done] in the {outer}
{ending}{statement} [runs|happens] even [outside|without] the {outer}
{ending}{statement} <need> one more [indent|level|indentation level]
{ending}one level too shallow
{above}{statement} [only|just] [runs|happens|is done] once
{above}{statement} [only|just] [runs|happens|is done] [for|with] the last [item|element|one]
{above}{statement} <should> [run|happen|be done] [for|with] [each|every] [item|element|one|round]
{above}{statement} <should> [run|happen|be done] [in|on] every [iteration|round|pass]
{above}[only|just] the last [item|element|one|entry] [is used|is processed|is handled|gets through|counts]
{above}do {statement} [for each item|in every round|in the loop]
{above}i [only|just] get the last [item|one|element]
@[wrong|bad|broken] [indentation|indent|level] [here|]
@<fix> the [indentation|indent] [here|of this line|]
@this [line|] is [badly|wrongly|not correctly] indented
@this [is|stands] at the wrong [level|depth]
@{unsaid}[dedent|unindent|outdent] this
@{unsaid}this [doesn't belong|shouldn't be] in the {outer}
@{unsaid}this <should> be [after|outside] the {outer}
@{unsaid}one level [left|out|too deep]
@{below}this <should> [run|happen] [only once|after the loop]
@{below}this [runs|happens] in every round
@{case}it returns too early
@{case}this leaves the loop too early
@{ending}indent this [line|]
@{ending}this <should> be [in|inside] the {outer}
@{ending}this belongs [in|into] the {outer}
@{ending}one level [right|in|too shallow]
@{above}this <should> [run|happen] [in every round|for each item]
@{above}this only [runs|happens] once
{statement} [one off|off by a level|slipped]
{statement} slipped [a level|by one level|in the refactoring|when i pasted it]
copy-paste messed up the indentation [of {statement}|]
the editor [messed up|broke|ate] the [indent|indentation] of {statement}
{statement} isn't where it should be, wrong level
{statement}: wrong block
{statement} ended up in the wrong block
the nesting is off [at {statement}|]
{statement} looks right but sits at the wrong depth
black can't fix this: {statement} is at the wrong level
E117 over-indented
IndentationError is gone, but {statement} is at the wrong level now
{unsaid}{statement} out of the {outer}
{unsaid}{statement} to the left
{unsaid}{statement} \\<-
{unsaid}shift {statement} left
{unsaid}{statement} isn't part of the {outer}
{unsaid}{statement} has nothing to do with the {outer}
{unsaid}{statement} got sucked into the {outer}
{unsaid}{statement} [slid|slipped] into the {outer}
{unsaid}{statement} even without the {outer}
{unsaid}not [in|inside] the {outer}: {statement}
{unsaid}after the {outer}: {statement}
{unsaid}{statement} must not depend on the {outer}
{unsaid}{statement} regardless of the {outer}
{unsaid}{outer} ends before {statement}
{unsaid}the {outer} is over before {statement}
{unsaid}why does {statement} need the {outer}?
{unsaid}close the {outer} before {statement}
{unsaid}{statement} one tab [less|back]
{below}{statement} just once
{below}{statement} way too often
{below}{statement} a thousand times?
{below}slow because {statement} is in the loop
{below}{statement} again and again
{below}{statement} [can wait|should wait] till the loop is through
{below}first the loop, then {statement}
{below}{statement} when all [of them|items] are [done|through]
{below}{statement} for every single one? no, once
{below}once, not per [item|iteration|round]: {statement}
{below}{statement} is repeated needlessly
{case}gives up after the first
{case}the rest of the [list|items|entries] [is|are] never looked at
{case}returns way too early
{case}only looks at the first one
{case}one round and out
{case}leaves in the first round
{case}the loop is pointless, it returns right away
{case}result is incomplete, one [item|entry|element] only
{case}expected 3 items, got 1
{case}assert len(result) == 3 fails, it's 1
{case}return not in but after the loop
{case}let the loop finish before returning
{case}should go through all of them before it returns
{case}unreachable second iteration
{ending}{statement} into the {outer}
{ending}{statement} to the right
{ending}{statement} ->
{ending}shift {statement} right
{ending}{statement} fell out of the {outer}
{ending}{statement} [slipped|slid|dropped] out of the {outer}
{ending}{statement} is meant for the {outer}
{ending}{statement} without the {outer}? no
{ending}{statement} under the {outer}
{ending}the {outer} includes {statement}
{ending}the {outer} ends too early, {statement} is still part of it
{ending}{statement} too belongs to the body of the {outer}
{ending}{statement} must not [run|happen] when the {outer} [is skipped|isn't entered|doesn't apply]
{ending}{statement} one tab more
{above}{statement} for all of them
{above}{statement} every time
{above}{statement} for each [of them|one|item]
{above}{statement} not just for the last one
{above}only the last one [survives|arrives|makes it|is kept]
{above}all but the last [get lost|are dropped|are ignored|go missing]
{above}expected 3 items, got the last one only
{above}the loop does nothing with its items
{above}{statement} once per item, please
@slipped
@wrong block
@off by one level
@{unsaid}out of the {outer}
@{unsaid}left [please|]
@{unsaid}not part of the {outer}
@{below}once is enough
@{below}not in every round
@{case}too early
@{case}let the loop finish [first|]
@{ending}into the {outer}
@{ending}right [please|]
@{ending}part of the {outer}
@{above}for each of them
"""

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Move one statement, or up to three, in or out."""
        moves = listed(codemods()[self.name], snippet, Request()) or ()
        leaving = [ops for ops in moves if _moves_return(snippet, ops)]
        if not moves:
            return None
        ops = rng.choice(leaving if leaving and rng.random() < 0.4 else moves)
        bug = _bug(snippet, ops, rng)
        return planted(self.name, bug, rng) if bug else None

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Nothing: real code is taken to be right."""
        return None


def _span(ops: Ops) -> tuple[int, int]:
    (move,) = ops
    assert isinstance(move, Indent | Dedent)
    return move.first, move.last


def _moves_return(snippet: Snippet, ops: Ops) -> bool:
    first, last = _span(ops)
    return first == last and snippet.lines[first].lstrip().startswith("return")


def _bug(snippet: Snippet, ops: Ops, rng: Random) -> Bug | None:
    first, last = _span(ops)
    wrong = applied(snippet, ops)
    before = Snippet(tuple(wrong))
    inward = isinstance(ops[0], Dedent)  # of the edit, which goes the other way
    among = places(before)
    moved = [place for place in among if first <= place.first and place.last <= last]
    outer = _around(snippet if inward else before, first)
    if not moved or outer is None:
        return None
    slots = {}
    if len(moved) == 1 and (words := describe(before, among, moved[0], rng)):
        slots["statement"] = words
    return Bug(wrong, snippet.lines, slots, _symptoms(outer.node, moved, inward=inward))


def _around(snippet: Snippet, row: int) -> Place | None:
    """The innermost compound statement around a line, where it is one that people name."""
    around = [one for one in places(snippet) if one.first < row <= one.last and type(one.node) in _INNER]
    return around[-1] if around else None


def _symptoms(outer: ast.stmt, moved: Sequence[Place], *, inward: bool) -> dict[str, str]:
    found = {"outer": _INNER[type(outer)], ("ending" if inward else "unsaid"): ""}
    loop = isinstance(outer, _LOOPS)
    leaves = isinstance(moved[-1].node, ast.Return)
    if loop and not leaves:
        found["above" if inward else "below"] = ""
    if loop and leaves and not inward:
        found["case"] = ""
    return found
