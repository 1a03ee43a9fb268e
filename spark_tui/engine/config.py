"""The config of a model: reads and checks a config.json of Hugging Face, and computes RoPE's turns.

The first part of the module reads files of models, which may come from a stranger: `Entries` checks
every value as it is taken out, and messages quote only a short, printable part of a file.
"""

import json
import math
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import numpy as np
import numpy.typing as npt

from spark_tui.errors import ModelError
from spark_tui.remedies import LIMITS, UNREADABLE, words_of

ADVICE = "install the model again or name another one"
_SHOWN = 80
"""The most characters of a stranger's file that a message quotes."""


def damaged(path: Path, problem: str, advice: str = ADVICE) -> ModelError:
    """Return the one-line error for a model file."""
    return ModelError(f"{path}: {problem}; {advice}")


def _unreadable(path: Path, error: OSError) -> ModelError:
    """Return the error for a model file that the system refuses to read."""
    # Where a limit or the file system is at fault, installing the model again would not help.
    advice = (LIMITS | UNREADABLE).get(error.errno or 0, ADVICE)
    return damaged(path, f"cannot be read ({words_of(error)})", advice)


def shown(value: object) -> str:
    """Return a value of a file as a message may show it: short, and safe for a terminal."""
    text = repr(value)  # repr escapes control characters
    if len(text) > _SHOWN:
        return f"{text[:_SHOWN]}..."
    return text


def read_model_file(path: Path, *, limit: int) -> bytes:
    """Read a file into memory; unlike a mapping, the bytes do not change with the file.

    Args:
        path: A regular file.
        limit: The most bytes it may hold.

    Raises:
        ModelError: Missing, unreadable, not a regular file, or over the limit.
    """
    with open_model_file(path, limit=limit) as (stream, size):
        return stream.read(size)


@contextmanager
def open_model_file(path: Path, *, limit: int = sys.maxsize) -> Iterator[tuple[BinaryIO, int]]:
    """Open a file for reading.

    Args:
        path: A regular file.
        limit: The most bytes it may hold.

    Yields:
        The stream, and the size of the file in bytes.

    Raises:
        ModelError: Missing, unreadable, not a regular file, or over the limit.
    """
    try:
        # Opening a pipe would wait for a writer, and a device may never end.
        if path.exists() and not path.is_file():
            raise damaged(path, "not a regular file")
        with path.open("rb") as stream:
            size = os.fstat(stream.fileno()).st_size
            if size > limit:
                raise damaged(path, f"larger than the {limit:,} bytes it may have")
            yield stream, size
    except FileNotFoundError as error:
        raise damaged(path, "missing") from error
    except OSError as error:
        raise _unreadable(path, error) from error


@dataclass(frozen=True, slots=True)
class FileRegion:
    """A part of a file, read when a slice of it is taken; never mapped.

    The file is opened for each slice, so a model with many tensors keeps no file open.

    Attributes:
        path: The file.
        start: The first byte.
        size: The number of bytes.
    """

    path: Path
    start: int
    size: int

    def __getitem__(self, part: slice) -> bytes:
        """Read a slice.

        Raises:
            ModelError: The file is no longer what it was.
        """
        first, last, _ = part.indices(self.size)
        try:
            with self.path.open("rb") as stream:
                stream.seek(self.start + first)
                data = stream.read(last - first)
        except OSError as error:
            raise _unreadable(self.path, error) from error
        if len(data) < last - first:
            raise damaged(self.path, "changed while it was read")
        return data


_OTHER_MODEL = "name another model"


