"""Remembers the parameters that an endpoint accepts, and writes requests with them.

Servers that speak OpenAI's protocol differ in the parameters that they accept. `Abilities` holds
what is known of one server (see `probe` for how that is found), `write_body` writes a request that
the server accepts, and `refused_by` reads which parameter an error names. Opens no sockets.
"""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any

from spark_tui.config import ABILITIES, Endpoint
from spark_tui.providers.base import Message
from spark_tui.providers.chat_prompts import going_on
from spark_tui.small_files import read_small

_VERSION = 1
BEHIND = 1
"""The priority of a request that waits for others: those without a priority have 0, the first."""
_GO_ON = ("continue_final_message", "prefix", "prefill")
"""The abilities that let an answer go on from its exact text; any of them will do."""
_OF_PARAMETER = {
    "add_generation_prompt": "continue_final_message",
    "chat_template_kwargs": "enable_thinking",
    "stream_options": "usage",
    "top_logprobs": "logprobs",
}
"""Abilities by their parameters, where the two are named differently."""
_OF_SYSTEM = ("system", "developer", "alternat")
_OF_ROLE = "role"
"""Beginnings of words in errors of templates that may have no place for a system message."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """The answer that is wanted of an endpoint.

    Attributes:
        messages: The conversation, without the answer itself.
        most: The most tokens of the answer.
        temperature: 0 for the likeliest answer.
        seed: The seed of a draw, where the temperature is above 0.
        begun: The beginning of the answer, up to the end of a line or within one.
        expected: Text that most of the answer is likely to be copied from; "" for none.
        grammar: The grammar that the answer is bound to, in GBNF; "" for none.
        waits: Whether other requests go first.
    """

    messages: Sequence[Message]
    most: int = 512
    temperature: float = 0.0
    seed: int = 0
    begun: str = ""
    expected: str = ""
    grammar: str = ""
    waits: bool = False


class Abilities:
    """The known abilities of an endpoint, by the names of `ABILITIES`.

    Mutable. The user's settings for the endpoint take precedence over what was found.

    Args:
        endpoint: The endpoint.
        folder: Keeps the abilities from one start to the next; None keeps them for this start.
    """

    def __init__(self, endpoint: Endpoint, folder: Path | None = None) -> None:
        self._endpoint = endpoint
        self._folder = folder
        self._path = self.path_of("abilities")
        self.asked: set[str] = set()
        """The abilities that were already asked for, with the key that is in use now."""
        self._writing = Lock()
        """Held while something is learned: probes run on another thread than an answer is read."""
        self.thinks = False
        """Whether the model was seen to think, and needs tokens for that."""
        self.most = 0
        """The most tokens of an answer that the server accepts; 0 where no limit is known."""
        self._found = self._read()

    def takes(self, name: str) -> bool | None:
        """Whether the endpoint has an ability; None where that is not known."""
        return self._endpoint.abilities.get(name, self._found.get(name))

    def table(self) -> dict[str, bool | None]:
        """Return all abilities, in the order of `ABILITIES`."""
        return {name: self.takes(name) for name in ABILITIES}

    def path_of(self, what: str) -> Path | None:
        """Return the file for facts about the endpoint and its model; None without a folder.

        Args:
            what: Names the content: the last part of the file's name.
        """
        if self._folder is None:
            return None
        address = f"{self._endpoint.base_url}\n{self._endpoint.model}"
        return self._folder / f"{sha256(address.encode()).hexdigest()[:24]}.{what}.json"

    @property
    def go_on(self) -> bool:
        """Whether an answer that broke off can go on from its exact text."""
        return any(self.takes(name) for name in _GO_ON)

    def learn(self, found: Mapping[str, bool | None], asked: Iterable[str] = ()) -> None:
        """Remember abilities.

        Abilities that cannot be written to disk are known until the program ends.

        Args:
            found: Abilities by the names of `ABILITIES`; None where the server did not tell.
            asked: The abilities that need not be asked for again.
        """
        with self._writing:
            self._found |= {name: value for name, value in found.items() if value is not None}
            self.asked |= set(asked)
            self._write()

    def learn_thought(self) -> None:
        """Remember that the model thinks, as `learn`."""
        with self._writing:
            if not self.thinks:
                self.thinks = True
                self._write()

    def learn_most(self, tokens: int) -> None:
        """Remember the most tokens of an answer, as `learn`; 0 forgets them."""
        with self._writing:
            if self.most != tokens:
                self.most = tokens
                self._write()

    def _write(self) -> None:
        """Write what is known to disk, where that is possible."""
        if self._path is None:
            return
        endpoint = self._endpoint
        kept = {
            "version": _VERSION,
            "base_url": endpoint.base_url,
            "model": endpoint.model,
            "key_env": endpoint.key_env,
            "abilities": self._found,
            "thinks": self.thinks,
            "most": self.most,
            "asked": sorted(self.asked),
        }
        text = json.dumps(kept, indent=2)
        temporary = self._path.with_suffix(f".{os.getpid()}")
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_text(text + "\n", "utf-8")
            temporary.replace(self._path)

    def _read(self) -> dict[str, bool]:
        """Read the remembered abilities; a file that spark did not write counts as none."""
        if self._path is None:
            return {}
        try:
            entries = json.loads(read_small(self._path))
            if entries["version"] != _VERSION:
                return {}
            abilities = dict(entries["abilities"])
            self.thinks = entries.get("thinks") is True
            most = entries.get("most")
            if type(most) is int and most > 0:  # True is an int, too
                self.most = most
            # Another key may have other rights: probes with it say nothing about this key.
            if entries.get("key_env") == self._endpoint.key_env:
                self.asked = set(ABILITIES).intersection(entries.get("asked", ()))
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return {}
        return {name: value for name, value in abilities.items() if isinstance(value, bool)}


def write_body(
    endpoint: Endpoint, wanted: Wanted, table: Mapping[str, bool | None]
) -> dict[str, Any]:
    """Write a request that an endpoint accepts.

    Args:
        endpoint: The endpoint.
        wanted: The answer that is wanted.
        table: The known abilities. A parameter of an unknown ability is sent where nearly every
            server accepts it.
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
    # Prices are worth nothing without counts, so with prices the counts are asked for even where
    # nobody knows whether the server takes that.
    priced = endpoint.price_in or endpoint.price_out
    if table.get("usage") or (priced and table.get("usage") is None):
        body["stream_options"] = {"include_usage": True}
    if wanted.expected and table.get("prediction"):
        body["prediction"] = {"type": "content", "content": wanted.expected}
    if table.get("logprobs"):
        # Some servers send no log-probabilities unless other likely tokens are asked for, too.
        body |= {"logprobs": True, "top_logprobs": 1}
    if wanted.waits and table.get("priority"):
        body["priority"] = BEHIND
    if table.get("return_progress"):
        body["return_progress"] = True
    return body | _thought(endpoint, table) | _bound(wanted.grammar, table)


