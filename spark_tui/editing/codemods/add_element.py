"""Collections, tests and alternatives written out in the code get one more member, told in words."""

import ast
import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from spark_tui.editing.code import text_of
from spark_tui.editing.codemods.base import Codemod, Ops, Request, between
from spark_tui.editing.codemods.member_places import extended
from spark_tui.editing.codemods.member_words import as_member, candidates, parts, runs
from spark_tui.editing.codemods.members import Holder, holders
from spark_tui.editing.codemods.said import Span, is_expression
from spark_tui.editing.snippet import Snippet

_LIKE = re.compile(
    r"(?:same (?:\w+ )?as|the same way as|as for|similar to|like|as with|equal to) (?:for |with |the |in )*(.*)"
)
_MOST = 40


class AddElement(Codemod):
    """`("a", "b")` becomes `("a", "b", "c")`, `{1: 2}` `{1: 2, 3: 4}`, `x == 1 or x == 2` gets `or x == 3`."""

    kind: ClassVar[str] = "add_element"

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


def _told(before: Snippet, holder: Holder, instruction: str) -> Iterator[tuple[str, ...]]:
    """The source of new members that the words may mean: together where they are listed, and alone."""
    words = candidates(before, holder, instruction)
    if holder.shape == "pairs":
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
