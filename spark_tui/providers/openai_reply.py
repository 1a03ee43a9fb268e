"""Reads the answers of OpenAI-compatible endpoints piece by piece.

A `Reply` sends its request once it is read, on the thread of the connections, and hands the pieces
to the reader's thread. `stream_limits` has the bounds of one answer.
"""

import asyncio
import threading
from collections import deque
from collections.abc import AsyncGenerator, Generator, Mapping
from concurrent.futures import Future
from contextlib import aclosing, suppress
from dataclasses import replace
from http import HTTPStatus
from itertools import count
from typing import Any, Generic, TypeVar
from urllib.parse import urlsplit

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
from spark_tui.providers.base import PromptProgress
from spark_tui.providers.calibration import Scores
from spark_tui.providers.ollama import NativeStream, native_body, native_url
from spark_tui.providers.openai_connection import (
    MISSING,
    MOST_OF_ANOTHER,
    Connection,
    Response,
    is_lost,
    network_errors,
    start_of,
)
from spark_tui.providers.openai_errors import (
    BUSY,
    NO_ENTRY,
    OF_THE_MOMENT,
    BusyAnswer,
    BusyWait,
    EndpointFault,
)
from spark_tui.providers.openai_stream import (
    ChatStream,
    CompletedToken,
    CompletionStream,
    EventStream,
    is_complete,
    is_length,
)
from spark_tui.providers.probe import FirstUse
from spark_tui.providers.stream_limits import Overdue, StreamLimits
from spark_tui.providers.thoughts import ThoughtPiece

_DRAIN_SECONDS = 0.25
"""Seconds to read the rest of a stream whose answer is over."""
_BUSY_SECONDS = 5.0
"""Seconds for the body of a busy server's reply, which may tell why."""
_AHEAD = 64
"""Pieces that are read before the reader asks for them."""
_TICK_SECONDS = 0.02
"""Seconds after which the reader of an answer gets the chance to stop, though nothing came."""
_UNTAKEN = frozenset({HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY})
"""The replies of servers that refuse a parameter."""
_UNRELATED = BUSY | NO_ENTRY | OF_THE_MOMENT | MISSING
"""The replies of servers that say nothing about the request itself."""
_FIELDS = (b":", b"data:", b"event:", b"id:", b"retry:", b"\xef\xbb\xbfdata:")
"""The possible beginnings of a stream of events, whatever its content type says."""