def goes_on_exactly(body: Mapping[str, Any]) -> bool:
    """Whether a request continues the exact text of an answer, instead of asking to go on."""
    return bool(body["messages"][-1]["role"] == "assistant")


def refused_by(body: Mapping[str, Any], reply: bytes) -> str:
    """Read from a refusal which ability of a request the server lacks.

    Args:
        body: The request.
        reply: The body of the refusal.

    Returns:
        The name of the ability; "" where the refusal names nothing that could be left out.
    """
    words = reply.decode("utf-8", "replace")
    # The longest name first: some parameters are named within others.
    for parameter in sorted(body, key=len, reverse=True):
        if parameter not in {"model", "messages", "stream"} and parameter in words:
            return _OF_PARAMETER.get(parameter, parameter)
    messages = body["messages"]
    has_system = messages[0]["role"] == "system"
    if has_system and _has_word(words, *_OF_SYSTEM):
        return "system"
    if any("prefix" in message for message in messages) and "prefix" in words:
        return "prefix"
    if messages[-1]["role"] == "assistant" and "assistant" in words:
        return "prefill"
    return "system" if has_system and _has_word(words, _OF_ROLE) else ""


def is_about_roles(reply: bytes) -> bool:
    """Whether a refusal may be about the roles of the messages."""
    return _has_word(reply.decode("utf-8", "replace"), *_OF_SYSTEM, _OF_ROLE)


def _has_word(text: str, *beginnings: str) -> bool:
    """Whether a text has a word with one of some beginnings, in lower case."""
    letters = [letter if letter.isalpha() else " " for letter in text.lower()]  # reads an answer
    return any(word.startswith(beginnings) for word in "".join(letters).split())


def _conversation(
    wanted: Wanted,
    table: Mapping[str, bool | None],
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return the messages, and the parameters that make the server continue a begun answer."""
    messages: list[Message] = list(wanted.messages)
    more: dict[str, Any] = {}
    begun: dict[str, Any] = {"role": "assistant", "content": wanted.begun}
    # Three dialects continue a begun answer: vLLM's parameter, the mark `prefix` on the message, or
    # a last message of the assistant as it is. Without any, the model is asked in words.
    if wanted.begun and table.get("continue_final_message"):
        more = {"continue_final_message": True, "add_generation_prompt": False}
    elif wanted.begun and table.get("prefix"):
        begun["prefix"] = True
    elif not wanted.begun or not table.get("prefill"):
        messages = going_on(messages, wanted.begun)
        begun = {}
    sent = [dict(message) for message in messages]
    if table.get("system") is False:
        sent = _without_system(sent)
    if begun:
        sent.append(begun)
    return sent, more


def _without_system(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Move the system's messages to the start of the user's first message."""
    system = [message["content"] for message in messages if message["role"] == "system"]
    others = [dict(message) for message in messages if message["role"] != "system"]
    first = next((message for message in others if message["role"] == "user"), None)
    if system and first:
        first["content"] = "\n\n".join([*system, first["content"]])
    return others


def _bound(grammar: str, table: Mapping[str, bool | None]) -> dict[str, Any]:
    """Return the parameters that bind an answer to a grammar, where the server accepts one."""
    if grammar and table.get("grammar"):
        return {"grammar": grammar}
    if grammar and table.get("structured_outputs"):
        return {"structured_outputs": {"grammar": grammar}}
    if grammar and table.get("guided_grammar"):
        return {"guided_grammar": grammar}
    return {}


def _thought(endpoint: Endpoint, table: Mapping[str, bool | None]) -> dict[str, Any]:
    """Return the parameters that make a model think less, where the settings want less."""
    if endpoint.thinking == "off" and table.get("enable_thinking"):
        return {"chat_template_kwargs": {"enable_thinking": False}}
    if endpoint.thinking in {"off", "low"} and table.get("reasoning_effort"):
        return {"reasoning_effort": "low"}
    return {}
