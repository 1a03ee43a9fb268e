"""Names that code gives to others, and what of these an edit leaves behind that no longer leads anywhere."""

import ast
import textwrap
from collections.abc import Collection, Iterator, Sequence

from spark_tui.editing.checks import Check
from spark_tui.editing.identifiers import uses
from spark_tui.editing.trees import read_tree

_MOST_SHOWN = 5


def names_for_others(tree: ast.Module | None) -> set[str]:
    """The names in a module that others may know; those of attributes begin with a dot. None: it cannot be read."""
    return set(_names(tree)) if tree else set()


def left_behind(
    before: Sequence[str], after: Sequence[str], others: Sequence[tuple[int, Sequence[str]]], *, in_class: bool
) -> tuple[Check, ...]:
    """That a name which a region loses is still used around it, where the file cannot be read; or nothing.

    Args: before, after: the region without and with an edit. others: the other lines of the file, with the number of
        their first. in_class: whether the region is a method.
    """
    lost = names_for_others(_tree(before)) - names_for_others(_tree(after))
    lost = {f".{name.removeprefix('.')}" for name in lost} if in_class else lost
    found = [(use, row) for first, lines in others for use, row in _used(lines, first) if use in lost]
    if not found:
        return ()
    names = ", ".join(sorted({name.removeprefix(".") for name, _ in found}))
    rows = sorted({row for _, row in found})
    shown = ", ".join(map(str, rows[:_MOST_SHOWN])) + (" and more" if len(rows) > _MOST_SHOWN else "")
    why = "which cannot be changed with it while the file does not parse; fix that first"
    return (Check("names", ok=False, detail=f"{names} is also in line {shown}, {why}"),)


def _used(lines: Sequence[str], first: int) -> Iterator[tuple[str, int]]:
    text = "\n".join(lines)
    return ((use.name, first + text.count("\n", 0, use.start)) for use in uses(text))


def _tree(lines: Sequence[str]) -> ast.Module | None:
    return read_tree(textwrap.dedent("\n".join(lines)).encode("utf-8", "surrogateescape"))


def _names(tree: ast.Module) -> Iterator[str]:
    yield from _defined(tree.body, "")
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef(body=body):
                yield from _defined(body, ".")
            case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name, ctx=ast.Store()):
                yield f".{name}"


def _defined(body: Collection[ast.stmt], mark: str) -> Iterator[str]:
    for statement in body:
        match statement:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield mark + name
            case ast.Assign(targets=targets):
                yield from (mark + target.id for target in targets if isinstance(target, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield mark + name
            case ast.If(body=inner, orelse=other) | ast.Try(body=inner, orelse=other):
                yield from _defined([*inner, *other], mark)
