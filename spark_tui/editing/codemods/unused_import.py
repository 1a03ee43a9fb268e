"""Imports that nothing uses go."""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from pyflakes import messages
from pyflakes.checker import Checker

from spark_tui.editing.code import end_of, splice, stands_alone, start_of
from spark_tui.editing.codemods.base import Codemod, Ops, Request, between, parses
from spark_tui.editing.codemods.common.said import certain
from spark_tui.editing.codemods.common.taking_out import without
from spark_tui.editing.codemods.imports.imports_listed import names_to_go
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import inner_blocks

Import = ast.Import | ast.ImportFrom
_UNUSED = re.compile(r"([\w.]+)[`'\"]? (?:isn't|is not|is never|is no longer|was never) (?:used|needed)")
_NOQA = re.compile(r"#\s*noqa(?!:)|#\s*noqa:.*\bF401\b", re.IGNORECASE)
_PLURAL = re.compile(r"\b(?:imports|all|every|everything|these|those)\b")


@dataclass(frozen=True, slots=True)
class Imported:
    """One name that an import binds. `owner`: the statement in whose block it is; the module has none."""

    node: Import
    alias: ast.alias
    owner: ast.stmt | None

    @property
    def bound(self) -> str:
        """The name as the code uses it, `a.b` being all of it."""
        return self.alias.asname or self.alias.name

    @property
    def names(self) -> tuple[str, ...]:
        """What people and linters call it."""
        module = f"{self.node.module}.{self.alias.name}" if isinstance(self.node, ast.ImportFrom) else ""
        return (self.bound, self.alias.name, module)


class UnusedImport(Codemod):
    """One name that is imported and not used goes, or all of those where the code that could use them is in sight."""

    kind: ClassVar[str] = "unused_import"
    local: ClassVar[bool] = False

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """One import; only when it is said or selected a whole statement; all of them."""
        every = unused_imports(before)
        if names := names_to_go(request.instruction):
            yield from _all_of(before, every, names)
            return
        found = _narrowed(every, request)
        groups = [[one] for one in found]
        if len(found) == len(every) and _PLURAL.search(request.instruction.lower()):
            found = [one for one in found if not _is_on_purpose(before, one)]
            groups = [] if len(found) > 1 else [[one] for one in found]
        if len(found) > 1 and _users_in_sight(before):
            groups.append(list(found))
        for statement in dict.fromkeys(one.node for one in found):
            if request.selected or _stated(statement, request.instruction):
                groups.append([one for one in found if one.node is statement])
        for group in groups:
            after = removed(before, group)
            if after is not None:
                yield between(before, after)


def _all_of(before: Snippet, unused: Sequence[Imported], names: Sequence[str]) -> Iterator[Ops]:
    """Every import of several that are told, if all of them are unused."""
    gone = [one for one in unused if any(name in one.names for name in names)]
    if all(any(name in one.names for one in gone) for name in names) and (after := removed(before, gone)) is not None:
        yield between(before, after)


def _users_in_sight(snippet: Snippet) -> bool:
    """Whether all that could use the imports is known: the rest of the file is, or the snippet is more than a top."""
    return snippet.around.unused is not None or any(
        not isinstance(one, ast.Import | ast.ImportFrom | ast.Expr | ast.Assign) for one in snippet.tree.body
    )


def _is_on_purpose(snippet: Snippet, one: Imported) -> bool:
    """Whether an import that nothing uses is meant so: it tries what is there, is for others, or says `noqa`."""
    lines = snippet.lines[one.node.lineno - 1 : one.node.end_lineno]
    return isinstance(one.owner, ast.Try) or one.alias.asname == one.alias.name or any(map(_NOQA.search, lines))


def unused_imports(snippet: Snippet) -> list[Imported]:
    """Every imported name that nothing uses: in all of the file where that is known, else in the snippet.

    As far as pyflakes can tell.
    """
    found = list(_imports(snippet.tree.body, None))
    if (known := snippet.around.unused) is not None:
        return [one for one in found if (one.node.lineno - 1, one.bound) in known]
    if not found:
        return []
    unused = [
        (one.lineno, str(one.message_args[0]))
        for one in _messages(snippet.tree)
        if isinstance(one, messages.UnusedImport | messages.RedefinedWhileUnused)
    ]
    lines = {line for line, _ in unused}
    told = {(line, re.split(r" as |\.", name)[-1]) for line, name in unused}
    return [
        one
        for one in found
        if one.node.lineno in lines
        and (one.node.lineno, one.bound.rpartition(".")[2]) in told
        and stands_alone(snippet, one.node)
    ]


