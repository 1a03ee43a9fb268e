"""A comprehension written out as a loop."""

import ast
import keyword
import re
from collections.abc import Iterator
from typing import ClassVar

from spark_tui.editing.code import end_of, indentation, mentions, splice, start_of, statement_lines, text_of
from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.common.flow import FlowCodemod, Site, simple
from spark_tui.editing.codemods.common.negation import AND, enclosed
from spark_tui.editing.codemods.idioms.looping import function_at, read_later
from spark_tui.editing.snippet import Snippet

Comprehension = ast.ListComp | ast.SetComp | ast.DictComp
_NAMES = ("result", "results", "found", "items")
_ASKED = re.compile(r"\b(?:called|named|call it|name it) [`'\"]?([a-z_]\w*)\b")
_EMPTY: dict[type[ast.expr], tuple[str, str]] = {
    ast.ListComp: ("list", "[]"), ast.SetComp: ("set", "set()"), ast.DictComp: ("dict", "{}"),
}  # fmt: skip
_LATER = (ast.Lambda, ast.IfExp, ast.BoolOp, ast.JoinedStr, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class FromComprehension(FlowCodemod):
    """`x = [f(y) for y in z]` becomes `x = []` and a loop that appends."""

    kind: ClassVar[str] = "from_comprehension"

    def sites(self, before: Snippet, request: Request) -> Iterator[Site]:
        """In source order. Where the comprehension has no name it gets one: the one asked for, else `result`."""
        for node in _statements(before.tree):
            found = _comprehension(node)
            if found is not None and (site := _site(before, node, found, request)):
                yield site


def _statements(node: ast.AST, *, in_class: bool = False) -> Iterator[ast.stmt]:
    """Simple statements that are not in the body of a class, where a loop would leave its variables."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Return | ast.Expr) and not in_class:
            yield child
        elif not isinstance(child, ast.expr):
            inside = isinstance(child, ast.ClassDef) or (
                in_class and not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
            )
            yield from _statements(child, in_class=inside)


def _comprehension(node: ast.stmt) -> Comprehension | None:
    """The one comprehension in a statement that is always run, once."""
    found: list[Comprehension] = []
    waiting: list[ast.AST] = [node]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Comprehension):
            found.append(one)
        elif not isinstance(one, _LATER):
            waiting.extend(ast.iter_child_nodes(one))
    return found[0] if len(found) == 1 else None


def _site(before: Snippet, node: ast.stmt, found: Comprehension, request: Request) -> Site | None:
    first, last = statement_lines(node)
    indent = indentation(before.lines[first])
    bound = frozenset(one.id for part in found.generators for one in ast.walk(part.target) if isinstance(one, ast.Name))
    if not simple(before, node) or read_later(before, bound, first, last) or bound & _bound_outside(before, first):
        return None
    target = _target(before, node, found)
    name = target or _name(before, request)
    body = _loop(before, found, name, indent)
    if not body or not name:
        return None
    sort, empty = _EMPTY[type(found)]
    head = before.lines[first][: start_of(before, found)[1]].rstrip("( ") + " " if target else f"{indent}{name} = "
    after = [] if target else splice(before.lines, start_of(before, found), end_of(before, found), name)
    tail = after[first : len(after) - (len(before.lines) - 1 - last)]
    names = {"over": text_of(before, found.generators[0].iter), sort: ""}
    told = {"name": target} if target else {"unnamed": ""}
    return Site(first, last, (f"{head}{empty}", *body, *tail), names | told)


def _bound_outside(before: Snippet, row: int) -> frozenset[str]:
    """The parameters, which a loop variable must not hide."""
    function = function_at(before, row)
    return (
        frozenset(one.arg for one in ast.walk(function.args) if isinstance(one, ast.arg)) if function else frozenset()
    )


def _target(before: Snippet, node: ast.stmt, found: Comprehension) -> str:
    """What the statement sets to the comprehension, if that is all it does and the loop can fill it."""
    match node:
        case ast.Assign(targets=[ast.Name() | ast.Attribute() as target]) | ast.AnnAssign(target=target):
            text = text_of(before, target)
            one_line = start_of(before, node)[0] == start_of(before, found)[0]
            used = bool(re.search(rf"(?<![\w.]){re.escape(text)}\b", ast.unparse(found)))
            return text if node.value is found and one_line and not used else ""
    return ""


def _name(before: Snippet, request: Request) -> str:
    asked = [name for name in _ASKED.findall(request.instruction) if not keyword.iskeyword(name)]
    return next((name for name in (*asked, *_NAMES) if not mentions(before, name)), "")


def _loop(before: Snippet, found: Comprehension, name: str, indent: str) -> list[str]:
    unit, depth = before.layout.unit, 0
    lines: list[str] = []
    for part in found.generators:
        target, source = text_of(before, part.target), text_of(before, part.iter)
        tests = [enclosed(before, test, AND if len(part.ifs) > 1 else 1) for test in part.ifs]
        if not (target and source and all(tests)):
            return []
        lines.append(f"{indent}{unit * depth}{'async ' * part.is_async}for {target} in {source}:")
        depth += 1
        if tests:
            lines.append(f"{indent}{unit * depth}if {' and '.join(tests)}:")
            depth += 1
    filling = _filling(before, found, name)
    return [*lines, f"{indent}{unit * depth}{filling}"] if filling else []


def _filling(before: Snippet, found: Comprehension, name: str) -> str:
    if isinstance(found, ast.DictComp):
        key, value = enclosed(before, found.key, 1), enclosed(before, found.value, 1)
        return f"{name}[{key}] = {value}" if key and value else ""
    element = text_of(before, found.elt)
    return element and f"{name}.{'append' if isinstance(found, ast.ListComp) else 'add'}({element})"
