"""Generation: chooses tokens after a prompt, for one sequence or several.

A generation is a Python generator: not asking for the next item is a pause, closing the generator
is the end. Several sequences are written side by side, and one forward pass serves them all; each
sequence is the one that `generate` would write with the same sampler and mask.
"""

import math
import time
from collections import deque
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import cast

import numpy as np

from spark_tui.engine.arrays import BoolArray, FloatArray, IntArray
from spark_tui.engine.kv_cache import Branches, KVCache
from spark_tui.engine.model import Model
from spark_tui.engine.speculative import Proposer
from spark_tui.errors import ModelError, ShapeError, UsageError
from spark_tui.stop_signal import PassStopped, StopSignal, current_signal

Sampler = Callable[[FloatArray, int], tuple[int, float]]
"""Chooses the next token.

Args:
    logits: (V,), -inf where a token is not allowed; not modified. Where few tokens are allowed,
        only theirs, (N,).
    step: The number of tokens before this one in the sequence. Together with the seed it fixes a
        draw, wherever the run was paused or branched.

Returns:
    The index of the chosen token in `logits`, and its log-probability at temperature 1 among the
    tokens allowed.
"""


def greedy() -> Sampler:
    """Return a sampler of the likeliest token; among equally likely ones, the lowest id."""

    def choose(logits: FloatArray, _step: int) -> tuple[int, float]:
        token_id = int(logits.argmax())
        return token_id, _logprob(logits, token_id, logits[token_id])

    return choose


def sampled(temperature: float, seed: int) -> Sampler:
    """Return a sampler whose draw depends on the logits, the seed and the step only.

    Args:
        temperature: From 0, which is greedy, to 100.
        seed: Any whole number from 0.

    Raises:
        UsageError: An option out of range.
    """
    if not 0 <= temperature <= 100:
        raise UsageError(f"temperature is {temperature}; choose one from 0 to 100")
    if seed < 0:
        raise UsageError(f"seed is {seed}; choose a whole number from 0")
    if temperature == 0:
        return greedy()

    def choose(logits: FloatArray, step: int) -> tuple[int, float]:
        # Cumulative sums in float64: in float32 the shares of most tokens would be rounded away.
        bounds = np.exp((logits - logits.max()) / temperature, dtype=np.float64).cumsum()
        # A new random stream for each step: a paused sequence goes on as if never paused.
        point = np.random.default_rng((seed, step)).random() * bounds[-1]
        # side="right" passes over tokens of share 0, even where the point is exactly 0.
        token_id = int(bounds.searchsorted(point, side="right"))
        return token_id, logprob_of(logits, token_id)

    return choose


def logprob_of(logits: FloatArray, token_id: int) -> float:
    """Return the log-probability of a token among those allowed.

    Args:
        logits: (V,), -inf where a token is not allowed.
        token_id: The token.
    """
    return _logprob(logits, token_id, logits.max())


def logprobs_of(logits: FloatArray, token_ids: Sequence[int]) -> list[float]:
    """Return the log-probabilities of several tokens; each is that of `logprob_of`."""
    most = logits.max()
    total = math.log(np.exp(logits - most).sum())
    return [float(logits[token_id] - most) - total for token_id in token_ids]


def _logprob(logits: FloatArray, token_id: int, most: np.float32) -> float:
    # Relative to the largest logit, so that exp does not overflow.
    return float(logits[token_id] - most) - math.log(np.exp(logits - most).sum())


Allowed = IntArray | BoolArray
"""The tokens that may be chosen: their ids, ascending; or (V,), True for each such token."""
Mask = Callable[[], Allowed | None]
"""Returns the tokens allowed next, None for all of them; called once before each choice."""


@dataclass(frozen=True, slots=True)
class Prefilled:
    """A part of the prompt has run.

    Attributes:
        prompt_tokens: The number of tokens of the prompt.
        cached_tokens: How many of them were in the cache before.
        done_tokens: How many of them are in the cache now.
    """

    prompt_tokens: int
    cached_tokens: int
    done_tokens: int


@dataclass(frozen=True, slots=True)
class Step:
    """A token was chosen, a stop token included.

    Attributes:
        token_id: The token.
        logprob: Its log-probability at temperature 1 under the mask.
        from_draft: Whether its logits came with an earlier pass, which ran a draft.
        passes: The passes that were run for it; 0 also where its logits came with the prompt.
        only: Whether no other token was allowed; then no pass is needed.
    """

    token_id: int
    logprob: float
    from_draft: bool = False
    passes: int = 0
    only: bool = False


