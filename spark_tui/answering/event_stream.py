"""Server-sent events that hold JSON, as OpenAI-compatible servers send them. Knows no sockets.

Source: WHATWG HTML, server-sent events. OpenAI ends a stream with the event `[DONE]`. Proxies and
servers put signs of life between the events (`data: ping`, a number, a list): whatever is no JSON
object is no piece of an answer and is skipped. An object that is damaged may be a piece that was
lost, so it ends the stream.
"""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, Generic, TypeVar

_MOST = 8 << 20
"""Bytes of one event, beyond which the event is no piece of an answer."""
_MARK = b"\xef\xbb\xbf"
_KEPT_ALIVE = frozenset({b"ping", b"heartbeat", b"keepalive", b"keep-alive"})
"""Events that say nothing but that the server is there."""
_END = b"[DONE]"
_ERROR = b"error"
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_LONGEST = 200
_ODD = "it sent something that is not part of an answer"

Piece = TypeVar("Piece")


class EventStream(ABC, Generic[Piece]):
    """One answer as it arrives, in bytes of any lengths. Mutable.

    Attributes:
        ended: Why, in the server's words ("stop", "length"); None as long as the answer goes on.
        done: Whether the server says that nothing more comes.
        fault: What is wrong with the answer; what comes after that is not read.
        skipped: The first event that was skipped because it is no JSON object, in one short line.
        spoken: Whether there was any text.
        thought: Whether a thought came apart from the text.
        spent: Tokens read and written, where the server tells.
    """

    def __init__(self) -> None:
        self.ended: str | None = None
        self.done = False
        self.fault = self.skipped = ""
        self.spoken = False
        self.thought = False
        self.spent: tuple[int, int] | None = None
        self._line = b""
        self._data: list[bytes] = []
        self._size = 0
        """Bytes of the event so far."""
        self._name = b""
        self._begun = False

    def take(self, arrived: bytes) -> list[Piece]:
        """Take what arrived. Returns: the pieces in it, in order."""
        *lines, self._line = (self._line + arrived).split(b"\n")
        if len(self._line) > _MOST:
            self.fault = "it sent a line that never ends"
        return [piece for line in lines for piece in self._close_line(line.removesuffix(b"\r"))]

    def finish(self) -> list[Piece]:
        """Nothing more arrives. Returns: as `take`."""
        return self.take(b"\n\n")

    @abstractmethod
    def pieces(self, event: dict[str, Any]) -> Iterable[Piece]:
        """The pieces of an event that is no error.

        Raises: ValueError, TypeError, KeyError, AttributeError, IndexError: the event is no part of
            an answer.
        """

    def _close_line(self, line: bytes) -> list[Piece]:
        if self.fault or self.done:
            return []
        if not self._begun:
            self._begun = True
            line = line.removeprefix(_MARK)
        if line:
            self._field(line)
            return []
        name = self._name.strip().lower()
        lines = [line for line in self._data if line.strip()]
        self._name = b""
        self._data = []
        self._size = 0
        if not lines or name in _KEPT_ALIVE:
            return []
        return self._take_event(name, lines)

    def _field(self, line: bytes) -> None:
        """Take one line of an event."""
        name, _, value = line.partition(b":")
        self._size += len(line) + 1
        if self._size > _MOST and name:
            self.fault = "it sent an event that never ends"
        elif name == b"data":
            self._data.append(value.removeprefix(b" "))
        elif name == b"event":
            self._name = value

    def _take_event(self, name: bytes, lines: list[bytes]) -> list[Piece]:
        """Take an event. Args: name: what it is called. lines: its data. Returns: its pieces."""
        try:
            objects = self._objects(lines)
        except (ValueError, RecursionError):
            self.fault = _ODD
            return []
        if name == _ERROR and not self.done:
            self.fault = told(data=objects) or self.skipped or "it gave up"
        pieces: list[Piece] = []
        for event in objects:
            if not self.fault:
                pieces += self._event(event)
        return pieces

    def _objects(self, lines: list[bytes]) -> list[dict[str, Any]]:
        """The JSON objects of an event: all of its data, or a line each where events run together.

        Raises: ValueError, RecursionError: an object is damaged.
        """
        whole = b"\n".join(lines)
        try:
            return self._objects_in(whole)
        except (ValueError, RecursionError):
            if len(lines) == 1 and whole.lstrip().startswith(b"{"):
                raise
        objects: list[dict[str, Any]] = []
        for line in lines:
            if line.strip() == _END:
                self.done = True
                break
            if line.lstrip().startswith(b"{"):
                objects += self._objects_in(line)
            else:
                self._skip(line)
        return objects

    def _objects_in(self, text: bytes) -> list[dict[str, Any]]:
        """The objects of some JSON: itself, or the items of a list, as some servers send errors.

        Raises: ValueError, RecursionError: it is no JSON.
        """
        value = json.loads(text)
        items = value if isinstance(value, list) else [value]
        objects = [item for item in items if isinstance(item, dict)]
        if not objects:
            self._skip(text)
        return objects

    def _skip(self, text: bytes) -> None:
        start = text[: 4 * _LONGEST].decode("utf-8", "replace")
        self.skipped = self.skipped or told(data=start)

    def _event(self, event: dict[str, Any]) -> list[Piece]:
        try:
            if event.get("error") or "error" in (event.get("object"), event.get("type")):
                self.fault = told(data=event) or "it gave up"
                return []
            self._count(event.get("usage"))
            return list(self.pieces(event))
        except (ValueError, TypeError, KeyError, AttributeError, IndexError, RecursionError):
            self.fault = self.fault or _ODD
            return []

    def _count(self, usage: Any) -> None:
        """Take what the server counted; odd figures are none."""
        if not isinstance(usage, dict):
            return
        read = usage.get("prompt_tokens")
        written = usage.get("completion_tokens") or 0
        if type(read) is int and type(written) is int:
            self.spent = read, written


def told(body: bytes = b"", data: Any = None) -> str:
    """What a server says of an error, in one short line; "" where it says nothing to people."""
    if data is None:
        try:
            data = json.loads(body)
        except (ValueError, RecursionError):
            return ""
    for _ in range(3):
        if isinstance(data, list):
            data = next(iter(data), None)
        if isinstance(data, dict):
            data = next((data[key] for key in ("error", "message", "detail", "msg") if data.get(key)), None)
    words = _CONTROLS.sub(" ", data).strip() if isinstance(data, str) else ""
    return words if len(words) <= _LONGEST else f"{words[:_LONGEST]}…"
