"""All that is known of the edits a request could mean, as rows of numbers: what a ranking weighs."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from spark_tui.editing.codemods.base import Ops, Request
from spark_tui.editing.effects import Effect, Effects
from spark_tui.editing.evidence import Evidence, Feature
from spark_tui.editing.habits import Usual
from spark_tui.editing.habits import shipped as shipped_habits
from spark_tui.editing.sayings import Saying, Sayings
from spark_tui.editing.sayings import shipped as shipped_sayings
from spark_tui.editing.shape import Shapes

LEAST_WORDS = -10.0
"""The least that the words speak for a kind."""
_FEATURES = tuple(Feature)
FloatArray = npt.NDArray[np.float32]


class Standings:
    """Of the edits of one region. Args: lines: the region's. sayings: another than the one shipped."""

    def __init__(self, lines: Sequence[str], request: Request, sayings: Sayings | None = None) -> None:
        self._effects = Effects(lines)
        self._evidence = Evidence(self._effects, request.instruction)
        self._shapes = Shapes(self._effects, request.instruction, request.selected)
        self._usual = Usual(lines, shipped_habits())
        self._saying = Saying(sayings or shipped_sayings(), request.instruction, lines)

    def listed(self, kind: str, said: float, edits: Sequence[Ops]) -> FloatArray:
        """Of the edits of a kind in the order listed. Args: said: what the words speak for it. Returns: (N, F)."""
        effects = list(map(self._effects.of, edits))
        rows = [
            self._row(said, *one, (0.0, 0.0), rank, len(edits))
            for rank, one in enumerate(zip(edits, effects, strict=True))
        ]
        return self._with_words(kind, effects, rows) if rows else self.nothing(kind, said)[:0]

    def nothing(self, kind: str, said: float) -> FloatArray:
        """Of making no edit. Returns: (1, F)."""
        return self._without_edit(kind, said, (1.0, 0.0))

    def unlisted(self, kind: str, said: float) -> FloatArray:
        """Of a kind whose edits cannot be listed. Returns: (1, F)."""
        return self._without_edit(kind, said, (0.0, 1.0))

    def _without_edit(self, kind: str, said: float, special: tuple[float, float]) -> FloatArray:
        effect = self._effects.of(())
        return self._with_words(kind, [effect], [self._row(said, (), effect, special)])

    def _with_words(self, kind: str, effects: Sequence[Effect], rows: Sequence[Sequence[float]]) -> FloatArray:
        return np.concatenate([np.array(rows, np.float32), self._saying.of(kind, effects)], 1)

    def _row(
        self, said: float, ops: Ops, effect: Effect, special: tuple[float, float], rank: int = 0, listed: int = 1
    ) -> list[float]:
        counted = self._evidence.of(ops, effect, rank, listed)
        return [
            max(said, LEAST_WORDS),
            *special,
            *[counted.get(each, 0) for each in _FEATURES],
            *self._shapes.of(ops, effect),
            *self._usual.of(ops),
        ]
