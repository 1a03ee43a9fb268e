"""The HTTP client of OpenAI-compatible endpoints.

A `Server` is an endpoint with its connections (`openai_connection`); `Server.ask` and
`Server.complete` return a `Reply` (`openai_reply`), which yields an answer piece by piece. `probe`
finds out the abilities of a server, through the server.
"""

import os
import time
from collections.abc import Awaitable, Mapping, Sequence
from concurrent.futures import Future
from http import HTTPStatus
from pathlib import Path
from typing import Any

from spark_tui.config import ABILITIES, Endpoint
from spark_tui.errors import UsageError
from spark_tui.providers import openai_errors
from spark_tui.providers.abilities import Abilities, Wanted
from spark_tui.providers.background import Background
from spark_tui.providers.base import Message
from spark_tui.providers.calibration import DecisionLog
from spark_tui.providers.encodable import encodable
from spark_tui.providers.openai_connection import NEVER, Connection, network_errors, start_of
from spark_tui.providers.openai_errors import BUSY, EndpointFault, Patience
from spark_tui.providers.openai_reply import ChatReply, CompletionReply, may_deny
from spark_tui.providers.probe import FirstUse, Probed, Refused, Unanswered, probe
from spark_tui.providers.stream_limits import Overdue, StreamLimits

_WARM_SECONDS = 3.0
"""Seconds after its last use in which a connection needs no warming."""


