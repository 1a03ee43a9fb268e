"""Bounds that are wrong by one, as what stands around them shows."""

import ast
import re
from collections.abc import Iterator, Sequence

from spark_tui.editing.mutations.base import Lines, Source

_AMOUNT = re.compile(r"n|k|count|num|amount|size|limit|top|width|length|max_\w+|n_\w+|num_\w+|how_many")
_HEADING = re.compile(r"\bargv\b|head|\bnext\(|\.pop\(0")


def suspected(source: Source) -> Iterator[Lines]:
    """Each bound that cannot be meant, or hardly, as it should be."""
    for node in source.snippet.nodes:
        match node:
            case (
                ast.For(target=ast.Name(id=at), iter=ast.Call(func=ast.Name(id="range"), args=args))
                | ast.comprehension(target=ast.Name(id=at), iter=ast.Call(func=ast.Name(id="range"), args=args))
            ) if 1 <= len(args) <= 3 and all(map(source.text, args)):
                yield from _Loop(source, node, at).suspected(args)
            case ast.While():
                yield from _while(source, node)
            case _:
                yield from _taken(source, node)


class _Loop:
    """A loop, or a part of a comprehension, over a range of positions. Args: at: the position."""

    def __init__(self, source: Source, node: ast.AST, at: str) -> None:
        self._source, self._at = source, at
        nodes = source.snippet.nodes
        owners = node.body if isinstance(node, ast.For) else [o for o in nodes if node in getattr(o, "generators", ())]
        self._scope = [each for one in owners for each in ast.walk(one)]
        inside = set(map(id, self._scope))
        outside = [one for one in nodes if isinstance(one, ast.Subscript) and id(one) not in inside]
        self._outside = "\n".join(map(ast.unparse, outside))

    def suspected(self, args: Sequence[ast.expr]) -> Iterator[Lines]:
        """What is wrong with its range."""
        source, stop = self._source, args[0] if len(args) == 1 else args[1]
        if len(args) < 3 and self._is_window(stop):
            yield source.behind(stop, " + 1")
        counted, beyond = length(stop)
        if not counted or (len(args) == 3 and beyond != -1):
            return
        plain, ahead, behind = (self._reads(counted, by) for by in (0, 1, -1))
        bare = source.text(stop.left if isinstance(stop, ast.BinOp) else stop)
        ends = re.search(rf"{re.escape(counted)}\[(?:-|len)", self._outside)
        if beyond == -1 and not ahead and not ends and self._uses_only(counted, steps=len(args) == 3):
            yield source.put(stop, bare)
        if beyond == 1 and plain:
            yield source.put(stop, bare)
        if beyond == 0 and ahead and not self._guarded:
            yield source.put(stop, f"{bare} - 1")
        late = len(args) == 2 and isinstance(args[0], ast.Constant) and args[0].value == 1 and beyond == 0
        if late and plain and not behind and self._uses_only(counted) and not self._begins(counted):
            yield source.splice(source.start(args[0]), source.start(stop), "")

    def _reads(self, counted: str, by: int) -> bool:
        """Whether an element is read so much further than the position."""
        return any(apart(one.slice, self._at) == by for one in _items(self._scope, counted))

    def _uses_only(self, counted: str, *, steps: bool = False) -> bool:
        """Whether the position only stands for an element, or for where a slice begins if that many are stepped."""
        names = [one for one in self._scope if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)]
        uses = sum(one.id == self._at for one in names)
        held = list(_items(self._scope, counted))
        known = sum(apart(one.slice, self._at) == 0 for one in held)
        slices = [one.slice for one in held if steps and isinstance(one.slice, ast.Slice)]
        known += sum(self._at in ast.unparse(part) for one in slices for part in (one.lower, one.upper) if part)
        return 0 < uses <= known

    def _is_window(self, stop: ast.expr) -> bool:
        """Whether positions end with a length less a width, and so many elements from each are taken."""
        match stop:
            case ast.BinOp(left=ast.Call() as left, op=ast.Sub(), right=ast.Name(id=width)) if length(left)[0]:
                taken = f"{length(left)[0]}[{self._at}:{self._at} + {width}]"
                return any(isinstance(one, ast.Subscript) and ast.unparse(one) == taken for one in self._scope)
        return False

    def _begins(self, counted: str) -> bool:
        """Whether the first element is dealt with elsewhere, or is a heading."""
        first = re.search(rf"(?:{re.escape(counted)}\[|\b)(?:0\b|header)", self._outside)
        return bool(first or _HEADING.search("\n".join(self._source.lines)))

    @property
    def _guarded(self) -> bool:
        """Whether something looks whether there is one more."""
        tests = (one for one in self._scope if isinstance(one, ast.If | ast.IfExp | ast.BoolOp | ast.Try | ast.While))
        return any(self._at in ast.unparse(getattr(one, "test", one)) for one in tests)


