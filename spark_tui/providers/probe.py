"""Probes: requests of a token each that find out which parameters an endpoint accepts.

`probe` asks for every ability in one go, a few at a time. `FirstUse` asks beside the requests of a
user: the abilities that the first request can use are asked for together, while the instruction is
typed or right before the request goes. That takes a second at most: a probe that has not come back
by then is abandoned, and the request goes without its ability. The other abilities are asked for
one after the other behind an answer, and give way to the next request.

No ability is asked for twice, since `Abilities` remembers what was asked and what was found. A
server that is busy, refuses a plain request or breaks off is asked nothing more until the program
starts again. Opens no sockets: `openai_client` passes in what does.
"""

import asyncio
import copy
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, ClassVar

from spark_tui.config import ABILITIES, Endpoint
from spark_tui.providers.abilities import BEHIND, Abilities, Wanted, refused_by, write_body
from spark_tui.providers.base import Message
from spark_tui.providers.openai_errors import BUSY, Patience

Send = Callable[[Mapping[str, Any]], Awaitable[tuple[int, bytes]]]
"""Posts a request for an answer.

Returns:
    The HTTP status and the body of the reply.
"""
Look = Callable[[str], Awaitable[tuple[int, bytes]]]
"""Gets an address of the server.

Returns:
    The HTTP status and the body of the reply.
"""

_MOST = (1, 16)
"""Tokens of a probe, tried in turn: some reasoning models refuse to write only one."""
_AT_ONCE = 4
"""Requests that a server is sent together."""
_ALONE = frozenset({"usage", "return_progress"})
"""Abilities asked for by a stream, which some servers break off where another request comes."""
_MOST_REFUSALS = 4
"""Parameters that are left out of the plainest request, one after the other."""
_ASKED: Sequence[Message] = (
    {"role": "system", "content": "Count in words."},
    {"role": "user", "content": "Count from one to nine, with a comma behind each."},
)
_BEGUN = "one, two, three, fo"
_NEXT = "u"
"""An answer that stops within a word, and the letter that a model which continues it writes."""
_WORD = "spark"
"""The one answer that a grammar of a probe allows."""
_GRAMMAR = f'root ::= "{_WORD}"'


@dataclass(frozen=True, slots=True)
class Probed:
    """The findings about an endpoint.

    Attributes:
        abilities: Abilities by the names of `ABILITIES`; None where the replies do not tell.
        context: Tokens that the server says it reads; None where the server does not say.
        ollama: Whether the server is Ollama, which silently cuts longer prompts.
    """

    abilities: Mapping[str, bool | None]
    context: int | None = None
    ollama: bool = False


@dataclass(frozen=True, slots=True)
class Refused(Exception):
    """The server answers no request at all.

    Attributes:
        status: The HTTP status of the last reply.
        body: The body of the last reply.
    """

    status: int
    body: bytes


class Unanswered(Exception):
    """Nothing was learned: the server cannot be reached, or its reply is only of the moment."""


class Probe:
    """Asks an endpoint for single abilities.

    Mutable until `begin` returns.

    Args:
        endpoint: The endpoint.
        send: Posts a request.
        look: Gets an address.
    """

    APART: ClassVar[frozenset[str]] = frozenset({"num_ctx"})
    """Abilities that can be asked for before `begin`."""

    def __init__(self, endpoint: Endpoint, send: Send, look: Look) -> None:
        self._endpoint = endpoint
        self._look = look
        self._requests = _ProbeRequests(endpoint, send)

    async def begin(self) -> Mapping[str, bool]:
        """Find the plainest request that the server answers.

        Returns:
            The abilities that this request tells.

        Raises:
            Refused: The server does not answer the plainest request.
        """
        await self._requests.begin()
        return {name: taken for name, taken in self._requests.table.items() if taken is not None}

    async def ask(self, name: str) -> bool | None:
        """Ask whether the endpoint has an ability; None where the reply does not tell."""
        if name == "num_ctx":
            return await _is_ollama(self._endpoint, self._look) or None
        return await _PROBES[name](self._requests) if name in _PROBES else None


async def probe(endpoint: Endpoint, send: Send, look: Look) -> Probed:
    """Ask an endpoint for all abilities.

    Args:
        endpoint: The endpoint.
        send: Posts a request.
        look: Gets an address.

    Raises:
        Refused: The server does not answer the plainest request.
    """
    requests = _ProbeRequests(endpoint, send)
    await requests.begin()
    found = await _ask_together([name for name in _PROBES if name not in _ALONE], requests)
    for name, ask in _PROBES.items():
        if name not in found:
            found[name] = await ask(requests)
    ollama = await _is_ollama(endpoint, look)
    context = await _context(endpoint, look)
    found["num_ctx"] = ollama or None
    known = requests.table | found
    return Probed({name: known.get(name) for name in ABILITIES}, context, ollama)


