"""Speaks Ollama's native API, the only one that accepts the size of the context (`num_ctx`).

Through OpenAI's API, Ollama reads as many tokens as it was started with, 4,096 by default, and
silently cuts the start of a longer prompt. Source: Ollama's API reference, `POST /api/chat`.
"""

import json
from collections.abc import Mapping
from typing import Any

from spark_tui.config import Endpoint

_OPTIONS = {
    "temperature": "temperature",
    "seed": "seed",
    "max_tokens": "num_predict",
    "max_completion_tokens": "num_predict",
    "stop": "stop",
}
"""Ollama's options, by the parameters of OpenAI that they replace."""


def native_url(endpoint: Endpoint) -> str:
    """Return the address of Ollama's native API."""
    return f"{endpoint.base_url.removesuffix('/v1')}/api/chat"


def native_body(endpoint: Endpoint, body: Mapping[str, Any]) -> dict[str, Any]:
    """Translate a request into one of Ollama's native API.

    Args:
        endpoint: The endpoint.
        body: The request as OpenAI's API has it.
    """
    options = {name: body[parameter] for parameter, name in _OPTIONS.items() if parameter in body}
    options["num_ctx"] = endpoint.context
    native = {
        name: body[name] for name in ("model", "messages", "stream", "logprobs") if name in body
    }
    if endpoint.thinking == "off":
        native["think"] = False
    return native | {"options": options}


class NativeStream:
    """Translates the lines that Ollama sends into events of OpenAI's API. Mutable."""

    def __init__(self) -> None:
        self._line = b""

    def take(self, arrived: bytes) -> bytes:
        """Take bytes that arrived.

        Returns:
            The events of the lines that are complete.
        """
        *lines, self._line = (self._line + arrived).split(b"\n")
        return b"".join(_event(line) for line in lines if line.strip())

    def finish(self) -> bytes:
        """Take note that nothing more arrives.

        Returns:
            As `take`.
        """
        return self.take(b"\n")


def _event(line: bytes) -> bytes:
    """Translate one line into an event; the event of any other line holds the line as it is."""
    try:
        reply = json.loads(line)
    except (ValueError, RecursionError):
        return b"data: " + line + b"\n\n"
    if not isinstance(reply, dict) or not isinstance(reply.get("message", {}), dict):
        return b"data: " + line + b"\n\n"
    message = reply.get("message", {})
    delta = {"content": message.get("content"), "reasoning": message.get("thinking")}
    choice: dict[str, Any] = {"index": 0, "delta": delta, "finish_reason": None}
    event: dict[str, Any] = {"choices": [choice]}
    # Ollama's entries have the fields of those in OpenAI's `logprobs.content`.
    if reply.get("logprobs"):
        choice["logprobs"] = {"content": reply["logprobs"]}
    if reply.get("done"):
        choice["finish_reason"] = reply.get("done_reason") or "stop"
        read = reply.get("prompt_eval_count")
        written = reply.get("eval_count")
        if isinstance(read, int) and isinstance(written, int):
            event["usage"] = {"prompt_tokens": read, "completion_tokens": written}
    # an error in the middle of a stream, in place of a piece
    if error := reply.get("error"):
        event = {"error": error}
    return b"data: " + json.dumps(event).encode() + b"\n\n"
