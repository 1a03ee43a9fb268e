"""The client of OpenAI-compatible servers: connections, bounds, faults.

A thread with an event loop, from the first use on: what waits there can be given up at once, from
anywhere.

The network settings of the environment: which host is this machine, which variable is wrong.

How long an answer may take to go on, how long it may take in all, and how much a server may send
for it.

Any OpenAI-compatible endpoint: the only module with a socket.

Requests run on a thread with an event loop of their own, so that whoever reads an answer can be let
go at once, wherever the network stands. A connection is kept open from one to the next. A key is
read from its variable for each request and goes into that request's header, nowhere else: no error
holds what the HTTP client knows of a request.
"""

import asyncio
import math
import os
import threading
import time
from collections import deque
from collections.abc import (
    AsyncGenerator,
    Awaitable,
    Callable,
    Coroutine,
    Generator,
    Iterator,
    Mapping,
    Sequence,
)
from concurrent.futures import Future
from contextlib import aclosing, contextmanager, suppress
from http import HTTPStatus
from ipaddress import ip_address
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from urllib.parse import SplitResult, urlsplit, urlunsplit

from spark_tui.config import ABILITIES, Endpoint
from spark_tui.errors import SparkError, UsageError
from spark_tui.providers import openai_errors
from spark_tui.providers.abilities import Abilities, Wanted, goes_on_exactly, refused_by, write_body
from spark_tui.providers.base import Message, PromptProgress
from spark_tui.providers.calibration import DecisionLog, Scores
from spark_tui.providers.encodable import encodable
from spark_tui.providers.ollama import NativeStream, native_body, native_url
from spark_tui.providers.openai_errors import BUSY, BusyWait, EndpointFault, Patience
from spark_tui.providers.openai_stream import (
    ChatStream,
    CompletedToken,
    CompletionStream,
    EventStream,
    is_complete,
    is_length,
)
from spark_tui.providers.probe import FirstUse, Probed, Refused, Unanswered, probe
from spark_tui.providers.thoughts import ThoughtPiece

if TYPE_CHECKING:
    import httpx2


T = TypeVar("T")
_END_SECONDS = 1.0


class Background:
    """Runs coroutines for other threads.

    Args:
        name: Of the thread.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def run(self, work: Coroutine[Any, Any, T], *, idle: bool = False) -> "Future[T]":
        """Run something there; to cancel the future gives it up.

        Args:
            idle: Not if the thread is not there yet.
        """
        with self._lock:
            if self._loop is None and not idle:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(
                    target=_serve, args=(self._loop,), name=self._name, daemon=True
                )
                self._thread.start()
            if self._loop is None:
                work.close()
                return Future()
            return asyncio.run_coroutine_threadsafe(work, self._loop)

    def soon(self, work: Callable[[], object]) -> None:
        """Call something there, where there is a thread."""
        with self._lock, suppress(RuntimeError):
            if self._loop:
                self._loop.call_soon_threadsafe(work)

    def end(self, last: Coroutine[Any, Any, None]) -> None:
        """Run something last, and end the thread; it comes back with the next use."""
        done = self.run(last, idle=True)
        with self._lock:
            (loop, self._loop), thread = (self._loop, None), self._thread
        if loop and thread:
            done.add_done_callback(lambda _: loop.call_soon_threadsafe(loop.stop))
            thread.join(_END_SECONDS)


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    try:
        loop.run_forever()
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()


_PROXIES = ("http_proxy", "https_proxy", "all_proxy")
_CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR")
_SOCKS = frozenset({"socks5", "socks5h"})
_PORTS = {"http": 80, "https": 443}
_SCHEMES = frozenset({"http", "https"}) | _SOCKS


def is_here(host: str) -> bool:
    """Whether a host is this machine, which no proxy stands before."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ip_address(host)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None) or address
    return mapped.is_loopback or mapped.is_unspecified


