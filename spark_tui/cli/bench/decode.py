"""Tokens a second, and whether both engines say the same.

Whether faster arithmetic chooses the tokens that the reference, numpy in float32, chooses on real
prompts.

`spark bench decode`: how fast the model reads a prompt and writes tokens, the same weights beside a
peer's.
"""

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, closing
from functools import cached_property, partial
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from spark_tui.cli.bench import llama_cpp as llama
from spark_tui.cli.bench.command import Bench
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
from spark_tui.cli.bench.suite import SHARE, Figure, Pairs, in_turn, paired_row, read_bandwidth, row
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
    """What the reference chooses behind requests of our own, at every token of the scripts that
    answer them.

    Raises:
        UsageError: The model was not taught to read them, or they are not there, as in an installed
            spark.
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
        """How many of the tokens are those that a model chooses, too."""
        pairs = zip(self._choices, self._cases, strict=True)
        return float(
            np.concatenate([wanted == _chosen(model, *case) for wanted, case in pairs]).mean()
        )


def _cases(tokenizer: Tokenizer) -> Iterator[tuple[Sequence[int], Sequence[int]]]:
    """The tokens of prompts, and of the script behind each; always the same."""

    def spelled(pieces: Sequence[str]) -> list[int]:
        return list(chain.from_iterable(map(tokenizer.encode, pieces)))

    rows = own()
    for region in map(region_of, rows[:: -(-len(rows) // PROMPTS)]):
        request, script, _ = region.asked[0]
        prompt = [*region_pieces(region.path, region.lines), *request_pieces(request)]
        yield spelled(prompt), spelled(script_pieces(script))


def _chosen(model: Model, prompt: Sequence[int], script: Sequence[int]) -> Choices:
    """The likeliest token behind the prompt, and behind each token of the script."""
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
    """Plain decoding and prefill, each model at each number of bits."""
    from spark_tui.engine.loader import find_model

    asked = find_model(settings_of(bench.args).model)
    library = llama.library(bench.say)
    if library:
        bench.notes["llama.cpp"] = llama.describe(library)
    reference = None
    for case in bench.args.cases:
        which, _, bits = case.rpartition("-")
        path = asked if which == "embedded" else random_model(which, find_model(), bench.say)
        loaded = load_for(bench, path, int(bits))
        yield from _measure(bench, loaded, int(bits), library)
        if which == "embedded" and bits_of(loaded.model) < FLOAT32:
            reference = reference or _reference(bench, loaded)
            if reference:
                many = (
                    f"{loaded.name} {arithmetic(loaded.model)}, tokens of float32 behind "
                    f"{reference.prompts} prompts"
                )
                share = reference.share_of_equal_tokens(loaded.model)
                yield row("greedy_identical_share", many, SHARE, [share])
        del loaded  # before the next one takes as much


def _reference(bench: Bench, loaded: LoadedModel) -> ReferenceTokens | None:
    """What float32 chooses; None, which is told, where there are no prompts that the model
    reads.
    """
    try:
        return ReferenceTokens(loaded)
    except UsageError as e:
        bench.say(f"no tokens are compared with float32's: {e}")
        return None


def _measure(bench: Bench, loaded: LoadedModel, bits: int, library: Any) -> Iterator[Figure]:
    """Every figure of a model.

    Args:
        bits: Of the peer's weights.
    """
    capacity = max(*AFTER, PROMPT) + TOKENS
    vocabulary = loaded.tokenizer.vocab_size
    ours = _Ours(loaded, capacity)
    name = f"{loaded.name} {arithmetic(loaded.model)}"
    with ExitStack() as stack:
        peer: llama.PeerModel | None = None
        if library:
            file = stack.enter_context(as_gguf(loaded.path, bits))
            peer = stack.enter_context(closing(llama.PeerModel(library, file)))

        def pairs(rate: Callable[[_Side, int], float]) -> Pairs:
            """Both sides in turn, the peer with the settings it is fastest with."""
            if peer is None:
                return in_turn(bench.args.runs, partial(rate, ours))
            best = peer.best(capacity, processors(), lambda each, _: 1 / rate(each, 0), bench.say)
            named = f"{best.name}, {QUANTISATIONS[bits].upper()}"
            return in_turn(bench.args.runs, partial(rate, ours), partial(rate, best), named)

        for after in AFTER:
            read = bytes_a_token(loaded.config, bits_of(loaded.model), after)
            case = f"{name}, after {after} tokens"
            found = pairs(partial(_decoded, vocabulary, after))
            limit = read_bandwidth(int(read)) / read
            yield paired_row("decode_tokens_per_second", case, "tokens/s", found, limit=limit)
        case = f"{name}, {PROMPT} tokens"
        found = pairs(partial(_read, vocabulary))
        yield paired_row("prefill_tokens_per_second", case, "tokens/s", found)


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
