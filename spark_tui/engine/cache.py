"""The keys and values of the tokens seen so far."""

import numpy as np
import numpy.typing as npt

from spark_tui.engine.arrays import FloatArray, IntArray
from spark_tui.engine.config import ModelConfig
from spark_tui.errors import ShapeError


class KVCache:
    """Keys and values of one sequence, in memory set aside once. Mutable; one thread at a time.

    Its length moves only in `extend` and `trim`, so that a forward pass that is broken off leaves whole tokens.

    Args: config: the model's shape. capacity: tokens it can hold, at most `config.max_position_embeddings`,
        which is also the default.
    Raises: ShapeError: a capacity out of range.
    """

    def __init__(self, config: ModelConfig, capacity: int | None = None) -> None:
        most = config.max_position_embeddings
        self.capacity = most if capacity is None else capacity
        if not 1 <= self.capacity <= most:
            raise ShapeError(f"a cache of {self.capacity} tokens for a model of 1 to {most} positions")
        shape = (config.n_layers, config.n_kv_heads, self.capacity, config.head_dim)
        self._keys: FloatArray = np.empty(shape, np.float32)
        self._values: FloatArray = np.empty(shape, np.float32)
        self._ids: IntArray = np.empty(self.capacity, np.int32)
        self.length = 0

    @property
    def token_ids(self) -> list[int]:
        """The tokens held, in order."""
        ids: list[int] = self._ids[: self.length].tolist()
        return ids

    @property
    def room(self) -> int:
        """How many more tokens fit."""
        return self.capacity - self.length

    def put(self, layer: int, keys: FloatArray, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Write one layer's part of T new tokens behind the tokens held; `extend` makes them count.

        Args: layer: 0-based. keys, values: (T, K, D), T <= room.
        Returns: keys and values of all S + T tokens, each a view of (K, S + T, D).
        """
        start, stop = self.length, self.length + len(keys)
        self._keys[layer, :, start:stop] = keys.swapaxes(0, 1)
        self._values[layer, :, start:stop] = values.swapaxes(0, 1)
        return self._keys[layer, :, :stop], self._values[layer, :, :stop]

    def extend(self, token_ids: IntArray) -> None:
        """Count T tokens whose keys and values every layer has put. Args: token_ids: (T,)."""
        stop = self.length + len(token_ids)
        self._ids[self.length : stop] = token_ids
        self.length = stop

    def trim(self, length: int) -> None:
        """Forget all but the first `length` tokens.

        Raises: ShapeError: there are fewer.
        """
        if not 0 <= length <= self.length:
            raise ShapeError(f"cannot trim a cache of {self.length} tokens to {length}")
        self.length = length

    def common_prefix(self, token_ids: npt.ArrayLike) -> int:
        """How many of the first tokens held are also the first of `token_ids`. Args: token_ids: (N,) ids."""
        ids = np.asarray(token_ids, np.int32)
        shared = min(self.length, len(ids))
        differs = self._ids[:shared] != ids[:shared]
        return int(differs.argmax()) if differs.any() else shared
