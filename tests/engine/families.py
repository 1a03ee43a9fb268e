"""What is compared with other implementations: the tiny model of each family over the same tokens, at some places."""

import numpy as np

from spark_tui.engine.arrays import FloatArray, IntArray
from tests.engine.tiny import VOCAB

TOKENS: IntArray = np.random.default_rng(11).integers(0, VOCAB, 64).astype(np.int32)
"""Enough of them that every RoPE scaling in use turns some pairs differently."""
PLACES = slice(None, None, 9)
"""The tokens whose logits are recorded."""
IDS = slice(None, None, 5)
"""The vocabulary entries whose logits are recorded."""
SEED = 5


def recorded_part(logits: FloatArray) -> FloatArray:
    """The places that are recorded. logits: (T, V)."""
    return logits[PLACES, IDS].astype(np.float32)


def difference(left: FloatArray, right: FloatArray) -> float:
    """The largest difference between logits, as a share of the largest logit."""
    return float(np.abs(left - right).max() / np.abs(right).max())
