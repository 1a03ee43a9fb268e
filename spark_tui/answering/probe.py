"""Asks an endpoint what it takes, with requests of a token each. Knows no sockets."""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, ClassVar

from spark_tui.answering.abilities import Wanted, refused_by, write_body
from spark_tui.answering.remote_faults import BUSY
from spark_tui.answering.seam import Message
from spark_tui.endpoints import ABILITIES, Endpoint

Send = Callable[[Mapping[str, Any]], Awaitable[tuple[int, bytes]]]
"""Posts a request for an answer. Returns: the status and what came."""
Look = Callable[[str], Awaitable[tuple[int, bytes]]]
"""Gets an address of the server. Returns: the status and what came."""

_MOST = (1, 16)
"""Tokens that are asked for; some reasoning models refuse to write only one."""
_MOST_REFUSALS = 4
_ASKED: Sequence[Message] = (
    {"role": "system", "content": "Count in words."},
    {"role": "user", "content": "Count from one to nine, with a comma behind each."},
)
_BEGUN, _NEXT = "one, two, three, fo", "u"
"""An answer that stops within a word, and the letter that whoever goes on with it writes next."""
_WORD = "spark"
_GRAMMAR = f'root ::= "{_WORD}"'


@dataclass(frozen=True, slots=True)
class Probed:
    """What an endpoint was found to take.

    Attributes:
        abilities: By the names of `ABILITIES`; None where an answer does not tell.
        context: Tokens that the server says it reads; None where it does not say.
        ollama: Whether the server is Ollama, which cuts longer prompts without a word.
    """

    abilities: Mapping[str, bool | None]
    context: int | None = None
    ollama: bool = False


@dataclass(frozen=True, slots=True)
class Refused(Exception):
    """The server answers no request at all. Attributes: its status and what it says."""

    status: int
    said: bytes


class Unanswered(Exception):
    """Nothing was learned: the server cannot be reached, or does not say what it takes just now."""


class Probe:
    """Asks an endpoint for one ability after the other. Mutable until it has begun.

    Args:
        endpoint: Who is asked.
        send: Posts a request.
        look: Gets an address.
    """

    APART: ClassVar[frozenset[str]] = frozenset({"num_ctx"})
    """Abilities that can be asked for before it has begun."""

    def __init__(self, endpoint: Endpoint, send: Send, look: Look) -> None:
        self._endpoint = endpoint
        self._look = look
        self._asking = _Asking(endpoint, send)

    async def begin(self) -> Mapping[str, bool]:
        """Find the plainest request that is answered.

        Returns:
            The abilities that this tells.

        Raises:
            Refused: The server does not answer the plainest request.
        """
        await self._asking.begin()
        return {name: taken for name, taken in self._asking.table.items() if taken is not None}

    async def ask(self, name: str) -> bool | None:
        """Whether the endpoint has an ability; None where an answer does not tell."""
        if name == "num_ctx":
            return await _is_ollama(self._endpoint, self._look) or None
        return await _PROBES[name](self._asking) if name in _PROBES else None


async def probe(endpoint: Endpoint, send: Send, look: Look) -> Probed:
    """Ask an endpoint what it takes.

    Raises:
        Refused: The server does not answer the plainest request.
    """
    asking = _Asking(endpoint, send)
    await asking.begin()
    found = {name: await _PROBES[name](asking) for name in ABILITIES if name in _PROBES}
    ollama = await _is_ollama(endpoint, look)
    context = await _context(endpoint, look)
    found["num_ctx"] = ollama or None
    table = {name: (asking.table | found).get(name) for name in ABILITIES}
    return Probed(table, context, ollama)


class _Asking:
    """Asks for a token, with one more parameter each time. Mutable until it has begun."""

    def __init__(self, endpoint: Endpoint, send: Send) -> None:
        self._endpoint, self._send = endpoint, send
        self.table: dict[str, bool | None] = {}
        self._most = _MOST[0]

    async def begin(self) -> None:
        """Find the plainest request that is answered. Raises: Refused: there is none."""
        status, said = 0, b""
        for most in _MOST:
            self._most, self.table = most, {}
            for _ in range(_MOST_REFUSALS):
                body = self._body({}, "")
                status, said = await self._send(body)
                if status == HTTPStatus.OK:
                    taken = ("max_tokens", "temperature")
                    self.table |= {name: self.table.get(name, True) for name in (*taken, "system")}
                    return
                denied = refused_by(body, said)
                if not denied or denied in self.table:
                    break
                self.table[denied] = False
        raise Refused(status, said)

    async def ask(
        self,
        more: Mapping[str, Any],
        begun: str = "",
        table: Mapping[str, bool] | None = None,
        without: str = "",
    ) -> tuple[int, bytes]:
        """Ask for a token. Args: more: parameters. without: a parameter to be left out."""
        body = self._body(table or {}, begun) | dict(more)
        body.pop(without, None)
        return await self._send(body)

    async def accepts(self, name: str, value: object, without: str = "") -> bool | None:
        """Whether a parameter is not refused; None where the server has no time."""
        status, _ = await self.ask({name: value}, without=without)
        return None if status in BUSY else status == HTTPStatus.OK

    async def says(self, more: Mapping[str, Any], begun: str = "", **known: bool) -> str:
        """What is answered; "" where nothing is."""
        status, said = await self.ask(more, begun, known)
        message = _within(_json(said), "choices", 0, "message") if status == HTTPStatus.OK else None
        text = message.get("content") if isinstance(message, dict) else None
        return text.strip() if isinstance(text, str) else ""

    @property
    def most(self) -> int:
        """Tokens that are asked for."""
        return self._most

    def _body(self, table: Mapping[str, bool], begun: str) -> dict[str, Any]:
        wanted = Wanted(_ASKED, self._most, begun=begun)
        body = write_body(self._endpoint, wanted, self.table | dict(table))
        body.pop("stream_options", None)
        return body | {"stream": False}


