"""Which of several places the words can only mean: the one where what they plainly ask for is there to be done."""

from collections.abc import Iterable, Sequence

from spark_tui.context.ranking import Document, Part
from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.registry import plain_kind
from spark_tui.editing.snippet import Snippet

_LOOKED_AT = 6


def only_fitting(instruction: str, documents: Sequence[Document], parts: Iterable[Part]) -> Part | None:
    """The one function among the likeliest parts that has the edit that is asked for; None where not just one has."""
    functions = [part for part in parts if part.symbol is not None][:_LOOKED_AT]
    found = [part for part in functions if _has_it(instruction, documents[part.document], part)]
    return found[0] if len(found) == 1 else None


def _has_it(instruction: str, document: Document, part: Part) -> bool:
    snippet = Snippet(tuple(document.lines[part.start_line - 1 : part.end_line]))
    try:
        return bool(snippet.tree.body) and plain_kind(snippet, Request(instruction)) != ""
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
