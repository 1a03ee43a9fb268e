"""A local renamed in its own functions only: others use the new name, or mean something else by the old one.

A method `total` may well have a local `total`: its own name is not in the way of it.
"""

import ast
import builtins
import re
from collections.abc import Iterator

from spark_tui.editing import code
from spark_tui.editing.codemods.base import Ops, between
from spark_tui.editing.identifiers import Use, uses
from spark_tui.editing.snippet import Snippet

_DEFINED = re.compile(r"\bdef\s+$")
Function = ast.FunctionDef | ast.AsyncFunctionDef


def locally(before: Snippet, old: str, new: str) -> Ops:
    """The renaming of a local in every function that sets it; empty where one of them uses the new name already."""
    text = "\n".join(before.lines)
    every = list(uses(text))
    inside = [list(_inside(before, function, every)) for function in _owners(before, old)]
    if not inside or any(use.name == new for own in inside for use in own):
        return ()
    after = text
    for use in sorted({use for own in inside for use in own if use.name == old}, key=lambda use: -use.start):
        after = after[: use.start] + new + after[use.end :]
    return between(before, after.split("\n"))


def is_local(before: Snippet, name: str) -> bool:
    """Whether a name is set in functions, and outside of them is a builtin at most."""
    owners = _owners(before, name)
    here = {node for owner in owners for node in ast.walk(owner)}
    outside = [node for node in before.nodes if node not in here]
    return bool(owners) and not any(_binds(node, name) for node in outside) and hasattr(builtins, name)


def imported(before: Snippet, name: str) -> list[ast.alias]:
    """The imports that bring a name under no other one."""
    imports = [node for node in before.nodes if isinstance(node, ast.Import | ast.ImportFrom)]
    found = [alias for node in imports for alias in node.names if alias.asname is None]
    return [alias for alias in found if alias.name.partition(".")[0] == name]


def as_alias(before: Snippet, old: str, new: str) -> Ops:
    """What is imported is called otherwise here: `import json as js`; empty where that cannot be said."""
    aliases = imported(before, old)
    if any("." in alias.name for alias in aliases):
        return ()
    text = "\n".join(before.lines)
    spots = {code.position(before, alias.lineno, alias.col_offset) for alias in aliases}
    for use in sorted(uses(text), key=lambda use: -use.start):
        if use.name == old:
            row = text.count("\n", 0, use.start)
            column = use.start - (text.rfind("\n", 0, use.start) + 1)
            text = text[: use.start] + (f"{old} as {new}" if (row, column) in spots else new) + text[use.end :]
    return between(before, text.split("\n"))


def methods(before: Snippet) -> set[str]:
    """What the classes of a region define."""
    classes = [node for node in before.nodes if isinstance(node, ast.ClassDef)]
    return {one.name for node in classes for one in node.body if isinstance(one, Function | ast.ClassDef)}


def as_method(before: Snippet, old: str, new: str) -> Ops:
    """A method renamed where a class defines it and where its own objects call it; empty where they do not."""
    text = "\n".join(before.lines)
    classes = "|".join(node.name for node in before.nodes if isinstance(node, ast.ClassDef))
    if old not in methods(before):
        return ()
    owned = re.compile(rf"\b(?:self|cls|super\(\)|{classes})\.$")
    every = list(uses(text))
    called = [use for use in every if use.name == f".{old}" and owned.search(text[: text.index(old, use.start)])]
    heads = [use for use in every if use.name == old and _DEFINED.search(text[: use.start])]
    if not called or not heads or any(use.name in (new, f".{new}") for use in every):
        return ()
    for use in sorted([*called, *heads], key=lambda use: -use.start):
        start = text.index(old, use.start)
        text = text[:start] + new + text[start + len(old) :]
    return between(before, text.split("\n"))


def _owners(before: Snippet, name: str) -> list[Function]:
    """The functions whose own a name is, none that is in another one of them."""
    own = [one for one in before.functions if _is_own(one, name)]
    return [one for one in own if not any(one in ast.walk(other) for other in own if other is not one)]


def _is_own(function: Function, name: str) -> bool:
    """Whether a function sets a name for itself, and its head says it as a parameter at most."""
    if any(name in node.names for node in code.walk_scope(function) if isinstance(node, ast.Global | ast.Nonlocal)):
        return False
    spec = function.args
    hints = [one.annotation for one in code.parameters(function)]
    head = [*spec.defaults, *spec.kw_defaults, *hints, function.returns, *function.decorator_list]
    if any(isinstance(node, ast.Name) and node.id == name for one in head if one for node in ast.walk(one)):
        return False
    set_there = any(_binds(node, name) for node in code.walk_scope(function))
    return set_there or name in [one.arg for one in code.parameters(function)]


def _binds(node: ast.AST, name: str) -> bool:
    match node:
        case ast.Name(id=bound, ctx=ast.Store()) | ast.ExceptHandler(name=bound) | ast.alias(asname=bound):
            return bound == name
        case ast.FunctionDef(name=bound) | ast.AsyncFunctionDef(name=bound) | ast.ClassDef(name=bound):
            return bound == name
    return False


def _inside(before: Snippet, function: Function, every: list[Use]) -> Iterator[Use]:
    """The names that stand in a function, its own not counted."""
    text = "\n".join(before.lines)
    starts = [0]
    for line in before.lines:
        starts.append(starts[-1] + len(line) + 1)
    first, last = starts[function.lineno - 1], starts[function.end_lineno or function.lineno]
    own = text.index(function.name, text.index("def", first) + 3)
    return (use for use in every if first <= use.start < last and use.start != own)
