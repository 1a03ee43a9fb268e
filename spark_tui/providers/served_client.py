"""Reaches a running `spark serve`: finds out whether it fits, and calls its engine.

Speaks HTTP over a unix socket with Python's own client: every start would wait for a larger
library.
"""

import http.client
import json
import os
import socket
import stat
import sys
import time
from collections.abc import Generator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from spark_tui import __version__, windows
from spark_tui.config import Settings
from spark_tui.providers.served_model import CallReleased, ServerGone
from spark_tui.providers.wire import decode_error

if sys.platform == "win32":
    raise ImportError(windows.ADVICE)

CLIENT_HEADER = "X-Spark-Client"
PRIORITY_HEADER = "X-Spark-Priority"
_GREETING_SECONDS = 2.0
_SILENCE_SECONDS = 30.0
"""A server says something every second, also while others are served."""
_TRIES = 5
"""Requests to a busy server before it is given up."""
_LONGEST_PAUSE = 2.0
_ROOMS = ("engine", "providers", "editing")
"""The rooms whose code an answer depends on."""


def engine_id(model: Path, settings: Settings) -> str:
    """Return what two processes share whose answers are the same to the bit.

    Args:
        model: The folder or file of the model.
        settings: They choose the arithmetic.
    """
    chosen = [settings.kernels, settings.bits, settings.local_format, settings.local_thinking]
    package = Path(__file__).parent.parent
    digest = sha256(f"{__version__} {chosen}".encode())
    for room in _ROOMS:
        _add_files(digest, package / room, ".py")
    _add_files(digest, model, "")
    return digest.hexdigest()


def _add_files(digest: Any, place: Path, ending: str) -> None:
    """Take the files of a place into a digest, by path, size and the time of their last change."""
    files = [place]
    if place.is_dir():
        files = sorted(
            path for path in place.rglob(f"*{ending}") if "__pycache__" not in path.parts
        )
    for file in files:
        status = file.stat()
        if stat.S_ISREG(status.st_mode):
            stamp = f"{file.resolve()} {status.st_size} {status.st_mtime_ns}\n"
            digest.update(stamp.encode("utf-8", "surrogateescape"))


