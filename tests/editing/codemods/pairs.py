"""For tests of codemods: what they list for a few lines."""

from spark_tui.editing.codemods.base import Codemod, Request, applied
from spark_tui.editing.snippet import Snippet


def listed(codemod: Codemod, before: str, instruction: str = "", selected: tuple[int, int] | None = None) -> list[str]:
    """The texts after each edit, in order."""
    snippet = Snippet(tuple(before.split("\n")))
    found = codemod.edits(snippet, Request(instruction, selected))
    assert found is not None
    return ["\n".join(applied(snippet, ops)) for ops in found]
