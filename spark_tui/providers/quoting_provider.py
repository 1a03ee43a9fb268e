"""A model taught to quote, on a server.

Writes scripts that quote with a model on a server, the likeliest first.

Tokens are held to the grammar here, too, whether or not the server was.

The server's log-probabilities are of all tokens. Those of the tokens that the grammar allows are
worked out from the likeliest ones that the server tells: they mean what they mean in process.

An endpoint that runs a model taught to quote.

The prompt, the grammar and the confidence are those in process.

The model's tokenizer and answering.json are read here; its weights run there.
"""

import heapq
import math
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from http import HTTPStatus
from itertools import count, product
from pathlib import Path, PurePosixPath
from typing import Any, Protocol

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
from spark_tui.errors import SparkError, Transient, UsageError
from spark_tui.providers.base import (
    Ability,
    AnswerFinished,
    AnswerStarted,
    EditKind,
    GenerationRequest,
    Item,
    Provider,
    TokenGenerated,
    Waits,
)
from spark_tui.providers.calibration import Calibration
from spark_tui.providers.openai_client import Reply, Server
from spark_tui.providers.openai_errors import BusyWait, Patience, is_never_final
from spark_tui.providers.openai_provider import Remote
from spark_tui.providers.openai_stream import CompletedToken, LikelyToken
from spark_tui.providers.spark_model import QuotingPrompt, begun_tokens, vocabulary_of

LIKELY = 20
"""Likely tokens that are asked for at each place."""
_MOST_OTHERS = 3
_SURE = -0.02
"""Other tokens that a script may part by at a place; from this log-probability there is none."""
_LEAST_MASS = 1e-9
_UNKNOWN = math.log(0.5)
"""The log-probability of a token of which nothing is known, in an answer that has others."""
_STEPS_BACK = 64
"""Tokens that may be taken back in one script, before the server is given up."""

Completed = Reply[CompletedToken]


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
    ) -> Generator[CompletedToken | BusyWait | None, None, str | None]:
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
        """Decide about an answer that broke off.

        Returns:
            Whether to go on from its last token.
        """


@dataclass(frozen=True, slots=True)
class TokenChoice:
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

    def _script(self, number: int, known: Sequence[TokenGenerated]) -> Iterator[Item]:
        script = Script(self._ask.request.lines, self._vocabulary, number)
        yield AnswerStarted(number, tuple(script.take(each.token, each.logprob) for each in known))
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
        """Take what the server writes.

        Returns:
            Why it ended; None where it was left.
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
                else:
                    yield Waits(item.line if item else "")
        return None

    def _take(self, script: "Script", token: CompletedToken) -> Iterator[TokenGenerated]:
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

    def _chosen(self, script: "Script", place: TokenChoice) -> TokenGenerated:
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
                    yield Waits(item.line if item else "")
        yield self._chosen(script, place or TokenChoice(self._vocabulary.end, 0.0, forced=True))

    def _known(self, number: int, logprob: float) -> TokenGenerated:
        return TokenGenerated(0, number, self._vocabulary.pieces[number] or b"", logprob)

    def _push(self, steps: tuple[TokenGenerated, ...]) -> None:
        total = sum(step.logprob for step in steps)
        heapq.heappush(self._open, (-total, next(self._numbers), steps))


class Script:
    """One script while it is written.

    Mutable.

    Attributes:
        written: Its tokens.
        went_astray: Whether the server's last token was not allowed.
        steps_back: How often that was so.
        has_logprobs: Whether the server tells log-probabilities.
        is_unreadable: Whether it then leaves out text, so that none can be asked for.
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

    def place(self, number: int, token: CompletedToken) -> TokenChoice | None:
        """What is known of a token here; None where the grammar does not allow it."""
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
        ranked = sorted(others.items(), key=lambda pair: -pair[1])
        rest = [
            (other, each - math.log(max(mass, _LEAST_MASS)))
            for other, each in ranked
            if other != number
        ]
        return TokenChoice(
            number, min(logprob, 0.0), forced=False, others=tuple(rest[:_MOST_OTHERS])
        )

    def logprob_of(self, number: int, token: CompletedToken) -> float | None:
        """The log-probability of a token here; None where the server tells none of the place."""
        mass, likely = self._mass(self._grammar.allowed(), token)
        if not likely:
            return None
        if number not in likely:
            return math.log(_LEAST_MASS)
        return min(0.0, likely[number] - math.log(max(mass, _LEAST_MASS)))

    def place_of_end(self, token: CompletedToken) -> TokenChoice | None:
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

    def likeliest(self, token: CompletedToken) -> TokenChoice | None:
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

    def answer(self) -> AnswerFinished:
        """What the script came to."""
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
"""Tokens for words and an answer, where the lines are to be chosen."""
_REFUSED = frozenset(
    {
        HTTPStatus.BAD_REQUEST,
        HTTPStatus.UNPROCESSABLE_ENTITY,
        HTTPStatus.INTERNAL_SERVER_ERROR,
        HTTPStatus.NOT_IMPLEMENTED,
    }
)
"""What servers answer to a request that has something they do not know."""


@dataclass(frozen=True, slots=True)
class Form:
    """What a request holds besides what every server takes.

    Attributes:
        tokens: The prompt as tokens; else as text, which may be split otherwise at blank lines.
        grammar: GBNF, under the names that servers have for it.
        logprobs: The likeliest tokens of each place are asked for.
    """

    tokens: bool = True
    grammar: bool = True
    logprobs: bool = True


