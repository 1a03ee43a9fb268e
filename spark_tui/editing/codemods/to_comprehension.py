"""A loop that fills a list, set or dict turned into a comprehension."""

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import ClassVar

from spark_tui.editing.code import MAX_WIDTH, indentation, start_of, statement_lines
from spark_tui.editing.codemods.base import Ops, Request, between
from spark_tui.editing.codemods.common.flow import FlowCodemod, Site, blocks, simple
from spark_tui.editing.codemods.common.negation import IF_ELSE, enclosed
from spark_tui.editing.codemods.idioms.loop_folding import folded
from spark_tui.editing.codemods.idioms.looping import Loop, mentioned, read_later, read_loop
from spark_tui.editing.snippet import Snippet

_USUAL_WIDTH = 88
_BRACKETS = {"list": "[]", "set": "{}", "dict": "{}"}


class ToComprehension(FlowCodemod):
    """`x = []` and a loop that appends become `x = [... for ...]`, or `return [...]` where only that follows."""

    kind: ClassVar[str] = "to_comprehension"

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """Where a loop is one as it stands; then where what it begins with can be inlined, or be a walrus."""
        yield from super().edits(before, request)
        yield from through(self, before, folded(before), request)

    def sites(self, before: Snippet, request: Request) -> Iterator[Site]:
        """In source order; between the empty container and the loop may be what does not use it."""
        for block in blocks(before.tree):
            for index, node in enumerate(block):
                if site := _written_back(before, node):
                    yield site
                loop = read_loop(before, node) if index else None
                if loop is not None:
                    yield from _of_loop(before, block, index, loop)


def _written_back(before: Snippet, node: ast.stmt) -> Site | None:
    """`for i, x in enumerate(xs): xs[i] = f(x)` as `xs = [f(x) for x in xs]`."""
    match node:
        case ast.For(
            target=ast.Tuple(elts=[ast.Name(id=index), ast.Name(id=name)]),
            iter=ast.Call(func=ast.Name(id="enumerate"), args=[ast.Name(id=items)], keywords=[]),
            body=[ast.Assign(targets=[ast.Subscript(value=ast.Name(id=filled), slice=ast.Name(id=at))], value=value)],
            orelse=[],
        ) if filled == items and at == index and simple(before, node.body[0]):
            used = {one.id for one in ast.walk(value) if isinstance(one, ast.Name)}
            first, last = statement_lines(node)
            element = enclosed(before, value, IF_ELSE)
            if {index, items} & used or not element or read_later(before, frozenset([index, name]), first, last):
                return None
            indent = indentation(before.lines[first])
            lines = written(before, indent, f"{items} = ", "[]", [element, f"for {name} in {items}"])
            return Site(first, last, lines, {"name": items, "over": items, "list": ""}) if lines else None
    return None


def through(codemod: FlowCodemod, before: Snippet, others: Iterable[Snippet], request: Request) -> Iterator[Ops]:
    """What a codemod makes of other texts of a region that it makes nothing of as they are."""
    own = {site.first for site in codemod.sites(before, request)}
    for other in others:
        for site in codemod.sites(other, request):
            if site.first not in own and site.fits(other):
                yield between(before, site.after(other))


def _of_loop(before: Snippet, block: list[ast.stmt], index: int, loop: Loop) -> Iterator[Site]:
    filled = _filled(before, loop)
    start = filled and _start(block, index, *filled[:2])
    if not filled or start is None or not simple(before, block[start]):
        return
    sort, target, element = filled
    node = block[index]
    first, last = statement_lines(node)
    if read_later(before, loop.names, first, last) or not _free(
        node, target, element, 1 + isinstance(loop.does[0], ast.If)
    ):
        return
    following = block[index + 1] if index + 1 < len(block) else None
    head = _head(before, block[start])
    if following is not None and _returns(following, target) and simple(before, following):
        end = statement_lines(following)[0]
        if not any(map(str.strip, before.lines[last + 1 : end])):
            head, last = "return ", end
    elif following is not None and (new := _handed_on(before, following, target, last)):
        head, last = new
    indent = indentation(before.lines[first])
    lines = written(before, indent, head, _BRACKETS[sort], [element, *map(str, loop.clauses)])
    row, end = statement_lines(block[start])
    kept = before.lines[end + 1 : first]
    if lines:
        while kept and not kept[0].strip() and (not row or not before.lines[row - 1].strip() or row == first):
            kept = kept[1:]
        names = {"name": ast.unparse(target), "over": loop.clauses[0].text.rpartition(" in ")[2]}
        yield Site(row, last, (*(kept if any(map(str.strip, kept)) else ()), *lines), {**names, sort: ""})


def _filled(before: Snippet, loop: Loop) -> tuple[str, ast.expr, str] | None:
    """What the loop fills: its sort, the container, and the element as source."""
    match loop.does:
        case [
            ast.Expr(
                value=ast.Call(func=ast.Attribute(value=target, attr="append" | "add" as verb), args=[one], keywords=[])
            )
        ]:
            text = "" if isinstance(one, ast.Starred) or _yields(one) else enclosed(before, one, IF_ELSE)
            return ("list" if verb == "append" else "set", target, text) if text else None
        case [ast.If(test=test, body=[one], orelse=[other])]:
            return _chosen(before, loop, test, one, other)
        case [ast.Assign(targets=[ast.Subscript(value=target, slice=key)], value=value)]:
            texts = enclosed(before, key, IF_ELSE), enclosed(before, value, IF_ELSE)
            usable = all(texts) and not isinstance(key, ast.Slice) and not _yields(key) and not _yields(value)
            return ("dict", target, f"{texts[0]}: {texts[1]}") if usable else None
    return None


