"""Attributes that an object has to have by the words, and calls of the method of the parent."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import (
    Function,
    indentation,
    is_receiver,
    parameters,
    stands_alone,
    statement_lines,
    walk_scope,
)
from spark_tui.editing.codemods.base import Ops
from spark_tui.editing.codemods.bugs.mistaken import no_attribute
from spark_tui.editing.codemods.common.named import functions_named
from spark_tui.editing.script import Insert
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted, top_of

_KEPT = re.compile(
    r"\b(?:keep|store|save|remember|expose|hold|set|have|become|available|attribute)\b.{0,40}?"
    r"[`'\"]?(?:as|on|in|the|to|be)? ?(?:self\.)?(?P<name>_*[a-z]\w*)",
    re.IGNORECASE,
)
_PARENT = re.compile(
    r"\b(?:super|parents?|base(?: class)?|mixins?|inherit\w*|cooperative|own (?:line|part)|isn't (?:run|called)"
    r"|(?:never|not) called|str\(\w*\) is empty|pickl\w+|gone|no longer|chain)\b|\bsuper\(",
    re.IGNORECASE,
)
_EMPTY = ("None", "False", "[]", "{}", "0", '""')


def attributes_told(before: Snippet, words: str) -> Iterator[Ops]:
    """`self.x = x` for a parameter that is to be kept, `self.x = None` for an attribute that is said to be missing."""
    missing = no_attribute(words)
    for function in before.functions:
        held = [path for node in walk_scope(function) if isinstance(node, ast.Attribute) and (path := dotted(node))]
        given = [one.arg for one in parameters(function) if not is_receiver(function, one)]
        if missing and (function.name == "__init__" or any(path.startswith("self.") for path in held)):
            value = [missing] if missing in given else _EMPTY
            yield from _at_ends(before, function, [f"self.{missing} = {one}" for one in value], last=True)
            yield from _carried(before, function, missing)
        for name in given:
            if f"self.{name}" in held or not re.search(rf"(?<!\w){name}(?!\w)", words):
                continue
            dunder = re.search(r"\b__\w+__", words)
            target = dunder[0] if dunder and dunder[0] != "__init__" and "super" not in words else name
            if function.name == "__init__" and (f"self.{name}" in words or _KEPT.search(words)):
                yield from _at_ends(before, function, [f"self.{target} = {name}"])
        dunder = re.search(r"\bthe (__\w+__)", words)
        if dunder and function.name == "__init__":
            named = [name for name in given if re.search(rf"\b{name}\b", words)]
            yield from _at_ends(before, function, [f"self.{dunder[1]} = {name}" for name in named[:1]], last=True)


def _carried(before: Snippet, function: Function, name: str) -> Iterator[Ops]:
    """One attribute more that is copied like its neighbours: `job.x = self.x` below `job.y = self.y`."""
    for node in function.body:
        match node:
            case ast.Assign(
                targets=[ast.Attribute(value=ast.Name(id=owner))], value=ast.Attribute(value=ast.Name(id=source))
            ) if stands_alone(before, node):
                first, last = statement_lines(node)
                indent = indentation(before.lines[first])
                for one in dict.fromkeys([name, f"_{name.rpartition('_')[2]}"]):
                    yield (Insert(last, (f"{indent}{owner}.{name} = {source}.{one}",)),)


def parent_calls(before: Snippet, words: str) -> Iterator[Ops]:
    """A call of the method of the parent with the parameters of the method, first thing and last."""
    if not _PARENT.search(words):
        return
    for function in (functions_named(before, words) or before.functions)[:3]:
        own = parameters(function)
        text = "\n".join(before.lines[function.lineno - 1 : function.end_lineno])
        if not own or "super()" in text or not (is_receiver(function, own[0]) or own[0].arg in ("cls", "mcs")):
            continue
        spec = function.args
        given = [one.arg for one in (*spec.posonlyargs, *spec.args)][1:]
        given += [f"*{spec.vararg.arg}"] if spec.vararg else []
        given += [f"{one.arg}={one.arg}" for one in spec.kwonlyargs]
        given += [f"**{spec.kwarg.arg}"] if spec.kwarg else []
        waits = "await " if isinstance(function, ast.AsyncFunctionDef) else ""
        calls = [f"{waits}super().{function.name}({', '.join(given)})"]
        if spec.kwarg and len(given) > 1:
            calls.append(f"{waits}super().{function.name}(**{spec.kwarg.arg})")
        if function.name == "__init__" and given:
            calls.append(f"{waits}super().__init__()")
        yield from _at_ends(before, function, calls)


def _at_ends(before: Snippet, function: Function, lines: list[str], *, last: bool = False) -> Iterator[Ops]:
    """Each line first thing in a function, and last; or the other way round."""
    end = function.body[-1]
    below = stands_alone(before, end) and not isinstance(end, ast.Return | ast.Raise)
    top, bottom = top_of(before, function), statement_lines(end)
    for line in lines:
        first = [(Insert(top[0], (top[1] + line,)),)] if top else []
        final = [(Insert(bottom[1], (indentation(before.lines[bottom[0]]) + line,)),)] if below else []
        yield from [*final, *first] if last else [*first, *final]
