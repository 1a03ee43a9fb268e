"""Writes scripts that quote with a model on a server, the likeliest first.

Tokens are held to the grammar here, too, whether or not the server was.

The server's log-probabilities are of all tokens. Those of the tokens that the grammar allows are
worked out from the likeliest ones that the server tells: they mean what they mean in process.
"""

import heapq
import math
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import count
from typing import Protocol

import numpy as np

from spark_tui.answering.completion_stream import CompletedToken, LikelyToken
from spark_tui.answering.remote import Reply
from spark_tui.answering.remote_faults import Waiting
from spark_tui.answering.seam import Answer, Ask, Began, Item, Waits, Wrote
from spark_tui.editing.quoted_draft import QuotedDraft
from spark_tui.editing.quoting import ADD, DROP, KEEP, QuotingError
from spark_tui.editing.quoting_gbnf import GOES_ON, write_gbnf
from spark_tui.editing.quoting_grammar import Allowed, Grammar, Vocabulary
from spark_tui.errors import Transient, UsageError

LIKELY = 20
"""Likely tokens that are asked for at each place."""
_MOST_OTHERS, _SURE = 3, -0.02
"""Other tokens that a script may part by at a place; from this log-probability there is none."""
_LEAST_MASS = 1e-9
_UNKNOWN = math.log(0.5)
"""The log-probability of a token of which nothing is known, in an answer that has others."""
_STEPS_BACK = 64
"""Tokens that may be taken back in one script, before the server is given up."""

Completed = Reply[CompletedToken]


class Completing(Protocol):
    """Completes scripts on a server."""

    def complete(
        self,
        script: Sequence[int],
        grammar: str,
        ask: Ask,
        *,
        number: int,
        most: int,
        text_only: bool = False,
    ) -> Generator[CompletedToken | Waiting | None, None, str | None]:
        """Go on from a script.

        Args:
            script: Its tokens so far.
            grammar: What may follow, as GBNF; "" where that is not known.
            ask: What is to be answered.
            number: Which draw, counted from 0.
            most: Tokens to write.
            text_only: Whether to do without log-probabilities.

        Returns:
            Why the answer ended, in the server's words.

        Raises:
            UsageError: The server refuses.
            Transient: It cannot be reached, or breaks off.
        """

    def interrupted(self, error: Transient) -> bool:
        """Decide about an answer that broke off. Returns: whether to go on from its last token."""


@dataclass(frozen=True, slots=True)
class Place:
    """A token that may come next: its log-probability among those allowed, and the next best."""

    number: int
    logprob: float
    forced: bool
    others: tuple[tuple[int, float], ...] = ()


