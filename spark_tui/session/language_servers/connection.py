"""The messages that spark and a language server exchange: JSON-RPC over the pipes of a program.

Nothing here waits longer than it is told to, neither for a server that does not read nor for one
that writes without end. A server that does not keep to the protocol is lost, and nothing else is:
`Lost` ends the conversation.

Source: Language Server Protocol 3.17, base protocol.
"""

import atexit
import json
import os
import selectors
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from threading import Lock
from typing import IO, Any

from spark_tui import system
from spark_tui.errors import SparkError
from spark_tui.process_keeper import Keeper

MOST_MESSAGE = 16 << 20
"""Bytes of a message."""
MOST_BYTES = 512 << 20
"""Bytes that a server may write in all."""
_MOST_HEADER = 4096  # bytes; a header has two lines at most
_HEADER_END = b"\r\n\r\n"
_AT_ONCE = 1 << 16
_REAP_SECONDS = 5.0
_NO_SUCH_METHOD = -32601  # "method not found", by JSON-RPC 2.0


class Lost(SparkError):
    """A server hangs, has ended, or does not keep to the protocol."""


class Refused(SparkError):
    """A server answered a request with an error."""


_RUNNING: set["subprocess.Popen[bytes]"] = set()
_OWNER = os.getpid()


def running() -> tuple["subprocess.Popen[bytes]", ...]:
    """The servers that run now."""
    return tuple(_RUNNING)


@atexit.register
def _end_all() -> None:
    """End all servers; a forked child ends none, as they belong to its parent.

    A server that has a keeper ends with spark.
    """
    if os.getpid() == _OWNER and not Keeper.is_at_work:
        for process in running():
            system.send(process.pid, system.KILL)


