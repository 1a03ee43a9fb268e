"""What an OpenAI-compatible server sends while it answers: server-sent events, each a piece of a chat completion.

Source: WHATWG HTML, server-sent events; OpenAI API reference, chat completion chunks. Knows no sockets.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from spark_tui.answering.decisions import Scores
from spark_tui.answering.thinking import Thinking

_MOST = 8 << 20
"""Bytes of one event, beyond which it is no piece of an answer."""
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_LONGEST = 200
_MARK = b"\xef\xbb\xbf"
_KEPT_ALIVE = frozenset({b"ping", b"heartbeat", b"keepalive", b"keep-alive"})
"""Events that say nothing but that the server is there."""
_THOUGHT_FIELDS = ("reasoning_content", "reasoning", "thinking", "reasoning_text", "reasoning_details")
_THOUGHT_PARTS = frozenset({"thinking", "reasoning", "thought", "redacted_thinking"})
_TEXT_PARTS = frozenset({"text", "output_text", ""})
_TEXT_KEYS = ("text", "thinking", "reasoning", "content", "summary", "value")
_DEEPEST = 8
"""How deep texts of a part may be nested."""

Piece = str | Thinking


class ChatStream:
    """One answer as it arrives. Mutable.

    `ended`: why, in the server's words ("stop", "length"), None as long as it goes on. `done`: the server says that
    nothing more comes. `fault`: what is wrong with it; what comes after that is not read. `spent`: tokens read and
    written, where the server tells; `thought_tokens`: those of them that were thought. `spoken`: whether there was any
    text; `thought`: whether a thought came apart from the text. `called`: whether it calls a tool.
    """

    def __init__(self) -> None:
        self.ended: str | None = None
        self.done = self.spoken = self.thought = self.called = False
        self.fault = ""
        self.spent: tuple[int, int] | None = None
        self.thought_tokens: int | None = None
        self.scores = Scores()
        """The log-probabilities of the text, where the server tells them."""
        self._line = b""
        self._data: list[bytes] = []
        self._size = 0
        """Bytes of the event so far."""
        self._name = b""
        self._begun = False
        self._half = ""
        """The first half of a character outside the BMP; servers cut such pairs apart."""

    def take(self, arrived: bytes) -> list[Piece]:
        """Take what arrived. Returns: the pieces in it, in order."""
        *lines, self._line = (self._line + arrived).split(b"\n")
        if len(self._line) > _MOST:
            self.fault = "it sent a line that never ends"
        return [piece for line in lines for piece in self._closed(line.removesuffix(b"\r"))]

    def finish(self) -> list[Piece]:
        """Nothing more arrives. Returns: as `take`."""
        pieces = self.take(b"\n\n")
        if self._half and not self.fault:
            self.fault = "it sent half of a character"
        return pieces

    def _closed(self, line: bytes) -> list[Piece]:
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
        empty = not data.strip() or name.strip().lower() in _KEPT_ALIVE
        return [] if empty or self.done else self._event(data)

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
            return list(self._pieces(json.loads(data)))
        except (ValueError, TypeError, KeyError, AttributeError, IndexError, RecursionError):
            self.fault = self.fault or "it sent something that is not part of an answer"
            return []

    def _pieces(self, event: Any) -> Iterator[Piece]:
        """The pieces of an event; one that has neither choices nor an error says nothing of the answer."""
        if event is None or isinstance(event, str | int | float):
            return
        if event.get("error") or "error" in (event.get("object"), event.get("type")):
            self.fault = told(data=event) or "it gave up"
            return
        self._count(event.get("usage"))
        choices = event.get("choices") or []
        choice = next((each for each in choices if not each.get("index")), None)
        if choice is None:
            return
        ended = choice.get("finish_reason")
        self.ended = ended if ended and isinstance(ended, str) else self.ended
        said = choice.get("delta") or choice.get("message") or {}
        self.called = self.called or bool(said.get("tool_calls") or said.get("function_call"))
        thought = next((text for name in _THOUGHT_FIELDS if (text := _text_of(said.get(name)))), "")
        for piece in (Thinking(thought), *_parts(said.get("content"))):
            if isinstance(piece, Thinking):
                if piece.text:
                    self.thought = True
                    yield Thinking(_whole(piece.text, "replace"))
            elif text := self._joined(piece):
                self.spoken = True
                self.scores.add(text, choice.get("logprobs"))
                yield text

    def _joined(self, text: str) -> str:
        """A text with the half that came before, and without one that still lacks its other half."""
        text = self._half + text
        self._half = text[-1] if text and "\ud800" <= text[-1] <= "\udbff" else ""
        try:
            return _whole(text.removesuffix(self._half), "strict")
        except UnicodeDecodeError:
            self.fault = "it sent half of a character"
            raise

    def _count(self, usage: Any) -> None:
        """Take what the server counted; odd figures are none."""
        if not isinstance(usage, dict):
            return
        read, written = usage.get("prompt_tokens"), usage.get("completion_tokens") or 0
        if type(read) is int and type(written) is int:
            self.spent = read, written
        details = usage.get("completion_tokens_details")
        thought = details.get("reasoning_tokens") if isinstance(details, dict) else None
        if type(thought) is int and thought > 0:
            self.thought_tokens = thought


def _parts(content: Any) -> Iterator[Piece]:
    """The pieces of a content: a text, or parts of which some are text. Raises: TypeError: it is neither."""
    if content is None or isinstance(content, str):
        yield content or ""
        return
    for part in [content] if isinstance(content, dict) else content:
        kind = part.get("type", "") if isinstance(part, dict) else ""
        if kind in _THOUGHT_PARTS:
            yield Thinking(_text_of(part))
        elif kind in _TEXT_PARTS:
            yield _text_of(part)


def _text_of(value: Any, depth: int = 0) -> str:
    """The text of a part or a field, however it is wrapped; "" where there is none."""
    if isinstance(value, str):
        return value
    if depth < _DEEPEST and isinstance(value, list):
        return "".join(_text_of(each, depth + 1) for each in value)
    if depth < _DEEPEST and isinstance(value, dict):
        return next((text for key in _TEXT_KEYS if (text := _text_of(value.get(key), depth + 1))), "")
    return ""


def _whole(text: str, errors: str) -> str:
    """A text whose halves of surrogate pairs are joined. Raises: UnicodeDecodeError: one stays alone, if strict."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", errors)


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
