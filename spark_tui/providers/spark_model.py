"""The provider of spark-m, the model taught to edit, in this process.

The model writes a script (`editing.formats.quoted`) that quotes lines of the region and adds new
ones; a grammar lets through only the tokens of scripts that apply. From the top of the file:

- `ScriptWriter` writes scripts, the likeliest first, then those that branch off where another token
  was likely, too.
- `Local` is the common part of all providers with a model in this process.
- `QuotingPrompt` writes the prompt, which is the same wherever the model runs.
- `SparkModel` is the provider.
"""

import math
import re  # noqa: TID251 - reads an answer
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
from spark_tui.editing.formats.surroundings import NOWHERE, Surroundings
from spark_tui.engine.best_first import BestFirst, Prefix
from spark_tui.engine.generate import (
    BranchStep,
    Prefilled,
    Step,
    Strand,
    generate_batch,
    prefill,
    sampled,
)
from spark_tui.engine.kv_cache import KVCache
from spark_tui.engine.loader import LoadedModel
from spark_tui.engine.model import Model
from spark_tui.engine.scoring import score
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
    """Writes scripts, as a `providers.base.Writer`.

    Args:
        model: The model.
        cache: Trimmed and extended; other prompts may use the cache between two items.
        words: The vocabulary of the model, as the grammar reads it.
        prompt: The tokens of the prompt.
        ask: The request.
        speculate: Whether tokens are drafted.

    Raises:
        UsageError: An option is out of range, or no script begins as the request says.
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
        # other prompts may have used the cache since the last item
        self._cache.recall(self._prompt)
        # The search gives the first draw; the draws after it are generated together.
        if self._ask.temperature > 0 and self._count:
            yield from self._drawn(count)
            return
        # Several scripts share their passes; a script that is alone has its tokens drafted instead.
        beginnings = list(self._beginnings(count, least))
        scripts = [self._script(beginning.steps) for beginning in beginnings]
        if len(scripts) > 1:
            grammars = [script.allowed for script in scripts]
            items = self._search.write_together(beginnings, grammars)
            yield from self._together(scripts, items)
            return
        for script, beginning in zip(scripts, beginnings, strict=True):
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

    def _beginnings(self, most: int, least: float) -> Iterator[Prefix]:
        """Take the likeliest beginnings from the search, none less likely than `least`."""
        for _ in range(most):
            if self._search.best < least:
                return
            beginning = self._search.begin()
            if beginning is None:
                return
            yield beginning

    def _script(self, known: Sequence[Step] = ()) -> "_Script":
        """Begin another script with known steps."""
        self._count += 1
        return _Script(self._ask.request.lines, self._words, self._count - 1, known)

    def _expect(self, script: "_Script") -> None:
        """Tell a drafter that has lost the thread which line is likely to come."""
        if not self._drafter or not self._drafter.lost:
            return
        likely = script.replaced()
        if likely is not None:
            self._drafter.expect(self._words.spell(likely + "\n"))

    def _drawn(self, count: int) -> Iterator[Item]:
        """Write draws with the seeds that come after those used so far."""
        begun = [Step(token, 0.0) for token in self._begun]
        scripts = [self._script(begun) for _ in range(count)]
        strands: list[Strand] = []
        for script in scripts:
            sampler = sampled(self._ask.temperature, self._ask.seed + script.number)
            strands.append(Strand(sampler, script.allowed, self._begun))
        items = generate_batch(
            self._model,
            self._cache,
            self._prompt,
            strands,
            max_tokens=self._room,
            stop_ids=(self._words.end,),
        )
        yield from self._together(scripts, items)

    def _together(
        self, scripts: Sequence["_Script"], items: Iterator[Prefilled | BranchStep]
    ) -> Iterator[Item]:
        """Write several scripts in the same passes."""
        yield from (script.began for script in scripts)
        for item in items:
            if isinstance(item, Prefilled):
                yield PromptProgress(item.prompt_tokens, item.cached_tokens, item.done_tokens)
            else:
                yield scripts[item.branch].take(item.step)
        yield from (script.answer() for script in scripts)


def begun_tokens(ask: GenerationRequest, words: Vocabulary, room: int) -> list[int]:
    """Return the tokens that a script begins with.

    Args:
        ask: The request; `begun` is the text.
        words: The vocabulary.
        room: The most tokens of a script.

    Raises:
        UsageError: The text begins no script, or leaves no room.
    """
    ids: list[int] = []
    for line in re.findall(r"[^\n]*\n|[^\n]+", ask.begun):
        # The model was taught marks, and line feeds behind other lines, as tokens of their own.
        cut = 1 if line[0] in (KEEP, DROP, ADD) else len(line.removesuffix("\n"))
        for part in (line[:cut], line[cut:]):
            if part:
                ids += words.spell(part)
    if len(ids) >= room:
        raise UsageError(f"that makes {len(ids)} tokens, {room} is the limit; write less")
    grammar = Grammar(ask.request.lines, words)
    draft = grammar.draft
    for token in ids:
        if not _is_allowed(grammar.allowed(), token):
            raise UsageError("the model cannot write a line like this; write another one")
        try:
            draft.take(grammar.take(token))
        except QuotingError as e:
            raise UsageError(f"this does not fit here: {e}") from e
    return ids


def _is_allowed(allowed: Allowed, token: int) -> bool:
    """Whether a token is among those allowed: a mask over the vocabulary, or a list of ids."""
    if allowed.dtype == np.bool_:
        return bool(allowed[token])
    return token in allowed


class _Script:
    """One script while it is written.

    Mutable.

    Args:
        lines: The region.
        words: The vocabulary of the model, as the grammar reads it.
        number: The number of the answer.
        known: The steps that the script begins with.
    """

    def __init__(
        self, lines: Sequence[str], words: Vocabulary, number: int, known: Sequence[Step]
    ) -> None:
        self.number = number
        self._grammar = Grammar(lines, words)
        self._draft = self._grammar.draft
        self._words = words
        self._tokens: list[int] = []
        self._logprobs: list[float] = []
        self._broken = False
        pieces = tuple(self.take(step) for step in known)
        self.began = AnswerStarted(number, pieces, self._draft)

    def allowed(self) -> Allowed:
        """Return the tokens allowed next; only the end, once the script does not fit."""
        if self._broken:
            return np.array([self._words.end], np.int32)
        return self._grammar.allowed()

    def take(self, step: Step) -> TokenGenerated:
        """Take a step: one token."""
        self._tokens.append(step.token_id)
        self._logprobs.append(step.logprob)
        closed = False
        try:
            if not self._broken:
                closed = self._draft.take(self._grammar.take(step.token_id))
        except QuotingError:
            self._broken = True
        return TokenGenerated(
            self.number,
            step.token_id,
            self._words.pieces[step.token_id] or b"",
            step.logprob,
            step.only,
            step.passes,
            step.from_draft,
            closed,
            fits=not self._broken,
        )

    def replaced(self) -> str | None:
        """Return the line that was just dropped, where a new line begins; None elsewhere.

        The new line is likely to be the old one with changes.
        """
        draft = self._draft
        if draft.open != ADD.encode() or not draft.script:
            return None
        last = draft.script[-1]
        if not last.startswith(DROP):
            return None
        return last.removeprefix(DROP)

    def answer(self) -> AnswerFinished:
        """Return the answer that the script came to."""
        draft = self._draft
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
"""The most tokens of a new cache."""
_LONGEST_TOKEN = 32
"""Characters of a token that code does not come near to on average."""
_LEAST_AHEAD = 16
"""The fewest tokens that are read ahead, while the user types."""
_CHUNK = 64
"""The most tokens of a pass that reads ahead; a turn may have to wait for one pass."""


class Local(Provider):
    """The base of providers with a model in this process.

    One answer at a time; the cache keeps the region for the next one.

    Args:
        loaded: The model.
        cache: The cache of the model; by default a new one.
        speculate: Whether tokens are drafted; the answers are the same.
    """

    def __init__(
        self, loaded: LoadedModel, cache: KVCache | None = None, *, speculate: bool = True
    ) -> None:
        self._loaded = loaded
        self._speculate = speculate
        room = min(_CAPACITY, loaded.config.max_position_embeddings)
        self.cache = loaded.model.new_cache(room) if cache is None else cache
        """The keys and values of the latest prompt."""

    def _readable(self, lines: Sequence[str]) -> bool:
        """Whether lines may fit: they are worth tokenizing, which takes seconds a megabyte."""
        return sum(map(len, lines)) <= self.cache.capacity * _LONGEST_TOKEN

    def _read(self, ids: Sequence[int]) -> Iterator[None]:
        """Read tokens ahead of a request; not where they are too few, or too many."""
        if len(ids) >= self.cache.capacity:
            return
        self.cache.recall(ids)
        missing = len(ids) - self.cache.common_prefix(ids)
        if missing < _LEAST_AHEAD:
            return
        # Passes of equal size, rather than full ones and a small rest.
        passes = -(-missing // _CHUNK)
        chunk = -(-missing // passes)
        for _ in prefill(self._loaded.model, self.cache, ids, chunk):
            yield None


MAX_WORDS = 400
"""Tokens of the longest instruction."""


@dataclass(frozen=True, slots=True)
class QuotingPrompt:
    """Writes the prompts of a model taught to edit.

    Attributes:
        tokenizer: The tokenizer of the model.
        capacity: Tokens that the model reads.
        conversation: Whether the model was taught to read the last accepted edit.
    """

    tokenizer: Tokenizer
    capacity: int
    conversation: bool

    def is_readable(self, lines: Sequence[str]) -> bool:
        """Whether lines may fit: they are worth tokenizing, which takes seconds a megabyte."""
        return sum(map(len, lines)) <= self.capacity * _LONGEST_TOKEN

    def pieces(self, request: QuotedRequest) -> list[str]:
        """Return the texts of a prompt, the region first; each text is tokenized by itself."""
        request = self.as_taught(request)
        return [*region_pieces(request.path, request.lines), *request_pieces(request)]

    def tokens(self, request: QuotedRequest) -> list[int]:
        """Return the tokens of a prompt.

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
        # Selected lines and the last edit stand in the tail, but are no words of the user.
        if len(tail) > MAX_WORDS + selected + previous:
            raise UsageError(
                f"the instruction is {len(tail)} tokens long, the limit is {MAX_WORDS}; shorten it"
            )
        ids = [*self.spell(region_pieces(request.path, request.lines)), *tail]
        if len(ids) >= self.capacity:
            raise self._too_long(request, f"take {len(ids)} tokens")
        return ids

    def as_taught(self, request: QuotedRequest) -> QuotedRequest:
        """Leave out the last accepted edit where the model was not taught to read edits."""
        if self.conversation:
            return request
        return replace(request, previous=None)

    def spell(self, pieces: Iterable[str]) -> list[int]:
        """Return the tokens of texts, each tokenized by itself."""
        ids: list[int] = []
        for piece in pieces:
            ids += self.tokenizer.encode(piece)
        return ids

    def _too_long(self, request: QuotedRequest, how: str) -> UsageError:
        reads = f"and the model reads {self.capacity} tokens"
        fewer = "select fewer lines with @PATH:L1-L2"
        return UsageError(f"these lines of {request.path} {how} {reads}; {fewer}")


