"""GGUF files, the model format of llama.cpp: reads one as a config and weights for this engine.

The metadata becomes what a config.json would hold, and tensors have their Hugging Face names.
Versions 2 and 3 are read, little endian.

A file may come from a stranger. Metadata and tensor infos are checked when a file is opened, and no
memory is allocated for a count in the file before as many bytes are known to be there. A tensor is
read when its values are asked for. Its data is never all in memory beside its values, because
touching new memory takes most of the time of loading.

In the file, the matrices of one kind of all experts of a layer are one tensor, one expert after
another.

Source: docs/gguf.md, ggml-org/ggml; the permutation of convert_hf_to_gguf.py, ggml-org/llama.cpp.
"""

import math
import re  # noqa: TID251 - reads names and settings
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import prod
from pathlib import Path
from sys import getsizeof
from typing import Any, BinaryIO, Self

import numpy as np
import numpy.typing as npt

from spark_tui.engine.arrays import FloatArray, LazyRows, Rows
from spark_tui.engine.config import (
    FAMILIES,
    Entries,
    FileRegion,
    ModelConfig,
    damaged,
    frequencies,
    open_model_file,
)
from spark_tui.engine.gguf_quants import ENCODINGS, Encoding, Unpack, dequantise
from spark_tui.engine.weights import LazyWeights, expected_shapes
from spark_tui.errors import ModelError

SUFFIX = ".gguf"
MAGIC = b"GGUF"
ALIGNMENT = 32
"""Where the file does not say otherwise, tensors start at multiples of this many bytes."""
_MAX_BYTES = 1 << 36
"""The most bytes of a file, and the longest axis of a tensor."""
_MAX_MEMORY = 44 << 20
"""Bytes that metadata and infos may take as Python objects."""
_MAX_TEXT = 16 << 20
"""The most bytes of one text in the file."""
# Rough bytes that objects take in memory, without their texts.
_ENTRY = 512
_LIST = 2048
_TENSOR = 1024
_POINTER = 8
# Limits of the format (ggml, docs/gguf.md), or far beyond the files that exist.
_MAX_KEY = 65_535
_MAX_DEPTH = 4
_MAX_DIMENSIONS = 4
_MAX_ALIGNMENT = 1 << 16
_AHEAD = 1 << 23
"""Bytes of metadata read at a time."""

# The types of values. Source: ggml docs/gguf.md, enum gguf_metadata_value_type.
UINT32 = 4
INT32 = 5
FLOAT32 = 6
BOOL = 7
STRING = 8
ARRAY = 9
UINT64 = 10
_SCALARS = {
    0: "<B",
    1: "<b",
    2: "<H",
    3: "<h",
    UINT32: "<I",
    INT32: "<i",
    FLOAT32: "<f",
    BOOL: "<B",
    UINT64: "<Q",
    11: "<q",
    12: "<d",
}
"""Value type -> its format for `struct`, which is also its name for numpy."""

Value = int | float | bool | str | list[Any] | npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class GgufTensor:
    """A tensor as it lies in the file.

    Attributes:
        shape: The shape, rows first as in numpy.
        encoding: The number format.
        data: The bytes, still encoded.
    """

    shape: tuple[int, ...]
    encoding: Encoding
    data: FileRegion | memoryview

    def part(self, number: int) -> "GgufTensor":
        """Return one of the tensors that this tensor is a stack of, such as one expert of many."""
        shape = self.shape[1:]
        size = self.encoding.bytes_of(prod(shape))
        if isinstance(self.data, memoryview):
            return GgufTensor(shape, self.encoding, self.data[number * size : (number + 1) * size])
        place = FileRegion(self.data.path, self.data.start + number * size, size)
        return GgufTensor(shape, self.encoding, place)

    def values(self, rows: slice | None = None, unpack: Unpack | None = None) -> FloatArray:
        """Return the tensor in float32, in memory of its own.

        Args:
            rows: The rows of a matrix; None for all.
            unpack: As of `dequantise`.
        """
        part = slice(None)
        if rows is not None:
            start, stop, _ = rows.indices(self.shape[0])
            # Blocks lie along rows and fill them, so a row begins at a whole byte.
            size = self.encoding.bytes_of(prod(self.shape[1:]))
            part = slice(start * size, stop * size)
        return dequantise(self.encoding, self.data[part], unpack).reshape(-1, *self.shape[1:])


