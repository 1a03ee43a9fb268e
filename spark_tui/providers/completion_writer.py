"""Writes several answers to one request with a server, the likeliest first.

Where a token of a script was not sure, its alternatives begin other scripts. The likeliest
unfinished script goes on first (best-first search), so the answers come in the same order as with
the model in process.
"""

import heapq
import math
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, suppress
from itertools import count
from typing import Protocol, TypeVar

from spark_tui.editing.formats.quoted_grammar import (
    GOES_ON,
    Vocabulary,
)
from spark_tui.errors import Transient, UsageError
from spark_tui.providers.base import (
    AnswerStarted,
    GenerationRequest,
    Item,
    PromptProgress,
    TokenGenerated,
    Waits,
)
from spark_tui.providers.openai_errors import BusyWait
from spark_tui.providers.openai_reply import Reply
from spark_tui.providers.openai_stream import CompletedToken
from spark_tui.providers.quoted_script import Script, TokenChoice, is_text

T = TypeVar("T")
_SURE = -0.02
"""The log-probability of a token above which a script does not branch off."""
_STEPS_BACK = 64
"""Tokens that may be replaced in one script before the server is given up."""

Completed = Reply[CompletedToken | PromptProgress]
Completing = Generator[CompletedToken | PromptProgress | BusyWait | None, None, T]
"""The items of a completion, and None for each moment without one."""


class ScriptCompleter(Protocol):
    """Completes scripts on a server."""

    def complete(
        self,
        script: Sequence[int],
        grammar: str,
        ask: GenerationRequest,
        *,
        number: int,
        most: int,
        text_only: bool = False,
    ) -> Completing[str | None]:
        """Go on from a script.

        Args:
            script: The tokens of the script so far.
            grammar: The grammar of what may follow, as GBNF; "" where that is not known.
            ask: The request.
            number: The number of the draw, counted from 0.
            most: The most tokens to write.
            text_only: Whether to do without log-probabilities.

        Returns:
            The reason for which the answer ended, in the server's words.

        Raises:
            UsageError: The server refuses the request.
            Transient: The server cannot be reached, or breaks off.
        """

    def interrupted(self, error: Transient) -> bool:
        """Decide about an answer that broke off.

        Returns:
            Whether to go on from the last token.
        """


