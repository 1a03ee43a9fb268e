"""The format of blocks that search and replace, over several files.

Where lines that somebody quotes stand in a file, forgiving about white space; and where something
like them does.

Blocks that search for lines and replace them, over several files, read as they come in pieces of
any size.

    path/to/file.py
    <<<<<<< SEARCH
    lines that stand there
    =======
    lines that should
    >>>>>>> REPLACE

Nothing to search for makes a new file; the line `<<<<<<< DELETE` below a path takes a file away.
Fences and talk around blocks count for nothing. A block goes where its lines stand in one place
only: as they are, else but for white space at the ends of lines, else but for indentation that all
of them have lost or gained. What does not fit changes nothing and is said. The format is the one
that aider made common. Where a model answers with a diff and with no block, the diff is the edit.
Knows no disk: files are lists of lines.

Blocks that search and replace, as one of the drafts that a turn is made of: about a region, or
several files.
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
"""Places that are compared letter by letter."""
_LEAST_ALIKE = 0.5
_MOST_COMPARED = 20_000
"""Lines of a file that are compared letter by letter with one that stands nowhere."""


@dataclass(frozen=True, slots=True)
class QuotedLines:
    """Lines [start, stop) of a file, 0-based.

    `written`, `there`: indentation of the quotation and of the file.

    `lead`, `trail`: empty lines around the quotation that do not stand there.
    """

    start: int
    stop: int
    written: str = ""
    there: str = ""
    lead: int = 0
    trail: int = 0

    def indented(self, line: str) -> str:
        """A line of whoever quotes as the file has it."""
        if not line.strip() or not line.startswith(self.written):
            return line
        return self.there + line.removeprefix(self.written)


@dataclass(frozen=True, slots=True)
class Nearest:
    """What is most like something that is not there: a file, and of it the lines [start, stop),
    0-based.
    """

    path: str
    start: int = 0
    stop: int = 0


def places_of(lines: Sequence[str], quoted: Sequence[str]) -> list[QuotedLines]:
    """All places of a quotation, by the strictest reading that finds one.

    Args:
        quoted: Not all empty lines.
    """
    lead = _empty(quoted)
    trail = _empty(quoted[::-1])
    bare = quoted[lead : len(quoted) - trail]
    key_of = Keys(lines).of
    for search, around in ((quoted, (0, 0)), (bare, (lead, trail))):
        for same in (str, str.rstrip, key_of):
            if found := list(_windows(lines, search, same)):
                return [QuotedLines(start, start + len(search), "", "", *around) for start in found]
    return list(_shifted(lines, bare, lead, trail)) or list(_retabbed(lines, bare, lead, trail))


def _empty(lines: Sequence[str]) -> int:
    return next((at for at, line in enumerate(lines) if line.strip()), len(lines))


def _windows(
    lines: Sequence[str], quoted: Sequence[str], same: Callable[[str], str]
) -> Iterator[int]:
    wanted = list(map(same, quoted))
    there = list(map(same, lines))
    for start in range(len(there) - len(wanted) + 1):
        if there[start] == wanted[0] and there[start : start + len(wanted)] == wanted:
            yield start


def _shifted(
    lines: Sequence[str], quoted: Sequence[str], lead: int, trail: int
) -> Iterator[QuotedLines]:
    written = common_indent(quoted)
    for start in _windows(lines, quoted, str.strip):
        window = lines[start : start + len(quoted)]
        there = common_indent(window)
        pairs = zip(window, quoted, strict=True)
        if all(
            one[len(there) :].rstrip() == other[len(written) :].rstrip() for one, other in pairs
        ):
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
    """The lines most like a quotation, as many as it has; None where nothing is like it."""
    at = _empty(quoted)
    quoted = quoted[at : len(quoted) - _empty(quoted[::-1])]
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
    """Where lines of the quotation stand, the best first; else where one stands that is like
    its longest.
    """
    numbers = defaultdict[str, list[int]](list)
    for number, line in enumerate(lines):
        numbers[line.strip()].append(number)
    votes = Counter[int]()
    for at, line in enumerate(map(str.strip, quoted)):
        for number in numbers.get(line, ()) if line else ():
            votes[max(0, number - at)] += len(line)
    if votes:
        return [start for start, _ in votes.most_common(_CLOSEST)]
    longest = max(range(len(quoted)), key=lambda at: len(quoted[at].strip()))
    known = list(numbers)[:_MOST_COMPARED]
    close = get_close_matches(quoted[longest].strip(), known, _CLOSEST)
    return [max(0, numbers[each][0] - longest) for each in close if each]


def nearest_path(path: str, known: Sequence[str]) -> Nearest | None:
    """The file whose path is most like one that is none."""
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
        path: Of the file.
        why: In a few words.
        nearest: The place most like what the block searches for.
        what: "block" or "diff".
    """

    path: str
    why: str
    nearest: Nearest | None = None
    what: str = "block"


