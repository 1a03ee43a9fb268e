"""Every comment or group of comments that can go; those meant for tools stay."""

import ast
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import ClassVar

from spark_tui.editing.codemods.base import Codemod, Ops, Request
from spark_tui.editing.codemods.common.named import functions_named, quotations
from spark_tui.editing.codemods.prose.comment_places import (
    Comment,
    begun,
    blocks,
    comments,
    comments_told,
    tool_comments,
)
from spark_tui.editing.script import Delete, Replace
from spark_tui.editing.snippet import Snippet

_MANY = re.compile(r"\b(comments|remarks|notes|uncommented)\b", re.IGNORECASE)
_ONLY_TASKS = re.compile(
    r"(?i)(?:please )?(?:remove|delete|drop|get rid of|take out|clean up|kill) "
    r"(?:the |this |that |those |all |any |my |old )*"
    r"(?:todo|fixme|xxx|hack)s?(?: (?:comments?|notes?|lines?|markers?))?"
    r"(?: (?:here|in \w+|in this function|please))?[.!]?"
)
_TASKS = re.compile(r"\b(todo|fixme|xxx|hack)s?\b", re.IGNORECASE)


class RemoveComments(Codemod):
    """Comments go, with their lines when they have them to themselves."""

    kind: ClassVar[str] = "remove_comments"

    def plain(self, before: Snippet, request: Request) -> list[Ops]:
        """The tasks, where they alone are told to go: their first lines, and with those that go on with them."""
        if request.selected or not _ONLY_TASKS.fullmatch(" ".join(request.instruction.split())):
            return []
        word = _TASKS.findall(request.instruction)[0].lower()
        found = [one for one in comments(before) if one.text.lower().startswith(word)]
        whole = [group for group in _tasks(comments(before)) if group[0] in found]
        groups = [[one for group in whole for one in group], found] if len(whole) > 1 else [*whole, found]
        return [removal(before, group) for group in groups if group]

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """All, those of a function, or one block; the one that is quoted; those selected."""
        found = comments(before)
        if request.selected:
            found = [one for one in found if request.selected[0] <= one.line <= request.selected[1]] or found
        for group in _for_tools(before, request):
            yield removal(before, group)
        for group in _groups(before, found, request):
            if group:
                yield removal(before, group)


def removal(snippet: Snippet, gone: Sequence[Comment]) -> Ops:
    """The edit that removes comments; one that stood between blank lines takes those below along."""
    ops: list[Delete | Replace] = []
    for one in gone:
        line, last = one.line, ops[-1] if ops else None
        if one.own and isinstance(last, Delete) and last.last == line - 1:
            ops[-1] = Delete(last.first, line)
        elif one.own:
            ops.append(Delete(line, line))
        else:
            kept = (snippet.lines[line][: one.column].rstrip(),)
            joined = isinstance(last, Replace) and last.last == line - 1
            ops[-1:] = (
                [Replace(last.first, line, last.lines + kept)]
                if joined and isinstance(last, Replace)
                else ([*ops[-1:], Replace(line, line, kept)])
            )
    return tuple(_with_blank_lines(snippet, op) if isinstance(op, Delete) else op for op in ops)


def _with_blank_lines(snippet: Snippet, gone: Delete) -> Delete:
    above, below = gone.first - 1, gone.last + 1
    while above >= 0 and below < len(snippet.lines) and not (snippet.lines[above] + snippet.lines[below]).strip():
        above, below = above - 1, below + 1
    return Delete(gone.first, below - 1)


def _groups(snippet: Snippet, found: Sequence[Comment], request: Request) -> Iterator[Sequence[Comment]]:
    told = [one for one in found if _is_told(one, request.instruction) or begun(one, request.instruction)]
    apart = blocks(found)
    if told:
        yield from (told, *([one] for one in told), *(block for block in apart if any(one in told for one in block)))
        return
    yield from comments_told(snippet, found, request.instruction)
    if _TASKS.search(request.instruction):
        tasks = [one for one in found if _TASKS.search(one.text)]
        yield tasks
        yield from _tasks(found)
        if tasks:
            return
    named = functions_named(snippet, request.instruction)
    inside = [[one for one in found if _within(one, function)] for function in named or snippet.functions]
    if not (named and any(inside)):
        yield found
    yield from inside
    if not _MANY.search(request.instruction) or request.selected:
        yield from apart
        yield from ([one] for block in apart for one in block)


def _for_tools(snippet: Snippet, request: Request) -> Iterator[Sequence[Comment]]:
    """Those for tools that are told: all of them, then each."""
    found = tool_comments(snippet, request.instruction)
    if request.selected:
        found = [one for one in found if request.selected[0] <= one.line <= request.selected[1]]
    if found:
        yield found
    yield from ([one] for one in found if len(found) > 1)


def _tasks(found: Sequence[Comment]) -> Iterator[Sequence[Comment]]:
    """Each task with the lines that go on with it: from its word to the end of its block."""
    for block in blocks(found):
        starts = [at for at, one in enumerate(block) if _TASKS.match(one.text)]
        for start, stop in pairwise([*starts, len(block)]):
            yield block[start:stop]


def _is_told(one: Comment, instruction: str) -> bool:
    """Whether the words of a comment stand in the instruction."""
    text, said = " ".join(one.text.split()), " ".join(instruction.split())
    quoted = {span.lstrip("# ") for span in quotations(instruction)}
    return text in quoted or (len(text) > 5 and text.lower() in said.lower())


def _within(one: Comment, function: ast.stmt) -> bool:
    return function.lineno - 1 <= one.line < (function.end_lineno or 0)
