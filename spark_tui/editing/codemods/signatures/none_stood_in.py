"""A parameter that may be left out, and what stands in for it: `x=None` with `if x is None: x = ...` in the body."""

import ast
import re
from collections.abc import Iterator, Sequence

from spark_tui.editing import code
from spark_tui.editing.code import Function, is_receiver, parameters
from spark_tui.editing.codemods.base import Ops, Request, between, parses
from spark_tui.editing.codemods.common.said import is_expression, word_said
from spark_tui.editing.codemods.common.values_told import values_told
from spark_tui.editing.codemods.hints.none_hints import with_none
from spark_tui.editing.codemods.signatures.signature_pieces import defaulted, name_in, parts_of, pieces_of, with_pieces
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import outside_fstrings, spliced
from spark_tui.editing.trees import parse

_ASKED = re.compile(
    r"\bNone\b|\bnone\b|\boptional\b|\b(?:left|leave) (?:it )?out\b|\bomit|\bdefault\w*.*(?:\bempty\b|\w\()"
)
_EMPTY = re.compile(r"\bempty (list|dict|dictionary|tuple|set|string|mapping)\b|\b(?:an? )?empty\b")
_OF_WORD = {
    "list": "[]",
    "dict": "{}",
    "dictionary": "{}",
    "mapping": "{}",
    "tuple": "()",
    "set": "set()",
    "string": "''",
}
_OF_HINT = {**_OF_WORD, "Mapping": "{}", "Sequence": "()", "Iterable": "()", "List": "[]", "Dict": "{}", "str": "''"}
_ONLY = re.compile(r"\b(?:no|don't|do not|skip|only|without|nothing|leave|not)\b", re.IGNORECASE)
_MOST_VALUES = 2


def none_stood_in(before: Snippet, request: Request) -> Iterator[Ops]:
    """Each parameter that is named, with None for default and what the words tell, or its hint, in its stead."""
    words = request.instruction
    for function in before.functions if _ASKED.search(words) else ():
        for one in parameters(function):
            if is_receiver(function, one) or not word_said(words, one.arg) or len(function.body) < 1:
                continue
            yield from (between(before, lines) for lines in _for(before, function, one.arg, words))


def _for(before: Snippet, function: Function, name: str, words: str) -> Iterator[list[str]]:
    pieces = pieces_of(before, function)
    piece = next((one for one in pieces if name_in(one) == name and not one.startswith("*")), "")
    if not piece:
        return
    _, hint, default = parts_of(piece)
    stand_ins = _values(before, hint, default, name, words)
    bodies = [body for value in stand_ins[:_MOST_VALUES] for body in _stood_in(before, function, name, value)]
    if _ONLY.search(words):
        bodies += _guarded(before, function, name)
    heads = [defaulted(before, piece, "None")]
    if default and hint and "None" not in hint and re.search(r"\ballow|\baccept|\bmeaning\b", words):
        heads.append(f"{name}: {with_none(before, hint)} = {default}")
    for head in heads:
        for body in bodies:
            lines = with_pieces(Snippet(tuple(body)), function, [head if one == piece else one for one in pieces])
            if lines:
                yield lines


def _values(before: Snippet, hint: str, default: str, name: str, words: str) -> list[str]:
    """What may stand in: what is told, the old default where that is no None, what is empty."""
    found = [value for value, _, _ in values_told(before, words) if value not in (name, "None")]
    found = [one for one in found if not one.isidentifier() or one == default]
    if empty := _EMPTY.search(words):
        type_ = re.match(r"\w+", hint)
        found.insert(0, _OF_WORD.get(empty[1] or "", _OF_HINT.get(type_[0] if type_ else "", "")))
    if default and default != "None" and not found:
        found.append(default)
    return [one for one in dict.fromkeys(found) if one and is_expression(one)]


def _reads(function: Function, name: str) -> list[ast.expr]:
    found = [node for one in code.body_after_docstring(function) for node in outside_fstrings(one)]
    return [node for node in found if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)]


def _stood_in(before: Snippet, function: Function, name: str, value: str) -> Iterator[list[str]]:
    """At the top of the body, in the usual ways; where the parameter is read, if that is in one place."""
    body = code.body_after_docstring(function)
    if not body or body[0].lineno == function.lineno:
        return
    row = code.statement_lines(body[0])[0]
    indent, unit = code.indentation(before.lines[row]), before.layout.unit
    for top in (
        [f"{indent}if {name} is None:", f"{indent}{unit}{name} = {value}"],
        [f"{indent}{name} = {name} or {value}"],
    ):
        yield [*before.lines[:row], *top, *before.lines[row:]]
    reads = _reads(function, name)
    if len(reads) == 1:
        for text in (
            f"{name} or {value}",
            f"{name} if {name} is not None else {value}",
            f"{value} if {name} is None else {name}",
        ):
            for made in (text, f"({text})"):
                lines = spliced(before, [(reads[0], made)])
                if parses(lines) and _holds(lines, text):
                    yield lines
                    break


def _holds(lines: Sequence[str], text: str) -> bool:
    """Whether an expression of a source is this one as a whole."""
    wanted = ast.dump(parse(text, mode="eval").body)
    return any(
        isinstance(node, ast.IfExp | ast.BoolOp) and ast.dump(node) == wanted for node in Snippet(tuple(lines)).nodes
    )


def _guarded(before: Snippet, function: Function, name: str) -> Iterator[list[str]]:
    """The statement that reads the parameter, if it is one, only where it is given."""
    using = [
        one
        for one in code.body_after_docstring(function)
        if any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(one))
    ]
    if len(using) == 1 and isinstance(using[0], ast.Expr) and code.stands_alone(before, using[0]):
        first, last = code.statement_lines(using[0])
        indent, unit = code.indentation(before.lines[first]), before.layout.unit
        inner = [unit + line if line.strip() else line for line in before.lines[first : last + 1]]
        yield [*before.lines[:first], f"{indent}if {name} is not None:", *inner, *before.lines[last + 1 :]]
