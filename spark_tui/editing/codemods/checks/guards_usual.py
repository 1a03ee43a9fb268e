"""Guards told by a word: None passes through, a second call does nothing, the same value is not set again."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import Function, walk_scope
from spark_tui.editing.codemods.base import Ops
from spark_tui.editing.codemods.common.named import functions_named
from spark_tui.editing.script import Insert
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import argument_names, dotted, top_of

_THROUGH = re.compile(
    r"\bNone\b.{0,20}\b(?:through|unchanged|as (?:it )?is)\b|\b(?:through|fail on|choke on|crash on) None\b",
    re.IGNORECASE,
)
_AGAIN = re.compile(
    r"\b(?:already|twice|second (?:time|call)|again|no-?op|harmless|first time|more than once|idempotent|nothing if)\b"
    r"|\b(?:is|are|it's|its|was) (?:complete|closed|done|stopped|running|started)\b|\bdon'?t hold\b",
    re.IGNORECASE,
)
_SAME = re.compile(
    r"\b(?:unchanged|(?:very |exactly )?same|already ha(?:ve|s)|did(?:n't| not) change|no change|equal|identical)\b",
    re.IGNORECASE,
)
_CLASS_READ = re.compile(
    r"\b(?:class itself|on the class|from the class|class access|not from an instance|instance is None)\b"
)
_MOST = 4


def guards_usual(before: Snippet, words: str) -> list[Ops]:
    """The guards that may be meant, first thing in the functions that may be."""
    if not any(pattern.search(words) for pattern in (_THROUGH, _AGAIN, _SAME, _CLASS_READ)):
        return []
    found: list[Ops] = []
    for function in (functions_named(before, words) or before.functions)[:3]:
        if top := top_of(before, function):
            for test, leaving in dict.fromkeys(_guards(function, words)):
                inner = top[1] + before.layout.unit + leaving
                found.append((Insert(top[0], (f"{top[1]}if {test}:", inner)),))
    return found[:_MOST]


def _guards(function: Function, words: str) -> Iterator[tuple[str, str]]:
    given = [name for name in argument_names(function) if name not in ("self", "cls")]
    if _THROUGH.search(words) and given:
        named = [name for name in given if re.search(rf"\b{name}\b", words)] or given[:1]
        yield from ((f"{named[0]} is None", leaving) for leaving in ("return None", f"return {named[0]}"))
    if function.name == "__get__" and given and _CLASS_READ.search(words):
        yield f"{given[0]} is None", "return self"
    for path, value in _set(function):
        if _AGAIN.search(words) and isinstance(value, ast.Constant) and isinstance(value.value, bool):
            yield (path if value.value else f"not {path}"), "return"
        elif _SAME.search(words) and isinstance(value, ast.Name) and value.id in given:
            signs = ("is", "==") if re.search(r"\b(?:same object|very same|identical)\b", words) else ("==", "is")
            yield from ((f"{value.id} {sign} {path}", "return") for sign in signs)


def _set(function: Function) -> Iterator[tuple[str, ast.expr]]:
    """The attributes of self that a function sets, with their values."""
    for node in walk_scope(function):
        match node:
            case ast.Assign(targets=[ast.Attribute() as target], value=value) if path := dotted(target):
                if path.startswith("self."):
                    yield path, value
