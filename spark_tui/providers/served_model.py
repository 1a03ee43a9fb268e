"""The provider that has `spark serve` run the model, and runs it here if the server goes away.

The seam lies below everything that decides what an edit is: the server runs the model, while
finding the place, checks, the journal and every write stay in the client, in the same code with and
without a server. So a patch is the same byte for byte wherever its tokens were computed, and no
server ever writes a file.

A server that goes away is no error, not even in the middle of an answer: the model is loaded here,
and writes the answer once more. Since its tokens are the same, the items that were delivered before
are left out. A server that is released during a pause is asked for the answer again in the same
way.
"""

import math
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from itertools import chain
from threading import Lock, Thread
from typing import Any, Protocol

from spark_tui.editing.formats.quoted import QuotedDraft, QuotedRequest
from spark_tui.editing.formats.surroundings import NOWHERE, Surroundings
from spark_tui.errors import SparkError, UsageError
from spark_tui.providers.base import (
    Ability,
    AnswerFinished,
    AnswerStarted,
    EditKind,
    GenerationRequest,
    Item,
    Message,
    PromptProgress,
    Provider,
    Speech,
    Talker,
    Thought,
    TokenGenerated,
    Waits,
    Writer,
)
from spark_tui.providers.calibration import Calibration
from spark_tui.providers.wire import decode_item, encode_ask, encode_request

ROOM = 512
"""Tokens for an instruction and an answer, where the lines are to be chosen; see `SparkModel`."""


class ServerGone(Exception):
    """The server went away, or is too busy for too long; the message is a clause."""


class CallReleased(Exception):
    """A call was let go of; its reader may call again."""


class Transport(Protocol):
    """Reaches the engine of a server."""

    def call(
        self,
        name: str,
        body: Mapping[str, Any],
        *,
        background: bool = False,
        is_answer: bool = False,
    ) -> Generator[Any, None, None]:
        """Call the engine.

        Args:
            name: One of the calls of `serve.engine_calls`.
            body: Its arguments.
            background: Whether other requests go first.
            is_answer: Whether `release` lets go of this call.

        Yields:
            Its items; None now and then while nothing comes.

        Raises:
            ServerGone: The server went away.
            CallReleased: See `release`.
            SparkError: What the engine raises.
        """

    def release(self) -> None:
        """Let go of the answers in flight, from any thread, so that the engine serves others."""

    def beside(self) -> "Transport":
        """Return a way to the same engine for work that waits for the requests of others.

        The work has a cache of its own, so those requests find theirs as it was.
        """

    def close(self) -> None:
        """Hang up."""


@dataclass(frozen=True, slots=True)
class ServedFacts:
    """The facts about the model of a server.

    Attributes:
        name: Its name.
        capacity: Tokens that it reads.
        calibration: How far its probabilities can be trusted.
    """

    name: str
    capacity: int
    calibration: Calibration


