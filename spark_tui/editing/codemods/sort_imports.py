"""Imports put in order, one a line, or merged."""

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar

from spark_tui.editing.code import indentation
from spark_tui.editing.codemods.base import Codemod, Ops, Request, between
from spark_tui.editing.codemods.imports.import_blocks import (
    Block,
    Item,
    by_module,
    by_type,
    grouped,
    is_sorted,
    replaced_names,
    rows,
    stretches,
    with_names,
    with_sorted_names,
)
from spark_tui.editing.codemods.pieces.order_told import orders_told
from spark_tui.editing.snippet import Snippet

_GROUPS = re.compile(
    r"\bgroup|\bsections?\b|pep ?-?8|stdlib|standard lib|third.?party|\bisort\b|\bI001\b|\bC0411\b|local imports",
    re.IGNORECASE,
)
_BY_MODULE = re.compile(
    r"module name|by module|within.sections|no matter|regardless|ignor|mix|force.sort|from and import", re.IGNORECASE
)
_SPLITS = re.compile(
    r"\bone (import|module|name)?\s*(a|per|on each|each)\b|own line|separate (line|import|statement)|\bsplit"
    r"|several lines|E401|C0410|on one line|each import|break up|single.line|one import",
    re.IGNORECASE,
)
_MERGES = re.compile(
    r"\b(share|merge|combine|unify|fuse|collapse|fold)|\bjoin|together|same (module|package)"
    r"|(one|a) (from|statement)|one (line|import)|into one|single|twice|duplicate|repeated",
    re.IGNORECASE,
)
_JOINS = re.compile(r"\b(merge|combine|share|unify|join)", re.IGNORECASE)
_SORTS = re.compile(r"\bsort|\border\b|alphabet", re.IGNORECASE)


class SortImports(Codemod):
    """The import statements that stand together are sorted, parted or merged."""

    kind: ClassVar[str] = "sort_imports"
    local: ClassVar[bool] = False

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """Sorted in their blocks, in groups; the names of one import; then one a line, and merged."""
        found = stretches(before)
        seen: set[Ops] = {()}
        names = {alias.name for stretch in found for block in stretch for item in block for alias in item.node.names}
        for after in _told(before, found, request.instruction):
            yield between(before, after)
        words = re.sub(r"\w+", lambda word: "" if word[0] in names else word[0], request.instruction)
        for make in _meant(words):
            for after in make(before, found):
                if (ops := between(before, after)) not in seen:
                    seen.add(ops)
                    yield ops


def _told(before: Snippet, found: Sequence[Sequence[Block]], instruction: str) -> Iterator[list[str]]:
    """The names of an import with one of them where the words want it."""
    for item in (item for stretch in found for block in stretch for item in block):
        names = item.node.names
        for order in orders_told(instruction, [one.name for one in names]) if len(names) > 1 else ():
            new = with_names(item, [names[at] for at in order])
            if new is not None and order != sorted(order):
                yield _with(before, [(item.first, len(item.lines), new)])


Maker = Callable[[Snippet, Sequence[Sequence[Block]]], Iterator[list[str]]]


def _meant(instruction: str) -> Sequence[Maker]:
    if _SPLITS.search(instruction) and not _JOINS.search(instruction):
        return (parted,)
    if _MERGES.search(instruction) and not _SORTS.search(instruction):
        return (merged,)
    if _GROUPS.search(instruction):
        return (in_groups,)
    if _BY_MODULE.search(instruction):
        return (by_modules, in_blocks)
    if _SORTS.search(instruction):
        return (in_blocks, in_groups)
    return (in_blocks, in_groups, parted, merged, by_modules)


def is_in_order(snippet: Snippet) -> bool:
    """Whether sorting, as it is usual, changes nothing."""
    found = stretches(snippet)
    return all(after == list(snippet.lines) for make in (in_blocks, in_groups) for after in make(snippet, found))


