"""Several sequences that begin with the same tokens, side by side in one cache.

Behind the prefix, branch b owns `room` slots: its token t lies in slot prefix + b * room + t, has position prefix + t,
and attends to the prefix and to its own branch only.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from spark_tui.engine.arrays import IntArray
from spark_tui.engine.cache import KVCache
from spark_tui.engine.snapshots import common_prefix
from spark_tui.errors import ShapeError


def checked_ids(token_ids: npt.ArrayLike, room: int, vocab_size: int) -> npt.NDArray[np.int64]:
    """A copy of T tokens for a pass, (T,). Raises: ShapeError: none, more than fit, or ids outside the vocabulary."""
    ids = np.array(token_ids, np.int64)
    if ids.ndim != 1 or not 1 <= len(ids) <= room:
        raise ShapeError(f"tokens of shape {ids.shape} for a cache with room for {room}")
    if ids.min() < 0 or ids.max() >= vocab_size:
        raise ShapeError(f"token ids from {ids.min()} to {ids.max()} for {vocab_size} in the vocabulary")
    return ids


@dataclass(frozen=True, slots=True)
class Places:
    """Where T new tokens belong, (T,) each. A token attends to slots 0 to prefix and `starts` to its own slot."""

    slots: IntArray
    positions: IntArray
    starts: IntArray
    """The first slot of each one's branch."""
    last: IntArray
    """(N,) which of the T are the last of their branch."""


class Branches:
    """`count` sequences behind a prefix that a cache holds. Mutable.

    The cache's length stays that of the prefix. When it moves, what the branches hold is lost, and they are `stale`.

    Args: count: of branches, from 1. room: tokens each may hold. prefix: how many of the tokens held all branches
        share, by default all; the cache is trimmed to them. beginnings: for each branch the tokens it will begin with:
        what the cache held of them behind the prefix is taken over and need not run.
    Raises: ShapeError: the branches do not fit into the cache, or there is no such prefix.
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
            raise ShapeError(f"{count} branches of {room} tokens behind {self.prefix} of {cache.capacity}")
        self.cache, self.count, self.room = cache, count, room
        self._ids: IntArray = np.empty((count, room), np.int32)
        self._lengths: IntArray = np.zeros(count, np.int32)
        behind = np.array(cache.token_ids[self.prefix : self.prefix + room], np.int32)
        cache.trim(self.prefix)
        self._changes = cache.changes
        for branch, beginning in enumerate(beginnings):
            ids = behind[: common_prefix(behind, np.asarray(beginning, np.int32))]
            if branch and len(ids):  # the first branch has them already
                cache.copy(self.prefix, self.prefix + branch * room, len(ids))
            self._ids[branch, : len(ids)] = ids
            self._lengths[branch] = len(ids)

    @property
    def stale(self) -> bool:
        """Whether the cache went on to something else."""
        return self.cache.changes != self._changes

    def length(self, branch: int) -> int:
        """How many tokens a branch holds behind the prefix."""
        return int(self._lengths[branch])

    def token_ids(self, branch: int) -> list[int]:
        """The tokens a branch holds behind the prefix."""
        ids: list[int] = self._ids[branch, : self._lengths[branch]].tolist()
        return ids

    def place(self, which: npt.ArrayLike) -> Places:
        """Where new tokens belong. Args: which: (T,) the branch of each, ascending; k times the same takes k tokens.

        Raises: ShapeError: no such branch, one without so much room, or stale branches.
        """
        branches = np.asarray(which, np.int32)
        self._check(branches)
        _, first, counts = np.unique(branches, return_index=True, return_counts=True)
        within = np.arange(len(branches)) - np.repeat(first, counts) + self._lengths[branches]
        if within.max() >= self.room:
            raise ShapeError(f"branch {branches[within.argmax()]} has room for {self.room} tokens")
        starts = self.prefix + branches * self.room
        slots, positions = starts + within, self.prefix + within
        last = first + counts - 1
        return Places(*(array.astype(np.int32) for array in (slots, positions, starts, last)))

    def extend(self, token_ids: IntArray, which: IntArray) -> None:
        """Count T tokens whose keys and values every layer has put where `place` says."""
        for token_id, branch in zip(token_ids, which, strict=True):
            self._ids[branch, self._lengths[branch]] = token_id
            self._lengths[branch] += 1

    def trim(self, branch: int, length: int) -> None:
        """Forget all but the first tokens of a branch. Raises: ShapeError: there are fewer."""
        if not 0 <= length <= self._lengths[branch]:
            raise ShapeError(f"cannot trim a branch of {self._lengths[branch]} tokens to {length}")
        self._lengths[branch] = length

    def _check(self, branches: IntArray) -> None:
        if self.stale:
            raise ShapeError("the cache went on without these branches; begin them again")
        if branches.ndim != 1 or not len(branches) or branches.min() < 0 or branches.max() >= self.count:
            raise ShapeError(f"branches {branches.tolist()} of {self.count}")
        if (np.diff(branches) < 0).any():
            raise ShapeError("the tokens of a pass must be in the order of their branches")