class Server:
    """An endpoint, and the connections to it.

    Nothing is imported or opened before the first request.

    Args:
        endpoint: The endpoint.
        patience: How long to wait for the server.
        env: The environment that holds the keys.
        keep: Whether connections are kept open.
        folder: See `Abilities`.
        probes: Whether to ask the endpoint for its abilities on first use.
        waits: Whether the requests of others go first, where the endpoint can be told.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        patience: Patience | None = None,
        env: Mapping[str, str] = os.environ,
        keep: bool = True,
        folder: Path | None = None,
        probes: bool = False,
        waits: bool = False,
    ) -> None:
        self.endpoint = endpoint
        self._waits = waits
        self.abilities = Abilities(endpoint, folder)
        """The parameters that the endpoint accepts."""
        self.decisions = DecisionLog(self.abilities.path_of("decisions"))
        """The user's decisions about the edits of the endpoint."""
        patience = patience or Patience()
        self._connection = Connection(endpoint, patience, env, keep=keep)
        self._line = Background("spark-endpoint")
        self.first_use: FirstUse | None = None
        """Asks the endpoint for its abilities, beside the first requests."""
        if probes:
            self.first_use = FirstUse(
                endpoint,
                self.abilities,
                self._probe_once,
                self._look_once,
                patience,
            )

    def ask(
        self,
        messages: Sequence[Message],
        *,
        temperature: float = 0.0,
        seed: int = 0,
        most: int = 512,
        begun: str = "",
        expected: str = "",
        grammar: str = "",
    ) -> ChatReply:
        """Ask for an answer; nothing is sent before the reply is read.

        Args:
            messages: The conversation, without the answer itself.
            temperature: 0 for the likeliest answer.
            seed: The seed of a draw, where the temperature is above 0.
            most: The most tokens of the answer.
            begun: The beginning of the answer, up to the end of a line or within one.
            expected: Text that most of the answer is likely to be copied from; "" for none.
            grammar: The grammar that the answer is bound to, in GBNF; "" for none.

        Raises:
            UsageError: The variable of the key is not set, or holds more than a key.
        """
        self.key()
        wanted = Wanted(
            _encodable(messages),
            most,
            temperature,
            seed,
            encodable(begun),
            encodable(expected),
            encodable(grammar),
            self._waits,
        )
        return ChatReply(self._connection, self._line, wanted, self.abilities, self.first_use)

    def complete(self, prompt: str | Sequence[int], options: Mapping[str, Any]) -> CompletionReply:
        """Ask for the completion of a text; nothing is sent before the reply is read.

        Args:
            prompt: The text, or its tokens.
            options: Other parameters of the request, such as `max_tokens`.

        Raises:
            UsageError: As `ask`.
        """
        self.key()
        body = {"model": self.endpoint.model, "prompt": prompt, "stream": True, **options}
        return CompletionReply(self._connection, self._line, body)

    def warm(self) -> Future[None] | None:
        """Open a connection for the next request; if that fails, the next request tells.

        Returns:
            The work under way; None where a connection was used just now.
        """
        if time.monotonic() - self._connection.last_use < _WARM_SECONDS:
            return None
        # Set before the connection is open, so that the next call does not open another one.
        self._connection.last_use = time.monotonic()
        return self._line.run(self._warmed())

    def probe(self) -> Probed:
        """Ask the server for all abilities, and remember them; this takes a while.

        Raises:
            UsageError, Transient: The server answers nothing, or cannot be reached.
        """
        self.key()
        probed = self._line.run(self._probed()).result()
        if isinstance(probed, EndpointFault):
            fault = probed.without(self.key()) if self.endpoint.key_env else probed
            raise fault.kind(fault.words)
        self.abilities.learn(probed.abilities, asked=ABILITIES)
        self.abilities.learn_most(0)  # another version of the server may accept more
        return probed

    def close(self) -> None:
        """Close all connections, for good."""
        self._line.end(self._closed())

    def key(self) -> str:
        """Read the key from its variable; "" where none is needed.

        Raises:
            UsageError: See `ask`.
        """
        return self._connection.key()

    async def _warmed(self) -> None:
        try:
            await self._unless_broken(self._got(f"{self.endpoint.base_url}/models"))
        except Unanswered:
            self._connection.last_use = NEVER
            return
        if self.first_use:
            self.first_use.start()

    async def _posted(self, body: Mapping[str, Any]) -> tuple[int, bytes]:
        """Post a request of a probe.

        Returns:
            The status and the body of the reply.
        """
        url = f"{self.endpoint.base_url}/chat/completions"
        return await self._answer("POST", url, json=body)

    async def _got(self, url: str) -> tuple[int, bytes]:
        """Get an address of the server.

        Returns:
            The status and the body of the reply.
        """
        return await self._answer("GET", url)

    async def _answer(self, method: str, url: str, **more: Any) -> tuple[int, bytes]:
        """Send a request, and return the status and the body of the reply.

        Raises:
            Overdue: The reply does not come in time.
        """
        limits = StreamLimits(self.endpoint)
        async with self._connection.send(limits, method, url, **more) as response:
            return response.status_code, await start_of(response, limits)

    async def _probe_once(self, body: Mapping[str, Any]) -> tuple[int, bytes]:
        """Post a request of a probe, as `_posted`.

        Raises:
            Unanswered: The reply says nothing about the abilities of the server.
        """
        status, refusal_body = await self._unless_broken(self._posted(body))
        if status == HTTPStatus.OK or may_deny(status, refusal_body):
            return status, refusal_body
        raise Unanswered

    async def _look_once(self, url: str) -> tuple[int, bytes]:
        """Get an address for a probe, as `_got`.

        Raises:
            Unanswered: The server cannot be reached, or fails just now.
        """
        status, refusal_body = await self._unless_broken(self._got(url))
        if status in BUSY or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            raise Unanswered
        return status, refusal_body

    async def _unless_broken(self, answer: Awaitable[tuple[int, bytes]]) -> tuple[int, bytes]:
        """Return an answer of the server.

        Raises:
            Unanswered: None came.
        """
        try:
            return await answer
        except (Overdue, UsageError):
            raise Unanswered from None
        except network_errors():
            raise Unanswered from None  # the error may hold the key

    async def _probed(self) -> Probed | EndpointFault:
        try:
            return await probe(self.endpoint, self._posted, self._got)
        except Refused as e:
            return await self._connection.refusal(e.status, e.body)
        except Overdue as e:
            return e.fault
        except network_errors() as e:
            return self._connection.fault(e) or openai_errors.unreachable(self.endpoint, e)
        except UsageError as e:
            return EndpointFault(UsageError, str(e))

    async def _closed(self) -> None:
        if self.first_use:
            await self.first_use.close()
        await self._connection.close()


def _encodable(messages: Sequence[Message]) -> list[dict[str, str]]:
    """Return messages that can be sent in UTF-8."""
    return [{key: encodable(text) for key, text in message.items()} for message in messages]
