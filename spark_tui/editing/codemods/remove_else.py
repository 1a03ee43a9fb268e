"""Every else that is not needed because the branches before it leave: its lines move out."""

import ast
import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from spark_tui.editing import code
from spark_tui.editing.codemods.base import Codemod, Ops, Request, applied, between
from spark_tui.editing.codemods.common.named import words
from spark_tui.editing.codemods.statements.else_up_front import else_up_front
from spark_tui.editing.script import Dedent, Delete, Replace
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import Place, movable, places

LEAVING = {ast.Return: "return", ast.Raise: "raise", ast.Continue: "continue", ast.Break: "break"}
_IFS = re.compile(r"\belifs?\b|\b(?:plain|separate|only|just|simple) ifs\b|\bchain of ifs\b", re.IGNORECASE)
_USELESS = re.compile(
    r"\b(?:useless|pointless|redundant|needless|no-?op|idle|empty|dead) (?:else|continue)\b|\belse\b.*\bnothing\b"
    r"|\b(?:drop|remove|delete|cut|lose|rid of) (?:the )?(?:\w+ )?else(?::| and(?: its)?| with(?: its| the)?)?"
    r" `?(?:continue|pass)\b",
    re.IGNORECASE,
)
_ONE_LEVEL = (ast.With, ast.AsyncWith)
_SEVERAL = re.compile(r"\b(?:both|neither|all|every|each|none|two|three|these|those|elses)\b|\bno else\b")


class RemoveElse(Codemod):
    """The else line goes, its body moves one level to the left; asked about an `elif`, that becomes an `if`."""

    kind: ClassVar[str] = "remove_else"

    def plain(self, before: Snippet, request: Request) -> list[Ops]:
        """The one else that does nothing, where it is called that."""
        found = list(_idle(before)) if _USELESS.search(request.instruction) else []
        return found if len(found) == 1 else []

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """All of them where several are meant; each else on its own: those selected and after the way out told."""
        found = _needless(before)
        if request.selected:
            first, last = request.selected
            found = [one for one in found if first <= one[1] <= last] or found
        if len(found) > 1 and _SEVERAL.search(request.instruction.lower()):
            yield between(before, _without_each(before, {line for _, line in found}))
        if _IFS.search(request.instruction):
            yield from (ops for place in places(before) if (ops := whole_chain(before, place)))
            each = [op for place in places(before) for ops in _parted(before, place.node) for op in ops]
            yield tuple(dict.fromkeys(each))
        told = words(request.instruction.lower()).intersection(LEAVING.values())
        for place, line in [one for one in found if _leaves(one[0]) in told] or found:
            yield removal(place, line)
        yield from _idle(before)
        if not _USELESS.search(request.instruction):
            yield from (between(before, lines) for lines in else_up_front(before, request))
        if "elif" in request.instruction.lower():
            for place in places(before):
                yield from _parted(before, place.node)


def _idle(before: Snippet) -> Iterator[Ops]:
    """Each else that only gives something what it has, or holds nothing, gone."""
    ends = [one.body[-1] for one in before.nodes if isinstance(one, ast.For | ast.AsyncFor | ast.While)]
    for place in places(before):
        goes_on = place.node in ends  # anyway, to the next turn
        match place.node:
            case ast.If(body=body, orelse=[_, *_] as orelse) if all(_does_nothing(one, goes_on) for one in orelse):
                line = body[-1].end_lineno or 0
                if before.lines[line] == f"{place.indent}else:" and orelse[0].lineno == line + 2:
                    yield (Delete(line, place.last),)


def _does_nothing(node: ast.stmt, goes_on: bool) -> bool:
    match node:
        case ast.Pass():
            return True
        case ast.Continue():
            return goes_on
        case ast.Assign(targets=[target], value=value):
            return ast.unparse(target) == ast.unparse(value)
    return False


def _needless(before: Snippet) -> list[tuple[Place, int]]:
    return [(place, line) for place in places(before) if (line := needless_else(before, place)) is not None]


def _without_each(before: Snippet, rows: set[int]) -> list[str]:
    """The lines without the elses in some rows, the last one first, so that no other one moves meanwhile."""
    for row in sorted(rows, reverse=True):
        place = next((place for place, line in _needless(before) if line == row), None)
        if place is not None:
            before = Snippet(tuple(applied(before, removal(place, row))))
    return list(before.lines)