END = "<|endoftext|>"
_ATTEMPTS = 3
"""Answers written for each wanted result: some answers come to the same lines."""
_ROOM = 512
"""Tokens for an instruction and an answer, where the lines are to be chosen."""


@lru_cache(maxsize=2)
def vocabulary_of(tokenizer: Tokenizer, size: int) -> Vocabulary:
    """Make the vocabulary of a grammar from a tokenizer; done once for a model.

    Args:
        tokenizer: The tokenizer.
        size: The number of logits.
    """
    pieces = (tokenizer.piece(number) for number in range(tokenizer.vocab_size))
    # special tokens, whose pieces are no bytes, are never a part of a script
    texts = [piece if isinstance(piece, bytes) and piece else None for piece in pieces]
    return Vocabulary.of(tokenizer.encode, texts, tokenizer.special(END), size)


@lru_cache(maxsize=4)
def calibration_of(loaded: LoadedModel) -> Calibration | None:
    """Read the calibration of a model; None where the model does not quote.

    Raises:
        ModelError: The file is damaged.
    """
    if not loaded.path.is_dir():
        return None
    return Calibration.read(loaded.path)


class SparkModel(Local):
    """Answers with a model taught the format of `editing.formats.quoted`.

    Args:
        loaded: The model.
        cache: The cache of the model; by default a new one.
        speculate: Whether tokens are drafted; the answers are the same.

    Raises:
        ModelError: The tokenizer has no token that ends a text.
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
    def agreed(self) -> float:
        """See `Provider`."""
        return self._calibration.agreed

    @property
    def done(self) -> float:
        """See `Provider`."""
        return self._calibration.done

    @property
    def sure(self) -> float:
        """See `Provider`."""
        return self._calibration.sure

    @property
    def next_edit(self) -> float:
        """See `Provider`."""
        return self._calibration.next_edit

    def write(self, ask: GenerationRequest) -> ScriptWriter:
        """See `Provider`."""
        prompt = self.prompt(ask.request)
        return ScriptWriter(
            self._loaded.model, self.cache, self._words, prompt, ask, speculate=self._speculate
        )

    def answers(self, request: QuotedRequest, *, most: int = 1) -> Iterator[Item]:
        """Write up to `most` answers with different results, and perhaps others between.

        Raises:
            As `write`.
        """
        writer = self.write(GenerationRequest(request))
        seen = set[tuple[str, ...]]()
        # Different scripts may come to the same lines, so more are written than are wanted.
        for _ in range(most * _ATTEMPTS):
            if writer.best == -math.inf or len(seen) == most:
                return
            for item in writer.write():
                yield item
                if isinstance(item, AnswerFinished):
                    seen.add(item.lines)

    def draft(self, lines: Sequence[str], around: Surroundings = NOWHERE) -> QuotedDraft:
        """See `Provider`."""
        return QuotedDraft(lines)

    def has_room(self, lines: Sequence[str]) -> bool:
        """See `Provider`."""
        if not self._readable(lines):
            return False
        # Line by line, as the prompt tokenizes them.
        tokens = sum(len(self._loaded.tokenizer.encode(line + "\n")) for line in lines)
        return tokens + min(_ROOM, self.cache.capacity // 4) <= self.cache.capacity

    def chance(self, answers: Sequence[AnswerFinished], kind: EditKind = EditKind.PLAIN) -> float:
        """See `Provider`."""
        return self._calibration.chance(answers, kind)

    def score(
        self, request: QuotedRequest, results: Sequence[Sequence[str]]
    ) -> Iterator[tuple[int, float]]:
        """See `Provider`: yields the log-probabilities of the canonical scripts, in order."""
        scripts: list[list[int]] = []
        for lines in results:
            pieces = script_pieces(write_quoted(request.lines, lines))
            scripts.append([*self._spelled(pieces), self._words.end])
        prompt = self.prompt(request)
        self.cache.recall(prompt)
        return score(self._loaded.model, self.cache, prompt, scripts)

    def likelihoods(self, requests: Iterable[QuotedRequest]) -> Iterator[float | None]:
        """See `Provider`."""
        for request in map(self._prompt.as_taught, requests):
            pieces = [*region_pieces(request.path, request.lines), *request_pieces(request)]
            # The last piece ends the prompt; the one before has the words of the instruction.
            prompt = self._spelled(pieces[:-2])
            words = self._spelled([pieces[-2]])
            yield from self._read(prompt)
            self.cache.recall(prompt)
            for _, logprob in score(self._loaded.model, self.cache, prompt, [words]):
                yield logprob

    def read_ahead(self, request: QuotedRequest) -> Iterator[None]:
        """See `Provider`."""
        if self._readable(request.lines):
            yield from self._read(self._spelled(region_pieces(request.path, request.lines)))

    def prompt(self, request: QuotedRequest) -> list[int]:
        """Return the tokens of a request, the region first.

        Raises:
            UsageError: The request is too long.
        """
        return self._prompt.tokens(request)

    @property
    def _prompt(self) -> QuotingPrompt:
        conversation = self._calibration.conversation
        return QuotingPrompt(self._loaded.tokenizer, self.cache.capacity, conversation)

    def _spelled(self, pieces: Iterable[str]) -> list[int]:
        return self._prompt.spell(pieces)
