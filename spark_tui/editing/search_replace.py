"""Blocks that search for lines and replace them, over several files, read as they come in pieces of any size.

    path/to/file.py
    <<<<<<< SEARCH
    lines that stand there
    =======
    lines that should
    >>>>>>> REPLACE

Nothing to search for makes a new file; the line `<<<<<<< DELETE` below a path takes a file away. Fences and talk around
blocks count for nothing. A block goes where its lines stand in one place only: as they are, else but for white space at
the ends of lines, else but for indentation that all of them have lost or gained. What does not fit changes nothing and
is said. The format is the one that aider made common. Where a model answers with a diff and with no
block, the diff is the edit. Knows no disk: files are lists of lines.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from spark_tui.editing.answered_diff import patched
from spark_tui.editing.fences import Fence
from spark_tui.editing.file_diffs import FileDiff, FileDiffs
from spark_tui.editing.growing import Growing, grown_by_diff
from spark_tui.editing.locating import Nearest, Place, nearest_path, nearest_place, places_of
from spark_tui.editing.white_space import Indents, Returns

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
    """One answer as far as it is written. Mutable.

    Args: files: the lines of every file that may be edited, by path. alone: every block is about the only one of them,
        whatever stands above it.
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
        """Go on. Returns: what became of the blocks that it closed."""
        known = len(self.events)
        *closed, self._open = (self._open + piece).split(b"\n")
        for line in closed:
            self._line(self._returns.stripped(line.decode("utf-8", "replace")))
        return self.events[known:]

    def finish(self) -> list[Event]:
        """The answer is complete: a block that is still open is not applied. Returns: as `take`."""
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
        changed = {path: lines for path, lines in self._after.items() if lines != self._before.get(path)}
        return {path: lines for path, lines in changed.items() if lines is not None or path in self._before}

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
        growing, opened = self._block and self._block.growing, self._opened()
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
        """Whether the file has lines that look like the divider, as headings have that are underlined."""
        return any(line.strip() == block.divider for line in self._lines_of(block.path) or ())

    def _divide(self, block: "_Block") -> None:
        """Divide a block whose file has such lines, now that it is whole.

        Of the parts above each line that may divide, the longest that stands in the file is what is
        searched for: the lines like a divider in a shorter one are the file's own.
        """
        lines, written = self._lines_of(block.path) or (), block.search
        at = block.dividers[0]
        for divider in block.dividers:
            above = written[:divider]
            if any(map(str.strip, above)) and places_of(lines, above):
                at = divider
        block.search, block.divided = written[:at], True
        self._locate(block)
        for line in written[at + 1 :]:
            block.add(line)

    def _locate(self, block: "_Block") -> None:
        lines, wanted = self._lines_of(block.path), any(map(str.strip, block.search))
        if why := _wrong_path(block.path):
            block.why = why
        elif not wanted and not lines:
            block.begin((), Place(0, 0))
        elif not wanted:
            block.why = _EXISTS
        elif lines is None:
            block.why, block.nearest = _NO_FILE, self._near()
        elif len(places := places_of(lines, block.search)) == 1:
            block.begin(lines, places[0])
        elif places:
            block.why = f"its lines occur {len(places)} times: {', '.join(str(each.start + 1) for each in places[:5])}"
        else:
            block.why, block.nearest = "its lines occur nowhere", nearest_place(block.path, lines, block.search)

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
        """Apply a diff of one file. Returns: why it cannot be applied, "" if it was."""
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
        return nearest_path(self._path, [path for path in self._before if self._lines_of(path) is not None])

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
    """A block while it is read. Mutable. Args: path: of its file. size: characters of its marks."""

    def __init__(self, path: str, size: int) -> None:
        self.path, self.divider = path, "=" * size
        self.search: list[str] = []
        self.divided = False
        self.dividers: list[int] = []
        """Lines of `search` that may divide the block, where the file has such lines, too."""
        self.growing: Growing | None = None
        self._indents = Indents(())
        self.place = Place(0, 0)
        self._around: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
        self._quoted: list[tuple[str, str]] = []
        """Lines searched for, and how the file has them, that the replacement has not come to."""
        self._empty: list[str] = []
        """Lines of the replacement of which it is not known whether they belong to it."""
        self.why = ""
        self.nearest: Nearest | None = None

    def begin(self, lines: Sequence[str], place: Place) -> None:
        """The lines searched for stand here."""
        self.place = place
        self.growing = Growing(lines[place.start : place.stop])
        self._indents = Indents(self.growing.old)
        self._around = tuple(lines[: place.start]), tuple(lines[place.stop :])
        quoted = self.search[place.lead : len(self.search) - place.trail]
        self._quoted = list(zip(quoted, self.growing.old, strict=bool(self.growing.old)))

    def add(self, line: str) -> None:
        """Take the next line of the replacement; empty ones at its ends that were searched for in vain are left out."""
        if self.growing is None:
            return
        self._empty.append(line)
        if not line.strip() and (self.place.trail or (self.place.lead and not self.growing.written)):
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
        """The file with what is replaced by now. Args: opened: the line being written."""
        assert self.growing is not None
        above, below = self._around
        return (*above, *self.growing.lines(self.place.indented(opened) if opened else ""), *below)

    def misfit(self, why: str) -> Misfit:
        """What is said of it where it is not applied."""
        return Misfit(self.path, why, self.nearest)
