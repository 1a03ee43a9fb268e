"""Answers of chat models behind the seam: what they say is written into a draft of the region, once or draw by draw."""

import math
from collections.abc import Callable, Generator
from contextlib import closing
from typing import Protocol

from spark_tui.answering.seam import Answer, Ask, Began, Draft, Item, Speech, Wrote
from spark_tui.editing.fences import Fence
from spark_tui.errors import SparkError

_OPEN = "the answer ends before its code does; ask again, or name another model"


class ChatDraft(Draft, Protocol):
    """What reads an answer of a chat model."""

    @property
    def over(self) -> bool:
        """Whether it is complete, whatever comes."""

    @property
    def closed(self) -> bool:
        """Whether it would be complete if the model stopped here: what it opened is closed."""

    @property
    def doubt(self) -> str:
        """Why nobody can be sure of it, once it is finished, or ""."""


class ChatWriter:
    """See `Writer`: at temperature 0 there is one answer, above it as many draws as are asked for.

    Args: speak: begins to say the answer of a number. blank: makes what reads it. to_the_end: whether code that is
        complete may turn out to be a thought, so that an answer is over only when the model stops.
    """

    def __init__(
        self,
        ask: Ask,
        speak: Callable[[int], Speech],
        blank: Callable[[], ChatDraft],
        *,
        to_the_end: bool = False,
    ) -> None:
        self._ask, self._speak, self._blank = ask, speak, blank
        self._to_the_end = to_the_end
        self._count = 0

    @property
    def best(self) -> float:
        """See `Writer`."""
        return 0.0 if self._ask.temperature > 0 or not self._count else -math.inf

    def write(self, count: int = 1, *, least: float = -math.inf) -> Generator[Item, None, None]:
        """See `Writer`. An answer in this process is over when its code is."""
        for _ in range(count):
            if self.best < least or self.best == -math.inf:
                return
            self._count += 1
            yield from self._one(self._count - 1)

    def _one(self, number: int) -> Generator[Item, None, None]:
        yield (beginning := began(number, self._ask.begun))
        draft = self._drafted(beginning)
        written: list[Wrote] = []
        ended, misfit = False, None
        with closing(self._speak(number)) as speech:
            while self._to_the_end or not draft.over:
                try:
                    item = next(speech)
                except StopIteration as e:
                    ended = bool(e.value)
                    break
                if isinstance(item, Began):
                    draft, written, misfit = self._drafted(item), [], None
                elif isinstance(item, Wrote):
                    misfit = misfit or self._misfit(draft, item)
                    written.append(item)
                yield item
        if misfit:
            raise misfit
        cut = _OPEN if ended and not draft.closed else ""
        finished = draft.over or (ended and not cut)
        yield _answer(number, draft, written, finished=finished, cut=cut)

    def _misfit(self, draft: ChatDraft, wrote: Wrote) -> SparkError | None:
        """Take a piece. Returns: why it does not fit, if that may be because it belongs to a thought."""
        try:
            draft.take(wrote.piece)
        except SparkError as e:
            if not self._to_the_end:
                raise
            return e
        return None

    def _drafted(self, beginning: Began) -> ChatDraft:
        draft = self._blank()
        for wrote in beginning.known:
            draft.take(wrote.piece)
        return draft


def began(number: int, text: str) -> Began:
    """An answer begins so."""
    return Began(number, (Wrote(number, -1, text.encode()),) if text else ())


def _answer(
    number: int,
    draft: ChatDraft,
    written: list[Wrote],
    *,
    finished: bool,
    cut: str,
) -> Answer:
    if finished:
        draft.finish()
    logprobs = [each.logprob for each in written]
    return Answer(
        lines=tuple(draft.lines() if finished else draft.settled()),
        tokens=tuple(each.token for each in written),
        logprob=sum(logprobs),
        worst=min(logprobs, default=0.0),
        number=number,
        finished=finished,
        declined=draft.declined,
        cut=cut,
        doubt=draft.doubt if finished else "",
    )


class Echo:
    """What a server sends that goes on from a text, without that text where it comes first.

    llama-server sends the half-written answer once more, then what is new. Mutable.

    Args: begun: the text.
    """

    def __init__(self, begun: str) -> None:
        self._begun = begun
        self._held = ""

    def take(self, text: str) -> str:
        """Take a piece. Returns: what is new by now."""
        if not self._begun:
            return text
        self._held += text
        if self._begun.startswith(self._held) and self._held != self._begun:
            return ""
        return self.finish()

    def finish(self) -> str:
        """Returns: what was held back until it was known what it is."""
        held = self._held.removeprefix(self._begun)
        self._held = self._begun = ""
        return held


class Continuation:
    """What a model says to go on from a text, without what it repeats of it. Mutable.

    Models that cannot be made to go on within a line say the line, the one before, or the fence once more.

    Args: begun: the text.
    """

    def __init__(self, begun: str) -> None:
        lines = begun.split("\n")
        self._part, self._last = lines[-1], (lines[-2] if len(lines) > 1 else "")
        self._inside = any(Fence.opened(line) for line in lines)
        self._held = "" if begun else None

    def take(self, text: str) -> str:
        """Take a piece. Returns: what is new by now."""
        if self._held is None:
            return text
        self._held += text
        while "\n" in self._held:
            line, _, rest = self._held.partition("\n")
            if self._inside and Fence.opened(line):
                self._inside, self._held = False, rest
            elif not self._part and line and line == self._last:
                self._last, self._held = "", rest
            else:
                return self.finish()
        return ""

    def finish(self) -> str:
        """Returns: what was held back until it was known what it is."""
        held, self._held = self._held or "", None
        return held.removeprefix(self._part) if self._part else held
