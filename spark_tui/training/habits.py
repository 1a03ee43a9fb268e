"""Counts how usual code is: the trigrams of `editing/habits.py`."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from math import log
from pathlib import Path

import numpy as np

from spark_tui.editing.habits import NAME, STEPS, UNUSUAL, tokens_of

_LEAST_WORD, _LEAST_SEEN, _LEAST_NEWS = 100, 3, 5
"""How often a token must be there to be known by itself, and tokens behind one another to be kept;
and by how many steps what is kept of these must differ from what all but the first tell."""
_MOST_STEPS = 255
_TEXTS = re.compile(r"[rRuU]?(\"\"\"|''')(?:.|\n)*?\1")


def count_habits(files: Iterable[Path]) -> tuple[list[str], dict[int, int]]:
    """The tokens known, NAME first, and the steps of each key, ascending. Deterministic. Takes a minute."""
    lines = [tokens_of(line) for path in files for line in _lines(path)]
    often = Counter(token for tokens in lines for token in tokens)
    words = [NAME, *sorted(word for word, count in often.items() if count >= _LEAST_WORD and word != NAME)]
    numbers = {word: number for number, word in enumerate(words, 1)}
    text = [numbers.get(token, 1) for tokens in lines for token in tokens]
    base, seen = len(words) + 1, dict[int, int]()
    shorter: Counter[tuple[int, ...]] = Counter({(): len(text)})
    for width in (1, 2, 3):
        counted: Counter[tuple[int, ...]] = Counter(zip(*(text[at:] for at in range(width)), strict=False))
        for many, count in counted.items():
            steps = min(max(round(-STEPS * log(count / shorter[many[:-1]])), 0), _MOST_STEPS)
            known = seen.get(_key(many[1:], base))
            if count >= _LEAST_SEEN and (known is None or abs(known + STEPS * UNUSUAL - steps) >= _LEAST_NEWS):
                seen[_key(many, base)] = steps
        shorter = counted
    return words, dict(sorted(seen.items()))


def write_habits(path: Path, words: Sequence[str], seen: dict[int, int]) -> None:
    """Write what `editing.habits.Habits` reads."""
    keys = np.diff(np.fromiter(seen, np.uint64, len(seen)), prepend=np.uint64(0))
    text = np.frombuffer(" ".join(words).encode(), np.uint8)
    np.savez_compressed(path, words=text, keys=keys, steps=np.fromiter(seen.values(), np.uint8, len(seen)))


def _key(numbers: Iterable[int], base: int) -> int:
    key = 0
    for number in numbers:
        key = key * base + number
    return key


def _lines(path: Path) -> Iterator[str]:
    text = _TEXTS.sub('""""""', path.read_text(encoding="utf-8", errors="replace"))
    return (line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#"))
