"""Several files as one text, so that their edit is one proposal, one diff and one review.

Above the lines of each file stands a heading that names the file, below them an end mark (see
`line_diff`). New files stand below all others; a file that is not in the text is gone. A heading
keeps what a joined text cannot hold (a byte order mark, a last line without an ending), and `apart`
puts both back.

`Files` tells which file a line or a hunk of such a text belongs to. Lines are 0-based.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from spark_tui.editing.line_diff import (
    END,
    SIGN,
    heading_of,
    is_document,
    is_heading,
    named,
    sections,
    whole_file,
)
from spark_tui.editing.text import Text, ending_of
from spark_tui.errors import UsageError

_BOM = "\ufeff"
_MARKED = "b"
_UNENDED = "n"


class ChangedFile(NamedTuple):
    """A file that differs; None where there is none."""

    path: str
    before: Text | None
    after: Text | None


def joined(files: Mapping[str, Text]) -> Text:
    """The files as one text.

    Raises:
        UsageError: A path holds a line feed or a NUL.
    """
    lines: list[str] = []
    for path, text in files.items():
        lines += _section(path, text)
    return Text(tuple(lines))


def _section(path: str, text: Text) -> list[str]:
    """The lines of a file between its heading and its end mark.

    Raises:
        UsageError: The path holds a line feed or a NUL.
    """
    if "\n" in path or SIGN in path:
        raise UsageError(
            f"{path!r} has a name that cannot be edited together with other files; name it alone"
        )
    lines = list(text.raw)
    ending = ending_of("".join(lines[:1])) or "\n"
    flags = ""
    if lines and lines[0].startswith(_BOM):
        flags += _MARKED
        lines[0] = lines[0].removeprefix(_BOM)
    if lines and not ending_of(lines[-1]):
        flags += _UNENDED
        lines[-1] += ending
    return [f"{heading_of(path)}{flags}{ending}", *lines, f"{END}\n"]


def apart(text: Text) -> dict[str, Text]:
    """The files that a joined text holds, each as its bytes would be read."""
    return {path: _file(text.raw[start:stop]) for path, start, stop in sections(text.raw)}


def _file(raw: tuple[str, ...]) -> Text:
    flags = raw[0].split(SIGN)[2]
    lines = list(raw[1:])
    if lines and _MARKED in flags:
        lines[0] = _BOM + lines[0]
    if lines and _UNENDED in flags:
        lines[-1] = lines[-1].removesuffix(ending_of(lines[-1]))
    return Text(tuple(lines))


def changed(before: Text, after: Text, path: str) -> list[ChangedFile]:
    """The files that differ between two versions of a text.

    Args:
        path: The path of a text that is a lone file.
    """
    if not is_document(before.raw or after.raw):
        return [ChangedFile(path, before, after)]
    old = apart(before)
    new = apart(after)
    paths = dict.fromkeys([*old, *new])
    versions = [ChangedFile(path, old.get(path), new.get(path)) for path in paths]
    return [file for file in versions if file.before != file.after]


class ChangedLines(Protocol):
    """What `Files` needs of a hunk: its start, 0-based in the base, and its old and new lines."""

    @property
    def start(self) -> int: ...  # noqa: D102
    @property
    def old(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def new(self) -> tuple[str, ...]: ...  # noqa: D102


class FileLine(NamedTuple):
    """A line of a file; `path` is "" where there is only one."""

    path: str
    line: int


class Files:
    """The files of a joined text; false for a lone file.

    `heads`: the lines of the headings and end marks. `paths`: the file of each, "" for an end mark.

    Args:
        base: All lines of the text.
    """

    def __init__(self, base: Sequence[str] = ()) -> None:
        self.heads: list[int] = []
        if is_document(base):
            self.heads = [number for number, line in enumerate(base) if is_heading(line)]
        self.paths = [named(base[head]) for head in self.heads]

    def __bool__(self) -> bool:
        return bool(self.heads)

    @property
    def named_heads(self) -> list[int]:
        """The lines of the headings, without the end marks."""
        return [head for head, path in zip(self.heads, self.paths, strict=True) if path]

    @property
    def count(self) -> int:
        """How many files there are."""
        return len(self.named_heads)

    def head_of(self, line: int) -> int:
        """The line of the heading that a line stands below, or is; -1 for a lone file."""
        if not self.heads:
            return -1
        return self.heads[bisect_right(self.heads, line) - 1]

    def spot(self, hunk: ChangedLines, start: int | None = None) -> FileLine:
        """Where a hunk begins; line 0 of a file that is created or deleted.

        Args:
            start: The hunk's first line, where that has moved.
        """
        if start is None:
            start = hunk.start
        # first of all, since a created or deleted file may be the only one
        if path := whole_file(hunk.old, hunk.new):
            return FileLine(path, 0)
        if not self.heads:
            return FileLine("", start)
        # lines added at the end of a file stand right before its end mark
        index = bisect_left(self.heads, start) - 1
        return FileLine(self.paths[index], start - self.heads[index] - 1)

    def about(self, hunks: Iterable[ChangedLines]) -> list[str]:
        """The files that hunks are about."""
        paths = (self.spot(hunk).path for hunk in hunks)
        return list(dict.fromkeys(filter(None, paths)))


def lines_of(lines: Iterable[str]) -> list[str]:
    """The lines that are lines of a file, without headings and end marks."""
    return [line for line in lines if not is_heading(line)]


def titled(line: str, kind: str, other: str | None = None) -> str:
    """A changed line as it is shown: a heading reads "new file PATH", an end mark is empty.

    Where both versions have the file, its heading differs by what the heading keeps of the file.

    Args:
        kind: "new" or "deleted".
        other: The line of the other version at this place, if there is one.
    """
    if not is_heading(line):
        return line
    path = named(line)
    if not path:
        return ""
    if other is None or not is_heading(other) or named(other) != path:
        return f"{kind} file {path}"
    flags = line.split(SIGN)[2]
    words = [path]
    if _MARKED in flags:
        words.append("with a byte order mark")
    if _UNENDED in flags:
        words.append("without a line ending at its end")
    return ", ".join(words)
