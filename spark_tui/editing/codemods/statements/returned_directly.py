"""A result that is carried in a variable to a `return` below, returned where it is found: in branches, loops, tries."""

import ast
import re
from collections.abc import Iterator, Sequence

from spark_tui.editing.code import end_of, indentation, splice, stands_alone, start_of, statement_lines
from spark_tui.editing.codemods.base import Request, parses
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import inner_blocks

_ASKED = re.compile(
    r"(?i)\breturn\w*\b.*\b(?:direct\w*|straight|inside|right|at once|from (?:the|within|each|both)|immediate\w*"
    r"|early|in (?:the|each|both|every)|instead|as soon|rid of|carry\w*|no need|variable|there|here|early|it)\b"
    r"|\b(?:just|directly|straight|simply) return|\b(?:rid of|no|drop|lose|without)\b.*"
    r"\b(?:flag|result|break|variable|temp\w*)"
)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
Change = tuple[ast.stmt, ast.stmt | None]
"""An assignment that becomes a return, and the `break` behind it that goes."""


def returned_directly(before: Snippet, request: Request) -> Iterator[list[str]]:
    """The lines with the assignments that end at a `return` of their variable as returns, for each such variable."""
    if not _ASKED.search(request.instruction):
        return
    for owner in before.nodes:
        for block in inner_blocks(owner) if isinstance(owner, ast.stmt) else ():
            match block[-1]:
                case ast.Return(value=ast.Name(id=name)) as end if len(block) > 1 and stands_alone(before, end):
                    yield from (lines for lines in _direct(before, block, name, end) if parses(lines))


def _direct(before: Snippet, block: Sequence[ast.stmt], name: str, end: ast.Return) -> Iterator[list[str]]:
    check = _lack_checked(block, name)
    carrier = block[-3 if check else -2]
    if isinstance(carrier, ast.Assign | ast.AnnAssign):
        return
    changes, falls = _carried(carrier, name)
    if not changes:
        return
    first = _first_set(block, name, carrier) if falls else None
    lines = list(before.lines)
    start, last = statement_lines(end)
    if not falls or check:
        lines[start : last + 1] = []
    elif first is not None and first.value is not None:
        left, right = start_of(before, first.value), end_of(before, first.value)
        if left[0] == right[0]:
            lines[start] = f"{indentation(lines[start])}return {lines[left[0]][left[1] : right[1]]}"
    if check:
        _dedent(lines, check)
    _put(before, lines, changes)
    if first is not None:
        lines[first.lineno - 1 : first.end_lineno] = []
    yield lines


def _put(before: Snippet, lines: list[str], changes: Sequence[Change]) -> None:
    """The returns in place of the assignments; those of several targets are returned below."""
    for one, leaving in sorted(changes, key=lambda each: -each[0].lineno):
        if leaving is not None:
            lines[leaving.lineno - 1 : leaving.end_lineno] = []
        assert isinstance(one, ast.Assign | ast.AnnAssign)
        if isinstance(one, ast.Assign) and len(one.targets) > 1:
            target = next(each for each in one.targets if isinstance(each, ast.Name))
            lines.insert(one.end_lineno or 0, f"{indentation(lines[one.lineno - 1])}return {target.id}")
        else:
            at = start_of(before, one)
            row = at[0]
            head = one.annotation if isinstance(one, ast.AnnAssign) else one.targets[0]
            behind = lines[row][end_of(before, head)[1] :]
            stop = len(lines[row]) - len(behind.partition("=")[2])
            lines[:] = splice(lines, at, (row, stop), "return")


def _lack_checked(block: Sequence[ast.stmt], name: str) -> ast.If | None:
    """The `if` right above the return that leaves where nothing was found."""
    match block[-2]:
        case (
            ast.If(
                test=ast.Compare(left=ast.Name(id=one), ops=[ast.Is()])
                | ast.UnaryOp(op=ast.Not(), operand=ast.Name(id=one)),
                body=[*_, ast.Raise() | ast.Return()],
                orelse=[],
            ) as found
        ) if one == name and len(block) > 2:
            return found
    return None


def _dedent(lines: list[str], node: ast.If) -> None:
    """The body of an `if` without it."""
    start, last = statement_lines(node)
    inner = node.body[0].lineno - 1
    margin = len(indentation(lines[inner])) - len(indentation(lines[start]))
    lines[start : last + 1] = [line[margin:] for line in lines[inner : last + 1]]


def _first_set(block: Sequence[ast.stmt], name: str, carrier: ast.stmt) -> ast.Assign | ast.AnnAssign | None:
    """The constant that a variable begins with, where nothing reads it up to the end."""
    above = block[: block.index(carrier)]
    found = [one for one in above if isinstance(one, ast.Assign | ast.AnnAssign) and _sets(one, name)]
    reads = [
        one
        for statement in (*above, carrier)
        for one in ast.walk(statement)
        if isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Load)
    ]
    return found[0] if len(found) == 1 and not reads and isinstance(found[0].value, ast.Constant | ast.Name) else None


def _sets(node: ast.stmt, name: str) -> bool:
    match node:
        case ast.Assign(targets=targets):
            return any(isinstance(one, ast.Name) and one.id == name for one in targets)
        case ast.AnnAssign(target=ast.Name(id=one), value=ast.expr()):
            return one == name
    return False


def _carried(node: ast.stmt, name: str) -> tuple[list[Change], bool]:
    """The assignments behind which nothing but the return comes, and whether the statement may end without them."""
    match node:
        case ast.If(body=body, orelse=orelse):
            return _joined([body, orelse], name)
        case ast.Try(body=body, orelse=[], finalbody=[], handlers=handlers):
            return _joined([body, *(one.body for one in handlers)], name)
        case ast.With(body=body) | ast.AsyncWith(body=body):
            return _joined([body], name)
        case ast.For(orelse=[]) | ast.AsyncFor(orelse=[]) | ast.While(orelse=[]):
            return [*_broken(node.body, name)], True
    is_set = _sets(node, name)
    return [(node, None)] if is_set else [], not (is_set or isinstance(node, ast.Return | ast.Raise))


def _joined(blocks: Sequence[Sequence[ast.stmt]], name: str) -> tuple[list[Change], bool]:
    parts = [_carried(block[-1], name) if block else ([], True) for block in blocks]
    return [one for changes, _ in parts for one in changes], any(falls for _, falls in parts)


def _broken(block: Sequence[ast.stmt], name: str) -> Iterator[Change]:
    """The assignments in a loop with a `break` right behind them."""
    for one, leaving in zip(block, [*block[1:], None], strict=True):
        if isinstance(leaving, ast.Break) and _sets(one, name):
            yield one, leaving
        elif not isinstance(one, _LOOPS):
            for inner in inner_blocks(one):
                yield from _broken(inner, name)
