"""Reads source files, and finds the regions of them that a turn may change.

`Source` is a file with its lines, functions and classes; its methods make a `Region` of a symbol or
of lines. `torn_region` finds the region of the conflicts that a merge left.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import sha256

from spark_tui.context.symbols import Symbol, outline_of, statements_with, symbols
from spark_tui.editing.conflicts import Torn, torn
from spark_tui.editing.text import Text
from spark_tui.errors import UsageError

MAX_LINES = 255
"""Lines of a region at most; a region that is made of a hunk may be longer."""
WHOLE_FILE = 60
"""Lines of a file up to which the whole file is a region."""
NEAR = 20
"""Lines taken above and below a line that is in no function."""
_LARGE = 200_000
"""Bytes from which on a file takes too long to read at every pause in typing."""


Fits = Callable[[Sequence[str]], bool]
"""Whether the model has room for lines, and for what is said about them."""


def always(_: Sequence[str]) -> bool:
    """Room for any lines."""
    return True


@dataclass(frozen=True, slots=True)
class Region:
    """Lines of a file that the model sees and may edit.

    An empty file has the region 1-0.

    Attributes:
        path: The file.
        start_line: The first line, from 1.
        end_line: The last line, inclusive.
        symbol: The name of the function or class that the region is, if any.
        selected: The 0-based first and last line, within the region, that the user pointed at.
        base_hash: The SHA-256 of the file's bytes.
        twin: Whether several symbols of the file have this name, so that only the lines tell them
            apart.
    """

    path: str
    start_line: int
    end_line: int
    symbol: str | None
    selected: tuple[int, int] | None
    base_hash: str
    twin: bool = False

    def meets(self, other: "Region") -> bool:
        """Whether two regions share lines of one file."""
        same = self.path == other.path
        return same and self.start_line <= other.end_line and other.start_line <= self.end_line


class Source:
    """A file.

    Raises:
        FileError: The bytes are not text.
    """

    def __init__(self, path: str, data: bytes) -> None:
        self.path = path
        self.lines = Text.from_bytes(data, path).lines
        self.size = len(data)
        self._hash = sha256(data).hexdigest()

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """The functions, methods and classes of the file, in order."""
        if self.path.endswith(".py"):
            return symbols(self.lines)
        return outline_of(self.path, self.lines)

    @cached_property
    def module(self) -> tuple[str, ...]:
        """The parts of the module's name."""
        return tuple(self.path.removesuffix(".py").split("/"))

    @cached_property
    def _by_last_part(self) -> dict[str, list[Symbol]]:
        """The symbols by the last part of their names."""
        by_last_part: dict[str, list[Symbol]] = {}
        for symbol in self.symbols:
            by_last_part.setdefault(symbol.name.rpartition(".")[2], []).append(symbol)
        return by_last_part

    def named(self, parts: tuple[str, ...]) -> list[Symbol]:
        """Return the symbols whose name ends in these parts.

        `module.function` counts as a name, too.
        """
        symbols = []
        for symbol in self._by_last_part.get(parts[-1], ()):
            name = tuple(symbol.name.split("."))
            if len(parts) > len(name):
                name = self.module + name
            if name[-len(parts) :] == parts:
                symbols.append(symbol)
        return symbols

    def region(
        self,
        first: int,
        last: int,
        *,
        symbol: str | None = None,
        selected: tuple[int, int] | None = None,
    ) -> Region:
        """The region of lines first..last.

        Raises:
            UsageError: There are too many lines.
        """
        if last - first >= MAX_LINES:
            name = symbol or f"{self.path}:{first}-{last}"
            raise UsageError(
                f"{name} has {last - first + 1} lines and spark edits at most {MAX_LINES} at once; "
                f"choose fewer with @{self.path}:L1-L2"
            )
        twin = [other.name for other in self.symbols].count(symbol or "") > 1
        return Region(self.path, first, last, symbol, selected, self._hash, twin)

    def of_symbol(self, symbol: Symbol) -> Region:
        """The region of a function or class.

        Raises:
            UsageError: The symbol is too long.
        """
        return self.region(symbol.start_line, symbol.end_line, symbol=symbol.name)

    def at_lines(self, first: int, last: int, fits: Fits = always) -> Region:
        """Return the smallest function or class around lines first..last, with them selected.

        Where none fits, the statements that the lines are a part of; else just the lines.

        Raises:
            UsageError: There are no such lines, or too many.
        """
        if not 1 <= first <= last <= len(self.lines):
            raise UsageError(self._no_such_lines(first, last))
        around = []
        for symbol in self.symbols:
            # A section of a document may hold nearly all of it; a function is taken whatever its
            # length.
            is_narrow = symbol.kind != "section" or symbol.length <= WHOLE_FILE
            if is_narrow and symbol.contains(first, last):
                around.append(symbol)
        if not around:
            return self.region(first, last)
        symbol = min(around, key=lambda symbol: symbol.length)
        # The widest of these that the model has room for: the symbol, whole statements, the lines
        # alone.
        if self._fit(symbol.start_line, symbol.end_line, fits):
            return self._selecting(
                first, last, symbol.start_line, symbol.end_line, symbol=symbol.name
            )
        start, end = statements_with(self.lines, first, last)
        if not self._fit(start, end, fits):
            return self._selecting(first, last, first, last)
        return self._selecting(first, last, start, end)

    def _no_such_lines(self, first: int, last: int) -> str:
        count = len(self.lines)
        problem = f"{self.path} has no lines {first}-{last}; it has {count}, counted from 1"
        if count == 1 and "\r" in self.lines[0]:
            problem += "; its lines end with CR only: spark reads it as one line"
        return problem

    def around(self, first: int, last: int, fits: Fits = always) -> Region:
        """The region to show lines first..last in.

        The region is their function or class, a short file, the top, or the lines nearby.

        Raises:
            UsageError: There are no such lines, or too many.
        """
        region = self.at_lines(first, last, fits)
        start, end = self._surroundings(first, last)
        if region.symbol is not None or not self._fit(start, end, fits):
            return region
        return self.region(start, end, selected=(first - start, last - start))

    def _fit(self, first: int, last: int, fits: Fits) -> bool:
        return last - first < MAX_LINES and fits(self.lines[first - 1 : last])

    def _selecting(
        self, first: int, last: int, start: int, end: int, *, symbol: str | None = None
    ) -> Region:
        """The region of lines start..end, with first..last selected."""
        selected = None if (first, last) == (start, end) else (first - start, last - start)
        return self.region(start, end, symbol=symbol, selected=selected)

    def _surroundings(self, first: int, last: int) -> tuple[int, int]:
        if len(self.lines) <= WHOLE_FILE:
            return 1, len(self.lines)
        top = self.top()
        if top is not None and top.start_line <= first and last <= top.end_line:
            return top.start_line, top.end_line
        # The lines nearby, up to the functions above and below: no region begins or ends within
        # one.
        start = max(1, first - NEAR)
        end = min(len(self.lines), last + NEAR)
        for symbol in self.symbols:
            if symbol.end_line < first:
                start = max(start, symbol.end_line + 1)
            if symbol.start_line > last:
                end = min(end, symbol.start_line - 1)
        return start, end

    def top(self) -> Region | None:
        """Return the lines above the first function or class, where the imports are, if any."""
        last = len(self.lines)
        if self.symbols:
            last = self.symbols[0].start_line - 1
        while last > 0 and not self.lines[last - 1].strip():
            last -= 1
        if not 0 < last <= MAX_LINES:
            return None
        return self.region(1, last)


