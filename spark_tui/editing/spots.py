"""Which file of several a line or a hunk belongs to, and its number there. Lines are 0-based."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from spark_tui.editing.headings import is_document, is_heading, named, whole_file


class Changed(Protocol):
    """What is needed of a hunk: where it starts, 0-based in the base, and the lines that go and come."""

    @property
    def start(self) -> int: ...  # noqa: D102
    @property
    def old(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def new(self) -> tuple[str, ...]: ...  # noqa: D102


class Spot(NamedTuple):
    """A line of a file; `path` is "" where there is only one."""

    path: str
    line: int


class Files:
    """The files whose lines stand one below the other; of a lone file nothing. Args: base: all lines."""

    def __init__(self, base: Sequence[str] = ()) -> None:
        self.heads = [at for at, line in enumerate(base) if is_heading(line)] if is_document(base) else []
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

    def spot(self, hunk: Changed, start: int | None = None) -> Spot:
        """Where a hunk begins: a file that comes or goes is meant from its start. Args: start: if that moved."""
        start = hunk.start if start is None else start
        if path := whole_file(hunk.old, hunk.new):  # also where all others are gone
            return Spot(path, 0)
        if not self.heads:
            return Spot("", start)
        at = bisect_left(self.heads, start) - 1  # what is added below a file's last line stands before a heading
        return Spot(self.paths[at], start - self.heads[at] - 1)

    def about(self, hunks: Iterable[Changed]) -> list[str]:
        """The files that hunks are about."""
        return list(dict.fromkeys(path for hunk in hunks if (path := self.spot(hunk).path)))


def lines_of(lines: Iterable[str]) -> list[str]:
    """Those that are lines of a file: headings and end marks are none."""
    return [line for line in lines if not is_heading(line)]


def titled(line: str, kind: str) -> str:
    """A line that comes or goes as it is shown. Args: kind: "new" or "deleted", for a heading."""
    if not is_heading(line):
        return line
    return f"{kind} file {named(line)}" if named(line) else ""
