"""All that is known of the edits a request could mean, as rows of numbers: what a ranking weighs."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from spark_tui.editing.codemods.base import Ops, Request
from spark_tui.editing.effects import Effects
from spark_tui.editing.evidence import Evidence, Feature
from spark_tui.editing.habits import Usual, shipped
from spark_tui.editing.shape import Shapes

LEAST_WORDS = -10.0
"""The least that the words speak for a kind."""
_FEATURES = tuple(Feature)
FloatArray = npt.NDArray[np.float32]


class Standings:
    """Of the edits of one region. Args: lines: the region's."""

    def __init__(self, lines: Sequence[str], request: Request) -> None:
        self._effects = Effects(lines)
        self._evidence = Evidence(self._effects, request.instruction)
        self._shapes = Shapes(self._effects, request.instruction, request.selected)
        self._usual = Usual(lines, shipped())

    def listed(self, said: float, edits: Sequence[Ops]) -> FloatArray:
        """Of the edits of a kind in the order listed. Args: said: what the words speak for it. Returns: (N, F)."""
        rows = [self._row(said, ops, (0.0, 0.0), rank, len(edits)) for rank, ops in enumerate(edits)]
        return np.array(rows, np.float32) if rows else self.nothing(said)[:0]

    def nothing(self, said: float) -> FloatArray:
        """Of making no edit. Returns: (1, F)."""
        return np.array([self._row(said, (), (1.0, 0.0))], np.float32)

    def unlisted(self, said: float) -> FloatArray:
        """Of a kind whose edits cannot be listed. Returns: (1, F)."""
        return np.array([self._row(said, (), (0.0, 1.0))], np.float32)

    def _row(self, said: float, ops: Ops, special: tuple[float, float], rank: int = 0, listed: int = 1) -> list[float]:
        effect = self._effects.of(ops)
        counted = self._evidence.of(ops, effect, rank, listed)
        return [
            max(said, LEAST_WORDS),
            *special,
            *[counted.get(each, 0) for each in _FEATURES],
            *self._shapes.of(ops, effect),
            *self._usual.of(ops),
        ]
