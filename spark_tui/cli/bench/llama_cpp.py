"""Drives llama.cpp as the peer of a measurement, and prepares the models that are measured.

The peer runs through its own C interface, ids in and ids out, with its fastest settings: `Search`
and `fastest` find these. The rest of the file loads models, writes them as GGUF for the peer, and
makes models of random weights.
"""

import ctypes
import json
import math
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from importlib import import_module
from importlib.metadata import version
from itertools import product
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from safetensors.numpy import save_file

from spark_tui.cli.bench.suite import Bench
from spark_tui.cli.common import quotes, ready_backend, settings_of
from spark_tui.config import cache_dir
from spark_tui.engine import loader
from spark_tui.engine.config import ModelConfig
from spark_tui.engine.export import write_gguf
from spark_tui.engine.kv_cache import common_prefix
from spark_tui.engine.loader import LoadedModel, model_name, read_model
from spark_tui.engine.model import Model
from spark_tui.engine.weights import expected_shapes, token_weights
from spark_tui.errors import ModelError, SparkError

INSTALL = 'CMAKE_ARGS="-DGGML_NATIVE=ON" pip install llama-cpp-python'
_BATCH = 2048
_FINALISTS = 3
_HOPELESS = 10.0
"""A try is given up once it takes so many times as long as the fastest settings so far."""
_SEARCH_S = 180.0
"""Seconds that the search for the fastest settings may take; then the best so far are taken."""
_TRIED = 64
"""Tokens of an answer by which settings are compared; lengths of guesses take the whole answer."""
LENGTHS = (0, 2, 3, 5, 10)
"""Lengths of guesses, in tokens, that are tried; 0 is no guess, 10 llama-cpp-python's default."""
Ids = npt.NDArray[np.int64]
Guess = Callable[[npt.NDArray[np.int32]], Sequence[int]]


Say = Callable[[str], None]


class PeerError(SparkError):
    """The peer failed."""


class _TooSlow(Exception):
    """A try took longer than allowed."""


class Search:
    """Tries settings one after the other, reports each, and gives up hopeless ones.

    Args:
        what: The purpose of the search, in words.
        say: Tells people.
        clock: Tells the time in seconds.
    """

    def __init__(self, what: str, say: Say, clock: Callable[[], float] = time.perf_counter) -> None:
        self._what = what
        self._say = say
        self._clock = clock
        self._until = clock() + _SEARCH_S
        self._best = math.inf
        self._tried = 0

    def seconds(self, name: str, job: "Callable[[float], float | None]") -> float:
        """Return how long a job takes; infinity where it was given up or never begun.

        Args:
            name: The settings that are tried, in words.
            job: Is given the time to stop at, and raises `_TooSlow` once the clock is beyond that.
                May return the seconds of the part that counts.
        """
        began = self._clock()
        self._tried += 1
        words = f"{self._what}: try {self._tried}, {name}"
        if began > self._until:
            self._say(f"{words}: left out, the search has taken {_SEARCH_S:.0f} s")
            return math.inf
        try:
            counted = job(min(self._until, began + _HOPELESS * self._best))
        except _TooSlow:
            self._say(f"{words}: given up after {self._clock() - began:.1f} s")
            return math.inf
        spent = self._clock() - began
        self._best = min(self._best, spent)
        self._say(f"{words}: {spent:.1f} s")
        return spent if counted is None else counted


@dataclass(frozen=True, slots=True)
class PeerSettings:
    """The settings of a context: `threads` run one token, `batch_threads` run several at once."""

    threads: int
    batch_threads: int
    flash_attention: bool

    def __str__(self) -> str:
        counts = sorted({self.threads, self.batch_threads})
        attention = "on" if self.flash_attention else "off"
        return f"threads {' and '.join(map(str, counts))}, flash attention {attention}"


def library(say: Callable[[str], None]) -> Any:
    """Import the module `llama_cpp` and silence it.

    Args:
        say: Called with the reason where the module cannot be imported.

    Returns:
        The module; None where llama.cpp is not installed or does not load.
    """
    try:
        module = import_module("llama_cpp")
    except ModuleNotFoundError:
        reason = "is not installed"
    except (ImportError, OSError, RuntimeError) as e:
        reason = f"does not load ({e})"
    else:
        module.llama_log_set(_silence(module), ctypes.c_void_p(0))
        return module
    say(f"llama.cpp {reason}, so nothing is measured beside ours: {INSTALL}")
    return None


