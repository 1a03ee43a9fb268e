"""Two statements made one where that is asked for: a value worked out in two steps, and a variable named to go."""

import ast
import re
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

from spark_tui.editing.code import end_of, start_of, text_of
from spark_tui.editing.codemods.base import Request, parses
from spark_tui.editing.codemods.common.taking_out import without
from spark_tui.editing.identifiers import uses
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import (
    Place,
    dotted,
    has_tail,
    is_changed,
    nodes_until,
    outside_fstrings,
    places,
    spliced,
)
from spark_tui.editing.told import says

ASKED = re.compile(
    r"\binlin\w*|\b(?:one|single) (?:\w+ )?(?:statement|line|call|expression|go|step|assignment)\b"
    r"|\bfold\w*|\bmerg\w*|\bnest\w*|\bwhy (?:bind|assign|the)\b"
    r"|\b(?:directly|straight|straigt|at once|right away|combine\w*|join\w*|needless|useless|pointless)\b"
    r"|\b(?:no|don't|do we|does it|do you) need\b|\bwithout (?:the |a |that )?(?:\w+ )?(?:local|variable|var|name)\b"
    r"|-> (?:one|a single)\b|\bin one\b|\binto the\b",
    re.IGNORECASE,
)
_SIGNS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.BitOr: "|",
    ast.BitAnd: "&",
}  # fmt: skip
_WIDEST = 120
_MAKES = (
    ast.Call, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr, ast.List, ast.Dict, ast.Set, ast.ListComp,
    ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda,
)  # fmt: skip
"""What does something, or makes another thing each time."""
_LOOSE = (ast.BoolOp, ast.IfExp, ast.Compare, ast.BinOp, ast.UnaryOp, ast.Lambda, ast.Yield, ast.Await, ast.NamedExpr)


def merged(before: Snippet, request: Request, known: Collection[str] = ()) -> Iterator[list[str]]:
    """The lines after two statements became one, or variables that are named gave way to their values.

    Args: known: the variables that are inlined already.
    """
    if not ASKED.search(request.instruction):
        return
    yield from filter(parses, _merged(before, request, known))


def _merged(before: Snippet, request: Request, known: Collection[str]) -> Iterator[list[str]]:
    found = places(before)
    first, last = request.selected or (0, len(before.lines))
    for one, two in pairwise(found):
        if one.block is two.block and first <= two.last and one.first <= last:
            yield from _of_two(before, one, two)
    yield from _named_away(before, found, request, known)


def _of_two(before: Snippet, one: Place, two: Place) -> Iterator[list[str]]:
    name, value = _set(before, one)
    if not name or has_tail(before, one):
        return
    match two.node:
        case ast.Return(value=ast.Name(id=other)) | ast.Raise(exc=ast.Name(id=other), cause=None) if other == name:
            if isinstance(one.node, ast.Assign):
                row = one.first
                source = before.lines[row][end_of(before, one.node.targets[-1])[1] :].partition("=")[2].lstrip()
                line = f"{one.indent}{type(two.node).__name__.lower()} {source}"
                if source and one.first < one.last:
                    yield [*before.lines[:row], line, *without(before.lines, two.first, two.last)[row + 1 :]]
        case ast.Assign(targets=[target], value=again) if dotted(target) == name:
            reads = [node for node in outside_fstrings(again) if isinstance(node, ast.expr) and _is(node, name)]
            if len(reads) == 1 and value:
                bare = isinstance(one.node, ast.Assign) and not isinstance(one.node.value, _LOOSE)
                text = value if bare or _stands_alone(again, reads[0]) else f"({value})"
                lines = spliced(before, [(reads[0], text)])
                if two.first == two.last and not _read_below(before, two, name):
                    bare_call = two.indent + lines[two.first].partition(" = ")[2]
                    yield from _without([*lines[: two.first], bare_call, *lines[two.first + 1 :]], one)
                yield from _without(lines, one)
        case ast.AugAssign(target=target, op=op, value=more) if dotted(target) == name and type(op) in _SIGNS:
            added = text_of(before, more)
            if value and added and one.first == one.last:
                loose = isinstance(op, ast.Mult | ast.Div | ast.Mod | ast.FloorDiv) or isinstance(
                    one.node, ast.AugAssign
                )
                left = f"({value})" if loose and " " in value else value
                right = f"({added})" if isinstance(more, ast.BinOp | ast.IfExp | ast.BoolOp) else added
                line = f"{one.indent}{name} = {left} {_SIGNS[type(op)]} {right}"
                yield [*before.lines[: one.first], line, *before.lines[two.last + 1 :]]


def _set(before: Snippet, place: Place) -> tuple[str, str]:
    """What a statement sets, and to what."""
    match place.node:
        case ast.Assign(targets=[target], value=value) if name := dotted(target):
            return name, text_of(before, value)
        case ast.AugAssign(target=target, op=op, value=value) if (name := dotted(target)) and type(op) in _SIGNS:
            return name, f"{name} {_SIGNS[type(op)]} {text_of(before, value)}"
    return "", ""


def _is(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load) and dotted(node) == name


