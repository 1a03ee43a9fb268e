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
    {old} => {new}
    {old} ~> {new}
    {old}? {new}!
    {old}? no, {new}
    s/{old}/{new}/
    nit: {new} over {old}
    {new} please, {old} is [a typo|a mistake|a slip|nonsense|too lax|too strict]
    {new} where {old} is
    oops, {old}. should have been {new}
    can that {old} be {new}
    could the {old} become {new}
    why {old} and not {new}
    is {old} right? i'd expect {new}
    are you sure about {old}, {new} [makes more sense|looks right|fits better]
    {old} [gives|leads to|yields] the wrong [result|answer|number], {new} [is right|fixes it|works]
    the result is [wrong|off|too big|too small|negative] because of the {old}, {new}
    [the formula|the spec|the paper|the comment above] has {new}, not {old}
    [the docs|the comment] says {new} but the code says {old}
    one sign is wrong, {old} -> {new}
    that sign: {new}, not {old}
    wrong sign, {new}
    the sign ought to be {new}
    copy paste, {old} ought to be {new}
    a {new} was meant, {old} is [what i typed|there]
    with {old} it [never happens|always holds|is never true|does the opposite], {new}
    it has to hold for {new}, not for {old}
    TypeError: unsupported operand type(s) for {old}[, must be {new}|. i meant {new}]
    the tests want {new} there, we have {old}
    trade {old} for {new}
    exchange {old} against {new}
    {old} out, {new} in
    just the operator: {old} into {new}
    {comparison} => {wanted}
    {comparison} is not what [i|we] [want|mean], {wanted} is
    {comparison}? {wanted}!
    {comparison} ought to read {wanted}
    {comparison} has the wrong [sign|operator], {wanted}
    {wanted} please
    {wanted}, of course
    {wanted} (not {comparison})
    only when {wanted}
    this must happen when {wanted}
    it should say {wanted}
    the formula is {wanted}
    compute {wanted}
    the right expression: {wanted}
    let it read {wanted}
    [the spec|the paper|the docs|the manual] says {wanted}
    i was after {wanted}
    isn't it {wanted}?
    shouldn't this say {wanted}
    s/{comparison}/{wanted}/
    {comparison} with {new}
    {comparison} but with {new} [in the middle|in between|instead]
    {left} {new} {right} please
    between {left} and {right} there has to be {new}
    {left} and {right}: {new}, not the other one
    what stands between {left} and {right} ought to be {new}
    it's {count} and should be {what}
    {what} here please, {count} is wrong
    {count} -> {what}
    this is {count} but i want {what}
    {what} is meant, {count} is there
    no {count}, {what}
    why {count}? {what} is right
    {sole} is not {position}, [make it so|it should be|i want it to be]
    the {sole} {position} please
    the boundary of {sole}: {position}
    {position} {sole}
    the end should be {position} ({sole})
    can the {sole} be {position}?
    @{where}!
    @the limit itself is {where}
    @the bound here ought to be {where}
    @can this be {where}?
    @not {where} [yet|enough], but should be
    @{here}!
    @{here} not that
    @should have been {here}
    @the sign ought to be {here}
    @wrong sign, {here}
    @why not {here}
    @i typed the wrong thing, {here}
    @{here} is what the [spec|formula|paper|docs] says
    @could this be {here}?
    @[oops|argh|sorry], {here}
    @{here} was meant
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
