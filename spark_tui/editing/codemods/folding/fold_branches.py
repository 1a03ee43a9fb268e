"""Branches as one expression, as returns of their own, or as one condition."""

import ast
from collections.abc import Iterator

from spark_tui.editing.code import end_of, text_of
from spark_tui.editing.codemods.common.negation import IF_ELSE, OR, enclosed, negated
from spark_tui.editing.codemods.folding.fold_sources import (
    New,
    Rule,
    alike,
    body_lines,
    following,
    head_of,
    last_row,
    same,
    source_of,
    value_of,
)
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import Place


def _branched(before: Snippet, place: Place) -> Iterator[New]:
    """Two branches as a getattr, a get, an `or`, or a conditional expression."""
    match place.node:
        case ast.If(test=test, body=[one], orelse=[other]) if alike(one, other) or alike(other, one):
            yield from _either(before, place, place.first, test, one, other)
        case ast.If(test=test, body=[ast.Return() as one], orelse=[]):
            match following(place):
                case [ast.Return(value=ast.expr()) as other]:
                    for first, _, lines in _either(before, place, place.first, test, one, other):
                        yield first, last_row(other), lines
        case ast.If(test=test, body=[ast.Assign(targets=[target], value=value)], orelse=[]):
            yield from _defaulted(before, place, test, target, value)
        case ast.If(
            test=ast.Call(func=ast.Name(id="hasattr"), args=[owner, ast.Constant(value=name) as attr]),
            body=[ast.For(iter=ast.Attribute(value=held, attr=taken), target=target) as loop],
            orelse=[],
        ):
            if same(owner, held) and name == taken:
                got = f"getattr({source_of(before, owner)}, {source_of(before, attr)}, ())"
                body = [line.removeprefix(before.layout.unit) for line in body_lines(before, place, loop.body)]
                yield place.first, place.last, [f"for {source_of(before, target)} in {got}:", *body]


def _either(before: Snippet, place: Place, first: int, test: ast.expr, one: ast.stmt, other: ast.stmt) -> Iterator[New]:
    head, value, default = head_of(before, one), value_of(one), value_of(other)
    if value is None or default is None:
        return
    above = place.block[place.index - 1] if place.index else None
    if isinstance(above, ast.AnnAssign) and above.value is None and f"{ast.unparse(above.target)} = " == head:
        head, first = f"{head[:-3]}: {source_of(before, above.annotation)} = ", above.lineno - 1
    for line in _shorter(before, test, value, default):
        yield first, place.last, [head + line]
    texts = enclosed(before, value, OR), enclosed(before, test, OR), enclosed(before, default, IF_ELSE)
    if all(texts):
        yield first, place.last, [f"{head}{texts[0]} if {texts[1]} else {texts[2]}"]
        if turned := negated(before, test):
            yield first, place.last, [f"{head}{texts[2]} if {turned} else {texts[0]}"]


def _shorter(before: Snippet, test: ast.expr, value: ast.expr, default: ast.expr) -> Iterator[str]:
    """A choice between two values as a getattr or an `or`."""
    match test:
        case ast.Call(func=ast.Name(id="hasattr"), args=[owner, ast.Constant(value=str(name)) as attr]):
            root, said = ast.unparse(owner), ast.unparse(value)
            got = f"getattr({source_of(before, owner)}, {source_of(before, attr)}, "
            if said == f"{root}.{name}":
                yield f"{got}{source_of(before, default)})"
            elif said.startswith(f"{root}.{name}") and said.replace(f"{root}.{name}", root, 1) == ast.unparse(default):
                yield f"{got}{source_of(before, owner)})" + said.removeprefix(f"{root}.{name}")
        case ast.Compare(left=left, ops=[ast.Gt() | ast.NotEq()], comparators=[ast.Constant(value=0)]) if same(
            left, value
        ):
            yield f"{source_of(before, value)} or {source_of(before, default)}"
    if same(test, value):
        yield f"{source_of(before, value)} or {source_of(before, default)}"


def _defaulted(before: Snippet, place: Place, test: ast.expr, target: ast.expr, value: ast.expr) -> Iterator[New]:
    """`if x is None: x = y` as one assignment, or as one return where that is all that follows."""
    name, source = source_of(before, target), source_of(before, value)
    texts = enclosed(before, value, OR), enclosed(before, test, OR)
    match following(place):
        case [ast.Return(value=given) as end] if same(given, target) and all(texts):
            yield place.first, last_row(end), [f"return {texts[0]} if {texts[1]} else {name}"]
    match test:
        case ast.Compare(left=key, ops=[ast.In() | ast.NotIn()], comparators=[owner]):
            yield from _keyed(before, place, (key, owner), target, value)
        case (
            ast.Compare(left=left, ops=[ast.Is()], comparators=[ast.Constant(value=None)])
            | ast.UnaryOp(op=ast.Not(), operand=left)
        ) if same(left, target):
            yield place.first, place.last, [f"{name} = {name} or {source}"]
    if all(texts) and not isinstance(target, ast.Subscript):
        yield place.first, place.last, [f"{name} = {texts[0]} if {texts[1]} else {name}"]