class Entries:
    """A JSON object of a model folder, whose values are checked as they are taken out.

    A value of null counts as missing.

    Args:
        path: The file of the object, for the messages.
        values: The object.
    """

    def __init__(self, path: Path, values: dict[str, Any]) -> None:
        self._path = path
        self._values = values

    @classmethod
    def read(cls, path: Path, *, limit: int) -> "Entries":
        """Read a file that holds one JSON object.

        Raises:
            ModelError: Missing, over the limit in bytes, or no JSON object.
        """
        try:
            values = json.loads(read_model_file(path, limit=limit))
        except (ValueError, RecursionError) as error:  # a hostile file may nest without end
            raise damaged(path, "not JSON") from error
        if not isinstance(values, dict):
            raise damaged(path, "not a JSON object")
        return cls(path, values)

    def __contains__(self, name: str) -> bool:
        return self.get(name) is not None

    def get(self, name: str, default: Any = None) -> Any:
        """Return a value as it is.

        Args:
            name: The name of the value.
            default: What to return for a missing value.
        """
        value = self._values.get(name)
        if value is None:
            return default
        return value

    @property
    def nested(self) -> bool:
        """Whether a value of the object is itself an object."""
        return any(isinstance(value, dict) for value in self._values.values())

    def section(self, name: str) -> "Entries":
        """Return the object under a name; an empty object if it is missing."""
        value = self.get(name, {})
        if not isinstance(value, dict):
            raise self.wrong(name, "not an object")
        return Entries(self._path, value)

    def over(self, defaults: dict[str, Any]) -> "Entries":
        """Return the same object, with defaults for missing values."""
        values = dict(defaults)
        for name, value in self._values.items():
            if value is not None:
                values[name] = value
        return Entries(self._path, values)

    def whole(self, name: str, most: int, default: int | None = None) -> int:
        """Return a whole number from 1 to `most`."""
        value = self.get(name, default)
        # Not isinstance: true and false are whole numbers to Python.
        if type(value) is not int or not 1 <= value <= most:
            raise self.wrong(name, f"not a whole number from 1 to {most:,}")
        return value

    def number(self, name: str, least: float, most: float, default: float | None = None) -> float:
        """Return a number from `least` to `most`, both included."""
        value = self.get(name, default)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not least <= value <= most:
            raise self.wrong(name, f"not a number from {least:g} to {most:g}")
        return float(value)

    def flag(self, name: str, default: bool = False) -> bool:
        """Return true or false."""
        value = self.get(name, default)
        if not isinstance(value, bool):
            raise self.wrong(name, "neither true nor false")
        return value

    def choice(self, name: str, supported: tuple[Any, ...]) -> Any:
        """Return a value, which must be supported; None among those lets the value be missing."""
        value = self.get(name)
        if value in supported:
            return value
        problem = "which this engine does not run"
        names = [repr(known) for known in supported if known is not None]
        if names:
            problem = f"this engine runs only {' or '.join(names)}"
        raise self.wrong(name, problem, _OTHER_MODEL)

    def words(self, name: str) -> tuple[str, ...]:
        """Return a list of texts; an empty list if it is missing."""
        words = self.get(name, [])
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise damaged(self._path, f"{name} is not a list of words")
        return tuple(words)

    def texts(self) -> list[str]:
        """Return all values, which must be texts, sorted and without repetitions."""
        if not all(isinstance(value, str) for value in self._values.values()):
            raise damaged(self._path, "a string is missing where one is needed")
        return sorted(set(self._values.values()))

    def wrong(self, name: str, problem: str, advice: str = ADVICE) -> ModelError:
        """Return the error for one value."""
        return damaged(self._path, f"{name} is {shown(self.get(name))}, {problem}", advice)

    def refused(self, problem: str) -> ModelError:
        """Return the error for values that are valid, but that this engine does not run."""
        return damaged(self._path, problem, _OTHER_MODEL)


Frequencies = npt.NDArray[np.float64]
KINDS = ("linear", "llama3", "yarn")
_UNSCALED = (None, "default", "dynamic")
# Bounds on numbers of a stranger's file: beyond any model's, but within memory and float32.
_MOST_ROTATED = 1 << 20
_MOST_FACTOR = 1e4


