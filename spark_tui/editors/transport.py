"""JSON-RPC messages as lines on two file descriptors, with bounds.

The library's own transport accepts lines of any length, and ignores a line that is no message. Here
a line has a bound, a line that is no message is answered with an error, and nothing is read from a
client that does not read its answers.

Source: JSON-RPC 2.0 Specification, https://www.jsonrpc.org/specification.
"""

import asyncio
import json
import os
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Thread
from typing import Any

from acp.meta import AGENT_METHODS

MOST_BYTES = 16 << 20
"""Bytes of one message."""
_AT_ONCE = 1 << 16
_MOST_WAITING = 64
"""The most messages that wait to be handled, and the most that wait to be read by the client."""
LAST_S = 1.0
"""How long the last requests of a client that has hung up may take."""
# The codes of JSON-RPC 2.0, section 5.1.
_PARSE_ERROR = -32700
_INVALID_REQUEST = -32600


@dataclass(frozen=True, slots=True)
class _Refusal:
    """The answer to a line that is no message."""

    code: int
    reason: str

    @property
    def message(self) -> dict[str, Any]:
        """The answer; its id is null, as JSON-RPC has it for a request with an unknown id."""
        error = {"code": self.code, "message": self.reason}
        return {"jsonrpc": "2.0", "id": None, "error": error}


_TOO_LONG = _Refusal(
    _INVALID_REQUEST, f"a message has more than {MOST_BYTES >> 20} MB; it was not read"
)