async def _newer_limit(asking: _Asking) -> bool | None:
    if asking.table["max_tokens"] is False:
        return True
    return await asking.accepts("max_completion_tokens", asking.most, without="max_tokens")


async def _tells_usage(asking: _Asking) -> bool:
    more = {"stream": True, "stream_options": {"include_usage": True}}
    status, said = await asking.ask(more)
    return status == HTTPStatus.OK and b'"prompt_tokens"' in said


async def _tells_progress(asking: _Asking) -> bool:
    status, said = await asking.ask({"stream": True, "return_progress": True})
    return status == HTTPStatus.OK and b'"prompt_progress"' in said


async def _tells_probabilities(asking: _Asking) -> bool:
    status, said = await asking.ask({"logprobs": True, "top_logprobs": 1})
    tokens = _within(_json(said), "choices", 0, "logprobs", "content")
    return status == HTTPStatus.OK and isinstance(tokens, list) and bool(tokens)


async def _takes_prediction(asking: _Asking) -> bool | None:
    status, said = await asking.ask({"prediction": {"type": "content", "content": _BEGUN}})
    if status != HTTPStatus.OK:
        return False
    details = _within(_json(said), "usage", "completion_tokens_details")
    used = isinstance(details, dict) and details.get("accepted_prediction_tokens") is not None
    return True if used else None  # a server that ignores it says nothing of it


def _goes_on(name: str) -> Callable[[_Asking], Awaitable[bool]]:
    async def goes_on(asking: _Asking) -> bool:
        text = await asking.says({}, _BEGUN, **{name: True})
        if asking.most == _MOST[0]:  # one token is not the whole beginning, said anew
            text = text.removeprefix(_BEGUN)
        return text.startswith(_NEXT)

    return goes_on


def _obeys(more: Mapping[str, Any]) -> Callable[[_Asking], Awaitable[bool]]:
    async def obeys(asking: _Asking) -> bool:
        text = await asking.says(more)
        return bool(text) and _WORD.startswith(text[: len(_WORD)])

    return obeys


def _accepts(name: str, value: object) -> Callable[[_Asking], Awaitable[bool | None]]:
    async def accepts(asking: _Asking) -> bool | None:
        return await asking.accepts(name, value)

    return accepts


_PROBES: Mapping[str, Callable[[_Asking], Awaitable[bool | None]]] = {
    "max_completion_tokens": _newer_limit,
    "seed": _accepts("seed", 1),
    "usage": _tells_usage,
    "logprobs": _tells_probabilities,
    "prediction": _takes_prediction,
    "continue_final_message": _goes_on("continue_final_message"),
    "prefix": _goes_on("prefix"),
    "prefill": _goes_on("prefill"),
    "stop": _accepts("stop", ["\n\n\n"]),
    "return_progress": _tells_progress,
    "reasoning_effort": _accepts("reasoning_effort", "low"),
    "enable_thinking": _accepts("chat_template_kwargs", {"enable_thinking": False}),
    "grammar": _obeys({"grammar": _GRAMMAR}),
    "structured_outputs": _obeys({"structured_outputs": {"grammar": _GRAMMAR}}),
    "guided_grammar": _obeys({"guided_grammar": _GRAMMAR}),
}


async def _is_ollama(endpoint: Endpoint, look: Look) -> bool:
    status, said = await look(f"{_root(endpoint)}/api/version")
    version = _within(_json(said), "version")
    return status == HTTPStatus.OK and isinstance(version, str)


async def _context(endpoint: Endpoint, look: Look) -> int | None:
    """Tokens that the server reads: as Ollama, llama-server or vLLM tell it."""
    _, running = await look(f"{_root(endpoint)}/api/ps")
    _, props = await look(f"{_root(endpoint)}/props")
    _, models = await look(f"{endpoint.base_url}/models")
    own = [
        each
        for each in _entries(_json(running), "models")
        if endpoint.model in {each.get("name"), each.get("model"), f"{each.get('name')}".partition(":")[0]}
    ]
    served = [each for each in _entries(_json(models), "data") if each.get("id") == endpoint.model]
    sizes = [
        *(each.get("context_length") for each in own),
        _within(_json(props), "default_generation_settings", "n_ctx"),
        *(each.get("max_model_len") for each in served),
    ]
    return next((size for size in sizes if isinstance(size, int) and size > 0), None)


def _root(endpoint: Endpoint) -> str:
    return endpoint.base_url.removesuffix("/v1")


def _json(said: bytes) -> Any:
    try:
        return json.loads(said)
    except (ValueError, RecursionError):
        return None


def _within(value: Any, *path: str | int) -> Any:
    """What stands at a path of keys and numbers; None where nothing does."""
    for key in path:
        try:
            value = value[key]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def _entries(value: Any, name: str) -> list[dict[str, Any]]:
    entries = _within(value, name)
    listed = entries if isinstance(entries, list) else []
    return [each for each in listed if isinstance(each, dict)]