def in_blocks(before: Snippet, found: Sequence[Sequence[Block]]) -> Iterator[list[str]]:
    """Every block in order; each of several; the names of each import."""
    yield _with(before, [_sorted(block) for stretch in found for block in stretch])
    all_blocks = [block for stretch in found for block in stretch]
    for block in all_blocks if len(all_blocks) > 1 else ():
        yield _with(before, [_sorted(block)])
    for item in (item for block in all_blocks for item in block):
        if (new := with_sorted_names(item)) is not None:
            yield _with(before, [(item.first, len(item.lines), new)])


def by_modules(before: Snippet, found: Sequence[Sequence[Block]]) -> Iterator[list[str]]:
    """Every block by module names, whether `import` or `from`."""
    yield _with(before, [_sorted(block, by_module) for stretch in found for block in stretch])


def in_groups(before: Snippet, found: Sequence[Sequence[Block]]) -> Iterator[list[str]]:
    """Every stretch in groups: standard library, other packages, relative; each in order."""
    changes = []
    for stretch in found:
        lines: list[str] = []
        for block in grouped(stretch):
            lines += [*([""] if lines else []), *_sorted(block)[2]]
        last = stretch[-1][-1]
        first = stretch[0][0].first
        changes.append((first, last.first + len(last.lines) - first, tuple(lines)))
    yield _with(before, changes)


def parted(before: Snippet, found: Sequence[Sequence[Block]]) -> Iterator[list[str]]:
    """Every `import a, b` on lines of their own; each alone; then `from x import a, b`."""
    items = [item for stretch in found for block in stretch for item in block if len(item.node.names) > 1]
    for sort in (ast.Import, ast.ImportFrom):
        changes = [_parted(item) for item in items if isinstance(item.node, sort) and len(item.lines) == 1]
        fit = [one for one in changes if one]
        if fit:
            yield _with(before, fit)
        for one in fit if len(fit) > 1 else ():
            yield _with(before, [one])


Change = tuple[int, int, tuple[str, ...]]


def _parted(item: Item) -> Change | None:
    if "#" in item.lines[0]:
        return None
    lines = [replaced_names(item.lines[0], item.node, [name]) for name in item.node.names]
    return (item.first, 1, tuple(line for one in lines if one for line in one)) if all(lines) else None


def merged(before: Snippet, found: Sequence[Sequence[Block]]) -> Iterator[list[str]]:
    """The `from x import` lines of one module in a block become one: all, those of each module, all but aliases."""
    for apart in (False, True):
        changes = [change for stretch in found for block in stretch for change in _merged(before, block, apart=apart)]
        if changes:
            yield _with(before, [one for change in changes for one in change])
        for change in changes if len(changes) > 1 else ():
            yield _with(before, change)


def _merged(before: Snippet, block: Block, *, apart: bool) -> Iterator[list[Change]]:
    """The changes for each module; `apart`: what has an alias keeps a line of its own."""
    same: dict[tuple[int, str], list[Item]] = {}
    for item in block:
        aliased = apart and any(name.asname for name in item.node.names)
        if isinstance(item.node, ast.ImportFrom) and len(item.lines) == 1 and "#" not in item.lines[0] and not aliased:
            same.setdefault((item.level, item.module), []).append(item)
    for items in same.values():
        names = {ast.unparse(name): name for item in items for name in item.node.names}
        if len(items) > 1 and "*" not in names:
            new = replaced_names(items[0].lines[0], items[0].node, list(names.values()))
            if new is None:
                head = items[0].lines[0].partition(" import ")[0]
                margin = indentation(head) + before.layout.unit
                new = (f"{head} import (", *(f"{margin}{name}," for name in names), f"{indentation(head)})")
            yield [(items[0].first, 1, new), *((item.first, 1, ()) for item in items[1:])]


def _sorted(block: Block, key: Callable[[Item], tuple[object, ...]] = by_type) -> Change:
    order = list(block) if is_sorted(block) and key is by_type else sorted(block, key=key)
    lines = tuple(rows([Item(one.node, with_sorted_names(one) or one.lines, one.first) for one in order]))
    return block[0].first, sum(len(item.lines) for item in block), lines


def _with(before: Snippet, changes: Sequence[Change]) -> list[str]:
    lines = list(before.lines)
    for first, count, new in sorted(changes, reverse=True):
        lines[first : first + count] = new
    return lines
