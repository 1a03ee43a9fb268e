"""Which place the words of a request are about: the likelier the model finds them said of lines, the likelier these."""

from collections.abc import Generator
from contextlib import suppress
from itertools import pairwise
from pathlib import PurePath

from spark_tui.answering.seam import Ability, Answerer
from spark_tui.context.finding import Focus, is_aside
from spark_tui.context.parts import WORD, pieces
from spark_tui.context.source import Region
from spark_tui.context.terms import last_of, places
from spark_tui.editing.quoting import Request as Said
from spark_tui.errors import SparkError, Unclear
from spark_tui.session.place_lookup import PlaceLookup
from spark_tui.session.request import Request

MOST, LINES = 6, 64
"""Places that are weighed, and lines of each: they take a second or two to read."""
DOUBT = 3.0
"""How much likelier, as a log-probability, another place must be to be asked, unless it is named (only.js, too); tests
and what is no code by as much again.
"""
BEHIND = 7.0
"""How much less likely words are said behind others that they have nothing to do with: where those were asked, words
that go on from them are the likelier. In 120 development requests 6.4 in the median, behind corrections 2."""


def weigh(answerer: Answerer, lookup: PlaceLookup, request: Request) -> Generator[None, None, None]:
    """Have it known where a request leads that tells no place, or what is to be asked; None between passes."""
    told = request.path or places(request.instruction)
    if told or Ability.SCORE not in answerer.can or lookup.knows(request):
        return
    lead: Region | None = None
    try:
        with suppress(Unclear):
            lead = lookup.find(request)
        others = [each for each in lookup.places(request, most=MOST) if not (lead and each.meets(lead))]
        lines = {each: tuple(lookup.lines(each)[:LINES]) for each in (*others, *([lead] if lead else []))}
    except SparkError:
        return  # whoever asks there will hear of it
    fitting = [each for each in lines if answerer.has_room(lines[each])]
    earlier = {each: request.focus.earlier for each in fitting if request.focus and _holds(each, request.focus)}
    asked = (Said(each.path, lines[each], request.instruction, (), earlier.get(each, ())) for each in fitting)
    odds = list[float]()
    for item in answerer.said(asked):
        if item is None:
            yield
        else:
            odds.append(item + BEHIND * bool(earlier.get(fitting[len(odds)])))
    said = pieces(WORD.findall(request.instruction))
    doubts = {each: DOUBT * _called(each).isdisjoint({*said, *pairwise(said)}) for each in fitting}
    less = (doubts[each] * (each != lead and any(is_aside(each.path))) for each in fitting)
    weighed = {each: odd - by for each, odd, by in zip(fitting, odds, less, strict=True)}
    likely = sorted(weighed, key=lambda each: -weighed[each])
    whole = lead is not None and lead.symbol is not None and "." in lead.symbol and lead.symbol in request.instruction
    rivals = [each for each in likely if not whole or (request.focus and _holds(each, request.focus))]
    if lead in weighed and all(weighed[lead] >= weighed[each] - doubts[each] for each in rivals):
        lookup.settle(request, lead)
    elif likely:
        lookup.settle(request, tuple(dict.fromkeys((likely[0], *([lead] if lead else []), *likely))))


def _called(region: Region) -> set[object]:
    """The words, side by side, that name a place; of what has no name its file's."""
    if region.symbol:
        return set(pairwise(pieces([last_of(region.symbol)])))
    return set(pieces([PurePath(region.path).stem]))


def _holds(region: Region, focus: Focus) -> bool:
    first, last = focus.lines
    return region.path == focus.path and region.start_line <= last and first <= region.end_line
