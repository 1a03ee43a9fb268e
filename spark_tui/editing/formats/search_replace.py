"""The format of blocks that search for lines and replace them, over several files.

    path/to/file.py
    <<<<<<< SEARCH
    lines that stand there
    =======
    lines that should
    >>>>>>> REPLACE

A block without lines to search for creates a file; the line `<<<<<<< DELETE` below a path deletes a
file. Fences and talk around blocks do not count. A block goes where its lines stand in exactly one
place (`quoted_lines`). A block that does not fit changes nothing and is reported. Where a model
answers with a diff and without a block, the diff is the edit. Source: the format that aider made
common.

`BlocksDraft` reads an answer as it comes, in pieces of any size; files are lists of lines, and no
disk is touched.
"""

import re  # noqa: TID251 - reads an answer
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import PurePosixPath

from spark_tui.editing.formats.answer_lines import read_replacement
from spark_tui.editing.formats.fences import Fence, is_tag, without_tags
from spark_tui.editing.formats.file_diffs import FileDiff, FileDiffs
from spark_tui.editing.formats.growing_region import GrowingRegion, grown_by_diff
from spark_tui.editing.formats.named_paths import named_path
from spark_tui.editing.formats.quoted_lines import (
    Nearest,
    QuotedLines,
    nearest_path,
    nearest_place,
    places_of,
)
from spark_tui.editing.formats.surroundings import Surroundings
from spark_tui.editing.formats.unified_diff import patched
from spark_tui.editing.formats.white_space import Indents, Returns, is_indented_otherwise

# Seven signs are asked for. Models miscount, or append a ">" to the word.
_MARK = re.compile(r"(?P<mark><{5,9}|={5,9}|>{5,9})(?: ?(?P<word>SEARCH|REPLACE|DELETE)>?)?\s*")
_OPENING = "<" * 5
"""The beginning of every mark that opens a block."""
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

    @property
    def is_unknown(self) -> bool:
        """Whether the path is that of none of the files that may be edited."""
        return self.why == _NO_FILE


Event = Fit | Misfit
_Written = tuple[str, tuple[str, ...], tuple[str, ...]]
"""A block as it was written: its path, the lines searched for, the lines in their place."""


