"""Another way to write a literal, told by an expression of the same value: `24 * 60 * 60`, `"#" * 14`, `1_000_000`."""

import ast
import operator
import re
from collections.abc import Callable, Iterator

from spark_tui.editing.code import docstring_node, end_of, splice, start_of, text_of
from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.common.expression_places import all_or_each, places_meant
from spark_tui.editing.numbers import NUMBER
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.trees import parse

_PART = rf"(?:\"[^\"]*\"|'[^']*'|{NUMBER})"
_TOLD = re.compile(rf"(?<![\w.\"':])(?<![*+/-] ){_PART}(?: ?(?:\*\*|//|[-+*/]|<<) ?{_PART})*(?![\w\"':])")
_OPERATORS: dict[type[ast.operator], Callable[[object, object], object]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv,
    ast.Div: operator.truediv, ast.LShift: operator.lshift,
}  # fmt: skip
_LARGEST = 10**15
_LONGEST = 200


def same_values(before: Snippet, request: Request) -> Iterator[list[str]]:
    """The lines after a literal is written as the expression of the same value that is told."""
    yield from _by_kind(before, request)
    for match in _TOLD.finditer(request.instruction):
        value = _value(match[0])
        if value is None:
            continue
        found = [node for node in _literals(before) if node.value == value and type(node.value) is type(value)]
        fresh = [node for node in found if text_of(before, node) not in ("", match[0])]
        if re.fullmatch(_PART, match[0]) and isinstance(value, str):
            continue
        for group in all_or_each(places_meant(before, request, fresh), request.instruction):
            lines = list(before.lines)
            for node in sorted(group, key=lambda one: (one.lineno, one.col_offset), reverse=True):
                lines = splice(lines, start_of(before, node), end_of(before, node), match[0])
            yield lines


def _by_kind(before: Snippet, request: Request) -> Iterator[list[str]]:
    """A number as what the words call it: a power of two, a product, in octal or hex."""
    kinds = [write for words, write in _KINDS.items() if re.search(words, request.instruction, re.IGNORECASE)]
    numbers = [one for one in _literals(before) if type(one.value) is int and one.value > _SMALL] if kinds else []
    for write in kinds:
        fit = [one for one in numbers if write(int(str(one.value))) not in ("", text_of(before, one))]
        for node in places_meant(before, request, fit)[:_FEW]:
            yield splice(before.lines, start_of(before, node), end_of(before, node), write(int(str(node.value))))


def _power(number: int) -> str:
    return f"2**{number.bit_length() - 1}" if number & (number - 1) == 0 else ""


def _shift(number: int) -> str:
    return f"1 << {number.bit_length() - 1}" if number & (number - 1) == 0 else ""


def _product(number: int) -> str:
    """A span of time or a size as a product of what it is made of."""
    for unit, text in (
        (86400000, "24 * 60 * 60 * 1000"), (86400, "24 * 60 * 60"), (3600, "60 * 60"), (1024**3, "1024 * 1024 * 1024"),
        (1024**2, "1024 * 1024"), (1024, "1024"), (1440, "24 * 60"), (60, "60"),
    ):  # fmt: skip
        if number % unit == 0 and (number > unit or " " in text):
            return text if number == unit else f"{number // unit} * {text}"
    return ""


_KINDS: dict[str, Callable[[int], str]] = {
    r"\bpower|\*\*": _power,
    r"\bshift|<<": _shift,
    r"\bproduct|\bspell|\bmultipl|\bfactors?\b|\bmagic|\breadable": _product,
    r"\boctal": oct,
    r"\bhex": hex,
    r"\bbinary": bin,
}
_SMALL, _FEW = 7, 3


def _literals(before: Snippet) -> list[ast.Constant]:
    scopes = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docs = [docstring_node(node) for node in before.nodes if isinstance(node, scopes)]
    skipped = {id(one.value) for one in docs if one}
    skipped |= {id(part) for node in before.nodes if isinstance(node, ast.JoinedStr) for part in ast.walk(node)}
    return [node for node in before.nodes if isinstance(node, ast.Constant) and id(node) not in skipped]


def _value(source: str) -> object:
    """What an expression of numbers and strings comes to; None where it is none, or a very large one."""
    try:
        return _evaluated(parse(source, mode="eval").body)
    except (SyntaxError, ValueError, TypeError, ZeroDivisionError, OverflowError, MemoryError):
        return None


def _evaluated(node: ast.expr) -> object:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            base, power = _evaluated(left), _evaluated(right)
            if isinstance(base, int) and isinstance(power, int) and 0 <= power < 64 and abs(base) < 1025:
                return base**power
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            one, other = _evaluated(left), _evaluated(right)
            texts = isinstance(one, str) or isinstance(other, str)
            if _is_small(one, texts) and _is_small(other, texts):
                return _OPERATORS[type(op)](one, other)
    raise ValueError("no expression of literals")


def _is_small(value: object, beside_text: bool) -> bool:
    if isinstance(value, str):
        return len(value) < _LONGEST
    return isinstance(value, int | float) and abs(value) < (_LONGEST if beside_text else _LARGEST)
