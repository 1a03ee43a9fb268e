"""Finds the region an instruction is about: the lines of one file that the model will see and may edit.

Pure: files come through a callable. Every refusal says what to do instead.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from difflib import get_close_matches
from itertools import chain, islice
from typing import NamedTuple

from spark_tui.context.constants import constants_told
from spark_tui.context.files_told import files_meant
from spark_tui.context.naming import is_brought, owners_named, places_at
from spark_tui.context.only_fitting import only_fitting
from spark_tui.context.ranking import EVIDENCE, Part, Ranked, rank
from spark_tui.context.renames import class_around, home_of, name_to_change
from spark_tui.context.search import MAX_FILES, Read, defining, importing, is_said_in, likeliest, open_sources
from spark_tui.context.source import WHOLE_FILE, Fits, Region, Source, always, source_of
from spark_tui.context.symbols import Symbol
from spark_tui.context.tested import code_first
from spark_tui.context.wording import (
    Mention,
    Sureness,
    bare_to_go,
    import_to_go,
    is_about_imports,
    is_for_the_top,
    locations,
    mentions,
    search_terms,
    told_lines,
)
from spark_tui.editing.codemods.imports.imports_listed import names_to_go
from spark_tui.editing.codemods.imports.usual_imports import is_module
from spark_tui.editing.format import MAX_LINES
from spark_tui.errors import Unclear, UsageError
from spark_tui.places import place_among

__all__ = ["Region", "find_region", "likely_regions", "refuse_no_owner"]

_MOST_LISTED = 4
_SHOWN = 3
SOME = 1.0
"""What must be found of an instruction where it is known which file is meant, or that it is about imports."""

NAMED_WORTH = {Sureness.WORD: 0.3, Sureness.PLAIN: 2.5, Sureness.MARKED: 3.0, Sureness.PLACE: 12.0}
"""How much it is worth in a search that the instruction names a function or class."""


class _Found(NamedTuple):
    """A function or class that may be meant."""

    source: Source
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
    fits: Fits = always,
) -> Region:
    """The region to edit.

    In this order: the lines given; the symbol given; a line that a traceback or lint message in the instruction
    names; lines that it speaks of, when it is clear in which file; the function that it names as the place; the whole
    file when it is short; the part (a function, or the
    top of a module) that shares the rarest words with the instruction, if it is clearly ahead.

    Args: files: the Python files to search when no path is given. read: a path's bytes; files it cannot read are
        passed over in a search. lines: 1-based first and last line in `path`. fits: the most that is taken around lines
        that were pointed at; where that is not even their function, then just them.
    Raises: Unclear: nothing fits, or more than one thing. UsageError: what is told is not there, or too long.
        FileError: the file at `path` is no text.
    """
    paths = (path,) if path is not None else tuple(files)
    if not paths:
        raise Unclear("there is no Python file here, and Python is all that can be edited; begin one, or use -C DIR")
    if lines is None and symbol is None:
        if place := place_among(instruction, paths) if path is None else None:
            path, lines, symbol = place.path, place.lines, place.symbol
            paths = (path,)
        elif located := _at_location(instruction, paths, read, fits):
            return located
    if path is None:
        paths = files_meant(instruction, paths)
        _refuse_unknown(instruction, paths, read)
        paths = _importing(instruction, paths, read)
    if symbol is None and lines is None:
        refuse_no_owner(instruction, paths, read)
    told = told_lines(instruction)
    if len(paths) != 1:
        found = _symbol_anywhere(symbol, paths, read) if symbol else _anywhere(instruction, paths, read)
        return _selecting(found, told, must=symbol is not None)
    source = source_of(paths[0], read(paths[0]))
    if lines is None and symbol is None:
        return _told_by_number(told, source, fits) if told else _in_file(instruction, source)
    region = source.at_lines(*lines, fits) if lines is not None else _symbol_in(str(symbol), source)
    if is_for_the_top(instruction) and not told and not source.has_import(region):
        return source.with_imports() or region
    return _selecting(_with_all_uses(instruction, region, source), told, must=True)


def _with_all_uses(instruction: str, region: Region, source: Source) -> Region:
    """A region, or the class around it where an attribute is to be renamed: the other methods use it, too."""
    is_attribute = "." in (name_to_change(instruction) or "")
    return class_around(region, source) if is_attribute else region


def _told_by_number(told: Sequence[tuple[int, int]], source: Source, fits: Fits) -> Region:
    """The region around all lines that an instruction speaks of; they are selected when it speaks of them once."""
    region = source.around(min(first for first, _ in told), max(last for _, last in told), fits)
    return region if len(told) == 1 else replace(region, selected=None)


def _selecting(region: Region, told: Sequence[tuple[int, int]], *, must: bool = False) -> Region:
    """A region with the lines selected that an instruction speaks of. Args: must: they lie in it.

    Raises: UsageError: they do not.
    """
    outside = [f"{first}" for first, last in told if first < region.start_line or last > region.end_line]
    if outside and must:
        place = f"{region.path}:{region.start_line}-{region.end_line}"
        raise UsageError(
            f"line {outside[0]} is not in {place}; lines are counted from the top of the file: "
            "leave out --at, or name a line in it"
        )
    if outside or len(told) != 1:
        return region
    return replace(region, selected=(told[0][0] - region.start_line, told[0][1] - region.start_line))


def _at_location(instruction: str, files: Sequence[str], read: Read, fits: Fits) -> Region | None:
    """The innermost line of a traceback, or the first of a lint message, that is one of these files'."""
    for told in locations(instruction):
        whole = f"/{told.path}"
        found = [path for path in files if whole.endswith(f"/{path}")] or [
            path for path in files if f"/{path}".endswith(whole)
        ]
        if len(found) > 1 and whole.endswith(f"/{found[0]}"):
            found = [max(found, key=len)]
        source = next(open_sources(found, read), None) if len(found) == 1 else None
        if source is not None and 1 <= told.line <= len(source.lines):
            region = source.around(told.line, told.line, fits)
            if told.function is None or (region.symbol or "").rpartition(".")[2] == told.function:
                return region
    return None


