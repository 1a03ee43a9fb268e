"""Sort the keys or elements of a literal."""

from collections.abc import Sequence
from random import Random
from typing import ClassVar

from spark_tui.editing.codemods.sort_keys import Sortable, literals, ordered, rearranged
from spark_tui.editing.codemods.tidy import Spot
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.base import Edit, Kind, Planted
from spark_tui.training.kinds.tidying import edit_of, propose_spots, said

_WHAT = {
    "dict": "dict|dictionary|dict literal|mapping|dict",
    "set": "set|set literal",
    "list": "list|list literal|list",
    "tuple": "tuple|tuple literal",
}
_PARTS = {
    "dict": "keys|keys|entries|items",
    "set": "elements|members|values",
    "list": "elements|items|entries|values",
    "tuple": "elements|items|values",
}


class SortKeys(Kind):
    """A literal's keys or elements are put in order.

    Slots: {what} is the type of literal and {parts} what it holds; {name} what it is assigned to; {up} or {down} is "" and
    says the order; {all_of} when nothing else could be meant.
    """

    name: ClassVar[str] = "sort_keys"
    skeletons: ClassVar[str] = """
<sort> the {parts}{up}{all_of}
<sort> the {parts} of the {what}{up}{all_of}
<sort> the {what}{up}{all_of}
<sort> the {what} [by key|alphabetically|in ascending order|in place|]{up}{all_of}
<sort> the {parts} alphabetically{up}{all_of}
[put|bring|get] the {parts} [of the {what}|] [in|into] [alphabetical |ascending |the right |][order]{up}{all_of}
[alphabetize|alphabetise|order|arrange|reorder] the {parts} [of the {what}|]{up}{all_of}
the {parts} [of the {what}|] are [not sorted|unsorted|out of order|not in order|in random order|not alphabetical]{up}{all_of}
the {parts} [of the {what}|] <should> be [sorted|in order|alphabetical|in alphabetical order|ascending]{up}{all_of}
the {what} <should> be [sorted|in order|in alphabetical order]{up}{all_of}
the {what} is [not sorted|unsorted|out of order|a mess]{up}{all_of}
unsorted {parts}{up}{all_of}
sorted {parts} [please|]{up}{all_of}
<want> [the {parts} sorted|sorted {parts}|the {parts} in order]{up}{all_of}
why are the {parts} [not sorted|unsorted|in this order]{up}{all_of}
can the {parts} be [sorted|in order|alphabetical]{up}{all_of}
<nit>: sort the {parts}{up}{all_of}
<review>: {parts} [not sorted|out of order]{up}{all_of}
<lint>: unsorted {what}{up}{all_of}
{parts} in [alphabetical|ascending|sorted] order [please|]{up}{all_of}
{parts} from a to z{up}{all_of}
[tidy|tidy up|clean up|organize] the {parts} order{up}{all_of}
<fix> the order of the {parts}{up}{all_of}
it's hard to find [anything|a key|an entry], <sort> the {parts}{up}{all_of}
<sort> the {parts} in descending order{down}{all_of}
<sort> the {parts} in reverse [order|]{down}{all_of}
<sort> the {what} [descending|backwards|in reverse|from z to a]{down}{all_of}
the {parts} <should> be in [descending|reverse] order{down}{all_of}
[descending|reverse] order for the {parts}{down}{all_of}
{parts} in descending order [please|]{down}{all_of}
<sort> {name}{up}
<sort> [the|] {name} alphabetically{up}
<sort> the {parts} [of|in] {name}{up}
<sort> the {name} {what}{up}
[alphabetize|alphabetise|order|arrange] {name}{up}
[alphabetize|alphabetise|order|arrange] the {parts} [of|in] {name}{up}
[put|bring] {name} [in|into] [alphabetical |ascending |][order]{up}
[put|bring] the {parts} of {name} [in|into] [alphabetical |ascending |][order]{up}
{name} is [not sorted|unsorted|out of order|not alphabetical|not in order]{up}
{name} <should> be [sorted|in order|alphabetical|in alphabetical order]{up}
the {parts} [of|in] {name} are [not sorted|unsorted|out of order|in random order]{up}
the {parts} [of|in] {name} <should> be [sorted|in order|alphabetical]{up}
unsorted {name}{up}
sorted {name} [please|]{up}
RUF022 `{name}` is not sorted{up}
RUF022: {name} is unsorted{up}
RUF023 `{name}` is not sorted{up}
<want> {name} [sorted|in order|in alphabetical order]{up}
why is {name} [not sorted|unsorted|in this order]{up}
can {name} be [sorted|in order|alphabetical]{up}
<nit>: sort {name}{up}
<review>: {name} <should> be sorted{up}
<review>: keep {name} sorted{up}
<lint>: {name} is not sorted{up}
keep {name} [sorted|in alphabetical order|in order]{up}
{name} from a to z{up}
{name} in alphabetical order [please|]{up}
[the|] entries of {name} are [all over the place|hard to find|a mess], <sort> them{up}
<fix> the order [of|in] {name}{up}
<sort> {name} [descending|backwards|in reverse|in descending order]{down}
{name} <should> be in [descending|reverse] order{down}
[descending|reverse] order for {name}{down}
<sort> {name} from z to a{down}
@<sort> this{up}
@<sort> this {what}{up}
@<sort> the {parts} [here|]{up}
@[not sorted|unsorted|out of order]{up}
@keep this sorted{up}
@[alphabetical|sorted] [order|] [please|]{up}
@<sort> this in descending order{down}
"""

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Shuffle the parts of a literal that is in order, or of any."""
        found = [one for one in literals(snippet) if len(one.parts) <= 30]
        ready = [one for one in found if ordered(snippet, one) is None]
        if not found or (not ready and rng.random() < 0.7):
            return None
        one = rng.choice(ready or found)
        order = list(range(len(one.parts)))
        rng.shuffle(order)
        spot = rearranged(snippet, one, order)
        if spot is None:
            return None
        lines = [*snippet.lines[: spot.rows[0]], *_new_lines(snippet, spot), *snippet.lines[spot.rows[1] + 1 :]]
        return Planted(Snippet(tuple(lines)))

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Sort all, or one that is named or selected."""
        down = rng.random() < 0.12
        pairs = [(one, spot) for one in literals(snippet) if (spot := ordered(snippet, one, down=down))]
        if not pairs:
            return None
        named = {spot: one for one, spot in pairs}
        word = {"down": "", "order": "descending"} if down else {"up": ""}
        target, spot = rng.choice(pairs)
        names = [one.name for one in literals(snippet)]
        words = {**word, **_words(target, rng)}
        if target.name and names.count(target.name) == 1 and len(target.name) > 2 and rng.random() < 0.6:
            return edit_of(snippet, [spot], {"name": target.name, **words})

        def many(group: Sequence[Spot]) -> dict[str, str] | None:
            sorts = {one.sort for one in group}
            chosen = next(iter(sorts)) if len(sorts) == 1 else ""
            types = {one.sort for one, _ in pairs}
            return {**word, **_words(named[group[0]], rng), "all_of": ""} if chosen and len(types) == 1 else None

        edit = propose_spots(snippet, [one for _, one in pairs], rng, one=lambda _: words, many=many, alone=0)
        by_line = sum(_meets(one, spot) for _, one in pairs) == 1
        return edit or (edit_of(snippet, [spot], words, spot.rows) if by_line else None)


def _meets(one: Spot, two: Spot) -> bool:
    return one.rows[0] <= two.rows[1] and two.rows[0] <= one.rows[1]


def _words(one: Sortable, rng: Random) -> dict[str, str]:
    return {"what": said(rng, _WHAT[one.sort]), "parts": said(rng, _PARTS[one.sort])}


def _new_lines(snippet: Snippet, spot: Spot) -> list[str]:
    (first, start), (last, end) = spot.start, spot.end
    return (snippet.lines[first][:start] + spot.text + snippet.lines[last][end:]).split("\n")
