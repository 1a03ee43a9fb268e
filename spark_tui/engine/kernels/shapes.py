"""What compiled passes are told: sizes, and the addresses of everything. `compiled` answers for them."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Table = npt.NDArray[np.int64]


class Shape(NamedTuple):
    """The model's sizes, padded as its weights are; `hidden_size` and `head_size` are without padding."""

    bits: int
    layers: int
    hidden: int
    hidden_size: int
    heads: int
    kv_heads: int
    head: int
    head_size: int
    inner: int
    eps: float


class Room(NamedTuple):
    """The places that passes over one cache work in, and where it keeps keys and values.

    Bytes: record_step from a token's record to the next, scores_step from a head's scores to the next, scores_size of
    a thread's scores; layer_bytes and head_bytes of one layer's and one head's keys, and of their values.
    """

    x: int
    normed: int
    wide: int
    mixed: int
    records: int
    record_step: int
    scores: int
    scores_step: int
    scores_size: int
    keys: int
    values: int
    layer_bytes: int
    head_bytes: int
    cosines: int
    sines: int


class Pass(NamedTuple):
    """What belongs to one pass. Logits are wanted of the tokens from `logits_from` on.

    `first`: the layer it begins with; `resumed`: 1 where that is with its second half.
    """

    tokens: int
    threads: int
    counters: int
    logits: int
    logits_from: int
    first: int
    resumed: int
