"""How surely words ask for an edit, and do not only speak of the code: "we had a print here", "is the else needed?".

Log-linear over words, runs of words, and the sentence's frame of small words. It knows neither the code nor the edit.
Learned by `training/remarks.py` from requests, and from remarks in words of code that ask for nothing.
"""

import base64
import gzip
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path

import numpy as np

from spark_tui.editing.intents import Weights, features, plain

FILE = Path(__file__).with_name("remarks.json.gz")
_TOKEN = re.compile(r"[a-z]+(?:'[a-z]+)?|\.\.\.|[?!_]")
_SMALL = frozenset(
    """a actually after again ago all already am an and any anyway are as at be because been before being better but by
    can could did do does for from had has have having he here hmm how i i'd if in instead is it just last later let's
    may maybe might must never next no nobody none not now of ok on once only or please rather shall she should since so
    some someday someone still than thanks that the then there these they this those to today tomorrow until used was we
    week well were what when where which while who why will with won't would year yet you""".split()  # noqa: SIM905
)
"""Words of which sentences are built, whatever they speak of."""
_REST = "."
_NEAR = 3


def traits(instruction: str) -> set[str]:
    """What words are known by: words, runs of two and three, their beginning, and how small words stand together."""
    text = plain(instruction)
    tokens = ["^", *_TOKEN.findall(text.lower()), "$"]
    frame = [token if token in _SMALL or not token[0].isalpha() else _REST for token in tokens]
    short = [token for token, _ in groupby(frame)]
    small = [token for token in frame if token != _REST]
    found = features(text) | set(_runs(tokens, 3)) | {f"^ {' '.join(tokens[1:3])} ^"}
    found.update(f"|{run}" for size in (3, 4, 5) for run in _runs(short, size))
    found.update(f"&{one} {two}" for at, one in enumerate(small) for two in small[at + 1 : at + 1 + _NEAR])
    return found


def _runs(tokens: Sequence[str], size: int) -> list[str]:
    return [" ".join(tokens[at : at + size]) for at in range(len(tokens) - size + 1)]


@dataclass(frozen=True)
class Remarks:
    """What speaks for a request. `places`: trait -> its place in `weights` (F,), in `unit`s; place 0 always counts."""

    places: Mapping[str, int]
    weights: Weights
    unit: float = 1 / 16

    @classmethod
    def from_bytes(cls, data: bytes) -> "Remarks":
        """Read what `to_bytes` wrote. Raises: ValueError, KeyError, TypeError: something else."""
        body = json.loads(gzip.decompress(data))
        weights = np.frombuffer(base64.b64decode(body["weights"]), np.int8)
        return cls({trait: place for place, trait in enumerate(body["traits"], 1)}, weights, body["unit"])

    def to_bytes(self) -> bytes:
        """As compressed JSON; the same weights give the same bytes."""
        traits = sorted(self.places, key=self.places.__getitem__)
        body = {"unit": self.unit, "traits": traits, "weights": base64.b64encode(self.weights.tobytes()).decode()}
        return gzip.compress(json.dumps(body, sort_keys=True, separators=(",", ":")).encode(), mtime=0)

    def log_odds(self, instruction: str) -> float:
        """The natural logarithm of how many times likelier a request is than a remark; 0 where it may be either."""
        found = [0, *(self.places[trait] for trait in traits(instruction) if trait in self.places)]
        return float(self.weights[found].sum(dtype=np.int64)) * self.unit


@cache
def shipped() -> Remarks:
    """Those of this version, read once."""
    return Remarks.from_bytes(FILE.read_bytes())
