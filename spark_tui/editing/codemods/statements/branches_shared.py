"""A statement that every branch of an `if` has, done once: above it, or below it."""

import ast
import re
from collections.abc import Iterator, Sequence

from spark_tui.editing.code import indentation, stands_alone, statement_lines
from spark_tui.editing.codemods.base import Request, parses
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import Place, places

_ASKED = re.compile(
    r"(?i)\bboth\b|\bbranch\w*\b|\b(?:every|each) (?:branch|case|arm)\b|\bhoist\w*|\bonce\b"
    r"|\b(?:after|before|above|below) the ifs?\b"
    r"|\bpull\b|\bdup\w*\b|\brepeat\w*|\bcommon\b|\btwice\b|\bsame\b|\bmove\b|\bout of the\b"
)
_BELOW = re.compile(r"(?i)\b(?:after|below|behind|afterwards|at the end|last)\b")


def branches_shared(before: Snippet, request: Request) -> Iterator[list[str]]:
    """The lines after what all the branches have went above them or below, where it is first or last or as is told."""
    if not _ASKED.search(request.instruction):
        return
    for place in places(before):
        match place.node:
            case ast.If(orelse=[_, *_]) as node:
                branches = _branches(node)
                if branches:
                    for texts in _shared(before, branches):
                        yield from _moved(before, place, branches, texts, request)


def _branches(node: ast.If) -> list[list[ast.stmt]]:
    """The bodies of a whole chain; none where it has no `else`."""
    match node.orelse:
        case [ast.If() as other]:
            inner = _branches(other)
            return [node.body, *inner] if inner else []
        case []:
            return []
        case block:
            return [node.body, block]


def _text(before: Snippet, node: ast.stmt) -> str:
    first, last = statement_lines(node)
    return "\n".join(line.strip() for line in before.lines[first : last + 1]) if stands_alone(before, node) else ""


def _shared(before: Snippet, branches: Sequence[Sequence[ast.stmt]]) -> Iterator[str]:
    simple = (ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return)
    for text in dict.fromkeys(_text(before, one) for one in branches[0] if isinstance(one, simple)):
        if text and all(sum(_text(before, one) == text for one in block) == 1 for block in branches):
            yield text


def _moved(
    before: Snippet, place: Place, branches: Sequence[Sequence[ast.stmt]], text: str, request: Request
) -> Iterator[list[str]]:
    at = [next(i for i, one in enumerate(block) if _text(before, one) == text) for block in branches]
    ends = all(i == len(block) - 1 for i, block in zip(at, branches, strict=True))
    leads = not any(at)
    below = bool(_BELOW.search(request.instruction))
    rows = sorted(statement_lines(block[i]) for i, block in zip(at, branches, strict=True))
    for under in [below, not below]:
        if (under and (ends or below)) or (not under and (leads or not ends or not below)):
            lines = list(before.lines)
            moved = [
                place.indent + line[len(indentation(lines[rows[0][0]])) :]
                for line in lines[rows[0][0] : rows[0][1] + 1]
            ]
            if under:
                lines[place.last + 1 : place.last + 1] = moved
            for (first, last), block in zip(reversed(rows), reversed(branches), strict=True):
                lines[first : last + 1] = [] if len(block) > 1 else [f"{indentation(lines[first])}pass"]
                if len(block) == 1 and block is branches[-1] and lines[first - 1].strip() == "else:":
                    lines[first - 1 : first + 1] = []
            if not under:
                lines[place.first : place.first] = moved
            if parses(lines):
                yield lines
