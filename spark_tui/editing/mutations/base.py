"""What the mutations share: a piece of code as they look at it, and the ways to put other text into it.

Every mutation is all the lines as they would be. Nothing here, or in the modules beside it, knows any words of a user.
"""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from spark_tui.editing.code import (
    Function,
    Position,
    body_after_docstring,
    docstring_node,
    end_of,
    indentation,
    is_receiver,
    parameters,
    splice,
    stands_alone,
    start_of,
    statement_lines,
    text_of,
    walk_scope,
)
from spark_tui.editing.snippet import Snippet

Lines = list[str]
Node = ast.expr | ast.stmt | ast.arg | ast.keyword
LEAVING = (ast.Return, ast.Raise, ast.Break, ast.Continue)
LOOPS = (ast.For, ast.AsyncFor, ast.While)
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
RECEIVERS = frozenset(["self", "cls"])


class Spot(NamedTuple):
    """A node, what it stands in, and the innermost function around it."""

    node: ast.AST
    parent: ast.AST
    function: Function | None


class Block(NamedTuple):
    """Statements in a row, what they belong to, whether that is in a loop and whether more follows in a round of it."""

    statements: Sequence[ast.stmt]
    owner: ast.AST
    function: Function | None
    in_loop: bool = False
    follows: bool = False


class Source:
    """A snippet as mutations look at it.

    Args: meant: for names and keys of the snippet that are known to be wrong, those that may be meant.
    """

    def __init__(self, snippet: Snippet, meant: Mapping[str, Sequence[str]] | None = None) -> None:
        self.snippet, self.lines = snippet, snippet.lines
        self.meant = meant or {}
        self.unit = snippet.layout.unit

    @cached_property
    def spots(self) -> tuple[Spot, ...]:
        """Every node in source order, but nothing in annotations and f-strings, and no docstrings."""
        found: list[Spot] = []
        waiting = [Spot(self.snippet.tree, self.snippet.tree, None)]
        while waiting:
            spot = waiting.pop()
            found.append(spot)
            inside = spot.node if isinstance(spot.node, Function) else spot.function
            waiting += [Spot(child, spot.node, inside) for child in reversed(_children(spot.node))]
        return tuple(found)

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """Every list of statements, outer ones first."""
        return tuple(_blocks(Block(self.snippet.tree.body, self.snippet.tree, None)))

    def text(self, node: Node) -> str:
        """The source of a node on one line; "" where it takes several."""
        return text_of(self.snippet, node) if node.lineno <= len(self.lines) else ""

    def start(self, node: Node) -> Position:
        """Where a node begins."""
        return start_of(self.snippet, node)

    def end(self, node: Node) -> Position:
        """Where a node ends, exclusive."""
        return end_of(self.snippet, node)

    def splice(self, start: Position, end: Position, text: str) -> Lines:
        """The lines with another text between two places."""
        return splice(self.lines, start, end, text)

    def put(self, node: Node, text: str) -> Lines:
        """The lines with another text in the place of a node."""
        return self.splice(self.start(node), self.end(node), text)

    def before(self, node: Node, text: str) -> Lines:
        """The lines with more text right before a node."""
        return self.splice(self.start(node), self.start(node), text)

    def behind(self, node: Node, text: str) -> Lines:
        """The lines with more text right behind a node."""
        return self.splice(self.end(node), self.end(node), text)

    def insert(self, row: int, *texts: str) -> Lines:
        """The lines with others before the 0-based row."""
        return [*self.lines[:row], *texts, *self.lines[row:]]

    def below(self, node: ast.stmt, *texts: str) -> Lines:
        """The lines with others below a statement, indented as that is."""
        first, last = statement_lines(node)
        return self.insert(last + 1, *(indentation(self.lines[first]) + text for text in texts))

    def alone(self, node: ast.stmt) -> bool:
        """Whether a statement shares its lines with no other one, and is no `elif`."""
        return stands_alone(self.snippet, node) and not self.lines[node.lineno - 1].lstrip().startswith("elif")

    def between(self, left: ast.expr, right: ast.expr, symbol: str) -> tuple[Position, Position] | None:
        """Where an operator stands between its operands; None where that is not on the line of the left one."""
        (row, start), (other, end) = self.end(left), self.start(right)
        line = self.lines[row]
        text = line[start : end if row == other else len(line)].partition("#")[0]
        words = symbol.split()
        bound = r"\b" if words[0].isalpha() else ""
        found = list(re.finditer(bound + r"\s+".join(map(re.escape, words)) + bound, text))
        return ((row, start + found[0].start()), (row, start + found[0].end())) if len(found) == 1 else None

    def top(self, function: Function) -> tuple[int, str] | None:
        """The row and the indentation of a new first statement; None for a stub and for what stands on one line."""
        rest, docstring = body_after_docstring(function), docstring_node(function)
        if not rest or is_stub(rest) or (docstring and not stands_alone(self.snippet, docstring)):
            return None
        row = first = statement_lines(rest[0])[0]
        if docstring:
            row = statement_lines(docstring)[1] + 1
        while not docstring and self.lines[row - 1].strip()[:1] in ("", "#"):
            row -= 1
        while not self.lines[row].strip():
            row += 1
        return (row, indentation(self.lines[first])) if function.lineno <= row else None