class ServedModel(Provider):
    """Answers with the engine of a server; see the module.

    Args:
        transport: Reaches the server.
        facts: The model of the server.
        local: Makes the provider that goes on by itself, which may take seconds.
        tell: Hears that the server went away.
    """

    def __init__(
        self,
        transport: Transport,
        facts: ServedFacts,
        local: Callable[[], Provider],
        tell: Callable[[str], object],
    ) -> None:
        self.transport = transport
        self._facts = facts
        self._make_local = local
        self._tell = tell
        self._on_failure: Callable[[str], object] | None = None
        self._leaving = Lock()
        self.is_gone = False
        """Whether the server went away."""

    def beside(self, local: Callable[[], Provider]) -> "ServedModel":
        """Make the provider of work that goes on beside the turns; see `Transport.beside`.

        The turns tell that the server went away, so this provider does not.

        Args:
            local: Makes the provider that goes on by itself.
        """
        return type(self)(self.transport.beside(), self._facts, local, lambda _: None)

    @property
    def name(self) -> str:
        """The name of the model."""
        return self._facts.name

    @property
    def context(self) -> int:
        """Tokens of the prompt and the answer together."""
        return self._facts.capacity

    @property
    def can(self) -> Ability:
        """See `Provider`."""
        able = Ability.PROBABILITIES | Ability.BEGIN | Ability.SCORE | Ability.READ_AHEAD
        if self._facts.calibration.conversation:
            able |= Ability.PREVIOUS
        return able

    @property
    def sure(self) -> float:
        """See `Provider`."""
        return self._facts.calibration.sure

    @property
    def agreed(self) -> float:
        """See `Provider`."""
        return self._facts.calibration.agreed

    @property
    def done(self) -> float:
        """See `Provider`."""
        return self._facts.calibration.done

    @property
    def next_edit(self) -> float:
        """See `Provider`."""
        return self._facts.calibration.next_edit

    def write(self, ask: GenerationRequest) -> "ServedWriter":
        """See `Provider`."""
        return ServedWriter(self, ask)

    def prompt(self, request: QuotedRequest) -> list[int]:
        """See `Provider`."""
        body = {"request": encode_request(request)}
        ids: list[int] = self.one("prompt", body, lambda own: list(own.prompt(request)))
        return ids

    def draft(self, lines: Sequence[str], around: Surroundings = NOWHERE) -> QuotedDraft:
        """See `Provider`."""
        return QuotedDraft(lines)

    def has_room(self, lines: Sequence[str]) -> bool:
        """See `Provider`: the server is asked about large regions only."""
        # No token is shorter than a byte.
        most = sum(len(line.encode("utf-8", "replace")) + 1 for line in lines)
        if most + min(ROOM, self.context // 4) <= self.context:
            return True
        has_room: bool = self.one(
            "room", {"lines": list(lines)}, lambda own: own.has_room(list(lines))
        )
        return has_room

    def chance(self, answers: Sequence[AnswerFinished], kind: EditKind = EditKind.PLAIN) -> float:
        """See `Provider`."""
        return self._facts.calibration.chance(answers, kind)

    def score(
        self, request: QuotedRequest, results: Sequence[Sequence[str]]
    ) -> Iterator[tuple[int, float]]:
        """See `Provider`."""
        body = {"request": encode_request(request), "results": [list(lines) for lines in results]}
        received = set[int]()
        if not self.is_gone:
            try:
                for item in self.transport.call("score", body):
                    if item is not None:
                        index, logprob = item
                        received.add(index)
                        yield index, logprob
            except ServerGone as e:
                self.leave(e)
            else:
                return
        for index, logprob in self.own.score(request, results):
            if index not in received:
                yield index, logprob

    def likelihoods(self, requests: Iterable[QuotedRequest]) -> Iterator[float | None]:
        """See `Provider`."""
        asked = list(requests)
        received = 0
        if not self.is_gone:
            try:
                body = {"requests": [encode_request(request) for request in asked]}
                for item in self.transport.call("likelihoods", body):
                    received += item is not None
                    yield item
            except ServerGone as e:
                self.leave(e)
            else:
                return
        yield from self.own.likelihoods(asked[received:])

    def read_ahead(self, request: QuotedRequest) -> Iterator[None]:
        """See `Provider`."""
        if not self.is_gone:
            try:
                body = {"request": encode_request(request)}
                for _ in self.transport.call("ahead", body, background=True):
                    yield None
            except ServerGone as e:
                self.leave(e)
            else:
                return
        yield from self.own.read_ahead(request)

    def one(self, name: str, body: Mapping[str, Any], locally: Callable[[Provider], Any]) -> Any:
        """Call for a single item.

        Args:
            name: One of the calls of `serve.engine_calls`.
            body: The arguments of the call.
            locally: Gives the same without a server.
        """
        if not self.is_gone:
            try:
                items = [item for item in self.transport.call(name, body) if item is not None]
                return items[-1]
            except ServerGone as e:
                self.leave(e)
        return locally(self.own)

    @property
    def own(self) -> Provider:
        """The provider of this process, whose model is loaded on first use."""
        return self._make_local()

    @contextmanager
    def on_failure(self, decide: Callable[[str], object]) -> Iterator[None]:
        """Let a caller decide, within a context, about a server that goes away in mid-answer.

        Args:
            decide: Called with the reason, in the thread of the answer; returns where the answer is
                to go on in this process. The model loads meanwhile.
        """
        before = self._on_failure
        self._on_failure = decide
        try:
            yield
        finally:
            self._on_failure = before

    def leave(self, error: ServerGone, *, in_answer: bool = False) -> None:
        """Go on without the server.

        Args:
            error: Why.
            in_answer: Whether an answer breaks off; see `on_failure`.
        """
        # Several threads may find the server gone; one of them tells and hangs up.
        with self._leaving:
            is_first = not self.is_gone
            self.is_gone = True
        if is_first:
            self.transport.close()
        words = f"the server of `spark serve` {error}"
        if in_answer and self._on_failure is not None:
            # The model loads while the caller of `on_failure` decides.
            Thread(target=self._load, name="loading", daemon=True).start()
            self._on_failure(words)
        elif is_first:
            self._tell(f"{words}; going on in this process")

    def _load(self) -> None:
        """Load the model of this process ahead; who needs it hears what is wrong with it."""
        with suppress(SparkError):
            self._make_local()

    def release(self) -> bool:
        """See `Provider`: the answer is asked for again where its reader goes on."""
        self.transport.release()
        return False

    def close(self) -> None:
        """Hang up."""
        self.transport.close()


class ServedTalker(ServedModel):
    """Answers questions with the chat model of a server; see `Talker`."""

    @property
    def can(self) -> Ability:
        """See `Provider`."""
        return Ability.NOTHING

    def talk(self, messages: Sequence[Message], *, most: int) -> Speech:
        """See `Talker`."""
        if self.is_gone:
            return self._talk_here(messages, most, _Delivered())
        body = {"messages": [dict(message) for message in messages], "most": most}
        items = self.transport.call("talk", body)
        first: list[Any] = []
        try:
            while not any(first):  # whether the question is too long is known now
                first.append(next(items))
        except (ServerGone, StopIteration) as e:
            self.leave(ServerGone(str(e) or "broke off"))
            return self._talk_here(messages, most, _Delivered())
        return self._talk(chain(first, items), messages, most)

    def _talk(self, items: Iterable[Any], messages: Sequence[Message], most: int) -> Speech:
        delivered = _Delivered()
        try:
            for item in items:
                if item is None:
                    yield Waits()
                elif "is_whole" in item:
                    return bool(item["is_whole"])
                else:
                    decoded = decode_item(item)
                    if isinstance(decoded, AnswerFinished):
                        continue
                    delivered.note(decoded)
                    yield decoded
        except ServerGone as e:
            self.leave(e)
        return (yield from self._talk_here(messages, most, delivered))

    def _talk_here(self, messages: Sequence[Message], most: int, delivered: "_Delivered") -> Speech:
        """Answer in this process, without what was delivered before."""
        own = self.own
        if not isinstance(own, Talker):
            raise UsageError(f"{self.name} only edits; name a chat model")
        speech = own.talk(messages, most=most)
        while True:
            try:
                item = next(speech)
            except StopIteration as end:
                return bool(end.value)
            if delivered.has(item):
                yield Waits()
            else:
                yield item


class ServedWriter:
    """The `Writer` of answers that a server writes.

    The server keeps no state that matters: each call says the request and all calls so far.

    Args:
        model: The provider.
        ask: The request.

    Raises:
        UsageError: As `Provider.write`.
    """

    def __init__(self, model: ServedModel, ask: GenerationRequest) -> None:
        self._model = model
        self._ask = ask
        self._calls: list[tuple[int, float]] = []
        self._writer: Writer | None = None
        """Writes in this process, once the server went away."""
        self._best = 0.0
        self._began = model.one("begin", {"ask": encode_ask(ask)}, self._begin)
        self._best = float(self._began)

    def _begin(self, own: Provider) -> float:
        self._writer = own.write(self._ask)
        return self._writer.best

    @property
    def best(self) -> float:
        """See `Writer`."""
        if self._writer is not None:
            return self._writer.best
        return self._best

    def write(self, count: int = 1, *, least: float = -math.inf) -> Generator[Item, None, None]:
        """See `Writer`."""
        self._calls.append((count, least))
        if self._writer is not None:
            yield from self._writer.write(count, least=least)
            return
        delivered = _Delivered()
        if not self._model.is_gone:
            try:
                yield from self._served(delivered)
            except ServerGone as e:
                self._model.leave(e, in_answer=True)
                yield Waits()  # the reader tells of it before the model is loaded here
            else:
                return
        yield from self._again(delivered)

    def _served(self, delivered: "_Delivered") -> Generator[Item, None, None]:
        """Have the server write, and ask it again whenever it was released."""
        while True:
            delivered.begin_again()
            try:
                yield from self._asked(delivered)
            except CallReleased:
                yield Waits()  # the reader, which has paused, may stop here
            else:
                return

    def _asked(self, delivered: "_Delivered") -> Generator[Item, None, None]:
        body = {"ask": encode_ask(self._ask), "calls": self._calls}
        transport = self._model.transport
        with closing(transport.call("write", body, is_answer=True)) as items:
            for item in items:
                if item is None:
                    yield Waits()
                elif "best" in item:
                    self._best = item["best"]
                else:
                    decoded = decode_item(item)
                    if delivered.has(decoded):
                        yield Waits()
                        continue
                    delivered.note(decoded)
                    yield decoded

    def _again(self, delivered: "_Delivered") -> Generator[Item, None, None]:
        """Do all calls in this process, and yield what the last one still owes."""
        delivered.begin_again()
        writer = self._model.own.write(self._ask)
        self._writer = writer
        # The earlier calls bring the writer into the same state; their answers were delivered.
        for count, least in self._calls[:-1]:
            for _ in writer.write(count, least=least):
                yield Waits()
        count, least = self._calls[-1]
        for item in writer.write(count, least=least):
            if delivered.has(item):
                yield Waits()
            else:
                yield item


class _Delivered:
    """Remembers the items of a call that were delivered, to leave them out next time. Mutable."""

    def __init__(self) -> None:
        self._started = set[int]()
        self._finished = set[int]()
        self._tokens = Counter[int]()
        self._again = Counter[int]()
        self._thoughts = 0
        self._thoughts_again = 0
        self._is_again = False

    def begin_again(self) -> None:
        """Note that the same call begins once more."""
        self._is_again = bool(self._started)
        self._again.clear()
        self._thoughts_again = 0

    def note(self, item: Item) -> None:
        """Note an item that came from the server."""
        match item:
            case AnswerStarted(answer=number):
                self._started.add(number)
            case TokenGenerated(answer=number):
                self._tokens[number] += 1
            case Thought():
                self._thoughts += 1
            case AnswerFinished(number=number):
                self._finished.add(number)

    def has(self, item: Item) -> bool:
        """Whether an item of the same call, written once more, was delivered before."""
        # An answer that is written once more has the same items in the same order, so counting them
        # tells which are new.
        match item:
            # a prompt that is read twice would seem to begin anew
            case PromptProgress():
                return self._is_again
            case AnswerStarted(answer=number):
                return number in self._started
            case TokenGenerated(answer=number):
                self._again[number] += 1
                return self._again[number] <= self._tokens[number]
            case AnswerFinished(number=number):
                return number in self._finished
            case Thought():
                self._thoughts_again += 1
                return self._thoughts_again <= self._thoughts
        return False
