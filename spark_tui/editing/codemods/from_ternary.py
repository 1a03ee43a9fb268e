"""A conditional expression written out as an if/else."""

import ast
from collections.abc import Iterator
from typing import ClassVar

from spark_tui.editing.code import end_of, indentation, start_of, statement_lines, text_of
from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.common.flow import FlowCodemod, Site, blocks, simple
from spark_tui.editing.codemods.common.negation import enclosed, grouped, negated
from spark_tui.editing.snippet import Snippet


class FromTernary(FlowCodemod):
    """`x = a if c else b` becomes an if/else; `return a if c else b` an `if` that returns, and a return."""

    kind: ClassVar[str] = "from_ternary"

    def sites(self, before: Snippet, request: Request) -> Iterator[Site]:
        """In source order; also calls for the sake of what they do, with a conditional argument."""
        for block in blocks(before.tree):
            for node in block:
                choice = _choice(node)
                if choice is not None and simple(before, node) and (lone := _lone(before, node, choice)):
                    yield lone
                if choice is not None and simple(before, node) and (site := _site(before, node, choice)):
                    yield site


def _lone(before: Snippet, node: ast.stmt, choice: ast.IfExp) -> Site | None:
    """The `if` alone, where one of the two values is what the variable has already: `x = a if c else x`."""
    match node:
        case ast.Assign(targets=[ast.Name() | ast.Attribute() as target], value=value) if value is choice:
            kept, first = text_of(before, target), statement_lines(node)[0]
            test, body = enclosed(before, choice.test, 1), enclosed(before, choice.body, 1)
            if kept and body == kept:
                test, body = negated(before, choice.test), enclosed(before, choice.orelse, 1)
            elif text_of(before, choice.orelse) != kept:
                return None
            indent = indentation(before.lines[first])
            lines = (f"{indent}if {test}:", f"{indent}{before.layout.unit}{kept} = {body}")
            return Site(*statement_lines(node), lines, {"test": test, "name": kept}) if test and body else None
    return None


def _choice(node: ast.stmt) -> ast.IfExp | None:
    """The conditional expression that a statement is about."""
    match node:
        case ast.Assign(value=ast.IfExp() as choice) | ast.AnnAssign(value=ast.IfExp() as choice):
            return choice
        case ast.AugAssign(value=ast.IfExp() as choice) | ast.Return(value=ast.IfExp() as choice):
            return choice
        case ast.Expr(value=ast.Call(func=ast.IfExp() as choice)):
            return choice
        case ast.Expr(value=ast.Call(args=args, keywords=keywords)):
            found = [one for one in [*args, *(word.value for word in keywords)] if isinstance(one, ast.IfExp)]
            return found[0] if len(found) == 1 else None
    return None


def _site(before: Snippet, node: ast.stmt, choice: ast.IfExp) -> Site | None:
    first, last = statement_lines(node)
    around = _around(before, node, choice)
    parts = list(_parts(before, choice))
    if around is None or not all(test and value for test, value in parts[:-1]) or not parts[-1][1]:
        return None
    start, end = around
    indent, unit = indentation(before.lines[first]), before.layout.unit
    returning = isinstance(node, ast.Return)
    lines: list[str] = []
    for number, (test, value) in enumerate(parts):
        word = "if" if number == 0 or returning else "elif"
        statement = start + value + end
        if number == len(parts) - 1:
            lines += [indent + statement] if returning else [f"{indent}else:", indent + unit + statement]
        else:
            lines += [f"{indent}{word} {test}:", indent + unit + statement]
        start = _unannotated(before, node) or start
    names = {"test": parts[0][0], **({"returned": ""} if returning else _named(start, node))}
    return Site(first, last, tuple(lines), names)


def _around(before: Snippet, node: ast.stmt, choice: ast.IfExp) -> tuple[str, str] | None:
    """What stands before and after the expression; nothing after it when it has parentheses around it alone."""
    (row, start), (last, end) = start_of(before, choice), end_of(before, choice)
    first, final = statement_lines(node)
    head, tail = before.lines[first][: start if row == first else None].strip(), before.lines[final]
    if isinstance(node, ast.Expr):
        if not first == row == last == final:
            return None
        if head == "(" and tail[end:].startswith(")"):
            return "", tail[end + 1 :].strip()
        return head + _gap(before, row, start), tail[end:].strip()
    opened = len(head) - len(head.rstrip("( "))
    head = head[: len(head) - opened] if opened else head
    if row != first and not opened:
        return None
    if any(line.strip() not in ("", "(") for line in before.lines[first + 1 : row]):
        return None
    rest = "".join((before.lines[last][end:] if last != final else "", *before.lines[last + 1 : final])).strip()
    ending = tail[end if last == final else 0 :].strip()
    return (head.rstrip() + " ", "") if not (rest + ending).replace(")", "").replace(",", "") else None


def _gap(before: Snippet, row: int, start: int) -> str:
    return " " if before.lines[row][:start].endswith(" ") else ""


def _parts(before: Snippet, choice: ast.IfExp) -> Iterator[tuple[str, str]]:
    """(condition, value) pairs, the last without a condition."""
    yield enclosed(before, choice.test, 1), enclosed(before, choice.body, 1)
    if isinstance(choice.orelse, ast.IfExp):
        yield from _parts(before, choice.orelse)
    else:
        yield "", enclosed(before, choice.orelse, 1)


def _unannotated(before: Snippet, node: ast.stmt) -> str:
    """Only the first branch says the type."""
    return f"{grouped(before, node.target, node.target)} = " if isinstance(node, ast.AnnAssign) else ""


def _named(start: str, node: ast.stmt) -> dict[str, str]:
    return {} if isinstance(node, ast.Expr) else {"name": start.split(" ", maxsplit=1)[0].rstrip(":")}
