"""Server-sent events that hold JSON, as OpenAI-compatible servers send them. Knows no sockets.

Source: WHATWG HTML, server-sent events. OpenAI ends a stream with the event `[DONE]`.
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
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_LONGEST = 200

Piece = TypeVar("Piece")


class EventStream(ABC, Generic[Piece]):
    """One answer as it arrives, in bytes of any lengths. Mutable.

    Attributes:
        ended: Why, in the server's words ("stop", "length"); None as long as the answer goes on.
        done: Whether the server says that nothing more comes.
        fault: What is wrong with the answer; what comes after that is not read.
        spoken: Whether there was any text.
        thought: Whether a thought came apart from the text.
        spent: Tokens read and written, where the server tells.
    """

    def __init__(self) -> None:
        self.ended: str | None = None
        self.done = False
        self.fault = ""
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
        name, self._name = self._name, b""
        data, self._data = b"\n".join(self._data), []
        self._size = 0
        if data.strip() == b"[DONE]":
            self.done = True
        is_empty = not data.strip() or name.strip().lower() in _KEPT_ALIVE
        return [] if is_empty or self.done else self._event(data)

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

    def _event(self, data: bytes) -> list[Piece]:
        try:
            event = json.loads(data)
            if event is None or isinstance(event, str | int | float):
                return []
            if event.get("error") or "error" in (event.get("object"), event.get("type")):
                self.fault = told(data=event) or "it gave up"
                return []
            self._count(event.get("usage"))
            return list(self.pieces(event))
        except (ValueError, TypeError, KeyError, AttributeError, IndexError, RecursionError):
            self.fault = self.fault or "it sent something that is not part of an answer"
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
