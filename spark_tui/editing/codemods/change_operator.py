"""Operators changed to others that the instruction says."""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from spark_tui.editing.code import Position, end_of, splice, start_of, text_of
from spark_tui.editing.codemods.base import Codemod, Ops, Request, between
from spark_tui.editing.codemods.common.said import pairs, spans, stands
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import outside_fstrings

FAMILIES = (
    ("<", "<=", ">", ">=", "==", "!="),
    ("is", "is not", "==", "!="),
    ("in", "not in"),
    ("and", "or"),
    ("+", "-", "*", "/", "//", "%", "**", "@"),
    ("&", "|", "^", "<<", ">>"),
    ("+=", "-=", "*=", "/=", "//=", "|=", "&=", "="),
)
SPOKEN = {
    "<": "less than", "<=": "less than or equal", ">": "greater than", ">=": "greater than or equal", "==": "equals",
    "!=": "not equal", "+": "plus", "-": "minus", "*": "times", "/": "division", "//": "floor division", "%": "modulo",
    "**": "power", "is": "identity", "|": "bitwise or", "&": "bitwise and", "^": "xor", "<<": "left shift",
    ">>": "right shift", "=": "plain assignment", "+=": "increment", "-=": "decrement",
}  # fmt: skip
BOUNDS = {("<", "<="): "inclusive", (">", ">="): "inclusive", ("<=", "<"): "exclusive", (">=", ">"): "exclusive"}
_WORDS = {
    "<=": r"less than or equal|smaller or equal|at most|no more than",
    ">=": r"greater than or equal|at least|no less than",
    "<": r"less than(?! or eq)|smaller than|below",
    ">": r"greater than(?! or eq)|more than|above|bigger than",
    "==": r"(?<!not )equals|(?<!not )(?<!or )equal(?: to)?(?! or)|equality",
    "!=": r"not equals?|unequal|inequality",
    "+": r"plus(?! signs)|addition|adding|add",
    "-": r"minus|subtraction|subtract",
    "*": r"times|multiplication|multiply",
    "/": r"(?<!floor )(?<!integer )division|divide|true division",
    "//": r"(?:floor|integer) division|floor divide",
    "%": r"modulo|modulus|remainder",
    "**": r"power|exponent\w*",
    "is": r"identity",
    "|": r"bitwise or",
    "&": r"bitwise and",
    "^": r"xor",
    "<<": r"left shift|shift left",
    ">>": r"right shift|shift right",
    "=": r"plain assignment|assignment",
    "+=": r"increment",
    "-=": r"decrement",
}
_ALL = frozenset(one for family in FAMILIES for one in family)
_SYMBOL = re.compile(r"(?<![-+*/%<>=!&|^@])[-+*/%<>=!&|^@]{1,3}(?![-+*/%<>=!&|^@])")
_WORDY = re.compile(r"\b(is not|not in|is|in|and|or)\b")
_BEFORE = re.compile(
    r"(?:^|[:>,]|\b(?:use|to|into|not|of|than|by|with|be|the|an?|operator|op|it|for|meant|mean|need|want|says?|typed|put"
    r"|wrote|switch|change|replace|swap|from|why|make|that|take|turn|flip|write|has|uses|out|where|read))\W*$"
)
_AFTER = re.compile(
    r"\W*(?:$|->|=>|\b(?:instead|rather|not|here|please|to|into|with|by|should|must|has|had|ought|needs|is|operator|but|for"
    r"|where|stands|in|of|between|[a-z ]*thanks)\b)"
)
_SIGN = r"(?:the )?[`'\"]?(?P<{}>[-+*/%<>=!&|^@]{{1,3}})[`'\"]?(?: signs?)?"
_OLD, _NEW = _SIGN.format("old"), _SIGN.format("new")
_SWAPS = tuple(
    re.compile(rf"(?i)^\W*?(?:please )?{form}(?: here)?[\s.!]*$")
    for form in (
        rf"(?:change|replace|swap|turn) {_OLD} (?:to|into|with|by|for) (?:an? )?{_NEW}",
        rf"(?:it|this|that) (?:should|must) be (?:an? )?{_NEW},? (?:and )?not (?:an? )?{_OLD}",
        rf"use {_NEW} (?:instead of|rather than|not) {_OLD}",
    )
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where an operator stands, what is on both sides ("" where that takes several lines), whether in a type hint."""

    start: Position
    end: Position
    operator: str
    sort: type[ast.AST]
    left: str
    right: str
    glue: str
    hint: bool

    def whole(self, operator: str) -> str:
        """The expression, with that operator."""
        return self.left + self.glue.format(operator) + self.right if self.left and self.right else ""


class ChangeOperator(Codemod):
    """`a < b` becomes `a <= b`."""

    kind: ClassVar[str] = "change_operator"

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """Every operator with every other one of its family, as far as the instruction goes."""
        found = _selected(before, request)
        changes = [(one, new) for one in found for new in others(one)]
        for one, new in _meant(changes, request.instruction):
            yield between(before, splice(before.lines, one.start, one.end, new))

    def plain(self, before: Snippet, request: Request) -> Sequence[Ops]:
        """The one operator that is told, with the other one in its place; none where there are several such."""
        old, new = swapped(request.instruction)
        found = [one for one in _selected(before, request) if one.operator == old] if old else []
        if len(found) != 1 or new not in others(found[0]):
            return ()
        return (between(before, splice(before.lines, found[0].start, found[0].end, new)),)


def _selected(before: Snippet, request: Request) -> list[Place]:
    """The operators of the lines that are selected, else all."""
    first, last = request.selected or (0, len(before.lines))
    return [one for one in operators(before) if first <= one.start[0] <= last]


def swapped(words: str) -> tuple[str, str]:
    """The operator that is to go and the one to come, where the words tell nothing else; else two times ""."""
    told = next(filter(None, (form.match(words) for form in _SWAPS)), None)
    return (told["old"], told["new"]) if told else ("", "")


def operators(snippet: Snippet) -> Iterator[Place]:
    """Every operator that stands on one line with what is beside it."""
    hints = _hints(snippet.tree)
    for node in outside_fstrings(snippet.tree):
        for sort, left, right in _operands(node):
            start, end = end_of(snippet, left), start_of(snippet, right)
            between_text = snippet.lines[start[0]][start[1] : end[1]] if start[0] == end[0] else ""
            operator = " ".join(between_text.strip("() ").split())
            if not any(operator in family for family in FAMILIES) or _formats(left, operator):
                continue
            if operator not in between_text:
                continue
            column = start[1] + between_text.index(operator)
            sides = text_of(snippet, left), text_of(snippet, right)
            glue = between_text.replace(operator, "{}") if between_text.strip() == operator else " {} "
            plain = sides if between_text.strip() == operator else ("", "")
            yield Place(
                (start[0], column),
                (start[0], column + len(operator)),
                operator,
                type(sort),
                *plain,
                glue,
                node in hints,
            )


def _hints(tree: ast.AST) -> set[ast.AST]:
    """The nodes of annotations."""
    tops = [getattr(node, name, None) for node in ast.walk(tree) for name in ("annotation", "returns")]
    return {node for top in tops if top for node in ast.walk(top)}


def _operands(node: ast.AST) -> list[tuple[ast.AST, ast.expr, ast.expr]]:
    match node:
        case ast.Compare():
            return list(zip(node.ops, [node.left, *node.comparators], node.comparators, strict=False))
        case ast.BinOp():
            return [(node.op, node.left, node.right)]
        case ast.BoolOp(values=[left, right]):
            return [(node.op, left, right)]
        case ast.AugAssign():
            return [(node.op, node.target, node.value)]
    return []


def _formats(left: ast.expr, operator: str) -> bool:
    return operator == "%" and isinstance(left, ast.Constant | ast.JoinedStr)


def others(place: Place) -> list[str]:
    """The operators that could stand in a place; with None by identity only."""
    if place.right == "None" and place.operator in ("is", "is not"):
        return ["is" if place.operator == "is not" else "is not"]
    spaced = place.glue.startswith(" ") and place.glue.endswith(" ")
    found = [one for family in FAMILIES if place.operator in family for one in family if spaced or not one[0].isalpha()]
    return [one for one in dict.fromkeys(found) if one != place.operator]


Changed = tuple[Place, str]


def _meant(changes: Sequence[Changed], instruction: str) -> Sequence[Changed]:
    """The changes that fit best what is said; none where no operator is."""
    places = {place for place, _ in changes}
    whole = {place for place in places if stands(place.whole(place.operator), instruction)}
    said = whole or {place for place in places if _sides_said(place, instruction)}
    said -= {place for place in said if any(_within(place, other) for other in said)}
    if said and (fits := _told([one for one in changes if one[0] in said], instruction)):
        return fits
    return [one for one in changes if stands(one[0].whole(one[1]), instruction)] or _told(changes, instruction)


def _told(changes: Sequence[Changed], instruction: str) -> Sequence[Changed]:
    """The changes whose operators are said: both and in this order, both, or the new one."""
    spelt = _spelt(instruction)
    told = {span.text for span in spans(spelt)} & _ALL
    told |= {symbol for span in spans(spelt) if span.mark for symbol in _SYMBOL.findall(span.text)}
    directed = set(pairs(spelt, lambda span: span.text in _ALL))
    bound = re.search(r"\b(inclusive|exclusive)\b", instruction.lower())
    for fits in (
        [one for one in changes if stands(one[0].whole(one[1]), instruction)],
        [one for one in changes if (one[0].operator, one[1]) in directed],
        [one for one in changes if one[1] in told and one[0].operator in told],
        [one for one in changes if one[1] in told],
        [one for one in changes if bound and BOUNDS.get((one[0].operator, one[1])) == bound[1]],
    ):
        if fits:
            return fits
    return ()


def _sides_said(place: Place, instruction: str) -> bool:
    long_enough = len(place.left + place.right) > 3
    return long_enough and all(stands(side, instruction) for side in (place.left, place.right))


def _within(place: Place, other: Place) -> bool:
    """Whether one expression is a part of another one."""
    return place.start[0] == other.start[0] and place.whole(place.operator) in (other.left, other.right)


def _spelt(instruction: str) -> str:
    """The instruction with operators that are said in words written as such, in backticks."""
    parts: list[str] = []
    at = 0
    for span in (one for one in spans(instruction) if one.mark):
        parts += [_spelt_prose(instruction[at : span.start]), instruction[span.start : span.end]]
        at = span.end
    return "".join([*parts, _spelt_prose(instruction[at:])])


def _spelt_prose(text: str) -> str:
    for operator, words in _WORDS.items():
        text = re.sub(rf"\b(?:{words})\b", f"`{operator}`", text, flags=re.IGNORECASE)

    def wordy(match: re.Match[str]) -> str:
        meant = _BEFORE.search(text[: match.start()].lower()) and _AFTER.match(text[match.end() :].lower())
        return f"`{match[0]}`" if meant else match[0]

    return _WORDY.sub(wordy, text)
