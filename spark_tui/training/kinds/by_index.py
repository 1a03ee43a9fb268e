"""Loops over elements, written as loops over indices or keys: the occasions of use_enumerate, use_zip and use_items."""

import ast
from collections.abc import Mapping
from random import Random

from spark_tui.editing.code import indentation, text_of
from spark_tui.editing.codemods.common.occasions import Change, Occasion, inserted, names_of, replaced, rewritten
from spark_tui.editing.codemods.idioms.element_loops import Loop, head, used_after
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds import pools
from spark_tui.training.kinds.base import Planted

_ITEM = "item|element|value|entry|row|current|one|record|node|each|x|elem|obj"


def by_index(
    snippet: Snippet, loop: Loop, target: str, source: str, elements: Mapping[str, str], rng: Random
) -> Planted | None:
    """The loop with another head, in which `elements` (names by what they stand for) are looked up."""
    changes: list[Change] = [head(snippet, loop, target, source)]
    lead = bool(loop.body) and loop.body[0].lineno - 1 > loop.line and rng.random() < 0.5
    if lead and not _changed(loop, elements):
        before = indentation(snippet.lines[loop.body[0].lineno - 1])
        lines = [f"{before}{name} = {value}" for name, value in elements.items()]
        changes.append(inserted(snippet, loop.body[0].lineno - 2, lines))
    else:
        for name, value in elements.items():
            found = lookups(snippet, loop, name, value)
            if found is None or used_after(snippet, loop, name):
                return None
            changes += found
    after = rewritten(snippet, [Occasion(loop.line, tuple(changes))])
    return Planted(Snippet(tuple(after))) if after else None


def _changed(loop: Loop, elements: Mapping[str, str]) -> bool:
    nodes = (node for part in loop.parts for node in ast.walk(part))
    return any(isinstance(n, ast.Name) and n.id in elements and not isinstance(n.ctx, ast.Load) for n in nodes)


def lookups(snippet: Snippet, loop: Loop, name: str, value: str) -> list[Change] | None:
    """The changes of a name into what it stands for; None when it does not only stand for that."""
    changes: list[Change] = []
    for part in loop.parts:
        for node in ast.walk(part):
            match node:
                case ast.JoinedStr() if name in names_of(node):
                    return None
                case ast.Lambda() | ast.FunctionDef() if name in names_of(node):
                    return None
                case ast.Name(id=own, ctx=context) if own == name:
                    if not isinstance(context, ast.Load):
                        return None
                    changes.append(replaced(snippet, node, value))
    return changes if 0 < len(changes) <= 5 else None


def index_name(snippet: Snippet, rng: Random) -> str | None:
    """A variable for an index that the snippet does not use yet."""
    known = names_of(snippet.tree)
    free = [name for name in ("i", "i", "idx", "index", "n", "j", "k", "pos") if name not in known]
    return rng.choice(free[:3]) if free else None


def element_name(snippet: Snippet, rng: Random) -> str | None:
    """A variable to tell for an element."""
    name = rng.choice(_ITEM.split("|")) if rng.random() < 0.6 else pools.noun(rng)
    return None if name in names_of(snippet.tree) else name


def plain(snippet: Snippet, node: ast.expr) -> str:
    """The source of a name or a chain of attributes, else ""."""
    inner = node
    while isinstance(inner, ast.Attribute):
        inner = inner.value
    return text_of(snippet, node) if isinstance(inner, ast.Name) else ""


def replaceable(loop: Loop, node: ast.Name) -> bool:
    """Whether a name is a plain argument or operand of the loop's body, and not its variable."""
    if node.id in names_of(loop.target) or node.id in ("self", "cls"):
        return False
    for part in loop.parts:
        for parent in ast.walk(part):
            if isinstance(parent, ast.JoinedStr) and any(child is node for child in ast.walk(parent)):
                return False
            if isinstance(parent, ast.Call) and any(child is node for child in parent.args):
                return True
    return False
