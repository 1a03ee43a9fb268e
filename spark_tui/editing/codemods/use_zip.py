"""Loops that index several sequences at once become loops over zip."""

import ast
from collections.abc import Iterator
from typing import ClassVar

from spark_tui.editing.code import text_of
from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.common.occasions import Change, Occasion, Places
from spark_tui.editing.codemods.idioms.element_loops import (
    Loop,
    Namer,
    changed_within,
    elements,
    head,
    loops,
    others,
    range_of_length,
    singular,
    taken,
    used_after,
)
from spark_tui.editing.snippet import Snippet


class UseZip(Places):
    """`for i in range(len(a))` with `a[i]` and `b[i]` becomes `for x, y in zip(a, b)`.

    So does `for i, x in enumerate(a)` with `b[i]`. Where the index itself is needed, it stays, by enumerate.
    """

    kind: ClassVar[str] = "use_zip"

    def occasions(self, before: Snippet, request: Request) -> Iterator[Occasion]:
        """Every loop that indexes two sequences or more."""
        namer = Namer(before, request)
        for loop in loops(before):
            if found := _zipped(before, loop, namer):
                yield found


def _zipped(before: Snippet, loop: Loop, namer: Namer) -> Occasion | None:
    parts = _head(before, loop)
    if parts is None:
        return None
    index, first, given = parts
    found = taken(loop, index)
    read = [source for source, one in found.items() if one.loads and not one.stores]
    sources = [first, *(one for one in read if one != first)] if given or first in read else read
    if len(sources) < 2 or len(sources) > 4 or any(changed_within(loop, one) for one in (index, *sources)):
        return None
    targets, changes = [given] if given else [], list[Change]()
    for number, source in enumerate(sources):
        if number == 0 and given:
            if found.get(source):
                return None
            continue
        one = found[source]
        name = "" if one.lead else namer.name(loop, singular(source), len(targets) - bool(given))
        part = elements(before, loop, one, name)
        if part is None:
            return None
        targets.append(part[0])
        changes += part[1]
    known = [node for source in sources if source in found for node in found[source].loads]
    both, zipped = ", ".join(targets), f"zip({', '.join(sources)})"
    if others(loop, index, known) or used_after(before, loop, index):
        both, zipped = f"{index}, ({both})", f"enumerate({zipped})"
    return Occasion(loop.line, (*changes, head(before, loop, both, zipped)), (*sources, index))


def _head(before: Snippet, loop: Loop) -> tuple[str, str, str] | None:
    """The index, the sequence that is looped over, and what already stands for its element."""
    if isinstance(loop.target, ast.Name) and (source := range_of_length(loop.iter)):
        return loop.target.id, source, ""
    match loop.target, loop.iter:
        case ast.Tuple(elts=[ast.Name(id=index), element]), ast.Call(
            func=ast.Name(id="enumerate"), args=[ast.Name() | ast.Attribute() as looped], keywords=[]
        ):
            return index, text_of(before, looped), text_of(before, element)
    return None