@dataclass(frozen=True, slots=True)
class GgufFile:
    """The content of a file.

    Attributes:
        path: The file.
        metadata: The entries; arrays of numbers are numpy arrays, other arrays are lists.
        tensors: The tensors by name.
    """

    path: Path
    metadata: dict[str, Value]
    tensors: dict[str, GgufTensor]


def read_gguf(path: Path) -> GgufFile:
    """Read the metadata of a GGUF file; its tensors are read when their values are asked for.

    Raises:
        ModelError: The file is missing, truncated, damaged, or of a version or number format that
            is unknown here.
    """
    with open_model_file(path, limit=_MAX_BYTES) as (stream, size):
        return _Reader(path, stream, size).read()


def read_parts(paths: Sequence[Path]) -> GgufFile:
    """Read several files that hold the tensors of one model; the metadata is that of the first.

    Raises:
        ModelError: As `read_gguf`, or a tensor is in two of the files.
    """
    parts = [read_gguf(path) for path in paths]
    tensors: dict[str, GgufTensor] = {}
    for part in parts:
        repeated = tensors.keys() & part.tensors.keys()
        if repeated:
            raise damaged(part.path, f"{min(repeated)[:80]!r} is in another part, too")
        tensors |= part.tensors
    return GgufFile(parts[0].path, parts[0].metadata, tensors)


