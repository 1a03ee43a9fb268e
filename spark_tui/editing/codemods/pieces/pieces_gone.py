"""Pieces of a line that go: a member of a collection, a base class, a call, an operand, an index, a default."""

import ast
import re
from collections.abc import Iterator
from itertools import islice

from spark_tui.editing.code import end_of, splice, start_of, text_of
from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.common.expression_places import spoken_of
from spark_tui.editing.codemods.common.negation import strength
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted

_GONE = re.compile(
    r"\b(?:drop\w*|remov\w*|delet\w*|without|los(?:e|es|ing)|rid|away|gone|go(?:es)?|off|out|superfluous|needless\w*|useless"
    r"|pointless|redundant|unneeded|unnecessary|unused|unwanted|obsolete|no longer|no more|no need"
    r"|not? (?:needed|used|really)|really|never|needn't|strip|cut|kill|skip|omit\w*|leave|pull|take|minus|instead"
    r"|isn't|don't|doesn't|shouldn't|older?|no|not|why|too (?:much|many))\b",
    re.IGNORECASE,
)
_TEXT = re.compile(r"[\"'`]([^\"'`\n]+)[\"'`]")
_INDEX = re.compile(r"\b(?:index|slice|copy|in place|item assignment)\b")
_NOT = re.compile(r"`not`|\bthe not\b|\bnegat|\bnot (?:goes|away)")
_MOST, _LONG = 8, 60


def pieces_gone(before: Snippet, request: Request) -> Iterator[list[str]]:
    """The lines without each piece that is spoken of, those that the words name in full first."""
    words = request.instruction
    if not _GONE.search(words):
        return
    first, last = request.selected or (0, len(before.lines))
    said = set(re.findall(r"\w+", words))
    found = [
        (not _named(before, node, words, said), lines)
        for node, lines in (*_members(before, words), *_inner(before, words))
        if first <= node.lineno - 1 <= last
    ]
    found.sort(key=lambda one: one[0])
    yield from islice((lines for _, lines in found), _MOST)


def _named(before: Snippet, node: ast.expr, words: str, said: set[str]) -> bool:
    name = text_of(before, node).strip("\"'").rpartition(".")[2]
    return name in words if re.search(r"\W", name) else name in said


def _members(before: Snippet, words: str) -> Iterator[tuple[ast.expr, list[str]]]:
    """Without a member of a collection, of the values of a type, or of the bases of a class."""
    for node in before.nodes:
        ends: list[ast.expr] | None = None
        match node:
            case ast.List(elts=members) | ast.Set(elts=members) | ast.Tuple(elts=members):
                pass
            case ast.ClassDef(bases=members, keywords=[]):
                pass
            case ast.Dict(keys=keys, values=values) if all(keys):
                members, ends = [key for key in keys if key], values
            case _:
                continue
        if isinstance(node, ast.Tuple) and len(members) == 2 and isinstance(members[0], ast.Constant):
            continue  # what is left would be no tuple
        if isinstance(getattr(node, "ctx", None) or ast.Load(), ast.Load) and len(members) > 1:
            names = [text_of(before, one).strip("\"'").rpartition(".")[2] for one in members]
            shared = next((at for at, signs in enumerate(zip(*names, strict=False)) if len({*signs}) > 1), 0)
            for at, member in enumerate(members):
                if _spoken(names[at], shared, words):
                    yield from ((member, lines) for lines in without_member(before, members, at, ends))


def _spoken(name: str, shared: int, words: str) -> bool:
    """Whether the words speak of a member by what it does not share with the others."""
    if not re.fullmatch(r"\w+", name):
        return 0 < len(name) < _LONG and name in words
    return _says(words, name) or spoken_of(words, name[shared:])


def without_member(
    before: Snippet, members: list[ast.expr], at: int, ends: list[ast.expr] | None = None
) -> Iterator[list[str]]:
    """The lines without one of several that commas part; with its line, where it has one to itself."""
    ends = ends or members
    start, end = start_of(before, members[at]), end_of(before, ends[at])
    line = before.lines[start[0]]
    if not line[: start[1]].strip() and re.fullmatch(r"\s*,?\s*(?:#.*)?", before.lines[end[0]][end[1] :]):
        alone = at + 1 < len(members) or before.lines[end[0]][end[1] :].lstrip().startswith(",")
        if alone:
            yield [*before.lines[: start[0]], *before.lines[end[0] + 1 :]]
            return
    if at + 1 < len(members):
        yield splice(before.lines, start, start_of(before, members[at + 1]), "")
    else:
        yield splice(before.lines, end_of(before, ends[at - 1]), end, "")


def _inner(before: Snippet, words: str) -> Iterator[tuple[ast.expr, list[str]]]:
    """Without a call around or behind a value, an operand, an index, a `not`, a default after `or`."""
    for node in before.nodes:
        if not isinstance(node, ast.expr) or (node.end_lineno or 0) > len(before.lines):
            continue
        for inner in (*_parts(before, node, words), *_operands(before, node, words)):
            source = text_of(before, inner)
            if source and text_of(before, node) and (strength(before, inner) >= strength(before, node)):
                yield node, splice(before.lines, start_of(before, node), end_of(before, node), source)


def _parts(before: Snippet, node: ast.expr, words: str) -> Iterator[ast.expr]:
    """What is left of an expression when a call, an index or a mark that the words name goes."""
    match node:
        case ast.Call(func=ast.Attribute(value=inner, attr=name)) if re.search(rf"\b{name}\b", words):
            yield inner
        case ast.Call(func=func, args=[inner], keywords=[]) if _says(words, (dotted(func) or "").rpartition(".")[2]):
            yield inner
        case ast.Subscript(value=inner):
            index = text_of(before, node)[len(text_of(before, inner)) :]
            if index and (index in words or _INDEX.search(words)):
                yield inner
        case ast.UnaryOp(op=ast.Not(), operand=inner) if _NOT.search(words):
            yield inner
        case ast.Await(value=inner) if re.search(r"\bawait", words):
            yield inner


def _operands(before: Snippet, node: ast.expr, words: str) -> Iterator[ast.expr]:
    """What is left of a sum or an `or` when one side goes, which the words hold."""
    match node:
        case ast.BinOp(left=left, right=right):
            if _says_code(before, right, words):
                yield left
            if _says_code(before, left, words):
                yield right
        case ast.BoolOp(op=ast.Or(), values=[left, right]) if _says_code(before, right, words):
            yield left


def _says(words: str, name: str) -> bool:
    return bool(name) and re.search(rf"(?<![\w.]){re.escape(name)}\b", words) is not None


def _says_code(before: Snippet, node: ast.expr, words: str) -> bool:
    """Whether the words hold an operand: its source, or the text that it is."""
    source = text_of(before, node)
    if not source:
        return False
    if re.fullmatch(r"\w+", source):
        return _says(words, source)
    return source in words or source.strip("\"'") in _TEXT.findall(words)