def describe(library: Any) -> str:
    """Return the version of llama.cpp, and the instructions that it was built for."""
    features = library.llama_print_system_info().decode().replace("CPU : ", "").replace(" = 1", "")
    return f"{version('llama-cpp-python')} ({' '.join(features.replace('|', ' ').split())})"


@cache
def _silence(library: Any) -> Any:
    return library.llama_log_callback(lambda *_: None)  # it must live as long as the library


Job = Callable[["Peer", float], float | None]
"""A job to compare contexts by, see `Search.seconds`.

Args:
    The context, and when to give up.
"""


class PeerModel:
    """A GGUF file that llama.cpp has loaded. Close it at the end."""

    def __init__(self, library: Any, file: Path) -> None:
        self.library = library
        options = library.llama_model_default_params()
        options.n_gpu_layers = 0
        self._model = library.llama_model_load_from_file(str(file).encode(), options)
        if not self._model:
            raise PeerError(
                f"llama.cpp cannot load {file.name}; to measure without it: pip uninstall "
                f"llama-cpp-python"
            )
        self.vocab_size = int(
            library.llama_vocab_n_tokens(library.llama_model_get_vocab(self._model))
        )
        self._contexts: list[Peer] = []

    def best(
        self,
        capacity: int,
        threads: int,
        job: "Job",
        say: Say,
        *,
        mixed: bool = False,
    ) -> "Peer":
        """Find the context that does a job soonest; all others are closed.

        Args:
            capacity: Tokens of a context.
            threads: The most threads.
            job: Does the job with a context, until a moment at most.
            say: Called with a line for each try.
            mixed: Whether the job runs both single tokens and several at once, for which another
                number of threads may be best.
        """
        counts = sorted({1, threads}, reverse=True)  # first what is mostly the fastest
        # one number of threads for everything, unless the job runs both kinds of passes
        pairs = [(count, count) for count in counts]
        if mixed:
            pairs = list(product(counts, counts))
        contexts = []
        # Every combination of settings is tried once, the most likely ones three times.
        for pair, flash_attention in product(pairs, (False, True)):
            contexts.append(self.context(PeerSettings(*pair, flash_attention), capacity))
        search = Search("llama.cpp's fastest settings", say)
        seconds = {}
        for context in contexts:
            seconds[context] = search.seconds(str(context.settings), partial(job, context))
        likely = sorted(contexts, key=seconds.__getitem__)[:_FINALISTS]
        finalists = [context for context in likely if seconds[context] < math.inf]
        if len(finalists) > 1:
            # One try may be slow by chance: the best of three decides.
            for context in finalists * 2:
                again = search.seconds(str(context.settings), partial(job, context))
                seconds[context] = min(seconds[context], again)
        # the contexts that are left over would keep their memory
        best = min(likely, key=seconds.__getitem__)
        for context in set(contexts) - {best}:
            self._contexts.remove(context)
            context.close()
        return best

    def context(self, settings: PeerSettings, capacity: int) -> "Peer":
        """A context with these settings."""
        self._contexts.append(Peer(self, self._model, settings, capacity))
        return self._contexts[-1]

    def close(self) -> None:
        """Give its memory back."""
        for context in self._contexts:
            context.close()
        self._contexts.clear()
        self.library.llama_model_free(self._model)


