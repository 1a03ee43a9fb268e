"""The model that is taught to edit, in this process.

Writes scripts that quote, token by token: the likeliest one, then those that part from it where
that is likely.

What answers with a model in this process have in common: its cache, how much it reads, and reading
ahead.

The prompt of a model taught to quote, as tokens: the same wherever the model runs.

The model taught to edit: it quotes lines of the region and writes new ones, held to scripts that
apply.
"""

import math
import re
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from spark_tui.editing.formats.quoted import (
    ADD,
    DROP,
    KEEP,
    QuotedDraft,
    QuotedRequest,
    QuotingError,
    previous_pieces,
    region_pieces,
    request_pieces,
    script_pieces,
    write_quoted,
)
from spark_tui.editing.formats.quoted_grammar import Allowed, Grammar, Vocabulary
from spark_tui.engine.best_first import BestFirst, Prefix
from spark_tui.engine.generate import (
    BranchStep,
    Prefilled,
    Step,
    Strand,
    generate_batch,
    prefill,
    sampled,
    score,
)
from spark_tui.engine.kv_cache import KVCache
from spark_tui.engine.loader import LoadedModel
from spark_tui.engine.model import Model
from spark_tui.engine.speculative import Drafter, pace_of
from spark_tui.engine.tokenizer import Tokenizer
from spark_tui.errors import UsageError
from spark_tui.providers.base import (
    Ability,
    AnswerFinished,
    AnswerStarted,
    EditKind,
    GenerationRequest,
    Item,
    PromptProgress,
    Provider,
    TokenGenerated,
)
from spark_tui.providers.calibration import Calibration


class ScriptWriter:
    """See `Writer`.

    Args:
        cache: Trimmed and extended; other prompts may use it between two items.

    Raises:
        UsageError: An option out of range, or no script begins as the ask says.
    """

    def __init__(
        self,
        model: Model,
        cache: KVCache,
        words: Vocabulary,
        prompt: Sequence[int],
        ask: GenerationRequest,
        *,
        speculate: bool,
    ) -> None:
        self._model = model
        self._cache = cache
        self._words = words
        self._prompt = list(prompt)
        self._ask = ask
        self._room = max(1, min(ask.max_tokens, cache.capacity - len(prompt)))
        self._begun = begun_tokens(ask, words, self._room)
        self._search = BestFirst(
            model,
            cache,
            prompt,
            sampler=sampled(ask.temperature, ask.seed),
            max_tokens=self._room,
            stop_ids=(words.end,),
            begun=self._begun,
        )
        self._drafter = Drafter(prompt, pace_of(model)) if speculate else None
        self._count = 0

    @property
    def best(self) -> float:
        """See `Writer`."""
        return 0.0 if self._ask.temperature > 0 else self._search.best

    def write(self, count: int = 1, *, least: float = -math.inf) -> Generator[Item, None, None]:
        """See `Writer`."""
        self._cache.recall(self._prompt)
        if self._ask.temperature > 0 and self._count:
            yield from self._drawn(count)
            return
        beginnings = list(self._beginnings(count, least))
        scripts = [self._script(each.steps) for each in beginnings]
        if len(scripts) == 1:
            yield from self._alone(scripts[0], beginnings[0])
        elif scripts:
            items = self._search.write_together(beginnings, [each.allowed for each in scripts])
            yield from self._together(scripts, items)

    def _beginnings(self, most: int, least: float) -> Iterator[Prefix]:
        for _ in range(most):
            if self._search.best < least or (beginning := self._search.begin()) is None:
                return
            yield beginning

    def _script(self, known: Sequence[Step] = ()) -> "_Script":
        self._count += 1
        return _Script(self._ask.request.lines, self._words, self._count - 1, known)

    def _alone(self, script: "_Script", beginning: Prefix) -> Iterator[Item]:
        yield script.began
        if self._drafter:
            self._drafter.begin([step.token_id for step in beginning.steps])
            self._expect(script)
        for item in self._search.write(beginning, script.allowed, self._drafter):
            if isinstance(item, Prefilled):
                yield PromptProgress(item.prompt_tokens, item.cached_tokens, item.done_tokens)
                continue
            wrote = script.take(item)
            self._expect(script)
            yield wrote
        yield script.answer()

    def _expect(self, script: "_Script") -> None:
        """Tell the drafter what is likely to come, where it follows nothing else."""
        if self._drafter and self._drafter.lost and (likely := script.replaced()) is not None:
            self._drafter.expect(self._words.spell(likely + "\n"))

    def _drawn(self, count: int) -> Iterator[Item]:
        """Draws of the seeds that come after those used so far."""
        scripts = [self._script([Step(token, 0.0) for token in self._begun]) for _ in range(count)]
        strands = [
            Strand(
                sampled(self._ask.temperature, self._ask.seed + each.number),
                each.allowed,
                self._begun,
            )
            for each in scripts
        ]
        yield from self._together(
            scripts,
            generate_batch(
                self._model,
                self._cache,
                self._prompt,
                strands,
                max_tokens=self._room,
                stop_ids=(self._words.end,),
            ),
        )

    def _together(
        self, scripts: Sequence["_Script"], items: Iterator[Prefilled | BranchStep]
    ) -> Iterator[Item]:
        yield from (script.began for script in scripts)
        for item in items:
            if isinstance(item, Prefilled):
                yield PromptProgress(item.prompt_tokens, item.cached_tokens, item.done_tokens)
            else:
                yield scripts[item.branch].take(item.step)
        yield from (script.answer() for script in scripts)


