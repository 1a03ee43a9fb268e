"""Python code for mutations: its nodes, their positions, and ways to put other text there.

A `Snippet` is a stretch of code that parses on its own. A `MutableSnippet` adds positions and
splices; each splice returns all the lines as they would be. The functions below answer questions
about a node.

A position is (line, column), both 0-based, columns in characters of `MutableSnippet.lines`. In
contrast, ast counts lines from 1 and columns in bytes of the dedented lines, without the margin.
"""

import ast
import re  # noqa: TID251 - reads source code
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain
from typing import NamedTuple

from spark_tui.editing.formats.indentation import indent_of
from spark_tui.editing.syntax import no_warnings, parse

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Snippet:
    """A parseable stretch of real code: a function, a class or the top of a module.

    `lines` are without line endings and keep their indentation. Line numbers here are 0-based.
    """

    lines: tuple[str, ...]

    @cached_property
    def tree(self) -> ast.Module:
        """The syntax tree of the dedented lines; its line numbers are 1-based.

        Raises:
            SyntaxError: Python cannot read the lines.
        """
        return _read(self.lines)

    @cached_property
    def is_python(self) -> bool:
        """Whether Python can read the lines and finds a statement in them."""
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
    def functions(self) -> tuple[Function, ...]:
        """Every function in the snippet, in source order."""
        functions = [node for node in self.nodes if isinstance(node, Function)]
        return tuple(sorted(functions, key=lambda node: node.lineno))


@lru_cache(maxsize=32)
def _read(lines: tuple[str, ...]) -> ast.Module:
    """The tree of dedented lines; callers that read the same lines soon share the tree."""
    if any("\r" in line for line in lines):
        raise SyntaxError("a CR without LF, at which ast counts another line")
    return parse(textwrap.dedent("\n".join(lines)))


Lines = list[str]
Position = tuple[int, int]
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
"""Functions called for their effect rather than for their value."""


class NodeContext(NamedTuple):
    """A node, its parent, and the innermost function around it."""

    node: ast.AST
    parent: ast.AST
    function: Function | None = None


class MutableSnippet:
    """A snippet with the positions of its nodes and ways to change it.

    Args:
        meant: For each name or key of the snippet that is known to be wrong, those that may be
            meant instead.
    """

    def __init__(self, snippet: Snippet, meant: Mapping[str, Sequence[str]] | None = None) -> None:
        self.snippet = snippet
        self.lines = snippet.lines
        self.meant = meant or {}
        self._margin = len(indent_of(self.lines[snippet.tree.body[0].lineno - 1]))

    @cached_property
    def spots(self) -> tuple[NodeContext, ...]:
        """Every node in source order, except annotations, docstrings and parts of f-strings."""
        spots: list[NodeContext] = []
        waiting = [NodeContext(self.snippet.tree, self.snippet.tree)]
        while waiting:
            spot = waiting.pop()
            spots.append(spot)
            node = spot.node
            function = spot.function
            if isinstance(node, Function):
                function = node
            # the last one is taken first
            for child in reversed(_children(node)):
                waiting.append(NodeContext(child, node, function))
        return tuple(spots)

    @cached_property
    def blocks(self) -> tuple[tuple[Sequence[ast.stmt], NodeContext], ...]:
        """Every list of statements with its last statement, outer lists first."""
        # a block whose last statement is a docstring is no place for changes, so it has no spot
        spots = {spot.node: spot for spot in self.spots}
        blocks: list[tuple[Sequence[ast.stmt], NodeContext]] = []
        for node in spots:
            for name in ("body", "orelse", "finalbody"):
                statements = getattr(node, name, None)
                if isinstance(statements, list) and statements and statements[-1] in spots:
                    blocks.append((statements, spots[statements[-1]]))
        return tuple(blocks)

    def start(self, node: Node) -> Position:
        """Where a node begins; a decorated function begins at its `def`."""
        return self._position(node.lineno, node.col_offset)

    def end(self, node: Node) -> Position:
        """Where a node ends, exclusive."""
        return self._position(node.end_lineno or node.lineno, node.end_col_offset or 0)

    def _position(self, line: int, column: int) -> Position:
        """The position for a line and a column as ast counts them."""
        # ast counts bytes of UTF-8, without the margin that dedent has taken off
        text = self.lines[line - 1]
        if not text.isascii():
            column = len(text[self._margin :].encode()[:column].decode(errors="ignore"))
        return line - 1, self._margin + column

    def text(self, node: Node) -> str:
        """The source of a node that stands on one line; "" where it takes several."""
        first, start = self.start(node)
        last, end = self.end(node)
        if first != last:
            return ""
        return self.lines[first][start:end]

    def splice(self, start: Position, end: Position, text: str) -> Lines:
        """The lines with another text between two positions."""
        start_row, start_column = start
        end_row, end_column = end
        head = self.lines[start_row][:start_column]
        tail = self.lines[end_row][end_column:]
        changed = (head + text + tail).split("\n")
        return [*self.lines[:start_row], *changed, *self.lines[end_row + 1 :]]

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
        """The lines with one more line below a statement, indented as the statement is."""
        decorators = getattr(node, "decorator_list", ())
        first = min([node.lineno, *(decorator.lineno for decorator in decorators)]) - 1
        after = node.end_lineno or node.lineno
        return [*self.lines[:after], indent_of(self.lines[first]) + text, *self.lines[after:]]

    def alone(self, node: ast.stmt) -> bool:
        """Whether a statement is no `elif` and shares its lines with nothing but a comment.

        Statements beside a `;` and those of `if x: y` are not alone.
        """
        first, start = self.start(node)
        last, end = self.end(node)
        if self.lines[first].startswith("elif", start) or self.lines[first][:start].strip():
            return False
        rest = self.lines[last][end:].strip()
        return not rest or rest.startswith("#")

    def between(
        self, left: ast.expr, right: ast.expr, symbol: str
    ) -> tuple[Position, Position] | None:
        """Where an operator stands between its operands; None where the place is not clear."""
        # Between two operands stand only the operator, parentheses and comments: no strings, so
        # that `#` always begins a comment.
        first_row, start = self.end(left)
        last_row, stop = self.start(right)
        sign = _pattern_of(symbol)
        places: list[tuple[Position, Position]] = []
        for row in range(first_row, last_row + 1):
            line = self.lines[row]
            begin = 0
            end = len(line)
            if row == first_row:
                begin = start
            if row == last_row:
                end = stop
            code = line[begin:end].partition("#")[0]
            for match in sign.finditer(code):
                places.append(((row, begin + match.start()), (row, begin + match.end())))
        if len(places) != 1:
            return None
        return places[0]


