"""The HTTP client of OpenAI-compatible endpoints, and the only module that opens sockets.

A `Server` is an endpoint with its connections; `Server.ask` and `Server.complete` return a `Reply`,
which yields an answer piece by piece. Beside this page: `background`, the thread that requests run
on; `proxies`, the variables of the environment; `stream_limits`, the bounds of one answer.

Requests run on a thread with an event loop of its own, so that the reader of an answer can stop at
once, whatever the network does. A connection is kept open from one request to the next. A key is
read from its variable for each request and goes into the header of that request, nowhere else: no
error holds anything that the HTTP client knows of a request.
"""

import asyncio
import os
import ssl
import threading
import time
from collections import deque
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Awaitable,
    Callable,
    Generator,
    Mapping,
    Sequence,
)
from concurrent.futures import Future
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import replace
from http import HTTPStatus
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from urllib.parse import urlsplit

from spark_tui.config import ABILITIES, Endpoint
from spark_tui.errors import SparkError, UsageError
from spark_tui.providers import openai_errors
from spark_tui.providers.abilities import (
    Abilities,
    Wanted,
    goes_on_exactly,
    is_about_roles,
    refused_by,
    write_body,
)
from spark_tui.providers.answer_bound import Bound, is_about_bound, read_bound
from spark_tui.providers.background import Background
from spark_tui.providers.base import Message, PromptProgress
from spark_tui.providers.calibration import DecisionLog, Scores
from spark_tui.providers.encodable import encodable
from spark_tui.providers.ollama import NativeStream, native_body, native_url
from spark_tui.providers.openai_errors import (
    BUSY,
    NO_ENTRY,
    OF_THE_MOMENT,
    BusyWait,
    EndpointFault,
    Patience,
)
from spark_tui.providers.openai_stream import (
    ChatStream,
    CompletedToken,
    CompletionStream,
    EventStream,
    is_complete,
    is_length,
)
from spark_tui.providers.probe import FirstUse, Probed, Refused, Unanswered, probe
from spark_tui.providers.proxies import is_here, proxy_at, wrong_proxy, wrong_setting
from spark_tui.providers.stream_limits import Overdue, StreamLimits
from spark_tui.providers.thoughts import ThoughtPiece

if TYPE_CHECKING:
    import httpx2

_WARM_SECONDS = 3.0
"""Seconds after its last use in which a connection needs no warming."""
_KEPT_OPEN = 300.0
"""Seconds that an unused connection is kept."""
_DRAIN_SECONDS = 0.25
"""Seconds to read the rest of a stream whose answer is over."""
_AHEAD = 64
"""Pieces that are read before the reader asks for them."""
_TICK_SECONDS = 0.02
"""Seconds after which the reader of an answer gets the chance to stop, though nothing came."""
_UNTAKEN = frozenset({HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY})
"""The replies of servers that refuse a parameter."""
_MISSING = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED})
"""The replies of servers that have nothing at an address."""
_UNRELATED = BUSY | NO_ENTRY | OF_THE_MOMENT | _MISSING
"""The replies of servers that say nothing about the request itself."""
_LOOK_SECONDS = 5.0
"""Seconds to find out whether a server answers at another address."""
_MOST_OF_ANOTHER = 4 << 20
"""Bytes that are read of a reply that is no stream."""
_FIELDS = (b":", b"data:", b"event:", b"id:", b"retry:", b"\xef\xbb\xbfdata:")
"""The possible beginnings of a stream of events, whatever its content type says."""
_LAST_EVENT = b"data: [DONE]"
"""The end of a stream, behind which some servers keep the connection open."""
_SENDS = "send_request_headers.started"
"""The step of a request, as httpx names it, that begins once there is a connection."""

