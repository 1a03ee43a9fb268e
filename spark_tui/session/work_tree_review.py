"""Files under review whose changes are in the work tree already.

The base of such a review is an earlier version of the files, and its proposal is what the work tree
holds. Accepting a hunk keeps the hunk: the hunk goes into the base, and nothing is written.
Rejecting a hunk takes the hunk back: its lines are written to the work tree as they were. A hunk
that was edited, or that a model wrote anew, differs from the work tree until it is accepted.
"""

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from spark_tui.editing.hunks import apply_hunks, diff, places_of_new_lines
from spark_tui.editing.rebase import transplant
from spark_tui.editing.review import Review
from spark_tui.editing.text import Text
from spark_tui.errors import Conflict
from spark_tui.session.file_review import KEPT, ReviewedFile
from spark_tui.vcs.journal import JournalEntry


class _State(NamedTuple):
    """A review and the work tree beside it, at a moment."""

    review: Review
    on_disk: Text


class _Written(NamedTuple):
    """The states around a decision that wrote to the work tree."""

    before: _State
    after: _State


class WorkTreeFile(ReviewedFile):
    """Files under review that the work tree holds already.

    Attributes:
        on_disk: The files in the work tree, as far as the review knows.

    Args:
        base: The earlier version.
        telling: As for `ReviewedFile`.
    """

    def __init__(self, base: Text, telling: Callable[[], Callable[[], None]]) -> None:
        super().__init__(base, telling)
        self.on_disk = base
        self._batches: dict[str, _Written] = {}
        """What was written, by the id of the batch."""

    def read(self, on_disk: Text) -> None:
        """Take the files of the work tree, when the review begins."""
        self.on_disk = on_disk
        self.propose(on_disk)

    def share(self, other: "WorkTreeFile") -> None:
        """Take over what another review knows of the work tree and has written there."""
        self.on_disk = other.on_disk
        self._batches = dict(other._batches)

    def outcome(self, hunk_ids: Collection[str], *, accept: bool) -> Text:
        """The files in the work tree once hunks are decided.

        Raises:
            UsageError: As `Review.accept` and `Review.reject`.
        """
        with self.lock:
            review = self.review
            wanted = review.proposed
            if accept:
                review.chosen(hunk_ids)
            else:
                wanted = review.without(hunk_ids)
            # Nothing was edited in the review, so all that differs from the work tree is this
            # decision.
            if review.proposed == self.on_disk:
                return wanted
            decided = {part.hunk.id for part in review.parts_of(set(hunk_ids))}
            mine, others = self._places(decided, accept=accept)
        # Other hunks were edited and are not on disk yet. Their changes wait, unless they touch a
        # decided hunk: what touches cannot be told apart.
        changes = diff(self.on_disk, wanted)
        taken = []
        for change, place in zip(changes, places_of_new_lines(changes), strict=True):
            is_mine = any(_touch(place, other) for other in mine)
            if is_mine or not any(_touch(place, other) for other in others):
                taken.append(change)
        return apply_hunks(self.on_disk, taken)

    def _places(
        self, decided: Collection[str], *, accept: bool
    ) -> tuple[Sequence[range], Sequence[range]]:
        """Where hunks stand in the proposal once some are decided: those, and the others."""
        mine: list[range] = []
        others: list[range] = []
        growth = 0
        for part in self.review.parts:
            start = part.at + growth
            stop = part.end + growth
            if part.hunk.id not in decided:
                others.append(range(start, stop))
                continue
            if not accept:
                # A rejected hunk gives its place to the old lines, which moves all hunks after it.
                stop = start + len(part.hunk.old)
                growth -= part.hunk.growth
            mine.append(range(start, stop))
        return mine, others

    def keep(self, hunk_ids: Collection[str]) -> None:
        """Accept hunks that are in the work tree as they are shown; `step_back` opens them again.

        Raises:
            UsageError: As `Review.accept`.
        """
        with self._step(KEPT):
            self.review.accept(hunk_ids)
            self.touched = True
            self.overtaken = False

    def write(
        self, hunk_ids: Collection[str], on_disk: Text, batch_id: str, *, accept: bool
    ) -> None:
        """Take note of a decision that was written; the caller holds the lock.

        Args:
            on_disk: The files now: the `outcome`.
            batch_id: The id of the journal's entry.
        """
        before = _State(self.review.copy(), self.on_disk)
        if accept:
            self.review.accept(hunk_ids)
            self.review.reread(self.review.proposed)
        else:
            # What the work tree no longer holds need not be kept out of it.
            self.review.reread(self.review.without(hunk_ids))
        self.on_disk = on_disk
        self.touched = True
        self.overtaken = False
        self._back.clear()
        self._batches[batch_id] = _Written(before, _State(self.review.copy(), on_disk))

    def note_external_edits(self, on_disk: Text) -> bool:
        """Take the files of the work tree as they are now; open hunks that fit them stay.

        Returns:
            Whether the files have changed.
        """
        with self.lock:
            if on_disk == self.on_disk:
                return False
            self.review.reread(self._brought_along(on_disk))
            self.on_disk = on_disk
            self.overtaken = True
            return True

    def _brought_along(self, on_disk: Text) -> Text:
        """The files with what was edited in the review and not written yet, where that fits."""
        try:
            return transplant(self.on_disk, self.review.proposed, on_disk)
        except Conflict:
            return on_disk

    def follow_batch(self, entry: JournalEntry, on_disk: Text) -> None:
        """Open again what was decided, or decide it again, after an undo or a redo.

        Args:
            on_disk: The files now.
        """
        with self.lock:
            written = self._batches.get(entry.subject)
            if written is not None:
                state = written.before if entry.undoes else written.after
                self.review = state.review.copy()
                self.on_disk = state.on_disk
            self.note_external_edits(on_disk)
            if written is not None:
                self.overtaken = False


def _touch(place: range, other: range) -> bool:
    """Whether two places share lines, or lie side by side."""
    return place.start <= other.stop and other.start <= place.stop
