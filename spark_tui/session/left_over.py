"""What an edit leaves undone of a request of two steps, as the model that made it sees that; it knows no English.

Where one part of the words makes the edit likelier than all of them do, the other part asked for something else.
"""

import math
from collections.abc import Generator, Sequence
from dataclasses import replace

from spark_tui.answering.seam import Ability, Answerer
from spark_tui.editing.quoting import Request
from spark_tui.session.turn import Turn

_FEWEST, _MOST = 4, 24
"""Words of a request that is looked at: each one more costs two passes."""
_LEAST, _AROUND = 2, "`'\",.:;()"
"""Words that are left, besides the name of the place and what stands around it: "in main" asks for nothing."""
_GAIN = 0.1
"""How much likelier a part has to make the edit, as a log-probability."""
_EXPLAINS = math.log(0.85)
"""How likely it has to make it."""
_NEARLY = 0.1
"""Parts that come so close to the best say as much as that one; the shortest of them leaves the most undone."""
_DONE = math.log(0.2)
"""From here on nothing is to be changed for what is left: it only told why."""


def left_over(turn: Turn) -> Generator[str | None, None, None]:
    """The words of a turn that its edit leaves undone, if there are any; None between passes, to be given up at.

    Raises: SparkError: the answerer fails.
    """
    own, request, answerer = turn.candidates.own, turn.ask.request, turn.answerer
    settled = turn.command or turn.request.rename or turn.request.keep
    if Ability.SCORE not in answerer.can or own is None or settled:
        return
    after = tuple(turn.page.within(own.file))
    rest = yield from _rest(answerer, request, after)
    place = {*turn.region.path.split("/"), *(turn.region.symbol or "").split("."), turn.region.symbol}
    if sum(word.strip(_AROUND) not in place for word in rest.split()) >= _LEAST:
        then = Request(request.path, after, rest)
        done = yield from _likely(answerer, then, after)
        if done < _DONE:
            yield rest


def _rest(answerer: Answerer, request: Request, after: Sequence[str]) -> Generator[None, None, str]:
    """The words besides those that the edit is the likeliest for, or "". Args: after: the lines with it."""
    words = request.words.split()
    if not _FEWEST <= len(words) <= _MOST:
        return ""
    whole = yield from _likely(answerer, request, after)
    odds = dict[str, float]()
    for cut in range(1, len(words)):
        for part, rest in ((words[:cut], words[cut:]), (words[cut:], words[:cut])):
            likely = yield from _likely(answerer, replace(request, words=" ".join(part)), after)
            odds[" ".join(rest)] = likely
    best = max(odds.values())
    if best < max(whole + _GAIN, _EXPLAINS):
        return ""
    return max((rest for rest, likely in odds.items() if likely >= best - _NEARLY), key=len)


def _likely(answerer: Answerer, request: Request, after: Sequence[str]) -> Generator[None, None, float]:
    """The log-probability that a request leads to these lines."""
    found = -math.inf
    for _, found in answerer.score(request, [after]):  # noqa: B007 - there is one
        yield
    return found
