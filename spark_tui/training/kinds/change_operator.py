"""Change one operator to another that the instruction tells."""

import ast
from random import Random

from spark_tui.editing.code import splice
from spark_tui.editing.codemods.change_operator import BOUNDS, SPOKEN, Place, operators, others
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.base import Edit, Kind, Planted


class ChangeOperator(Kind):
    """`a < b` becomes `a <= b`.

    Slots: {new}, and {old} when that tells which; else {left} and {right}, or {comparison} and {wanted}, the whole
    expressions. {count} and {what} are the old and the new operator in words. {sole} is the old one and {position} is
    "inclusive" or "exclusive" when only the bound changes. {here} and {where} are {new} and {position}, known when the
    line has no other operator.
    """

    name = "change_operator"
    skeletons = """
    use {new} [instead of|rather than|not|in place of] {old}
    <replace> {old} [with|by] {new}
    <replace> the {old} [with|by] [a|an] {new}
    <replace> the [operator|comparison|op] {old} [with|by] {new}
    [change|turn|flip] [the|] {old} [to|into] {new}
    [change|turn|flip] [the|] operator [from|] {old} to {new}
    [change|switch] from {old} to {new}
    switch {old} to {new}
    swap [out|] {old} for {new}
    make [the|] {old} [a|an] {new}
    make it {new} [instead of|rather than|not] {old}
    make that {new}, not {old}
    put {new} where [the|] {old} [is|stands]
    write {new} [instead of|rather than|where it says] {old}
    take {new}, not {old}
    [should|must|ought to] be {new} not {old}
    <should> be {new} instead of {old}
    that {old} <should> be [a|an|] {new}
    the {old} <should> [be|read] [a|an|] {new}
    the [operator|op] <should> be {new}, not {old}
    the operator {old} is <wrong>, [use|make it|it should be] {new}
    {old} is <wrong>, [should be|use|make it|it must be|needs to be] {new}
    {old} is the wrong operator, [it should be|use|we need|i want] {new}
    {old} [should|must|has to] be {new}
    {old} -> {new}
    {old} to {new}
    {new} [not|instead of|rather than] {old}
    {new} not {old} [here|please|]
    wrong operator[:| -|,] {old} <should> be {new}
    [typo|bug|mistake]: {old} <should> be {new}
    it [says|uses|has] {old} but [should be|needs|we want|i meant] {new}
    this [says|uses|has] {old} [but|where] it <should> [use|be] {new}
    i [wrote|typed|put] {old} but [meant|mean|want|need] {new}
    i [meant|mean|want|need] {new}, not {old}
    why {old}? [should be|make it|it should be|use] {new}
    shouldn't [this|the|that] {old} be {new}
    <want> {new} [instead of|in place of] {old}
    <review>: {old} <should> be {new}
    <lint>: use {new} instead of {old}
    compare with {new_comparison} [instead of|not|rather than] {old}
    [the|this] comparison <should> [be|use] {new_comparison}, not {old}
    the comparison [operator|] {old} <should> be {new_comparison}
    <change> {comparison} to {wanted}
    <replace> {comparison} [with|by] {wanted}
    <use> {wanted} [instead of|not] {comparison}
    {comparison} <should> be {wanted}
    {comparison} -> {wanted}
    {comparison} is <wrong>, [it should be|make it|use] {wanted}
    it <should> be {wanted}, not {comparison}
    [should|must] be {wanted}
    make it {wanted} [instead of {comparison}|]
    i meant {wanted}
    <fix> {comparison}[:|,] [the operator should be|use|make it] {new}
    the operator in {comparison} <should> be {new}
    in {comparison} <use> {new} [instead of {old}|]
    {comparison}: {new} [not|instead of] {old}
    [check|test] {wanted} [instead|rather] [of {comparison}|]
    the operator between {left} and {right} <should> be {new}
    {left} and {right} <should> be [joined|connected|combined|compared] with {new}
    use {new} between {left} and {right}
    use {what} instead of {count}
    <change> the {count} to [a|] {what}
    it <should> be {what}, not {count}
    {count} <should> be {what}
    {what} rather than {count}
    make {sole} {position}
    the {sole} [check|test|comparison|bound|] <should> be {position}
    the {sole} comparison <should> be {position}
    @this comparison <should> be {where}
    @[make|let] [this|the] [comparison|check|bound|limit] [be|] {where}
    @[should|must|needs to] be {where}
    @{where} [please|comparison|bound|]
    @use {here} [here|]
    @[this|it|that] <should> be {here}
    @[change|switch] [this|the operator|it] to {here}
    @wrong operator, [use|should be|make it|i need] {here}
    @<fix> the operator[: | - |, it should be ]{here}
    @the operator [here|] <should> be {here}
    @{here} [please|here|]
    @make [this|it] [a|an|] {here}
    """

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Put a wrong operator in; the edit puts the real one back."""
        places = [one for one in operators(snippet) if not one.hint]
        if not places:
            return None
        place = rng.choice(places)
        lines = splice(snippet.lines, place.start, place.end, rng.choice(others(place)))
        before = Snippet(tuple(lines))
        try:
            planted = [one for one in operators(before) if one.start == place.start]
        except SyntaxError:
            return None
        edit = _edit(before, planted[0], place.operator, rng) if planted else None
        return Planted(before, edit) if edit else None

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Change an operator that is told apart by its words, or else by a selected line."""
        places = [one for one in operators(snippet) if not one.hint]
        if not places:
            return None
        place = rng.choice(places)
        return _edit(snippet, place, rng.choice(others(place)), rng)


def _edit(snippet: Snippet, place: Place, new: str, rng: Random) -> Edit | None:
    row = place.start[0]
    unique = [type(node) for node in ast.walk(snippet.tree)].count(place.sort) == 1
    alone = sum(one.start[0] == row for one in operators(snippet)) == 1
    by_line = alone and rng.random() < (0.3 if unique else 0.6)
    slots = _slots(snippet, place, new, told=unique or by_line)
    if slots and alone:
        slots |= {"here": new}
        slots |= {"where": slots["position"]} if "position" in slots else {}
    after = splice(snippet.lines, place.start, place.end, new)
    return Edit.between(snippet, after, slots, (row, row) if by_line else None) if slots else None


def _slots(snippet: Snippet, place: Place, new: str, *, told: bool) -> dict[str, str] | None:
    """What may be said: the operator alone when that tells which (`told`), else the whole expression."""
    old = place.operator
    slots = {"new": new}
    whole = place.whole(old)
    if whole and len(whole) <= 50 and sum(line.count(whole) for line in snippet.lines) == 1:
        slots |= {"comparison": whole, "wanted": place.whole(new)}
        slots |= {"left": place.left, "right": place.right}
    elif not told:
        return None
    if not told:
        return slots
    slots["old"] = old
    if issubclass(place.sort, ast.cmpop):
        slots["new_comparison"] = new
    if old in SPOKEN and new in SPOKEN:
        slots |= {"what": SPOKEN[new], "count": SPOKEN[old]}
    if (old, new) in BOUNDS:
        slots |= {"sole": old, "position": BOUNDS[old, new]}
    return slots
