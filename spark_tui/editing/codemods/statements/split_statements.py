"""One statement made two where that is asked for: chained targets, walruses, asserts of several things, one-liners."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import end_of, start_of, text_of
from spark_tui.editing.codemods.base import Request, parses
from spark_tui.editing.codemods.renaming.renaming_alone import asked
from spark_tui.editing.codemods.rewording.other_forms import on_own_lines, without_walrus
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import Place, places
from spark_tui.editing.told import names_told, names_used

_ASKED = re.compile(
    r"\bsplit\w*|\bseparate(?:ly|d)?\b|\bone each\b|\bbare return\b|\breturn None\b|\bthen (?:just )?return\b"
    r"|\bRET50[12]\b"
    r"|\b(?:two|three|separate|own|both|each) (?:\w+ )?(?:statements?|asserts?|lines?|assignments?|steps?)\b"
    r"|\bapart\b|\bundo\b|\bwalrus\w*|:=|\bchained\b|\bunchain\w*|\bplain assignment|\bassign (?:this|that|it)\b"
    r"|\b(?:to|in|into|as) a (?:local|variable)\b|\b(?:local|variable) (?:first|before)\b|\bbind\b"
    r"|\bE70[12]\b|\bPT018\b|\bEM10[123]\b|\bfirst\b",
    re.IGNORECASE,
)
_TOLD = r"(?mi)[`'\"]{0}[`'\"]|\b(?:to|as|in|into|called|named|local|variable|it) {0}\b|^\W*{0}\W*$"
_NAMED = re.compile(
    r"\bassign\w*|\bvariable\b|\blocal\b|\bbind\b|\bname\b|\bcall (?:it|that)\b|\bEM10[123]\b", re.IGNORECASE
)


def split(before: Snippet, request: Request) -> Iterator[list[str]]:
    """The lines after a statement became several."""
    if not _ASKED.search(request.instruction):
        return
    yield from filter(parses, _split(before, request))


def _split(before: Snippet, request: Request) -> Iterator[list[str]]:
    first, last = request.selected or (0, len(before.lines))
    for place in places(before):
        if first <= place.last and place.first <= last:
            yield from _apart(before, place)
            if _NAMED.search(request.instruction):
                yield from _named_first(before, place, request)
    yield from without_walrus(before, request)
    yield from on_own_lines(before, request)


def _apart(before: Snippet, place: Place) -> Iterator[list[str]]:
    match place.node:
        case ast.Assign(targets=[_, _, *_] as targets, value=value):
            row, column = start_of(before, value)
            names = [text_of(before, target) for target in targets]
            head, rest = before.lines[place.first], before.lines[row + 1 : place.last + 1]
            if row == place.first and all(names):
                source = head[column:]
                simple = isinstance(value, ast.Constant | ast.Name) and not rest
                lines = [f"{place.indent}{names[0]} = {source}", *rest]
                lines += [f"{place.indent}{name} = {source if simple else names[0]}" for name in names[1:]]
                yield _instead(before, place, lines)
        case ast.Return(value=ast.Call() | ast.Await()) if re.match(r"return [^(]", before.lines[place.first].lstrip()):
            alone = [*before.lines[place.first : place.last + 1], f"{place.indent}return"]
            alone[0] = place.indent + alone[0].lstrip().removeprefix("return ")
            yield _instead(before, place, alone)
        case ast.Assign(
            targets=[ast.Name(id=name)],
            value=ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Attribute()) as inner)),
        ) if place.first == place.last and (source := text_of(before, inner)):
            tail = before.lines[place.first][end_of(before, inner)[1] :]
            yield _instead(before, place, [f"{place.indent}{name} = {source}", f"{place.indent}{name} = {name}{tail}"])
        case ast.Assert(test=ast.BoolOp(op=ast.And(), values=values), msg=None):
            texts = [text_of(before, value) for value in values]
            if all(texts):
                yield _instead(before, place, [f"{place.indent}assert {text}" for text in texts])


def _named_first(before: Snippet, place: Place, request: Request) -> Iterator[list[str]]:
    """What is returned, raised with or given, under a name that the words tell."""
    words = asked(request.instruction)
    names = [name for name in names_told(words, names_used(before)) if re.search(_TOLD.format(name), words)][:1]
    value = place.node.value if isinstance(place.node, ast.Return) else None
    if isinstance(place.node, ast.Raise) and isinstance(place.node.exc, ast.Call) and len(place.node.exc.args) == 1:
        value = place.node.exc.args[0]
    if value is None or not names or isinstance(value, ast.Name):
        return
    (row, column), (end, stop) = start_of(before, value), end_of(before, value)
    head, tail = before.lines[row][:column], before.lines[end][stop:]
    body = [before.lines[row][column:], *before.lines[row + 1 : end + 1]]
    body[-1] = body[-1][: len(body[-1]) - len(tail)] if tail else body[-1]
    if isinstance(place.node, ast.Return) and row == place.first:
        if head.endswith("(") and tail == ")":
            head, tail = head[:-1], ""
        lines = [f"{place.indent}{names[0]} = {body[0]}", *body[1:], f"{head}{names[0]}{tail}"]
    elif row == place.first:
        lines = [f"{place.indent}{names[0]} = {body[0]}", *body[1:], f"{head}{names[0]}{tail}"]
    elif head.strip() == "" and place.last > end:
        opening, closing = before.lines[place.first], before.lines[place.last].strip()
        inner = [*body[:-1], body[-1].rstrip(",")]
        first = before.lines[row][:column] + inner[0]
        call = opening.strip().removesuffix("(")
        lines = [f"{place.indent}{names[0]} = (", first, *inner[1:], f"{place.indent})"]
        lines += [f"{place.indent}{call}({names[0]}{closing}"]
    else:
        return
    yield _instead(before, place, lines)


def _instead(before: Snippet, place: Place, lines: list[str]) -> list[str]:
    return [*before.lines[: place.first], *lines, *before.lines[place.last + 1 :]]
