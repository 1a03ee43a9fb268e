"""The conversation before a request: earlier requests with their answers, for chat models.

An exchange never changes afterwards, so that the part of a conversation that a server has in its
cache stays the beginning of the next prompt.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Protocol, TypeVar

from spark_tui.editing.formats.quoted import QuotedRequest

_AROUND = 2
"""Lines around a change that are quoted with it."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and its answer.

    Attributes:
        request: The request as it was asked.
        answer: The words of the chat model that answered; "" where another kind of model did.
        lines: The region with the edit.
        around: The map of the repository that was sent with the request.
        news: What had happened since the exchange before.
    """

    request: QuotedRequest
    answer: str
    lines: tuple[str, ...] = ()
    around: str = ""
    news: str = ""

    @property
    def characters(self) -> int:
        """The approximate length of the exchange."""
        shown = sum(len(line) + 1 for line in (*self.request.lines, *self.lines))
        return shown + len(self.answer) + len(self.around) + len(self.news)


@dataclass(frozen=True, slots=True)
class Question:
    """A question and its answer, both in words.

    Attributes:
        asked: The whole message that was sent, with the lines and the map in it.
        answer: What the model said.
    """

    asked: str
    answer: str

    @property
    def characters(self) -> int:
        """The length of the question and the answer."""
        return len(self.asked) + len(self.answer)


class _Sized(Protocol):
    @property
    def characters(self) -> int: ...


Said = TypeVar("Said", bound=_Sized)


def latest(exchanges: Sequence[Said], most: int) -> Sequence[Said]:
    """Leave out the oldest exchanges of a conversation that has become too long.

    Half of the room is made free at once: the prompts that follow then begin the same for a while.

    Args:
        exchanges: All of them, the oldest first.
        most: The characters that they may have.
    """
    first = 0
    total = 0
    # The cuts are replayed from the first exchange on, so they fall at the same places whenever the
    # conversation is asked for, and a server finds the same beginning in its cache.
    for number, exchange in enumerate(exchanges):
        total += exchange.characters
        if total <= most:
            continue
        while total > most // 2 and first <= number:
            total -= exchanges[first].characters
            first += 1
    return exchanges[first:]


def changed_lines(
    before: Sequence[str], after: Sequence[str]
) -> tuple[Sequence[str], Sequence[str]]:
    """Return the part of two versions that differs, with a few lines around it in both."""
    same_above = _common(before, after)
    # counted behind the common lines above, which must not count twice
    same_below = _common(before[same_above:][::-1], after[same_above:][::-1])
    first = max(0, same_above - _AROUND)
    cut = max(0, same_below - _AROUND)
    return before[first : len(before) - cut], after[first : len(after) - cut]


def _common(some: Sequence[str], others: Sequence[str]) -> int:
    pairs = zip(some, others, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
