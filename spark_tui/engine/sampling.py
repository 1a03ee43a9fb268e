"""Choosing a token from logits: the likeliest one, or a seeded draw."""

import math
from collections.abc import Callable

import numpy as np

from spark_tui.engine.arrays import FloatArray
from spark_tui.errors import UsageError

Sampler = Callable[[FloatArray, int], tuple[int, float]]
"""Chooses the next token.

Args: logits: (V,), -inf where a token is not allowed, not modified. step: the number of tokens before this one in the
    sequence; with the seed it fixes a draw, wherever the run was paused or branched.
Returns: the token's id, and its log-probability at temperature 1 among the tokens allowed.
"""


def greedy() -> Sampler:
    """The likeliest token, the lowest id among equals."""

    def choose(logits: FloatArray, _step: int) -> tuple[int, float]:
        token_id = int(logits.argmax())
        return token_id, _logprob(logits, token_id, logits[token_id])

    return choose


def sampled(temperature: float, seed: int) -> Sampler:
    """A draw that depends on the logits, the seed and the step only.

    Args: temperature: 0 is greedy. seed: any whole number from 0.
    Raises: UsageError: an option out of range.
    """
    if not 0 <= temperature <= 100:
        raise UsageError(f"temperature is {temperature}; choose one from 0 to 100")
    if seed < 0:
        raise UsageError(f"seed is {seed}; choose a whole number from 0")
    if temperature == 0:
        return greedy()

    def choose(logits: FloatArray, step: int) -> tuple[int, float]:
        bounds = np.exp((logits - logits.max()) / temperature, dtype=np.float64).cumsum()
        point = np.random.default_rng((seed, step)).random() * bounds[-1]
        token_id = int(bounds.searchsorted(point, side="right"))
        return token_id, logprob_of(logits, token_id)

    return choose


def logprob_of(logits: FloatArray, token_id: int) -> float:
    """The log-probability of a token among those allowed. Args: logits: (V,)."""
    return _logprob(logits, token_id, logits.max())


def _logprob(logits: FloatArray, token_id: int, most: np.float32) -> float:
    return float(logits[token_id] - most) - math.log(np.exp(logits - most).sum())