def generate(
    model: Model,
    cache: KVCache,
    prompt_ids: Sequence[int],
    *,
    sampler: Sampler,
    max_tokens: int,
    stop_ids: Collection[int] = (),
    mask: Mask | None = None,
    draft: Proposer | None = None,
) -> Generator[Prefilled | Step, None, None]:
    """Run the prompt, then choose tokens one by one.

    A stop token, `max_tokens` or the end of the cache ends the sequence.

    The tokens that the cache shares with the prompt from the start do not run again. At most one
    forward pass lies between two items, and a token runs only when a choice after it is asked for.
    Between items the cache holds whole tokens, those of a draft included, and may serve another
    generation: this one then runs the missing tokens again when it goes on.

    Args:
        model: Computes the logits.
        cache: Trimmed and extended.
        prompt_ids: The prompt, at least one token.
        sampler: Chooses tokens.
        max_tokens: The most tokens to choose.
        stop_ids: Tokens that end the sequence.
        mask: Says what may be chosen, after the consumer has seen the steps so far.
        draft: Guesses tokens, which run in the pass of the token before them; guesses change no
            choice.

    Yields:
        `Prefilled` at least once, then a `Step` for each token. Where `current_signal` stops a pass
        over the prompt, a `Prefilled` reports no more tokens than the one before.

    Raises:
        ModelError: The sequence outgrows the cache, the mask allows nothing, or the logits are no
            numbers.
        ShapeError: An empty prompt, or a mask of another size.
    """
    if not len(prompt_ids):
        raise ShapeError("the prompt holds no tokens")
    run = _Run(model, cache, prompt_ids, max_tokens, draft)
    # Prefill. Its passes may be stopped half-way; a pass for a token is too short to need that.
    cached = run.known
    for done in run.catch_up(stop=current_signal.get()):
        yield Prefilled(len(prompt_ids), cached, done)
    # Decode: ask the mask, run a pass only if logits are missing, choose.
    for left in range(max_tokens, 0, -1):
        allowed = mask() if mask else None
        passes = 0
        # A token without alternatives needs no logits; several such tokens run later in one pass.
        if only(allowed) is None and run.logits is None:
            # Nothing after a stop token or beyond max_tokens could be used.
            guess = takewhile(lambda token_id: token_id not in stop_ids, run.guess(left - 1))
            for _ in run.catch_up(list(guess)):
                passes += 1
        step = run.step(allowed, sampler, passes)
        yield step
        if step.token_id in stop_ids:
            return


