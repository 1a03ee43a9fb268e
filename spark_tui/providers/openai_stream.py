"""Server-sent events of OpenAI-compatible servers, as pieces of an answer.

Server-sent events that hold JSON, as OpenAI-compatible servers send them. Knows no sockets.

Source: WHATWG HTML, server-sent events. OpenAI ends a stream with the event `[DONE]`. Proxies and
servers put signs of life between the events (`data: ping`, a number, a list): whatever is no JSON
object is no piece of an answer and is skipped. An object that is damaged may be a piece that was
lost, so it ends the stream.

What an OpenAI-compatible server sends in a chat: events, each a piece of a chat completion.

Source: OpenAI API reference, chat completion chunks; llama.cpp, tools/server/README.md, for
`prompt_progress`. Knows no sockets.

What a server sends while it completes a text: server-sent events with tokens and probabilities.

Three dialects are read: llama-server (`logprobs.content`, with ids and bytes), vLLM and OpenAI's
older one (`logprobs.tokens` beside `top_logprobs`, ids as "token_id:N"), and text alone. Knows no
sockets.

Why servers say that an answer ended, as `finish_reason` names the reason. Knows no sockets.

Only a reason to stop makes an answer complete. A filter, a call of a tool, an error, or a word that
nobody knows leaves it unfinished, however whole its text looks.

Source: OpenAI, chat completion object. vLLM, llama-server and Ollama say "stop" and "length", too;
the other words are those of servers that pass on what the model's own interface says.
"""

import json
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from spark_tui.providers.base import PromptProgress
from spark_tui.providers.calibration import Scores
from spark_tui.providers.thoughts import ThoughtPiece

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

EventPiece = TypeVar("EventPiece")


class EventStream(ABC, Generic[EventPiece]):
    """One answer as it arrives, in bytes of any lengths.

    Mutable.

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

    def take(self, arrived: bytes) -> list[EventPiece]:
        """Take what arrived.

        Returns:
            The pieces in it, in order.
        """
        *lines, self._line = (self._line + arrived).split(b"\n")
        if len(self._line) > _MOST:
            self.fault = "it sent a line that never ends"
        return [piece for line in lines for piece in self._close_line(line.removesuffix(b"\r"))]

    def finish(self) -> list[EventPiece]:
        """Nothing more arrives.

        Returns:
            As `take`.
        """
        return self.take(b"\n\n")

    @abstractmethod
    def pieces(self, event: dict[str, Any]) -> Iterable[EventPiece]:
        """The pieces of an event that is no error.

        Raises:
            ValueError, TypeError, KeyError, AttributeError, IndexError: The event is no part of an
                answer.
        """

    def _close_line(self, line: bytes) -> list[EventPiece]:
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

    def _take_event(self, name: bytes, lines: list[bytes]) -> list[EventPiece]:
        """Take an event.

        Args:
            name: What it is called.
            lines: Its data.

        Returns:
            Its pieces.
        """
        try:
            objects = self._objects(lines)
        except (ValueError, RecursionError):
            self.fault = _ODD
            return []
        if name == _ERROR and not self.done:
            self.fault = told(data=objects) or self.skipped or "it gave up"
        pieces: list[EventPiece] = []
        for event in objects:
            if not self.fault:
                pieces += self._event(event)
        return pieces

    def _objects(self, lines: list[bytes]) -> list[dict[str, Any]]:
        """The JSON objects of an event: all of its data, or a line each where events run together.

        Raises:
            ValueError, RecursionError: An object is damaged.
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

        Raises:
            ValueError, RecursionError: It is no JSON.
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

    def _event(self, event: dict[str, Any]) -> list[EventPiece]:
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
            data = next(
                (data[key] for key in ("error", "message", "detail", "msg") if data.get(key)), None
            )
    words = _CONTROLS.sub(" ", data).strip() if isinstance(data, str) else ""
    return words if len(words) <= _LONGEST else f"{words[:_LONGEST]}…"


_THOUGHT_FIELDS = (
    "reasoning_content",
    "reasoning",
    "thinking",
    "reasoning_text",
    "reasoning_details",
)
_THOUGHT_PARTS = frozenset({"thinking", "reasoning", "thought", "redacted_thinking"})
_TEXT_PARTS = frozenset({"text", "output_text", ""})
_TEXT_KEYS = ("text", "thinking", "reasoning", "content", "summary", "value")
_DEEPEST = 8
"""How deep texts of a part may be nested."""

Piece = str | ThoughtPiece | PromptProgress


