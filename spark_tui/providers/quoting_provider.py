"""The provider of spark-m, or another model taught to edit, on a server.

The prompt, the grammar and the calibration are those of `spark_model`: the tokenizer and
answering.json are read here, while the weights run there. `Script` and `CompletionWriter` hold
every token to the grammar, whether or not the server does. `QuotingProvider` asks the server, and
`remote_of` makes the provider of any endpoint.

The server's log-probabilities are among all tokens. Those among the tokens that the grammar allows
are computed from the likeliest tokens that the server tells, so that they mean the same as in
process.
"""

import heapq
import math
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from http import HTTPStatus
from itertools import count, product
from pathlib import Path, PurePosixPath
from typing import Any, Protocol, TypeVar

import numpy as np

from spark_tui.config import Endpoint
from spark_tui.editing.formats.quoted import (
    ADD,
    DROP,
    KEEP,
    QuotedDraft,
    QuotedRequest,
    QuotingError,
    script_pieces,
    write_quoted,
)
from spark_tui.editing.formats.quoted_grammar import (
    GOES_ON,
    Allowed,
    Grammar,
    Vocabulary,
    write_gbnf,
)
from spark_tui.engine.loader import find_model, list_models
from spark_tui.engine.tokenizer import Tokenizer
from spark_tui.errors import Transient, UsageError
from spark_tui.providers.base import (
    Ability,
    AnswerFinished,
    AnswerStarted,
    EditKind,
    GenerationRequest,
    Item,
    PromptProgress,
    TokenGenerated,
    Waits,
)
from spark_tui.providers.calibration import Calibration
from spark_tui.providers.openai_client import Reply, Server
from spark_tui.providers.openai_errors import BusyWait, Patience
from spark_tui.providers.openai_provider import EndpointProvider, Remote
from spark_tui.providers.openai_stream import CompletedToken, LikelyToken
from spark_tui.providers.spark_model import QuotingPrompt, begun_tokens, vocabulary_of

T = TypeVar("T")
LIKELY = 20
"""Likely tokens that are asked for at each place."""
_MOST_OTHERS = 3
"""Other tokens by which a script may branch off at a place."""
_SURE = -0.02
"""The log-probability of a token above which a script does not branch off."""
_LEAST_MASS = 1e-9
"""The least probability that is taken for the tokens allowed."""
_UNKNOWN = math.log(0.5)
"""The log-probability of a token that the server tells nothing about, beside others it tells."""
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


@dataclass(frozen=True, slots=True)
class TokenChoice:
    """A token that may come next.

    Attributes:
        number: The id of the token.
        logprob: The log-probability among the tokens allowed.
        forced: Whether no other token is allowed.
        others: The next best tokens, with their log-probabilities.
    """

    number: int
    logprob: float
    forced: bool
    others: tuple[tuple[int, float], ...] = ()


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
            place = script.place(number, rated)
            if place is None:
                script.went_astray = True
                script.steps_back += 1
                if len(numbers) == 1:
                    place = script.likeliest(token)
                if place is None:
                    script.break_off()
                    return
            yield self._chosen(script, place)
            if script.went_astray or script.is_over or self._is_full(script):
                return

    def _is_full(self, script: "Script") -> bool:
        """Whether a script has used up its tokens."""
        return len(script.written) >= self._room

    def _chosen(self, script: "Script", place: TokenChoice) -> TokenGenerated:
        """Take a token into a script, and keep its likely alternatives as beginnings."""
        written = tuple(script.written)
        if place.logprob <= _SURE and self._ask.temperature == 0:
            for number, logprob in place.others:
                steps = (*written, self._known(number, logprob))
                if _is_text(b"".join(step.piece for step in steps)):
                    self._push(steps)
        return script.take(place.number, place.logprob, forced=place.forced)

    def _end(self, script: "Script") -> Iterator[Item]:
        """End a script; where the server tells no probability of that, ask for one more line."""
        place: TokenChoice | None = None
        if script.has_logprobs and not script.must_end:
            numbers = [wrote.token for wrote in script.written]
            items = self._server.complete(numbers, GOES_ON, self._ask, number=script.number, most=1)
            with closing(items), suppress(Transient, UsageError):
                for item in items:
                    if isinstance(item, CompletedToken):
                        place = script.place_of_end(item)
                        break
                    if not isinstance(item, PromptProgress):
                        yield _waits(item)
        if place is None:
            place = TokenChoice(self._vocabulary.end, 0.0, forced=True)
        yield self._chosen(script, place)

    def _known(self, number: int, logprob: float) -> TokenGenerated:
        """Return a token of a beginning."""
        return TokenGenerated(0, number, self._vocabulary.pieces[number] or b"", logprob)

    def _push(self, steps: tuple[TokenGenerated, ...]) -> None:
        """Keep the beginning of a script for later."""
        total = sum(step.logprob for step in steps)
        heapq.heappush(self._open, (-total, next(self._numbers), steps))


