"""The imports that an edit needs: of well-known names that it was told to use, and that its file lacks."""

import ast
from collections.abc import Collection, Iterator, Sequence

from spark_tui.editing.checks import new_names
from spark_tui.editing.codemods.add_import import with_import
from spark_tui.editing.codemods.common.said import plain_word
from spark_tui.editing.codemods.imports.usual_imports import dotted_modules, usual_import, usual_members
from spark_tui.editing.identifiers import names_in
from spark_tui.editing.snippet import Around, Snippet
from spark_tui.editing.stretches import is_large
from spark_tui.editing.text import Text

_FAULTS = (SyntaxError, ValueError, RecursionError, MemoryError)
_OFTEN_OWN = frozenset(
    "Condition Container Event Flag Future Number Pool Template Timer Type".split()  # noqa: SIM905
)
"""What a project may well have a class of its own for."""


def with_imports(base: Text, after: Text, told: Collection[str]) -> Text:
    """A Python file with an edit, and with the imports which that needs, where these are known.

    Args: base: the file. after: with the edit. told: names that the user asked for: no others are imported.
    """
    come = {one for line in set(after.lines) - set(base.lines) for one in names_in(line)}
    if is_large(after) or not any(usual_import(name) for name in come.intersection(told)):
        return after
    try:
        new = come.intersection(told) & new_names(base.to_bytes(), after.to_bytes())
        top: Snippet | None = Snippet(after.lines, Around(opens=True))
        for line in sorted({line for name in new for line in _needed(name, top.nodes if top else ())}):
            top = with_import(top, line) if top else None
    except _FAULTS:
        return after
    return after.replace_lines(0, len(after.lines), top.lines) if new and top else after


def _needed(name: str, nodes: Sequence[ast.AST]) -> Iterator[str]:
    """The imports of a name by its uses: of what is called so, of a module, or of one inside that."""
    usual = usual_import(name)
    if usual is None:
        return
    members = [ast.unparse(node) for node in nodes if isinstance(node, ast.Attribute) and _owner(node) == name]
    inside = {module for module in dotted_modules(name) if any(f"{one}.".startswith(f"{module}.") for one in members)}
    of_module = any(one.split(".")[1] in usual_members(name) for one in members)
    if inside:
        yield from (f"import {module}" for module in inside)
    elif of_module or (members and usual.startswith("import ")):
        yield usual if usual.startswith("import ") else f"import {name}"
    elif usual.startswith("from ") and name not in _OFTEN_OWN and _is_sure(name, nodes):
        yield usual


def _owner(node: ast.expr) -> str:
    """The name that a chain of attributes begins with, or ""."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _is_sure(name: str, nodes: Sequence[ast.AST]) -> bool:
    """Whether a name is that of the library: no word of everyday language, or a decorator."""
    functions = (node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef))
    decorators = (one for node in functions for one in node.decorator_list)
    heads = (one.func if isinstance(one, ast.Call) else one for one in decorators)
    return not (name.islower() and plain_word(name)) or any(
        isinstance(one, ast.Name) and one.id == name for one in heads
    )