class _Run:
    """A sequence in the making, and the logits already known after it."""

    def __init__(
        self,
        model: Model,
        cache: KVCache,
        prompt_ids: Sequence[int],
        max_tokens: int,
        draft: Proposer | None,
    ) -> None:
        self._model = model
        self._cache = cache
        self._draft = draft
        # One token more than the cache has room for: the last one chosen need not run.
        room = min(max_tokens, max(cache.capacity - len(prompt_ids), 0) + 1)
        self._held = np.empty(len(prompt_ids) + room, np.int32)
        self._held[: len(prompt_ids)] = prompt_ids
        self._length = len(prompt_ids)
        self._from_draft = False
        self._ahead: deque[tuple[int, FloatArray]] = deque()
        """Tokens of a draft that follow the sequence, and the logits after each of them."""
        self.logits: FloatArray | None = None
        """(V,) after the last token; None when it has not run."""
        self._in_cache = 0
        """How many of the tokens the cache holds, valid while its `changes` equal `_changes`."""
        self._changes = -1  # no count of any cache, so that the first look compares the tokens

    @property
    def known(self) -> int:
        """The number of tokens that need not run again; the last always must, for its logits."""
        # Comparing all tokens before each step would cost more the longer the context is.
        if self._cache.changes != self._changes:
            self._changes = self._cache.changes
            self._in_cache = self._cache.common_prefix(self._held[: self._length])
        return min(self._in_cache, self._length - 1)

    def guess(self, most: int) -> Sequence[int]:
        """Return guessed tokens to run after those that the cache lacks.

        Args:
            most: The most tokens that can still be used.
        """
        most = min(most, self._cache.capacity - self._length)
        if self._draft and most > 0:
            return self._draft.propose(self._length - self.known, most)
        return ()

    def catch_up(self, guess: Sequence[int] = (), stop: StopSignal | None = None) -> Iterator[int]:
        """Run the tokens that the cache lacks, and a guess with the last pass.

        Each pass goes `Model.chunk` tokens further than the last, even if another generation took
        the cache in between: two generations that take the cache from each other both end.

        Args:
            guess: Tokens to run after the sequence.
            stop: A signal that may end a pass early, which then runs again.

        Yields:
            The number of tokens done, after each pass.
        """
        self._check_room()
        done = 0
        while done < self._length:
            # Ask again before each pass: the cache may have served others since the last yield.
            known = self.known
            self._cache.trim(known)
            done = min(max(known, done) + self._model.chunk, self._length)
            # A guess follows the last token; earlier passes only read the prompt.
            more = guess if done == self._length else ()
            ids = [*self._held[known:done].tolist(), *more]
            began = time.perf_counter()
            self._cache.stop = stop
            try:
                rows = self._model.forward(ids, self._cache, last_only=not more)
            except PassStopped:
                assert stop is not None
                # The signal asks for a pause, which is the yield. On the next request the same
                # tokens run again, because the stopped pass left nothing in the cache.
                stop.clear()
                done = known
                yield done
                continue
            finally:
                self._cache.stop = None
            if self._draft:
                self._draft.ran(len(ids), time.perf_counter() - began)
            # The logits after the sequence, and after each token of the guess.
            rows = rows[-1 - len(more) :] if more else rows[None]
            # The guess does not count, although the cache holds its tokens: none of them is chosen.
            self._in_cache = done
            self._changes = self._cache.changes
            yield done
        self.logits, *after = rows
        self._ahead = deque(zip(guess, after, strict=True))
        self._from_draft = False

    def step(self, allowed: Allowed | None, sampler: Sampler, passes: int) -> Step:
        """Choose the next token and take it."""
        self._check_room()
        forced = only(allowed)
        if forced is not None:
            step = Step(forced, 0.0, only=True)
        else:
            assert self.logits is not None
            token_id, logprob = choose(self.logits, allowed, sampler, self._length)
            step = Step(token_id, logprob, self._from_draft, passes)
        self._take(step.token_id)
        return step

    def _take(self, token_id: int) -> None:
        self._held[self._length] = token_id
        self._length += 1
        self.logits = None
        self._from_draft = False
        # A guess that was right has run already: its logits are known and the cache holds it. The
        # first wrong guess makes those after it worthless; the next pass trims them away.
        if self._ahead and self._ahead[0][0] == token_id:
            self.logits = self._ahead.popleft()[1]
            self._from_draft = True
            self._in_cache = self._length
        else:
            self._ahead.clear()
        if self._draft:
            self._draft.take(token_id)

    def _check_room(self) -> None:
        if self._length > self._cache.capacity:
            raise outgrown(self._length, self._cache)


def prefill(
    model: Model, cache: KVCache, token_ids: Sequence[int], chunk: int
) -> Iterator[FloatArray]:
    """Run the tokens of a sequence that a cache lacks, and the last token in any case.

    Args:
        model: Computes the logits.
        cache: Trimmed and extended; after the last pass it holds the sequence, and nothing else.
        token_ids: The sequence, at least one token.
        chunk: The most tokens of a pass.

    Yields:
        After each pass the logits (V,) after the last token that has run.
    """
    done = 0
    while done < len(token_ids):
        known = min(cache.common_prefix(token_ids), len(token_ids) - 1)
        cache.trim(known)
        done = min(max(known, done) + chunk, len(token_ids))
        yield model.forward(token_ids[known:done], cache)


def outgrown(tokens: int, cache: KVCache) -> ModelError:
    """Return the error for a sequence of more tokens than a cache holds."""
    return ModelError(
        f"the context is full: {tokens} tokens needed, {cache.capacity} is the limit; choose "
        f"less text"
    )


def ids_of(allowed: Allowed | None) -> IntArray | None:
    """Return the allowed tokens if they are given as ids; None for a mask (V,) or no limit."""
    if allowed is None or allowed.dtype != np.int32:
        return None
    return cast("IntArray", allowed)


