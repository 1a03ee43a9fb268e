"""How likely a small change is the fix of a bug whatever the model thinks of it, and which only make a test pass."""

import ast
import re
from collections import Counter
from collections.abc import Collection, Sequence

from spark_tui.editing.snippet import Snippet
from spark_tui.session.fixing.outcome import TOKEN

_DOUBTFUL, _BLAMED = -8.0, 2.0
_COUNTED = re.compile(r"\bline \d+|:\d+:|\b\d+(?:\.\d+)?(?:s\b|%| (?:passed|failed|tests?|errors?)\b)")
"""What an output says of lines, times and tests, and not of values."""
_WORD = re.compile(r"[^\W\d]\w*")
_FREE = frozenset("not self cls str int float list len range sorted bool repr await return abs".split())  # noqa: SIM905
"""Words whose going takes nothing away that a function does its work with."""
_PLAIN = frozenset({"0", "1"})
_IDLE = frozenset(
    [(sign, 0) for sign in (ast.Add, ast.Sub, ast.LShift, ast.RShift, ast.BitOr)]
    + [(sign, 1) for sign in (ast.Mult, ast.Div, ast.FloorDiv, ast.Pow, ast.Mod)]
)
"""The operators, each with the number that makes it do nothing, or next to nothing."""


class FixesWeighed:
    """Weighs changes of some lines.

    Args: blamed: the 0-based lines that a failure names. said: what the failing command put out.
    """

    def __init__(self, snippet: Snippet, *, blamed: Collection[int] = (), said: str = "") -> None:
        self._snippet, self._blamed = snippet, blamed
        self._said = frozenset(TOKEN.findall(_COUNTED.sub("", said)))
        self._had = Counter(token for line in snippet.lines for token in TOKEN.findall(line))

    def weight(self, after: Sequence[str]) -> float:
        """How much likelier or less likely new lines are than the model thinks."""
        return _DOUBTFUL * self.is_doubtful(after) + _BLAMED * bool({*self._changed(after)} & {*self._blamed})

    def is_doubtful(self, after: Sequence[str]) -> bool:
        """Whether new lines may well pass a test for no good reason: they do less, or say what the test expects."""
        gone, come = self.difference(after)
        idles = _idle(Snippet(tuple(after))) > _idle(self._snippet)
        drops = bool(_names(gone) - _FREE) and not _names(come) - _FREE  # a condition, an argument or a step
        numbers = (token for token in come.keys() - self._had.keys() - _PLAIN if token[0].isdigit())
        return idles or drops or any(number in self._said for number in numbers)

    def difference(self, after: Sequence[str]) -> tuple[Counter[str], Counter[str]]:
        """The tokens that go, and those that come."""
        has = Counter(token for line in after for token in TOKEN.findall(line))
        return self._had - has, has - self._had

    def _changed(self, after: Sequence[str]) -> list[int]:
        """The lines of before that read otherwise."""
        lines = self._snippet.lines
        other = [at for at, (old, new) in enumerate(zip(lines, after, strict=False)) if old != new]
        return other if len(after) == len(lines) else (other or [len(lines) - 1])[:1]


def _idle(snippet: Snippet) -> int:
    """How many operations do nothing, or next to nothing, such as one times something."""
    nodes = snippet.nodes if snippet.is_python else ()
    binary = [one for one in nodes if isinstance(one, ast.BinOp)]
    pairs = [(one.op, one.right) for one in binary]
    pairs += [(one.op, one.left) for one in binary if isinstance(one.op, ast.Add | ast.Mult)]
    pairs += [(one.op, one.value) for one in nodes if isinstance(one, ast.AugAssign)]
    return sum(isinstance(by, ast.Constant) and (type(sign), by.value) in _IDLE for sign, by in pairs)


def _names(tokens: Counter[str]) -> set[str]:
    return {token for token in tokens if _WORD.fullmatch(token)}
