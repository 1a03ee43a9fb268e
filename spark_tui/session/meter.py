"""Measures a turn: what is shown is measured, never estimated."""

import time

from spark_tui.engine.generate import Prefilled, Step
from spark_tui.session.events import Timing


class Meter:
    """Counts tokens and passes, and the milliseconds between `go_on` and `rest`. It runs from the start."""

    def __init__(self) -> None:
        self._spent = 0.0
        self._since: float | None = time.perf_counter()
        self._prompt = self._cached = self._passes = self._tokens = self._drafted = 0
        self._first = self._last = 0.0

    @property
    def ms(self) -> float:
        """Milliseconds of work so far."""
        return self._spent + (0.0 if self._since is None else (time.perf_counter() - self._since) * 1000)

    def rest(self) -> None:
        """Stop counting time."""
        self._spent, self._since = self.ms, None

    def go_on(self) -> None:
        """Count time again."""
        self._since = time.perf_counter()

    def count(self, item: Prefilled | Step) -> None:
        """Take what the engine just gave."""
        match item:
            case Prefilled(prompt_tokens, cached_tokens):
                if not self._tokens:
                    self._prompt, self._cached = prompt_tokens, cached_tokens
                self._passes += 1
            case Step(from_draft=from_draft, passes=passes):
                self._passes += passes
                self._drafted += from_draft
                self._first = self._first or self.ms
                self._last = self.ms
                self._tokens += 1

    @property
    def tokens(self) -> int:
        """Tokens decoded so far."""
        return self._tokens

    @property
    def timing(self) -> Timing:
        """All figures so far."""
        seconds = (self._last - self._first) / 1000
        return Timing(
            ttft_ms=self._first,
            total_ms=self.ms,
            prompt_tokens=self._prompt,
            cached_tokens=self._cached,
            generated_tokens=self._tokens,
            forward_passes=self._passes,
            accepted_draft_tokens=self._drafted,
            tokens_per_second=(self._tokens - 1) / seconds if seconds > 0 else 0.0,
        )