class Peer:
    """One sequence of llama.cpp.

    Args:
        model: A pointer to what `owner` loaded.
        capacity: Tokens.
    """

    def __init__(self, owner: PeerModel, model: Any, settings: PeerSettings, capacity: int) -> None:
        self.name = f"llama.cpp, {settings}"
        self.length = 0
        self.settings = settings
        self._owner = owner
        self._library = owner.library
        options = self._library.llama_context_default_params()
        options.n_ctx = capacity
        options.n_batch = _BATCH
        options.n_threads = settings.threads
        options.n_threads_batch = settings.batch_threads
        options.flash_attn_type = int(settings.flash_attention)
        options.no_perf = True
        self._context = self._library.llama_init_from_model(model, options)
        if not self._context:
            raise PeerError("llama.cpp cannot make a context for this model; measure without it")
        self._memory = self._library.llama_get_memory(self._context)

    @cached_property
    def _batch(self) -> Any:
        return self._library.llama_batch_init(_BATCH, 0, 1)

    def trim(self, length: int) -> None:
        """Forget all but the first `length` tokens."""
        if not self._library.llama_memory_seq_rm(self._memory, 0, length, -1):
            raise PeerError(f"llama.cpp cannot trim its cache to token {length}")
        self.length = length

    def run(self, ids: Sequence[int] | Ids) -> int:
        """Run tokens behind those in the context.

        Returns:
            The likeliest token after the last one.
        """
        array = (ctypes.c_int32 * len(ids))(*map(int, ids))
        self._decode(self._library.llama_batch_get_one(array, len(ids)), len(ids))
        return int(self._logits(self._library.llama_get_logits_ith(self._context, -1), 1).argmax())

    def verify(self, ids: Sequence[int]) -> list[int]:
        """Run tokens behind those in the context.

        Returns:
            The likeliest token after each of these tokens.
        """
        batch = self._batch
        batch.n_tokens = len(ids)
        for index, token in enumerate(ids):
            # each token belongs to sequence 0 alone, and its logits are wanted
            batch.token[index], batch.pos[index] = token, self.length + index
            batch.n_seq_id[index], batch.seq_id[index][0], batch.logits[index] = 1, 0, 1
        self._decode(batch, len(ids))
        likeliest: list[int] = (
            self._logits(self._library.llama_get_logits(self._context), len(ids)).argmax(1).tolist()
        )
        return likeliest

    def _decode(self, batch: Any, count: int) -> None:
        if code := self._library.llama_decode(self._context, batch):
            raise PeerError(f"llama.cpp stopped with code {code} at token {self.length}")
        self.length += count

    def _logits(self, pointer: Any, rows: int) -> npt.NDArray[np.float32]:
        """Return logits, (rows, V), as a view of the library's memory."""
        address = ctypes.cast(pointer, ctypes.c_void_p).value
        assert address is not None
        memory: Any = (ctypes.c_float * (rows * self._owner.vocab_size)).from_address(address)
        return np.frombuffer(memory, np.float32).reshape(rows, -1)

    def close(self) -> None:
        """Give its memory back."""
        if "_batch" in self.__dict__:
            self._library.llama_batch_free(self._batch)
        self._library.llama_free(self._context)


def guesser(length: int) -> Guess | None:
    """Return the peer's prompt lookup, for guesses of so many tokens; None for none."""
    if not length:
        return None
    from llama_cpp.llama_speculative import LlamaPromptLookupDecoding

    lookup: Guess = LlamaPromptLookupDecoding(num_pred_tokens=length)
    return lookup


