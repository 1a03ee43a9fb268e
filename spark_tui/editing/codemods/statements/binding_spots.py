"""Where a name for an expression may be bound so that all the places of it come behind."""

import ast
from collections.abc import Iterator, Sequence

from spark_tui.editing.code import indentation, statement_lines
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import SCOPES, is_string

_LOOPS = (ast.For, ast.AsyncFor, ast.While)
Block = list[ast.stmt]
Spot = tuple[int, str]


def binding_spots(before: Snippet, nodes: Sequence[ast.expr]) -> list[Spot]:
    """The rows before which it may be bound, with their indentation, the likeliest first.

    That is: right above the first statement that has it, above the comment there, above the loops around that change
    nothing it reads, and right after what sets what it reads.
    """
    first, last = min(node.lineno for node in nodes), max(node.end_lineno or node.lineno for node in nodes)
    around = [block for block in _blocks(before) if block[0].lineno <= first and last <= (block[-1].end_lineno or 0)]
    read = {one.id for one in ast.walk(nodes[0]) if isinstance(one, ast.Name)}
    found: list[Spot] = []
    for block in reversed(around):
        holder = _holder(block, first)
        row = _row(holder)
        if isinstance(holder, SCOPES):
            break
        if before.lines[row].lstrip().startswith("elif "):
            continue
        if found and (not isinstance(holder, _LOOPS) or _stored(holder) & read):
            break
        found += [(one, indentation(before.lines[row])) for one in (row, _above_comment(before, row))]
    return list(dict.fromkeys([*found, *_after_setting(before, around, read, first)]))


def stays(nodes: Sequence[ast.AST], found: Sequence[ast.expr]) -> bool:
    """Whether nothing that an expression reads is set between its first place and its last one, or within one."""
    read = {node.id for node in ast.walk(found[0]) if isinstance(node, ast.Name)}
    rows = range(min(one.lineno for one in found), max(one.lineno for one in found))
    for node in nodes:
        if (
            isinstance(node, ast.Name)
            and node.id in read
            and not isinstance(node.ctx, ast.Load)
            and node.lineno in rows
        ):
            return False
        if isinstance(node, ast.comprehension | ast.Lambda):
            own = {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
            own |= {one.arg for one in ast.walk(node) if isinstance(one, ast.arg)}
            if own & read:
                return False
    return True


def _row(node: ast.stmt) -> int:
    return statement_lines(node)[0]


def _above_comment(before: Snippet, row: int) -> int:
    while row and before.lines[row - 1].lstrip().startswith("#"):
        row -= 1
    return row


def _stored(node: ast.stmt) -> set[str]:
    """The names that a statement sets."""
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Load)}


def _blocks(before: Snippet) -> Iterator[Block]:
    """Every block of statements, the outer ones first."""
    waiting: list[ast.AST] = [before.tree]
    while waiting:
        owner = waiting.pop(0)
        for name in ("body", "orelse", "finalbody"):
            block = getattr(owner, name, None)
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                yield block
        waiting += [one for one in ast.iter_child_nodes(owner) if not isinstance(one, ast.expr)]


def _holder(block: Block, line: int) -> ast.stmt:
    """The statement of a block that has a line."""
    return next(one for one in reversed(block) if _row(one) < line)


def _after_setting(before: Snippet, around: Sequence[Block], read: set[str], first: int) -> Iterator[Spot]:
    """Behind the last statement before the first place that sets what is read, else at the top of the function."""
    for block in reversed(around):
        setting = [one for one in block if (one.end_lineno or 0) < first and _stored(one) & read]
        if setting:
            yield setting[-1].end_lineno or 0, indentation(before.lines[_row(setting[-1])])
            return
        holder = _holder(block, first)
        if isinstance(holder, _LOOPS) and _stored(holder) & read:
            return
        if isinstance(holder, ast.FunctionDef | ast.AsyncFunctionDef):
            body = holder.body[is_string(holder.body[0]) :]
            yield from ((_row(one), indentation(before.lines[_row(one)])) for one in body[:1])
            return