class CompletionWriter:
    """See `Writer`.

    Args:
        server: Completes scripts.
        vocabulary: That of the model.
        ask: What is to be answered.
        room: Tokens of one script.
        begun: The tokens that every script begins with.
    """

    def __init__(self, server: Completing, vocabulary: Vocabulary, ask: Ask, room: int, begun: Sequence[int]) -> None:
        self._server, self._vocabulary, self._ask, self._room = server, vocabulary, ask, room
        self._begun = tuple(begun)
        self._count = 0
        self._numbers = count()
        self._open: list[tuple[float, int, tuple[Wrote, ...]]] = []
        self._push(tuple(self._known(number, 0.0) for number in begun))

    @property
    def best(self) -> float:
        """See `Writer`."""
        if self._ask.temperature > 0:
            return 0.0
        return -self._open[0][0] if self._open else -math.inf

    def write(self, count: int = 1, *, least: float = -math.inf) -> Generator[Item, None, None]:
        """See `Writer`."""
        for _ in range(count):
            if self.best < least or self.best == -math.inf:
                return
            known = tuple(self._known(number, 0.0) for number in self._begun)
            if self._ask.temperature == 0:
                known = heapq.heappop(self._open)[2]
            self._count += 1
            yield from self._script(self._count - 1, known)

    def _script(self, number: int, known: Sequence[Wrote]) -> Iterator[Item]:
        script = Script(self._ask.request.lines, self._vocabulary, number)
        yield Began(number, tuple(script.take(each.token, each.logprob) for each in known))
        while not script.is_over and len(script.written) < self._room:
            if script.must_end:
                yield script.take(self._vocabulary.end, 0.0, forced=True)
            else:
                yield from self._go_on(script)
        yield script.answer()

    def _go_on(self, script: "Script") -> Iterator[Item]:
        """Write until the server ends, or writes what the grammar forbids."""
        before = len(script.written)
        try:
            ended = yield from self._follow(script)
        except Transient as error:
            if len(script.written) == before or not self._server.interrupted(error):
                raise
            return
        if script.is_over or self._is_full(script):
            return
        if script.went_astray:
            script.went_astray = False
            if script.steps_back > _STEPS_BACK:
                script.break_off()
        elif ended == "length" or not script.may_end:
            script.break_off()
        else:
            yield from self._end(script)

    def _follow(self, script: "Script") -> Generator[Item, None, str | None]:
        """Take what the server writes. Returns: why it ended; None where it was left."""
        numbers = [wrote.token for wrote in script.written]
        most = self._room - len(numbers)
        items = self._server.complete(
            numbers,
            script.gbnf(),
            self._ask,
            number=script.number,
            most=most,
            text_only=script.is_unreadable,
        )
        with closing(items):
            while not (script.is_over or script.went_astray or self._is_full(script)):
                try:
                    item = next(items)
                except StopIteration as stopped:
                    return str(stopped.value)
                if isinstance(item, CompletedToken):
                    yield from self._take(script, item)
                else:
                    yield Waits(item.line if item else "")
        return None

    def _take(self, script: "Script", token: CompletedToken) -> Iterator[Wrote]:
        """Take what the server wrote, as far as it is allowed; else the likeliest token that is."""
        numbers = script.numbers(token)
        if not numbers:
            # Some servers leave out the text of a token that is part of a character.
            script.went_astray = True
            script.is_unreadable = True
            script.steps_back += 1
        for at, number in enumerate(numbers):
            last = at == len(numbers) - 1
            place = script.place(number, token if last else CompletedToken(number, b""))
            if place is None:
                script.went_astray = True
                script.steps_back += 1
                replacement = script.likeliest(token) if len(numbers) == 1 else None
                if replacement is None:
                    script.break_off()
                    return
                place = replacement
            yield self._chosen(script, place)
            if script.went_astray or script.is_over or self._is_full(script):
                return

    def _is_full(self, script: "Script") -> bool:
        return len(script.written) >= self._room

    def _chosen(self, script: "Script", place: Place) -> Wrote:
        written = tuple(script.written)
        if place.logprob <= _SURE and self._ask.temperature == 0:
            for number, logprob in place.others:
                steps = (*written, self._known(number, logprob))
                if _is_text(b"".join(step.piece for step in steps)):
                    self._push(steps)
        return script.take(place.number, place.logprob, forced=place.forced)

    def _end(self, script: "Script") -> Iterator[Item]:
        """End a script; where the server tells no probability of that, ask for one more line."""
        place: Place | None = None
        if script.has_logprobs and not script.must_end:
            numbers = [wrote.token for wrote in script.written]
            items = self._server.complete(numbers, GOES_ON, self._ask, number=script.number, most=1)
            with closing(items), suppress(Transient, UsageError):
                for item in items:
                    if isinstance(item, CompletedToken):
                        place = script.place_of_end(item)
                        break
                    yield Waits(item.line if item else "")
        yield self._chosen(script, place or Place(self._vocabulary.end, 0.0, forced=True))

    def _known(self, number: int, logprob: float) -> Wrote:
        return Wrote(0, number, self._vocabulary.pieces[number] or b"", logprob)

    def _push(self, steps: tuple[Wrote, ...]) -> None:
        total = sum(step.logprob for step in steps)
        heapq.heappush(self._open, (-total, next(self._numbers), steps))


