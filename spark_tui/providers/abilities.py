"""What an endpoint takes of a request: asked once, remembered beside its address, and used from
then on.

Servers that speak OpenAI's protocol differ in the parameters that they take. `Abilities` holds what
is known of one of them, `write_body` writes a request that it takes, and `refused_by` reads which
parameter an error names. Knows no sockets.
"""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from spark_tui.config import ABILITIES, Endpoint
from spark_tui.providers.base import Message
from spark_tui.providers.chat_model import going_on

_VERSION = 1
_GO_ON = ("continue_final_message", "prefix", "prefill")
_OF_PARAMETER = {
    "add_generation_prompt": "continue_final_message",
    "chat_template_kwargs": "enable_thinking",
    "stream_options": "usage",
    "top_logprobs": "logprobs",
}
"""The abilities of parameters that are called otherwise."""
_NO_SYSTEM = (
    "system role",
    "system message",
    "role system",
    "roles must alternate",
    "developer instruction",
    "'system'",
    '"system"',
)
"""What servers say whose template has no place for a system message."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """An answer that is wanted.

    Attributes:
        messages: What the model is told, but for its own answer.
        most: Tokens of the answer.
        temperature: 0 for the likeliest answer.
        seed: Of a draw, where the temperature is above 0.
        begun: How the answer begins, up to the end of a line or within one.
        expected: Text that most of the answer is likely to be copied from; "" for none.
        grammar: What the answer is bound to, in GBNF; "" for nothing.
    """

    messages: Sequence[Message]
    most: int = 512
    temperature: float = 0.0
    seed: int = 0
    begun: str = ""
    expected: str = ""
    grammar: str = ""


class Abilities:
    """What is known of an endpoint, by the names of `ABILITIES`.

    Mutable.

    What the user's settings say of the endpoint stands above what was found.

    Args:
        endpoint: Whose they are.
        folder: Where they are kept from one start to the next; None keeps them for this one.
    """

    def __init__(self, endpoint: Endpoint, folder: Path | None = None) -> None:
        self._endpoint = endpoint
        self._folder = folder
        self._path = self.path_of("abilities")
        self.asked: set[str] = set()
        """The abilities that the endpoint was asked for with the key that it is asked with now."""
        self._found = self._read()

    def takes(self, name: str) -> bool | None:
        """Whether the endpoint takes something; None where that is not known."""
        return self._endpoint.abilities.get(name, self._found.get(name))

    def table(self) -> dict[str, bool | None]:
        """All abilities, in the order of `ABILITIES`."""
        return {name: self.takes(name) for name in ABILITIES}

    def path_of(self, what: str) -> Path | None:
        """Where something is kept of the endpoint and its model; None where nothing is."""
        if self._folder is None:
            return None
        address = f"{self._endpoint.base_url}\n{self._endpoint.model}"
        return self._folder / f"{sha256(address.encode()).hexdigest()[:24]}.{what}.json"

    @property
    def go_on(self) -> bool:
        """Whether an answer can be gone on with where it stands."""
        return any(self.takes(name) for name in _GO_ON)

    def learn(self, found: Mapping[str, bool | None], asked: Iterable[str] = ()) -> None:
        """Remember what was found.

        What cannot be written is known until the program ends.

        Args:
            found: By the names of `ABILITIES`; None where an answer does not tell.
            asked: The abilities that need not be asked for again.
        """
        self._found |= {name: value for name, value in found.items() if value is not None}
        self.asked |= set(asked)
        if self._path is None:
            return
        endpoint = self._endpoint
        kept = {
            "version": _VERSION,
            "base_url": endpoint.base_url,
            "model": endpoint.model,
            "key_env": endpoint.key_env,
            "abilities": self._found,
            "asked": sorted(self.asked),
        }
        text = json.dumps(kept, indent=2)
        temporary = self._path.with_suffix(f".{os.getpid()}")
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_text(text + "\n", "utf-8")
            temporary.replace(self._path)

    def _read(self) -> dict[str, bool]:
        """What is remembered; what spark did not write there is as good as nothing."""
        if self._path is None:
            return {}
        try:
            entries = json.loads(self._path.read_text("utf-8"))
            if entries["version"] != _VERSION:
                return {}
            found = dict(entries["abilities"])
            if entries.get("key_env") == self._endpoint.key_env:
                self.asked = set(ABILITIES).intersection(entries.get("asked", ()))
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return {}
        return {name: value for name, value in found.items() if isinstance(value, bool)}


def write_body(
    endpoint: Endpoint, wanted: Wanted, table: Mapping[str, bool | None]
) -> dict[str, Any]:
    """Write a request that an endpoint takes.

    Args:
        endpoint: Who is asked.
        wanted: What is asked.
        table: What is known of the endpoint. What is not known is sent where every server takes it.
    """
    messages, more = _conversation(wanted, table)
    body: dict[str, Any] = {"model": endpoint.model, "messages": messages, "stream": True, **more}
    if table.get("temperature") is not False:
        body["temperature"] = wanted.temperature
    if table.get("max_tokens") is not False:
        body["max_tokens"] = wanted.most
    elif table.get("max_completion_tokens") is not False:
        body["max_completion_tokens"] = wanted.most
    if wanted.temperature > 0 and table.get("seed") is not False:
        body["seed"] = wanted.seed
    if (endpoint.price_in or endpoint.price_out) and table.get("usage") is not False:
        body["stream_options"] = {"include_usage": True}
    if wanted.expected and table.get("prediction"):
        body["prediction"] = {"type": "content", "content": wanted.expected}
    if table.get("logprobs"):
        body |= {"logprobs": True, "top_logprobs": 1}  # some tell none where no other is wanted
    if table.get("return_progress"):
        body["return_progress"] = True
    return body | _thought(endpoint, table) | _bound(wanted.grammar, table)


def goes_on_exactly(body: Mapping[str, Any]) -> bool:
    """Whether a request has an answer gone on with where it stands, and not asked to be gone on
    with.
    """
    return bool(body["messages"][-1]["role"] == "assistant")


def refused_by(body: Mapping[str, Any], reply: bytes) -> str:
    """The ability that a refusal denies, of those that a request makes use of.

    Args:
        body: The request.
        reply: What the server says of it.

    Returns:
        The name of the ability; "" where the refusal names nothing that could be left out.
    """
    words = reply.decode("utf-8", "replace")
    for parameter in sorted(body, key=len, reverse=True):
        if parameter not in {"model", "messages", "stream"} and parameter in words:
            return _OF_PARAMETER.get(parameter, parameter)
    messages = body["messages"]
    if messages[0]["role"] == "system" and any(each in words.lower() for each in _NO_SYSTEM):
        return "system"
    if any("prefix" in each for each in messages) and "prefix" in words:
        return "prefix"
    if messages[-1]["role"] == "assistant" and "assistant" in words:
        return "prefill"
    return ""


def _conversation(
    wanted: Wanted,
    table: Mapping[str, bool | None],
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The messages, and the parameters that have a begun answer gone on with."""
    messages: list[Message] = list(wanted.messages)
    more: dict[str, Any] = {}
    begun: dict[str, Any] = {"role": "assistant", "content": wanted.begun}
    if wanted.begun and table.get("continue_final_message"):
        more = {"continue_final_message": True, "add_generation_prompt": False}
    elif wanted.begun and table.get("prefix"):
        begun["prefix"] = True
    elif not wanted.begun or not table.get("prefill"):
        messages = going_on(messages, wanted.begun)
        begun = {}
    sent = [dict(each) for each in messages]
    if table.get("system") is False:
        sent = _without_system(sent)
    return [*sent, begun] if begun else sent, more


def _without_system(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same with what the system says at the start of what the user says first."""
    told = [each["content"] for each in messages if each["role"] == "system"]
    others = [dict(each) for each in messages if each["role"] != "system"]
    first = next((each for each in others if each["role"] == "user"), None)
    if told and first:
        first["content"] = "\n\n".join([*told, first["content"]])
    return others


def _bound(grammar: str, table: Mapping[str, bool | None]) -> dict[str, Any]:
    """Bind an answer to a grammar, where the server takes one."""
    if grammar and table.get("grammar"):
        return {"grammar": grammar}
    if grammar and table.get("structured_outputs"):
        return {"structured_outputs": {"grammar": grammar}}
    if grammar and table.get("guided_grammar"):
        return {"guided_grammar": grammar}
    return {}


def _thought(endpoint: Endpoint, table: Mapping[str, bool | None]) -> dict[str, Any]:
    """Have a model think less, where the settings want that and the server takes it."""
    if endpoint.thinking == "off" and table.get("enable_thinking"):
        return {"chat_template_kwargs": {"enable_thinking": False}}
    if endpoint.thinking in {"off", "low"} and table.get("reasoning_effort"):
        return {"reasoning_effort": "low"}
    return {}
