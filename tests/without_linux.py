"""Take Linux away: spark's tests as on a Mac, as far as that can be had without one.

`pytest --without-linux tests/vcs` has no /proc, no leases, no renameat2 and no extended attributes
in `os`; for spark and its tests `sys.platform` is "darwin", and what spark calls of macOS's C
library stands here, on Linux's. So it is in every Python that a test starts: it gets a
`sitecustomize` from the folder without_linux_start. What is not here: another kernel, other
file systems but that of `tests/folding_disk.py`, other errors.
"""

import builtins
import ctypes
import errno
import fcntl
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

OPTION = "--without-linux"
_VARIABLE = "SPARK_TESTS_WITHOUT_LINUX"
_START = str(Path(__file__).parent / "without_linux_start")

NO_LEASES = "macOS does not tell who has a file open"
NO_MOUNTS = "macOS mounts nothing on a file"
OF_LINUX = "macOS has another test of the same"
TOO_LONG = "a model of gigabytes is loaded each time, on every system in the same way"
SKIPPED = {
    "test_a_file_that_another_program_has_open_for_writing_stays_as_it_is": NO_LEASES,
    "test_a_file_that_is_a_mount_is_written_in_place": NO_MOUNTS,
    "test_folders_follow_xdg_and_ignore_relative_values": OF_LINUX,
    "test_the_kernel_is_asked_to_start_git_and_nothing_else": TOO_LONG,
}
"""Which tests make no sense there, and why."""

_OF_OS = (
    *("getxattr", "setxattr", "listxattr", "removexattr", "sched_getaffinity", "sched_setaffinity"),
    *("copy_file_range", "memfd_create", "pidfd_open", "splice"),
)
_OF_FCNTL = ("F_SETLEASE", "F_GETLEASE", "F_NOTIFY", "F_SETSIG", "F_GETSIG")
_OF_LIBRARY = frozenset({"renameat2"})
_F_FULLFSYNC = 51
_RENAME_SWAP, _RENAME_EXCL = 0x2, 0x4


def is_asked_for(arguments: Sequence[str] = ()) -> bool:
    """Whether Linux is to be away; every Python that is started from here is told, too."""
    if OPTION in arguments:
        os.environ[_VARIABLE] = "1"
        folders = [_START, os.environ.get("PYTHONPATH", "")]
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, folders))
    return _VARIABLE in os.environ


def linux_environment() -> Mapping[str, str]:
    """The environment of a process that is to have Linux in any case."""
    mine = {_VARIABLE, "PYTHONPATH"}
    return {name: value for name, value in os.environ.items() if name not in mine}


def take_away() -> None:
    """Take Linux away, for good. No module of spark may be imported before."""
    if hasattr(fcntl, "F_FULLFSYNC"):  # it is away
        return
    assert not any(name.startswith("spark_tui.") for name in sys.modules)
    proc = _Proc()
    sys.modules["psutil"] = _psutil(proc)
    library = _Library()
    real_library = ctypes.CDLL

    def load(name: str | None, *args: Any, **options: Any) -> Any:
        return library if name is None else real_library(name, *args, **options)

    ctypes.CDLL = load  # type: ignore[assignment,misc]
    shutil._copyxattr = lambda *_args, **_options: None  # type: ignore[attr-defined]  # noqa: SLF001
    for module, names in ((os, _OF_OS), (fcntl, _OF_FCNTL)):
        for name in names:
            with suppress(AttributeError):
                delattr(module, name)
    fcntl.F_FULLFSYNC = _F_FULLFSYNC  # type: ignore[attr-defined]
    proc.hide()
    _rename_platform()


def _rename_platform() -> None:
    """Let spark and its tests see another `sys.platform`; libraries must not be misled."""
    seen = _Sys()
    real_import = builtins.__import__

    def import_module(name: str, names: Any = None, *arguments: Any, **options: Any) -> Any:
        importer = str((names or {}).get("__name__", ""))
        if name == "sys" and importer.startswith(("spark_tui.", "tests.")):
            return seen
        return real_import(name, names, *arguments, **options)

    builtins.__import__ = import_module  # type: ignore[assignment]


class _Sys(ModuleType):
    """The module `sys` with another platform, in place of Linux."""

    def __init__(self) -> None:
        super().__init__("sys")

    def __getattribute__(self, name: str) -> Any:
        value = getattr(sys, name)
        return "darwin" if name == "platform" and value == "linux" else value

    def __setattr__(self, name: str, value: Any) -> None:
        is_put_back = name == "platform" and value == "darwin"
        setattr(sys, name, "linux" if is_put_back else value)

    def __delattr__(self, name: str) -> None:
        delattr(sys, name)


