"""`spark bench decode`: measures how fast models read prompts and write tokens, beside a peer.

Another row tells whether the faster arithmetic chooses the tokens that numpy in float32 chooses.
"""

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, closing
from functools import cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from spark_tui.cli.bench import llama_cpp as llama
from spark_tui.cli.bench.llama_cpp import (
    FLOAT32,
    QUANTISATIONS,
    arithmetic,
    as_gguf,
    bits_of,
    bytes_a_token,
    load_for,
    random_model,
)
from spark_tui.cli.bench.suite import (
    SHARE,
    Bench,
    Figure,
    Pairs,
    in_turn,
    paired_row,
    read_bandwidth,
    row,
)
from spark_tui.cli.common import quotes, settings_of
from spark_tui.editing.formats.quoted import region_pieces, request_pieces, script_pieces
from spark_tui.engine.backend import processors
from spark_tui.engine.loader import LoadedModel, load
from spark_tui.engine.model import Model
from spark_tui.engine.tokenizer import Tokenizer
from spark_tui.errors import UsageError
from spark_tui.training.dataset import own
from spark_tui.training.rows import region_of

PROMPTS = 24
Choices = npt.NDArray[np.int64]


class ReferenceTokens:
    """The tokens that the reference chooses in answers to requests of our own.

    Raises:
        UsageError: The model was not trained to edit, or the requests are not here, as in an
            installed spark.
    """

    def __init__(self, loaded: LoadedModel) -> None:
        if not quotes(loaded.path):
            raise UsageError(f"{loaded.name} was not taught to edit")
        self._path = loaded.path
        self._cases = list(_cases(loaded.tokenizer))
        self.prompts = len(self._cases)

    @cached_property
    def _choices(self) -> list[Choices]:
        model = load(self._path).model
        return [_chosen(model, *case) for case in self._cases]

    def share_of_equal_tokens(self, model: Model) -> float:
        """Return the share of the tokens that a model chooses, too."""
        equal = []
        for reference, case in zip(self._choices, self._cases, strict=True):
            equal.append(reference == _chosen(model, *case))
        return float(np.concatenate(equal).mean())


