"""Parameters of a constructor that are never kept, and methods that are to have a second name."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import Function, indentation, is_receiver, parameters, stands_alone, statement_lines
from spark_tui.editing.codemods.base import Ops
from spark_tui.editing.script import Insert
from spark_tui.editing.snippet import Snippet

_KEPT = re.compile(
    r"\b(?:(?:never|not|isn't|aren't|isnt|forgot\w* to be) (?:\w+ )?(?:stored|kept|saved|set|assigned|remembered)"
    r"|thrown away|dropped|discarded|lost|ignored|store|keep|save|remember|need|later|kept|stored|swallowed)\b",
    re.IGNORECASE,
)
_ALIAS = re.compile(r"\b(?:alias\w*|same as|too|also|as well|like|support|make|should be|another name|redirected)\b")
_REFLECTED = ("add", "sub", "mul", "and", "or", "xor", "truediv", "floordiv", "mod", "matmul", "pow")
_SECOND = {f"__r{one}__": f"__{one}__" for one in _REFLECTED}
_DUNDER = re.compile(r"(?<!\w)(?:__(?P<whole>[a-z]+)__|(?P<bare>r(?:" + "|".join(_REFLECTED) + r")))(?!\w)")
_MOST = 4


def kept_told(before: Snippet, words: str) -> list[Ops]:
    """The lines that may be meant."""
    found = [*_stored(before, words), *_aliases(before, words)]
    return found[:_MOST]


def _stored(before: Snippet, words: str) -> Iterator[Ops]:
    """`self.x = x` for the parameters named that are not kept, below those before them that are, or last."""
    for function in before.functions:
        if function.name != "__init__" or not _KEPT.search(words):
            continue
        given = [one.arg for one in parameters(function) if not is_receiver(function, one)]
        stores = {value: node for node, value in _stores(function)}
        lost = [one for one in given if re.search(rf"(?<!\w){one}(?!\w)", words) and one not in stores]
        if not lost or not function.body:
            continue
        hidden = stores and all(_target(node).startswith("_") for node in stores.values())
        lines = [f"self.{'_' if hidden and not one.startswith('_') else ''}{one} = {one}" for one in lost]
        ahead = [node for value, node in stores.items() if value in given[: given.index(lost[0])]]
        for node in dict.fromkeys([*ahead[-1:], function.body[-1]]):
            first, last = statement_lines(node)
            if stands_alone(before, node):
                indent = indentation(before.lines[first])
                yield (Insert(last, tuple(indent + line for line in lines)),)


def _stores(function: Function) -> Iterator[tuple[ast.stmt, str]]:
    for node in function.body:
        match node:
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"))], value=ast.Name(id=name)):
                yield node, name
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"))], value=value):
                inner = [one.id for one in ast.walk(value) if isinstance(one, ast.Name)]
                yield from ((node, one) for one in inner[:1])


def _target(node: ast.stmt) -> str:
    match node:
        case ast.Assign(targets=[ast.Attribute(attr=name)]):
            return name
    return ""


def _aliases(before: Snippet, words: str) -> Iterator[Ops]:
    """`__radd__ = __add__` below the method."""
    if not _ALIAS.search(words):
        return
    methods = {one.name: one for one in before.functions if indentation(before.lines[one.lineno - 1])}
    for match in _DUNDER.finditer(words):
        told = f"__{match['whole'] or match['bare']}__"
        if told in methods or told == "__init__" or not methods:
            continue
        named = [one for one in methods if re.search(rf"(?<!\w){one.strip('_')}(?!\w)", words)]
        source = _SECOND.get(told, "") if _SECOND.get(told) in methods else next(iter(named or methods))
        if told in _SECOND and source != _SECOND[told]:
            continue
        function = methods[source]
        last = statement_lines(function)[1]
        indent = indentation(before.lines[function.lineno - 1])
        yield (Insert(last, ("", f"{indent}{told} = {source}")),)
