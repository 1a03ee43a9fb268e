"""True and False chosen by a condition replaced by the condition."""

import ast
from collections.abc import Iterator
from typing import ClassVar

from spark_tui.editing.code import end_of, indentation, splice, start_of, statement_lines, text_of
from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.common.flow import FlowCodemod, Site, blocks, is_elif, same, simple, uncommented
from spark_tui.editing.codemods.common.negation import IF_ELSE, negated, strength
from spark_tui.editing.codemods.idioms.looping import mentioned
from spark_tui.editing.snippet import Snippet

_PREDICATES = frozenset({
    "all", "any", "bool", "callable", "endswith", "exists", "hasattr", "isabs", "isalnum", "isalpha", "isascii",
    "isatty", "isclose", "isdecimal", "isdigit", "isdir", "isdisjoint", "isfile", "isfinite", "isidentifier",
    "isinf", "isinstance", "iskeyword", "islink", "islower", "isnan", "isnumeric", "isprintable", "isspace",
    "issubclass", "issubset", "issuperset", "istitle", "isupper", "startswith",
})  # fmt: skip
_ASKING = ("is_", "has_", "can_", "should_")


class ReturnCondition(FlowCodemod):
    """`if c: return True` and `return False` become `return c`; likewise assignments and `True if c else False`.

    `bool()` goes around what is not plainly a boolean: anything but comparisons, `not`, and calls named like a
    question.
    """

    kind: ClassVar[str] = "return_condition"

    def sites(self, before: Snippet, request: Request) -> Iterator[Site]:
        """The statements first, then the expressions."""
        for block in blocks(before.tree):
            for index, node in enumerate(block):
                if isinstance(node, ast.If) and not is_elif(before, node):
                    yield from _of_if(before, block, index, node)
        for choice in _choices(before.tree):
            yield from _of_choice(before, choice)


def is_boolean(node: ast.expr) -> bool:
    """Whether an expression is plainly True or False."""
    match node:
        case ast.Compare() | ast.UnaryOp(op=ast.Not()):
            return True
        case ast.BoolOp(values=values):
            return all(map(is_boolean, values))
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name in _PREDICATES or name.startswith(_ASKING)
    return False


def _of_if(before: Snippet, block: list[ast.stmt], index: int, node: ast.If) -> Iterator[Site]:
    first, last = statement_lines(node)
    following = block[index + 1] if index + 1 < len(block) else None
    match node.body, node.orelse:
        case [one], [other]:
            yield from _site(before, node, one, other, first, last)
        case [ast.Return() as one], [] if isinstance(following, ast.Return):
            yield from _site(before, node, one, following, first, statement_lines(following)[1])
        case [ast.Assign(targets=[target]) as one], [] if index and not mentioned(node.test, target):
            yield from _site(before, node, one, block[index - 1], statement_lines(block[index - 1])[0], last)


def _site(before: Snippet, node: ast.If, one: ast.stmt, other: ast.stmt, first: int, last: int) -> Iterator[Site]:
    match one, other:
        case ast.Return(value=ast.expr() as left), ast.Return(value=ast.expr() as right):
            start, names = "return ", {"returned": ""}
        case ast.Assign(targets=[a], value=left), ast.Assign(targets=[b], value=right) if same(a, b):
            start = text_of(before, a) + " = "
            names = {"name": start[:-3]}
        case _:
            return
    if start == " = " or not (simple(before, one) and simple(before, other) and uncommented(before, first, last)):
        return
    text = _condition(before, node.test, left, right)
    indent, names = indentation(before.lines[first]), names | {"test": text_of(before, node.test)}
    lines = (f"{indent}{start}{text}",) if text else _over_lines(before, node, f"{indent}{start}", (left, right))
    if lines:
        yield Site(first, last, lines, names)


def _over_lines(before: Snippet, node: ast.If, start: str, flags: tuple[ast.expr, ast.expr]) -> tuple[str, ...]:
    """A condition in brackets over several lines with its lines as they are, or () where that cannot be kept."""
    row, last = node.lineno - 1, statement_lines(node.body[0])[0] - 1
    head, end = before.lines[row].strip().removeprefix("if "), before.lines[last].rstrip()
    match flags:
        case [ast.Constant(value=bool() as hit), ast.Constant(value=bool() as miss)] if hit is not miss:
            pass
        case _:
            return ()
    opposite = head.startswith("not ")
    whole = node.test.operand if opposite and isinstance(node.test, ast.UnaryOp) else node.test
    one = isinstance(whole, ast.Call) or head.removeprefix("not ").startswith("(")
    if not one or head[-1:] not in "([{" or row == last or end != f"{indentation(end)}{end.strip()[0]}:":
        return ()
    word = "" if hit is not opposite else "not "
    if not word and not is_boolean(whole):
        if isinstance(whole, ast.Call):
            return ()
        word = "bool"
    return f"{start}{word}{head.removeprefix('not ')}", *before.lines[row + 1 : last], end[:-1]


def _condition(before: Snippet, test: ast.expr, one: ast.expr, other: ast.expr) -> str:
    """The condition that says the same as choosing between the two, or "" when they are no flags."""
    match one, other:
        case ast.Constant(value=True), ast.Constant(value=False):
            text = text_of(before, test)
            if not text or is_boolean(test):
                return text
            return f"bool({text})"
        case ast.Constant(value=False), ast.Constant(value=True):
            if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) and not is_boolean(test.operand):
                return f"bool({negated(before, test)})"
            return negated(before, test)
    return ""


def _choices(node: ast.AST) -> Iterator[ast.IfExp]:
    if isinstance(node, ast.IfExp):
        yield node
    if not isinstance(node, ast.JoinedStr):
        for child in ast.iter_child_nodes(node):
            yield from _choices(child)


def _of_choice(before: Snippet, node: ast.IfExp) -> Iterator[Site]:
    text = _condition(before, node.test, node.body, node.orelse)
    (row, start), (last, end) = start_of(before, node), end_of(before, node)
    if text and row == last and strength(before, node.test) >= IF_ELSE:
        lines = splice(before.lines, (row, start), (last, end), text)
        yield Site(row, row, (lines[row],), {"test": text_of(before, node.test), "ternary": ""})