class _Proc:
    """/proc, which is there for nobody but whoever is let in."""

    def __init__(self) -> None:
        self._open = False

    @contextmanager
    def let_in(self) -> Iterator[None]:
        self._open = True
        try:
            yield
        finally:
            self._open = False

    def hide(self) -> None:
        sys.addaudithook(self._watch)
        for name in ("stat", "lstat", "readlink"):
            call = getattr(os, name)
            guarded = self._guarded(call)
            for having in (os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks):
                if call in having:
                    having.add(guarded)
            setattr(os, name, guarded)

    def _watch(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event in {"open", "os.listdir", "os.scandir"}:
            self._refuse(arguments[0])

    def _guarded(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def guarded(path: Any, *args: Any, **options: Any) -> Any:
            self._refuse(path)
            return call(path, *args, **options)

        return guarded

    def _refuse(self, path: Any) -> None:
        if self._open or not isinstance(path, str | bytes | os.PathLike):
            return
        name = os.fsdecode(path)
        if name == "/proc" or name.startswith("/proc/"):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)


def _psutil(proc: _Proc) -> ModuleType:
    """As much of psutil as spark uses."""

    class Error(Exception):
        """What psutil raises."""

    class NoSuchProcess(Error):
        """What psutil raises of a process that is not there."""

    class Process:
        def __init__(self, pid: int) -> None:
            self.pid = pid

        def name(self) -> str:
            with proc.let_in():
                return Path(f"/proc/{self.pid}/comm").read_text().strip()

        def create_time(self) -> float:
            try:
                with proc.let_in():
                    facts = Path(f"/proc/{self.pid}/stat").read_bytes()
            except (FileNotFoundError, ProcessLookupError) as e:
                raise NoSuchProcess(self.pid) from e
            return int(facts.rpartition(b")")[2].split()[19]) / 100

        def environ(self) -> dict[str, str]:
            with proc.let_in():
                words = Path(f"/proc/{self.pid}/environ").read_bytes().split(b"\0")
            pairs = (os.fsdecode(word).partition("=") for word in words)
            return {name: value for name, _, value in pairs}

        def open_files(self) -> list[SimpleNamespace]:
            with proc.let_in():
                return list(self._open_files())

        def _open_files(self) -> Iterator[SimpleNamespace]:
            for file in Path(f"/proc/{self.pid}/fd").iterdir():
                with suppress(FileNotFoundError):
                    yield SimpleNamespace(path=str(file.readlink()))

    def process_iter() -> Iterator[Process]:
        with proc.let_in():
            numbers = [int(place.name) for place in Path("/proc").glob("[0-9]*")]
        return map(Process, numbers)

    module = ModuleType("psutil")
    module.__dict__.update(
        Error=Error,
        NoSuchProcess=NoSuchProcess,
        Process=Process,
        process_iter=process_iter,
        virtual_memory=lambda: SimpleNamespace(available=8 << 30),
    )
    return module


class _Library:
    """macOS's C library, as far as spark calls it; the rest is Linux's."""

    def __init__(self) -> None:
        self._linux = ctypes.CDLL(None, use_errno=True)
        self._own = _functions(self._linux)

    def __getattr__(self, name: str) -> Any:
        if name in _OF_LIBRARY:
            raise AttributeError(name)
        return getattr(self._own, name, None) or getattr(self._linux, name)


def _functions(linux: ctypes.CDLL) -> SimpleNamespace:  # noqa: C901 - a function for each call
    """What spark calls of macOS's C library, with the arguments it has there."""
    list_names, get, put, drop = os.listxattr, os.getxattr, os.setxattr, os.removexattr

    def renameatx_np(source: int, old: bytes, target: int, new: bytes, flags: Any) -> int:
        flag = {_RENAME_SWAP: 2, _RENAME_EXCL: 1}[flags.value]
        return int(linux.renameat2(source, old, target, new, flag))

    def answered(call: Callable[[], bytes], buffer: Any, size: int) -> int:
        try:
            value = call()
        except OSError as e:
            ctypes.set_errno(e.errno or 0)
            return -1
        if buffer is None:
            return len(value)
        if size < len(value):
            ctypes.set_errno(errno.ERANGE)
            return -1
        ctypes.memmove(buffer, value, len(value))
        return len(value)

    def flistxattr(file: int, buffer: Any, size: int, _options: int) -> int:
        def names() -> bytes:
            return b"".join(os.fsencode(name) + b"\0" for name in list_names(file))

        return answered(names, buffer, size)

    def fgetxattr(
        file: int, name: bytes, buffer: Any, size: int, _position: int, _options: int
    ) -> int:
        return answered(lambda: get(file, name), buffer, size)

    def fsetxattr(
        file: int, name: bytes, value: bytes, size: int, _position: int, _options: int
    ) -> int:
        def set_value() -> bytes:
            put(file, name, value[:size])
            return b""

        return answered(set_value, None, 0)

    def fremovexattr(file: int, name: bytes, _options: int) -> int:
        def take() -> bytes:
            drop(file, name)
            return b""

        return answered(take, None, 0)

    def acl_get_fd_np(_file: int, _kind: int) -> None:
        ctypes.set_errno(errno.ENOENT)

    def refused(*_arguments: Any) -> int:
        ctypes.set_errno(errno.ENOTSUP)
        return -1

    def acl_from_text(_text: bytes) -> int:
        return 1

    return SimpleNamespace(
        renameatx_np=renameatx_np,
        flistxattr=flistxattr,
        fgetxattr=fgetxattr,
        fsetxattr=fsetxattr,
        fremovexattr=fremovexattr,
        acl_get_fd_np=acl_get_fd_np,
        acl_to_text=refused,
        acl_from_text=acl_from_text,
        acl_set_fd_np=refused,
        acl_free=refused,
        sysctlbyname=refused,
    )