Piece = TypeVar("Piece")


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
        self.patience = patience or Patience()
        self._env = env
        self._keep = keep
        self._line = Background("spark-endpoint")
        self._client: httpx2.AsyncClient | None = None
        self.first_use: FirstUse | None = None
        """Asks the endpoint for its abilities, beside the first requests."""
        if probes:
            self.first_use = FirstUse(
                endpoint,
                self.abilities,
                self._probe_once,
                self._look_once,
                self.patience,
            )
        self._used = -_WARM_SECONDS

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
    ) -> "ChatReply":
        """Ask for an answer; nothing is sent before the reply is read.

        Args:
            messages: See `Wanted`, here and below.
            temperature: As there.
            seed: As there.
            most: As there.
            begun: As there.
            expected: As there.
            grammar: As there.

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
        return ChatReply(self, self._line, wanted)

    def complete(
        self, prompt: str | Sequence[int], options: Mapping[str, Any]
    ) -> "CompletionReply":
        """Ask for the completion of a text; nothing is sent before the reply is read.

        Args:
            prompt: The text, or its tokens.
            options: Other parameters of the request, such as `max_tokens`.

        Raises:
            UsageError: As `ask`.
        """
        self.key()
        body = {"model": self.endpoint.model, "prompt": prompt, "stream": True, **options}
        return CompletionReply(self, self._line, body)

    def warm(self) -> "Future[None] | None":
        """Open a connection for the next request; if that fails, the next request tells.

        Returns:
            The work under way; None where a connection was used just now.
        """
        if time.monotonic() - self._used < _WARM_SECONDS:
            return None
        self._used = time.monotonic()
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
        variable = self.endpoint.key_env
        name = self.endpoint.name
        key = self._env.get(variable, "").strip() if variable else ""
        if variable and not key:
            raise UsageError(
                f"{name} needs its key in ${variable}, which is not set; set it or name "
                f"another model"
            )
        if not key.isascii() or not all(letter.isprintable() and letter != " " for letter in key):
            raise UsageError(f"${variable} holds more than the key for {name}; set it again")
        return key

    def client(self) -> "httpx2.AsyncClient":
        """Return the HTTP client; only on the thread of the connections.

        Raises:
            UsageError: Settings of a proxy or of certificates cannot be used.
        """
        import httpx2  # noqa: PLC0415 - it takes a while, and most never need it

        if self._client is None:
            kept = 4 if self._keep else 0
            limit = httpx2.Limits(
                max_connections=8, max_keepalive_connections=kept, keepalive_expiry=_KEPT_OPEN
            )
            timeout = httpx2.Timeout(self.endpoint.silence, connect=self.patience.connect)
            parts = urlsplit(self.endpoint.base_url)
            here = is_here(parts.hostname or "")
            wrong = "" if here else wrong_proxy(os.environ, self.endpoint.base_url)
            if wrong:
                raise UsageError(f"{self.endpoint.name} cannot be asked: {wrong}")
            verify: ssl.SSLContext | bool = True
            try:
                if here and parts.scheme == "https":
                    verify = httpx2.create_ssl_context()
                # Proxies of the environment stand before other machines only; its certificates,
                # which `trust_env` turns off with them, hold for all.
                self._client = httpx2.AsyncClient(
                    timeout=timeout, limits=limit, verify=verify, trust_env=not here
                )
            except (ValueError, ImportError, OSError, httpx2.InvalidURL) as e:
                wrong = wrong_setting(os.environ, e)
                raise UsageError(f"{self.endpoint.name} cannot be asked: {wrong}") from None
        self._used = time.monotonic()
        return self._client

    def headers(self) -> dict[str, str]:
        """Return the headers of every request."""
        key = self.key()
        return {"Authorization": f"Bearer {key}"} if key else {}

    @asynccontextmanager
    async def send(
        self,
        limits: StreamLimits,
        method: str,
        url: str,
        *,
        follow: Callable[[str, Mapping[str, Any]], None] = lambda *_: None,
        **more: Any,
    ) -> AsyncIterator["httpx2.Response"]:
        """Send a request; only on the thread of the connections.

        The context has the response, once its headers are there.

        Args:
            limits: The bounds of the answer; they begin to count here.
            method: As for httpx, here and below.
            url: As there.
            follow: Is called with every step of the request, and the details of the step.
            more: As there.

        Raises:
            Overdue: The headers do not come in time. httpx bounds only the time between two bytes,
                which a server can send for ever.
            UsageError: See `client`.
        """
        client = self.client()
        loop = asyncio.get_running_loop()

        async def trace(step: str, details: Mapping[str, Any]) -> None:
            follow(step, details)
            if step.endswith(_SENDS):
                limits.begin()
                deadline.reschedule(loop.time() + limits.left)

        extensions = {"trace": trace}
        request = client.build_request(
            method, url, headers=self.headers(), extensions=extensions, **more
        )
        try:
            async with asyncio.timeout(self.patience.connect + limits.left) as deadline:
                response = await client.send(request, stream=True)
        except TimeoutError:
            raise limits.overdue() from None
        async with aclosing(response):
            limits.take_headers()
            yield response

    async def refusal(self, status: int, refusal_body: bytes) -> EndpointFault:
        """Explain the refusal of a request; only on the thread of the connections.

        Args:
            status: The HTTP status of the reply.
            refusal_body: The body of the reply.
        """
        # A wrong base_url is the usual cause of a 404: the right one may be near.
        if status in _MISSING and not await self._answers_at(self.endpoint.base_url):
            for base_url in _other_addresses(self.endpoint.base_url):
                if await self._answers_at(base_url):
                    return openai_errors.misplaced(self.endpoint, status, base_url)
        return openai_errors.refused(self.endpoint, status, refusal_body)

    async def _answers_at(self, base_url: str) -> bool:
        """Whether the server lists its models at an address."""
        import httpx2  # noqa: PLC0415 - see `client`

        try:
            async with asyncio.timeout(_LOOK_SECONDS):
                response = await self.client().get(f"{base_url}/models", headers=self.headers())
        except (httpx2.HTTPError, httpx2.InvalidURL, TimeoutError):
            return False
        listed = response.content.lstrip()[:1] in (b"{", b"[")
        return response.status_code == HTTPStatus.OK and listed

    async def _warmed(self) -> None:
        import httpx2  # noqa: PLC0415 - see `client`

        try:
            await self._got(f"{self.endpoint.base_url}/models")
        except (httpx2.HTTPError, httpx2.InvalidURL, Overdue, UsageError):
            self._used = -_WARM_SECONDS
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
        async with self.send(limits, method, url, **more) as response:
            return response.status_code, await _start_of(response, limits)

    async def _probe_once(self, body: Mapping[str, Any]) -> tuple[int, bytes]:
        """Post a request of a probe, as `_posted`.

        Raises:
            Unanswered: The reply says nothing about the abilities of the server.
        """
        status, refusal_body = await self._unless_broken(self._posted(body))
        if status == HTTPStatus.OK or _may_deny(status, refusal_body):
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
        import httpx2  # noqa: PLC0415 - see `client`

        try:
            return await answer
        except (httpx2.HTTPError, httpx2.StreamError, httpx2.InvalidURL, Overdue, UsageError):
            raise Unanswered from None  # the error may hold the key

    async def _probed(self) -> Probed | EndpointFault:
        import httpx2  # noqa: PLC0415 - see `client`

        try:
            return await probe(self.endpoint, self._posted, self._got)
        except Refused as e:
            return await self.refusal(e.status, e.body)
        except Overdue as e:
            return e.fault
        except httpx2.TimeoutException:
            return openai_errors.silent(self.endpoint)
        except (httpx2.HTTPError, httpx2.InvalidURL) as e:
            return _unopened(self.endpoint, e)
        except UsageError as e:
            return EndpointFault(UsageError, str(e))

    async def _closed(self) -> None:
        if self.first_use:
            await self.first_use.close()
        if self._client:
            await self._client.aclose()


class Reply(Generic[Piece]):
    """One answer of a server; iterate once to read it.

    Iterating yields the pieces of the answer, a `BusyWait` where the server is busy, and None where
    nothing came for a moment. A reader that does not ask for the next piece holds reading back.

    The pieces pass from the thread of the connections (`_pump` and below) to the reader's thread
    (`__iter__`) through `_arrived`, guarded by `_changed`.

    Raises:
        UsageError: While the answer is read: the server refuses the request.
        Transient: While the answer is read: the server cannot be reached, fails, or breaks off;
            pieces that were read before stay good.
    """

    def __init__(self, server: Server, line: Background, stream: EventStream[Piece]) -> None:
        self._server = server
        self._line = line
        self._stream = stream
        self._remembered = False
        self._changes = 0
        """How often the request was changed as a refusal demands."""
        self._arrived: deque[Piece | BusyWait | EndpointFault] = deque()
        self._changed = threading.Condition()
        self._wanted: asyncio.Event | None = None
        """Set when the reader has room for more pieces; made on the thread of the connections."""
        self._pumping: Future[None] | None = None
        """The work of `_pump`; None before it starts, and after `release`."""
        self._released = False
        """Whether the request is to be sent once more."""
        self._begun = False
        """Whether the server has accepted the request."""
        self._over = False
        """Whether nothing more will arrive."""
        self._dialed: tuple[str, int] | None = None
        """The address of the last connection, where that is not the endpoint's: a proxy."""
        self.status = 0
        """The HTTP status of the answer; 0 as long as there is none."""
        self.stopped = False
        """Whether `stop` was called."""

    @property
    def finished(self) -> bool:
        """Whether the answer came to its end by itself."""
        return is_complete(self._stream.ended)

    @property
    def ended(self) -> str | None:
        """Why the answer ended, in the server's words; None as long as it goes on."""
        return self._stream.ended

    @property
    def spent(self) -> tuple[int, int] | None:
        """Tokens read and written, where the server tells."""
        return self._stream.spent

    @property
    def cached(self) -> int:
        """Tokens of the prompt that the server knew before, where it tells; else 0."""
        return self._stream.cached

    @property
    def ran_out(self) -> bool:
        """Whether the answer ended because it had used up its tokens."""
        return is_length(self._stream.ended)

    async def _prepare(self) -> None:
        """Prepare the request: a hook for kinds of replies."""

    def _conclude(self) -> None:
        """Finish after the answer: a hook for kinds of replies."""

    def _request(self) -> tuple[str, Mapping[str, Any]]:
        """Return the address and the body of the request."""
        raise NotImplementedError

    def _asked_otherwise(self, refusal_body: bytes) -> bool:
        """Whether to ask again in the way that a refusal demands.

        Args:
            refusal_body: The body of the refusal.
        """
        del refusal_body
        return False

    def _remember(self) -> None:
        """Remember what the server demanded, now that it answers: a hook for kinds of replies."""

    def _begin_anew(self) -> None:
        """Forget the stream that came, before another request: a hook for kinds of replies."""

    def _events(self, response: "httpx2.Response", kind: str) -> AsyncGenerator[bytes, None]:
        """Yield the bytes of the events of an answer.

        Args:
            response: The response of the server.
            kind: The content type that the server names.
        """
        return self._read(response, kind)

    def __iter__(self) -> Generator[Piece | BusyWait | None, None, None]:
        try:
            while not self._is_read():
                if self._released:
                    yield None  # a reader that pauses stops here, before anything is sent
                self._start()
                item = self._next()
                if isinstance(item, EndpointFault):
                    raise item.kind(item.words)
                yield item
            self._check()
        finally:
            self._end()

    def stop(self) -> None:
        """Give the answer up, from any thread; a reader that waits for a piece is released."""
        self.stopped = True
        with self._changed:
            self._arrived.clear()
        self._end()

    def release(self) -> bool:
        """Close the connection of an answer that has not begun, from any thread.

        The same request is sent again when the reader asks for the next piece but one.

        Returns:
            Whether a connection was closed; False where a part of the answer has come.
        """
        with self._changed:
            pumping = self._pumping
            if pumping is None or self._over or self._answers:
                return False
            self._pumping = None
            self._released = True
            self._changed.notify_all()
        pumping.cancel()
        return True

    def _start(self) -> None:
        """Begin to read from the server, unless that is under way or over."""
        with self._changed:
            if self._pumping or self._over:
                return
            pumping = self._pumping = self._line.run(self._pump())
        pumping.add_done_callback(self._end_with)

    def _end_with(self, pumping: "Future[None]") -> None:
        """End with the work of `_pump`, unless another has taken its place."""
        if pumping is self._pumping:
            self._end()

    def _end(self) -> None:
        """Stop reading from the server, and release the reader."""
        with self._changed:
            self._over = True
            self._changed.notify_all()
        if self._pumping:
            self._pumping.cancel()

    def _check(self) -> None:
        """Check that reading ended in a way that is known.

        Raises:
            SparkError: Reading ended with an error that nobody thought of. The message has only the
                name of the error's type, since the error may hold the key.
        """
        pumping = self._pumping
        if pumping is None or not pumping.done() or pumping.cancelled():
            return
        error = pumping.exception()
        if error:
            raise SparkError(
                f"{self._server.endpoint.name} cannot be read ({type(error).__name__}); try "
                f"another model"
            )

    def _is_read(self) -> bool:
        """Whether the reader has every piece that will ever arrive."""
        with self._changed:
            return self._over and not self._arrived

    def _next(self) -> Piece | BusyWait | EndpointFault | None:
        """Wait a moment for the next piece; None where none came."""
        item: Piece | BusyWait | EndpointFault | None = None
        wanted: asyncio.Event | None = None
        with self._changed:
            if not self._arrived and not self._over:
                self._changed.wait(_TICK_SECONDS)
            if self._arrived:
                item = self._arrived.popleft()
            if not self._arrived and not self._over:
                wanted = self._wanted
        if wanted:
            self._line.soon(wanted.set)
        return item

    async def _pump(self) -> None:
        """Read `_AHEAD` pieces ahead, and then no further than the reader asks for."""
        self._wanted = wanted = asyncio.Event()
        with self._changed:
            if self._released:
                self._arrived.clear()
                self._begin_anew()
            self._released = self._begun = False
        async with aclosing(self._asked()) as asked:
            async for item in asked:
                with self._changed:
                    if item and not (self.stopped or self._released):
                        self._arrived.append(item)
                    self._changed.notify_all()
                    full = len(self._arrived) >= _AHEAD
                    if full:
                        wanted.clear()
                # Outside of the lock: the reader takes pieces, and sets the event.
                if full:
                    await wanted.wait()

    async def _asked(self) -> AsyncGenerator[Piece | BusyWait | EndpointFault, None]:
        """Send the request until the server has time for it.

        An attempt that is to be repeated ends with a `BusyWait`; only one with a line is shown.
        """
        await self._prepare()
        wants_key = bool(self._server.endpoint.key_env)
        waited = 0.0
        for tries in count():
            later: BusyWait | None = None
            # Attempts with a changed request are no retries of a busy server.
            async with aclosing(self._attempt(tries - self._changes)) as attempt:
                async for item in attempt:
                    later = item if isinstance(item, BusyWait) else None
                    if later and not later.line:
                        continue
                    if isinstance(item, EndpointFault) and wants_key:
                        yield item.without(self._server.key())
                    else:
                        yield item
            if later is None:
                self._conclude()
                return
            waited += later.seconds
            if waited > self._server.patience.longest:
                yield openai_errors.stays_busy(self._server.endpoint, waited)
                return
            await asyncio.sleep(later.seconds)

    async def _attempt(self, tries: int) -> AsyncGenerator[Piece | BusyWait | EndpointFault, None]:
        """Send the request once.

        Yields:
            The pieces of the answer; then, where the answer is not complete, why not or when to ask
            again.
        """
        import httpx2  # noqa: PLC0415 - see `Server.client`

        outcome: EndpointFault | BusyWait | None = None
        try:
            async with aclosing(self._answered(tries)) as answered:
                async for item in answered:
                    yield item
        except (httpx2.HTTPError, httpx2.StreamError, httpx2.InvalidURL) as e:
            lost = isinstance(e, httpx2.RemoteProtocolError | httpx2.ReadError | httpx2.WriteError)
            if lost and not self._begun and not tries:
                # The connection was kept open, and the server has closed it meanwhile.
                outcome = BusyWait(0.0, "")
            elif self._stream.ended is None:
                outcome = self._broken(e)
        except Overdue as e:
            outcome = e.fault if self._stream.ended is None else self._lack()
        except UsageError as e:
            outcome = EndpointFault(UsageError, str(e))
        if outcome:
            yield outcome

    def _broken(self, error: Exception) -> EndpointFault:
        """Explain an error of the connection."""
        import httpx2  # noqa: PLC0415 - see `Server.client`

        none = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.ProxyError, httpx2.InvalidURL)
        if isinstance(error, (*none, httpx2.UnsupportedProtocol)):
            proxy = proxy_at(os.environ, *self._dialed) if self._dialed else ""
            return _unopened(self._server.endpoint, error, proxy)
        if isinstance(error, httpx2.TimeoutException):
            return openai_errors.silent(self._server.endpoint)
        return openai_errors.cut_off(self._server.endpoint, spoken=self._answers)

    async def _answered(self, tries: int) -> AsyncGenerator[Piece | BusyWait | EndpointFault, None]:
        """Send the request, and read what the server answers, as `_attempt`."""
        server = self._server
        endpoint = self._server.endpoint
        limits = StreamLimits(endpoint)
        url, body = self._request()
        sent = server.send(limits, "POST", url, follow=self._follow_connection, json=body)
        async with sent as response:
            code = response.status_code
            kind = response.headers.get("content-type", "nothing")
            self.status = code
            if code in BUSY:
                yield openai_errors.busy(endpoint, code, response.headers, server.patience, tries)
                return
            if code != HTTPStatus.OK:
                refusal_body = await _start_of(response, limits)
                if _may_deny(code, refusal_body) and self._asked_otherwise(refusal_body):
                    self._changes += 1
                    yield BusyWait(0.0, "")  # ask again at once
                    return
                yield await server.refusal(code, refusal_body)
                return
            self._begun = True
            arriving = self._events(response, kind)
            async with aclosing(self._streamed(arriving, limits)) as streamed:
                async for item in streamed:
                    if not isinstance(item, EndpointFault):
                        self._remember_once()
                    yield item
                    if isinstance(item, EndpointFault):
                        return
            # Some servers begin the stream before their chat template fails.
            refusal_body = self._stream.fault.encode("utf-8", "replace")
            if not self._answers and self._asked_otherwise(refusal_body):
                self._changes += 1
                self._begin_anew()
                yield BusyWait(0.0, "")
                return
            if fault := self._lack():
                yield fault
            else:
                self._remember_once()

    @property
    def _answers(self) -> bool:
        """Whether any part of an answer came."""
        return self._stream.spoken or self._stream.thought

    def _remember_once(self) -> None:
        """Remember what the server demanded, unless that is done."""
        if self._changes and not self._remembered:
            self._remembered = True
            self._remember()

    def _follow_connection(self, step: str, details: Mapping[str, Any]) -> None:
        """Remember the address of the connection."""
        if step.endswith("connect_tcp.started"):
            host = details["host"]
            port = details["port"]
            here = urlsplit(self._server.endpoint.base_url)
            self._dialed = None if host == here.hostname and port == here.port else (host, port)

    async def _streamed(
        self, arriving: AsyncGenerator[bytes, None], limits: StreamLimits
    ) -> AsyncGenerator[Piece | BusyWait | EndpointFault, None]:
        """Yield the pieces of an answer, and the fault of a server that crosses a limit.

        Args:
            arriving: The bytes of the events.
            limits: The bounds of the answer.

        Raises:
            Overdue: No bytes arrive in time.
        """
        stream = self._stream
        async for arrived in _in_time(arriving, limits):
            pieces = stream.take(arrived)
            fault = limits.take(len(arrived), sum(map(_length, pieces)))
            with limits.resting():
                for piece in pieces:
                    yield piece
            if fault and stream.ended is None:
                yield fault
            if fault or stream.fault or stream.done:
                break
        for piece in stream.finish():
            yield piece
        # Some servers keep the connection open behind the last event; wait a moment for its end.
        with suppress(TimeoutError):
            async with asyncio.timeout(_DRAIN_SECONDS):
                # The client keeps only a connection whose reply is read to its end.
                async for _ in arriving:
                    pass

    async def _read(self, response: "httpx2.Response", kind: str) -> AsyncGenerator[bytes, None]:
        """Yield the bytes of a stream of events.

        A reply that is no stream is read whole, and comes as a single event.
        """
        is_stream = "event-stream" in kind
        body = b""
        async for arrived in response.aiter_bytes():
            if is_stream:
                yield arrived
                continue
            body += arrived
            if body.lstrip().startswith(_FIELDS):
                is_stream = True
                yield body
            elif len(body) > _MOST_OF_ANOTHER:
                break
        if not is_stream:
            if not body.lstrip().startswith(b"{"):
                self._stream.fault = f"it answers with {kind[:40]}; base_url may be wrong"
            yield b"data:" + b" ".join(body.strip().split(b"\n")) + b"\n\n"

    def _lack(self) -> EndpointFault | None:
        """Explain the fault of an answer that ends here; None for a good answer."""
        stream = self._stream
        if why := stream.fault:
            stream.fault = "told"  # a server's words may hold the key, which is kept nowhere
            return openai_errors.odd(self._server.endpoint, why)
        if is_complete(stream.ended) or is_length(stream.ended):
            return None
        if stream.ended is not None:
            return openai_errors.stopped(self._server.endpoint, stream.ended)
        if self._answers:
            return openai_errors.cut_off(self._server.endpoint, spoken=True)
        if stream.skipped:
            return openai_errors.no_answer(self._server.endpoint, stream.skipped)
        return openai_errors.unsaid(self._server.endpoint)