class Connection:
    """A running server. Mutable; one thread, but for `wake` and `kill`.

    A server ends when its input ends, and on Linux with all that it started, so that a spark which
    is killed leaves nothing behind.

    Args:
        command: The program and its arguments.
        environment: All that the program sees of the environment.

    Raises:
        Lost: The program cannot be started.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self.published: dict[str, tuple[int | None, Any]] = {}
        """The version and the diagnostics that the server published last, by URI."""
        self.watched: set[str] = set()
        """The URIs whose diagnostics are kept."""
        self._unsent = bytearray()
        self._unread = bytearray()
        self._answers: dict[int, Any] = {}
        self._number = 0
        self._size = 0
        self._wakes, self._waker = os.pipe()
        self._waker_lock = Lock()
        self._keeper = Keeper(command)
        try:
            self._process = subprocess.Popen(
                self._keeper.command,
                cwd="/",  # a program reads settings where it starts; `initialize` names the root
                env=dict(environment),
                start_new_session=True,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                pass_fds=self._keeper.descriptors,
            )
        except (OSError, ValueError) as e:
            self._keeper.end_program()
            self._close_waker()
            raise Lost(f"cannot start {command[0]}: {e}") from e
        self._keeper.mark_started()
        _RUNNING.add(self._process)
        self._selector = selectors.DefaultSelector()
        # No call may block, or a server that does not read, or writes half a message, would hold up
        # the thread.
        for descriptor in (self._stdin.fileno(), self._stdout.fileno(), self._wakes, self._waker):
            system.return_at_once(descriptor)
        self._selector.register(self._stdout, selectors.EVENT_READ)
        self._selector.register(self._wakes, selectors.EVENT_READ)

    def notify(self, method: str, params: Any) -> None:
        """Send a notification, as soon as the server reads.

        Raises:
            Lost: The server has ended.
        """
        self._send({"method": method, "params": params})

    def request(self, method: str, params: Any, seconds: float) -> Any:
        """Send a request and wait for the answer.

        Args:
            seconds: How long the answer may take.

        Raises:
            Lost: There is no answer in that time, or the server has ended.
            Refused: The server answers with an error.
        """
        self._number += 1
        number = self._number
        self._send({"id": number, "method": method, "params": params})
        end = time.monotonic() + seconds
        while number not in self._answers:
            if (left := end - time.monotonic()) <= 0:
                raise Lost(f"no answer to {method} within {seconds:.0f} s")
            self.receive(left)
        answer = self._answers.pop(number)
        if "error" in answer:
            raise Refused(f"{method} was refused")
        return answer.get("result")

    def receive(self, seconds: float) -> None:
        """Wait for what the server writes, and meanwhile let it read.

        Args:
            seconds: How long to wait at most; `wake` ends the wait.

        Raises:
            Lost: The server has ended, or does not keep to the protocol.
        """
        for key, _ in self._selector.select(seconds):
            if key.fileobj is self._stdin:
                self._write()
            elif key.fileobj is self._stdout:
                self._read()
            else:
                # The bytes of `wake` have ended the wait, which is all they are for.
                with suppress(BlockingIOError):
                    os.read(self._wakes, _AT_ONCE)

    def wake(self) -> None:
        """End the wait of `receive`, from any thread."""
        with self._waker_lock:
            if self._waker >= 0:
                with suppress(BlockingIOError):  # the pipe is full of bytes that wake as well
                    os.write(self._waker, b"\0")

    def kill(self) -> None:
        """End the server and all that it started, from any thread. It has nothing to save."""
        # A process that was waited for is gone, and its number may be another's.
        if not self._keeper.end_program() and self._process.returncode is None:
            system.send(self._process.pid, system.KILL)
        self.wake()

    def close(self) -> None:
        """End the server, and let go of its pipes."""
        self.kill()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_REAP_SECONDS)
        _RUNNING.discard(self._process)
        self._selector.close()
        for pipe in (self._stdin, self._stdout):
            with suppress(OSError):
                pipe.close()
        self._close_waker()

    def _close_waker(self) -> None:
        with self._waker_lock:
            if self._waker >= 0:
                os.close(self._wakes)
                os.close(self._waker)
            self._waker = -1

    @property
    def _stdin(self) -> IO[bytes]:
        assert self._process.stdin is not None
        return self._process.stdin

    @property
    def _stdout(self) -> IO[bytes]:
        assert self._process.stdout is not None
        return self._process.stdout

    def _send(self, message: Mapping[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode("ascii")
        self._unsent += b"Content-Length: %d\r\n\r\n" % len(body)
        self._unsent += body
        if len(self._unsent) > 2 * MOST_MESSAGE:
            raise Lost("the server does not read")
        self._write()

    def _write(self) -> None:
        """Write as much as the server takes; the rest is for `receive`."""
        try:
            while self._unsent:
                written = os.write(self._stdin.fileno(), self._unsent[:_AT_ONCE])
                del self._unsent[:written]
        except BlockingIOError:
            # The pipe is full. Only now wait for it: a pipe with room would end every wait at once.
            if self._stdin not in self._selector.get_map():
                self._selector.register(self._stdin, selectors.EVENT_WRITE)
            return
        except OSError as e:
            raise Lost("the server reads no more") from e
        if self._stdin in self._selector.get_map():
            self._selector.unregister(self._stdin)

    def _read(self) -> None:
        """Take what stands in the pipe, and each message that is whole."""
        try:
            data = os.read(self._stdout.fileno(), _AT_ONCE)
        except BlockingIOError:
            return
        if not data:
            raise Lost("the server has ended")
        self._size += len(data)
        if self._size > MOST_BYTES:
            raise Lost(f"the server sent more than {MOST_BYTES >> 20} MB")
        self._unread += data
        while (body := self._next_body()) is not None:
            self._take(body)

    def _next_body(self) -> bytes | None:
        """Cut the next message off what was read; None where no message is whole."""
        header, end, _ = self._unread[:_MOST_HEADER].partition(_HEADER_END)
        if not end:
            if len(self._unread) >= _MOST_HEADER:
                raise Lost("the server sent no message")
            return None
        start = len(header) + len(end)
        size = _content_length(bytes(header))
        if len(self._unread) < start + size:
            return None
        body = bytes(self._unread[start : start + size])
        del self._unread[: start + size]
        return body

    def _take(self, body: bytes) -> None:
        try:
            message = json.loads(body)
        except (ValueError, RecursionError) as e:
            raise Lost("the server sent what is no JSON") from e
        match message:
            case {"method": str(method), "id": int() | str() as number}:
                self._answer(method, number, message.get("params"))
            case {"method": "textDocument/publishDiagnostics", "params": dict(params)}:
                self._publish(params)
            # Only the latest request can be answered: earlier ones were given up.
            case {"id": int(number)} if "method" not in message and number == self._number:
                self._answers = {number: message}

    def _answer(self, method: str, number: int | str, params: Any) -> None:
        """Answer a request of the server: it gets no settings, and nothing else is done for it."""
        match method, params:
            case "workspace/configuration", {"items": list(items)}:
                self._send({"id": number, "result": [None] * len(items)})
            case "client/registerCapability" | "window/workDoneProgress/create", _:
                self._send({"id": number, "result": None})
            case _:
                error = {"code": _NO_SUCH_METHOD, "message": "not known here"}
                self._send({"id": number, "error": error})

    def _publish(self, params: Mapping[str, Any]) -> None:
        """Keep the diagnostics of a file that was asked about."""
        uri = params.get("uri")
        version = params.get("version")
        if isinstance(uri, str) and uri in self.watched:
            known = version if isinstance(version, int) else None
            self.published[uri] = (known, params.get("diagnostics"))


def _content_length(header: bytes) -> int:
    """The number of bytes that a message has, by its header.

    Raises:
        Lost: The header does not tell, or the message is too large.
    """
    for line in header.split(b"\r\n"):
        name, _, value = line.partition(b":")
        digits = value.strip()
        is_length = name.strip().lower() == b"content-length"  # reads another program's output
        if is_length and digits.isdigit():
            if len(digits) > len(str(MOST_MESSAGE)) or int(digits) > MOST_MESSAGE:
                raise Lost(f"the server sent a message of more than {MOST_MESSAGE >> 20} MB")
            return int(digits)
    raise Lost("the server sent a message without its length")