def _pattern_of(symbol: str) -> re.Pattern[str]:
    """The pattern of an operator; `not in` may have any white space between its words."""
    words = symbol.split()
    pattern = r"\s+".join(map(re.escape, words))
    if words[0].isalpha():
        pattern = rf"\b{pattern}\b"
    return re.compile(pattern)


def _children(node: ast.AST) -> list[ast.AST]:
    """The children of a node, except annotations, docstrings and parts of f-strings."""
    # before Python 3.12, nodes within f-strings have wrong positions
    if isinstance(node, ast.JoinedStr):
        return []
    skipped = [getattr(node, "annotation", None), getattr(node, "returns", None), _docstring(node)]
    skipped_ids = set(map(id, skipped))
    return [child for child in ast.iter_child_nodes(node) if id(child) not in skipped_ids]


def _docstring(node: ast.AST) -> ast.stmt | None:
    """The statement that is the docstring of a module, class or function."""
    if not isinstance(node, ast.Module | ast.ClassDef | Function) or not node.body:
        return None
    first = node.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        return first
    return None


def dotted(node: ast.AST | None) -> str:
    """`a.b.c` for a chain of names, else ""."""
    if isinstance(node, ast.Name):
        return node.id
    if not isinstance(node, ast.Attribute):
        return ""
    owner = dotted(node.value)
    if not owner:
        return ""
    return f"{owner}.{node.attr}"


def called(node: ast.AST) -> str:
    """The name of the function or method that a call calls, or ""."""
    match node:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name
    return ""


def parameters(function: Function) -> list[ast.arg]:
    """Every parameter in source order, `*args` and `**kwargs` included."""
    spec = function.args
    in_order = [*spec.posonlyargs, *spec.args, spec.vararg, *spec.kwonlyargs, spec.kwarg]
    return [parameter for parameter in in_order if parameter is not None]


def given(function: Function) -> list[str]:
    """The names of the parameters, without self or cls."""
    names = [parameter.arg for parameter in parameters(function)]
    # a method; in other places `self` is a name like any other
    if names and names[0] in RECEIVERS:
        return names[1:]
    return names


def stored(scope: ast.AST) -> list[str]:
    """The names that are set anywhere within a node, each once, in source order."""
    uses: list[ast.Name] = []
    for node in ast.walk(scope):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            uses.append(node)
    # `ast.walk` goes level by level, not line by line
    uses.sort(key=lambda node: (node.lineno, node.col_offset))
    return list(dict.fromkeys(node.id for node in uses))


def read(*nodes: ast.AST) -> set[str]:
    """The names that are read anywhere within nodes."""
    names = set[str]()
    for node in chain.from_iterable(map(ast.walk, nodes)):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return names


def is_text(node: ast.AST) -> bool:
    """Whether an expression is a string for certain."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str)
    return isinstance(node, ast.JoinedStr)
