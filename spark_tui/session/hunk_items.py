"""The hunks of a turn as a list: those that are open, and what the user decided about the others.

`Decisions` keeps what was decided and where that stands in the file now. `Items` is the list of a
turn's hunks, open and decided ones. The module knows no widgets.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate
from operator import attrgetter
from typing import NamedTuple, Protocol, overload

from spark_tui.editing.line_diff import whole_file
from spark_tui.editing.multi_file import ChangedLines, FileLine, Files, lines_of

_START = attrgetter("start")

Lines = tuple[int, int]
"""Base lines [start, end), 0-based."""


class HunkLike(ChangedLines, Protocol):
    """The parts of a hunk that a diff needs."""

    @property
    def id(self) -> str: ...  # noqa: D102
    @property
    def old_lines(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def new_lines(self) -> tuple[str, ...]: ...  # noqa: D102


class OutsideEdit(NamedTuple):
    """An edit of the file by others: its base lines, and by how many lines the file grew there."""

    start: int
    stop: int
    growth: int


Edits = Sequence[OutsideEdit]


def further(edits: Edits, line: int) -> int:
    """The line of the present file at which a base line stands; both 0-based."""
    return line + sum(edit.growth for edit in edits if edit.stop <= line)


def place_now(files: Files, edits: Edits, hunk: ChangedLines, start: int) -> FileLine:
    """Where a hunk begins in its file as it is now; the line is 0-based.

    Args:
        start: The base line at which the hunk begins.
    """
    place = files.spot(hunk, start)
    if whole_file(hunk.old, hunk.new):
        return place
    head = start - place.line - 1  # edits above it are of earlier files
    return place._replace(line=further(edits, start) - further(edits, head) - 1)


def as_edited(lines: Sequence[str], edits: Iterable[HunkLike]) -> Sequence[str]:
    """The lines of a review as they are on disk, where an edit replaced lines by as many."""
    edited = lines
    for edit in edits:
        if len(edit.new_lines) == len(edit.old_lines):
            # As many lines as before: all others keep their numbers, which the hunks go by.
            behind = edited[edit.start + len(edit.new_lines) :]
            edited = [*edited[: edit.start], *edit.new_lines, *behind]
    return edited


def live_line(before: Sequence[HunkLike], after: Sequence[HunkLike]) -> tuple[int, int] | None:
    """Which (hunk, new line) was written last; None when nothing tells."""
    known = {(hunk.start, hunk.new_lines) for hunk in before}
    starts = {hunk.start: hunk.new_lines for hunk in before}
    for number in reversed(range(len(after))):
        hunk = after[number]
        if (hunk.start, hunk.new_lines) in known or not hunk.new_lines:
            continue
        return number, _last_difference(starts.get(hunk.start, ()), hunk.new_lines)
    return None


def _last_difference(old: Sequence[str], new: Sequence[str]) -> int:
    """The last line of `new` that is not simply a line of `old` further down."""
    # Lines that end both texts alike stay where they are, so they were not written last.
    same = 0
    while same < min(len(old), len(new)) and old[-1 - same] == new[-1 - same]:
        same += 1
    return max(0, len(new) - 1 - same)


class Decided(NamedTuple):
    """A decided hunk; `start` is the base line (0-based) at which it stands now.

    `gone` is whether it was accepted, and somebody took it out of the file since.
    """

    start: int
    hunk: HunkLike
    accepted: bool
    gone: bool = False


class _DecidedBatch(NamedTuple):
    hunks: Sequence[HunkLike]
    accepted: bool
    entry_id: str | None


class Decisions:
    """The decisions of a turn, in the order in which they were taken.

    Decisions of undone journal entries do not count.
    """

    def __init__(self) -> None:
        self._batches: list[_DecidedBatch] = []
        self._reopened: list[tuple[int, _DecidedBatch]] = []
        """Decisions without an entry that were taken back, and where they stood."""
        self._undone: set[str] = set()
        self._placed: list[Decided] | None = None

    def __len__(self) -> int:
        return len(self._batches)

    def add(
        self, hunks: Sequence[HunkLike], *, accepted: bool, entry_id: str | None = None
    ) -> None:
        """Add hunks, from top to bottom, that were accepted or rejected.

        Accepted hunks are one entry of the journal.
        """
        self._batches.append(_DecidedBatch(hunks, accepted, entry_id))
        self._reopened.clear()
        self._placed = None

    def reopened(self, *, again: bool = False) -> None:
        """Open the hunks again that were decided last without an entry of the journal.

        Args:
            again: Decide again what was reopened last, instead.
        """
        if again:
            self._batches.insert(*self._reopened.pop())
        else:
            # Only decisions that wrote nothing: the journal takes the others back.
            unwritten = [at for at, batch in enumerate(self._batches) if batch.entry_id is None]
            last = unwritten[-1]
            self._reopened.append((last, self._batches.pop(last)))
        self._placed = None

    def undone(self, entry_id: str) -> None:
        """Note that an entry of the journal was taken back."""
        self._undone.add(entry_id)
        self._placed = None

    def redone(self, entry_id: str) -> None:
        """Note that an entry of the journal was done again."""
        self._undone.discard(entry_id)
        self._placed = None

    def look(self, is_gone: Callable[[Decided], bool]) -> None:
        """See which of the accepted hunks are no longer in the file."""
        self._placed = [
            decided._replace(gone=decided.accepted and is_gone(decided))
            for decided in self.placed()
        ]

    def placed(self) -> Sequence[Decided]:
        """What was decided and holds, from top to bottom."""
        if self._placed is None:
            placed: list[Decided] = []
            for batch in self._batches:
                if batch.entry_id not in self._undone:
                    placed = _with(placed, batch)
            self._placed = sorted(placed, key=_START)
        return self._placed


def _with(placed: list[Decided], batch: _DecidedBatch) -> list[Decided]:
    """The decisions before a batch, as they stand after it, and those of the batch."""
    starts = [hunk.start for hunk in batch.hunks]
    growths = [0] * len(batch.hunks)
    if batch.accepted:
        growths = [len(hunk.new_lines) - len(hunk.old_lines) for hunk in batch.hunks]
    # By how much the hunks before each one, and at the end all, make the file longer.
    grown = list(accumulate(growths, initial=0))
    after = []
    for decided in placed:
        growth = grown[bisect_right(starts, decided.start)]
        after.append(decided._replace(start=decided.start + growth))
    for hunk, growth in zip(batch.hunks, grown, strict=False):
        after.append(Decided(hunk.start + growth, hunk, batch.accepted))
    return after


# The list of a turn's hunks.


class HunkState(StrEnum):
    """How a hunk stands; the words are those of the hunk list."""

    WRITING = "writing"
    UNCHECKED = "unchecked"
    CHECKING = "being checked"
    TOGETHER = "ok together"
    SPOILED = "not ok together"
    OK = "ok"
    UNSURE = "unsure"
    FAILED = "check"
    ODD = "look"
    CHANGED = "file changed"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    GONE = "gone from file"
    ACCEPTING = "accepting"
    REJECTING = "rejecting"


@dataclass(frozen=True, slots=True)
class HunkItem:
    """A hunk in the list.

    `index` is its place among the open hunks (None: decided), `line` the line where it stands
    (1-based), `path` its file, where there are several.
    """

    state: HunkState
    line: int
    added: int
    removed: int
    note: str = ""
    index: int | None = None
    path: str = ""


class Items(Sequence[HunkItem]):
    """Every hunk of a turn, from top to bottom, each looked at when it is asked for.

    Args:
        hunks: The open hunks, in order.
        item: Makes the item of an open hunk, by its number.
        decided: The decided hunks, in order.
        edits: The edits of the file beside the review.
        files: The files that the lines belong to.
    """

    def __init__(
        self,
        hunks: Sequence[HunkLike],
        item: Callable[[int], HunkItem],
        decided: Sequence[Decided],
        edits: Edits = (),
        files: Files | None = None,
    ) -> None:
        self._hunks = hunks
        self._item = item
        self._decided = decided
        self._edits = edits
        self._files = files or Files()
        # The place of each decided hunk in the list: after the open hunks above it, and after the
        # decided ones before it.
        self._places = [
            bisect_left(hunks, item.start, key=_START) + before
            for before, item in enumerate(decided)
        ]

    def __len__(self) -> int:
        return len(self._hunks) + len(self._decided)

    @overload
    def __getitem__(self, place: int) -> HunkItem: ...
    @overload
    def __getitem__(self, place: slice) -> list[HunkItem]: ...
    def __getitem__(self, place: int | slice) -> HunkItem | list[HunkItem]:
        if isinstance(place, slice):
            return [self[index] for index in range(len(self))[place]]
        place = range(len(self))[place]
        before = bisect_left(self._places, place)
        if before == len(self._places) or self._places[before] != place:
            return self._item(place - before)
        start, hunk, accepted, gone = self._decided[before]
        if gone:
            state = HunkState.GONE
        elif accepted:
            state = HunkState.ACCEPTED
        else:
            state = HunkState.REJECTED
        path, line = place_now(self._files, self._edits, hunk, start)
        added = len(lines_of(hunk.new))
        removed = len(lines_of(hunk.old))
        return HunkItem(state, line + 1, added, removed, path=path)

    def place_of(self, index: int) -> int:
        """Where an open hunk stands among all.

        Args:
            index: Its place among the open ones.
        """
        start = self._hunks[index].start
        return index + bisect_right(self._decided, start, key=_START)
