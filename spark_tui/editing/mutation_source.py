"""Code that mutations read.

A stretch of Python code that parses on its own: what mutations are worked out on.

A piece of code as mutations look at it: its nodes, where they stand, and the ways to put other text
into it.

Every mutation is all the lines as they would be. A position is (line, column), both 0-based,
columns in characters of `MutableSnippet.lines` (ast counts lines from 1, columns in bytes, and
knows nothing of the margin).
"""

import ast
import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from spark_tui.editing.formats.rewrite import indent_of
from spark_tui.editing.syntax import no_warnings, parse


@dataclass(frozen=True)
class Snippet:
    """A parseable stretch of real code: a function, a class or the top of a module.

    `lines` are without line endings and keep their indentation. Line numbers here are 0-based.
    """

    lines: tuple[str, ...]

    @cached_property
    def tree(self) -> ast.Module:
        """The syntax tree of the dedented lines.

        Raises:
            SyntaxError. (ast's lineno is 1-based.)
        """
        return _read(self.lines)

    @cached_property
    def is_python(self) -> bool:
        """Whether Python can read the lines, and finds anything in them."""
        try:
            with no_warnings():
                return bool(self.tree.body)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """Every node of the tree, in the order of `ast.walk`."""
        return tuple(ast.walk(self.tree))

    @cached_property
    def functions(self) -> tuple[ast.FunctionDef | ast.AsyncFunctionDef, ...]:
        """Every function in the snippet, in source order."""
        found = [n for n in self.nodes if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
        return tuple(sorted(found, key=lambda node: node.lineno))


@lru_cache(maxsize=32)
def _read(lines: tuple[str, ...]) -> ast.Module:
    """Whoever looks at the same lines soon finds what was read."""
    if any("\r" in line for line in lines):
        raise SyntaxError("a CR without LF, at which ast counts another line")
    return parse(textwrap.dedent("\n".join(lines)))


Lines = list[str]
Position = tuple[int, int]
Function = ast.FunctionDef | ast.AsyncFunctionDef
Node = ast.expr | ast.stmt | ast.arg | ast.keyword
LEAVING = (ast.Return, ast.Raise, ast.Break, ast.Continue)
ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
RECEIVERS = frozenset(["self", "cls"])
DOING = frozenset(
    """
append extend add update insert remove discard pop clear sort reverse write writelines close open
start stop run put debug info warning error exception log print send connect commit rollback flush
setdefault join wait acquire release set show draw save delete register cancel sleep execute check
validate mkdir unlink setattr exit super
""".split()
)
"""What is called for what it does, not for what it gives."""


class NodeContext(NamedTuple):
    """A node, what it stands in, and the innermost function around it."""

    node: ast.AST
    parent: ast.AST
    function: Function | None = None


class MutableSnippet:
    """A snippet as mutations look at it.

    Args:
        meant: For names and keys of the snippet that are known to be wrong, those that may be
            meant.
    """

    def __init__(self, snippet: Snippet, meant: Mapping[str, Sequence[str]] | None = None) -> None:
        self.snippet = snippet
        self.lines = snippet.lines
        self.meant = meant or {}
        self._margin = len(indent_of(self.lines[snippet.tree.body[0].lineno - 1]))

    @cached_property
    def spots(self) -> tuple[NodeContext, ...]:
        """Every node in source order, but nothing in annotations and f-strings, and no
        docstrings.
        """
        found: list[NodeContext] = []
        waiting = [NodeContext(self.snippet.tree, self.snippet.tree)]
        while waiting:
            node, _, function = spot = waiting.pop()
            found.append(spot)
            function = node if isinstance(node, Function) else function
            waiting += [NodeContext(child, node, function) for child in reversed(_children(node))]
        return tuple(found)

    @cached_property
    def blocks(self) -> tuple[tuple[Sequence[ast.stmt], NodeContext], ...]:
        """Every list of statements with its last one, outer lists first."""
        spots = {spot.node: spot for spot in self.spots}
        lists = (
            getattr(node, name, None) for node in spots for name in ("body", "orelse", "finalbody")
        )
        filled = (inner for inner in lists if isinstance(inner, list) and inner)
        return tuple((inner, spots[inner[-1]]) for inner in filled if inner[-1] in spots)

    def start(self, node: Node) -> Position:
        """Where a node begins (a decorated function: at its `def`)."""
        return self._position(node.lineno, node.col_offset)

    def end(self, node: Node) -> Position:
        """Where a node ends, exclusive."""
        return self._position(node.end_lineno or node.lineno, node.end_col_offset or 0)

    def _position(self, line: int, column: int) -> Position:
        text = self.lines[line - 1]
        if not text.isascii():
            column = len(text[self._margin :].encode()[:column].decode(errors="ignore"))
        return line - 1, self._margin + column

    def text(self, node: Node) -> str:
        """The source of a node on one line; "" where it takes several."""
        (first, start), (last, end) = self.start(node), self.end(node)
        return self.lines[first][start:end] if first == last else ""

    def splice(self, start: Position, end: Position, text: str) -> Lines:
        """The lines with another text between two places."""
        joined = self.lines[start[0]][: start[1]] + text + self.lines[end[0]][end[1] :]
        return [*self.lines[: start[0]], *joined.split("\n"), *self.lines[end[0] + 1 :]]

    def put(self, node: Node, text: str) -> Lines:
        """The lines with another text in the place of a node."""
        return self.splice(self.start(node), self.end(node), text)

    def before(self, node: Node, text: str) -> Lines:
        """The lines with more text right before a node."""
        return self.splice(self.start(node), self.start(node), text)

    def behind(self, node: Node, text: str) -> Lines:
        """The lines with more text right behind a node."""
        return self.splice(self.end(node), self.end(node), text)

    def below(self, node: ast.stmt, text: str) -> Lines:
        """The lines with one more below a statement, indented as that is."""
        first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))]) - 1
        after = node.end_lineno or node.lineno
        return [*self.lines[:after], indent_of(self.lines[first]) + text, *self.lines[after:]]

    def alone(self, node: ast.stmt) -> bool:
        """Whether a statement shares its lines with nothing but a comment (no `;`, no `if x:
        y`), and is no `elif`.
        """
        (first, start), (last, end) = self.start(node), self.end(node)
        rest = self.lines[last][end:].strip()
        elif_branch = self.lines[first].startswith("elif", start)
        return (
            not elif_branch
            and not self.lines[first][:start].strip()
            and (not rest or rest.startswith("#"))
        )

    def between(
        self, left: ast.expr, right: ast.expr, symbol: str
    ) -> tuple[Position, Position] | None:
        """Where an operator stands between its operands; None where that cannot be told."""
        (row, start), (last, stop) = self.end(left), self.start(right)
        words = symbol.split()
        bound = r"\b" if words[0].isalpha() else ""
        sign = re.compile(bound + r"\s+".join(map(re.escape, words)) + bound)
        found: list[tuple[Position, Position]] = []
        for at in range(row, last + 1):
            begin = start * (at == row)
            line = self.lines[at]
            text = line[begin : stop if at == last else len(line)].partition("#")[0]
            found += [
                ((at, begin + one.start()), (at, begin + one.end())) for one in sign.finditer(text)
            ]
        return found[0] if len(found) == 1 else None


