"""`spark bench decode`: how fast the model reads a prompt and writes tokens, the same weights beside a peer's."""

import time
from collections.abc import Generator, Iterator
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from spark_tui.cli.bench import peer as llama
from spark_tui.cli.bench.command import Bench
from spark_tui.cli.bench.machine import cores, read_bandwidth
from spark_tui.cli.bench.models import (
    FLOAT32,
    QUANTISATIONS,
    arithmetic,
    as_gguf,
    bits_of,
    bytes_a_token,
    half_billion,
    load_for,
)
from spark_tui.cli.bench.pairing import in_turn
from spark_tui.cli.bench.rows import SHARE, Row, paired_row, row
from spark_tui.cli.start import settings_of

if TYPE_CHECKING:
    from spark_tui.engine.library import LoadedModel

TOKENS = 64
"""Written one after the other in one run."""
AFTER = (64, 512)
"""Tokens before them."""
PROMPT = 512
_Ids = npt.NDArray[np.int64]


def measure(bench: Bench) -> Generator[Row, None, None]:
    """Plain decoding and prefill, each model at each number of bits."""
    from spark_tui.engine.library import find_model

    asked = find_model(settings_of(bench.args).model)
    library = llama.library(bench.say)
    if library:
        bench.notes["llama.cpp"] = llama.describe(library)
    for case in bench.args.cases:
        which, _, bits = case.rpartition("-")
        path = asked if which == "embedded" else half_billion(find_model(), bench.say)
        loaded = load_for(bench, path, int(bits))
        yield from _measure(bench, loaded, int(bits), library)
        if which == "embedded" and bits_of(loaded.model) < FLOAT32:
            yield from _agreement(bench, loaded)
        del loaded  # before the next one takes as much


def _agreement(bench: Bench, loaded: "LoadedModel") -> Iterator[Row]:
    """How many tokens are those that float32 chooses; nothing where there are no prompts that the model reads."""
    from spark_tui.cli.bench.agreement import reference_answers, share_of_equal_tokens
    from spark_tui.cli.bench.edits import reads_edits
    from spark_tui.engine.library import load

    if not reads_edits(loaded):
        bench.say(f"{loaded.name} is not made for spark's edit format, so its tokens are not compared with float32's")
        return
    answers = reference_answers(load(loaded.path))
    share = share_of_equal_tokens(loaded.model, answers)
    case = f"{loaded.name} {arithmetic(loaded.model)}, tokens of float32 behind {len(answers)} prompts"
    yield row("greedy_identical_share", case, SHARE, [share])


def _measure(bench: Bench, loaded: "LoadedModel", bits: int, library: Any) -> Iterator[Row]:
    """One model. Args: bits: of the peer's weights."""
    with ExitStack() as stack:
        peer = None
        if library:
            file = stack.enter_context(as_gguf(loaded.path, bits))
            peer = stack.enter_context(llama.opened(library, file))
        sides = _Sides(bench, loaded, bits, peer)
        yield from sides.rows()


class _Sides:
    """Our model and the peer's, with the same weights."""

    def __init__(self, bench: Bench, loaded: "LoadedModel", bits: int, peer: "llama.PeerModel | None") -> None:
        self._bench, self._loaded, self._bits, self._peer = bench, loaded, bits, peer
        self._capacity = min(loaded.config.max_position_embeddings, max(*AFTER, PROMPT) + TOKENS)
        self._cache = loaded.model.new_cache(self._capacity)
        self._name = f"{loaded.name} {arithmetic(loaded.model)}"

    def rows(self) -> Iterator[Row]:
        """Every figure that fits the model's context."""
        for after in AFTER:
            if after + TOKENS <= self._capacity:
                yield self._decode(after)
        if self._capacity >= PROMPT:
            yield self._prefill()

    def _decode(self, after: int) -> Row:
        read = bytes_a_token(self._loaded.config, bits_of(self._loaded.model), after)
        pairs = in_turn(self._bench.args.runs, partial(self._ours, after), *self._theirs(after))
        case = f"{self._name}, after {after} tokens"
        return paired_row(
            "decode_tokens_per_second", case, "tokens/s", pairs, limit=read_bandwidth(int(read)) / read
        )  # fmt: skip

    def _prefill(self) -> Row:
        pairs = in_turn(self._bench.args.runs, self._our_prefill, *self._their_prefill())
        return paired_row("prefill_tokens_per_second", f"{self._name}, {PROMPT} tokens", "tokens/s", pairs)

    def _prompt(self, tokens: int, seed: int) -> _Ids:
        return np.random.default_rng(seed).integers(0, self._loaded.tokenizer.vocab_size, tokens)

    def _ours(self, after: int, seed: int) -> float:
        """Tokens a second of one greedy run."""
        model, cache = self._loaded.model, self._cache
        cache.trim(0)
        logits = model.forward(self._prompt(after, seed), cache)
        began = time.perf_counter()
        for _ in range(TOKENS):
            logits = model.forward([int(logits.argmax())], cache)
        return TOKENS / (time.perf_counter() - began)

    def _our_prefill(self, seed: int) -> float:
        ids = self._prompt(PROMPT, seed)
        self._cache.trim(0)
        began = time.perf_counter()
        int(self._loaded.model.forward(ids, self._cache).argmax())
        return PROMPT / (time.perf_counter() - began)

    def _theirs(self, after: int) -> "tuple[Any, str | None]":
        def write(peer: llama.Peer, seed: int) -> float:
            peer.trim(0)
            token = peer.run(self._prompt(after, seed))
            began = time.perf_counter()
            for _ in range(TOKENS):
                token = peer.run([token])
            return TOKENS / (time.perf_counter() - began)

        return self._best(write)

    def _their_prefill(self) -> "tuple[Any, str | None]":
        def read(peer: llama.Peer, seed: int) -> float:
            ids = self._prompt(PROMPT, seed)
            peer.trim(0)
            began = time.perf_counter()
            peer.run(ids)
            return PROMPT / (time.perf_counter() - began)

        return self._best(read)

    def _best(self, rate: Any) -> "tuple[Any, str | None]":
        """The peer's way of measuring itself, with the settings it is fastest with."""
        if self._peer is None:
            return None, None
        peer = self._peer.best(self._capacity, cores(), lambda each: 1 / rate(each, 0))
        return partial(rate, peer), f"{peer.name}, {QUANTISATIONS[self._bits].upper()}"
