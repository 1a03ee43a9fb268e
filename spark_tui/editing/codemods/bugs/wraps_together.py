"""What words say was done to a value, done wherever it is read; and to a comprehension without its brackets."""

import ast
from collections.abc import Iterator, Sequence

from spark_tui.editing.code import Position, end_of, splice, start_of, text_of
from spark_tui.editing.codemods.bugs.slips import Spot
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import spliced

_EAGER = ("set(", "tuple(", "frozenset(", "sorted(", "dict.fromkeys(", "list(dict.fromkeys(", "sum(")
_MOST_USES = 4


def done_to_all(before: Snippet, found: Sequence[tuple[Spot, str]]) -> Iterator[list[str]]:
    """The lines after each value that is read more than once got its form: in like places, then everywhere."""
    alike: dict[tuple[str, ...], list[ast.expr]] = {}
    every: dict[tuple[str, ...], list[ast.expr]] = {}
    for spot, form in found:
        node, parent = spot.node, spot.parent
        if isinstance(node, ast.Name | ast.Attribute) and (source := text_of(before, node)):
            place = type(parent).__name__, str(getattr(parent, "attr", ""))
            alike.setdefault((source, form, *place), []).append(node)
            every.setdefault((source, form), []).append(node)
    for groups in (alike, every):
        for (source, form, *_), nodes in groups.items():
            if 1 < len(nodes) <= _MOST_USES:
                yield spliced(before, [(node, form.format(source)) for node in nodes])


def unbracketed(before: Snippet, node: ast.expr, form: str) -> list[str] | None:
    """The lines with a list comprehension as what a form takes in, one by one."""
    head, _, tail = form.partition("{}")
    if not isinstance(node, ast.ListComp) or head not in _EAGER:
        return None
    (row, start), (last, end) = start_of(before, node), end_of(before, node)
    closing: Position = (last, end - 1)
    lines = splice(before.lines, closing, (last, end), tail)
    return splice(lines, (row, start), (row, start + 1), head)
