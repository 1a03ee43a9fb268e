"""Ollama's own way to be asked, which alone takes the number of tokens to read (`num_ctx`).

Asked in OpenAI's way, Ollama reads as many tokens as it was started with, 4,096 by default, and
cuts the start of a longer prompt without a word. Source: Ollama's API reference, `POST /api/chat`.
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
"""Options by the parameters of OpenAI that they stand for."""


def native_url(endpoint: Endpoint) -> str:
    """Where Ollama is asked in its own way."""
    return f"{endpoint.base_url.removesuffix('/v1')}/api/chat"


def native_body(endpoint: Endpoint, body: Mapping[str, Any]) -> dict[str, Any]:
    """A request in Ollama's own way.

    Args:
        body: The request in OpenAI's.
    """
    options = {name: body[given] for given, name in _OPTIONS.items() if given in body}
    options["num_ctx"] = endpoint.context
    native = {
        name: body[name] for name in ("model", "messages", "stream", "logprobs") if name in body
    }
    if endpoint.thinking == "off":
        native["think"] = False
    return native | {"options": options}


class NativeStream:
    """Makes events as OpenAI's servers send them of the lines that Ollama sends. Mutable."""

    def __init__(self) -> None:
        self._line = b""

    def take(self, arrived: bytes) -> bytes:
        """Take what arrived.

        Returns:
            The events in it.
        """
        *lines, self._line = (self._line + arrived).split(b"\n")
        return b"".join(_event(line) for line in lines if line.strip())

    def finish(self) -> bytes:
        """Nothing more arrives.

        Returns:
            As `take`.
        """
        return self.take(b"\n")


def _event(line: bytes) -> bytes:
    """One line as an event; a line that is none of Ollama's stays what it is."""
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        return b"data: " + line + b"\n\n"
    if not isinstance(told, dict) or not isinstance(told.get("message", {}), dict):
        return b"data: " + line + b"\n\n"
    message = told.get("message", {})
    delta = {"content": message.get("content"), "reasoning": message.get("thinking")}
    choice: dict[str, Any] = {"index": 0, "delta": delta, "finish_reason": None}
    event: dict[str, Any] = {"choices": [choice]}
    if told.get("logprobs"):
        choice["logprobs"] = {"content": told["logprobs"]}
    if told.get("done"):
        choice["finish_reason"] = told.get("done_reason") or "stop"
        read = told.get("prompt_eval_count")
        written = told.get("eval_count")
        if isinstance(read, int) and isinstance(written, int):
            event["usage"] = {"prompt_tokens": read, "completion_tokens": written}
    if error := told.get("error"):
        event = {"error": error}
    return b"data: " + json.dumps(event).encode() + b"\n\n"
