"""One more field of a class whose fields are annotated: "an optional port too, int, None by default"."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import indentation, stands_alone, statement_lines
from spark_tui.editing.codemods.base import Ops
from spark_tui.editing.codemods.common.said import certain, is_expression, spans
from spark_tui.editing.numbers import SIGNED
from spark_tui.editing.script import Insert
from spark_tui.editing.snippet import Snippet

_ADDED = re.compile(
    r"\b(?:add|also|too|as well|new|needs?|missing|has|have|field|attribute|put|allow|want|optional)\b", re.IGNORECASE
)
_TOLD = re.compile(
    r"(?<![\w.])(?P<name>[a-z_]\w*)`?: ?(?P<type>[A-Za-z_][\w.]*(?:\[[\w., |\[\]]+\])?(?: \| [\w.]+)*)"
    r"(?: ?= ?(?P<value>[\w.\[\]{}()\"'-]+))?"
)
_OPTIONAL = re.compile(r"\b(?:optional|nullable|or None|may be None|can be None)\b", re.IGNORECASE)
_VALUE = rf"None|True|False|{SIGNED}|\"[^\"]*\"|'[^']*'"
_DEFAULT = re.compile(
    rf"(?P<one>{_VALUE}) (?:by default|as (?:the )?default)"
    rf"|\bdefault(?:s|ing)?(?: to| is| of|:)? (?P<two>{_VALUE})"
)
_TYPES = {
    "str": "str", "string": "str", "text": "str", "int": "int", "integer": "int", "number": "int", "float": "float",
    "bool": "bool", "boolean": "bool", "flag": "bool", "dict": "dict", "list": "list", "bytes": "bytes", "size": "int",
}  # fmt: skip
_SAME = re.compile(r"\bsame (?:type|as|way|kind)\b|\blike\b")
_NEXT = re.compile(
    r"\b(?:after|below|behind|next to|under) [`'\"]?(?P<name>\w+)|\b(?:before|above) [`'\"]?(?P<below>\w+)"
)
_NO_NAMES = frozenset(
    ["field", "attribute", "flag", "optional", "nullable", "spec", "type", "none", "default", *_TYPES]
)
_MOST = 4


def fields_added(before: Snippet, words: str) -> list[Ops]:
    """The fields that may be meant, below the last one of a class or beside the one told."""
    if not _ADDED.search(words):
        return []
    found: list[Ops] = []
    for node in before.nodes:
        if not isinstance(node, ast.ClassDef):
            continue
        fields = [one for one in node.body if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)]
        if fields and all(stands_alone(before, one) for one in fields):
            last = fields[-1]
            indent = indentation(before.lines[last.lineno - 1])
            for text in _texts(before, words, fields):
                found += [(Insert(after, (indent + text,)),) for after in _places(fields, words)]
    return found[:_MOST]


def _texts(before: Snippet, words: str, fields: list[ast.AnnAssign]) -> Iterator[str]:
    had = {ast.unparse(one.target) for one in fields}
    for told in _TOLD.finditer(words):
        kind = _TYPES.get(told["type"], told["type"])
        if told["name"] not in had and is_expression(kind) and certain(told["name"]):
            yield f"{told['name']}: {kind}" + (f" = {told['value']}" if told["value"] else "")
            return
    kind = _kind(before, words, fields)
    default = _DEFAULT.search(words)
    value = (default["one"] or default["two"]) if default else ""
    last = _like(words, fields)
    if not value and kind.endswith(("None", "]")) and _OPTIONAL.search(words) and last.value:
        value = "None"
    if not value and _SAME.search(words) and last.value:
        value = before.segment(last.value)
    names = [one.text for one in spans(words) if _is_name(one.text, bool(one.mark)) and one.text not in had]
    names.sort(key=lambda name: not re.search(r"[_A-Z]", name))
    for name in names[:1]:
        if kind:
            yield f"{name}: {kind}" + (f" = {value}" if value else "")


def _is_name(text: str, marked: bool) -> bool:
    plain = text.isidentifier() and text[:1].islower() and text not in _NO_NAMES
    return plain and (marked or certain(text))


def _kind(before: Snippet, words: str, fields: list[ast.AnnAssign]) -> str:
    """The type told, made optional where that is told, in the way of the region; that of the others for "same type"."""
    if _SAME.search(words):
        return before.segment(_like(words, fields).annotation)
    told = [_TYPES[word] for word in re.findall(r"\b[a-z]+\b", words) if word in _TYPES]
    kinds = {before.segment(one.annotation) for one in fields}
    default = _DEFAULT.search(words)
    optional = bool(_OPTIONAL.search(words)) or (default is not None and "None" in default[0])
    if not told:
        told = ["str"] if optional or all("str" in one for one in kinds) else []
    if not told:
        return ""
    if optional:
        return f"Optional[{told[0]}]" if any("Optional[" in one for one in kinds) else f"{told[0]} | None"
    return told[0]


def _like(words: str, fields: list[ast.AnnAssign]) -> ast.AnnAssign:
    """The field that the words name, else the last one."""
    named = [one for one in fields if re.search(rf"(?<![\w.]){re.escape(ast.unparse(one.target))}(?!\w)", words)]
    return named[0] if named else fields[-1]


def _places(fields: list[ast.AnnAssign], words: str) -> list[int]:
    for match in _NEXT.finditer(words):
        for one in fields:
            if ast.unparse(one.target) == (match["name"] or match["below"]):
                first, last = statement_lines(one)
                return [last] if match["name"] else [first - 1]
    return [statement_lines(fields[-1])[1]]
