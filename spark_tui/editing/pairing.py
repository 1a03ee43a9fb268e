"""Which of a hunk's new lines replaces which of its old ones: how it is cut into smaller changes. Knows no files."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

MOST_PAIRS = 40_000
"""With more pairs of an old and a new line than this, lines replace each other by their place."""
_LEAST_ALIKE = 0.4
_WORD = re.compile(r"\w+|[^\w\s]")

Cut = tuple[int, int]
"""Between two old and between two new lines: how many of each come before."""


def levels(old: Sequence[str], new: Sequence[str]) -> list[tuple[Cut, ...]]:
    """Ever finer ways to cut a change, each by its inner cuts: first between blocks, then between lines."""
    lines = _cuts(old, new)
    blocks = tuple(cut for cut, before, after in _around(lines, (len(old), len(new))) if before or after)
    return [cuts for cuts in dict.fromkeys([blocks, lines]) if cuts]


def finest(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[slice, slice]]:
    """The smallest changes of a change, in order, as slices of its old and its new lines."""
    at = (0, 0)
    for cut in (*_cuts(old, new), (len(old), len(new))):
        yield slice(at[0], cut[0]), slice(at[1], cut[1])
        at = cut


def _around(cuts: Sequence[Cut], end: Cut) -> Iterator[tuple[Cut, bool, bool]]:
    """Each cut, and whether a pair of lines comes before and after it."""
    points = [(0, 0), *cuts, end]
    paired = [below[0] > above[0] and below[1] > above[1] for above, below in pairwise(points)]
    yield from zip(cuts, paired, paired[1:], strict=False)


def _cuts(old: Sequence[str], new: Sequence[str]) -> tuple[Cut, ...]:
    """Between all lines, but for those that make a pair."""
    i = j = 0
    cuts: list[Cut] = []
    for a, b in (*_pairs(old, new), (len(old), len(new))):
        cuts += [(line, j) for line in range(i + 1, a + 1)]
        cuts += [(a, line) for line in range(j + 1, b + 1)]
        i, j = a + 1, b + 1
        cuts.append((i, j))
    inside = {(0, 0), (len(old), len(new))}
    return tuple(cut for cut in dict.fromkeys(cuts) if cut not in inside and cut[0] <= len(old) and cut[1] <= len(new))


def _pairs(old: Sequence[str], new: Sequence[str]) -> list[Cut]:
    """The lines that replace each other, so that they are as alike as possible in sum."""
    if len(old) * len(new) > MOST_PAIRS:
        return [(line, line) for line in range(min(len(old), len(new)))]
    left, right = [frozenset(_WORD.findall(line)) for line in old], [frozenset(_WORD.findall(line)) for line in new]
    alike = [[_alike(a, b) for b in right] for a in left]
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i in reversed(range(len(old))):
        for j in reversed(range(len(new))):
            best[i][j] = max(best[i + 1][j], best[i][j + 1], alike[i][j] + best[i + 1][j + 1])
    pairs: list[Cut] = []
    i = j = 0
    while i < len(old) and j < len(new):
        if alike[i][j] and best[i][j] == alike[i][j] + best[i + 1][j + 1]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


def _alike(left: frozenset[str], right: frozenset[str]) -> float:
    """From 0 to 1; 0 where they are too little alike for one to replace the other."""
    share = 2 * len(left & right) / (len(left) + len(right)) if left or right else 0.0
    return share if share >= _LEAST_ALIKE else 0.0