def _refuse_unknown(instruction: str, files: Sequence[str], read: Read) -> None:
    """Refuse a place told as @NAME that is neither a file or folder nor a function or class. Raises: UsageError."""
    for name in places_at(instruction):
        known = any(f"/{name}." in f"/{path}" or f"/{name}/" in f"/{path}" for path in files)
        if not known and next(defining({name}, files, read), None) is None:
            raise UsageError(f"there is no file, function or class {name} here; check its name")


def refuse_no_owner(instruction: str, files: Sequence[str], read: Read) -> None:
    """Refuse a function or class told as the place of which not even the name is to be seen. Raises: UsageError."""
    for name in owners_named(instruction):
        if any(name.lower() in re.split(r"[/.]", path.lower()) for path in files) or is_said_in(name, files, read):
            continue
        if len(files) == 1:
            raise _no_symbol(name, source_of(files[0], read(files[0])))
        raise UsageError(f"there is no function or class {name} in the Python files here; check its name")


def _importing(instruction: str, files: Sequence[str], read: Read) -> tuple[str, ...]:
    """The one file that has the import that is to go, or all files where none is told.

    Raises: UsageError: no file has it. Unclear: several have.
    """
    told, bare = import_to_go(instruction), bare_to_go(instruction)
    name = told or (bare if bare and is_module(bare) else None)
    if name is None or len(files) == 1:
        return tuple(files)
    found = list(islice(importing(name, files, read), _MOST_LISTED + 1))
    if not found and not told:
        return tuple(files)
    if not found:
        raise UsageError(f"{name} is not imported in the Python files here; check its name")
    if len(found) > 1:
        shown = ", ".join(found[:_MOST_LISTED]) + (", ..." if len(found) > _MOST_LISTED else "")
        raise Unclear(f"{name} is imported in {shown}; choose one with --at PATH")
    return tuple(found)


def _no_symbol(name: str, source: Source) -> UsageError:
    near = get_close_matches(name, [symbol.name for symbol in source.symbols], n=1)
    hint = f"did you mean {near[0]}?" if near else f"choose lines with --at {source.path}:L1-L2"
    return UsageError(f"there is no function or class {name} in {source.path}; {hint}")