def _cases(tokenizer: Tokenizer) -> Iterator[tuple[Sequence[int], Sequence[int]]]:
    """Return the tokens of prompts, and of the script behind each; always the same."""
    rows = own()
    step = -(-len(rows) // PROMPTS)
    for own_row in rows[::step]:
        region = region_of(own_row)
        request, script, _ = region.asked[0]
        prompt = [*region_pieces(region.path, region.lines), *request_pieces(request)]
        yield _encode_pieces(tokenizer, prompt), _encode_pieces(tokenizer, script_pieces(script))


def _encode_pieces(tokenizer: Tokenizer, pieces: Sequence[str]) -> list[int]:
    """Encode each piece by itself, as the format does: no token spans two of them."""
    tokens = []
    for piece in pieces:
        tokens += tokenizer.encode(piece)
    return tokens


def _chosen(model: Model, prompt: Sequence[int], script: Sequence[int]) -> Choices:
    """Return the likeliest token behind the prompt, and behind each token of the script."""
    ids = [*prompt, *script]
    logits = model.forward(ids, model.new_cache(len(ids)), last_only=False)
    return np.asarray(logits[len(prompt) - 1 :].argmax(axis=-1), np.int64)


TOKENS = 64
"""Written one after the other in one run."""
AFTER = (64, 512)
"""Tokens before them."""
PROMPT = 512
_Ids = npt.NDArray[np.int64]


class _Ours:
    """Our model, as `llama.Peer` is the peer's."""

    def __init__(self, loaded: LoadedModel, capacity: int) -> None:
        self._model = loaded.model
        self._cache = loaded.model.new_cache(capacity)
        self.trim = self._cache.trim

    def run(self, ids: Sequence[int] | _Ids, /) -> int:
        return int(self._model.forward(ids, self._cache).argmax())


_Side = _Ours | llama.Peer


def measure(bench: Bench) -> Generator[Figure, None, None]:
    """Measure plain decoding and prefill, each model at each number of bits."""
    from spark_tui.engine.loader import find_model

    named = find_model(settings_of(bench.args).model)
    library = llama.library(bench.say)
    if library:
        bench.notes["llama.cpp"] = llama.describe(library)
    reference = None
    for case in bench.args.cases:
        which, _, bits = case.rpartition("-")
        if which == "embedded":
            path = named
        else:
            path = random_model(which, find_model(), bench.say)
        loaded = load_for(bench, path, int(bits))
        yield from _measure(bench, loaded, int(bits), library)
        if which == "embedded" and bits_of(loaded.model) < FLOAT32:
            reference = reference or _reference(bench, loaded)
            if reference:
                yield _agreement(reference, loaded)
        del loaded  # before the next one takes as much


def _agreement(reference: ReferenceTokens, loaded: LoadedModel) -> Figure:
    tokens = f"tokens of float32 behind {reference.prompts} prompts"
    case = f"{loaded.name} {arithmetic(loaded.model)}, {tokens}"
    share = reference.share_of_equal_tokens(loaded.model)
    return row("greedy_identical_share", case, SHARE, [share])


def _reference(bench: Bench, loaded: LoadedModel) -> ReferenceTokens | None:
    """Return the tokens of float32; None where there are no prompts that the model reads."""
    try:
        return ReferenceTokens(loaded)
    except UsageError as e:
        bench.say(f"no tokens are compared with float32's: {e}")
        return None


def _measure(bench: Bench, loaded: LoadedModel, bits: int, library: Any) -> Iterator[Figure]:
    """Measure all rates of a model.

    Args:
        bench: The options.
        loaded: The model.
        bits: Bits of the peer's weights.
        library: The module of the peer; None without one.
    """
    with ExitStack() as stack:
        peer: llama.PeerModel | None = None
        if library:
            file = stack.enter_context(as_gguf(loaded.path, bits))
            peer = stack.enter_context(closing(llama.PeerModel(library, file)))
        comparison = _Comparison(bench, loaded, peer, QUANTISATIONS[bits].upper())
        vocabulary = loaded.tokenizer.vocab_size
        name = f"{loaded.name} {arithmetic(loaded.model)}"
        for after in AFTER:
            read = bytes_a_token(loaded.config, bits_of(loaded.model), after)
            case = f"{name}, after {after} tokens"
            rates = comparison.measure(partial(_decoded, vocabulary, after))
            # Each token reads all weights, so memory, or a cache that holds them, sets the pace.
            limit = read_bandwidth(int(read)) / read
            yield paired_row("decode_tokens_per_second", case, "tokens/s", rates, limit=limit)
        case = f"{name}, {PROMPT} tokens"
        rates = comparison.measure(partial(_read, vocabulary))
        yield paired_row("prefill_tokens_per_second", case, "tokens/s", rates)


class _Comparison:
    """Measures our model and a peer in turn, the peer with its fastest settings.

    Args:
        bench: The options.
        loaded: Our model.
        peer: The same weights as llama.cpp has them; None without a peer.
        peer_weights: The number format of the peer's weights.
    """

    def __init__(
        self, bench: Bench, loaded: LoadedModel, peer: llama.PeerModel | None, peer_weights: str
    ) -> None:
        self._capacity = max(*AFTER, PROMPT) + TOKENS
        self._bench = bench
        self._ours = _Ours(loaded, self._capacity)
        self._peer = peer
        self._peer_weights = peer_weights

    def measure(self, rate: Callable[[_Side, int], float]) -> Pairs:
        """Measure both sides.

        Args:
            rate: Tokens a second of a side, given the number of the run.
        """
        runs = self._bench.args.runs
        ours = partial(rate, self._ours)
        if self._peer is None:
            return in_turn(runs, ours)

        def seconds_a_token(side: llama.Peer, _: float) -> float:
            return 1 / rate(side, 0)

        best = self._peer.best(self._capacity, processors(), seconds_a_token, self._bench.say)
        return in_turn(runs, ours, partial(rate, best), f"{best.name}, {self._peer_weights}")


def _decoded(vocabulary: int, after: int, side: _Side, seed: int) -> float:
    """Tokens a second of one greedy run."""
    side.trim(0)
    token = side.run(_prompt(vocabulary, after, seed))
    began = time.perf_counter()
    for _ in range(TOKENS):
        token = side.run([token])
    return TOKENS / (time.perf_counter() - began)


def _read(vocabulary: int, side: _Side, seed: int) -> float:
    """Tokens a second of one prompt."""
    ids = _prompt(vocabulary, PROMPT, seed)
    side.trim(0)
    began = time.perf_counter()
    side.run(ids)
    return PROMPT / (time.perf_counter() - began)


def _prompt(vocabulary: int, tokens: int, seed: int) -> _Ids:
    return np.random.default_rng(seed).integers(0, vocabulary, tokens)
