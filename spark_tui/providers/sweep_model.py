"""Predicts next edits with one of Sweep's models, which takes no words (`formats.sweep`)."""

from collections.abc import Generator, Sequence

from spark_tui.editing.formats.sweep import (
    STOPS,
    RecentChange,
    Window,
    read_window,
    sweep_prompt,
)
from spark_tui.engine.generate import Step, generate, greedy, prefill
from spark_tui.engine.kv_cache import KVCache
from spark_tui.engine.loader import LoadedModel
from spark_tui.engine.speculative import Drafter, pace_of
from spark_tui.errors import UsageError

_CHUNK = 64
"""Tokens of a pass that reads; whoever goes first may have to wait for one pass."""
_ENDS = (*STOPS, "<|endoftext|>")


class SweepModel:
    """Writes windows anew.

    Args:
        loaded: The model.
        cache: The cache of the model.
    """

    def __init__(self, loaded: LoadedModel, cache: KVCache) -> None:
        self._loaded = loaded
        self._cache = cache

    def rewrite(
        self, window: Window, changes: Sequence[RecentChange]
    ) -> Generator[None, None, tuple[str, ...]]:
        """Write a window anew, as it should be behind some changes.

        Args:
            window: The lines.
            changes: The changes, the latest last.

        Yields:
            None between tokens, where the work may be closed.

        Returns:
            The new lines; the unchanged lines of the window where the answer comes to no end.

        Raises:
            UsageError: The texts are too long, or hold what separates them.
            ModelError: The model fails.
        """
        tokenizer = self._loaded.tokenizer
        model = self._loaded.model
        prompt = tokenizer.encode_prompt(sweep_prompt(window, changes))
        # The window may grow to twice its size, and a little more where it is short.
        most = 2 * len(tokenizer.encode("\n".join(window.now))) + _CHUNK
        if len(prompt) + most > self._cache.capacity:
            raise UsageError(f"the lines of {window.path} are too long for {self._loaded.name}")
        found = map(tokenizer.find, _ENDS)
        ends = {number for number in found if number is not None}
        self._cache.recall(prompt)
        for _ in prefill(model, self._cache, prompt, _CHUNK):
            yield
        data = b""
        for step in generate(
            model,
            self._cache,
            prompt,
            sampler=greedy(),
            max_tokens=most,
            stop_ids=ends,
            draft=Drafter(prompt, pace_of(model)),
        ):
            if isinstance(step, Step):
                piece = tokenizer.piece(step.token_id)
                data += piece if isinstance(piece, bytes) else b""
                # A stop may be a token of its own, or be spelled in several.
                is_spelled = any(stop.encode() in data for stop in STOPS)
                if is_spelled or step.token_id in ends:
                    return read_window(data.decode("utf-8", "replace"))
            yield
        return window.now
