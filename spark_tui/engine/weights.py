"""Weights in safetensors files, read into float32 arrays and checked against the config.

The header of a file is checked in full before any tensor is read.
"""

import json
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any, BinaryIO, Self

import numpy as np

from spark_tui.engine.arrays import FloatArray, Rows
from spark_tui.engine.config import (
    Entries,
    FileRegion,
    ModelConfig,
    damaged,
    open_model_file,
    shown,
)
from spark_tui.engine.gguf_quants import Unpack
from spark_tui.engine.machine import require
from spark_tui.errors import ModelError

ITEM_BYTES = {"F16": 2, "BF16": 2, "F32": 4}
"""The types of numbers that are read, and the bytes of a number."""
_HEADER_BYTES = 2 << 20
"""Of the header of a stranger's file: some 15,000 tensors."""
_LENGTH_BYTES = 8
"""Of the header's length, with which a file begins. Source: safetensors, README, Format."""
_MOST_AXES = 8
_BLOCK = 1 << 20
"""Numbers that are widened at once, so that the narrow copy stays small."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """The place of a tensor in its file.

    Attributes:
        dtype: The type of its numbers.
        shape: Its shape.
        start: The first byte, counted from behind the header.
        stop: The byte behind its last.
    """

    dtype: str
    shape: tuple[int, ...]
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class StoredTensor:
    """A tensor that is read when its values are asked for, and never mapped.

    Attributes:
        name: Its name.
        dtype: The type of its numbers.
        shape: Its shape.
        data: Its bytes in the file.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    data: FileRegion

    def values(self) -> FloatArray:
        """Return the tensor as float32, in memory of our own.

        Raises:
            ModelError: As `Shard.read`.
        """
        size = _item_bytes(self.data.path, self.name, self.dtype)

        def read(first: int, count: int) -> bytes:
            return self.data[first * size : (first + count) * size]

        return _values(self.data.path, self.name, self.dtype, self.shape, read)


class Shard:
    """A safetensors file open for reading.

    Nothing of it is mapped, so nothing done to it later can reach us.

    Args:
        path: Its name, for messages.
        stream: Opened for bytes.
        size: Of the file.

    Raises:
        ModelError: Truncated, or a header that does not describe the file exactly.

    Source:
        Https://huggingface.co/docs/safetensors, "Format".
    """

    def __init__(self, path: Path, stream: BinaryIO, size: int) -> None:
        self.path = path
        self._stream = stream
        length = int.from_bytes(stream.read(_LENGTH_BYTES), "little")
        self._data = _LENGTH_BYTES + length
        if size < _LENGTH_BYTES or length > _HEADER_BYTES or self._data > size:
            raise unsound(path, "no header")
        self.tensors = _parsed(path, stream.read(length))
        _check_layout(path, self.tensors, size - self._data)

    def read(self, name: str) -> FloatArray:
        """One tensor as float32, in memory of our own.

        Raises:
            ModelError: A type this engine does not read, numbers that are not finite, or a file cut
                meanwhile.
        """
        tensor = self.tensors[name]
        size = _item_bytes(self.path, name, tensor.dtype)
        self._stream.seek(self._data + tensor.start)

        def read(_first: int, count: int) -> bytes:
            data = self._stream.read(count * size)
            if len(data) < count * size:
                raise unsound(self.path, "cut while it was read")
            return data

        return _values(self.path, name, tensor.dtype, tensor.shape, read)

    def stored(self, name: str) -> StoredTensor:
        """One tensor, to be read later, when this file is closed."""
        tensor = self.tensors[name]
        data = FileRegion(self.path, self._data + tensor.start, tensor.stop - tensor.start)
        return StoredTensor(name, tensor.dtype, tensor.shape, data)


def _item_bytes(path: Path, name: str, dtype: str) -> int:
    if dtype not in ITEM_BYTES:
        raise damaged(path, f"{name} is {shown(dtype)}, this engine reads {', '.join(ITEM_BYTES)}")
    return ITEM_BYTES[dtype]


