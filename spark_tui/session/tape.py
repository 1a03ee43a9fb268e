"""What a turn wrote, token by token, to look back at: the ids are kept, and files are worked out again from them."""

import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from spark_tui.editing.format import Mark
from spark_tui.editing.parser import ScriptParser
from spark_tui.editing.script import ScriptError
from spark_tui.editing.text import Text
from spark_tui.engine.generate import Step
from spark_tui.engine.library import LoadedModel
from spark_tui.session.meanings import meaning
from spark_tui.session.writing import Writing

UNSURE = -0.105
"""Log-probability (of 90 %) below which a token is an uncertain place."""
_WORD = re.compile(r"\w+")
_HALF = re.compile(rb"(?:[\xc2-\xf4]|[\xe0-\xf4][\x80-\xbf]|[\xf0-\xf4][\x80-\xbf]{2})\Z")
"""The first bytes of a character in UTF-8 that has more."""


@dataclass(frozen=True, slots=True)
class Written:
    """A token as it was written. Args: attempt: the number of its script, from 1."""

    token_id: int
    text: str
    logprob: float
    attempt: int


@dataclass(slots=True)
class _Take:
    """One script. `hidden`: how many of its tokens were written in an earlier one already."""

    blank: Callable[[], Writing]
    hidden: int
    first: int
    ids: "array[int]" = field(default_factory=lambda: array("i"))
    logprobs: "array[float]" = field(default_factory=lambda: array("d"))
    ended: bool = False

    @property
    def length(self) -> int:
        return len(self.ids) - self.hidden

    def add(self, token_id: int, logprob: float) -> None:
        self.logprobs.append(logprob)
        self.ids.append(token_id)


class Tape:
    """The tokens of one turn, from 0. Mutable: one thread may add while another one looks back.

    Args: piece: a mark's name as str, or the bytes of a text token.
    """

    def __init__(self, piece: Callable[[int], str | bytes]) -> None:
        self._piece = piece
        self._takes: list[_Take] = []
        self._reader: tuple[_Take, Writing, int] | None = None
        """The script that was looked at last, as far as it was read."""

    def begin(self, blank: Callable[[], Writing], known: Sequence[int]) -> None:
        """A script begins, with tokens that are known: those of an earlier one, or the user's own.

        Args: blank: gives what reads a script from its start.
        """
        shared = any(take.ids[: len(known)].tolist() == list(known) for take in self._takes)
        take = _Take(blank, len(known) if shared else 0, len(self))
        for token_id in known:
            take.add(token_id, 0.0)
        self._takes.append(take)

    def take(self, step: Step) -> None:
        """A token was written."""
        self._takes[-1].add(step.token_id, step.logprob)

    def end(self) -> None:
        """The script is over; only what is complete of it counts."""
        self._takes[-1].ended = True

    @property
    def writing(self) -> bool:
        """Whether a script is being written, and has begun."""
        return bool(self._takes) and not self._takes[-1].ended and self._takes[-1].length > 0

    def __len__(self) -> int:
        if not self._takes:
            return 0
        last = self._takes[-1]  # once: another script may just begin
        return last.first + last.length

    def __getitem__(self, index: int) -> Written:
        """A token. Raises: IndexError: there is none."""
        take, at = self._find(index)
        piece = self._piece(take.ids[at])
        text = piece.decode("utf-8", "replace") if isinstance(piece, bytes) else piece
        return Written(take.ids[at], text, take.logprobs[at], self._takes.index(take) + 1)

    def file(self, index: int) -> Text:
        """The file with all that was written up to a token."""
        take, at = self._find(index)
        writing = self._read(take, at)
        return writing.closed_file() if take.ended and at == len(take.ids) - 1 else writing.file()

    def meaning(self, index: int) -> str:
        """A token as its text in quotes, or in words where it is a mark."""
        take, at = self._find(index)
        piece, writing = self._piece(take.ids[at]), self._read(take, at)
        if isinstance(piece, bytes):
            return f"“{self[index].text}”"
        return meaning(Mark(piece), writing.parser, writing.first_line)

    def parser(self, index: int) -> ScriptParser:
        """The parser of a token's script after that token; it is not to be fed."""
        return self.read(index).parser

    def read(self, index: int) -> Writing:
        """A token's script, read up to that token; it is not to be written on."""
        take, at = self._find(index)
        return self._read(take, at)

    def blank(self, index: int) -> Writing:
        """What reads a token's script from its start."""
        return self._find(index)[0].blank()

    def kept(self, index: int) -> list[int]:
        """The ids of a token's script up to that token, those it shares with an earlier one too."""
        take, at = self._find(index)
        return take.ids[: at + 1].tolist()

    def half(self, index: int) -> int:
        """How many tokens up to this one wrote the first bytes of a character that is not whole yet."""
        ids, tokens = self.kept(index), 0
        while _HALF.search(self._end(ids)):
            ids.pop()
            tokens += 1
        return tokens

    def _end(self, ids: Sequence[int]) -> bytes:
        """The last bytes of the text that these ids end with: three, if it has so many, or more."""
        end = b""
        for token_id in reversed(ids):
            piece = self._piece(token_id)
            if isinstance(piece, str) or len(end) > 2:  # as many as a character can lack one of
                break
            end = piece + end
        return end

    def unsure(self, index: int) -> int | None:
        """The next token after this one that was not sure, or the first of all; None when there is none."""
        later = [at for at in range(len(self)) if self.logprob(at) < UNSURE]
        return next((at for at in later if at > index), later[0] if later else None)

    def logprob(self, index: int) -> float:
        """The log-probability of a token."""
        take, at = self._find(index)
        return take.logprobs[at]

    def logprobs(self) -> tuple[float, ...]:
        """Those of the tokens of the first script."""
        return tuple(self._takes[0].logprobs) if self._takes else ()

    def _find(self, index: int) -> tuple[_Take, int]:
        """The script of a token, and its place there."""
        if not 0 <= index < len(self):
            raise IndexError(index)
        take = self._takes[bisect_right(self._takes, index, key=lambda each: each.first) - 1]
        return take, index - take.first + take.hidden

    def _read(self, take: _Take, at: int) -> Writing:
        """A script read up to a token: on from where it was read to, if that was before."""
        if self._reader is None or self._reader[0] is not take or self._reader[2] > at:
            self._reader = take, take.blank(), -1
        _, writing, last = self._reader
        for token_id in take.ids[last + 1 : at + 1]:
            with suppress(ScriptError):  # an operation that does not fit is left out, as when it was written
                writing.take(Step(token_id, 0.0))
        self._reader = take, writing, at
        return writing


def free_words(loaded: LoadedModel, begun: Sequence[int]) -> tuple[str, ...]:
    """The words that a model may always use, and those of the tokens that it has to begin with."""
    free = loaded.config.free_words
    if not free or not begun:
        return free
    pieces = (loaded.tokenizer.piece(token_id) for token_id in begun)
    text = b"".join(piece if isinstance(piece, bytes) else b" " for piece in pieces)
    return (*free, *_WORD.findall(text.decode("utf-8", "replace")))
