"""Several files as one text, so that their edit is one proposal, one diff and one review.

Above the lines of each file stands a heading that names the file, below them an end mark (see
`line_diff`). New files stand below all others; a file that is not in the text is gone. A heading
keeps what a joined text cannot hold (a byte order mark, a last line without an ending), and `apart`
puts both back. A renamed file stays where it is and only its heading changes, so that the new name
is decided like any other change.

`Files` tells which file a line or a hunk of such a text belongs to. Lines are 0-based.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from spark_tui.editing.line_diff import (
    SIGN,
    heading_of,
    is_document,
    is_heading,
    named,
    renames,
    section_lines,
    sections,
    whole_file,
)
from spark_tui.editing.text import Text, ending_of
from spark_tui.errors import UsageError

_BOM = "\ufeff"
# the flags of a heading: the file begins with a byte order mark, its last line has no ending
_MARKED = "b"
_UNENDED = "n"


class ChangedFile(NamedTuple):
    """A file that differs between two versions; None stands for a version without the file."""

    path: str
    before: Text | None
    after: Text | None


def joined(files: Mapping[str, Text], former: Mapping[str, str] | None = None) -> Text:
    """The files as one text.

    Args:
        former: The former names of renamed files, by their present paths.

    Raises:
        UsageError: A path holds a line feed or a NUL, or a line begins with a NUL.
    """
    lines: list[str] = []
    for path, text in files.items():
        lines += _section(path, text, (former or {}).get(path, ""))
    return Text(tuple(lines))


def _section(path: str, text: Text, former: str) -> list[str]:
    """The lines of a file between its heading and its end mark.

    Raises:
        UsageError: The path holds a line feed or a NUL.
    """
    if "\n" in path or SIGN in path:
        raise UsageError(
            f"{path!r} has a name that cannot be edited together with other files; name it alone"
        )
    # A mark or an open end in the middle of the joined text would stick to lines that move.
    lines = list(text.raw)
    ending = ending_of("".join(lines[:1])) or "\n"
    flags = ""
    if lines and lines[0].startswith(_BOM):
        flags += _MARKED
        lines[0] = lines[0].removeprefix(_BOM)
    if lines and not ending_of(lines[-1]):
        flags += _UNENDED
        lines[-1] += ending
    if former:
        flags += SIGN + former
    return section_lines(f"{heading_of(path)}{flags}\n", lines, "\n")


def apart(text: Text) -> dict[str, Text]:
    """The files that a joined text holds, each as its bytes would be read."""
    return {file.path: _file(text.raw[file.start : file.stop]) for file in sections(text.raw)}


def former_names(text: Text) -> dict[str, str]:
    """The former names of the renamed files that a joined text holds, by their paths."""
    if not is_document(text.raw):
        return {}
    return {file.path: file.origin for file in sections(text.raw) if file.origin != file.path}


def _file(raw: tuple[str, ...]) -> Text:
    flags = _flags(raw[0])
    lines = list(raw[1:])
    if lines and _MARKED in flags:
        lines[0] = _BOM + lines[0]
    if lines and _UNENDED in flags:
        lines[-1] = lines[-1].removesuffix(ending_of(lines[-1]))
    return Text(tuple(lines))


def changed(before: Text, after: Text, path: str) -> list[ChangedFile]:
    """The files that differ between two versions of a text.

    A renamed file counts as one that goes and one that comes.

    Args:
        path: The path of a text that is a lone file.
    """
    # an empty text may be a document without files, so the other one tells
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
    """A line of a file; `path` is "" for a lone file."""

    path: str
    line: int


class Files:
    """The files of a joined text; false for a lone file.

    `heads`: the lines of the headings and end marks. `paths`: the path that each of these names, ""
    for an end mark.

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
        """The line of the heading or end mark at or above a line; -1 for a lone file."""
        if not self.heads:
            return -1
        return self.heads[bisect_right(self.heads, line) - 1]

    def spot(self, hunk: ChangedLines, start: int | None = None) -> FileLine:
        """Where a hunk begins; line 0 of a file that is created or deleted.

        Args:
            start: The first line of the hunk, where that has moved.
        """
        if start is None:
            start = hunk.start
        # first of all, since a created file may be the only one, in a document that had none
        if path := whole_file(hunk.old, hunk.new):
            return FileLine(path, 0)
        if not self.heads:
            return FileLine("", start)
        # lines added at the end of a file stand right before its end mark
        index = bisect_left(self.heads, start) - 1
        return FileLine(self.paths[index], start - self.heads[index] - 1)

    def about(self, hunks: Iterable[ChangedLines]) -> list[str]:
        """The files that hunks are about, a renamed one by both of its names."""
        paths: dict[str, None] = {}
        for hunk in hunks:
            paths[self.spot(hunk).path] = None
            if renames(hunk.old, hunk.new):
                paths[named(hunk.new[0])] = None
        return list(filter(None, paths))


def lines_of(lines: Iterable[str]) -> list[str]:
    """The lines that are lines of a file, without headings and end marks."""
    return [line for line in lines if not is_heading(line)]


def titled(line: str, kind: str) -> str:
    """A changed line as it is shown: a heading reads "new file PATH", an end mark is empty.

    Args:
        kind: "new" or "deleted".
    """
    if not is_heading(line):
        return line
    path = named(line)
    if not path:
        return ""
    return f"{kind} file {path}"


def heading_change(old: Sequence[str], new: Sequence[str]) -> str:
    """What changed lines do to the heading of a file, in words that begin with the path.

    "" where the lines do not begin with the heading in both versions: then they leave the heading
    alone, or create or delete the file.
    """
    if not (old and new and is_heading(old[0]) and is_heading(new[0])):
        return ""
    words = [named(new[0])]
    if renames(old, new):
        words.append(f"renamed from {named(old[0])}")
    before = _flags(old[0])
    after = _flags(new[0])
    for flag, name in ((_MARKED, "byte order mark"), (_UNENDED, "line ending at its end")):
        if (flag in before) != (flag in after):
            # `_MARKED` says that something is there, `_UNENDED` that something is missing
            is_gone = (flag in after) == (flag == _UNENDED)
            words.append(f"{'without' if is_gone else 'with'} a {name}")
    return ", ".join(words)


def _flags(heading: str) -> str:
    """The flags of a heading; see `_MARKED` and `_UNENDED`."""
    return heading.split(SIGN)[2].removesuffix("\n")


def differs_in_endings_only(old: Sequence[str], new: Sequence[str]) -> bool:
    r"""Whether raw lines are the same but for "\n" in place of "\r\n", or the other way around."""
    if len(old) != len(new):
        return False
    return all(map(_is_same_line, old, new))


def _is_same_line(old: str, new: str) -> bool:
    return old.removesuffix(ending_of(old)) == new.removesuffix(ending_of(new))