def _symbol_in(name: str, source: Source) -> Region:
    if not source.is_python:
        raise UsageError(f"functions are found in Python files only; choose lines with --at {source.path}:L1-L2")
    found = [_Found(source, symbol) for symbol in source.named(tuple(name.split(".")))]
    if not found:
        raise _no_symbol(name, source)
    return _only(_exact(found, name), name).region("symbol")


def _symbol_anywhere(name: str, files: Sequence[str], read: Read) -> Region:
    parts = tuple(name.split("."))
    sources = defining({parts[-1]}, files, read)
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
        terms = {term: worth for term, worth in search_terms(instruction).items() if term not in symbol.name.lower()}
        part = rank([source], terms, within=symbol, evidence=SOME).best
        if part is not None:
            return _region_of(part, [source], "words")
    return found.region("name")


def _region_of(part: Part, sources: Sequence[Source], found_by: str) -> Region:
    source = sources[part.document]
    if part.symbol is None and part.start_line == 1:
        return source.top() or source.region(1, part.end_line, found_by)
    name = part.symbol.name if part.symbol else None
    return source.region(part.start_line, part.end_line, found_by, symbol=name)


def _in_file(instruction: str, source: Source) -> Region:
    short = len(source.lines) <= WHOLE_FILE
    told = _Told(instruction, [source] if source.is_python else [])
    if not short and (top := _top_with(instruction, source)):
        return top
    name = name_to_change(instruction)
    if (
        name
        and not told.has_place
        and (not short or len(told.meant) == 1)
        and (home := home_of(name, source, instruction))
    ):
        return home
    if short and len(told.meant) != 1:
        return source.region(1, len(source.lines), "file")
    region = _part_of(told.meant[0], instruction) if short else told.region()
    if region is None and told.about_imports:
        region = source.top()
    if region is None and len(told.meant) == 1 and told.meant[0].sureness > Sureness.WORD:
        region = _part_of(told.meant[0], instruction)
    if region is None:
        if len(told.meant) > 1:
            _only(told.meant, "the name")
        which = f"--at {source.path}:L1-L2" + (f" or --at {source.path}::NAME" if source.is_python else "")
        size = f"{source.path} has {len(source.lines)} lines"
        raise Unclear(f"{size} and it is not clear which are meant{told.places()}; use {which}")
    return region


def _top_with(instruction: str, source: Source) -> Region | None:
    """The top of a file that imports what is to go by its mere name and defines nothing else so called."""
    bare = bare_to_go(instruction)
    names = names_to_go(instruction) or ((bare,) if bare else ())
    return source.top() if names and all(source.imports(one) and not source.named((one,)) for one in names) else None


def likely_regions(instruction: str, files: Iterable[str], read: Read, *, most: int) -> tuple[Region, ...]:
    """The regions that an instruction may be about, the likeliest first. Args: as for `find_region`."""
    paths = tuple(files)
    sources = list(open_sources(paths, read)) if len(paths) == 1 else _sources(instruction, paths, read)
    return tuple(islice(_Told(instruction, sources).likely(), most))


def _sources(instruction: str, files: Sequence[str], read: Read) -> list[Source]:
    """The files that may be meant."""
    names = {mention.parts[-1] for mention in mentions(instruction) if mention.sureness is not Sureness.COMMON}
    sources = {source.path: source for source in islice(defining(names, files, read), MAX_FILES)}
    sources |= {source.path: source for source in likeliest(search_terms(instruction), files, read)}
    return list(sources.values())


def _anywhere(instruction: str, files: Sequence[str], read: Read) -> Region:
    told = _Told(instruction, _sources(instruction, files, read))
    region = told.region()
    if region is None:
        if len(told.meant) > 1:
            _only(told.meant, "the name", told.bearers)
        if told.about_imports:
            raise Unclear(f"it is not clear in which file{told.places()}; name one with --at PATH")
        raise Unclear(
            f"it is not clear which {told.unclear} is meant{told.places()}; "
            "name a function or class, or use --file PATH or --at PATH:L1-L2",
            told.bearers,
        )
    return region


