"""Conditions on a value that the words tell: "rows is empty", "no limit", "size is less than 3", `a == b`."""

import ast
import builtins
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile

from spark_tui.editing.code import Function
from spark_tui.editing.codemods.checks.conditions_meant import conditions_meant, place_told, prose
from spark_tui.editing.codemods.common.named import surely_named
from spark_tui.editing.codemods.common.said import is_expression, spans
from spark_tui.editing.numbers import SIGNED
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import Place, argument_names, places, top_of

_PATH = r"[`'\"]?(?P<name>[^\W\d]\w*(?:\.[^\W\d]\w*)*)[`'\"]?"
_PATH2 = _PATH.replace("<name>", "<other>")
_THEN = r"(?:then|just|do|return|skip|leave|raise|bail|give)\b"
_IS = (
    r"(?:'s| is| are| was| were| can be| may be| might be| could be| happens to be| turns out|,)"
    r"(?: now| ever| still| sometimes)?"
)
_ISNT = rf"(?:{_IS} not|(?: is| are| was)n't| must be| has to be| should be)"
_NUMBER = rf"(?P<number>{SIGNED})"
_TYPES = {
    "string": "str", "str": "str", "int": "int", "integer": "int", "list": "list", "dict": "dict", "dictionary": "dict",
    "bytes": "bytes", "float": "float", "tuple": "tuple", "bool": "bool", "boolean": "bool", "set": "set",
}  # fmt: skip
_FORMS = tuple(
    (re.compile(words), source)
    for words, source in (
        (rf"{_PATH}{_ISNT} (?:none|missing)\b", "{name} is not None"),
        (rf"{_PATH}{_IS} (?:none|missing|not given|absent)\b", "{name} is None"),
        (rf"\bno {_PATH}(?: is)? (?:given|passed)\b", "{name} is None"),
        (rf"\b(?:there is|there's|there are) no {_PATH}", "{name} is None"),
        (rf"{_PATH}(?:{_ISNT}|(?: could| can)(?:n't| not) be) (?:found|known)\b|\bunknown {_PATH2}", "{name} is None"),
        (rf"\b(?:if|when) not {_PATH}(?=,| {_THEN})", "not {name}"),
        (rf"\b(?:if|when) {_PATH}(?=,| {_THEN})", "{name}"),
        (rf"{_PATH} (?:below|under|less than) (?:0|zero)\b", "{name} < 0"),
        (rf"{_PATH} (?:below|under|less than|smaller than) {_NUMBER}", "{name} < {number}"),
        (rf"{_PATH} (?:above|over|more than|greater than|larger than) {_NUMBER}", "{name} > {number}"),
        (rf"{_PATH}(?:{_ISNT}) empty\b", "{name}"),
        (rf"{_PATH}{_IS} (?:empty|falsy|blank|unset)\b", "not {name}"),
        (rf"{_PATH}{_ISNT} set\b", "not {name}"),
        (rf"\b(?:an |the )?empty {_PATH}", "not {name}"),
        (rf"{_PATH}{_IS} (?:set|true|truthy)\b", "{name}"),
        (rf"{_PATH}{_IS} (?:negative|below zero|less than (?:0|zero))\b", "{name} < 0"),
        (rf"{_PATH}{_ISNT} positive\b", "{name} <= 0"),
        (rf"{_PATH}{_IS} zero or negative\b", "{name} <= 0"),
        (rf"{_PATH}{_ISNT} negative\b", "{name} < 0"),
        (rf"{_PATH}(?:{_IS} (?:zero|0)| equals 0)\b", "{name} == 0"),
        (rf"{_PATH}{_IS} (?:greater than|more than|above|over|bigger than|larger than) {_NUMBER}", "{name} > {number}"),
        (rf"{_PATH} exceeds {_NUMBER}", "{name} > {number}"),
        (rf"{_PATH}{_IS} (?:less than|below|under|smaller than|fewer than) {_NUMBER}", "{name} < {number}"),
        (rf"{_PATH}{_IS} at least {_NUMBER}", "{name} >= {number}"),
        (rf"{_PATH}{_IS} at most {_NUMBER}", "{name} <= {number}"),
        (rf"{_PATH}{_ISNT} (?:an? )?(?:instance of )?(?P<type>{'|'.join(_TYPES)})\b", "not isinstance({name}, {type})"),
    )
)
_NO_VALUES = ("not", "len", "isinstance", "is", "in", "None")
Spot = tuple[int, str]
_PRONOUNS = ("it", "that", "this", "they")
_NAMES = re.compile(r"[^\W\d]\w*(?:\.\w+)*")
_CODE = re.compile(
    r"(?<![\w.])(?:not )?[^\W\d][\w.]*(?:\(\w*\))? (?:==|!=|<=|>=|<|>|is not|is|not in|in) "
    r"(?:\"[^\"]*\"|'[^']*'|-?[\w.]+)"
)


@dataclass(frozen=True, slots=True)
class Told:
    """A condition as Python, and where the instruction tells it. `about`: the value, where the words only hint."""

    source: str
    start: int
    end: int
    about: str = ""

    @property
    def path(self) -> str:
        """The value that it is about."""
        return self.about or next((one for one in _NAMES.findall(self.source) if one not in _NO_VALUES), "")


