"""Undo an off-by-one that was planted on one line."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random

from spark_tui.editing.code import Function, Position, end_of, mentions, splice, start_of, text_of
from spark_tui.editing.codemods.base import Request, listed
from spark_tui.editing.codemods.off_by_one import FLIPPED
from spark_tui.editing.codemods.off_by_one import OffByOne as Codemod
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.base import Edit, Kind, Planted

_FAR = ("one too far", "one too many", "one too much", "one past the end", "one too high", "1 too large", "one over")
_SHORT = ("one too few", "one too early", "one short", "one too low", "one less than it should be", "1 too small")


_CODEMOD = Codemod()


@dataclass(frozen=True, slots=True)
class _Slip:
    """A stretch of source, what it is with the bug, and whether that is too far (1), too short (-1) or either (0)."""

    start: Position
    end: Position
    wrong: str
    far: int
    names: Mapping[str, str]


class OffByOne(Kind):
    """`range(n + 1)` becomes `range(n)`, `i <= n` becomes `i < n`, `x[i + 1]` becomes `x[i]`.

    Slots: {what} says in which direction; {expression} is the buggy source and {wanted} the right one; {loop} the
    loop variable; {index} and {slice} what is indexed or sliced; {bound} what is compared; {where} how Python complains.
    """

    name = "off_by_one"
    weight = 0.5
    skeletons = """
    @off by one
    @off by one [here|on this line|in this line|error|bug|mistake]
    @[this|it|that] is off by one
    @[this|that] line is off by one
    @<fix> the off by one [error|bug|]
    @<fix> the off-by-one [error|bug|here|]
    @<fix> this off-by-one
    @there's an off by one [error|bug|] [here|on this line|]
    @there is an off-by-one error [in the selected line|here]
    @[classic|typical|looks like an|smells like an] off by one [error|bug|]
    @fencepost error [here|]
    @<fix> the fencepost [error|bug|problem]
    @obo [error|bug|]
    @this [goes|runs|counts|is] {what}
    @it [goes|runs|counts|is] {what} [here|]
    @{what}
    @{what}, <fix> [it|that|this]
    @i think this is {what}
    @why is this {what}
    @i'm off by one here
    @the [count|bound|index|limit] [here|on this line|] is off by one
    @the [bound|index|limit|end] is {what}
    @[wrong|incorrect] by one
    @wrong by 1 [here|]
    @the boundary is [wrong|not right], [it's|i think it's] off by one
    @the boundary [is wrong by one|is off by one|is off]
    @IndexError: {where}
    @[i get|it throws|this raises|getting] {where}
    @the loop [goes|runs] {what}
    {expression} is off by one
    {expression} is {what}
    {expression} [goes|runs|reaches] {what}
    {expression} is an off-by-one [error|bug|]
    off by one in {expression}
    off by one: {expression}
    off-by-one [error|bug|mistake] in {expression}
    <fix> the off by one [error|bug|] in {expression}
    <fix> {expression}, it's [off by one|{what}]
    there is an off by one [error|bug|] in {expression}
    {expression} <should> be {wanted}
    {expression} is off by one, [make it|it should be|use] {wanted}
    off by one: {wanted}[, not {expression}| instead of {expression}|]
    it <should> be {wanted}, not {expression}, [off by one|that is off by one|an off-by-one]
    <use> {wanted} [instead of|rather than|not] {expression}, [off by one|otherwise it's off by one]
    why {expression}? [that's|this is] off by one
    the loop over {loop} is off by one
    the loop over {loop} [goes|runs] {what}
    the {loop} loop is [off by one|{what}]
    {loop} [goes|runs|counts] {what}
    {loop} is off by one [in the loop|in the range|]
    <fix> the range of {loop}, it [is off by one|goes {what}]
    the range [for|of] {loop} is [off by one|{what}]
    off by one in the {loop} loop
    range for {loop} off by one
    we loop {what} over {loop}
    the [bound|limit|end] of the {loop} loop is [off by one|{what}]
    the index into {index} is [off by one|{what}]
    the index [used|] for {index} is off by one
    indexing {index} is off by one
    <fix> the index into {index}, it's [off by one|{what}]
    {index} is [indexed|accessed|read] [off by one|one off]
    {index} is indexed {what}
    off by one [when|in|while] indexing {index}
    IndexError: {where} at {index}
    {index} raises IndexError: {where}
    wrong index [for|into] {index}, [off by one|it's off by one|it is {what}]
    the slice of {slice} is [off by one|{what}]
    off by one in the slice of {slice}
    <fix> the end of the {slice} slice[, off by one|, it's off by one|]
    the upper bound of the {slice} slice is {what}
    the comparison with {bound} is off by one
    the check against {bound} is off by one
    off by one in the [check|test|comparison] [of|against|with] {bound}
    the boundary [check|test|condition] [for|on|with] {bound} is [off by one|wrong by one]
    <fix> the off by one in the {bound} [check|comparison|condition]
    <fix> the boundary [check|condition] [on|with|for] {bound}
    {bound} is [checked|compared] off by one
    the limit {bound} is off by one
    {bound}: off by one [in the comparison|]
    @one off
    @one off here
    @one [too many|too few] [here|?]
    @this misses one
    @[it|this] stops one [early|late|before|after]
    @one [step|item|element|round|turn] [too many|too few|missing|more than needed]
    @[the last one|the last element|the final item|the first one] is [missing|skipped|wrong|left out|not included]
    @the last [element|item|entry|one] [never shows up|gets lost|is counted twice|is dropped]
    @the [boundary|edge|border] case is [wrong|missed|handled wrongly|not covered]
    @edge case: [exactly equal|the limit itself|the boundary]
    @what about the [last|first] one
    @reads past the end
    @reads beyond the [end|last element|list]
    @runs over the end
    @walks off the end [of the list|]
    @{where}
    @{where} on the last [round|iteration|step|pass]
    @crashes with {where}
    @the traceback ends here: IndexError: {where}
    @always [raises|ends in] an IndexError, {where}
    @[the tests say|my test says|pytest:] {what}
    @{what}?
    @{what}, i [guess|think|believe|suspect]
    @{what}, isn't it
    @somebody counted {what}
    @obviously {what}
    @[we|you] [count|go|loop|read|cut] {what} here
    @this bound is {what}
    @the end is {what}
    @[len|length] is not the last index
    @indices start at 0
    @[zero based|zero-based|0-based], not one based
    @wrong boundary
    @wrong limit, by one
    @[plus|minus] one is wrong here
    @this 1 is wrong
    @the + 1 or - 1 or the = is wrong
    @why the one [here|]
    @that's not the right [bound|end|limit|boundary], one off
    @shift it by one
    @[should be|must be] one [less|more|fewer|further]
    @the number of [rounds|items|steps|elements] is [one off|not right|wrong by one]
    @i get one [item|line|row|result|element] [too many|too few|more than i want]
    @fence post
    @fence post problem, i think
    @gets the boundary wrong
    @does this hit the boundary right? i get {what}
    {expression}: {what}
    {expression} [misses one|is one off|is wrong by one|is off by 1|has the wrong bound]
    {expression}? {wanted}!
    {expression} -> {wanted}, [off by one|fencepost|one off]
    {expression}, shouldn't that be {wanted}
    {expression} gets the boundary wrong
    {wanted}, not {expression}
    {wanted} [ought to be|would be] right, {expression} is {what}
    i count {what} in {expression}
    the boundary in {expression} [is off|is wrong by one|is not right|slipped by one]
    [in|with] {expression} we are {what}
    {where} from {expression}
    {expression} reads past the end
    loop over {loop}: {what}
    {loop} [ends|stops] {what}
    {loop} takes a value {what}
    the last {loop} is wrong, {what}
    {loop} should [stop|end] one [earlier|later], or so: {what}
    for {loop}: {what}
    the {loop} loop runs one time [too often|too many|too few], it's {what}
    too many or too few rounds for {loop}, off by one
    fencepost error in the {loop} loop
    {index}: {where}
    {where} for {index}
    [reading|looking up|accessing] {index} ends in {where}
    {index} is read past its end, {where}
    we read {index} {what}
    we look one off in {index}
    wrong element of {index}, [one off|the neighbour|next to the right one]
    [takes|picks|reads] the wrong element of {index}, {what}
    the slice of {slice} is one [item|element|char|entry] off
    {slice} is cut {what}
    cutting {slice} {what}
    the piece of {slice} is {what}
    we take {what} from {slice}
    the end of the {slice} slice is off
    {bound} itself is [treated wrongly|on the wrong side|not handled right]
    what about exactly {bound}? off by one
    edge case {bound} equal: wrong side
    [the limit|the boundary] {bound} falls on the wrong side
    exactly at {bound} it goes wrong, [off by one|one off|fencepost]
    at {bound} sharp the check is wrong by one
    fencepost error with {bound}
    """

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Shift one bound, index or comparison by one; the edit shifts it back."""
        slips = [slip for node in ast.walk(snippet.tree) for slip in _slips(snippet, node, rng)]
        if not slips:
            return None
        slip = rng.choice(slips)
        before = Snippet(tuple(splice(snippet.lines, slip.start, slip.end, slip.wrong)))
        row = slip.start[0]
        if Edit.between(before, snippet.lines).ops not in (listed(_CODEMOD, before, Request("", (row, row))) or ()):
            return None
        slots = _slots(snippet, before, slip, rng)
        named = bool(slots.keys() & {"expression", "loop", "index", "slice", "bound"})
        crowded = sum(one.start[0] == row for one in slips) > 1
        by_line = not crowded and (rng.random() < 0.6 or not named)
        if not by_line and not named:
            return None
        function = _function_at(snippet, row)
        slots |= {"function": function.name} if function else {}
        return Planted(before, Edit.between(before, snippet.lines, slots, (row, row) if by_line else None))

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Nothing: real code is taken to be right."""
        return None


def _slips(snippet: Snippet, node: ast.AST, rng: Random) -> Iterator[_Slip]:
    match node:
        case ast.For(target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="range"), args=[stop] | [_, stop])):
            yield from _shifted(snippet, stop, {"loop": name}, rng)
        case ast.Subscript(value=value, slice=ast.Slice(upper=ast.expr() as upper)):
            yield from _shifted(snippet, upper, {"slice": text_of(snippet, value)}, rng)
        case ast.Subscript(value=value, slice=ast.Name() as index, ctx=ast.Load()) if index.id in "ijknxy":
            yield from _shifted(snippet, index, {"index": text_of(snippet, value)}, rng)
        case ast.Subscript(
            value=value,
            slice=ast.BinOp(
                left=ast.Call(func=ast.Name(id="len")) as length, op=ast.Sub(), right=ast.Constant(value=1)
            ) as whole,
        ):
            source = text_of(snippet, length)
            if source:
                yield _Slip(
                    start_of(snippet, whole), end_of(snippet, whole), source, 1, {"index": text_of(snippet, value)}
                )
        case ast.Compare(left=left, ops=[ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE() as sort], comparators=[right]):
            start, end = end_of(snippet, left), start_of(snippet, right)
            old, new, far = FLIPPED[type(sort)]
            between = snippet.lines[start[0]][start[1] : end[1]] if start[0] == end[0] else ""
            if between.strip() == old and not isinstance(left, ast.Constant):
                names = (
                    {"bound": text_of(snippet, left)}
                    if isinstance(right, ast.Constant)
                    else {"bound": text_of(snippet, right)}
                )
                yield _Slip(start, end, between.replace(old, new), far, names)


def _shifted(snippet: Snippet, node: ast.expr, names: Mapping[str, str], rng: Random) -> Iterator[_Slip]:
    source = text_of(snippet, node)
    if source and isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.Subscript):
        far = rng.choice([1, 1, -1])
        yield _Slip(start_of(snippet, node), end_of(snippet, node), f"{source} {'+' if far > 0 else '-'} 1", far, names)


def _slots(right: Snippet, wrong: Snippet, slip: _Slip, rng: Random) -> dict[str, str]:
    words = rng.choice(_FAR if slip.far > 0 else _SHORT)
    plain = {slot: text for slot, text in slip.names.items() if 0 < len(text) <= 30}
    rare = {slot: text for slot, text in plain.items() if mentions(right, text) <= 6}
    slots = {"what": words, **rare} if slip.far else dict(rare)
    if slip.far > 0 and "index" in slots:
        slots["where"] = rng.choice(["list index out of range", "index out of range", "tuple index out of range"])
    row = slip.start[0]
    for node in ast.walk(wrong.tree):
        if isinstance(node, ast.Call | ast.Compare | ast.Subscript) and start_of(wrong, node)[0] == row:
            text, (_, start) = text_of(wrong, node), start_of(wrong, node)
            inside = start <= slip.start[1] and start + len(text) >= slip.start[1] + len(slip.wrong)
            if inside and text and len(text) <= 40 and sum(line.count(text) for line in wrong.lines) == 1:
                shift = len(slip.wrong) - (slip.end[1] - slip.start[1])
                slots |= {"expression": text, "wanted": right.lines[row][start : start + len(text) - shift]}
    return slots


def _function_at(snippet: Snippet, row: int) -> Function | None:
    around = [one for one in snippet.functions if one.lineno - 1 <= row < (one.end_lineno or 0)]
    return around[-1] if around else None
