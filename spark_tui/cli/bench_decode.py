"""`spark bench decode`: how fast the model reads a prompt and writes tokens, the same weights beside a peer's."""

import argparse
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from spark_tui.cli.bench import Row, read_bandwidth, row
from spark_tui.cli.start import settings_of

if TYPE_CHECKING:
    from spark_tui.engine.library import LoadedModel

_TOKENS = 64
_PROMPTS = (64, 512)


def measure(args: argparse.Namespace, say: Callable[[str], None]) -> Iterable[Row]:
    """Plain decoding and prefill at each prompt length the model can read."""
    from spark_tui.engine.library import find_model, load

    loaded = load(find_model(settings_of(args).model))
    say(f"{loaded.name}: {loaded.bytes / 1e6:.0f} MB in float32")
    limit = round(_limit(loaded), 1)
    for prompt in _PROMPTS:
        if prompt + _TOKENS > loaded.config.max_position_embeddings:
            continue
        prefill, decode = zip(*(_once(loaded, prompt, seed) for seed in range(args.runs)), strict=True)
        yield row("prefill_tokens_per_second", f"{prompt} tokens", "tokens/s", prefill)
        yield row("decode_tokens_per_second", f"after {prompt} tokens", "tokens/s", decode, limit=limit)


def _once(loaded: "LoadedModel", prompt: int, seed: int) -> tuple[float, float]:
    """Tokens a second of one prefill and of one greedy run after it."""
    import numpy as np

    ids = np.random.default_rng(seed).integers(0, loaded.config.vocab_size, prompt)
    cache = loaded.model.new_cache(prompt + _TOKENS)
    began = time.perf_counter()
    logits = loaded.model.forward(ids, cache)
    prefilled = time.perf_counter()
    for _ in range(_TOKENS):
        logits = loaded.model.forward([int(logits.argmax())], cache)
    return prompt / (prefilled - began), _TOKENS / (time.perf_counter() - prefilled)


def _limit(loaded: "LoadedModel") -> float:
    """Tokens a second if reading every weight once a token were all there is to do."""
    embedding = loaded.config.vocab_size * loaded.config.hidden_size * 4
    read = loaded.bytes - embedding
    return read_bandwidth(read) / read
