"""Hunks: the contiguous changes between two versions of a file, exact to the byte and without context."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from itertools import accumulate

from spark_tui.editing.headings import whole_file
from spark_tui.editing.linediff import line_changes
from spark_tui.editing.text import Text, ending_of
from spark_tui.errors import Conflict


@dataclass(frozen=True)
class Hunk:
    """One contiguous change: from line `start` (0-based, in the base) on, `old` becomes `new`.

    `old` and `new` are raw lines, endings included. Two hunks are equal when they change the same; the id
    is only a handle.
    """

    id: str = field(compare=False)
    start: int
    old: tuple[str, ...]
    new: tuple[str, ...]

    @property
    def stop(self) -> int:
        """The base line after the last old one."""
        return self.start + len(self.old)

    @property
    def growth(self) -> int:
        """How many lines longer the text becomes."""
        return len(self.new) - len(self.old)

    @cached_property
    def old_lines(self) -> tuple[str, ...]:
        """The lines that go, without their endings."""
        return tuple(line.removesuffix(ending_of(line)) for line in self.old)

    @cached_property
    def new_lines(self) -> tuple[str, ...]:
        """The lines that come, without their endings."""
        return tuple(line.removesuffix(ending_of(line)) for line in self.new)


def hunk_id(start: int, old: tuple[str, ...], new: tuple[str, ...], salt: int = 0) -> str:
    """Eight hexadecimal digits made from what a hunk changes and where."""
    return sha256(repr((start, old, new, salt)).encode()).hexdigest()[:8]


def diff(base: Text, proposed: Text) -> tuple[Hunk, ...]:
    """The hunks from `base` to `proposed`, in order, the fewest lines possible; see `line_changes`."""
    return tuple(
        Hunk(hunk_id(a, base.raw[a:b], proposed.raw[c:d]), a, base.raw[a:b], proposed.raw[c:d])
        for a, b, c, d in line_changes(base.raw, proposed.raw)
    )


def brought(hunks: Sequence[Hunk]) -> list[range]:
    """The lines that hunks, in order, brought, in the text with all of them."""
    grown = accumulate((hunk.growth for hunk in hunks), initial=0)
    return [range(hunk.start + by, hunk.stop + by + hunk.growth) for hunk, by in zip(hunks, grown, strict=False)]


def apply_hunks(base: Text, hunks: Iterable[Hunk]) -> Text:
    """Put any hunks made for `base` into it, in any order.

    Raises: Conflict: a hunk's old lines are not where it says, or two hunks overlap.
    """
    pieces: list[str] = []
    at, previous = 0, -1
    for hunk in sorted(hunks, key=lambda hunk: (hunk.start, hunk.stop)):
        beside = hunk.start == previous and not whole_file(hunk.old, hunk.new)
        if hunk.start < at or beside or base.raw[hunk.start : hunk.stop] != hunk.old:
            raise Conflict(f"hunk {hunk.id} no longer fits at line {hunk.start + 1}; make the edit again")
        pieces += base.raw[at : hunk.start]
        pieces += hunk.new
        at, previous = hunk.stop, hunk.start
    return Text((*pieces, *base.raw[at:]))
