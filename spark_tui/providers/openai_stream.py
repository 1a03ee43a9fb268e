"""The streams of OpenAI-compatible servers, parsed into the pieces of an answer.

`EventStream` parses server-sent events that hold JSON. `ChatStream` reads the pieces of a chat from
them, and `CompletionStream` those of a text completion. `is_complete` and `is_length` read the
reason for which an answer ended. Opens no sockets: bytes go in, pieces come out.

OpenAI ends a stream with the event `[DONE]`. Proxies and servers put signs of life between the
events (`data: ping`, a number, a list): whatever is no JSON object is no piece of an answer and is
skipped. A damaged object may be a piece that was lost, so it ends the stream. Servers that fail
before they stream, and their proxies, send lines that are no fields: an error as JSON, a page, a
word. These are read once nothing more arrives.

Sources: WHATWG HTML, server-sent events; OpenAI API reference, chat completion chunks; llama.cpp,
tools/server/README.md, for `prompt_progress`.
"""

import json
import math
import re  # noqa: TID251 - reads characters as such
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from spark_tui.providers.base import PromptProgress
from spark_tui.providers.calibration import Scores
from spark_tui.providers.quota import is_used_up
from spark_tui.providers.thoughts import ThoughtPiece

_MOST = 8 << 20
"""The most bytes of one event."""
_MARK = b"\xef\xbb\xbf"
"""The byte order mark, which may precede a stream."""
_KEPT_ALIVE = frozenset({b"ping", b"heartbeat", b"keepalive", b"keep-alive"})
"""The names of events that are signs of life."""
_OTHER_FIELDS = frozenset({b"", b"id", b"retry"})
"""The fields of an event that tell nothing; the one without a name is a comment."""
_END = b"[DONE]"
_ERROR = b"error"
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_LONGEST = 200
"""The most characters that are quoted of a server."""
_ODD = "it sent something that is not part of an answer"
_ERROR_KEYS = ("error", "message", "detail", "msg")
"""The fields in which servers put the words of an error."""

EventPiece = TypeVar("EventPiece")