def _values(
    path: Path, name: str, dtype: str, shape: tuple[int, ...], read: Callable[[int, int], bytes]
) -> FloatArray:
    """A tensor as float32.

    Args:
        read: The bytes of so many numbers from one on, one after the other.
    """
    array: FloatArray = np.empty(shape, np.float32)
    flat = array.reshape(-1)
    for start in range(0, flat.size, _BLOCK):
        part = flat[start : start + _BLOCK]
        _widen(part, read(start, part.size), dtype)
        if not np.isfinite(part).all():
            raise damaged(path, f"{name} holds values that are not finite numbers")
    return array


def _widen(part: FloatArray, data: bytes, dtype: str) -> None:
    """Put the numbers of a file into a part of an array."""
    if dtype == "BF16":  # the upper half of a float32
        bits = part.view(np.uint32)
        bits[:] = np.frombuffer(data, "<u2")
        bits <<= 16
    else:
        stored = "<f2" if dtype == "F16" else "<f4"
        part[:] = np.frombuffer(data, stored)


@contextmanager
def open_shard(path: Path) -> Iterator[Shard]:
    """Open a safetensors file.

    Raises:
        ModelError: Missing, unreadable, not a regular file, truncated or damaged.
    """
    with open_model_file(path) as (stream, size):
        yield Shard(path, stream, size)


def unsound(path: Path, problem: str) -> ModelError:
    """The error for a file whose bytes are not those of its format."""
    return damaged(path, f"truncated or not a safetensors file ({problem})")


def _parsed(path: Path, header: bytes) -> dict[str, Tensor]:
    try:
        entries = json.loads(header)
    except (ValueError, RecursionError) as error:
        raise unsound(path, "the header is not JSON") from error
    if not isinstance(entries, dict):
        raise unsound(path, "the header is not a JSON object")
    entries.pop("__metadata__", None)
    return {name: _tensor(path, entry) for name, entry in entries.items()}


def _tensor(path: Path, entry: Any) -> Tensor:
    match entry:
        case {"dtype": str(dtype), "shape": [*shape], "data_offsets": [start, stop]} if (
            len(shape) <= _MOST_AXES
        ):
            if all(type(number) is int and number >= 0 for number in (*shape, start, stop)):
                return Tensor(dtype, tuple(shape), start, stop)
    raise unsound(path, "a tensor without type, shape or place")


def _check_layout(path: Path, tensors: dict[str, Tensor], size: int) -> None:
    """Hold the tensors to filling the file exactly, none over another."""
    end = 0
    for tensor in sorted(tensors.values(), key=lambda tensor: (tensor.start, tensor.stop)):
        if tensor.start != end or tensor.stop < end:
            raise unsound(path, "tensors overlap or leave gaps")
        end = tensor.stop
        item_bytes = ITEM_BYTES.get(tensor.dtype)
        if item_bytes is not None and end - tensor.start != prod(tensor.shape) * item_bytes:
            raise unsound(path, "a tensor of another size than its shape has")
    if end != size:
        raise unsound(path, "tensors and file end at different places")


FILE_NAME = "model.safetensors"
INDEX_NAME = "model.safetensors.index.json"
EMBEDDING = "model.embed_tokens.weight"
FINAL_NORM = "model.norm.weight"
HEAD = "lm_head.weight"
ROUTER = "mlp.gate"
EXPERTS = "mlp.experts"
"""Of a mixture's layer."""
_INDEX_BYTES = 1 << 23
"""A mixture's index names tens of thousands of tensors."""
_COMPUTED = "rotary_emb.inv_freq"
"""Older writers store these; they follow from the config."""


class LazyWeights(Mapping[str, FloatArray]):
    """Weights by Hugging Face name, each read when it is taken, in memory of its own."""

    @abstractmethod
    def rows(self, name: str) -> Rows:
        """Return a matrix whose rows are read when a slice of them is taken."""

    @abstractmethod
    def unpacked_by(self, unpack: Unpack) -> Self:
        """Return the same weights, unpacked from blocks in another way."""