def removal(place: Place, line: int) -> Ops:
    """The edit for the else at a line of a statement."""
    return Delete(line, line), Dedent(line + 1, place.last)


def whole_chain(before: Snippet, place: Place) -> Ops | None:
    """Every elif after branches that leave as an if of its own, and no else after the last; at least two changes."""
    lines = [op for ops in _parted(before, place.node) for op in ops]
    line = needless_else(before, place)
    ops = (*lines, *(removal(place, line) if line is not None else ()))
    return ops if len(lines) > 1 or (lines and line is not None) else None


def needless_else(snippet: Snippet, place: Place) -> int | None:
    """The line of the else, when its branch can move out: every branch before it leaves, or no loop is broken off."""
    if isinstance(place.node, ast.Try):
        return _after_handlers(snippet, place, place.node)
    chain = _chain(place.node)
    if not chain or not chain[-1].orelse or not all(map(movable, chain[-1].orelse)):
        return None
    end, start = code.statement_lines(chain[-1].body[-1])[1], code.statement_lines(chain[-1].orelse[0])[0]
    lines = [at for at in range(end + 1, start) if snippet.lines[at] == f"{place.indent}else:"]
    return lines[0] if len(lines) == 1 else None


def _after_handlers(snippet: Snippet, place: Place, node: ast.Try) -> int | None:
    """The line of the else of a try whose handlers all leave."""
    leaving = node.handlers and all(way_out(handler.body) for handler in node.handlers)
    if not leaving or not node.orelse or node.finalbody or not all(map(movable, node.orelse)):
        return None
    end, start = code.statement_lines(node.handlers[-1].body[-1])[1], code.statement_lines(node.orelse[0])[0]
    return next((at for at in range(end + 1, start) if snippet.lines[at] == f"{place.indent}else:"), None)


def way_out(block: Sequence[ast.stmt]) -> str | None:
    """How a block leaves for certain ("return", "raise", ...), or None."""
    last = block[-1]
    if isinstance(last, _ONE_LEVEL):
        return way_out(last.body)
    if isinstance(last, ast.If) and last.orelse:
        return way_out(last.orelse) and way_out(last.body)
    return LEAVING.get(type(last))


def _leaves(place: Place) -> str | None:
    if isinstance(place.node, ast.Try) and place.node.handlers:
        return way_out(place.node.handlers[-1].body)
    return way_out(place.node.body) if isinstance(place.node, ast.If) else None


def _chain(node: ast.stmt) -> list[ast.If | ast.For | ast.AsyncFor | ast.While]:
    """An if and its elifs that all leave, or a loop that nothing breaks off; else nothing."""
    if isinstance(node, ast.For | ast.AsyncFor | ast.While):
        return [] if any(_breaks(one) for one in node.body) else [node]
    chain: list[ast.If | ast.For | ast.AsyncFor | ast.While] = []
    while isinstance(node, ast.If):
        if not way_out(node.body):
            return []
        chain.append(node)
        if not (len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If) and _is_elif(node, node.orelse[0])):
            return chain
        node = node.orelse[0]
    return []


def _is_elif(above: ast.If, below: ast.If) -> bool:
    """An elif begins where its if does; an if within an else stands further right."""
    return above.col_offset == below.col_offset


def _breaks(node: ast.stmt) -> bool:
    if isinstance(node, ast.Break):
        return True
    if isinstance(node, ast.For | ast.AsyncFor | ast.While):
        return any(map(_breaks, node.orelse))
    return any(_breaks(child) for child in ast.walk(node) if isinstance(child, ast.stmt) and child is not node)


def _parted(snippet: Snippet, node: ast.stmt) -> Iterator[Ops]:
    """Each elif after branches that leave, as an if of its own."""
    while isinstance(node, ast.If) and way_out(node.body) and node.orelse:
        below = node.orelse[0]
        if not isinstance(below, ast.If) or not _is_elif(node, below):
            return
        line = below.lineno - 1
        text = snippet.lines[line]
        yield (Replace(line, line, (text.replace("elif", "if", 1),)),)
        node = below
