"""How a codemod's test compares what is listed with what is expected."""

from textwrap import dedent

from spark_tui.editing.codemods.base import Codemod, Request, applied, listed
from spark_tui.editing.snippet import Snippet


def afters(codemod: Codemod, before: str, instruction: str = "", selected: tuple[int, int] | None = None) -> list[str]:
    """The texts after each edit that is listed."""
    snippet = Snippet(tuple(dedent(before).strip("\n").split("\n")))
    found = listed(codemod, snippet, Request(instruction, selected))
    assert found is not None
    return ["\n".join(applied(snippet, ops)) for ops in found]


def text(source: str) -> str:
    """A text as `afters` gives it."""
    return dedent(source).strip("\n")