def wrong_setting(env: Mapping[str, str], error: Exception) -> str:
    """What to change where no client can be made.

    Args:
        env: The environment.
        error: What making the client raised.

    Returns:
        A clause that names the variable and its value, and what to do about it.
    """
    if isinstance(error, OSError):
        for variable in _CERTIFICATES:
            if value := env.get(variable):
                reason = error.strerror or "no certificates"
                return f"${variable} is {value} ({reason}); set it to your certificates or unset it"
    for variable, value in _proxies(env):
        scheme = _parts(value).scheme
        shown = without_secret(value)
        if scheme not in _SCHEMES:
            known = "http://, https:// or socks5://"
            return f"${variable} is {shown}, which is no proxy; begin it with {known} or unset it"
        if scheme in _SOCKS and isinstance(error, ImportError):
            return f"${variable} is {shown}; run pip install 'spark-tui[socks]' for it or unset it"
        if not _has_address(value):
            return f"${variable} is {shown}, which is no address; set it again or unset it"
    return "look at the proxy and certificate variables of your environment"


def proxy_at(env: Mapping[str, str], host: str, port: int) -> str:
    """The variable that names a proxy at an address, with its value; "" where none does."""
    for variable, value in _proxies(env):
        parts = _parts(value)
        default = _PORTS.get(parts.scheme, 1080)
        if _has_address(value) and (parts.hostname, parts.port or default) == (host, port):
            return f"${variable}, {without_secret(value)}"
    return ""


def without_secret(url: str) -> str:
    """A proxy without the user and the password that may stand in its address."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def _proxies(env: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The variables that name a proxy, with their values; the small spelling wins."""
    for name in _PROXIES:
        for variable in (name, name.upper()):
            if value := env.get(variable):
                yield variable, value
                break


def _parts(value: str) -> SplitResult:
    return urlsplit(value if "://" in value else f"http://{value}")


def _has_address(value: str) -> bool:
    try:
        parts = _parts(value)
        return bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


_SECONDS_A_CHARACTER = 4.0
"""A server that needs longer than that on average says nothing."""
_EMPTY = 8 << 20
"""Bytes in a row that bring no text."""
_MEGABYTE = 1 << 20


class StreamLimits:
    """Watches one answer arrive.

    Mutable. Time while nobody reads does not count.

    Args:
        endpoint: Says how long and how much.
        clock: Gives seconds.
    """

    def __init__(self, endpoint: Endpoint, clock: Callable[[], float] = time.monotonic) -> None:
        self._endpoint = endpoint
        self._clock = clock
        self._least = max(1, math.ceil(endpoint.silence / _SECONDS_A_CHARACTER))
        self._began = self._since = clock()
        self._total = self._empty = self._characters = 0

    def take(self, size: int, characters: int) -> EndpointFault | None:
        """Take note of what arrived: bytes, and characters of text in them.

        Returns:
            What is too much, if anything.
        """
        now = self._clock()
        self._total += size
        self._empty = 0 if characters else self._empty + size
        self._characters += characters
        if self._characters >= self._least:
            self._since = now
            self._characters = 0
        if now - self._since > self._endpoint.silence:
            return openai_errors.silent(self._endpoint)
        if now - self._began > self._endpoint.longest:
            return openai_errors.too_slow(self._endpoint)
        if self._empty > _EMPTY or self._total > self._endpoint.megabytes * _MEGABYTE:
            return openai_errors.too_large(self._endpoint)
        return None

    @contextmanager
    def resting(self) -> Iterator[None]:
        """Count no time while this lasts."""
        before = self._clock()
        try:
            yield
        finally:
            rested = self._clock() - before
            self._began += rested
            self._since += rested


_WARM_SECONDS = 3.0
"""A connection used so recently needs no warming."""
_KEPT_OPEN = 300.0
_DRAIN_SECONDS = 0.25
_AHEAD = 64
"""Pieces that are read before they are asked for."""
_TICK_SECONDS = 0.02
"""So often whoever reads an answer is given the chance to stop, though nothing came."""
_UNTAKEN = frozenset(
    {
        HTTPStatus.BAD_REQUEST,
        HTTPStatus.UNPROCESSABLE_ENTITY,
        HTTPStatus.INTERNAL_SERVER_ERROR,
    }
)
"""What a server answers that does not take a parameter, or whose chat template fails over one."""
_MISSING = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED})
_LOOK_SECONDS = 5.0
"""So long a server is asked whether it answers at another address."""
_MOST_OF_ANOTHER = 4 << 20
"""Bytes that are read of a reply that is no stream."""
_FIELDS = (b":", b"data:", b"event:", b"id:", b"retry:", b"\xef\xbb\xbfdata:")
"""How a stream of events begins, whatever it is called."""

