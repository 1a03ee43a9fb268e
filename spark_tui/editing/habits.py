"""How usual code is: which tokens follow one another in other people's code, and how often.

It says nothing of what was asked; it tells code that somebody may have meant from code that nobody writes. Counted by
`training/habits.py` over code of packages whose functions no request was written on.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import islice
from pathlib import Path

import numpy as np

from spark_tui.editing.script import Delete, Insert, LineOp, Replace, Substitute

FILE = Path(__file__).with_name("habits.npz")
TEXT, NOTHING, NUMBER, NAME, END = "'text'", "''", "0.0", "name", "\n"
"""What stands for all texts, the empty one, all longer numbers, all rarer names, and the end of a line."""
STEPS = 8
"""Log-probabilities are kept as negative whole numbers of steps, so many to one."""
UNUSUAL, _UNKNOWN = 1.0, -15.0
"""What it costs not to have been seen after what is before, and not to have been seen at all."""
_MOST_CHANGES, _MOST_TOKENS, _BEHIND = 3, 60, 3
_TOKEN = re.compile(
    r"[rbfuRBFU]{0,2}(?:\"\"\"|''')|[rbfuRBFU]{0,2}\"(?:[^\"\\\n]|\\.)*\"|[rbfuRBFU]{0,2}'(?:[^'\\\n]|\\.)*'|\#.*"
    r"|[^\W\d]\w*|\d[\w.]*|==|!=|<=|>=|->|:=|\*\*|//|<<|>>|[-+*/%&|^@]=|\.\.\.|[^\w\s]"
)
Tokens = tuple[str, ...]


@lru_cache(maxsize=8192)
def tokens_of(line: str) -> Tokens:
    """The tokens of a line, without its comment, and with its end."""
    return (*(_told(token) for token in _TOKEN.findall(line) if token[0] != "#"), END)


def _told(token: str) -> str:
    if token[-1] in "\"'":
        return TEXT if len(token) > len(NOTHING) else NOTHING
    return NUMBER if token[0].isdigit() and len(token) > len(NOTHING) else token


class Habits:
    """Token trigrams with stupid backoff (Brants et al., 2007).

    Args: words: the tokens known, NAME first. seen: log-probability of the last of up to three tokens by `key`.
    """

    def __init__(self, words: Sequence[str], seen: Mapping[int, float]) -> None:
        self._numbers = {word: number for number, word in enumerate(words, 1)}
        self._base, self._seen = len(words) + 1, seen

    def logprobs(self, tokens: Sequence[str], first: int, end: int) -> list[float]:
        """Of each token from the first one on, after the two before it. Needs two before the first."""
        known = self._numbers
        numbers = [known.get(token, 1) for token in tokens[first - 2 : end]]
        return [self._logprob(*three) for three in zip(numbers, numbers[1:], numbers[2:], strict=False)]

    def _logprob(self, first: int, second: int, third: int) -> float:
        base, seen = self._base, self._seen
        pair = second * base + third
        found = seen.get(first * base * base + pair)
        if found is not None:
            return found
        found = seen.get(pair)
        return found - UNUSUAL if found is not None else seen.get(third, _UNKNOWN) - 2 * UNUSUAL

    @classmethod
    def read(cls, path: Path) -> "Habits":
        """Read what `training/habits.py` wrote."""
        with np.load(path) as held:
            words = bytes(held["words"]).decode().split(" ")
            keys, values = np.cumsum(held["keys"]), held["steps"] / np.float32(-STEPS)
        return cls(words, dict(zip(keys.tolist(), values.tolist(), strict=True)))


@cache
def shipped() -> Habits:
    """Those that come with spark."""
    return Habits.read(FILE)


class Usual:
    """How usual the edits of some lines are."""

    def __init__(self, lines: Sequence[str], habits: Habits) -> None:
        self._lines, self._habits = lines, habits
        self._tokens = [tokens_of(line) for line in lines]
        self._seen = [frozenset(self._twice(1, width)) for width in (1, 2)]
        self._twice_seen = [frozenset(self._twice(2, width)) for width in (1, 2)]

    def _twice(self, times: int, width: int) -> Iterator[Tokens]:
        """What stands so often here, so many tokens wide."""
        counted: dict[Tokens, int] = {}
        for tokens in self._tokens:
            for each in _windows(tokens, width):
                counted[each] = counted.get(each, 0) + 1
        return (each for each, count in counted.items() if count >= times)

    def of(self, ops: Sequence[LineOp]) -> list[float]:
        """Numbers near 1; as many for every edit."""
        old, new = list[float](), list[float]()
        spread = [0.0] * 4
        changes = list(islice(self._changes(ops), _MOST_CHANGES))
        for start, end, brought in changes:
            shares = self._weigh(start, end, brought, old, new)
            spread = [one + share / len(changes) for one, share in zip(spread, shares, strict=True)]
        if not changes:
            return [0.0] * 13
        gone, come = sum(old), sum(new)
        least_gone, least_come = min(old, default=0.0), min(new, default=0.0)
        return [
            max(min(come - gone, 30), -30) / 10,
            come / max(len(new), 1) / 3,
            least_come / 5,
            gone / max(len(old), 1) / 3,
            least_gone / 5,
            max(come, -60) / 20,
            max(gone, -60) / 20,
            (least_come - least_gone) / 5,
            *spread,
            1.0,
        ]

    def _changes(self, ops: Iterable[LineOp]) -> Iterator[tuple[int, int, Sequence[str]]]:
        """The lines that go, from a first one to an end, and those that come for them."""
        for op in ops:
            match op:
                case Insert(after=after, lines=brought):
                    yield after + 1, after + 1, brought
                case Replace(first=first, last=last, lines=brought):
                    yield first, last + 1, brought
                case Delete(first=first, last=last):
                    yield first, last + 1, ()
                case Substitute(old=old, new=new):
                    word = re.compile(rf"(?<!\w){re.escape(old)}(?!\w)")
                    for number, line in enumerate(self._lines):
                        if old in line:
                            yield number, number + 1, (word.sub(lambda _: new, line),)
                case _:
                    pass

    def _weigh(
        self, start: int, end: int, brought: Sequence[str], old: list[float], new: list[float]
    ) -> tuple[float, float, float, float]:
        """Add how usual each token of one change and just behind it is.

        Returns: which share of what comes stands here, alone and in pairs, and of what goes elsewhere, too.
        """
        gone = [token for tokens in self._tokens[start:end] for token in tokens]
        come = [token for line in brought for token in tokens_of(line)]
        before = [END, END, *(token for tokens in self._tokens[max(start - 2, 0) : start] for token in tokens)]
        after = self._tokens[end] if end < len(self._tokens) else ()
        same, tail = _common(gone, come)
        at = len(before) + same
        for tokens, lost in ((gone, old), (come, new)):
            to = min(len(before) + len(tokens) - tail + _BEHIND, at + _MOST_TOKENS)
            lost.extend(self._habits.logprobs([*before, *tokens, *after], at, to))
        come, gone = come[max(same - 1, 0) :], gone[max(same - 1, 0) :]
        come, gone = come[: len(come) - tail + 1], gone[: len(gone) - tail + 1]
        return (
            _share(come, 2, self._seen[1]),
            _share(gone, 2, self._twice_seen[1]),
            _share(come, 1, self._seen[0]),
            _share(gone, 1, self._twice_seen[0]),
        )


def _common(one: Sequence[str], other: Sequence[str]) -> tuple[int, int]:
    """How many tokens both begin with, and how many of the rest both end with."""
    most = min(len(one), len(other))
    begin = next((at for at in range(most) if one[at] != other[at]), most)
    most -= begin
    end = next((at for at in range(most) if one[-1 - at] != other[-1 - at]), most)
    return begin, end


def _share(tokens: Sequence[str], width: int, among: frozenset[Tokens]) -> float:
    windows = list(_windows(tokens, width))
    return sum(each in among for each in windows) / max(len(windows), 1)


def _windows(tokens: Sequence[str], width: int) -> Iterator[Tokens]:
    return zip(*(tokens[at:] for at in range(width)), strict=False)
