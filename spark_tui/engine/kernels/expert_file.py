"""The packed experts of a mixture in a mapped file, so that only those in use need memory.

The system takes the memory of mapped experts back where memory is short. The file has room for all
experts and begins as a hole. An expert is packed when a token first goes through it, then written
and marked with its checksum. The next process compares the checksum when it first needs the expert.
Processes share a file without locks, because two of them only ever write the same bytes at a place.
An expert that cannot be written, as on a full disk, lies in the memory of the process instead,
because the mapping is private.
"""

import mmap
import os
import shutil
import sys
import tempfile
import weakref
import zlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from spark_tui import windows
from spark_tui.engine.arrays import Rows
from spark_tui.engine.config import Experts, ModelConfig
from spark_tui.engine.kernels.cached_files import PART, aligned, make_room
from spark_tui.engine.kernels.packed_weights import Packed, fill, padded, unit_bytes
from spark_tui.engine.kernels.tiles import GROUP, UNIT
from spark_tui.errors import FileError

if sys.platform == "win32":
    raise ImportError(windows.ADVICE)

SUFFIX = ".experts"
MOST_BYTES = 32 << 30
"""The most bytes that the experts of all models together take on disk."""
FREE_BYTES = 2 << 30
"""The bytes on the disk that are left to others."""
# The file: the magic line, a mark for each expert of each layer, then the stacks, at whole pages.
_MAGIC = b"spark experts 1\n"
_MARK_BYTES = 8
_WRITTEN = 1 << 32
"""Added to a checksum, so that no mark looks like a hole."""
_NO_RESERVE = 0x4000 if sys.platform == "linux" else 0
"""MAP_NORESERVE; without it Linux refuses a private mapping that is larger than memory."""

ByteArray = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class _Stack:
    """A matrix of every expert of a layer, one below the other.

    Attributes:
        bits: The bits of a weight.
        count: The number of experts.
        rows: The rows of one, padded.
        inputs: The columns, padded.
        data_at: The byte of the file at which the weights begin.
    """

    bits: int
    count: int
    rows: int
    inputs: int
    data_at: int

    @property
    def data_bytes(self) -> int:
        """The bytes of one expert's weights."""
        return self.rows // UNIT * unit_bytes(self.bits, self.inputs)

    @property
    def scales(self) -> int:
        """The number of one expert's scales that do not lie among its weights."""
        return self.rows if self.bits == 8 else 0

    @property
    def scales_at(self) -> int:
        return aligned(self.data_at + self.count * self.data_bytes)

    @property
    def end(self) -> int:
        return aligned(self.scales_at + 4 * self.count * self.scales)

    def room(self, file: ByteArray) -> Packed:
        """Return all experts as one matrix."""
        data = file[self.data_at : self.data_at + self.count * self.data_bytes]
        scales = file[self.scales_at : self.scales_at + 4 * self.count * self.scales]
        rows = self.count * self.rows
        return Packed(self.bits, rows, self.inputs, data, scales.view(np.float32))

    def places(self, expert: int) -> list[slice]:
        """Return the places of one expert's weights and scales in the file."""
        data_at = self.data_at + expert * self.data_bytes
        scales_at = self.scales_at + 4 * expert * self.scales
        return [
            slice(data_at, data_at + self.data_bytes),
            slice(scales_at, scales_at + 4 * self.scales),
        ]

    def pack(self, matrix: Rows) -> list[ByteArray]:
        """Return the weights and the scales of one expert, apart from the file."""
        data = np.zeros(self.data_bytes, np.uint8)
        scales = np.zeros(self.scales, np.float32)
        fill(Packed(self.bits, self.rows, self.inputs, data, scales), matrix)
        return [data, scales.view(np.uint8)]


