"""Packed weights in a file, because packing half a billion numbers takes seconds at every start.

A file is written once, whole or not at all, in a folder that only the user may read. It is never
changed, because processes map it; its replacement is another file. Checksums are compared before
anything in a file is used. A file can be written again at any time, so any trouble with it, such as
a full disk, only means that there is no file.

The file: the magic line, the length and the checksum of the header, the header in JSON, then the
arrays, each at a whole page.
"""

import json
import mmap
import os
import shutil
import tempfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from spark_tui.engine.kernels.cached_files import PART, SPARE, aligned, make_room
from spark_tui.engine.kernels.packed_weights import Packed
from spark_tui.engine.kernels.weight_order import Arranged, Layer

SUFFIX = ".weights"
_MAGIC = b"spark weights 1\n"
_NUMBER = 8
"""Bytes of the header's length, and of its checksum."""
LEAST_BYTES = 32 << 20
"""The least weights worth a file: smaller models are packed in no time."""
MOST_BYTES = 2 << 30
"""The most bytes that all files together take."""

Arrays = dict[str, npt.NDArray[Any]]
Rooms = Callable[[int], Sequence[Packed]]
"""Returns the matrices of a layer's experts: their gates and ups, and their ways down."""


def keep(arranged: Arranged, place: Path) -> None:
    """Write a file, unless it would take too much room.

    Files used longest ago are removed where all together take more than they may.
    """
    arrays = _arrays(arranged)
    size = sum(array.nbytes for array in arrays.values())
    if not LEAST_BYTES <= size <= MOST_BYTES:
        return
    sizes = {}
    for name, matrix in _matrices(arranged).items():
        sizes[name] = (matrix.bits, matrix.rows, matrix.inputs)
    with suppress(OSError):
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if shutil.disk_usage(place.parent).free > SPARE * size:
            _write(arrays, sizes, place)
            make_room(place, MOST_BYTES)


def kept(place: Path, threads: int, rooms: Rooms | None = None) -> Arranged | None:
    """Return the weights of a file.

    Args:
        place: The file.
        threads: The threads that compare its checksums.
        rooms: The matrices of a mixture's experts, whose weights are elsewhere.

    Returns:
        None where there is no such file, or where the file is damaged.
    """
    try:
        with place.open("rb") as stream:
            whole = np.frombuffer(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ), np.uint8)
        arranged = _read(whole, threads, rooms)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    with suppress(OSError):
        os.utime(place)  # `make_room` removes the files used longest ago first
    return arranged


def _write(arrays: Arrays, sizes: Mapping[str, Sequence[int]], place: Path) -> None:
    entries = {}
    offset = 0
    for name, array in arrays.items():
        entries[name] = (array.dtype.str, array.shape, offset, zlib.crc32(array.data))
        offset = aligned(offset + array.nbytes)
    header = json.dumps({"arrays": entries, "sizes": sizes, "end": offset}).encode()
    head = _MAGIC + _number(len(header)) + _number(zlib.crc32(header))
    handle, part = tempfile.mkstemp(PART, place.stem, place.parent)
    try:
        with open(handle, "wb") as stream:  # noqa: PTH123 - what is open already
            stream.write(head + header)
            start = aligned(stream.tell())
            # Offsets count from the first page behind the header, whose length they influence.
            for name, array in arrays.items():
                _, _, array_offset, _ = entries[name]
                stream.seek(start + array_offset)
                stream.write(array.data)
            stream.truncate(start + offset)
        # In one step, and as another file: other processes may have mapped the file before it.
        Path(part).replace(place)
    except BaseException:
        Path(part).unlink(missing_ok=True)
        raise


def _number(value: int) -> bytes:
    return value.to_bytes(_NUMBER, "little")


def _read(whole: npt.NDArray[np.uint8], threads: int, rooms: Rooms | None) -> Arranged:
    """Return the weights of a file.

    Raises:
        ValueError, KeyError, TypeError: The bytes are not those that were written.
    """
    length_at = len(_MAGIC)
    checksum_at = length_at + _NUMBER
    header_at = checksum_at + _NUMBER
    length = int.from_bytes(whole[length_at:checksum_at].tobytes(), "little")
    checksum = int.from_bytes(whole[checksum_at:header_at].tobytes(), "little")
    header = whole[header_at : header_at + length].tobytes()
    if whole[: len(_MAGIC)].tobytes() != _MAGIC or zlib.crc32(header) != checksum:
        raise ValueError("not a file of weights")
    content = json.loads(header)
    start = aligned(header_at + length)
    if len(whole) != start + content["end"]:
        raise ValueError("of another size than it says")

    def array(entry: tuple[str, Sequence[int], int, int]) -> npt.NDArray[Any]:
        kind, shape, offset, expected = entry
        view = np.ndarray(shape, np.dtype(kind), whole.data, start + offset)
        if zlib.crc32(view.data) != expected:
            raise ValueError("damaged")
        return view

    # The checksums read all of the weights, and zlib lets other threads run meanwhile.
    entries = content["arrays"]
    with ThreadPoolExecutor(threads) as pool:
        arrays = dict(zip(entries, pool.map(array, entries.values()), strict=True))
    return _arranged(arrays, content["sizes"], rooms)


def _arrays(arranged: Arranged) -> Arrays:
    arrays: Arrays = {"norm": arranged.norm}
    for name, matrix in _matrices(arranged).items():
        arrays[f"{name}.data"] = matrix.data
        arrays[f"{name}.scales"] = matrix.scales
    for number, layer in enumerate(arranged.layers):
        for name, vector in zip(Layer.VECTORS, layer.vectors(), strict=True):
            if vector is not None:
                arrays[f"{number}.{name}"] = vector
    return arrays


def _matrices(arranged: Arranged) -> dict[str, Packed]:
    matrices = {"embedding": arranged.embedding}
    if arranged.head is not arranged.embedding:
        matrices["head"] = arranged.head
    for number, layer in enumerate(arranged.layers):
        for name, matrix in layer.whole_matrices().items():
            matrices[f"{number}.{name}"] = matrix
    return matrices


def _arranged(arrays: Arrays, sizes: Mapping[str, Sequence[int]], rooms: Rooms | None) -> Arranged:
    def packed(name: str) -> Packed:
        bits, rows, inputs = sizes[name]
        return Packed(bits, rows, inputs, arrays[f"{name}.data"], arrays[f"{name}.scales"])

    def layer(number: int) -> Layer:
        vectors = {name: arrays.get(f"{number}.{name}") for name in Layer.VECTORS}
        names = Layer.whole_names(rooms is not None)
        matrices = {name: packed(f"{number}.{name}") for name in names}
        if rooms is not None:
            matrices["gate_up"], matrices["down"] = rooms(number)
        return Layer(**vectors, **matrices)  # type: ignore[arg-type]

    # The header names no number of layers: they end where the next one has no matrices.
    layers: list[Layer] = []
    while f"{len(layers)}.{Layer.MATRICES[0]}" in sizes:
        layers.append(layer(len(layers)))
    embedding = packed("embedding")
    head = embedding
    if "head" in sizes:
        head = packed("head")
    return Arranged(layers, embedding, arrays["norm"], head)