Event = Fit | Misfit


class BlocksDraft:
    """One answer as far as it is written.

    Mutable.

    Args:
        files: The lines of every file that may be edited, by path.
        alone: Every block is about the only one of them, whatever stands above it.
    """

    def __init__(self, files: Mapping[str, Sequence[str]], *, alone: bool = False) -> None:
        self._alone = alone
        self._before = {path: tuple(lines) for path, lines in files.items()}
        self._returns = Returns([line for lines in files.values() for line in lines])
        self._after: dict[str, tuple[str, ...] | None] = {}
        self._path = next(iter(files)) if len(files) == 1 else ""
        self._told = ""
        """The latest line that may name a file."""
        self._block: _Block | None = None
        self._diffs = FileDiffs()
        self._open = b""
        self.doubt = ""
        """Why nobody can be sure of the closed blocks, "" where all is clear."""
        self.events: list[Event] = []
        """What became of each closed block."""

    def take(self, piece: bytes) -> list[Event]:
        """Go on.

        Returns:
            What became of the blocks that it closed.
        """
        known = len(self.events)
        *closed, self._open = (self._open + piece).split(b"\n")
        for line in closed:
            self._line(self._returns.stripped(line.decode("utf-8", "replace")))
        return self.events[known:]

    def finish(self) -> list[Event]:
        """The answer is complete: a block that is still open is not applied.

        Returns:
            As `take`.
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
        """The files that closed blocks change, as they are then; None for one that is gone."""
        changed = {
            path: lines for path, lines in self._after.items() if lines != self._before.get(path)
        }
        return {
            path: lines
            for path, lines in changed.items()
            if lines is not None or path in self._before
        }

    def files(self) -> dict[str, tuple[str, ...] | None]:
        """The files that change, with an open replacement as far as it is written."""
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
        """The new line that is being written into a file, as far as it is; None elsewhere."""
        growing = self._block and self._block.growing
        opened = self._opened()
        return opened if growing and growing.is_new(opened) else None

    def _opened(self) -> str:
        """The line that is being written, unless it may become a mark."""
        opened = self._open.decode("utf-8", "ignore")
        return opened if opened.strip("<=>") and not _MARK.match(opened) else ""

    def _lines_of(self, path: str) -> tuple[str, ...] | None:
        return self._after[path] if path in self._after else self._before.get(path)

    def _line(self, line: str) -> None:
        mark = _MARK.fullmatch(line)
        if self._block:
            self._within(self._block, line, mark)
        elif mark and mark["word"] in ("SEARCH", "DELETE") and mark["mark"][0] == "<":
            self._told = self._diffs.leave() or self._told
            self._begin(mark)
        elif self._diffs.take(line, self._told):
            return
        elif Fence.opened(line) is None and line.strip():
            self._told = line

    def _begin(self, mark: re.Match[str]) -> None:
        self._path = self._named(self._told)
        self._told = ""
        if mark["word"] == "SEARCH":
            self._block = _Block(self._path, len(mark["mark"]))
        elif self._lines_of(self._path) is None:
            self.events.append(Misfit(self._path, _NO_FILE, self._near()))
        else:
            self.events.append(Fit(self._path, "deleted"))
            self._after[self._path] = None

    def _within(self, block: "_Block", line: str, mark: re.Match[str] | None) -> None:
        divides = bool(mark) and line.strip() == block.divider
        if divides and not block.divided and self._has_line(block):
            block.dividers.append(len(block.search))
            block.search.append(line)
        elif mark and block.dividers and mark["mark"][0] == ">" and mark["word"] == "REPLACE":
            self._divide(block)
            self._close(block)
        elif divides and not block.divided:
            block.divided = True
            self._locate(block)
        elif mark and block.divided and mark["mark"][0] == ">" and mark["word"] == "REPLACE":
            self._close(block)
        elif block.divided:
            block.add(line)
        else:
            block.search.append(line)

    def _has_line(self, block: "_Block") -> bool:
        """Whether the file has lines that look like the divider, as headings have that are
        underlined.
        """
        return any(line.strip() == block.divider for line in self._lines_of(block.path) or ())

    def _divide(self, block: "_Block") -> None:
        """Divide a block whose file has such lines, now that it is whole.

        Of the parts above each line that may divide, the longest that stands in the file is what is
        searched for: the lines like a divider in a shorter one are the file's own.
        """
        lines = self._lines_of(block.path) or ()
        written = block.search
        at = block.dividers[0]
        for divider in block.dividers:
            above = written[:divider]
            if any(map(str.strip, above)) and places_of(lines, above):
                at = divider
        block.search = written[:at]
        block.divided = True
        self._locate(block)
        for line in written[at + 1 :]:
            block.add(line)

    def _locate(self, block: "_Block") -> None:
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
            block.why = (
                f"its lines occur {len(places)} times: "
                f"{', '.join(str(each.start + 1) for each in places[:5])}"
            )
        else:
            block.why, block.nearest = (
                "its lines occur nowhere",
                nearest_place(block.path, lines, block.search),
            )

    def _close(self, block: "_Block") -> None:
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
                kind = "deleted" if self._after[self._path] is None else "edit"
                is_new = kind == "edit" and self._path not in self._before
                self.events.append(Fit(self._path, "new" if is_new else kind))
            elif diff.is_certain:
                self.events.append(Misfit(self._path, why, what="diff"))

    def _meant_by(self, diff: FileDiff) -> str:
        """The file that a diff is about."""
        if self._alone or not diff.names:
            return self._named(diff.above)
        known = [name for name in diff.names if self._lines_of(name) is not None]
        if known:
            return known[0]
        # without the `b/` of git
        return diff.names[1] if diff.is_new else self._named(diff.names[1])

    def _apply_diff(self, diff: FileDiff) -> str:
        """Apply a diff of one file.

        Returns:
            Why it cannot be applied, "" if it was.
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
        """What a diff makes of the lines of a file, or why it does not fit them."""
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
        return nearest_path(
            self._path, [path for path in self._before if self._lines_of(path) is not None]
        )

    def _named(self, line: str) -> str:
        """The file that a line above a block names; without one that of the block before."""
        path = "" if self._alone else _bare(line)
        known = [*self._before, *self._after]
        if not path or path in known:
            return path or self._path
        last = _bare(path.split()[-1])
        same = sorted({each for each in known if f"/{each}".endswith(f"/{last}")})
        if last in known or len(same) == 1:
            return last if last in known else same[0]
        return path if " " not in path else self._path


