"""A statement told for the plain one that stands there: "return None" for a `pass`, a docstring for it."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import indentation, stands_alone
from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.common.said import spans
from spark_tui.editing.pointing import Pointing
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.trees import parse

_WHOLE = re.compile(
    r"(?:just |a |only |plain |use |should be )*(?P<code>(?:return|raise|yield|continue|break|pass)\b[^;]*)"
)
_PLACE = re.compile(r",? (?:here|there|instead|please|now|in the \w+|for the \w+)\b.*|[.?!]+$")
_DOC = re.compile(r"\bdoc(?:string|s)?\b")
_PLAIN = (ast.Pass, ast.Return, ast.Continue, ast.Break, ast.Raise)
_FEW = 3


def swapped_statements(before: Snippet, request: Request) -> Iterator[list[str]]:
    """The lines after each plain statement that may be meant gave way to the one told."""
    told = _told(request.instruction)
    document = _document(request.instruction) if not told and _DOC.search(request.instruction) else ""
    if not told and not document:
        return
    for node in _meant(before, request):
        if document and not isinstance(node, ast.Pass):
            continue
        row = node.lineno - 1
        line = indentation(before.lines[row]) + (told or document)
        if line.strip() != before.lines[row].strip():
            yield [*before.lines[:row], line, *before.lines[node.end_lineno or node.lineno :]]


def _told(instruction: str) -> str:
    """The statement that the whole of an instruction, or what is quoted in it, tells; or ""."""
    texts = [span.text for span in spans(instruction) if span.mark == "`"]
    for text in [instruction.strip(), *texts]:
        if (found := _WHOLE.fullmatch(text)) and _is_statement(code := _PLACE.sub("", found["code"]).strip("` ")):
            return code
    return ""


def _is_statement(code: str) -> bool:
    """Whether a text is a plain statement, be it one that only goes in a loop."""
    try:
        return len(parse(code).body) == 1
    except SyntaxError:
        return False


def _document(instruction: str) -> str:
    """The text that is quoted, as a docstring."""
    texts = [span.text for span in spans(instruction) if span.mark in ("'", '"') and " " in span.text]
    return f'"""{texts[0]}"""' if texts and '"' not in texts[0] else ""


def _meant(before: Snippet, request: Request) -> list[ast.stmt]:
    """The plain statements in a few lines selected, those on lines that are pointed at, or the only `pass`."""
    found: list[ast.stmt] = [node for node in before.nodes if isinstance(node, _PLAIN) and stands_alone(before, node)]
    if request.selected:
        first, last = request.selected
        return [one for one in found if first <= one.lineno - 1 <= last] if last - first < _FEW else []
    passes: list[ast.stmt] = [one for one in found if isinstance(one, ast.Pass)]
    pointing = Pointing(before.lines, request.instruction)
    above = [one for one in passes if pointing.hits((one.lineno - 2,))[0]]
    return (above or passes) if len(above or passes) == 1 else []
