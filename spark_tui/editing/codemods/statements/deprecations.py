"""A warning first thing in a function that is deprecated, with the text told or a usual one."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import MAX_WIDTH, Function
from spark_tui.editing.codemods.base import Ops
from spark_tui.editing.codemods.common.named import functions_named
from spark_tui.editing.codemods.common.said import spans
from spark_tui.editing.script import Insert
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import quote, top_of

_WARNED = re.compile(r"\b(?P<kind>(?:Pending)?DeprecationWarning|FutureWarning)\b")
_SPOKEN = re.compile(
    r"\b(?:warn|deprecation warning|warning)\b.{0,40}\bdeprecat|\bdeprecat\w+\b.{0,60}\bwarn", re.IGNORECASE
)
_USE = re.compile(r"\b(?:use|favou?r of|replaced by) [`'\"]?(?P<other>[^\W\d][\w.]*(?:\(\))?)", re.IGNORECASE)
_MOST = 3


def deprecations(before: Snippet, words: str) -> list[Ops]:
    """The warnings that may be meant."""
    told = _WARNED.search(words)
    if told is None and not _SPOKEN.search(words):
        return []
    kind = told["kind"] if told else "DeprecationWarning"
    found: list[Ops] = []
    for function in (functions_named(before, words) or before.functions)[:2]:
        if top := top_of(before, function):
            texts = [quote(before, text) for text in _texts(function, words)]
            found += [(Insert(top[0], _lines(before, top[1], text, kind)),) for text in texts]
    return found[:_MOST]


def _lines(before: Snippet, indent: str, text: str, kind: str) -> tuple[str, ...]:
    """The call, over several lines where it is long."""
    line = f"{indent}warnings.warn({text}, {kind}, stacklevel=2)"
    if len(line) <= MAX_WIDTH:
        return (line,)
    inner = indent + before.layout.unit
    return (f"{indent}warnings.warn(", *(f"{inner}{part}," for part in (text, kind, "stacklevel=2")), f"{indent})")


def _texts(function: Function, words: str) -> Iterator[str]:
    quoted = [one.text for one in spans(words) if one.mark and " " in one.text]
    if quoted:
        yield quoted[0]
        return
    documented = (ast.get_docstring(function) or "").partition("\n")[0]
    if "docstring" in words and documented:
        yield documented
    if other := _USE.search(words):
        yield f"{function.name} is deprecated, use {other['other']} instead"
    else:
        yield f"{function.name} is deprecated"
