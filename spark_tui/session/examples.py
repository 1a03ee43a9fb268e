"""Instructions that would work in a region, for whoever asked for something there is no edit for."""

import ast
import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from spark_tui.context.regions import Region
from spark_tui.context.symbols import Symbol, symbols
from spark_tui.editing.codemods.base import Request, finds_nothing
from spark_tui.editing.codemods.registry import codemods
from spark_tui.editing.snippet import Snippet

_OCCASIONS = (
    ("use_with", "use with in {name}"),
    ("mutable_default", "fix the mutable default in {name}"),
    ("use_enumerate", "use enumerate in {name}"),
    ("is_none", "use is None in {name}"),
    ("unused_variable", "remove the unused variable in {name}"),
    ("fstring", "use an f-string in {name}"),
)
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
    lines: Sequence[str], region: Region, offered: Callable[[Example, float], str | None]
) -> Example | None:
    """An instruction that works about a region, if one is found in time.

    Args: lines: of the whole file. offered: the kind of edit that an instruction would be answered with, if that is
        known before a time of `time.monotonic`.
    """
    due = time.monotonic() + PATIENCE_S
    for number, example in enumerate(_examples(lines, region)):
        if number == _MOST_TRIED or time.monotonic() > due:
            return None
        if offered(example, due) == example.kind:
            return example
    return None


def _examples(lines: Sequence[str], region: Region) -> Iterator[Example]:
    """The improvements that there is an occasion for in the functions of a region, then a renaming in each."""
    here = [(each, snippet) for each in _functions(lines, region) if (snippet := _parsed(lines, each))]
    for symbol, snippet in here:
        for kind, words in _OCCASIONS:
            told = words.format(name=symbol.name)
            if not finds_nothing(codemods()[kind], snippet, Request(told)):
                yield Example(kind, told, symbol.name)
    for symbol, snippet in here:
        if old := _local(snippet):
            yield Example("rename", f"rename {old} to {old}_value in {symbol.name}", symbol.name)


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


def _local(snippet: Snippet) -> str:
    """The longest name that is set in a function; a short one may be a word of the language."""
    names = [each.id for each in snippet.nodes if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)]
    return max((name for name in names if len(name) > 2), key=len, default="")
