"""Finds the region that a request is about: by what it names verbatim, where the user is, and the words it shares.

Nothing here reads a sentence. A place is told by `path:line`, by the name of a file, or by a name that the code
defines; else it is where the user is; else the part that shares the rarest words, if it is clearly ahead of all others.
"""

import math
import re
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches

from spark_tui.context.index import Index
from spark_tui.context.likely import likelihoods, sieved
from spark_tui.context.parts import WORD, Part, parts_of
from spark_tui.context.source import WHOLE_FILE, Fits, Region, Source, always
from spark_tui.context.symbols import is_aside, is_test
from spark_tui.context.terms import file_names, identifiers, is_shaped, last_of, places, quoted
from spark_tui.editing.languages import language_of
from spark_tui.errors import FileError, Unclear, UsageError
from spark_tui.places import can_be_told

CLEARLY, LITTLE = 1.4, 0.6
"""The best part must score so many times what the second does and a little more: what is shared by chance."""
SHOWN = 3
_MOST_WEIGHED = 4000
"""Characters of a request that are weighed; of more, only the places that they name are read."""
_MOST_NAMED = 20
"""Files that are looked at closely for one name."""
_MOST_SEARCHED = 400
"""Of more files that hold a name, which ones may define it is not looked for."""
_SHORT = 2
"""Characters of a plain word that is no name of a function here."""
_SMALL = 60
"""Lines of a part where there is no room for all of a function."""


@dataclass(frozen=True, slots=True)
class Unsure:
    """It is not clear which place is meant. `places`: the likeliest, the best first, perhaps none."""

    places: tuple[Region, ...]


@dataclass(frozen=True, slots=True)
class Focus:
    """Where the user is: lines of a file (1-based), or the function or class that they are by its name.

    `earlier`: what was asked there, as long as nothing of that is decided, the oldest first.
    """

    path: str
    lines: tuple[int, int]
    symbol: str | None = None
    earlier: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sought:
    """What tells where something is to be done.

    `words`: as they were typed. `path`, `lines` (1-based), `symbol`: a place that was told outright. `focus`: where the
    user is.
    """

    words: str
    path: str | None = None
    lines: tuple[int, int] | None = None
    symbol: str | None = None
    focus: Focus | None = None


def find(sought: Sought, index: Index, fits: Fits = always) -> Region | Unsure:
    """The region to edit. Args: fits: whether the model has room for lines.

    Raises: UsageError: what is told is not there, or too long. FileError: the file at `path` is no text.
    """
    return _Search(sought, index, fits).region()


def likely(sought: Sought, index: Index) -> tuple[Region, ...]:
    """The regions that words may be about, the best first: those that `find` cannot tell apart, then others."""
    search, first = _Search(sought, index, always), tuple[Region, ...]()
    with suppress(FileError, UsageError):  # what is told is not there
        first = between.places if isinstance(between := search.region(), Unsure) else ()
    here = search.here(sought.focus) if sought.focus else None
    parts = (*search.plainly(), *search.of_files(), *sorted((part for _, part in search.ranked()), key=_aside))
    found = dict.fromkeys((*first, *(part.region() for part in dict.fromkeys(parts))))
    return tuple(dict.fromkeys((*list(found)[:SHOWN], *([here] if here else []), *found)))