class _TurnedAway(Exception):
    """The server has no time for so many requests at once."""


async def _ask_together(names: Sequence[str], requests: "_ProbeRequests") -> dict[str, bool | None]:
    """Ask for abilities, a few at a time.

    Returns:
        What was found; the abilities of requests that a busy server turned away are left out.
    """
    found = dict[str, bool | None]()
    at_once = requests.without_busy()
    room = asyncio.Semaphore(_AT_ONCE)

    async def ask(name: str) -> None:
        async with room:
            with suppress(_TurnedAway):
                found[name] = await _PROBES[name](at_once)

    tasks = [asyncio.create_task(ask(name)) for name in names]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return found


class _ProbeRequests:
    """Requests of a token, each with one more parameter than the plainest request.

    Mutable until `begin` returns. `table` has the abilities that the plainest request tells.
    """

    def __init__(self, endpoint: Endpoint, send: Send) -> None:
        self._endpoint = endpoint
        self._send = send
        self.table: dict[str, bool | None] = {}
        self._most = _MOST[0]

    def without_busy(self) -> "_ProbeRequests":
        """Return the same requests, which raise `_TurnedAway` where the server is busy."""

        async def send(body: Mapping[str, Any]) -> tuple[int, bytes]:
            status, reply = await self._send(body)
            if status in BUSY:
                raise _TurnedAway
            return status, reply

        requests = copy.copy(self)
        requests._send = send
        return requests

    async def begin(self) -> None:
        """Find the plainest request that the server answers.

        Raises:
            Refused: The server answers none.
        """
        status = 0
        reply = b""
        # Each refusal names a parameter, which the next request leaves out. A refusal that names
        # none may be about the tokens, so more are tried.
        for most in _MOST:
            self._most = most
            self.table = {}
            for _ in range(_MOST_REFUSALS):
                body = self._body({}, "")
                status, reply = await self._send(body)
                if status == HTTPStatus.OK:
                    # An answer to a request with these proves that the server takes them.
                    for name in ("max_tokens", "temperature", "system"):
                        self.table.setdefault(name, True)
                    return
                denied = refused_by(body, reply)
                if not denied or denied in self.table:
                    break
                self.table[denied] = False
        raise Refused(status, reply)

    async def ask(
        self,
        more: Mapping[str, Any],
        begun: str = "",
        table: Mapping[str, bool] | None = None,
        without: str = "",
    ) -> tuple[int, bytes]:
        """Ask for a token.

        Args:
            more: Parameters to add.
            begun: The beginning of the answer.
            table: Abilities to take for granted.
            without: A parameter to leave out; "" for none.

        Returns:
            The HTTP status and the body of the reply.
        """
        body = self._body(table or {}, begun) | dict(more)
        body.pop(without, None)
        return await self._send(body)

    async def accepts(self, name: str, value: object, without: str = "") -> bool | None:
        """Ask whether the server refuses a parameter; None where the server has no time."""
        status, _ = await self.ask({name: value}, without=without)
        if status in BUSY:
            return None
        return status == HTTPStatus.OK

    async def says(self, more: Mapping[str, Any], begun: str = "", **known: bool) -> str:
        """Return the text of the answer; "" where there is none.

        Args:
            more: Parameters to add.
            begun: The beginning of the answer.
            known: Abilities to take for granted.
        """
        status, reply = await self.ask(more, begun, known)
        if status != HTTPStatus.OK:
            return ""
        text = _within(_json(reply), "choices", 0, "message", "content")
        return text.strip() if isinstance(text, str) else ""

    @property
    def most(self) -> int:
        """Tokens of a probe."""
        return self._most

    def _body(self, table: Mapping[str, bool], begun: str) -> dict[str, Any]:
        wanted = Wanted(_ASKED, self._most, begun=begun)
        body = write_body(self._endpoint, wanted, self.table | dict(table))
        # only a stream has these options, and the probe of `usage` adds them itself
        body.pop("stream_options", None)
        return body | {"stream": False}


# The probes, one for each ability: the reply has to show the effect of a parameter where it can.
# Servers that ignore unknown parameters would otherwise seem to have every ability.


