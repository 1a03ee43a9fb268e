"""Find diffs, file by file, in the answers of models that were asked for blocks.

Unified diffs are read, with or without git's lines above them, and patches as OpenAI's models write
them (`*** Update File: PATH`). A diff begins with a fence of that name, or with its heading. This
module knows no files: `unified_diff.patched` finds where hunks go.
"""

import re  # noqa: TID251 - reads an answer
from collections.abc import Sequence
from dataclasses import dataclass, field

from spark_tui.editing.formats.fences import Fence
from spark_tui.editing.formats.unified_diff import DIFF_NAMES, headings_of, hunks_of

_OLD = "--- "
_NEW = "+++ "
_NO_FILE = "/dev/null"
_GIT = re.compile(r"diff --git (?:a/)?(?P<old>.+) (?:b/)?(?P<new>.+)")
_PATCH = re.compile(r"\*\*\* (?P<kind>Add|Update|Delete) File: (?P<path>.+)")
# with its numbers, as outside a diff a bare `@@` may be anything
_HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@")
_MORE = re.compile(
    r"(?:new|deleted|old) (?:file )?mode |index |similarity |rename (?:from|to) "
    r"|\*\*\* Move to: "
)
"""What else git and OpenAI's models write above the hunks of a file."""
_SIDE = re.compile(r"[abciow]/")
"""What git puts before a path to tell the two sides apart."""
_SIGNS = ("+", "-", " ")


@dataclass(slots=True)
class FileDiff:
    """What a diff says of one file. Mutable while the diff is read.

    Attributes:
        above: The line of the talk above the diff, which may name the file where the diff does not.
        names: The names of the file in the diff, the new name first; each as it is written, then
            without git's `a/` or `b/`.
        is_new: Whether the diff creates the file.
        is_gone: Whether the diff deletes the file.
        is_moved: Whether the diff gives the file another path.
        is_cut: Whether the answer ends before the fence of the diff does.
        lines: The hunks.
    """

    above: str
    names: list[str] = field(default_factory=list)
    is_new: bool = False
    is_gone: bool = False
    is_moved: bool = False
    is_cut: bool = False
    lines: list[str] = field(default_factory=list)

    @property
    def is_edit(self) -> bool:
        """Whether the diff changes anything."""
        return self.is_new or self.is_gone or self.is_moved or bool(hunks_of(self.lines))

    @property
    def is_certain(self) -> bool:
        """Whether the diff is surely meant to be applied: a mere excerpt has no heading."""
        return bool(self.names) or any(line.startswith("@@") for line in self.lines)

    def read_heading(self, line: str) -> None:
        """Take a line above the hunks."""
        if git := _GIT.match(line):
            self._name(git["new"])
        elif patch := _PATCH.match(line):
            self.names[:0] = [patch["path"].strip()] * 2
            self.is_new = patch["kind"] == "Add"
            self.is_gone = patch["kind"] == "Delete"
        elif line.startswith(_OLD):
            self.is_new = self._name(line.removeprefix(_OLD))
        elif line.startswith(_NEW):
            self.is_gone = self._name(line.removeprefix(_NEW))
        else:
            self.is_new = self.is_new or line.startswith("new file mode ")
            self.is_gone = self.is_gone or line.startswith("deleted file mode ")
            self.is_moved = self.is_moved or line.startswith(("rename ", "*** Move to: "))

    def _name(self, written: str) -> bool:
        """Take a name of the file.

        Returns:
            Whether the name says that there is no file.
        """
        # diff writes a tab and a time behind the path, git quotes around an unusual one
        path = written.partition("\t")[0].strip().strip('"')
        if path == _NO_FILE:
            return True
        self.names[:0] = [path, _SIDE.sub("", path, count=1)]
        return False


class FileDiffs:
    """The diffs of one answer, read line by line. Mutable."""

    def __init__(self) -> None:
        self._files: list[FileDiff] = []
        self._lines: list[str] | None = None
        """The lines of the diff that is being read; None outside a diff."""
        self._fence: Fence | None = None
        """The fence of that diff, where the fence says what it holds."""
        self._above = self._last = ""

    def take(self, line: str, above: str) -> bool:
        """Take the next line.

        Args:
            line: A line of the answer, outside its blocks.
            above: The latest line of the talk that may name a file.

        Returns:
            Whether the line belongs to a diff.
        """
        if self._lines is not None:
            if self._ends(line):
                self._close()
            else:
                self._lines.append(line)
            return True
        # `--- x` alone may be a rule or a heading in Markdown: it takes the line below, `+++ x`
        last = self._last
        self._last = line
        fence = Fence.opened(line)
        if fence and DIFF_NAMES.intersection(fence.info.lower().split()[:1]):
            self._begin([], above, fence)
        elif last.startswith(_OLD) and line.startswith(_NEW):
            self._begin([last, line], above)
        elif _GIT.match(line) or _PATCH.match(line) or _HUNK.match(line):
            self._begin([line], above)
        return self._lines is not None

    def leave(self) -> str:
        """Give up the diff that is being read: a block begins within its fence.

        Returns:
            The line above the block, "" where the block is the first thing in the fence.
        """
        lines = self._lines or []
        self._lines = None
        solid = [line for line in lines if line.strip()]
        return solid[-1] if solid else ""

    def closed(self, line: str) -> bool:
        """Whether no diff is left within its fence.

        Args:
            line: The last line of the answer, as far as it is written.
        """
        if self._lines is None or self._fence is None:
            return True
        return not line.startswith(_SIGNS) and self._fence.would_end(line)

    def finish(self) -> list[FileDiff]:
        """End the answer.

        Returns:
            The diffs, file by file.
        """
        if self._lines is not None:
            self._close(is_cut=self._fence is not None)
        return [file for file in self._files if file.is_edit]

    def _begin(self, lines: list[str], above: str, fence: Fence | None = None) -> None:
        self._lines = lines
        self._above = above
        self._fence = fence

    def _ends(self, line: str) -> bool:
        """Whether a line is the fence below the diff; a fence behind a sign is part of a hunk."""
        if line.startswith(_SIGNS):
            return False
        if self._fence is None:
            return Fence.opened(line) is not None
        return self._fence.ends(line)

    def _close(self, *, is_cut: bool = False) -> None:
        lines = self._lines or []
        self._lines = None
        for file in _by_file(lines, self._above):
            # every file of a diff that is cut off: which of them are whole, nobody can tell
            file.is_cut = is_cut
            self._files.append(file)


def _by_file(lines: Sequence[str], above: str) -> list[FileDiff]:
    """The diff of each file, without the talk below the hunks."""
    # A heading goes on over lines that only git writes, up to the first other line. From there on
    # all is hunks, until another file begins.
    files = [FileDiff(above)]
    in_heading = True
    heads = headings_of(lines)
    for number, line in enumerate(lines):
        is_pair = number in heads and line.startswith(_OLD)
        begins = is_pair or any(pattern.match(line) for pattern in (_GIT, _PATCH))
        if begins and not in_heading:
            files.append(FileDiff(above))
        in_heading = begins or (in_heading and _goes_on(line))
        if in_heading:
            files[-1].read_heading(line)
        else:
            files[-1].lines.append(line)
    for file in files:
        while file.lines and not file.lines[-1].startswith(_SIGNS):
            file.lines.pop()
    return files


def _goes_on(line: str) -> bool:
    """Whether a line behind the first one of a heading belongs to it, too."""
    return not line.strip() or line.startswith(_NEW) or _MORE.match(line) is not None