def _children(node: ast.AST) -> list[ast.AST]:
    if isinstance(node, ast.JoinedStr):
        return []
    skipped = [getattr(node, "annotation", None), getattr(node, "returns", None)]
    if isinstance(node, (ast.Module, *SCOPES)):
        skipped.append(docstring_node(node))
    return [child for child in ast.iter_child_nodes(node) if not any(child is one for one in skipped)]


def _blocks(block: Block) -> Iterator[Block]:
    yield block
    for index, node in enumerate(block.statements):
        follows = block.follows or index + 1 < len(block.statements)
        for inner in inner_blocks(node):
            if isinstance(node, SCOPES):
                yield from _blocks(Block(inner, node, node if isinstance(node, Function) else None))
            elif isinstance(node, LOOPS) and inner is node.body:
                yield from _blocks(Block(inner, node, block.function, in_loop=True))
            else:
                yield from _blocks(Block(inner, node, block.function, block.in_loop, follows))


def inner_blocks(node: ast.stmt) -> list[list[ast.stmt]]:
    """The lists of statements directly within a statement."""
    found = [getattr(node, name) for name in ("body", "orelse", "finalbody") if getattr(node, name, None)]
    found += [handler.body for handler in getattr(node, "handlers", ())]
    return found + [case.body for case in getattr(node, "cases", ())]


def is_stub(body: Sequence[ast.stmt]) -> bool:
    """Whether a body does nothing: pass, ... or raise NotImplementedError."""
    match body:
        case [ast.Pass()] | [ast.Expr(value=ast.Constant())]:
            return True
        case [ast.Raise(exc=ast.Name(id="NotImplementedError") | ast.Call(func=ast.Name(id="NotImplementedError")))]:
            return True
    return False


def is_generator(function: Function) -> bool:
    """Whether a function yields."""
    return any(isinstance(node, ast.Yield | ast.YieldFrom) for node in walk_scope(function))


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


def given(function: Function) -> list[str]:
    """The names of the parameters, without self or cls."""
    return [one.arg for one in parameters(function) if not is_receiver(function, one)]


def stored(scope: ast.AST) -> list[str]:
    """The names that are set anywhere within a node, each once, in source order."""
    found = [one for one in ast.walk(scope) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]
    return list(dict.fromkeys(one.id for one in sorted(found, key=lambda one: (one.lineno, one.col_offset))))


def read(*nodes: ast.AST) -> set[str]:
    """The names that are read anywhere within nodes."""
    found = (one for node in nodes for one in ast.walk(node) if isinstance(one, ast.Name))
    return {one.id for one in found if not isinstance(one.ctx, ast.Store)}


def is_text(node: ast.AST) -> bool:
    """Whether an expression is a string for certain."""
    match node:
        case ast.JoinedStr() | ast.Constant(value=str()):
            return True
        case ast.BinOp(left=left, op=ast.Add() | ast.Mod(), right=right):
            return is_text(left) or is_text(right)
    return called(node) in ("str", "repr", "format", "join")


def is_number(node: ast.AST) -> bool:
    """Whether an expression is a number for certain."""
    match node:
        case ast.Constant(value=int() | float() as value):
            return not isinstance(value, bool)
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return is_number(inner)
    return called(node) in ("len", "int", "float", "round", "abs")
