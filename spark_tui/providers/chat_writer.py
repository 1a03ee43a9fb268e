"""Turns the answers of chat models, here or on an endpoint, into drafts.

`ChatWriter` writes answers. `Echo` and `Continuation` leave out text that a server or a model
repeats when it goes on with an answer.
"""

import math
from collections.abc import Callable, Generator
from contextlib import closing
from typing import Protocol

from spark_tui.editing.formats.fences import Fence
from spark_tui.errors import SparkError
from spark_tui.providers.base import (
    AnswerFinished,
    AnswerStarted,
    Draft,
    GenerationRequest,
    Item,
    Speech,
    TokenGenerated,
)

_OPEN = "the answer ends before its code does; ask again, or name another model"


class ChatDraft(Draft, Protocol):
    """The draft of a chat model's answer."""

    @property
    def over(self) -> bool:
        """Whether the answer is complete, whatever comes."""

    @property
    def closed(self) -> bool:
        """Whether the answer would be complete if the model stopped here."""

    @property
    def doubt(self) -> str:
        """The reason to call the finished answer unsure, whatever its probability; "" for none."""


class ChatWriter:
    """The `Writer` of chat models: one answer at temperature 0, else as many draws as are wanted.

    Args:
        ask: The request.
        speak: Begins the speech of an answer, by its number.
        blank: Makes an empty draft.
        to_the_end: Whether complete code may still turn out to be a thought, so that an answer is
            over only when the model stops.
        cut: Says why a speech ended before its end, see `AnswerFinished`.
    """

    def __init__(
        self,
        ask: GenerationRequest,
        speak: Callable[[int], Speech],
        blank: Callable[[], ChatDraft],
        *,
        to_the_end: bool = False,
        cut: Callable[[], str] = str,
    ) -> None:
        self._cut = cut
        self._ask = ask
        self._speak = speak
        self._blank = blank
        self._to_the_end = to_the_end
        self._count = 0

    @property
    def best(self) -> float:
        """See `Writer`."""
        if self._ask.temperature > 0 or self._count == 0:
            return 0.0
        return -math.inf

    def write(self, count: int = 1, *, least: float = -math.inf) -> Generator[Item, None, None]:
        """See `Writer`."""
        for _ in range(count):
            if self.best < least or self.best == -math.inf:
                return
            self._count += 1
            yield from self._one(self._count - 1)

    def _one(self, number: int) -> Generator[Item, None, None]:
        """Write the answer of a number."""
        yield (beginning := began(number, self._ask.begun))
        draft = self._drafted(beginning)
        written: list[TokenGenerated] = []
        ended = False
        misfit = None
        with closing(self._speak(number)) as speech:
            # no `for` loop, which would drop what the generator returns
            while self._to_the_end or not draft.over:
                try:
                    item = next(speech)
                except StopIteration as e:
                    ended = bool(e.value)
                    break
                if isinstance(item, AnswerStarted):
                    # The answer begins anew: the old pieces were a thought, or broke off.
                    draft = self._drafted(item)
                    written = []
                    misfit = None
                elif isinstance(item, TokenGenerated):
                    misfit = misfit or self._misfit(draft, item)
                    written.append(item)
                yield item
        # Raised at the end only: the text that did not fit may have been a thought.
        if misfit:
            raise misfit
        finished = draft.over or (ended and draft.closed)
        cut = ""
        if not finished:
            cut = _OPEN if ended else self._cut()
        yield _answer(number, draft, written, finished=finished, cut=cut)

    def _misfit(self, draft: ChatDraft, wrote: TokenGenerated) -> SparkError | None:
        """Read a piece into a draft.

        Returns:
            The error of a piece that does not fit, where the piece may belong to a thought.
        """
        try:
            draft.take(wrote.piece)
        except SparkError as e:
            if not self._to_the_end:
                raise
            return e
        return None

    def _drafted(self, beginning: AnswerStarted) -> ChatDraft:
        """Make a draft that has read the beginning of an answer."""
        draft = self._blank()
        for wrote in beginning.known:
            draft.take(wrote.piece)
        return draft


def began(number: int, text: str) -> AnswerStarted:
    """Return the start of an answer that begins with a text."""
    if not text:
        return AnswerStarted(number)
    return AnswerStarted(number, (TokenGenerated(number, -1, text.encode()),))


def _answer(
    number: int,
    draft: ChatDraft,
    written: list[TokenGenerated],
    *,
    finished: bool,
    cut: str,
) -> AnswerFinished:
    """Return the answer that a draft has read."""
    if finished:
        draft.finish()
        lines = draft.lines()
        doubt = draft.doubt
    else:
        lines = draft.settled()
        doubt = ""
    logprobs = [token.logprob for token in written]
    return AnswerFinished(
        lines=tuple(lines),
        tokens=tuple(token.token for token in written),
        logprob=sum(logprobs),
        worst=min(logprobs, default=0.0),
        number=number,
        finished=finished,
        declined=draft.declined,
        cut=cut,
        doubt=doubt,
    )


class Echo:
    """Leaves out the begun text where a server sends it once more before the new text.

    llama-server does so when it continues a half-written answer. Mutable.

    Args:
        begun: The begun text.
    """

    def __init__(self, begun: str) -> None:
        self._begun = begun
        self._held = ""

    def take(self, text: str) -> str:
        """Take a piece.

        Returns:
            The text that is certainly new.
        """
        if not self._begun:
            return text
        self._held += text
        if self._begun.startswith(self._held) and self._held != self._begun:
            return ""
        return self.finish()

    def finish(self) -> str:
        """Return the text that was held back as long as it might be an echo."""
        held = self._held.removeprefix(self._begun)
        self._held = self._begun = ""
        return held


class Continuation:
    """Leaves out the end of the begun text where a model writes it once more.

    Models that cannot be made to go on within a line repeat the line, the line before, or the
    fence. Mutable.

    Args:
        begun: The begun text.
    """

    def __init__(self, begun: str) -> None:
        lines = begun.split("\n")
        self._part = lines[-1]
        """The unfinished line at the end."""
        self._last = lines[-2] if len(lines) > 1 else ""
        """The whole line before."""
        self._inside = any(Fence.opened(line) for line in lines)
        """Whether a fence was opened that the model may open once more."""
        self._held = "" if begun else None
        """Text that may be a repetition; None once the text is known to be new."""

    def take(self, text: str) -> str:
        """Take a piece.

        Returns:
            The text that is certainly new.
        """
        if self._held is None:
            return text
        self._held += text
        while "\n" in self._held:
            line, _, rest = self._held.partition("\n")
            if self._inside and Fence.opened(line):
                self._inside = False
                self._held = rest
            elif not self._part and line and line == self._last:
                self._last = ""
                self._held = rest
            else:
                return self.finish()
        return ""

    def finish(self) -> str:
        """Return the text that was held back as long as it might be a repetition."""
        held = self._held or ""
        self._held = None
        return held.removeprefix(self._part)