class _Connection(http.client.HTTPConnection):
    """HTTP over a unix socket."""

    def __init__(self, path: Path, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path
        self.is_released = False
        """Whether `release` hung up."""

    def release(self) -> None:
        """Hang up, from any thread; who reads the answer comes to its end."""
        self.is_released = True
        with suppress(OSError, AttributeError):  # it is not connected, or not any more
            self.sock.shutdown(socket.SHUT_RDWR)

    def connect(self) -> None:
        """See `HTTPConnection`."""
        connected = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connected.settimeout(self.timeout)
        try:
            connected.connect(str(self._path))
        except OSError:
            connected.close()
            raise
        self.sock = connected


_FAILURES = (OSError, http.client.HTTPException, ValueError)


def ask_server(path: Path, method: str, place: str) -> dict[str, Any] | None:
    """Ask a server something short.

    Returns:
        Its answer; None where no server answers.
    """
    connection = _Connection(path, _GREETING_SECONDS)
    try:
        connection.request(method, place)
        response = connection.getresponse()
        body = json.loads(response.read())
    except _FAILURES:
        return None
    finally:
        connection.close()
    if response.status != 200 or not isinstance(body, dict):
        return None
    return body


@dataclass(frozen=True, slots=True)
class FoundServer:
    """A server that gives the answers which this process would give.

    Attributes:
        path: Its socket.
        model: The name of its model.
        context: Tokens that its model reads.
    """

    path: Path
    model: str
    context: int


def find_server(path: Path, model: Path, settings: Settings) -> FoundServer | None:
    """Return the server of this user, where it runs the same code on the same weights.

    Args:
        path: The socket.
        model: The folder or file of the model.
        settings: They choose the arithmetic.
    """
    body = ask_server(path, "GET", "/health")
    if body is None or body.get("engine") != engine_id(model, settings):
        return None
    name = body.get("model")
    context = body.get("context")
    if not (isinstance(name, str) and isinstance(context, int)):
        return None
    return FoundServer(path, name, context)


class ServedClient:
    """Calls the engine of a server, over connections that stay open; see `Transport`.

    Calls of several threads, and calls during another one, have connections of their own.

    Args:
        path: The server's socket.
        is_beside: Whether all calls are work in the background; see `Transport.beside`.
    """

    def __init__(self, path: Path, *, is_beside: bool = False) -> None:
        self._path = path
        self._is_beside = is_beside
        # Commands of one shell are one client: each finds the prefixes of the one before.
        self._name = f"shell{os.getppid()}"
        if is_beside:
            self._name = f"beside{os.getpid()}"
        self._idle: list[_Connection] = []
        self._answering = set[_Connection]()
        """Connections that `release` hangs up."""

    def call(
        self,
        name: str,
        body: Mapping[str, Any],
        *,
        background: bool = False,
        is_answer: bool = False,
    ) -> Generator[Any, None, None]:
        """See `Transport`."""
        data = json.dumps(body).encode()
        headers = {"Content-Type": "application/json", CLIENT_HEADER: self._name}
        if background or self._is_beside:
            headers[PRIORITY_HEADER] = "background"
        connection, response = yield from self._request(f"/v1/engine/{name}", data, headers)
        is_read = False
        if is_answer:
            self._answering.add(connection)
        try:
            error = yield from _items_of(response)
            is_read = True
        except (ServerGone, *_FAILURES) as e:
            if connection.is_released:
                raise CallReleased from e
            raise ServerGone(_reason(e)) from e
        finally:
            self._answering.discard(connection)
            if is_read and not connection.is_released:
                self._idle.append(connection)
            else:
                connection.close()  # which also tells the server that nobody reads on
        if error is not None:
            raise decode_error(error)

    def _request(
        self, place: str, data: bytes, headers: Mapping[str, str]
    ) -> Generator[None, None, tuple[_Connection, http.client.HTTPResponse]]:
        """Send a request, again where the server is busy.

        Raises:
            ServerGone: There is no server, or it stays busy.
        """
        for _ in range(_TRIES):
            connection, response = self._sent(place, data, headers)
            if response.status == 200:
                return connection, response
            wait = response.getheader("Retry-After")
            connection.close()
            # a busy server names a time; any other refusal will not change
            if wait is None:
                raise ServerGone(f"refuses the request ({response.status})")
            yield None
            with suppress(ValueError):
                time.sleep(min(float(wait), _LONGEST_PAUSE))
        raise ServerGone("is too busy")

    def _sent(
        self, place: str, data: bytes, headers: Mapping[str, str]
    ) -> tuple[_Connection, http.client.HTTPResponse]:
        """Send a request on an idle connection, or else, as the server may close those, a new one.

        Raises:
            ServerGone: There is no server.
        """
        while self._idle:
            connection = self._idle.pop()
            with suppress(*_FAILURES):
                return connection, _send(connection, place, data, headers)
            connection.close()
        connection = _Connection(self._path, _SILENCE_SECONDS)
        try:
            return connection, _send(connection, place, data, headers)
        except _FAILURES as e:
            connection.close()
            raise ServerGone(_reason(e)) from e

    def release(self) -> None:
        """See `Transport`."""
        for connection in tuple(self._answering):
            connection.release()

    def beside(self) -> "ServedClient":
        """See `Transport`."""
        return ServedClient(self._path, is_beside=True)

    def close(self) -> None:
        """See `Transport`."""
        while self._idle:
            self._idle.pop().close()


def _send(
    connection: _Connection, place: str, data: bytes, headers: Mapping[str, str]
) -> http.client.HTTPResponse:
    connection.request("POST", place, data, dict(headers))
    return connection.getresponse()


def _items_of(response: http.client.HTTPResponse) -> Generator[Any, None, Any]:
    """Yield the items of an answer, and return the error that ended the call, if any.

    Raises:
        ServerGone: The answer breaks off.
    """
    while (line := response.readline()).endswith(b"\n"):
        item = json.loads(line)
        if isinstance(item, dict) and ("end" in item or "error" in item):
            # to the end of the chunks, so that the connection can be used again
            response.read()
            return item.get("error")
        yield item
    raise ServerGone("broke off")


def _reason(error: Exception) -> str:
    if isinstance(error, ServerGone):
        return str(error)
    if isinstance(error, TimeoutError):
        return "does not answer"
    return "is gone"
