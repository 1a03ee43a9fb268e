"""Calls over several lines as literals or operators: `dict(...)` in braces, `any([...])` with `or`."""

import ast
from collections.abc import Iterator

from spark_tui.editing.code import end_of, splice, start_of
from spark_tui.editing.codemods.common.negation import NOT, OR
from spark_tui.editing.codemods.folding.fold_sources import (
    New,
    ToldRule,
    enclosed_source,
    following,
    last_row,
    mark_of,
    same,
    source_of,
)
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import Place


def _in_braces(before: Snippet, place: Place, _: str) -> Iterator[New]:
    """A call of dict with keywords as a literal, laid out as it is."""
    for node in ast.walk(place.node) if not hasattr(place.node, "body") else ():
        match node:
            case ast.Call(func=ast.Name(id="dict") as name, args=[], keywords=[_, *_] as named):
                row, column = end_of(before, name)
                end, stop = end_of(before, node)
                if not all(one.arg for one in named) or before.lines[row][column : column + 1] != "(":
                    continue
                lines, mark = splice(before.lines, (end, stop - 1), (end, stop), "}"), mark_of(before)
                for one in reversed(named):
                    place_of, value = start_of(before, one), start_of(before, one.value)
                    lines = splice(lines, place_of, value, f"{mark}{one.arg}{mark}: ")
                lines = splice(lines, start_of(before, name), (row, column + 1), "{")
                rows = lines[place.first : place.last + 1 - (len(before.lines) - len(lines))]
                yield place.first, place.last, [line.removeprefix(place.indent) for line in rows]


def _spelled_out(before: Snippet, place: Place, _: str) -> Iterator[New]:
    """`any([a, b])` as `a or b`, `all` with `and`, in the head of an `if` or in a statement."""
    whole = place.node.test if isinstance(place.node, ast.If | ast.While) else getattr(place.node, "value", None)
    match whole:
        case ast.Call(
            func=ast.Name(id="any" | "all" as name),
            args=[ast.List(elts=[_, _, *_] as elts) | ast.Tuple(elts=[_, _, *_] as elts)],
            keywords=[],
        ):
            least = OR if name == "any" else NOT
            text = f" {'or' if name == 'any' else 'and'} ".join(enclosed_source(before, one, least) for one in elts)
            (row, column), (end, stop) = start_of(before, whole), end_of(before, whole)
            line = before.lines[row][:column] + text + before.lines[end][stop:]
            if row == place.first:
                rest = before.lines[end + 1 : place.last + 1]
                yield place.first, place.last, [one.removeprefix(place.indent) for one in (line, *rest)]


def _or_else(before: Snippet, place: Place, _: str) -> Iterator[New]:
    """A value and an `if` below that sets it over where it is empty, as one `or`."""
    match place.node, following(place):
        case ast.Assign(targets=[target], value=value), [
            ast.If(
                test=ast.UnaryOp(op=ast.Not(), operand=left)
                | ast.Compare(left=left, ops=[ast.Is()], comparators=[ast.Constant(value=None)]),
                body=[ast.Assign(targets=[again], value=other)], orelse=[],
            ) as end
        ] if same(left, target) and same(again, target):  # fmt: skip
            text = f"{enclosed_source(before, value, OR)} or {enclosed_source(before, other, OR)}"
            yield place.first, last_row(end), [f"{source_of(before, target)} = {text}"]


LITERALS: tuple[tuple[str, ToldRule], ...] = (
    (r"\bliteral|\bbraces\b|\{\}|\bC408\b|\bcurly\b", _in_braces),
    (r"\bor\b|\band\b|\bany\b|\ball\b", _spelled_out),
    (r"\bor\b", _or_else),
)
