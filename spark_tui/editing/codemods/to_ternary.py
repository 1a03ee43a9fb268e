"""An if/else that assigns or returns turned into a conditional expression."""

import ast
from collections.abc import Iterator
from typing import ClassVar

from spark_tui.editing.code import MAX_WIDTH, statement_lines, text_of
from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.common.flow import FlowCodemod, Site, blocks, is_elif, same, simple, uncommented
from spark_tui.editing.codemods.common.negation import IF_ELSE, OR, enclosed, strength
from spark_tui.editing.codemods.idioms.looping import mentioned
from spark_tui.editing.snippet import Snippet

_CHEAP = (ast.Constant, ast.Name, ast.Attribute, ast.UnaryOp)


class ToTernary(FlowCodemod):
    """`if c: x = a else: x = b` becomes `x = a if c else b`; likewise two returns, or a default set over."""

    kind: ClassVar[str] = "to_ternary"

    def sites(self, before: Snippet, request: Request) -> Iterator[Site]:
        """In source order. What only says True or False is a matter of return_condition."""
        for block in blocks(before.tree):
            for index, node in enumerate(block):
                if isinstance(node, ast.If) and not is_elif(before, node):
                    yield from _of_if(before, block, index, node)


def _of_if(before: Snippet, block: list[ast.stmt], index: int, node: ast.If) -> Iterator[Site]:
    first, last = statement_lines(node)
    match node.body, node.orelse:
        case [one], [other]:
            yield from _site(before, node, one, other, first, last)
        case [ast.Return() as one], [] if index + 1 < len(block) and isinstance(block[index + 1], ast.Return):
            yield from _site(before, node, one, block[index + 1], first, statement_lines(block[index + 1])[1])
        case [ast.Assign(targets=[ast.Name() as target]) as one], [] if index:
            default = block[index - 1]
            if _is_default(default, target, one, node.test):
                yield from _site(before, node, one, default, statement_lines(default)[0], last)


def _is_default(default: ast.stmt, target: ast.Name, one: ast.Assign, test: ast.expr) -> bool:
    """Whether a statement gives the name a value that the `if` may set over without ever reading it."""
    if not isinstance(default, ast.Assign | ast.AnnAssign) or not isinstance(default.value, _CHEAP):
        return False
    targets = default.targets if isinstance(default, ast.Assign) else [default.target]
    return same(list(targets), [target]) and not mentioned(one.value, target) and not mentioned(test, target)


def _site(before: Snippet, node: ast.If, one: ast.stmt, other: ast.stmt, first: int, last: int) -> Iterator[Site]:
    pair = _values(one, other)
    if pair is None or _only_flags(*pair) or not (simple(before, one) and simple(before, other)):
        return
    if not uncommented(before, first, last) or any(_complex(before, part) for part in (*pair, node.test)):
        return
    texts = enclosed(before, pair[0], OR), enclosed(before, node.test, OR), enclosed(before, pair[1], IF_ELSE)
    keeper = other if statement_lines(other)[0] < node.lineno - 1 else one
    start = _start(before, keeper)
    if not all(texts) or not start:
        return
    head = before.lines[first]
    indent = head[: len(head) - len(head.lstrip())]
    names = {"test": texts[1], "name": start.split(" ")[0].rstrip(":")} if "=" in start else {"test": texts[1]}
    flag = {} if "=" in start else {"returned": ""}
    yield Site(first, last, _lines(indent, start, texts, before.layout.unit), names | flag)


def _lines(indent: str, start: str, texts: tuple[str, str, str], unit: str) -> tuple[str, ...]:
    """The statement on one line, or in parentheses with a line for each part where that would be too long."""
    parts = texts[0], f"if {texts[1]}", f"else {texts[2]}"
    line = f"{indent}{start}{' '.join(parts)}"
    if len(line) <= MAX_WIDTH:
        return (line,)
    return f"{indent}{start}(", *(f"{indent}{unit}{part}" for part in parts), f"{indent})"


def _values(one: ast.stmt, other: ast.stmt) -> tuple[ast.expr, ast.expr] | None:
    match one, other:
        case ast.Return(value=ast.expr() as left), ast.Return(value=ast.expr() as right):
            return left, right
        case ast.Assign(targets=[a], value=left), ast.Assign(targets=[b], value=right) if same(a, b):
            return left, right
        case ast.Assign(targets=[a], value=left), ast.AnnAssign(target=b, value=ast.expr() as right) if same(a, b):
            return left, right
        case ast.AnnAssign(target=b, value=ast.expr() as left), ast.Assign(targets=[a], value=right) if same(a, b):
            return left, right
        case ast.AugAssign(target=a, op=x, value=left), ast.AugAssign(target=b, op=y, value=right) if same(a, b):
            return (left, right) if type(x) is type(y) else None
    return None


def _only_flags(one: ast.expr, other: ast.expr) -> bool:
    return all(isinstance(part, ast.Constant) and isinstance(part.value, bool) for part in (one, other))


def _complex(before: Snippet, node: ast.expr) -> bool:
    """Whether an expression would make the line hard to read."""
    return strength(before, node) < OR and not isinstance(node, ast.Tuple)


def _start(before: Snippet, statement: ast.stmt) -> str:
    """What stands before the value: `return ` or `name = `."""
    match statement:
        case ast.Return():
            return "return "
        case ast.Assign(targets=[target]):
            text = text_of(before, target)
            return text and f"{text} = "
        case ast.AnnAssign(target=target, annotation=annotation):
            text, hint = text_of(before, target), text_of(before, annotation)
            return f"{text}: {hint} = " if text and hint else ""
        case ast.AugAssign(target=target, value=value):
            line = before.lines[statement.lineno - 1].strip()
            text = text_of(before, target)
            sign = line[len(text) :].partition("=")[0].strip()
            return f"{text} {sign}= " if line.startswith(text) and value.lineno == statement.lineno else ""
    return ""