class ChatStream(EventStream[Piece]):
    """One answer as it arrives.

    Mutable.

    Attributes:
        called: Whether the answer calls a tool.
        thought_tokens: Of the tokens written, those that were thought, where the server tells.
        scores: The log-probabilities of the text, where the server tells them.
    """

    def __init__(self) -> None:
        super().__init__()
        self.called = False
        self.thought_tokens: int | None = None
        self.scores = Scores()
        self._done = -1
        """Tokens of the prompt that were read when the server last told of it."""
        self._half = ""
        """The first half of a character outside the BMP; servers cut such pairs apart."""

    def finish(self) -> list[Piece]:
        """Nothing more arrives.

        Returns:
            As `take`.
        """
        pieces = super().finish()
        if self._half and not self.fault:
            self.fault = "it sent half of a character"
        return pieces

    def pieces(self, event: dict[str, Any]) -> Iterator[Piece]:
        """See `EventStream`; an event without choices says nothing of the answer."""
        if read := self._progress(event.get("prompt_progress")):
            yield read
        choices = event.get("choices") or []
        choice = next((each for each in choices if not each.get("index")), None)
        if choice is None:
            return
        ended = choice.get("finish_reason")
        self.ended = ended if ended and isinstance(ended, str) else self.ended
        said = choice.get("delta") or choice.get("message") or {}
        self.called = self.called or bool(said.get("tool_calls") or said.get("function_call"))
        thought = next((text for name in _THOUGHT_FIELDS if (text := _text_of(said.get(name)))), "")
        for piece in (ThoughtPiece(thought), *_parts(said.get("content"))):
            if isinstance(piece, ThoughtPiece):
                if piece.text:
                    self.thought = True
                    yield ThoughtPiece(_whole(piece.text, "replace"))
            elif text := self._joined(piece):
                self.spoken = True
                self.scores.add(text, choice.get("logprobs"))
                yield text

    def _progress(self, told: Any) -> PromptProgress | None:
        """How much of the prompt is read; None where the server tells nothing new of it."""
        if not isinstance(told, dict):
            return None
        total = _count_of(told, "total")
        done = _count_of(told, "processed")
        cached = min(_count_of(told, "cache"), done)
        if total == 0 or not self._done < done <= total:
            return None
        self._done = done
        return PromptProgress(total, cached, done, passes=0)

    def _joined(self, text: str) -> str:
        """A text with the half that came before, and without one that still lacks its other
        half.
        """
        text = self._half + text
        self._half = text[-1] if text and "\ud800" <= text[-1] <= "\udbff" else ""
        try:
            return _whole(text.removesuffix(self._half), "strict")
        except UnicodeDecodeError:
            self.fault = "it sent half of a character"
            raise

    def _count(self, usage: Any) -> None:
        super()._count(usage)
        details = usage.get("completion_tokens_details") if isinstance(usage, dict) else None
        thought = details.get("reasoning_tokens") if isinstance(details, dict) else None
        if type(thought) is int and thought > 0:
            self.thought_tokens = thought


def _parts(content: Any) -> Iterator[str | ThoughtPiece]:
    """The pieces of a content: a text, or parts of which some are text.

    Raises:
        TypeError: It is neither.
    """
    if content is None or isinstance(content, str):
        yield content or ""
        return
    for part in [content] if isinstance(content, dict) else content:
        kind = part.get("type", "") if isinstance(part, dict) else ""
        if kind in _THOUGHT_PARTS:
            yield ThoughtPiece(_text_of(part))
        elif kind in _TEXT_PARTS:
            yield _text_of(part)


def _count_of(told: dict[str, Any], name: str) -> int:
    """A count that a server tells; 0 where it tells none."""
    count = told.get(name)
    return count if type(count) is int and count > 0 else 0


def _text_of(value: Any, depth: int = 0) -> str:
    """The text of a part or a field, however it is wrapped; "" where there is none."""
    if isinstance(value, str):
        return value
    if depth < _DEEPEST and isinstance(value, list):
        return "".join(_text_of(each, depth + 1) for each in value)
    if depth < _DEEPEST and isinstance(value, dict):
        return next(
            (text for key in _TEXT_KEYS if (text := _text_of(value.get(key), depth + 1))), ""
        )
    return ""


def _whole(text: str, errors: str) -> str:
    """A text whose halves of surrogate pairs are joined.

    Raises:
        UnicodeDecodeError: One stays alone, if strict.
    """
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", errors)


_MOST_CHOICES = 64
"""Likely tokens that are kept of each place."""
_ID = "token_id:"


