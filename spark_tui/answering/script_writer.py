"""Writes scripts that quote, token by token: the likeliest one, then those that part from it where that is likely."""

import math
import re
from collections.abc import Generator, Iterator, Sequence

import numpy as np

from spark_tui.answering.seam import Answer, Ask, Began, Item, Read, Wrote
from spark_tui.editing.quoting import ADD, DROP, KEEP, QuotingError
from spark_tui.editing.quoting_grammar import Allowed, Grammar, Vocabulary
from spark_tui.engine.batch import BranchStep, Strand, generate_batch
from spark_tui.engine.cache import KVCache
from spark_tui.engine.draft import Drafter
from spark_tui.engine.generate import Prefilled, Step
from spark_tui.engine.model import Model
from spark_tui.engine.pace import pace_of
from spark_tui.engine.sampling import sampled
from spark_tui.engine.search import Beginning, Search
from spark_tui.errors import UsageError


class ScriptWriter:
    """See `Writer`. Args: cache: trimmed and extended; other prompts may use it between two items.

    Raises: UsageError: an option out of range, or no script begins as the ask says.
    """

    def __init__(
        self, model: Model, cache: KVCache, words: Vocabulary, prompt: Sequence[int], ask: Ask, *, speculate: bool
    ) -> None:
        self._model, self._cache, self._words, self._prompt, self._ask = model, cache, words, list(prompt), ask
        self._room = max(1, min(ask.max_tokens, cache.capacity - len(prompt)))
        self._begun = begun_tokens(ask, words, self._room)
        self._search = Search(
            model, cache, prompt, sampler=sampled(ask.temperature, ask.seed), max_tokens=self._room,
            stop_ids=(words.end,), begun=self._begun,
        )  # fmt: skip
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

    def _beginnings(self, most: int, least: float) -> Iterator[Beginning]:
        for _ in range(most):
            if self._search.best < least or (beginning := self._search.begin()) is None:
                return
            yield beginning

    def _script(self, known: Sequence[Step] = ()) -> "_Script":
        self._count += 1
        return _Script(self._ask.request.lines, self._words, self._count - 1, known)

    def _alone(self, script: "_Script", beginning: Beginning) -> Iterator[Item]:
        yield script.began
        if self._drafter:
            self._drafter.begin([step.token_id for step in beginning.steps])
            self._expect(script)
        for item in self._search.write(beginning, script.allowed, self._drafter):
            if isinstance(item, Prefilled):
                yield Read(item.prompt_tokens, item.cached_tokens, item.done_tokens)
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
            Strand(sampled(self._ask.temperature, self._ask.seed + each.number), each.allowed, self._begun)
            for each in scripts
        ]
        yield from self._together(scripts, generate_batch(
            self._model, self._cache, self._prompt, strands, max_tokens=self._room, stop_ids=(self._words.end,)
        ))  # fmt: skip

    def _together(self, scripts: Sequence["_Script"], items: Iterator[Prefilled | BranchStep]) -> Iterator[Item]:
        yield from (script.began for script in scripts)
        for item in items:
            if isinstance(item, Prefilled):
                yield Read(item.prompt_tokens, item.cached_tokens, item.done_tokens)
            else:
                yield scripts[item.branch].take(item.step)
        yield from (script.answer() for script in scripts)


def begun_tokens(ask: Ask, words: Vocabulary, room: int) -> list[int]:
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
    """One script while it is written. Mutable. Args: known: how it begins."""

    def __init__(self, lines: Sequence[str], words: Vocabulary, number: int, known: Sequence[Step]) -> None:
        self.number = number
        self._grammar, self._words = Grammar(lines, words), words
        self._tokens: list[int] = []
        self._logprobs: list[float] = []
        self._broken = False
        self.began = Began(number, tuple(self.take(step) for step in known))

    def allowed(self) -> Allowed:
        """The tokens allowed next; a script that does not fit is ended."""
        return np.array([self._words.end], np.int32) if self._broken else self._grammar.allowed()

    def take(self, step: Step) -> Wrote:
        """Take one token."""
        self._tokens.append(step.token_id)
        self._logprobs.append(step.logprob)
        try:
            if not self._broken:
                self._grammar.take(step.token_id)
        except QuotingError:
            self._broken = True
        piece = self._words.pieces[step.token_id] or b""
        return Wrote(self.number, step.token_id, piece, step.logprob, step.only, step.passes, step.from_draft)

    def replaced(self) -> str | None:
        """The line that was just taken out, where a new one begins: likely that one once more, with changes."""
        draft = self._grammar.draft
        goes_in = draft.open == ADD.encode() and draft.script and draft.script[-1].startswith(DROP)
        return draft.script[-1].removeprefix(DROP) if goes_in else None

    def answer(self) -> Answer:
        """What it came to."""
        draft, ended = self._grammar.draft, self._grammar.ended and not self._broken
        worst = min(self._logprobs, default=0.0)
        return Answer(
            tuple(draft.applied.result()), tuple(self._tokens), sum(self._logprobs), worst,
            self.number, ended, draft.declined,
        )  # fmt: skip
