"""An `if` around the rest of a block turned into a guard at its top: the body moves out."""

import ast
import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from spark_tui.editing.code import Function, statement_lines
from spark_tui.editing.codemods.base import Ops, Request, between
from spark_tui.editing.codemods.common.flow import (
    LEAVING,
    Branches,
    FlowCodemod,
    Site,
    branches,
    is_elif,
    leaves,
    moved,
    simple,
)
from spark_tui.editing.codemods.common.negation import negated
from spark_tui.editing.codemods.statements.returned_directly import returned_directly
from spark_tui.editing.codemods.statements.turned_ifs import turned
from spark_tui.editing.snippet import Snippet

_DEEPEST = 5
_TOLD = re.compile(
    r"\b(?:early|earlier|first|guard|leave|bail|else|return\w*|retrun\w*|raise|continue|skip|turn\w*|round|roudn|around|way"
    r"|backwards|invert\w*|flip\w*|un-?nest\w*|nest\w*|flat\w*|indent\w*|unindent\w*)\b",
    re.IGNORECASE,
)
_WORDS = ("return", "raise", "continue", "break")


class EarlyReturn(FlowCodemod):
    """`if x: <the rest>` becomes `if not x: return`; likewise continue in loops, and an else that only leaves."""

    kind: ClassVar[str] = "early_return"

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """The sites; then, as that is asked for, what hardly gets shorter by it, and branches without their `else`."""
        yield from (between(before, lines) for lines in returned_directly(before, request))
        yield from super().edits(before, request)
        for node, rest, tail in _ifs(before.tree.body, "") if _TOLD.search(request.instruction) else ():
            yield from (between(before, site.after(before)) for site in turned(before, node, rest, tail))

    def sites(self, before: Snippet, request: Request) -> Iterator[Site]:
        """Each `if` alone; where several are nested, also all of them at once."""
        for site in _guards(before, before.tree.body, ""):
            yield site
            if whole := _flattened(before, site):
                yield whole


def _flattened(before: Snippet, site: Site) -> Site | None:
    """The site with the guards inside it made too."""
    lines, end = site.after(before), site.first + len(site.lines)
    count = len(lines)
    for _ in range(_DEEPEST):
        again = Snippet(tuple(lines))
        indent = len(site.lines[0]) - len(site.lines[0].lstrip())
        inner = (
            one
            for one in _guards(again, again.tree.body, "")
            if site.first < one.first <= one.last < end + len(lines) - count
            and len(one.lines[0]) - len(one.lines[0].lstrip()) == indent
        )
        found = next(inner, None)
        if found is None:
            break
        lines = found.after(again)
    if lines == site.after(before):
        return None
    return Site(site.first, site.last, tuple(lines[site.first : end + len(lines) - count]), {"whole": ""}, minor=True)


def _guards(before: Snippet, block: Sequence[ast.stmt], tail: str) -> Iterator[Site]:
    """The guards in a block. Args: tail: how its end is left ("return", "continue"), or "" when the code goes on."""
    for node, rest, last in _ifs(block, tail):
        if site := _guard(before, node, rest, last):
            yield site


def _ifs(block: Sequence[ast.stmt], tail: str) -> Iterator[tuple[ast.If, Sequence[ast.stmt], str]]:
    """Each `if` with what follows it in its block, and how the end of that is left where it is the last."""
    for index, node in enumerate(block):
        last = tail if index == len(block) - 1 else ""
        if isinstance(node, ast.If):
            yield node, block[index + 1 :], last
        for inner, how in _inner(node, last):
            yield from _ifs(inner, how)


def _inner(node: ast.stmt, tail: str) -> Iterator[tuple[Sequence[ast.stmt], str]]:
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            yield node.body, _returning(node)
        case ast.For() | ast.AsyncFor() | ast.While():
            yield node.body, "continue"
            yield node.orelse, ""
        case ast.If() | ast.With() | ast.AsyncWith():
            yield node.body, tail
            yield getattr(node, "orelse", []), tail
        case ast.Match():
            yield from ((case.body, tail) for case in node.cases)
        case ast.Try() | ast.TryStar():
            yield from (
                (inner, "") for inner in (node.body, *(one.body for one in node.handlers), node.orelse, node.finalbody)
            )
        case ast.ClassDef():
            yield node.body, ""


def _returning(function: Function) -> str:
    """`return None` where the function returns values elsewhere, else a bare return."""
    waiting: list[ast.AST] = list(function.body)
    valued = False
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Yield | ast.YieldFrom):
            return "return"
        if isinstance(node, ast.Return) and node.value is not None:
            valued = True
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            waiting.extend(ast.iter_child_nodes(node))
    return "return None" if valued else "return"


def _guard(before: Snippet, node: ast.If, rest: Sequence[ast.stmt], tail: str) -> Site | None:
    read = None if is_elif(before, node) else branches(before, node)
    if read is None or len(read.body) < 2 or isinstance(node.test, ast.Constant) or isinstance(node.body[0], LEAVING):
        return None
    if node.orelse:
        short = len(read.other) <= 3 and isinstance(node.orelse[-1], LEAVING)
        return _site(before, node, read, read.other, read.last) if short else None
    if tail:
        return _site(before, node, read, (read.inner + tail,), read.last)
    return _leaving_next(before, node, read, rest)


def _leaving_next(before: Snippet, node: ast.If, read: Branches, rest: Sequence[ast.stmt]) -> Site | None:
    """The guard that leaves in the way the one statement after the `if` does."""
    if len(rest) != 1 or not isinstance(rest[0], LEAVING) or not simple(before, rest[0]):
        return None
    first, last = statement_lines(rest[0])
    if first != last or any(line.strip() for line in before.lines[read.last + 1 : first]):
        return None
    leaving = (read.inner + before.lines[first].strip(),)
    if leaves(node.body):
        return _site(before, node, read, leaving, last)
    return _site(before, node, read, leaving, read.last) if isinstance(rest[0], ast.Return) else None


def _site(before: Snippet, node: ast.If, read: Branches, leaving: Sequence[str], last: int) -> Site | None:
    test, body = negated(before, node.test), moved(read.body, read.inner, read.indent)
    if not test or body is None:
        return None
    while body and not body[-1].strip():
        body = body[:-1]
    words = [line.split()[0] for line in leaving if line.startswith(read.inner) and line.strip()]
    names = {
        "test": read.test,
        "leaving": next((one for one in reversed(words) if one in _WORDS), ""),
        "opposite": test,
    }
    if len(leaving) == 1:
        said = leaving[0].strip()
        names["guard"] = f"if {test}: {said}"
        names |= {"quiet": ""} if said in ("return", "return None", "continue") else {}
    return Site(read.row, last, (f"{read.indent}if {test}:", *leaving, *body), names)