class EventStream(ABC, Generic[EventPiece]):
    """One answer as it arrives, in bytes of any lengths.

    Mutable.

    Attributes:
        ended: The reason in the server's words ("stop", "length"); None as long as the answer goes
            on.
        done: Whether the server says that nothing more comes.
        fault: The fault of the answer, behind which nothing is read; "" for none.
        used_up: Whether the fault is a quota that is used up.
        skipped: The first event that was skipped because it is no JSON object, in one short line.
        spoken: Whether there was any text.
        thought: Whether there was a thought, sent apart from the text.
        spent: Tokens read and written, where the server tells.
        cached: How many of the tokens read the server knew before.
    """

    def __init__(self) -> None:
        self.ended: str | None = None
        self.done = False
        self.used_up = False
        self.fault = self.skipped = ""
        self.spoken = False
        self.thought = False
        self.spent: tuple[int, int] | None = None
        self.cached = 0
        self._line = b""
        self._ends_in_cr = False
        self._data: list[bytes] = []
        self._size = 0
        """Bytes of the event so far."""
        self._name = b""
        self._strays: list[bytes] = []
        """The lines that are no fields of an event, as far as they are kept."""
        self._stray_size = 0
        self._has_events = False
        self._begun = False
        self._done = -1
        """Tokens of the prompt that were read at the last report of progress."""

    def take(self, arrived: bytes) -> list[EventPiece]:
        """Take bytes that arrived.

        Returns:
            The pieces of the events that are complete, in order.
        """
        # A line ends with CR LF, LF or CR. After a CR at the end of the bytes an LF may follow,
        # which belongs to the same end.
        whole = self._line + arrived
        if self._ends_in_cr:
            whole = whole.removeprefix(b"\n")
        if arrived:
            self._ends_in_cr = arrived.endswith(b"\r")
        lines = whole.splitlines(keepends=True)
        # The last part may have no end yet; it waits for the next bytes.
        has_end = not lines or lines[-1].endswith((b"\n", b"\r"))
        self._line = b"" if has_end else lines.pop()
        if len(self._line) > _MOST:
            self.fault = "it sent a line that never ends"
        pieces: list[EventPiece] = []
        for line in lines:
            pieces += self._close_line(line.rstrip(b"\r\n"))
        return pieces

    def finish(self) -> list[EventPiece]:
        """Take note that nothing more arrives.

        Returns:
            As `take`.
        """
        return [*self.take(b"\n\n"), *self._take_strays()]

    @abstractmethod
    def pieces(self, event: dict[str, Any]) -> Iterable[EventPiece]:
        """Return the pieces of an event that is no error.

        Raises:
            ValueError, TypeError, KeyError, AttributeError, IndexError: The event is no part of an
                answer.
        """

    def _close_line(self, line: bytes) -> list[EventPiece]:
        """Take a whole line; an empty one ends an event, whose pieces are returned."""
        if self.fault or self.done:
            return []
        if not self._begun:
            self._begun = True
            line = line.removeprefix(_MARK)
        if line:
            self._field(line)
            return []
        # An empty line ends the event.
        name = self._name.strip().lower()
        lines = [line for line in self._data if line.strip()]
        self._name = b""
        self._data = []
        self._size = 0
        if not lines or name in _KEPT_ALIVE:
            return []
        return self._take_event(name, lines)

    def _field(self, line: bytes) -> None:
        """Take a line within an event."""
        name, _, value = line.partition(b":")
        self._size += len(line) + 1
        if self._size > _MOST and name:
            self.fault = "it sent an event that never ends"
        elif name == b"data":
            self._data.append(value.removeprefix(b" "))
        elif name == b"event":
            self._name = value
        elif name == _ERROR:
            # Older versions of llama-server name the field so.
            self._name = _ERROR
            self._data.append(value)
        elif name not in _OTHER_FIELDS and self._stray_size + len(line) <= _MOST:
            self._strays.append(line)
            self._stray_size += len(line) + 1

    def _take_strays(self) -> list[EventPiece]:
        """Take the lines that were no fields, as one event, unless the answer is whole."""
        strays = self._strays
        self._strays = []
        if not strays or self.fault or self.ended is not None:
            return []
        if not self._has_events:
            return self._take_event(b"", strays)
        # Behind pieces of an answer, only an error is no noise.
        for error in _stray_errors(b"\n".join(strays)):
            self._event(error)
        return []

    def _take_event(self, name: bytes, lines: list[bytes]) -> list[EventPiece]:
        """Take an event.

        Args:
            name: The name of the event.
            lines: The data of the event.

        Returns:
            The pieces of the event.
        """
        try:
            objects = self._objects(lines)
        except (ValueError, RecursionError):
            self.fault = _ODD
            return []
        if name == _ERROR and not self.done:
            self.used_up = is_used_up(objects, names_time=False)
            self.fault = error_message(data=objects) or self.skipped or "it gave up"
        self._has_events = self._has_events or bool(objects)
        pieces: list[EventPiece] = []
        for event in objects:
            if not self.fault:
                pieces += self._event(event)
        return pieces

    def _objects(self, lines: list[bytes]) -> list[dict[str, Any]]:
        """Parse the JSON objects of an event: the whole data, or each line where events are glued.

        Raises:
            ValueError, RecursionError: An object is damaged.
        """
        whole = b"\n".join(lines)
        try:
            return self._objects_in(whole)
        except (ValueError, RecursionError):
            # One damaged object is a lost piece; several lines may be events without the empty line
            # between them.
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
        """Parse an object, or the objects of a list, as some servers send errors.

        Raises:
            ValueError, RecursionError: The text is no JSON.
        """
        value = json.loads(text)
        items = value if isinstance(value, list) else [value]
        objects = [item for item in items if isinstance(item, dict)]
        if not objects:
            self._skip(text)
        return objects

    def _skip(self, text: bytes) -> None:
        """Remember the start of the first event that is skipped."""
        start = text[: 4 * _LONGEST].decode("utf-8", "replace")
        self.skipped = self.skipped or error_message(data=start)

    def _event(self, event: dict[str, Any]) -> list[EventPiece]:
        """Read one object; an error, or an odd object, is a fault."""
        try:
            if _is_error(event):
                self.used_up = is_used_up(event, names_time=False)
                self.fault = error_message(data=event) or "it gave up"
                return []
            if "choices" not in event:
                # A message about something else, which is told where no answer comes.
                self.skipped = self.skipped or error_message(data=event)
            self._count(event.get("usage"))
            return list(self.pieces(event))
        except (ValueError, TypeError, KeyError, AttributeError, IndexError, RecursionError):
            self.fault = self.fault or _ODD
            return []

    def _progress(self, report: Any) -> PromptProgress | None:
        """Read how much of the prompt is read; None where the server reports nothing new."""
        if not isinstance(report, dict):
            return None
        # The names of llama-server, which reports this where `return_progress` was asked for.
        total = _count_of(report, "total")
        done = _count_of(report, "processed")
        cached = min(_count_of(report, "cache"), done)
        if total == 0 or not self._done < done <= total:
            return None
        self._done = done
        return PromptProgress(total, cached, done, passes=0)

    def _count(self, usage: Any) -> None:
        """Take the tokens that the server counted; odd figures count as none."""
        if not isinstance(usage, dict):
            return
        read = usage.get("prompt_tokens")
        written = usage.get("completion_tokens") or 0
        # The exact type, since True and False are ints, too.
        if type(read) is int and type(written) is int:
            self.spent = read, written
            details = usage.get("prompt_tokens_details")
            if isinstance(details, dict):
                self.cached = min(_count_of(details, "cached_tokens"), read)


