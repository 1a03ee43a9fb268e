"""How likely a small change is the fix of a bug whatever the model thinks of it, and which only make a test pass."""

import ast
import re
from collections import Counter
from collections.abc import Collection, Sequence
from functools import cached_property

from spark_tui.editing.snippet import Snippet
from spark_tui.session.fixing.outcome import TOKEN

_LOOPING, _DROPPING, _BLAMED, _QUOTING, _IDLY = 4.0, -8.0, 2.0, -4.0, -8.0
_COUNTED = re.compile(r"\bline \d+|:\d+:|\b\d+(?:\.\d+)?(?:s\b|%| (?:passed|failed|tests?|errors?)\b)")
"""What an output says of lines, times and tests, and not of values."""
_WORD = re.compile(r"[^\W\d]\w*")
_FREE = frozenset("not self cls str int float list len range sorted bool repr await return abs".split())  # noqa: SIM905
"""Words whose going takes nothing away that a function does its work with."""
_SLIPS = {frozenset(pair.split()): 3.0 for pair in ("> >=", "< <=", "and or", "+ -", "* +", "/ //")}
_SLIPS |= {frozenset((sort, equal)): -3.0 for sort in ("<", ">", "<=", ">=") for equal in ("==", "!=")}
"""How much likelier or less likely it is that one sign was written for another."""
_PLAIN = frozenset({"0", "1"})
_IDLE = frozenset(
    [(sign, 0) for sign in (ast.Add, ast.Sub, ast.LShift, ast.RShift, ast.BitOr)]
    + [(sign, 1) for sign in (ast.Mult, ast.Div, ast.FloorDiv, ast.Pow, ast.Mod)]
)
"""The operators, each with the number that makes it do nothing, or next to nothing."""


class FixesWeighed:
    """Weighs changes of some lines.

    Args: blamed: the 0-based lines that a failure names. said: what the failing command put out. looping: whether the
        command did not end.
    """

    def __init__(
        self, snippet: Snippet, *, blamed: Collection[int] = (), said: str = "", looping: bool = False
    ) -> None:
        self._snippet, self._blamed, self._looping = snippet, blamed, looping
        self._said = frozenset(TOKEN.findall(_COUNTED.sub("", said)))
        self._had = frozenset(token for line in snippet.lines for token in TOKEN.findall(line))

    def weight(self, after: Sequence[str]) -> float:
        """How much likelier or less likely new lines are than the model thinks."""
        changed = self._changed(after)
        if not changed:
            return 0.0
        return sum((
            # What never ends is a loop.
            _LOOPING * self._looping * ((changed[0] in self._loops) + (changed[0] in self._turning)),
            _slip(*self.difference(after)),
            _DROPPING * self._drops(after),
            _QUOTING * self._quotes(after),
            _IDLY * self._idles(after),
            _BLAMED * bool({*changed} & {*self._blamed}),
        ))  # fmt: skip

    def is_doubtful(self, after: Sequence[str]) -> bool:
        """Whether new lines may well pass a test for no good reason: they do less, or say what the test expects."""
        return self._idles(after) or self._drops(after) or self._quotes(after)

    def _drops(self, after: Sequence[str]) -> bool:
        """Whether names go and none come: a condition, an argument or a step is gone."""
        gone, come = self.difference(after)
        return bool(_names(gone) - _FREE) and not _names(come) - _FREE

    def _quotes(self, after: Sequence[str]) -> bool:
        """Whether a number or text is new that the failing test says."""
        come = self.difference(after)[1].keys() - self._had - _PLAIN
        return any(token in self._said and token[0].isdigit() for token in come)

    def _idles(self, after: Sequence[str]) -> bool:
        """Whether an operation is new that does nothing, such as one times something."""
        return _idle(Snippet(tuple(after))) > _idle(self._snippet)

    def difference(self, after: Sequence[str]) -> tuple[Counter[str], Counter[str]]:
        """The tokens that go, and those that come."""
        had = Counter(token for line in self._snippet.lines for token in TOKEN.findall(line))
        has = Counter(token for line in after for token in TOKEN.findall(line))
        return had - has, has - had

    def _changed(self, after: Sequence[str]) -> list[int]:
        """The lines of before that read otherwise."""
        lines = self._snippet.lines
        if len(after) == len(lines):
            return [at for at, pair in enumerate(zip(lines, after, strict=True)) if pair[0] != pair[1]]
        return [
            next((at for at, pair in enumerate(zip(lines, after, strict=False)) if pair[0] != pair[1]), len(lines) - 1)
        ]

    @cached_property
    def _loops(self) -> frozenset[int]:
        """The lines of `while` loops, 0-based."""
        loops = (node for node in self._snippet.nodes if isinstance(node, ast.While))
        return frozenset(line - 1 for node in loops for line in range(node.lineno, (node.end_lineno or 0) + 1))

    @cached_property
    def _turning(self) -> frozenset[int]:
        """The lines of `while` loops, 0-based, that set what ends them, or test it."""
        loops = [node for node in self._snippet.nodes if isinstance(node, ast.While)]
        return frozenset(
            one.lineno - 1
            for loop in loops
            for one in ast.walk(loop)
            if isinstance(one, ast.Name) and (isinstance(one.ctx, ast.Store) or one.lineno == loop.lineno)
            if one.id in {each.id for each in ast.walk(loop.test) if isinstance(each, ast.Name)}
        )


def _idle(snippet: Snippet) -> int:
    """How many operations do nothing, or next to nothing."""
    nodes = snippet.nodes if snippet.is_python else ()
    binary = [one for one in nodes if isinstance(one, ast.BinOp)]
    pairs = [(one.op, one.right) for one in binary]
    pairs += [(one.op, one.left) for one in binary if isinstance(one.op, ast.Add | ast.Mult)]
    pairs += [(one.op, one.value) for one in nodes if isinstance(one, ast.AugAssign)]
    return sum(isinstance(by, ast.Constant) and (type(sign), by.value) in _IDLE for sign, by in pairs)


def _slip(gone: Counter[str], come: Counter[str]) -> float:
    """What speaks for one sign having been written for another, where that is the whole change."""
    alone = gone.total() == come.total() == 1
    return _SLIPS.get(frozenset((*gone, *come)), 0.0) if alone else 0.0


def _names(tokens: Counter[str]) -> set[str]:
    return {token for token in tokens if _WORD.fullmatch(token)}
