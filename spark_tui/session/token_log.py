"""What a turn wrote, token by token, to look back at: pieces are kept, and files are worked out
again from them.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from spark_tui.editing.text import Text
from spark_tui.providers.base import AnswerFinished, Draft, TokenGenerated
from spark_tui.session.candidates import RegionSplicer

UNSURE = -0.105
"""Log-probability (of 90 %) below which a token is an uncertain place."""
_HALF = re.compile(rb"(?:[\xc2-\xf4]|[\xe0-\xf4][\x80-\xbf]|[\xf0-\xf4][\x80-\xbf]{2})\Z")
"""The first bytes of a character in UTF-8 that has more."""


@dataclass(frozen=True, slots=True)
class LoggedToken:
    """A token as it was written.

    Args:
        attempt: The number of its answer, from 1.
    """

    token_id: int
    text: str
    logprob: float
    attempt: int


@dataclass(slots=True)
class _Take:
    """One answer. `hidden`: how many of its pieces were written in an earlier one already."""

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

    Mutable: one thread may add while another one looks back.

    Args:
        draft: Gives what reads an answer from its start; so does `blank`.
    """

    def __init__(self, page: RegionSplicer, draft: Callable[[], Draft]) -> None:
        self._page = page
        self.blank = draft
        self._takes: list[_Take] = []
        self._reader: tuple[_Take, Draft, int] | None = None
        """The answer that was looked at last, as far as it was read."""

    def begin(self, known: Sequence[TokenGenerated]) -> None:
        """An answer begins, with pieces that are known: those of an earlier one, or the user's
        own.
        """
        ids = [each.token for each in known]
        shared = any(
            [each.token for each in take.pieces[: len(ids)]] == ids for take in self._takes
        )
        self._takes.append(_Take(len(known) if shared else 0, len(self), list(known)))

    def take(self, wrote: TokenGenerated) -> None:
        """A piece was written."""
        self._takes[-1].pieces.append(wrote)

    def end(self, answer: AnswerFinished | None) -> None:
        """The answer is over; only what is complete of it counts.

        Args:
            answer: None where it was given up.
        """
        self._takes[-1].ended, self._takes[-1].finished = (
            True,
            answer is not None and answer.finished,
        )

    @property
    def writing(self) -> bool:
        """Whether an answer is being written, and has begun."""
        return bool(self._takes) and not self._takes[-1].ended and self._takes[-1].length > 0

    def __len__(self) -> int:
        if not self._takes:
            return 0
        last = self._takes[-1]  # once: another answer may just begin
        return last.first + last.length

    def __getitem__(self, index: int) -> LoggedToken:
        """A token.

        Raises:
            IndexError: There is none.
        """
        take, at = self._find(index)
        one = take.pieces[at]
        text = one.piece.decode("utf-8", "replace")
        return LoggedToken(one.token, text, one.logprob, self._takes.index(take) + 1)

    def file(self, index: int) -> Text:
        """The file with all that was written up to a token."""
        take, at = self._find(index)
        draft = self._read(take, at)
        over = take.ended and at == len(take.pieces) - 1
        if over and take.finished:
            draft.finish()
            self._reader = None
        return self._page.file(draft.settled() if over else draft.lines(), draft.renamed)

    def meaning(self, index: int) -> str:
        """A token as its text in quotes, or in words where it has none."""
        return f"“{self[index].text}”" if self[index].text else "that is all"

    def read(self, index: int) -> Draft:
        """A token's answer, read up to that token; it is not to be written on."""
        return self._read(*self._find(index))

    def text(self, index: int) -> str:
        """What was written of a token's answer up to that token, but for a character that is
        not whole by then.
        """
        return self._bytes(index).decode("utf-8", "ignore")

    def half(self, index: int) -> int:
        """How many tokens up to this one wrote the first bytes of a character that is not whole
        yet.
        """
        take, at = self._find(index)
        written = self._bytes(index)
        tokens = 0
        while _HALF.search(written):
            written = written.removesuffix(take.pieces[at - tokens].piece)
            tokens += 1
        return tokens

    def unsure(self, index: int) -> int | None:
        """The next token after this one that was not sure, or the first of all; None when there
        is none.
        """
        later = [at for at in range(len(self)) if self.logprob(at) < UNSURE]
        return next((at for at in later if at > index), later[0] if later else None)

    def logprob(self, index: int) -> float:
        """The log-probability of a token."""
        take, at = self._find(index)
        return take.pieces[at].logprob

    def _bytes(self, index: int) -> bytes:
        take, at = self._find(index)
        return b"".join(each.piece for each in take.pieces[: at + 1])

    def _find(self, index: int) -> tuple[_Take, int]:
        """The answer of a token, and its place there."""
        if not 0 <= index < len(self):
            raise IndexError(index)
        take = self._takes[bisect_right(self._takes, index, key=lambda each: each.first) - 1]
        return take, index - take.first + take.hidden

    def _read(self, take: _Take, at: int) -> Draft:
        """An answer read up to a token: on from where it was read to, if that was before."""
        if self._reader is None or self._reader[0] is not take or self._reader[2] > at:
            self._reader = take, self.blank(), -1
        _, draft, last = self._reader
        for one in take.pieces[last + 1 : at + 1]:
            draft.take(one.piece)
        self._reader = take, draft, at
        return draft