def only(allowed: Allowed | None) -> int | None:
    """Return the only token allowed; None where there is a choice."""
    ids = ids_of(allowed)
    if ids is None or len(ids) != 1:
        return None
    return int(ids[0])


def choose(
    logits: FloatArray, allowed: Allowed | None, sampler: Sampler, position: int
) -> tuple[int, float]:
    """Choose a token among those allowed.

    Args:
        logits: (V,).
        allowed: The tokens that may be chosen; None for all.
        sampler: Chooses.
        position: The number of tokens before it.

    Returns:
        The token and its log-probability.

    Raises:
        ModelError: No token is allowed, or the logits are no numbers.
        ShapeError: The mask has another size than the logits.
    """
    ids = ids_of(allowed)
    if ids is None:
        masked = _masked(logits, allowed)
    else:
        # A grammar often leaves a handful of tokens: far less work than on the whole vocabulary.
        masked = logits[ids]
    most = float(masked.max()) if len(masked) else -math.inf
    if most == -math.inf:
        raise ModelError(f"no token may follow token {position}; try other words")
    if not math.isfinite(most):
        raise ModelError(
            "the model computes values that are not numbers; install it again or name another one"
        )
    chosen, logprob = sampler(masked, position)
    if ids is not None:  # the sampler chose an index among the allowed ids
        chosen = int(ids[chosen])
    return chosen, logprob


def _masked(logits: FloatArray, allowed: Allowed | None) -> FloatArray:
    """Return the logits (V,), -inf where a token is not allowed."""
    if allowed is None:
        return logits
    if allowed.shape != logits.shape:
        raise ShapeError(f"a mask of shape {allowed.shape} for logits of shape {logits.shape}")
    return np.where(allowed, logits, np.float32(-np.inf))


_FIRST_ROOM = 64
"""Slots set aside for each sequence at first; all get more when one sequence outgrows them."""
_CHUNK = 64
"""The most tokens of a pass."""


@dataclass(frozen=True, slots=True)
class BranchStep:
    """A token was chosen for one of several sequences.

    Attributes:
        branch: The number of the sequence.
        step: The token.
    """

    branch: int
    step: Step


class Strand:
    """One of several sequences for a prompt.

    Args:
        sampler: As for `generate`.
        mask: As for `generate`.
        begun: The tokens that the sequence begins with, after the prompt.
    """

    def __init__(self, sampler: Sampler, mask: Mask, begun: Sequence[int] = ()) -> None:
        self.ids = list(begun)
        self.over = False
        self.logits: FloatArray | None = None
        """(V,) after the last token; None when it has not run."""
        self._sampler = sampler
        self._mask = mask

    def steps(
        self, prompt_tokens: int, max_tokens: int, stop_ids: Collection[int]
    ) -> Iterator[Step]:
        """Choose tokens until the next choice needs logits of a pass, or the sequence ends."""
        while not self.over:
            allowed = self._mask()
            token_id = only(allowed)
            if token_id is not None:
                step = Step(token_id, 0.0, only=True)
            elif self.logits is not None:
                position = prompt_tokens + len(self.ids)
                step = Step(*choose(self.logits, allowed, self._sampler, position))
            else:
                return
            self.ids.append(step.token_id)
            self.logits = None
            self.over = step.token_id in stop_ids or len(self.ids) >= max_tokens
            yield step


def generate_batch(
    model: Model,
    cache: KVCache,
    prompt_ids: Sequence[int],
    strands: Sequence[Strand],
    *,
    max_tokens: int,
    stop_ids: Collection[int],
) -> Generator[Prefilled | BranchStep, None, None]:
    """Run the prompt, then write all strands side by side.

    A strand ends with a stop token or at `max_tokens`. At most one forward pass lies between two
    items. Between items the cache may serve another generation; lost tokens then run again. In the
    end the cache holds the prompt.

    Args:
        model: Computes the logits.
        cache: Trimmed and extended. The beginning of a strand that the cache holds after the
            prompt does not run again.
        prompt_ids: The prompt, at least one token.
        strands: The sequences, 64 at most.
        max_tokens: The most tokens of a strand, its beginning included.
        stop_ids: Tokens that end a sequence.

    Raises:
        ModelError: The longest sequence outgrows the cache, a mask allows nothing, or the logits
            are no numbers.
    """
    for strand in strands:
        has_stopped = not set(strand.ids).isdisjoint(stop_ids)
        strand.over = strand.over or len(strand.ids) >= max_tokens or has_stopped
    batch = _Batch(model, cache, list(prompt_ids), strands)
    # One round is enough, unless a strand needs more room, the strands do not fit together, or
    # another generation takes the cache.
    while any(not strand.over for strand in strands):
        yield from batch.read_prompt()
        yield from batch.write(max_tokens, stop_ids)


