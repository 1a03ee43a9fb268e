"""Imports of names that the words say are undefined, or of modules that they ask for, and where these may go."""

import re
import sys
from collections.abc import Collection, Iterator
from difflib import get_close_matches

from spark_tui.editing.codemods.base import Ops
from spark_tui.editing.codemods.common.said import plain_word
from spark_tui.editing.codemods.imports.import_blocks import (
    Block,
    Item,
    by_module,
    by_type,
    group_of,
    item_of,
    stretches,
)
from spark_tui.editing.codemods.imports.usual_imports import is_module, usual_import
from spark_tui.editing.script import Insert
from spark_tui.editing.snippet import Snippet

_UNDEFINED = re.compile(
    r"\bname ['\"`](?P<a>\w+)['\"`] is (?:not defined|undefined)"
    r"|\bNameErrors? (?:on|for|about|with|at|over|in) [`'\"]?(?P<b>\w+)"
    r"|[`'\"]?(?<![\w.])(?P<c>[^\W\d]\w*)[`'\"]? (?:is |isn't |are )?(?:undefined|not defined|unbound|never imported)"
    r"|\bundefined(?: name| variable)?:? [`'\"]?(?P<d>\w+)|NameError: [`'\"]?(?P<e>\w+)[`'\"]?$",
    re.MULTILINE,
)
_ASKED = re.compile(
    r"\b(?:import|have|needs?|lacks|without|missing) [`'\"]?(?P<a>[a-z]\w+)[`'\"]?(?! import| from| as\b|\.)"
    r"|(?<![\w.])(?<!from )(?<!from [`'\"])[`'\"]?(?P<b>[a-z]\w+)[`'\"]?"
    r" (?:import\b(?! \w+ (?:from|as)\b)|is missing|must be imported|gone)",
    re.IGNORECASE,
)
_FUTURE = re.compile(r"\b(?:future|__future__)\b.{0,20}\bannotations|\bannotations\b.{0,20}\bfuture", re.IGNORECASE)
_SOURCE = re.compile(r"\b(?:from|in|of) [`'\"]?(?P<module>[a-z_]\w*(?:\.\w+)*)[`'\"]?")
_BESIDE = re.compile(r"\b(?P<side>above|before|below|under|after|between) (?:the )?[`'\"]?(?P<name>[\w.]+)")
_MOST_SPOTS = 4


def missing_imports(words: str, known: Collection[str]) -> list[str]:
    """The lines that import what the words say is undefined or ask for; none where they name nothing well-known."""
    if _FUTURE.search(words):
        return ["from __future__ import annotations"]
    names = [name for match in _UNDEFINED.finditer(words) for name in match.groups() if name]
    lines = [line for name in dict.fromkeys(names) if (line := _line(name, words))]
    if not lines and " as " not in words:
        asked = [name for match in _ASKED.finditer(words) for name in match.groups() if name and name not in known]
        lines = [f"import {name}" for one in dict.fromkeys(asked) if (name := _module(one))]
    return lines


def _line(name: str, words: str) -> str:
    """The import of a name, from the module told or from where it usually comes."""
    for match in _SOURCE.finditer(words):
        module = match["module"]
        if module != name and (is_module(module.partition(".")[0]) or "." in module) and not plain_word(module):
            return f"from {module} import {name}"
    return usual_import(name) or ""


def _module(word: str) -> str:
    """A module of the standard library, put right where two letters are swapped."""
    if word in sys.stdlib_module_names:
        return "" if plain_word(word) and word not in ("logging", "time", "copy", "types", "string") else word
    if plain_word(word) or len(word) < 5 or usual_import(word):
        return ""
    return next(iter(get_close_matches(word, sys.stdlib_module_names, 1, 0.85)), "")


def import_spots(before: Snippet, line: str, words: str) -> Iterator[Ops]:
    """Where an import may go: beside one that is told, else where one of the usual orders of its group wants it."""
    found = stretches(before)
    if not found or before.margin:
        return
    new, items = item_of(line), [item for block in found[0] for item in block]
    for match in _BESIDE.finditer(words):
        for item in items:
            if match["name"].rstrip(".") in (item.module, item.module.partition(".")[0]):
                above = match["side"] in ("above", "before")
                yield (Insert(item.first - 1 if above else item.first + len(item.lines) - 1, new.lines),)
    spots: dict[int, None] = {}
    for block in found[0]:
        if group_of(new) in {group_of(item) for item in block}:
            spots.update(dict.fromkeys(_in_block(block, new)))
    yield from ((Insert(after, new.lines),) for after in list(spots)[:_MOST_SPOTS])


def _in_block(block: Block, new: Item) -> Iterator[int]:
    """Below which lines of a block an import may go."""
    own = [item for item in block if group_of(item) == group_of(new)]
    alike = [item for item in own if type(item.node) is type(new.node)]
    for key in (by_type, by_module):
        for among in (own, alike):
            if later := [item for item in among if key(item) > key(new)]:
                yield later[0].first - 1
            if earlier := [item for item in among if key(item) < key(new)]:
                yield earlier[-1].first + len(earlier[-1].lines) - 1
    yield own[-1].first + len(own[-1].lines) - 1
