"""Weights in safetensors files: reads them as float32 arrays, and checks names and shapes.

The files may come from a stranger. So the header of a file is checked in full before any tensor is
read, and the tensors are held to the config of the model.

Weights have the names of Hugging Face throughout the engine, whatever file they come from.
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
"""Number type -> its bytes, for the types that are read."""
_HEADER_BYTES = 2 << 20
"""The most bytes of a header, enough for some 15,000 tensors."""
_LENGTH_BYTES = 8
"""A file begins with the length of its header in 8 bytes. Source: safetensors, README, Format."""
_MOST_AXES = 8
_BLOCK = 1 << 20
"""Numbers that are read and widened at a time, so that the narrow copy stays small."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """The place of a tensor in its file.

    Attributes:
        dtype: The number type, such as "BF16".
        shape: The shape.
        start: The first byte, counted from the end of the header.
        stop: The byte after the last.
    """

    dtype: str
    shape: tuple[int, ...]
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class StoredTensor:
    """A tensor in a file, read only when its values are asked for, and never mapped.

    Attributes:
        name: The name of the tensor.
        dtype: The number type, such as "BF16".
        shape: The shape.
        data: The tensor's bytes in the file.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    data: FileRegion

    def values(self) -> FloatArray:
        """Return the tensor as float32, in memory of its own.

        Raises:
            ModelError: As `Shard.read`.
        """
        size = _item_bytes(self.data.path, self.name, self.dtype)

        def read(first: int, count: int) -> bytes:
            return self.data[first * size : (first + count) * size]

        return _values(self.data.path, self.name, self.dtype, self.shape, read)


class Shard:
    """A safetensors file open for reading.

    Tensors are copied into memory, never mapped: whatever happens to the file later, the arrays
    stay as they were read.

    Args:
        path: The path of the file, for messages.
        stream: The open file, at its beginning.
        size: The size of the file in bytes.

    Raises:
        ModelError: Truncated, or a header that does not describe the file exactly.

    Source:
        The section "Format" of https://huggingface.co/docs/safetensors.
    """

    def __init__(self, path: Path, stream: BinaryIO, size: int) -> None:
        self.path = path
        self._stream = stream
        length = int.from_bytes(stream.read(_LENGTH_BYTES), "little")
        self._data = _LENGTH_BYTES + length
        # Before the header is read: a stranger's length may be any number of 64 bits.
        if size < _LENGTH_BYTES or length > _HEADER_BYTES or self._data > size:
            raise unsound(path, "no header")
        self.tensors = _parsed(path, stream.read(length))
        _check_layout(path, self.tensors, size - self._data)

    def read(self, name: str) -> FloatArray:
        """Return a tensor as float32, in memory of its own.

        Raises:
            ModelError: A type this engine does not read, numbers that are not finite, or a file cut
                meanwhile.
        """
        tensor = self.tensors[name]
        size = _item_bytes(self.path, name, tensor.dtype)
        self._stream.seek(self._data + tensor.start)

        # `_values` asks for the numbers in order, so the stream already stands at the first one.
        def read(_first: int, count: int) -> bytes:
            data = self._stream.read(count * size)
            if len(data) < count * size:
                raise unsound(self.path, "cut while it was read")
            return data

        return _values(self.path, name, tensor.dtype, tensor.shape, read)

    def stored(self, name: str) -> StoredTensor:
        """Return a tensor that can be read later, after this file is closed."""
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
    """Return a tensor as float32.

    Args:
        path: The file, for messages.
        name: The tensor, for messages.
        dtype: The number type.
        shape: The shape.
        read: Returns the bytes of numbers, given the index of the first and their count; called
            for one block after the other.
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
    if dtype == "BF16":  # the upper half of a float32, and numpy has no such type
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
    """Return the error for a file whose bytes do not follow the format."""
    return damaged(path, f"truncated or not a safetensors file ({problem})")


def _parsed(path: Path, header: bytes) -> dict[str, Tensor]:
    try:
        entries = json.loads(header)
    except (ValueError, RecursionError) as error:  # a hostile header may nest without end
        raise unsound(path, "the header is not JSON") from error
    if not isinstance(entries, dict):
        raise unsound(path, "the header is not a JSON object")
    entries.pop("__metadata__", None)  # free text, the one entry that is no tensor
    return {name: _tensor(path, entry) for name, entry in entries.items()}


def _tensor(path: Path, entry: Any) -> Tensor:
    match entry:
        case {"dtype": str(dtype), "shape": [*shape], "data_offsets": [start, stop]} if (
            len(shape) <= _MOST_AXES
        ):
            # Not isinstance: true and false are whole numbers to Python.
            if all(type(number) is int and number >= 0 for number in (*shape, start, stop)):
                return Tensor(dtype, tuple(shape), start, stop)
    raise unsound(path, "a tensor without type, shape or place")


def _check_layout(path: Path, tensors: dict[str, Tensor], size: int) -> None:
    """Refuse tensors that overlap, or leave bytes of the file unused.

    The format demands both; a gap could hide other content.

    Args:
        path: The file, for messages.
        tensors: The tensors by name.
        size: The number of bytes after the header.
    """
    end = 0
    for tensor in sorted(tensors.values(), key=lambda tensor: (tensor.start, tensor.stop)):
        if tensor.start != end or tensor.stop < end:
            raise unsound(path, "tensors overlap or leave gaps")
        end = tensor.stop
        # A type that is not read here may be fine as long as nobody asks for the tensor.
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
"""The experts of a layer: their number and the names of an MLP follow."""
_INDEX_BYTES = 1 << 23
"""The most bytes of an index; that of a mixture names tens of thousands of tensors."""
_COMPUTED = "rotary_emb.inv_freq"
"""Tensors that older writers store, although they follow from the config."""


class LazyWeights(Mapping[str, FloatArray]):
    """Weights by Hugging Face name, each read on every access, into memory of its own."""

    @abstractmethod
    def rows(self, name: str) -> Rows:
        """Return a matrix whose rows are read when a slice of them is taken."""

    @abstractmethod
    def unpacked_by(self, unpack: Unpack) -> Self:
        """Return the same weights, with another function to unpack quantised blocks."""


def expected_shapes(config: ModelConfig) -> dict[str, tuple[int, ...]]:
    """Return the shape of every tensor that a model needs, by its Hugging Face name."""
    shapes: dict[str, tuple[int, ...]] = {
        EMBEDDING: (config.vocab_size, config.hidden_size),
        FINAL_NORM: (config.hidden_size,),
    }
    layer = layer_shapes(config)
    for number in range(config.n_layers):
        shapes |= {f"model.layers.{number}.{name}": shape for name, shape in layer.items()}
    return shapes if config.tie_word_embeddings else shapes | {HEAD: shapes[EMBEDDING]}


def weight_bytes(config: ModelConfig, item_bytes: float = 4.0) -> int:
    """Return the memory of all weights in bytes.

    Args:
        config: The model's shape.
        item_bytes: The bytes of a weight, 4 as float32.
    """
    return int(sum(map(prod, expected_shapes(config).values())) * item_bytes)


def resident_bytes(config: ModelConfig, item_bytes: float) -> int:
    """Return the memory, in bytes, of the weights that a token goes through.

    Compiled code maps the experts from a file, so the system can take back the memory of the
    others where it is short.

    Args:
        config: The model's shape.
        item_bytes: The bytes of a weight.
    """
    weights = sum(map(prod, expected_shapes(config).values()))
    return int((weights - _idle_weights(config)) * item_bytes)


def layer_shapes(config: ModelConfig) -> dict[str, tuple[int, ...]]:
    """Return the shapes of one layer's tensors, by their names within the layer.

    A projection is (out, in).
    """
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
    """Return the shapes of the three matrices of an MLP."""
    return {
        f"{prefix}.gate_proj.weight": (inner, hidden),
        f"{prefix}.up_proj.weight": (inner, hidden),
        f"{prefix}.down_proj.weight": (hidden, inner),
    }


def token_weights(config: ModelConfig) -> int:
    """Return how many weights one token is multiplied with.

    Of the experts only the active ones count. An embedding counts only where it is also the head:
    looking a row up multiplies nothing.
    """
    count = sum(map(prod, expected_shapes(config).values()))
    if not config.tie_word_embeddings:
        count -= config.vocab_size * config.hidden_size
    return count - _idle_weights(config)


def _idle_weights(config: ModelConfig) -> int:
    """Return the number of weights in experts that one token does not go through."""
    if config.experts is None:
        return 0
    idle = config.experts.count - config.experts.active
    # An expert has three matrices: gate, up and down.
    return config.n_layers * idle * 3 * config.experts.size * config.hidden_size


@dataclass(frozen=True, slots=True)
class FolderWeights(LazyWeights):
    """The tensors of safetensors files, each read on access.

    Access raises ModelError if a tensor holds values that are not finite, or if the file has
    changed meanwhile.
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
    """Read model.safetensors of a model folder, or the files that its index names.

    Names, shapes and memory are checked before the first tensor is read.

    Args:
        folder: The folder of the files.
        config: The model's shape, which the tensors must have.

    Returns:
        Every tensor that the config asks for, float32, in memory of its own.

    Raises:
        ModelError: A file is missing, truncated, damaged, or of another shape than the config says;
            or the weights do not fit into memory.
    """
    with _opened(folder, config) as homes:
        require(weight_bytes(config), "reading the weights")
        return {name: shard.read(name) for name, shard in homes.items()}