def source_of(path: str, data: bytes) -> Source:
    """Return a file; a large one is read once, as long as its bytes stay the same.

    Raises:
        FileError: The bytes are not text.
    """
    if len(data) >= _LARGE:
        return _large_source(path, data)
    return Source(path, data)


_large_source = lru_cache(maxsize=2)(Source)


Lines = tuple[int, int]


def torn_region(
    paths: Sequence[str],
    read: Callable[[str], bytes],
    lines: Lines | None = None,
    symbol: str | None = None,
) -> Region:
    """Return the lines from the first to the last conflict of one file.

    Args:
        paths: The files to look in.
        read: Gives the bytes of a file.
        lines: The first and the last line to look in, from 1; None: all.
        symbol: The function to look in; None: all.

    Raises:
        UsageError: There are no conflicts, or some in several files.
    """
    regions = []
    for path in paths:
        region = _in_file(path, read(path), lines, symbol)
        if region is not None:
            regions.append(region)
    if not regions:
        raise UsageError(f"there is no conflict in {symbol or ', '.join(paths) or 'any file'}")
    if len(regions) > 1:
        files = ", ".join(region.path for region in regions)
        raise UsageError(
            f"there are conflicts in {files}: say which file, such as @{regions[0].path}"
        )
    return regions[0]


def _in_file(path: str, data: bytes, lines: Lines | None, symbol: str | None) -> Region | None:
    """The lines from the first to the last conflict of a file; None: there is none."""
    source = Source(path, data)
    conflicts = list(torn(source.lines))
    if symbol is not None:
        places = source.named(tuple(symbol.split(".")))
        conflicts = [conflict for conflict in conflicts if _touches_any(conflict, places)]
    if lines is not None:
        first, last = lines
        conflicts = [conflict for conflict in conflicts if conflict.touches(first - 1, last - 1)]
    if not conflicts:
        return None
    start = conflicts[0].start + 1
    end = conflicts[-1].end + 1
    return Region(path, start, end, None, None, sha256(data).hexdigest())


def _touches_any(conflict: Torn, places: Sequence[Symbol]) -> bool:
    return any(conflict.touches(symbol.start_line - 1, symbol.end_line - 1) for symbol in places)