Piece = TypeVar("Piece")


class Server:
    """An endpoint, and the connections to it.

    Nothing is imported or opened before the first request.

    Args:
        env: Where keys are.
        keep: Whether connections are kept open.
        folder: See `Abilities`.
        probes: Whether the endpoint is asked what it takes when it is first used.
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
    ) -> None:
        self.endpoint = endpoint
        self.abilities = Abilities(endpoint, folder)
        """What the endpoint takes."""
        self.decisions = DecisionLog(self.abilities.path_of("decisions"))
        """What was accepted of its edits."""
        self.patience = patience or Patience()
        self._env = env
        self._keep = keep
        self._line = Background("spark-endpoint")
        self._client: httpx2.AsyncClient | None = None
        self.first_use: FirstUse | None = None
        """Asks the endpoint what it takes, beside the first requests."""
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
        """Ask for an answer; nothing is sent before it is read.

        Args:
            See `Wanted`.

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
        )
        return ChatReply(self, self._line, wanted)

    def complete(
        self, prompt: str | Sequence[int], options: Mapping[str, Any]
    ) -> "CompletionReply":
        """Ask how a text goes on; nothing is sent before the reply is read.

        Args:
            prompt: The text, or its tokens.
            options: What else the request holds, such as `max_tokens`.

        Raises:
            UsageError: As `ask`.
        """
        self.key()
        body = {"model": self.endpoint.model, "prompt": prompt, "stream": True, **options}
        return CompletionReply(self, self._line, body)

    def warm(self) -> "Future[None] | None":
        """Have a connection open for the next request; what fails is told by that one.

        Returns:
            What is under way.
        """
        if time.monotonic() - self._used < _WARM_SECONDS:
            return None
        self._used = time.monotonic()
        return self._line.run(self._warmed())

    def probe(self) -> Probed:
        """Ask the server what it takes, and remember that.

        It takes a while.

        Raises:
            UsageError, Transient: The server answers nothing, or cannot be reached.
        """
        self.key()
        found = self._line.run(self._probed()).result()
        if isinstance(found, EndpointFault):
            fault = found.without(self.key()) if self.endpoint.key_env else found
            raise fault.kind(fault.words)
        self.abilities.learn(found.abilities, asked=ABILITIES)
        return found

    def close(self) -> None:
        """Close all connections, for good."""
        self._line.end(self._closed())

    def key(self) -> str:
        """The key, "" where none is needed.

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
        """What requests go through; only on the thread of the connections.

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
            here = is_here(urlsplit(self.endpoint.base_url).hostname or "")
            try:
                self._client = httpx2.AsyncClient(timeout=timeout, limits=limit, trust_env=not here)
            except (ValueError, ImportError, OSError, httpx2.InvalidURL) as e:
                wrong = wrong_setting(os.environ, e)
                raise UsageError(f"{self.endpoint.name} cannot be asked: {wrong}") from None
        self._used = time.monotonic()
        return self._client

    def headers(self) -> dict[str, str]:
        """What goes with every request."""
        key = self.key()
        return {"Authorization": f"Bearer {key}"} if key else {}

    async def refusal(self, status: int, said: bytes) -> EndpointFault:
        """What it means that a request is refused; only on the thread of the connections.

        Args:
            status: Of the answer, in HTTP.
            said: By the server.
        """
        if status in _MISSING and not await self._answers_at(self.endpoint.base_url):
            for base_url in _other_addresses(self.endpoint.base_url):
                if await self._answers_at(base_url):
                    return openai_errors.misplaced(self.endpoint, status, base_url)
        return openai_errors.refused(self.endpoint, status, said)

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
            await self.client().get(f"{self.endpoint.base_url}/models", headers=self.headers())
        except (httpx2.HTTPError, httpx2.InvalidURL, UsageError):
            self._used = -_WARM_SECONDS
            return
        if self.first_use:
            self.first_use.start()

    async def _posted(self, body: Mapping[str, Any]) -> tuple[int, bytes]:
        """Post a request that asks what the endpoint takes.

        Returns:
            The status and what came.
        """
        url = f"{self.endpoint.base_url}/chat/completions"
        return await self._answer("POST", url, json=body)

    async def _got(self, url: str) -> tuple[int, bytes]:
        """Get an address of the server.

        Returns:
            The status and what came.
        """
        return await self._answer("GET", url)

    async def _answer(self, method: str, url: str, **more: Any) -> tuple[int, bytes]:
        stream = self.client().stream(method, url, headers=self.headers(), **more)
        async with stream as response:
            return response.status_code, await _start_of(response, self.endpoint.silence)

    async def _probe_once(self, body: Mapping[str, Any]) -> tuple[int, bytes]:
        """As `_posted`.

        Raises:
            Unanswered: What came says nothing of what the server takes.
        """
        status, said = await self._unless_broken(self._posted(body))
        # A 500 may be of the moment, unless the chat template says what it lacks.
        told = status != HTTPStatus.INTERNAL_SERVER_ERROR or b"jinja" in said.lower()
        if status == HTTPStatus.OK or (status in _UNTAKEN and told):
            return status, said
        raise Unanswered

    async def _look_once(self, url: str) -> tuple[int, bytes]:
        """As `_got`.

        Raises:
            Unanswered: The server cannot be reached, or fails just now.
        """
        status, said = await self._unless_broken(self._got(url))
        if status in BUSY or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            raise Unanswered
        return status, said

    async def _unless_broken(self, answer: Awaitable[tuple[int, bytes]]) -> tuple[int, bytes]:
        import httpx2  # noqa: PLC0415 - see `client`

        try:
            return await answer
        except (httpx2.HTTPError, httpx2.StreamError, httpx2.InvalidURL, UsageError):
            raise Unanswered from None  # the error may hold the key

    async def _probed(self) -> Probed | EndpointFault:
        import httpx2  # noqa: PLC0415 - see `client`

        try:
            return await probe(self.endpoint, self._posted, self._got)
        except Refused as e:
            return await self.refusal(e.status, e.said)
        except httpx2.TimeoutException:
            return openai_errors.silent(self.endpoint)
        except (httpx2.HTTPError, httpx2.InvalidURL) as e:
            return openai_errors.unreachable(self.endpoint, e)
        except UsageError as e:
            return EndpointFault(UsageError, str(e))

    async def _closed(self) -> None:
        if self.first_use:
            await self.first_use.close()
        if self._client:
            await self._client.aclose()


