"""Which place the words of a request are about: the likelier the model finds them said of lines, the likelier these."""

from collections.abc import Collection, Generator, Mapping
from contextlib import suppress
from itertools import pairwise
from math import inf
from pathlib import PurePath

from spark_tui.answering.seam import Ability, Answerer
from spark_tui.context.finding import Focus
from spark_tui.context.parts import WORD, pieces, pieces_of
from spark_tui.context.source import Region
from spark_tui.context.symbols import is_aside
from spark_tui.context.terms import file_names, identifiers, last_of, places
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
BEHIND = 3.0
"""How much of that words are worth that are likelier behind those that the user asked where he is, and of which nothing
is decided: they may correct them. Of 71 corrections 15 are asked about, of 120 requests about elsewhere 97; without
this 26 and 98.
"""


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
    odds = yield from _odds(answerer, request, lines)
    said = _words(request.instruction)
    here = _words("\n".join(lines[lead])) | _called(lead) if lead else said
    doubts = {each: _doubt(each, said, here) for each in odds if each != lead}
    if lead and lead.symbol and "." in lead.symbol and lead.symbol in {*identifiers(request.instruction)}:
        doubts |= {each: inf for each in doubts if not _is_at(request.focus, each)}
    worth = {each: odds[each] - doubts.get(each, 0.0) for each in odds}
    likely = sorted(worth, key=lambda each: (-worth[each], each != lead))
    if lead in likely[:1]:
        lookup.settle(request, lead)
    elif likely:
        lookup.settle(request, tuple(dict.fromkeys((likely[0], *([lead] if lead else []), *likely))))


def _odds(
    answerer: Answerer, request: Request, lines: Mapping[Region, tuple[str, ...]]
) -> Generator[None, None, dict[Region, float]]:
    """How likely the words are said of lines, and where the user is behind what was asked there if that is more."""
    fitting = [each for each in lines if answerer.has_room(lines[each])]
    asked: list[tuple[Region, tuple[str, ...]]] = [(each, ()) for each in fitting]
    if (focus := request.focus) and focus.earlier:
        asked += [(each, focus.earlier) for each in fitting if _is_at(focus, each)]
    odds, ways = dict.fromkeys(fitting, -inf), iter(asked)
    for item in answerer.said(Said(each.path, lines[each], request.instruction, (), behind) for each, behind in asked):
        if item is None:
            yield
        else:
            place, behind = next(ways)
            odds[place] = max(odds[place], item + BEHIND * bool(behind))
    return odds


def _doubt(place: Region, said: Collection[object], here: Collection[object]) -> float:
    """How much likelier a place must be to be asked. Args: said: the words. here: those where they seem to lead."""
    if named := _called(place).intersection(said):
        return 0.0 if named.intersection(here) else -HARDLY
    return DOUBT + DOUBT * any(is_aside(place.path))


def names(words: str, place: Region) -> bool:
    """Whether words name a place or its file."""
    told = any(f"/{place.path}".endswith(f"/{name}") for name in file_names(words))
    return told or not _called(place).isdisjoint(_words(words))


def _words(text: str) -> set[object]:
    """What may name something in it: the words, and two parts of names side by side."""
    words = WORD.findall(text)
    return {*words, *map(pieces_of, words), *pairwise(pieces(words))}


def _called(region: Region) -> set[object]:
    """What names a place; one without a name has its file's."""
    if region.symbol:
        name = last_of(region.symbol)
        return {name, *pairwise(pieces([name]))}
    return {pieces_of(PurePath(region.path).stem)}


def _is_at(focus: Focus | None, place: Region) -> bool:
    """Whether the user is there."""
    first, last = focus.lines if focus else (0, 0)
    return focus is not None and place.path == focus.path and place.start_line <= last and first <= place.end_line