class LineTransport:
    """The `Transport` of the library's connections. Mutable; made in a running event loop.

    Args:
        source: The descriptor to read messages from.
        sink: The descriptor to write messages to.
    """

    def __init__(self, source: int, sink: int) -> None:
        self._source = source
        self._sink = sink
        self._loop = asyncio.get_running_loop()
        self._came = asyncio.Queue[dict[str, Any] | _Refusal | None](_MOST_WAITING)
        self._unsent = SimpleQueue[tuple[bytes, asyncio.Future[None]] | None]()
        self._waiting = 0
        self._unanswered = set[int | str]()
        """The ids of requests without an answer so far, except prompts."""
        self._all_answered = asyncio.Event()
        self._all_answered.set()
        self._has_room = asyncio.Event()
        self._has_room.set()
        self._is_closed = False
        Thread(target=self._read, name="spark-acp-read", daemon=True).start()
        Thread(target=self._write, name="spark-acp-write", daemon=True).start()

    async def receive(self) -> dict[str, Any] | None:
        """The next message; None at the end, once all requests but prompts are answered."""
        while True:
            # Backpressure: nothing is taken while the client leaves too many answers unread.
            await self._has_room.wait()
            item = await self._came.get()
            if item is None:
                await self._answer_last()
                return None
            if isinstance(item, _Refusal):
                with suppress(ConnectionError):
                    await self.send(item.message)
            elif not _is_unknown_notification(item):
                self._expect_answer(item)
                return item

    def _expect_answer(self, message: dict[str, Any]) -> None:
        """Note a request, unless it is a prompt: a client that hangs up wants no edit any more."""
        is_request = "method" in message and message.get("id") is not None
        if is_request and message["method"] != AGENT_METHODS["session_prompt"]:
            self._unanswered.add(message["id"])
            self._all_answered.clear()

    def _note_answer(self, message: dict[str, Any]) -> None:
        if "method" not in message:
            self._unanswered.discard(message.get("id"))
        if not self._unanswered:
            self._all_answered.set()

    async def _answer_last(self) -> None:
        """Wait a little until the requests that came before the end are answered."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._all_answered.wait(), LAST_S)

    async def send(self, message: dict[str, Any]) -> None:
        """Send a message, and wait until it is written, or the client reads no more.

        Raises:
            ConnectionError: The connection is closed.
        """
        if self._is_closed:
            raise ConnectionError("the connection is closed")
        line = json.dumps(message, separators=(",", ":")).encode("ascii") + b"\n"
        is_written = self._loop.create_future()
        # Written in the other thread, because a write may block; this future says when.
        self._waiting += 1
        if self._waiting >= _MOST_WAITING:
            self._has_room.clear()
        self._unsent.put((line, is_written))
        try:
            await is_written
        finally:
            self._waiting -= 1
            if self._waiting < _MOST_WAITING:
                self._has_room.set()
            self._note_answer(message)

    async def close(self) -> None:
        """Send no more."""
        self._is_closed = True
        self._unsent.put(None)

    def _read(self) -> None:
        """Read messages, in a thread of its own."""
        with suppress(RuntimeError):  # the event loop has ended
            for line in _lines(self._source):
                item = _TOO_LONG if line is None else parse(line)
                if item is not None:
                    self._hand_over(item)
            self._hand_over(None)

    def _hand_over(self, item: dict[str, Any] | _Refusal | None) -> None:
        """Wait until there is room for an item.

        Raises:
            RuntimeError: The event loop has ended.
        """
        # Blocks this thread while the queue is full, so that the pipe fills up and the client
        # waits.
        putting = self._came.put(item)
        try:
            asyncio.run_coroutine_threadsafe(putting, self._loop).result()
        except RuntimeError:
            putting.close()
            raise
        except CancelledError as e:
            raise RuntimeError("the event loop has ended") from e

    def _write(self) -> None:
        """Write messages, in a thread of its own: a client may take its time to read."""
        while (item := self._unsent.get()) is not None:
            line, is_written = item
            with suppress(OSError):  # the client is gone, which `_read` notices, too
                _write_all(self._sink, line)
            with suppress(RuntimeError):  # the event loop has ended
                self._loop.call_soon_threadsafe(_settle, is_written)


def _is_unknown_notification(message: dict[str, Any]) -> bool:
    """Whether a message is a notification that means nothing here, and can be dropped."""
    method = message.get("method")
    if method is None or "id" in message:
        return False
    if method != AGENT_METHODS["session_cancel"]:
        return True
    params = message.get("params")
    return not (isinstance(params, dict) and isinstance(params.get("sessionId"), str))


def _settle(future: "asyncio.Future[None]") -> None:
    """Wake the sender of a written message."""
    if not future.done():
        future.set_result(None)


def _write_all(descriptor: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]


def _lines(descriptor: int) -> Iterator[bytes | None]:
    """Yield the lines from a descriptor until its end; None for a line that is too long."""
    line = bytearray()
    is_too_long = False
    while True:
        try:
            data = os.read(descriptor, _AT_ONCE)
        except OSError:
            return
        if not data:
            return
        # All parts but the last one end a line. A line that grows too long is dropped at once, and
        # reported when it ends.
        *ended, rest = data.split(b"\n")
        for part in ended:
            line += part
            yield None if is_too_long or len(line) > MOST_BYTES else bytes(line)
            line.clear()
            is_too_long = False
        line += rest
        if len(line) > MOST_BYTES:
            is_too_long = True
            line.clear()


def parse(line: bytes) -> dict[str, Any] | _Refusal | None:
    """Read a line: a message, the answer to a line that is none, or None for an empty line."""
    if not line.strip():
        return None
    try:
        message = json.loads(line)
        # Escaped surrogates may be half characters, which no file can hold: replace them.
        if b"\\ud" in line or b"\\uD" in line:
            whole = json.dumps(message, ensure_ascii=False).encode("utf-8", "replace")
            message = json.loads(whole)
    except (ValueError, RecursionError):
        return _Refusal(_PARSE_ERROR, "a line is no JSON; send one message a line")
    if not isinstance(message, dict):
        return _Refusal(_INVALID_REQUEST, "a message must be an object")
    method = message.get("method")
    if method is not None and not isinstance(method, str):
        return _Refusal(_INVALID_REQUEST, "the method of a message must be a text")
    name = message.get("id")
    if name is not None and (isinstance(name, bool) or not isinstance(name, int | str)):
        return _Refusal(_INVALID_REQUEST, "the id of a message must be a number or a text")
    return message