class ChatReply(Reply[str | ThoughtPiece | PromptProgress]):
    """The answer of a chat: its text, its thoughts, and how much of the prompt is read.

    Args:
        server: The endpoint.
        line: The thread of the connections.
        wanted: The answer that is wanted.
    """

    def __init__(self, server: Server, line: Background, wanted: Wanted) -> None:
        self._chat = ChatStream()
        super().__init__(server, line, self._chat)
        self._wanted_answer = wanted
        self._sent: Mapping[str, Any] = {}
        self._denied = dict[str, bool]()
        """Abilities that the server denied meanwhile; remembered once it answers without them."""
        self._bound: Bound | None = None
        """The bound on the answer's tokens that a refusal named."""
        self._bounded = set[str]()
        """The parameters that were sent with such a bound: each is tried once."""
        self._native: NativeStream | None = None
        self.exact = False
        """Whether the server was asked to go on from the very text of a begun answer."""

    @property
    def scores(self) -> Scores:
        """The log-probabilities of the text."""
        return self._chat.scores

    @property
    def called(self) -> bool:
        """Whether the answer calls a tool."""
        return self._chat.called

    @property
    def most(self) -> int:
        """The most tokens of the answer, which a server may hold below what is wanted."""
        limit = self._bound.tokens if self._bound else self._server.abilities.most
        return min(self._wanted_answer.most, limit or self._wanted_answer.most)

    @property
    def thought_tokens(self) -> int | None:
        """How many tokens were thought, where the server tells."""
        return self._chat.thought_tokens

    async def _prepare(self) -> None:
        if self._server.first_use:
            # The first use waits a second at most; importing the client is not part of that. The
            # request itself says what is wrong with the client.
            with suppress(UsageError):
                self._server.client()
            await self._server.first_use.wait()

    def _conclude(self) -> None:
        if self._server.first_use and self._begun:
            self._server.first_use.go_on()

    def _request(self) -> tuple[str, Mapping[str, Any]]:
        endpoint = self._server.endpoint
        table = self._server.abilities.table() | self._denied
        wanted = replace(self._wanted_answer, most=self.most)
        self._sent = write_body(endpoint, wanted, table)
        self.exact = goes_on_exactly(self._sent)
        self._native = NativeStream() if table.get("num_ctx") else None
        if self._native:
            return native_url(endpoint), native_body(endpoint, self._sent)
        return f"{endpoint.base_url}/chat/completions", self._sent

    def _begin_anew(self) -> None:
        self._chat = ChatStream()
        self._stream = self._chat

    def _asked_otherwise(self, refusal_body: bytes) -> bool:
        names = {"max_tokens", "max_completion_tokens"}.intersection(self._sent)
        if names - self._bounded and (bound := read_bound(refusal_body, self.most)):
            self._bounded |= names
            self._bound = bound
            return True
        if is_about_bound(refusal_body):
            self._bound = None  # the refusal stands, so the number was none
        denied = refused_by(self._sent, refusal_body)
        if not denied or denied in self._denied:
            return False
        self._denied[denied] = False
        return True

    def _remember(self) -> None:
        abilities = self._server.abilities
        abilities.learn(self._denied)
        if self._bound and self._bound.holds:
            abilities.learn_most(self._bound.tokens)

    def _lack(self) -> EndpointFault | None:
        if self._chat.refusal.strip() and not self._chat.fault:
            return openai_errors.declined(self._server.endpoint, self._chat.refusal)
        if self.called and not self._chat.spoken and not self._chat.fault:
            return None  # the reader of the answer explains the call of a tool
        return super()._lack()

    def _events(self, response: "httpx2.Response", kind: str) -> AsyncGenerator[bytes, None]:
        if self._native:
            return _in_openai_s_way(response, self._native)
        return super()._events(response, kind)


