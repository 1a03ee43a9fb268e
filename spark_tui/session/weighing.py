"""Which place the words of a request are about: the likelier the model finds them said of lines, the likelier these."""

from collections.abc import Generator, Sequence
from dataclasses import replace
from statistics import fmean

from spark_tui.answering.seam import Ability, Answerer
from spark_tui.context.parts import WORD, pieces_of
from spark_tui.context.source import Region
from spark_tui.context.terms import file_names, identifiers, last_of, places
from spark_tui.editing import quoting
from spark_tui.errors import SparkError
from spark_tui.session.place_lookup import PlaceLookup, RankedPlace
from spark_tui.session.request import Request

SAID = 0.7
"""The weight of the log-probability of the words beside the score of what they share.

Of 100 development requests, whole packages before them, 32 have the right place first and 53 among
three by the score alone, 47 and 67 with this weight, which is the likeliest for either half of the
packages; 43 and 66 with 0.5, 49 and 67 with 1. By 6 places instead of 12 it is 45 and 63.
"""


def weigh(answerer: Answerer, lookup: PlaceLookup, request: Request) -> Generator[None, None, None]:
    """Rank the places of a request that tells none by what the model finds its words said of; None between passes.

    What was weighed so far counts when it is given up, as if the words were said of the other places as of these.
    """
    told = request.path or places(request.instruction)
    if told or Ability.SCORE not in answerer.can or lookup.knows(request):
        return
    ranked = lookup.ranked(request)
    try:
        previews = lookup.previews(request, [place.region for place in ranked])
    except SparkError:
        return  # whoever asks there will hear of it
    scores = dict[Region, float]()
    for place in ranked:
        lines = previews[place.region]
        score = yield from _score(answerer, request, place.region, lines)
        scores[place.region] = score
        lookup.settle(request, _weighed(ranked, scores), is_whole=len(scores) == len(ranked))


def _score(
    answerer: Answerer, request: Request, region: Region, lines: tuple[str, ...]
) -> Generator[None, None, float]:
    """How likely the words are said of lines, or, where the user is, behind what was asked there."""
    asked = [quoting.Request(region.path, lines, request.instruction, previous=request.previous)]
    if (focus := request.focus) and focus.earlier and focus.meets(region):
        asked.append(replace(asked[0], earlier=focus.earlier))
    scores = list[float]()
    for item in answerer.said(asked):
        if item is None:
            yield
        else:
            scores.append(item)
    return max(scores)


def _weighed(ranked: Sequence[RankedPlace], scores: dict[Region, float]) -> list[RankedPlace]:
    """The places as they are known so far, the likeliest first."""
    other = fmean(scores.values())
    places = [replace(place, weight=place.weight + SAID * scores.get(place.region, other)) for place in ranked]
    return sorted(places, key=lambda place: -place.weight)


def names(words: str, place: Region) -> bool:
    """Whether words name a place or its file."""
    if any(f"/{place.path}".endswith(f"/{name}") for name in file_names(words)):
        return True
    if place.symbol is None:
        return False
    own, asked = last_of(place.symbol), WORD.findall(words)
    return own in (*asked, *map(last_of, identifiers(words))) or pieces_of(own) in set(map(pieces_of, asked))
