"""Change the quotation marks of strings."""

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import ClassVar

from spark_tui.editing.codemods.quotes import content, majority, spots
from spark_tui.editing.codemods.tidy import Spot
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.base import Edit, Kind, Planted
from spark_tui.training.kinds.tidying import plant_spots, propose_spots


class Quotes(Kind):
    """`'x'` becomes `"x"`, or the other way round.

    Slots: {new} and {old} are `single` or `double`, {mark} and {was} the signs; {mixed} is "" when the region has both and most
    strings have the new ones already; {text} is what the one string says.
    """

    name: ClassVar[str] = "quotes"
    skeletons: ClassVar[str] = """
<use> {new} quotes [everywhere|throughout|for [all|the] strings|here|]{all_of}
<use> {new} quotes instead of {old} [quotes|ones]{all_of}
<use> {new} quotes, not {old} [quotes|ones]{all_of}
<switch> to {new} quotes [everywhere|]{all_of}
<switch> [all|the|all the] [strings|string literals|literals] to {new} quotes{all_of}
<convert> [all|the|all the] [strings|string literals|literals] to {new} quotes{all_of}
<convert> {old} quotes [to|into] {new} quotes{all_of}
<change> [all|the|all the] {old} quotes [to|into] {new} quotes{all_of}
<replace> [all|the|all the] {old} quotes [with|by] {new} [quotes|ones]{all_of}
<turn> [all|the|all the] {old} quotes into {new} [quotes|ones]{all_of}
<make> [all|the|all the] strings use {new} quotes{all_of}
<make> [all|the|all the] [string|] quotes {new}{all_of}
<put> [all|the|all the] strings in {new} quotes{all_of}
[all|the|all the] strings <should> [be in|use|have|be written with] {new} quotes{all_of}
[all|the|these] quotes <should> be {new} quotes{all_of}
[all|the|these] strings are in {old} quotes, <should> be {new}{all_of}
{new} quotes [please|everywhere|throughout|for strings|]{all_of}
{new} quotes, not {old} [quotes|ones]{all_of}
{new} instead of {old} quotes{all_of}
{old} quotes -> {new} quotes{all_of}
{old} to {new} quotes{all_of}
from {old} quotes to {new} quotes{all_of}
no {old} quotes [please|here|]{all_of}
no more {old} quotes{all_of}
don't use {old} quotes{all_of}
<avoid> {old} quotes{all_of}
[we|our project|the project|the style guide] [use|uses|wants|prefers] {new} quotes{all_of}
[we|i] prefer {new} quotes [over {old} ones|]{all_of}
[our|the] style [guide|] is {new} quotes{all_of}
black wants {new} quotes{all_of}{to_double}
run black's quote [normalization|rule|style]: {new} quotes{all_of}{to_double}
<want> {new} quotes [instead of {old} ones|]{all_of}
why [the|] {old} quotes{all_of}
why {old} quotes? <use> {new} [ones|quotes]{all_of}
can [the|these] strings have {new} quotes{all_of}
<lint>: Q000 {Old} quotes found but {new} quotes preferred{all_of}
Q000 {Old} quotes found but {new} quotes preferred{all_of}
<nit>: {new} quotes{all_of}
<nit>: we use {new} quotes{all_of}
<review>: please use {new} quotes{all_of}
<lint>: use {new} quotes{all_of}
<make> the quotes consistent{mixed}
consistent quotes [please|]{mixed}
<make> the [string|] quotes [the same|uniform|all alike] [everywhere|]{mixed}
the quotes are [mixed|inconsistent|all over the place|not consistent], [please|] <fix> [that|it]{mixed}
[mixed|inconsistent] quotes{mixed}
unify the [string|] quotes{mixed}
normalize the quotes{mixed}
[stick to|choose|pick|settle on] one [kind|style] of quotes{mixed}
<nit>: inconsistent quotes{mixed}
<review>: mixed quotes, be consistent{mixed}
pylint: inconsistent-quotes W1405{mixed}
<lint>: W1405 Quote delimiter is inconsistent with the rest of the file{mixed}
some strings have {old} quotes, others {new}, <make> them all the same{mixed}
why are the quotes mixed{mixed}
<use> {new} quotes for {text}
<use> {new} quotes around {text}
<put> {text} in {new} quotes
<put> {new} quotes around {text}
<change> the quotes [of|around] {text} to {new} [ones|quotes]
<convert> the string {text} to {new} quotes
{text} <should> be in {new} quotes
{text} <should> have {new} quotes
{text} in {new} quotes [please|]
{text} is in {old} quotes, <use> {new} quotes
the string {text} <should> use {new} quotes
why is {text} in {old} quotes
{new} quotes for {text}
<nit>: {new} quotes for {text}
<replace> {was} [with|by] {mark} [in strings|as quotes|for strings|as the string delimiter]{all_of}
<use> {mark} instead of {was} for [all|the] strings{all_of}
@<use> {new} quotes here
@{new} quotes [here|on this line]
@this <should> be in {new} quotes
@<change> the quotes [here|of this string] to {new}
@[wrong|other] quotes, <use> {new}
@<swap> the quotes [here|]
"""

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Change the marks of some strings."""
        found = spots(snippet)
        mark = majority(found)[1]
        return plant_spots(snippet, [one for one in found if one.text.endswith(mark)], rng, all_of=0.3)

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """All to one kind of marks, those of a function, or one string."""
        found = spots(snippet)
        first, second = majority(found)
        mark = first if rng.random() < 0.7 else second
        if not 0 < (count := sum(one.text.endswith(mark) for one in found)) <= 40:
            return None
        mixed = mark == first and count < len(found) - count
        chosen = [one for one in found if one.text.endswith(mark)]

        def one(spot: Spot) -> dict[str, str]:
            text = content(spot)
            same = sum(text in other.text for other in found)
            telling = same == 1 and 3 < len(text) <= 50 and text.strip() == text
            return {"text": text, **_words(mark)} if telling and "{" not in text else {}

        def many(group: Sequence[Spot]) -> dict[str, str]:
            consistent = {"mixed": ""} if mixed and len(group) == len(chosen) else {}
            return {"all_of": "", **_words(mark), **consistent}

        edit = propose_spots(snippet, chosen, rng, one=one, many=many, alone=0.25)
        return _with_words(edit, mark, found) if edit else None


def _words(mark: str) -> dict[str, str]:
    new, old = ("double", "single") if mark == '"' else ("single", "double")
    other = "'" if mark == '"' else '"'
    return {"new": new, "old": old, "Old": old.capitalize(), "mark": mark, "was": other} | (
        {"to_double": ""} if mark == '"' else {}
    )


def _with_words(edit: Edit, mark: str, found: Sequence[Spot]) -> Edit:
    """An edit that only a selection tells still says which marks, where the line has both."""
    rows = Counter(one.start[0] for one in found)
    if edit.selected is None or "new" in edit.slots or rows[edit.selected[0]] > 1:
        return edit
    return Edit(edit.ops, {**_words(mark), **edit.slots}, edit.selected)
