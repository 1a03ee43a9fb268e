"""Checks of a parameter against None, with None in its hint too where that does not allow it."""

import re
from collections.abc import Iterable, Iterator

from spark_tui.editing.code import end_of, parameters, splice, start_of, text_of
from spark_tui.editing.codemods.base import Ops, between, parses
from spark_tui.editing.codemods.hints.none_hints import with_none
from spark_tui.editing.script import Insert, apply_script
from spark_tui.editing.snippet import Snippet

_TEST = re.compile(r"\s*if (?:not (?P<one>\w+)|(?P<two>\w+) is None):")
_ALLOWED = re.compile(r"\b(?:None|Optional|Any|object)\b")


def hinted_too(before: Snippet, found: Iterable[Ops]) -> Iterator[Ops]:
    """The edits, those that check a parameter for None followed by themselves with None in its hint."""
    for ops in found:
        yield ops
        match ops:
            case (Insert(lines=(test, *_)),) if told := _TEST.match(test):
                yield from _with_hint(before, ops, told["one"] or told["two"])


def _with_hint(before: Snippet, ops: Ops, name: str) -> Iterator[Ops]:
    for function in before.functions:
        for one in parameters(function):
            hint = text_of(before, one.annotation) if one.annotation else ""
            if one.arg != name or not one.annotation or not hint or _ALLOWED.search(hint):
                continue
            after = apply_script(before.lines, ops, unit=before.layout.unit)
            start, end = start_of(before, one.annotation), end_of(before, one.annotation)
            lines = splice(after, start, end, with_none(before, hint))
            if start[0] <= function.body[0].lineno - 1 and parses(lines):
                yield between(before, lines)
