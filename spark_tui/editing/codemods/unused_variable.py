"""Variables that nothing reads go."""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from spark_tui.editing import code
from spark_tui.editing.code import Function, Position, end_of, splice, start_of, text_of
from spark_tui.editing.codemods.base import Codemod, Ops, Request, between
from spark_tui.editing.codemods.common.said import narrowed, said
from spark_tui.editing.codemods.common.taking_out import without
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import Place, places

_EFFECTS = (ast.Call, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)
_PURE = frozenset("""
abs all any bool bytes dict enumerate float frozenset getattr hasattr int isinstance len list max min object range repr
reversed round set sorted str sum tuple type zip
""".split())  # fmt: skip  # noqa: SIM905 - one word a line would be longer


_ARGUMENT = re.compile(r"\bARG00\d\b|\bunused (?:\w+ )?(?:argument|parameter)|\bunderscore", re.IGNORECASE)
_TOLD = re.compile(r"[`'\"]([^\W\d]\w*)[`'\"]")
Binding = ast.Name | ast.ExceptHandler


@dataclass(frozen=True, slots=True)
class Unused:
    """A variable that nothing reads, the lines it stands on, and the lines of the snippet without it."""

    name: str
    function: Function
    rows: tuple[int, ...]
    after: tuple[str, ...]


class UnusedVariable(Codemod):
    """The assignment goes; a value that does something stays; in loops and among others the name becomes `_`."""

    kind: ClassVar[str] = "unused_variable"

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """One variable that nothing reads."""
        found = list(unused_variables(before))
        named = [one for one in found if said(request.instruction, one.function.name)]
        if request.selected:
            first, last = request.selected
            found = [one for one in found if any(first <= row <= last for row in one.rows)]
        found = list(narrowed(request.instruction, found, lambda one: (one.name,)))
        for one in [one for one in found if one in named] or found:
            yield between(before, one.after)
        if _ARGUMENT.search(request.instruction):
            yield from _underscored(before, request.instruction)


def _underscored(before: Snippet, instruction: str) -> Iterator[Ops]:
    """The parameters that a linter calls unused, with an underscore in front: all of them, then each."""
    told = set(_TOLD.findall(instruction))
    for function in before.functions:
        read = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
        unused = [one for one in code.parameters(function) if one.arg in told - read]
        for group in [unused, *([one] for one in unused if len(unused) > 1)]:
            lines = list(before.lines)
            for one in sorted(group, key=lambda arg: (-arg.lineno, -arg.col_offset)):
                start = start_of(before, one)
                lines = splice(lines, start, start, "_")
            if group:
                yield between(before, lines)


def unused_variables(snippet: Snippet) -> Iterator[Unused]:
    """Every local variable that is only ever set, in source order of the functions."""
    standing = {id(place.node): place for place in places(snippet)}
    for function in snippet.functions:
        for name, nodes in _only_set(function).items():
            after = _without(snippet, function, nodes, standing)
            if after is not None and after != list(snippet.lines):
                yield Unused(name, function, tuple(node.lineno - 1 for node in nodes), tuple(after))


def _only_set(function: Function) -> dict[str, list[Binding]]:
    """The names set in a function's own body that nothing within it reads, with where they are set."""
    own = list(code.walk_scope(function))
    bindings: dict[str, list[Binding]] = {}
    kept = {arg.arg for arg in code.parameters(function)}
    for node in ast.walk(function):
        match node:
            case ast.Name(id="locals" | "eval" | "exec" | "vars", ctx=ast.Load()):
                return {}
            case ast.Name(id=name, ctx=ast.Load() | ast.Del()):
                kept.add(name)
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                kept.update(names)
    for node in own:
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.ExceptHandler(name=str(name)) if name.strip("_"):
                bindings.setdefault(name, []).append(node)
    return {name: nodes for name, nodes in bindings.items() if name not in kept}


def _without(
    snippet: Snippet, function: Function, nodes: Sequence[Binding], standing: dict[int, Place]
) -> list[str] | None:
    """The lines without a variable, or None where that is no matter of course."""
    if len(nodes) == 1 and isinstance(nodes[0], ast.ExceptHandler):
        return _bare_handler(snippet, nodes[0])
    owners = [_owner(function, node) for node in nodes]
    assigned = [standing.get(id(owner)) for owner in owners]
    if all(place and _sets_one(place.node) for place in assigned):
        return _unassigned(snippet, [place for place in assigned if place])
    return _blank(snippet, nodes[0], owners[0]) if len(nodes) == 1 and isinstance(nodes[0], ast.Name) else None


def _owner(function: Function, node: Binding) -> ast.AST | None:
    """The innermost node around a binding."""
    return next((one for one in code.walk_scope(function) if node in ast.iter_child_nodes(one)), None)


def _sets_one(node: ast.stmt) -> bool:
    """Whether a statement does nothing but set one name."""
    return isinstance(node, ast.AnnAssign) or (isinstance(node, ast.Assign) and len(node.targets) == 1)


def _unassigned(snippet: Snippet, found: Sequence[Place]) -> list[str] | None:
    lines = list(snippet.lines)
    gone = [place.node for place in found if not _kept_value(place)]
    for place in sorted(found, key=lambda place: place.first, reverse=True):
        node = place.node
        if value := _kept_value(place):
            lines = splice(lines, start_of(snippet, node), _value_start(snippet, node, value), "")
        elif node is place.block[0] and all(one in gone for one in place.block):
            lines = splice(lines, start_of(snippet, node), end_of(snippet, node), "pass")
        else:
            lines = without(lines, place.first, place.last)
    return lines


def _kept_value(place: Place) -> ast.expr | None:
    """The value an assignment leaves behind: one that does something."""
    assert isinstance(place.node, ast.Assign | ast.AnnAssign)
    value = place.node.value
    return value if value is not None and _does_something(value) else None


def _value_start(snippet: Snippet, node: ast.stmt, value: ast.expr) -> Position:
    """Where the value begins, its parentheses included."""
    row, column = start_of(snippet, value)
    line = snippet.lines[row][:column]
    while row == node.lineno - 1 and line.rstrip().endswith("("):
        line = line.rstrip()[:-1]
    return row, len(line)


def _does_something(value: ast.expr) -> bool:
    for node in ast.walk(value):
        pure = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _PURE
        if isinstance(node, _EFFECTS) and not pure:
            return True
    return False


def _bare_handler(snippet: Snippet, node: ast.ExceptHandler) -> list[str] | None:
    if node.type is None or not text_of(snippet, node.type):
        return None
    row, end = end_of(snippet, node.type)
    line = snippet.lines[row]
    head, found, tail = line[end:].partition(f"as {node.name}")
    if not found or head.strip(" )"):
        return None
    return splice(snippet.lines, (row, end), (row, len(line)), head.rstrip() + tail)


def _blank(snippet: Snippet, node: ast.Name, owner: ast.AST | None) -> list[str] | None:
    start, end = start_of(snippet, node), end_of(snippet, node)
    match owner:
        case ast.withitem(context_expr=manager) if text_of(snippet, manager):
            behind = end_of(snippet, manager)
            glue = snippet.lines[start[0]][behind[1] : start[1]]
            return splice(snippet.lines, behind, end, "") if glue == " as " and behind[0] == start[0] else None
        case ast.For() | ast.AsyncFor() | ast.Tuple() | ast.List():
            return splice(snippet.lines, start, end, "_")
    return None
