"""How people word an edit: which words they have for what comes, what goes and what stands beside it.

Each word of an instruction is held to be said for one of an edit's marks, its kind among them (IBM Model 1, Brown et
al., 1993). An edit whose marks make the words likely is likely meant, whatever it looks like. Learned by
`training/sayings.py` from requests written one by one.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from spark_tui.editing.effects import Effect
from spark_tui.editing.intents import features, plain, stem

FloatArray = npt.NDArray[np.float32]
IntArray = npt.NDArray[np.int32]
Steps = npt.NDArray[np.int8]

FILE = Path(__file__).with_name("sayings.npz")
COMES, GOES, BESIDE, KIND, ANY = "+", "-", "=", "k", "*"
"""What a mark begins with; the last is the mark that every edit has."""
STEPS, MOST_STEPS = 16, 127
"""Natural logarithms are kept as whole numbers of steps, so many to one, and no more in all."""
NUMBERS = 7
_RATIOS = np.exp(np.arange(-MOST_STEPS, MOST_STEPS + 1, dtype=np.float32) / STEPS)
_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")
_SPOKEN = re.compile(r"(?<![\w'.-])[a-z]{3,}(?![\w'(-])")
_LEAST, _LEAST_OF_ONE = 0.02, 0.05
"""What an edit of which nothing goes with a word still counts for it: all of its marks, the one that fits best."""
_OF_ALL = 5.0
_LONG, ALIKE = 5, 0.82
"""From how many letters on a word may be one that is known, misspelled, and how alike they are then."""


def words_of(instruction: str, lines: Sequence[str]) -> Iterator[str]:
    """What an instruction says beside code: words, and what they mean. Args: lines: the region's."""
    said = features(plain(instruction, lines))
    return (word for word in sorted(said) if " " not in word and word[0] not in "#~")


def spoken_words(instruction: str) -> list[str]:
    """The words of an instruction that may be no code, without doubles, in small letters."""
    return list(dict.fromkeys(_SPOKEN.findall(instruction.lower())))


def stems_in(texts: Iterable[str]) -> set[str]:
    """The stems of all words and parts of names."""
    return {stem(part.lower()) for part in {part for text in texts for part in _PARTS.findall(text)}}


def marks_of(kind: str, effect: Effect) -> Iterator[str]:
    """What an edit is known by, without doubles: its kind, its tokens and the parts of names among them."""
    yield ANY
    yield KIND + kind
    for sign, tokens in ((COMES, effect.come), (GOES, effect.gone), (BESIDE, effect.beside)):
        yield from dict.fromkeys(mark for token in sorted(tokens) for mark in _marks_of(sign, token))


@lru_cache(maxsize=16384)
def _marks_of(sign: str, token: str) -> tuple[str, ...]:
    if token[0].isdigit():
        return sign + token, f"{sign}<number>"
    if not token[0].isalpha() and token[0] != "_":
        return (sign + token,)
    parts = (f"{sign}~{stem(part.lower())}" for part in _PARTS.findall(token))
    return (sign + token, *parts, f"{sign}<name>")


@dataclass(frozen=True, eq=False)
class Sayings:
    """How much likelier words are for marks than for edits at large, as steps.

    `words`, `marks`: their numbers. `still` (M,): what a mark counts for a word that is never said for it. `ends` (W,):
    where in `ids` the marks that a word is said for end, and in `steps` what these count instead. `spoken`: stems of
    the words that people say of code often, beside those that stand in it.
    """

    words: Mapping[str, int]
    marks: Mapping[str, int]
    still: Steps
    ends: IntArray
    ids: npt.NDArray[np.uint16]
    steps: Steps
    spoken: frozenset[str] = frozenset()

    def ratios(self, words: Sequence[str]) -> FloatArray:
        """What every mark counts for each of some words that are known. Returns: (W, M)."""
        steps = np.tile(self.still, (len(words), 1))
        for row, word in zip(steps, words, strict=True):
            number = self.words[word]
            held = slice(self.ends[number - 1] if number else 0, self.ends[number])
            row[self.ids[held]] = self.steps[held]
        return _RATIOS[steps.astype(np.intp) + MOST_STEPS]

    def best(self, word: str, marks: Iterable[str]) -> float:
        """How much likelier a word is for the mark it fits best than for edits at large; 0 where nothing is known."""
        words = [one for one in words_of(word, ()) if one in self.words]
        columns = [self.marks[mark] for mark in marks if mark in self.marks]
        return float(self.ratios(words)[:, columns].max()) if words and columns else 0.0

    @classmethod
    def read(cls, path: Path) -> "Sayings":
        """Read what `training/sayings.py` wrote."""
        with np.load(path) as held:
            words, marks, spoken = (bytes(held[name]).decode().split(" ") for name in ("words", "marks", "spoken"))
            number = [{each: at for at, each in enumerate(every)} for every in (words, marks)]
            still, ends, ids, steps = (held[name] for name in ("still", "ends", "ids", "steps"))
            return cls(number[0], number[1], still, ends, ids, steps, frozenset(spoken) - {""})


@cache
def shipped() -> Sayings:
    """The one that comes with spark."""
    return Sayings.read(FILE)


@lru_cache(maxsize=1024)
def is_said_of_code(word: str) -> bool:
    """Whether people say a word of code, maybe with a slip."""
    known = shipped().spoken
    return (
        stem(word) in known
        or word.endswith(("est", "ly"))
        or (len(word) >= _LONG and bool(get_close_matches(word, known, 1, ALIKE)))
    )


class Saying:
    """How well edits fit the words of one instruction about some lines."""

    def __init__(self, sayings: Sayings, instruction: str, lines: Sequence[str]) -> None:
        self._marks = sayings.marks
        self._counts = sayings.ratios([word for word in words_of(instruction, lines) if word in sayings.words])

    def of(self, kind: str, effects: Iterable[Effect]) -> FloatArray:
        """Numbers near 1 of edits of a kind: as many for every edit. Returns: (N, NUMBERS)."""
        marks = [[each for each in marks_of(kind, effect) if each in self._marks] for effect in effects]
        if not len(self._counts) or not marks:
            return np.zeros((len(marks), NUMBERS), np.float32)
        flat = [mark for each in marks for mark in each]
        ends = np.cumsum([len(each) for each in marks])
        starts = np.concatenate([[0], ends[:-1]])
        counts = self._counts[:, [self._marks[mark] for mark in flat]]
        means = np.log(np.add.reduceat(counts, starts, 1) / np.diff(ends, prepend=0) + _LEAST)
        best = np.log(np.maximum.reduceat(counts, starts, 1) + _LEAST_OF_ONE).mean(0)
        signs = np.array([mark[0] for mark in flat])
        parts = [_of_some(counts, signs == sign, starts) for sign in (COMES, GOES, BESIDE, KIND)]
        return np.stack([means.mean(0), means.sum(0) / _OF_ALL, best, *parts], 1).astype(np.float32)


def _of_some(counts: FloatArray, some: npt.NDArray[np.bool_], starts: npt.NDArray[np.int64]) -> FloatArray:
    """What some of the marks of each edit count together, 0 where it has none of them. Returns: (N,)."""
    many = np.add.reduceat(some.astype(np.float32), starts)
    means = np.add.reduceat(np.where(some, counts, 0), starts, 1) / np.maximum(many, 1)
    found: FloatArray = np.where(many > 0, np.log(means + _LEAST).mean(0), 0)
    return found
