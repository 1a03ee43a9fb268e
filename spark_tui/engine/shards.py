"""One safetensors file, read tensor by tensor: its header is checked in full before any tensor is."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.files import Region, damaged, open_model_file, shown
from spark_tui.errors import ModelError

ITEM_BYTES = {"F16": 2, "BF16": 2, "F32": 4}
"""The types of numbers that are read, and the bytes of one."""
_HEADER_BYTES = 2 << 20
_LENGTH_BYTES = 8
_MOST_AXES = 8
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Tensor:
    """Where a tensor stands in its file: `start` and `stop` in bytes from the first byte behind the header."""

    dtype: str
    shape: tuple[int, ...]
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class StoredTensor:
    """A tensor that is read when its values are asked for, and never mapped. `data`: its bytes."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    data: Region

    def values(self) -> FloatArray:
        """The tensor as float32, in memory of our own. Raises: ModelError: as `Shard.read`."""
        size = _item_bytes(self.data.path, self.name, self.dtype)

        def read(first: int, count: int) -> bytes:
            return self.data[first * size : (first + count) * size]

        return _values(self.data.path, self.name, self.dtype, self.shape, read)


class Shard:
    """A safetensors file open for reading. Nothing of it is mapped, so nothing done to it later can reach us.

    Args: path: its name, for messages. stream: opened for bytes. size: of the file.
    Raises: ModelError: truncated, or a header that does not describe the file exactly.
    Source: https://huggingface.co/docs/safetensors, "Format".
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

        Raises: ModelError: a type this engine does not read, numbers that are not finite, or a file cut meanwhile.
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
        data = Region(self.path, self._data + tensor.start, tensor.stop - tensor.start)
        return StoredTensor(name, tensor.dtype, tensor.shape, data)


def _item_bytes(path: Path, name: str, dtype: str) -> int:
    if dtype not in ITEM_BYTES:
        raise damaged(path, f"{name} is {shown(dtype)}, this engine reads {', '.join(ITEM_BYTES)}")
    return ITEM_BYTES[dtype]


def _values(path: Path, name: str, dtype: str, shape: tuple[int, ...], read: Callable[[int, int], bytes]) -> FloatArray:
    """A tensor as float32. Args: read: the bytes of so many numbers from one on, one after the other."""
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
        part[:] = np.frombuffer(data, "<f2" if dtype == "F16" else "<f4")


@contextmanager
def open_shard(path: Path) -> Iterator[Shard]:
    """Open a safetensors file.

    Raises: ModelError: missing, unreadable, not a regular file, truncated or damaged.
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
        case {"dtype": str(dtype), "shape": [*shape], "data_offsets": [start, stop]} if len(shape) <= _MOST_AXES:
            if all(type(number) is int and number >= 0 for number in (*shape, start, stop)):
                return Tensor(dtype, tuple(shape), start, stop)
    raise unsound(path, "a tensor without type, shape or place")


def _check_layout(path: Path, tensors: dict[str, Tensor], size: int) -> None:
    """Hold the tensors to filling the file exactly, none over another."""
    end = 0
    for tensor in sorted(tensors.values(), key=lambda one: (one.start, one.stop)):
        if tensor.start != end or tensor.stop < end:
            raise unsound(path, "tensors overlap or leave gaps")
        end = tensor.stop
        if tensor.dtype in ITEM_BYTES and end - tensor.start != prod(tensor.shape) * ITEM_BYTES[tensor.dtype]:
            raise unsound(path, "a tensor of another size than its shape has")
    if end != size:
        raise unsound(path, "tensors and file end at different places")
