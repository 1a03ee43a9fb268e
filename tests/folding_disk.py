"""A file system on which case does not tell names apart, as on most Macs: it lies over a folder.

It answers the kernel over FUSE, so that git and every other program have the same one as spark.
`python -m tests.folding_disk OVER AT [--decomposing]` serves until its standard input ends. With
--decomposing it lists accented letters as two characters, as HFS+ does; without, names stay as they
were written, as on APFS. Source: <linux/fuse.h>, protocol 7.31.
"""

# ruff: noqa: PTH101, PTH102, PTH106, PTH108, PTH116, PTH208, PTH211
# Calls are passed on as they come.

import ctypes
import errno
import os
import select
import stat
import struct
import subprocess
import sys
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.without_linux import linux_environment

_ROOT = 1
_HEADER = struct.Struct("<IIQQIIIHH")
_ANSWER = struct.Struct("<IiQ")
_ATTRIBUTES = struct.Struct("<6Q10I")
_BLOCK = 4096
_MOST_WRITTEN = 128 << 10
_BIG_WRITES, _MAX_PAGES = 1 << 5, 1 << 22
_DIRECT = 1
"""No cache of the kernel's: two spellings would have one each."""
_NO_SET_ID_NO_DEVICES = 0x2 | 0x4
_DETACH = 2
_O_PATH = getattr(os, "O_PATH", 0)  # Linux alone has these
_O_DIRECT = getattr(os, "O_DIRECT", 0)
_PATH_ONLY = _O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC
_NOT_PASSED_ON = os.O_CREAT | os.O_EXCL | os.O_NOCTTY | os.O_NOFOLLOW | os.O_APPEND | _O_DIRECT

_library = ctypes.CDLL(None, use_errno=True)


