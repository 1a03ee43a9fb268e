"""Measures a turn: all figures shown are measured, never estimated."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from spark_tui.providers.base import Item, PromptProgress, Thought, TokenGenerated
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
                if not self.tokens:
                    self._prompt = prompt_tokens
                    self._cached = cached_tokens
                self._passes += passes
            case TokenGenerated(from_draft=from_draft, passes=passes):
                self._passes += passes
                self.decoding += passes
                self._drafted += from_draft
                self._first = self._first or self.ms
                self._last = self.ms
                self.tokens += 1
            case Thought(tokens=tokens, taken_back=taken_back):
                self.thought_tokens += tokens
                self._taken_back += taken_back

    @property
    def timing(self) -> Timing:
        """All figures so far.

        Without a pass that writes there is no rate, since it would be that of the grammar.
        """
        seconds = (self._last - self._first) / 1000 if self.decoding else 0.0
        return Timing(
            ttft_ms=self._first,
            total_ms=self.ms,
            prompt_tokens=self._prompt,
            cached_tokens=self._cached,
            generated_tokens=self.tokens - self._taken_back,
            forward_passes=self._passes,
            accepted_draft_tokens=self._drafted,
            tokens_per_second=(self.tokens - 1) / seconds if seconds > 0 else 0.0,
        )
