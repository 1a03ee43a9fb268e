"""Which place the words of a request are about: the likelier the model finds them said of lines, the likelier these."""

from collections.abc import Collection, Generator
from contextlib import suppress
from itertools import pairwise
from math import inf
from pathlib import PurePath

from spark_tui.answering.seam import Ability, Answerer
from spark_tui.context.finding import Focus
from spark_tui.context.parts import WORD, pieces
from spark_tui.context.source import Region
from spark_tui.context.symbols import is_aside
from spark_tui.context.terms import last_of, places
from spark_tui.editing.quoting import Request as Said
from spark_tui.errors import SparkError, Unclear
from spark_tui.session.place_lookup import PlaceLookup
from spark_tui.session.request import Request

MOST, LINES = 6, 64
"""Places that are weighed, and lines of each: they take a second or two to read."""
DOUBT, HARDLY = 3.0, 4.0
"""How much likelier, as a log-probability, another place must be to be asked; tests and what is no code twice that.

One that is named (load, only.js) must be likelier at all, or hardly less likely where the name is no word of the
lines: that asks one more of 150 development requests, and "the same for load" is about load.
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
    said = _words(request.instruction)
    here = _words("\n".join(lines[lead])) | _called(lead) if lead else said
    doubts = {each: _doubt(each, said, here) for each in fitting if each != lead}
    if (
        lead and lead.symbol and "." in lead.symbol and lead.symbol in request.instruction
    ):  # doubted for the focus alone
        doubts |= {each: inf for each in doubts if not (request.focus and _holds(each, request.focus))}
    worth = {each: odd - doubts.get(each, 0.0) for each, odd in zip(fitting, odds, strict=True)}
    likely = sorted(worth, key=lambda each: (-worth[each], each != lead))
    if lead in likely[:1]:
        lookup.settle(request, lead)
    elif likely:
        lookup.settle(request, tuple(dict.fromkeys((likely[0], *([lead] if lead else []), *likely))))


def _doubt(place: Region, said: Collection[object], here: Collection[object]) -> float:
    """How much likelier a place must be to be asked. Args: said: the words. here: those where they seem to lead."""
    if named := _called(place).intersection(said):
        return 0.0 if named.intersection(here) else -HARDLY
    return DOUBT + DOUBT * any(is_aside(place.path))


def _words(text: str) -> set[object]:
    """What may name something in it: the words, and two parts of names side by side."""
    words = WORD.findall(text)
    return {*words, *map(str.lower, words), *pairwise(pieces(words))}


def _called(region: Region) -> set[object]:
    """What names a place; one without a name has its file's."""
    if region.symbol:
        name = last_of(region.symbol)
        return {name, *pairwise(pieces([name]))}
    return {PurePath(region.path).stem.lower()}


def _holds(region: Region, focus: Focus) -> bool:
    first, last = focus.lines
    return region.path == focus.path and region.start_line <= last and first <= region.end_line
