"""What the codemods for bugs share: expressions with their surroundings, small edits, and which of them are meant."""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from spark_tui.editing.code import MAX_WIDTH, Function, Position, end_of, start_of
from spark_tui.editing.codemods.base import Ops
from spark_tui.editing.codemods.common.named import surely_named, words
from spark_tui.editing.script import Insert, Replace
from spark_tui.editing.snippet import Snippet

_CALLEE = re.compile(r"[\w.]+\(\)(?= (?:missing \d|takes |got an? ))")
"""What an error calls: the place may well be where it is called from."""
Found = tuple[Function | None, Ops | None]
"""An edit, if there is one, with the function it is in."""


@dataclass(frozen=True, slots=True)
class Spot:
    """An expression, what it stands in, and the innermost function around it."""

    node: ast.expr
    parent: ast.AST
    function: Function | None


def spots(tree: ast.AST) -> Iterator[Spot]:
    """Every expression in source order; those within f-strings are left out, their positions cannot be relied on."""
    waiting: list[tuple[ast.AST, ast.AST, Function | None]] = [(tree, tree, None)]
    while waiting:
        node, parent, function = waiting.pop()
        if isinstance(node, ast.expr):
            yield Spot(node, parent, function)
        if isinstance(node, ast.JoinedStr):
            continue
        inside = node if isinstance(node, Function) else function
        waiting.extend((child, node, inside) for child in reversed(list(ast.iter_child_nodes(node))))


def replaced(before: Snippet, node: ast.expr, text: str) -> Ops | None:
    """The edit that puts `text` in the place of an expression on one line; None when the line gets too long."""
    return respelled(before, start_of(before, node), end_of(before, node), text)


def respelled(before: Snippet, start: Position, end: Position, text: str) -> Ops | None:
    """The edit that puts `text` between two positions on one line; None when the line gets too long."""
    if start[0] != end[0]:
        return None
    old = before.lines[start[0]]
    new = old[: start[1]] + text + old[end[1] :]
    return (Replace(start[0], start[0], (new,)),) if len(new) <= max(MAX_WIDTH, len(old)) else None


def meant(before: Snippet, instruction: str, found: Iterable[Found]) -> Iterator[Ops]:
    """Of edits with the functions they are in, those an instruction can mean.

    Where it surely names functions of the snippet, these are edits within one of them, or of lines that mention one.
    """
    named = surely_named(_CALLEE.sub(" ", instruction), (one.name for one in before.functions))
    within = {id(node) for one in before.functions if one.name in named for node in ast.walk(one)}
    for function, ops in found:
        if ops and (not named or id(function) in within or _mentions(ops, named)):
            yield ops


def _mentions(ops: Ops, names: frozenset[str]) -> bool:
    return any(names & words(line) for op in ops if isinstance(op, Replace | Insert) for line in op.lines)