def _keyed(
    before: Snippet, place: Place, pair: tuple[ast.expr, ast.expr], target: ast.expr, value: ast.expr
) -> Iterator[New]:
    """What is set where a key is there, or is not, by get or setdefault."""
    key, owner = pair
    name, held = source_of(before, target), source_of(before, owner)
    match target, value:
        case _, ast.Subscript(value=given, slice=used) if same(given, owner) and same(used, key):
            yield place.first, place.last, [f"{name} = {held}.get({source_of(before, key)}, {name})"]
        case ast.Subscript(value=given, slice=used), _ if same(given, owner) and same(used, key):
            call = f"{held}.setdefault({source_of(before, key)}, {source_of(before, value)})"
            match following(place):
                case [ast.Return(value=returned) as end] if same(returned, target):
                    yield place.first, last_row(end), [f"return {call}"]
            yield place.first, place.last, [call]


def _returned(before: Snippet, place: Place) -> Iterator[New]:
    """Branches that set what is returned right below as branches that return it."""
    match place.node, following(place):
        case ast.If(orelse=[_, *_]) as node, [ast.Return(value=ast.Name(id=name)) as end]:
            lines = list(before.lines[place.first : last_row(end)])
            parts = list(_ends(node))
            for block in parts:
                match block[-1]:
                    case ast.Assign(targets=[ast.Name(id=given)]) as one if given == name:
                        row = one.lineno - 1 - place.first
                        column = end_of(before, one.targets[0])[1]
                        line = lines[row]
                        rest = line[column:].partition("=")[2].lstrip()
                        lines[row] = line[: len(line) - len(line.lstrip())] + f"return {rest}"
                    case ast.Return() | ast.Raise():
                        pass
                    case _:
                        return
            del lines[place.last - place.first + 1 :]
            yield place.first, last_row(end), _flat(before, place, lines)


def _ends(node: ast.If) -> Iterator[list[ast.stmt]]:
    yield node.body
    match node.orelse:
        case [ast.If() as other] if other.orelse:
            yield from _ends(other)
        case other:
            yield other


def _flat(before: Snippet, place: Place, lines: list[str]) -> list[str]:
    """Branches that all leave without their `el` and `else`."""
    made = []
    deep = False
    for line in (line.removeprefix(place.indent) for line in lines):
        if line.startswith("else:"):
            deep = True
        elif line.startswith("elif "):
            made.append(line.removeprefix("el"))
        else:
            made.append(line.removeprefix(before.layout.unit) if deep else line)
    return made


def _elif(before: Snippet, place: Place) -> Iterator[New]:
    match place.node:
        case ast.If(orelse=[ast.If() as inner]):
            head = before.lines[inner.lineno - 2].strip()
            if head == "else:" and before.lines[inner.lineno - 1].lstrip().startswith("if "):
                above = [line.removeprefix(place.indent) for line in before.lines[place.first : inner.lineno - 2]]
                unit = place.indent + before.layout.unit
                below = [line.removeprefix(unit) for line in before.lines[inner.lineno - 1 : place.last + 1]]
                yield place.first, place.last, [*above, "el" + below[0], *below[1:]]


def _guarded(before: Snippet, place: Place) -> Iterator[New]:
    """A guard and the `if` behind it as one condition; guards that give truth and what follows as one return."""
    match place.node, following(place, 2):
        case ast.If(test=test, body=[ast.Return(value=None) | ast.Continue()], orelse=[]), [ast.If(orelse=[]) as one]:
            turned, said = negated(before, test), enclosed(before, one.test, OR)
            if turned and said and text_of(before, one.test):
                joined = f"if {turned} and {said}:"
                yield place.first, last_row(one), [joined, *body_lines(before, place, one.body)]
        case ast.If(test=test, body=[ast.Return(value=ast.Constant(value=bool(flag)))], orelse=[]), [
            ast.Return(value=ast.expr() as value) as end, *_
        ]:  # fmt: skip
            said = enclosed(before, test, OR) if flag else negated(before, test)
            if said and (text := enclosed(before, value, OR)):
                yield place.first, last_row(end), [f"return {said} {'or' if flag else 'and'} {text}"]


BRANCHES: tuple[tuple[str, Rule], ...] = (
    (
        (
            r"ternar|conditional|getattr|hasattr|\bget\b|\bor\b|setdefault|expression|one[- ]line|one line|->"
            r"|\bfold|return v"
        ),
        _branched,
    ),
    (r"\breturn\w*\b|\bretrun", _returned),
    (r"\belif\b|else: ?if|\bflat|nest", _elif),
    (r"\bjoin|\bonce\b|\bone\b|\bsingle\b|\bmerge|\bcombin|\band\b|\bor\b|conditions?\b", _guarded),
)
