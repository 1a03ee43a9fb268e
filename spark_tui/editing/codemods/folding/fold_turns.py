"""Statements of a block in another order or depth: a guard and what follows it swapped, withs and elses joined."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import indentation
from spark_tui.editing.codemods.common.flow import is_elif, leaves
from spark_tui.editing.codemods.folding.fold_sources import New, ToldRule, last_row, opposite, source_of
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import Place

_ELSE = re.compile(r"\belse\b|\belif\b", re.IGNORECASE)


def _body(before: Snippet, node: ast.stmt, block: list[ast.stmt]) -> list[str] | None:
    """The lines of the only block of a statement, as deep as their block."""
    inner = indentation(before.lines[block[0].lineno - 1])
    rows = range(_head_end(node, block) + 1, last_row(block[-1]) + 1)
    lines = [before.lines[row] for row in rows]
    if any(line.strip() and not line.startswith(inner) for line in lines):
        return None
    return [line.removeprefix(inner) for line in lines]


def _head_end(node: ast.stmt, block: list[ast.stmt]) -> int:
    """The last row of a head whose block begins below, comments in between left to the block."""
    parts = (node.test,) if isinstance(node, ast.If) else ()
    end = max((one.end_lineno or 0 for one in parts), default=node.lineno)
    return min(end - 1, block[0].lineno - 2)


def _deep(before: Snippet, lines: list[str]) -> list[str]:
    return [before.layout.unit + line if line.strip() else line for line in lines]


def _swapped(before: Snippet, place: Place, words: str) -> Iterator[New]:
    """A guard that leaves and what follows it: the other one inside, or both as branches."""
    node = place.node
    if not isinstance(node, ast.If) or node.orelse or not leaves(node.body):
        return
    rest = place.block[place.index + 1 :]
    body = _body(before, node, node.body) if rest else None
    closing = before.lines[_head_end(node, node.body) + 1].strip() == "):"
    if body is None or closing:
        return
    below = [before.lines[row].removeprefix(place.indent) for row in range(place.last + 1, last_row(rest[-1]) + 1)]
    while below and not below[0].strip():
        below = below[1:]
    bare = isinstance(node.body[-1], ast.Continue) or (
        isinstance(node.body[-1], ast.Return) and node.body[-1].value is None
    )
    if len(node.body) > 1 and bare and _ELSE.search(words):
        yield from _as_else(before, place, below)
    turned = f"if {opposite(before, node.test)}:"
    if bare and len(node.body) == 1:
        yield place.first, last_row(rest[-1]), [turned, *_deep(before, below)]
    elif not _ELSE.search(words):
        yield place.first, last_row(rest[-1]), [turned, *_deep(before, below), *body]


def _as_else(before: Snippet, place: Place, below: list[str]) -> Iterator[New]:
    """A branch that goes on early without doing so, and what follows as `else` or `elif`."""
    head = [line.removeprefix(place.indent) for line in before.lines[place.first : place.last + 1]]
    while head and (not head[-1].strip() or head[-1].strip() in ("continue", "return")):
        head = head[:-1]
    rest = place.block[place.index + 1 :]
    match rest:
        case [ast.If()] if below[0].startswith("if "):
            yield place.first, last_row(rest[-1]), [*head, f"el{below[0]}", *below[1:]]
    yield place.first, last_row(rest[-1]), [*head, "else:", *_deep(before, below)]


def _with_in_with(before: Snippet, place: Place, _: str) -> Iterator[New]:
    """Nested withs as one, those outside first."""
    chain = [place.node]
    while isinstance(chain[-1], ast.With | ast.AsyncWith) and len(chain[-1].body) == 1:
        inner = chain[-1].body[0]
        if type(inner) is not type(chain[0]):
            break
        chain.append(inner)
    items = [item for one in chain if isinstance(one, ast.With | ast.AsyncWith) for item in one.items]
    end = chain[-1]
    if len(chain) < 2 or not isinstance(end, ast.With | ast.AsyncWith):
        return
    texts = [
        source_of(before, one.context_expr)
        + (f" as {source_of(before, one.optional_vars)}" if one.optional_vars else "")
        for one in items
    ]
    word = "async with" if isinstance(end, ast.AsyncWith) else "with"
    rows = _body(before, end, end.body)
    if rows is not None:
        line = f"{word} {', '.join(texts)}:"
        many = len(place.indent) + len(line) > 100
        head = [f"{word} (", *(f"{before.layout.unit}{one}," for one in texts), "):"] if many else [line]
        yield place.first, place.last, [*head, *_deep(before, rows)]


def _with_apart(before: Snippet, place: Place, _: str) -> Iterator[New]:
    """A with of several things as one for each, nested."""
    match place.node:
        case ast.With(items=[_, _, *_] as items, body=body) | ast.AsyncWith(items=[_, _, *_] as items, body=body):
            rows = _body(before, place.node, body)
            word = "async with" if isinstance(place.node, ast.AsyncWith) else "with"
            head: list[str] = []
            for one in items:
                name = f" as {source_of(before, one.optional_vars)}" if one.optional_vars else ""
                head.append(f"{before.layout.unit * len(head)}{word} {source_of(before, one.context_expr)}{name}:")
            if rows is not None and place.node.lineno == max(one.context_expr.end_lineno or 0 for one in items):
                depth = before.layout.unit * len(items)
                yield place.first, place.last, [*head, *(depth + line if line.strip() else line for line in rows)]


def _else_flat(before: Snippet, place: Place, _: str) -> Iterator[New]:
    """An else that holds nothing but ifs as elifs, comments above them kept."""
    node: ast.stmt | None = place.node
    while isinstance(node, ast.If):
        match node.orelse:
            case [ast.If() as inner] if not is_elif(before, inner):
                yield from _flattened(before, place, node, [inner])
            case [ast.If(orelse=[]) as one, ast.If() as two] if leaves(one.body):
                yield from _flattened(before, place, node, [one, two])
        node = node.orelse[0] if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If) else None


def _flattened(before: Snippet, place: Place, node: ast.If, inner: list[ast.If]) -> Iterator[New]:
    row = last_row(node.body[-1]) + 1
    while row < inner[0].lineno and before.lines[row].strip() != "else:":
        row += 1
    if row >= inner[0].lineno:
        return
    base = indentation(before.lines[row])
    deep = indentation(before.lines[inner[0].lineno - 1])
    starts = {one.lineno - 1 for one in inner}
    above = [line.removeprefix(place.indent) for line in before.lines[place.first : row]]
    made: list[str] = []
    for at in range(row + 1, place.last + 1):
        line = before.lines[at]
        if line.strip() and line.startswith(deep):
            line = base + line.removeprefix(deep)
        if at in starts:
            line = f"{base}el{line.lstrip()}"
        made.append(line.removeprefix(place.indent))
    yield place.first, place.last, [*above, *made]


TURNS: tuple[tuple[str, ToldRule], ...] = (
    (
        (
            r"\binver\w*|\bflip\w*|\bswap\w*|\bturn\w*|\bother way\b|\baround\b|\bfirst\b|\blast\b|\breverse|\binside\b"
            r"|\bnegat\w*|\bcontinue\b|\bpositive\b|\bnest\w*|\bearly return|\bno early\b|\belse\b|\belif\b"
        ),
        _swapped,
    ),
    (r"\bwiths?\b|\bcontext managers?\b|\bnest\w*|\bmerge", _with_in_with),
    (r"\bsplit\b.*\bwith\b|\bwith\b.*\b(?:split|nest\w*|separate|two|own)\b|\btwo withs\b|\bown with\b", _with_apart),
    (r"\belif\b|\belse[: ]*if|\bflat|\bnest|\bindent|\bPLR5501\b|\bdeep", _else_flat),
)
