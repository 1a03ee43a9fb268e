"""Finds the region an instruction is about: the lines of one file that the model will see and may edit.

Pure: files come through a callable. Every refusal says what to do instead.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from hashlib import sha256
from typing import NamedTuple

from spark_tui.context.ranking import best_part
from spark_tui.context.symbols import Symbol, symbols
from spark_tui.context.wording import Mention, Sureness, file_names, mentions, search_terms
from spark_tui.editing.format import MAX_LINES
from spark_tui.editing.text import Text
from spark_tui.errors import FileError, UsageError

WHOLE_FILE = 60
"""A file of at most so many lines is a region as it is."""

Read = Callable[[str], bytes]


@dataclass(frozen=True, slots=True)
class Region:
    """Lines of a file that the model sees and may edit. An empty file has the region 1-0.

    `start_line`, `end_line`: 1-based, inclusive. `symbol`: the function or class it is, if it is one. `selected`:
    the 0-based first and last line, within the region, that the user pointed at. `base_hash`: SHA-256 of the
    file's bytes. `found_by`: lines, symbol, name, file or words.
    """

    path: str
    start_line: int
    end_line: int
    symbol: str | None
    selected: tuple[int, int] | None
    base_hash: str
    found_by: str


class _Source:
    """A file. Raises: FileError: the bytes are no text."""

    def __init__(self, path: str, data: bytes) -> None:
        self.path = path
        self.lines = Text.from_bytes(data, path).lines
        self._hash = sha256(data).hexdigest()

    @property
    def is_python(self) -> bool:
        """Whether it has symbols at all."""
        return self.path.endswith(".py")

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """Its functions, methods and classes in order."""
        return symbols(self.lines) if self.is_python else ()

    @cached_property
    def module(self) -> tuple[str, ...]:
        """The parts of its module's name."""
        return tuple(self.path.removesuffix(".py").split("/"))

    def named(self, parts: tuple[str, ...]) -> list[Symbol]:
        """The symbols whose name ends in these parts; "module.function" counts as a name, too."""
        found = []
        for symbol in self.symbols:
            own = tuple(symbol.name.split("."))
            if (own if len(parts) <= len(own) else self.module + own)[-len(parts) :] == parts:
                found.append(symbol)
        return found

    def region(
        self,
        first: int,
        last: int,
        found_by: str,
        *,
        symbol: str | None = None,
        selected: tuple[int, int] | None = None,
    ) -> Region:
        """Lines first..last. Raises: UsageError: they are too many."""
        if last - first >= MAX_LINES:
            name = symbol or f"{self.path}:{first}-{last}"
            raise UsageError(
                f"{name} has {last - first + 1} lines and spark edits at most {MAX_LINES} at once; "
                f"choose fewer with --at {self.path}:L1-L2"
            )
        return Region(self.path, first, last, symbol, selected, self._hash, found_by)

    def of_symbol(self, symbol: Symbol, found_by: str) -> Region:
        """The region that is a function or class. Raises: UsageError: it is too long."""
        return self.region(symbol.start_line, symbol.end_line, found_by, symbol=symbol.name)

    def at_lines(self, first: int, last: int) -> Region:
        """The smallest function or class around lines first..last, with them selected, else just the lines.

        Raises: UsageError: there are no such lines, or too many.
        """
        if not 1 <= first <= last <= len(self.lines):
            raise UsageError(f"{self.path} has no lines {first}-{last}; it has {len(self.lines)}, counted from 1")
        around = [symbol for symbol in self.symbols if symbol.contains(first, last) and symbol.length <= MAX_LINES]
        if not around:
            return self.region(first, last, "lines")
        symbol = min(around, key=lambda symbol: symbol.length)
        start = symbol.start_line
        selected = None if (first, last) == (start, symbol.end_line) else (first - start, last - start)
        return self.region(start, symbol.end_line, "lines", symbol=symbol.name, selected=selected)


class _Found(NamedTuple):
    """A function or class that may be meant."""

    source: _Source
    symbol: Symbol
    sureness: Sureness = Sureness.MARKED

    def region(self, found_by: str) -> Region:
        """It as a region."""
        return self.source.of_symbol(self.symbol, found_by)

    def inside(self, other: "_Found") -> bool:
        """Whether this is a part of the other."""
        mine, its = self.symbol, other.symbol
        return self.source is other.source and mine != its and its.contains(mine.start_line, mine.end_line)


def find_region(
    instruction: str,
    files: Iterable[str],
    read: Read,
    *,
    path: str | None = None,
    lines: tuple[int, int] | None = None,
    symbol: str | None = None,
) -> Region:
    """The region to edit.

    In this order: the lines given; the symbol given; a function or class that the instruction names; the whole
    file when it is short; the part of the file that shares the rarest words with the instruction.

    Args: files: the Python files to search when no path is given. read: a path's bytes; files it cannot read are
        passed over in a search. lines: 1-based first and last line in `path`.
    Raises: UsageError: nothing fits, or more than one thing. FileError: the file at `path` is no text.
    """
    paths = (path,) if path is not None else _mentioned_files(instruction, files)
    if len(paths) != 1:
        return _symbol_anywhere(symbol, paths, read) if symbol else _anywhere(instruction, paths, read)
    path = paths[0]
    source = _Source(path, read(path))
    if lines is not None:
        return source.at_lines(*lines)
    return _symbol_in(symbol, source) if symbol else _in_file(instruction, source)


