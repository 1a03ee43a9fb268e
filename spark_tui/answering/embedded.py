"""The model taught to edit: it quotes lines of the region and writes new ones, held to scripts that apply."""

from collections.abc import Iterable, Iterator
from functools import lru_cache

from spark_tui.answering.seam import Answer, Read, Wrote
from spark_tui.editing.quoting import Request, region_pieces, request_pieces
from spark_tui.editing.quoting_grammar import Grammar, Vocabulary
from spark_tui.engine.cache import KVCache
from spark_tui.engine.draft import Drafter
from spark_tui.engine.generate import Prefilled
from spark_tui.engine.library import LoadedModel
from spark_tui.engine.pace import pace_of
from spark_tui.engine.prefill import prefill
from spark_tui.engine.sampling import Sampler, greedy
from spark_tui.engine.search import Beginning, Search
from spark_tui.engine.tokenizer import Tokenizer

END = "<|endoftext|>"
LONGEST = 512
"""Tokens of an answer."""
_CAPACITY = 8192
_ATTEMPTS = 3
"""Answers written for each that is wanted: some come to the same lines, and count together."""


@lru_cache(maxsize=2)
def vocabulary_of(tokenizer: Tokenizer, size: int) -> Vocabulary:
    """What the grammar needs of a tokenizer; made once a model. Args: size: of the logits."""
    pieces = (tokenizer.piece(number) for number in range(tokenizer.vocab_size))
    texts = [piece if isinstance(piece, bytes) and piece else None for piece in pieces]
    return Vocabulary.of(tokenizer.encode, texts, tokenizer.special(END), size)


class Embedded:
    """Answers with a model in this process. One answer at a time; its cache keeps the region for the next one.

    Args: loaded: a model taught the format of `editing.quoting`. sampler: chooses the tokens of each answer.
    Raises: ModelError: its tokenizer has no token to end with.
    """

    def __init__(self, loaded: LoadedModel, *, sampler: Sampler | None = None) -> None:
        self._loaded, self._sampler = loaded, sampler or greedy()
        self._words = vocabulary_of(loaded.tokenizer, loaded.config.vocab_size)
        self._cache = loaded.model.new_cache(min(_CAPACITY, loaded.config.max_position_embeddings))

    @property
    def cache(self) -> KVCache:
        """What is read of the latest prompt."""
        return self._cache

    def answers(self, request: Request, *, most: int = 1) -> Iterator[Read | Wrote | Answer]:
        """See `Answerer`. Raises: ModelError: the prompt does not fit."""
        prompt = self.prompt(request)
        room = max(1, min(LONGEST, self._cache.capacity - len(prompt)))
        search = Search(
            self._loaded.model, self._cache, prompt,
            sampler=self._sampler, max_tokens=room, stop_ids=(self._words.end,),
        )  # fmt: skip
        drafter = Drafter(prompt, pace_of(self._loaded.model))
        seen: set[tuple[str, ...]] = set()
        for _ in range(most * _ATTEMPTS):
            beginning = search.begin()
            if beginning is None or len(seen) == most:
                return
            grammar = Grammar(request.lines, self._words)
            yield from self._write(search, beginning, grammar, drafter)
            seen.add(tuple(grammar.applied.result()))

    def read_ahead(self, request: Request) -> Iterator[None]:
        """See `Answerer`."""
        ids = self._spelled(region_pieces(request.path, request.lines))
        self._cache.recall(ids)
        yield from (None for _ in prefill(self._loaded.model, self._cache, ids, self._loaded.model.chunk))

    def prompt(self, request: Request) -> list[int]:
        """The tokens of a request, its region first."""
        return self._spelled([*region_pieces(request.path, request.lines), *request_pieces(request)])

    def _spelled(self, pieces: Iterable[str]) -> list[int]:
        return [token for piece in pieces for token in self._loaded.tokenizer.encode(piece)]

    def _write(
        self, search: Search, beginning: Beginning, grammar: Grammar, drafter: Drafter
    ) -> Iterator[Read | Wrote | Answer]:
        logprobs = [step.logprob for step in beginning.steps]
        tokens = [step.token_id for step in beginning.steps]
        for token in tokens:
            grammar.take(token)
        drafter.begin(tokens)
        for item in search.write(beginning, grammar.allowed, drafter):
            if isinstance(item, Prefilled):
                yield Read(item.prompt_tokens, item.cached_tokens, item.done_tokens)
                continue
            grammar.take(item.token_id)
            tokens.append(item.token_id)
            logprobs.append(item.logprob)
            text = (self._words.pieces[item.token_id] or b"").decode("utf-8", "replace")
            lines = tuple(grammar.lines())
            yield Wrote(item.token_id, text, item.logprob, item.only, item.passes, lines, len(grammar.applied.closed))
        result = tuple(grammar.applied.result())
        yield Answer(result, tuple(grammar.script), tuple(tokens), sum(logprobs), min(logprobs, default=0.0))
