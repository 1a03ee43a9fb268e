"""Sort the keys or elements of a literal."""

from collections.abc import Sequence
from random import Random
from typing import ClassVar

from spark_tui.editing.codemods.common.tidy import Spot
from spark_tui.editing.codemods.sort_keys import Sortable, literals, ordered, rearranged
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

    Slots: {what} is the type of literal and {plural} what it holds; {name} what it is assigned to; {up} or {down} is "" and
    says the order; {all_of} when nothing else could be meant.
    """

    name: ClassVar[str] = "sort_keys"
    skeletons: ClassVar[str] = """
<sort> the {plural}{up}{all_of}
<sort> the {plural} of the {what}{up}{all_of}
<sort> the {what}{up}{all_of}
<sort> the {what} [by key|alphabetically|in ascending order|in place|]{up}{all_of}
<sort> the {plural} alphabetically{up}{all_of}
[put|bring|get] the {plural} [of the {what}|] [in|into] [alphabetical |ascending |the right |][order]{up}{all_of}
[alphabetize|alphabetise|order|arrange|reorder] the {plural} [of the {what}|]{up}{all_of}
the {plural} [of the {what}|] are [not sorted|unsorted|out of order|not in order|in random order|not alphabetical]{up}{all_of}
the {plural} [of the {what}|] <should> be [sorted|in order|alphabetical|in alphabetical order|ascending]{up}{all_of}
the {what} <should> be [sorted|in order|in alphabetical order]{up}{all_of}
the {what} is [not sorted|unsorted|out of order|a mess]{up}{all_of}
unsorted {plural}{up}{all_of}
sorted {plural} [please|]{up}{all_of}
<want> [the {plural} sorted|sorted {plural}|the {plural} in order]{up}{all_of}
why are the {plural} [not sorted|unsorted|in this order]{up}{all_of}
can the {plural} be [sorted|in order|alphabetical]{up}{all_of}
<nit>: sort the {plural}{up}{all_of}
<review>: {plural} [not sorted|out of order]{up}{all_of}
<lint>: unsorted {what}{up}{all_of}
{plural} in [alphabetical|ascending|sorted] order [please|]{up}{all_of}
{plural} from a to z{up}{all_of}
[tidy|tidy up|clean up|organize] the {plural} order{up}{all_of}
<fix> the order of the {plural}{up}{all_of}
it's hard to find [anything|a key|an entry], <sort> the {plural}{up}{all_of}
<sort> the {plural} in descending order{down}{all_of}
<sort> the {plural} in reverse [order|]{down}{all_of}
<sort> the {what} [descending|backwards|in reverse|from z to a]{down}{all_of}
the {plural} <should> be in [descending|reverse] order{down}{all_of}
[descending|reverse] order for the {plural}{down}{all_of}
{plural} in descending order [please|]{down}{all_of}
<sort> {name}{up}
<sort> [the|] {name} alphabetically{up}
<sort> the {plural} [of|in] {name}{up}
<sort> the {name} {what}{up}
[alphabetize|alphabetise|order|arrange] {name}{up}
[alphabetize|alphabetise|order|arrange] the {plural} [of|in] {name}{up}
[put|bring] {name} [in|into] [alphabetical |ascending |][order]{up}
[put|bring] the {plural} of {name} [in|into] [alphabetical |ascending |][order]{up}
{name} is [not sorted|unsorted|out of order|not alphabetical|not in order]{up}
{name} <should> be [sorted|in order|alphabetical|in alphabetical order]{up}
the {plural} [of|in] {name} are [not sorted|unsorted|out of order|in random order]{up}
the {plural} [of|in] {name} <should> be [sorted|in order|alphabetical]{up}
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
@<sort> the {plural} [here|]{up}
@[not sorted|unsorted|out of order]{up}
@keep this sorted{up}
@[alphabetical|sorted] [order|] [please|]{up}
@<sort> this in descending order{down}
abc order please{up}{all_of}
{plural} by alphabet{up}{all_of}
{plural} in no particular order{up}{all_of}, a to z please
can never find anything in [the|this] {what}{up}{all_of}
[merge conflicts|conflicts] [all the time|every week] because the {what} isn't sorted{up}{all_of}
new {plural} [were just|just got] [appended|added at the end]{up}{all_of}, [put them where they belong|sort]
the {plural} jump around{up}{all_of}
smallest first{up}{all_of}
a to z in the {what}{up}{all_of}
{what}: a to z{up}{all_of}
is there a reason for [this|the] order [of the {plural}|]? alphabetical otherwise{up}{all_of}
order of the {plural} doesn't matter, so make it alphabetical{up}{all_of}
the {plural} look shuffled{up}{all_of}
random order{up}{all_of}
keep-sorted{up}{all_of}
# keep sorted{up}{all_of}
E: dict keys not sorted{up}{all_of}{is_dict}
WPS: unsorted {plural}{up}{all_of}
deterministic order for the {plural}, alphabetical{up}{all_of}
diffs would be [smaller|nicer] with [the|] {plural} in order{up}{all_of}
{plural} ascending{up}{all_of}
the {what} in order{up}{all_of}
the last [one|entry] was added in the wrong [place|spot]{up}{all_of}
someone added a line to the {what} without looking at the order{up}{all_of}
alphabetical {what}{up}{all_of}
alphabetical{up}{all_of}
the {what} is a jumble{up}{all_of}
line them up alphabetically{up}{all_of}
duplicates are easier to spot when the {plural} are in order{up}{all_of}
biggest first{down}{all_of}
from the top down, {plural} descending{down}{all_of}
{plural} the other way round, z to a{down}{all_of}
largest to smallest{down}{all_of}
reverse alphabetical {plural}{down}{all_of}
{plural} from high to low{down}{all_of}
last letter first: {plural} in reverse order{down}{all_of}
descending{down}{all_of}
{name}: abc order{up}
{name} a-z{up}
{name}, alphabetically please{up}
{name} isn't in order{up}
{name} has grown wild, alphabetical order{up}
new entries go to the end of {name}, better keep it in order{up}
conflicts in {name} [all the time|every week], keep it sorted{up}
someone appended to {name} without sorting{up}
RUF022 \\[*\\] `{name}` is not sorted{up}
RUF022 Apply an isort-style sorting to `{name}`{up}
{name} is shuffled{up}
i can't find anything in {name}{up}
where do i add a new one in {name}? alphabetical would be clear{up}
bring order into {name}{up}
{name} by alphabet{up}
{name} alphabetical{up}
{name} ascending{up}
{name}'s {plural} ascending{up}
the {plural} in {name} jump around{up}
order in {name} doesn't matter, so alphabetical{up}
# keep sorted, but {name} isn't{up}
{name} <- sorted{up}
why isn't {name} alphabetical{up}
random order in {name}{up}
[keep|get] {name} in shape, sorted{up}
duplicates in {name} are hard to spot, put it in order{up}
{name} descending{down}
{name} biggest first{down}
{name} z-a{down}
{name} the other way round, z to a{down}
reverse alphabetical {name}{down}
{name} from high to low{down}
@a to z{up}
@abc order{up}
@alphabetical{up}
@random order{up}
@put these in order{up}
@RUF022{up}
@# keep sorted{up}
@can't find anything here{up}
@descending{down}
@z to a{down}
@biggest first{down}
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
    is_dict = {"is_dict": ""} if one.sort == "dict" else {}
    return {"what": said(rng, _WHAT[one.sort]), "plural": said(rng, _PARTS[one.sort]), **is_dict}


def _new_lines(snippet: Snippet, spot: Spot) -> list[str]:
    (first, start), (last, end) = spot.start, spot.end
    return (snippet.lines[first][:start] + spot.text + snippet.lines[last][end:]).split("\n")