def _wrong_path(path: str) -> str:
    """Why no file can be meant by a path, "" if one can."""
    if not path:
        return "no file is named above it"
    parts = PurePosixPath(path).parts
    leads_out = PurePosixPath(path).is_absolute() or ".." in parts
    return "its path leads out of the repository" if leads_out else ""


def _bare(name: str) -> str:
    """A name without what stands around it in Markdown."""
    return name.strip(_DECORATION).removesuffix(":").strip(_DECORATION).removeprefix("./")


class _Block:
    """A block while it is read.

    Mutable.

    Args:
        path: Of its file.
        size: Characters of its marks.
    """

    def __init__(self, path: str, size: int) -> None:
        self.path = path
        self.divider = "=" * size
        self.search: list[str] = []
        self.divided = False
        self.dividers: list[int] = []
        """Lines of `search` that may divide the block, where the file has such lines, too."""
        self.growing: GrowingRegion | None = None
        self._indents = Indents(())
        self.place = QuotedLines(0, 0)
        self._around: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
        self._quoted: list[tuple[str, str]] = []
        """Lines searched for, and how the file has them, that the replacement has not come to."""
        self._empty: list[str] = []
        """Lines of the replacement of which it is not known whether they belong to it."""
        self.why = ""
        self.nearest: Nearest | None = None

    def begin(self, lines: Sequence[str], place: QuotedLines) -> None:
        """The lines searched for stand here."""
        self.place = place
        self.growing = GrowingRegion(lines[place.start : place.stop])
        self._indents = Indents(self.growing.old)
        self._around = tuple(lines[: place.start]), tuple(lines[place.stop :])
        quoted = self.search[place.lead : len(self.search) - place.trail]
        self._quoted = list(zip(quoted, self.growing.old, strict=bool(self.growing.old)))

    def add(self, line: str) -> None:
        """Take the next line of the replacement; empty ones at its ends that were searched for
        in vain are left out.
        """
        if self.growing is None:
            return
        self._empty.append(line)
        if not line.strip() and (
            self.place.trail or (self.place.lead and not self.growing.written)
        ):
            return
        for each in self._empty[0 if self.growing.written else self._surplus(self.place.lead) :]:
            self.growing.take(self._as_there(each))
        self._empty = []

    def finish(self) -> None:
        """The replacement is complete."""
        assert self.growing is not None
        for each in self._empty[self._surplus(self.place.trail) :]:
            self.growing.take(self._as_there(each))
        self._empty = []
        self.growing.finish()

    def _surplus(self, most: int) -> int:
        return min(most, sum(not line.strip() for line in self._empty))

    def _as_there(self, line: str) -> str:
        """A line as the file has it, where it is one that was searched for."""
        for at, (quoted, there) in enumerate(self._quoted):
            if quoted == line:
                del self._quoted[: at + 1]
                return there
        indented = self.place.indented(line)
        if not self._indents.swapped(indented):
            return indented
        # what was searched for tells how many spaces stand for a tab
        return self._indents.restored([*self.search, indented])[-1]

    def grown(self, opened: str = "") -> tuple[str, ...]:
        """The file with what is replaced by now.

        Args:
            opened: The line being written.
        """
        assert self.growing is not None
        above, below = self._around
        return (*above, *self.growing.lines(self.place.indented(opened) if opened else ""), *below)

    def misfit(self, why: str) -> Misfit:
        """What is said of it where it is not applied."""
        return Misfit(self.path, why, self.nearest)