class ExpertFile:
    """The experts of a model in a file; several threads may use it.

    Args:
        config: The shape of a mixture.
        bits: The bits of a weight.
        place: The file, which is made where it is missing.

    Raises:
        FileError: Experts cannot be kept there.
    """

    def __init__(self, config: ModelConfig, bits: int, place: Path) -> None:
        self._layers = _layers(config, bits)
        self._folder = place.parent
        size = self._layers[-1][-1].end
        try:
            self._file = _opened(place, size)
            weakref.finalize(self, os.close, self._file)
            # A page of a private mapping is copied only when this process writes to it. Until then
            # Linux shows there what any process has written to the file.
            flags = mmap.MAP_PRIVATE | _NO_RESERVE
            mapped = mmap.mmap(self._file, size, flags, mmap.PROT_READ | mmap.PROT_WRITE)
        except OSError as error:
            raise FileError(f"{place} cannot be used ({error.strerror or error})") from error
        self._bytes: ByteArray = np.frombuffer(mapped, np.uint8)

    def rooms(self, layer: int) -> list[Packed]:
        """Return the gates and ups of a layer's experts and their ways down; `take` fills them."""
        return [stack.room(self._bytes) for stack in self._layers[layer]]

    def take(self, layer: int, expert: int, matrices: Callable[[], Sequence[Rows]]) -> None:
        """Have the weights of an expert in their room.

        Args:
            layer: The number of the layer.
            expert: The number of the expert.
            matrices: Makes gate and up, and the way down, where the file lacks them.
        """
        stacks = self._layers[layer]
        places: list[slice] = []
        for stack in stacks:
            places += stack.places(expert)
        mark_at = len(_MAGIC) + _MARK_BYTES * (layer * stacks[0].count + expert)
        mark = os.pread(self._file, _MARK_BYTES, mark_at)
        # Without a mark the checksum is not computed: reading a hole would fill memory with zeros.
        if any(mark) and mark == self._mark_of(places):
            return
        parts: list[ByteArray] = []
        for stack, matrix in zip(stacks, matrices(), strict=True):
            parts += stack.pack(matrix)
        self._write(parts, places, mark_at)
        # The mapping shows an expert that was written. Otherwise the expert goes into the private
        # memory of the mapping.
        if self._mark_of(places) != _mark(parts):
            for place, part in zip(places, parts, strict=True):
                self._bytes[place] = part

    def _mark_of(self, places: Sequence[slice]) -> bytes:
        return _mark(self._bytes[place] for place in places)

    def _write(self, parts: Sequence[ByteArray], places: Sequence[slice], mark_at: int) -> None:
        """Put an expert into the file, if the disk has room, and mark it when it is there."""
        with suppress(OSError):
            if shutil.disk_usage(self._folder).free < FREE_BYTES:
                return
            for place, part in zip(places, parts, strict=True):
                _write_at(self._file, part.data, place.start)
            # The mark last: if the process is killed before, the expert still counts as missing.
            _write_at(self._file, memoryview(_mark(parts)), mark_at)


def _mark(parts: Iterable[ByteArray]) -> bytes:
    checksum = 0
    for part in parts:
        checksum = zlib.crc32(part.data, checksum)
    return (_WRITTEN | checksum).to_bytes(_MARK_BYTES, "little")


def _layers(config: ModelConfig, bits: int) -> list[tuple[_Stack, _Stack]]:
    """Return where the experts of each layer lie, behind the marks of all of them."""
    experts = config.experts or Experts(0, 0, 0)
    end = aligned(len(_MAGIC) + _MARK_BYTES * config.n_layers * experts.count)
    inner = padded(experts.size, GROUP)
    hidden = padded(config.hidden_size, GROUP)
    layers = []
    for _ in range(config.n_layers):
        gate_up = _Stack(bits, experts.count, padded(2 * inner, UNIT), hidden, end)
        down = _Stack(bits, experts.count, padded(hidden, UNIT), inner, gate_up.end)
        layers.append((gate_up, down))
        end = down.end
    return layers


def _opened(place: Path, size: int) -> int:
    """Open the file, and make it anew where it is missing or of another size.

    Returns:
        Its descriptor.

    Raises:
        OSError: The file cannot be opened.
        FileError: The disk has no room for it.
    """
    with suppress(FileNotFoundError):
        file = os.open(place, os.O_RDWR | os.O_CLOEXEC)
        if os.fstat(file).st_size == size and os.pread(file, len(_MAGIC), 0) == _MAGIC:
            os.utime(file)  # `make_room` removes the files used longest ago first
            return file
        os.close(file)
    _make(place, size)
    return os.open(place, os.O_RDWR | os.O_CLOEXEC)


def _make(place: Path, size: int) -> None:
    """Write an empty file, and remove the files used longest ago where all take too much."""
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    free = shutil.disk_usage(place.parent).free
    if size > MOST_BYTES:
        raise FileError(f"they take {_gigabytes(size)}, at most {_gigabytes(MOST_BYTES)} are kept")
    if free < size + FREE_BYTES:
        needed = f"{_gigabytes(size + FREE_BYTES)} have to be free"
        raise FileError(f"{needed} in {place.parent}, {_gigabytes(free)} are")
    handle, part = tempfile.mkstemp(PART, place.stem, place.parent)
    try:
        with open(handle, "wb") as stream:  # noqa: PTH123 - what is open already
            stream.write(_MAGIC)
            stream.truncate(size)  # a hole: it takes no room on the disk until it is written to
        Path(part).replace(place)
    except BaseException:
        Path(part).unlink(missing_ok=True)
        raise
    make_room(place, MOST_BYTES)


def _write_at(file: int, data: memoryview, position: int) -> None:
    while data:  # the system may write less than it was asked to
        written = os.pwrite(file, data, position)
        data = data[written:]
        position += written


def _gigabytes(size: int) -> str:
    return f"{size / 1e9:,.1f} GB"
