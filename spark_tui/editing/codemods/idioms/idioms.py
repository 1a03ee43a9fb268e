"""Idioms asked for by their name: setdefault, pop, get, suppress, a walrus, update and extend, values, `or`.

Each rule lists its places only where the words hold its name, so that nobody has to choose among what was not asked.
"""

import ast
import re
from collections.abc import Callable, Iterator

from spark_tui.editing.code import MAX_WIDTH, end_of, splice, start_of, text_of
from spark_tui.editing.codemods.base import Ops, between
from spark_tui.editing.codemods.common.said import values
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import Place, places, quote

_FILLING = {"add": "update", "append": "extend"}
_CONSTANTS = ("True", "False", "None")
_GET = re.compile(
    r"\bget\b|\bmissing\b|\bmay not be (?:set|there)\b|\bnot set\b|\babsent\b|\bKeyError\b|\bunset\b", re.IGNORECASE
)


def idioms(before: Snippet, instruction: str) -> Iterator[Ops]:
    """The edits of every idiom that the words name, one place each."""
    words = instruction.lower()
    for pattern, rule in _RULES.items():
        if re.search(pattern, words):
            for place in places(before):
                for lines in rule(before, place):
                    yield from _edit(before, place, lines)
    if _GET.search(instruction):
        yield from _gets(before, instruction)
        yield from _chosen(before)


def walruses(before: Snippet, place: Place) -> Iterator[Ops]:
    """An assignment moved into the condition after it."""
    for lines in _walrus(before, place):
        yield from _edit(before, place, lines)


def _edit(before: Snippet, place: Place, new: tuple[int, list[str]]) -> Iterator[Ops]:
    """Lines from that of a statement to another one become others, as deep as the statement."""
    last, lines = new
    deep = [f"{place.indent}{line}" if line else line for line in lines]
    kept = all(line in deep for line in before.lines[place.first : last + 1] if line.lstrip().startswith("#"))
    if kept and all(len(line) <= MAX_WIDTH for line in deep):
        yield between(before, [*before.lines[: place.first], *deep, *before.lines[last + 1 :]])


New = tuple[int, list[str]]
"""The last line that goes, 0-based, and the lines that come, not indented."""


def _setdefault(before: Snippet, place: Place) -> Iterator[New]:
    match place.node:
        case ast.If(
            test=ast.Compare(left=key, ops=[ast.NotIn()], comparators=[owner]),
            body=[ast.Assign(targets=[ast.Subscript(value=held, slice=used)], value=value)],
            orelse=[],
        ) if _same(key, used) and _same(owner, held) and (source := text_of(before, value)):
            yield place.last, [f"{text_of(before, owner)}.setdefault({text_of(before, key)}, {source})"]


def _pop(before: Snippet, place: Place) -> Iterator[New]:
    match place.node:
        case ast.If(
            test=ast.Compare(left=key, ops=[ast.In()], comparators=[owner]),
            body=[ast.Delete(targets=[ast.Subscript(value=held, slice=used)])],
            orelse=[],
        ) if _same(key, used) and _same(owner, held):
            yield place.last, [f"{text_of(before, owner)}.pop({text_of(before, key)}, None)"]
        case ast.Delete(targets=[ast.Subscript(value=owner, slice=key)]) if not isinstance(key, ast.Slice):
            yield place.last, [f"{text_of(before, owner)}.pop({text_of(before, key)}, None)"]


def _suppress(before: Snippet, place: Place) -> Iterator[New]:
    match place.node:
        case ast.Try(
            body=[*_, last],
            handlers=[ast.ExceptHandler(type=ast.expr() as caught, name=None, body=[ast.Pass()])],
            orelse=[],
            finalbody=[],
        ):
            names = text_of(before, caught).removeprefix("(").removesuffix(")")
            body = before.lines[place.first + 1 : last.end_lineno]
            yield (
                place.last,
                [f"with contextlib.suppress({names}):", *(line.removeprefix(place.indent) for line in body)],
            )


def _walrus(before: Snippet, place: Place) -> Iterator[New]:
    match place.node, place.block[place.index + 1 : place.index + 2]:
        case ast.Assign(targets=[ast.Name(id=name)], value=value), [ast.If(test=test) as after] if text_of(
            before, value
        ):
            first = next((node for node in _in_order(test) if isinstance(node, ast.Name) and node.id == name), None)
            uses = [node for node in ast.walk(test) if isinstance(node, ast.Name) and node.id == name]
            if first is None or not text_of(before, test) or _short_circuited(test, first):
                return
            whole = first is test
            taken = f"{name} := {text_of(before, value)}"
            line, (row, start), (_, end) = (
                before.lines[after.lineno - 1],
                start_of(before, first),
                end_of(before, first),
            )
            new = line[:start] + (taken if whole else f"({taken})") + line[end:]
            if row == after.lineno - 1 and uses:
                yield row, [new.removeprefix(place.indent)]
        case ast.Assign(targets=[ast.Name(id=name)], value=value), [
            ast.While(
                test=ast.Name(id=tested), body=[_, *_, ast.Assign(targets=[ast.Name(id=again)]) as end], orelse=[]
            )
        ] if name == tested == again and text_of(before, value) == text_of(before, end.value):
            body = [line.removeprefix(place.indent) for line in before.lines[place.last + 2 : end.lineno - 1]]
            yield (end.end_lineno or end.lineno) - 1, [f"while {name} := {text_of(before, value)}:", *body]