def begun_tokens(ask: GenerationRequest, words: Vocabulary, room: int) -> list[int]:
    """The tokens that a script begins with.

    Args:
        ask: What is asked; `begun` is the text.
        words: The vocabulary.
        room: Tokens of a script.

    Raises:
        UsageError: The text begins no script, or leaves no room.
    """
    ids: list[int] = []
    for line in re.findall(r"[^\n]*\n|[^\n]+", ask.begun):
        at = 1 if line[0] in (KEEP, DROP, ADD) else len(line.removesuffix("\n"))
        ids += [token for part in (line[:at], line[at:]) if part for token in words.spell(part)]
    if len(ids) >= room:
        raise UsageError(f"that makes {len(ids)} tokens, {room} is the limit; write less")
    grammar = Grammar(ask.request.lines, words)
    for token in ids:
        allowed = grammar.allowed()
        if not (allowed[token] if allowed.dtype == np.bool_ else token in allowed):
            raise UsageError("the model cannot write a line like this; write another one")
        try:
            grammar.take(token)
        except QuotingError as e:
            raise UsageError(f"this does not fit here: {e}") from e
    return ids


class _Script:
    """One script while it is written.

    Mutable.

    Args:
        known: How it begins.
    """

    def __init__(
        self, lines: Sequence[str], words: Vocabulary, number: int, known: Sequence[Step]
    ) -> None:
        self.number = number
        self._grammar = Grammar(lines, words)
        self._words = words
        self._tokens: list[int] = []
        self._logprobs: list[float] = []
        self._broken = False
        self.began = AnswerStarted(number, tuple(self.take(step) for step in known))

    def allowed(self) -> Allowed:
        """The tokens allowed next; a script that does not fit is ended."""
        return np.array([self._words.end], np.int32) if self._broken else self._grammar.allowed()

    def take(self, step: Step) -> TokenGenerated:
        """Take one token."""
        self._tokens.append(step.token_id)
        self._logprobs.append(step.logprob)
        try:
            if not self._broken:
                self._grammar.take(step.token_id)
        except QuotingError:
            self._broken = True
        piece = self._words.pieces[step.token_id] or b""
        return TokenGenerated(
            self.number, step.token_id, piece, step.logprob, step.only, step.passes, step.from_draft
        )

    def replaced(self) -> str | None:
        """The line that was just taken out, where a new one begins: likely that one once more,
        with changes.
        """
        draft = self._grammar.draft
        goes_in = draft.open == ADD.encode() and draft.script and draft.script[-1].startswith(DROP)
        return draft.script[-1].removeprefix(DROP) if goes_in else None

    def answer(self) -> AnswerFinished:
        """What it came to."""
        draft = self._grammar.draft
        ended = self._grammar.ended and not self._broken
        worst = min(self._logprobs, default=0.0)
        return AnswerFinished(
            tuple(draft.applied.result()),
            tuple(self._tokens),
            sum(self._logprobs),
            worst,
            self.number,
            ended,
            draft.declined,
        )


_CAPACITY = 8192
_LONGEST_TOKEN = 32
"""Characters a token that no code comes near to on average."""
_LEAST_AHEAD = 16
_CHUNK = 64
"""Tokens that are worth a pass of their own while words are typed; and tokens a pass, which a
turn may wait for.
"""


