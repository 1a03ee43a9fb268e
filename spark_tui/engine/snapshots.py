"""Sequences that a cache held earlier, as copies: who comes back to one need not run it again."""

from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from spark_tui.engine.arrays import IntArray


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a cache held at some time. `parts`: what every slot held, (S, ...) each, as the cache stores it."""

    token_ids: IntArray
    parts: tuple[npt.NDArray[Any], ...]

    @property
    def bytes(self) -> int:
        """Memory it takes."""
        return self.token_ids.nbytes + sum(part.nbytes for part in self.parts)

    def common_prefix(self, token_ids: IntArray) -> int:
        """How many of its first tokens are also the first of `token_ids`."""
        return common_prefix(self.token_ids, token_ids)


class Snapshots:
    """The snapshots used last, within a bound. Mutable. Args: most_bytes: 0 keeps none."""

    def __init__(self, most_bytes: int = 0) -> None:
        self.most_bytes = most_bytes
        self._kept: list[Snapshot] = []

    @property
    def bytes(self) -> int:
        """Memory they take together."""
        return sum(each.bytes for each in self._kept)

    def __len__(self) -> int:
        return len(self._kept)

    def keep(self, snapshot: Snapshot) -> None:
        """Take one more, in place of those it shares more than half of; the ones used longest ago make room."""
        self._kept = [each for each in self._kept if 2 * each.common_prefix(snapshot.token_ids) <= len(each.token_ids)]
        self._kept.append(snapshot)
        while self._kept and self.bytes > self.most_bytes:
            del self._kept[0]

    def likest(self, token_ids: IntArray, *, over: int) -> Snapshot | None:
        """The one that shares most with a sequence, if that is more than `over` tokens; it counts as used."""
        best = max(self._kept, key=lambda each: each.common_prefix(token_ids), default=None)
        if best is None or best.common_prefix(token_ids) <= over:
            return None
        self._kept = [each for each in self._kept if each is not best] + [best]
        return best


def common_prefix(one: IntArray, other: IntArray) -> int:
    """How many first tokens two sequences share."""
    shared = min(len(one), len(other))
    differs = one[:shared] != other[:shared]
    return int(differs.argmax()) if differs.any() else shared
