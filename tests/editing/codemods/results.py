"""What a codemod lists, as texts."""

from spark_tui.editing.codemods.base import Request, applied, listed
from spark_tui.editing.codemods.registry import codemods
from spark_tui.editing.snippet import Snippet


def results(kind: str, before: str, instruction: str = "", selected: tuple[int, int] | None = None) -> list[str]:
    """The region after each edit of a kind that the request may mean; none when the edits cannot be listed."""
    snippet = Snippet(tuple(before.split("\n")))
    found = listed(codemods()[kind], snippet, Request(instruction, selected))
    return ["\n".join(applied(snippet, ops)) for ops in found or ()]


def objection(kind: str, before: str, after: str, instruction: str = "") -> str:
    """What a codemod says against an edit, or ""."""
    return codemods()[kind].objection(Snippet(tuple(before.split("\n"))), after.split("\n"), Request(instruction))
