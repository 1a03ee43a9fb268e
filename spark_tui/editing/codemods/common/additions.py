"""What an edit added, for kinds that add one statement and leave all else as it is."""

import ast
import builtins
import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from spark_tui.editing.code import Function, docstring_node
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.trees import parse

_NAME = re.compile(r"[^\W\d]\w*")
_USUAL = frozenset(["logger", "logging", "log", "self", "cls", "e"])


@dataclass(frozen=True, slots=True)
class Added:
    """One statement more: the node, the innermost function it is in, and whether it comes first in that one's body."""

    node: ast.stmt
    function: Function | None
    first: bool


def added_lines(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Where `after` may have lines more than `before`, as the first and the end (exclusive) of its new lines."""
    count = len(after) - len(before)
    if count <= 0:
        return
    same = next((at for at, line in enumerate(before) if line != after[at]), len(before))
    for at in range(same, max(-1, same - count - 1), -1):
        if list(before[at:]) == list(after[at + count :]):
            yield at, at + count


def added_statement(before: Snippet, after: Sequence[str]) -> Added | None:
    """The statement that was added, or None when anything else changed."""
    tree = parsed(after)
    if tree is None:
        return None
    for first, stop in added_lines(before.lines, after):
        end = max((at + 1 for at in range(first, stop) if after[at].strip()), default=first)
        for block, owner, function in _blocks(tree, None):
            for at, node in enumerate(block):
                if (node.lineno, node.end_lineno) == (first + 1, end):
                    top = 1 if isinstance(owner, Function) and docstring_node(owner) else 0
                    found = Added(node, function, owner is function is not None and at == top)
                    rest = [*block[:at], *block[at + 1 :]]
                    return found if _same_without(before, tree, block, rest) else None
    return None


def parsed(lines: Sequence[str]) -> ast.Module | None:
    """The tree of some lines, or None when they do not parse."""
    try:
        return parse(textwrap.dedent("\n".join(lines)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def unknown_names(node: ast.AST, before: Snippet, instruction: str) -> set[str]:
    """The names and texts in new code that neither the region nor the instruction has, nor Python."""
    known = {word for text in (*before.lines, instruction) for word in _NAME.findall(text)} | _USUAL
    names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
    return {name for name in names if name not in known and not hasattr(builtins, name)}


def _same_without(before: Snippet, tree: ast.Module, block: list[ast.stmt], rest: list[ast.stmt]) -> bool:
    whole = list(block)
    block[:] = rest
    same = ast.dump(tree) == ast.dump(before.tree)
    block[:] = whole
    return same


def _blocks(node: ast.AST, function: Function | None) -> Iterator[tuple[list[ast.stmt], ast.AST, Function | None]]:
    inner = node if isinstance(node, Function) else function
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list):
            yield block, node, inner
            for child in block:
                yield from _blocks(child, inner)
    for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        yield from _blocks(part, inner)