@dataclass(frozen=True, slots=True)
class RopeScaling:
    """How the turns of RoPE are slowed down for a longer context.

    The docstring of a field begins with the kinds that use it, unless all kinds do.

    Source:
        Linear: arXiv:2306.15595; llama3: the reference code of Llama 3.1; yarn: arXiv:2309.00071.
    """

    kind: str
    """linear, llama3 or yarn."""
    factor: float
    """How many times slower a pair turns if it is slowed in full."""
    original_positions: int = 0
    """llama3, yarn: the context the model was first trained on, in tokens."""
    low_freq_factor: float = 1.0
    """llama3: pairs with fewer turns than this in the first context are slowed in full."""
    high_freq_factor: float = 4.0
    """llama3: pairs with more turns than this are left alone."""
    beta_fast: float = 32.0
    """yarn: pairs with more turns than this are left alone."""
    beta_slow: float = 1.0
    """yarn: pairs with fewer turns than this are slowed in full."""
    attention_factor: float = 1.0
    """yarn: the factor of queries and keys."""
    whole_bounds: bool = True
    """yarn: whether the two bounds are rounded outwards to whole pairs."""

    @classmethod
    def read(cls, entries: Entries, positions: int) -> "RopeScaling | None":
        """Read rope_scaling or rope_parameters of a config.json.

        Args:
            entries: The object rope_scaling or rope_parameters.
            positions: The longest context of the model, for files that name no first context.

        Returns:
            None if nothing is slowed down. That includes dynamic scaling, which starts after the
            last position of the model.

        Raises:
            ModelError: A kind this engine does not know, or numbers that make no sense.
        """
        # Older files name the kind "type".
        name = "rope_type" if "rope_type" in entries else "type"
        kind = entries.choice(name, (*_UNSCALED, *KINDS))
        if kind in _UNSCALED:
            return None
        factor = entries.number("factor", 1.0, _MOST_FACTOR)
        if kind == "linear":
            return cls("linear", factor)
        first = entries.whole("original_max_position_embeddings", _MOST_ROTATED, positions)
        if kind == "llama3":
            return _read_llama3(entries, factor, first)
        return _read_yarn(entries, factor, first)


class Rotary(Protocol):
    """The part of a model's shape that RoPE depends on."""

    @property
    def head_dim(self) -> int:
        """The size D of a head."""

    @property
    def rope_theta(self) -> float:
        """The base of the turns."""

    @property
    def rope_scaling(self) -> RopeScaling | None:
        """How the turns are slowed down; None if they are not."""


def frequencies(config: Rotary) -> Frequencies:
    """Return the angle by which each pair of a head turns from one position to the next.

    Returns:
        (D / 2,) radians, float64.

    Source:
        RoPE, arXiv:2104.09864.
    """
    pairs = np.arange(0, config.head_dim, 2)
    plain: Frequencies = config.rope_theta ** (-pairs / config.head_dim)
    scaling = config.rope_scaling
    if scaling is None:
        return plain
    # A blend of both: kept turns stay as the model learned them, the others cover more positions.
    kept = _kept_share(scaling, plain, config.rope_theta)
    slowed: Frequencies = plain * (kept + (1 - kept) / scaling.factor)
    return slowed


def attention_factor(config: Rotary) -> float:
    """Return the factor by which RoPE multiplies queries and keys.

    The scores grow by the square of the factor.
    """
    if config.rope_scaling is None:
        return 1.0
    return config.rope_scaling.attention_factor


def _kept_share(scaling: RopeScaling, plain: Frequencies, theta: float) -> Frequencies:
    """Return the share of each pair's turn that stays as it is, 0 to 1, (D / 2,).

    Pairs that turn often within the first context tell close tokens apart and are kept; slow pairs
    would reach angles that the model has never seen.
    """
    if scaling.kind == "linear":
        return np.zeros_like(plain)
    turns = scaling.original_positions * plain / (2 * math.pi)  # full turns in the first context
    if scaling.kind == "llama3":
        low = scaling.low_freq_factor
        high = scaling.high_freq_factor
        return np.clip((turns - low) / (high - low), 0, 1)
    first, last = _yarn_bounds(scaling, 2 * len(plain), theta)
    ramp = (np.arange(len(plain)) - first) / (last - first)
    kept: Frequencies = 1 - np.clip(ramp, 0, 1)
    return kept


