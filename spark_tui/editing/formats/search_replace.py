"""The format of blocks that search for lines and replace them, over several files.

    path/to/file.py
    <<<<<<< SEARCH
    lines that stand there
    =======
    lines that should
    >>>>>>> REPLACE

A block without lines to search for creates a file; the line `<<<<<<< DELETE` below a path deletes a
file. Fences and talk around blocks do not count. A block goes where its lines stand in exactly one
place: word for word, else but for white space at the ends of lines, else but for indentation that
all lines have lost or gained. A block that does not fit changes nothing and is reported. Where a
model answers with a diff and without a block, the diff is the edit. Source: the format that aider
made common.

`places_of` and `nearest_place` find quoted lines in a file, and what is most like them.
`BlocksDraft` reads an answer as it comes, in pieces of any size; files are lists of lines, and no
disk is touched. `RegionBlocks` is the draft that a turn uses, about a region or several files.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher, get_close_matches
from pathlib import PurePosixPath

from spark_tui.editing.formats.file_diffs import FileDiff, FileDiffs
from spark_tui.editing.formats.rewrite import Fence, GrowingRegion, common_indent, grown_by_diff
from spark_tui.editing.formats.unified_diff import patched
from spark_tui.editing.formats.white_space import Indents, Keys, Returns
from spark_tui.editing.line_diff import END, heading_of, is_document, sections
from spark_tui.errors import SparkError

_CLOSEST = 5
"""The most places that are compared letter by letter."""
_LEAST_ALIKE = 0.5
"""The likeness, from 0 to 1, from which on lines are like a quotation."""
_MOST_COMPARED = 20_000
"""The most lines of a file that are compared letter by letter with a line that stands nowhere."""


@dataclass(frozen=True, slots=True)
class QuotedLines:
    """Lines [start, stop) of a file, 0-based, that a quotation is about.

    Attributes:
        start, stop: The lines.
        written: The indentation of the quotation.
        there: The indentation of the file.
        lead: Empty lines above the quotation that the file lacks.
        trail: Empty lines below the quotation that the file lacks.
    """

    start: int
    stop: int
    written: str = ""
    there: str = ""
    lead: int = 0
    trail: int = 0

    def indented(self, line: str) -> str:
        """A line of the answer with the indentation of the file."""
        if not line.strip() or not line.startswith(self.written):
            return line
        return self.there + line.removeprefix(self.written)


@dataclass(frozen=True, slots=True)
class Nearest:
    """The place most like something that is not there: lines [start, stop), 0-based, of a file.

    `stop` is 0 where a whole file is meant.
    """

    path: str
    start: int = 0
    stop: int = 0


def places_of(lines: Sequence[str], quoted: Sequence[str]) -> list[QuotedLines]:
    """All places of a quotation, by the strictest reading that finds a place.

    Args:
        lines: The file.
        quoted: The quotation, not only of empty lines.
    """
    lead = _count_empty(quoted)
    trail = _count_empty(quoted[::-1])
    bare = quoted[lead : len(quoted) - trail]
    key_of = Keys(lines).of
    for search, lacking in ((quoted, (0, 0)), (bare, (lead, trail))):
        for key in (str, str.rstrip, key_of):
            starts = list(_windows(lines, search, key))
            if starts:
                count = len(search)
                return [QuotedLines(start, start + count, "", "", *lacking) for start in starts]
    return list(_shifted(lines, bare, lead, trail)) or list(_retabbed(lines, bare, lead, trail))


def _count_empty(lines: Sequence[str]) -> int:
    """How many empty lines come first."""
    return next((row for row, line in enumerate(lines) if line.strip()), len(lines))


def _windows(
    lines: Sequence[str], quoted: Sequence[str], key: Callable[[str], str]
) -> Iterator[int]:
    """The lines from which on the file has the keys of the quotation."""
    wanted = list(map(key, quoted))
    there = list(map(key, lines))
    for start in range(len(there) - len(wanted) + 1):
        if there[start] == wanted[0] and there[start : start + len(wanted)] == wanted:
            yield start


def _shifted(
    lines: Sequence[str], quoted: Sequence[str], lead: int, trail: int
) -> Iterator[QuotedLines]:
    """The places of a quotation whose lines all have lost or gained the same indentation."""
    written = common_indent(quoted)
    wanted = [line[len(written) :].rstrip() for line in quoted]
    for start in _windows(lines, quoted, str.strip):
        window = lines[start : start + len(quoted)]
        there = common_indent(window)
        if [line[len(there) :].rstrip() for line in window] == wanted:
            yield QuotedLines(start, start + len(quoted), written, there, lead, trail)


def _retabbed(
    lines: Sequence[str],
    quoted: Sequence[str],
    lead: int,
    trail: int,
) -> Iterator[QuotedLines]:
    """The places of a quotation that has spaces where the file has tabs, or tabs for spaces."""
    restored = Indents(lines).restored(quoted)
    if restored != list(quoted):
        for start in _windows(lines, restored, Keys(lines).of):
            yield QuotedLines(start, start + len(quoted), "", "", lead, trail)


def nearest_place(path: str, lines: Sequence[str], quoted: Sequence[str]) -> Nearest | None:
    """The lines most like a quotation, as many as it has; None where no lines are like it."""
    quoted = quoted[_count_empty(quoted) : len(quoted) - _count_empty(quoted[::-1])]
    wanted = "\n".join(map(str.strip, quoted))

    def likeness(start: int) -> float:
        window = "\n".join(map(str.strip, lines[start : start + len(quoted)]))
        return SequenceMatcher(None, window, wanted, autojunk=False).ratio()

    starts = _candidates(lines, quoted)
    best = max(starts, key=likeness, default=None)
    if best is None or likeness(best) < _LEAST_ALIKE:
        return None
    return Nearest(path, best, min(best + len(quoted), len(lines)))


def _candidates(lines: Sequence[str], quoted: Sequence[str]) -> list[int]:
    """Where a quotation may begin, the likeliest first.

    Lines of the quotation that stand in the file vote; without any, the lines most like the longest
    line of the quotation decide.
    """
    numbers = defaultdict[str, list[int]](list)
    for number, line in enumerate(lines):
        numbers[line.strip()].append(number)
    votes = Counter[int]()
    for row, line in enumerate(map(str.strip, quoted)):
        if line:
            for number in numbers.get(line, ()):
                votes[max(0, number - row)] += len(line)
    if votes:
        return [start for start, _ in votes.most_common(_CLOSEST)]
    longest = max(range(len(quoted)), key=lambda row: len(quoted[row].strip()))
    known = list(numbers)[:_MOST_COMPARED]
    close = get_close_matches(quoted[longest].strip(), known, _CLOSEST)
    return [max(0, numbers[line][0] - longest) for line in close if line]


def nearest_path(path: str, known: Sequence[str]) -> Nearest | None:
    """The file whose path is most like a path that names no file."""
    close = get_close_matches(path, known, 1)
    return Nearest(close[0]) if close else None


_MARK = re.compile(r"(?P<mark><{5,9}|={5,9}|>{5,9})(?: ?(?P<word>SEARCH|REPLACE|DELETE)>?)?\s*")
_DECORATION = " \t`*#\"'"
_CUT = "it is cut off"
_EXISTS = "the file already exists, and no lines of it are searched for"
_NO_FILE = "no such file"


@dataclass(frozen=True, slots=True)
class Fit:
    """A block that is applied. `kind`: "edit", "new" or "deleted"."""

    path: str
    kind: str


@dataclass(frozen=True, slots=True)
class Misfit:
    """A block that is not applied.

    Attributes:
        path: The path of the file.
        why: The reason, in a few words.
        nearest: The place most like the lines that the block searches for.
        what: "block" or "diff".
    """

    path: str
    why: str
    nearest: Nearest | None = None
    what: str = "block"


Event = Fit | Misfit


class BlocksDraft:
    """An answer in blocks, as far as it is written. Mutable.

    Args:
        files: The lines of every file that may be edited, by path.
        alone: Whether every block is about the only file, whatever stands above the block.
    """

    def __init__(self, files: Mapping[str, Sequence[str]], *, alone: bool = False) -> None:
        self._alone = alone
        self._before = {path: tuple(lines) for path, lines in files.items()}
        self._returns = Returns([line for lines in files.values() for line in lines])
        self._after: dict[str, tuple[str, ...] | None] = {}
        self._path = next(iter(files)) if len(files) == 1 else ""
        self._name_line = ""
        """The latest line that may name a file."""
        self._block: _Block | None = None
        self._diffs = FileDiffs()
        self._open = b""
        self.doubt = ""
        """Why nobody can be sure of the closed blocks, "" where all is clear."""
        self.events: list[Event] = []
        """What became of each closed block."""

    def take(self, piece: bytes) -> list[Event]:
        """Read the next piece of the answer.

        Returns:
            What became of the blocks that the piece closed.
        """
        known = len(self.events)
        *closed, self._open = (self._open + piece).split(b"\n")
        for line in closed:
            self._line(self._returns.stripped(line.decode("utf-8", "replace")))
        return self.events[known:]

    def finish(self) -> list[Event]:
        """End the answer: a block that is still open is not applied.

        Returns:
            What became of the last blocks.
        """
        known = len(self.events)
        if self._open:
            self.take(b"\n")
        if self._block:
            self.events.append(self._block.misfit(_CUT))
            self._block = None
        self._apply_diffs(self._diffs.finish())
        return self.events[known:]

    def settled(self) -> dict[str, tuple[str, ...] | None]:
        """The files that closed blocks change, with their new lines; None for a deleted file."""
        # a file that is created and deleted is None on both sides
        return {
            path: lines for path, lines in self._after.items() if lines != self._before.get(path)
        }

    def files(self) -> dict[str, tuple[str, ...] | None]:
        """The files that change, including an open replacement as far as it is written."""
        block = self._block
        if block is None or block.growing is None:
            return self.settled()
        return self.settled() | {block.path: block.grown(self._opened())}

    @property
    def begun(self) -> bool:
        """Whether a block has begun."""
        return bool(self.events) or self._block is not None

    @property
    def open_line(self) -> str | None:
        """The new line that is being written into a file, as far as it goes; None elsewhere."""
        if self._block is None or self._block.growing is None:
            return None
        opened = self._opened()
        return opened if self._block.growing.is_new(opened) else None

    def _opened(self) -> str:
        """The line that is being written, unless it may become a mark."""
        opened = self._open.decode("utf-8", "ignore")
        return opened if opened.strip("<=>") and not _MARK.match(opened) else ""

    def _lines_of(self, path: str) -> tuple[str, ...] | None:
        return self._after[path] if path in self._after else self._before.get(path)

    def _line(self, line: str) -> None:
        """Take a line of the answer."""
        mark = _MARK.fullmatch(line)
        if self._block:
            self._within(self._block, line, mark)
        elif mark and mark["word"] in ("SEARCH", "DELETE") and mark["mark"][0] == "<":
            self._name_line = self._diffs.leave() or self._name_line
            self._begin(mark)
        elif self._diffs.take(line, self._name_line):
            return
        elif Fence.opened(line) is None and line.strip():
            self._name_line = line

    def _begin(self, mark: re.Match[str]) -> None:
        """Begin a block, or delete a file."""
        self._path = self._named(self._name_line)
        self._name_line = ""
        if mark["word"] == "SEARCH":
            self._block = _Block(self._path, len(mark["mark"]))
        elif self._lines_of(self._path) is None:
            self.events.append(Misfit(self._path, _NO_FILE, self._near()))
        else:
            self.events.append(Fit(self._path, "deleted"))
            self._after[self._path] = None

    def _within(self, block: "_Block", line: str, mark: re.Match[str] | None) -> None:
        """Take a line of a block."""
        divides = mark is not None and line.strip() == block.divider
        ends = mark is not None and mark["mark"][0] == ">" and mark["word"] == "REPLACE"
        if divides and not block.divided and self._has_divider(block):
            block.dividers.append(len(block.search))
            block.search.append(line)
        elif ends and block.dividers:
            self._divide(block)
            self._close(block)
        elif divides and not block.divided:
            block.divided = True
            self._locate(block)
        elif ends and block.divided:
            self._close(block)
        elif block.divided:
            block.add(line)
        else:
            block.search.append(line)

    def _has_divider(self, block: "_Block") -> bool:
        """Whether the file has lines that look like the divider, such as underlined headings."""
        return any(line.strip() == block.divider for line in self._lines_of(block.path) or ())

    def _divide(self, block: "_Block") -> None:
        """Divide a complete block whose file has lines that look like the divider.

        The block searches for the longest part above a possible divider that stands in the file:
        other dividers within that part are lines of the file.
        """
        lines = self._lines_of(block.path) or ()
        written = block.search
        chosen = block.dividers[0]
        for divider in block.dividers:
            above = written[:divider]
            if any(map(str.strip, above)) and places_of(lines, above):
                chosen = divider
        block.search = written[:chosen]
        block.divided = True
        self._locate(block)
        for line in written[chosen + 1 :]:
            block.add(line)

    def _locate(self, block: "_Block") -> None:
        """Find the lines that a block searches for, or say why the block cannot be applied."""
        lines = self._lines_of(block.path)
        wanted = any(map(str.strip, block.search))
        if why := _wrong_path(block.path):
            block.why = why
        elif not wanted and not lines:
            block.begin((), QuotedLines(0, 0))
        elif not wanted:
            block.why = _EXISTS
        elif lines is None:
            block.why = _NO_FILE
            block.nearest = self._near()
        elif len(places := places_of(lines, block.search)) == 1:
            block.begin(lines, places[0])
        elif places:
            numbers = ", ".join(str(place.start + 1) for place in places[:5])
            block.why = f"its lines occur {len(places)} times: {numbers}"
        else:
            block.why = "its lines occur nowhere"
            block.nearest = nearest_place(block.path, lines, block.search)

    def _close(self, block: "_Block") -> None:
        """Apply a complete block, where it fits."""
        self._block = None
        if block.growing is None:
            self.events.append(block.misfit(block.why))
            return
        kind = "edit" if self._lines_of(block.path) is not None else "new"
        block.finish()
        if block.growing.problem:
            self.events.append(block.misfit(block.growing.problem))
            return
        self.doubt = self.doubt or block.growing.doubt
        self._after[block.path] = block.grown()
        self.events.append(Fit(block.path, kind))

    def _apply_diffs(self, diffs: Sequence[FileDiff]) -> None:
        """Apply diffs, unless there were blocks, which count before them."""
        if diffs and self.events:
            self.doubt = self.doubt or "the answer holds blocks and a diff"
            return
        for diff in diffs:
            self._path = self._meant_by(diff)
            why = self._apply_diff(diff)
            if not why:
                self.events.append(Fit(self._path, self._kind_of(self._path)))
            elif diff.is_certain:
                self.events.append(Misfit(self._path, why, what="diff"))

    def _kind_of(self, path: str) -> str:
        """The kind of the change that a diff made to a file."""
        if self._after[path] is None:
            return "deleted"
        return "edit" if path in self._before else "new"

    def _meant_by(self, diff: FileDiff) -> str:
        """The file that a diff is about."""
        if self._alone or not diff.names:
            return self._named(diff.above)
        known = [name for name in diff.names if self._lines_of(name) is not None]
        if known:
            return known[0]
        name = diff.names[1]  # without the `b/` of git
        return name if diff.is_new else self._named(name)

    def _apply_diff(self, diff: FileDiff) -> str:
        """Apply a diff of one file.

        Returns:
            Why the diff cannot be applied, "" if it was.
        """
        path = self._path
        old = self._lines_of(path)
        why = _wrong_path(path)
        if diff.is_cut:
            why = _CUT
        elif diff.is_moved:
            why = "it moves the file, which a diff cannot do here"
        elif diff.is_new and old:
            why = _EXISTS
        elif old is None and not diff.is_new:
            why = why or _NO_FILE
        if why:
            return why
        made = self._made_by(diff, old or ())
        if isinstance(made, str):
            return made
        self._after[path] = None if diff.is_gone else made
        return ""

    def _made_by(self, diff: FileDiff, old: Sequence[str]) -> tuple[str, ...] | str:
        """The lines that a diff makes of those of a file, or why the diff does not fit."""
        if diff.is_new:
            added = [line for line in diff.lines if line.startswith("+")]
            return tuple(line.removeprefix("+") for line in added)
        lines = patched(old, diff.lines)
        if lines is None or (diff.is_gone and any(map(str.strip, lines)) and diff.lines):
            return "its lines stand nowhere, or in several places"
        grown = grown_by_diff(old, lines)
        if grown.problem:
            return grown.problem
        self.doubt = self.doubt or grown.doubt
        return tuple(grown.lines())

    def _near(self) -> Nearest | None:
        """The file whose path is most like that of the block."""
        known = [path for path in self._before if self._lines_of(path) is not None]
        return nearest_path(self._path, known)

    def _named(self, line: str) -> str:
        """The file that a line above a block names; else the file of the block before."""
        path = "" if self._alone else _bare(line)
        known = [*self._before, *self._after]
        if not path or path in known:
            return path or self._path
        last = _bare(path.split()[-1])
        if last in known:
            return last
        same_end = {other for other in known if f"/{other}".endswith(f"/{last}")}
        if len(same_end) == 1:
            return same_end.pop()
        # a sentence names no file
        return self._path if " " in path else path


def _wrong_path(path: str) -> str:
    """Why a path cannot name a file of the repository, "" if it can."""
    if not path:
        return "no file is named above it"
    parts = PurePosixPath(path).parts
    leads_out = PurePosixPath(path).is_absolute() or ".." in parts
    return "its path leads out of the repository" if leads_out else ""


def _bare(name: str) -> str:
    """A name without the Markdown around it."""
    return name.strip(_DECORATION).removesuffix(":").strip(_DECORATION).removeprefix("./")


class _Block:
    """A block while it is read. Mutable.

    Args:
        path: The path of the file.
        size: The number of characters of the marks.
    """

    def __init__(self, path: str, size: int) -> None:
        self.path = path
        self.divider = "=" * size
        self.search: list[str] = []
        self.divided = False
        self.dividers: list[int] = []
        """The lines of `search` that may divide the block, where the file has such lines, too."""
        self.growing: GrowingRegion | None = None
        self._indents = Indents(())
        self.place = QuotedLines(0, 0)
        self._around: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
        self._quoted: list[tuple[str, str]] = []
        """The lines searched for, and as the file has them, that are not in the replacement yet."""
        self._empty: list[str] = []
        """The lines of the replacement that may not belong to it: empty ones at its ends."""
        self.why = ""
        self.nearest: Nearest | None = None

    def begin(self, lines: Sequence[str], place: QuotedLines) -> None:
        """Begin the replacement, now that the place of the lines searched for is known."""
        self.place = place
        self.growing = GrowingRegion(lines[place.start : place.stop])
        self._indents = Indents(self.growing.old)
        self._around = tuple(lines[: place.start]), tuple(lines[place.stop :])
        quoted = self.search[place.lead : len(self.search) - place.trail]
        self._quoted = list(zip(quoted, self.growing.old, strict=bool(self.growing.old)))

    def add(self, line: str) -> None:
        """Take the next line of the replacement.

        Empty lines at its ends are left out where the block searched for such lines in vain.
        """
        if self.growing is None:
            return
        self._empty.append(line)
        begun = bool(self.growing.written)
        may_be_surplus = self.place.trail or (self.place.lead and not begun)
        if not line.strip() and may_be_surplus:
            return
        surplus = 0 if begun else self._surplus(self.place.lead)
        self._release(self.growing, surplus)

    def finish(self) -> None:
        """End the replacement."""
        assert self.growing is not None
        self._release(self.growing, self._surplus(self.place.trail))
        self.growing.finish()

    def _release(self, growing: GrowingRegion, surplus: int) -> None:
        """Write the lines held back, without the first ones, which are surplus."""
        for line in self._empty[surplus:]:
            growing.take(self._as_there(line))
        self._empty = []

    def _surplus(self, most: int) -> int:
        """How many of the lines held back are left out, as empty lines the file lacks."""
        return min(most, sum(not line.strip() for line in self._empty))

    def _as_there(self, line: str) -> str:
        """A line of the replacement as the file has it, where the block searched for that line."""
        for index, (quoted, there) in enumerate(self._quoted):
            if quoted == line:
                del self._quoted[: index + 1]
                return there
        indented = self.place.indented(line)
        if not self._indents.swapped(indented):
            return indented
        # what was searched for tells how many spaces stand for a tab
        return self._indents.restored([*self.search, indented])[-1]

    def grown(self, opened: str = "") -> tuple[str, ...]:
        """The file with the replacement as far as it is written.

        Args:
            opened: The line being written.
        """
        assert self.growing is not None
        above, below = self._around
        return (*above, *self.growing.lines(self.place.indented(opened)), *below)

    def misfit(self, why: str) -> Misfit:
        """The report that the block is not applied."""
        return Misfit(self.path, why, self.nearest)


_HERE = "the lines"
"""The path of a region, which no file has."""


class BlockError(SparkError):
    """A block that does not fit the region."""


class RegionBlocks:
    """An answer in blocks about a region or several files, as far as it is written. Mutable.

    Args:
        lines: The region, or a document of several files (`line_diff`).
    """

    line_mark = ""
    in_name = over = False
    closed = True
    renamed: tuple[tuple[str, str], ...] = ()

    def __init__(self, lines: Sequence[str]) -> None:
        self._before = tuple(lines)
        self._several = is_document(lines)
        self._sections = sections(lines) if self._several else []
        files = {path: lines[start + 1 : stop] for path, start, stop in self._sections}
        self._blocks = BlocksDraft(files or {_HERE: self._before}, alone=not self._several)
        self._finished = False
        self.missed: list[str] = []
        """The blocks about several files that fit nowhere; the others stand."""

    @property
    def kind(self) -> str | None:
        """The kind of the edit, "none" or "edit", as far as the answer tells."""
        if not self._blocks.events and self.open_line is None:
            return None
        return "none" if self.declined else "edit"

    @property
    def talks(self) -> bool:
        """Whether nothing but talk is written so far, and no block."""
        return not self._blocks.begun

    @property
    def doubt(self) -> str:
        """Why nobody can be sure of the answer, "" where all is clear."""
        return self._blocks.doubt

    @property
    def declined(self) -> bool:
        """Whether the complete answer changes nothing, and no block was left out."""
        return self._finished and not self.missed and tuple(self.lines()) == self._before

    @property
    def open_line(self) -> str | None:
        """The new line that is being written, as far as it goes; None elsewhere."""
        return self._blocks.open_line

    def take(self, piece: bytes) -> bool:
        """Read the next piece of the answer.

        Returns:
            Whether the piece closed a block.

        Raises:
            BlockError: A block does not fit the region.
        """
        events = self._blocks.take(piece)
        self._check(events)
        return bool(events)

    def finish(self) -> None:
        """End the answer.

        Raises:
            BlockError: The last block about the region is cut off or does not fit.
        """
        self._check(self._blocks.finish())
        self._finished = True

    def lines(self) -> list[str]:
        """The region, or the files, as if the answer ended here."""
        return self._with(self._blocks.files())

    def settled(self) -> list[str]:
        """The region, or the files, with closed blocks only."""
        return self._with(self._blocks.settled())

    def _with(self, changed: dict[str, tuple[str, ...] | None]) -> list[str]:
        """The region, or the document, with changed files; new files come last."""
        if not self._several:
            return list(changed.get(_HERE, self._before) or ())
        document: list[str] = []
        for path, start, stop in self._sections:
            if path not in changed:
                document += self._before[start : stop + 1]
                continue
            lines = changed.pop(path)
            if lines is not None:
                document += [self._before[start], *lines, END]
        for path, lines in changed.items():
            document += [heading_of(path), *(lines or ()), END]
        return document

    def _check(self, events: Sequence[Event]) -> None:
        """Note the blocks that do not fit; a lone region allows none.

        Raises:
            BlockError: A block does not fit the region.
        """
        for event in events:
            if not isinstance(event, Misfit):
                continue
            if not self._several:
                raise BlockError(_described(event))
            self.missed.append(_described(event))


def _described(misfit: Misfit) -> str:
    """Why a block is left out, and the place nearest to the lines that it searches for."""
    of_file = ""
    if misfit.path and misfit.path != _HERE:
        of_file = f" of {misfit.path}"
    reason = f"a {misfit.what}{of_file} does not fit: {misfit.why}"
    near = misfit.nearest
    if near is None:
        return reason
    if near.stop:
        return f"{reason}; the nearest are lines {near.start + 1} to {near.stop}"
    return f"{reason}; the nearest is {near.path}"