class Local(Provider):
    """Answers with a model in this process.

    One answer at a time; its cache keeps the region for the next one.

    Args:
        cache: Of the model; by default a new one.
        speculate: Whether tokens are drafted, which changes none.
    """

    def __init__(
        self, loaded: LoadedModel, cache: KVCache | None = None, *, speculate: bool = True
    ) -> None:
        self._loaded = loaded
        self._speculate = speculate
        room = min(_CAPACITY, loaded.config.max_position_embeddings)
        self.cache = loaded.model.new_cache(room) if cache is None else cache
        """What is read of the latest prompt."""

    def _readable(self, lines: Sequence[str]) -> bool:
        """Whether lines may be worth taking apart into tokens, which takes seconds a megabyte."""
        return sum(map(len, lines)) <= self.cache.capacity * _LONGEST_TOKEN

    def _read(self, ids: Sequence[int]) -> Iterator[None]:
        """Read tokens before anything is asked; not where that is too little, or too much."""
        if len(ids) >= self.cache.capacity:
            return
        self.cache.recall(ids)
        missing = len(ids) - self.cache.common_prefix(ids)
        if missing < _LEAST_AHEAD:
            return
        passes = -(-missing // _CHUNK)
        yield from (
            None for _ in prefill(self._loaded.model, self.cache, ids, -(-missing // passes))
        )


MAX_WORDS = 400
"""Tokens of the longest words."""
_LONGEST_PROMPT_TOKEN = 32
"""Characters a token that no code comes near to on average."""


@dataclass(frozen=True, slots=True)
class QuotingPrompt:
    """Writes prompts.

    Attributes:
        tokenizer: That of the model.
        capacity: Tokens that the model reads.
        conversation: Whether the model was taught to read the last accepted edit.
    """

    tokenizer: Tokenizer
    capacity: int
    conversation: bool

    def is_readable(self, lines: Sequence[str]) -> bool:
        """Whether lines may be worth splitting into tokens, which takes seconds a megabyte."""
        return sum(map(len, lines)) <= self.capacity * _LONGEST_PROMPT_TOKEN

    def pieces(self, request: QuotedRequest) -> list[str]:
        """The texts of a prompt, the region first. Each is made tokens of by itself."""
        request = self.as_taught(request)
        return [*region_pieces(request.path, request.lines), *request_pieces(request)]

    def tokens(self, request: QuotedRequest) -> list[int]:
        """The tokens of a prompt.

        Raises:
            UsageError: The lines or the words are too long.
        """
        request = self.as_taught(request)
        if not self.is_readable(request.lines):
            raise self._too_long(request, f"have {sum(map(len, request.lines)):,} characters")
        tail = self.spell(request_pieces(request))
        selected = sum(len(self.tokenizer.encode(line)) for line in request.selected)
        previous = 0
        if request.previous:
            previous = len(self.spell(previous_pieces(request.previous)))
        if len(tail) > MAX_WORDS + selected + previous:
            raise UsageError(
                f"the instruction is {len(tail)} tokens long, the limit is {MAX_WORDS}; shorten it"
            )
        ids = [*self.spell(region_pieces(request.path, request.lines)), *tail]
        if len(ids) >= self.capacity:
            raise self._too_long(request, f"take {len(ids)} tokens")
        return ids

    def as_taught(self, request: QuotedRequest) -> QuotedRequest:
        """Leave out the last accepted edit where the model was not taught to read one."""
        return request if self.conversation else replace(request, previous=None)

    def spell(self, pieces: Iterable[str]) -> list[int]:
        """The tokens of texts, each by itself."""
        return [token for piece in pieces for token in self.tokenizer.encode(piece)]

    def _too_long(self, request: QuotedRequest, how: str) -> UsageError:
        reads = f"and the model reads {self.capacity} tokens"
        fewer = "select fewer lines with --at PATH:L1-L2"
        return UsageError(f"these lines of {request.path} {how} {reads}; {fewer}")


END = "<|endoftext|>"
_ATTEMPTS = 3
"""Answers written for each that is wanted: some come to the same lines, and count together."""
_ROOM = 512
"""Tokens for words and an answer, where the lines are to be chosen."""


@lru_cache(maxsize=2)
def vocabulary_of(tokenizer: Tokenizer, size: int) -> Vocabulary:
    """What the grammar needs of a tokenizer; made once a model.

    Args:
        size: Of the logits.
    """
    pieces = (tokenizer.piece(number) for number in range(tokenizer.vocab_size))
    texts = [piece if isinstance(piece, bytes) and piece else None for piece in pieces]
    return Vocabulary.of(tokenizer.encode, texts, tokenizer.special(END), size)


@lru_cache(maxsize=4)
def calibration_of(loaded: LoadedModel) -> Calibration | None:
    """What the model's probabilities are worth; None where it does not quote.

    Raises:
        ModelError: It is damaged.
    """
    return Calibration.read(loaded.path) if loaded.path.is_dir() else None


class SparkModel(Local):
    """Answers with a model taught the format of `editing.formats.quoted`.

    Args:
        As for any.

    Raises:
        ModelError: Its tokenizer has no token to end with.
    """

    def __init__(
        self, loaded: LoadedModel, cache: KVCache | None = None, *, speculate: bool = True
    ) -> None:
        super().__init__(loaded, cache, speculate=speculate)
        self._words = vocabulary_of(loaded.tokenizer, loaded.config.vocab_size)
        self._calibration = calibration_of(loaded) or Calibration()

    @property
    def can(self) -> Ability:
        """See `Provider`."""
        always = Ability.PROBABILITIES | Ability.BEGIN | Ability.SCORE | Ability.READ_AHEAD
        return always | Ability.PREVIOUS if self._calibration.conversation else always

    @property
    def done(self) -> float:
        """See `Provider`."""
        return self._calibration.done

    @property
    def sure(self) -> float:
        """See `Provider`."""
        return self._calibration.sure

    def write(self, ask: GenerationRequest) -> ScriptWriter:
        """See `Provider`."""
        prompt = self.prompt(ask.request)
        return ScriptWriter(
            self._loaded.model, self.cache, self._words, prompt, ask, speculate=self._speculate
        )

    def answers(self, request: QuotedRequest, *, most: int = 1) -> Iterator[Item]:
        """Write up to `most` answers that differ in their result, and perhaps others.

        Raises:
            As `write`.
        """
        writer = self.write(GenerationRequest(request))
        seen = set[tuple[str, ...]]()
        for _ in range(most * _ATTEMPTS):
            if writer.best == -math.inf or len(seen) == most:
                return
            for item in writer.write():
                yield item
                if isinstance(item, AnswerFinished):
                    seen.add(item.lines)

    def draft(self, lines: Sequence[str]) -> QuotedDraft:
        """See `Provider`."""
        return QuotedDraft(lines)

    def has_room(self, lines: Sequence[str]) -> bool:
        """See `Provider`."""
        if not self._readable(lines):
            return False
        tokens = sum(len(self._loaded.tokenizer.encode(line + "\n")) for line in lines)
        return tokens + min(_ROOM, self.cache.capacity // 4) <= self.cache.capacity

    def chance(self, answers: Sequence[AnswerFinished], kind: EditKind = EditKind.PLAIN) -> float:
        """See `Provider`."""
        return self._calibration.chance(answers, kind)

    def score(
        self, request: QuotedRequest, results: Sequence[Sequence[str]]
    ) -> Iterator[tuple[int, float]]:
        """See `Provider`: the log-probability of the canonical script of each result, one after
        the other.
        """
        scripts = [
            [*self._spelled(script_pieces(write_quoted(request.lines, each))), self._words.end]
            for each in results
        ]
        prompt = self.prompt(request)
        self.cache.recall(prompt)
        return score(self._loaded.model, self.cache, prompt, scripts)

    def said(self, requests: Iterable[QuotedRequest]) -> Iterator[float | None]:
        """See `Provider`."""
        for request in map(self._prompt.as_taught, requests):
            *before, words, _ = (
                *region_pieces(request.path, request.lines),
                *request_pieces(request),
            )
            prompt = self._spelled(before)
            yield from self._read(prompt)
            self.cache.recall(prompt)
            yield from (
                found
                for _, found in score(
                    self._loaded.model, self.cache, prompt, [self._spelled([words])]
                )
            )

    def read_ahead(self, request: QuotedRequest) -> Iterator[None]:
        """See `Provider`."""
        if self._readable(request.lines):
            yield from self._read(self._spelled(region_pieces(request.path, request.lines)))

    def prompt(self, request: QuotedRequest) -> list[int]:
        """The tokens of a request, its region first.

        Raises:
            UsageError: Too long.
        """
        return self._prompt.tokens(request)

    @property
    def _prompt(self) -> QuotingPrompt:
        conversation = self._calibration.conversation
        return QuotingPrompt(self._loaded.tokenizer, self.cache.capacity, conversation)

    def _spelled(self, pieces: Iterable[str]) -> list[int]:
        return self._prompt.spell(pieces)
