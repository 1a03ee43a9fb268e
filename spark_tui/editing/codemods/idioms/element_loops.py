"""Loops that take elements out of sequences and dicts by subscript: what they take, and the names to take instead."""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from spark_tui.editing.code import start_of, text_of
from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.common.occasions import (
    Change,
    bare_line,
    fit_name,
    gone,
    names_of,
    new_names,
    replaced,
    scope_at,
)
from spark_tui.editing.snippet import Snippet

Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
_IRREGULAR = {"children": "child", "indices": "index", "vertices": "vertex", "matrices": "matrix", "people": "person"}
_SINGULAR = ("items", "values", "elements", "data", "args", "kwargs", "series", "class", "status", "this")
_HEAD = re.compile(r"\b[Ff]or [`'\"]?([A-Za-z_]\w*)[`'\"]?, [`'\"]?([A-Za-z_]\w*)[`'\"]? in\b")
_BOTH = r"[`'\"]?([A-Za-z_]\w*)[`'\"]? and [`'\"]?([A-Za-z_]\w*)"
_PAIRS = [
    re.compile(r"\b(?:named|called|(?:call|name|calling|naming) (?:them|the \w+)) " + _BOTH, re.IGNORECASE),
    re.compile(r"\b(?:with|by|using) " + _BOTH + r"[`'\"]? as the\b", re.IGNORECASE),
]


@dataclass(frozen=True, slots=True)
class Loop:
    """A for statement or a comprehension of one `for`. `parts`: where its variables are used."""

    target: ast.expr
    iter: ast.expr
    parts: tuple[ast.AST, ...]
    line: int
    last: int
    body: tuple[ast.stmt, ...] = ()


@dataclass(slots=True)
class Taken:
    """The subscripts of one sequence by the loop's variable. `lead`: `x = xs[i]` at the top of the loop."""

    loads: list[ast.Subscript] = field(default_factory=list)
    stores: list[ast.Subscript] = field(default_factory=list)
    lead: ast.Assign | None = None


def loops(before: Snippet) -> Iterator[Loop]:
    """Every loop whose head is on one line, in source order."""
    found: list[Loop] = []
    for node in before.nodes:
        match node:
            case ast.For(target=target, iter=source, body=body, orelse=[]):
                found.append(Loop(target, source, tuple(body), node.lineno - 1, _end(node), tuple(body)))
            case (
                ast.ListComp(elt=elt, generators=[one])
                | ast.SetComp(elt=elt, generators=[one])
                | ast.GeneratorExp(elt=elt, generators=[one])
            ):
                found.append(Loop(one.target, one.iter, (elt, *one.ifs), one.target.lineno - 1, _end(node)))
            case ast.DictComp(key=key, value=value, generators=[one]):
                found.append(Loop(one.target, one.iter, (key, value, *one.ifs), one.target.lineno - 1, _end(node)))
    found.sort(key=lambda loop: (loop.line, -loop.last))
    return (one for one in found if one.iter.end_lineno == one.target.lineno)


def _end(node: ast.stmt | ast.expr) -> int:
    return (node.end_lineno or node.lineno) - 1


def taken(loop: Loop, index: str) -> dict[str, Taken]:
    """By its source, each thing subscripted with just the variable `index`."""
    found: dict[str, Taken] = {}
    for part in loop.parts:
        for node in ast.walk(part):
            match node:
                case ast.Subscript(value=value, slice=ast.Name(id=name)) if name == index and _simple(value):
                    one = found.setdefault(ast.unparse(value), Taken())
                    (one.loads if isinstance(node.ctx, ast.Load) else one.stores).append(node)
    for statement in loop.body:
        match statement:
            case ast.Assign(targets=[ast.Name() | ast.Tuple()], value=ast.Subscript() as value):
                one = found.get(ast.unparse(value.value), Taken())
                if value not in one.loads or one.lead or len(loop.body) == 1:
                    break
                one.lead = statement
            case _:
                break
    return found


