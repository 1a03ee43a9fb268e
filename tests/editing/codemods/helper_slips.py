"""What the tests of the codemods for bugs share."""

from spark_tui.editing.codemods.base import Codemod, Request, applied
from spark_tui.editing.snippet import Snippet


def fixes(codemod: Codemod, before: str, instruction: str = "", selected: tuple[int, int] | None = None) -> list[str]:
    """What the code may read after each edit, as whole text."""
    snippet = Snippet(tuple(before.split("\n")))
    edits = codemod.edits(snippet, Request(instruction, selected))
    return ["\n".join(applied(snippet, ops)) for ops in edits or ()]
