"""What the rules for idioms that are named share: places with the text that comes, and patterns of statements."""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import cast

from spark_tui.editing.codemods.common.tidy import Spot, on_node
from spark_tui.editing.codemods.folding.fold_sources import same, source_of
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import Place, places


@dataclass(frozen=True, slots=True)
class Fold:
    """A place, by the node it is told by, and what is done there. A statement passes for an expression."""

    node: ast.expr
    spots: tuple[Spot, ...]


Rule = Callable[[Snippet, str], Iterator[Fold]]
"""The places of an idiom, given the words that name it."""


def said(before: Snippet, node: ast.expr, text: str) -> Fold:
    """An expression that becomes a text."""
    return Fold(node, (on_node(before, node, text),))


def lines_of(before: Snippet, place: Place, last: int, *lines: str) -> Spot:
    """The lines from a statement to another row become others, as deep as it, below comments of their own.

    Without any, they go.
    """
    if not lines:
        return Spot(
            (place.first - 1, len(before.lines[place.first - 1])), (last, len(before.lines[last])), "", "", True
        )
    known = [line.strip() for line in before.lines[place.first : last + 1]]
    text = "\n".join(place.indent + line for line in [*(line for line in known if line[:1] == "#"), *lines])
    return Spot((place.first, 0), (last, len(before.lines[last])), text)


def folded(before: Snippet, place: Place, last: int, *lines: str) -> Fold:
    """A place from a statement to another row."""
    return Fold(cast("ast.expr", place.node), (lines_of(before, place, last, *lines),))


@dataclass(frozen=True, slots=True)
class Filling:
    """A key of a mapping that gets a first value, and what is done with it from then on.

    `place`, `last`: where it begins and ends. `holder`, `key`: of what. `start`: the value; `then`: what is done with
    `{}`, which stands for the element, or "" for nothing. `apart`: the last row of the part that only sets the start.
    """

    place: Place
    last: int
    holder: str
    key: str
    start: str
    then: str
    apart: int = -1

    @property
    def element(self) -> str:
        """The element itself."""
        return f"{self.holder}[{self.key}]"


def fillings(before: Snippet) -> Iterator[Filling]:
    """Every way to spell "set it if it is not there, then use it"."""
    for place in places(before):
        yield from _checked(before, place)
        yield from _branched(before, place)
        yield from _got(before, place)


def _checked(before: Snippet, place: Place) -> Iterator[Filling]:
    """`if k not in d: d[k] = v`, with the statement below it where that uses the element once."""
    match place.node:
        case ast.If(
            test=test,
            body=[ast.Assign(targets=[ast.Subscript(value=held, slice=used) as target], value=value)],
            orelse=[],
        ) if (pair := _missing(test)) and same(pair[0], used) and same(pair[1], held):
            holder, key, start = source_of(before, held), source_of(before, used), source_of(before, value)
            below = place.block[place.index + 1 : place.index + 2]
            then = _then(before, below[0], target) if below else ""
            last = (below[0].end_lineno or 0) - 1 if then else place.last
            yield Filling(place, last, holder, key, start, then, place.last)


def _missing(test: ast.expr) -> tuple[ast.expr, ast.expr] | None:
    """The key and the mapping of `k not in d` or `not k in d`."""
    match test:
        case ast.Compare(left=key, ops=[ast.NotIn()], comparators=[owner]):
            pass
        case ast.UnaryOp(op=ast.Not(), operand=ast.Compare(left=key, ops=[ast.In()], comparators=[owner])):
            pass
        case _:
            return None
    match owner:
        case ast.Call(func=ast.Attribute(value=inner, attr="keys"), args=[]):
            return key, inner
    return key, owner


def _then(before: Snippet, node: ast.stmt, target: ast.Subscript) -> str:
    """A statement of one line with `{}` for the element that it uses once, or ""."""
    if not isinstance(node, ast.Expr | ast.Assign | ast.AugAssign | ast.Return) or node.lineno != node.end_lineno:
        return ""
    text, element = source_of(before, cast("ast.expr", node)), source_of(before, target)
    stored = getattr(node, "target", None) or (node.targets[0] if isinstance(node, ast.Assign) else None)
    if text.count(element) != 1 or "{" in text or (same(stored, target) and not isinstance(node, ast.AugAssign)):
        return ""
    return text.replace(element, "{}")


def _branched(before: Snippet, place: Place) -> Iterator[Filling]:
    """`if k in d: d[k].append(v)` with `else: d[k] = [v]`, either way round, or by a KeyError."""
    match place.node:
        case ast.If(test=ast.Compare(ops=[ast.In()]) as test, body=[used], orelse=[ast.Assign() as begun]):
            pair: tuple[ast.expr, ast.expr] | None = (test.left, test.comparators[0])
        case ast.If(test=ast.expr() as test, body=[ast.Assign() as begun], orelse=[used]):
            pair = _missing(test)
        case ast.Try(
            body=[used],
            handlers=[ast.ExceptHandler(type=ast.Name(id="KeyError"), body=[ast.Assign() as begun])],
            orelse=[],
            finalbody=[],
        ) if len(begun.targets) == 1 and isinstance(begun.targets[0], ast.Subscript):
            pair = (begun.targets[0].slice, begun.targets[0].value)
        case _:
            return
    match begun.targets, pair:
        case [ast.Subscript(value=held, slice=index) as target], (key, owner) if same(held, owner) and same(index, key):
            start, then = _start(used, begun.value), _then(before, used, target)
            if start and then:
                yield Filling(place, place.last, source_of(before, held), source_of(before, index), start, then)


def _start(used: ast.stmt, begun: ast.expr) -> str:
    """The value to begin with, so that using it once makes what it is begun with; "" where there is none."""
    match used, begun:
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="append"), args=[given])), ast.List(elts=[one]):
            return "[]" if same(given, one) else ""
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="add"), args=[given])), ast.Set(elts=[one]):
            return "set()" if same(given, one) else ""
        case ast.AugAssign(op=ast.Add(), value=given), one if same(given, one):
            return "[]" if isinstance(one, ast.List) else "" if isinstance(one, ast.JoinedStr) else "0"
    return ""


def _got(before: Snippet, place: Place) -> Iterator[Filling]:
    """`d[k] = d.get(k, 0) + n` and `d.setdefault(k, []).append(v)`, on one line."""
    match place.node:
        case ast.Assign(
            targets=[ast.Subscript(value=held, slice=index)],
            value=ast.BinOp(
                left=ast.Call(func=ast.Attribute(value=owner, attr="get"), args=[key, start]), op=ast.Add(), right=more
            ),
        ) if same(held, owner) and same(index, key):
            then = f"{{}} += {source_of(before, more)}"
        case ast.Expr(
            value=ast.Call(
                func=ast.Attribute(
                    value=ast.Call(func=ast.Attribute(value=held, attr="setdefault"), args=[index, start]), attr=attr
                ),
                args=[given],
                keywords=[],
            )
        ):
            then = f"{{}}.{attr}({source_of(before, given)})"
        case _:
            return
    texts = [source_of(before, one) for one in (held, index, start)]
    yield Filling(place, place.last, texts[0], texts[1], texts[2], then)
