"""Any OpenAI-compatible endpoint: the only module with a socket.

Requests run on a thread with an event loop of their own, so that whoever reads an answer can be let go at once,
wherever the network stands. A connection is kept open from one to the next. A key is read from its variable for each
request and goes into that request's header, nowhere else: no error holds what the HTTP client knows of a request.
"""

import asyncio
import os
import threading
import time
from collections import deque
from collections.abc import AsyncGenerator, Generator, Mapping, Sequence, Sized
from concurrent.futures import Future
from contextlib import aclosing, suppress
from http import HTTPStatus
from itertools import count
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar
from urllib.parse import urlsplit

from spark_tui.answering import remote_faults
from spark_tui.answering.background import Background
from spark_tui.answering.chat_stream import ChatStream
from spark_tui.answering.completion_stream import CompletedToken, CompletionStream
from spark_tui.answering.remote_faults import BUSY, Fault, Patience, Waiting
from spark_tui.answering.seam import Message
from spark_tui.endpoints import Endpoint
from spark_tui.errors import SparkError, UsageError

if TYPE_CHECKING:
    import httpx2

_WARM_SECONDS = 3.0
"""A connection used so recently needs no warming."""
_KEPT_OPEN, _DRAIN_SECONDS = 300.0, 0.25
_AHEAD = 64
"""Pieces that are read before they are asked for."""
_HERE = frozenset({"localhost", "127.0.0.1", "::1"})
_TICK_SECONDS = 0.02
"""So often whoever reads an answer is given the chance to stop, though nothing came."""
_MOST_OF_ANOTHER = 4 << 20
"""Bytes that are read of a reply that is no stream."""

Piece = TypeVar("Piece", bound=Sized)
Arrived_co = TypeVar("Arrived_co", bound=Sized, covariant=True)


class Stream(Protocol[Arrived_co]):
    """What reads an answer as it arrives; see `ChatStream`."""

    ended: str | None
    done: bool
    fault: str
    spoken: bool
    spent: tuple[int, int] | None

    def take(self, arrived: bytes) -> Arrived_co:
        """Take what arrived. Returns: the pieces in it."""

    def finish(self) -> Arrived_co:
        """Nothing more arrives. Returns: as `take`."""


class Server:
    """An endpoint, and the connections to it. Nothing is imported or opened before the first request.

    Args: env: where keys are. keep: whether connections are kept open.
    """

    def __init__(
        self, endpoint: Endpoint, *, patience: Patience | None = None, env: Mapping[str, str] = os.environ,
        keep: bool = True,
    ) -> None:  # fmt: skip
        self.endpoint = endpoint
        self.patience = patience or Patience()
        self._env, self._keep = env, keep
        self._line = Background("spark-endpoint")
        self._client: httpx2.AsyncClient | None = None
        self._used = -_WARM_SECONDS

    def ask(
        self, messages: Sequence[Message], *, temperature: float = 0.0, seed: int = 0, most: int = 512
    ) -> "Reply[str]":
        """Ask for an answer; nothing is sent before it is read. Args: most: tokens of it.

        Raises: UsageError: the variable of the key is not set, or holds more than a key.
        """
        self.key()
        body: dict[str, Any] = {"model": self.endpoint.model, "messages": [dict(each) for each in messages]}
        body |= {"stream": True, "temperature": temperature, "max_tokens": most}
        if temperature > 0:
            body["seed"] = seed
        if self.endpoint.price_in or self.endpoint.price_out:
            body["stream_options"] = {"include_usage": True}
        return Reply(self, self._line, body, "chat/completions", ChatStream(), "")

    def complete(self, prompt: str | Sequence[int], options: Mapping[str, Any]) -> "Reply[tuple[CompletedToken, ...]]":
        """Ask how a text goes on; nothing is sent before the reply is read.

        Args:
            prompt: The text, or its tokens.
            options: What else the request holds, such as `max_tokens`.

        Raises:
            UsageError: As `ask`.
        """
        self.key()
        body = {"model": self.endpoint.model, "prompt": prompt, "stream": True, **options}
        return Reply(self, self._line, body, "completions", CompletionStream(), ())

    def warm(self) -> "Future[None] | None":
        """Have a connection open for the next request; what fails is told by that one. Returns: what is under way."""
        if time.monotonic() - self._used < _WARM_SECONDS:
            return None
        self._used = time.monotonic()
        return self._line.run(self._warmed())

    def close(self) -> None:
        """Close all connections, for good."""
        self._line.end(self._closed())

    def key(self) -> str:
        """The key, "" where none is needed. Raises: UsageError: see `ask`."""
        variable, name = self.endpoint.key_env, self.endpoint.name
        key = self._env.get(variable, "").strip() if variable else ""
        if variable and not key:
            raise UsageError(f"{name} needs its key in ${variable}, which is not set; set it or name another model")
        if not key.isascii() or not all(letter.isprintable() and letter != " " for letter in key):
            raise UsageError(f"${variable} holds more than the key for {name}; set it again")
        return key

    def client(self) -> "httpx2.AsyncClient":
        """What requests go through; only on the thread of the connections."""
        import httpx2  # noqa: PLC0415 - it takes a while, and most never need it

        if self._client is None:
            kept = 4 if self._keep else 0
            limit = httpx2.Limits(max_connections=8, max_keepalive_connections=kept, keepalive_expiry=_KEPT_OPEN)
            timeout = httpx2.Timeout(self.endpoint.silence, connect=self.patience.connect)
            here = urlsplit(self.endpoint.base_url).hostname in _HERE
            self._client = httpx2.AsyncClient(timeout=timeout, limits=limit, trust_env=not here)
        self._used = time.monotonic()
        return self._client

    def headers(self) -> dict[str, str]:
        """What goes with every request."""
        key = self.key()
        return {"Authorization": f"Bearer {key}"} if key else {}

    async def _warmed(self) -> None:
        import httpx2  # noqa: PLC0415 - see `client`

        try:
            await self.client().get(f"{self.endpoint.base_url}/models", headers=self.headers())
        except (httpx2.HTTPError, httpx2.InvalidURL, UsageError):
            self._used = -_WARM_SECONDS

    async def _closed(self) -> None:
        if self._client:
            await self._client.aclose()


