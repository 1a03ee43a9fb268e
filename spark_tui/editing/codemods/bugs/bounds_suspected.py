"""Bounds that are wrong by one, as what stands around them shows."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from spark_tui.editing.code import Position, end_of, start_of, text_of
from spark_tui.editing.codemods.bugs.ways_told import Way
from spark_tui.editing.snippet import Snippet


@dataclass(frozen=True, slots=True)
class Suspected:
    """A stretch of source that shows to be wrong by one, and what it should be."""

    start: Position
    end: Position
    text: str
    way: Way


def suspected(snippet: Snippet) -> list[Suspected]:
    """The bounds of a snippet that cannot be meant, or hardly. Raises: SyntaxError."""
    loops = [_Loop(snippet, node) for node in snippet.nodes if isinstance(node, ast.For | ast.comprehension)]
    found = [one for loop in loops for one in loop.suspected()]
    for node in snippet.nodes:
        found += _while(snippet, node) if isinstance(node, ast.While) else _pieces(snippet, node)
    return [one for one in dict.fromkeys(found) if one.start[0] == one.end[0]]


class _Loop:
    """A loop, or a part of a comprehension, over a range of positions."""

    def __init__(self, snippet: Snippet, node: ast.For | ast.comprehension) -> None:
        self._snippet, self._node = snippet, node

    @cached_property
    def _scope(self) -> list[ast.AST]:
        """All that may use the position: the loop, or what the comprehension stands in."""
        if isinstance(self._node, ast.For):
            return [each for one in self._node.body for each in ast.walk(one)]
        owners = (one for one in self._snippet.nodes if self._node in getattr(one, "generators", ()))
        return [each for one in owners for each in ast.walk(one)]

    def suspected(self) -> Iterator[Suspected]:
        """What is wrong with its range."""
        match self._node:
            case (
                ast.For(target=ast.Name(id=at), iter=ast.Call(func=ast.Name(id="range"), args=args))
                | ast.comprehension(target=ast.Name(id=at), iter=ast.Call(func=ast.Name(id="range"), args=args))
            ):
                if 1 <= len(args) <= 3 and all(text_of(self._snippet, one) for one in args):
                    yield from self._ranged(at, args)

    def _ranged(self, at: str, args: list[ast.expr]) -> Iterator[Suspected]:
        stop = args[0] if len(args) == 1 else args[1]
        if len(args) < 3 and self._is_window(stop, at):
            yield Suspected(end_of(self._snippet, stop), end_of(self._snippet, stop), " + 1", Way.SHORT)
        counted, beyond = _length(stop)
        if not counted or (len(args) == 3 and beyond != -1):
            return
        plain, ahead, behind = (self._reads(counted, at, by) for by in ((0,), (1,), (-1,)))
        inner = stop.left if isinstance(stop, ast.BinOp) else stop
        bare = text_of(self._snippet, inner)
        if (
            beyond == -1
            and not ahead
            and self._uses_only(at, counted, steps=len(args) == 3)
            and not self._ends(counted)
        ):
            yield self._of(stop, bare, Way.SHORT)
        if beyond == 1 and plain:
            yield self._of(stop, bare, Way.FAR)
        if beyond == 0 and ahead and not self._guarded(at):
            yield self._of(stop, f"{bare} - 1", Way.FAR)
        first = args[0]
        late = len(args) == 2 and isinstance(first, ast.Constant) and first.value == 1 and beyond == 0
        if late and plain and not behind and self._uses_only(at, counted) and not self._begins(counted):
            yield Suspected(start_of(self._snippet, first), start_of(self._snippet, stop), "", Way.LATE)

    def _of(self, node: ast.expr, text: str, way: Way) -> Suspected:
        return Suspected(start_of(self._snippet, node), end_of(self._snippet, node), text, way)

    def _reads(self, counted: str, at: str, by: tuple[int, ...]) -> bool:
        """Whether an element is read at the position and so many further."""
        return any(
            isinstance(one, ast.Subscript) and ast.unparse(one.value) == counted and _apart(one.slice, at) in by
            for one in self._scope
        )

    def _uses_only(self, at: str, counted: str, *, steps: bool = False) -> bool:
        """Whether the position only stands for an element, or for where a slice begins if that many are stepped."""
        uses = sum(isinstance(one, ast.Name) and one.id == at and isinstance(one.ctx, ast.Load) for one in self._scope)
        held = [one for one in self._scope if isinstance(one, ast.Subscript) and ast.unparse(one.value) == counted]
        known = sum(_apart(one.slice, at) == 0 for one in held)
        if steps:
            slices = [one.slice for one in held if isinstance(one.slice, ast.Slice)]
            known += sum(ast.unparse(part).count(at) > 0 for one in slices for part in (one.lower, one.upper) if part)
        return 0 < uses <= known

    def _is_window(self, stop: ast.expr, at: str) -> bool:
        """Whether positions end with a length less a width, and so many elements from each are taken."""
        match stop:
            case ast.BinOp(left=ast.Call() as left, op=ast.Sub(), right=ast.Name(id=width)) if _length(left)[0]:
                taken = f"{_length(left)[0]}[{at}:{at} + {width}]"
                return any(isinstance(one, ast.Subscript) and ast.unparse(one) == taken for one in self._scope)
        return False

    def _outside(self) -> list[ast.AST]:
        inside = set(map(id, self._scope))
        return [one for one in self._snippet.nodes if id(one) not in inside and isinstance(one, ast.Subscript)]

    def _ends(self, counted: str) -> bool:
        """Whether the last element is dealt with elsewhere."""
        return any(re.search(rf"{re.escape(counted)}\[(?:-|len)", ast.unparse(one)) for one in self._outside())

    def _begins(self, counted: str) -> bool:
        """Whether the first element is dealt with elsewhere, or is a heading."""
        said = re.search(rf"(?:{re.escape(counted)}\[|\b)(?:0\b|header)", "\n".join(map(ast.unparse, self._outside())))
        return bool(said) or bool(re.search(r"\bargv\b|head|\bnext\(|\.pop\(0", "\n".join(self._snippet.lines)))

    def _guarded(self, at: str) -> bool:
        """Whether something looks whether there is one more."""
        tests = (one for one in self._scope if isinstance(one, ast.If | ast.IfExp | ast.BoolOp | ast.Try | ast.While))
        return any(at in ast.unparse(getattr(one, "test", one)) for one in tests)


def _while(snippet: Snippet, node: ast.While) -> Iterator[Suspected]:
    match node.test:
        case ast.Compare(left=ast.Name(id=at) as left, ops=[ast.Lt() | ast.LtE() as sort], comparators=[right]):
            inside = [one for part in node.body for one in ast.walk(part)]
            counted, beyond = _length(right)
            reads = {
                _apart(one.slice, at) for one in inside if isinstance(one, ast.Subscript) if _is(one.value, counted)
            }
            equal = isinstance(sort, ast.LtE)
            guarded = any(isinstance(one, ast.If) and at in ast.unparse(one.test) for one in inside)
            if counted and equal and beyond == 0 and 0 in reads and not guarded:
                yield _sort(snippet, left, right, "<", Way.FAR)
            elif counted and not equal and beyond == -1 and reads == {0}:
                bare = text_of(snippet, right.left) if isinstance(right, ast.BinOp) else ""
                yield Suspected(start_of(snippet, right), end_of(snippet, right), bare, Way.SHORT)
            elif not equal and isinstance(right, ast.Name) and _halves(snippet, node, at, right.id):
                yield _sort(snippet, left, right, "<=", Way.SHORT)


def _halves(snippet: Snippet, node: ast.While, low: str, high: str) -> bool:
    """Whether a loop narrows down both ends past the middle, where the upper one can be what is looked for."""
    steps = {ast.unparse(one) for one in ast.walk(node) if isinstance(one, ast.Assign)}
    moved = {
        step.partition(" = ")[0] for step in steps if re.fullmatch(rf"(?:{low} = \w+ \+ 1|{high} = \w+ - 1)", step)
    }
    begun = "\n".join(snippet.lines[: node.lineno - 1])
    return moved == {low, high} and re.search(r"len\(\w+\) - 1", begun) is not None


def _sort(snippet: Snippet, left: ast.expr, right: ast.expr, sign: str, way: Way) -> Suspected:
    return Suspected(end_of(snippet, left), start_of(snippet, right), f" {sign} ", way)


def _pieces(snippet: Snippet, node: ast.AST) -> Iterator[Suspected]:
    """An element one beyond the last, a slice that is to hold so many, a random position one beyond."""
    match node:
        case ast.Subscript(value=value, slice=ast.Call() as index) if _length(index) == (ast.unparse(value), 0):
            yield Suspected(end_of(snippet, index), end_of(snippet, index), " - 1", Way.FAR)
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id="random"), attr="randint"), args=[ast.Constant(value=0), last]
        ):
            if _length(last)[0] and _length(last)[1] == 0:
                yield Suspected(end_of(snippet, last), end_of(snippet, last), " - 1", Way.FAR)
        case ast.Subscript(slice=ast.Slice(lower=None, upper=ast.BinOp() as upper, step=None)):
            yield from _taken(snippet, upper)
        case ast.Subscript(slice=ast.Slice(lower=ast.BinOp(left=ast.UnaryOp(op=ast.USub())) as lower, upper=None)):
            yield from _taken(snippet, lower)


def _taken(snippet: Snippet, bound: ast.BinOp) -> Iterator[Suspected]:
    """A number that a function is given, and takes one more or less of."""
    owned = {one.arg for function in snippet.functions for one in function.args.args}
    inner = bound.left.operand if isinstance(bound.left, ast.UnaryOp) else bound.left
    one = isinstance(bound.right, ast.Constant) and bound.right.value == 1
    if one and isinstance(inner, ast.Name) and inner.id in owned and _AMOUNT.fullmatch(inner.id):
        fewer = isinstance(bound.op, ast.Sub) != isinstance(bound.left, ast.UnaryOp)
        yield Suspected(
            start_of(snippet, bound),
            end_of(snippet, bound),
            text_of(snippet, bound.left),
            Way.SHORT if fewer else Way.FAR,
        )


_AMOUNT = re.compile(r"n|k|count|num|amount|size|limit|top|width|length|max_\w+|n_\w+|num_\w+|how_many")


def _length(node: ast.expr) -> tuple[str, int]:
    """What a length is of, and how many more or less that is: ("x", -1) for `len(x) - 1`; ("", 0) for anything else."""
    match node:
        case ast.Call(func=ast.Name(id="len"), args=[counted]):
            return ast.unparse(counted), 0
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as sign, right=ast.Constant(value=1)):
            of, by = _length(left)
            return (of, by + (1 if isinstance(sign, ast.Add) else -1)) if of else ("", 0)
    return "", 0


def _apart(index: ast.expr, at: str) -> int | None:
    """How far from a position an index is; None for what is no plain distance."""
    match index:
        case ast.Name(id=name) if name == at:
            return 0
        case ast.BinOp(left=ast.Name(id=name), op=ast.Add() | ast.Sub() as sign, right=ast.Constant(value=int() as by)):
            return (by if isinstance(sign, ast.Add) else -by) if name == at else None
    return None


def _is(node: ast.expr, text: str) -> bool:
    return ast.unparse(node) == text
