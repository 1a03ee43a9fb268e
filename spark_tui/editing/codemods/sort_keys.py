"""The elements of a literal dict, set, list or tuple put in order."""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from spark_tui.editing.code import MAX_WIDTH, end_of, indentation, start_of
from spark_tui.editing.codemods.base import Codemod, Ops, Request
from spark_tui.editing.codemods.common.tidy import Spot, choices
from spark_tui.editing.codemods.pieces.order_told import orders_told
from spark_tui.editing.snippet import Snippet

_REVERSED = re.compile(
    r"\b(descending|revers\w*|backwards?|z to a|z-a|high(est)? to low(est)?|largest|biggest|highest)\b", re.IGNORECASE
)
_BY = re.compile(r"(?i)\b(?:sort|order) (?:the )?(?P<what>\w+)\b")
_SORTS = {ast.Dict: "dict", ast.Set: "set", ast.List: "list", ast.Tuple: "tuple", ast.Call: "dict"}
_NAMED = {"dict": r"\bdict|\bkeys\b|mapping", "set": r"\bsets?\b", "list": r"\blists?\b", "tuple": r"\btuples?\b"}
Part = tuple[ast.AST, ast.AST, tuple[type, object]]
Literal = ast.Dict | ast.Set | ast.List | ast.Tuple | ast.Call


class SortKeys(Codemod):
    """A literal's keys or elements in ascending order, or in descending when the words say so."""

    kind: ClassVar[str] = "sort_keys"

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """All that are out of order, those of a type, each alone; only what the words name."""
        found = [] if _sorts_a_variable(before, request.instruction) else literals(before)
        down = _REVERSED.search(request.instruction) is not None
        told = [spot for one in found for spot in _told(before, one, request.instruction)]
        if told:
            return choices(before, told, request)
        spots = [spot for one in meant(found, request.instruction) if (spot := ordered(before, one, down=down))]
        return choices(before, spots, request)


def _sorts_a_variable(before: Snippet, instruction: str) -> bool:
    """Whether what is to be sorted is a variable that is filled, and no literal of several members."""
    told = _BY.search(instruction)
    filled = {
        node.func.value.id
        for node in before.nodes
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name)
        if node.func.attr in ("append", "extend", "add", "insert")
    }
    return told is not None and told["what"] in filled


def _told(before: Snippet, found: "Sortable", instruction: str) -> Iterator[Spot]:
    """The literal with an element where the words want it."""
    names = [str(key) for _, _, (_, key) in found.parts]
    for order in orders_told(instruction, names):
        if order != sorted(order) and (spot := rearranged(before, found, order)):
            yield spot


@dataclass(frozen=True, slots=True)
class Sortable:
    """A literal, the name it is given ("" when none), and its parts with what each is ordered by."""

    node: Literal
    name: str
    sort: str
    parts: Sequence[Part]


def meant(found: Sequence[Sortable], instruction: str) -> Sequence[Sortable]:
    """Those whose name is in the words, else those of the only type that the words name, else all."""
    words = set(re.findall(r"\w+", instruction))
    if told := [one for one in found if one.name in words and len(one.name) > 2]:
        return told
    sorts = [sort for sort, pattern in _NAMED.items() if re.search(pattern, instruction, re.IGNORECASE)]
    return (
        [one for one in found if one.sort in sorts]
        if len(sorts) == 1 and any(one.sort in sorts for one in found)
        else found
    )


def literals(before: Snippet) -> list[Sortable]:
    """Every literal of two elements or more that can be compared, by place."""
    found: list[Sortable] = []
    waiting: list[tuple[ast.AST, str]] = [(before.tree, "")]
    while waiting:
        node, name = waiting.pop()
        if isinstance(node, ast.JoinedStr):
            continue
        if isinstance(node, Literal) and (parts := _parts(node)) and len(parts) > 1:
            found.append(Sortable(node, name, _SORTS[type(node)], parts))
        children = [child for child in ast.iter_child_nodes(node) if not _in_fixed_order(before, node, child)]
        waiting += [(child, _given(node, child)) for child in children]
    return sorted(found, key=lambda one: start_of(before, one.node))


def _in_fixed_order(before: Snippet, parent: ast.AST, child: ast.AST) -> bool:
    """Whether a child is a tuple whose order surely matters: unpacked, returned, an index, made of names."""
    if not isinstance(child, ast.Tuple):
        return False
    names = any(isinstance(one, ast.Name | ast.Attribute) for one in child.elts)
    types = isinstance(parent, ast.ExceptHandler) or (
        isinstance(parent, ast.Call)
        and isinstance(parent.func, ast.Name)
        and parent.func.id in ("isinstance", "issubclass")
    )
    row, start = start_of(before, child)
    return isinstance(parent, ast.Subscript) or (names and not types) or before.lines[row][start] != "("


