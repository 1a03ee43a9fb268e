"""Rounding told plainly: "round the total to 2 decimals", "don't round"."""

import ast
import re

from spark_tui.editing.code import Function, text_of, walk_scope
from spark_tui.editing.codemods.base import Ops, between
from spark_tui.editing.codemods.plain.plain_checks import the_function
from spark_tui.editing.codemods.plain.plain_words import bare
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import fitted

_COUNTS = {"one": "1", "two": "2", "three": "3", "four": "4"}
_ROUND = re.compile(
    r"(?i)round (?:off )?(?:(?:the|its) )?[`'\"]?(?P<what>[^\W\d]\w*)[`'\"]?(?: off)?"
    r"(?: to (?P<digits>\d|one|two|three|four) (?:decimals?(?: (?:places?|digits?))?|digits?|places?|dp)"
    r"|(?: to (?:the nearest |an? )?(?:int(?:eger)?|whole number)))"
)
_NOT = re.compile(
    r"(?i)(?:(?:don'?t|do not|never|stop|no|without|no more) round(?:ing)?(?: off)?|(?:remove|drop) the round(?:ing)?)"
    r"(?: (?:it|this|them|(?:the )?(?:result|value|numbers?|total|any(?:thing| ?more))))*"
)
_IT = frozenset("it this that result value output returned".split())  # noqa: SIM905


def plain_rounding(before: Snippet, words: str) -> list[Ops]:
    """The value told rounded, where it is set or else given back; or nothing rounded any more; else []."""
    said, functions = bare(before, words), the_function(before, words)
    if len(functions) != 1:
        return []
    if _NOT.fullmatch(said):
        return _unrounded(before, functions[0])
    told = _ROUND.fullmatch(said)
    if told is None or any(_is_round(one) for one in before.nodes):
        return []
    digits = told["digits"] and _COUNTS.get(told["digits"].lower(), told["digits"])
    value = _meant(functions[0], told["what"])
    if value is None or not text_of(before, value):
        return []
    lines = fitted(before, [(value, f"round({text_of(before, value)}{f', {digits}' if digits else ''})")])
    return [between(before, lines)] if lines else []


def _unrounded(before: Snippet, function: Function) -> list[Ops]:
    calls = [one for one in walk_scope(function) if _is_round(one)]
    values = [one.args[0] for one in calls if isinstance(one, ast.Call) and one.args]
    nested = any(inner in calls for one in values for inner in ast.walk(one))
    changes = [(call, text_of(before, value)) for call, value in zip(calls, values, strict=False)]
    if not calls or nested or len(values) != len(calls) or not all(text for _, text in changes):
        return []
    lines = fitted(before, [(call, text) for call, text in changes if isinstance(call, ast.expr)])
    return [between(before, lines)] if lines else []


def _is_round(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "round"


def _meant(function: Function, name: str) -> ast.expr | None:
    """What a name is set to where that is done once, else where it is given back, also by a key or by the function."""
    nodes = list(walk_scope(function))
    returned = [one.value for one in nodes if isinstance(one, ast.Return) and one.value]
    stored = [one for one in nodes if isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Store)]
    once = [one.value for one in nodes if isinstance(one, ast.Assign) and one.targets == stored]
    if len(stored) == 1 and once:
        return once[0]
    given = [one for one in returned if isinstance(one, ast.Name) and one.id == name]
    if given and len(given) == 1:
        return given[0]
    keyed = [value for one in nodes if isinstance(one, ast.Dict) for value in _of_key(one, name)]
    if len(keyed) == 1:
        return keyed[0]
    whole = name.lower() in _IT or name in function.name.split("_")
    return returned[0] if len(returned) == 1 and whole and not stored and _is_number(returned[0]) else None


def _of_key(node: ast.Dict, name: str) -> list[ast.expr]:
    pairs = zip(node.keys, node.values, strict=True)
    return [value for key, value in pairs if isinstance(key, ast.Constant) and key.value == name]


def _is_number(node: ast.expr) -> bool:
    """Whether an expression may well be a number."""
    return isinstance(node, ast.Name | ast.Attribute | ast.Subscript | ast.Call | ast.BinOp)