class Script:
    """One script while it is written. Mutable.

    Attributes:
        written: Its tokens.
        went_astray: Whether the server's last token was not allowed.
        steps_back: How often that was so.
        has_logprobs: Whether the server tells log-probabilities.
        is_unreadable: Whether it then leaves out text, so that none can be asked for.
    """

    def __init__(self, lines: Sequence[str], vocabulary: Vocabulary, number: int) -> None:
        self.number = number
        self.written: list[Wrote] = []
        self.went_astray = False
        self.steps_back = 0
        self.has_logprobs = False
        self.is_unreadable = False
        self._lines, self._vocabulary = lines, vocabulary
        self._grammar = Grammar(lines, vocabulary)
        self._broken = False

    @property
    def draft(self) -> QuotedDraft:
        """What the script says so far."""
        return self._grammar.draft

    @property
    def is_over(self) -> bool:
        """Whether nothing more may come."""
        return self._grammar.ended or self._broken

    @property
    def may_end(self) -> bool:
        """Whether the script may end here."""
        return is_allowed(self._grammar.allowed(), self._vocabulary.end)

    @property
    def must_end(self) -> bool:
        """Whether nothing else may come."""
        allowed = self._grammar.allowed()
        return allowed.dtype != np.bool_ and allowed.tolist() == [self._vocabulary.end]

    def gbnf(self) -> str:
        """The grammar of what may follow."""
        return write_gbnf(self._lines, b"".join(wrote.piece for wrote in self.written))

    def break_off(self) -> None:
        """Give up what is unfinished."""
        self._broken = True

    def take(self, number: int, logprob: float, *, forced: bool = False) -> Wrote:
        """Take a token that is allowed."""
        try:
            self._grammar.take(number)
        except QuotingError:
            self._broken = True
        piece = self._vocabulary.pieces[number] or b""
        wrote = Wrote(self.number, number, piece, logprob, forced, passes=1)
        self.written.append(wrote)
        return wrote

    def numbers(self, token: CompletedToken) -> list[int]:
        """The tokens that a piece of the server is."""
        number = token.number
        if number is None:
            number = self._vocabulary.numbers.get(token.piece)
        text = token.piece.decode("utf-8", "replace")
        if number is None:
            return list(self._vocabulary.spell(text))
        is_mark = not self.draft.open and text[:1] in (KEEP, DROP, ADD)
        if is_mark and len(text) > 1 and not is_allowed(self._grammar.allowed(), number):
            return [*self._vocabulary.spell(text[0]), *self._vocabulary.spell(text[1:])]
        return [number]

    def place(self, number: int, token: CompletedToken) -> Place | None:
        """What is known of a token here; None where the grammar does not allow it."""
        allowed = self._grammar.allowed()
        if not is_allowed(allowed, number):
            return None
        if allowed.dtype != np.bool_ and len(allowed) == 1:
            return Place(number, 0.0, forced=True)
        if token.logprob is None:
            unknown = _UNKNOWN if self.is_unreadable else 0.0
            return Place(number, unknown, forced=False)
        self.has_logprobs = True
        mass, others = self._mass(allowed, token)
        logprob = token.logprob - math.log(max(mass, math.exp(token.logprob), _LEAST_MASS))
        ranked = sorted(others.items(), key=lambda pair: -pair[1])
        rest = [(other, each - math.log(max(mass, _LEAST_MASS))) for other, each in ranked if other != number]
        return Place(number, min(logprob, 0.0), forced=False, others=tuple(rest[:_MOST_OTHERS]))

    def logprob_of(self, number: int, token: CompletedToken) -> float | None:
        """The log-probability of a token here; None where the server tells none of the place."""
        mass, likely = self._mass(self._grammar.allowed(), token)
        if not likely:
            return None
        if number not in likely:
            return math.log(_LEAST_MASS)
        return min(0.0, likely[number] - math.log(max(mass, _LEAST_MASS)))

    def place_of_end(self, token: CompletedToken) -> Place | None:
        """What is known of the end here, where the server was held to go on with a token."""
        end = self._vocabulary.end
        known = [each for each in token.likely if self._number_of(each) != end]
        ends = [each for each in token.likely if self._number_of(each) == end]
        if not ends:
            return None
        logprob = ends[0].logprob
        if ends[0].number is None:
            # Several tokens have no text, and one name for all: the end is what the others leave.
            rest = 1.0 - sum(math.exp(each.logprob) for each in known)
            logprob = math.log(max(rest, _LEAST_MASS))
        likely = (*known, LikelyToken(end, b"", logprob))
        return self.place(end, CompletedToken(end, b"", logprob, likely))

    def likeliest(self, token: CompletedToken) -> Place | None:
        """The likeliest token that is allowed here, where the server chose another one."""
        _, likely = self._mass(self._grammar.allowed(), token)
        if not likely:
            return None
        number = max(likely, key=lambda each: likely[each])
        return self.place(number, CompletedToken(number, b"", likely[number], token.likely))

    def _mass(self, allowed: Allowed, token: CompletedToken) -> tuple[float, dict[int, float]]:
        """The probability of all tokens allowed, and the log-probabilities of those that are told.

        What is not told belongs to new lines, where nearly every token is allowed.
        """
        told = 0.0
        mass = 0.0
        found: dict[int, float] = {}
        for likely in token.likely:
            told += math.exp(likely.logprob)
            number = self._number_of(likely)
            if number is not None and is_allowed(allowed, number):
                mass += math.exp(likely.logprob)
                found[number] = likely.logprob
        if allowed.dtype == np.bool_:
            mass += max(0.0, 1.0 - told)
        return min(mass, 1.0), found

    def _number_of(self, likely: LikelyToken) -> int | None:
        if likely.number is not None:
            return likely.number
        if not likely.piece:  # the one special token that is likely here has no text
            return self._vocabulary.end
        return self._vocabulary.numbers.get(likely.piece)

    def answer(self) -> Answer:
        """What the script came to."""
        logprobs = [wrote.logprob for wrote in self.written]
        numbers = tuple(wrote.token for wrote in self.written)
        ended = self._grammar.ended and not self._broken
        return Answer(
            tuple(self.draft.applied.result()),
            numbers,
            sum(logprobs),
            min(logprobs, default=0.0),
            self.number,
            ended,
            self.draft.declined,
        )


def is_allowed(allowed: Allowed, number: int) -> bool:
    """Whether a token is among those allowed."""
    if allowed.dtype == np.bool_:
        return 0 <= number < len(allowed) and bool(allowed[number])
    return bool(np.any(allowed == number))


def _is_text(written: bytes) -> bool:
    """Whether bytes do not end within a character."""
    try:
        written.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