class CompletionWriter:
    """The `Writer` of scripts with a server.

    Args:
        server: Completes scripts.
        vocabulary: The vocabulary of the model.
        ask: The request.
        room: The most tokens of one script.
        begun: The tokens that every script begins with.
    """

    def __init__(
        self,
        server: ScriptCompleter,
        vocabulary: Vocabulary,
        ask: GenerationRequest,
        room: int,
        begun: Sequence[int],
    ) -> None:
        self._server = server
        self._vocabulary = vocabulary
        self._ask = ask
        self._room = room
        self._begun = tuple(begun)
        self._count = 0
        self._numbers = count()
        self._open: list[tuple[float, int, tuple[TokenGenerated, ...]]] = []
        """The beginnings of scripts to write, a heap: the likeliest first, older ones first."""
        self._push(tuple(self._known(number, 0.0) for number in begun))

    @property
    def best(self) -> float:
        """See `Writer`."""
        if self._ask.temperature > 0:
            return 0.0
        if not self._open:
            return -math.inf
        return -self._open[0][0]

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

    def _script(self, number: int, known: Sequence[TokenGenerated]) -> Iterator[Item]:
        """Write a script that begins with known tokens."""
        script = Script(self._ask.request.lines, self._vocabulary, number)
        beginning = tuple(script.take(token.token, token.logprob) for token in known)
        yield AnswerStarted(number, beginning)
        while not script.is_over and len(script.written) < self._room:
            if script.must_end:
                yield script.take(self._vocabulary.end, 0.0, forced=True)
            else:
                yield from self._go_on(script)
        yield script.answer()

    def _go_on(self, script: "Script") -> Iterator[Item]:
        """Write until the server ends, or writes a token that the grammar forbids."""
        # What is left to do depends on why the server stopped: nothing, one step aside from a token
        # that the grammar forbids, a script that ran out or may not end there, or its end.
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
        """Take the tokens that the server writes.

        Returns:
            The reason for which the server ended; None where its answer was left unfinished.
        """
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
        # closing the items ends the request, where the script is over before the server's answer is
        with closing(items):
            while not (script.is_over or script.went_astray or self._is_full(script)):
                try:
                    item = next(items)
                except StopIteration as stopped:
                    return str(stopped.value)
                if isinstance(item, CompletedToken):
                    yield from self._take(script, item)
                elif isinstance(item, PromptProgress) and script.written:
                    yield Waits()  # the prompt was read before; only the script is new
                else:
                    yield _waits(item)
        return None

    def _take(self, script: "Script", token: CompletedToken) -> Iterator[TokenGenerated]:
        """Take a piece of the server as far as the grammar allows; else the likeliest token."""
        numbers = script.numbers(token)
        if not numbers:
            # Some servers leave out the text of a token that is part of a character.
            script.went_astray = True
            script.is_unreadable = True
            script.steps_back += 1
        for position, number in enumerate(numbers):
            # Of several tokens in a piece, only the last one has the server's log-probabilities.
            rated = token
            if position < len(numbers) - 1:
                rated = CompletedToken(number, b"")
            choice = script.choose(number, rated)
            if choice is None:
                script.went_astray = True
                script.steps_back += 1
                if len(numbers) == 1:
                    choice = script.likeliest(token)
                if choice is None:
                    script.break_off()
                    return
            yield self._chosen(script, choice)
            if script.went_astray or script.is_over or self._is_full(script):
                return

    def _is_full(self, script: "Script") -> bool:
        """Whether a script has used up its tokens."""
        return len(script.written) >= self._room

    def _chosen(self, script: "Script", choice: TokenChoice) -> TokenGenerated:
        """Take a token into a script, and keep its likely alternatives as beginnings."""
        written = tuple(script.written)
        # draws do not branch: each is a sample of its own
        if choice.logprob <= _SURE and self._ask.temperature == 0:
            for number, logprob in choice.others:
                steps = (*written, self._known(number, logprob))
                if is_text(b"".join(step.piece for step in steps)):
                    self._push(steps)
        return script.take(choice.number, choice.logprob, forced=choice.forced)

    def _end(self, script: "Script") -> Iterator[Item]:
        """End a script; where the server gives the end no probability, ask for one more line."""
        choice: TokenChoice | None = None
        if script.has_logprobs and not script.must_end:
            numbers = [wrote.token for wrote in script.written]
            items = self._server.complete(numbers, GOES_ON, self._ask, number=script.number, most=1)
            with closing(items), suppress(Transient, UsageError):
                for item in items:
                    if isinstance(item, CompletedToken):
                        choice = script.choose_end(item)
                        break
                    if not isinstance(item, PromptProgress):
                        yield _waits(item)
        if choice is None:
            choice = TokenChoice(self._vocabulary.end, 0.0, forced=True)
        yield self._chosen(script, choice)

    def _known(self, number: int, logprob: float) -> TokenGenerated:
        """Return a token of a beginning."""
        return TokenGenerated(0, number, self._vocabulary.pieces[number] or b"", logprob)

    def _push(self, steps: tuple[TokenGenerated, ...]) -> None:
        """Keep the beginning of a script for later."""
        total = sum(step.logprob for step in steps)
        # The number breaks ties, so that steps are never compared.
        heapq.heappush(self._open, (-total, next(self._numbers), steps))


def _waits(item: PromptProgress | BusyWait | None) -> PromptProgress | Waits:
    """Return the item of a moment without a token."""
    if isinstance(item, PromptProgress):
        return item
    return Waits(item.line if item else "")