def conditions(before: Snippet, instruction: str) -> list[Told]:
    """The conditions told of values that the region has, in the order in which they are told."""
    names = named_values(before)
    found = [
        Told(_resolved(text, names), start, start + len(text))
        for text, start in _expressions(instruction)
        if any(name in names for name in _NAMES.findall(text))
    ]
    for pattern, source in _FORMS:
        for match in pattern.finditer(prose(instruction).lower()):
            group = "name" if match["name"] else "other"
            word = instruction[match.start(group) : match.end(group)]
            spoken = _spoken_of(instruction[: match.start()], names) if word in _PRONOUNS else ""
            own = word if re.fullmatch(r"self\.\w+", word) else ""
            name = names.get(word) or names.get(word.removesuffix("s")) or spoken or own
            if name and not any(one.start < match.end() and match.start() < one.end for one in found):
                groups = match.groupdict("")
                kind = _TYPES.get(groups.get("type", ""), "")
                told = source.format(name=name, number=groups.get("number"), type=kind)
                found.append(Told(told, *match.span()))
    unique = {one.source: one for one in reversed(found)}
    return sorted(unique.values(), key=lambda one: one.start)


def without(instruction: str, told: Told) -> str:
    """An instruction with blanks where it tells a condition."""
    return instruction[: told.start] + " " * (told.end - told.start) + instruction[told.end :]


def _expressions(instruction: str) -> Iterator[tuple[str, int]]:
    """Tests that are told as code: quoted, or by an operator between two words."""
    for span in spans(instruction):
        if span.mark and re.search(r"[=<>]=|[<>]|\b(?:not|in|is)\b", span.text) and _is_test(span.text):
            yield span.text, span.start
    for match in _CODE.finditer(instruction):
        if _is_test(match[0]):
            yield match[0], match.start()


def _is_test(text: str) -> bool:
    """Whether a text is Python; `is` compares with None alone, else it is a word."""
    plain = re.fullmatch(r"[\w.]+ is (?:not )?(\w+)", text)
    return is_expression(text) and (not plain or plain[1] == "None")


def _resolved(text: str, names: dict[str, str]) -> str:
    """A test that begins with an attribute of self told by its bare name, with `self.` before it."""
    first = _NAMES.match(text)
    return names.get(first[0], first[0]) + text[first.end() :] if first else text


def _spoken_of(words: str, names: dict[str, str]) -> str:
    """The last value that words name, or ""."""
    return next((names[word] for word in reversed(_NAMES.findall(words)) if word in names), "")


def named_values(before: Snippet) -> dict[str, str]:
    """How the values of a region are told: by their name, and attributes of self by their own name too."""
    known: dict[str, str] = {}
    for node in before.nodes:
        match node:
            case ast.Attribute(value=ast.Name(id="self"), attr=attr):
                known.setdefault(attr, f"self.{attr}")
                known[f"self.{attr}"] = f"self.{attr}"
            case ast.Attribute(value=ast.Name(id=owner), attr=attr):
                known[f"{owner}.{attr}"] = f"{owner}.{attr}"
    for node in before.nodes:
        match node:
            case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()) if name not in ("self", "cls"):
                known[name] = name
            case ast.Name(id=name) if name not in ("self", "cls") and not hasattr(builtins, name):
                known[name] = name
    return known


def told_tests(before: Snippet, instruction: str) -> Iterator[tuple[Told, Spot]]:
    """Each condition that may be meant of a function, with where a check of it may go, see `top_of`.

    Functions named come alone; else all, the outermost first.
    """
    sure = conditions(before, instruction)
    named = surely_named(instruction, (one.name for one in before.functions))
    meant = [one for one in before.functions if not named or one.name in named]
    for function in meant:
        told = sure or [
            Told(one.source, one.start, one.end, one.about) for one in conditions_meant(function, instruction)
        ]
        yield from ((one, spot) for one in told for spot in _spots(before, function, one, instruction))


def _spots(before: Snippet, function: Function, told: Told, instruction: str) -> Iterator[Spot]:
    """Where a check goes: where the words say, else once its value is there, else first thing or after other checks."""
    if spot := place_told(before, function, instruction):
        yield spot
        return
    root = told.path.partition(".")[0]
    own = [place for place in places(before) if place.function is function]
    made = [place for place in own if root in _set_by(place.node)]
    if made and root not in argument_names(function):
        yield made[0].last, made[0].indent
        return
    if spot := top_of(before, function):
        yield spot
        checks = list(
            takewhile(_is_check, (place for place in own if place.block is function.body and place.first > spot[0]))
        )
        if checks:
            yield checks[-1].last, spot[1]


def _set_by(node: ast.stmt) -> set[str]:
    """The names that an assignment sets."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    names = [part for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)]
    return {name.id for name in names if isinstance(name.ctx, ast.Store)}


def _is_check(place: Place) -> bool:
    """Whether a statement leaves the function on a condition and does nothing else."""
    match place.node:
        case ast.If(body=[ast.Return() | ast.Raise()], orelse=[]):
            return True
    return False
