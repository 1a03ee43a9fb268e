"""Weights as compiled code takes them, kept in a file: to arrange those of half a billion numbers takes seconds.

A file is written once, whole or not at all, in a folder that only the user may read, and never changed: it is mapped,
and what replaces it is another file. Its checksums are compared before anything in it is used. It can be made again at
any time, so whatever goes wrong with it, a full disk or one that may not be written to, only means that there is none.
"""

import json
import mmap
import os
import shutil
import tempfile
import zlib
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from spark_tui.engine.kernels.arrange import Arranged, Layer
from spark_tui.engine.kernels.pack import Packed

SUFFIX = ".weights"
_PART = ".part"
_MAGIC = b"spark weights 1\n"
_NUMBER = 8
"""Bytes of the header's length, and of its checksum."""
_PAGE = 4096
LEAST_BYTES, MOST_BYTES = 32 << 20, 2 << 30
"""What is arranged in no time is not kept; and what all files together may take."""
_HOUR = 3600
_SPARE = 4
"""A disk has to have room for so many such files."""

Arrays = dict[str, npt.NDArray[Any]]


def keep(arranged: Arranged, place: Path) -> None:
    """Write a file, unless it would take too much room, and remove those used longest ago beyond what all may take."""
    arrays = _arrays(arranged)
    size = sum(array.nbytes for array in arrays.values())
    with suppress(OSError):
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if LEAST_BYTES <= size <= MOST_BYTES and shutil.disk_usage(place.parent).free > _SPARE * size:
            sizes = {name: (each.bits, each.rows, each.inputs) for name, each in _matrices(arranged).items()}
            _write(arrays, sizes, place)
            _tidy(place)


def kept(place: Path, threads: int) -> Arranged | None:
    """What a file holds; None where there is none, or it is damaged. Args: threads: that compare its checksums."""
    try:
        with place.open("rb") as stream:
            whole = np.frombuffer(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ), np.uint8)
        arranged = _read(whole, threads)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    with suppress(OSError):
        os.utime(place)  # the one that was used last is removed last
    return arranged


def files_in(folder: Path) -> list[Path]:
    """The files that are kept, the one used last first."""
    with suppress(OSError):
        return sorted(folder.glob(f"*{SUFFIX}"), key=lambda file: file.stat().st_mtime, reverse=True)
    return []


def _write(arrays: Arrays, sizes: Mapping[str, Sequence[int]], place: Path) -> None:
    entries, at = {}, 0
    for name, array in arrays.items():
        entries[name] = (array.dtype.str, array.shape, at, zlib.crc32(array.data))
        at = _aligned(at + array.nbytes)
    header = json.dumps({"arrays": entries, "sizes": sizes, "end": at}).encode()
    head = b"".join(number.to_bytes(_NUMBER, "little") for number in (len(header), zlib.crc32(header)))
    handle, part = tempfile.mkstemp(_PART, place.stem, place.parent)
    try:
        with open(handle, "wb") as stream:  # noqa: PTH123 - what is open already
            stream.write(_MAGIC + head + header)
            start = _aligned(stream.tell())
            for name, array in arrays.items():
                stream.seek(start + entries[name][2])
                stream.write(array.data)
            stream.truncate(start + at)
        Path(part).replace(place)
    except BaseException:
        Path(part).unlink(missing_ok=True)
        raise


def _read(whole: npt.NDArray[np.uint8], threads: int) -> Arranged:
    """Raises: ValueError, KeyError, TypeError: the bytes are not those that were written."""
    places = [len(_MAGIC), len(_MAGIC) + _NUMBER]
    length, checksum = (int.from_bytes(whole[at : at + _NUMBER].tobytes(), "little") for at in places)
    first = places[-1] + _NUMBER
    header = whole[first : first + length].tobytes()
    if whole[: len(_MAGIC)].tobytes() != _MAGIC or zlib.crc32(header) != checksum:
        raise ValueError("not a file of weights")
    told, start = json.loads(header), _aligned(first + length)
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
    return _arranged(arrays, told["sizes"])


def _arrays(arranged: Arranged) -> Arrays:
    found: Arrays = {"norm": arranged.norm}
    for name, matrix in _matrices(arranged).items():
        found |= {f"{name}.data": matrix.data, f"{name}.scales": matrix.scales}
    for number, layer in enumerate(arranged.layers):
        vectors = zip(Layer.VECTORS, layer.vectors(), strict=True)
        found |= {f"{number}.{name}": vector for name, vector in vectors if vector is not None}
    return found


def _matrices(arranged: Arranged) -> dict[str, Packed]:
    ends = {"embedding": arranged.embedding}
    if arranged.head is not arranged.embedding:
        ends["head"] = arranged.head
    layers = enumerate(arranged.layers)
    return ends | {
        f"{number}.{name}": matrix
        for number, layer in layers
        for name, matrix in zip(Layer.MATRICES, layer.matrices(), strict=True)
    }


def _arranged(arrays: Arrays, sizes: Mapping[str, Sequence[int]]) -> Arranged:
    def packed(name: str) -> Packed:
        bits, rows, inputs = sizes[name]
        return Packed(bits, rows, inputs, arrays[f"{name}.data"], arrays[f"{name}.scales"])

    def layer(number: int) -> Layer:
        vectors = {name: arrays.get(f"{number}.{name}") for name in Layer.VECTORS}
        return Layer(**vectors, **{name: packed(f"{number}.{name}") for name in Layer.MATRICES})  # type: ignore[arg-type]

    count = sum(name.endswith(f".{Layer.MATRICES[0]}") for name in sizes)
    embedding = packed("embedding")
    head = packed("head") if "head" in sizes else embedding
    return Arranged([layer(number) for number in range(count)], embedding, arrays["norm"], head)


def _tidy(place: Path) -> None:
    """Remove what is too much, and what a writer left that came to no end."""
    total = 0
    for file in files_in(place.parent):
        total += file.stat().st_size
        if total > MOST_BYTES and file != place:
            file.unlink()
    written = place.stat().st_mtime
    for part in place.parent.glob(f"*{_PART}"):
        if part.stat().st_mtime < written - _HOUR:
            part.unlink()


def _aligned(size: int) -> int:
    return -(-size // _PAGE) * _PAGE