@contextmanager
def folding_disk(over: Path, at: Path, *, decomposes: bool = False) -> Iterator[Path]:
    """Have such a file system at an empty folder for a `with`.

    Raises:
        PermissionError: This user, or this machine, mounts nothing.
    """
    command = [sys.executable, "-m", "tests.folding_disk", str(over), str(at)]
    command += ["--decomposing"] * decomposes
    root = Path(__file__).parents[1]
    pipe = subprocess.PIPE
    environment = linux_environment()
    with subprocess.Popen(
        command,
        cwd=root,
        env=environment,
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        assert server.stderr is not None
        try:
            if server.stdout.readline() != b"ready\n":
                error = server.stderr.read().decode().strip()
                raise PermissionError(error.rpartition("Error: ")[2])
            yield at
        finally:
            server.stdin.close()


@dataclass
class _Node:
    """What the kernel knows by a number. Mutable."""

    file: int
    key: tuple[int, int, str]
    known: int = 0


@dataclass
class _Folding:
    """The folder below, seen without case."""

    over: Path
    decomposes: bool
    nodes: dict[int, _Node] = field(default_factory=dict)
    numbers: dict[tuple[int, int, str], int] = field(default_factory=dict)
    listings: dict[int, bytes] = field(default_factory=dict)
    last: int = _ROOT

    def __post_init__(self) -> None:
        """Know the top."""
        self.nodes[_ROOT] = _Node(os.open(self.over, _PATH_ONLY), (0, 0, ""))

    # Names

    def listed(self, folder: int, name: str) -> str:
        """The name below that a name stands for, or the one that it would have."""
        names = os.listdir(self.place(folder))
        if self.decomposes:
            name = unicodedata.normalize("NFD", name)
        if name in names:
            return name
        wanted = _key(name)
        return next((each for each in names if _key(each) == wanted), name)

    def new(self, folder: int, name: str) -> str:
        """As `listed`, for what must not be there."""
        found = self.listed(folder, name)
        if found in os.listdir(self.place(folder)):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
        return found

    def place(self, number: int) -> str:
        return f"/proc/self/fd/{self.nodes[number].file}"

    # Calls: each takes a node and the rest of the request, and gives the rest of the answer

    def lookup(self, folder: int, data: bytes) -> bytes:
        name = _text(data)
        return self._entry(folder, self.listed(folder, name), name)

    def forget(self, number: int, data: bytes) -> None:
        self._drop(number, struct.unpack_from("<Q", data)[0])

    def batch_forget(self, _number: int, data: bytes) -> None:
        count = struct.unpack_from("<I", data)[0]
        for number, times in struct.iter_unpack("<QQ", data[8 : 8 + 16 * count]):
            self._drop(number, times)

    def getattr(self, number: int, _data: bytes) -> bytes:
        return struct.pack("<QII", 0, 0, 0) + _attributes(os.stat(self.nodes[number].file))

    def setattr(self, number: int, data: bytes) -> bytes:
        valid, handle, size = struct.unpack_from("<I4xQQ", data)
        read, written, read_ns, written_ns = struct.unpack_from("<QQ8xII", data, 32)
        mode, user, group = struct.unpack_from("<I4xII", data, 68)
        place = self.place(number)
        if valid & 1:
            os.chmod(place, stat.S_IMODE(mode))
        if valid & 6:
            os.chown(place, user if valid & 2 else -1, group if valid & 4 else -1)
        if valid & 8:
            os.truncate(handle if valid & 64 else place, size)
        if valid & (16 | 32 | 128 | 256):
            now = os.stat(place)
            times = [now.st_atime_ns, now.st_mtime_ns]
            if valid & 16:
                times[0] = read * 10**9 + read_ns
            if valid & 32:
                times[1] = written * 10**9 + written_ns
            if valid & (128 | 256):
                os.utime(place)
            else:
                os.utime(place, ns=(times[0], times[1]))
        return self.getattr(number, b"")

    def readlink(self, number: int, _data: bytes) -> bytes:
        return os.fsencode(os.readlink("", dir_fd=self.nodes[number].file))

    def symlink(self, folder: int, data: bytes) -> bytes:
        name, target = _texts(data)
        real = self.new(folder, name)
        os.symlink(target, f"{self.place(folder)}/{real}")
        return self._entry(folder, real, name)

    def mknod(self, folder: int, data: bytes) -> bytes:
        mode, device = struct.unpack_from("<II", data)
        name = _text(data[16:])
        real = self.new(folder, name)
        os.mknod(f"{self.place(folder)}/{real}", mode, device)
        return self._entry(folder, real, name)

    def mkdir(self, folder: int, data: bytes) -> bytes:
        name = _text(data[8:])
        real = self.new(folder, name)
        os.mkdir(f"{self.place(folder)}/{real}", struct.unpack_from("<I", data)[0])
        return self._entry(folder, real, name)

    def unlink(self, folder: int, data: bytes) -> bytes:
        os.unlink(f"{self.place(folder)}/{self.listed(folder, _text(data))}")
        return b""

    def rmdir(self, folder: int, data: bytes) -> bytes:
        os.rmdir(f"{self.place(folder)}/{self.listed(folder, _text(data))}")
        return b""

    def rename(self, folder: int, data: bytes) -> bytes:
        return self._rename(folder, struct.unpack_from("<Q", data)[0], 0, data[8:])

    def rename2(self, folder: int, data: bytes) -> bytes:
        target, flags = struct.unpack_from("<QI", data)
        return self._rename(folder, target, flags, data[16:])

    def _rename(self, folder: int, target: int, flags: int, data: bytes) -> bytes:
        old, typed = _texts(data)
        old, new = self.listed(folder, old), self.listed(target, typed)
        if (folder, old) == (target, new) and not flags:  # another spelling of its own name
            new = unicodedata.normalize("NFD", typed) if self.decomposes else typed
        source = os.fsencode(f"{self.place(folder)}/{old}")
        result = os.fsencode(f"{self.place(target)}/{new}")
        if _library.renameat2(-100, source, -100, result, flags) < 0:
            raise OSError(ctypes.get_errno(), "")
        return b""

    def link(self, folder: int, data: bytes) -> bytes:
        name = _text(data[8:])
        real = self.new(folder, name)
        source = self.place(struct.unpack_from("<Q", data)[0])
        os.link(source, f"{self.place(folder)}/{real}", follow_symlinks=True)
        return self._entry(folder, real, name)

    def open(self, number: int, data: bytes) -> bytes:
        flags = struct.unpack_from("<I", data)[0] & ~_NOT_PASSED_ON
        return struct.pack("<QII", os.open(self.place(number), flags | os.O_CLOEXEC), _DIRECT, 0)

    def create(self, folder: int, data: bytes) -> bytes:
        flags, mode = struct.unpack_from("<II", data)
        name = _text(data[16:])
        real = self.listed(folder, name)
        flags = flags & ~_NOT_PASSED_ON | flags & os.O_EXCL | os.O_CREAT | os.O_CLOEXEC
        handle = os.open(f"{self.place(folder)}/{real}", flags, mode)
        return self._entry(folder, real, name) + struct.pack("<QII", handle, _DIRECT, 0)

    def read(self, _number: int, data: bytes) -> bytes:
        handle, start, size = struct.unpack_from("<QQI", data)
        return os.pread(handle, size, start)

    def write(self, _number: int, data: bytes) -> bytes:
        handle, start, size = struct.unpack_from("<QQI", data)
        return struct.pack("<II", os.pwrite(handle, data[40 : 40 + size], start), 0)

    def statfs(self, _number: int, _data: bytes) -> bytes:
        found = os.statvfs(self.over)
        counts = found.f_blocks, found.f_bfree, found.f_bavail, found.f_files, found.f_ffree
        return struct.pack("<5Q4I24x", *counts, found.f_bsize, found.f_namemax, found.f_frsize, 0)

    def release(self, _number: int, data: bytes) -> bytes:
        os.close(struct.unpack_from("<Q", data)[0])
        return b""

    def flush(self, _number: int, _data: bytes) -> bytes:
        return b""

    def fsync(self, _number: int, data: bytes) -> bytes:
        os.fsync(struct.unpack_from("<Q", data)[0])
        return b""

    def opendir(self, number: int, _data: bytes) -> bytes:
        rows = list[bytes]()
        size = 0
        with os.scandir(self.place(number)) as entries:
            for entry in entries:
                name = os.fsencode(entry.name)
                kind = stat.S_IFMT(entry.stat(follow_symlinks=False).st_mode) >> 12
                padded = name.ljust(-(-len(name) // 8) * 8, b"\0")
                size += 24 + len(padded)
                rows.append(struct.pack("<QQII", entry.inode(), size, len(name), kind) + padded)
        self.last += 1
        self.listings[self.last] = b"".join(rows)
        return struct.pack("<QII", self.last, 0, 0)

    def readdir(self, _number: int, data: bytes) -> bytes:
        handle, start, most = struct.unpack_from("<QQI", data)
        listing = self.listings[handle]
        end = start
        while end < len(listing):
            length = struct.unpack_from("<I", listing, end + 16)[0]
            following = end + 24 + -(-length // 8) * 8
            if following - start > most:
                break
            end = following
        return listing[start:end]

    def releasedir(self, _number: int, data: bytes) -> bytes:
        del self.listings[struct.unpack_from("<Q", data)[0]]
        return b""

    def fsyncdir(self, _number: int, _data: bytes) -> bytes:
        return b""

    def setxattr(self, number: int, data: bytes) -> bytes:
        size, flags = struct.unpack_from("<II", data)
        name, _, value = data[8:].partition(b"\0")
        os.setxattr(self.place(number), name, value[:size], flags)
        return b""

    def getxattr(self, number: int, data: bytes) -> bytes:
        return _sized(data, os.getxattr(self.place(number), _text(data[8:])))

    def listxattr(self, number: int, data: bytes) -> bytes:
        names = (os.fsencode(name) + b"\0" for name in os.listxattr(self.place(number)))
        return _sized(data, b"".join(names))

    def removexattr(self, number: int, data: bytes) -> bytes:
        os.removexattr(self.place(number), _text(data))
        return b""

    def init(self, _number: int, data: bytes) -> bytes:
        _, _, ahead, _ = struct.unpack_from("<IIII", data)
        flags = _BIG_WRITES | _MAX_PAGES
        pages = _MOST_WRITTEN // os.sysconf("SC_PAGE_SIZE")
        return struct.pack("<IIIIHHIIHH32x", 7, 31, ahead, flags, 12, 9, _MOST_WRITTEN, 1, pages, 0)

    # Nodes

    def _entry(self, folder: int, real: str, name: str) -> bytes:
        file = os.open(f"{self.place(folder)}/{real}", _PATH_ONLY)
        status = os.stat(file)
        # With one number for all spellings the kernel would take a rename from one to another for
        # none at all, and move a folder from one to the other.
        key = status.st_dev, status.st_ino, name
        number = self.numbers.get(key)
        if number is None:
            self.last += 1
            number = self.numbers[key] = self.last
            self.nodes[number] = _Node(file, key)
        else:
            os.close(file)
        self.nodes[number].known += 1
        return struct.pack("<QQQQII", number, 0, 0, 0, 0, 0) + _attributes(status)

    def _drop(self, number: int, times: int) -> None:
        node = self.nodes.get(number)
        if node is None or number == _ROOT:
            return
        node.known -= times
        if node.known <= 0:
            os.close(node.file)
            del self.nodes[number]
            del self.numbers[node.key]


_CALLS = """
    - lookup forget getattr setattr readlink symlink - mknod mkdir unlink rmdir rename link open
    read write statfs release - fsync setxattr getxattr listxattr removexattr flush init opendir
    readdir releasedir fsyncdir - - - - create - - - - - - batch_forget - - rename2
"""
_NAMES = dict(enumerate(_CALLS.split()))
"""The calls that are answered, by their numbers."""


def _key(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", name).casefold())


def _text(data: bytes) -> str:
    return os.fsdecode(data.partition(b"\0")[0])


def _texts(data: bytes) -> tuple[str, str]:
    first, second, *_ = data.split(b"\0")
    return os.fsdecode(first), os.fsdecode(second)


def _sized(data: bytes, value: bytes) -> bytes:
    size = struct.unpack_from("<I", data)[0]
    if size == 0:
        return struct.pack("<II", len(value), 0)
    if size < len(value):
        raise OSError(errno.ERANGE, os.strerror(errno.ERANGE))
    return value


def _attributes(status: os.stat_result) -> bytes:
    times = status.st_atime_ns, status.st_mtime_ns, status.st_ctime_ns
    seconds = (time // 10**9 for time in times)
    rests = (time % 10**9 for time in times)
    sizes = status.st_ino, status.st_size, status.st_blocks
    facts = status.st_mode, status.st_nlink, status.st_uid, status.st_gid, status.st_rdev
    return _ATTRIBUTES.pack(*sizes, *seconds, *rests, *facts, _BLOCK, 0)


def _answer(folding: _Folding, request: bytes) -> tuple[int, bytes] | None:
    """An error, or 0, and what is answered; None: nothing is."""
    _, call, _, number, *_ = _HEADER.unpack_from(request)
    name = _NAMES.get(call, "-")
    if name == "-":
        return errno.ENOSYS, b""
    answer: Callable[[int, bytes], bytes | None] = getattr(folding, name)
    try:
        found = answer(number, request[_HEADER.size :])
    except OSError as e:
        return e.errno or errno.EIO, b""
    return None if found is None else (0, found)


def _ends(device: int) -> bool:
    """Wait for a request, or the end of standard input; returns whether it was the end."""
    end = sys.stdin.fileno()
    return end in select.select([device, end], [], [])[0]


def _serve(over: Path, at: Path, *, decomposes: bool) -> None:
    device = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
    facts = f"fd={device},rootmode=40000,user_id={os.getuid()},group_id={os.getgid()}"
    options = f"{facts},default_permissions,allow_other".encode()
    if _library.mount(b"folding", os.fsencode(at), b"fuse", _NO_SET_ID_NO_DEVICES, options) < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    os.umask(0)
    folding = _Folding(over, decomposes)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    try:
        while not _ends(device):
            request = os.read(device, _MOST_WRITTEN + _BLOCK)
            answer = _answer(folding, request)
            if answer is not None:
                error, data = answer
                unique = _HEADER.unpack_from(request)[2]
                with suppress(FileNotFoundError):  # nobody waits for this one any more
                    os.write(device, _ANSWER.pack(_ANSWER.size + len(data), -error, unique) + data)
    finally:
        _library.umount2(os.fsencode(at), _DETACH)


if __name__ == "__main__":
    _serve(Path(sys.argv[1]), Path(sys.argv[2]), decomposes="--decomposing" in sys.argv)
