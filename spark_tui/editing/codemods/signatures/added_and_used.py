"""A new parameter and what is told to be done with it: "add a parameter timeout=10 and store it on self"."""

import ast
import re
from collections.abc import Iterator, Sequence

from spark_tui.editing import code
from spark_tui.editing.code import Function
from spark_tui.editing.codemods.base import parses
from spark_tui.editing.codemods.hints.typing_words import type_of
from spark_tui.editing.codemods.signatures.longer_signature import is_hinted, with_parameter
from spark_tui.editing.codemods.signatures.signature_pieces import name_in, pieces_of, with_pieces
from spark_tui.editing.codemods.signatures.signature_wordings import COURTESY, END
from spark_tui.editing.codemods.signatures.values_said import value_said
from spark_tui.editing.signatures import default_is_due, parameter_source
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted, spliced
from spark_tui.editing.trees import parse

_PARAMETER = r"(?:param(?:eter)?|arg(?:ument)?|option|flag)"
_ADDED = re.compile(
    r"(?:add|introduce|take|accept) (?:an? |the )?(?:(?:new|optional|extra|keyword-only|keyword) )*"
    rf"(?:{_PARAMETER},? (?:called |named )?[`'\"]?(?P<one>[^\W\d]\w*)[`'\"]?"
    rf"|[`'\"]?(?P<two>[^\W\d]\w*)[`'\"]? {_PARAMETER})"
    r"(?: ?= ?(?P<plain>\S+?)|,? (?:with (?:a |the )?default(?: value)?(?: of)?|defaulting to"
    r"|(?:that |which )?defaults to|default) (?P<worded>.+?)|,? \(default:? (?P<inner>[^)]+)\))?"
    r"(?:,? (?:right |directly )?(?P<where>before|after|behind) [`'\"]?(?P<beside>\w+)[`'\"]?)?"
    r"(?:,? and (?P<then>.+))?",
    re.IGNORECASE,
)
_IT = r"(?:it|that|this|its value|the value)"
_RETURN = re.compile(rf"return {_IT}(?: (?:at|in) the (?:very )?end| last)?", re.IGNORECASE)
_PRINT = re.compile(
    rf"print {_IT}(?: out)?(?: (?:at|in) the (?P<where>start|beginning|top|end|very end)| (?P<first>first|last))?",
    re.IGNORECASE,
)
_STORE = re.compile(
    rf"(?:store|save|keep|set|assign|put|remember) {_IT} (?:on|in|to|as) (?:self(?:\.\w+)?|the (?:instance|object)"
    r"|an? (?:instance )?attribute)",
    re.IGNORECASE,
)
_PASS = re.compile(
    rf"(?:pass|hand|forward|give|send) {_IT} (?:on |through |along |down )?to (?:the )?[`'\"]?(?P<call>[\w.]+?)"
    r"(?:\(\))?[`'\"]?(?: call)?",
    re.IGNORECASE,
)


def added_and_used(before: Snippet, function: Function, instruction: str) -> tuple[tuple[str, ...], str]:
    """The lines with a parameter and what is to be done with it, or none; and why there are none, or ""."""
    found = _ADDED.fullmatch(END.sub("", COURTESY.sub("", " ".join(instruction.split()))))
    name = (found["one"] or found["two"]) if found else ""
    if not found or not name or name.lower() in ("to", "and", "that"):
        return (), ""
    if name in {one.arg for one in code.parameters(function)}:
        return (), f"{function.name} has a parameter {name} already"
    told = found["plain"] or found["worded"] or found["inner"] or ""
    value = value_said(told, name, "", "", code.quote_of(before)) if told else ""
    if not told and found["then"] and not found["beside"] and default_is_due(function):
        return (), f"{name} would come behind a parameter with a default; say one for {name}, too"
    if bool(told) != bool(value) or (found["then"] and found["beside"]):
        return (), ""
    if not found["then"]:
        return _placed(before, function, name, value, found) if found["beside"] or found["worded"] else (), ""
    return _used(before, function, name, value, found)


def _used(
    before: Snippet, function: Function, name: str, value: str, found: re.Match[str]
) -> tuple[tuple[str, ...], str]:
    """The lines with the parameter, used as told."""
    made = next(_bodies(before, function, name, found["then"]), "")
    if isinstance(made, str):
        return (), made
    lines = with_parameter(Snippet(tuple(made)), function, _source(function, name, value), found[0])
    return next((tuple(one) for one in lines if parses(one)), ()), ""


