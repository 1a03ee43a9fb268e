"""Take Linux away: spark's tests as on a Mac, as far as that can be had without one.

`pytest --without-linux tests/vcs` has no /proc, no leases, no renameat2 and no extended attributes in `os`;
`sys.platform` is "darwin", and what spark calls of macOS's C library stands here, on Linux's. What it
does not have: another kernel, other file systems, other errors. Processes that tests start have Linux.
"""

import ctypes
import errno
import fcntl
import importlib
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

OPTION = "--without-linux"
_VARIABLE = "SPARK_TESTS_WITHOUT_LINUX"

NO_LEASES = "macOS does not tell who has a file open"
NO_MOUNTS = "macOS mounts nothing on a file"
SKIPPED = {
    "test_a_file_that_another_program_has_open_for_writing_stays_as_it_is": NO_LEASES,
    "test_whenever_an_editor_saves_what_it_saved_is_on_disk_afterwards": NO_LEASES,
    "test_what_another_process_saves_at_any_moment_is_on_disk_afterwards": NO_LEASES,
    "test_a_file_that_is_a_mount_is_written_in_place": NO_MOUNTS,
}
"""Which tests make no sense there, and why."""

_LIBRARIES = (
    *("asyncio", "concurrent.futures", "ctypes.util", "multiprocessing", "platform", "pty"),
    *("subprocess", "tempfile", "uuid", "webbrowser", "hypothesis", "pytest_asyncio"),
    *("git", "httpx2", "huggingface_hub", "jedi", "jinja2", "llvmlite.binding", "numpy", "pyflakes"),
    *("pyte", "rich.console", "safetensors", "textual.app", "textual.drivers.linux_driver"),
    *("textual.widgets", "tokenizers", "tree_sitter", "unidiff"),
)
"""What reads `sys.platform` when it is imported, and must not be misled."""
_OF_OS = (
    *("getxattr", "setxattr", "listxattr", "removexattr", "sched_getaffinity", "sched_setaffinity"),
    *("copy_file_range", "memfd_create", "pidfd_open", "splice"),
)
_OF_FCNTL = ("F_SETLEASE", "F_GETLEASE", "F_NOTIFY", "F_SETSIG", "F_GETSIG")
_F_FULLFSYNC = 51
_RENAME_SWAP, _RENAME_EXCL = 0x2, 0x4


def is_asked_for(arguments: Sequence[str]) -> bool:
    """Whether Linux is to be away; processes that run tests for this one are told, too."""
    if OPTION in arguments:
        os.environ[_VARIABLE] = "1"
    return _VARIABLE in os.environ


def take_away() -> None:
    """Take Linux away, for good. No module of spark may be imported before."""
    assert not any(name.startswith("spark_tui.") for name in sys.modules)
    for name in _LIBRARIES:
        importlib.import_module(name)
    proc = _Proc()
    sys.modules["psutil"] = _psutil(proc)
    library = _library()
    real_library = ctypes.CDLL

    def load(name: str | None, *args: Any, **options: Any) -> Any:
        return library if name is None else real_library(name, *args, **options)

    ctypes.CDLL = load  # type: ignore[assignment,misc]
    shutil._copyxattr = lambda *_args, **_options: None  # type: ignore[attr-defined]
    for module, names in ((os, _OF_OS), (fcntl, _OF_FCNTL)):
        for name in names:
            with suppress(AttributeError):
                delattr(module, name)
    fcntl.F_FULLFSYNC = _F_FULLFSYNC  # type: ignore[attr-defined]
    proc.hide()
    sys.platform = "darwin"


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
            setattr(os, name, self._guarded(getattr(os, name)))

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


def _library() -> SimpleNamespace:  # noqa: C901 - one function a call of the library
    """What spark calls of macOS's C library, with the arguments it has there."""
    linux = ctypes.CDLL(None, use_errno=True)
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

    def fgetxattr(file: int, name: bytes, buffer: Any, size: int, _position: int, _options: int) -> int:
        return answered(lambda: get(file, name), buffer, size)

    def fsetxattr(file: int, name: bytes, value: bytes, size: int, _position: int, _options: int) -> int:
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