def _chosen(
    before: Snippet, loop: Loop, test: ast.expr, one: ast.stmt, other: ast.stmt
) -> tuple[str, ast.expr, str] | None:
    """Two branches that each fill the same container with something."""
    first, second = (_filled(before, replace(loop, does=[branch])) for branch in (one, other))
    said = enclosed(before, test, IF_ELSE)
    if not (first and second and said) or first[0] != second[0] or ast.unparse(first[1]) != ast.unparse(second[1]):
        return None
    if first[0] == "dict":
        (key, value), (again, other_value) = (part[2].split(": ", 1) for part in (first, second))
        return ("dict", first[1], f"{key}: {value} if {said} else {other_value}") if key == again else None
    return first[0], first[1], f"{first[2]} if {said} else {second[2]}"


def _yields(node: ast.expr) -> bool:
    return any(isinstance(one, ast.Yield | ast.YieldFrom | ast.NamedExpr) for one in ast.walk(node))


def _start(block: Sequence[ast.stmt], index: int, sort: str, target: ast.expr) -> int | None:
    """Where the container is set to an empty one, with nothing about it in between."""
    if not isinstance(target, ast.Name | ast.Attribute):
        return None
    for at in range(index - 1, -1, -1):
        match block[at]:
            case ast.Assign(targets=[one], value=value) | ast.AnnAssign(target=one, value=ast.expr() as value):
                if ast.unparse(one) == ast.unparse(target):
                    return at if _empty(value) == sort else None
        between = block[at]
        if (
            not isinstance(target, ast.Name)
            or isinstance(between, ast.FunctionDef | ast.ClassDef)
            or mentioned(between, target)
        ):
            return None
    return None


def _empty(node: ast.expr) -> str:
    match node:
        case ast.List(elts=[]) | ast.Call(func=ast.Name(id="list"), args=[], keywords=[]):
            return "list"
        case ast.Dict(keys=[]) | ast.Call(func=ast.Name(id="dict"), args=[], keywords=[]):
            return "dict"
        case ast.Call(func=ast.Name(id="set"), args=[], keywords=[]):
            return "set"
    return ""


def _free(loop: ast.stmt, target: ast.expr, element: str, times: int) -> bool:
    """Whether the container is used in the loop only to be filled; its attribute's owner may not be called."""
    owner = ast.unparse(target)
    uses = [one for one in ast.walk(loop) if isinstance(one, type(target)) and ast.unparse(one) == owner]
    if isinstance(target, ast.Name):
        return len(uses) == times
    calls = (one.func for one in ast.walk(loop) if isinstance(one, ast.Call))
    root = owner.partition(".")[0]
    own = sum(ast.unparse(one).partition(".")[0] == root for one in calls)
    return len(uses) == times and own <= times and root not in element.replace(".", " ").split()


def _head(before: Snippet, start: ast.stmt) -> str:
    """What stands before the empty container in its line."""
    assert isinstance(start, ast.Assign | ast.AnnAssign)
    value = start.value
    assert value is not None
    row, column = start_of(before, value)
    return before.lines[row][:column].lstrip() if row == start.lineno - 1 else ""


def _handed_on(before: Snippet, node: ast.stmt, target: ast.expr, last: int) -> tuple[str, int] | None:
    """What the container is given to right behind the loop, with its line, where nothing else uses it."""
    match node:
        case ast.Assign(targets=[ast.Name() | ast.Attribute() as other], value=ast.Name(id=name)):
            row, end = statement_lines(node)
            alone = isinstance(target, ast.Name) and name == target.id and simple(before, node) and row == last + 1
            if alone and row == end and not read_later(before, frozenset([name]), row, end):
                return f"{ast.unparse(other)} = ", end
    return None


def _returns(node: ast.stmt, target: ast.expr) -> bool:
    return (
        isinstance(node, ast.Return)
        and isinstance(node.value, ast.Name)
        and isinstance(target, ast.Name)
        and node.value.id == target.id
    )


def written(before: Snippet, indent: str, head: str, brackets: str, parts: Sequence[str]) -> tuple[str, ...]:
    """`head` and a comprehension on one line, or with a line for each part; () where that is too long too."""
    line = f"{indent}{head}{brackets[0]}{' '.join(parts)}{brackets[1]}"
    if len(line) <= max(_USUAL_WIDTH, min(MAX_WIDTH, max(map(len, before.lines)))):
        return (line,) if head else ()
    inner = tuple(f"{indent}{before.layout.unit}{part}" for part in parts)
    fits = head and all(len(one) <= MAX_WIDTH for one in inner)
    return (f"{indent}{head}{brackets[0]}", *inner, f"{indent}{brackets[1]}") if fits else ()
