"""Collections, tests and alternatives written out in the code get one more member, told in words."""

import ast
import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import ClassVar

from spark_tui.editing.code import end_of, splice, start_of, text_of
from spark_tui.editing.codemods.base import Codemod, Ops, Request, between
from spark_tui.editing.codemods.common.named import closing
from spark_tui.editing.codemods.common.said import Span, is_expression
from spark_tui.editing.codemods.pieces.alternatives_told import alternatives_told
from spark_tui.editing.codemods.pieces.member_places import extended, inserted
from spark_tui.editing.codemods.pieces.member_words import as_member, candidates, parts, runs
from spark_tui.editing.codemods.pieces.members import Holder, holders
from spark_tui.editing.codemods.plain.plain_entries import plain_added
from spark_tui.editing.codemods.plain.plain_members import plain_members
from spark_tui.editing.codemods.plain.plain_states import plain_state
from spark_tui.editing.codemods.plain.plain_widened import plain_widened
from spark_tui.editing.numbers import SIGNED
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import quote

_LIKE = re.compile(
    r"(?:same (?:\w+ )?as|the same way as|as for|similar to|like|as with|equal to) (?:for |with |the |in )*(.*)"
)
_BASE = re.compile(r"\b(?:base|bases|subclass\w*|inherit\w*|isinstance|class|is an?|derive\w*|child|parent)\b")
_CLASS = re.compile(r"(?<![\w.])(?:[a-z]\w*\.)*[A-Z]\w*[a-z][A-Z]\w*(?![\w.])")
_PAIR = re.compile(
    rf"([\"'])(?P<key>[^\"']+)\1: (?P<value>[\[{{(]|\"[^\"]*\"|'[^']*'|{SIGNED}|True|False|None|[^\W\d]\w*\(?)"
)
_MOST = 40
_SHORT, _LIKELIEST = 5, 2


class AddElement(Codemod):
    """`("a", "b")` becomes `("a", "b", "c")`, `{1: 2}` `{1: 2, 3: 4}`, `x == 1 or x == 2` gets `or x == 3`."""

    kind: ClassVar[str] = "add_element"

    def plain(self, before: Snippet, request: Request) -> list[Ops]:
        """See `plain_added`, `plain_members`, `plain_state` and `plain_widened`."""
        readings = (plain_added, plain_members, plain_state, plain_widened)
        return next((found for read in readings if (found := read(before, request.instruction))), [])

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """Several members together, then each word that could be one; collections told by a name or a member first."""
        found = list(holders(before))
        words = set(re.findall(r"\w+", request.instruction))
        found.sort(key=lambda one: -len(words.intersection(one.near)))
        count = 0
        for holder in found:
            for texts in _told(before, holder, request.instruction):
                after = extended(before, holder, texts, request.instruction)
                if after is not None:
                    yield between(before, after)
                    count += 1
                if count >= _MOST:
                    return
        instruction = request.instruction
        more = (
            _elsewhere(before, found, instruction),
            first_bases(before, instruction),
            _values(before, instruction),
            alternatives_told(before, request),
        )
        yield from (between(before, lines) for lines in chain.from_iterable(more))


def _elsewhere(before: Snippet, found: Sequence[Holder], instruction: str) -> Iterator[list[str]]:
    """The likeliest new member of a short collection in each place among the others."""
    for holder in found:
        if holder.shape not in ("items", "bases", "pairs") or not 1 < len(holder.members) <= _SHORT:
            continue
        paired = holder.shape == "pairs"
        told = pairs_in_code(before, instruction) if paired else candidates(before, holder, instruction)
        for _, text in told[:_LIKELIEST]:
            yield from filter(None, (inserted(before, holder, (text,), at) for at in range(len(holder.members))))


def pairs_in_code(before: Snippet, instruction: str) -> list[tuple[str, str]]:
    """The keys that are told with a value, as `"key": value`, each with both as source."""
    found = []
    for match in _PAIR.finditer(instruction):
        value, mark = match["value"], quote(before, "")[0]
        if value[-1] in "[{(":
            at = match.end() - 1
            value = instruction[match.start("value") : (closing(instruction, at) or at) + 1]
        if is_expression(value):
            found.append((match["key"], f"{mark}{match['key']}{mark}: {value}"))
    return found