def _given(parent: ast.AST, child: ast.AST) -> str:
    match parent:
        case (
            ast.Assign(targets=[ast.Name(id=name) | ast.Attribute(attr=name)], value=value)
            | ast.AnnAssign(target=ast.Name(id=name) | ast.Attribute(attr=name), value=value)
            | ast.AugAssign(target=ast.Name(id=name), value=value)
            | ast.keyword(arg=str(name), value=value)
        ) if value is child:
            return name
    return ""


def _parts(node: Literal) -> Sequence[Part]:
    pairs: list[tuple[ast.AST, ast.AST, tuple[type, object] | None]] = []
    match node:
        case ast.Dict(keys=keys, values=values):
            pairs = [(key or value, value, _key(key)) for key, value in zip(keys, values, strict=True)]
        case ast.Call(func=ast.Name(id="dict"), args=[], keywords=keywords):
            pairs = [(one, one, (str, one.arg) if one.arg else None) for one in keywords]
        case ast.Set(elts=elts) | ast.List(elts=elts, ctx=ast.Load()) | ast.Tuple(elts=elts, ctx=ast.Load()):
            pairs = [(one, one, _key(one)) for one in elts]
    known = [(first, last, key) for first, last, key in pairs if key]
    return known if len(known) == len(pairs) and len({key[0] for _, _, key in known}) == 1 else ()


def _key(node: ast.expr | None) -> tuple[type, object] | None:
    """What an element is ordered by, after the type that makes it comparable."""
    match node:
        case ast.Constant(value=str() | bytes() as value):
            return type(value), value
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return int, value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return int, -value
        case ast.Name() | ast.Attribute():
            return ast.Name, ast.unparse(node)
    return None


def ordered(before: Snippet, found: Sortable, *, down: bool = False) -> Spot | None:
    """The spot that puts a literal in order, or None when it is or cannot be."""
    keys: list[Any] = [key for _, _, (_, key) in found.parts]
    order = sorted(range(len(keys)), key=lambda at: keys[at], reverse=down)
    if order == list(range(len(found.parts))):
        return None
    return rearranged(before, found, order)


def rearranged(before: Snippet, found: Sortable, order: Sequence[int]) -> Spot | None:
    """The spot that puts the parts in an order: on one line, or each on lines of its own."""
    spans = [(_start(before, first), _end(before, last)) for first, last, _ in found.parts]
    start, end = start_of(before, found.node), end_of(before, found.node)
    rows = [first[0] for first, _ in spans]
    if start[0] == end[0]:
        return _on_one_line(before, found, spans[0][0][1], spans[-1][1][1], order)
    if len(set(rows)) < len(rows) or rows[0] == start[0] or end[0] == spans[-1][1][0]:
        return None
    chunks = [_chunk(before, number, [*rows, end[0]]) for number in range(len(rows))]
    if any(chunk is None for chunk in chunks):
        return None
    known = [chunk for chunk in chunks if chunk]
    commas = [known[-1][1] if at == len(order) - 1 else "," for at in range(len(order))]
    lines = [line.replace("\0", comma) for at, comma in zip(order, commas, strict=True) for line in known[at][0]]
    return Spot((rows[0], 0), (end[0] - 1, len(before.lines[end[0] - 1])), "\n".join(lines), found.sort)


def _chunk(before: Snippet, number: int, rows: Sequence[int]) -> tuple[list[str], str] | None:
    """The lines of a part with a mark where its comma goes, and the comma; None when other things stand there."""
    lines = list(before.lines[rows[number] : rows[number + 1]])
    if any(not line.strip() or line.lstrip().startswith("#") or "\0" in line for line in lines):
        return None
    parted = re.fullmatch(r"([^#]*?)(,?)(\s*#.*|\s*)", lines[-1])
    if len({indentation(before.lines[row]) for row in rows[:-1]}) > 1 or not parted:
        return None
    lines[-1] = f"{parted[1]}\0{parted[3]}"
    return lines, parted[2]


def _on_one_line(before: Snippet, found: Sortable, first: int, last: int, order: Sequence[int]) -> Spot | None:
    row = found.node.lineno - 1
    texts = [before.lines[row][_start(before, one)[1] : _end(before, two)[1]] for one, two, _ in found.parts]
    if ", ".join(texts) != before.lines[row][first:last] or len(before.lines[row]) > MAX_WIDTH:
        return None
    return Spot((row, first), (row, last), ", ".join(texts[at] for at in order), found.sort)


def _start(before: Snippet, node: ast.AST) -> tuple[int, int]:
    assert isinstance(node, ast.expr | ast.keyword)
    return start_of(before, node)


def _end(before: Snippet, node: ast.AST) -> tuple[int, int]:
    assert isinstance(node, ast.expr | ast.keyword)
    return end_of(before, node)
