"""Names renamed in a part of a region only: from where they are set anew, in a comprehension, in what is selected."""

import ast
import re
from collections.abc import Callable, Iterator, Mapping

from spark_tui.editing.codemods.base import Ops, Request, between
from spark_tui.editing.identifiers import uses
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import Place, places

_ANEW = re.compile(
    r"\breus\w*|\bre-?us\w*|\breassign\w*|\boverwrit\w*|\brebind\w*|\bredefin\w*|\bPLW2901\b|\bthe (?:new|second) one\b"
    r"|\bfrom (?:here|there|this line|that line|then) on\b|\btwice\b|\btwo (?:different )?things\b|\bshadow\w*"
)
_FIT = (ast.Assign, ast.AnnAssign, ast.With, ast.AsyncWith, ast.For, ast.AsyncFor)
Start = tuple[int, int]


def partly(before: Snippet, request: Request, pairs: Mapping[str, str]) -> Iterator[Ops]:
    """The renamings that are not of the whole region. Args: pairs: old names with their new ones."""
    if set_anew(request.instruction):
        found = [place for place in places(before) if isinstance(place.node, ast.Assign | ast.AnnAssign)]
        for place in sorted(found, key=lambda place: not place.in_loop):
            if _sets_anew(before, place, pairs):
                yield from _ops(before, pairs, _from(before, place))
    if re.search(r"\bcomprehension\b|\bgenerator\b", request.instruction):
        for node in before.nodes:
            if isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) and _binds(node, pairs):
                rows = range(node.lineno - 1, node.end_lineno or node.lineno)
                yield from _ops(before, pairs, lambda row, _, rows=rows: row in rows)  # type: ignore[misc]
    if request.selected:
        rows = range(request.selected[0], request.selected[1] + 1)
        yield from _ops(before, pairs, lambda row, _: row in rows)


def set_anew(instruction: str) -> bool:
    """Whether the words say that a name is used for a second thing."""
    return _ANEW.search(instruction) is not None


def _binds(node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp, pairs: Mapping[str, str]) -> bool:
    bound = {one.id for part in node.generators for one in ast.walk(part.target) if isinstance(one, ast.Name)}
    return pairs.keys() <= bound


def _sets_anew(before: Snippet, place: Place, pairs: Mapping[str, str]) -> bool:
    """Whether a statement sets what is set above it."""
    targets = place.node.targets if isinstance(place.node, ast.Assign) else [getattr(place.node, "target", place.node)]
    own = {one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)}
    above = (node for node in before.nodes if getattr(node, "lineno", place.first + 2) - 1 < place.first)
    known = {
        node.arg if isinstance(node, ast.arg) else node.id
        for node in above
        if isinstance(node, ast.arg) or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    }
    return pairs.keys() <= own & known


def _from(before: Snippet, place: Place) -> Callable[[int, int], bool]:
    """Whether something is at the target of a statement, or follows it in its block or function."""
    value = getattr(place.node, "value", None)
    end = place.last + 1
    around = [
        one
        for one in places(before)
        if one.first < place.first
        and place.last <= one.last
        and isinstance(one.node, ast.For | ast.AsyncFor | ast.While)
    ]
    stop = (
        around[-1].last if around else (place.function.end_lineno or end) - 1 if place.function else len(before.lines)
    )
    margin = len(before.margin)
    start = (value.lineno - 1, value.col_offset + margin) if isinstance(value, ast.expr) else (end, 0)
    return lambda row, column: ((place.first, 0) <= (row, column) < start) or end <= row <= stop


def _ops(before: Snippet, pairs: Mapping[str, str], inside: Callable[[int, int], bool]) -> Iterator[Ops]:
    """The renaming of what is inside, unless that is all of it or nothing."""
    text = "\n".join(before.lines)
    every = [use for use in uses(text) if use.name in pairs]
    chosen = []
    for use in every:
        row = text.count("\n", 0, use.start)
        if inside(row, use.start - (text.rfind("\n", 0, use.start) + 1)):
            chosen.append(use)
    if chosen and len(chosen) < len(every):
        for use in reversed(chosen):
            text = text[: use.start] + pairs[use.name] + text[use.end :]
        yield between(before, text.split("\n"))
