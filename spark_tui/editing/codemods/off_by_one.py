"""Every bound, index or comparison moved by one, as far as an instruction leaves open which is meant."""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from spark_tui.editing.code import Position, end_of, splice, start_of, text_of
from spark_tui.editing.codemods.base import Codemod, Ops, Request, between
from spark_tui.editing.codemods.bugs.bounds_suspected import Suspected, suspected
from spark_tui.editing.codemods.bugs.ways_told import Way, way_told
from spark_tui.editing.codemods.common.said import stands
from spark_tui.editing.codemods.plain.plain_bounds import plain_edge
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import outside_fstrings

FLIPPED: dict[type[ast.cmpop], tuple[str, str, int]] = {
    ast.Lt: ("<", "<=", 1), ast.LtE: ("<=", "<", -1), ast.Gt: (">", ">=", 0), ast.GtE: (">=", ">", 0),
}  # fmt: skip
"""An operator, its strict or not so strict twin, and whether that reaches further (1), less far (-1), or either (0)."""
_FAR = re.compile(r"too (?:far|many|much|high|large|big|late|long)|past|out of (?:range|bounds)|one over|beyond")
_SHORT = re.compile(
    r"too (?:few|early|low|small|soon|short)|one (?:short|less|off the end)|miss(?:es|ing)|last .* left out"
)
_CONSTANT = re.compile(r"index|slice|element|char|first|last|item|position|digit|prefix|suffix")
_START = re.compile(r"start|begin|first|skip|zero|number|enumerate|\b[01]\b")
_COUNTER = re.compile(
    r"_?(?:[i-nrcpqxyst]|\w*(?:idx|index|pos|position|offset|start|stop|end|row|col|column|line|lineno|depth|level|count|size"
    r"|current|number|index|limit|num|length|lo|hi|low|high|left|right|mid|first|last|cur|cursor|ptr|pointer|step|width|height))\d?"
)
_ENDS = re.compile(
    r"\b(?:closing|opening|trailing|leading|quotes?|brackets?|last|first|final|end|both|still (?:there|in)|includ\w+)\b"
)
_MEASURING = ("range", "print", "str", "int", "min", "max", "isinstance", "abs")
_TEST = re.compile(r"comparison|compar|condition|\bcheck|\btest|boundary")
_TELLING = (ast.Call, ast.Compare, ast.Subscript, ast.BinOp)


@dataclass(frozen=True, slots=True)
class Change:
    """A stretch of source and what it becomes.

    `reach`: 1 for further, -1 for less far, 0 for either. `names`: what it is told by. `rare`: only when it is named.
    """

    start: Position
    end: Position
    text: str
    reach: int
    names: tuple[str, ...]
    rare: bool = False


class OffByOne(Codemod):
    """A comparison made strict or not, or a whole-number expression one more or one less."""

    kind: ClassVar[str] = "off_by_one"
    repairs: ClassVar[bool] = True

    def plain(self, before: Snippet, request: Request) -> Sequence[Ops]:
        """The one bound that shows to be wrong in the way told, where nothing but that is told; see `plain_edge`."""
        if found := plain_edge(before, request.instruction):
            return found
        if (way := way_told(request.instruction)) is None:
            return ()
        first, last = request.selected or (0, len(before.lines))
        wrong = [one for one in suspected(before) if way in (Way.ANY, one.way) and first <= one.start[0] <= last]
        return [_mended(before, one) for one in wrong] if len(wrong) == 1 else ()

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """Comparisons, bounds of ranges and slices, indices; what is said of the place and the direction narrows."""
        changes = [change for node in outside_fstrings(before.tree) for change in _changes(before, node)]
        changes += _ends(before) if _ENDS.search(request.instruction.lower()) else []
        if request.selected:
            first, last = request.selected
            changes = [one for one in changes if first <= one.start[0] <= last]
        for one in _meant(before, changes, request.instruction):
            yield _mended(before, one)
        yield from (_mended(before, one) for one in suspected(before))


def _mended(before: Snippet, one: Change | Suspected) -> Ops:
    return between(before, splice(before.lines, one.start, one.end, one.text))


