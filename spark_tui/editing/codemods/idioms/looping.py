"""For loops read as the clauses of a comprehension."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from spark_tui.editing.code import Function, stands_alone, statement_lines, text_of
from spark_tui.editing.codemods.common.flow import uncommented
from spark_tui.editing.codemods.common.negation import OR, enclosed, negated
from spark_tui.editing.snippet import Snippet


@dataclass(frozen=True, slots=True)
class Clause:
    """`for x in y` or `if z`: the text after the word `for` or `if`. `test` is the condition, unless it was negated."""

    word: str
    text: str
    test: ast.expr | None = None

    def __str__(self) -> str:
        return f"{self.word} {self.text}"


@dataclass(frozen=True, slots=True)
class Loop:
    """A for loop, with those inside it: its clauses, what is done innermost, and the names it binds."""

    clauses: tuple[Clause, ...]
    does: list[ast.stmt]
    names: frozenset[str]


def read_loop(snippet: Snippet, node: ast.stmt) -> Loop | None:
    """A for loop as clauses, unless it has an else, comments, or clauses over several lines."""
    if not isinstance(node, ast.For | ast.AsyncFor) or not stands_alone(snippet, node):
        return None
    clauses: list[Clause] = []
    block: list[ast.stmt] = [node]
    names: set[str] = set()
    while (step := _step(snippet, block, bool(clauses))) is not None:
        clause, inner = step
        if not clause.text:
            return None
        if isinstance(block[0], ast.For | ast.AsyncFor):
            names |= {one.id for one in ast.walk(block[0].target) if isinstance(one, ast.Name)}
        clauses.append(clause)
        block = inner
    if not clauses or not uncommented(snippet, *statement_lines(node)):
        return None
    return Loop(tuple(clauses), block, frozenset(names))


def _step(snippet: Snippet, block: list[ast.stmt], within: bool) -> tuple[Clause, list[ast.stmt]] | None:
    match block:
        case [ast.For(orelse=[]) | ast.AsyncFor(orelse=[]) as loop]:
            target, source = text_of(snippet, loop.target), enclosed(snippet, loop.iter, OR)
            word = "for" if isinstance(loop, ast.For) else "async for"
            if not (target and source) or not _plain_target(loop.target):
                return Clause(word, ""), loop.body
            return Clause(word, f"{target} in {source}"), loop.body
        case [ast.If(test=test, body=[ast.Continue()], orelse=[]), _, *_] if within:
            return Clause("if", negated(snippet, test)), block[1:]
        case [ast.If(test=test, body=body, orelse=[])] if within and not isinstance(body[0], ast.Continue):
            return Clause("if", enclosed(snippet, test, OR), test), body
    return None


def _plain_target(target: ast.expr) -> bool:
    return all(
        isinstance(one, ast.Name | ast.Tuple | ast.List | ast.Starred | ast.expr_context) for one in ast.walk(target)
    )


def mentioned(node: ast.AST, target: ast.expr) -> bool:
    """Whether a variable or an attribute is used anywhere in a node."""
    if isinstance(target, ast.Name):
        return any(isinstance(one, ast.Name) and one.id == target.id for one in ast.walk(node))
    told = ast.unparse(target)
    return any(isinstance(one, ast.Attribute) and ast.unparse(one) == told for one in ast.walk(node))


def function_at(snippet: Snippet, row: int) -> Function | None:
    """The innermost function around a line."""
    around = [one for one in snippet.functions if one.lineno - 1 <= row < (one.end_lineno or 0)]
    return around[-1] if around else None


def read_later(snippet: Snippet, names: frozenset[str], first: int, last: int) -> bool:
    """Whether one of the names is read after line `last` before it is set again, in the function around it."""
    scope = function_at(snippet, first) or snippet.tree
    seen: dict[str, tuple[int, int, bool]] = {}
    for name, row, column, load in _uses(scope, names):
        if row > last and (row, column) < seen.get(name, (1 << 30, 0, True))[:2]:
            seen[name] = (row, column, load)
    return any(load for _, _, load in seen.values())


def _uses(node: ast.AST, names: frozenset[str]) -> Iterator[tuple[str, int, int, bool]]:
    if isinstance(node, ast.Name) and node.id in names:
        yield node.id, node.lineno - 1, node.col_offset, isinstance(node.ctx, ast.Load)
    if isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        bound = {one.id for part in node.generators for one in ast.walk(part.target) if isinstance(one, ast.Name)}
        names -= bound
    for child in ast.iter_child_nodes(node) if names else ():
        yield from _uses(child, names)