def _simple(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def others(loop: Loop, name: str, known: Iterable[ast.Subscript]) -> int:
    """How often a loop's variable is used but for these subscripts."""
    inside = {id(node.slice) for node in known}
    nodes = (node for part in loop.parts for node in ast.walk(part))
    return sum(isinstance(node, ast.Name) and node.id == name and id(node) not in inside for node in nodes)


def used_after(before: Snippet, loop: Loop, name: str) -> bool:
    """Whether a loop's variable may be read once the loop is over."""
    if not loop.body:
        return False
    waiting: list[ast.AST] = [scope_at(before, loop.line)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.stmt) and _end(node) <= loop.line - 1:
            continue
        if isinstance(node, ast.Name) and node.id == name and node.lineno - 1 > loop.last:
            return True
        if getattr(node, "lineno", 0) - 1 > loop.last and name in _bound(node):
            continue
        waiting.extend(ast.iter_child_nodes(node))
    return False


def _bound(node: ast.AST) -> set[str]:
    match node:
        case ast.For(target=target):
            return names_of(target)
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
            return {name for one in node.generators for name in names_of(one.target)}
    return set()


class Namer:
    """Names for elements; loops within each other get different ones."""

    def __init__(self, before: Snippet, request: Request) -> None:
        self._before, self._told = before, [*_pasted(before, request), *new_names(before, request)]
        self._given: list[tuple[Loop, str]] = []
        self._known: dict[int, set[str]] = {}

    def name(self, loop: Loop, candidates: Sequence[str], position: int = 0) -> str:
        """A name told, else the first candidate that is free."""
        scope = scope_at(self._before, loop.line)
        known = self._known.setdefault(id(scope), names_of(scope))
        around = {name for other, name in self._given if other.line <= loop.line and loop.last <= other.last}
        told = self._told[position : position + 1]
        options = [*told, *candidates, "item", "value", "element", "entry", "current"]
        name = next((one for one in options if one not in known and one not in around), "element_")
        self._given.append((loop, name))
        return name


def _pasted(before: Snippet, request: Request) -> list[str]:
    """New names in a `for ... in` of the words, or in `x and y`."""
    known = names_of(before.tree)
    pairs = [pair for pattern in (_HEAD, *_PAIRS) for pair in pattern.findall(request.instruction)]
    return [name for pair in pairs[:1] for name in pair if name not in known and fit_name(name)]


def singular(source: str) -> list[str]:
    """Names for one of what the source is called: `row` for `self.rows`."""
    word = source.rpartition(".")[2].lstrip("_")
    if word in _IRREGULAR:
        return [_IRREGULAR[word]]
    if word in _SINGULAR or not word.islower():
        return []
    for ending, new in (("_list", ""), ("_dict", ""), ("ies", "y"), ("sses", "ss"), ("xes", "x"), ("ches", "ch")):
        if word.endswith(ending) and len(word) > len(ending) + 1:
            return _fit(word.removesuffix(ending) + new)
    return _fit(word[:-1]) if word.endswith("s") and len(word) > 1 and not word.endswith("ss") else []


def _fit(word: str) -> list[str]:
    return [] if word in ("str", "int", "type", "id", "input", "dict", "list", "object", "key") else [word]


def elements(before: Snippet, loop: Loop, one: Taken, name: str) -> tuple[str, list[Change]] | None:
    """What stands for the element in the loop's head, and the changes of its body; None where that is not exact.

    Args: name: the name to use where no `x = xs[i]` gives one.
    """
    loads, changes = one.loads, list[Change]()
    if one.lead is not None:
        if not bare_line(before, one.lead) or _reassigned(loop, names_of(one.lead.targets[0]), one.lead):
            return None
        loads = [node for node in loads if node is not one.lead.value]
        if loads and not isinstance(one.lead.targets[0], ast.Name):
            return None
        head = text_of(before, one.lead.targets[0])
        name = head
        changes.append(gone(before, one.lead.lineno - 1, one.lead.lineno - 1))
        if isinstance(one.lead.targets[0], ast.Tuple) and not head.startswith("("):
            head = f"({head})"
    elif loads:
        head = name
    else:
        return None
    if _stale(loop, one.stores, loads) or _in_fstring(loop, loads):
        return None
    return head, [*changes, *(replaced(before, node, name) for node in loads)]


def _reassigned(loop: Loop, names: set[str], lead: ast.Assign) -> bool:
    targets = (n for part in loop.parts if part is not lead for n in ast.walk(part) if isinstance(n, ast.Name))
    return any(node.id in names and not isinstance(node.ctx, ast.Load) for node in targets)


def _stale(loop: Loop, stores: list[ast.Subscript], loads: list[ast.Subscript]) -> bool:
    """Whether an element may be read after it was replaced."""
    if not stores:
        return False
    nodes = [node for part in loop.body for node in ast.walk(part)]
    assigned = {id(target) for node in nodes if isinstance(node, ast.Assign) for target in node.targets}
    first = min(node.lineno for node in stores)
    inner = any(isinstance(node, ast.For | ast.While) for node in nodes)
    return inner or not all(id(node) in assigned for node in stores) or any(n.lineno > first for n in loads)


def _in_fstring(loop: Loop, nodes: Sequence[ast.AST]) -> bool:
    wanted = set(map(id, nodes))
    strings = (node for part in loop.parts for node in ast.walk(part) if isinstance(node, ast.JoinedStr))
    return any(id(node) in wanted for string in strings for node in ast.walk(string))


def changed_within(loop: Loop, source: str) -> bool:
    """Whether a loop gives the sequence itself another value, or changes its length."""
    for part in loop.parts:
        for node in ast.walk(part):
            match node:
                case ast.Name(ctx=ast.Store() | ast.Del(), id=name) if name == source.partition(".")[0]:
                    return True
                case ast.Attribute(ctx=ast.Store() | ast.Del()) if ast.unparse(node) == source:
                    return True
                case ast.Call(func=ast.Attribute(value=value, attr="pop" | "insert" | "remove" | "clear")) if (
                    ast.unparse(value) == source
                ):
                    return True
    return False


def head(before: Snippet, loop: Loop, target: str, source: str) -> Change:
    """The change of what stands between `for` and the end of the iterable."""
    start = start_of(before, loop.target)
    end = start_of(before, loop.iter)[1] + len(text_of(before, loop.iter))
    return start, (start[0], end), f"{target} in {source}"


def range_of_length(source: ast.expr) -> str | None:
    """`xs` of `range(len(xs))`."""
    match source:
        case ast.Call(func=ast.Name(id="range"), args=[bound] | [ast.Constant(value=0), bound], keywords=[]):
            match bound:
                case ast.Call(func=ast.Name(id="len"), args=[value], keywords=[]) if _simple(value):
                    return ast.unparse(value)
    return None


def unwrapped(target: str) -> str:
    """A target without the parentheses it needs only within another one."""
    return target[1:-1] if target.startswith("(") and target.count("(") == 1 else target
