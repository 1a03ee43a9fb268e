"""Generation for the OpenAI-compatible interface: steps of the engine, and stops in their text."""

from codecs import getincrementaldecoder
from collections.abc import Collection, Generator, Sequence
from dataclasses import dataclass

import numpy as np

from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.generate import (
    Prefilled,
    Sampler,
    generate,
    logprob_of,
    logprobs_of,
    sampled,
)
from spark_tui.engine.scoring import read_logits
from spark_tui.engine.speculative import Drafter, pace_of
from spark_tui.serve.client_engine import ClientEngine


@dataclass(frozen=True, slots=True)
class SamplingOptions:
    """How tokens are chosen.

    Attributes:
        max_tokens: The most tokens.
        temperature: 0 takes the likeliest token.
        top_p: Draw from the likeliest tokens that make up this share of the probability.
        seed: The seed of draws.
        top_logprobs: The number of likely tokens to report for each token.
    """

    max_tokens: int
    temperature: float = 1.0
    top_p: float = 1.0
    seed: int = 0
    top_logprobs: int = 0


Likely = tuple[tuple[int, float], ...]
"""The likeliest tokens at a place, each with its log-probability."""


@dataclass(frozen=True, slots=True)
class PromptToken:
    """A token of the prompt, for an answer that repeats the prompt.

    Attributes:
        token_id: The token.
        logprob: Its log-probability among all tokens; None for the first token, which follows
            nothing, and where nobody asked.
        likely: The likeliest tokens at this place; None like `logprob`.
    """

    token_id: int
    logprob: float | None = None
    likely: Likely | None = None


@dataclass(frozen=True, slots=True)
class PromptPart:
    """Tokens of the prompt that follow each other."""

    tokens: tuple[PromptToken, ...]


@dataclass(frozen=True, slots=True)
class WrittenToken:
    """A token that was chosen.

    Attributes:
        token_id: The token.
        logprob: Its log-probability among all tokens.
        likely: The likeliest tokens at this place, each with its log-probability.
        is_end: Whether the token ends the text.
    """

    token_id: int
    logprob: float
    likely: Likely
    is_end: bool


TextItem = PromptPart | Prefilled | WrittenToken
"""A step of a text: a part of its prompt repeated, a part of its prompt read, a token written."""


class _Recorder:
    """A sampler that records the likeliest tokens of its last choice. Mutable."""

    def __init__(self, options: SamplingOptions) -> None:
        self._options = options
        self._choose = sampled(options.temperature, options.seed)
        self.likely: Likely = ()

    def choose(self, logits: FloatArray, step: int) -> tuple[int, float]:
        """See `Sampler`."""
        self.likely = _likeliest(logits, self._options.top_logprobs)
        kept = logits
        if self._options.temperature > 0 and self._options.top_p < 1:
            kept = _nucleus(logits, self._options)
        token_id, _ = self._choose(kept, step)
        # Clients want the probability that the model gave, before temperature and `top_p`.
        return token_id, logprob_of(logits, token_id)


def _likeliest(logits: FloatArray, count: int) -> Likely:
    if not count:
        return ()
    count = min(count, len(logits))
    # Only these few have to be sorted, not the whole vocabulary.
    ids = np.argpartition(logits, -count)[-count:]
    ordered = sorted(ids.tolist(), key=lambda token_id: (-logits[token_id], token_id))
    return tuple(zip(ordered, logprobs_of(logits, ordered), strict=True))


def _nucleus(logits: FloatArray, options: SamplingOptions) -> FloatArray:
    """Set the logits of tokens outside the nucleus to -inf.

    The nucleus is the smallest set of likeliest tokens with a share of `top_p` or more.

    Source:
        Holtzman et al., The Curious Case of Neural Text Degeneration, 2019.
    """
    order = np.argsort(-logits, kind="stable")
    weights = np.exp((logits[order] - logits.max()) / options.temperature, dtype=np.float64)
    before = np.cumsum(weights) - weights
    dropped = order[before >= options.top_p * weights.sum()]
    # The likeliest token stays even with `top_p` 0.
    dropped = dropped[dropped != order[0]]
    kept = logits.copy()
    kept[dropped] = -np.inf
    return kept


