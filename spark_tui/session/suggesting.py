"""What could be asked of some lines: words that the model itself thinks of, and then carries out, being sure of it."""

from collections.abc import Generator
from dataclasses import dataclass

from spark_tui.answering.seam import Answerer
from spark_tui.context.source import Region
from spark_tui.editing.text import Text
from spark_tui.session.request import Request, ask_of
from spark_tui.session.turn import Turn

MOST = 5
_MOST_DRAWN = 16
"""Words that are tried at most."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Words, the place that they are about, and the lines that they would add and take away there."""

    words: str
    region: Region
    added: int
    removed: int


def suggest(answerer: Answerer, region: Region, base: Text) -> Generator[Suggestion | None, None, None]:
    """Words that would work on a region, one after the other; None at every step between, where it may be given up.

    Args: base: the file. Raises: UsageError: the region leaves no room to answer.
    """
    request, made = Request("", region.path), set[Text]()
    for seed in range(_MOST_DRAWN):
        words = yield from answerer.suggest(ask_of(request, region, base).request, seed)
        turn = Turn("", Request(words, region.path), region, base, answerer)
        for _ in turn.events() if words else ():
            yield None
        shown = turn.candidates.own
        if shown and turn.hunks and turn.sure and shown.file not in made:
            made.add(shown.file)
            added, removed = sum(len(each.new) for each in turn.hunks), sum(len(each.old) for each in turn.hunks)
            yield Suggestion(words, region, added, removed)
            if len(made) == MOST:
                return
