"""Rows side by side, padded, with what each token may look at."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spark_tui.training.rows import Row


@dataclass(frozen=True, slots=True)
class Batch:
    """Padded rows: tokens, positions, branches (-1: padding) and learned, all (B, T)."""

    tokens: NDArray[np.int64]
    positions: NDArray[np.int64]
    branches: NDArray[np.int32]
    learned: NDArray[np.bool_]

    @classmethod
    def of(cls, rows: Sequence[Row]) -> "Batch":
        """Rows side by side."""
        shape = len(rows), max(len(row.tokens) for row in rows)
        made = cls(
            np.zeros(shape, np.int64),
            np.zeros(shape, np.int64),
            np.full(shape, -1, np.int32),
            np.zeros(shape, np.bool_),
        )
        for at, row in enumerate(rows):
            size = len(row.tokens)
            made.tokens[at, :size], made.positions[at, :size] = row.tokens, row.positions
            made.branches[at, :size], made.learned[at, :size] = row.branches, row.learned
        return made

    @property
    def size(self) -> int:
        """Tokens, but for the padding."""
        return int((self.branches >= 0).sum())

    def mask(self) -> NDArray[np.bool_]:
        """(B, T, T): True where a token may look: at its region and its own request, not ahead."""
        of, seen = self.branches[:, :, None], self.branches[:, None, :]
        allowed: NDArray[np.bool_] = ((seen == 0) | (seen == of)) & np.tri(self.tokens.shape[1], dtype=np.bool_)
        return allowed
