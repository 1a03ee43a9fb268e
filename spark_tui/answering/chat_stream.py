"""What an OpenAI-compatible server sends in a chat: events, each a piece of a chat completion.

Source: OpenAI API reference, chat completion chunks; llama.cpp, tools/server/README.md, for
`prompt_progress`. Knows no sockets.
"""

from collections.abc import Iterator
from typing import Any

from spark_tui.answering.decisions import Scores
from spark_tui.answering.event_stream import EventStream
from spark_tui.answering.seam import Read
from spark_tui.answering.thinking import Thinking

_THOUGHT_FIELDS = ("reasoning_content", "reasoning", "thinking", "reasoning_text", "reasoning_details")
_THOUGHT_PARTS = frozenset({"thinking", "reasoning", "thought", "redacted_thinking"})
_TEXT_PARTS = frozenset({"text", "output_text", ""})
_TEXT_KEYS = ("text", "thinking", "reasoning", "content", "summary", "value")
_DEEPEST = 8
"""How deep texts of a part may be nested."""

Piece = str | Thinking | Read


class ChatStream(EventStream[Piece]):
    """One answer as it arrives. Mutable.

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
        """Nothing more arrives. Returns: as `take`."""
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
        for piece in (Thinking(thought), *_parts(said.get("content"))):
            if isinstance(piece, Thinking):
                if piece.text:
                    self.thought = True
                    yield Thinking(_whole(piece.text, "replace"))
            elif text := self._joined(piece):
                self.spoken = True
                self.scores.add(text, choice.get("logprobs"))
                yield text

    def _progress(self, told: Any) -> Read | None:
        """How much of the prompt is read; None where the server tells nothing new of it."""
        if not isinstance(told, dict):
            return None
        total = _count_of(told, "total")
        done = _count_of(told, "processed")
        cached = min(_count_of(told, "cache"), done)
        if total == 0 or not self._done < done <= total:
            return None
        self._done = done
        return Read(total, cached, done, passes=0)

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
        super()._count(usage)
        details = usage.get("completion_tokens_details") if isinstance(usage, dict) else None
        thought = details.get("reasoning_tokens") if isinstance(details, dict) else None
        if type(thought) is int and thought > 0:
            self.thought_tokens = thought


def _parts(content: Any) -> Iterator[str | Thinking]:
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
        return next((text for key in _TEXT_KEYS if (text := _text_of(value.get(key), depth + 1))), "")
    return ""


def _whole(text: str, errors: str) -> str:
    """A text whose halves of surrogate pairs are joined. Raises: UnicodeDecodeError: one stays alone, if strict."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", errors)
