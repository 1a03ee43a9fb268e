"""Changing one expression for a better one, wherever it stands: shared by the kinds for idioms."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from random import Random

from spark_tui.editing import code
from spark_tui.editing.code import MAX_WIDTH
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.base import Edit, Planted
from spark_tui.training.kinds.statements import outside_fstrings, spliced

Change = tuple[ast.expr, str]
_CONDITIONS = (ast.BoolOp, ast.If, ast.While, ast.Assert, ast.IfExp, ast.Return, ast.Assign, ast.comprehension)


def conditions(tree: ast.AST) -> Iterator[tuple[ast.expr, ast.AST]]:
    """Every expression outside f-strings whose place also takes a comparison or a `not`, with its parent."""
    for parent in outside_fstrings(tree):
        if isinstance(parent, _CONDITIONS) or (isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.Not)):
            yield from ((child, parent) for child in ast.iter_child_nodes(parent) if isinstance(child, ast.expr))


def propose_changes(
    snippet: Snippet, found: Sequence[Change], rng: Random, one: str, many: str, names: Sequence[str] = ()
) -> Edit | None:
    """Make all the changes, the one that a name tells, or the only one on the selected line.

    Args: one, many: what people call one or several occasions, parted by `|`; they fill {one} and {many}.
        names: what each change could be told by, as the slot {name}.
    """
    if not found:
        return None
    at = rng.randrange(len(found))
    first, last = found[at][0].lineno - 1, (found[at][0].end_lineno or 0) - 1
    roll = rng.random()
    if roll < 0.25 and sum(first <= node.lineno - 1 <= last for node, _ in found) == 1:
        return edit_of(snippet, [found[at]], {}, (first, last))
    if roll < 0.5 and names and names[at] and list(names).count(names[at]) == 1:
        return edit_of(snippet, [found[at]], {"name": names[at]})
    if len(found) == 1:
        return edit_of(snippet, found, {"one": rng.choice(one.split("|"))})
    return edit_of(snippet, found, {"many": rng.choice(many.split("|"))}) if len(found) <= 8 else None


def edit_of(
    snippet: Snippet, changes: Sequence[Change], slots: Mapping[str, str], selected: tuple[int, int] | None = None
) -> Edit | None:
    """The edit that makes the changes, unless a line gets too long."""
    if any(_hangs(snippet, (node.end_lineno or 0) - 1) for node, _ in changes):
        return None
    after = spliced(snippet, changes)
    if any(len(line) > MAX_WIDTH for line in set(after) - set(snippet.lines)):
        return None
    first, last = min(node.lineno for node, _ in changes), max(node.lineno for node, _ in changes)
    inside = [one for one in snippet.functions if one.lineno <= first and last <= (one.end_lineno or 0)]
    where = {"function": inside[-1].name} if inside else {}
    return Edit.between(snippet, after, {**slots, **where}, selected)


def _hangs(snippet: Snippet, line: int) -> bool:
    """Whether the next line is aligned with something in this one."""
    text, below = snippet.lines[line], "".join(snippet.lines[line + 1 : line + 2])
    step = len(code.indentation(below)) - len(code.indentation(text))
    return step > len(snippet.layout.unit) and sum(text.count(c) for c in "([{") > sum(text.count(c) for c in ")]}")


def plant_changes(snippet: Snippet, found: Sequence[Change], rng: Random) -> Planted | None:
    """Make some of the changes: most of the time one, else all."""
    if not found:
        return None
    chosen = found if rng.random() < 0.35 else [rng.choice(found)]
    return Planted(Snippet(tuple(spliced(snippet, chosen))))


def operator_text(snippet: Snippet, node: ast.Compare) -> tuple[str, str, str] | None:
    """A comparison on one line as (left with its parentheses, operator, right with its parentheses)."""
    text = code.text_of(snippet, node)
    if not text or len(node.ops) != 1:
        return None
    start, left, right = node.col_offset, node.left.end_col_offset or 0, node.comparators[0].col_offset
    middle = text.encode()[left - start : right - start].decode()
    closed = len(middle) - len(middle.lstrip(") "))
    opened = len(middle.rstrip("( "))
    before = text.encode()[: left - start].decode() + middle[:closed].rstrip()
    after = middle[opened:].lstrip() + text.encode()[right - start :].decode()
    return before, middle[closed:opened], after
