"""Several files as one text.

Several files as one text, so that an edit of all of them is one proposal, one diff and one review.

Above the lines of each file stands a heading that names it, below them an end mark (see
`headings`). Files that come into being stand below all others, and one that is not among them is
gone. What a heading keeps of its file (a byte order mark, a last line without an ending) is put
back when the files are taken apart.

Which file of several a line or a hunk belongs to, and its number there. Lines are 0-based.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
    """Files as one text.

    Raises:
        UsageError: An odd name.
    """
    return Text(tuple(line for path, text in files.items() for line in _section(path, text)))


def _section(path: str, text: Text) -> Iterator[str]:
    if "\n" in path or SIGN in path:
        raise UsageError(
            f"{path!r} has a name that cannot be edited together with other files; name it alone"
        )
    raw = text.raw
    ending = (ending_of(raw[0]) if raw else "") or "\n"
    marked = bool(raw) and raw[0].startswith(_BOM)
    unended = bool(raw) and not ending_of(raw[-1])
    yield f"{heading_of(path)}{_MARKED * marked}{_UNENDED * unended}{ending}"
    for number, line in enumerate(raw, 1):
        bare = line.removeprefix(_BOM) if marked and number == 1 else line
        yield bare + ending if unended and number == len(raw) else bare
    yield f"{END}\n"


def apart(text: Text) -> dict[str, Text]:
    """The files that such a text holds, each as its bytes would be read."""
    return {each.path: _file(text.raw[each.start : each.stop]) for each in sections(text.raw)}


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
        path: Of a text that is one file's alone.
    """
    if not is_document(before.raw or after.raw):
        return [ChangedFile(path, before, after)]
    old = apart(before)
    new = apart(after)
    paths = dict.fromkeys([*old, *new])
    return [
        ChangedFile(each, old.get(each), new.get(each))
        for each in paths
        if old.get(each) != new.get(each)
    ]


class ChangedLines(Protocol):
    """What is needed of a hunk: where it starts, 0-based in the base, and the lines that go and
    come.
    """

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
    """The files whose lines stand one below the other; of a lone file nothing.

    Args:
        base: All lines.
    """

    def __init__(self, base: Sequence[str] = ()) -> None:
        self.heads = (
            [at for at, line in enumerate(base) if is_heading(line)] if is_document(base) else []
        )
        self.paths = [named(base[at]) for at in self.heads]

    def __bool__(self) -> bool:
        return bool(self.heads)

    @property
    def named_heads(self) -> list[int]:
        """The lines of the headings, but for the end mark."""
        return [at for at, path in zip(self.heads, self.paths, strict=True) if path]

    @property
    def count(self) -> int:
        """How many files there are; the end mark is none."""
        return len(self.named_heads)

    def head_of(self, line: int) -> int:
        """The line of the heading that a line stands below, or is."""
        return self.heads[bisect_right(self.heads, line) - 1] if self.heads else -1

    def spot(self, hunk: ChangedLines, start: int | None = None) -> FileLine:
        """Where a hunk begins: a file that comes or goes is meant from its start.

        Args:
            start: If that moved.
        """
        start = hunk.start if start is None else start
        if path := whole_file(hunk.old, hunk.new):  # also where all others are gone
            return FileLine(path, 0)
        if not self.heads:
            return FileLine("", start)
        at = (
            bisect_left(self.heads, start) - 1
        )  # what is added below a file's last line stands before a heading
        return FileLine(self.paths[at], start - self.heads[at] - 1)

    def about(self, hunks: Iterable[ChangedLines]) -> list[str]:
        """The files that hunks are about."""
        return list(dict.fromkeys(path for hunk in hunks if (path := self.spot(hunk).path)))


def lines_of(lines: Iterable[str]) -> list[str]:
    """Those that are lines of a file: headings and end marks are none."""
    return [line for line in lines if not is_heading(line)]


def titled(line: str, kind: str) -> str:
    """A line that comes or goes as it is shown.

    Args:
        kind: "new" or "deleted", for a heading.
    """
    if not is_heading(line):
        return line
    return f"{kind} file {named(line)}" if named(line) else ""
