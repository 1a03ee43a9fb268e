"""Parameters where functions hand `*args` and `**kwargs` on: one taken out of them by its name, or the stars added."""

import ast
import re
from collections.abc import Iterator, Sequence

from spark_tui.editing.code import Function, Position, splice, start_of, text_of, walk_scope
from spark_tui.editing.codemods.base import parses
from spark_tui.editing.snippet import Snippet

_LISTED = re.compile(r"\((?P<names>[^\W\d]\w*(?:, \*{0,2}\w+)*)\)")
_THROUGH = re.compile(r"(?i)\b(?:pass|hand|forward|tak|accept|swallow|refus|through|on as well)\w*\b")
_STARS = re.compile(r"(?<![\w*])(?P<stars>\*{1,2})(?P<name>[^\W\d]\w*)")


def taken_out(before: Snippet, function: Function, sources: Sequence[str]) -> Iterator[list[str]]:
    """Each parameter before `*args`, and handed on before it, where `*args` is handed on."""
    vararg = function.args.vararg
    spots = _handed_on(before, function) if vararg else []
    for source in sources if vararg and spots else ():
        name = re.split(r"[:=]", source)[0].strip()
        row, column = start_of(before, vararg) if vararg else (0, 0)
        yield _with(before, [((row, column - 1), f"{source}, "), *((spot, f"{name}, ") for spot in spots)])


def in_place_of_stars(before: Snippet, function: Function, instruction: str) -> Iterator[list[str]]:
    """`*args` as the names that are told in its place: "it takes (secret, **kwds) there, no *args"."""
    vararg, told = function.args.vararg, _LISTED.search(instruction)
    if not vararg or not told or f"*{vararg.arg}" not in instruction.replace(told[0], ""):
        return
    names = [one for one in told["names"].split(", ") if not one.startswith("*")]
    spots = _handed_on(before, function)
    if names and spots:
        start = start_of(before, vararg)
        places = [(start[0], start[1] - 1), *spots]
        lines = list(before.lines)
        for row, column in sorted(places, reverse=True):
            lines = splice(lines, (row, column), (row, column + 1 + len(vararg.arg)), ", ".join(names))
        if parses(lines):
            yield lines


def stars_added(before: Snippet, function: Function, instruction: str) -> Iterator[list[str]]:
    """`*args` or `**kwargs` in the signature and in the calls that hand on the other one."""
    spec = function.args
    for told in _STARS.finditer(instruction) if _THROUGH.search(instruction) else ():
        own, other = (spec.vararg, spec.kwarg) if told["stars"] == "*" else (spec.kwarg, spec.vararg)
        if own or not other or told["stars"] == "**":
            continue
        hint = f": {text_of(before, other.annotation)}" if other.annotation else ""
        row, column = start_of(before, other)
        spots = [
            start_of(before, one.value)
            for call in _calls(function)
            for one in call.keywords
            if one.arg is None and isinstance(one.value, ast.Name) and one.value.id == other.arg
        ]
        calls = [((spot[0], spot[1] - 2), f"*{told['name']}, ") for spot in spots]
        yield _with(before, [((row, column - 2), f"*{told['name']}{hint}, "), *calls])


def _calls(function: Function) -> list[ast.Call]:
    return [one for one in walk_scope(function) if isinstance(one, ast.Call)]


def _handed_on(before: Snippet, function: Function) -> list[Position]:
    """Where the function hands its `*args` on."""
    name = function.args.vararg.arg if function.args.vararg else ""
    return [
        start_of(before, one)
        for call in _calls(function)
        for one in call.args
        if isinstance(one, ast.Starred) and isinstance(one.value, ast.Name) and one.value.id == name
    ]


def _with(before: Snippet, changes: Sequence[tuple[Position, str]]) -> list[str]:
    lines = list(before.lines)
    for spot, text in sorted(changes, reverse=True):
        lines = splice(lines, spot, spot, text)
    return lines