class CompletionReply(Reply[CompletedToken | PromptProgress]):
    """The completion of a text, token by token, and how much of the text is read.

    Args:
        server: The endpoint.
        line: The thread of the connections.
        body: The body of the request.
    """

    def __init__(self, server: Server, line: Background, body: Mapping[str, Any]) -> None:
        super().__init__(server, line, CompletionStream())
        self._body = body

    def _begin_anew(self) -> None:
        self._stream = CompletionStream()

    def _request(self) -> tuple[str, Mapping[str, Any]]:
        return f"{self._server.endpoint.base_url}/completions", self._body


def _unopened(endpoint: Endpoint, error: Exception, proxy: str = "") -> EndpointFault:
    """Explain why no connection could be opened; the arguments are those of `unreachable`."""
    for cause in openai_errors.causes(error):
        if isinstance(cause, ssl.SSLCertVerificationError):
            # Where the system's own store judges, an error may lack both fields.
            reason = getattr(cause, "verify_message", "") or _tls_reason(cause)
            code = getattr(cause, "verify_code", 0)
            return openai_errors.untrusted(endpoint, reason, code, proxy)
        if isinstance(cause, ssl.SSLError):
            return openai_errors.tls_failed(endpoint, _tls_reason(cause), proxy)
    return openai_errors.unreachable(endpoint, error, proxy)