def _yarn_bounds(scaling: RopeScaling, dim: int, theta: float) -> tuple[float, float]:
    """Return the bounds, counted in pairs, between which turns go from kept to slowed in full.

    Source:
        YaRN, arXiv:2309.00071, section 3.2.
    """

    def pair(turns: float) -> float:
        """Return the pair that makes this many full turns within the first context."""
        # The solution of theta ** (-2 * pair / dim) * positions = 2 * pi * turns.
        wavelength = scaling.original_positions / (turns * 2 * math.pi)
        return dim * math.log(wavelength) / (2 * math.log(theta))

    first = pair(scaling.beta_fast)
    last = pair(scaling.beta_slow)
    if scaling.whole_bounds:
        first = math.floor(first)
        last = math.ceil(last)
    first = max(first, 0)
    last = min(last, dim - 1)
    if first == last:
        last += 0.001  # as in the reference code: the ramp between them divides by the difference
    return first, last


def _read_llama3(entries: Entries, factor: float, first: int) -> RopeScaling:
    low = entries.number("low_freq_factor", 1e-3, _MOST_FACTOR)
    high = entries.number("high_freq_factor", 1e-3, _MOST_FACTOR)
    if low >= high:
        raise entries.wrong("high_freq_factor", f"not above low_freq_factor {low:g}")
    return RopeScaling("llama3", factor, first, low_freq_factor=low, high_freq_factor=high)


def _read_yarn(entries: Entries, factor: float, first: int) -> RopeScaling:
    # If a file does not name the attention factor, the paper's formula gives it. Later models name
    # two scales for this formula; then their quotient counts.
    over = entries.number("mscale", 0.0, _MOST_FACTOR, 0.0)
    under = entries.number("mscale_all_dim", 0.0, _MOST_FACTOR, 0.0)
    usual = _magnitude(factor, 1.0)
    if over and under:
        usual = _magnitude(factor, over) / _magnitude(factor, under)
    return RopeScaling(
        "yarn",
        factor,
        first,
        beta_fast=entries.number("beta_fast", 1e-3, _MOST_FACTOR, 32.0),
        beta_slow=entries.number("beta_slow", 1e-3, _MOST_FACTOR, 1.0),
        attention_factor=entries.number("attention_factor", 1e-3, _MOST_FACTOR, usual),
        whole_bounds=entries.flag("truncate", default=True),
    )


def _magnitude(factor: float, scale: float) -> float:
    """Return sqrt(1/t) of equation 22, arXiv:2309.00071, with the scale that later models add."""
    return 0.1 * scale * math.log(factor) + 1.0


FILE_NAME = "config.json"
_MAX_BYTES = 1 << 20
"""The most bytes of a config.json; those of known models have a few kilobytes."""
_MOST_POSITIONS = 1 << 20

FAMILIES = {
    "llama": "LlamaForCausalLM",
    "qwen2": "Qwen2ForCausalLM",
    "qwen3": "Qwen3ForCausalLM",
    "qwen3_moe": "Qwen3MoeForCausalLM",
}
"""model_type of config.json -> the class of transformers that it stands for."""

