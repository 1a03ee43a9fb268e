"""Every check against None, or default in its place, that a name used without one could lack."""

import ast
import re
from collections.abc import Iterator
from typing import ClassVar

from spark_tui.editing.codemods.base import Codemod, Ops, Request
from spark_tui.editing.codemods.bugs.absent_values import absent_values
from spark_tui.editing.codemods.bugs.containers_near import looked_up
from spark_tui.editing.codemods.bugs.mistaken import edits_of
from spark_tui.editing.codemods.bugs.none_guards import Guard, guards
from spark_tui.editing.codemods.bugs.none_told import told_edits
from spark_tui.editing.codemods.bugs.or_nothing import or_nothing
from spark_tui.editing.codemods.bugs.or_written_out import or_written_out
from spark_tui.editing.codemods.bugs.slips import meant
from spark_tui.editing.codemods.common.named import surely_named, words
from spark_tui.editing.snippet import Snippet

_ATTRIBUTE = re.compile(r"'?NoneType'? (?:object )?has no attribute [`'\"]?(\w+)")
_ELEMENT = re.compile(r"'?NoneType'? object is not subscriptable")
_LOOP = re.compile(r"'?NoneType'? object is not iterable|of type 'NoneType' has no len")


class FixDefaultNone(Codemod):
    """`if x is None:` with a default, return, continue or raise; `x = x or []`; `if x is not None:` around the use."""

    kind: ClassVar[str] = "fix_default_none"
    repairs: ClassVar[bool] = True
    local: ClassVar[bool] = False  # the check often stands above the line that fails

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """What the words tell comes first, then a default that fits the use."""
        yield from or_written_out(before, request)
        told = list(told_edits(before, request.instruction))
        yield from meant(before, request.instruction, told)
        yield from meant(before, request.instruction, absent_values(before, request.instruction))
        yield from edits_of(before, request, looked_up(before, request.instruction))
        yield from meant(before, request.instruction, or_nothing(before, request.instruction))
        found = list(guards(before, request.instruction))
        said = words(request.instruction)
        names = frozenset(one.suspect.name for one in found)
        named = surely_named(request.instruction, names) or names & said
        kept = [
            one for one in found if (not (named or told) or one.suspect.name in named) and _fits(one, request, before)
        ]
        yield from meant(before, request.instruction, [(one.suspect.function, one.ops) for one in kept])


def _fits(guard: Guard, request: Request, before: Snippet) -> bool:
    """Whether the guard is about what an error message says, and about a name in the lines selected."""
    said, uses = request.instruction, guard.suspect.uses
    if match := _ATTRIBUTE.search(said):
        fits = any(isinstance(one, ast.Attribute) and one.attr == match[1] for one in uses)
    elif _ELEMENT.search(said):
        fits = any(isinstance(one, ast.Subscript) for one in uses)
    elif _LOOP.search(said):
        fits = any(isinstance(one, ast.Name) for one in uses)
    else:
        fits = True
    if request.selected and fits:
        first, last = request.selected
        return any(guard.suspect.name in words(line) for line in before.lines[first : last + 1])
    return fits