FORMS = tuple(
    Form(tokens, grammar, logprobs)
    for grammar, logprobs, tokens in product((True, False), repeat=3)
)
"""What is tried with a server, until it refuses nothing."""


class QuotingProvider(Provider):
    """Answers with an endpoint whose model quotes.

    One answer at a time.

    Args:
        server: The endpoint.
        folder: The model's folder here: its tokenizer.json and answering.json are read.

    Raises:
        ModelError: These files are missing or damaged.
    """

    standing = ""
    """What the user wants of every answer; a model that quotes is not told."""

    def __init__(self, server: Server, folder: Path) -> None:
        self._server = server
        self._folder = folder
        self.name = server.endpoint.name
        self.context = min(server.endpoint.context, _MOST_READ)
        """Tokens that the prompt and the answer may take together."""
        self._calibration = Calibration.read(folder) or Calibration()
        self._form: Form | None = None
        self._tells_logprobs = True
        self._reply: Completed | None = None
        self._on_failure: Callable[[str], None] | None = None
        self._is_final: Callable[[SparkError], bool] = is_never_final

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
        if not self._tells_logprobs:
            return Ability.BEGIN | Ability.READ_AHEAD
        known = Ability.BEGIN | Ability.READ_AHEAD | Ability.PROBABILITIES
        return known | Ability.PREVIOUS if self._calibration.conversation else known

    @property
    def sure(self) -> float:
        """See `Provider`."""
        return self._calibration.sure

    @property
    def done(self) -> float:
        """See `Provider`."""
        return self._calibration.done

    @property
    def cost(self) -> float | None:
        """See `Provider`."""
        endpoint = self._server.endpoint
        spent = self._reply.spent if self._reply else None
        if not spent or not (endpoint.price_in or endpoint.price_out):
            return None
        return (spent[0] * endpoint.price_in + spent[1] * endpoint.price_out) / 1e6

    def close(self) -> None:
        """Close its connections, for good."""
        self._server.close()

    @contextmanager
    def on_failure(
        self, told: Callable[[str], None], is_final: Callable[[SparkError], bool] = is_never_final
    ) -> Iterator[None]:
        """Let someone decide for a while about answers that break off, as `Remote.on_failure`."""
        before = self._on_failure, self._is_final
        self._on_failure = told
        self._is_final = is_final
        try:
            yield
        finally:
            self._on_failure, self._is_final = before

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
        return self._calibration.chance(answers, kind) if self._tells_logprobs else None

    def score(
        self, request: QuotedRequest, results: Sequence[Sequence[str]]
    ) -> Iterator[tuple[int, float]]:
        """How likely it is that nothing changes; other results would have to be sent."""
        for index, lines in enumerate(results):
            if tuple(lines) == request.lines:
                for logprob in self._score_nothing(request):
                    if logprob is not None:
                        yield index, logprob

    def read_ahead(self, request: QuotedRequest) -> Iterator[None]:
        """See `Provider`: a connection is opened, and nothing is sent of the words or the lines."""
        self._server.warm()
        return iter(())

    def complete(
        self,
        script: Sequence[int],
        grammar: str,
        ask: GenerationRequest,
        *,
        number: int,
        most: int,
        text_only: bool = False,
    ) -> Generator[CompletedToken | BusyWait | None, None, str | None]:
        """See `ScriptCompleter`: what a server refuses is left out, from then on."""
        first: UsageError | Transient | None = None
        for form in [self._form] if self._form else FORMS:
            used = replace(form, logprobs=form.logprobs and not text_only)
            reply = self._ask(used, script, grammar, ask, number, most)
            try:
                yield from self._read(reply)
            except (UsageError, Transient) as error:
                if self._form or reply.status not in _REFUSED:
                    raise
                first = first or error
                continue
            self._form = form
            return reply.ended
        raise first or UsageError(f"{self.name} rejects the request; name another model")

    def interrupted(self, error: Transient) -> bool:
        """See `ScriptCompleter`."""
        if not self._on_failure or self._is_final(error):
            return False
        self._on_failure(str(error).rpartition("; ")[0] or str(error))  # not what to do about it
        return True

    def _read(self, reply: Completed) -> Generator[CompletedToken | BusyWait | None, None, None]:
        self._reply = reply
        tells = False
        with closing(iter(reply)) as items:
            for item in items:
                if isinstance(item, BusyWait):
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
        written = b"".join(self._vocabulary.pieces[each] or b"" for each in script)
        text = "".join(self._prompt.pieces(ask.request)) + written.decode("utf-8", "ignore")
        return self._server.complete(text, options)

    def _score_nothing(self, request: QuotedRequest) -> Iterator[float | None]:
        """The log-probability that nothing changes: that of its first token, the rest is forced."""
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
    """What llama.cpp and vLLM take besides OpenAI's protocol: plain sampling, and ids of tokens."""
    return {
        "top_k": 0,
        "min_p": 0.0,
        "repeat_penalty": 1.0,
        "cache_prompt": True,
        "return_tokens_as_token_ids": True,
        "add_special_tokens": False,
        "stop_token_ids": [end],
    }


def remote_of(
    endpoint: Endpoint,
    added: Mapping[str, Path],
    known: Path | None = None,
) -> Remote | QuotingProvider:
    """What answers with an endpoint; a busy one is not waited for where another takes over.

    Args:
        endpoint: What the configuration says.
        added: Models of the user's own, by name.
        known: The folder of what is known of endpoints.

    Raises:
        UsageError: The endpoint's model quotes and is not known here.
        ModelError: Its files are damaged.
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
