"""What an OpenAI-compatible server sends while it answers: server-sent events, each a piece of a chat completion.

Source: WHATWG HTML, server-sent events; OpenAI API reference, chat completion chunks. Knows no sockets.
"""

import json
import re
from typing import Any

from spark_tui.answering.decisions import Scores

_MOST = 8 << 20
"""Bytes of one line, beyond which it is no piece of an answer."""
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_LONGEST = 200


class ChatStream:
    """One answer as it arrives. Mutable.

    `ended`: why, in the server's words ("stop", "length"), None as long as it goes on. `done`: the server says that
    nothing more comes. `fault`: what is wrong with it; what comes after that is not read. `spent`: tokens read and
    written, where the server tells. `spoken`: whether there was any text.
    """

    def __init__(self) -> None:
        self.ended: str | None = None
        self.done = False
        self.fault = ""
        self.spoken = False
        self.spent: tuple[int, int] | None = None
        self.scores = Scores()
        """The log-probabilities of the text, where the server tells them."""
        self._line = b""
        self._data: list[bytes] = []

    def take(self, arrived: bytes) -> str:
        """Take what arrived. Returns: the text in it."""
        *lines, self._line = (self._line + arrived).split(b"\n")
        if len(self._line) > _MOST:
            self.fault = "it sent a line that never ends"
        return "".join([self._closed(line.removesuffix(b"\r")) for line in lines])

    def finish(self) -> str:
        """Nothing more arrives. Returns: as `take`."""
        return self.take(b"\n\n")

    def _closed(self, line: bytes) -> str:
        if self.fault or self.done:
            return ""
        if line:
            name, _, value = line.partition(b":")
            if name == b"data":
                self._data.append(value.removeprefix(b" "))
            return ""
        data, self._data = b"\n".join(self._data), []
        if data.strip() == b"[DONE]":
            self.done = True
        return self._event(data) if data.strip() and not self.done else ""

    def _event(self, data: bytes) -> str:
        try:
            return self._piece(json.loads(data))
        except (ValueError, TypeError, KeyError, AttributeError, IndexError, RecursionError):
            self.fault = "it sent something that is not part of an answer"
            return ""

    def _piece(self, event: dict[str, Any]) -> str:
        if event.get("error"):
            self.fault = told(data=event) or "it gave up"
            return ""
        if usage := event.get("usage"):
            self.spent = int(usage["prompt_tokens"]), int(usage.get("completion_tokens") or 0)
        choices = event["choices"]
        if not choices:
            return ""
        choice = choices[0]
        self.ended = choice.get("finish_reason") or self.ended
        text = (choice.get("delta") or choice.get("message") or {}).get("content") or ""
        if not isinstance(text, str):
            raise TypeError
        self.spoken = self.spoken or bool(text)
        self.scores.add(text, choice.get("logprobs"))
        return text


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
