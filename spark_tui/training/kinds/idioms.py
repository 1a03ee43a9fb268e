"""Changing one expression for a better one, wherever it stands: shared by the kinds for idioms."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from random import Random

from spark_tui.editing.codemods.common.changes import Change, changed
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import outside_fstrings
from spark_tui.training.kinds.base import Edit, Planted

_CONDITIONS = (ast.BoolOp, ast.If, ast.While, ast.Assert, ast.IfExp, ast.Return, ast.Assign, ast.comprehension)


def conditions(tree: ast.AST) -> Iterator[tuple[ast.expr, ast.AST]]:
    """Every expression outside f-strings whose place also takes a comparison or a `not`, with its parent."""
    for parent in outside_fstrings(tree):
        if isinstance(parent, _CONDITIONS) or (isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.Not)):
            yield from ((child, parent) for child in ast.iter_child_nodes(parent) if isinstance(child, ast.expr))


def propose_changes(snippet: Snippet, found: Sequence[Change], rng: Random, one: str, many: str) -> Edit | None:
    """Make all the changes, the one that a name tells, or the only one on the selected line.

    Args: one, many: what people call one or several occasions, parted by `|`; they fill {one} and {many}. What
        tells a change apart fills {name}.
    """
    if not found:
        return None
    chosen = rng.choice(found)
    roll = rng.random()
    if roll < 0.25 and sum(chosen.first <= other.first <= chosen.last for other in found) == 1:
        return edit_of(snippet, [chosen], {}, (chosen.first, chosen.last))
    name = chosen.names[0] if chosen.names else ""
    if roll < 0.5 and name and sum(name in other.names for other in found) == 1:
        return edit_of(snippet, [chosen], {"name": name})
    if len(found) == 1:
        return edit_of(snippet, found, {"one": rng.choice(one.split("|"))})
    return edit_of(snippet, found, {"many": rng.choice(many.split("|"))}) if len(found) <= 8 else None


def edit_of(
    snippet: Snippet, changes: Sequence[Change], slots: Mapping[str, str], selected: tuple[int, int] | None = None
) -> Edit | None:
    """The edit that makes the changes, unless a line gets too long."""
    after = changed(snippet, changes)
    if after is None:
        return None
    first, last = min(one.first for one in changes), max(one.first for one in changes)
    inside = [one for one in snippet.functions if one.lineno <= first + 1 and last < (one.end_lineno or 0)]
    where = {"function": inside[-1].name} if inside else {}
    return Edit.between(snippet, after, {**slots, **where}, selected)


def plant_changes(snippet: Snippet, found: Sequence[Change], rng: Random) -> Planted | None:
    """Make some of the changes: most of the time one, else all."""
    if not found:
        return None
    after = changed(snippet, found if rng.random() < 0.35 else [rng.choice(found)])
    return Planted(Snippet(tuple(after))) if after else None