def _meant(snippet: Snippet, changes: Sequence[Change], instruction: str) -> Sequence[Change]:
    """The changes within code that is quoted, else those of what is named, else all; as far as they go its way."""
    quoted = _quoted(snippet, instruction)
    asked = instruction.lower()
    found = [one for one in changes if quoted.keys() & set(one.names) or _within(one, quoted)]
    found = found or [one for one in changes if any(_named(name, instruction) for name in one.names)]
    if not found:
        rare = _CONSTANT.search(asked) or _START.search(asked)
        found = [one for one in changes if rare or not one.rare] or list(changes)
    if _TEST.search(asked):
        found = [one for one in found if one.text.strip("() ") in ("<", "<=", ">", ">=")] or found
    reach = -1 if _FAR.search(asked) else 1 if _SHORT.search(asked) else 0
    return [one for one in found if not reach or one.reach in (0, reach)] or found


Spans = Mapping[str, Sequence[tuple[Position, Position]]]


def _quoted(snippet: Snippet, instruction: str) -> Spans:
    """Where the longest expressions stand that the instruction has as they are, by their text."""
    spans: dict[str, list[tuple[Position, Position]]] = {}
    for node in outside_fstrings(snippet.tree):
        if isinstance(node, _TELLING) and (text := text_of(snippet, node)) and stands(text, instruction):
            spans.setdefault(text, []).append((start_of(snippet, node), end_of(snippet, node)))
    return {text: found for text, found in spans.items() if not any(text != one and text in one for one in spans)}


def _within(one: Change, quoted: Spans) -> bool:
    return any(start <= one.start and one.end <= end for found in quoted.values() for start, end in found)


def _named(name: str, instruction: str) -> bool:
    if len(name) == 1:
        around = rf"(?<!\w)(?:over|loop|for|of|into|index|indexing|range|with|on|against|limit)\W+{name}\b"
        around += rf"|[`'\"]{name}[`'\"]"
        return bool(
            re.search(rf"{around}|(?:^|the )\W*{name}\W* (?:loop|goes|runs|counts|is|raises|check)", instruction)
        )
    return stands(name, instruction)


def _changes(snippet: Snippet, node: ast.AST) -> Iterator[Change]:
    match node:
        case ast.Compare():
            yield from _chained(snippet, node)
        case (
            ast.For(target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="range"), args=args))
            | ast.comprehension(target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="range"), args=args))
        ):
            yield from _ranged(snippet, args, (name,))
        case ast.Call(func=ast.Name(id="enumerate"), args=[items], keywords=[]) if text_of(snippet, items):
            yield Change(end_of(snippet, items), end_of(snippet, items), ", 1", 0, (), rare=True)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=ast.Constant(value=1)) if text_of(snippet, left):
            yield Change(end_of(snippet, left), end_of(snippet, node), "", 0, (text_of(snippet, left),), rare=True)
        case ast.Subscript(value=value, slice=ast.Slice(lower=lower, upper=upper)):
            names = (text_of(snippet, value),)
            if upper is not None:
                yield from _moved(snippet, upper, names, reach=1)
            if lower is not None:
                yield from _moved(snippet, lower, names, reach=0)
        case ast.Subscript(value=value, slice=ast.expr() as index, ctx=ast.Load()):
            yield from _indexed(snippet, index, (text_of(snippet, value),))
        case _:
            yield from _counted(snippet, node)


def _counted(snippet: Snippet, node: ast.AST) -> Iterator[Change]:
    """What is kept, given back or passed on that is a position, a count, or one more or less than something."""
    match node:
        case ast.Assign(value=value) | ast.Return(value=ast.expr() as value) if _steps(value) or _counts(value):
            yield from _moved(snippet, value, _owned(snippet, node, value), reach=0)
        case ast.Call(func=func, args=args, keywords=keywords) if text_of(snippet, func) not in _MEASURING:
            for value in (*args, *(one.value for one in keywords)):
                if _counts(value):
                    yield from _moved(snippet, value, (text_of(snippet, value),), reach=0)


def _chained(snippet: Snippet, node: ast.Compare) -> Iterator[Change]:
    """Each comparison of a chain; a counter that is to equal a name, with that one more or less."""
    for left, sort, right in zip([node.left, *node.comparators], node.ops, node.comparators, strict=False):
        names = text_of(snippet, left), text_of(snippet, right)
        if type(sort) in FLIPPED:
            yield from _compared(snippet, left, sort, right)
        elif isinstance(sort, ast.Eq) and isinstance(right, ast.Name | ast.Attribute) and _COUNTER.fullmatch(names[0]):
            yield from _moved(snippet, right, names, reach=1)