class Reply(Generic[Piece]):
    """One answer: iterating gives its text piece by piece, and `Waiting` where the server is busy. Once only.

    Pieces are text, or tuples of tokens where a completion was asked for.
    Args: path: of the request, behind base_url. stream: reads the answer. nothing: the empty piece.

    An empty piece says that nothing came for a moment.
    Not asking for the next piece holds reading back. `finished`: whether it came to its end by itself; `spent`: as in
    `ChatStream`. Raises, while it is read: UsageError: the server refuses the request. Transient: it cannot be reached,
    fails, or breaks off; what had been read of it stays good.
    """

    def __init__(
        self,
        server: Server,
        line: Background,
        body: Mapping[str, Any],
        path: str,
        stream: Stream[Piece],
        nothing: Piece,
    ) -> None:
        self._server, self._line, self._body = server, line, body
        self._path, self._stream, self._nothing = path, stream, nothing
        self.status = 0
        """The HTTP status of the answer; 0 as long as there is none."""
        self._arrived: deque[Piece | Waiting | Fault] = deque()
        self._changed = threading.Condition()
        self._wanted: asyncio.Event | None = None
        self._pumping: Future[None] | None = None
        self._begun = self._over = False
        self.stopped = False
        """Whether it was given up."""

    @property
    def finished(self) -> bool:
        """See the class."""
        return self._stream.ended not in (None, "length") or (self._stream.done and self._stream.ended is None)

    @property
    def ended(self) -> str | None:
        """Why the answer ended, in the server's words; None as long as it goes on."""
        return self._stream.ended

    @property
    def spent(self) -> tuple[int, int] | None:
        """See the class."""
        return self._stream.spent

    def __iter__(self) -> Generator[Piece | Waiting, None, None]:
        try:
            if not self._over:
                self._pumping = self._line.run(self._pump())
                self._pumping.add_done_callback(lambda _: self._end())
            while (item := self._next()) is not None:
                if isinstance(item, Fault):
                    raise item.kind(item.words)
                yield item
            self._check()
        finally:
            self._end()

    def stop(self) -> None:
        """Give it up, from any thread: whoever waits for its next piece is let go at once, and it ends there."""
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
        """Raises: SparkError: reading ended in a way that nobody thought of; the error itself may hold the key."""
        done = self._pumping if self._pumping and self._pumping.done() and not self._pumping.cancelled() else None
        if done and (error := done.exception()):
            raise SparkError(f"{self._server.endpoint.name} cannot be read ({type(error).__name__}); try another model")

    def _next(self) -> Piece | Waiting | Fault | None:
        with self._changed:
            if not self._arrived and not self._over:
                self._changed.wait(_TICK_SECONDS)
            item = self._arrived.popleft() if self._arrived else None if self._over else self._nothing
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

    async def _asked(self) -> AsyncGenerator[Piece | Waiting | Fault, None]:
        """Ask until the server has time for it."""
        wants_key = bool(self._server.endpoint.key_env)
        for tries in count():
            later: Waiting | None = None
            async with aclosing(self._attempt(tries)) as attempt:
                async for items in attempt:
                    later = items if isinstance(items, Waiting) else None
                    if not later or later.line:
                        yield items.without(self._server.key()) if isinstance(items, Fault) and wants_key else items
            if later is None:
                return
            await asyncio.sleep(later.seconds)

    async def _attempt(self, tries: int) -> AsyncGenerator[Piece | Waiting | Fault, None]:
        """One request: text, and then nothing, why there is no more, or when to ask again."""
        import httpx2  # noqa: PLC0415 - see `Server.client`

        outcome: Fault | Waiting | None = None
        try:
            async with aclosing(self._answered(tries)) as answered:
                async for items in answered:
                    yield items
        except (httpx2.HTTPError, httpx2.StreamError, httpx2.InvalidURL) as e:
            lost = isinstance(e, httpx2.RemoteProtocolError | httpx2.ReadError | httpx2.WriteError)
            if lost and not self._begun and not tries:
                outcome = Waiting(0.0, "")  # a connection that was kept open, and that the server has closed meanwhile
            elif self._stream.ended is None:
                outcome = self._broken(e)
        if outcome:
            yield outcome

    def _broken(self, error: Exception) -> Fault:
        """What an error of the connection means."""
        import httpx2  # noqa: PLC0415 - see `Server.client`

        none = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.ProxyError, httpx2.InvalidURL)
        if isinstance(error, (*none, httpx2.UnsupportedProtocol)):
            return remote_faults.unreachable(self._server.endpoint, error)
        if isinstance(error, httpx2.TimeoutException):
            return remote_faults.silent(self._server.endpoint)
        return remote_faults.cut_off(self._server.endpoint, spoken=self._stream.spoken)

    async def _answered(self, tries: int) -> AsyncGenerator[Piece | Waiting | Fault, None]:
        server, endpoint = self._server, self._server.endpoint
        url = f"{endpoint.base_url}/{self._path}"
        async with server.client().stream("POST", url, json=self._body, headers=server.headers()) as response:
            code, kind = response.status_code, response.headers.get("content-type", "nothing")
            self.status = code
            if code in BUSY:
                yield remote_faults.busy(endpoint, code, response.headers, server.patience, tries)
                return
            if code != HTTPStatus.OK:
                yield remote_faults.refused(endpoint, code, await _start_of(response))
                return
            self._begun = True
            if "event-stream" in kind:
                async with aclosing(self._streamed(response)) as streamed:
                    async for text in streamed:
                        yield text
                yield self._stream.finish()
            else:
                body = await _start_of(response)
                self._stream.fault = "" if body[:1] == b"{" else f"it answers with {kind[:40]}; base_url may be wrong"
                yield self._stream.take(b"data:" + b" ".join(body.split(b"\n")) + b"\n\n")
            if fault := self._lack():
                yield fault

    async def _streamed(self, response: "httpx2.Response") -> AsyncGenerator[Piece | Waiting | Fault, None]:
        arriving = response.aiter_bytes()
        async for arrived in arriving:
            if text := self._stream.take(arrived):
                yield text
            if self._stream.fault:
                return
            if self._stream.done:
                break
        with suppress(TimeoutError):
            async with asyncio.timeout(_DRAIN_SECONDS):
                async for _ in arriving:  # only a connection that is read to its end is kept
                    pass

    def _lack(self) -> Fault | None:
        """What is wrong with an answer that ends here."""
        stream = self._stream
        if why := stream.fault:
            stream.fault = "told"  # a server may say a key, which is not kept
            return remote_faults.odd(self._server.endpoint, why)
        if stream.ended is not None or stream.done:
            return None
        if stream.spoken:
            return remote_faults.cut_off(self._server.endpoint, spoken=True)
        return remote_faults.unsaid(self._server.endpoint)


async def _start_of(response: "httpx2.Response") -> bytes:
    body = b""
    async for arrived in response.aiter_bytes():
        body += arrived
        if len(body) > _MOST_OF_ANOTHER:
            break
    return body.strip()