_HERE = "the lines"


class BlockError(SparkError):
    """A block that does not fit the region."""


class RegionBlocks:
    """One answer as far as it is written.

    Mutable.

    Args:
        lines: The region, or those of several files (`headings`).
    """

    line_mark = ""
    in_name = over = False
    closed = True
    renamed: tuple[tuple[str, str], ...] = ()

    def __init__(self, lines: Sequence[str]) -> None:
        self._before = tuple(lines)
        self._several = is_document(lines)
        self._sections = sections(lines) if self._several else []
        files = {each.path: lines[each.start + 1 : each.stop] for each in self._sections}
        self._blocks = BlocksDraft(files or {_HERE: self._before}, alone=not self._several)
        self._finished = False
        self.missed: list[str] = []
        """The blocks about several files that fit nowhere; the others stand."""

    @property
    def kind(self) -> str | None:
        """What kind of edit it is, as far as it tells."""
        if not self._blocks.events and self.open_line is None:
            return None
        return "none" if self.declined else "edit"

    @property
    def talks(self) -> bool:
        """Whether nothing but talk is written so far, and no block."""
        return not self._blocks.begun

    @property
    def doubt(self) -> str:
        """Why nobody can be sure of it, "" where all is clear."""
        return self._blocks.doubt

    @property
    def declined(self) -> bool:
        """Whether it says, at its end, that nothing is to be changed."""
        return self._finished and not self.missed and tuple(self.lines()) == self._before

    @property
    def open_line(self) -> str | None:
        """The new line that is being written, as far as it is; None elsewhere."""
        return self._blocks.open_line

    def take(self, piece: bytes) -> bool:
        """Go on.

        Returns:
            Whether that closed a block.

        Raises:
            BlockError: It does not fit the region.
        """
        return self._told(self._blocks.take(piece))

    def finish(self) -> None:
        """The answer is complete.

        Raises:
            BlockError: It ends within a block about the region.
        """
        self._told(self._blocks.finish())
        self._finished = True

    def lines(self) -> list[str]:
        """The region, or the files, as if the answer ended here."""
        return self._with(self._blocks.files())

    def settled(self) -> list[str]:
        """The same with nothing but what is closed."""
        return self._with(self._blocks.settled())

    def _with(self, changed: dict[str, tuple[str, ...] | None]) -> list[str]:
        if not self._several:
            return list(changed.get(_HERE, self._before) or ())
        found: list[str] = []
        for path, start, stop in self._sections:
            if path not in changed:
                found += self._before[start : stop + 1]
            elif (lines := changed.pop(path)) is not None:
                found += [self._before[start], *lines, END]
        return [
            *found,
            *(
                line
                for path, lines in changed.items()
                for line in (heading_of(path), *(lines or ()), END)
            ),
        ]

    def _told(self, events: Sequence[object]) -> bool:
        for event in events:
            if isinstance(event, Misfit):
                if not self._several:
                    raise BlockError(_said(event))
                self.missed.append(_said(event))
        return bool(events)


def _said(event: Misfit) -> str:
    """Why a block is left out, and what is nearest to what it searches for."""
    of = f" of {event.path}" if event.path and event.path != _HERE else ""
    said = f"a {event.what}{of} does not fit: {event.why}"
    near = event.nearest
    if near is None:
        return said
    lines = f"lines {near.start + 1} to {near.stop}"
    return f"{said}; the nearest {f'are {lines}' if near.stop else f'is {near.path}'}"
