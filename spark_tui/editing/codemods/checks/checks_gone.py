"""Checks and branches that words say can go: "the first check is not needed", "out with the elif"."""

import ast
import re
from collections.abc import Iterator, Sequence

from spark_tui.editing.code import statement_lines
from spark_tui.editing.codemods.base import Ops, Request
from spark_tui.editing.codemods.common.flow import is_elif, leaves
from spark_tui.editing.script import Delete
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import Place, places

_GONE = re.compile(
    r"(?i)\b(?:drop|remove|lose|delete|kill|cut|without|rid of|out with|can go|should go|goes|scratch|ditch|omit|skip"
    r"|needless|superfluous|dead weight|pointless|redundant|useless|unneeded|not needed|no longer"
    r"|never (?:true|happens)|take (?:it |that )?out|isn't needed|unnecessary|dead|no need|for nothing|twice|already)\b"
)
_SORT = re.compile(
    r"(?i)\b(?:(?P<check>check|guard|test|condition|if|safeguard|early return)|(?P<branch>elif|branch|case|arm))s?\b"
)
_NTH = re.compile(
    r"(?i)\b(?:(?P<first>first|1st|upper|top)|(?P<second>second|2nd)|(?P<last>last|final|lower|bottom))\b"
)


def checks_gone(before: Snippet, request: Request) -> Iterator[Ops]:
    """Each check that leaves, and each `elif`, without its body; the one that is counted first."""
    words = request.instruction
    sort = _SORT.search(words)
    if not sort or not _GONE.search(words):
        return
    first, last = request.selected or (0, len(before.lines))
    branches = [one for one in _branches(before) if first <= one[0] and one[1] <= last]
    checks = [
        (one.first, one.last)
        for one in places(before)
        if _is_check(one) and len(one.block) > 1 and first <= one.first and one.last <= last
    ]
    for group in (branches, checks) if sort["branch"] else (checks, branches):
        yield from ((Delete(*rows),) for rows in _counted(group, words))


def _counted(found: Sequence[tuple[int, int]], words: str) -> Sequence[tuple[int, int]]:
    nth = _NTH.search(words)
    at = (0 if nth["first"] else 1 if nth["second"] else -1) if nth else None
    return [found[at]] if at is not None and -len(found) <= at < len(found) else found[:4]


def _is_check(place: Place) -> bool:
    return isinstance(place.node, ast.If) and not place.node.orelse and leaves(place.node.body)


def _branches(before: Snippet) -> Iterator[tuple[int, int]]:
    """The rows of every `elif` with its body, up to what follows it."""
    for node in before.nodes:
        if isinstance(node, ast.If) and is_elif(before, node):
            yield node.lineno - 1, statement_lines(node.body[-1])[1]