def expected_shapes(config: ModelConfig) -> dict[str, tuple[int, ...]]:
    """Every tensor a model of this shape needs, by its Hugging Face name."""
    shapes: dict[str, tuple[int, ...]] = {
        EMBEDDING: (config.vocab_size, config.hidden_size),
        FINAL_NORM: (config.hidden_size,),
    }
    layer = layer_shapes(config)
    for number in range(config.n_layers):
        shapes |= {f"model.layers.{number}.{name}": shape for name, shape in layer.items()}
    return shapes if config.tie_word_embeddings else shapes | {HEAD: shapes[EMBEDDING]}


def weight_bytes(config: ModelConfig, item_bytes: float = 4.0) -> int:
    """Memory of all weights.

    Args:
        item_bytes: Bytes a weight takes, 4 as float32.
    """
    return int(sum(map(prod, expected_shapes(config).values())) * item_bytes)


def resident_bytes(config: ModelConfig, item_bytes: float) -> int:
    """Memory of all weights but those of experts that a token does not go through.

    Args:
        item_bytes: Bytes a weight takes.
    """
    weights = sum(map(prod, expected_shapes(config).values()))
    return int((weights - _idle_weights(config)) * item_bytes)


def layer_shapes(config: ModelConfig) -> dict[str, tuple[int, ...]]:
    """The tensors of one layer, by their names within it; a projection is (out, in)."""
    hidden = config.hidden_size
    queries = config.n_heads * config.head_dim
    keys = config.n_kv_heads * config.head_dim
    shapes: dict[str, tuple[int, ...]] = {
        "input_layernorm.weight": (hidden,),
        "self_attn.q_proj.weight": (queries, hidden),
        "self_attn.k_proj.weight": (keys, hidden),
        "self_attn.v_proj.weight": (keys, hidden),
        "self_attn.o_proj.weight": (hidden, queries),
        "post_attention_layernorm.weight": (hidden,),
    }
    if config.experts is None:
        shapes |= _mlp_shapes("mlp", hidden, config.intermediate_size)
    else:
        shapes[f"{ROUTER}.weight"] = (config.experts.count, hidden)
        for number in range(config.experts.count):
            shapes |= _mlp_shapes(f"{EXPERTS}.{number}", hidden, config.experts.size)
    if config.attention_bias:
        shapes["self_attn.q_proj.bias"] = (queries,)
        shapes["self_attn.k_proj.bias"] = (keys,)
        shapes["self_attn.v_proj.bias"] = (keys,)
    if config.qk_norm:
        shapes["self_attn.q_norm.weight"] = (config.head_dim,)
        shapes["self_attn.k_norm.weight"] = (config.head_dim,)
    return shapes


def _mlp_shapes(prefix: str, hidden: int, inner: int) -> dict[str, tuple[int, ...]]:
    """The three matrices of an MLP."""
    return {
        f"{prefix}.gate_proj.weight": (inner, hidden),
        f"{prefix}.up_proj.weight": (inner, hidden),
        f"{prefix}.down_proj.weight": (hidden, inner),
    }


def token_weights(config: ModelConfig) -> int:
    """How many weights one token goes through: all, but of the experts only the active ones.

    The row of an embedding that is no head counts nothing.
    """
    count = sum(map(prod, expected_shapes(config).values()))
    if not config.tie_word_embeddings:
        count -= config.vocab_size * config.hidden_size
    return count - _idle_weights(config)


def _idle_weights(config: ModelConfig) -> int:
    """How many weights of experts one token does not go through."""
    if config.experts is None:
        return 0
    idle = config.experts.count - config.experts.active
    return config.n_layers * idle * 3 * config.experts.size * config.hidden_size


@dataclass(frozen=True, slots=True)
class FolderWeights(LazyWeights):
    """The tensors of safetensors files, each read when it is taken.

    Taking one raises ModelError where it holds values that are not finite, or the file has changed
    meanwhile.
    """

    tensors: Mapping[str, StoredTensor]

    def __getitem__(self, name: str) -> FloatArray:
        return self.tensors[name].values()

    def __contains__(self, name: object) -> bool:
        return name in self.tensors

    def __iter__(self) -> Iterator[str]:
        return iter(self.tensors)

    def __len__(self) -> int:
        return len(self.tensors)

    def rows(self, name: str) -> Rows:
        """See `LazyWeights`: an expert's matrix is small enough to be read whole."""
        return self[name]

    def unpacked_by(self, unpack: Unpack) -> Self:
        """See `LazyWeights`: nothing here lies in blocks."""
        return self


