"""Defaults that parameters lack, and those that they should not have, as the words tell."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import Function, end_of, is_receiver, parameters, splice, start_of, text_of
from spark_tui.editing.codemods.base import Ops, Request, between, parses
from spark_tui.editing.codemods.common.expression_places import spoken_of
from spark_tui.editing.codemods.common.said import said, word_said
from spark_tui.editing.codemods.hints.none_hints import with_none
from spark_tui.editing.codemods.signatures.defaults_of_fields import field_defaults, values_for
from spark_tui.editing.signatures import default_of
from spark_tui.editing.snippet import Snippet

_WANTED = re.compile(
    r"\bdefault\w*\b|\boptional\b|\b(?:absent|omitted|left out|missing|unless given)\b|\bfall(?:s|ing)? back\b"
    r"|\b(?:always|forced|have to|has to|must|needn't|need not|don't want to|not have to) \w*"
    r"(?: \w+)? ?(?:give|pass|say|tell|spell|specify)\b"
    r"|\b(?:if|when) (?:not|nothing|none|it's not) (?:is )?(?:given|passed|told|said)"
)
_GONE = re.compile(
    r"\b(?:no|not|without|drop|remove|lose|needless|pointless|rid of|needs? no|should have no)(?: the| its| an?| any)*"
    r" (?:\w+ )?defaults?\b|\b(?:\w*n'?t|not) (?:need|want|have)[^.]{0,12}\bdefa?ua?lt|\b(?:required|mandatory)\b"
    r"|\bdefaults?\b[^.]{0,20}\b(?:go\b|away|out\b|off\b|needless|pointless|useless|makes no sense)"
    r"|\bmust (?:always )?be (?:given|passed|told)\b|\bnot optional\b|\bno longer optional\b"
)
_REQUIRED = re.compile(r"\bmissing \d+ required(?: positional| keyword-only)?(?= argument)")
_ERROR = re.compile(r"^\w*(?:Error|Exception): .*$", re.MULTILINE)
"""What Python says: no wish."""
_MOST = 3


def without_errors(instruction: str) -> str:
    """The words without what Python says."""
    return _ERROR.sub("", _REQUIRED.sub("", instruction))


def defaults_told(before: Snippet, request: Request) -> Iterator[Ops]:
    """A default taken from a parameter that is named, or given to one that has none."""
    words = _REQUIRED.sub("", request.instruction)
    gone, wanted = _GONE.search(words), _WANTED.search(words)
    if not gone:
        yield from field_defaults(before, _ERROR.sub("", words))
    for function in before.functions if gone or wanted else ():
        own = [one for one in parameters(function) if not is_receiver(function, one) and not _starred(function, one)]
        for one in _meant(function, own, words):
            default = default_of(function, one)
            if default is not None and gone:
                yield from _with(before, function, one, "")
            elif default is None and not gone:
                hint = text_of(before, one.annotation) if one.annotation else ""
                for value in values_for(before, _ERROR.sub("", words), hint, one.arg)[:_MOST]:
                    yield from _with(before, function, one, value)
                    yield from _with_none(before, one) if value == "None" else ()


def _meant(function: Function, own: list[ast.arg], words: str) -> list[ast.arg]:
    """Those that are named; the only one of a function."""
    named = [one for one in own if said(words, one.arg) or word_said(words, one.arg)]
    bare = [one for one in own if default_of(function, one) is None]
    spoken = [one for one in bare if spoken_of(words, one.arg)]
    return named or spoken or (bare if len(bare) == 1 and "efault" in words else [])


def _starred(function: Function, one: ast.arg) -> bool:
    return one in (function.args.vararg, function.args.kwarg)


def _with(before: Snippet, function: Function, one: ast.arg, value: str) -> Iterator[Ops]:
    """The edit that gives a parameter a default, or none for "", where that is Python."""
    default = default_of(function, one)
    start, end = end_of(before, one), end_of(before, default if default is not None else one)
    glue = " = " if one.annotation else "="
    after = splice(before.lines, start, end, f"{glue}{value}" if value else "")
    if parses(after):
        yield between(before, after)


def _with_none(before: Snippet, one: ast.arg) -> Iterator[Ops]:
    """With None as the default and in the hint too, where that does not allow it yet."""
    hint = text_of(before, one.annotation) if one.annotation else ""
    if hint and one.annotation and not re.search(r"\b(?:None|Optional|Any|object)\b", hint):
        start, end = start_of(before, one.annotation), end_of(before, one.annotation)
        after = splice(before.lines, start, end, f"{with_none(before, hint)} = None")
        if parses(after):
            yield between(before, after)
