"""The KV cache: keeps the keys and values of the tokens so far, so that no pass runs them again.

A snapshot is a copy of a cache, to return to later.

Branches are several sequences that begin with the same tokens, side by side in one cache. After
the prefix, branch b owns `room` slots: its token t lies in slot prefix + b * room + t, has position
prefix + t, and attends to the prefix and to its own branch only.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from spark_tui.engine.arrays import FloatArray, IntArray
from spark_tui.engine.config import ModelConfig
from spark_tui.errors import ShapeError
from spark_tui.stop_signal import StopSignal


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A copy of the content of a cache.

    Attributes:
        token_ids: (S,) the tokens.
        parts: A copy of each view of `KVCache.by_slot`, cut to S slots.
    """

    token_ids: IntArray
    parts: tuple[npt.NDArray[Any], ...]

    @property
    def bytes(self) -> int:
        """The bytes of memory that the snapshot takes."""
        return self.token_ids.nbytes + sum(part.nbytes for part in self.parts)

    def common_prefix(self, token_ids: IntArray) -> int:
        """Return how many first tokens the snapshot shares with `token_ids`."""
        return common_prefix(self.token_ids, token_ids)


class Snapshots:
    """The snapshots used last, so that returning to an earlier sequence runs none of it again.

    Args:
        most_bytes: The most memory that all snapshots together take; 0 keeps none.
    """

    def __init__(self, most_bytes: int = 0) -> None:
        self.most_bytes = most_bytes
        self._kept: list[Snapshot] = []  # the one used longest ago first

    @property
    def bytes(self) -> int:
        """The bytes of memory that all snapshots together take."""
        return sum(snapshot.bytes for snapshot in self._kept)

    def __len__(self) -> int:
        return len(self._kept)

    def keep(self, snapshot: Snapshot) -> None:
        """Keep a snapshot.

        The snapshot replaces every earlier one that shares more than half of its tokens with it.
        The snapshots used longest ago make room. A snapshot larger than `most_bytes` is not kept,
        and changes nothing.
        """
        if snapshot.bytes > self.most_bytes:
            return
        # A shorter version of the same sequence would only repeat what the new snapshot holds.
        kept = []
        for earlier in self._kept:
            shared = earlier.common_prefix(snapshot.token_ids)
            if 2 * shared <= len(earlier.token_ids):
                kept.append(earlier)
        self._kept = [*kept, snapshot]
        while self.bytes > self.most_bytes:
            del self._kept[0]

    def likest(self, token_ids: IntArray, *, over: int) -> Snapshot | None:
        """Return the snapshot that shares most with a sequence, and count it as used.

        Args:
            token_ids: The sequence.
            over: The snapshot must share more tokens than this.

        Returns:
            None where no snapshot shares enough.
        """
        best = None
        most = over
        for snapshot in self._kept:
            shared = snapshot.common_prefix(token_ids)
            if shared > most:
                best = snapshot
                most = shared
        if best is not None:
            others = [snapshot for snapshot in self._kept if snapshot is not best]
            self._kept = [*others, best]
        return best


def common_prefix(left: IntArray, right: IntArray) -> int:
    """Return how many first tokens two sequences share."""
    shared = min(len(left), len(right))
    differs = left[:shared] != right[:shared]
    if not differs.any():
        return shared
    return int(differs.argmax())


WORTH_KEEPING = 32
"""The fewest tokens to keep: running a shorter sequence again is as quick as copying it."""


