"""Defaults that are shared, and names that may be None and are used without a check."""

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from spark_tui.editing.code import Function, splice, statement_lines, walk_scope
from spark_tui.editing.mutations.base import Lines, Source, Spot, called, is_generator, read

_MAKERS = frozenset("list dict set bytearray defaultdict OrderedDict Counter deque".split())  # noqa: SIM905
_DISPLAYS = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
_OF_METHODS = {
    "[]": "append extend insert sort reverse remove index count",
    "{}": "items keys values get setdefault update",
    "set()": "add discard union intersection difference",
    '""': "strip split lower upper startswith endswith replace encode format join lstrip rstrip splitlines",
}
"""Empty values, with what is done with each sort."""
_NEVER_NONE = frozenset(
    "list dict set tuple str int open sorted len super zip map range enumerate bool float type iter".split()  # noqa: SIM905
)
_MAY_BE_NONE = re.compile(r"\bNone\b|\bOptional\b|^Any$|^['\"]")


class _Suspect(NamedTuple):
    """A name that may be None and where it is used; `setter`: the call's result that it is, None for a parameter."""

    name: str
    function: Function
    uses: list[ast.expr]
    setter: ast.stmt | None


def mutable_defaults(source: Source) -> Iterator[Lines]:
    """A default that all calls would share made None, with a fresh one made in the body; all of a function at once."""
    for function in source.snippet.functions:
        shared = [one for one in _with_defaults(function) if _is_mutable(one[1]) and source.text(one[1])]
        top = source.top(function)
        for group in [*([one] for one in shared), *([shared] if len(shared) > 1 else [])]:
            if top is None:
                continue
            texts = [text for arg, value in group for text in _fresh(source, top[1], arg, value)]
            lines = source.insert(top[0], *texts)
            for arg, value in sorted(group, key=lambda one: source.start(one[1]), reverse=True):
                hint = source.text(arg.annotation) if arg.annotation else ""
                lines = splice(lines, source.start(value), source.end(value), "None")
                if hint and not _MAY_BE_NONE.search(hint) and arg.annotation:
                    lines = splice(lines, source.end(arg.annotation), source.end(arg.annotation), " | None")
            yield lines


def _fresh(source: Source, indent: str, arg: ast.arg, value: ast.expr) -> tuple[str, str]:
    return f"{indent}if {arg.arg} is None:", f"{indent}{source.unit}{arg.arg} = {source.text(value)}"


def _with_defaults(function: Function) -> list[tuple[ast.arg, ast.expr]]:
    spec = function.args
    placed = [*spec.posonlyargs, *spec.args]
    pairs = [*zip(placed[len(placed) - len(spec.defaults) :], spec.defaults, strict=True)]
    return pairs + [(one, value) for one, value in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if value]


def _is_mutable(node: ast.expr) -> bool:
    return isinstance(node, _DISPLAYS) or called(node) in _MAKERS


def none_guards(source: Source) -> Iterator[Lines]:
    """What can be done about each name that may be None: a default, leaving, an error, or doing nothing with it."""
    for function in source.snippet.functions:
        for suspect in _suspects(source, function):
            yield from _guarded(source, suspect)


def _suspects(source: Source, function: Function) -> Iterator[_Suspect]:
    """The parameters with None for default, and the names set by a call, that are used but never checked."""
    scope = list(ast.walk(function))
    tests: list[ast.expr] = [one for one in scope if isinstance(one, ast.BoolOp)]
    tests += [one.test for one in scope if isinstance(one, ast.If | ast.While | ast.IfExp | ast.Assert)]
    tests += [test for one in scope if isinstance(one, ast.comprehension) for test in one.ifs]
    found: list[tuple[str, ast.stmt | None]] = [
        (arg.arg, None) for arg, value in _with_defaults(function) if source.text(value) == "None"
    ]
    for node in scope:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if source.alone(node):
                made = called(value.value if isinstance(value, ast.Await) else value)
                found += [(name, node)] if made not in {"", *_NEVER_NONE} and not made[0].isupper() else []
    for name, setter in found:
        uses = [use for spot in source.spots if spot.function is function for use in _needing(spot, name)]
        if uses and name not in read(*tests) and (not setter or all(one.lineno > setter.lineno for one in uses)):
            yield _Suspect(name, function, uses, setter)


def _needing(spot: Spot, name: str) -> Iterator[ast.expr]:
    """The expression that needs a name not to be None: what is taken of it, or itself where it is looped over."""
    if not isinstance(spot.node, ast.Name) or spot.node.id != name:
        return
    match spot.parent:
        case ast.Attribute(value=held) | ast.Subscript(value=held) as whole if held is spot.node:
            yield whole
        case ast.For(iter=held) | ast.comprehension(iter=held) | ast.Call(func=ast.Name(id="len" | "sum"), args=[held]):
            yield from [spot.node] if held is spot.node else []


def _guarded(source: Source, suspect: _Suspect) -> Iterator[Lines]:
    name, setter = suspect.name, suspect.setter
    row, indent = source.top(suspect.function) or (0, "")
    if setter is not None:
        row = statement_lines(setter)[1] + 1
        indent = source.lines[setter.lineno - 1][: source.start(setter)[1]]
    if not row:
        return

    def check(body: str) -> Lines:
        return source.insert(row, f"{indent}if {name} is None:", f"{indent}{source.unit}{body}")

    for value in dict.fromkeys(_fitting(suspect)):
        yield check(f"{name} = {value}")
        either = f"{name} or {value}"
        yield source.behind(setter, f" or {value}") if setter else source.insert(row, f"{indent}{name} = {either}")
    if any(suspect.setter in block.statements and block.in_loop for block in source.blocks):
        yield check("continue")
    yield check(f"return {_nothing(suspect.function)}".rstrip())
    quote = "'" if "".join(source.lines).count("'") > "".join(source.lines).count('"') else '"'
    yield check(f"raise ValueError({quote}{name} must not be None{quote})")
    yield from _only(source, suspect)


def _only(source: Source, suspect: _Suspect) -> Iterator[Lines]:
    """The one statement that uses the name, put under a condition."""
    rows = {one.lineno - 1 for one in suspect.uses}
    simple = [one for block in source.blocks for one in block.statements if not hasattr(one, "body")]
    users = [one for one in simple if rows & {*range(one.lineno - 1, one.end_lineno or one.lineno)}]
    if len(users) == 1 and isinstance(users[0], ast.Expr) and source.alone(users[0]):
        first, last = statement_lines(users[0])
        indent = source.lines[first][: source.start(users[0])[1]]
        moved = [source.unit + line for line in source.lines[first : last + 1]]
        yield [*source.lines[:first], f"{indent}if {suspect.name} is not None:", *moved, *source.lines[last + 1 :]]


def _nothing(function: Function) -> str:
    """What a function gives back when there is nothing to give: `None` is spelled out where it returns values."""
    returned = [one.value for one in walk_scope(function) if isinstance(one, ast.Return) and one.value is not None]
    return "None" if returned and not is_generator(function) else ""


def _fitting(suspect: _Suspect) -> Iterator[str]:
    """The empty values that could be used as the name is."""
    for one in suspect.uses:
        match one:
            case ast.Attribute(attr=attribute):
                yield from (value for value, known in _OF_METHODS.items() if attribute in known.split())
            case ast.Subscript(slice=ast.Constant(value=str())):
                yield "{}"
            case ast.Name() | ast.Subscript():
                yield "[]"
