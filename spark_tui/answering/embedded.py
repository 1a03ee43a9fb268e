"""The model taught to edit: it quotes lines of the region and writes new ones, held to scripts that apply."""

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from spark_tui.answering.calibration import Calibration
from spark_tui.answering.local import Local
from spark_tui.answering.quoting_prompt import QuotingPrompt
from spark_tui.answering.script_writer import ScriptWriter
from spark_tui.answering.seam import Ability, Answer, Ask, EditKind, Item
from spark_tui.editing.quoted_draft import QuotedDraft
from spark_tui.editing.quoting import (
    Request,
    region_pieces,
    request_pieces,
    script_pieces,
    write_quoted,
)
from spark_tui.editing.quoting_grammar import Vocabulary
from spark_tui.engine.cache import KVCache
from spark_tui.engine.library import LoadedModel
from spark_tui.engine.score import score
from spark_tui.engine.tokenizer import Tokenizer

END = "<|endoftext|>"
_ATTEMPTS = 3
"""Answers written for each that is wanted: some come to the same lines, and count together."""
_ROOM = 512
"""Tokens for words and an answer, where the lines are to be chosen."""


@lru_cache(maxsize=2)
def vocabulary_of(tokenizer: Tokenizer, size: int) -> Vocabulary:
    """What the grammar needs of a tokenizer; made once a model. Args: size: of the logits."""
    pieces = (tokenizer.piece(number) for number in range(tokenizer.vocab_size))
    texts = [piece if isinstance(piece, bytes) and piece else None for piece in pieces]
    return Vocabulary.of(tokenizer.encode, texts, tokenizer.special(END), size)


@lru_cache(maxsize=4)
def calibration_of(loaded: LoadedModel) -> Calibration | None:
    """What the model's probabilities are worth; None where it does not quote. Raises: ModelError: it is damaged."""
    return Calibration.read(loaded.path) if loaded.path.is_dir() else None


class Embedded(Local):
    """Answers with a model taught the format of `editing.quoting`.

    Args: as for any. Raises: ModelError: its tokenizer has no token to end with.
    """

    def __init__(self, loaded: LoadedModel, cache: KVCache | None = None, *, speculate: bool = True) -> None:
        super().__init__(loaded, cache, speculate=speculate)
        self._words = vocabulary_of(loaded.tokenizer, loaded.config.vocab_size)
        self._calibration = calibration_of(loaded) or Calibration()

    @property
    def can(self) -> Ability:
        """See `Answerer`."""
        always = Ability.PROBABILITIES | Ability.BEGIN | Ability.SCORE | Ability.READ_AHEAD
        return always | Ability.PREVIOUS if self._calibration.conversation else always

    @property
    def done(self) -> float:
        """See `Answerer`."""
        return self._calibration.done

    @property
    def sure(self) -> float:
        """See `Answerer`."""
        return self._calibration.sure

    def write(self, ask: Ask) -> ScriptWriter:
        """See `Answerer`."""
        prompt = self.prompt(ask.request)
        return ScriptWriter(self._loaded.model, self.cache, self._words, prompt, ask, speculate=self._speculate)

    def answers(self, request: Request, *, most: int = 1) -> Iterator[Item]:
        """Write up to `most` answers that differ in their result, and perhaps others. Raises: as `write`."""
        writer, seen = self.write(Ask(request)), set[tuple[str, ...]]()
        for _ in range(most * _ATTEMPTS):
            if writer.best == -math.inf or len(seen) == most:
                return
            for item in writer.write():
                yield item
                if isinstance(item, Answer):
                    seen.add(item.lines)

    def draft(self, lines: Sequence[str]) -> QuotedDraft:
        """See `Answerer`."""
        return QuotedDraft(lines)

    def has_room(self, lines: Sequence[str]) -> bool:
        """See `Answerer`."""
        if not self._readable(lines):
            return False
        tokens = sum(len(self._loaded.tokenizer.encode(line + "\n")) for line in lines)
        return tokens + min(_ROOM, self.cache.capacity // 4) <= self.cache.capacity

    def chance(self, answers: Sequence[Answer], kind: EditKind = EditKind.PLAIN) -> float:
        """See `Answerer`."""
        return self._calibration.chance(answers, kind)

    def score(self, request: Request, results: Sequence[Sequence[str]]) -> Iterator[tuple[int, float]]:
        """See `Answerer`: the log-probability of the canonical script of each result, one after the other."""
        scripts = [[*self._spelled(script_pieces(write_quoted(request.lines, each))), self._words.end]
                   for each in results]  # fmt: skip
        prompt = self.prompt(request)
        self.cache.recall(prompt)
        return score(self._loaded.model, self.cache, prompt, scripts)

    def said(self, requests: Iterable[Request]) -> Iterator[float | None]:
        """See `Answerer`."""
        for request in map(self._prompt.as_taught, requests):
            *before, words, _ = *region_pieces(request.path, request.lines), *request_pieces(request)
            prompt = self._spelled(before)
            yield from self._read(prompt)
            self.cache.recall(prompt)
            yield from (found for _, found in score(self._loaded.model, self.cache, prompt, [self._spelled([words])]))

    def read_ahead(self, request: Request) -> Iterator[None]:
        """See `Answerer`."""
        if self._readable(request.lines):
            yield from self._read(self._spelled(region_pieces(request.path, request.lines)))

    def prompt(self, request: Request) -> list[int]:
        """The tokens of a request, its region first. Raises: UsageError: too long."""
        return self._prompt.tokens(request)

    @property
    def _prompt(self) -> QuotingPrompt:
        conversation = self._calibration.conversation
        return QuotingPrompt(self._loaded.tokenizer, self.cache.capacity, conversation)

    def _spelled(self, pieces: Iterable[str]) -> list[int]:
        return self._prompt.spell(pieces)