class BlocksDraft:
    """An answer in blocks, as far as it is written. Mutable.

    Args:
        files: The lines of every file that may be edited, by path.
        alone: Whether every block is about the only file, whatever stands above the block.
    """

    def __init__(self, files: Mapping[str, Sequence[str]], *, alone: bool = False) -> None:
        self._alone = alone
        self._before = {path: tuple(lines) for path, lines in files.items()}
        self._returns = Returns(list(chain.from_iterable(files.values())))
        self._after: dict[str, tuple[str, ...] | None] = {}
        # the file of the latest block, which a block without a name goes on with
        self._path = next(iter(files)) if len(files) == 1 else ""
        self._latest = ""
        """The file of the block before, where a sentence names another one for this block."""
        self._name_line = ""
        """The latest line that may name a file."""
        self._block: _Block | None = None
        self._applied = set[_Written]()
        """The blocks and diffs that were applied, so that one that comes again counts once."""
        self._diffs = FileDiffs()
        self._open = b""
        self.doubt = ""
        """The reason to doubt the closed blocks, or "" where there is none."""
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
        # The last line may lack its line feed, and may close the last block. Diffs come last: they
        # count only where there was no block.
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
        if block is None or block.growing is None or self._may_repeat(block):
            return self.settled()
        return self.settled() | {block.path: block.grown(self._opened())}

    @property
    def begun(self) -> bool:
        """Whether a block has begun."""
        return bool(self.events) or self._block is not None

    @property
    def closed(self) -> bool:
        """Whether every block and every diff that began has come to its end."""
        line = self._returns.stripped(self._open.decode("utf-8", "replace"))
        mark = _mark_in(line)
        if block := self._block:
            return _ends_block(mark) and (block.divided or bool(block.dividers))
        if line.startswith(_OPENING):
            return mark is not None and mark["word"] == "DELETE"
        return self._diffs.closed(line)

    @property
    def open_line(self) -> str | None:
        """The new line that is being written into a file, as far as it goes; None elsewhere."""
        block = self._block
        if block is None or block.growing is None or self._may_repeat(block):
            return None
        opened = self._opened()
        return opened if block.growing.is_new(opened) else None

    def _opened(self) -> str:
        """The line that is being written; "" while it may become a mark, which is never shown."""
        opened = self._open.decode("utf-8", "ignore")
        return opened if opened.strip("<=>") and not _MARK.match(opened) else ""

    def _lines_of(self, path: str) -> tuple[str, ...] | None:
        # a later block sees what the earlier ones made
        return self._after[path] if path in self._after else self._before.get(path)

    def _line(self, line: str) -> None:
        """Take a line of the answer."""
        mark = _mark_in(line)
        # Blocks go before diffs, also within a fence called "diff". All else is talk, in which the
        # latest line may name the file of the next block.
        if self._block:
            self._within(self._block, line, mark)
        elif mark and mark["word"] in ("SEARCH", "DELETE") and mark["mark"][0] == "<":
            self._name_line = self._diffs.leave() or self._name_line
            self._begin(mark)
        elif self._diffs.take(line, self._name_line):
            return
        elif Fence.opened(line) is None and line.strip() and not is_tag(line):
            self._name_line = line

    def _begin(self, mark: re.Match[str]) -> None:
        """Begin a block, or delete a file."""
        self._path = self._named(self._name_line)
        self._name_line = ""
        if mark["word"] == "SEARCH":
            self._block = _Block(self._path, len(mark["mark"]))
            # then marks within the block may be lines of the file
            lines = self._lines_of(self._path) or ()
            self._block.shows_marks = any(map(_is_word_mark, lines))
        elif self._after.get(self._path, ()) is None:
            return  # deleted already
        elif self._lines_of(self._path) is None:
            self.events.append(Misfit(self._path, _NO_FILE, self._near()))
        else:
            self.events.append(Fit(self._path, "deleted"))
            self._after[self._path] = None

    def _within(self, block: "_Block", line: str, mark: re.Match[str] | None) -> None:
        """Take a line of a block."""
        if mark is not None and block.shows_marks and block.is_text(mark):
            mark = None
        # A file with lines like the divider leaves it open which of them divides the block. All of
        # them are kept as lines until the last line of the block.
        divides = mark is not None and line.strip() == block.divider
        ends = _ends_block(mark)
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
        # the first one, if no part stands in the file
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
        # an empty file takes a block without lines to search for, as a new file does
        wanted = any(map(str.strip, block.search))
        if wanted and self._latest:
            self._path = block.path = self._meant_path(block)
        lines = self._lines_of(block.path)
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

    def _meant_path(self, block: "_Block") -> str:
        """The file that a block below a sentence is about, as its lines tell.

        A sentence may name another file than that of the block before, and mean that one.
        """
        for path in (block.path, self._latest):
            if places_of(self._lines_of(path) or (), block.search):
                return path
        return block.path

    def _close(self, block: "_Block") -> None:
        """Apply a complete block, where it fits."""
        # The problem of a growing region is known only at its end, so a block that had a place may
        # still be refused.
        self._block = None
        if block.written in self._applied:
            return
        if block.growing is None:
            self.events.append(block.misfit(block.why))
            return
        kind = "edit" if self._lines_of(block.path) is not None else "new"
        block.finish()
        if block.growing.problem:
            self.events.append(block.misfit(block.growing.problem))
            return
        self.doubt = self.doubt or block.doubt or block.growing.doubt
        if kind == "new" and self._has_side(block.path):
            self.doubt = self.doubt or f"{block.path} may mean {block.path[2:]}"
        self._applied.add(block.written)
        self._after[block.path] = block.grown()
        self.events.append(Fit(block.path, kind))

    def _may_repeat(self, block: "_Block") -> bool:
        """Whether an open block is, as far as it is written, one that was applied."""
        count = len(block.replacement)
        for path, search, replacement in self._applied:
            same = (path, search) == (block.path, tuple(block.search))
            if same and list(replacement[:count]) == block.replacement:
                return True
        return False

    def _has_side(self, path: str) -> bool:
        """Whether a new path begins as git tells the sides of a diff apart, and no other does."""
        is_folder = any(other.startswith(path[:2]) for other in self._before)
        return path.startswith(("a/", "b/")) and not is_folder

    def _apply_diffs(self, diffs: Sequence[FileDiff]) -> None:
        """Apply diffs, unless the answer has blocks, which take precedence."""
        if diffs and self.events:
            self.doubt = self.doubt or "the answer holds blocks and a diff"
            return
        for diff in diffs:
            self._path = self._meant_by(diff)
            written = (self._path, (), tuple(diff.lines))
            if diff.lines and written in self._applied:
                continue
            why = self._apply_diff(diff)
            if not why:
                self.events.append(Fit(self._path, self._kind_of(self._path)))
                self._applied.add(written)
            # talk that only looks like a diff is no misfit
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
        # the new name, then the old one; with its prefix first, as a directory may be called `b`
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
        """Apply a diff to the lines of a file: the new lines, or why the diff does not fit."""
        if diff.is_new:
            added = [line for line in diff.lines if line.startswith("+")]
            return tuple(line.removeprefix("+") for line in added)
        lines = patched(old, diff.lines)
        # a diff that deletes a file must remove every line, or show none at all
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
        named = named_path("" if self._alone else line, [*self._before, *self._after])
        self._latest = "" if named.is_alone else self._path
        return named.path or self._path


def _is_word_mark(line: str) -> bool:
    """Whether a line opens or ends a block."""
    mark = _MARK.fullmatch(line)
    return mark is not None and mark["word"] is not None


