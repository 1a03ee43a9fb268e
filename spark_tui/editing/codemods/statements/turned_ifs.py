"""More ways to leave early where that is asked for: of two branches one that leaves, the other one without `else`."""

import ast
from collections.abc import Iterator, Sequence

from spark_tui.editing.code import statement_lines
from spark_tui.editing.codemods.common.flow import LEAVING, Branches, Site, branches, is_elif, leaves, moved, simple
from spark_tui.editing.codemods.common.negation import negated
from spark_tui.editing.snippet import Snippet


def turned(before: Snippet, node: ast.If, rest: Sequence[ast.stmt], tail: str) -> Iterator[Site]:
    """What an `if` may become. Args: rest: what follows it in its block. tail: how the block's end is left, or ""."""
    read = None if is_elif(before, node) or isinstance(node.test, ast.Constant) else branches(before, node)
    opposite = negated(before, node.test) if read else ""
    leaving = _leaving(before, rest, tail) if read else None
    if read is None or not opposite:
        return
    if node.orelse:
        yield from _of_two(node, read, opposite, leaving, rest)
    elif leaving and len(rest) == 1 and isinstance(node.body[-1], LEAVING):
        yield from _site(read, opposite, (read.inner + leaving,), read.body, statement_lines(rest[0])[1])
    elif leaving and len(read.body) == 1:
        yield from _site(read, opposite, (read.inner + leaving,), read.body, read.last)


def _of_two(
    node: ast.If, read: Branches, opposite: str, leaving: str | None, rest: Sequence[ast.stmt]
) -> Iterator[Site]:
    """Each branch first and leaving, the other one behind it."""
    if len(read.body) == 1 and isinstance(node.orelse[-1], LEAVING):
        yield from _site(read, opposite, read.other, read.body, read.last)
    for test, block, first, second in (
        (read.test, node.body, read.body, read.other),
        (opposite, node.orelse, read.other, read.body),
    ):
        if leaving and not leaves(block):
            direct = _direct(first, rest, read)
            yield from _site(read, test, direct or (*first, read.inner + leaving), second, read.last)


def _direct(first: Sequence[str], rest: Sequence[ast.stmt], read: Branches) -> tuple[str, ...]:
    """`value = x` as `return x` where `return value` follows; () for others."""
    match rest:
        case [ast.Return(value=ast.Name(id=name))] if first[-1].startswith(f"{read.inner}{name} = "):
            return (*first[:-1], f"{read.inner}return {first[-1].partition(' = ')[2]}")
    return ()


def _leaving(before: Snippet, rest: Sequence[ast.stmt], tail: str) -> str | None:
    """How to leave as the code behind the `if` does; None where it does more."""
    if not rest:
        return tail or None
    if len(rest) > 1 or not isinstance(rest[0], LEAVING) or not simple(before, rest[0]):
        return None
    first, last = statement_lines(rest[0])
    return before.lines[first].strip() if first == last else None


def _site(read: Branches, test: str, first: Sequence[str], second: Sequence[str], last: int) -> Iterator[Site]:
    behind = moved(second, read.inner, read.indent)
    if behind is not None:
        yield Site(read.row, last, (f"{read.indent}if {test}:", *first, *behind), {"test": read.test})
