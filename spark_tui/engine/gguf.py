"""Reading GGUF files, version 2 and 3, little endian: metadata and tensor infos, checked; data when it is asked for.

Nothing is allocated on the word of a count in the file before the bytes it stands for are known to be there. The data
of a tensor is never all in memory beside what becomes of it: to touch new memory is what loading takes longest for.
Source: ggml docs/gguf.md, https://github.com/ggml-org/ggml/blob/master/docs/gguf.md.
"""

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from sys import getsizeof
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.files import Region, damaged, open_model_file
from spark_tui.engine.gguf_quants import ENCODINGS, Encoding, Unpack, dequantise
from spark_tui.errors import ModelError

SUFFIX = ".gguf"
MAGIC = b"GGUF"
ALIGNMENT = 32
"""Where the file does not say otherwise, tensors start at multiples of this many bytes."""
_MAX_BYTES = 1 << 36
_MAX_MEMORY, _MAX_TEXT = 44 << 20, 16 << 20
"""Bytes that metadata and infos may take as Python objects, and one text in the file."""
_ENTRY, _LIST, _TENSOR, _POINTER = 512, 2048, 1024, 8
"""What one of them takes, roughly, beside its texts; of a text in a list."""
_MAX_KEY, _MAX_DEPTH, _MAX_DIMENSIONS, _MAX_ALIGNMENT = 65_535, 4, 4, 1 << 16
_AHEAD = 1 << 23
"""Bytes of metadata read at a time."""

UINT32, INT32, FLOAT32, BOOL, STRING, ARRAY = 4, 5, 6, 7, 8, 9
_SCALARS = {kind: f"<{code}" for kind, code in zip((*range(8), 10, 11, 12), "BbHhIifBQqd", strict=True)}
"""Value type number -> the number it is made of, as struct and numpy both call it."""

Value = int | float | bool | str | list[Any] | npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class GgufTensor:
    """A tensor as it lies in the file. `shape`: rows first, as numpy has it. `data`: its bytes, still encoded."""

    shape: tuple[int, ...]
    encoding: Encoding
    data: Region | memoryview

    def part(self, number: int) -> "GgufTensor":
        """One of the tensors that this one is made of, one behind the other."""
        shape = self.shape[1:]
        size = self.encoding.bytes_of(prod(shape))
        if isinstance(self.data, memoryview):
            return GgufTensor(shape, self.encoding, self.data[number * size : (number + 1) * size])
        place = Region(self.data.path, self.data.start + number * size, size)
        return GgufTensor(shape, self.encoding, place)

    def values(self, rows: slice | None = None, unpack: Unpack | None = None) -> FloatArray:
        """The tensor in float32, in memory of its own.

        Args: rows: those of a matrix that are wanted; None: all. unpack: as of `dequantise`.
        """
        part = slice(None)
        if rows is not None:
            start, stop, _ = rows.indices(self.shape[0])
            size = self.encoding.bytes_of(prod(self.shape[1:]))
            part = slice(start * size, stop * size)
        return dequantise(self.encoding, self.data[part], unpack).reshape(-1, *self.shape[1:])


@dataclass(frozen=True, slots=True)
class GgufFile:
    """What a file holds. Arrays of numbers in `metadata` are numpy arrays, those of anything else lists."""

    path: Path
    metadata: dict[str, Value]
    tensors: dict[str, GgufTensor]


def read_gguf(path: Path) -> GgufFile:
    """Read what a GGUF file says of itself; its tensors are read when their values are asked for.

    Raises: ModelError: missing, no GGUF file of a version or number format known here, truncated or damaged.
    """
    with open_model_file(path, limit=_MAX_BYTES) as (stream, size):
        return _Reader(path, stream, size).read()


def read_parts(paths: Sequence[Path]) -> GgufFile:
    """Several files with tensors of one model, as one with the metadata of the first.

    Raises: ModelError: as `read_gguf`, or a tensor is in two of them.
    """
    parts = [read_gguf(path) for path in paths]
    tensors: dict[str, GgufTensor] = {}
    for part in parts:
        if twice := tensors.keys() & part.tensors.keys():
            raise damaged(part.path, f"{min(twice)[:80]!r} is in another part, too")
        tensors |= part.tensors
    return GgufFile(parts[0].path, parts[0].metadata, tensors)


