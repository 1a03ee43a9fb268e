"""What kind of edit the words of an instruction ask for, by how often each kind is asked for in them.

A second opinion beside the model's: naive Bayes over words and pairs of words. What stands for code (quoted, a name of
the region, a number) is one word. It knows no code and finds no place, but it is not fooled by wording that the model
has never seen whole.
"""

import gzip
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

FILE_NAME = "intents.json.gz"
"""Where the counts lie in a model folder."""
CODE = "_"
_TOKEN = re.compile(r"[a-z]+|->|=>|[=!<>]=|\.\.\.|[?%]|_")
_QUOTED = re.compile(r"`[^`]*`|\"[^\"]*\"|(?<!\w)'[^']*'(?!\w)")
_WORD = re.compile(r"[A-Za-z_][\w.]*\w|[A-Za-z_]")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_CAMEL = re.compile(r"[a-z][A-Z]")
_NAME = re.compile(r"[A-Za-z_]\w*")
_LETTERS = re.compile(r"[a-z]+")
_PRIOR = 3.0
_PAIRS = 0.6
"""How much a pair of words counts beside its words."""


def plain(instruction: str, lines: Iterable[str] = ()) -> str:
    """An instruction with everything that stands for code replaced by CODE. Args: lines: the region's."""
    names = set(_NAME.findall("\n".join(lines)))

    def masked(match: re.Match[str]) -> str:
        word = match[0]
        unlike = "_" in word or _CAMEL.search(word) or (word in names and (not word.islower() or len(word) < 3))
        return f" {CODE} " if unlike else word

    text = _QUOTED.sub(f" {CODE} ", instruction)
    return _NUMBER.sub(f" {CODE} ", _WORD.sub(masked, text))


def features(text: str) -> set[str]:
    """The words of a plain instruction and its pairs of neighbours."""
    words = _TOKEN.findall(text.lower())
    pairs = {f"{one} {two}" for one, two in zip(["^", *words], [*words, "$"], strict=True)}
    return pairs | {word for word in words if word != CODE}


@dataclass(frozen=True)
class Intents:
    """How often each feature is in the ways of asking for each kind.

    `counts`: kind -> feature -> number. `totals`: kind -> ways of asking counted. `weight`: of this opinion beside the
    model's, measured when both were made.
    """

    counts: Mapping[str, Mapping[str, int]]
    totals: Mapping[str, int]
    weight: float = 0.4

    @classmethod
    def from_bytes(cls, data: bytes) -> "Intents":
        """Read what `to_bytes` wrote. Raises: ValueError, KeyError: something else."""
        body = json.loads(gzip.decompress(data))
        return cls(body["counts"], body["totals"], body["weight"])

    def to_bytes(self) -> bytes:
        """As compressed JSON; the same counts give the same bytes."""
        counts = {kind: dict(found) for kind, found in self.counts.items()}
        body = {"weight": self.weight, "totals": dict(self.totals), "counts": counts}
        return gzip.compress(json.dumps(body, sort_keys=True, separators=(",", ":")).encode(), mtime=0)

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """Every kind, in the order of `logprobs`."""
        return tuple(self.totals)

    @cached_property
    def _said(self) -> Mapping[str, tuple[list[int], list[int]]]:
        """The counts the other way round: feature -> the places of kinds in `kinds`, and the number for each."""
        said: dict[str, tuple[list[int], list[int]]] = {}
        for place, kind in enumerate(self.kinds):
            for feature, count in self.counts.get(kind, {}).items():
                places, counts = said.setdefault(feature, ([], []))
                places.append(place)
                counts.append(count)
        return said

    @cached_property
    def _scores(self) -> dict[str, tuple[npt.NDArray[np.int64], FloatArray]]:
        """Of the features met so far."""
        return {}

    @cached_property
    def _priors(self) -> FloatArray:
        """What each word said takes from the score of each kind, (K,)."""
        return np.log([_PRIOR / (total + _PRIOR) for total in self.totals.values()])

    def logprobs(self, instruction: str, lines: Sequence[str]) -> FloatArray:
        """The log-probability of each of `kinds`, given the words only. Returns: (K,)."""
        known = [feature for feature in features(plain(instruction, lines)) if feature in self._said]
        scores = sum(map(_weight, known)) * self._priors
        for feature in known:
            places, score = self._scored(feature)
            scores[places] += score
        scores -= scores.max()
        logprobs: FloatArray = scores - math.log(np.exp(scores).sum())
        return logprobs

    def _scored(self, feature: str) -> tuple[npt.NDArray[np.int64], FloatArray]:
        """The places of the kinds that are asked for with a feature, and what it adds to the score of each."""
        if feature not in self._scores:
            places, counts = self._said[feature]
            every = sum(self.totals.values())
            score = _weight(feature) * np.log1p(np.array(counts) * (every / (_PRIOR * sum(counts))))
            self._scores[feature] = np.array(places), score
        return self._scores[feature]

    def strange(self, kind: str, instruction: str, lines: Sequence[str]) -> list[str]:
        """The words of an instruction that nobody uses to ask for this kind and that the region does not hold."""
        known = self.counts.get(kind, {})
        here = set(_LETTERS.findall("\n".join(lines).lower()))
        words = dict.fromkeys(_LETTERS.findall(plain(instruction, lines).lower()))
        return [word for word in words if len(word) > 2 and word not in known and word not in here]


def _weight(feature: str) -> float:
    return _PAIRS if " " in feature else 1.0


_LITERAL = re.compile(
    r"`([^`]+)`|\"([^\"]+)\"|(?<!\w)'([^']+)'(?!\w)|\b(__\w+__|[a-z]+-\d+)\b"
    r"|(?<![\w.:-])(?<!line )(?<!lines )(\d+(?:\.\d+)?)(?![\w:])",
    re.IGNORECASE,
)


def unheard(instruction: str, before: Sequence[str], after: Sequence[str]) -> list[str]:
    """The quoted words, numbers and special names of an instruction that neither the lines nor their edit hold."""
    text = "\n".join([*before, *after]).lower()
    told = ("".join(match.groups("")).strip() for match in _LITERAL.finditer(instruction))
    return [one for one in dict.fromkeys(told) if one and one.lower() not in text]


_CODE_SPAN = re.compile(
    r"`[^`]+`|\"[^\"]+\"|(?<!\w)'[^']+'(?!\w)|@[\w.]+|\w+_\w+|[A-Z]\w*[a-z][A-Z]\w*|[A-Z]\w*(?:Error|Exception)\b|\w+\(|\w+\.\w+"
)


def code_names(instruction: str) -> frozenset[str]:
    """The names of an instruction that are written as code is, not as prose."""
    return frozenset(name for span in _CODE_SPAN.findall(instruction) for name in _NAME.findall(span))
