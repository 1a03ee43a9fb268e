"""A file under review: what is proposed for it, and what of that was accepted, rejected or taken back."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from threading import RLock

from spark_tui.editing.hunks import Hunk, diff
from spark_tui.editing.review import Review
from spark_tui.editing.text import Text
from spark_tui.session.events import HunkUpdated


class Reviewed:
    """A file and its proposal. Mutable: one thread may propose while another reviews, `review` under `lock` only.

    Args: base: the file as it is now.
    """

    def __init__(self, base: Text) -> None:
        self.base = base
        self.review = Review(base)
        self.lock = RLock()
        self._proposal = base
        self._bases = [base]
        self._rejected: set[Hunk] = set()
        self._shown: tuple[Hunk, ...] = ()

    @property
    def hunks(self) -> tuple[Hunk, ...]:
        """The hunks open to review now."""
        with self.lock:
            return self.review.hunks

    @property
    def touched(self) -> bool:
        """Whether anything was accepted or rejected."""
        return len(self._bases) > 1 or bool(self._rejected)

    def is_whole(self, text: Text) -> bool:
        """Whether a text is the whole proposal, nothing of it rejected or still open."""
        return text == self._proposal

    def propose(self, text: Text) -> list[HunkUpdated]:
        """Take a newer proposal; returns the event that tells of it, if there is anything to tell."""
        with self.lock:
            if text != self._proposal:
                self._proposal = text
                self.review.propose(text)
            hunks = self.review.hunks
        if hunks == self._shown:
            return []
        self._shown = hunks
        return [HunkUpdated(hunks)]

    def accept(self, hunks: Sequence[Hunk]) -> None:
        """Take hunks that are on disk now into the review's base; the caller holds the lock."""
        self.review.accept([hunk.id for hunk in hunks])
        self._bases.append(self.review.base)

    def reject(self, hunk_ids: Collection[str]) -> None:
        """Give up hunks. Raises: UsageError: no such hunk is open."""
        with self.lock:
            chosen = [self._as_proposed(hunk) for hunk in self.review.hunks if hunk.id in hunk_ids]
            self.review.reject(hunk_ids)
            self._rejected.update(chosen)

    def follow(self, on_disk: Text) -> None:
        """The file was brought back to what it was earlier in this turn: what was taken back is open again.

        Any other content leaves the review as it is, and the next accept ends in a conflict.
        """
        with self.lock:
            if on_disk not in self._bases:
                return
            self.review.base = on_disk
            self.review.propose(self._proposal)
            if not set(self.review.hunks) <= set(diff(on_disk, self._proposal)):
                self._forget_rejections(on_disk)

    def _forget_rejections(self, base: Text) -> None:
        """What was rejected after its accept was undone is accepted again by a redo: it is no longer rejected."""
        self.review = Review(self.base)
        self.review.base = base
        self.review.propose(self._proposal)
        self._rejected -= set(diff(self.base, base))
        self.review.reject([hunk.id for hunk in self.review.hunks if self._as_proposed(hunk) in self._rejected])

    def _as_proposed(self, hunk: Hunk) -> Hunk:
        """An open hunk where it would be had nothing been accepted."""
        shift = 0
        for done in diff(self.base, self.review.base):
            if done.start + shift >= hunk.start:
                break
            shift += done.growth
        return replace(hunk, start=hunk.start - shift)