def _compared(snippet: Snippet, left: ast.expr, sort: ast.cmpop, right: ast.expr) -> Iterator[Change]:
    """The other strictness; less of a length where the strictness can only give more."""
    start, end = end_of(snippet, left), start_of(snippet, right)
    old, new, reach = FLIPPED[type(sort)]
    names = tuple(filter(None, (text_of(snippet, left), text_of(snippet, right))))
    if start[0] == end[0] and (between_text := snippet.lines[start[0]][start[1] : end[1]]).strip("() ") == old:
        yield Change(start, end, between_text.replace(old, new), reach, names)
    if isinstance(sort, ast.Lt) and isinstance(right, ast.Call) and text_of(snippet, right).startswith("len("):
        yield Change(end_of(snippet, right), end_of(snippet, right), " - 1", -1, names)


def _ranged(snippet: Snippet, args: Sequence[ast.expr], names: tuple[str, ...]) -> Iterator[Change]:
    if len(args) == 1:
        yield from _moved(snippet, args[0], names, reach=1)
        start = start_of(snippet, args[0])
        yield Change(start, start, "1, ", 0, (), rare=True)
    elif len(args) == 2 and all(text_of(snippet, arg) for arg in args):
        yield from _moved(snippet, args[1], names, reach=1)
        if isinstance(args[0], ast.Constant) and args[0].value == 1:
            yield Change(start_of(snippet, args[0]), start_of(snippet, args[1]), "", 0, names, rare=True)
        else:
            yield from _moved(snippet, args[0], names, reach=0)


def _indexed(snippet: Snippet, index: ast.expr, names: tuple[str, ...]) -> Iterator[Change]:
    match index:
        case ast.Name(id=name) if _COUNTER.fullmatch(name):
            yield from _moved(snippet, index, names, reach=1)
        case ast.BinOp() | ast.Constant():
            yield from _moved(snippet, index, names, reach=1)
        case ast.Call(func=ast.Name(id="len")) if text_of(snippet, index):
            yield Change(end_of(snippet, index), end_of(snippet, index), " - 1", -1, names)


def _ends(snippet: Snippet) -> list[Change]:
    """Slices that leave out one more at the end that they reach to."""
    found: list[Change] = []
    for node in outside_fstrings(snippet.tree):
        match node:
            case ast.Subscript(value=value, slice=ast.Slice(lower=ast.expr() as lower, upper=None, step=None)):
                if text_of(snippet, node).endswith(":]") and text_of(snippet, lower):
                    at = end_of(snippet, node)[0], end_of(snippet, node)[1] - 1
                    found.append(Change(at, at, "-1", -1, (text_of(snippet, value),)))
            case ast.Subscript(value=value, slice=ast.Slice(lower=None, upper=ast.expr() as upper, step=None)):
                if text_of(snippet, node).startswith(f"{text_of(snippet, value)}[:") and text_of(snippet, upper):
                    at = end_of(snippet, value)[0], end_of(snippet, value)[1] + 1
                    found.append(Change(at, at, "1", 0, (text_of(snippet, value),)))
    return found


def _steps(node: ast.expr) -> bool:
    """Whether an expression is something plus or minus one."""
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub) and _is_one(node.right)


def _counts(node: ast.expr) -> bool:
    """Whether an expression is a position or a count by its name, or what finds one."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return len(name) > 1 and bool(_COUNTER.fullmatch(name))
        case ast.Call(func=ast.Attribute(attr="index" | "find" | "rfind" | "tell" | "count") | ast.Name(id="len")):
            return True
    return False


def _owned(snippet: Snippet, statement: ast.AST, value: ast.expr) -> tuple[str, ...]:
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return tuple(filter(None, (text_of(snippet, one) for one in (*targets, value) if not _steps(one))))


def _is_one(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 1


def _moved(snippet: Snippet, node: ast.expr, names: tuple[str, ...], *, reach: int) -> Iterator[Change]:
    """An expression one more and one less; `reach`: what one more means."""
    source = text_of(snippet, node)
    if not source:
        return
    start, end = start_of(snippet, node), end_of(snippet, node)
    match node:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as sign) if _steps(node) and text_of(snippet, left):
            yield Change(start, end, text_of(snippet, left), -reach if isinstance(sign, ast.Add) else reach, names)
        case ast.Constant(value=int() as value) if not isinstance(value, bool) and source.isdigit():
            for step in (-1, 1):
                if value + step >= 0:
                    yield Change(start, end, str(value + step), step * reach, names, rare=True)
        case ast.Name() | ast.Attribute() | ast.Call() | ast.Subscript():
            yield Change(end, end, " - 1", -reach, names)
            yield Change(end, end, " + 1", reach, names)
