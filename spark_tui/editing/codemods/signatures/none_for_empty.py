"""A default of None for a parameter, and what is used in its place in the body: `x=None` with `x or []` there."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import (
    Function,
    Position,
    end_of,
    is_receiver,
    parameters,
    splice,
    start_of,
    text_of,
    walk_scope,
)
from spark_tui.editing.codemods.base import Ops, Request, between, parses
from spark_tui.editing.codemods.common.said import word_said
from spark_tui.editing.codemods.hints.none_hints import with_none
from spark_tui.editing.signatures import default_of
from spark_tui.editing.snippet import Snippet

_EMPTY = {"list": "[]", "dict": "{}", "tuple": "()", "set": "set()", "str": '""', "Sequence": "()", "Mapping": "{}"}
_Edit = tuple[Position, Position, str]


def none_for_empty(before: Snippet, request: Request) -> Iterator[Ops]:
    """Each parameter that is named, with None for default and an empty value wherever it is read as it is."""
    if "None" not in request.instruction:
        return
    for function in before.functions:
        for one in parameters(function):
            if is_receiver(function, one) or not _named(request.instruction, one.arg):
                continue
            default, empty = default_of(function, one), _empty(before, function, one, request.instruction)
            if empty and not (isinstance(default, ast.Constant) and default.value is None):
                edits = [*_signature(before, one, default), *_uses(before, function, one.arg, empty)]
                lines = list(before.lines)
                for start, end, text in sorted(edits, reverse=True):
                    lines = splice(lines, start, end, text)
                if len(edits) > 1 and parses(lines):
                    yield between(before, lines)


def _named(words: str, name: str) -> bool:
    """Whether a parameter is named, be it with two letters in the wrong order."""
    return word_said(words, name) or any(len(one) > 4 and sorted(one) == sorted(name) for one in words.split())


def _empty(before: Snippet, function: Function, one: ast.arg, words: str) -> str:
    """The empty value meant: the old default, the one told, or that of the hint."""
    default = default_of(function, one)
    if default is not None and text_of(before, default) in (*_EMPTY.values(), "''"):
        return text_of(before, default)
    told = re.search(r"\b(list|dict|tuple|set|str)\b", words)
    hint = re.match(r"\w+", text_of(before, one.annotation) if one.annotation else "")
    return _EMPTY.get(told[1] if told else "", _EMPTY.get(hint[0] if hint else "", ""))


def _signature(before: Snippet, one: ast.arg, default: ast.expr | None) -> Iterator[_Edit]:
    hint = text_of(before, one.annotation) if one.annotation else ""
    if one.annotation and hint and not re.search(r"\b(?:None|Optional|Any|object)\b", hint):
        yield start_of(before, one.annotation), end_of(before, one.annotation), with_none(before, hint)
    if default is not None:
        yield start_of(before, default), end_of(before, default), "None"
    else:
        yield end_of(before, one), end_of(before, one), " = None" if hint else "=None"


def _uses(before: Snippet, function: Function, name: str, empty: str) -> Iterator[_Edit]:
    """Where the parameter is kept, spread or looped over as it is."""
    for node in walk_scope(function):
        found: list[tuple[ast.expr, str]] = []
        match node:
            case ast.Assign(value=ast.Name(id=used) as value) if used == name:
                found = [(value, f"{name} or {empty}")]
            case ast.Starred(value=ast.Name(id=used) as value) if used == name:
                found = [(value, f"({name} or {empty})")]
            case ast.For(iter=ast.Name(id=used) as value) | ast.comprehension(iter=ast.Name(id=used) as value):
                looped = f"({name} or {empty})" if isinstance(node, ast.comprehension) else f"{name} or {empty}"
                found = [(value, looped)] if used == name else []
        yield from ((start_of(before, value), end_of(before, value), text) for value, text in found)