class _Reader:
    """A cursor in the file, with the memory that the rest of the metadata may still take."""

    def __init__(self, path: Path, stream: BinaryIO, size: int) -> None:
        self._path = path
        self._stream = stream
        self._size = size
        self._data = b""  # what was read ahead, from `_begin` in the file
        self._begin = 0
        self._at = 0
        self._memory = _MAX_MEMORY

    def fault(self, problem: str) -> ModelError:
        return damaged(self._path, f"{problem} (byte {self._at:,} of {self._size:,})")

    def read(self) -> GgufFile:
        # The head: magic, version and two counts.
        if self._take(4) != MAGIC:
            raise damaged(self._path, "not a GGUF file")
        version = self._number(UINT32)
        if version not in (2, 3):
            problem = f"GGUF version {version}; this engine reads little-endian 2 and 3"
            raise damaged(self._path, problem, _OTHER_MODEL)
        n_tensors = self._number(UINT64)
        n_entries = self._number(UINT64)
        # The metadata: key, type and value of each entry.
        metadata: dict[str, Value] = {}
        for _ in self._range(n_entries, "metadata entries", _ENTRY):
            key = self._text(_MAX_KEY)
            if key in metadata:
                raise self.fault(f"{key[:80]!r} occurs twice")
            metadata[key] = self._value(self._number(UINT32), 0)
        # The infos of all tensors; their data follows, and is not read here.
        infos = {}
        for _ in self._range(n_tensors, "tensors", _TENSOR):
            name = self._text(_MAX_KEY)
            infos[name] = self._info()
        if len(infos) < n_tensors:
            raise self.fault("two tensors have the same name")
        return GgufFile(self._path, metadata, self._tensors(infos, self._alignment(metadata)))

    def _take(self, size: int) -> bytes:
        self._have(size)
        start = self._at - self._begin
        self._at += size
        return self._data[start : start + size]

    def _have(self, size: int) -> None:
        """Read ahead until the next `size` bytes are in memory."""
        rest = self._begin + len(self._data) - self._at
        if size <= rest:
            return
        # Before anything is read: a damaged count can ask for any number of bytes.
        if size > self._size - self._at:
            raise self.fault("truncated or damaged")
        if size > self._memory:
            raise self.fault("more metadata than a model has")
        # What was taken goes: copying it again at each read would take ever longer.
        self._data = self._data[self._at - self._begin :]
        self._begin = self._at
        self._data += self._stream.read(max(_AHEAD, size - rest))
        if size > len(self._data):
            raise self.fault("truncated or damaged")

    def _number(self, kind: int) -> Any:
        code = _SCALARS[kind]
        (value,) = struct.unpack(code, self._take(struct.calcsize(code)))
        if kind == FLOAT32:
            # By way of the shortest decimal: 1e-6 stays 1e-6, as it would stand in a config.json.
            return float(str(np.float32(value)))
        return value

    def _range(self, count: int, things: str, memory: int) -> range:
        """Return a range over coming things, after checking that they can fit.

        Args:
            count: The count that the file claims; each thing takes at least a byte in the file.
            things: The name of the things, for the message.
            memory: The bytes of memory that each thing takes.
        """
        if count > self._size - self._at:
            raise self.fault(f"{count:,} {things}, more than the file can hold")
        self._spend(count * memory)
        return range(count)

    def _spend(self, memory: int) -> None:
        """Take bytes off the memory that the rest of the metadata may take."""
        self._memory -= memory
        if self._memory < 0:
            raise self.fault("more metadata than a model has")

    def _text(self, limit: int = _MAX_TEXT) -> str:
        (text,) = self._texts(range(1), limit)
        return text

    def _texts(self, count: range, limit: int = _MAX_TEXT) -> Iterator[str]:
        """Read texts, one after another.

        A vocabulary has hundreds of thousands of texts, so this loop avoids calls: `_have` runs
        only where bytes are missing.
        """
        size_at = struct.Struct("<Q").unpack_from
        for _ in count:
            start = self._at - self._begin
            if start + 8 > len(self._data):
                self._have(8)
                start = self._at - self._begin
            (size,) = size_at(self._data, start)
            if size > limit:
                raise self.fault(f"a text of {size:,} bytes")
            end = start + 8 + size
            if end > len(self._data):
                self._have(8 + size)
                end = self._at - self._begin + 8 + size
            try:
                text = self._data[end - size : end].decode()
            except UnicodeDecodeError as error:
                raise self.fault("text that is not UTF-8") from error
            self._at = self._begin + end
            self._memory -= getsizeof(text)
            if self._memory < 0:
                raise self.fault("more metadata than a model has")
            yield text

    def _value(self, kind: int, depth: int) -> Value:
        if kind == STRING:
            return self._text()
        if kind == ARRAY:
            return self._array(depth + 1)
        if kind not in _SCALARS:
            raise self.fault(f"a value of unknown type {kind}")
        number: int | float = self._number(kind)
        if kind != BOOL:
            return number
        if number not in (0, 1):
            raise self.fault("a boolean that is neither 0 nor 1")
        return number == 1

    def _array(self, depth: int) -> Value:
        if depth > _MAX_DEPTH:
            raise self.fault("lists nested too deeply")
        kind = self._number(UINT32)
        count = self._number(UINT64)
        if kind in _SCALARS:
            dtype = np.dtype(_SCALARS[kind])
            numbers = self._take(count * dtype.itemsize)
            self._spend(len(numbers))
            return np.frombuffer(numbers, dtype)
        if kind == STRING:
            return list(self._texts(self._range(count, "texts", _POINTER)))
        return [self._value(kind, depth) for _ in self._range(count, "lists", _LIST)]

    def _info(self) -> tuple[tuple[int, ...], Encoding, int]:
        """Read the shape, the number format and the offset of a tensor."""
        dimensions = self._number(UINT32)
        if not 1 <= dimensions <= _MAX_DIMENSIONS:
            raise self.fault(f"a tensor of {dimensions} dimensions")
        sizes = [self._number(UINT64) for _ in range(dimensions)]
        shape = tuple(reversed(sizes))  # the file names the innermost dimension first
        kind = self._number(UINT32)
        encoding = ENCODINGS.get(kind)
        if encoding is None:
            known = ", ".join(encoding.name for encoding in ENCODINGS.values())
            problem = f"a tensor has number format {kind}; this engine reads {known}"
            raise damaged(self._path, problem, _OTHER_MODEL)
        # Quantised blocks lie along the rows, and must fill them.
        if shape[-1] % encoding.items or not all(0 < size <= _MAX_BYTES for size in shape):
            raise self.fault(f"a tensor of shape {shape}")
        return shape, encoding, self._number(UINT64)

    def _alignment(self, metadata: dict[str, Value]) -> int:
        value = metadata.get("general.alignment", ALIGNMENT)
        if type(value) is not int or not 1 <= value <= _MAX_ALIGNMENT or value & (value - 1):
            raise self.fault(f"general.alignment is {value!r}, not a power of two")
        return value

    def _tensors(
        self, infos: dict[str, tuple[tuple[int, ...], Encoding, int]], alignment: int
    ) -> dict[str, GgufTensor]:
        """Return the tensors, which must follow one another, each at the next aligned byte.

        Other offsets are refused: tensors that overlap, or leave gaps, come from no known writer.
        """
        start = aligned(self._at, alignment)
        place = 0
        tensors = {}
        for name, (shape, encoding, offset) in infos.items():
            if offset != place:
                raise self.fault(
                    f"tensor {name[:80]!r} stands at {offset:,}, not right after the one before it"
                )
            size = encoding.bytes_of(prod(shape))
            self._at = min(start + offset, self._size)
            if size > self._size - self._at:
                raise self.fault("truncated or damaged")
            tensors[name] = GgufTensor(shape, encoding, FileRegion(self._path, self._at, size))
            place = aligned(offset + size, alignment)
        return tensors


