"""Instructions that would work in a region, for whoever asked for something there is no edit for."""

import ast
import keyword
import re
import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from spark_tui.context.regions import Region
from spark_tui.context.symbols import Symbol, symbols
from spark_tui.context.wording import is_plain
from spark_tui.editing.codemods.base import Request, finds_nothing
from spark_tui.editing.codemods.registry import codemods
from spark_tui.editing.codemods.renaming.renaming_roles import bound_names
from spark_tui.editing.codemods.sort_imports import is_in_order
from spark_tui.editing.codemods.unused_import import unused_imports
from spark_tui.editing.snippet import Snippet

_OCCASIONS = (
    ("use_with", "use with in {name}", r"open|clos|files?\b|with\b|handles?\b|leak|resource"),
    ("mutable_default", "fix the mutable default in {name}", r"default|mutable|shar"),
    ("use_enumerate", "use enumerate in {name}", r"enumerat|loop|iterat|index|indices|count|range\b"),
    ("is_none", "use is None in {name}", r"none\b|null|compar|equal|=="),
    (
        "unused_variable",
        "remove the unused variable in {name}",
        r"unused|not used|dead|needless|unneeded|variable|lint",
    ),
    ("fstring", "use an f-string in {name}", r"f-?string|format|string|text|messag|concat|interpolat|print|%"),
)
"""Kinds of edits that there may be an occasion for, each with words for it, and with how words begin that it fits."""
_DOCSTRING = ("add_docstring", "add a docstring to {name}")
_SPEAKS = r"doc|comment|expla|descri"
_CHECKS = re.compile(r"(?i)\b(?:valid|verif|check|ensure|guard|reject|refuse|negativ|sanit)")
_IN_GENERAL = re.compile(
    r"(?i)\b(?:improv|better|clean|refactor|nice|tid[yi]|polish|moderni|pythonic|idiom|quality|readab|review|simpl|style"
    r"|(?:fix|help|edit|change)\b(?: (?:it|this|that|me|something|please))*\W*$)"
)
"""Words that any improvement fits."""
_IMPORTS = re.compile(r"\b(?:imports?|imported|importing|isort)\b", re.IGNORECASE)
_NAMES = re.compile(r"\b(?:renam\w*|names?|naming|named|called?|->)(?!\w)", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d]\w*")
_PLACED = re.compile(r"@?[\w-]+(?:[./]|::)[\w./:-]+|@\w+")
"""A file or a place: its parts are no names of the code."""
_NEW = re.compile(
    r"(?i)(?:\b(?:to|as|into|be|(?:call|name) (?:it|this|that)|called|named)\b|->|=>|→|:)"
    r"\s*[`'\"]?(?P<new>[^\W\d]\w*)[`'\"]?(?:,? (?:instead|please|pls|everywhere))*\W*$"
)
"""What words end with that say a new name."""
_MOST_FUNCTIONS, _MOST_LINES = 4, 80
_MOST_TRIED = 2
PATIENCE_S = 0.4
"""How long it may take: whoever reads an example waits for it."""


class Example(NamedTuple):
    """An instruction, the kind of edit that should answer it, and the function that it is about."""

    kind: str
    words: str
    symbol: str


def working_example(
    lines: Sequence[str], region: Region, words: str, offered: Callable[[Example, float], str | None]
) -> Example | None:
    """An instruction that works about a region and is not far from what was asked, if one is found in time.

    Args: lines: of the whole file. words: what was asked. offered: the kind of edit that an instruction would be
        answered with, if that is known before a time of `time.monotonic`.
    """
    due = time.monotonic() + PATIENCE_S
    for number, example in enumerate(_examples(lines, region, words)):
        if number == _MOST_TRIED or time.monotonic() > due:
            return None
        if offered(example, due) == example.kind:
            return example
    return None


def _examples(lines: Sequence[str], region: Region, words: str) -> Iterator[Example]:
    """Of imports or names where the words are about those; else what there is an occasion for that fits the words."""
    if _IMPORTS.search(words):
        yield from _of_imports(lines)
        return
    here = [(each, snippet) for each in _functions(lines, region) if (snippet := _parsed(lines, each))]
    if _NAMES.search(words):
        yield from (each for symbol, snippet in here for each in _of_names(symbol, snippet, words))
        return
    if _CHECKS.search(words):
        yield from (each for symbol, snippet in here for each in _of_checks(symbol, snippet, words))
    fitting = [(kind, told) for kind, told, begins in _OCCASIONS if _fits(words, begins)]
    for symbol, snippet in here:
        for kind, told in fitting:
            if not finds_nothing(codemods()[kind], snippet, Request(told.format(name=symbol.name))):
                yield Example(kind, told.format(name=symbol.name), symbol.name)
    for symbol, snippet in here:
        if _fits(words, _SPEAKS) and ast.get_docstring(snippet.functions[0]) is None:
            yield Example(_DOCSTRING[0], _DOCSTRING[1].format(name=symbol.name), symbol.name)


def _fits(words: str, begins: str) -> bool:
    return bool(_IN_GENERAL.search(words) or re.search(rf"(?i)(?<!\w)(?:{begins})", words))


def _of_checks(symbol: Symbol, snippet: Snippet, words: str) -> Iterator[Example]:
    """A check of the one parameter that the words say."""
    arguments = snippet.functions[0].args
    known = [each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    told = [name for name in dict.fromkeys(_WORD.findall(_PLACED.sub(" ", words))) if name in known]
    if len(told) == 1:
        yield Example("raise_if", f"raise a ValueError if {told[0]} is None in {symbol.name}", symbol.name)


def _of_imports(lines: Sequence[str]) -> Iterator[Example]:
    file = Snippet(tuple(lines))
    try:
        unused = unused_imports(file)
        if unused:
            yield Example("unused_import", f"remove the unused import {unused[0].bound}", "")
        if not is_in_order(file):
            yield Example("sort_imports", "sort the imports", "")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return


def _of_names(symbol: Symbol, snippet: Snippet, words: str) -> Iterator[Example]:
    """The renaming of a name that the words say to the one that they end with, where they say that it is one."""
    words = _PLACED.sub(" ", words)
    own, bound = symbol.name.rpartition(".")[2], set(bound_names(snippet))
    olds = [one for one in dict.fromkeys(_WORD.findall(words)) if one in bound and one != own]
    new = told["new"] if (told := _NEW.search(words)) else ""
    can_be = new and new not in {*bound, own} and not is_plain(new) and not keyword.iskeyword(new)
    if can_be and len(olds) == 1:
        yield Example("rename", f"rename {olds[0]} to {new} in {symbol.name}", symbol.name)


def _functions(lines: Sequence[str], region: Region) -> list[Symbol]:
    """Functions of a region, or the one that it is a part of."""
    known = [each for each in symbols(lines) if each.kind != "class" and each.length <= _MOST_LINES]
    inside = [each for each in known if region.start_line <= each.start_line and each.end_line <= region.end_line]
    around = [each for each in known if each.contains(region.start_line, region.end_line)]
    return (inside or around[-1:])[:_MOST_FUNCTIONS]


def _parsed(lines: Sequence[str], symbol: Symbol) -> Snippet | None:
    snippet = Snippet(tuple(lines[symbol.start_line - 1 : symbol.end_line]))
    try:
        return snippet if snippet.functions else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