_SIZES = {
    "vocab_size": ("vocab_size", 1 << 20),
    "hidden_size": ("hidden_size", 1 << 16),
    "n_layers": ("num_hidden_layers", 1 << 10),
    "n_heads": ("num_attention_heads", 1 << 10),
    "intermediate_size": ("intermediate_size", 1 << 18),
    "max_position_embeddings": ("max_position_embeddings", _MOST_POSITIONS),
}
"""Field -> its name in the file, and the largest value that is accepted."""
_MOST_HEADS = 1 << 10
_MOST_HEAD_DIM = 1 << 12
_QWEN3 = ("qwen3", "qwen3_moe")
"""Families with norms of queries and keys, and with a head size that the file names."""
_MOE = "qwen3_moe"
_MOST_EXPERTS = 1 << 10

_SUPPORTED: dict[str, tuple[object, ...]] = {
    "hidden_act": (None, "silu"),
    "mlp_bias": (None, False),
    "partial_rotary_factor": (None, 1),
    "rope_interleaved": (None, False),
    "num_local_experts": (None, 0),
    "quantization_config": (None,),
}
"""Settings that change the arithmetic -> the values this engine supports; None is a missing one."""


@dataclass(frozen=True, slots=True)
class Experts:
    """The experts of a mixture: a router and many small MLPs in place of one in each layer.

    Attributes:
        count: The experts of a layer.
        active: How many of them a token goes through.
        size: The inner size of an expert.
        normalized: Whether the shares of the active experts add up to 1; otherwise each keeps its
            share of the softmax over all experts.
    """

    count: int
    active: int
    size: int
    normalized: bool = True


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """The shape of a decoder."""

    vocab_size: int
    hidden_size: int
    n_layers: int
    n_heads: int
    n_kv_heads: int
    head_dim: int
    intermediate_size: int
    rope_theta: float
    rms_norm_eps: float
    max_position_embeddings: int
    tie_word_embeddings: bool
    family: str = "qwen3"
    """One of `FAMILIES`."""
    attention_bias: bool = False
    """Whether the projections to queries, keys and values add a bias."""
    qk_norm: bool = True
    """Whether each head of queries and keys is normalised before RoPE turns it."""
    rope_scaling: RopeScaling | None = None
    experts: Experts | None = None
    """The experts of a mixture; no matrix of a mixture has the size `intermediate_size`."""

    @classmethod
    def read(cls, folder: Path) -> "ModelConfig":
        """Read config.json of a model folder.

        Raises:
            ModelError: The file is missing, not JSON, or describes a model this engine cannot run.
        """
        path = folder / FILE_NAME
        return cls.of(path, Entries.read(path, limit=_MAX_BYTES))

    @classmethod
    def of(cls, path: Path, entries: Entries) -> "ModelConfig":
        """Return the config that a config.json describes.

        Args:
            path: The file, for the messages.
            entries: The content of the file.

        Raises:
            ModelError: The file describes a model this engine does not run.
        """
        # The family first: for an unknown one every later complaint would mislead.
        family = _family(entries)
        rope = _rope(entries)
        sizes = {field: entries.whole(name, most) for field, (name, most) in _SIZES.items()}
        heads = sizes["n_heads"]
        positions = sizes.pop("max_position_embeddings")
        scaling = RopeScaling.read(rope, positions)
        config = cls(
            **sizes,
            n_kv_heads=entries.whole("num_key_value_heads", _MOST_HEADS, heads),
            head_dim=_head_dim(entries, family, sizes["hidden_size"], heads),
            rope_theta=rope.number("rope_theta", 1.001, 1e12, 10_000.0),
            rms_norm_eps=entries.number("rms_norm_eps", 1e-12, 1.0),
            max_position_embeddings=_positions(positions, scaling),
            tie_word_embeddings=entries.flag("tie_word_embeddings"),
            family=family,
            attention_bias=family == "qwen2",
            qk_norm=family in _QWEN3,
            rope_scaling=scaling,
            experts=_experts(entries, family),
        )
        _check_heads(path, config)
        _check_windows(entries, config)
        return config