def _values(before: Snippet, instruction: str) -> Iterator[list[str]]:
    """A key that is there already with the value that is told for it."""
    told = dict(pairs_in_code(before, instruction))
    for node in before.nodes if told else ():
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                name = key.value if isinstance(key, ast.Constant) else None
                if isinstance(name, str) and name in told:
                    text = told[name][len(name) + 4 :]
                    yield splice(before.lines, start_of(before, value), end_of(before, value), text)


def first_bases(before: Snippet, instruction: str) -> Iterator[list[str]]:
    """A class that inherits from nothing with a base that the words tell, or the built-in one of its docstring."""
    for node in before.nodes:
        if not isinstance(node, ast.ClassDef) or node.bases or node.keywords:
            continue
        row = node.lineno - 1
        head = re.match(rf"\s*class {node.name}(?:\(\))?(?=:)", before.lines[row])
        doc = ast.get_docstring(node) or ""
        told = _CLASS.findall(instruction) if _BASE.search(instruction) else []
        told += re.findall(r"\b(tuple|list|dict|str|int|float|set|Exception) subclass", doc)
        for name in dict.fromkeys(one for one in told if one not in (node.name, "TypeError")) if head else ():
            end = (row, head.end()) if head else (row, 0)
            start = (row, end[1] - (2 if before.lines[row][: end[1]].endswith("()") else 0))
            yield splice(before.lines, start, end, f"({name})")


def _told(before: Snippet, holder: Holder, instruction: str) -> Iterator[tuple[str, ...]]:
    """The source of new members that the words may mean: together where they are listed, and alone."""
    words = candidates(before, holder, instruction)
    if holder.shape == "pairs":
        present = {text_of(before, one).strip("'\"") for one in holder.members}
        yield from ((pair,) for key, pair in pairs_in_code(before, instruction) if key not in present)
        yield from _pairs(before, holder, instruction, words)
        return
    groups = [tuple(text for _, text in run) for run in runs(instruction, words) if len(run) > 1]
    singles = [(text,) for _, text in words]
    if holder.shape in ("chain", "test"):
        groups = []
    yield from dict.fromkeys([*groups, *singles])


def _pairs(
    before: Snippet, holder: Holder, instruction: str, words: Sequence[tuple[Span, str]]
) -> Iterator[tuple[str, ...]]:
    """`key: value` for what is told; values are those of other keys where it says so."""
    assert isinstance(holder.node, ast.Dict)
    values = {
        text_of(before, key): text_of(before, value)
        for key, value in zip(holder.members, holder.node.values, strict=True)
    }
    like = _LIKE.search(instruction)
    if like:
        named = [
            key for key in values if re.search(rf"(?<!\w){re.escape(key.strip(chr(34) + chr(39)))}(?!\w)", like[1])
        ]
        keys = [one for one in words if one[0].start < like.start() or one[0].start > like.end()]
        for run in runs(instruction, keys):
            if len(run) > 1 and len(run) == len(named):
                yield tuple(f"{key}: {values[old]}" for (_, key), old in zip(run, named, strict=True))
            if named and all(values[named[0]] == values[one] for one in named):
                yield tuple(f"{key}: {values[named[0]]}" for _, key in run)
        for _, key in keys:
            yield from ((f"{key}: {values[old]}",) for old in named if values[old])
        return
    told = [(span, text) for span in parts(instruction) if (text := as_member(span, before, holder.node.values))]
    told = told or [(span, span.text) for span in parts(instruction) if span.mark and is_expression(span.text)]
    for key_span, key in words:
        after = [(span, value) for span, value in told if span.start > key_span.start]
        earlier = [(span, value) for span, value in told if span.end < key_span.start]
        yield from ((f"{key}: {value}",) for _, value in [*after, *earlier][:4])
