"""Reading and changing the parameters of a function, in its source."""

import ast
import textwrap
from collections.abc import Sequence

from spark_tui.editing.code import (
    MAX_WIDTH,
    Function,
    Position,
    end_of,
    header,
    indentation,
    parameters,
    splice,
    start_of,
)
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.trees import parse


def parameter_span(snippet: Snippet, function: Function, name: str) -> tuple[Position, Position] | None:
    """From the stars before a parameter's name to the end of its default; None when it spans lines."""
    parameter = next(one for one in parameters(function) if one.arg == name)
    stars = "**" if parameter is function.args.kwarg else "*" if parameter is function.args.vararg else ""
    row, column = start_of(snippet, parameter)
    end = end_of(snippet, default_of(function, parameter) or parameter)
    start = (row, column - len(stars))
    whole = snippet.lines[row][start[1] : column] == stars and end[0] == row
    return (start, end) if whole and snippet.lines[row][end[1] :].lstrip()[:1] in (",", ")", "") else None


def append_parameter(snippet: Snippet, function: Function, text: str) -> list[str] | None:
    """The lines with one parameter more at the end of a signature, but before `**kwargs`."""
    head = header(snippet, function)
    every = parameters(function)
    if head is None:
        return None
    if not every:
        after = splice(snippet.lines, head.closing, head.closing, text)
        return _fitting(after, head.opening[0]) if head.closing == (head.opening[0], head.opening[1] + 1) else None
    span = parameter_span(snippet, function, every[-1].arg)
    if span is None or function.args.kwarg:
        return insert_parameter(snippet, span[0], text) if span else None
    own_line = not snippet.lines[span[0][0]][: span[0][1]].strip() and len({one.lineno for one in every}) == len(every)
    if head.closing[0] == span[1][0]:
        return _append_before(snippet, span[1], head.closing, text, own_line=own_line and len(every) > 1)
    return _append_line(snippet, span[1], head.closing, text, own_line=own_line)


def default_is_due(function: Function) -> bool:
    """Whether a parameter at the end of the signature must have a default."""
    spec = function.args
    return bool(spec.defaults) and not spec.vararg and not spec.kwonlyargs


def insert_parameter(snippet: Snippet, before: Position, text: str) -> list[str] | None:
    """The lines with a parameter put in before the one that starts at `before`."""
    line = snippet.lines[before[0]]
    alone = not line[: before[1]].strip() and line[before[1] :].rstrip(" ):").count(",") <= 1
    glue = f",\n{indentation(line)}" if alone else ", "
    return _fitting(splice(snippet.lines, before, before, text + glue), before[0])


def drop_parameter(snippet: Snippet, function: Function, name: str) -> list[str] | None:
    """The lines without a parameter, or None when the layout or a bare `*` or `/` makes that unclear."""
    every = [one.arg for one in parameters(function)]
    spec = function.args
    alone_behind_star = not spec.vararg and [one.arg for one in spec.kwonlyargs] == [name]
    span, place = parameter_span(snippet, function, name), every.index(name)
    if span is None or alone_behind_star or [one.arg for one in spec.posonlyargs] == [name]:
        return None
    start, end = span
    line = snippet.lines[start[0]]
    if line.strip() == line[start[1] : end[1]] + ",":
        return [*snippet.lines[: start[0]], *snippet.lines[start[0] + 1 :]]
    if place > 0:
        left = parameter_span(snippet, function, every[place - 1])
        clean = left is not None and _between(snippet, left[1], start).strip() == ","
        return splice(snippet.lines, left[1], end, "") if left and clean else None
    if len(every) > 1:
        right = parameter_span(snippet, function, every[1])
        clean = right is not None and _between(snippet, end, right[0]).strip() == ","
        return splice(snippet.lines, start, right[0], "") if right and clean else None
    plain = line[start[1] - 1] == "(" and line[end[1] : end[1] + 1] == ")"
    return splice(snippet.lines, start, end, "") if plain else None


def parameter_source(name: str, code: str, fallback: str) -> str:
    """`name`, `name=1`, `name: int` or `name: int = 1`."""
    text = f"{name}: {code}" if code else name
    glue = " = " if code else "="
    return text + glue + fallback if fallback else text


def _append_before(
    snippet: Snippet, end: Position, closing: Position, text: str, *, own_line: bool
) -> list[str] | None:
    """Put the parameter between the last one and the parenthesis on its line."""
    line = snippet.lines[closing[0]]
    if line[end[1] : closing[1]].strip() not in ("", ", /"):
        return None
    glue = f",\n{indentation(line)}" if own_line else ", "
    return _fitting(splice(snippet.lines, closing, closing, glue + text), closing[0])


def _append_line(snippet: Snippet, end: Position, closing: Position, text: str, *, own_line: bool) -> list[str] | None:
    """Put the parameter after the last one when the parenthesis opens the next line."""
    line = snippet.lines[end[0]]
    tail = line[end[1] :].strip()
    if tail not in ("", ",") or closing[0] != end[0] + 1 or snippet.lines[closing[0]][: closing[1]].strip():
        return None
    glue = f",\n{indentation(line)}" if own_line else ", "
    return _fitting(splice(snippet.lines, end, (end[0], len(line)), glue + text + tail), end[0])


def _between(snippet: Snippet, start: Position, end: Position) -> str:
    if start[0] == end[0]:
        return snippet.lines[start[0]][start[1] : end[1]]
    first, last = snippet.lines[start[0]][start[1] :], snippet.lines[end[0]][: end[1]]
    return "\n".join([first, *snippet.lines[start[0] + 1 : end[0]], last])


def _fitting(lines: list[str], row: int) -> list[str] | None:
    return lines if all(len(line) <= MAX_WIDTH for line in lines[row : row + 2]) else None


def same_without_annotations(before: Snippet, after: Sequence[str]) -> bool:
    """Whether two sources are one program once every annotation is stripped."""
    try:
        changed = parse(textwrap.dedent("\n".join(after)))
    except SyntaxError:
        return False
    original = parse(textwrap.dedent("\n".join(before.lines)))
    return ast.dump(_bare(original)) == ast.dump(_bare(changed))


def annotation_span(snippet: Snippet, parameter: ast.arg) -> tuple[Position, Position] | None:
    """From the end of a parameter's name to the end of its annotation, when both stand on one line."""
    if parameter.annotation is None:
        return None
    line, column = start_of(snippet, parameter)
    end = end_of(snippet, parameter.annotation)
    return ((line, column + len(parameter.arg)), end) if end[0] == line else None


def default_of(function: Function, parameter: ast.arg) -> ast.expr | None:
    """The default of a parameter, or None when it has none."""
    spec = function.args
    positional = [*spec.posonlyargs, *spec.args]
    defaults = dict(zip([one.arg for one in reversed(positional)], reversed(spec.defaults), strict=False))
    defaults |= {one.arg: value for one, value in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if value}
    return defaults.get(parameter.arg)


def _bare(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            node.returns = None
    return tree
