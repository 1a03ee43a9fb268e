"""Measures a turn: all figures shown are measured, never estimated."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from spark_tui.providers.base import Item, PromptProgress, Thought, TokenGenerated, Usage
from spark_tui.session.events import Timing


class TurnMetrics:
    """Counts tokens and passes, and the milliseconds of work.

    The clock runs from the start; `rest` stops it and `go_on` starts it again.
    """

    def __init__(self) -> None:
        self.decoding = 0
        """Passes made to write."""
        self._clock: tuple[float, float | None] = (0.0, time.perf_counter())
        """Milliseconds until the last rest, and since when the clock runs.

        A single tuple, as another thread may read it at any time.
        """
        self.tokens = 0
        """Tokens decoded so far."""
        self.thought_tokens = 0
        """Tokens of thought, which are in no answer."""
        self._taken_back = 0
        self._pieces = 0
        """Pieces of answers whose tokens nobody has counted yet."""
        self._counted = 0
        """Tokens of answers that a server has counted."""
        self._thought: int | None = None
        self._cost: float | None = None
        self._is_remote = False
        """Whether a server writes, whose passes are not known."""
        self._prompt = 0
        self._cached = 0
        self._passes = 0
        self._drafted = 0
        self._first = 0.0
        self._last = 0.0

    @property
    def ms(self) -> float:
        """Milliseconds of work so far."""
        spent, since = self._clock
        return spent if since is None else spent + (time.perf_counter() - since) * 1000

    def rest(self) -> None:
        """Stop counting time."""
        self._clock = self.ms, None

    def go_on(self) -> None:
        """Count time again."""
        self._clock = self._clock[0], time.perf_counter()

    @contextmanager
    def running(self) -> Iterator[None]:
        """Count time in the block, and none after it."""
        if self._clock[1] is None:
            self.go_on()
        try:
            yield
        finally:
            self.rest()

    @contextmanager
    def resting(self) -> Iterator[None]:
        """Count no time in the block, which holds the turn up between two events."""
        self.rest()
        try:
            yield
        finally:
            self.go_on()

    def count(self, item: Item) -> None:
        """Count an item of the answerer."""
        match item:
            case PromptProgress(total=prompt_tokens, cached=cached_tokens, passes=passes):
                # Later prompts belong to further answers; the figures tell of the first one.
                if not self.tokens:
                    self._prompt = prompt_tokens
                    self._cached = cached_tokens
                self._passes += passes
            case TokenGenerated(token=token, from_draft=from_draft, passes=passes):
                self._is_remote = self._is_remote or token < 0
                self._passes += passes
                self.decoding += passes
                self._drafted += from_draft
                self._first = self._first or self.ms
                self._last = self.ms
                self.tokens += 1
                self._pieces += 1
            case Thought(tokens=tokens, taken_back=taken_back):
                self.thought_tokens += tokens
                self._taken_back += taken_back
                self._pieces -= taken_back
            case Usage():
                self._count_usage(item)

    def _count_usage(self, usage: Usage) -> None:
        """Use the counts of a server instead of those made piece by piece."""
        self._prompt = self._prompt or usage.read
        self._cached = self._cached or usage.cached
        if usage.thought is not None:
            self._thought = (self._thought or 0) + usage.thought
            self._counted += max(0, usage.written - usage.thought)
            self._pieces = 0
        if usage.cost is not None:
            self._cost = (self._cost or 0.0) + usage.cost

    @property
    def timing(self) -> Timing:
        """All figures so far.

        There is no rate without a pass that writes: it would be the speed of the grammar.
        """
        measured = self.decoding or self._is_remote
        seconds = (self._last - self._first) / 1000 if measured else 0.0
        tokens = self._counted + self._pieces
        # The tokens of a thought before the first piece are not within the time. The first token
        # begins the time, so one token less than there are falls into it.
        timed = tokens if self._is_remote else self.tokens
        return Timing(
            ttft_ms=self._first,
            total_ms=self.ms,
            prompt_tokens=self._prompt,
            cached_tokens=self._cached,
            generated_tokens=tokens,
            forward_passes=self._passes,
            accepted_draft_tokens=self._drafted,
            tokens_per_second=max(0, timed - 1) / seconds if seconds > 0 else 0.0,
            thought_tokens=self._thought,
            cost=self._cost,
        )