def _tls_reason(error: ssl.SSLError) -> str:
    """Return the words of a TLS error."""
    if error.reason:
        return error.reason.replace("_", " ").lower()  # reads another program's output
    return error.strerror or str(error)[:100] or "no reason"


def _may_deny(status: int, refusal_body: bytes) -> bool:
    """Whether a refusal may be about a parameter of the request, or the roles of its messages.

    Another status than those of `_UNTAKEN` may be of the moment, unless the chat template says what
    it lacks.

    Args:
        status: The HTTP status.
        refusal_body: The body of the refusal.
    """
    if status in _UNTAKEN:
        return True
    if status < HTTPStatus.BAD_REQUEST or status in _UNRELATED:
        return False
    return b"jinja" in refusal_body.lower() or is_about_roles(refusal_body)  # reads an answer


def _other_addresses(base_url: str) -> list[str]:
    """Return other likely addresses on the server: /v1 below the address, and at the root."""
    parts = urlsplit(base_url)
    addresses = [f"{base_url}/v1", f"{parts.scheme}://{parts.netloc}/v1"]
    return [address for address in dict.fromkeys(addresses) if address != base_url]


def _length(piece: object) -> int:
    """Count the characters of a piece, about; progress counts, as a server that reads is busy."""
    if isinstance(piece, PromptProgress):
        return piece.done
    if isinstance(piece, CompletedToken):
        return len(piece.piece)
    if isinstance(piece, ThoughtPiece):
        return len(piece.text)
    return len(str(piece))