def _is_error(event: dict[str, Any]) -> bool:
    """Whether an object is an error, and no piece of an answer."""
    return bool(event.get("error")) or "error" in (event.get("object"), event.get("type"))


def _stray_errors(text: bytes) -> list[dict[str, Any]]:
    """Return the errors that lines without a field hold."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return []
    items = value if isinstance(value, list) else [value]
    return [item for item in items if isinstance(item, dict) and _is_error(item)]


def error_message(body: bytes = b"", data: Any = None) -> str:
    """Return the words of a server about an error, in one short line; "" where it has none.

    Args:
        body: The reply, as JSON.
        data: The reply, parsed; takes precedence.
    """
    if data is None:
        try:
            data = json.loads(body)
        except (ValueError, RecursionError):
            return ""
    # Errors are wrapped: {"error": {"message": ...}}, in a list, or both.
    for _ in range(3):
        if isinstance(data, list):
            data = next(iter(data), None)
        if isinstance(data, dict):
            data = next((data[key] for key in _ERROR_KEYS if data.get(key)), None)
    if not isinstance(data, str):
        return ""
    words = _CONTROLS.sub(" ", data).strip()
    return words if len(words) <= _LONGEST else f"{words[:_LONGEST]}…"


# Chats: the text, the thoughts, and the progress of reading the prompt.

_THOUGHT_FIELDS = (
    "reasoning_content",  # DeepSeek, llama-server, vLLM
    "reasoning",  # OpenRouter, later vLLM
    "thinking",  # Ollama
    "reasoning_text",
    "reasoning_details",  # OpenRouter, in parts
)
"""The fields of a message in which servers send a thought."""
_THOUGHT_PARTS = frozenset({"thinking", "reasoning", "thought", "redacted_thinking"})
_TEXT_PARTS = frozenset({"text", "output_text", ""})
"""The types of parts, where the content of a message is a list of them."""
_TEXT_KEYS = ("text", "thinking", "reasoning", "content", "summary", "value")
"""The fields of a part that may hold its text."""
_DEEPEST = 8
"""Levels of nesting down to which the text of a part is looked for."""

Piece = str | ThoughtPiece | PromptProgress


class ChatStream(EventStream[Piece]):
    """The answer of a chat as it arrives.

    Mutable.

    Attributes:
        called: Whether the answer calls a tool.
        refusal: The words in which the model refuses to answer; "" where it does not.
        thought_tokens: How many of the tokens written were thought, where the server tells.
        scores: The log-probabilities of the text, where the server tells them.
    """

    def __init__(self) -> None:
        super().__init__()
        self.called = False
        self.refusal = ""
        self.thought_tokens: int | None = None
        self.scores = Scores()
        self._half = ""
        """The first half of a character outside the BMP; servers cut such pairs apart."""

    def finish(self) -> list[Piece]:
        """Take note that nothing more arrives.

        Returns:
            As `take`.
        """
        pieces = super().finish()
        if self._half and not self.fault:
            self.fault = "it sent half of a character"
        return pieces

    def pieces(self, event: dict[str, Any]) -> Iterator[Piece]:
        """See `EventStream`; an event without choices has no part of the answer."""
        if progress := self._progress(event.get("prompt_progress")):
            yield progress
        choices = event.get("choices") or []
        # The first choice, whose index some servers leave out.
        choice = next((choice for choice in choices if not choice.get("index")), None)
        if choice is None:
            return
        ended = choice.get("finish_reason")
        if ended and isinstance(ended, str):
            self.ended = ended
        # A server that does not stream sends a message, in a single event.
        message = choice.get("delta") or choice.get("message") or choice.get("text") or {}
        if isinstance(message, str):
            message = {"content": message}
        if message.get("tool_calls") or message.get("function_call"):
            self.called = True
        self.refusal += _refusal_in(message)
        thoughts = (_text_of(message.get(name)) for name in _THOUGHT_FIELDS)
        thought = next(filter(None, thoughts), "")
        for piece in (ThoughtPiece(thought), *_parts(message.get("content"))):
            if isinstance(piece, ThoughtPiece):
                if piece.text:
                    self.thought = True
                    yield ThoughtPiece(_whole(piece.text, "replace"))
            elif text := self._joined(piece):
                self.spoken = True
                self.scores.add(text, choice.get("logprobs"))
                yield text

    def _joined(self, text: str) -> str:
        """Join a text with the half character before it, and hold back a half at its end.

        Raises:
            UnicodeDecodeError: A half has no other half.
        """
        # JSON escapes write such a character as two; some servers send one in each event.
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
    """Yield the pieces of a content: a text, or parts of which some are text.

    Raises:
        TypeError: The content is neither.
    """
    if content is None or isinstance(content, str):
        yield content or ""
        return
    parts = [content] if isinstance(content, dict) else content
    for part in parts:
        kind = part.get("type", "") if isinstance(part, dict) else ""
        if kind in _THOUGHT_PARTS:
            yield ThoughtPiece(_text_of(part))
        elif kind in _TEXT_PARTS:
            yield _text_of(part)


def _refusal_in(message: dict[str, Any]) -> str:
    """Return the words of a message that refuse to answer: its own field, or parts of content."""
    words = _text_of(message.get("refusal"))
    parts = message.get("content")
    if not isinstance(parts, list):
        parts = [parts]
    for part in parts:
        if isinstance(part, dict) and part.get("type") == "refusal":
            words += _text_of(part.get("refusal"))
    return words


def _count_of(report: dict[str, Any], name: str) -> int:
    """Return a count of a report; 0 where the report has none."""
    count = report.get(name)
    return count if type(count) is int and count > 0 else 0


def _text_of(value: Any, depth: int = 0) -> str:
    """Return the text of a part or a field, however it is wrapped; "" where there is none."""
    if isinstance(value, str):
        return value
    if depth < _DEEPEST and isinstance(value, list):
        return "".join(_text_of(item, depth + 1) for item in value)
    if depth < _DEEPEST and isinstance(value, dict):
        texts = (_text_of(value.get(key), depth + 1) for key in _TEXT_KEYS)
        return next(filter(None, texts), "")
    return ""


def _whole(text: str, errors: str) -> str:
    """Join the halves of surrogate pairs in a text.

    Raises:
        UnicodeDecodeError: A half stays alone, and `errors` is "strict".
    """
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", errors)


# Completions of a text: tokens with their log-probabilities, in one of three dialects. llama-server
# sends `logprobs.content`, with ids and bytes; vLLM and OpenAI's older API send `logprobs.tokens`
# beside `top_logprobs`, with ids as "token_id:N"; other servers send text alone.

_MOST_CHOICES = 64
"""Likely tokens that are kept of each place."""
_ID = "token_id:"


@dataclass(frozen=True, slots=True)
class LikelyToken:
    """A token and its log-probability among all tokens.

    Attributes:
        number: The id of the token; None where the server tells only its text.
        piece: The text.
        logprob: The log-probability.
    """

    number: int | None
    piece: bytes
    logprob: float


@dataclass(frozen=True, slots=True)
class CompletedToken:
    """A piece of a completion.

    Attributes:
        number: The id of the token; None where the server does not tell, or for several tokens.
        piece: The text; empty where the server tells nothing but `number`.
        logprob: The log-probability among all tokens, not only those that a grammar allows; None
            where the server does not tell.
        likely: The likeliest tokens of that place, as many as the server tells.
    """

    number: int | None
    piece: bytes
    logprob: float | None = None
    likely: tuple[LikelyToken, ...] = ()


class CompletionStream(EventStream[CompletedToken | PromptProgress]):
    """One completion as it arrives. Mutable. A completion tells no thoughts apart."""

    def pieces(self, event: dict[str, Any]) -> Sequence[CompletedToken | PromptProgress]:
        """See `EventStream`."""
        progress = self._progress(event.get("prompt_progress"))
        read = (progress,) if progress else ()
        choices = event.get("choices") or ()
        if not choices:
            return read
        choice = choices[0]
        self.ended = choice.get("finish_reason") or self.ended
        text = choice.get("text") or ""
        if not isinstance(text, str):
            raise TypeError
        self.spoken = self.spoken or bool(text)
        return (*read, *_tokens(text.encode("utf-8", "replace"), choice.get("logprobs")))


def _tokens(text: bytes, logprobs: Mapping[str, Any] | None) -> Sequence[CompletedToken]:
    """Return the tokens of an event; where their text is not the event's, the text as one piece."""
    tokens = list(_told_tokens(logprobs)) if logprobs else []
    if not tokens:
        return [CompletedToken(None, text)] if text else []
    # The tokens are taken where they spell the text, or where the server tells ids alone.
    known = b"".join(token.piece for token in tokens)
    if known == text or all(token.number is not None and not token.piece for token in tokens):
        return tokens
    if not text:
        # A special token, or the first bytes of a character that the next event completes.
        return [token for token in tokens if token.number is not None]
    last = tokens[-1]
    return [CompletedToken(None, text, last.logprob, last.likely)]