def aligned(place: int, alignment: int) -> int:
    """Return the place itself, or the next one that is a multiple of the alignment."""
    return -(-place // alignment) * alignment


ROPE_FACTORS = "rope_freqs.weight"  # a tensor with the scaling of a Llama 3; see `rope_factors`
# Hugging Face names -> GGUF names: outside of layers, then within a layer.
# Source: gguf-py/gguf/tensor_mapping.py, ggml-org/llama.cpp.
_WHOLE = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output"}
_OF_LAYER = {
    "input_layernorm": "attn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "self_attn.q_norm": "attn_q_norm",
    "self_attn.k_norm": "attn_k_norm",
    "post_attention_layernorm": "ffn_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "mlp.gate": "ffn_gate_inp",
}
_EXPERT = re.compile(r"mlp\.experts\.(\d+)\.(gate|up|down)_proj")


def architecture(family: str) -> str:
    """Return the name of a family in GGUF."""
    return family.replace("_", "")


def expert_of(name: str) -> int | None:
    """Return the number of the expert that a weight belongs to; None if it is in no expert."""
    match = _EXPERT.search(name)
    if match is None:
        return None
    return int(match[1])


def gguf_name(name: str) -> str:
    """Return the GGUF name of a tensor, or of the tensor that it is a part of.

    Args:
        name: The Hugging Face name.
    """
    stem, _, kind = name.rpartition(".")
    if stem in _WHOLE:
        return f"{_WHOLE[stem]}.{kind}"
    _, _, number, layer_stem = stem.split(".", 3)
    if match := _EXPERT.fullmatch(layer_stem):
        return f"blk.{number}.ffn_{match[2]}_exps.{kind}"
    return f"blk.{number}.{_OF_LAYER[layer_stem]}.{kind}"


def interleaved(name: str, array: FloatArray, config: ModelConfig) -> FloatArray:
    """Return a tensor as GGUF lays it out.

    In a llama, the query and key rows that rotate together become neighbors, because llama.cpp
    rotates neighbors in this family. In the other families it rotates halves, as Hugging Face does.
    """
    heads = _rotated_heads(name, config)
    if not heads:
        return array
    halves = array.reshape(heads, 2, -1, *array.shape[1:])
    return halves.swapaxes(1, 2).reshape(array.shape)


def halved(name: str, array: FloatArray, config: ModelConfig) -> FloatArray:
    """Undo `interleaved`.

    Args:
        name: The Hugging Face name.
        array: The tensor as GGUF lays it out.
        config: The model's shape.
    """
    heads = _rotated_heads(name, config)
    if not heads:
        return array
    pairs = array.reshape(heads, -1, 2, *array.shape[1:])
    return pairs.swapaxes(1, 2).reshape(array.shape)


def rope_factors(config: ModelConfig) -> FloatArray:
    """Return by what factor scaling slows down each pair of a head, (D / 2,)."""
    plain = frequencies(replace(config, rope_scaling=None))
    factors: FloatArray = (plain / frequencies(config)).astype(np.float32)
    return factors


def _rotated_heads(name: str, config: ModelConfig) -> int:
    """Return the number of heads in a tensor that GGUF permutes; 0 for any other tensor."""
    match = re.search(r"\.([qk])_proj\.", name)
    if match is None or config.family != "llama":
        return 0
    if match[1] == "q":
        return config.n_heads
    return config.n_kv_heads


_OTHER_MODEL = "name another model"
_SIZES = {
    "hidden_size": "embedding_length",
    "num_hidden_layers": "block_count",
    "num_attention_heads": "attention.head_count",
    "num_key_value_heads": "attention.head_count_kv",
    "intermediate_size": "feed_forward_length",
    "max_position_embeddings": "context_length",
    "head_dim": "attention.key_length",
    "rms_norm_eps": "attention.layer_norm_rms_epsilon",
    "rope_theta": "rope.freq_base",
    "num_experts": "expert_count",
    "num_experts_per_tok": "expert_used_count",
    "moe_intermediate_size": "expert_feed_forward_length",
}
"""Name in config.json -> key in the metadata, which the architecture and a dot precede."""
_FAMILIES = {architecture(family): family for family in FAMILIES}
"""Architecture -> family."""
_NEUTRAL = {
    "attention.sliding_window": 0,
    "attention.clamp_kqv": 0.0,
    "attention.scale": 0.0,
    "attention.causal": True,
    "attn_logit_softcapping": 0.0,
    "final_logit_softcapping": 0.0,
    "logit_scale": 1.0,
    "embedding_scale": 1.0,
    "residual_scale": 1.0,
}
"""Settings that change the arithmetic -> the value with which they do not."""
# A GGUF file holds the factors that come out of these numbers, but not the numbers. All Llama 3
# share them; `_check_rope_factors` refuses a file with other factors.
_LLAMA3 = {"rope_type": "llama3", "low_freq_factor": 1.0, "high_freq_factor": 4.0}
_LLAMA3_POSITIONS = 8192
"""The context that every Llama 3 was first trained on."""


def gguf_config(file: GgufFile) -> ModelConfig:
    """Return the shape of the model in a file.

    Raises:
        ModelError: The metadata is incomplete, or describes a model this engine does not run.
    """
    # Refuse what this engine does not run, before the numbers are read.
    family = _scalar(file, "general.architecture")
    if family not in _FAMILIES:
        known = ", ".join(_FAMILIES)
        problem = f"its architecture is {str(family)[:40]!r}; this engine runs {known}"
        raise damaged(file.path, problem, _OTHER_MODEL)
    if _scalar(file, "split.count") not in (None, 0, 1):
        raise damaged(file.path, "one of several parts", "join them with llama-gguf-split --merge")
    for key, neutral in _NEUTRAL.items():
        value = _scalar(file, f"{family}.{key}")
        if value not in (None, neutral):
            problem = f"{key} is {str(value)[:40]!r}, which this engine does not run"
            raise damaged(file.path, problem, _OTHER_MODEL)
    # Then fill in what a config.json would say, so that the same checks apply. The metadata names
    # neither the size of the vocabulary nor whether the head is tied: the tensors tell.
    embedding = file.tensors.get("token_embd.weight")
    vocab_size = embedding.shape[0] if embedding else None
    values: dict[str, Any] = {
        "model_type": _FAMILIES[family],
        "vocab_size": vocab_size,
        "tie_word_embeddings": "output.weight" not in file.tensors,
        "rope_scaling": _scaling(file, family),
        "norm_topk_prob": True,  # as llama.cpp computes every model of this architecture
    }
    for name, key in _SIZES.items():
        values[name] = _scalar(file, f"{family}.{key}")
    values["head_dim"] = values["head_dim"] or _head_dim(values)
    config = ModelConfig.of(file.path, Entries(file.path, values))
    _check_heads(file, family, config)
    _check_rope_factors(file, config)
    return config


@dataclass(frozen=True, slots=True)
class GgufWeights(LazyWeights):
    """The tensors of a file by Hugging Face name, each read and made float32 on access.

    Access raises ModelError if a tensor holds values that are not finite, or if the file has
    changed meanwhile.

    Attributes:
        file: The file.
        config: The model's shape.
        names: Hugging Face name -> the name in the file.
        unpack: As of `GgufTensor.values`.
    """

    file: GgufFile
    config: ModelConfig
    names: Mapping[str, str]
    unpack: Unpack | None = None

    def __getitem__(self, name: str) -> FloatArray:
        return halved(name, self.stored(name), self.config)

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def rows(self, name: str) -> Rows:
        """See `LazyWeights`; rows come as they lie in the file, not `halved`.

        So this serves matrices that GGUF does not permute: embeddings, heads and those of MLPs.
        """
        shape = self.file.tensors[self.names[name]].shape
        return LazyRows(shape[-2:], partial(self.stored, name))

    def unpacked_by(self, unpack: Unpack) -> Self:
        """See `LazyWeights`."""
        return replace(self, unpack=unpack)

    def stored(self, name: str, rows: slice | None = None) -> FloatArray:
        """Return a tensor as it lies in the file, or some of its rows."""
        tensor = self.file.tensors[self.names[name]]
        expert = expert_of(name)
        if expert is not None:
            tensor = tensor.part(expert)
        values = tensor.values(rows, self.unpack)
        flat = values.reshape(-1)
        with np.errstate(invalid="ignore", over="ignore"):
            # The sum of squares is finite only if all values are: one quick product tells. It can
            # also overflow for finite values, so a doubt is checked value by value.
            is_doubtful = not np.isfinite(flat @ flat)
        if is_doubtful and not np.isfinite(values).all():
            raise damaged(
                self.file.path, f"{self.names[name]} holds values that are not finite numbers"
            )
        return values


def gguf_weights(file: GgufFile, config: ModelConfig) -> GgufWeights:
    """Return the tensors of a file in float32.

    Raises:
        ModelError: A tensor is missing, unknown, or of another shape than the config says.
    """
    shapes = expected_shapes(config)
    names = {name: gguf_name(name) for name in shapes}
    missing = [name for name in dict.fromkeys(names.values()) if name not in file.tensors]
    unknown = sorted(file.tensors.keys() - set(names.values()) - {ROPE_FACTORS})
    for problem, tensors in (("missing", missing), ("unknown to a model of this kind", unknown)):
        if tensors:
            first = tensors[0][:80]
            raise damaged(file.path, f"{len(tensors)} tensors are {problem}, {first!r} first")
    for name, shape_of_part in shapes.items():
        expected = shape_of_part
        if config.experts is not None and expert_of(name) is not None:
            expected = (config.experts.count, *expected)  # all experts of a layer are one tensor
        shape = file.tensors[names[name]].shape
        if shape != expected:
            problem = f"{names[name]} has shape {shape}, the metadata asks for {expected}"
            raise damaged(file.path, problem)
    return GgufWeights(file, config, names)


def _scalar(file: GgufFile, key: str) -> Any:
    """Return a value of the metadata, None if it is missing; refuse a list."""
    value: Value | None = file.metadata.get(key)
    if isinstance(value, list | np.ndarray):
        problem = f"{key} differs from layer to layer, which this engine does not run"
        raise damaged(file.path, problem, _OTHER_MODEL)
    return value


def _head_dim(values: dict[str, Any]) -> int | None:
    hidden = values["hidden_size"]
    heads = values["num_attention_heads"]
    if isinstance(hidden, int) and isinstance(heads, int) and heads > 0:
        return hidden // heads
    return None


def _check_heads(file: GgufFile, family: str, config: ModelConfig) -> None:
    """Refuse heads whose values are not as wide as their keys, or that rotate only in part."""
    for key in ("attention.value_length", "rope.dimension_count"):
        width = _scalar(file, f"{family}.{key}")
        if width not in (None, config.head_dim):
            problem = f"{key} is {str(width)[:40]!r}, this engine runs only {config.head_dim}"
            raise damaged(file.path, problem, _OTHER_MODEL)


def _scaling(file: GgufFile, family: str) -> dict[str, Any] | None:
    """Return the rope_scaling that a config.json would hold."""

    def value(key: str) -> Any:
        return _scalar(file, f"{family}.rope.scaling.{key}")

    # A Llama 3: its slowest pairs are slowed down in full, so their factor is that of the config.
    factors = file.tensors.get(ROPE_FACTORS)
    if factors is not None:
        slowest = float(factors.values().max(initial=1.0))
        first = value("original_context_length") or _LLAMA3_POSITIONS
        return {**_LLAMA3, "factor": slowest, "original_max_position_embeddings": first}
    # The other kinds stand in the metadata.
    kind = value("type")
    factor = value("factor")
    if kind in (None, "none"):
        return None
    scaling = {
        "rope_type": kind,
        "factor": factor,
        "original_max_position_embeddings": value("original_context_length"),
        "beta_fast": value("yarn_beta_fast"),
        "beta_slow": value("yarn_beta_slow"),
    }
    # llama.cpp multiplies attn_factor by the usual factor of YaRN; a config.json has the product.
    relative = value("attn_factor")
    are_numbers = isinstance(factor, float) and isinstance(relative, float)
    if kind == "yarn" and are_numbers and 1 <= factor < math.inf:
        scaling["attention_factor"] = relative * (1 + 0.1 * math.log(factor))
    return scaling


def _check_rope_factors(file: GgufFile, config: ModelConfig) -> None:
    """Refuse factors that differ from those of the scaling that `_scaling` took them for."""
    factors = file.tensors.get(ROPE_FACTORS)
    if factors is None:
        return
    values = factors.values()
    expected = rope_factors(config)
    if values.shape != expected.shape or not np.allclose(values, expected, rtol=1e-3):
        problem = f"{ROPE_FACTORS} are not the factors of a Llama 3, the only ones run"
        raise damaged(file.path, problem, _OTHER_MODEL)