_SCORED = 64
"""Tokens of a prompt that are scored in one pass: their logits are all in memory at once."""


def score_prompt(
    engine: ClientEngine, prompt: Sequence[int], top_logprobs: int
) -> Generator[PromptPart, None, None]:
    """Read a prompt, and say how likely each of its tokens was after those before it.

    Raises:
        ModelError: The model fails.
    """
    yield PromptPart((PromptToken(prompt[0]),))
    # The logits after the last token say nothing about the prompt.
    passes = read_logits(engine.loaded.model, engine.cache, prompt[:-1], _SCORED)
    at = 1
    for rows in passes:
        tokens = []
        for token_id, logits in zip(prompt[at:], rows, strict=False):
            likely = _likeliest(logits, top_logprobs)
            tokens.append(PromptToken(token_id, logprob_of(logits, token_id), likely))
        at += len(tokens)
        yield PromptPart(tuple(tokens))


def write_tokens(
    engine: ClientEngine, prompt: Sequence[int], options: SamplingOptions, ends: Collection[int]
) -> Generator[Prefilled | WrittenToken, None, None]:
    """Read a prompt and write after it; with `max_tokens` 0, do neither.

    Args:
        engine: The client's engine.
        prompt: The tokens of the prompt, at least one.
        options: How tokens are chosen.
        ends: Tokens that end the text.

    Raises:
        UsageError: An option is out of range.
        ModelError: The model fails.
    """
    if not options.max_tokens:
        return
    recorder = _Recorder(options)
    sampler: Sampler = recorder.choose
    # Begin with what the cache of this client knows of the prompt, perhaps from an earlier one.
    engine.cache.recall(prompt)
    # Drafts come from the prompt. They make it faster, and never change a token.
    steps = generate(
        engine.loaded.model,
        engine.cache,
        prompt,
        sampler=sampler,
        max_tokens=min(options.max_tokens, engine.cache.capacity - len(prompt)),
        stop_ids=ends,
        draft=Drafter(prompt, pace_of(engine.loaded.model)),
    )
    for step in steps:
        if isinstance(step, Prefilled):
            yield step
        else:
            is_end = step.token_id in ends
            yield WrittenToken(step.token_id, step.logprob, recorder.likely, is_end)


class StoppedText:
    """Text that grows up to the first stop. Mutable.

    An end of the text that may be the beginning of a stop is held back, and so is half a character.

    Args:
        stops: The texts that end this one, none of them empty.
    """

    def __init__(self, stops: Sequence[str]) -> None:
        self._stops = stops
        self._decode = getincrementaldecoder("utf-8")("replace").decode
        self._held = ""
        self.is_stopped = False

    def take(self, piece: bytes) -> str:
        """Take a piece, and return the text that is certain now."""
        return self._released(self._decode(piece))

    def finish(self) -> str:
        """Return the text that was held back, once no more comes."""
        if self.is_stopped:
            return ""
        text = self._released(self._decode(b"", final=True))
        rest = self._held
        self._held = ""
        return text + rest

    def _released(self, text: str) -> str:
        if self.is_stopped:
            return ""
        self._held += text
        found = [at for stop in self._stops if (at := self._held.find(stop)) >= 0]
        if found:
            self.is_stopped = True
            released = self._held[: min(found)]
            self._held = ""
            return released
        keep = self._beginning_of_stop()
        cut = len(self._held) - keep
        released = self._held[:cut]
        self._held = self._held[cut:]
        return released

    def _beginning_of_stop(self) -> int:
        """Return the length of the longest end of the text with which a stop begins."""
        longest = 0
        for stop in self._stops:
            for length in range(min(len(stop) - 1, len(self._held)), longest, -1):
                if self._held.endswith(stop[:length]):
                    longest = length
                    break
        return longest
