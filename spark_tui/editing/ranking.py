"""How likely an edit is the one that was asked for, by what the words, the edit itself and a model say.

All the edits that could be meant, of every kind, are held against one another: what is known of each (`standing`) is
weighed by a small network, one layer of units beside weights that count directly. The weights were learned on requests
written one by one (`training/ranking.py`) and lie beside a model's.
"""

import base64
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Ranking:
    """What counts how much: F numbers for each edit, H units. As it comes, only the words, the first number, count.

    `model`: the model's own log-probability of a kind. `direct` (F,): each number by itself. `inputs` (F, H): what it
    moves each unit by. `kinds`: kind -> (1 + H,) the same for a kind. `outputs` (H,): what each unit counts.
    """

    model: float = 1.0
    direct: FloatArray = field(default_factory=lambda: np.ones(1, np.float32))
    inputs: FloatArray = field(default_factory=lambda: np.zeros((1, 0), np.float32))
    kinds: Mapping[str, FloatArray] = field(default_factory=dict)
    outputs: FloatArray = field(default_factory=lambda: np.zeros(0, np.float32))

    def worths(self, kind: str, known: FloatArray) -> FloatArray:
        """What speaks for edits of a kind. Args: known: (N, F) or more, the rest counting nothing. Returns: (N,)."""
        known = known[:, : len(self.direct)]
        own = self.kinds.get(kind, np.zeros(1 + len(self.outputs), np.float32))
        units = known @ self.inputs + own[1:]
        units = units / (1 + np.exp(-units))  # SiLU
        worths: FloatArray = known @ self.direct + own[0] + units @ self.outputs
        return worths

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> "Ranking":
        """Read what `to_json` gave. Raises: ValueError, KeyError, TypeError: something else."""
        direct, outputs, names = _read(body["direct"]), _read(body["outputs"]), body["kinds"]
        by_kind = _read(body["by_kind"]).reshape(len(names), 1 + len(outputs))
        inputs = _read(body["inputs"]).reshape(len(direct), len(outputs))
        return cls(float(body["model"]), direct, inputs, dict(zip(names, by_kind, strict=True)), outputs)

    def to_json(self) -> dict[str, Any]:
        """As values that JSON knows, the weights rounded to 16 bits."""
        return {
            "model": self.model,
            "direct": _written([self.direct]),
            "inputs": _written([self.inputs]),
            "kinds": list(self.kinds),
            "by_kind": _written(self.kinds.values()),
            "outputs": _written([self.outputs]),
        }


def _written(arrays: Iterable[FloatArray]) -> str:
    return base64.b64encode(b"".join(each.astype("<f2").tobytes() for each in arrays)).decode()


def _read(text: str) -> FloatArray:
    return np.frombuffer(base64.b64decode(text), "<f2").astype(np.float32)