class _Reader:
    """A place in the file, and what may still be made of it."""

    def __init__(self, path: Path, stream: BinaryIO, size: int) -> None:
        self._path, self._stream, self._size = path, stream, size
        self._data, self._at, self._memory = b"", 0, _MAX_MEMORY

    def fault(self, problem: str) -> ModelError:
        return damaged(self._path, f"{problem} (byte {self._at:,} of {self._size:,})")

    def read(self) -> GgufFile:
        if self._take(4) != MAGIC:
            raise damaged(self._path, "not a GGUF file")
        if (version := self._number(UINT32)) not in (2, 3):
            raise damaged(
                self._path, f"GGUF version {version}; this engine reads little-endian 2 and 3", "name another model"
            )
        n_tensors, n_entries = self._number(10), self._number(10)
        metadata: dict[str, Value] = {}
        for _ in self._range(n_entries, "metadata entries", _ENTRY):
            key = self._text(_MAX_KEY)
            if key in metadata:
                raise self.fault(f"{key[:80]!r} occurs twice")
            metadata[key] = self._value(self._number(UINT32), 0)
        infos = {self._text(_MAX_KEY): self._info() for _ in self._range(n_tensors, "tensors", _TENSOR)}
        if len(infos) < n_tensors:
            raise self.fault("two tensors have the same name")
        return GgufFile(self._path, metadata, self._tensors(infos, self._alignment(metadata)))

    def _take(self, size: int) -> bytes:
        self._have(size)
        self._at += size
        return self._data[self._at - size : self._at]

    def _have(self, size: int) -> None:
        """Read so far that the next bytes are there."""
        end = self._at + size
        if end <= len(self._data):
            return
        if end > self._size:
            raise self.fault("truncated or damaged")
        if size > _MAX_MEMORY:
            raise self.fault("more metadata than a model has")
        self._data += self._stream.read(max(_AHEAD, end - len(self._data)))
        if end > len(self._data):
            raise self.fault("truncated or damaged")

    def _number(self, kind: int) -> Any:
        code = _SCALARS[kind]
        (value,) = struct.unpack(code, self._take(struct.calcsize(code)))
        return float(str(np.float32(value))) if kind == FLOAT32 else value  # the shortest decimal: 1e-6 stays 1e-6

    def _range(self, count: int, what: str, memory: int) -> range:
        """For things to come, each of which takes at least a byte in the file and so much memory."""
        if count > self._size - self._at:
            raise self.fault(f"{count:,} {what}, more than the file can hold")
        self._memory -= count * memory
        if self._memory < 0:
            raise self.fault("more metadata than a model has")
        return range(count)

    def _text(self, limit: int = _MAX_TEXT) -> str:
        (text,) = self._texts(range(1), limit)
        return text

    def _texts(self, count: range, limit: int = _MAX_TEXT) -> Iterator[str]:
        """One behind the other: a vocabulary is hundreds of thousands of them, so each takes few steps."""
        size_at = struct.Struct("<Q").unpack_from
        for _ in count:
            if self._at + 8 > len(self._data):
                self._have(8)
            (size,) = size_at(self._data, self._at)
            if size > limit:
                raise self.fault(f"a text of {size:,} bytes")
            end = self._at + 8 + size
            if end > len(self._data):
                self._have(8 + size)
            try:
                text = self._data[self._at + 8 : end].decode()
            except UnicodeDecodeError as error:
                raise self.fault("text that is not UTF-8") from error
            self._at = end
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
        kind, count = self._number(UINT32), self._number(10)
        if kind in _SCALARS:
            dtype = np.dtype(_SCALARS[kind])
            return np.frombuffer(self._take(count * dtype.itemsize), dtype)
        if kind == STRING:
            return list(self._texts(self._range(count, "texts", _POINTER)))
        return [self._value(kind, depth) for _ in self._range(count, "lists", _LIST)]

    def _info(self) -> tuple[tuple[int, ...], Encoding, int]:
        """Shape, format and offset."""
        dimensions = self._number(UINT32)
        if not 1 <= dimensions <= _MAX_DIMENSIONS:
            raise self.fault(f"a tensor of {dimensions} dimensions")
        shape = tuple(self._number(10) for _ in range(dimensions))[::-1]
        kind = self._number(UINT32)
        if kind not in ENCODINGS:
            known = ", ".join(encoding.name for encoding in ENCODINGS.values())
            raise damaged(
                self._path, f"a tensor has number format {kind}; this engine reads {known}", "name another model"
            )
        if shape[-1] % ENCODINGS[kind].items or not all(0 < size <= _MAX_BYTES for size in shape):
            raise self.fault(f"a tensor of shape {shape}")
        return shape, ENCODINGS[kind], self._number(10)

    def _alignment(self, metadata: dict[str, Value]) -> int:
        value = metadata.get("general.alignment", ALIGNMENT)
        if type(value) is not int or not 1 <= value <= _MAX_ALIGNMENT or value & (value - 1):
            raise self.fault(f"general.alignment is {value!r}, not a power of two")
        return value

    def _tensors(
        self, infos: dict[str, tuple[tuple[int, ...], Encoding, int]], alignment: int
    ) -> dict[str, GgufTensor]:
        """The data of every tensor: they lie one behind the other, each at the next aligned place."""
        start, place, tensors = aligned(self._at, alignment), 0, {}
        for name, (shape, encoding, offset) in infos.items():
            if offset != place:
                raise self.fault(f"tensor {name[:80]!r} stands at {offset:,}, not right after the one before it")
            size = encoding.bytes_of(prod(shape))
            self._at = min(start + offset, self._size)
            if size > self._size - self._at:
                raise self.fault("truncated or damaged")
            tensors[name] = GgufTensor(shape, encoding, Region(self._path, self._at, size))
            place = aligned(offset + size, alignment)
        return tensors


def aligned(place: int, alignment: int) -> int:
    """The first multiple of the alignment that is not before a place."""
    return -(-place // alignment) * alignment
