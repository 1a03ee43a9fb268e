"""Nested ifs joined with `and`, neighbouring ifs that do the same joined with `or`."""

import ast
import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from spark_tui.editing.code import MAX_WIDTH, indentation, text_of
from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.common.flow import (
    FlowCodemod,
    Site,
    blocks,
    branch,
    is_elif,
    leaves,
    moved,
    same,
    uncommented,
)
from spark_tui.editing.codemods.common.negation import AND, OR, enclosed
from spark_tui.editing.snippet import Snippet

Ifs = Sequence[ast.If]

_SUBJECT = re.compile(r"[^\W\d]\w*(?:\.\w+)*")
_LITTLE = re.compile(r"\b(?:not|len|isinstance)\b")


class MergeIfs(FlowCodemod):
    """`if a:` right around `if b:` becomes `if a and b:`; `if a: return` and `if b: return` become `if a or b:`."""

    kind: ClassVar[str] = "merge_ifs"

    def sites(self, before: Snippet, request: Request) -> Iterator[Site]:
        """All the ifs that belong together first, then fewer of them, down to each pair."""
        nested: set[int] = set()
        beside: set[int] = set()
        for block in blocks(before.tree):
            for index, node in enumerate(block):
                if not isinstance(node, ast.If):
                    continue
                if id(node) not in nested:
                    chain = _chain(node)
                    nested.update(map(id, chain))
                    yield from _whole_and_pairs(before, chain, inside=True)
                if id(node) not in beside:
                    row = _elifs(before, node) if node.orelse else _row(block[index:])
                    beside.update(map(id, row))
                    yield from _whole_and_pairs(before, row, inside=False)


def _chain(node: ast.If) -> list[ast.If]:
    """An if, the one that is all there is in it, and so on."""
    found = [node]
    while not node.orelse and len(node.body) == 1 and isinstance(inner := node.body[0], ast.If) and not inner.orelse:
        found.append(inner)
        node = inner
    return found


def _row(block: Sequence[ast.stmt]) -> list[ast.If]:
    """The ifs at the start of a block that leave in the same way."""
    found: list[ast.If] = []
    for node in block:
        if not isinstance(node, ast.If) or node.orelse or not leaves(node.body):
            break
        if found and not same(found[0].body, node.body):
            break
        found.append(node)
    return found


def _elifs(before: Snippet, node: ast.If) -> list[ast.If]:
    """An if and the elifs after it that do the same."""
    found = [node]
    while len(node.orelse) == 1 and isinstance(other := node.orelse[0], ast.If) and is_elif(before, other):
        if not same(other.body, found[0].body):
            break
        found.append(other)
        node = other
    return found


def _whole_and_pairs(before: Snippet, ifs: Ifs, *, inside: bool) -> Iterator[Site]:
    merge = _nested if inside else _beside
    if len(ifs) > 1:
        yield from merge(before, ifs, minor=False)
    for size in range(len(ifs) - 1, 1, -1):
        for at in range(len(ifs) - size + 1):
            yield from merge(before, ifs[at : at + size], minor=True)


def _nested(before: Snippet, ifs: Ifs, *, minor: bool) -> Iterator[Site]:
    outer, last = branch(before, ifs[0]), branch(before, ifs[-1])
    if outer is None or last is None or not uncommented(before, outer.row, last.row):
        return
    body = moved(last.body, last.inner, outer.inner)
    head = _head(before, ifs, " and ", AND)
    if head and body is not None:
        yield Site(
            outer.row,
            last.last,
            (*_lines(before, ifs, head, AND), *body),
            _names(before, ifs) | {"both": _test(head), "nested": ""},
            minor,
        )


def _beside(before: Snippet, ifs: Ifs, *, minor: bool) -> Iterator[Site]:
    first, last = branch(before, ifs[0]), branch(before, ifs[-1])
    if first is None or last is None or not uncommented(before, first.last + 1, last.last):
        return
    head = _head(before, ifs, " or ", OR)
    if head:
        names = _names(before, ifs) | {"both": _test(head), "alike": ""}
        yield Site(first.row, last.last, (*_lines(before, ifs, head, OR), *first.body), names, minor)


def _lines(before: Snippet, ifs: Ifs, head: str, least: int) -> tuple[str, ...]:
    """The head on one line, or with a line for each condition where that would be too long."""
    if len(head) <= MAX_WIDTH:
        return (head,)
    word, (first, *rest) = "and" if least == AND else "or", [enclosed(before, node.test, least) for node in ifs]
    start = indentation(head)
    inner = start + before.layout.unit
    return head.partition("if ")[0] + "if (", f"{inner}{first}", *(f"{inner}{word} {one}" for one in rest), f"{start}):"


def _head(before: Snippet, ifs: Ifs, word: str, least: int) -> str:
    tests = [enclosed(before, node.test, least) for node in ifs]
    if not all(tests) or any(branch(before, node) is None for node in ifs):
        return ""
    start, _, _ = before.lines[ifs[0].lineno - 1].partition("if")
    return f"{start}if {word.join(tests)}:"


def _names(before: Snippet, ifs: Ifs) -> dict[str, str]:
    names = {"test": enclosed(before, ifs[0].test, 1), "second": enclosed(before, ifs[1].test, 1)}
    subjects = [_SUBJECT.search(_LITTLE.sub("", text_of(before, node.test))) for node in ifs]
    if len(ifs) > 2 and all(subjects):
        names["three"] = ", ".join(one[0] for one in subjects if one)
    return names


def _test(head: str) -> str:
    """The condition in the line that an `if` begins with."""
    return head.partition("if ")[2].removesuffix(":")