def _mentioned_files(instruction: str, files: Iterable[str]) -> tuple[str, ...]:
    """The files the instruction names, else all of them."""
    files = tuple(files)
    names = file_names(instruction)
    return tuple(path for path in files if any(f"/{path}".endswith(f"/{name}") for name in names)) or files


def _symbol_in(name: str, source: _Source) -> Region:
    if not source.is_python:
        raise UsageError(f"functions are found in Python files only; choose lines with --at {source.path}:L1-L2")
    found = [_Found(source, symbol) for symbol in source.named(tuple(name.split(".")))]
    if not found:
        near = get_close_matches(name, [symbol.name for symbol in source.symbols], n=1)
        hint = f"did you mean {near[0]}?" if near else f"choose lines with --at {source.path}:L1-L2"
        raise UsageError(f"there is no function or class {name} in {source.path}; {hint}")
    return _only(_exact(found, name), name).region("symbol")


def _symbol_anywhere(name: str, files: Sequence[str], read: Read) -> Region:
    parts = tuple(name.split("."))
    sources = _defining({parts[-1]}, files, read)
    found = [_Found(source, symbol) for source in sources for symbol in source.named(parts)]
    if not found:
        raise UsageError(f"there is no function or class {name} in the Python files here; check its name")
    return _only(_exact(found, name), name).region("symbol")


def _exact(found: list[_Found], name: str) -> list[_Found]:
    """The one whose whole name was given, or all."""
    exact = [one for one in found if one.symbol.name == name]
    return exact if len(exact) == 1 else found


def _part_of(found: _Found, instruction: str) -> Region:
    """What an instruction names, or the part of it that fits when it is too long."""
    source, symbol = found.source, found.symbol
    if symbol.length > MAX_LINES:
        inner = [one for one in source.symbols if one != symbol and symbol.contains(one.start_line, one.end_line)]
        terms = {term: worth for term, worth in search_terms(instruction).items() if term not in symbol.name.lower()}
        part = best_part(source.lines, inner, terms, start_line=symbol.start_line)
        if part is not None:
            return source.region(part.start_line, part.end_line, "words", symbol=part.symbol)
    return found.region("name")


def _in_file(instruction: str, source: _Source) -> Region:
    short = len(source.lines) <= WHOLE_FILE
    if source.is_python:
        named = _meant(_named(mentions(instruction), [source]))
        if len(named) == 1:
            return _part_of(named[0], instruction)
        if named and not short:
            _only(named, "the name")
    if short:
        return source.region(1, len(source.lines), "file")
    part = best_part(source.lines, source.symbols, search_terms(instruction)) if source.is_python else None
    if part is None:
        which = f"--at {source.path}:L1-L2" + (f" or --at {source.path}::NAME" if source.is_python else "")
        raise UsageError(
            f"{source.path} has {len(source.lines)} lines and it is not clear which are meant; use {which}"
        )
    return source.region(part.start_line, part.end_line, "words", symbol=part.symbol)


def _anywhere(instruction: str, files: Sequence[str], read: Read) -> Region:
    told = mentions(instruction)
    found = _named(told, list(_defining({mention.parts[-1] for mention in told}, files, read)))
    meant = _meant(found)
    if not meant:
        raise UsageError(
            "it is not clear which file is meant; name a function or class, or use --file PATH or --at PATH:L1-L2"
        )
    return _part_of(_only(meant, "the name"), instruction)


def _defining(names: Iterable[str], files: Iterable[str], read: Read) -> Iterator[_Source]:
    """The files that define a function or class of one of these names."""
    words = b"|".join(re.escape(name.encode("utf-8", "replace")) for name in sorted(names))
    pattern = re.compile(rb"^[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+(?:" + words + rb")[ \t]*[(:\[]", re.MULTILINE)
    for path in files:
        try:
            data = read(path)
            if pattern.search(data):
                yield _Source(path, data)
        except FileError:
            continue


def _named(told: Iterable[Mention], sources: Sequence[_Source]) -> list[_Found]:
    """What the mentions may stand for."""
    return [
        _Found(source, symbol, mention.sureness)
        for mention in told
        for source in sources
        for symbol in source.named(mention.parts)
    ]


def _meant(found: Sequence[_Found]) -> list[_Found]:
    """The surest of what was found, or a named part of it; what common words name is only meant as such a part."""
    sure = [one for one in found if one.sureness is not Sureness.COMMON]
    surest = max((one.sureness for one in sure), default=Sureness.COMMON)
    places = _innermost([one for one in sure if one.sureness is surest])
    within = _innermost([one for one in found if any(one.inside(place) for place in places)])
    return within if len(within) == 1 else places


def _innermost(found: Sequence[_Found]) -> list[_Found]:
    """Each only once, and none that has another one in it."""
    once = {(one.source.path, one.symbol): one for one in found}.values()
    return [one for one in once if not any(other.inside(one) for other in once)]


def _only(found: Sequence[_Found], name: str) -> _Found:
    """The one that was found. Raises: UsageError: it was more than one; it lists them."""
    if len(found) == 1:
        return found[0]
    shown = ", ".join(_address(one, found) for one in found[:5]) + (", ..." if len(found) > 5 else "")
    raise UsageError(f"{name} may mean {shown}; choose one with --at")


def _address(one: _Found, found: Sequence[_Found]) -> str:
    twins = [other for other in found if (other.source, other.symbol.name) == (one.source, one.symbol.name)]
    if len(twins) > 1:
        return f"{one.source.path}:{one.symbol.start_line}-{one.symbol.end_line}"
    return f"{one.source.path}::{one.symbol.name}"