def _imports(block: Sequence[ast.stmt], owner: ast.stmt | None) -> Iterator[Imported]:
    for node in block:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from (Imported(node, alias, owner) for alias in node.names)
        for inner in inner_blocks(node):
            yield from _imports(inner, node)


def _narrowed(found: list[Imported], request: Request) -> Sequence[Imported]:
    """Those that are named: by statement, by their full name, by a word; else those selected."""
    words = set(re.findall(r"[\w.]*\w", request.instruction))
    for fits in (
        [one for one in found if one.bound in _UNUSED.findall(request.instruction)],
        [one for one in found if _stated(one.node, request.instruction)],
        [one for one in found if any("." in name and name in words for name in one.names)],
        [one for one in found if any(name in words and certain(name) for name in one.names)],
        [one for one in found if any(name in words for name in one.names)],
    ):
        if fits:
            return fits
    if request.selected is None:
        return found
    first, last = request.selected
    inside = [one for one in found if one.node.lineno - 1 <= last and first < (one.node.end_lineno or 0)]
    return [one for one in inside if first < one.alias.lineno <= last + 1] or inside or found


def _stated(statement: Import, instruction: str) -> bool:
    """Whether an import is said as it is written (spaces aside)."""
    return ast.unparse(statement).replace(" ", "") in instruction.replace(" ", "")


def removed(snippet: Snippet, group: Sequence[Imported]) -> list[str] | None:
    """The lines without some imported names, or None where that is no matter of course.

    An `if` for imports (of TYPE_CHECKING, say) that has nothing left goes too.
    """
    lines = list(snippet.lines)
    gone = {one.node: [other.alias for other in group if other.node is one.node] for one in group}
    whole: set[ast.stmt] = {node for node, aliases in gone.items() if len(aliases) == len(node.names)}
    owners = {one.owner for one in group if isinstance(one.owner, ast.If) and not one.owner.orelse}
    emptied = {owner for owner in owners if set(owner.body) <= whole}
    kept = {statement: aliases for statement, aliases in gone.items() if statement not in whole}
    inside = {statement for owner in emptied for statement in owner.body}
    for statement in sorted({*kept, *emptied, *(whole - inside)}, key=lambda one: -one.lineno):
        if isinstance(statement, ast.Import | ast.ImportFrom) and statement in kept:
            shorter = _without_names(snippet, lines, statement, kept[statement])
        else:
            shorter = without(lines, statement.lineno - 1, (statement.end_lineno or statement.lineno) - 1)
        if shorter is None:
            return None
        lines = shorter
    return lines if parses(lines) or not any(map(str.strip, lines)) else None


def _without_names(snippet: Snippet, lines: list[str], node: Import, gone: Sequence[ast.alias]) -> list[str] | None:
    kept = [alias for alias in node.names if alias not in gone]
    for alias in reversed(gone):
        row, left = start_of(snippet, _expr(alias))
        _, right = end_of(snippet, _expr(alias))
        line = lines[row]
        before, behind = line[:left].rstrip(), line[right:]
        if not before.strip() and re.fullmatch(r"\s*,?\s*(?:#.*)?", behind):
            lines = [*lines[:row], *lines[row + 1 :]]
        elif following := re.match(r"\s*,[ \t]*", behind):
            lines = splice(lines, (row, left), (row, right + following.end()), "")
        elif before.endswith(",") and any(other.lineno == alias.lineno for other in kept):
            lines = splice(lines, (row, len(before) - 1), (row, right), "")
        else:
            return None
        if row < len(lines) and lines[row] != lines[row].rstrip():
            lines = splice(lines, (row, len(lines[row].rstrip())), (row, len(lines[row])), "")
    return lines


def _expr(alias: ast.alias) -> ast.expr:
    """Something that stands where an alias stands."""
    return ast.Constant(
        None,
        lineno=alias.lineno,
        col_offset=alias.col_offset,
        end_lineno=alias.end_lineno,
        end_col_offset=alias.end_col_offset,
    )


def _messages(tree: ast.Module) -> list[messages.Message]:
    """What pyflakes says; nothing about a `from __future__` inside a block, which it cannot read."""
    inner = (node for statement in tree.body for node in ast.walk(statement) if node is not statement)
    if any(isinstance(node, ast.ImportFrom) and node.module == "__future__" for node in inner):
        return []
    return list(Checker(tree).messages)
