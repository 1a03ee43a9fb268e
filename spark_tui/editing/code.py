"""Where things stand in a snippet's source, and how other text is put there.

A position is (line, column): 0-based, columns in characters of `snippet.lines`, so that lines can be
sliced with it directly (ast counts lines from 1, columns in bytes, and knows nothing of the margin).
"""

import ast
import re
from collections.abc import Iterator, Sequence

from spark_tui.editing.snippet import Snippet

Position = tuple[int, int]
Function = ast.FunctionDef | ast.AsyncFunctionDef
MAX_WIDTH = 110
"""No mutation makes a line longer than this."""


def position(snippet: Snippet, line: int, column: int) -> Position:
    """An ast position (1-based line, column in bytes of the dedented line) as a Position."""
    text = snippet.lines[line - 1]
    margin = _margin(snippet)
    if not text.isascii():
        column = len(text[margin:].encode()[:column].decode(errors="ignore"))
    return line - 1, margin + column


def start_of(snippet: Snippet, node: ast.expr | ast.stmt | ast.arg | ast.keyword) -> Position:
    """Where a node begins (a decorated function: at its `def`)."""
    return position(snippet, node.lineno, node.col_offset)


def end_of(snippet: Snippet, node: ast.expr | ast.stmt | ast.arg | ast.keyword) -> Position:
    """Where a node ends, exclusive."""
    return position(snippet, node.end_lineno or node.lineno, node.end_col_offset or 0)


def text_of(snippet: Snippet, node: ast.expr | ast.stmt | ast.arg | ast.keyword) -> str:
    """The source of a node that stands on one line, or "" (much faster than Snippet.segment)."""
    (first, start), (last, end) = start_of(snippet, node), end_of(snippet, node)
    return snippet.lines[first][start:end] if first == last else ""


def splice(lines: Sequence[str], start: Position, end: Position, text: str) -> list[str]:
    """The lines with the stretch from `start` to `end` (exclusive) replaced by `text`."""
    joined = lines[start[0]][: start[1]] + text + lines[end[0]][end[1] :]
    return [*lines[: start[0]], *joined.split("\n"), *lines[end[0] + 1 :]]


def indentation(line: str) -> str:
    """The whitespace a line begins with."""
    return line[: len(line) - len(line.lstrip())]


def statement_lines(statement: ast.stmt) -> tuple[int, int]:
    """The first and last line of a statement, its decorators included."""
    decorators = getattr(statement, "decorator_list", [])
    first = min([statement.lineno, *(decorator.lineno for decorator in decorators)])
    return first - 1, (statement.end_lineno or statement.lineno) - 1


def stands_alone(snippet: Snippet, statement: ast.stmt) -> bool:
    """Whether nothing else but a comment shares the statement's lines (no `;`, no `if x: y`)."""
    _, start = start_of(snippet, statement)
    last, end = end_of(snippet, statement)
    rest = snippet.lines[last][end:].strip()
    return not snippet.lines[statement.lineno - 1][:start].strip() and (not rest or rest.startswith("#"))


def docstring_node(scope: Function | ast.ClassDef | ast.Module) -> ast.Expr | None:
    """The statement that is the docstring."""
    first = scope.body[0] if scope.body else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        return first
    return None


def body_after_docstring(scope: Function | ast.ClassDef | ast.Module) -> list[ast.stmt]:
    """The statements of the body without the docstring; may be empty."""
    return scope.body[1:] if docstring_node(scope) else scope.body


def parameters(function: Function) -> list[ast.arg]:
    """Every parameter in source order, `*args` and `**kwargs` included."""
    spec = function.args
    varied = [one for one in (spec.vararg,) if one], [one for one in (spec.kwarg,) if one]
    return [*spec.posonlyargs, *spec.args, *varied[0], *spec.kwonlyargs, *varied[1]]


def is_receiver(function: Function, parameter: ast.arg) -> bool:
    """Whether a parameter is the `self` or `cls` of a method."""
    return parameter.arg in ("self", "cls", "mcs") and parameter is next(iter(parameters(function)), None)


def walk_scope(function: Function) -> Iterator[ast.AST]:
    """The nodes of a function's body, without going into functions and classes defined inside it."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop(0)
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            waiting.extend(ast.iter_child_nodes(node))


def mentions(snippet: Snippet, name: str) -> int:
    """How often a word stands anywhere in the snippet, strings and comments included."""
    return sum(len(re.findall(rf"\b{re.escape(name)}\b", line)) for line in snippet.lines)


def _margin(snippet: Snippet) -> int:
    body = snippet.tree.body
    return len(indentation(snippet.lines[body[0].lineno - 1])) if body else 0