class Reply(Generic[Piece]):
    """One answer: iterating gives its pieces, `BusyWait` where the server is busy, and None where
    nothing came for a moment.

    Once only.

    Not asking for the next piece holds reading back. `finished`: whether the answer came to its end
    by itself; `spent`: as in `ChatStream`.

    Raises, while the answer is read: UsageError: the server refuses the request. Transient: the
    server cannot be reached, fails, or breaks off; what had been read stays good.
    """

    def __init__(self, server: Server, line: Background, stream: EventStream[Piece]) -> None:
        self._server = server
        self._line = line
        self._stream = stream
        self._denied = dict[str, bool]()
        """Abilities that the server denied meanwhile; remembered once it answers without them."""
        self._arrived: deque[Piece | BusyWait | EndpointFault] = deque()
        self._changed = threading.Condition()
        self._wanted: asyncio.Event | None = None
        self._pumping: Future[None] | None = None
        self._begun = self._over = False
        self._dialed: tuple[str, int] | None = None
        """Where the last connection was asked for: at a proxy, where there is one."""
        self.status = 0
        """The HTTP status of the answer; 0 as long as there is none."""
        self.stopped = False
        """Whether it was given up."""

    @property
    def finished(self) -> bool:
        """See the class."""
        return is_complete(self._stream.ended)

    @property
    def ended(self) -> str | None:
        """Why the answer ended, in the server's words; None as long as it goes on."""
        return self._stream.ended

    @property
    def spent(self) -> tuple[int, int] | None:
        """See the class."""
        return self._stream.spent

    @property
    def ran_out(self) -> bool:
        """Whether it came to an end because it may have no more tokens."""
        return is_length(self._stream.ended)

    async def _prepare(self) -> None:
        """Do what comes before the request."""

    def _conclude(self) -> None:
        """Do what comes after the answer."""

    def _request(self) -> tuple[str, Mapping[str, Any]]:
        """The address that is asked, and the body of the request."""
        raise NotImplementedError

    def _asked_without(self, said: bytes) -> bool:
        """Whether to ask again without what a refusal names.

        Args:
            said: By the server.
        """
        del said
        return False

    def _events(self, response: "httpx2.Response", kind: str) -> AsyncGenerator[bytes, None]:
        """The bytes of the events of an answer.

        Args:
            kind: What the server calls it.
        """
        return self._read(response, kind)

    def __iter__(self) -> Generator[Piece | BusyWait | None, None, None]:
        try:
            if not self._over:
                self._pumping = self._line.run(self._pump())
                self._pumping.add_done_callback(lambda _: self._end())
            while not self._is_read():
                item = self._next()
                if isinstance(item, EndpointFault):
                    raise item.kind(item.words)
                yield item
            self._check()
        finally:
            self._end()

    def stop(self) -> None:
        """Give it up, from any thread: whoever waits for its next piece is let go at once, and
        it ends there.
        """
        self.stopped = True
        with self._changed:
            self._arrived.clear()
        self._end()

    def _end(self) -> None:
        with self._changed:
            self._over = True
            self._changed.notify_all()
        if self._pumping:
            self._pumping.cancel()

    def _check(self) -> None:
        """Raises:
        SparkError: Reading ended in a way that nobody thought of; the error itself may hold the
            key.
        """
        if self._pumping and self._pumping.done() and not self._pumping.cancelled():
            done = self._pumping
        else:
            done = None
        if done and (error := done.exception()):
            raise SparkError(
                f"{self._server.endpoint.name} cannot be read ({type(error).__name__}); try "
                f"another model"
            )

    def _is_read(self) -> bool:
        with self._changed:
            return self._over and not self._arrived

    def _next(self) -> Piece | BusyWait | EndpointFault | None:
        with self._changed:
            if not self._arrived and not self._over:
                self._changed.wait(_TICK_SECONDS)
            item = self._arrived.popleft() if self._arrived else None
            wanted = None if self._arrived or self._over else self._wanted
        if wanted:
            self._line.soon(wanted.set)
        return item

    async def _pump(self) -> None:
        """Read as far ahead as is useful, and then no further than is asked for."""
        self._wanted = wanted = asyncio.Event()
        async with aclosing(self._asked()) as asked:
            async for item in asked:
                with self._changed:
                    if item and not self.stopped:
                        self._arrived.append(item)
                    self._changed.notify_all()
                    if full := len(self._arrived) >= _AHEAD:
                        wanted.clear()
                if full:
                    await wanted.wait()

    async def _asked(self) -> AsyncGenerator[Piece | BusyWait | EndpointFault, None]:
        """Ask until the server has time for it."""
        await self._prepare()
        wants_key = bool(self._server.endpoint.key_env)
        waited = 0.0
        for tries in count():
            later: BusyWait | None = None
            async with aclosing(self._attempt(tries - len(self._denied))) as attempt:
                async for items in attempt:
                    later = items if isinstance(items, BusyWait) else None
                    if not later or later.line:
                        yield (
                            items.without(self._server.key())
                            if isinstance(items, EndpointFault) and wants_key
                            else items
                        )
            if later is None:
                self._conclude()
                return
            waited += later.seconds
            if waited > self._server.patience.longest:
                yield openai_errors.stays_busy(self._server.endpoint, waited)
                return
            await asyncio.sleep(later.seconds)

    async def _attempt(self, tries: int) -> AsyncGenerator[Piece | BusyWait | EndpointFault, None]:
        """One request: text, and then nothing, why there is no more, or when to ask again."""
        import httpx2  # noqa: PLC0415 - see `Server.client`

        outcome: EndpointFault | BusyWait | None = None
        try:
            async with aclosing(self._answered(tries)) as answered:
                async for items in answered:
                    yield items
        except (httpx2.HTTPError, httpx2.StreamError, httpx2.InvalidURL) as e:
            lost = isinstance(e, httpx2.RemoteProtocolError | httpx2.ReadError | httpx2.WriteError)
            if lost and not self._begun and not tries:
                outcome = BusyWait(
                    0.0, ""
                )  # a connection that was kept open, and that the server has closed meanwhile
            elif self._stream.ended is None:
                outcome = self._broken(e)
        except UsageError as e:
            outcome = EndpointFault(UsageError, str(e))
        if outcome:
            yield outcome

    def _broken(self, error: Exception) -> EndpointFault:
        """What an error of the connection means."""
        import httpx2  # noqa: PLC0415 - see `Server.client`

        none = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.ProxyError, httpx2.InvalidURL)
        if isinstance(error, (*none, httpx2.UnsupportedProtocol)):
            proxy = proxy_at(os.environ, *self._dialed) if self._dialed else ""
            return openai_errors.unreachable(self._server.endpoint, error, proxy)
        if isinstance(error, httpx2.TimeoutException):
            return openai_errors.silent(self._server.endpoint)
        return openai_errors.cut_off(
            self._server.endpoint, spoken=self._stream.spoken or self._stream.thought
        )

    async def _answered(self, tries: int) -> AsyncGenerator[Piece | BusyWait | EndpointFault, None]:
        server = self._server
        endpoint = self._server.endpoint
        watched = {"trace": self._follow_connection}
        url, sent = self._request()
        async with server.client().stream(
            "POST",
            url,
            json=sent,
            headers=server.headers(),
            extensions=watched,
        ) as response:
            code = response.status_code
            kind = response.headers.get("content-type", "nothing")
            self.status = code
            if code in BUSY:
                yield openai_errors.busy(endpoint, code, response.headers, server.patience, tries)
                return
            if code != HTTPStatus.OK:
                said = await _start_of(response, endpoint.silence)
                # A 500 may be of the moment, unless the chat template says what it lacks.
                may_deny = code != HTTPStatus.INTERNAL_SERVER_ERROR or b"jinja" in said.lower()
                if code in _UNTAKEN and may_deny and self._asked_without(said):
                    yield BusyWait(0.0, "")  # asked again at once, without it
                    return
                yield await server.refusal(code, said)
                return
            self._begun = True
            if self._denied:
                server.abilities.learn(self._denied)
            async with aclosing(self._streamed(self._events(response, kind))) as streamed:
                async for item in streamed:
                    yield item
                    if isinstance(item, EndpointFault):
                        return
            if fault := self._lack():
                yield fault

    async def _follow_connection(self, step: str, details: Mapping[str, Any]) -> None:
        if step.endswith("connect_tcp.started"):
            host = details["host"]
            port = details["port"]
            here = urlsplit(self._server.endpoint.base_url)
            self._dialed = None if host == here.hostname and port == here.port else (host, port)

    async def _streamed(
        self, arriving: AsyncGenerator[bytes, None]
    ) -> AsyncGenerator[Piece | BusyWait | EndpointFault, None]:
        """The pieces of an answer.

        Args:
            arriving: The bytes of its events.
        """
        stream = self._stream
        limits = StreamLimits(self._server.endpoint)
        async for arrived in arriving:
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
        with suppress(TimeoutError):
            async with asyncio.timeout(_DRAIN_SECONDS):
                async for _ in arriving:  # only a connection that is read to its end is kept
                    pass

    async def _read(self, response: "httpx2.Response", kind: str) -> AsyncGenerator[bytes, None]:
        """The bytes of a stream of events; what is none is read whole, and comes as a single
        event.
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
        """What is wrong with an answer that ends here."""
        stream = self._stream
        if why := stream.fault:
            stream.fault = "told"  # a server may say a key, which is not kept
            return openai_errors.odd(self._server.endpoint, why)
        if is_complete(stream.ended) or is_length(stream.ended):
            return None
        if stream.ended is not None:
            return openai_errors.stopped(self._server.endpoint, stream.ended)
        if stream.spoken or stream.thought:
            return openai_errors.cut_off(self._server.endpoint, spoken=True)
        if stream.skipped:
            return openai_errors.no_answer(self._server.endpoint, stream.skipped)
        return openai_errors.unsaid(self._server.endpoint)


class ChatReply(Reply[str | ThoughtPiece | PromptProgress]):
    """The answer of a chat: its text, its thoughts, and how much of the prompt is read.

    Args:
        wanted: What is asked for.
    """

    def __init__(self, server: Server, line: Background, wanted: Wanted) -> None:
        self._chat = ChatStream()
        super().__init__(server, line, self._chat)
        self._wanted_answer = wanted
        self._sent: Mapping[str, Any] = {}
        self._native: NativeStream | None = None
        self.exact = False
        """Whether the server was asked to go on from the very text of a begun answer."""

    @property
    def scores(self) -> Scores:
        """The log-probabilities of its text."""
        return self._chat.scores

    @property
    def called(self) -> bool:
        """Whether it calls a tool."""
        return self._chat.called

    @property
    def thought_tokens(self) -> int | None:
        """How many tokens were thought, where the server tells."""
        return self._chat.thought_tokens

    async def _prepare(self) -> None:
        if self._server.first_use:
            with suppress(UsageError):  # The request itself says what is wrong.
                self._server.client()  # Importing it is no part of the second.
            await self._server.first_use.wait()

    def _conclude(self) -> None:
        if self._server.first_use and self._begun:
            self._server.first_use.go_on()

    def _request(self) -> tuple[str, Mapping[str, Any]]:
        endpoint = self._server.endpoint
        table = self._server.abilities.table() | self._denied
        self._sent = write_body(endpoint, self._wanted_answer, table)
        self.exact = goes_on_exactly(self._sent)
        self._native = NativeStream() if table.get("num_ctx") else None
        if self._native:
            return native_url(endpoint), native_body(endpoint, self._sent)
        return f"{endpoint.base_url}/chat/completions", self._sent

    def _asked_without(self, said: bytes) -> bool:
        denied = refused_by(self._sent, said)
        if not denied or denied in self._denied:
            return False
        self._denied[denied] = False
        return True

    def _lack(self) -> EndpointFault | None:
        if self.called and not self._chat.spoken and not self._chat.fault:
            return None  # whoever reads the answer says that it is the call of a tool
        return super()._lack()

    def _events(self, response: "httpx2.Response", kind: str) -> AsyncGenerator[bytes, None]:
        if self._native:
            return _in_openai_s_way(response, self._native)
        return super()._events(response, kind)


class CompletionReply(Reply[CompletedToken]):
    """How a text goes on, token by token.

    Args:
        body: The request.
    """

    def __init__(self, server: Server, line: Background, body: Mapping[str, Any]) -> None:
        super().__init__(server, line, CompletionStream())
        self._body = body

    def _request(self) -> tuple[str, Mapping[str, Any]]:
        return f"{self._server.endpoint.base_url}/completions", self._body


def _other_addresses(base_url: str) -> list[str]:
    """Where else on the same server answers may be: below the address, or at its root, in /v1."""
    parts = urlsplit(base_url)
    found = [f"{base_url}/v1", f"{parts.scheme}://{parts.netloc}/v1"]
    return [each for each in dict.fromkeys(found) if each != base_url]


def _length(piece: object) -> int:
    """About how many characters of an answer a piece has; a server that reads is not silent."""
    if isinstance(piece, PromptProgress):
        return piece.done
    if isinstance(piece, CompletedToken):
        return len(piece.piece)
    return len(piece.text if isinstance(piece, ThoughtPiece) else str(piece))


def _encodable(messages: Sequence[Message]) -> list[dict[str, str]]:
    return [{key: encodable(text) for key, text in message.items()} for message in messages]


async def _in_openai_s_way(
    response: "httpx2.Response",
    native: NativeStream,
) -> AsyncGenerator[bytes, None]:
    async for arrived in response.aiter_bytes():
        yield native.take(arrived)
    yield native.finish()


async def _start_of(response: "httpx2.Response", seconds: float) -> bytes:
    """What a server says of an error, as far as it arrives in time."""
    body = b""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            async for arrived in response.aiter_bytes():
                body += arrived
                if len(body) > _MOST_OF_ANOTHER:
                    break
    return body.strip()