def _filling(before: Snippet, place: Place) -> Iterator[New]:
    match place.node:
        case ast.For(
            target=ast.Name(id=name),
            iter=over,
            body=[
                ast.Expr(
                    value=ast.Call(func=ast.Attribute(value=owner, attr=attr), args=[ast.Name(id=given)], keywords=[])
                )
            ],
            orelse=[],
        ) if name == given and attr in _FILLING and text_of(before, over):
            yield place.last, [f"{text_of(before, owner)}.{_FILLING[attr]}({text_of(before, over)})"]


def _or(before: Snippet, place: Place) -> Iterator[New]:
    match place.node, place.block[place.index + 1 : place.index + 2]:
        case ast.If(
            test=ast.Compare(left=ast.Name(id=name), ops=[ast.Is()], comparators=[ast.Constant(value=None)])
            | ast.UnaryOp(op=ast.Not(), operand=ast.Name(id=name)),
            body=[ast.Assign(targets=[ast.Name(id=given)], value=value)],
            orelse=[],
        ), [*after] if name == given and text_of(before, value):
            either = f"{name} or {text_of(before, value)}"
            match after:
                case [ast.Assign(targets=[ast.Attribute() as target], value=ast.Name(id=used)) as follower] if (
                    used == name
                ):
                    yield (follower.end_lineno or follower.lineno) - 1, [f"{text_of(before, target)} = {either}"]
            yield place.last, [f"{name} = {either}"]


_RULES: dict[str, Callable[[Snippet, Place], Iterator[New]]] = {
    r"\bsetdefault\b": _setdefault,
    r"\bpop\b|\balready gone\b|\bnot there\b|\bisn't there\b|\bmissing\b": _pop,
    r"\bsuppress\b": _suppress,
    r"\bwalrus|:=|\bassignment expression": _walrus,
    r"\bupdate\b|\bextend\b": _filling,
    r"\bor\b": _or,
}
"""What names an idiom, and its places."""


def _gets(before: Snippet, instruction: str) -> Iterator[Ops]:
    """Elements read by a constant key that get a default: the one told, or None; those whose key is said, if any is."""
    told = [
        value for value in values(instruction, quote(before, "")[0]) if not value.isidentifier() or value in _CONSTANTS
    ]
    found = [
        (node, node.value, node.slice, str(node.slice.value))
        for node in before.nodes
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and isinstance(node.slice, ast.Constant)
        if isinstance(node.slice.value, str) and text_of(before, node)
    ]
    for node, owner, index, key in [one for one in found if one[3] in instruction] or found:
        defaults = [f", {value}" for value in told if value.strip("'\"") != key and value != "None"]
        for default in dict.fromkeys([*defaults, ""]):
            source = f"{text_of(before, owner)}.get({text_of(before, index)}{default})"
            yield between(before, splice(before.lines, start_of(before, node), end_of(before, node), source))


def _chosen(before: Snippet) -> Iterator[Ops]:
    """`d[key] if key in d else other`, also over two branches, as `d.get(key, other)`."""
    for node in before.nodes:
        match node:
            case ast.IfExp(test=test, body=value, orelse=other) if source := _got(before, test, value, other):
                yield between(before, splice(before.lines, start_of(before, node), end_of(before, node), source))
    for place in places(before):
        match place.node, place.block[place.index + 1 : place.index + 2]:
            case ast.If(test=test, body=[ast.Return(value=ast.expr() as value)], orelse=[]), [
                ast.Return(value=ast.expr() as other) as end
            ] if source := _got(before, test, value, other):
                yield from _edit(before, place, ((end.end_lineno or end.lineno) - 1, [f"return {source}"]))
            case ast.If(
                test=test,
                body=[ast.Return(value=ast.expr() as value)],
                orelse=[ast.Return(value=ast.expr() as other)],
            ), _ if source := _got(before, test, value, other):
                yield from _edit(before, place, (place.last, [f"return {source}"]))
            case ast.If(
                test=test,
                body=[ast.Assign(targets=[target], value=value)],
                orelse=[ast.Assign(targets=[again], value=other)],
            ), _ if _same(target, again) and (source := _got(before, test, value, other)):
                yield from _edit(before, place, (place.last, [f"{text_of(before, target)} = {source}"]))


def _got(before: Snippet, test: ast.expr, value: ast.expr, other: ast.expr) -> str:
    """The call of get that says the same as a choice, or ""."""
    match test, value:
        case ast.Compare(left=key, ops=[ast.In()], comparators=[owner]), ast.Subscript(value=held, slice=used):
            default = text_of(before, other)
            if _same(key, used) and _same(owner, held) and default:
                rest = "" if default == "None" else f", {default}"
                return f"{text_of(before, owner)}.get({text_of(before, key)}{rest})"
        case ast.Compare(left=key, ops=[ast.NotIn()], comparators=[owner]), _:
            positive = ast.Compare(left=key, ops=[ast.In()], comparators=[owner])
            return _got(before, positive, other, value)
    return ""


def _same(one: ast.expr, other: ast.expr) -> bool:
    return ast.unparse(one) == ast.unparse(other)


def _in_order(test: ast.expr) -> Iterator[ast.AST]:
    return iter(
        sorted(
            (one for one in ast.walk(test) if isinstance(one, ast.expr)), key=lambda one: (one.lineno, one.col_offset)
        )
    )


def _short_circuited(test: ast.expr, name: ast.expr) -> bool:
    """Whether a name may not be reached when a test is evaluated."""
    while isinstance(test, ast.BoolOp):
        if not any(one is name for one in ast.walk(test.values[0])):
            return True
        test = test.values[0]
    return any(isinstance(one, ast.Lambda | ast.GeneratorExp | ast.ListComp) for one in ast.walk(test))