class KVCache:
    """Keys and values of one sequence, in memory set aside once. For one thread at a time.

    A pass first has every layer `put` its keys and values after the cached tokens, and calls
    `extend` at the end. The length moves only in `extend`, `trim` and `restore`; so a pass that
    breaks off half-way leaves the cache as it was, with whole tokens only.

    Args:
        config: The model's shape.
        capacity: Tokens it can hold, at most `config.max_position_embeddings`, which is also the
            default.

    Attributes:
        length: The number of cached tokens.
        changes: Counts the moves of the length. A reader that finds the same count as before knows
            that the cache still holds the same tokens, and that its branches are still there.
        kept: Snapshots of earlier sequences; none until `kept.most_bytes` is raised.
        stop: A signal that may end a pass over this cache early; None for no signal.

    Raises:
        ShapeError: A capacity out of range.
    """

    def __init__(self, config: ModelConfig, capacity: int | None = None) -> None:
        most = config.max_position_embeddings
        self.capacity = most if capacity is None else capacity
        if not 1 <= self.capacity <= most:
            raise ShapeError(
                f"a cache of {self.capacity} tokens for a model of 1 to {most} positions"
            )
        self._allocate(config)
        self._ids: IntArray = np.empty(self.capacity, np.int32)
        self.length = 0
        self.changes = 0
        self.kept = Snapshots()
        self.stop: StopSignal | None = None

    def _allocate(self, config: ModelConfig) -> None:
        # The tokens of a head side by side: attention reads a head from end to end.
        shape = (config.n_layers, config.n_kv_heads, self.capacity, config.head_dim)
        self._keys: FloatArray = np.empty(shape, np.float32)
        self._values: FloatArray = np.empty(shape, np.float32)

    @property
    def token_ids(self) -> list[int]:
        """The cached tokens, in order."""
        ids: list[int] = self._ids[: self.length].tolist()
        return ids

    @property
    def room(self) -> int:
        """The number of tokens that still fit."""
        return self.capacity - self.length

    @property
    def by_slot(self) -> tuple[npt.NDArray[Any], ...]:
        """Views of all arrays with the slot as first axis, (capacity, ...) each.

        `copy`, `snapshot` and `restore` use nothing else, so they serve caches of other layouts.
        """
        return np.moveaxis(self._keys, 2, 0), np.moveaxis(self._values, 2, 0)

    def put(
        self, layer: int, keys: FloatArray, values: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Write one layer's keys and values of T new tokens after the cached tokens.

        The tokens do not count before `extend`.

        Args:
            layer: The number of the layer, from 0.
            keys: (T, K, D), T <= room.
            values: (T, K, D).

        Returns:
            Keys and values of all S + T tokens, each a view of (K, S + T, D).
        """
        start = self.length
        stop = self.length + len(keys)
        self._keys[layer, :, start:stop] = keys.swapaxes(0, 1)
        self._values[layer, :, start:stop] = values.swapaxes(0, 1)
        return self._keys[layer, :, :stop], self._values[layer, :, :stop]

    def put_at(self, layer: int, slots: IntArray, keys: FloatArray, values: FloatArray) -> None:
        """Write one layer's keys and values of T tokens to any slots.

        Args:
            layer: The number of the layer, from 0.
            slots: (T,).
            keys: (T, K, D).
            values: (T, K, D).
        """
        self._keys[layer, :, slots] = keys
        self._values[layer, :, slots] = values

    def at(self, layer: int, slots: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return one layer's keys and values of S slots, each a copy of (K, S, D).

        Args:
            layer: The number of the layer, from 0.
            slots: (S,).
        """
        return self._keys[layer][:, slots], self._values[layer][:, slots]

    def extend(self, token_ids: IntArray) -> None:
        """Count T tokens as cached, after every layer has put their keys and values.

        Args:
            token_ids: (T,).
        """
        stop = self.length + len(token_ids)
        self._ids[self.length : stop] = token_ids
        self._move_to(stop)

    def trim(self, length: int) -> None:
        """Forget all but the first `length` tokens.

        Raises:
            ShapeError: The cache holds fewer.
        """
        if not 0 <= length <= self.length:
            raise ShapeError(f"cannot trim a cache of {self.length} tokens to {length}")
        self._move_to(length)

    def _move_to(self, length: int) -> None:
        self.changes += length != self.length
        self.length = length

    def copy(self, source: int, target: int, count: int) -> None:
        """Copy `count` slots to others, which may overlap them; the length stays the same."""
        # numpy buffers an assignment between overlapping views of one array.
        for part in self.by_slot:
            part[target : target + count] = part[source : source + count]

    def common_prefix(self, token_ids: npt.ArrayLike) -> int:
        """Return how many first tokens the cache shares with `token_ids`.

        Args:
            token_ids: (N,) ids.
        """
        return common_prefix(self._ids[: self.length], np.asarray(token_ids, np.int32))

    def snapshot(self) -> Snapshot:
        """Return a copy of all cached tokens, with their keys and values."""
        parts = tuple(part[: self.length].copy() for part in self.by_slot)
        return Snapshot(self._ids[: self.length].copy(), parts)

    def restore(self, snapshot: Snapshot) -> None:
        """Take over the tokens of a snapshot of this cache, or of one of the same layout.

        Raises:
            ShapeError: The snapshot does not fit.
        """
        count = len(snapshot.token_ids)
        if count > self.capacity:
            raise ShapeError(f"a snapshot of {count} tokens for a cache of {self.capacity}")
        for part, held in zip(self.by_slot, snapshot.parts, strict=True):
            part[:count] = held
        self._ids[:count] = snapshot.token_ids
        self.length = count
        self.changes += 1  # always: the tokens differ even where the length is the same

    def recall(self, token_ids: npt.ArrayLike) -> None:
        """Prepare for a sequence: restore a snapshot that shares more of it than the cache does.

        The present tokens are kept as a snapshot if most of them would be lost. Callers invoke
        this before each generation; the generation itself then trims and extends.

        Args:
            token_ids: (N,) ids.
        """
        ids = np.asarray(token_ids, np.int32)
        shared = self.common_prefix(ids)
        # Search first: keeping the present tokens may push the snapshot out.
        snapshot = self.kept.likest(ids, over=shared)
        if self.kept.most_bytes and self.length >= WORTH_KEEPING and 2 * shared < self.length:
            self.kept.keep(self.snapshot())
        if snapshot is not None:
            self.restore(snapshot)


def checked_ids(token_ids: npt.ArrayLike, room: int, vocab_size: int) -> npt.NDArray[np.int64]:
    """Return a copy of T tokens for a pass, (T,).

    Raises:
        ShapeError: No tokens, more than fit, or ids outside the vocabulary.
    """
    # Compiled kernels read rows of the embedding at these ids without a check of their own.
    ids = np.array(token_ids, np.int64)
    if ids.ndim != 1 or not 1 <= len(ids) <= room:
        raise ShapeError(f"tokens of shape {ids.shape} for a cache with room for {room}")
    if ids.min() < 0 or ids.max() >= vocab_size:
        raise ShapeError(
            f"token ids from {ids.min()} to {ids.max()} for {vocab_size} in the vocabulary"
        )
    return ids


@dataclass(frozen=True, slots=True)
class Places:
    """The places of T new tokens.

    A token attends to the slots before the prefix's end, and to those from the first of its branch
    to its own.

    Attributes:
        slots: (T,) the slot of each token.
        positions: (T,) the position of each token in its sequence.
        starts: (T,) the first slot of the branch of each token.
        last: (N,) the indices, among the T, of the last token of each branch.
    """

    slots: IntArray
    positions: IntArray
    starts: IntArray
    last: IntArray


class Branches:
    """Several sequences that continue a prefix in a cache.

    The branches lie in the free slots after the prefix, and the length of the cache stays that of
    the prefix. When the length moves, another sequence may overwrite these slots: the branches are
    `stale`.

    Args:
        cache: Holds the prefix.
        count: The number of branches, from 1.
        room: The most tokens of one branch.
        prefix: The number of tokens that all branches share, by default all that the cache holds;
            the cache is trimmed to them.
        beginnings: For each branch the tokens it will begin with. Those that the cache holds
            after the prefix are taken over and need not run.

    Raises:
        ShapeError: The branches do not fit into the cache, or there is no such prefix.
    """

    def __init__(
        self,
        cache: KVCache,
        count: int,
        room: int,
        *,
        prefix: int | None = None,
        beginnings: Sequence[npt.ArrayLike] = (),
    ) -> None:
        self.prefix = cache.length if prefix is None else prefix
        if count < 1 or room < 1 or self.prefix + count * room > cache.capacity:
            raise ShapeError(
                f"{count} branches of {room} tokens behind {self.prefix} of {cache.capacity}"
            )
        self.cache = cache
        self.count = count
        self.room = room
        self._ids: IntArray = np.empty((count, room), np.int32)
        self._lengths: IntArray = np.zeros(count, np.int32)
        # Read the ids before the trim, after which the cache no longer counts them. Their keys and
        # values stay in their slots, and these are the slots of branch 0.
        behind = np.array(cache.token_ids[self.prefix : self.prefix + room], np.int32)
        cache.trim(self.prefix)
        self._changes = cache.changes
        for branch, beginning in enumerate(beginnings):
            ids = behind[: common_prefix(behind, np.asarray(beginning, np.int32))]
            if branch and len(ids):  # branch 0 has them already
                cache.copy(self.prefix, self.prefix + branch * room, len(ids))
            self._ids[branch, : len(ids)] = ids
            self._lengths[branch] = len(ids)

    @property
    def stale(self) -> bool:
        """Whether the cache has been extended or trimmed since, so that the branches are lost."""
        return self.cache.changes != self._changes

    def length(self, branch: int) -> int:
        """Return how many tokens a branch holds after the prefix."""
        return int(self._lengths[branch])

    def token_ids(self, branch: int) -> list[int]:
        """Return the tokens that a branch holds after the prefix."""
        ids: list[int] = self._ids[branch, : self._lengths[branch]].tolist()
        return ids

    def place(self, which: npt.ArrayLike) -> Places:
        """Return where new tokens belong.

        Args:
            which: (T,) the branch of each token, ascending; a branch named k times takes k tokens.

        Raises:
            ShapeError: No such branch, a branch without room, or stale branches.
        """
        branches = np.asarray(which, np.int32)
        self._check(branches)
        _, first, counts = np.unique(branches, return_index=True, return_counts=True)
        # The index of a token in its branch: the tokens before it in this pass, and those cached.
        within = np.arange(len(branches)) - np.repeat(first, counts) + self._lengths[branches]
        if within.max() >= self.room:
            raise ShapeError(f"branch {branches[within.argmax()]} has room for {self.room} tokens")
        starts = self.prefix + branches * self.room
        return Places(
            slots=(starts + within).astype(np.int32),
            positions=(self.prefix + within).astype(np.int32),
            starts=starts.astype(np.int32),
            last=(first + counts - 1).astype(np.int32),
        )

    def extend(self, token_ids: IntArray, which: IntArray) -> None:
        """Count T tokens as cached, after every layer has put their keys and values.

        Args:
            token_ids: (T,) ids.
            which: (T,) the branch of each token, as for `place`, which says where the keys and
                values belong.
        """
        for token_id, branch in zip(token_ids, which, strict=True):
            self._ids[branch, self._lengths[branch]] = token_id
            self._lengths[branch] += 1

    def trim(self, branch: int, length: int) -> None:
        """Forget all but the first `length` tokens of a branch.

        Raises:
            ShapeError: The branch holds fewer.
        """
        if not 0 <= length <= self._lengths[branch]:
            raise ShapeError(f"cannot trim a branch of {self._lengths[branch]} tokens to {length}")
        self._lengths[branch] = length

    def _check(self, branches: IntArray) -> None:
        if self.stale:
            raise ShapeError("the cache went on without these branches; begin them again")
        is_list = branches.ndim == 1 and len(branches) > 0
        if not is_list or branches.min() < 0 or branches.max() >= self.count:
            raise ShapeError(f"branches {branches.tolist()} of {self.count}")
        if (np.diff(branches) < 0).any():
            raise ShapeError("the tokens of a pass must be in the order of their branches")
