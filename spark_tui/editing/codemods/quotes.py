"""The quotation marks of strings changed: from single to double or back."""

import ast
import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from spark_tui.editing.code import end_of, start_of
from spark_tui.editing.codemods.base import Codemod, Ops, Request
from spark_tui.editing.codemods.common.tidy import Spot, choices
from spark_tui.editing.snippet import Snippet

_STRING = re.compile(r"""([A-Za-z]{0,2})(?:'([^'"\\\n]*)'|"([^'"\\\n]*)")""")
_MARKS = {"double": '"', "single": "'"}
_WANTED = r"\b(?:use|using|to|into|with|by|wants?|prefers?|be|be in|have)[ :]+(?:the |only |all )?"
_UNWANTED = (
    r"\b(?:no|not|don't use|do not use|avoid|why|instead of|rather than|replace|convert|change|turn|from|over)"
    r"(?: the| any| all| more| these| are there)* "
)
_THEN = r"(?: quotes?| quoted| ones| strings| quotation marks)*,? (?:to|into|with|by|->|=>|found but)(?: the)? "

_NAMED = re.compile(r"(?i)^\W*(?:please )?quote (?:the )?`?(?P<name>[^\W\d]\w*)`?\W*$")


class Quotes(Codemod):
    """Strings that hold no quotation mark and no backslash get the other kind of marks."""

    kind: ClassVar[str] = "quotes"

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """All to the marks asked for, else to those that most strings have, then to the others; each line alone."""
        if (named := _NAMED.match(request.instruction)) and _is_name(before, named["name"]):
            return  # its value is to stand between quotation marks
        found = spots(before)
        wanted = target(request.instruction)
        for mark in [wanted] if wanted else majority(found):
            chosen = meant([one for one in found if one.text.endswith(mark)], request.instruction)
            yield from choices(before, chosen, request)


def _is_name(before: Snippet, name: str) -> bool:
    return any(name in (getattr(node, "id", ""), getattr(node, "arg", "")) for node in before.nodes)


def target(instruction: str) -> str:
    r"""The mark that is surely asked for (" or '), or "" when the words leave it open."""
    words = re.sub(r"[`'\"](single|double)[`'\"]", r"\1", instruction.lower())
    named = [name for name in _MARKS if re.search(rf"\b{name}\b", words)]
    if len(named) == 1:
        mark, other = _MARKS[named[0]], _MARKS["single" if named[0] == "double" else "double"]
        if re.search(_UNWANTED + named[0], words):
            return other
        return mark if re.search(_WANTED + named[0], words) or words.startswith(named[0]) else ""
    turned = [b for a, b in (("single", "double"), ("double", "single")) if re.search(rf"{a}{_THEN}{b}", words)]
    return _MARKS[turned[0]] if len(turned) == 1 else ""


def meant(found: Sequence[Spot], instruction: str) -> Sequence[Spot]:
    """Those whose content stands in quotation marks in the instruction; else all."""
    told = [
        one
        for one in found
        if content(one).strip() and re.search(rf"[`'\"]{re.escape(content(one))}[`'\"]", instruction)
    ]
    return told or found


def content(spot: Spot) -> str:
    """What the string of a spot says."""
    return spot.text[spot.text.index(spot.text[-1]) + 1 : -1]


def majority(found: Sequence[Spot]) -> list[str]:
    """Both marks, the one that more strings have first."""
    to_double = sum(one.text.endswith('"') for one in found)
    return ['"', "'"] if to_double <= len(found) - to_double else ["'", '"']


def spots(before: Snippet) -> list[Spot]:
    """Every string that could have the other marks, with them; sorted by place."""
    found = {}
    waiting: list[ast.AST] = [before.tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)):
            found.update({spot.start: spot for spot in _in_literal(before, node)})
        else:
            waiting.extend(ast.iter_child_nodes(node))
    return [found[start] for start in sorted(found)]


def _in_literal(before: Snippet, node: ast.expr) -> Iterator[Spot]:
    """The parts of a string that may be joined of several."""
    (first, start), (last, end) = start_of(before, node), end_of(before, node)
    if '"""' in before.lines[first][start : start + 5] or "'''" in before.lines[first][start : start + 5]:
        return
    for row in range(first, last + 1):
        begin, until = (start if row == first else 0), (end if row == last else len(before.lines[row]))
        while match := _STRING.search(before.lines[row], begin, until):
            if before.lines[row][begin : match.start()].strip(" \\()"):
                return
            content = match[2] if match[2] is not None else match[3]
            mark = '"' if match[2] is not None else "'"
            yield Spot((row, match.start()), (row, match.end()), f"{match[1]}{mark}{content}{mark}")
            begin = match.end()
