"""What a turn wrote, token by token, to look back at.

Only the pieces are kept; files are computed from them again.
"""

import re  # noqa: TID251 - reads characters as such
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from spark_tui.editing.text import Text
from spark_tui.providers.base import AnswerFinished, Draft, TokenGenerated
from spark_tui.session.candidates import RegionSplicer

UNSURE = -0.105
"""The log-probability (of 90 %) below which a token is uncertain."""
_HALF = re.compile(rb"(?:[\xc2-\xf4]|[\xe0-\xf4][\x80-\xbf]|[\xf0-\xf4][\x80-\xbf]{2})\Z")
"""The first bytes of an incomplete character in UTF-8."""


@dataclass(frozen=True, slots=True)
class LoggedToken:
    """A token as written.

    Args:
        attempt: The number of its answer, from 1.
    """

    token_id: int
    text: str
    logprob: float
    attempt: int


@dataclass(slots=True)
class _Take:
    """One answer.

    Attributes:
        hidden: How many of its pieces were written in an earlier answer already.
        first: The number of its first token.
    """

    hidden: int
    first: int
    pieces: list[TokenGenerated] = field(default_factory=list)
    ended: bool = False
    finished: bool = False

    @property
    def length(self) -> int:
        return len(self.pieces) - self.hidden


class TokenLog:
    """The tokens of one turn, from 0.

    Mutable: one thread may add while another looks back.

    Args:
        draft: Makes a reader for an answer, from its start; kept as `blank`.
    """

    def __init__(self, page: RegionSplicer, draft: Callable[[], Draft]) -> None:
        self._page = page
        self.blank = draft
        self._takes: list[_Take] = []
        self._reader: tuple[_Take, Draft, int] | None = None
        """The answer looked at last, its reader, and the last piece that was read."""

    def begin(self, known: Sequence[TokenGenerated]) -> None:
        """Begin an answer with known pieces: those of an earlier answer, or the user's own."""
        # Known pieces that an earlier answer wrote are in the log already: they are hidden here.
        ids = [each.token for each in known]
        shared = any(
            [each.token for each in take.pieces[: len(ids)]] == ids for take in self._takes
        )
        self._takes.append(_Take(len(known) if shared else 0, len(self), list(known)))

    def take(self, wrote: TokenGenerated) -> None:
        """Add a piece."""
        self._takes[-1].pieces.append(wrote)

    def end(self, answer: AnswerFinished | None) -> None:
        """End the answer; only its complete part counts.

        Args:
            answer: None where the answer was given up.
        """
        take = self._takes[-1]
        take.ended = True
        take.finished = answer is not None and answer.finished

    @property
    def writing(self) -> bool:
        """Whether an answer is being written and has begun."""
        return bool(self._takes) and not self._takes[-1].ended and self._takes[-1].length > 0

    def __len__(self) -> int:
        if not self._takes:
            return 0
        last = self._takes[-1]  # read once: another thread may begin an answer
        return last.first + last.length

    def __getitem__(self, index: int) -> LoggedToken:
        """A token.

        Raises:
            IndexError: There is no such token.
        """
        take, number = self._find(index)
        token = take.pieces[number]
        text = token.piece.decode("utf-8", "replace")
        return LoggedToken(token.token, text, token.logprob, self._takes.index(take) + 1)

    def file(self, index: int) -> Text:
        """The file with everything written up to a token."""
        take, number = self._find(index)
        draft = self._read(take, number)
        is_last = take.ended and number == len(take.pieces) - 1
        if is_last and take.finished:
            draft.finish()
            self._reader = None  # a finished draft takes no more pieces
        lines = draft.settled() if is_last else draft.lines()
        return self._page.file(lines, draft.renamed)

    def meaning(self, index: int) -> str:
        """A token as its text in quotes, or in words where it has none."""
        return f"“{self[index].text}”" if self[index].text else "that is all"

    def read(self, index: int) -> Draft:
        """A reader of a token's answer, up to that token; the caller must not write to it."""
        return self._read(*self._find(index))

    def text(self, index: int) -> str:
        """The text of a token's answer up to that token, without an incomplete character."""
        return self._bytes(index).decode("utf-8", "ignore")

    def half(self, index: int) -> int:
        """How many tokens up to this one wrote the beginning of an incomplete character."""
        take, at = self._find(index)
        written = self._bytes(index)
        tokens = 0
        while _HALF.search(written):
            written = written.removesuffix(take.pieces[at - tokens].piece)
            tokens += 1
        return tokens

    def unsure(self, index: int) -> int | None:
        """The next uncertain token after this one, else the first of all; None: there is none."""
        uncertain = [number for number in range(len(self)) if self.logprob(number) < UNSURE]
        if not uncertain:
            return None
        return next((number for number in uncertain if number > index), uncertain[0])

    def logprob(self, index: int) -> float:
        """The log-probability of a token."""
        take, at = self._find(index)
        return take.pieces[at].logprob

    def _bytes(self, index: int) -> bytes:
        take, at = self._find(index)
        return b"".join(each.piece for each in take.pieces[: at + 1])

    def _find(self, index: int) -> tuple[_Take, int]:
        """The answer of a token, and the number of its piece there."""
        if not 0 <= index < len(self):
            raise IndexError(index)
        # `first` is the number of an answer's first token in the whole log; hidden pieces have
        # none.
        take = self._takes[bisect_right(self._takes, index, key=lambda each: each.first) - 1]
        return take, index - take.first + take.hidden

    def _read(self, take: _Take, at: int) -> Draft:
        """Read an answer up to a piece, going on from the last reading where possible."""
        if self._reader is None or self._reader[0] is not take or self._reader[2] > at:
            self._reader = take, self.blank(), -1
        _, draft, last = self._reader
        for one in take.pieces[last + 1 : at + 1]:
            draft.take(one.piece)
        self._reader = take, draft, at
        return draft
