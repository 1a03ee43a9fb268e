"""The bound on the tokens of an answer, read from the refusal of a bound that is too large.

Servers refuse a request whose `max_tokens` is above the limit of their model, or does not fit into
the context beside the prompt. The words differ, the numbers in them do not. Opens no sockets.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

_NAMES = (
    "max_tokens",
    "max_completion_tokens",
    "max_new_tokens",
    "max_output_tokens",
    "completion tokens",
    "output tokens",
)
"""The names that refusals have for the bound."""
_OF_CONTEXT = ("context", "prompt", "input")
"""The words of refusals that count the prompt, too."""
_NO_WORDS = frozenset({"code", "status", "status_code", "type", "id", "request_id", "url"})
"""The fields of a refusal that explain nothing."""
_STATUSES = frozenset({HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY})
"""Numbers that refusals hold whatever they are about."""


@dataclass(frozen=True, slots=True)
class Bound:
    """A bound that the server accepts, as far as its refusal tells.

    Attributes:
        tokens: The most tokens of an answer.
        holds: Whether it holds for every request; False where it depends on the prompt.
    """

    tokens: int
    holds: bool


def is_about_bound(reply: bytes) -> bool:
    """Whether the body of a refusal names the bound."""
    return _names_bound(" ".join(_words(reply)))


def read_bound(reply: bytes, sent: int) -> Bound | None:
    """Read from a refusal which smaller bound the server accepts.

    Args:
        reply: The body of the refusal.
        sent: The bound of the request, in tokens.

    Returns:
        The bound; None where the refusal is about something else, or holds no such number.
    """
    words = " ".join(_words(reply))
    counts_prompt = any(name in words for name in _OF_CONTEXT)
    if not (_names_bound(words) or "context" in words):
        return None
    numbers = [number for number in _numbers(words) if number not in _STATUSES]
    # what the context leaves beside the prompt; for another prompt it is another number
    if counts_prompt and (room := _room(numbers, sent)):
        return Bound(room, holds=False)
    if not _names_bound(words):
        return None
    smaller = max((number for number in numbers if 0 < number < sent), default=0)
    return Bound(smaller, holds="context" not in words) if smaller else None


def _names_bound(words: str) -> bool:
    return any(name in words for name in _NAMES)


def _room(numbers: list[int], sent: int) -> int:
    """Compute the room for an answer from a context and a prompt.

    Args:
        numbers: The numbers of the refusal: the context with the prompt, with the sum of prompt and
            bound, or with both.
        sent: The bound of the request.

    Returns:
        Tokens; 0 where the numbers do not tell.
    """
    # A refusal that says where the range begins counts no prompt with that.
    others = set(numbers) - {sent, 0, 1}
    # The sum says nothing beside its parts.
    others -= {number + sent for number in others}
    if len(others) != 2:
        return 0
    less, more = sorted(others)
    # Without the bound itself, the larger number is the sum.
    room = more - less if sent in numbers else sent - (more - less)
    return room if 0 < room < sent else 0


def _words(reply: bytes) -> Iterator[str]:
    """Yield the texts and the numbers of a refusal, whatever it wraps them in."""
    try:
        yield from _leaves(json.loads(reply))
    except (ValueError, RecursionError):
        yield reply.decode("utf-8", "replace")


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, part in value.items():
            if name not in _NO_WORDS:
                yield from _leaves(part)
    elif isinstance(value, list):
        for part in value:
            yield from _leaves(part)
    elif isinstance(value, str | int):
        yield str(value)


def _numbers(words: str) -> Iterator[int]:
    """Yield the whole numbers of a text: 4096, 4,096, and both of 1-4096.

    Digits within a name, a date or a decimal fraction are none.
    """
    for word in _split(words):
        parts = word.replace("–", "-").rstrip(".-").split("-")
        if len(parts) <= 2 and all(part.isascii() and part.isdigit() for part in parts):
            yield from (int(part) for part in parts if len(part) < 12)


def _split(words: str) -> list[str]:
    """Split a text at all that is no part of a name or a number; join thousands."""
    kept: list[str] = []
    listed = False
    for place, letter in enumerate(words):
        if letter == "[":
            listed = True
        elif letter == "]":
            listed = False
        if letter.isalnum() or letter in "._-–":
            kept.append(letter)
        elif letter == "," and not listed and _is_thousands(words, place):
            continue
        else:
            kept.append(" ")
    return "".join(kept).split()


def _is_thousands(words: str, place: int) -> bool:
    """Whether a comma separates the thousands of a number."""
    before = words[max(0, place - 1) : place]
    after = words[place + 1 : place + 5]
    return before.isdigit() and after[:3].isdigit() and len(after) > 2 and not after[3:].isdigit()
