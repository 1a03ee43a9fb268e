"""Bounds that are told: "health must not go above 100", "0 still counts as alive", "exactly 10 should pass, too"."""

import ast
import re

from spark_tui.editing.code import end_of, splice, start_of, text_of
from spark_tui.editing.codemods.base import Ops, between
from spark_tui.editing.codemods.plain.plain_checks import the_function
from spark_tui.editing.codemods.plain.plain_words import value_told
from spark_tui.editing.numbers import SIGNED
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted, spliced

_NAME, _NUMBER = r"(?:the )?`?(?P<name>[^\W\d][\w.]*)`?", rf"(?P<bound>{SIGNED}|[^\W\d]\w*)"
_GO = r"(?:(?:go|get|be|rise|grow|fall|drop|become|climb|sink) )?"
_PAST = r"(?P<past>above|over|beyond|higher than|more than|larger than|exceed|below|under|lower than|less than)"
_CLAMPED = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_NAME} (?:must|should|may|can|could) ?(?:never|not|n't) {_GO}{_PAST} {_NUMBER}",
        rf"{_NAME} (?:can(?!not)|could|may|goes|gets|rises|grows|falls|drops) (?:now )?{_GO}{_PAST} {_NUMBER}",
        rf"(?:don'?t let|never let) {_NAME} {_GO}{_PAST} {_NUMBER}",
    )
)
_LOW = frozenset(["below", "under", "lower than", "less than"])
_COUNTS = re.compile(
    r"(?i)\b(?P<value>-?\d+)\b.*\b(?:still|also) (?:counts?|is|are|pass(?:es)?|goes|gets?|accepted|treated|allowed)\b"
)
_PASSES = re.compile(
    r"(?i)^(?:exactly |a |an )?(?:\w+ of )?(?:exactly )?(?P<value>-?\d+)(?: itself| exactly)? "
    r"(?:should|must|ought to) (?:be (?:fine|ok|okay|allowed|accepted|included|valid)|pass|count)"
    r"(?:,? (?:too|as well|also))?$"
)
_STRICT: dict[type[ast.cmpop], str] = {ast.GtE: ">", ast.LtE: "<"}
_SIGNS: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}
_LOOSE: dict[type[ast.cmpop], str] = {ast.Gt: ">=", ast.Lt: "<="}


def plain_clamp(before: Snippet, words: str) -> list[Ops]:
    """The one place where a value changes kept within the bound that is told, or []."""
    said = words.strip(" .!")
    told = next(filter(None, (form.fullmatch(said) for form in _CLAMPED)), None)
    for function in the_function(before, words) if told else ():
        every = [one for one in ast.walk(function) if isinstance(one, ast.AugAssign)]
        found = [one for one in every if told and _changes(one, told["name"])]
        bound = value_told(before, function, told["bound"]) if told else ""
        if not told or len(found) != 1 or not bound:
            return []
        new = _clamped(before, found[0], "max" if told["past"].lower() in _LOW else "min", bound)
        return (
            [between(before, splice(before.lines, start_of(before, found[0]), end_of(before, found[0]), new))]
            if new
            else []
        )
    return []


def _changes(node: ast.AugAssign, name: str) -> bool:
    """Whether a statement adds to a value of that name or takes from it."""
    held = (dotted(node.target) or "").rpartition(".")[2]
    return held == name.rpartition(".")[2] and type(node.op) in _SIGNS


def _clamped(before: Snippet, node: ast.AugAssign, call: str, bound: str) -> str:
    held, given = text_of(before, node.target), text_of(before, node.value)
    if not isinstance(node.value, ast.Name | ast.Attribute | ast.Constant | ast.Call):
        given = f"({given})"
    whole = held and text_of(before, node.value)
    return f"{held} = {call}({held} {_SIGNS[type(node.op)]} {given}, {bound})" if whole else ""


def plain_edge(before: Snippet, words: str) -> list[Ops]:
    """The one comparison with the number told, which takes it in no longer, or from now on; or []."""
    said = words.strip(" .!")
    strict, loose = _COUNTS.search(said), _PASSES.match(said)
    told, signs = (strict, _STRICT) if strict else (loose, _LOOSE)
    for function in the_function(before, words) if told else ():
        found = [one for one in ast.walk(function) if isinstance(one, ast.Compare) and len(one.ops) == 1]
        met = [one for one in found if told and told["value"] in map(ast.unparse, (one.left, one.comparators[0]))]
        if len(met) == 1 and (sign := signs.get(type(met[0].ops[0]))):
            one = met[0]
            new = f"{text_of(before, one.left)} {sign} {text_of(before, one.comparators[0])}"
            return [between(before, spliced(before, [(one, new)]))]
    return []
