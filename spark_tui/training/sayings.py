"""Learns which words people have for what an edit does: the word-for-mark chances of `editing/sayings.py`."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from spark_tui.editing.effects import Effects
from spark_tui.editing.format import NO_EDIT
from spark_tui.editing.intents import stem
from spark_tui.editing.sayings import MOST_STEPS, STEPS, Sayings, Steps, marks_of, spoken_words, stems_in, words_of
from spark_tui.training.examples import Group
from spark_tui.training.written import fold_of, wished, written

_RAREST_WORD, _RAREST_MARK = 4, 4
_ROUNDS = 6
_DOUBT = 40.0
"""How often a mark is held to have been seen with words at large, before it is seen with any."""
_LEAST_NEWS = 2.0
"""How many times as likely as for no reason a word must be for a mark to be kept."""
_SPOKEN = 5
"""Of how many regions a word that does not stand in them must be said."""

Numbers = npt.NDArray[np.int64]
Shares = npt.NDArray[np.float64]
Asked = tuple[tuple[str, ...], tuple[str, ...]]
"""The words of a request, and the marks of the edit that was meant."""


def fit_sayings(*, without: int | None = None) -> Sayings:
    """What people said for which edits. Deterministic; takes half a minute. Args: without: a fold of the wishes."""
    groups = (*written(), *(each for each in wished() if fold_of(each) != without))
    asked = [one for group in groups for one in _asked(group)]
    said = Counter(word for words, _ in asked for word in words)
    seen = Counter(mark for _, marks in asked for mark in marks)
    words = {word: at for at, word in enumerate(sorted(each for each in said if said[each] >= _RAREST_WORD))}
    marks = {mark: at for at, mark in enumerate(sorted(each for each in seen if seen[each] >= _RAREST_MARK))}
    pairs = [([words[word] for word in one if word in words], [marks[mark] for mark in two if mark in marks])
             for one, two in asked]  # fmt: skip
    often = np.array([said[word] for word in words]) + 0.5
    found = _kept(words, marks, often / often.sum(), *_counted(pairs, often / often.sum(), len(marks)))
    return replace(found, spoken=spoken(groups))


def spoken(groups: Iterable[Group]) -> frozenset[str]:
    """Stems of the words that are said of several regions without standing in them."""
    said = Counter(word for group in groups for word in _free(group))
    return frozenset(word for word, often in said.items() if often >= _SPOKEN)


def _free(group: Group) -> set[str]:
    said = (word for one in group.examples for word in spoken_words(one.instruction))
    return set(map(stem, said)) - stems_in(group.before)


def _asked(group: Group) -> Iterator[Asked]:
    effects = Effects(group.before)
    for one in group.examples:
        if one.kind != NO_EDIT:
            marks = marks_of(one.kind, effects.of(one.ops))
            yield tuple(words_of(one.instruction, group.before)), tuple(marks)


def _counted(
    asked: Sequence[tuple[list[int], list[int]]], usual: Shares, marks: int
) -> tuple[Numbers, Numbers, Shares, Shares]:
    """Expectation maximisation.

    Returns: of each pair the mark, the word and how often they meant one another (P,); of each mark how often (M,).
    """
    asked = [(said, by) for said, by in asked if said]
    word = np.concatenate([np.repeat(said, len(by)) for said, by in asked])
    mark = np.concatenate([np.tile(by, len(said)) for said, by in asked])
    lengths = np.concatenate([np.full(len(said), len(by)) for said, by in asked])
    place = np.repeat(np.arange(len(lengths)), lengths)
    pairs, pair = np.unique(mark * len(usual) + word, return_inverse=True)
    mark, word = np.divmod(pairs, len(usual))
    chances = np.full(len(pairs), 1.0)
    for _ in range(_ROUNDS):
        shares = chances[pair]
        shares /= np.bincount(place, shares)[place]
        counts: Shares = np.bincount(pair, shares).astype(np.float64)
        meant: Shares = np.bincount(mark, counts, minlength=marks).astype(np.float64)
        chances = (counts + _DOUBT * usual[word]) / (meant[mark] + _DOUBT)
    return mark, word, counts, meant


def _kept(
    words: dict[str, int], marks: dict[str, int], usual: Shares, mark: Numbers, word: Numbers, counts: Shares,
    meant: Shares,
) -> Sayings:  # fmt: skip
    """What is worth keeping, as it will be read again."""
    still = _DOUBT / (meant + _DOUBT)
    ratios = (counts / usual[word] + _DOUBT) / (meant[mark] + _DOUBT)
    news = ratios > _LEAST_NEWS * still[mark]
    order = np.lexsort([mark[news], word[news]])
    ends = np.cumsum(np.bincount(word[news], minlength=len(words))).astype(np.int32)
    return Sayings(words, marks, _steps(still), ends, mark[news][order].astype(np.uint16), _steps(ratios[news][order]))


def _steps(ratios: Shares) -> Steps:
    steps: Steps = np.clip(np.round(np.log(ratios) * STEPS), -MOST_STEPS, MOST_STEPS).astype(np.int8)
    return steps


def write_sayings(path: Path, sayings: Sayings) -> None:
    """Write what `Sayings.read` reads; not compressed, which would take longer to read than a request."""
    each = (sayings.words, sayings.marks, sorted(sayings.spoken))
    words, marks, said = (np.frombuffer(" ".join(every).encode(), np.uint8) for every in each)
    np.savez(
        path,
        words=words,
        marks=marks,
        spoken=said,
        still=sayings.still,
        ends=sayings.ends,
        ids=sayings.ids,
        steps=sayings.steps,
    )