@dataclass(frozen=True, slots=True)
class LikelyToken:
    """A token and its log-probability among all. `number` is None where only its text is told."""

    number: int | None
    piece: bytes
    logprob: float


@dataclass(frozen=True, slots=True)
class CompletedToken:
    """A piece of an answer.

    Attributes:
        number: The token; None where the server does not tell, or the piece is of several.
        piece: Its text; empty where `number` alone tells.
        logprob: Among all tokens, not only those that a grammar allows; None where not told.
        likely: The likeliest tokens of that place, as many as the server tells.
    """

    number: int | None
    piece: bytes
    logprob: float | None = None
    likely: tuple[LikelyToken, ...] = ()


class CompletionStream(EventStream[CompletedToken]):
    """One completion as it arrives. Mutable. A completion tells no thoughts apart."""

    def pieces(self, event: dict[str, Any]) -> Sequence[CompletedToken]:
        """See `EventStream`."""
        choices = event.get("choices") or ()
        if not choices:
            return ()
        choice = choices[0]
        self.ended = choice.get("finish_reason") or self.ended
        text = choice.get("text") or ""
        if not isinstance(text, str):
            raise TypeError
        self.spoken = self.spoken or bool(text)
        return _tokens(text.encode("utf-8", "replace"), choice.get("logprobs"))


def _tokens(text: bytes, logprobs: Mapping[str, Any] | None) -> Sequence[CompletedToken]:
    """The tokens of an event; what their text leaves out of the event's comes as one piece."""
    tokens = list(_told_tokens(logprobs)) if logprobs else []
    if not tokens:
        return [CompletedToken(None, text)] if text else []
    known = b"".join(token.piece for token in tokens)
    if known == text or all(token.number is not None and not token.piece for token in tokens):
        return tokens
    if not text:
        # A special token, or the first bytes of a character that the next event completes.
        return [token for token in tokens if token.number is not None]
    last = tokens[-1]
    return [CompletedToken(None, text, last.logprob, last.likely)]


def _told_tokens(logprobs: Mapping[str, Any]) -> Iterator[CompletedToken]:
    if (content := logprobs.get("content")) is not None:
        for entry in content:
            likely = tuple(_entry(each) for each in entry.get("top_logprobs") or ())
            token = _entry(entry)
            yield CompletedToken(token.number, token.piece, token.logprob, likely[:_MOST_CHOICES])
        return
    names = logprobs["tokens"]
    tops = logprobs.get("top_logprobs") or [None] * len(names)
    for name, logprob, top in zip(names, logprobs["token_logprobs"], tops, strict=True):
        number, piece = _named(name)
        others = [LikelyToken(*_named(other), _number(each)) for other, each in (top or {}).items()]
        known = None if logprob is None else _number(logprob)
        yield CompletedToken(number, piece, known, tuple(others[:_MOST_CHOICES]))


def _entry(entry: Mapping[str, Any]) -> LikelyToken:
    number, piece = _named(entry["token"])
    if isinstance(entry.get("bytes"), list):
        piece = bytes(entry["bytes"])
    identity = entry.get("id", number)
    return LikelyToken(
        None if identity is None else int(identity), piece, _number(entry["logprob"])
    )


def _named(text: str) -> tuple[int | None, bytes]:
    """The token and the text that a name stands for."""
    if text.startswith(_ID) and text[len(_ID) :].isdecimal():
        return int(text[len(_ID) :]), b""
    return None, text.encode("utf-8", "replace")


def _number(value: object) -> float:
    """A log-probability.

    Raises:
        ValueError: It is none.
    """
    if not isinstance(value, int | float) or math.isnan(value):
        raise ValueError
    return min(float(value), 0.0)


_COMPLETE = frozenset(
    {
        "stop",
        "stop_sequence",
        "stop_token",
        "eos",
        "eos_token",
        "end",
        "end_turn",
        "endturn",
        "complete",
        "completed",
        "finish_reason_stop",
    }
)
_LENGTH = frozenset(
    {
        "length",
        "max_length",
        "max_tokens",
        "max_output_tokens",
        "model_length",
        "token_limit",
        "finish_reason_max_tokens",
    }
)


def is_complete(reason: str | None) -> bool:
    """Whether an answer came to its own end.

    Args:
        reason: Why it ended, if known.
    """
    return reason is not None and reason.strip().lower() in _COMPLETE


def is_length(reason: str | None) -> bool:
    """Whether an answer ends because it used up its tokens."""
    return reason is not None and reason.strip().lower() in _LENGTH
