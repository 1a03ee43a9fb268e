"""A division by zero that is to be avoided: the divisor has to be tested, and what comes instead has to be told."""

import ast
import re
from collections.abc import Iterator, Sequence

from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted
from spark_tui.session.rules.facts import FAULTS, Code

BY_ZERO = (
    r"\b(?:avoid|prevent|handle|guard|protect|check for|stop|never|don't|no more|catch|fix|mind|against)\b.*"
    r"\b(?:(?:division|divid(?:e|es|ing)|div) by (?:0|zero)|zero division|ZeroDivision(?:Error)?)\b"
)
_BY_ZERO = re.compile(BY_ZERO, re.IGNORECASE)
_TELLS = re.compile(r"(?i)\b(?:return|give|rais|default|instead|use|with|skip|by (?:adding|return))")


def still_divides(words: str, code: Code, after: Sequence[str]) -> str:
    """That an edit tests nothing where a division by zero is to be avoided, or "". Args: after: the lines with it."""
    if not _BY_ZERO.search(words) or not code.nodes:
        return ""
    try:
        new = Snippet(tuple(after)).nodes
    except FAULTS:
        return ""
    tested = set(_tests(new)) - set(_tests(code.nodes))
    return "" if tested else untold(words, code) or "the edit that was found does not test what is divided by"


def _tests(nodes: Sequence[ast.AST]) -> Iterator[str]:
    """What tells one case from another, or stands in for what is nothing."""
    for node in nodes:
        match node:
            case ast.If(test=test):
                yield ast.dump(test)
            case ast.IfExp() | ast.BoolOp() | ast.Compare() | ast.Try() | ast.Raise() | ast.Assert():
                yield ast.dump(node)
            case ast.Call(func=ast.Name(id="max")):
                yield ast.dump(node)


def untold(words: str, code: Code) -> str:
    """What is to be told of a division by zero: what comes instead; "" where that is told or nothing is divided."""
    divisors = {_nothing(one.right) for one in code.nodes if isinstance(one, ast.BinOp) and _divides(one)}
    cases = sorted(case for case in divisors if case)
    if _TELLS.search(words) or len(cases) != 1:
        return ""
    return f"say what to give back where {cases[0]}, as in “return 0 if {cases[0]}”"


def _nothing(divisor: ast.expr) -> str:
    """When a divisor is zero, in words, or ""."""
    match divisor:
        case ast.Call(func=ast.Name(id="len"), args=[one]) if name := dotted(one):
            return f"{name} is empty"
    return f"{name} is 0" if (name := dotted(divisor)) else ""


def _divides(node: ast.BinOp) -> bool:
    text = isinstance(node.left, ast.Constant | ast.JoinedStr) and isinstance(getattr(node.left, "value", ""), str)
    return isinstance(node.op, ast.Div | ast.FloorDiv) or (isinstance(node.op, ast.Mod) and not text)