async def _newer_limit(requests: _ProbeRequests) -> bool | None:
    # the plainest request went through with the newer name alone
    if requests.table["max_tokens"] is False:
        return True
    return await requests.accepts("max_completion_tokens", requests.most, without="max_tokens")


async def _tells_usage(requests: _ProbeRequests) -> bool:
    more = {"stream": True, "stream_options": {"include_usage": True}}
    status, reply = await requests.ask(more)
    return status == HTTPStatus.OK and b'"prompt_tokens"' in reply


async def _tells_progress(requests: _ProbeRequests) -> bool:
    status, reply = await requests.ask({"stream": True, "return_progress": True})
    return status == HTTPStatus.OK and b'"prompt_progress"' in reply


async def _tells_probabilities(requests: _ProbeRequests) -> bool:
    status, reply = await requests.ask({"logprobs": True, "top_logprobs": 1})
    tokens = _within(_json(reply), "choices", 0, "logprobs", "content")
    return status == HTTPStatus.OK and isinstance(tokens, list) and bool(tokens)


async def _takes_prediction(requests: _ProbeRequests) -> bool | None:
    status, reply = await requests.ask({"prediction": {"type": "content", "content": _BEGUN}})
    if status != HTTPStatus.OK:
        return False
    details = _within(_json(reply), "usage", "completion_tokens_details")
    if isinstance(details, dict) and details.get("accepted_prediction_tokens") is not None:
        return True
    return None  # a server that ignores the parameter reports nothing about it


def _goes_on(name: str) -> Callable[[_ProbeRequests], Awaitable[bool]]:
    """Probe whether an ability makes the model continue a begun answer."""

    async def goes_on(requests: _ProbeRequests) -> bool:
        # A model that does not continue the word says something else, or begins to count anew.
        text = await requests.says({}, _BEGUN, **{name: True})
        # A reply of one token that has the whole beginning is an echo, followed by what is new.
        if requests.most == _MOST[0]:
            text = text.removeprefix(_BEGUN)
        return text.startswith(_NEXT)

    return goes_on


def _obeys(more: Mapping[str, Any]) -> Callable[[_ProbeRequests], Awaitable[bool]]:
    """Probe whether parameters bind an answer to the grammar."""

    async def obeys(requests: _ProbeRequests) -> bool:
        text = await requests.says(more)
        return bool(text) and _WORD.startswith(text[: len(_WORD)])

    return obeys


def _accepts(name: str, value: object) -> Callable[[_ProbeRequests], Awaitable[bool | None]]:
    """Probe whether the server refuses a parameter whose effect does not show."""

    async def accepts(requests: _ProbeRequests) -> bool | None:
        return await requests.accepts(name, value)

    return accepts


_PROBES: Mapping[str, Callable[[_ProbeRequests], Awaitable[bool | None]]] = {
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
    "priority": _accepts("priority", BEHIND),
}


async def _is_ollama(endpoint: Endpoint, look: Look) -> bool:
    status, reply = await look(f"{_root(endpoint)}/api/version")
    version = _within(_json(reply), "version")
    return status == HTTPStatus.OK and isinstance(version, str)


async def _context(endpoint: Endpoint, look: Look) -> int | None:
    """Return the tokens that the server reads, as Ollama, llama-server or vLLM tells them."""
    _, running = await look(f"{_root(endpoint)}/api/ps")
    _, props = await look(f"{_root(endpoint)}/props")
    _, listed = await look(f"{endpoint.base_url}/models")
    # A running model of Ollama first, then llama-server's properties, then vLLM's list.
    sizes: list[Any] = []
    for model in _entries(_json(running), "models"):
        name = model.get("name")
        untagged = f"{name}".partition(":")[0]
        if endpoint.model in {name, model.get("model"), untagged}:
            sizes.append(model.get("context_length"))
    sizes.append(_within(_json(props), "default_generation_settings", "n_ctx"))
    models = _entries(_json(listed), "data")
    served = [model for model in models if model.get("id") == endpoint.model]
    sizes += [model.get("max_model_len") for model in served]
    return next((size for size in sizes if isinstance(size, int) and size > 0), None)


def _root(endpoint: Endpoint) -> str:
    """Return the address of the server, below which its own API is."""
    return endpoint.base_url.removesuffix("/v1")


def _json(reply: bytes) -> Any:
    """Parse a reply; None where it is no JSON."""
    try:
        return json.loads(reply)
    except (ValueError, RecursionError):
        return None