def _source(function: Function, name: str, value: str) -> str:
    hint = type_of(parse(value, mode="eval").body) if value and is_hinted(function) else ""
    return parameter_source(name, hint, value)


def _placed(before: Snippet, function: Function, name: str, value: str, found: re.Match[str]) -> tuple[str, ...]:
    """The lines with the parameter beside the one that is told, or last."""
    pieces = pieces_of(before, function)
    source = _source(function, name, value)
    if not found["beside"]:
        made = with_parameter(before, function, source, found[0])
        return next((tuple(lines) for lines in made if parses(lines)), ())
    at = next((at for at, one in enumerate(pieces) if name_in(one) == found["beside"]), -1)
    at += found["where"].lower() != "before"
    lines = (
        with_pieces(before, function, [*pieces[:at], source, *pieces[at:]])
        if found["beside"] in _names(pieces)
        else None
    )
    return tuple(lines or ())


def _names(pieces: Sequence[str]) -> list[str]:
    return [name_in(one) for one in pieces]


def _bodies(before: Snippet, function: Function, name: str, then: str) -> Iterator[list[str] | str]:
    """The lines in which the parameter is used as told, or why it cannot be; nothing for other words."""
    if _RETURN.fullmatch(then):
        yield _at_end(before, function, f"return {name}", returns=True) or (
            f"{function.name} returns something at its end already; say what is to become of that"
        )
    elif told := _PRINT.fullmatch(then):
        last = (told["where"] or told["first"] or "").lower() in ("end", "very end", "last")
        call = f"print({name})"
        made = _at_end(before, function, call, returns=False) if last else _at_start(before, function, call)
        yield made or f"there is no place for a print at that end of {function.name}"
    elif _STORE.fullmatch(then):
        where = _at_end(before, function, f"self.{name} = {name}", returns=True) if _has_self(function) else []
        yield where or f"{function.name} has no self, or returns something: nothing to store {name} on"
    elif told := _PASS.fullmatch(then):
        yield _passed(before, function, name, told["call"]) or f"there is no call of {told['call']} in {function.name}"


def _has_self(function: Function) -> bool:
    return bool(function.args.args) and function.args.args[0].arg == "self"


def _at_start(before: Snippet, function: Function, text: str) -> list[str]:
    body = code.body_after_docstring(function)
    if not body or body[0].lineno == function.lineno:
        return []
    row = code.statement_lines(body[0])[0]
    return [*before.lines[:row], code.indentation(before.lines[row]) + text, *before.lines[row:]]


def _at_end(before: Snippet, function: Function, text: str, *, returns: bool) -> list[str]:
    """With a statement behind the last, or before a last `return`. Args: returns: none where a value is returned."""
    last = function.body[-1]
    nested = (ast.Return,) if returns else ()
    given = [one for one in code.walk_scope(function) if isinstance(one, nested) and getattr(one, "value", None)]
    if last.lineno == function.lineno or given:
        return []
    first, end = code.statement_lines(last)
    indent = code.indentation(before.lines[code.statement_lines(function.body[0])[0]])
    if isinstance(last, ast.Pass):
        return [*before.lines[:first], indent + text, *before.lines[end + 1 :]]
    at = first if isinstance(last, ast.Return | ast.Raise) else end + 1
    return [*before.lines[:at], indent + text, *before.lines[at:]]


def _passed(before: Snippet, function: Function, name: str, called: str) -> list[str]:
    """With the parameter as one more argument, by its name, of every call of what is told."""
    changes = []
    for node in code.walk_scope(function):
        own = dotted(node.func) or "" if isinstance(node, ast.Call) else ""
        if isinstance(node, ast.Call) and (own == called or own.endswith(f".{called}")):
            source = code.text_of(before, node)
            taken = {one.arg for one in node.keywords}
            if not source or None in taken or name in taken:
                return []
            inner = source[:-1].rstrip().removesuffix(",")
            changes.append((node, f"{inner}{'' if inner.endswith('(') else ', '}{name}={name})"))
    return spliced(before, changes) if changes else []
