"""Encodes requests and items as JSON, for a provider whose engine runs in another process.

Both ends are the same version of spark, so the format may change with any version.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

from spark_tui import errors
from spark_tui.editing.formats.quoted import PreviousEdit, QuotedRequest
from spark_tui.errors import SparkError
from spark_tui.providers.base import (
    AnswerFinished,
    AnswerStarted,
    GenerationRequest,
    Item,
    PromptProgress,
    Thought,
    TokenGenerated,
    Usage,
    Waits,
)

_ITEMS: dict[str, type[Item]] = {
    kind.__name__: kind
    for kind in (
        PromptProgress,
        AnswerStarted,
        TokenGenerated,
        Thought,
        AnswerFinished,
        Waits,
        Usage,
    )
}
_BYTES = "latin-1"
"""Every byte as the character of its number."""


def encode_request(request: QuotedRequest) -> dict[str, Any]:
    """Return a request about a region as JSON."""
    return asdict(request)


def decode_request(body: Mapping[str, Any]) -> QuotedRequest:
    """Return the request that `encode_request` wrote.

    Raises:
        KeyError, TypeError: The body is of another form.
    """
    previous = body["previous"]
    if previous is not None:
        previous = PreviousEdit(previous["path"], previous["words"], tuple(previous["script"]))
    return QuotedRequest(
        body["path"],
        tuple(body["lines"]),
        body["words"],
        tuple(body["selected"]),
        tuple(body["earlier"]),
        previous,
    )


def encode_ask(ask: GenerationRequest) -> dict[str, Any]:
    """Return what a model that quotes reads of a request, as JSON."""
    return {
        "request": encode_request(ask.request),
        "begun": ask.begun,
        "temperature": ask.temperature,
        "seed": ask.seed,
        "max_tokens": ask.max_tokens,
    }


def decode_ask(body: Mapping[str, Any]) -> GenerationRequest:
    """Return the request that `encode_ask` wrote.

    Raises:
        KeyError, TypeError: The body is of another form.
    """
    request = decode_request(body["request"])
    return GenerationRequest(
        request, body["begun"], body["temperature"], body["seed"], body["max_tokens"]
    )


def encode_item(item: Item) -> dict[str, Any]:
    """Return an item of a stream as JSON; a draft stays where it is."""
    body: dict[str, Any] = {"item": type(item).__name__}
    for known in fields(item):
        value = getattr(item, known.name)
        if known.name == "draft":
            continue
        if isinstance(value, bytes):
            value = value.decode(_BYTES)
        elif known.name == "known":
            value = [encode_item(token) for token in value]
        body[known.name] = value
    return body


def decode_item(body: Mapping[str, Any]) -> Item:
    """Return the item that `encode_item` wrote.

    Raises:
        KeyError, TypeError: The body is of another form.
    """
    values = dict(body)
    kind = _ITEMS[values.pop("item")]
    if "piece" in values:
        values["piece"] = values["piece"].encode(_BYTES)
    if "known" in values:
        values["known"] = [decode_item(token) for token in values["known"]]
    for name, value in values.items():
        # JSON knows lists alone; the items compare and hash with tuples
        if isinstance(value, Sequence) and not isinstance(value, str | bytes):
            values[name] = tuple(value)
    return kind(**values)


def encode_error(error: SparkError) -> dict[str, str]:
    """Return an error as JSON."""
    return {"kind": type(error).__name__, "message": str(error), "detail": error.detail}


def decode_error(body: Mapping[str, Any]) -> SparkError:
    """Return the error that `encode_error` wrote; one of an unknown kind is a `SparkError`."""
    kind = getattr(errors, str(body.get("kind")), None)
    error = SparkError(str(body.get("message")))
    # `Mistakes` is made from its single lines, which the message no longer tells apart
    if isinstance(kind, type) and issubclass(kind, SparkError) and kind is not errors.Mistakes:
        error = kind(str(error))
    error.detail = str(body.get("detail", ""))
    return error
