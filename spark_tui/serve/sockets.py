"""The sockets of the server: a unix socket of the user alone, and a loopback port."""

import fcntl
import os
import socket
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from spark_tui import windows
from spark_tui.errors import FileError, Transient, UsageError
from spark_tui.own_folders import remedy
from spark_tui.providers.serve_socket import MOST_PATH_BYTES, VARIABLE, is_ours
from spark_tui.providers.served_client import ask_server
from spark_tui.system import own_id

if sys.platform == "win32":
    raise ImportError(windows.ADVICE)


@contextmanager
def bound_socket(path: Path) -> Iterator[socket.socket]:
    """Bind a socket to a path, and remove it at the end.

    Only the user may use the folder and the socket. The socket of a killed server is replaced; the
    socket of a running server, and any other file, is not.

    Raises:
        UsageError: The path is too long for a socket.
        Transient: A server runs there.
        FileError: The folder cannot be used, or belongs to others.
    """
    if len(os.fsencode(path)) > MOST_PATH_BYTES:
        raise UsageError(
            f"{path} is too long for a socket; set {VARIABLE} to a path of at most "
            f"{MOST_PATH_BYTES} bytes"
        )
    _make_folder(path.parent)
    with _locked(path):
        _clear(path)
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        mask = os.umask(0o177)  # nobody else can connect, from the first moment on
        try:
            listening.bind(str(path))
        except OSError as e:
            listening.close()
            raise _refused(e, path) from e
        finally:
            os.umask(mask)
        listening.setblocking(False)
        # At the end, remove this socket only, not one that another server has bound since.
        own = path.lstat().st_ino
        try:
            yield listening
        finally:
            listening.close()
            with suppress(OSError):
                if path.lstat().st_ino == own:
                    path.unlink()


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.stat()
    except OSError as e:
        raise _refused(e, folder) from e
    if status.st_uid != own_id() or stat.S_IMODE(status.st_mode) & 0o022:
        raise FileError(
            f"others can write to {folder}, and could put a socket of their own there; set "
            f"{VARIABLE} to a path in a folder of yours"
        )


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold the lock of a path, so that two servers cannot both find it free.

    Raises:
        Transient: A server holds the lock.
        FileError: The lock cannot be made.
    """
    place = path.with_name(f"{path.name}.lock")
    try:
        number = os.open(place, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as e:
        raise _refused(e, place) from e
    try:
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as e:
            raise _runs(path) from e
        # The lock file stays: if it were removed, two servers could lock two files of this name.
        yield
    finally:
        os.close(number)


def _clear(path: Path) -> None:
    """Remove the socket of a server that was killed.

    Raises:
        Transient: A server runs there.
        FileError: The path is no socket of the user.
    """
    if not os.path.lexists(path):
        return
    if not is_ours(path):
        raise FileError(f"{path} is no socket of yours; remove it, or set {VARIABLE}")
    if ask_server(path, "GET", "/health") is not None:
        raise _runs(path)
    with suppress(OSError):
        path.unlink()


def _runs(path: Path) -> Transient:
    return Transient(f"a server runs at {path} already; `spark serve --stop` ends it")


def _refused(error: OSError, path: Path) -> FileError:
    advice = remedy(error, path, "XDG_STATE_HOME")
    return FileError(f"cannot use {path} ({error.strerror}); {advice}")


def loopback_socket(port: int) -> socket.socket:
    """Bind a port that only this machine can reach.

    Args:
        port: The port; 0 for a free one.

    Raises:
        Transient: The port is taken, or not ours to take.
    """
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    # Connections of a server that has just ended must not block the port.
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(("127.0.0.1", port))
    except OSError as e:
        listening.close()
        raise Transient(f"cannot listen at port {port} ({e.strerror}); name another one") from e
    listening.setblocking(False)
    return listening