def _encodable(messages: Sequence[Message]) -> list[dict[str, str]]:
    """Return messages that can be sent in UTF-8."""
    return [{key: encodable(text) for key, text in message.items()} for message in messages]


async def _in_openai_s_way(
    response: "httpx2.Response",
    native: NativeStream,
) -> AsyncGenerator[bytes, None]:
    """Yield the reply of Ollama's native API as events of OpenAI's."""
    async for arrived in response.aiter_bytes():
        yield native.take(arrived)
    yield native.finish()


async def _in_time(
    arriving: AsyncGenerator[bytes, None], limits: StreamLimits
) -> AsyncGenerator[bytes, None]:
    """Yield the bytes of an answer as they arrive.

    Raises:
        Overdue: None arrive in time: what the server sends meanwhile, such as a chunk whose size
            never ends, holds none.
    """
    while True:
        try:
            async with asyncio.timeout(limits.left):
                arrived = await anext(arriving, None)
        except TimeoutError:
            raise limits.overdue() from None
        if arrived is None:
            return
        yield arrived


async def _start_of(response: "httpx2.Response", limits: StreamLimits) -> bytes:
    """Read the body of a reply, as far as it arrives in time.

    Raises:
        Overdue: The body of an answer does not come to its end; a refusal is good without an end.
    """
    body = b""
    try:
        async with asyncio.timeout(limits.left):
            async for arrived in response.aiter_bytes():
                body += arrived
                if len(body) > _MOST_OF_ANOTHER:
                    break
    except TimeoutError:
        if response.status_code == HTTPStatus.OK and _LAST_EVENT not in body:
            raise limits.overdue() from None
    return body.strip()