Piece = TypeVar("Piece")


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

    def __init__(
        self, connection: Connection, line: Background, stream: EventStream[Piece]
    ) -> None:
        self._connection = connection
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

    def _events(self, response: Response, kind: str) -> AsyncGenerator[bytes, None]:
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
            SparkError: Reading ended with an unforeseen error. The message has only the name of the
                error's type, since the error may hold the key.
        """
        pumping = self._pumping
        if pumping is None or not pumping.done() or pumping.cancelled():
            return
        error = pumping.exception()
        if error:
            raise SparkError(
                f"{self._connection.endpoint.name} cannot be read ({type(error).__name__}); try "
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
        wants_key = bool(self._connection.endpoint.key_env)
        waited = 0.0
        # Each round is an attempt; `later` stays None where an attempt came to an end for good.
        for tries in count():
            later: BusyWait | None = None
            # Attempts with a changed request are no retries of a busy server.
            async with aclosing(self._attempt(tries - self._changes)) as attempt:
                async for item in attempt:
                    later = item if isinstance(item, BusyWait) else None
                    if later and not later.line:
                        continue
                    if isinstance(item, EndpointFault) and wants_key:
                        yield item.without(self._connection.key())
                    else:
                        yield item
            if later is None:
                self._conclude()
                return
            waited += later.seconds
            if waited > self._connection.patience.longest:
                yield openai_errors.stays_busy(self._connection.endpoint, waited)
                return
            await asyncio.sleep(later.seconds)

    async def _attempt(self, tries: int) -> AsyncGenerator[Piece | BusyWait | EndpointFault, None]:
        """Send the request once.

        Yields:
            The pieces of the answer; then, where the answer is not complete, why not or when to ask
            again.
        """
        outcome: EndpointFault | BusyWait | None = None
        try:
            async with aclosing(self._answered(tries)) as answered:
                async for item in answered:
                    yield item
        except network_errors() as e:
            # only once, and only while no part of an answer can have come
            if is_lost(e) and not self._begun and not tries:
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
        fault = self._connection.fault(error, self._dialed)
        return fault or openai_errors.cut_off(self._connection.endpoint, spoken=self._answers)

    async def _answered(self, tries: int) -> AsyncGenerator[Piece | BusyWait | EndpointFault, None]:
        """Send the request, and read what the server answers, as `_attempt`."""
        connection = self._connection
        endpoint = connection.endpoint
        limits = StreamLimits(endpoint)
        url, body = self._request()
        sent = connection.send(limits, "POST", url, follow=self._follow_connection, json=body)
        async with sent as response:
            code = response.status_code
            kind = response.headers.get("content-type", "nothing")
            self.status = code
            if code in BUSY:
                body_start = await start_of(response, limits, _BUSY_SECONDS)
                answer = BusyAnswer(code, response.headers, body_start)
                yield openai_errors.busy(endpoint, answer, connection.patience, tries)
                return
            if code != HTTPStatus.OK:
                refusal_body = await start_of(response, limits)
                if may_deny(code, refusal_body) and self._asked_otherwise(refusal_body):
                    self._changes += 1
                    yield BusyWait(0.0, "")  # ask again at once
                    return
                yield await connection.refusal(code, refusal_body)
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
            here = urlsplit(self._connection.endpoint.base_url)
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
            # the time in which the reader takes pieces is not the server's
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

    async def _read(self, response: Response, kind: str) -> AsyncGenerator[bytes, None]:
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
            elif len(body) > MOST_OF_ANOTHER:
                break
        if not is_stream:
            if not body.lstrip().startswith((b"{", b"[")):
                self._stream.fault = f"it answers with {kind[:40]}; base_url may be wrong"
            yield b"data:" + b" ".join(body.strip().split(b"\n")) + b"\n\n"

    def _lack(self) -> EndpointFault | None:
        """Explain the fault of an answer that ends here; None for a good answer."""
        stream = self._stream
        if stream.fault:
            return self._told_fault()
        if is_complete(stream.ended) or is_length(stream.ended):
            return None
        if stream.ended is not None:
            return openai_errors.stopped(self._connection.endpoint, stream.ended)
        if self._answers:
            return openai_errors.cut_off(self._connection.endpoint, spoken=True)
        if stream.skipped:
            return openai_errors.no_answer(self._connection.endpoint, stream.skipped)
        return openai_errors.unsaid(self._connection.endpoint)

    def _told_fault(self) -> EndpointFault:
        """Tell the fault of the stream, once."""
        stream = self._stream
        why = stream.fault
        stream.fault = "told"  # a server's words may hold the key, which is kept nowhere
        endpoint = self._connection.endpoint
        if stream.used_up:
            return openai_errors.used_up(endpoint, f" and says: {why.rstrip('.')}")
        return openai_errors.odd(endpoint, why)


class ChatReply(Reply[str | ThoughtPiece | PromptProgress]):
    """The answer of a chat: its text, its thoughts, and how much of the prompt is read.

    Args:
        connection: The endpoint.
        line: The thread of the connections.
        wanted: The answer that is wanted.
        abilities: The parameters that the endpoint accepts.
        first_use: Asks the endpoint for its abilities, if that is to be done.
    """

    def __init__(
        self,
        connection: Connection,
        line: Background,
        wanted: Wanted,
        abilities: Abilities,
        first_use: FirstUse | None,
    ) -> None:
        self._chat = ChatStream()
        super().__init__(connection, line, self._chat)
        self._wanted_answer = wanted
        self._abilities = abilities
        self._first_use = first_use
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
        limit = self._bound.tokens if self._bound else self._abilities.most
        return min(self._wanted_answer.most, limit or self._wanted_answer.most)

    @property
    def thought_tokens(self) -> int | None:
        """How many tokens were thought, where the server tells."""
        return self._chat.thought_tokens

    async def _prepare(self) -> None:
        if self._first_use:
            # The first use waits a second at most; importing the client is not part of that. The
            # request itself says what is wrong with the client.
            with suppress(UsageError):
                self._connection.client()
            await self._first_use.wait()

    def _conclude(self) -> None:
        if self._first_use and self._begun:
            self._first_use.go_on()

    def _request(self) -> tuple[str, Mapping[str, Any]]:
        endpoint = self._connection.endpoint
        table = self._abilities.table() | self._denied
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
        # A bound on the tokens that is too large: asked again with the bound that the refusal
        # names.
        names = {"max_tokens", "max_completion_tokens"}.intersection(self._sent)
        if names - self._bounded and (bound := read_bound(refusal_body, self.most)):
            self._bounded |= names
            self._bound = bound
            return True
        if is_about_bound(refusal_body):
            self._bound = None  # the refusal stands, so the number was none
        # A parameter that the server does not know: asked again without it, once.
        denied = refused_by(self._sent, refusal_body)
        if not denied or denied in self._denied:
            return False
        # Remembered only once the server answers: the refusal may have meant something else.
        self._denied[denied] = False
        return True

    def _remember(self) -> None:
        abilities = self._abilities
        abilities.learn(self._denied)
        if self._bound and self._bound.holds:
            abilities.learn_most(self._bound.tokens)

    def _lack(self) -> EndpointFault | None:
        if self._chat.refusal.strip() and not self._chat.fault:
            return openai_errors.declined(self._connection.endpoint, self._chat.refusal)
        if self.called and not self._chat.spoken and not self._chat.fault:
            return None  # the reader of the answer explains the call of a tool
        return super()._lack()

    def _events(self, response: Response, kind: str) -> AsyncGenerator[bytes, None]:
        if self._native:
            return _in_openai_s_way(response, self._native)
        return super()._events(response, kind)


class CompletionReply(Reply[CompletedToken | PromptProgress]):
    """The completion of a text, token by token, and how much of the text is read.

    Args:
        connection: The endpoint.
        line: The thread of the connections.
        body: The body of the request.
    """

    def __init__(self, connection: Connection, line: Background, body: Mapping[str, Any]) -> None:
        super().__init__(connection, line, CompletionStream())
        self._body = body

    def _begin_anew(self) -> None:
        self._stream = CompletionStream()

    def _request(self) -> tuple[str, Mapping[str, Any]]:
        return f"{self._connection.endpoint.base_url}/completions", self._body


def may_deny(status: int, refusal_body: bytes) -> bool:
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


def _length(piece: object) -> int:
    """Count the characters of a piece, about; progress counts, as a server that reads is busy."""
    if isinstance(piece, PromptProgress):
        return piece.done
    if isinstance(piece, CompletedToken):
        return len(piece.piece)
    if isinstance(piece, ThoughtPiece):
        return len(piece.text)
    return len(str(piece))


async def _in_openai_s_way(
    response: Response,
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
