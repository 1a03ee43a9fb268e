"""What a server sends while it completes a text: server-sent events with tokens and probabilities.

Three dialects are read: llama-server (`logprobs.content`, with ids and bytes), vLLM and OpenAI's
older one (`logprobs.tokens` beside `top_logprobs`, ids as "token_id:N"), and text alone.
Knows no sockets.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from spark_tui.answering.event_stream import EventStream

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
    return LikelyToken(None if identity is None else int(identity), piece, _number(entry["logprob"]))


def _named(text: str) -> tuple[int | None, bytes]:
    """The token and the text that a name stands for."""
    if text.startswith(_ID) and text[len(_ID) :].isdecimal():
        return int(text[len(_ID) :]), b""
    return None, text.encode("utf-8", "replace")


def _number(value: object) -> float:
    """A log-probability. Raises: ValueError: it is none."""
    if not isinstance(value, int | float) or math.isnan(value):
        raise ValueError
    return min(float(value), 0.0)