class _Batch:
    """The strands of one call of `generate_batch`."""

    def __init__(
        self, model: Model, cache: KVCache, prompt: list[int], strands: Sequence[Strand]
    ) -> None:
        self._model = model
        self._cache = cache
        self._prompt = prompt
        self._strands = strands

    @property
    def _open(self) -> list[tuple[int, Strand]]:
        return [(number, strand) for number, strand in enumerate(self._strands) if not strand.over]

    def read_prompt(self) -> Iterator[Prefilled]:
        """Run the tokens of the prompt that the cache lacks.

        The last token runs in any case if a strand has no tokens yet: the first choice needs the
        logits after the prompt.
        """
        fresh = [strand for _, strand in self._open if not strand.ids and strand.logits is None]
        ids = self._prompt
        cached = self._cache.common_prefix(ids)
        if cached == len(ids) and not fresh:
            return
        for logits in prefill(self._model, self._cache, ids, _CHUNK):
            if self._cache.length == len(ids):
                for strand in fresh:
                    strand.logits = logits
            yield Prefilled(len(ids), min(cached, len(ids) - 1), self._cache.length)

    def write(self, max_tokens: int, stop_ids: Collection[int]) -> Iterator[BranchStep]:
        """Continue as many strands as fit, until they end.

        Stops early when a strand needs more room, or another generation took the cache.
        """
        # Lay out the branches; tokens that the cache holds after the prompt are taken over.
        group, room = self._laid_out(max_tokens)
        beginnings = []
        for _, strand in group:
            # Where the logits after the last token are missing, that token must run again.
            known = len(strand.ids) if strand.logits is not None else len(strand.ids) - 1
            beginnings.append(strand.ids[:known])
        branches = Branches(
            self._cache, len(group), room, prefix=len(self._prompt), beginnings=beginnings
        )
        # Each turn: all choices that need no pass, then one pass for all strands that wait.
        while True:
            for number, strand in group:
                for step in strand.steps(len(self._prompt), max_tokens, stop_ids):
                    yield BranchStep(number, step)
            waiting = []
            for branch, (_, strand) in enumerate(group):
                if not strand.over:
                    waiting.append((branch, strand))
            if not waiting or branches.stale:
                return
            if max(len(strand.ids) for _, strand in waiting) > room:
                return
            self._run(branches, waiting)

    def _laid_out(self, max_tokens: int) -> tuple[list[tuple[int, Strand]], int]:
        """Return the strands to continue, and the slots of each after the prompt."""
        behind = self._cache.capacity - len(self._prompt)
        longest = max(len(strand.ids) for _, strand in self._open)
        if longest > behind:
            raise outgrown(len(self._prompt) + longest, self._cache)
        # At least one block of room beyond the longest, in whole blocks.
        blocks = 1 + longest // _FIRST_ROOM
        room = min(max_tokens, behind, _FIRST_ROOM * (blocks + 1))
        return self._open[: max(1, behind // room)], room

    def _run(self, branches: Branches, waiting: Sequence[tuple[int, Strand]]) -> None:
        """Run one pass over the tokens that have not run, `_CHUNK` of them at most."""
        ids: list[int] = []
        which: list[int] = []
        for branch, strand in waiting:
            pending = strand.ids[branches.length(branch) :][: _CHUNK - len(ids)]
            ids += pending
            which += [branch] * len(pending)
        rows = self._model.forward_branches(ids, branches, which)
        strands = dict(waiting)
        # If the chunk took only a part of a strand's tokens, the logits are not those after its
        # last token; the next pass runs the rest.
        for branch, row in zip(sorted(set(which)), rows, strict=True):
            if branches.length(branch) == len(strands[branch].ids):
                strands[branch].logits = row
