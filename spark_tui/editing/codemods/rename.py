"""Judges a renaming: exactly one name became another one, wherever it is used."""

from collections.abc import Sequence
from typing import ClassVar

from spark_tui.editing.codemods.base import Codemod, Request
from spark_tui.editing.codemods.named import words
from spark_tui.editing.identifiers import names_in, substitute, uses
from spark_tui.editing.snippet import Snippet


class Rename(Codemod):
    """A name that the region uses becomes one that is new to it and that the instruction says."""

    kind: ClassVar[str] = "rename"
    local: ClassVar[bool] = False

    def objection(self, before: Snippet, after: Sequence[str], request: Request) -> str:
        """It says what else was changed, or what is wrong with the new name."""
        text = "\n".join(before.lines)
        pairs = {(one.name, two.name) for one, two in zip(uses(text), uses("\n".join(after)), strict=False)}
        changed = sorted((old, new) for old, new in pairs if old != new)
        bare = {(old.lstrip("."), new.lstrip(".")) for old, new in changed}
        if len(bare) != 1 or any(old.startswith(".") != new.startswith(".") for old, new in changed):
            return "not exactly one name was changed"
        lines: Sequence[str] = before.lines
        for old, new in changed:
            lines = substitute(lines, old, new)
        if list(lines) != list(after):
            return "it was not changed everywhere, or something else was"
        new = bare.pop()[1]
        if {new, f".{new}"} & names_in(text):
            return f"{new} is used here already"
        return "" if new in words(request.instruction) else f"{new} was not asked for"