class _Told:
    """What an instruction says of where it is to be carried out, in some files."""

    def __init__(self, instruction: str, sources: Sequence[Source]) -> None:
        self._instruction = instruction
        self._sources = sources
        self._found = _named(mentions(instruction), sources)
        self.meant = _meant(self._found)
        self.about_imports = is_about_imports(instruction) and not self.has_place
        self._ranked = self._rank()
        self._parts = code_first(self._ranked.parts, sources, instruction)

    @property
    def has_place(self) -> bool:
        """Whether a function or class is told as the place."""
        return any(one.sureness is Sureness.PLACE for one in self._found)

    def region(self) -> Region | None:
        """What is clearly meant."""
        if self.has_place and len(self.meant) == 1:
            return _part_of(self.meant[0], self._instruction)
        if constant := self._constant():
            return constant
        part = self._ranked.best or only_fitting(self._instruction, self._sources, self._ranked.parts)
        if part is None:
            return None
        named = [one for one in self._found if (one.source, one.symbol) == (self._sources[part.document], part.symbol)]
        return _part_of(named[0], self._instruction) if named else _region_of(part, self._sources, "words")

    @property
    def unclear(self) -> str:
        """What the words leave open: the function, where all that may be meant is in one file, else the file."""
        return "function" if len({part.document for part in self._parts[:_SHOWN]}) == 1 else "file"

    @property
    def bearers(self) -> list[str]:
        """The functions and classes that something is surely to be done to or in."""
        return [
            one.symbol.name
            for one in self.meant
            if one.sureness >= Sureness.PLAIN and not is_brought(one.symbol.name.rpartition(".")[2], self._instruction)
        ]

    def _constant(self) -> Region | None:
        """Around the one assignment that is told by its name, which is selected."""
        found = [(source, one) for source in self._sources for one in constants_told(self._instruction, source.lines)]
        return found[0][0].around(found[0][1].first, found[0][1].last) if len(found) == 1 else None

    def places(self) -> str:
        """The best three places, to be told to the user."""
        best = [_address_of(part, self._sources) for part in self._parts[:_SHOWN]]
        return f": is it {', '.join(best[:-1])}{' or ' if best[1:] else ''}{best[-1]}?" if best else ""

    def likely(self) -> Iterator[Region]:
        """What is named and not too long, then what shares words, the best first; each once."""
        named = [one.region("name") for one in self.meant if one.symbol.length <= MAX_LINES]
        parts = (_region_of(part, self._sources, "words") for part in self._parts)
        best = self._ranked.best
        first = [_region_of(best, self._sources, "words")] if best else []
        seen = set()
        for region in chain(first, named, parts):
            if (place := (region.path, region.start_line, region.end_line)) not in seen:
                seen.add(place)
                yield region

    def _rank(self) -> Ranked:
        numbers = {source.path: number for number, source in enumerate(self._sources)}
        named = {
            (numbers[one.source.path], one.symbol): NAMED_WORTH[one.sureness]
            for one in sorted(self._found, key=lambda one: one.sureness)
            if one.sureness is not Sureness.COMMON
        }
        only = {(numbers[one.source.path], one.symbol) for one in self.meant} if self.has_place else None
        terms = search_terms(self._instruction)
        evidence = SOME if self.about_imports or len(self._sources) == 1 else EVIDENCE
        return rank(self._sources, terms, named=named, only=only, tops_only=self.about_imports, evidence=evidence)


def _named(told: Iterable[Mention], sources: Sequence[Source]) -> list[_Found]:
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


def _only(found: Sequence[_Found], name: str, surely: Collection[str] = ()) -> _Found:
    """The one that was found. Args: surely: see `Unclear`. Raises: Unclear: it was more than one; it lists them."""
    if len(found) == 1:
        return found[0]
    shown = ", ".join(_address(one, found) for one in found[:5]) + (", ..." if len(found) > 5 else "")
    raise Unclear(f"{name} may mean {shown}; choose one with --at", surely)


def _address(one: _Found, found: Sequence[_Found]) -> str:
    twins = [other for other in found if (other.source, other.symbol.name) == (one.source, one.symbol.name)]
    if len(twins) > 1:
        return f"{one.source.path}:{one.symbol.start_line}-{one.symbol.end_line}"
    return f"{one.source.path}::{one.symbol.name}"


def _address_of(part: Part, sources: Sequence[Source]) -> str:
    path = sources[part.document].path
    return f"{path}::{part.symbol.name}" if part.symbol else f"{path}:{part.start_line}-{part.end_line}"
