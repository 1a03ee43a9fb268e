"""Special methods that are told: a hash over what is compared, and one that returns what the words say."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import Function, indentation, parameters, statement_lines
from spark_tui.editing.codemods.base import Ops
from spark_tui.editing.codemods.common.said import values
from spark_tui.editing.script import Insert
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted, quote

_HASH = re.compile(r"__hash__|\bhash\w*|\bsets are broken\b", re.IGNORECASE)
_DUNDER = re.compile(r"__[a-z]+__")
_RETURNS = {"__repr__": "str", "__str__": "str", "__len__": "int", "__hash__": "int", "__bool__": "bool"}
_MOST = 5


def hashes_told(before: Snippet, words: str) -> Iterator[Ops]:
    """`__hash__` behind `__eq__`, over the attributes that are told or that it compares."""
    if not _HASH.search(words) or any(one.name == "__hash__" for one in before.functions):
        return
    for function in before.functions:
        if function.name != "__eq__":
            continue
        compared = [
            path
            for node in ast.walk(function)
            if isinstance(node, ast.Attribute) and (path := dotted(node)) and path.startswith("self.")
            if path != "self.__class__"
        ]
        paths = list(dict.fromkeys(compared))
        told = [path for path in paths if re.search(rf"(?<!\w){path[5:].strip('_')}(?!\w)", words)]
        for group in dict.fromkeys(tuple(one) for one in (told, paths) if one):
            inner = group[0] if len(group) == 1 else f"({', '.join(group)})"
            yield _method(before, function, "__hash__", f"hash({inner})")


def methods_told(before: Snippet, words: str) -> Iterator[Ops]:
    """The special method that is named and not there yet, returning the value told: last, or behind another."""
    names = [one for one in _DUNDER.findall(words) if all(one != function.name for function in before.functions)]
    methods = [one for one in before.functions if parameters(one)[:1] and parameters(one)[0].arg == "self"]
    if not names or not methods or not re.search(r"\b(?:add|returning|return\w*|with|give|be|needs?|want)\b", words):
        return
    found = [one for one in values(words, quote(before, "")[0]) if one.strip("'\"") != names[0]]
    for value in [one for one in found if not one.isidentifier()][:2]:
        for function in methods[::-1][:_MOST]:
            yield _method(before, function, names[0], value)


def _method(before: Snippet, after: Function, name: str, value: str) -> Ops:
    """A method that takes nothing but the object and returns a value, behind another one."""
    first, last = statement_lines(after)
    indent, unit = indentation(before.lines[first]), before.layout.unit
    hinted = any(one.returns is not None or any(arg.annotation for arg in one.args.args) for one in before.functions)
    returns = f" -> {_RETURNS[name]}" if hinted and name in _RETURNS else ""
    rest = before.lines[last + 1 : last + 2]
    lines = ("", f"{indent}def {name}(self){returns}:", f"{indent}{unit}return {value}")
    return (Insert(last, (*lines, *([""] if rest and rest[0].strip() else []))),)
