"""Reading the tables of before and after pairs of the codemods' tests."""

from spark_tui.editing.codemods.base import Codemod, Request, applied, touching
from spark_tui.editing.snippet import Snippet


def listed(codemod: Codemod, before: str, instruction: str = "", selected: tuple[int, int] | None = None) -> list[str]:
    """What the codemod's edits make of a text, each as one text."""
    snippet, request = Snippet(tuple(before.split("\n"))), Request(instruction, selected)
    found = codemod.edits(snippet, request)
    assert found is not None
    if codemod.local and selected:
        found = touching(found, selected)
    return ["\n".join(applied(snippet, ops)) for ops in found]