def _read_below(before: Snippet, place: Place, name: str) -> bool:
    """Whether a variable may be read after a statement."""
    around = place.in_loop or any(
        _is(node, name) and getattr(node, "lineno", 0) > place.last + 1 for node in before.nodes
    )
    return around and sum(_is(node, name) for node in before.nodes) > 1


def _stands_alone(tree: ast.expr, use: ast.AST) -> bool:
    """Whether an expression is an argument, so that nothing binds it tighter."""
    return use is tree or any(isinstance(node, ast.Call) and use in node.args for node in ast.walk(tree))


def _without(lines: Sequence[str], place: Place) -> Iterator[list[str]]:
    if max(map(len, lines)) <= _WIDEST:
        yield without(lines, place.first, place.last)


def _named_away(
    before: Snippet, found: Sequence[Place], request: Request, known: Collection[str]
) -> Iterator[list[str]]:
    """Variables that the words name, all of them at once, then each."""
    targets = (place.node.targets for place in found if isinstance(place.node, ast.Assign))
    names = dict.fromkeys(one[0].id for one in targets if len(one) == 1 and isinstance(one[0], ast.Name))
    named = [name for name in names if says(request.instruction, name) or _word(request, name)]
    for group in [named] * (len(named) > 1) + [[name] for name in named if name not in known]:
        after: Snippet | None = before
        for name in group:
            after = after and _inlined(after, name)
        if after:
            yield list(after.lines)


def _word(request: Request, name: str) -> bool:
    return len(name) > 1 and re.search(rf"(?<![\w.]){re.escape(name)}(?![\w(])", request.instruction) is not None


def _inlined(before: Snippet, name: str) -> Snippet | None:
    """The region with the value of a variable wherever it is read below the one place where it is set."""
    setting = [place for place in places(before) if _sets(place, name)]
    value = setting[0].node.value if setting and isinstance(setting[0].node, ast.Assign) else None
    source = text_of(before, value) if value else ""
    source = f"({source})" if isinstance(value, ast.Tuple) and source[:1] != "(" else source
    place = setting[0] if source else None
    scope = (place.function if place else None) or before.tree
    nodes = [node for node in outside_fstrings(scope) if isinstance(node, ast.Name) and node.id == name]
    if place is None or len(place.block) < 2 or sum(not isinstance(node.ctx, ast.Load) for node in nodes) != 1:
        return None
    known = {start_of(before, node): node for node in nodes}
    alone = {id(one) for node in ast.walk(scope) for one in _slots(node)}
    text = "\n".join(before.lines)
    rows = range(place.last + 1, getattr(scope, "end_lineno", None) or len(before.lines))
    found = [(use, text.count("\n", 0, use.start)) for use in uses(text) if use.name == name]
    found = [(use, row) for use, row in found if row in rows]
    if value is None or not _stays(value, place, [row for _, row in found]):
        return None
    for use, row in reversed(found):
        node = known.get((row, use.start - text.rfind("\n", 0, use.start) - 1))
        if node is None and set("\"'{") & set(source):
            return None
        tight = isinstance(value, _LOOSE) and node is not None and id(node) not in alone
        text = text[: use.start] + (f"({source})" if tight else source) + text[use.end :]
    lines = text.split("\n")
    if not found or any(len(line) > _WIDEST for line in lines if line not in before.lines):
        return None
    return Snippet(tuple(without(lines, place.first, place.last)))


def _stays(value: ast.expr, place: Place, rows: Sequence[int]) -> bool:
    """Whether a value is worked out as often as before, or is the same wherever that is done.

    Args: place: where it is set. rows: where it is read, from the first on.
    """
    rest = place.block[place.index + 1 :]
    if any(isinstance(node, _MAKES) for node in ast.walk(value)):
        return len(rows) == 1 and not any(_repeats(node, rows[0] + 1) for one in rest for node in ast.walk(one))
    names = {node.id for node in ast.walk(value) if isinstance(node, ast.Name)}
    between = (node for one in rest for node in nodes_until(one, max(rows, default=0)))
    return not any(isinstance(node, ast.Name) and node.id in names and is_changed(node) for node in between)


def _repeats(node: ast.AST, line: int) -> bool:
    """Whether a node is a loop that runs what stands on a line again and again."""
    if isinstance(node, ast.While):
        return node.lineno <= line <= (node.end_lineno or 0)
    return isinstance(node, ast.For | ast.AsyncFor) and node.body[0].lineno <= line <= (node.body[-1].end_lineno or 0)


def _sets(place: Place, name: str) -> bool:
    match place.node:
        case ast.Assign(targets=[ast.Name(id=target)]):
            return target == name
    return False


def _slots(node: ast.AST) -> Iterator[ast.AST]:
    """The places where an expression needs no parentheses."""
    match node:
        case ast.Call(args=args, keywords=named):
            yield from args
            yield from (one.value for one in named)
        case ast.Assign(value=value) | ast.AugAssign(value=value) | ast.Return(value=ast.expr() as value):
            yield value
        case ast.Slice(lower=lower, upper=upper):
            yield from (one for one in (lower, upper) if one)
        case ast.Subscript(slice=index):
            yield index
