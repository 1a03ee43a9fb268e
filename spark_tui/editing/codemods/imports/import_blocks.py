"""Import statements that stand together, and the orders they can be put in."""

import ast
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from spark_tui.editing.code import MAX_WIDTH, indentation, stands_alone, statement_lines
from spark_tui.editing.codemods.common.tidy import blocks
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.trees import parse

Import = ast.Import | ast.ImportFrom


@dataclass(frozen=True, slots=True)
class Item:
    """An import statement and its lines."""

    node: Import
    lines: tuple[str, ...]
    first: int

    @property
    def module(self) -> str:
        """What it imports from, or the first module it imports."""
        return self.node.names[0].name if isinstance(self.node, ast.Import) else self.node.module or ""

    @property
    def level(self) -> int:
        """How many dots a relative import begins with."""
        return self.node.level if isinstance(self.node, ast.ImportFrom) else 0


Block = Sequence[Item]


def item_of(line: str) -> Item:
    """An import that is on no line yet."""
    node = parse(line).body[0]
    assert isinstance(node, Import)
    return Item(node, (line,), 0)


def stretches(before: Snippet) -> list[list[Block]]:
    """The stretches of imports; blank lines part the blocks of one."""
    found: list[list[Block]] = []
    for _, body in blocks(before.tree):
        last = -2
        for node in body:
            if not isinstance(node, Import) or not stands_alone(before, node) or "\\" in before.lines[node.lineno - 1]:
                last = -2
                continue
            first, end = statement_lines(node)
            item = Item(node, before.lines[first : end + 1], first)
            if last < 0 or any(line.strip() for line in before.lines[last + 1 : first]):
                found.append([[item]])
            elif first == last + 1:
                found[-1][-1] = [*found[-1][-1], item]
            else:
                found[-1].append([item])
            last = end
    return found


def by_type(item: Item) -> tuple[object, ...]:
    """The place of an import where plain imports come before `from` imports (isort's way)."""
    plain = isinstance(item.node, ast.Import)
    return item.module != "__future__", not plain, item.level > 0, -item.level, item.module.lower(), item.module


def by_module(item: Item) -> tuple[object, ...]:
    """The place of an import where only the module counts."""
    plain = isinstance(item.node, ast.Import)
    return item.module != "__future__", item.level > 0, -item.level, item.module.lower(), not plain


def group_of(item: Item) -> int:
    """0 for __future__, 1 for the standard library, 2 for other packages, 3 for relative imports."""
    if item.level:
        return 3
    root = item.module.partition(".")[0]
    return 0 if root == "__future__" else 1 if root in sys.stdlib_module_names else 2


def is_sorted(block: Block) -> bool:
    """Whether a block is in one of the usual orders."""
    return any(list(block) == sorted(block, key=key) for key in (by_type, by_module))


def grouped(stretch: Sequence[Block]) -> Sequence[Sequence[Item]]:
    """The imports of a stretch in blocks by group, unless its blocks are that already."""
    kinds = [{group_of(item) for item in block} for block in stretch]
    if all(len(one) == 1 for one in kinds) and (order := [min(one) for one in kinds]) == sorted(order):
        return stretch
    items = [item for block in stretch for item in block]
    found = ([item for item in items if group_of(item) == number] for number in range(4))
    return [one for one in found if one]


def name_key(alias: ast.alias) -> tuple[int, str, str]:
    """The place of a name: constants, then classes, then the rest."""
    name = alias.name
    return 0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2, name.lower(), name


def names_sorted(node: Import) -> bool:
    """Whether the names after `from x import` are in one of the usual orders."""
    names = [alias.name for alias in node.names]
    orders = (sorted(names), sorted(names, key=str.lower), [one.name for one in sorted(node.names, key=name_key)])
    return names in orders


def with_sorted_names(item: Item) -> tuple[str, ...] | None:
    """The lines with the names in order, or None when they are or cannot be."""
    node = item.node
    if isinstance(node, ast.Import) or names_sorted(node):
        return None
    return with_names(item, sorted(node.names, key=name_key))


def with_names(item: Item, order: Sequence[ast.alias]) -> tuple[str, ...] | None:
    """The lines with the names in that order, or None when they cannot be."""
    node = item.node
    if len(item.lines) == 1:
        return replaced_names(item.lines[0], node, order)
    middle = [line.strip() for line in item.lines[1:-1]]
    alone = [ast.unparse(one) for one in node.names] == [line.rstrip(",") for line in middle]
    if not alone or item.lines[0].split("#")[0].rstrip()[-1:] != "(":
        return None
    margin, comma = indentation(item.lines[1]), middle[-1].endswith(",")
    lines = [f"{margin}{ast.unparse(one)}," for one in order]
    lines[-1] = lines[-1] if comma else lines[-1].rstrip(",")
    return item.lines[0], *lines, item.lines[-1]


def replaced_names(line: str, node: Import, names: Sequence[ast.alias]) -> tuple[str, ...] | None:
    """A line with other names imported, or None when it is too long then or written in an unusual way."""
    old, new = (", ".join(map(ast.unparse, each)) for each in (node.names, names))
    head, _, tail = line.partition(f"import {old}")
    bare = f"import {old}" in line
    if not bare:
        head, _, tail = line.partition(f"import ({old}")
    text = f"{head}import {'' if bare else '('}{new}{tail}"
    return (text,) if old in line and head + tail != line and len(text) <= MAX_WIDTH else None


def rows(block: Block) -> Iterator[str]:
    """The lines of the imports."""
    for item in block:
        yield from item.lines
