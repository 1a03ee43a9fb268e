"""One text more that a test lets pass: "check for https as well", "accept .png too", "also count u"."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.codemods.base import Ops, between
from spark_tui.editing.codemods.plain.plain_words import bare
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import outside_fstrings, quote, spliced

_MORE = re.compile(r"(?i)\b(?:also|as well|too)\b")
_TOLD = re.compile(
    r"(?i:(?:check|look|test) for|(?:allow|accept|support|take|match|count|include|handle|recogni[sz]e)(?: for)?)"
    r" (?:the (?:letter |prefix |suffix |ending )?)?(?P<what>\S+)"
)
_PARTS = re.compile(r"(?P<before>\W*)(?P<core>\w+)(?P<behind>\W*)")
_ENDING, _ALIKE = 4, 3
"""The most letters of what names a sort of file; how many letters in common make two words variants of one."""


def plain_widened(before: Snippet, words: str) -> list[Ops]:
    """The one test of how a text begins or ends, or the one of letters, with what is told besides; else []."""
    told = _TOLD.fullmatch(bare(before, words)) if _MORE.search(words) else None
    what = told["what"].strip("'\"`") if told else ""
    if not what or what in {one.id for one in before.nodes if isinstance(one, ast.Name)}:
        return []
    found = [*_ends(before, what), *_letters(before, what)]
    return [between(before, spliced(before, found))] if len(found) == 1 else []


def _ends(before: Snippet, what: str) -> Iterator[tuple[ast.expr, str]]:
    for node in outside_fstrings(before.tree):
        match node:
            case ast.Call(
                func=ast.Attribute(attr="startswith" | "endswith"), args=[ast.Constant(value=str(had)) as text]
            ):
                if new := _variant(had, what):
                    yield text, f"({quote(before, had)}, {quote(before, new)})"


def _variant(had: str, what: str) -> str:
    """A word with the signs that one of its sort has around it, or ""."""
    old, new = _PARTS.fullmatch(had), _PARTS.fullmatch(what)
    if old is None or new is None or old["core"] == new["core"]:
        return ""
    files = had.startswith(".") and len(new["core"]) <= _ENDING
    shouted = old["core"].isupper() and new["core"].isupper()
    if not (files or shouted or old["core"][:_ALIKE] == new["core"][:_ALIKE]):
        return ""
    return what if new["before"] or new["behind"] else f"{old['before']}{what}{old['behind']}"


def _letters(before: Snippet, what: str) -> Iterator[tuple[ast.expr, str]]:
    """The text of letters that something is looked for in, with one letter more."""
    looked_in = [one.comparators[0] for one in before.nodes if isinstance(one, ast.Compare) and _is_search(one)]
    names = {one.id for one in looked_in if isinstance(one, ast.Name)}
    set_here = [one for one in before.nodes if isinstance(one, ast.Assign)]
    held = [one.value for one in set_here if isinstance(one.targets[0], ast.Name) and one.targets[0].id in names]
    for text in (*looked_in, *held):
        match text:
            case ast.Constant(value=str(had)) if len(what) == 1 and len(had) > 1 and had.isalpha() and what not in had:
                if what.isalpha():
                    yield text, quote(before, had + what)


def _is_search(node: ast.Compare) -> bool:
    return len(node.ops) == 1 and isinstance(node.ops[0], ast.In | ast.NotIn)
