"""Amounts that words tell without their number's name: "poll every half second", "sleep(0.5)", "make tax 21%"."""

import ast
import re

from spark_tui.editing.code import text_of
from spark_tui.editing.codemods.base import Ops, between
from spark_tui.editing.codemods.plain.plain_words import bare, called
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import outside_fstrings, spliced

_NUMBER = r"(?:\d+(?:\.\d+)?|\.\d+)"
_PAUSE = re.compile(
    r"(?:time\.)?(?:sleep|pause|wait|poll|(?:re)?try|check)(?: again| it| for(?= )| only)?(?: (?:once )?every| each)?"
    rf" ?\(?(?P<amount>half(?: an?)?|quarter of an?|an?|one|two|three|five|ten|{_NUMBER})\)?"
    r"(?: ?(?P<unit>s|secs?|seconds?|ms|millis|milliseconds?|min|minutes?))?"
    r"(?: (?:between|in between|before each)(?: the| two)?"
    r" (?:tries|attempts|polls|checks|retries|rounds|calls|requests))?"
    r"(?:,? (?:instead|not \d\S*))?",
    re.IGNORECASE,
)
_AMOUNTS = {
    "half": 0.5,
    "half a": 0.5,
    "quarter of a": 0.25,
    "a": 1,
    "one": 1,
    "two": 2,
    "three": 3,
    "five": 5,
    "ten": 10,
}
_PERCENT = re.compile(
    r"(?:(?:make|set|raise|lower|change|increase|reduce|put) )?(?:the )?`?(?P<name>[^\W\d]\w*)`?(?: rate)?"
    r" ?(?:is|=|to|at|of|should be|must be|is now|to be)? (?P<percent>\d+(?:\.\d+)?) ?(?:%|per ?cent)(?: now)?",
    re.IGNORECASE,
)


def plain_amounts(before: Snippet, words: str) -> list[Ops]:
    """The one sleep there is with the time told, or the one share of a name with the percentage told; else []."""
    said = bare(before, words)
    found = _slept(before, said) or _shared(before, said)
    return [between(before, spliced(before, found))] if found else []


def _slept(before: Snippet, said: str) -> list[tuple[ast.expr, str]]:
    told = _PAUSE.fullmatch(said)
    calls = [one for one in outside_fstrings(before.tree) if isinstance(one, ast.Call) and called(one) == "sleep"]
    if told is None or len(calls) != 1 or not re.search(r"(?i)sleep|pause|every|each|between|wait", said):
        return []
    match calls[0].args:
        case [ast.Constant(value=int() | float()) as given]:
            return [(given, new)] if (new := _seconds(told)) and new != text_of(before, given) else []
    return []


def _seconds(told: re.Match[str]) -> str:
    """The time told in seconds; "" for a bare word without its unit."""
    amount, unit = told["amount"].lower(), (told["unit"] or "").lower()
    if amount[0].isalpha() and not unit:
        return ""
    by = 0.001 if unit.startswith("mil") or unit == "ms" else 60 if unit.startswith("min") else 1
    if by == 1 and not amount[0].isalpha():
        return f"0{amount}" if amount[0] == "." else amount
    number = _AMOUNTS[re.sub(r"\ban$", "a", amount)] if amount[0].isalpha() else float(amount)
    return f"{number * by:g}"


def _shared(before: Snippet, said: str) -> list[tuple[ast.expr, str]]:
    """What a name, told in whatever case, is set to: a share of one as such a share, a whole number as it is."""
    told = _PERCENT.fullmatch(said)
    found = [one for node in before.nodes for one in _set_to(node, told["name"].lower())] if told else []
    if told is None or len(found) != 1:
        return []
    number = found[0].value
    if isinstance(number, float) and 0 < number < 1:
        return [(found[0], f"{round(float(told['percent']) / 100, 8):g}")]
    return [(found[0], told["percent"])] if type(number) is int and number > 1 else []


def _set_to(node: ast.AST, name: str) -> list[ast.Constant]:
    match node:
        case ast.Assign(targets=[ast.Name(id=of)], value=ast.Constant() as value) if _is_called(of, name):
            return [value]
        case ast.AnnAssign(target=ast.Name(id=of), value=ast.Constant() as value) if _is_called(of, name):
            return [value]
        case ast.FunctionDef(args=ast.arguments() as of):
            pairs = list(zip(of.args[len(of.args) - len(of.defaults) :], of.defaults, strict=True))
            return [value for one, value in pairs if isinstance(value, ast.Constant) and _is_called(one.arg, name)]
    return []


def _is_called(name: str, told: str) -> bool:
    return name.lower() in (told, f"{told}_rate", f"{told}rate", f"{told}_percent")
