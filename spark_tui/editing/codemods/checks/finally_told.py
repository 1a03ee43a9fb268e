"""What is told to happen even if something fails, in a finally behind it."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import docstring_node, statement_lines
from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.common.flow import moved
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import Place, places

_TOLD = re.compile(
    r"\bfinally\b|\beven (?:if|when|though|on)\b|\balways\b|\bno matter\b|\bmust (?:also )?(?:run|happen|be)\b"
    r"|\bin any case\b|\bregardless\b|\bblows? up\b|\bwhatever happens\b|\balso (?:if|when|on)\b|\bin every case\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]{3,}")
_MOST = 6
_LEAVING = (ast.Return, ast.Raise, ast.Break, ast.Continue, ast.Try)


def finally_told(before: Snippet, request: Request) -> Iterator[list[str]]:
    """The lines with a statement that words speak of, or the end of its block, in the finally of a try before it."""
    if not _TOLD.search(request.instruction):
        return
    said = {word.lower()[:5] for word in _WORD.findall(request.instruction)}
    found = [place for place in places(before) if place.index and place.function and _may_end(place)]
    scored = {place.first: _shared(before, place, said) for place in found}
    most = max(scored.values(), default=0)
    made = 0
    for place in sorted(found, key=lambda one: (-scored[one.first], -one.first)):
        if made >= _MOST or scored[place.first] < most - 1:
            return
        for lines in _behind(before, place):
            made += 1
            yield lines


def _may_end(place: Place) -> bool:
    return not isinstance(place.node, (*_LEAVING, ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom))


def _shared(before: Snippet, place: Place, said: set[str]) -> int:
    rows = "\n".join(before.lines[place.first : place.last + 1])
    return len({word.lower()[:5] for word in _WORD.findall(rows)} & said)


def _behind(before: Snippet, place: Place) -> Iterator[list[str]]:
    """A try around the statement above, all above in the block, or all but the first; up to the end or one."""
    block = place.block
    begin = int(docstring_node(ast.Module(list(block), [])) is not None)
    starts = dict.fromkeys([place.index - 1, begin, begin + 1])
    ends = [at for at in dict.fromkeys([place.index, len(block) - 1]) if not isinstance(block[at], _LEAVING)]
    for end in ends:
        for start in starts:
            if begin <= start < place.index and not _is_plain(block[start]):
                yield from _wrapped(before, place, start, end)


def _is_plain(node: ast.stmt) -> bool:
    """Whether a statement can hardly fail."""
    return isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign) and not any(
        isinstance(one, ast.Call | ast.Await) for one in ast.walk(node)
    )


def _wrapped(before: Snippet, place: Place, start: int, end: int) -> Iterator[list[str]]:
    first, middle = statement_lines(place.block[start])[0], place.first
    while middle > first and before.lines[middle - 1].strip().startswith("#"):
        middle -= 1
    last = statement_lines(place.block[end])[1]
    inner = place.indent + before.layout.unit
    tried = moved(before.lines[first:middle], place.indent, inner)
    ended = moved(before.lines[middle : last + 1], place.indent, inner)
    if tried and ended:
        while tried and not tried[-1].strip():
            tried = tried[:-1]
        lines = (f"{place.indent}try:", *tried, f"{place.indent}finally:", *ended)
        yield [*before.lines[:first], *lines, *before.lines[last + 1 :]]
