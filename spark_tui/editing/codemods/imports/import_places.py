"""Where an import goes among those there are: into one of its module, else where the order of its group wants it."""

import ast
from collections.abc import Callable, Sequence

from spark_tui.editing.code import MAX_WIDTH
from spark_tui.editing.codemods.base import Ops
from spark_tui.editing.codemods.imports.import_blocks import (
    Block,
    Item,
    by_module,
    by_type,
    group_of,
    item_of,
    name_key,
    names_sorted,
    replaced_names,
    stretches,
)
from spark_tui.editing.script import Insert, Replace
from spark_tui.editing.snippet import Snippet

_FEWEST = 3
"""Imports in a group whose order tells anything."""


def put_in(before: Snippet, line: str) -> Ops | None:
    """The edit for an import at the top of a module, or None where nothing tells the place but the end of them all."""
    new = item_of(line)
    found = stretches(before)
    if not found or before.margin:
        return None
    items = [item for block in found[0] for item in block]
    return _with_names(items, new) or _in_order(found[0], new)


def put_among(before: Snippet, line: str) -> Ops | None:
    """The edit for an import in its group, or between the groups that it parts, where these are but in their order."""
    new = item_of(line)
    found = stretches(before)
    if not found or before.margin:
        return None
    stretch = found[0]
    for block in stretch:
        for key in (by_type, by_module):
            wanted = sorted([*block, new], key=key)
            rest = [item for item in wanted if item is not new]
            if {group_of(item) for item in block} == {group_of(new)} and rest == list(block):
                return _above(wanted, new, block)
    later = next((block for block in stretch if min(map(group_of, block)) > group_of(new)), None)
    if later is None or any(group_of(item) == group_of(new) for block in stretch for item in block):
        return None
    return (Insert(later[0].first - 1, (*new.lines, "")),)


def _above(wanted: Sequence[Item], new: Item, block: Block) -> Ops:
    at = wanted.index(new)
    after = wanted[at - 1].first + len(wanted[at - 1].lines) - 1 if at else block[0].first - 1
    return (Insert(after, new.lines),)


def _with_names(items: Sequence[Item], new: Item) -> Ops | None:
    """The import of the same module with one name more; in order where its names are."""
    if isinstance(new.node, ast.Import):
        return None
    for item in items:
        same = isinstance(item.node, ast.ImportFrom) and (item.module, item.level) == (new.module, new.level)
        if not same or any(alias.asname or alias.name == "*" for alias in item.node.names):
            continue
        names = [*item.node.names, *new.node.names]
        if names_sorted(item.node) and len(item.node.names) > 1:
            names = _sorted_like(item.node.names, names)
        elif len(item.node.names) == 1:
            names.sort(key=name_key)
        if len(item.lines) == 1 and (lines := replaced_names(item.lines[0], item.node, names)):
            return (Replace(item.first, item.first, lines),) if len(lines[0]) <= MAX_WIDTH else None
        return _on_a_line(item, names, new.node.names[0])
    return None


def _sorted_like(old: Sequence[ast.alias], names: list[ast.alias]) -> list[ast.alias]:
    """Names in the usual order that the old ones are in."""
    orders: tuple[Callable[[ast.alias], tuple[int, str, str]], ...] = (
        name_key,
        lambda one: (0, one.name, ""),
        lambda one: (0, one.name.lower(), ""),
    )
    key = next((each for each in orders if list(old) == sorted(old, key=each)), name_key)
    return sorted(names, key=key)


def _on_a_line(item: Item, names: Sequence[ast.alias], new: ast.alias) -> Ops | None:
    """One name a line between parentheses: one more line."""
    alone = [f"{alias.name}," for alias in item.node.names]
    if [line.strip() for line in item.lines[1:-1]] != alone or item.lines[-1].strip() != ")":
        return None
    margin = item.lines[1][: len(item.lines[1]) - len(item.lines[1].lstrip())]
    return (Insert(item.first + list(names).index(new), (f"{margin}{new.name},",)),)


def _in_order(stretch: Sequence[Block], new: Item) -> Ops | None:
    """A line of its own in the sorted block of its group."""
    for block in stretch:
        if len(block) < _FEWEST or {group_of(item) for item in block} != {group_of(new)}:
            continue
        for key in (by_type, by_module):
            wanted = sorted([*block, new], key=key)
            if [item for item in wanted if item is not new] == list(block):
                return _above(wanted, new, block)
    return None