def _told_tokens(logprobs: Mapping[str, Any]) -> Iterator[CompletedToken]:
    """Yield the tokens that the `logprobs` of an event tell."""
    if (content := logprobs.get("content")) is not None:
        for entry in content:
            likely = tuple(_entry(top) for top in entry.get("top_logprobs") or ())
            token = _entry(entry)
            yield CompletedToken(token.number, token.piece, token.logprob, likely[:_MOST_CHOICES])
        return
    names = logprobs["tokens"]
    tops = logprobs.get("top_logprobs") or [None] * len(names)
    for name, logprob, top in zip(names, logprobs["token_logprobs"], tops, strict=True):
        number, piece = _named(name)
        others = [
            LikelyToken(*_named(other), _number(value)) for other, value in (top or {}).items()
        ]
        known = None if logprob is None else _number(logprob)
        yield CompletedToken(number, piece, known, tuple(others[:_MOST_CHOICES]))


def _entry(entry: Mapping[str, Any]) -> LikelyToken:
    """Read a token of llama-server's dialect."""
    number, piece = _named(entry["token"])
    if isinstance(entry.get("bytes"), list):
        piece = bytes(entry["bytes"])
    identity = entry.get("id", number)
    if identity is not None:
        identity = int(identity)
    return LikelyToken(identity, piece, _number(entry["logprob"]))


def _named(text: str) -> tuple[int | None, bytes]:
    """Return the id and the text that the name of a token stands for; one of them is missing."""
    if text.startswith(_ID) and text[len(_ID) :].isdecimal():
        return int(text[len(_ID) :]), b""
    return None, text.encode("utf-8", "replace")


def _number(value: object) -> float:
    """Check a log-probability.

    Raises:
        ValueError: The value is no number.
    """
    if not isinstance(value, int | float) or math.isnan(value):
        raise ValueError
    return min(float(value), 0.0)


# The reasons for which answers end (`finish_reason`). Only a reason to stop makes an answer
# complete: a filter, a call of a tool, an error, or an unknown word leaves the answer unfinished,
# however whole its text looks. OpenAI, vLLM, llama-server and Ollama say "stop" and "length"; the
# other words come from servers that pass on those of the model's own interface.

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
        reason: The server's word for the end; None as long as the answer goes on.
    """
    return reason is not None and reason.strip().lower() in _COMPLETE


def is_length(reason: str | None) -> bool:
    """Whether an answer ended because it had used up its tokens."""
    return reason is not None and reason.strip().lower() in _LENGTH