def _family(entries: Entries) -> str:
    family: str = entries.choice("model_type", tuple(FAMILIES))
    architectures = entries.words("architectures")
    if architectures and FAMILIES[family] not in architectures:
        problem = f"this engine runs only {FAMILIES[family]!r}"
        raise entries.wrong("architectures", problem, _OTHER_MODEL)
    for name, values in _SUPPORTED.items():
        entries.choice(name, values)
    if family != "qwen2":  # a Qwen2 always has its biases, whatever the file says
        entries.choice("attention_bias", (None, False))
    return family


def _experts(entries: Entries, family: str) -> Experts | None:
    if family != _MOE:
        entries.choice("num_experts", (None, 0))
        return None
    # Every layer must be a mixture; these two settings can make some of them plain.
    entries.choice("decoder_sparse_step", (None, 1))
    entries.choice("mlp_only_layers", (None, []))
    count = entries.whole("num_experts", _MOST_EXPERTS)
    return Experts(
        count=count,
        active=entries.whole("num_experts_per_tok", count),
        size=entries.whole("moe_intermediate_size", _SIZES["intermediate_size"][1]),
        normalized=entries.flag("norm_topk_prob"),
    )


def _rope(entries: Entries) -> Entries:
    """Return the settings of RoPE.

    They are the object rope_scaling in older files, rope_parameters in newer ones; rope_theta
    stands inside or beside this object.
    """
    group_name = "rope_parameters"
    if entries.get("rope_scaling"):
        group_name = "rope_scaling"
    group = entries.section(group_name)
    if group.nested:  # an object for each type of layer
        problem = "this engine runs only one setting for all layers"
        raise entries.wrong(group_name, problem, _OTHER_MODEL)
    outside = {}
    for name in ("rope_theta", "original_max_position_embeddings"):
        outside[name] = entries.get(name)
    rope = group.over(outside)
    rope.choice("partial_rotary_factor", (None, 1))
    return rope


def _head_dim(entries: Entries, family: str, hidden: int, heads: int) -> int:
    if family in _QWEN3:  # their heads have a size of their own, which the file must name
        return entries.whole("head_dim", _MOST_HEAD_DIM)
    if "head_dim" not in entries and hidden % heads:
        raise entries.refused(f"hidden_size {hidden} is no multiple of {heads} heads")
    return entries.whole("head_dim", _MOST_HEAD_DIM, hidden // heads)


def _positions(named: int, scaling: RopeScaling | None) -> int:
    """Return the longest context of the model in tokens.

    Where YaRN was added to a file later, the file often still names the shorter context.
    """
    if scaling is None or scaling.kind != "yarn":
        return named
    scaled = int(scaling.factor * scaling.original_positions)
    return min(max(named, scaled), _MOST_POSITIONS)


def _check_heads(path: Path, config: ModelConfig) -> None:
    if config.n_heads % config.n_kv_heads:
        raise damaged(
            path, f"{config.n_heads} heads cannot share {config.n_kv_heads} key/value heads"
        )
    if config.head_dim % 2:
        raise damaged(path, f"head_dim is {config.head_dim}, but rotary positions need an even one")


def _check_windows(entries: Entries, config: ModelConfig) -> None:
    """Refuse sliding windows, but only where a layer would really use one."""
    # Newer files name the attention of each layer; that settles it.
    kinds = entries.words("layer_types")
    if any(kind != "full_attention" for kind in kinds):
        raise entries.refused(
            "layer_types holds other than 'full_attention', the only type this engine runs"
        )
    if kinds or config.family == "llama" or not entries.flag("use_sliding_window"):
        return
    # Older files of Qwen: layers from max_window_layers on have a window, which makes no difference
    # in a context no longer than the window. The default is that of transformers.
    window = entries.whole("sliding_window", 1 << 30, 4096)
    first = entries.get("max_window_layers")
    has_no_window_layer = isinstance(first, int) and first >= config.n_layers
    if window < config.max_position_embeddings and not has_no_window_layer:
        raise entries.refused(
            f"use_sliding_window is True, with {window} tokens, this engine runs only False"
        )
