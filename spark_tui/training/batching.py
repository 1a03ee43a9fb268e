"""Rows side by side, padded, and the order in which a run sees them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spark_tui.training.packed_rows import PackedRows
from spark_tui.training.rows import Row

LENGTH_MULTIPLE = 16
"""A padded length is a multiple of this: kernels of attention want an aligned mask."""
_BUCKET = 4096
"""Rows sorted by length together, so that a batch holds little padding."""
_PADDING = -1


@dataclass(frozen=True, slots=True)
class Batch:
    """Padded rows.

    Attributes:
        tokens: (B, T).
        positions: (B, T).
        branches: (B, T), -1 where there is padding.
        kinds: (B, T), see `Row`.
    """

    tokens: NDArray[np.int64]
    positions: NDArray[np.int64]
    branches: NDArray[np.int16]
    kinds: NDArray[np.uint8]

    @classmethod
    def of(cls, rows: Sequence[Row]) -> "Batch":
        """Put rows side by side."""
        shape = len(rows), padded_length(max(len(row.tokens) for row in rows))
        batch = cls(
            np.zeros(shape, np.int64),
            np.zeros(shape, np.int64),
            np.full(shape, _PADDING, np.int16),
            np.zeros(shape, np.uint8),
        )
        for number, row in enumerate(rows):
            size = len(row.tokens)
            batch.tokens[number, :size] = row.tokens
            batch.positions[number, :size] = row.positions
            batch.branches[number, :size] = row.branches
            batch.kinds[number, :size] = row.kinds
        return batch

    @property
    def size(self) -> int:
        """Tokens, without the padding."""
        return int(np.count_nonzero(self.branches != _PADDING))

    def mask(self) -> NDArray[np.bool_]:
        """Return (B, T, T), True where a token may look: at its region and request, not ahead."""
        own, seen = self.branches[:, :, None], self.branches[:, None, :]
        causal = np.tri(self.tokens.shape[1], dtype=np.bool_)
        mask: NDArray[np.bool_] = ((seen == 0) | (seen == own)) & causal
        return mask


def padded_length(length: int) -> int:
    """Return the next multiple of `LENGTH_MULTIPLE`."""
    return -(-length // LENGTH_MULTIPLE) * LENGTH_MULTIPLE


def plan_batches(
    sizes: NDArray[np.int64],
    numbers: NDArray[np.int64],
    most: int,
    rng: np.random.Generator | None = None,
) -> list[NDArray[np.int64]]:
    """Group rows of like length.

    Args:
        sizes: Tokens of every row.
        numbers: The rows to group.
        most: Tokens of a batch with its padding; a longer row gets a batch of its own.
        rng: Shuffles the rows and the batches; None leaves them in order.
    """
    order = numbers if rng is None else rng.permutation(numbers)
    batches = list[NDArray[np.int64]]()
    for start in range(0, len(order), _BUCKET):
        bucket = order[start : start + _BUCKET]
        by_length = bucket[np.argsort(sizes[bucket], kind="stable")]
        batches += split_batch(by_length, sizes, most)
    if rng is None:
        return batches
    return [batches[place] for place in rng.permutation(len(batches))]


def split_batch(
    numbers: NDArray[np.int64],
    sizes: NDArray[np.int64],
    most: int,
) -> list[NDArray[np.int64]]:
    """Cut rows, sorted by length, into batches of at most so many tokens with their padding."""
    batches, start = list[NDArray[np.int64]](), 0
    for stop in range(1, len(numbers)):
        length = padded_length(int(sizes[numbers[stop]]))
        if (stop + 1 - start) * length > most:
            batches.append(numbers[start:stop])
            start = stop
    return [*batches, numbers[start:]]


class Mixture:
    """Rows of several files, each as often in a pass as its weight says."""

    def __init__(self, parts: Sequence[tuple[PackedRows, float]]) -> None:
        """Mix files.

        Args:
            parts: The rows of each file with its weight. 2 means that each pass holds them
                twice, 0.5 that each pass holds another half of them.
        """
        self.rows = PackedRows.join([rows for rows, _ in parts])
        self._sizes = [len(rows) for rows, _ in parts]
        self._weights = [weight for _, weight in parts]

    def draw_pass(self, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the rows of a pass, ordered by file."""
        drawn, start = [np.zeros(0, np.int64)], 0
        for size, weight in zip(self._sizes, self._weights, strict=True):
            copies = int(weight)
            rest = round((weight - copies) * size)
            drawn += [np.arange(start, start + size)] * copies
            drawn.append(start + np.sort(rng.permutation(size)[:rest]))
            start += size
        return np.concatenate(drawn)

    def plan_pass(self, seed: int, number: int, most: int) -> list[NDArray[np.int64]]:
        """Return the batches of a pass; the same arguments give the same ones."""
        rng = np.random.default_rng((seed, number))
        return plan_batches(self.rows.sizes, self.draw_pass(rng), most, rng)


class BatchOrder:
    """The batches of pass after pass. Mutable."""

    def __init__(self, mixture: Mixture, seed: int, most: int) -> None:
        self.mixture, self._seed, self._most = mixture, seed, most
        self.number = self.place = 0
        self._planned: tuple[int, list[NDArray[np.int64]]] | None = None

    def next_step(self, tokens: int) -> list[NDArray[np.int64]]:
        """Return the batches of a step, of so many tokens or a few more with their padding."""
        batches, count = list[NDArray[np.int64]](), 0
        while count < tokens:
            batch = self._next_batch()
            batches.append(batch)
            count += len(batch) * int(self.mixture.rows.sizes[batch].max())
        return batches

    def _next_batch(self) -> NDArray[np.int64]:
        if self._planned is None or self._planned[0] != self.number:
            plan = self.mixture.plan_pass(self._seed, self.number, self._most)
            self._planned = self.number, plan
        plan = self._planned[1]
        batch = plan[self.place]
        self.place += 1
        if self.place == len(plan):
            self.number, self.place = self.number + 1, 0
        return batch
