"""Type hints taken off."""

import ast
import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from spark_tui.editing.code import Function, Position, end_of, header, parameters, start_of
from spark_tui.editing.codemods.base import Codemod, Ops, Request
from spark_tui.editing.codemods.common.tidy import Spot, choices
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.told import says

_RETURN = re.compile(r"\breturn(ed|s)?\b|^[^:]*->", re.IGNORECASE)
_PARAMETER = re.compile(r"\b(param(eter)?|arg(ument)?)s\b", re.IGNORECASE)


class RemoveHints(Codemod):
    """Annotations of parameters, returns and assignments go; `sort` is parameter, return or variable."""

    kind: ClassVar[str] = "remove_hints"

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """All, those of a sort or a function, each alone; only of what the words name."""
        return choices(before, meant(before, spots(before), request.instruction), request)


def meant(before: Snippet, found: Sequence[Spot], instruction: str) -> Sequence[Spot]:
    """Of the names the words put in quotes, else of the returns or the parameters where they speak of those only."""
    quoted = set(re.findall(r"[`'\"]([\w.]+)[`'\"]", instruction))
    if told := [one for one in found if name_of(before, one) in quoted]:
        return told
    if told := [one for one in found if _is_told(before, one, instruction)]:
        return told
    returns, given = _RETURN.search(instruction), _PARAMETER.search(instruction)
    sort = "return" if returns and not given else "parameter" if given and not returns else ""
    return [one for one in found if one.sort == sort] or found


def _is_told(before: Snippet, spot: Spot, instruction: str) -> bool:
    """Whether the words hold the hint itself, or an attribute with its owner."""
    hint = before.lines[spot.start[0]][spot.start[1] : spot.end[1]].lstrip(":-> ").rstrip("= ")
    name = name_of(before, spot)
    return ("." in name and says(instruction, name)) or (not hint.isidentifier() and says(instruction, hint))


def name_of(before: Snippet, spot: Spot) -> str:
    """The parameter or variable that a hint belongs to."""
    head = before.lines[spot.start[0]][: spot.start[1]]
    return re.split(r"[^\w.]", head)[-1] if spot.sort != "return" else ""


def spots(before: Snippet) -> list[Spot]:
    """Every hint on one line, by place; those of class bodies stay, they may be fields."""
    found = [spot for function in before.functions for spot in _of_function(before, function)]
    fields = {id(node) for one in before.nodes if isinstance(one, ast.ClassDef) for node in one.body}
    for node in before.nodes:
        if isinstance(node, ast.AnnAssign) and node.value and id(node) not in fields:
            end = end_of(before, node.annotation)
            if start_of(before, node.annotation)[0] == end[0] == end_of(before, node.target)[0]:
                found.append(Spot(end_of(before, node.target), end, "", "variable"))
    return sorted(found, key=lambda one: one.start)


def _of_function(before: Snippet, function: Function) -> Iterator[Spot]:
    defaults = dict(_defaults(function))
    for one in parameters(function):
        if one.annotation is None:
            continue
        (row, start), end, value = start_of(before, one), end_of(before, one), defaults.get(one.arg)
        name_end = start + len(one.arg)
        if row != end[0]:
            continue
        text = ""
        if value is not None and row == start_of(before, value)[0]:
            end, text = (row, _value_start(before, end)), "="
        if value is None or text:
            yield Spot((row, name_end), end, text, "parameter")
    head = header(before, function) if function.returns else None
    if head and head.closing[0] == head.colon[0]:
        yield Spot((head.closing[0], head.closing[1] + 1), head.colon, "", "return")


def _value_start(before: Snippet, end: Position) -> int:
    """Where a default begins, with parentheses that are around it."""
    line = before.lines[end[0]]
    equals = line.index("=", end[1])
    return equals + 1 + len(line[equals + 1 :]) - len(line[equals + 1 :].lstrip())


def _defaults(function: Function) -> Iterator[tuple[str, ast.expr]]:
    spec = function.args
    positional = [*spec.posonlyargs, *spec.args]
    if spec.defaults:
        yield from zip((one.arg for one in positional[-len(spec.defaults) :]), spec.defaults, strict=True)
    yield from ((one.arg, value) for one, value in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if value)