def _within(value: Any, *path: str | int) -> Any:
    """Return the value at a path of keys and numbers; None where there is none."""
    for key in path:
        try:
            value = value[key]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def _entries(value: Any, name: str) -> list[dict[str, Any]]:
    """Return the objects of the list with a name; none where there is no such list."""
    entries = _within(value, name)
    if not isinstance(entries, list):
        return []
    return [entry for entry in entries if isinstance(entry, dict)]


_PROBE_SECONDS = 20.0
"""Seconds after which a probe behind an answer is taken to tell nothing."""


class FirstUse:
    """Probes an endpoint beside the requests of a user.

    Mutable; only on the thread of the connections.

    Args:
        endpoint: The endpoint.
        abilities: Remembers what is found.
        send: Posts a request.
        look: Gets an address.
        patience: How long to wait.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        abilities: Abilities,
        send: Send,
        look: Look,
        patience: Patience,
    ) -> None:
        self._endpoint = endpoint
        self._abilities = abilities
        self._patience = patience
        self._probe = Probe(endpoint, send, look)
        self._has_begun = False
        """Whether the server has answered the plainest request."""
        self._is_over = False
        """Whether nothing more is asked."""
        self._early: asyncio.Task[None] | None = None
        self._late: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to ask for the abilities that the next request can use, once."""
        if self._early is None and self._missing(needed_by(self._endpoint)):
            self._early = asyncio.create_task(self._ask_early())

    async def wait(self) -> None:
        """Wait until a request may go: a second at most, and less where `start` was called."""
        # the user's request goes before the probes that are left
        if self._late:
            self._late.cancel()
        self.start()
        if self._early and not self._early.done():
            await asyncio.wait({self._early})

    def go_on(self) -> None:
        """Begin to ask for the other abilities, now that an answer is over."""
        if not self._is_over and self._missing(tuple(ABILITIES)):
            self._late = asyncio.create_task(self._ask_late())

    async def close(self) -> None:
        """Ask nothing more."""
        self._is_over = True
        tasks = [task for task in (self._early, self._late) if task]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _missing(self, names: Sequence[str]) -> list[str]:
        """Return the abilities that were never asked for and that no setting tells."""
        known = self._abilities.asked | set(self._endpoint.abilities)
        return [name for name in names if name not in known]

    async def _ask_early(self) -> None:
        """Ask for the abilities of the first request together, for a second at most."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self._patience.before):
                missing = self._missing(needed_by(self._endpoint))
                apart = [name for name in missing if name in Probe.APART]
                posted = [name for name in missing if name not in Probe.APART]
                await asyncio.gather(self._ask_posted(posted), *map(self._ask, apart))

    async def _ask_posted(self, names: Sequence[str]) -> None:
        """Ask for some abilities at once, behind the plainest request."""
        if names and await self._begin():
            await asyncio.gather(*map(self._ask, names))

    async def _ask_late(self) -> None:
        """Ask for the other abilities, one after the other."""
        await asyncio.sleep(self._patience.behind)
        try:
            async with asyncio.timeout(_PROBE_SECONDS):
                begun = await self._begin()
        except TimeoutError:
            self._is_over = True
            return
        if not begun:
            return
        for name in self._missing(tuple(ABILITIES)):
            try:
                async with asyncio.timeout(_PROBE_SECONDS):
                    await self._ask(name)
            except TimeoutError:
                self._abilities.learn({}, asked=[name])
            if self._is_over:
                return

    async def _begin(self) -> bool:
        """Find the plainest request that the server answers.

        Returns:
            Whether there is one.
        """
        if self._has_begun or self._is_over:
            return not self._is_over
        try:
            found = await self._probe.begin()
        except (Refused, Unanswered):
            self._is_over = True
            return False
        self._abilities.learn(found, asked=found)
        self._has_begun = True
        return True

    async def _ask(self, name: str) -> None:
        """Ask for an ability, and remember the finding."""
        if self._is_over:
            return
        try:
            taken = await self._probe.ask(name)
        except Unanswered:
            # Only Ollama has the addresses that are looked at apart.
            if name not in Probe.APART:
                self._is_over = True
            return
        self._abilities.learn({name: taken}, asked=[name])


def needed_by(endpoint: Endpoint) -> Sequence[str]:
    """Return the abilities that are asked for before the first request, which waits for them."""
    names = ["num_ctx", "logprobs", "return_progress"]
    if endpoint.format == "search_replace":
        names += ["grammar", "structured_outputs", "guided_grammar"]
    else:
        names += ["prediction"]
    if endpoint.thinking != "on":
        names += ["reasoning_effort", "enable_thinking"]
    return names
