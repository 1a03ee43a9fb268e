"""A comprehension of another type: `any([...])` is `any(...)`, `set([...])` is `{...}`, `list(map(...))` is `[...]`."""

import ast
from collections.abc import Iterator
from typing import ClassVar

from spark_tui.editing.code import end_of, start_of, text_of
from spark_tui.editing.codemods.base import Codemod, Ops, Request
from spark_tui.editing.codemods.common.tidy import Spot, choices, fits, on_node
from spark_tui.editing.snippet import Snippet

_TAKERS = frozenset({"any", "all", "sum", "min", "max", "tuple", "frozenset", "enumerate", "sorted"})
_BRACKETS = {"list": ("[", "]"), "set": ("{", "}")}


class ComprehensionType(Codemod):
    """List comprehensions that need not be lists, and calls that a comprehension or a display says better."""

    kind: ClassVar[str] = "comprehension_type"

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """All, those of a rule or a function, each alone."""
        return choices(before, spots(before), request)


def spots(before: Snippet) -> list[Spot]:
    """Every occasion outside f-strings, by place; `sort` is generator, set, dict, list, map or filter."""
    found: list[Spot] = []
    waiting: list[ast.AST] = [before.tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.JoinedStr):
            continue
        if isinstance(node, ast.Call) and not node.keywords:
            found += _at(before, node)
        elif isinstance(node, ast.ListComp) and text_of(before, node):
            found += _copied(before, node)
        waiting.extend(ast.iter_child_nodes(node))
    outer = [(one.start, one.end) for one in found if one.sort != "copy"]
    found = [one for one in found if one.sort != "copy" or not any(a <= one.start and one.end <= b for a, b in outer)]
    return sorted(dict.fromkeys(one for one in found if fits(before, one)), key=lambda one: (one.start, one.end))


def _at(before: Snippet, node: ast.Call) -> Iterator[Spot]:
    match node.func, node.args:
        case ast.Name(id=name), [ast.ListComp() as inner, *rest] if name in _TAKERS and (not rest or name == "sum"):
            if not rest:
                yield from _bare(before, inner)
        case ast.Attribute(attr="join"), [ast.ListComp() as inner]:
            yield from _bare(before, inner)
        case ast.Name(id="set"), [ast.ListComp() | ast.GeneratorExp() | ast.List() | ast.Tuple() as inner]:
            yield from _enclosed(before, node, inner, "{}", "set")
        case ast.Name(id="list"), [ast.GeneratorExp() | ast.ListComp() as inner]:
            yield from _enclosed(before, node, inner, "[]", "list")
        case ast.Name(id="dict"), [ast.ListComp() | ast.GeneratorExp() as inner]:
            yield from _mapping(before, node, inner)
        case ast.Name(id="list" | "set" as name), [ast.Call(func=ast.Name(id="map" | "filter" as sort)) as inner]:
            if text := comprehension(before, inner):
                opening, closing = _BRACKETS[name]
                yield on_node(before, node, f"{opening}{text}{closing}", sort)


def _bare(before: Snippet, inner: ast.ListComp) -> Iterator[Spot]:
    """The comprehension without its brackets, when nothing hangs on where they are."""
    (first, start), (last, end) = start_of(before, inner), end_of(before, inner)
    if first == last:
        yield Spot((first, start), (last, end), before.lines[first][start + 1 : end - 1].strip(), "generator")
    elif before.lines[first].endswith("([") and before.lines[last].lstrip().startswith("])"):
        lines = [before.lines[first][start + 1 :], *before.lines[first + 1 : last], before.lines[last][: end - 1]]
        yield Spot((first, start), (last, end), "\n".join(lines), "generator")


def _enclosed(before: Snippet, node: ast.Call, inner: ast.expr, brackets: str, sort: str) -> Iterator[Spot]:
    """What the call takes, in the brackets of the type that it makes."""
    text = _content(before, node, inner)
    if text and not (isinstance(inner, ast.List | ast.Tuple) and not inner.elts):
        yield on_node(before, node, f"{brackets[0]}{text}{brackets[1]}", sort)


def _content(before: Snippet, node: ast.Call, inner: ast.expr) -> str:
    """The inside of the only argument on one line, without any brackets."""
    whole, text = text_of(before, node), text_of(before, inner)
    if not whole or not text or any(isinstance(part, ast.Starred | ast.NamedExpr) for part in ast.walk(inner)):
        return ""
    return text[1:-1].strip().rstrip(",") if text[0] in "([" and text[-1] in ")]" else text


def _mapping(before: Snippet, node: ast.Call, inner: ast.ListComp | ast.GeneratorExp) -> Iterator[Spot]:
    if not isinstance(inner.elt, ast.Tuple | ast.List) or len(inner.elt.elts) != 2 or not text_of(before, node):
        return
    key, value = (text_of(before, one) for one in inner.elt.elts)
    pair, line = text_of(before, inner.elt), before.lines[node.lineno - 1]
    rest = line[end_of(before, inner.elt)[1] : end_of(before, inner)[1] - 1].strip()
    if pair[1:-1].strip().rstrip(",") == f"{key}, {value}" and rest.startswith(("for ", "async ")):
        yield on_node(before, node, f"{{{key}: {value} {rest}}}", "dict")


def comprehension(before: Snippet, node: ast.Call) -> str:
    """What stands within the brackets instead of a `map` or `filter` with a lambda, or ""."""
    match node:
        case ast.Call(
            func=ast.Name(id="map" | "filter" as name), args=[ast.Lambda(args=spec, body=body), items], keywords=[]
        ):
            names, result, source = ast.unparse(spec), text_of(before, body), text_of(before, items)
            plain = [one.arg for one in spec.args]
            loose = isinstance(items, ast.IfExp | ast.Lambda | ast.NamedExpr | ast.Starred) or isinstance(
                body, ast.Yield
            )
            if len(plain) != 1 or names != plain[0] or loose or not (result and source):
                return ""
            if isinstance(body, ast.Lambda | ast.IfExp) and name == "filter":
                return ""
            return (
                f"{result} for {names} in {source}" if name == "map" else f"{names} for {names} in {source} if {result}"
            )
    return ""


def _copied(before: Snippet, node: ast.ListComp) -> Iterator[Spot]:
    match node:
        case ast.ListComp(
            elt=ast.Name(id=name),
            generators=[ast.comprehension(target=ast.Name(id=target), iter=items, ifs=[], is_async=0)],
        ) if name == target and text_of(before, items) and not isinstance(items, ast.Lambda | ast.IfExp):
            yield on_node(before, node, f"list({text_of(before, items)})", "copy")
