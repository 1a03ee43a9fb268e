"""Loops that count by hand become loops over enumerate."""

import ast
import re
from collections.abc import Iterator
from typing import ClassVar

from spark_tui.editing.code import statement_lines, text_of
from spark_tui.editing.codemods.base import Ops, Request
from spark_tui.editing.codemods.common.occasions import Change, Occasion, Places, bare_line, blocks, gone
from spark_tui.editing.codemods.idioms.element_loops import (
    Loop,
    Namer,
    changed_within,
    elements,
    head,
    loops,
    others,
    range_of_length,
    singular,
    taken,
    used_after,
)
from spark_tui.editing.codemods.plain.plain_words import bare
from spark_tui.editing.snippet import Snippet

_DIRECT = re.compile(
    r"(?i)\bdirect|\b(?:no|not|n't|without|drop|lose|remove|rid|instead)\b.*\b(?:index\w*|range|i|len)\b"
    r"|\b(?:iterate|loop|go) over\b"
)
_PLAINLY = re.compile(
    r"(?i)(?:loop|iterate|go)(?: over| through)? (?:(?:the |all )?\w+ )?directly"
    r"|(?:no need for|don'?t need|don'?t use|drop|lose|remove|without|get rid of) (?:the |an? )?"
    r"(?:index(?:es)?|indices|indexing|range\(?\)?|range\(len\(?\)?\)?)|(?:loop|iterate) (?:over|through) the \w+"
)


class UseEnumerate(Places):
    """`for i in range(len(xs))` with `xs[i]`, or a counter kept by hand, becomes `for i, x in enumerate(xs)`."""

    kind: ClassVar[str] = "use_enumerate"

    def plain(self, before: Snippet, request: Request) -> list[Ops]:
        """The one loop over indices that words want to go over the elements themselves."""
        found = list(self.edits(before, request)) if _PLAINLY.fullmatch(bare(before, request.instruction)) else []
        return found if len(found) == 1 else []

    def occasions(self, before: Snippet, request: Request) -> Iterator[Occasion]:
        """Index loops, then counters."""
        namer = Namer(before, request)
        bare = _DIRECT.search(request.instruction) is not None and "enumerate" not in request.instruction
        for loop in loops(before):
            if found := _indexed(before, loop, namer, bare=bare):
                yield found
        for block in blocks(before.tree):
            for at, node in enumerate(block):
                if isinstance(node, ast.For) and (counted := _counted(before, block[:at], node)):
                    yield counted


def _indexed(before: Snippet, loop: Loop, namer: Namer, *, bare: bool) -> Occasion | None:
    """Args: bare: whether a loop that only takes elements by its index may do without one."""
    source = range_of_length(loop.iter)
    if source is None or not isinstance(loop.target, ast.Name) or changed_within(loop, source):
        return None
    index = loop.target.id
    one = taken(loop, index).get(source)
    if one is None or changed_within(loop, index):
        return None
    name = "" if one.lead else namer.name(loop, singular(source))
    found = elements(before, loop, one, name)
    if found is None:
        return None
    target, changes = found
    if bare and not one.stores and not others(loop, index, one.loads):
        changes.append(head(before, loop, target[1:-1] if target[0] == "(" else target, source))
    else:
        changes.append(head(before, loop, f"{index}, {target}", f"enumerate({source})"))
    return Occasion(loop.line, tuple(changes), (source, index))


def _counted(before: Snippet, earlier: list[ast.stmt], node: ast.For) -> Occasion | None:
    """The counter is set right before the loop, and raised once at the top level of its body."""
    target, source = text_of(before, node.target), text_of(before, node.iter)
    ends = [(at, name) for at in (0, -1) if (name := _raised(node.body[at])) and bare_line(before, node.body[at])]
    if not ends or node.orelse or len(node.body) < 2 or not target or not source:
        return None
    at, name = ends[0]
    start = _start(before, earlier, name)
    if start is None or not _only_raised(node, node.body[at], name):
        return None
    loop = Loop(node.target, node.iter, tuple(node.body), node.lineno - 1, statement_lines(node)[1], tuple(node.body))
    if used_after(before, loop, name) or (at == -1 and _skips(node)):
        return None
    statement, first = start
    first += at == 0
    target = f"({target})" if isinstance(node.target, ast.Tuple) and not target.startswith("(") else target
    counted = f"enumerate({source})" if first == 0 else f"enumerate({source}, start={first})"
    changes: list[Change] = [head(before, loop, f"{name}, {target}", counted)]
    changes += (gone(before, one.lineno - 1, one.lineno - 1) for one in (statement, node.body[at]))
    return Occasion(loop.line, tuple(changes), (source, name))


def _raised(statement: ast.stmt) -> str | None:
    match statement:
        case ast.AugAssign(target=ast.Name(id=name), op=ast.Add(), value=ast.Constant(value=1)):
            return name
        case ast.Assign(
            targets=[ast.Name(id=name)],
            value=ast.BinOp(left=ast.Name(id=old), op=ast.Add(), right=ast.Constant(value=1)),
        ) if name == old:
            return name
    return None


def _start(before: Snippet, earlier: list[ast.stmt], name: str) -> tuple[ast.stmt, int] | None:
    """The statement that sets the counter, with nothing between that mentions it, and its value."""
    for statement in reversed(earlier[-4:]):
        match statement:
            case ast.Assign(targets=[ast.Name(id=own)], value=ast.Constant(value=int() as value)) if own == name:
                fits = bare_line(before, statement) and statement.lineno > 1 and not isinstance(value, bool)
                return (statement, value) if fits else None
        if any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(statement)):
            return None
    return None


def _only_raised(node: ast.For, where: ast.stmt, name: str) -> bool:
    inside = [one for part in [node.target, node.iter, *node.body] if part is not where for one in ast.walk(part)]
    named = [one for one in inside if isinstance(one, ast.Name) and one.id == name]
    return bool(named) and all(isinstance(one.ctx, ast.Load) for one in named)


def _skips(node: ast.For) -> bool:
    """Whether a continue of this loop may pass over the end of its body."""
    waiting: list[ast.AST] = list(node.body)
    while waiting:
        one = waiting.pop()
        if isinstance(one, ast.Continue):
            return True
        if not isinstance(one, ast.For | ast.While | ast.FunctionDef):
            waiting.extend(ast.iter_child_nodes(one))
    return False
