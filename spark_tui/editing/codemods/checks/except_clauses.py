"""The except clauses of a region: what they catch, and the names they give it."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from spark_tui.editing.code import Position, end_of, position, start_of
from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.common.occasions import Change, names_of, new_names, scope_at
from spark_tui.editing.snippet import Snippet

_USUAL = re.compile(
    r"\b(?:as|from)\s+[`'\"]?(e|ex|exc|err|error|exception|cause|inner|original|orig|exn|_e|_exc)\b(?! (?:the|is))"
)
_LINT = re.compile(r"raise exceptions with .*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Clause:
    """One handler with its try statement."""

    owner: ast.Try
    handler: ast.ExceptHandler
    line: int

    @property
    def caught(self) -> str:
        """What it catches, as written by ast."""
        return ast.unparse(self.handler.type) if self.handler.type else ""


def clauses(before: Snippet) -> Iterator[Clause]:
    """Every except clause whose head is on one line, in source order."""
    found = [
        Clause(node, handler, handler.lineno - 1)
        for node in before.nodes
        if isinstance(node, ast.Try)
        for handler in node.handlers
        if handler.type is None or handler.type.end_lineno == handler.lineno
    ]
    return iter(sorted(found, key=lambda one: one.line))


def head_end(before: Snippet, clause: Clause) -> Position | None:
    """Where the name goes: after what is caught, its parentheses included; None when that cannot be told."""
    line = before.lines[clause.line]
    kind = clause.handler.type
    if kind is None:
        return None
    at = end_of(before, kind)[1]
    while line[at : at + 1] == ")":
        at += 1
    return (clause.line, at) if re.match(r"\s*(?:as \w+\s*)?:", line[at:]) else None


def naming(before: Snippet, clause: Clause, request: Request) -> tuple[str, tuple[Change, ...]] | None:
    """The name of what a clause catches, and the change that gives it one; None for a bare except."""
    if clause.handler.name:
        return clause.handler.name, ()
    at = head_end(before, clause)
    if at is None:
        return None
    name = exception_name(before, clause, request)
    return name, ((at, at, f" as {name}"),)


def exception_name(before: Snippet, clause: Clause, request: Request) -> str:
    """A name told, one that other clauses use, or `e`, as long as it is free."""
    words = _LINT.sub("", request.instruction) if "\n" in request.instruction.strip() else request.instruction
    known = names_of(scope_at(before, clause.line))
    others = [one.handler.name for one in clauses(before) if one.handler.name]
    mine = {node.id for part in clause.handler.body for node in ast.walk(part) if isinstance(node, ast.Name)}
    free = [name for name in [*_USUAL.findall(words), *new_names(before, request)] if name not in mine]
    fit = [name for name in others if name not in mine] + [n for n in ("e", "exc", "err", "error") if n not in known]
    return next(iter([*free, *fit]), "exception")


def raises(clause: Clause) -> Iterator[ast.Raise]:
    """The raise statements that run in a handler: not those of functions or inner handlers."""
    waiting: list[ast.AST] = list(clause.handler.body)
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, ast.Raise):
            yield node
        if isinstance(node, ast.Try):
            waiting.extend([*node.body, *node.orelse, *node.finalbody])
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            waiting.extend(ast.iter_child_nodes(node))


def body_start(before: Snippet, clause: Clause) -> Position | None:
    """Where the handler's body begins, when that is on lines of its own."""
    first = clause.handler.body[0]
    start = start_of(before, first)
    return start if start[0] > clause.line and not before.lines[start[0]][: start[1]].strip() else None


def keyword_span(before: Snippet, clause: Clause) -> tuple[Position, Position] | None:
    """From after `except` to the end of what is caught; None where the head has an odd form."""
    start = position(before, clause.handler.lineno, clause.handler.col_offset)
    found = re.match(r"except\b", before.lines[start[0]][start[1] :])
    if not found:
        return None
    begin = (start[0], start[1] + found.end())
    return begin, head_end(before, clause) or begin
