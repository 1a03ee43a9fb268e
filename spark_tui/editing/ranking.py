"""How likely an edit is the one that was asked for: log-linear in what a model, the words and the edit itself say.

All the edits that could be meant, of every kind, are held against one another. The weights were learned on requests
written one by one (`training/ranking.py`) and lie beside a model's.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Ranking:
    """What counts how much.

    `model`: the model's own log-probabilities. `words`: the log-probability of a kind by its words. `kinds`: each kind
    by itself. `nothing`: making no edit at all. `unlisted`: a kind whose edits cannot be listed. `features`: those of
    `evidence.Feature`.
    """

    model: float = 1.0
    words: float = 1.0
    nothing: float = 0.0
    unlisted: float = 0.0
    kinds: Mapping[str, float] = field(default_factory=dict)
    features: Mapping[str, float] = field(default_factory=dict)

    def worth(self, counted: Mapping[str, float]) -> float:
        """What the evidence speaks for an edit."""
        return sum(self.features.get(feature, 0.0) * count for feature, count in counted.items())
