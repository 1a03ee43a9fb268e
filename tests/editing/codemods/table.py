"""How a codemod's test compares what is listed with what is expected."""

from spark_tui.editing.codemods.base import Codemod, Request, applied, listed
from spark_tui.editing.snippet import Snippet


def afters(codemod: Codemod, before: str, instruction: str = "", selected: tuple[int, int] | None = None) -> list[str]:
    """The texts after each edit that is listed."""
    snippet = Snippet(tuple(before.strip("\n").split("\n")))
    found = listed(codemod, snippet, Request(instruction, selected))
    assert found is not None
    return ["\n".join(applied(snippet, ops)) for ops in found]