def read_weights(folder: Path, config: ModelConfig) -> dict[str, FloatArray]:
    """Read model.safetensors of a model folder, or the files its index names.

    Args:
        folder: Holds the files.
        config: The shape the tensors must have.

    Returns:
        Every tensor the config asks for, float32, in memory of our own.

    Raises:
        ModelError: A file is missing, truncated, damaged, or of another shape than the config says;
            or more than fits into memory. Names, shapes and memory are checked before the first
            tensor is read.
    """
    with _opened(folder, config) as homes:
        require(weight_bytes(config), "reading the weights")
        return {name: shard.read(name) for name, shard in homes.items()}


def folder_weights(folder: Path, config: ModelConfig) -> FolderWeights:
    """Return the tensors of `read_weights`, each read when it is taken.

    In float32 a mixture is larger than memory.

    Raises:
        ModelError: As `read_weights`.
    """
    with _opened(folder, config) as homes:
        return FolderWeights({name: shard.stored(name) for name, shard in homes.items()})


@contextmanager
def _opened(folder: Path, config: ModelConfig) -> Iterator[dict[str, Shard]]:
    """The open file each tensor is in, checked to hold what the config asks for."""
    shapes = expected_shapes(config)
    with ExitStack() as stack:
        shards = [stack.enter_context(open_shard(path)) for path in _files(folder)]
        homes = _homes(shards, config)
        _check_names(shards[0].path, homes, shapes)
        for name, shape in shapes.items():
            actual = homes[name].tensors[name].shape
            if actual != shape:
                problem = f"{name} has shape {shown(actual)}, config.json asks for {shape}"
                raise damaged(homes[name].path, problem)
        yield {name: homes[name] for name in shapes}


def _files(folder: Path) -> list[Path]:
    """Return the one file of the weights, or all that the index names."""
    file = folder / FILE_NAME
    index = folder / INDEX_NAME
    if file.exists():
        return [file]
    if not index.exists():
        for pickled in sorted(folder.glob("*.bin")):
            problem = ".bin files are pickles, which are never read"
            raise damaged(pickled, problem, "convert it to safetensors")
        return [file]  # reading it says that it is missing
    names = Entries.read(index, limit=_INDEX_BYTES).section("weight_map").texts()
    if not names:
        raise damaged(index, "weight_map names no files")
    for name in names:
        if not name.endswith(".safetensors") or set(name) & set("/\\\0"):
            raise damaged(
                index,
                f"weight_map names {shown(name)}, which is not a safetensors file of the folder",
            )
    return [folder / name for name in names]


def _homes(shards: list[Shard], config: ModelConfig) -> dict[str, Shard]:
    """The file each tensor is in, but for tensors that need not be read."""
    homes: dict[str, Shard] = {}
    for shard in shards:
        for name in shard.tensors:
            if name.endswith(_COMPUTED) or (name == HEAD and config.tie_word_embeddings):
                continue  # some writers store the shared matrix twice
            if name in homes:
                raise damaged(shard.path, f"{shown(name)} is in {homes[name].path.name} as well")
            homes[name] = shard
    return homes


def _check_names(path: Path, homes: dict[str, Shard], shapes: dict[str, tuple[int, ...]]) -> None:
    missing = sorted(shapes.keys() - homes.keys())
    unknown = sorted(homes.keys() - shapes.keys())
    if missing:
        problem = f"{len(missing)} tensors that config.json asks for are missing"
        raise damaged(path, f"{problem}, {missing[0]} first")
    if unknown:
        first = unknown[0]
        problem = f"{len(unknown)} tensors that config.json does not ask for"
        raise damaged(homes[first].path, f"{problem}, {shown(first)} first")
