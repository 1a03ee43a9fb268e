"""Conditions that a symptom or code told widens: a look at what is empty or None first, at what did not change."""

import ast
import re
from collections.abc import Iterator, Sequence
from itertools import islice

from spark_tui.editing.code import end_of, start_of, text_of
from spark_tui.editing.codemods.bugs.mistaken import Slip
from spark_tui.editing.codemods.common.negation import AND, OR, enclosed
from spark_tui.editing.codemods.common.said import is_expression
from spark_tui.editing.numbers import SIGNED
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted

_EMPTY = re.compile(r"IndexError|out of range|StopIteration|\bempty\b|\babsent\b|(?<!\w)\[\]|\bwithout\b|\bno \w+")
_NONE = re.compile(r"NoneType|(?<!return )\bNone\b")
_SAME = re.compile(
    r"\bsame\b|\b(?:un|not |nothing |hasn't |didn't )(?:been )?chang\w*|\bunchanged\b|\bwithout (?:any )?change"
    r"|\bagain\b|\bno change|\bneedless|\beven (?:if|when)\b",
    re.IGNORECASE,
)
_LONE = re.compile(r"(?<![\w.])([\"'`])(?P<text>[^\"'`]{1,20})\1")
_LEAVING = re.compile(
    r"\b(?:alone|itself|only|just|exactly|except|but|unless|not|no|never|neither|isn't|aren't|excluded?|apart)\b|n't\b"
)
_TESTED = re.compile(
    rf"(?<![\w\"'<>=!-])(?P<sign>[<>]=?|[!=]=|is not|not in) ?(?P<value>{SIGNED}|None|\"[^\"]*\"|'[^']*')"
)
_ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_PLAIN = (ast.Name, ast.Attribute, ast.Subscript, ast.Call)
_MOST = 16


def guarded_tests(before: Snippet, found: Sequence[tuple[ast.expr, ast.AST]], instruction: str) -> Iterator[Slip]:
    """Conditions with a part more, or with a comparison more or less. Args: found: each with what it stands in."""
    whole = [node for node, parent in found if not isinstance(parent, ast.BoolOp) and text_of(before, node)]
    parts = [node for node, _ in found if not isinstance(node, ast.BoolOp) and text_of(before, node)]
    yield from islice(_compared(before, parts, instruction), _MOST)
    for node in parts:
        yield from _first(before, node, instruction)
    if _SAME.search(instruction):
        yield from islice(_unchanged(before, whole), _MOST)
    if _LEAVING.search(instruction):
        yield from islice(_left_alone(before, whole, instruction), _MOST)


def _slip(before: Snippet, node: ast.expr, text: str, words: str) -> Slip:
    return Slip(start_of(before, node), end_of(before, node), text, tuple(re.findall(r"[^\W\d]\w*", words)))


def _first(before: Snippet, node: ast.expr, instruction: str) -> Iterator[Slip]:
    """A condition that first looks whether what it reads from is there."""
    source, own = text_of(before, node), enclosed(before, node, AND)
    inner = list(ast.walk(node))
    if _EMPTY.search(instruction):
        read = [one.value for one in inner if isinstance(one, ast.Subscript) and _is_number(one.slice)]
        for path in dict.fromkeys(filter(None, map(dotted, read))):
            yield _slip(before, node, f"{path} and {own}", f"{source} IndexError")
    if _NONE.search(instruction):
        ordered = [one for one in inner if isinstance(one, ast.Compare) and isinstance(one.ops[0], _ORDERS)]
        sides = [side for one in ordered for side in (one.left, *one.comparators)]
        owners = [one.value for one in inner if isinstance(one, ast.Attribute)]
        for path in dict.fromkeys(filter(None, map(dotted, (*sides, *owners)))):
            if path not in ("self", "cls") and f"{path} is" not in source:
                yield _slip(before, node, f"{path} is not None and {own}", f"{path} NoneType")
                yield _slip(before, node, f"{path} and {own}", f"{path} NoneType")


def _is_number(node: ast.expr) -> bool:
    value = node.operand if isinstance(node, ast.UnaryOp) else node
    return isinstance(value, ast.Constant) and isinstance(value.value, int)


def _unchanged(before: Snippet, whole: Sequence[ast.expr]) -> Iterator[Slip]:
    """A condition that also wants the old and the new value of something to differ."""
    for function in before.functions:
        names = {one.arg for one in ast.walk(function.args) if isinstance(one, ast.arg)}
        names |= {one.id for one in ast.walk(function) if isinstance(one, ast.Name)}
        pairs = [
            (old, new)
            for old in names
            for new in names
            if re.fullmatch(rf"(?:old|prev\w*|last)_(?:{new})|{new}_(?:old|before)", old)
        ]
        pairs += [(old, new) for old, new in (("old", "new"), ("before", "after")) if {old, new} <= names]
        for old, new in pairs:
            for node in whole:
                if function.lineno <= node.lineno <= (function.end_lineno or 0):
                    yield _slip(before, node, f"{enclosed(before, node, AND)} and {old} != {new}", f"{old} {new}")


def _left_alone(before: Snippet, whole: Sequence[ast.expr], instruction: str) -> Iterator[Slip]:
    """A condition on a text that leaves out, or lets in, one that is told."""
    for node in whole:
        for one in ast.walk(node):
            match one:
                case ast.Call(func=ast.Attribute(value=subject, attr="startswith" | "endswith"), args=[ast.Constant()]):
                    pass
                case ast.Compare(left=subject, ops=[ast.In() | ast.Eq()]) if dotted(subject):
                    pass
                case _:
                    continue
            path = text_of(before, subject)
            for match in _LONE.finditer(instruction) if path else ():
                mark = '"' if '"' in match["text"] or '"' in "".join(before.lines[node.lineno - 1]) else "'"
                literal = f"{mark}{match['text']}{mark}"
                if is_expression(literal) and f"= {literal}" not in text_of(before, node):
                    yield _slip(before, node, f"{enclosed(before, node, AND)} and {path} != {literal}", path)
                    yield _slip(before, node, f"{enclosed(before, node, OR)} or {path} == {literal}", path)


def _compared(before: Snippet, parts: Sequence[ast.expr], instruction: str) -> Iterator[Slip]:
    """A test of truth with a comparison that is told without its subject; one that has it without."""
    for match in _TESTED.finditer(instruction):
        sign, value = match["sign"], match["value"]
        for node in parts:
            source = text_of(before, node)
            if isinstance(node, _PLAIN):
                yield _slip(before, node, f"{source} {sign} {value}", source)
            elif isinstance(node, ast.Compare) and source.endswith(f" {sign} {value}"):
                yield _slip(before, node, source.removesuffix(f" {sign} {value}"), source)
