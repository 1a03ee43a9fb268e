"""A bound moved and what is said beyond it changed in one go: "zero is wrong too, message: must be positive"."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import MAX_WIDTH, end_of, splice, start_of, text_of
from spark_tui.editing.codemods.base import Ops, between
from spark_tui.editing.codemods.common.said import quoted
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import outside_fstrings

_BOUND = re.compile(
    r"\b(?:zeros?|equal\w*|exactly|inclusive|exclusive|at (?:least|most)|\d+|the (?:limit|maximum|minimum|bound))\b",
    re.IGNORECASE,
)
_TEXT = re.compile(
    r"\b(?:message|text|error|saying|says?|wording)(?: (?:is|then|should|now|be|to|it))*[:,]? "
    r"(?P<text>[^()\"'`:,]{4,80}?)\W*$",
    re.IGNORECASE,
)
_OTHERS = {ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">")}
_NEXT = {"<": 1, ">": -1}


def bounds_told(before: Snippet, instruction: str) -> Iterator[Ops]:
    """Each check that raises with its bound moved by one and with the text told."""
    texts = [one for one in quoted(instruction) if " " in one.strip()]
    texts = texts or [match["text"] for match in _TEXT.finditer(instruction)]
    if not (texts and _BOUND.search(instruction)):
        return
    for node in before.nodes:
        match node:
            case ast.If(test=test, body=[ast.Raise(exc=ast.Call(args=[ast.Constant(value=str()) as message, *_]))]):
                pass
            case ast.Assert(test=test, msg=ast.Constant(value=str()) as message):
                pass
            case _:
                continue
        for part in outside_fstrings(test):
            if isinstance(part, ast.Compare) and len(part.ops) == 1:
                for text in texts:
                    yield from _moved(before, part, message, text)


def aligned(content: str, text: str) -> str:
    """A message whose end is told anew, by its first words: "sizes must be even." told "must be odd"; or ""."""
    words = text.split()
    for count in range(min(3, len(words) - 1), 0, -1):
        start = " ".join(words[:count])
        if count * len(start) > 5 and (at := content.lower().rfind(f" {start.lower()} ")) > 0:
            end = "." if content.endswith(".") and not text.endswith(".") else ""
            return content[: at + 1] + text + end
    return ""


def _moved(before: Snippet, test: ast.Compare, message: ast.Constant, text: str) -> Iterator[Ops]:
    old, source = text_of(before, test), text_of(before, message)
    pair = _OTHERS.get(type(test.ops[0]))
    if not (old and pair and source[:1] in ("'", '"') and source[:3] not in ("'''", '"""') and source[0] not in text):
        return
    left, right = text_of(before, test.left), text_of(before, test.comparators[0])
    tests = [f"{left} {pair[1]} {right}"]
    if right.isdigit() and pair[0] in _NEXT:
        tests.append(f"{left} {pair[0]} {int(right) + _NEXT[pair[0]]}")
    for said in filter(None, (aligned(source[1:-1], text), text)):
        for new in tests:
            lines = splice(
                before.lines, start_of(before, message), end_of(before, message), source[0] + said + source[0]
            )
            lines = splice(lines, start_of(before, test), end_of(before, test), new)
            if max(map(len, lines)) <= max(MAX_WIDTH, *map(len, before.lines)):
                yield between(before, lines)
