"""Edits that use a well-known name for the first time, with its import where the region has those of its module."""

import ast
import re
from collections.abc import Iterable, Iterator

from spark_tui.editing.codemods.base import Ops, applied, between, parses
from spark_tui.editing.codemods.imports.import_places import put_in
from spark_tui.editing.codemods.imports.usual_imports import usual_import
from spark_tui.editing.snippet import Snippet

_NAME = re.compile(r"(?<![\w.])[^\W\d]\w*")
_MOST = 6
"""Edits that are looked at: the likeliest."""


def imported_too(before: Snippet, found: Iterable[Ops]) -> Iterator[Ops]:
    """The edits, those that need an import preceded by themselves with it."""
    imports = not before.margin and any(isinstance(one, ast.Import | ast.ImportFrom) for one in before.tree.body)
    known = frozenset(_NAME.findall("\n".join(before.lines))) if imports else frozenset()
    for at, ops in enumerate(found):
        if imports and at < _MOST and (more := _with_imports(before, ops, known)):
            yield more
        yield ops


def _with_imports(before: Snippet, ops: Ops, known: frozenset[str]) -> Ops | None:
    """The edit with what it needs imported; None where that is nothing, or has no place."""
    after = applied(before, ops)
    if not parses(after):
        return None
    new = Snippet(tuple(after))
    used = {one.id for one in new.nodes if isinstance(one, ast.Name) and one.id not in known}
    lines = [line for name in sorted(used) if (line := usual_import(name))]
    if not lines:
        return None
    for line in lines:
        put = put_in(new, line)
        if put is None:
            return None
        new = Snippet(tuple(applied(new, put)))
    return between(before, new.lines)