class _Search:
    """One look for a place."""

    def __init__(self, sought: Sought, index: Index, fits: Fits) -> None:
        self._words, self._told, self._fits = sought.words[:_MOST_WEIGHED], sought, fits
        self._index = index.of((sought.path,)) if sought.path else index
        self._ranked: tuple[Index, list[tuple[float, Part]]] | None = None
        self._weighed = 0
        """How many parts were weighed against one another."""

    def region(self) -> Region | Unsure:
        """The place, or those that it may be."""
        if (told := self._told).path is not None:
            return self._in_file(told.path)
        if (found := self._located()) is not None:
            return found
        told_files = (path for name in file_names(self._words) if (path := self._file(name)))
        named = list(dict.fromkeys(told_files)) or (self._index.files if len(self._index.files) == 1 else ())
        self._index = self._index.of(named or self._index.files)
        if told.focus is not None and (not named or told.focus.path in named) and (focus := self.here(told.focus)):
            return self._from(focus)
        try:
            return self._in_file(named[0]) if len(named) == 1 else self._clear(self.ranked())
        except FileError:
            return Unsure(())

    def _in_file(self, path: str) -> Region | Unsure:
        """The lines or the function told, all of a file that is short, or what of it is likeliest."""
        source, told = self._index.source(path), self._told
        if told.lines:
            return source.at_lines(*told.lines, self._fits)
        if told.symbol:
            return self._of_symbol(source, told.symbol)
        if len(source.lines) <= WHOLE_FILE and self._fits(source.lines):
            return source.region(1, len(source.lines))
        return self._clear(self.ranked())

    def here(self, focus: Focus) -> Region | None:
        """Where the user is as it is now; None where that is gone."""
        try:
            source = self._index.source(focus.path)
            found = source.named(tuple(focus.symbol.split("."))) if focus.symbol else []
            exact = [one for one in found if one.name == focus.symbol]
            if len(exact) == 1:
                return source.of_symbol(exact[0])
            first, last = focus.lines[0], min(focus.lines[1], len(source.lines))
            return source.region(first, last) if first <= last else None
        except (FileError, UsageError):
            return None

    def _of_symbol(self, source: Source, name: str) -> Region | Unsure:
        found = source.named(tuple(name.split(".")))
        found = [one for one in found if one.name == name] or found
        if not found:
            near = get_close_matches(name, [symbol.name for symbol in source.symbols], n=1)
            hint = f"did you mean {near[0]}?" if near else f"choose lines with --at {source.path}:L1-L2"
            raise UsageError(f"there is no function or class {name} in {source.path}; {hint}")
        if len(found) > 1:
            return Unsure(tuple(source.of_symbol(one) for one in found[:SHOWN]))
        return source.of_symbol(found[0])

    def _located(self) -> Region | None:
        """Around the line that a traceback or a lint message names, the first that is here."""
        for place in places(self._told.words):
            if (path := self._file(place.path)) is None:
                continue
            try:
                source = self._index.source(path)
            except FileError:
                continue
            if 1 <= place.first <= place.last <= len(source.lines):
                return source.around(place.first, place.last, self._fits)
        return None

    def _file(self, name: str) -> str | None:
        """The one file that a path as it is written means, be it from further up or the end of one."""
        whole = f"/{name.removeprefix('./')}"
        found = [path for path in self._index.files if whole.endswith(f"/{path}")]
        found = [max(found, key=len)] if found else [path for path in self._index.files if f"/{path}".endswith(whole)]
        return found[0] if len(found) == 1 else None

    def _from(self, focus: Region) -> Region | Unsure:
        """Where the user is, or what is named of it, unless the words name what is defined elsewhere only."""
        text = "\n".join(self._index.source(focus.path).lines[focus.start_line - 1 : focus.end_line])
        here = set(WORD.findall(text)) | set((focus.symbol or "").split("."))
        names = identifiers(self._words)
        strange = [name for name in names if name not in (text if "." in name else here)]
        if not (away := dict.fromkeys(part for name in strange for part in self._defining(name))):
            named = [part for name in names for part in self._defining(name) if part.symbol and part.name]
            inner = [part for part in named if part.region().meets(focus) and focus.start_line < part.first]
            return self._fitting(inner[0]) if len(inner) == 1 == len(named) else focus
        return self._away(focus, [part for _, part in self._ordered(list(away))], len(strange) < len(names))

    def _away(self, focus: Region, ranked: Sequence[Part], stays: bool) -> Region | Unsure:
        """Where something is defined that is named and is not where the user is. Args: stays: something else is."""
        words = set(WORD.findall(self._words))
        named = sorted(ranked, key=lambda part: (is_test(part.source.path), part.name not in words))
        best = named[0].source.path
        alike = language_of(best) == language_of(focus.path) and is_test(best) <= is_test(focus.path)
        if len(named) == 1 and alike and not stays:
            return self._fitting(named[0])
        fits = next((part for _, part in self.ranked()), named[0])
        found = [at for at in dict.fromkeys(map(self._fitting, (*named[: SHOWN - 1], fits))) if not at.meets(focus)]
        return Unsure((focus, *found) if stays else (*found, focus))

    def plainly(self, here: Collection[str] = ()) -> list[Part]:
        """The functions and classes, but no methods, which have plain words for names, that words name, each few."""
        words = dict.fromkeys(word for word in WORD.findall(self._words) if len(word) > _SHORT and word not in here)
        named = ([(part, part.symbol) for part in self._defining(word)] for word in words)
        own = ([part for part, one in each if one and one.kind != "section" and "." not in one.name] for each in named)
        return [part for parts in own if len(parts) < SHOWN for part in parts][: SHOWN - 1]

    def of_files(self) -> list[Part]:
        """What is likeliest in the files that a word of the request is called, but for their endings."""
        words = {word.lower() for word in WORD.findall(self._words)}
        named = [path for path in self._index.files if path.rpartition("/")[2].partition(".")[0].lower() in words]
        parts = [*(part for _, part in self.ranked()), *self._index.parts(named[:_MOST_NAMED])]
        return [part for part in parts if part.source.path in named][:SHOWN]

    def _defining(self, name: str) -> list[Part]:
        """The parts that define a name: a function or class so called, else statements that give it a value."""
        told, last = tuple(re.split(r"\.|::", name)), last_of(name)
        parts = self._index.parts(self._holding_all(told))
        named = [part for part in parts if part.name == last and part.symbol in part.source.named(told)]
        if not named:  # within another function
            sources = dict.fromkeys(part.source for part in parts)
            named = [Part(each, at.start_line, at.end_line, at) for each in sources for at in each.named(told)]
        if named or not is_shaped(last):
            return self._untested(named)
        given = re.compile(
            rf"^[ \t]*(?:[\w.]+[ \t]+|\w+\.)*{re.escape(last)}[ \t]*(?::[^=\n]+)?=(?![=>])", re.MULTILINE
        )
        return [part for part in parts if last in part.text and given.search(part.text) and part.code.words[last]]

    def _holding_all(self, words: Sequence[str]) -> Sequence[str]:
        """Files that hold all of some words; of many first those that may define the last, tests behind the others."""
        if len(files := self._index.files) == 1:
            return files
        found = frozenset.intersection(*self._index.holding(words).values())
        begun = re.compile(rf"^[\w \t*&<>,:~()@]*\b{re.escape(words[-1])}\b".encode(), re.MULTILINE)
        can_only_be_a_name = len(words) > 1 or is_shaped(words[-1])  # of plain words there are many at every pause
        looks = can_only_be_a_name and _MOST_NAMED < len(found) <= _MOST_SEARCHED
        order = {path: (is_test(path), looks and not begun.search(self._index.bytes(path)), path) for path in found}
        return sorted(found, key=order.__getitem__)[:_MOST_NAMED]

    def _untested(self, parts: list[Part]) -> list[Part]:
        """Of parts of one name those that are no tests, unless there are none, or the user is at a test."""
        at_a_test = self._told.focus is not None and is_test(self._told.focus.path)
        return parts if at_a_test else [part for part in parts if not is_test(part.source.path)] or parts

    def ranked(self) -> list[tuple[float, Part]]:
        """The parts that share words with the request, the best first."""
        if self._ranked is not None and self._ranked[0] is self._index:
            return self._ranked[1]
        paths = self._index.files
        if len(paths) != 1:
            paths = tuple(self._index.likeliest(list(dict.fromkeys(WORD.findall(self._words)))))
        parts = self._index.parts(paths)
        found = self._ordered(sieved(parts, self._words))
        self._ranked = self._index, found
        return found

    def _ordered(self, parts: Sequence[Part]) -> list[tuple[float, Part]]:
        self._weighed = len(parts)
        scores = likelihoods(self._words, parts)
        order = sorted(range(len(parts)), key=lambda at: (-scores[at], at))
        return [(scores[at], parts[at]) for at in order if scores[at] > 0 or len(parts) <= SHOWN]

    def _clear(self, ranked: Sequence[tuple[float, Part]]) -> Region | Unsure:
        if best := self._best(ranked):
            return best
        defining = (part for name in identifiers(self._words) for part in self._defining(name))
        rest = sorted((part for _, part in ranked[: 4 * SHOWN]), key=_aside)
        parts = list(dict.fromkeys((*self.plainly(), *defining, *rest)))[:SHOWN]
        return Unsure(tuple(part.region() for part in parts))

    def _best(self, ranked: Sequence[tuple[float, Part]]) -> Region | None:
        """The first, if it is clearly ahead."""
        if not ranked:
            return None
        (score, best), second = ranked[0], ranked[1][0] if len(ranked) > 1 else 0.0
        if score >= CLEARLY * (second + LITTLE * math.log(1 + self._weighed)):
            return self._fitting(best)
        best = self._untested([part for _, part in ranked[:SHOWN]])[0]
        return self._fitting(best) if self._holds_alone(best, [part for _, part in ranked]) else None

    def _holds_alone(self, best: Part, ranked: Sequence[Part]) -> bool:
        """Whether a part is the only one with some words that are quoted, or to define what is named."""
        texts = [text for text in quoted(self._words) if len(text.split()) > 1]
        if any([part for part in ranked if text in part.text] == [best] for text in texts):
            return True
        return any(best.name == last_of(name) and self._defining(name) == [best] for name in identifiers(self._words))

    def _fitting(self, part: Part) -> Region:
        """A part, or what of it is likeliest where the model has no room for all of it."""
        symbol = part.symbol if part.opens else None
        if symbol and symbol.length <= WHOLE_FILE and self._fits(part.source.lines[part.first - 1 : symbol.end_line]):
            return part.source.of_symbol(symbol)
        if self._fits(part.text.split("\n")):
            return part.region()
        within = [one for one in parts_of(part.source, _SMALL) if part.first <= one.first and one.last <= part.last]
        return self._ordered(within)[0][1].region() if within else part.region()


def _aside(part: Part) -> tuple[bool, bool]:
    return is_aside(part.source.path)


def address(region: Region) -> str:
    """How a region is told on a command line."""
    told = region.symbol and not region.twin and can_be_told(region.symbol)
    return f"{region.path}::{region.symbol}" if told else f"{region.path}:{region.start_line}-{region.end_line}"


def unclear(places: Sequence[Region]) -> Unclear:
    """What to say of a place that is not clear. Args: places: those that it may be, the likeliest first."""
    each = [address(place) for place in places]
    asked = f": is it {', '.join(each[:-1])}{' or ' * bool(each[1:])}{each[-1]}?" if each else ""
    return Unclear(
        f"it is not clear which place is meant{asked} Choose one with --at, or name it"
        if each
        else "it is not clear which place is meant; name a function, or use --file PATH or --at PATH:L1-L2"
    )