def _children(node: ast.AST) -> list[ast.AST]:
    if isinstance(node, ast.JoinedStr):
        return []
    skipped = [getattr(node, "annotation", None), getattr(node, "returns", None), _docstring(node)]
    return [
        child for child in ast.iter_child_nodes(node) if not any(child is one for one in skipped)
    ]


def _docstring(node: ast.AST) -> ast.stmt | None:
    """The statement that is the docstring of a module, class or function."""
    if isinstance(node, ast.Module | ast.ClassDef | Function) and node.body:
        first = node.body[0]
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            return first
        return None
    return None


def dotted(node: ast.AST | None) -> str:
    """`a.b.c` for a chain of names, else ""."""
    if isinstance(node, ast.Name):
        return node.id
    owner = dotted(node.value) if isinstance(node, ast.Attribute) else ""
    return f"{owner}.{node.attr}" if owner and isinstance(node, ast.Attribute) else ""


def called(node: ast.AST) -> str:
    """The last part of the name that a call calls, or ""."""
    match node:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name
    return ""


def parameters(function: Function) -> list[ast.arg]:
    """Every parameter in source order, `*args` and `**kwargs` included."""
    spec = function.args
    varied = filter(None, [spec.vararg])
    named = filter(None, [spec.kwarg])
    return [*spec.posonlyargs, *spec.args, *varied, *spec.kwonlyargs, *named]


def given(function: Function) -> list[str]:
    """The names of the parameters, without self or cls."""
    names = [one.arg for one in parameters(function)]
    return names[1:] if names[:1] and names[0] in RECEIVERS else names


def stored(scope: ast.AST) -> list[str]:
    """The names that are set anywhere within a node, each once, in source order."""
    found = [
        one
        for one in ast.walk(scope)
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
    ]
    return list(
        dict.fromkeys(one.id for one in sorted(found, key=lambda one: (one.lineno, one.col_offset)))
    )


def read(*nodes: ast.AST) -> set[str]:
    """The names that are read anywhere within nodes."""
    found = (one for node in nodes for one in ast.walk(node) if isinstance(one, ast.Name))
    return {one.id for one in found if not isinstance(one.ctx, ast.Store)}


def is_text(node: ast.AST) -> bool:
    """Whether an expression is a string for certain."""
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )
