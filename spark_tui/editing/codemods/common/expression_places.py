"""Which of several expressions an instruction means: by the lines selected, what it names, and what stands around."""

import ast
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TypeVar

from spark_tui.editing.codemods.base import Request
from spark_tui.editing.pointing import Pointing
from spark_tui.editing.snippet import Snippet

N = TypeVar("N", bound=ast.expr)
_WORD = re.compile(r"[^\W\d_]{3,}")
_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_ALL = re.compile(r"\b(?:all|every|everywhere|each|both|twice|throughout|calls|three|four|any)\b", re.IGNORECASE)
_ALONE = 4


def places_meant(before: Snippet, request: Request, nodes: Sequence[N]) -> list[N]:
    """Those of the expressions within what is selected that most is said of, in source order."""
    first, last = request.selected or (0, len(before.lines))
    inside = [one for one in nodes if first <= one.lineno - 1 <= last and (one.end_lineno or 0) <= len(before.lines)]
    inside = inside or _around(nodes, first, last)[:1]
    scores = {id(one): weight(before, request.instruction, one) for one in inside}
    most = max(scores.values(), default=0)
    found = [one for one in inside if scores[id(one)] == most]
    return sorted(found, key=lambda one: (one.lineno, one.col_offset))


def _around(nodes: Sequence[N], first: int, last: int) -> list[N]:
    """The statements with selected lines somewhere in them, the shortest first."""
    found = [one for one in nodes if _is_statement(one) and one.lineno <= first + 1]
    holding = [one for one in found if (one.end_lineno or 0) > last]
    return sorted(holding, key=lambda one: (one.end_lineno or 0) - one.lineno)


def _is_statement(node: ast.AST) -> bool:
    return isinstance(node, ast.stmt)


def all_or_each(nodes: Sequence[N], instruction: str) -> list[list[N]]:
    """Expressions that change together or alone: together first where several are told."""
    if len(nodes) < 2:
        return [[one] for one in nodes]
    alone = [[one] for one in nodes[:_ALONE]]
    return [list(nodes), *alone] if _ALL.search(instruction) else [*alone, list(nodes)]


def weight(before: Snippet, instruction: str, node: ast.expr, owner: str = "") -> int:
    """How much an instruction says of an expression: its names, its function, the sort of its line.

    Args: owner: the name of what it is given to.
    """
    said = _said(instruction)
    names = {_short(name) for name in (*_names(node), owner) if name}
    inner = sum(2 for name in names if _shared(name, said)) + sum(1 for name in names if name and name <= said)
    rows = range(node.lineno - 1, node.end_lineno or node.lineno)
    pointing = _pointing(before.lines, instruction)
    around = {part for row in rows[:1] for part in _short(before.lines[row])}
    functions = [one.name for one in before.functions if one.lineno <= node.lineno <= (one.end_lineno or 0)]
    named = sum(2 for name in functions[-1:] if re.search(rf"\b{re.escape(name)}\b", instruction))
    hit, _ = pointing.hits(rows)
    return 4 * inner + 2 * len(around & said) + named + 2 * hit + 8 * pointing.numbered(rows)


def spoken_of(instruction: str, name: str) -> bool:
    """Whether the words hold a part of a name, in whatever form: `chunk_size` for "chunks"."""
    return _shared(_short(name), _said(instruction))


@lru_cache(maxsize=64)
def _pointing(lines: tuple[str, ...], instruction: str) -> Pointing:
    return Pointing(lines, instruction)


@lru_cache(maxsize=64)
def _said(instruction: str) -> frozenset[str]:
    return frozenset(_stem(word) for word in _WORD.findall(instruction.replace("_", " ")))


@lru_cache(maxsize=1024)
def _short(text: str) -> frozenset[str]:
    """The words a name or a line is made of, without endings."""
    return frozenset(_stem(word) for word in _PARTS.findall(text) if len(word) > 2)


def _shared(name: frozenset[str], said: frozenset[str]) -> bool:
    """Whether words hold a part of a name, be it in a longer form: `dir` for "directory"."""
    return bool(name & said) or any(one[:4] == other[:4] and len(one) > 3 for one in name for other in said)


def _stem(word: str) -> str:
    word = word.lower()
    return word[:-1] if word.endswith("s") and len(word) > 3 else word


def _names(node: ast.AST) -> set[str]:
    """What an expression itself is called: not what it is made of."""
    match node:
        case ast.Name(id=name):
            return {name}
        case ast.Attribute(attr=name, value=owner):
            return {name} | _names(owner)
        case ast.Call(func=func):
            return _names(func)
        case ast.Subscript(value=owner, slice=ast.Constant(value=str() as key)):
            return {key} | _names(owner)
        case ast.Subscript(value=owner):
            return _names(owner)
    return set()
