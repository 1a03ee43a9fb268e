"""Names that may be None and are used without a check, and what can be done about each: what fix_default_none lists."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from spark_tui.editing.code import Function, indentation, stands_alone, statement_lines, walk_scope
from spark_tui.editing.codemods.base import Ops
from spark_tui.editing.numbers import SIGNED
from spark_tui.editing.script import Indent, Insert, Replace
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import Place, has_tail, is_generator, movable, places, quote, top_of

_OF_METHODS = {
    "[]": "append extend insert sort reverse remove index count",
    "{}": "items keys values get setdefault update",
    "set()": "add discard union intersection difference",
    '""': "strip split lower upper startswith endswith replace encode format join lstrip rstrip splitlines",
}
_SPELLED = re.compile(
    rf"(?:\b\w+|=) [`'\"]?(\[\]|\{{\}}|\(\)|set\(\)|\"\"|''|{SIGNED}|True|False)(?!\w|\.\w)"
    r"|\b(?:default|to|use|using|or|return|be) (\"[^\"]+\"|'[^']+')",
    re.IGNORECASE,
)
_IN_WORDS = {"empty list": "[]", "empty dict": "{}", "empty string": '""', "empty tuple": "()", "empty set": "set()"}
_MAKERS = "list dict set tuple str int open sorted len super zip map range enumerate bool float type iter"
_SURE = frozenset(_MAKERS.split())


@dataclass(frozen=True, slots=True)
class Suspect:
    """A name that may be None: a parameter, or (with `place`) a name that gets a result there; and where it is used."""

    name: str
    function: Function
    uses: tuple[ast.expr, ...]
    place: Place | None


@dataclass(frozen=True, slots=True)
class Guard:
    """An edit against None: `action` is default, or, return, continue, raise or only; `value` is set or returned."""

    suspect: Suspect
    action: str
    value: str
    ops: Ops


def guards(before: Snippet, instruction: str = "") -> Iterator[Guard]:
    """Everything that can be done about each suspect; a value that the instruction spells out is one more default."""
    among = places(before)
    told = [first or second for first, second in _SPELLED.findall(instruction)]
    told += [code for words, code in _IN_WORDS.items() if words in instruction.lower()]
    for suspect in suspects(before, among):
        where = _where(before, suspect)
        if where is not None:
            yield from _of(before, suspect, *where, told, among)


def suspects(before: Snippet, among: list[Place]) -> Iterator[Suspect]:
    """The parameters with None for default, and the names set by a call, that are used but never checked."""
    for function in before.functions:
        scope = list(walk_scope(function))
        checked = _checked(function)
        for name in none_defaults(function):
            uses = _uses(scope, name)
            if uses and name not in checked:
                yield Suspect(name, function, uses, None)
        for place in among:
            name = _result(place.node)
            if place.function is function and name and name not in checked:
                uses = _uses(scope, name)
                after = tuple(one for one in uses if one.lineno > place.last + 1)
                if after and len(after) == len(uses):
                    yield Suspect(name, function, after, place)


def none_defaults(function: Function) -> list[str]:
    """The parameters whose default is None."""
    spec = function.args
    placed = [*spec.posonlyargs, *spec.args]
    pairs = [*zip(placed[len(placed) - len(spec.defaults) :], spec.defaults, strict=True)]
    pairs += [(one, value) for one, value in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if value is not None]
    return [one.arg for one, value in pairs if isinstance(value, ast.Constant) and value.value is None]


def _result(node: ast.stmt) -> str:
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=made) | ast.Await(value=ast.Call(func=made))):
            called = made.id if isinstance(made, ast.Name) else made.attr if isinstance(made, ast.Attribute) else ""
            return "" if called in _SURE or called[:1].isupper() else name
    return ""


def _uses(scope: list[ast.AST], name: str) -> tuple[ast.expr, ...]:
    """Where an attribute or an element of a name is read, or where it is looped over, measured or called on."""
    found: list[ast.expr] = []
    for one in scope:
        match one:
            case ast.Attribute(value=ast.Name(id=used)) | ast.Subscript(value=ast.Name(id=used)) if used == name:
                found.append(one)
            case ast.For(iter=ast.Name() as over) | ast.comprehension(iter=ast.Name() as over) if over.id == name:
                found.append(over)
            case ast.Call(func=ast.Name(id="len" | "sorted" | "sum" | "max" | "min"), args=[ast.Name(id=used) as over]):
                if used == name:
                    found.append(over)
    return tuple(found)


def _checked(function: Function) -> set[str]:
    """The names that a condition of the function looks at."""
    roots: list[ast.AST] = []
    for one in ast.walk(function):
        match one:
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test) | ast.Assert(test=test):
                roots.append(test)
            case ast.BoolOp() | ast.ExceptHandler():
                roots.append(one)
            case ast.comprehension(ifs=tests):
                roots += tests
    return {name.id for root in roots for name in ast.walk(root) if isinstance(name, ast.Name)}


def _where(before: Snippet, suspect: Suspect) -> tuple[int, str] | None:
    """After which line a check goes, and its indentation."""
    if suspect.place is None:
        return top_of(before, suspect.function)
    return suspect.place.last, suspect.place.indent


def _of(
    before: Snippet, suspect: Suspect, after: int, indent: str, told: list[str], among: list[Place]
) -> Iterator[Guard]:
    name, unit = suspect.name, before.layout.unit

    def checked(body: str) -> Ops:
        return (Insert(after, (f"{indent}if {name} is None:", f"{indent}{unit}{body}")),)

    for value in dict.fromkeys([*_fitting(suspect), *told]):
        yield Guard(suspect, "default", value, checked(f"{name} = {value}"))
        if suspect.place is None:
            yield Guard(suspect, "or", value, (Insert(after, (f"{indent}{name} = {name} or {value}",)),))
        elif suspect.place.first == suspect.place.last and not has_tail(before, suspect.place):
            row = suspect.place.last
            yield Guard(suspect, "or", value, (Replace(row, row, (f"{before.lines[row]} or {value}",)),))
    if suspect.place is not None and suspect.place.in_loop:
        yield Guard(suspect, "continue", "", checked("continue"))
    for value in dict.fromkeys([_nothing(suspect.function), *(told if not is_generator(suspect.function) else ())]):
        yield Guard(suspect, "return", value, checked(f"return {value}".rstrip()))
    message = quote(before, f"{name} must not be None")
    yield Guard(suspect, "raise", "", checked(f"raise ValueError({message})"))
    yield from _only(before, suspect, among)


def _only(before: Snippet, suspect: Suspect, among: list[Place]) -> Iterator[Guard]:
    """The one statement that uses the name, put under a condition."""
    rows = {one.lineno - 1 for one in suspect.uses}
    simple = [one for one in among if not hasattr(one.node, "body")]
    users = [one for one in simple if not rows.isdisjoint(range(one.first, one.last + 1))]
    if len(users) != 1 or not isinstance(users[0].node, ast.Expr) or not movable(users[0].node):
        return
    place = users[0]
    if stands_alone(before, place.node) and statement_lines(place.node) == (place.first, place.last):
        line = f"{indentation(before.lines[place.first])}if {suspect.name} is not None:"
        yield Guard(suspect, "only", "", (Insert(place.first - 1, (line,)), Indent(place.first, place.last)))


def _nothing(function: Function) -> str:
    """What a function gives back when there is nothing to give: `None` is spelled out where it returns values."""
    returned = [one.value for one in walk_scope(function) if isinstance(one, ast.Return) and one.value is not None]
    return "None" if returned and not is_generator(function) else ""


def _fitting(suspect: Suspect) -> Iterator[str]:
    """The empty values that could be used as the name is."""
    for one in suspect.uses:
        match one:
            case ast.Attribute(attr=attribute):
                yield from (value for value, known in _OF_METHODS.items() if attribute in known.split())
            case ast.Subscript(slice=ast.Constant(value=str())):
                yield "{}"
            case ast.Name() | ast.Subscript():
                yield "[]"
