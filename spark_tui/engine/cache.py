"""The keys and values of the tokens seen so far."""

from typing import Any

import numpy as np
import numpy.typing as npt

from spark_tui.engine.arrays import FloatArray, IntArray
from spark_tui.engine.config import ModelConfig
from spark_tui.engine.snapshots import Snapshot, Snapshots, common_prefix
from spark_tui.errors import ShapeError

WORTH_KEEPING = 32
"""Tokens; shorter sequences are run again as quickly as they are copied."""


class KVCache:
    """Keys and values of one sequence, in memory set aside once. Mutable; one thread at a time.

    Its length moves only in `extend`, `trim` and `restore`, so that a forward pass that is broken off leaves whole
    tokens. `changes` counts these moves: what lies behind the tokens held is lost with each. `kept` are sequences that
    were held earlier; it keeps none until it is given room.

    Args: config: the model's shape. capacity: tokens it can hold, at most `config.max_position_embeddings`,
        which is also the default.
    Raises: ShapeError: a capacity out of range.
    """

    def __init__(self, config: ModelConfig, capacity: int | None = None) -> None:
        most = config.max_position_embeddings
        self.capacity = most if capacity is None else capacity
        if not 1 <= self.capacity <= most:
            raise ShapeError(f"a cache of {self.capacity} tokens for a model of 1 to {most} positions")
        self._allocate(config)
        self._ids: IntArray = np.empty(self.capacity, np.int32)
        self.length = 0
        self.changes = 0
        self.kept = Snapshots()

    def _allocate(self, config: ModelConfig) -> None:
        shape = (config.n_layers, config.n_kv_heads, self.capacity, config.head_dim)
        self._keys: FloatArray = np.empty(shape, np.float32)
        self._values: FloatArray = np.empty(shape, np.float32)

    @property
    def token_ids(self) -> list[int]:
        """The tokens held, in order."""
        ids: list[int] = self._ids[: self.length].tolist()
        return ids

    @property
    def room(self) -> int:
        """How many more tokens fit."""
        return self.capacity - self.length

    @property
    def by_slot(self) -> tuple[npt.NDArray[Any], ...]:
        """Views of all that is stored for the tokens, (capacity, ...) each: one entry is what a slot holds."""
        return np.moveaxis(self._keys, 2, 0), np.moveaxis(self._values, 2, 0)

    def put(self, layer: int, keys: FloatArray, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Write one layer's part of T new tokens behind the tokens held; `extend` makes them count.

        Args: layer: 0-based. keys, values: (T, K, D), T <= room.
        Returns: keys and values of all S + T tokens, each a view of (K, S + T, D).
        """
        start, stop = self.length, self.length + len(keys)
        self._keys[layer, :, start:stop] = keys.swapaxes(0, 1)
        self._values[layer, :, start:stop] = values.swapaxes(0, 1)
        return self._keys[layer, :, :stop], self._values[layer, :, :stop]

    def put_at(self, layer: int, slots: IntArray, keys: FloatArray, values: FloatArray) -> None:
        """Write one layer's part of T tokens to any slots. Args: slots: (T,). keys, values: (T, K, D)."""
        self._keys[layer, :, slots] = keys
        self._values[layer, :, slots] = values

    def at(self, layer: int, slots: IntArray) -> tuple[FloatArray, FloatArray]:
        """One layer's keys and values of S slots, each a copy of (K, S, D). Args: slots: (S,)."""
        return self._keys[layer][:, slots], self._values[layer][:, slots]

    def extend(self, token_ids: IntArray) -> None:
        """Count T tokens whose keys and values every layer has put. Args: token_ids: (T,)."""
        stop = self.length + len(token_ids)
        self._ids[self.length : stop] = token_ids
        self._move_to(stop)

    def trim(self, length: int) -> None:
        """Forget all but the first `length` tokens.

        Raises: ShapeError: there are fewer.
        """
        if not 0 <= length <= self.length:
            raise ShapeError(f"cannot trim a cache of {self.length} tokens to {length}")
        self._move_to(length)

    def _move_to(self, length: int) -> None:
        self.changes += length != self.length
        self.length = length

    def copy(self, source: int, target: int, count: int) -> None:
        """Copy what `count` slots hold to others, which may overlap them; no token counts more or less for it."""
        for part in self.by_slot:
            part[target : target + count] = part[source : source + count]

    def common_prefix(self, token_ids: npt.ArrayLike) -> int:
        """How many of the first tokens held are also the first of `token_ids`. Args: token_ids: (N,) ids."""
        return common_prefix(self._ids[: self.length], np.asarray(token_ids, np.int32))

    def snapshot(self) -> Snapshot:
        """A copy of all tokens held."""
        parts = tuple(part[: self.length].copy() for part in self.by_slot)
        return Snapshot(self._ids[: self.length].copy(), parts)

    def restore(self, snapshot: Snapshot) -> None:
        """Hold what a snapshot of this cache, or of one like it, held.

        Raises: ShapeError: it does not fit.
        """
        count = len(snapshot.token_ids)
        if count > self.capacity:
            raise ShapeError(f"a snapshot of {count} tokens for a cache of {self.capacity}")
        for part, held in zip(self.by_slot, snapshot.parts, strict=True):
            part[:count] = held
        self._ids[:count] = snapshot.token_ids
        self.length = count
        self.changes += 1

    def recall(self, token_ids: npt.ArrayLike) -> None:
        """Get ready for a sequence: hold what is known of it, be it from longer ago.

        What is held now is kept for later if most of it would be lost. Args: token_ids: (N,) ids.
        """
        ids = np.asarray(token_ids, np.int32)
        shared = self.common_prefix(ids)
        found = self.kept.likest(ids, over=shared)
        if self.kept.most_bytes and self.length >= WORTH_KEEPING and 2 * shared < self.length:
            self.kept.keep(self.snapshot())
        if found is not None:
            self.restore(found)