def fastest(
    model: PeerModel,
    kind: str,
    pairs: Sequence[tuple[Sequence[int], Sequence[int]]],
    threads: int,
    say: Say,
    sample: int = 4,
) -> tuple[Peer, Guess | None, str]:
    """Find what writes answers soonest: a context, its guesses, and the name of both.

    Args:
        model: The peer's model.
        kind: The number format of its weights.
        pairs: Prompts and their answers, in tokens.
        threads: The most threads.
        say: Tells of each try.
        sample: The number of pairs that are tried.
    """
    capacity = max(len(prompt) + len(answer) for prompt, answer in pairs) + 1

    def job(
        peer: Peer,
        until: float,
        guess: Guess | None = None,
        most: int | None = _TRIED,
    ) -> None:
        # evenly over the pairs: each function and each kind of request gets its turn
        for prompt, answer in pairs[:: -(-len(pairs) // sample)]:
            follow(peer, prompt, answer[:most], guess, until=until)

    # Two searches: for the context without guesses, then for the length of guesses with that
    # context.
    peer = model.best(capacity, threads, job, say, mixed=True)
    guesses = {length: guesser(length) for length in LENGTHS}
    search = Search("llama.cpp's prompt lookup", say)
    seconds = {}
    for length in LENGTHS:
        work = partial(job, peer, guess=guesses[length], most=None)
        seconds[length] = search.seconds(f"{length} tokens", work)
    length = min(LENGTHS, key=seconds.__getitem__)
    lookup = f"prompt lookup {length}" if length else "faster without prompt lookup"
    return peer, guesses[length], f"{peer.name}, {kind}, {lookup}"


def follow(
    peer: Peer,
    prompt: Sequence[int],
    answer: Sequence[int],
    guess: Guess | None,
    *,
    known: int = 0,
    until: float = math.inf,
) -> None:
    """Read a prompt and write an answer behind it.

    The peer works out its own likeliest tokens, but goes on with those of the answer: however its
    weights were rounded, it writes what we wrote, and keeps the guesses that are right.

    Args:
        answer: The tokens to write, at least one.
        known: Tokens of the prompt that the peer has read already; one at least is left.
        until: The time of the clock to give up at.

    Raises:
        _TooSlow: That time has come.
    """
    ids = np.array([*prompt, *answer], np.int32)
    peer.trim(known)
    peer.run(prompt[known:])
    # Of `ids`, the first `known` tokens are settled, and the peer has run all of them but the last.
    # Each round runs that one and the guesses behind it.
    known = len(prompt) + 1
    while known < len(ids):
        if time.perf_counter() > until:
            raise _TooSlow
        guessed: list[int] = []
        if guess:
            most = len(ids) - known - 1
            guessed = list(map(int, guess(ids[:known])[:most]))
        if guessed:
            peer.verify([int(ids[known - 1]), *guessed])
        else:
            peer.run([int(ids[known - 1])])
        # the guesses up to the first wrong one, and the token that the peer chooses there
        right = common_prefix(np.array(guessed, np.int32), ids[known:])
        known += right + 1
        # the keys and values of the wrong guesses go again
        if right < len(guessed):
            peer.trim(known - 1)


QUANTISATIONS: dict[int, Literal["q8_0", "q4_0"]] = {8: "q8_0", 4: "q4_0"}
"""Bits a weight -> what a GGUF file with as many bits is called."""
FLOAT32 = 32
_SEED = 0
_SCALE = 0.02
_QWEN: dict[str, Any] = {
    "model_type": "qwen2",
    "vocab_size": 151_936,
    "hidden_size": 896,
    "num_hidden_layers": 24,
    "num_attention_heads": 14,
    "num_key_value_heads": 2,
    "head_dim": 64,
    "intermediate_size": 4864,
    "max_position_embeddings": 4096,
    "rope_theta": 1_000_000.0,
    "rms_norm_eps": 1e-6,
    "tie_word_embeddings": True,
    "hidden_act": "silu",
}
_LLAMA = _QWEN | {
    "model_type": "llama",
    "vocab_size": 49_152,
    "hidden_size": 576,
    "num_hidden_layers": 30,
    "num_attention_heads": 9,
    "num_key_value_heads": 3,
    "intermediate_size": 1536,
    "rope_theta": 100_000.0,
    "rms_norm_eps": 1e-5,
}
_MIXTURE = _QWEN | {
    "model_type": "qwen3_moe",
    "vocab_size": 49_152,
    "hidden_size": 2048,
    "num_hidden_layers": 20,
    "num_attention_heads": 16,
    "num_key_value_heads": 4,
    "head_dim": 128,
    "intermediate_size": 6144,
    "num_experts": 24,
    "num_experts_per_tok": 8,
    "moe_intermediate_size": 768,
    "norm_topk_prob": True,
}
SHAPES = {"135m": _LLAMA, "0.5b": _QWEN, "mixture": _MIXTURE}
"""The shapes of models, by size; from their config.json.

Those of SmolLM2-135M and Qwen2.5-Coder-0.5B, with as much context as is measured; and a mixture
with the layers of Qwen3-30B-A3B, but so few of them, and of experts, that a token reads 1.1 of its
2.6 billion weights.
"""


def load_editor(bench: Bench) -> LoadedModel:
    """Load the model asked for, as `load_for`.

    Raises:
        ModelError: The model does not write spark's own edit format.
    """
    path = loader.find_model(settings_of(bench.args).model)
    if not quotes(path):
        raise ModelError(
            f"{model_name(path)} was not taught to edit; only `spark bench decode` measures it"
        )
    return load_for(bench, path)


def load_for(bench: Bench, path: Path, bits: int | None = None) -> LoadedModel:
    """Load a model as users have it, with compiled code; compile first if need be.

    Args:
        bits: Bits of a weight in compiled code; None as in the settings.
    """
    backend = ready_backend(settings_of(bench.args), bench.say)
    if bits is not None:
        backend = replace(backend, bits=bits, own_bits={})
    loaded = loader.load(path, backend)
    bench.notes[f"{loaded.name} with {arithmetic(loaded.model)}"] = loaded.model.kernels
    bench.say(f"{loaded.name}: {loaded.model.kernels}, {loaded.bytes / 1e6:.0f} MB")
    return loaded


def bits_of(model: Model) -> int:
    """Return the bits of a weight as the model computes with it; numpy does so in float32."""
    return int(getattr(model, "bits", FLOAT32))


def arithmetic(model: Model) -> str:
    """Name the arithmetic of a model as rows do: "8 bits", "numpy float32"."""
    if hasattr(model, "bits"):
        return f"{bits_of(model)} bits"
    return model.kernels


def bytes_a_token(config: ModelConfig, bits: int, context: int) -> float:
    """Return the least bytes that are read for one token.

    A token reads all its weights once, and the keys and values of `context` tokens. Keys and values
    are fp16, or float32 where the weights are.
    """
    number = 4.0 if bits == FLOAT32 else 2.0
    weights = token_weights(config) * bits / 8
    values = 2 * config.n_layers * config.n_kv_heads * config.head_dim  # a key and a value each
    return weights + values * number * context


@contextmanager
def as_gguf(path: Path, bits: int) -> Iterator[Path]:
    """Write a model as a temporary GGUF file with weights of so many bits."""
    stored = read_model(path)
    with tempfile.TemporaryDirectory(prefix="spark-bench-") as folder:
        file = Path(folder) / "model.gguf"
        name = model_name(path)
        write_gguf(
            file, stored.config, stored.weights, stored.tokenizer, QUANTISATIONS[bits], name=name
        )
        yield file


def random_model(size: str, tokenizer_of: Path, say: Callable[[str], None]) -> Path:
    """Return a model folder with random weights, made once and kept in the cache, up to a gigabyte.

    Args:
        size: One of `SHAPES`.
        tokenizer_of: A model folder whose tokenizer is copied; nothing measured reads text.
    """
    folder = cache_dir() / "bench" / f"random-{size}"
    if not folder.is_dir():
        say(f"writing a model of random weights to {folder}, used again next time")
        write_random_model(folder, SHAPES[size], tokenizer_of)
    return folder


def write_random_model(folder: Path, shape: dict[str, Any], tokenizer_of: Path) -> None:
    """Write a model folder with random weights, whole or not at all.

    Args:
        shape: Its config.json.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=folder.name, dir=folder.parent) as parent:
        made = Path(parent) / folder.name
        made.mkdir()
        (made / "config.json").write_text(json.dumps(shape), "utf-8")
        shutil.copy(tokenizer_of / "tokenizer.json", made)
        _write_random_weights(made)
        os.replace(made, folder)  # noqa: PTH105 - as one step


def _write_random_weights(folder: Path) -> None:
    """Write normal matrices as float16, norms of one, biases of zero.

    The numbers are small enough that nothing overflows.
    """
    rng = np.random.default_rng(_SEED)
    tensors = {}
    for name, shape in expected_shapes(ModelConfig.read(folder)).items():
        if len(shape) == 2:
            matrix = rng.standard_normal(shape, np.float32) * np.float32(_SCALE)
            tensors[name] = matrix.astype(np.float16)
        elif name.endswith("bias"):
            tensors[name] = np.zeros(shape, np.float16)
        else:
            tensors[name] = np.ones(shape, np.float16)
    save_file(tensors, folder / "model.safetensors")