def _while(source: Source, loop: ast.While) -> Iterator[Lines]:
    """A position that runs one too far or not far enough, by what is read at it."""
    match loop.test:
        case ast.Compare(left=ast.Name(id=at) as left, ops=[ast.Lt() | ast.LtE() as sort], comparators=[right]):
            equal = isinstance(sort, ast.LtE)
            place = source.between(left, right, "<=" if equal else "<")
        case _:
            return
    counted, beyond = length(right)
    inside = [each for one in loop.body for each in ast.walk(one)]
    reads = {apart(one.slice, at) for one in _items(inside, counted)}
    guarded = any(isinstance(one, ast.If) and at in ast.unparse(one.test) for one in inside)
    if place and counted and equal and beyond == 0 and 0 in reads and not guarded:
        yield source.splice(*place, "<")
    elif counted and not equal and beyond == -1 and reads == {0} and isinstance(right, ast.BinOp):
        yield source.put(right, source.text(right.left))
    elif place and not equal and isinstance(right, ast.Name) and _halves(source, loop, at, right.id):
        yield source.splice(*place, "<=")


def _halves(source: Source, loop: ast.While, low: str, high: str) -> bool:
    """Whether a loop narrows down both ends past the middle, where the upper one can be what is looked for."""
    steps = "\n".join(ast.unparse(one) for one in ast.walk(loop) if isinstance(one, ast.Assign))
    wanted = (rf"^{low} = \w+ \+ 1$", rf"^{high} = \w+ - 1$")
    moved = all(re.search(step, steps, re.MULTILINE) for step in wanted)
    return bool(moved and re.search(r"len\(\w+\) - 1", "\n".join(source.lines[: loop.lineno - 1])))


def _taken(source: Source, node: ast.AST) -> Iterator[Lines]:
    """An element one beyond the last, a random position one beyond, a slice that is to hold so many."""
    match node:
        case ast.Subscript(value=value, slice=ast.Call() as index) if length(index) == (ast.unparse(value), 0):
            yield source.behind(index, " - 1")
        case ast.Call(func=ast.Attribute(value=ast.Name(id="random"), attr="randint"), args=[_, ast.Call() as last]):
            yield from [source.behind(last, " - 1")] if length(last)[0] else []
        case (
            ast.Subscript(slice=ast.Slice(lower=None, upper=ast.BinOp() as bound, step=None))
            | ast.Subscript(slice=ast.Slice(lower=ast.BinOp(left=ast.UnaryOp(op=ast.USub())) as bound, upper=None))
        ):
            owned = {one.arg for function in source.snippet.functions for one in function.args.args}
            inner = bound.left.operand if isinstance(bound.left, ast.UnaryOp) else bound.left
            one = isinstance(bound.right, ast.Constant) and bound.right.value == 1
            if one and isinstance(inner, ast.Name) and inner.id in owned and _AMOUNT.fullmatch(inner.id):
                yield source.put(bound, source.text(bound.left))


def _items(nodes: Sequence[ast.AST], counted: str) -> Iterator[ast.Subscript]:
    """Where elements or slices of something are taken."""
    for one in nodes:
        if isinstance(one, ast.Subscript) and ast.unparse(one.value) == counted:
            yield one


def length(node: ast.expr) -> tuple[str, int]:
    """What a length is of, and how many more or less that is: ("x", -1) for `len(x) - 1`; ("", 0) for anything else."""
    match node:
        case ast.Call(func=ast.Name(id="len"), args=[counted]):
            return ast.unparse(counted), 0
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as sign, right=ast.Constant(value=1)):
            of, by = length(left)
            return (of, by + (1 if isinstance(sign, ast.Add) else -1)) if of else ("", 0)
    return "", 0


def apart(index: ast.expr, at: str) -> int | None:
    """How far from a position an index is; None for what is no plain distance."""
    match index:
        case ast.Name(id=name) if name == at:
            return 0
        case ast.BinOp(left=ast.Name(id=name), op=ast.Add() | ast.Sub() as sign, right=ast.Constant(value=int() as by)):
            return (by if isinstance(sign, ast.Add) else -by) if name == at else None
    return None
