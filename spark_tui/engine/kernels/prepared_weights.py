"""Weights as compiled code takes them, kept in a file: to arrange those of half a billion numbers
takes seconds.

A file is written once, whole or not at all, in a folder that only the user may read, and never
changed: it is mapped, and what replaces it is another file. Its checksums are compared before
anything in it is used. It can be made again at any time, so whatever goes wrong with it, a full
disk or one that may not be written to, only means that there is none.
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

from spark_tui.engine.kernels.cached_files import PART, aligned, make_room
from spark_tui.engine.kernels.packed_weights import Packed
from spark_tui.engine.kernels.weight_order import Arranged, Layer

SUFFIX = ".weights"
_MAGIC = b"spark weights 1\n"
_NUMBER = 8
"""Bytes of the header's length, and of its checksum."""
LEAST_BYTES = 32 << 20
MOST_BYTES = 2 << 30
"""What is arranged in no time is not kept; and what all files together may take."""
_SPARE = 4
"""A disk has to have room for so many such files."""

Arrays = dict[str, npt.NDArray[Any]]
Rooms = Callable[[int], Sequence[Packed]]
"""Gives a layer's gates and ups, and ways down, of all experts."""


def keep(arranged: Arranged, place: Path) -> None:
    """Write a file, unless it would take too much room, and remove those used longest ago
    beyond what all may take.
    """
    arrays = _arrays(arranged)
    size = sum(array.nbytes for array in arrays.values())
    with suppress(OSError):
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if (
            LEAST_BYTES <= size <= MOST_BYTES
            and shutil.disk_usage(place.parent).free > _SPARE * size
        ):
            sizes = {
                name: (each.bits, each.rows, each.inputs)
                for name, each in _matrices(arranged).items()
            }
            _write(arrays, sizes, place)
            make_room(place, MOST_BYTES)


def kept(place: Path, threads: int, rooms: Rooms | None = None) -> Arranged | None:
    """What a file holds; None where there is none, or it is damaged.

    Args:
        place: The file.
        threads: That compare its checksums.
        rooms: Of a mixture's experts, whose weights are elsewhere.
    """
    try:
        with place.open("rb") as stream:
            whole = np.frombuffer(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ), np.uint8)
        arranged = _read(whole, threads, rooms)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    with suppress(OSError):
        os.utime(place)  # the one that was used last is removed last
    return arranged


def _write(arrays: Arrays, sizes: Mapping[str, Sequence[int]], place: Path) -> None:
    entries = {}
    at = 0
    for name, array in arrays.items():
        entries[name] = (array.dtype.str, array.shape, at, zlib.crc32(array.data))
        at = aligned(at + array.nbytes)
    header = json.dumps({"arrays": entries, "sizes": sizes, "end": at}).encode()
    head = b"".join(
        number.to_bytes(_NUMBER, "little") for number in (len(header), zlib.crc32(header))
    )
    handle, part = tempfile.mkstemp(PART, place.stem, place.parent)
    try:
        with open(handle, "wb") as stream:  # noqa: PTH123 - what is open already
            stream.write(_MAGIC + head + header)
            start = aligned(stream.tell())
            for name, array in arrays.items():
                stream.seek(start + entries[name][2])
                stream.write(array.data)
            stream.truncate(start + at)
        Path(part).replace(place)
    except BaseException:
        Path(part).unlink(missing_ok=True)
        raise


def _read(whole: npt.NDArray[np.uint8], threads: int, rooms: Rooms | None) -> Arranged:
    """Raises:
    ValueError, KeyError, TypeError: The bytes are not those that were written.
    """
    places = [len(_MAGIC), len(_MAGIC) + _NUMBER]
    length, checksum = (
        int.from_bytes(whole[at : at + _NUMBER].tobytes(), "little") for at in places
    )
    first = places[-1] + _NUMBER
    header = whole[first : first + length].tobytes()
    if whole[: len(_MAGIC)].tobytes() != _MAGIC or zlib.crc32(header) != checksum:
        raise ValueError("not a file of weights")
    told = json.loads(header)
    start = aligned(first + length)
    if len(whole) != start + told["end"]:
        raise ValueError("of another size than it says")

    def array(entry: tuple[str, Sequence[int], int, int]) -> npt.NDArray[Any]:
        kind, shape, at, expected = entry
        found = np.ndarray(shape, np.dtype(kind), whole.data, start + at)
        if zlib.crc32(found.data) != expected:
            raise ValueError("damaged")
        return found

    with ThreadPoolExecutor(threads) as pool:
        arrays = dict(zip(told["arrays"], pool.map(array, told["arrays"].values()), strict=True))
    return _arranged(arrays, told["sizes"], rooms)


def _arrays(arranged: Arranged) -> Arrays:
    found: Arrays = {"norm": arranged.norm}
    for name, matrix in _matrices(arranged).items():
        found |= {f"{name}.data": matrix.data, f"{name}.scales": matrix.scales}
    for number, layer in enumerate(arranged.layers):
        vectors = zip(Layer.VECTORS, layer.vectors(), strict=True)
        found |= {f"{number}.{name}": vector for name, vector in vectors if vector is not None}
    return found


def _matrices(arranged: Arranged) -> dict[str, Packed]:
    found = {"embedding": arranged.embedding}
    if arranged.head is not arranged.embedding:
        found["head"] = arranged.head
    for number, layer in enumerate(arranged.layers):
        found |= {f"{number}.{name}": each for name, each in layer.whole_matrices().items()}
    return found


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

    count = sum(name.endswith(f".{Layer.MATRICES[0]}") for name in sizes)
    embedding = packed("embedding")
    head = packed("head") if "head" in sizes else embedding
    return Arranged([layer(number) for number in range(count)], embedding, arrays["norm"], head)
