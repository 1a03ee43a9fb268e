"""Messages between spark and an agent: JSON-RPC 2.0, one message a line.

The messages themselves are those of the package `acp`. Its connection is not used, because that one
reads without a bound and prints faults on the terminal.

Source: JSON-RPC 2.0; its section 5.1 has the codes of errors.
"""

import json
from dataclasses import dataclass
from typing import Any

from spark_tui.errors import SparkError
from spark_tui.tasks.agents.process import AgentProcess

_MOST_FAULTY = 100
"""Lines that are no message, such as greetings, before the program is given up."""
_MOST_SHOWN = 80
INVALID = -32602
"""The code of an error: what was asked cannot be done."""
UNKNOWN_METHOD = -32601
NEEDS_LOGIN = -32000  # of the Agent Client Protocol: auth_required


@dataclass(frozen=True, slots=True)
class Asked:
    """What an agent asks of spark.

    Attributes:
        id: What the answer refers to; None where no answer is wanted.
        params: As they came.
    """

    id: int | str | None
    method: str
    params: Any


@dataclass(frozen=True, slots=True)
class Replied:
    """What an agent answers.

    Attributes:
        id: The request.
        result: None where there is an error.
        error: The agent's words about an error; "" for none.
        code: The code of the error; 0 for none.
    """

    id: int
    result: Any
    error: str = ""
    code: int = 0


Message = Asked | Replied


class Connection:
    """A conversation with the program of an agent. Mutable; one thread.

    Args:
        process: The program.
    """

    def __init__(self, process: AgentProcess) -> None:
        self._process = process
        self._agent = f"@{process.name}"
        self._last = 0
        self._faulty = 0

    def check_open(self) -> None:
        """Refuse to go on where the agent can say nothing more.

        Raises:
            SparkError: The agent's program has ended.
        """
        if not self._process.is_open:
            raise SparkError(self._process.describe_end())

    def request(self, method: str, params: Any) -> int:
        """Ask the agent.

        Args:
            params: A message of `acp.schema`.

        Returns:
            The id that the answer will have.
        """
        self._last += 1
        self._send({"id": self._last, "method": method, "params": _dumped(params)})
        return self._last

    def notify(self, method: str, params: Any) -> None:
        """Tell the agent something that it does not answer."""
        self._send({"method": method, "params": _dumped(params)})

    def answer(self, asked: Asked, result: Any) -> None:
        """Answer what the agent asked; nothing is sent where it wants no answer."""
        if asked.id is not None:
            self._send({"id": asked.id, "result": _dumped(result)})

    def refuse(self, asked: Asked, reason: str, code: int = INVALID) -> None:
        """Answer that what the agent asked is not done."""
        if asked.id is not None:
            self._send({"id": asked.id, "error": {"code": code, "message": reason}})

    def receive(self, seconds: float) -> list[Message]:
        """Wait for what the agent says, `seconds` at most; often that is nothing.

        Raises:
            SparkError: The agent says too much, or what it says is no message.
        """
        messages = list[Message]()
        for line in self._process.receive(seconds):
            message = _parse(line)
            if message is not None:
                messages.append(message)
            elif line.strip():
                self._faulty += 1
                if self._faulty > _MOST_FAULTY:
                    shown = line[:_MOST_SHOWN].decode("utf-8", "replace")
                    raise SparkError(
                        f"{self._agent} does not speak the protocol; it wrote {shown!r}"
                    )
        return messages

    def _send(self, body: dict[str, Any]) -> None:
        line = json.dumps({"jsonrpc": "2.0"} | body, separators=(",", ":"))
        self._process.send(line.encode("ascii") + b"\n")


def _dumped(message: Any) -> Any:
    """A message of `acp.schema` as JSON has it; what is JSON already stays."""
    if isinstance(message, dict):
        return message
    return message.model_dump(mode="json", by_alias=True, exclude_none=True)


def _parse(line: bytes) -> Message | None:
    """A line as a message; None where the line is no message."""
    try:
        body = json.loads(line)
        # `\ud83d` may be half a character, which UTF-8 cannot encode and no file can hold.
        if b"\\ud" in line or b"\\uD" in line:
            whole = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
            body = json.loads(whole)
    except (ValueError, RecursionError):
        return None
    if not isinstance(body, dict):
        return None
    method = body.get("method")
    name = body.get("id")
    if isinstance(method, str):
        return Asked(name if isinstance(name, int | str) else None, method, body.get("params"))
    if not isinstance(name, int):
        return None
    error = body.get("error")
    if not isinstance(error, dict):
        return Replied(name, body.get("result"))
    code = error.get("code")
    words = str(error.get("message") or "it gave no reason")
    detail = error.get("data")
    if isinstance(detail, dict) and isinstance(detail.get("details"), str):
        words = f"{words}: {detail['details']}"
    return Replied(name, None, words, code if isinstance(code, int) else INVALID)