def _mark_in(line: str) -> re.Match[str] | None:
    """The mark of a block that a line holds, alone or beside tags; None for another line."""
    return _MARK.fullmatch(without_tags(line))


def _ends_block(mark: re.Match[str] | None) -> bool:
    """Whether a mark is the last line of a block."""
    return mark is not None and mark["mark"][0] == ">" and mark["word"] == "REPLACE"


def _wrong_path(path: str) -> str:
    """Why a path cannot name a file of the repository, "" if it can."""
    if not path:
        return "no file is named above it"
    parts = PurePosixPath(path).parts
    leads_out = PurePosixPath(path).is_absolute() or ".." in parts
    return "its path leads out of the repository" if leads_out else ""


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
        self.replacement: list[str] = []
        """The lines in place of those searched for, as they were written."""
        self.divided = False
        self.dividers: list[int] = []
        """The lines of `search` that may divide the block, where the file has such lines, too."""
        self.shows_marks = False
        """Whether the file itself has marks of blocks, as a page or a test about blocks has."""
        self._depth = 0
        """How many blocks the lines of this block have opened and not closed."""
        # the replacement; None until the lines searched for are found
        self.growing: GrowingRegion | None = None
        self._indents = Indents(())
        self.place = QuotedLines(0, 0)
        self._around: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
        self._quoted: list[tuple[str, str]] = []
        """The lines searched for that the replacement has not had yet, and as the file has them."""
        self._empty: list[str] = []
        """Lines held back: empty ones at either end, which may not belong to the replacement."""
        self.why = ""
        self.nearest: Nearest | None = None
        self.doubt = ""
        """The reason to doubt the replacement, or ""."""

    def is_text(self, mark: re.Match[str]) -> bool:
        """Take a mark in a block about a file that has marks.

        Returns:
            Whether the mark is a line of the file: a mark of another length, or a mark within a
            block that a line of the file has opened.
        """
        if len(mark["mark"]) != len(self.divider):
            return True
        if mark["word"] == "SEARCH":
            self._depth += 1
            return True
        within = self._depth > 0
        if _ends_block(mark) and within:
            self._depth -= 1
        return within

    def begin(self, lines: Sequence[str], place: QuotedLines) -> None:
        """Begin the replacement, now that the place of the lines searched for is known."""
        self.place = place
        self._around = tuple(lines[: place.start]), tuple(lines[place.stop :])
        self._grow_anew(lines[place.start : place.stop])

    def _grow_anew(self, old: Sequence[str]) -> None:
        """Begin the replacement of the lines that were found."""
        self.growing = GrowingRegion(old)
        self._indents = Indents(old)
        self._empty = []
        # a new file has no old lines to pair
        quoted = self.search[self.place.lead : len(self.search) - self.place.trail]
        self._quoted = list(zip(quoted, old, strict=bool(old)))

    def add(self, line: str) -> None:
        """Take the next line of the replacement.

        Empty lines at its ends are left out where the block searched for such lines in vain.
        """
        self.replacement.append(line)
        self._write(line)

    def _write(self, line: str) -> None:
        if self.growing is None:
            return
        self._empty.append(line)
        # Only as many empty lines as the block searched for in vain are left out, and only at the
        # ends: an empty line is held back until a line below tells that it stands in the middle.
        begun = bool(self.growing.written)
        may_be_surplus = self.place.trail or (self.place.lead and not begun)
        if not line.strip() and may_be_surplus:
            return
        surplus = 0 if begun else self._surplus(self.place.lead)
        self._release(self.growing, surplus)

    @property
    def written(self) -> _Written:
        """The block as it was written."""
        return self.path, tuple(self.search), tuple(self.replacement)

    def finish(self) -> None:
        """End the replacement, and read its lines as they are meant."""
        assert self.growing is not None
        around = Surroundings(self.path, *self._around)
        # White space at the end of lines searched for is that of the file, which `_as_there` knows.
        search = [line.rstrip() for line in self.search]
        reading = read_replacement(search, self.replacement, around)
        self.doubt = reading.doubt
        changes_white_space = self.search != self.replacement and (
            search == [line.rstrip() for line in self.replacement]
        )
        if reading.lines != self.replacement or changes_white_space:
            self._grow_anew(self.growing.old)
            if changes_white_space:
                self._quoted = []  # no line is copied as the file has it
            for line in reading.lines:
                self._write(line)
        self._release(self.growing, self._surplus(self.place.trail))
        self.growing.finish()
        above, below = self._around
        if is_indented_otherwise((*above, *self.growing.old, *below), self.growing.written):
            self.doubt = self.doubt or "tabs and spaces are mixed"

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
        # Copied lines come in order, so those above a copied line are not expected any more.
        for index, (quoted, there) in enumerate(self._quoted):
            if quoted.rstrip() == line.rstrip():
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