def folder_weights(folder: Path, config: ModelConfig) -> FolderWeights:
    """Return the tensors of `read_weights`, each read on access.

    A mixture as float32 is larger than memory, so its tensors must not all be there at once.

    Raises:
        ModelError: As `read_weights`.
    """
    with _opened(folder, config) as homes:
        return FolderWeights({name: shard.stored(name) for name, shard in homes.items()})


@contextmanager
def _opened(folder: Path, config: ModelConfig) -> Iterator[dict[str, Shard]]:
    """Open the files of the weights, and check them against the config.

    Yields:
        For each tensor that the config asks for, the open file that holds it.
    """
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
    """Return the single file of the weights, or all files that the index names."""
    file = folder / FILE_NAME
    index = folder / INDEX_NAME
    if file.exists():
        return [file]
    if not index.exists():
        # Loading a pickle runs code of its author.
        for pickled in sorted(folder.glob("*.bin")):
            problem = ".bin files are pickles, which are never read"
            raise damaged(pickled, problem, "convert it to safetensors")
        return [file]  # reading it says that it is missing
    names = Entries.read(index, limit=_INDEX_BYTES).section("weight_map").texts()
    if not names:
        raise damaged(index, "weight_map names no files")
    for name in names:
        # A stranger's index must not lead out of the folder.
        if not name.endswith(".safetensors") or set(name) & set("/\\\0"):
            raise damaged(
                index,
                f"weight_map names {shown(name)}, which is not a safetensors file of the folder",
            )
    return [folder / name for name in names]


def _homes(shards: list[Shard], config: ModelConfig) -> dict[str, Shard]:
    """Return the file that holds each tensor, without tensors that need not be read."""
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