def _waits(item: PromptProgress | BusyWait | None) -> PromptProgress | Waits:
    """Return the item of a moment without a token."""
    if isinstance(item, PromptProgress):
        return item
    return Waits(item.line if item else "")


class Script:
    """One script while it is written.

    Mutable.

    Attributes:
        number: The number of the answer.
        written: The tokens so far.
        went_astray: Whether the server's last token was not allowed.
        steps_back: How often the server wrote a token that is not allowed, or no text.
        has_logprobs: Whether the server tells log-probabilities.
        is_unreadable: Whether the server leaves out text beside log-probabilities, so that the
            script has to do without them.
    """

    def __init__(self, lines: Sequence[str], vocabulary: Vocabulary, number: int) -> None:
        self.number = number
        self.written: list[TokenGenerated] = []
        self.went_astray = False
        self.steps_back = 0
        self.has_logprobs = False
        self.is_unreadable = False
        self._lines = lines
        self._vocabulary = vocabulary
        self._grammar = Grammar(lines, vocabulary)
        self._broken = False

    @property
    def draft(self) -> QuotedDraft:
        """The draft of the script so far."""
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
        """Whether nothing but the end may come."""
        allowed = self._grammar.allowed()
        return allowed.dtype != np.bool_ and allowed.tolist() == [self._vocabulary.end]

    def gbnf(self) -> str:
        """Return the grammar of what may follow."""
        return write_gbnf(self._lines, b"".join(wrote.piece for wrote in self.written))

    def break_off(self) -> None:
        """Give up what is unfinished."""
        self._broken = True

    def take(self, number: int, logprob: float, *, forced: bool = False) -> TokenGenerated:
        """Take a token that is allowed."""
        try:
            self._grammar.take(number)
        except QuotingError:
            self._broken = True
        piece = self._vocabulary.pieces[number] or b""
        wrote = TokenGenerated(self.number, number, piece, logprob, forced, passes=1)
        self.written.append(wrote)
        return wrote

    def numbers(self, token: CompletedToken) -> list[int]:
        """Return the tokens that a piece of the server stands for."""
        number = token.number
        if number is None:
            number = self._vocabulary.numbers.get(token.piece)
        text = token.piece.decode("utf-8", "replace")
        if number is None:
            return list(self._vocabulary.spell(text))
        # A mark and the start of its line in one token: the model was taught them as two.
        is_mark = not self.draft.open and text[:1] in (KEEP, DROP, ADD)
        if is_mark and len(text) > 1 and not is_allowed(self._grammar.allowed(), number):
            return [*self._vocabulary.spell(text[0]), *self._vocabulary.spell(text[1:])]
        return [number]

    def place(self, number: int, token: CompletedToken) -> TokenChoice | None:
        """Rate a token here; None where the grammar does not allow the token.

        Args:
            number: The id of the token.
            token: The piece of the server, with its log-probabilities.
        """
        allowed = self._grammar.allowed()
        if not is_allowed(allowed, number):
            return None
        if allowed.dtype != np.bool_ and len(allowed) == 1:
            return TokenChoice(number, 0.0, forced=True)
        if token.logprob is None:
            unknown = _UNKNOWN if self.is_unreadable else 0.0
            return TokenChoice(number, unknown, forced=False)
        self.has_logprobs = True
        mass, others = self._mass(allowed, token)
        logprob = token.logprob - math.log(max(mass, math.exp(token.logprob), _LEAST_MASS))
        others.pop(number, None)
        ranked = sorted(others.items(), key=lambda pair: -pair[1])
        log_mass = math.log(max(mass, _LEAST_MASS))
        best = tuple((other, value - log_mass) for other, value in ranked[:_MOST_OTHERS])
        return TokenChoice(number, min(logprob, 0.0), forced=False, others=best)

    def logprob_of(self, number: int, token: CompletedToken) -> float | None:
        """Return the log-probability of a token here; None where the server tells none.

        Args:
            number: The id of the token.
            token: Any piece of the server at this place.
        """
        mass, likely = self._mass(self._grammar.allowed(), token)
        if not likely:
            return None
        if number not in likely:
            return math.log(_LEAST_MASS)
        return min(0.0, likely[number] - math.log(max(mass, _LEAST_MASS)))

    def place_of_end(self, token: CompletedToken) -> TokenChoice | None:
        """Rate the end here, where the server was held to go on with another token."""
        end = self._vocabulary.end
        known = [likely for likely in token.likely if self._number_of(likely) != end]
        ends = [likely for likely in token.likely if self._number_of(likely) == end]
        if not ends:
            return None
        logprob = ends[0].logprob
        if ends[0].number is None:
            # Several tokens have no text, and one name for all: the end has what the others leave.
            rest = 1.0 - sum(math.exp(likely.logprob) for likely in known)
            logprob = math.log(max(rest, _LEAST_MASS))
        likely = (*known, LikelyToken(end, b"", logprob))
        return self.place(end, CompletedToken(end, b"", logprob, likely))

    def likeliest(self, token: CompletedToken) -> TokenChoice | None:
        """Rate the likeliest token that is allowed here, where the server chose another one."""
        _, likely = self._mass(self._grammar.allowed(), token)
        if not likely:
            return None
        number = max(likely, key=likely.__getitem__)
        return self.place(number, CompletedToken(number, b"", likely[number], token.likely))

    def _mass(self, allowed: Allowed, token: CompletedToken) -> tuple[float, dict[int, float]]:
        """Return the probability of all tokens allowed, and the log-probabilities that are told.

        Where nearly every token is allowed, in new lines, tokens that are not told count as
        allowed.
        """
        total = 0.0
        mass = 0.0
        logprobs: dict[int, float] = {}
        for likely in token.likely:
            total += math.exp(likely.logprob)
            number = self._number_of(likely)
            if number is not None and is_allowed(allowed, number):
                mass += math.exp(likely.logprob)
                logprobs[number] = likely.logprob
        if allowed.dtype == np.bool_:
            mass += max(0.0, 1.0 - total)
        return min(mass, 1.0), logprobs

    def _number_of(self, likely: LikelyToken) -> int | None:
        """Return the id of a likely token; None where the vocabulary has no such token."""
        if likely.number is not None:
            return likely.number
        # Special tokens have no text; the end is the one that is likely here.
        if not likely.piece:
            return self._vocabulary.end
        return self._vocabulary.numbers.get(likely.piece)

    def answer(self) -> AnswerFinished:
        """Return the answer that the script came to."""
        logprobs = [wrote.logprob for wrote in self.written]
        numbers = tuple(wrote.token for wrote in self.written)
        ended = self._grammar.ended and not self._broken
        return AnswerFinished(
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


FORMAT = "quoting"
_MOST_READ = 8192
"""Tokens of the longest prompt and answer, as in process."""
_ROOM = 512
"""Tokens for an instruction and an answer, where the lines are to be chosen."""
_REFUSED = frozenset(
    {
        HTTPStatus.BAD_REQUEST,
        HTTPStatus.UNPROCESSABLE_ENTITY,
        HTTPStatus.INTERNAL_SERVER_ERROR,
        HTTPStatus.NOT_IMPLEMENTED,
    }
)
"""The statuses of servers that do not know a parameter of a request."""


@dataclass(frozen=True, slots=True)
class Form:
    """The form of a request: the parameters that not every server accepts.

    Attributes:
        tokens: Whether the prompt is sent as tokens; else as text, which the server may tokenize
            differently at blank lines.
        grammar: Whether the grammar is sent, under the names that servers have for it.
        logprobs: Whether the likeliest tokens of each place are asked for.
    """

    tokens: bool = True
    grammar: bool = True
    logprobs: bool = True


FORMS = tuple(
    Form(tokens, grammar, logprobs)
    for grammar, logprobs, tokens in product((True, False), repeat=3)
)
"""The forms that are tried with a server in turn, until it accepts one."""


class QuotingProvider(EndpointProvider):
    """Answers with an endpoint whose model quotes.

    Attributes:
        context: Tokens of the prompt and the answer together.

    Args:
        server: The endpoint.
        folder: The model's folder here: its tokenizer.json and answering.json are read.

    Raises:
        ModelError: These files are missing or damaged.
    """

    def __init__(self, server: Server, folder: Path) -> None:
        super().__init__(server)
        self._folder = folder
        self.context = min(server.endpoint.context, _MOST_READ)
        self._calibration = Calibration.read(folder) or Calibration()
        self._form: Form | None = None
        """The form that the server accepts; None until it has accepted one."""
        self._tells_logprobs = True
        """Whether the server tells log-probabilities; taken for granted before the first answer."""
        self._reply: Completed | None = None

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        return Tokenizer.read(self._folder)

    @property
    def _vocabulary(self) -> Vocabulary:
        return vocabulary_of(self._tokenizer, self._tokenizer.vocab_size)

    @property
    def _prompt(self) -> QuotingPrompt:
        return QuotingPrompt(self._tokenizer, self.context, self._calibration.conversation)

    @property
    def can(self) -> Ability:
        """See `Provider`: until the first answer a server is taken to tell log-probabilities."""
        able = Ability.BEGIN | Ability.READ_AHEAD
        if self._tells_logprobs:
            able |= Ability.PROBABILITIES
        if self._tells_logprobs and self._calibration.conversation:
            able |= Ability.PREVIOUS
        return able

    @property
    def sure(self) -> float:
        """See `Provider`."""
        return self._calibration.sure

    @property
    def done(self) -> float:
        """See `Provider`."""
        return self._calibration.done

    def prompt(self, request: QuotedRequest) -> list[int]:
        """See `Provider`."""
        return self._prompt.tokens(request)

    def write(self, ask: GenerationRequest) -> CompletionWriter:
        """See `Provider`."""
        prompt = self.prompt(ask.request)
        self._server.key()
        room = max(1, min(ask.max_tokens, self.context - len(prompt)))
        begun = begun_tokens(ask, self._vocabulary, room)
        return CompletionWriter(self, self._vocabulary, ask, room, begun)

    def draft(self, lines: Sequence[str]) -> QuotedDraft:
        """See `Provider`."""
        return QuotedDraft(lines)

    def has_room(self, lines: Sequence[str]) -> bool:
        """See `Provider`."""
        if not self._prompt.is_readable(lines):
            return False
        tokens = len(self._prompt.spell(line + "\n" for line in lines))
        return tokens + min(_ROOM, self.context // 4) <= self.context

    def chance(
        self, answers: Sequence[AnswerFinished], kind: EditKind = EditKind.PLAIN
    ) -> float | None:
        """See `Provider`: None where the server tells no log-probabilities."""
        if not self._tells_logprobs:
            return None
        return self._calibration.chance(answers, kind)

    def score(
        self, request: QuotedRequest, results: Sequence[Sequence[str]]
    ) -> Iterator[tuple[int, float]]:
        """See `Provider`: only the result without a change; others would have to be sent."""
        for index, lines in enumerate(results):
            if tuple(lines) != request.lines:
                continue
            for logprob in self._score_nothing(request):
                if logprob is not None:
                    yield index, logprob

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
        """See `ScriptCompleter`: parameters that the server refuses are left out from then on."""
        first: UsageError | Transient | None = None
        forms = [self._form] if self._form else FORMS
        for form in forms:
            used = replace(form, logprobs=form.logprobs and not text_only)
            reply = self._ask(used, script, grammar, ask, number, most)
            try:
                yield from self._read(reply)
            except (UsageError, Transient) as error:
                # A refusal of a form that was accepted before is about something else.
                if self._form or reply.status not in _REFUSED:
                    raise
                first = first or error
                continue
            self._form = form
            return reply.ended
        raise first or UsageError(f"{self.name} rejects the request; name another model")

    def interrupted(self, error: Transient) -> bool:
        """See `ScriptCompleter`."""
        return self._goes_on_after(error)

    def _read(self, reply: Completed) -> Completing[None]:
        """Read a reply, and find out whether the server tells log-probabilities."""
        self._reply = reply
        tells = False
        with closing(iter(reply)) as items:
            for item in items:
                if isinstance(item, BusyWait | PromptProgress):
                    yield item
                    continue
                if item is not None:
                    tells = tells or item.logprob is not None
                    if self._form is None:
                        self._tells_logprobs = tells
                yield item

    def _ask(
        self,
        form: Form,
        script: Sequence[int],
        grammar: str,
        ask: GenerationRequest,
        number: int,
        most: int,
    ) -> Completed:
        """Ask the server to go on from a script; see `ScriptCompleter.complete`.

        Args:
            form: The form of the request.
            script: As there, here and below.
            grammar: As there.
            ask: As there.
            number: As there.
            most: As there.
        """
        options: dict[str, Any] = {"max_tokens": most, "temperature": ask.temperature}
        if ask.temperature > 0:
            options |= {"seed": ask.seed + number, "top_p": 1.0}
        if form.logprobs:
            options["logprobs"] = LIKELY
        if form.grammar:
            options |= _extensions(self._vocabulary.end)
            if grammar:
                options |= {"grammar": grammar, "structured_outputs": {"grammar": grammar}}
        if form.tokens:
            return self._server.complete([*self.prompt(ask.request), *script], options)
        written = b"".join(self._vocabulary.pieces[token] or b"" for token in script)
        text = "".join(self._prompt.pieces(ask.request)) + written.decode("utf-8", "ignore")
        return self._server.complete(text, options)

    def _score_nothing(self, request: QuotedRequest) -> Iterator[float | None]:
        """Yield the log-probability that nothing changes, after None for each moment of waiting.

        The script that changes nothing is decided by its first token; the others are forced.
        """
        pieces = script_pieces(write_quoted(request.lines, request.lines))
        first = self._vocabulary.spell(pieces[0])[0]
        script = Script(request.lines, self._vocabulary, 0)
        items = self.complete(
            [], write_gbnf(request.lines), GenerationRequest(request), number=0, most=1
        )
        with closing(items):
            for item in items:
                if isinstance(item, CompletedToken):
                    yield script.logprob_of(first, item)
                    return
                yield None


def _extensions(end: int) -> dict[str, Any]:
    """Return the parameters of llama.cpp and vLLM for plain sampling and for ids of tokens.

    Args:
        end: The token that ends an answer.
    """
    return {
        "top_k": 0,
        "min_p": 0.0,
        "repeat_penalty": 1.0,
        "cache_prompt": True,
        "return_progress": True,
        "return_tokens_as_token_ids": True,
        "add_special_tokens": False,
        "stop_token_ids": [end],
    }


def remote_of(
    endpoint: Endpoint,
    added: Mapping[str, Path],
    known: Path | None = None,
) -> Remote | QuotingProvider:
    """Make the provider of an endpoint.

    A busy endpoint is not waited for where another one takes over.

    Args:
        endpoint: The endpoint, as configured.
        added: The user's own models, by name.
        known: The folder that keeps the abilities of endpoints.

    Raises:
        UsageError: The endpoint's model quotes and is not known here.
        ModelError: The files of the model are damaged.
    """
    patience = Patience(pauses=()) if endpoint.fallback else Patience()
    if endpoint.format != FORMAT:
        probes = endpoint.probe and known is not None
        return Remote(Server(endpoint, folder=known, patience=patience, probes=probes))
    server = Server(endpoint, folder=known, patience=patience)
    name = PurePosixPath(endpoint.model.rstrip("/")).name.removesuffix(".gguf")
    folder = added.get(name)
    if folder is None and name in list_models():
        folder = find_model(name)
    if folder is None or Calibration.read(folder) is None:
        raise UsageError(
            f"{endpoint.name} has format quoting and model {name}, which was not taught to "
            f"quote or "
            f"is not known here; name the model spark-m, or `spark model add` its folder as {name}"
        )
    return QuotingProvider(server, folder)
