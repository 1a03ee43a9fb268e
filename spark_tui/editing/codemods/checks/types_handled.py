"""One more type that a function tells apart: "serialise set and frozenset as a list too"."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import text_of
from spark_tui.editing.codemods.base import Ops
from spark_tui.editing.codemods.common.said import is_expression, quoted
from spark_tui.editing.script import Insert
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import Place, places

_BUILT_IN = "str bytes bytearray int float bool complex list tuple set frozenset dict range".split()  # noqa: SIM905
_SPOKEN = {"string": "str", "integer": "int", "dictionary": "dict", "text": "str"} | {one: one for one in _BUILT_IN}
_PLAIN = "|".join(_SPOKEN)
_TYPE = re.compile(
    rf"(?<![\w.])(?:(?P<plain>{_PLAIN})s?"
    r"|(?P<own>(?:(?!self\b)[a-z]\w*\.)+\w+|(?<!^)(?<![.!?] )[A-Z]\w+|[A-Z]{2}\w*))(?![\w(])"
)
_AS = re.compile(rf"\b(?:as|to|into|like|becomes?) (?:an? |its |their )?(?:plain )?({_PLAIN})s?\b")
_QUOTED = re.compile(r"`[^`]*\([^`]*`|\"[^\"]*\"|'[^']*'")


def types_handled(before: Snippet, instruction: str) -> Iterator[Ops]:
    """A branch more after those that look at the type of the same value, with the result told."""
    told = _AS.search(instruction)
    rest = instruction[: told.start()] + instruction[told.end() :] if told else instruction
    for function in before.functions:
        own = [one for one in places(before) if one.block is function.body and _tested(one)]
        if not own:
            continue
        subject = _tested(own[-1])
        results = [one for one in quoted(instruction) if subject in re.findall(r"\w+", one) and is_expression(one)]
        results += [f"{_SPOKEN[told[1]]}({subject})"] if told else []
        kinds = _kinds(before, _QUOTED.sub(" ", rest))
        if kinds and results:
            kind = kinds[0] if len(kinds) == 1 else f"({', '.join(kinds)})"
            yield from (_branch(before, own[-1], f"isinstance({subject}, {kind})", one) for one in results[:2])


def _tested(place: Place) -> str:
    """The value whose type a branch that returns looks at, or ""."""
    match place.node:
        case ast.If(test=ast.Call(func=ast.Name(id="isinstance" | "hasattr"), args=[ast.Name(id=name), *_]), orelse=[]):
            return name if isinstance(place.node.body[-1], ast.Return | ast.Raise) else ""
        case ast.If(test=ast.BoolOp(values=[*_, ast.Call(args=[ast.Name(id=name)])]), orelse=[]):
            return name if isinstance(place.node.body[-1], ast.Return | ast.Raise) else ""
    return ""


def _kinds(before: Snippet, words: str) -> list[str]:
    """The types told that no branch has."""
    known = {text_of(before, one) for node in before.nodes if isinstance(node, ast.Call) for one in _types_of(node)}
    known |= {one.name for one in before.functions} | {"None", "True", "False"}
    found = [_SPOKEN[one["plain"]] if one["plain"] else one["own"] for one in _TYPE.finditer(words)]
    return [one for one in dict.fromkeys(found) if one not in known and not one.endswith(("Error", "Exception"))]


def _types_of(node: ast.Call) -> list[ast.expr]:
    if not (isinstance(node.func, ast.Name) and node.func.id == "isinstance" and len(node.args) == 2):
        return []
    kinds = node.args[1]
    return list(kinds.elts) if isinstance(kinds, ast.Tuple) else [kinds]


def _branch(before: Snippet, after: Place, test: str, result: str) -> Ops:
    unit = before.layout.unit
    lines = (f"{after.indent}if {test}:", f"{after.indent}{unit}return {result}")
    gap = before.lines[after.first - 1 : after.first] if after.first else ()
    blank = [""] if gap and not gap[0].strip() else []
    return (Insert(after.last, (*blank, *lines)),)
