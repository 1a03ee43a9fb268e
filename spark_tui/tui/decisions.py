"""What the user decided about the hunks of a turn, and where that stands in the file now."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import NamedTuple

from spark_tui.tui.rows import HunkLike


class Decided(NamedTuple):
    """A hunk that was decided about; `start` is the base line (0-based) at which it stands now.

    `gone` is whether it was accepted, and somebody took it out of the file since.
    """

    start: int
    hunk: HunkLike
    accepted: bool
    gone: bool = False


class _Batch(NamedTuple):
    hunks: Sequence[HunkLike]
    accepted: bool
    entry_id: str | None


class Decisions:
    """The decisions of a turn, in the order in which they were taken; those of undone entries do not count."""

    def __init__(self) -> None:
        self._batches: list[_Batch] = []
        self._reopened: list[tuple[int, _Batch]] = []
        """Rejections that were taken back, and where they stood."""
        self._undone: set[str] = set()
        self._placed: list[Decided] | None = None

    def add(self, hunks: Sequence[HunkLike], *, accepted: bool, entry_id: str | None = None) -> None:
        """Hunks were accepted (as one entry of the journal) or rejected; they are given from top to bottom."""
        self._batches.append(_Batch(hunks, accepted, entry_id))
        self._reopened.clear()
        self._placed = None

    def reopened(self, *, again: bool = False) -> None:
        """What was rejected last is open again. Args: again: not that, but what was reopened last is rejected again."""
        if again:
            self._batches.insert(*self._reopened.pop())
        else:
            last = max(at for at, batch in enumerate(self._batches) if not batch.accepted)
            self._reopened.append((last, self._batches.pop(last)))
        self._placed = None

    def undone(self, entry_id: str) -> None:
        """An entry of the journal was taken back."""
        self._undone.add(entry_id)
        self._placed = None

    def redone(self, entry_id: str) -> None:
        """An entry of the journal was done again."""
        self._undone.discard(entry_id)
        self._placed = None

    def look(self, is_gone: Callable[[Decided], bool]) -> None:
        """See which of the accepted hunks are in the file no more."""
        self._placed = [each._replace(gone=each.accepted and is_gone(each)) for each in self.placed()]

    def placed(self) -> Sequence[Decided]:
        """What was decided and holds, from top to bottom."""
        if self._placed is None:
            placed: list[Decided] = []
            for batch in self._batches:
                if batch.entry_id not in self._undone:
                    placed = _with(placed, batch)
            self._placed = sorted(placed, key=lambda each: each.start)
        return self._placed


def _with(placed: list[Decided], batch: _Batch) -> list[Decided]:
    """What was decided before a batch, as it stands after that, and the batch."""
    starts = [hunk.start for hunk in batch.hunks]
    sizes = (len(hunk.new_lines) - len(hunk.old_lines) if batch.accepted else 0 for hunk in batch.hunks)
    grown = list(accumulate(sizes, initial=0))
    moved = [each._replace(start=each.start + grown[bisect_right(starts, each.start)]) for each in placed]
    new = (Decided(hunk.start + more, hunk, batch.accepted) for hunk, more in zip(batch.hunks, grown, strict=False))
    return [*moved, *new]
