"""A file under review: its proposal, and what of it was accepted, rejected or taken back.

The review's base is the file with what was accepted. Each base so far is kept (`_Base`), so that an
undo of the journal can be followed (`ReviewedFile.follow`). Whatever the user does without writing
to disk is a step (`_Step`), which `step_back` takes back.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import RLock
from typing import NamedTuple

from spark_tui.editing.conflicts import Torn, torn
from spark_tui.editing.hunks import Hunk, HunkPart, apply_hunks, diff
from spark_tui.editing.rebase import without_reverted
from spark_tui.editing.renewed_hunk import renewed
from spark_tui.editing.review import Marks, Review
from spark_tui.editing.text import Text
from spark_tui.errors import UsageError
from spark_tui.session.events import HunkUpdated

REJECTED = "what was rejected last is open again"
KEPT = "what was kept last is open again"
EARLIER = "the earlier proposal is back"


class _Base(NamedTuple):
    """A base of the review.

    Args:
        edits: The edits in the file beside the review when the base was left for the next.
        marks: The marks when the base came, or was left.
    """

    text: Text
    edits: tuple[Hunk, ...]
    marks: Marks


@dataclass(frozen=True, slots=True)
class _Step:
    """A step of the user that wrote nothing to the disk.

    Args:
        words: What to say when the step is taken back.
    """

    words: str
    before: Review
    proposal: Text
    after: Review
    retell: Callable[[], None]
    """Restores what is reported of the proposal."""


class ReviewedFile:
    """A file and its proposal.

    Mutable: one thread may propose while another reviews, `review` under `lock` only.

    Args:
        base: The file as it is now.
        telling: Saves what is reported of the proposal, and gives a function that restores it.
    """

    def __init__(self, base: Text, telling: Callable[[], Callable[[], None]]) -> None:
        self.base = base
        self._telling = telling
        self.review = Review(base)
        self.lock = RLock()
        self.proposal = base
        """The file as last proposed, whatever was decided of it."""
        self._bases = [_Base(base, (), self.review.marks)]
        """Each base of the review so far."""
        self._inherited = 1
        """How many of the bases came from the turn before."""
        self.touched = False
        """Whether anything was accepted, rejected or edited."""
        self.worked_on = False
        """Whether hunks were ever cut or edited, or lines taken out."""
        self._shown: tuple[Hunk, ...] = ()
        self.edits: tuple[Hunk, ...] = ()
        """The edits beside the review: the lines on disk are the review's base with these."""
        self.overtaken = False
        """Whether the edits are new since hunks last went into the file, or clash with open hunks.
        """
        self._steps: list[_Step | None] = []
        self._back: list[_Step | None] = []
        """The steps that were taken back, reversed: each leads to what had been done.

        None stands for a batch that the journal took back meanwhile.
        """
        self._cut = False
        """Whether a decision here rules out redoing what the journal took back before."""

    @property
    def hunks(self) -> tuple[Hunk, ...]:
        """The hunks open to review now."""
        with self.lock:
            return self.review.hunks

    @property
    def parts(self) -> tuple[HunkPart, ...]:
        """The hunks that a decision may be about: those that are cut, in their parts."""
        with self.lock:
            return self.review.parts

    @property
    def worked_at(self) -> bool:
        """Whether the user did anything to the review, apart from what it took over."""
        return bool(self._steps) or len(self._bases) > self._inherited

    @property
    def as_written(self) -> bool:
        """Whether the review stands as proposed: untouched, or with everything taken back."""
        with self.lock:
            if not self.worked_at:
                return True
            review = self.review
            accepted = review.base != self._bases[self._inherited - 1].text
            cut = len(review.parts) > len(review.hunks) or any(part.out for part in review.parts)
            return not (accepted or review.worked_over or cut)

    @property
    def beginning(self) -> Text:
        """The file before anything was accepted, here or in a turn that this goes on from."""
        return self._bases[0].text

    @property
    def extent(self) -> int:
        """How many lines the whole edit takes out and puts in.

        Accepted, open and rejected hunks count, but not those that were taken over.
        """
        with self.lock:
            base = self._bases[self._inherited - 1].text
            mine = self.review.proposed
            all_of_it = self.proposal
        # Both diffs start from the same text, so their hunks can be compared. What overlaps a hunk
        # that is counted already was edited, not rejected.
        kept = diff(mine, base)
        rejected = [
            hunk
            for hunk in diff(mine, all_of_it)
            if not any(_overlap(hunk, other) for other in kept)
        ]
        return size_of((*kept, *rejected))

    def is_whole(self, text: Text) -> bool:
        """Whether a text is the whole proposal, nothing of it rejected or still open."""
        return text == self.proposal

    def propose(self, text: Text) -> list[HunkUpdated]:
        """Take a newer proposal; returns the event that reports it, if anything changed."""
        with self.lock:
            if text != self.proposal:
                self.proposal = text
                self.review.propose(text)
            return self._news()

    def report(self) -> list[HunkUpdated]:
        """The event that reports the open hunks, even if they were reported already."""
        with self.lock:
            self._shown = self.review.hunks
            return [HunkUpdated(self._shown)]

    def _news(self) -> list[HunkUpdated]:
        """The event that reports the open hunks, if they differ from those reported last."""
        hunks = self.review.hunks
        if hunks == self._shown:
            return []
        self._shown = hunks
        return [HunkUpdated(hunks)]

    def replace(self, text: Text) -> list[HunkUpdated]:
        """Put another proposal in place of this one.

        Returns:
            As `propose`.

        Raises:
            As `refuse_mixture`.
        """
        self.refuse_mixture()
        with self._step(EARLIER):
            return self.propose(text)

    def refuse_mixture(self) -> None:
        """Refuse another answer while parts of this one are accepted.

        Raises:
            UsageError: Some of this answer is accepted.
        """
        with self.lock:
            if self.review.base != self.base:
                raise UsageError("some of this answer is accepted; undo that to see another one")

    def renew(self, hunk_id: str, text: Text) -> list[HunkUpdated]:
        """Take what another proposal has in place of one hunk; all else stays.

        Returns:
            As `propose`; nothing where the hunk stays the same.

        Raises:
            UsageError: No such hunk is open.
        """
        with self.lock:
            other = renewed(self.review, hunk_id, self.base, text)
            if other.proposed == self.review.proposed:
                return []
            with self._step(EARLIER):
                self.review = other
                self.proposal = text
            # Reported even where these hunks equal those reported last, before a step back.
            self._shown = other.hunks
            return [HunkUpdated(self._shown)]

    def accept(
        self, hunk_ids: Collection[str], before: Text | None = None, on_disk: Text | None = None
    ) -> None:
        """Take hunks that are on disk now into the review's base; the caller holds the lock.

        Args:
            before, on_disk: The file before and after, where it is not the review's base.
        """
        edits: tuple[Hunk, ...] = ()
        if before is not None:
            edits = diff(self.review.base, before)
        # Two entries: the base as it is left, with the edits beside it, and the new base. `follow`
        # finds either, whichever way the journal goes.
        self._bases.append(_Base(self.review.base, edits, self.review.marks))
        self.review.accept(hunk_ids)
        self._bases.append(_Base(self.review.base, (), self.review.marks))
        self.touched = True
        # A new decision ends what could be redone.
        self._back.clear()
        if on_disk is None:
            self._fit(())
        else:
            self._fit(diff(self.review.base, on_disk))

    def _fit(self, edits: tuple[Hunk, ...]) -> None:
        """Take note of the edits beside the review, after something went into the file.

        Only hunks whose lines were edited are overtaken; the others fit the file.
        """
        self.edits = edits
        self.overtaken = any(
            edit.start <= hunk.stop and hunk.start <= edit.stop
            for edit in edits
            for hunk in self.review.hunks
        )

    def note_external_edits(self, on_disk: Text) -> bool:
        """Take note of edits made in the file beside the review.

        Args:
            on_disk: The file.

        Returns:
            Whether the edits are new.
        """
        with self.lock:
            before = self.edits
            self.edits = diff(self.review.base, on_disk)
            news = self.edits != before
            self.overtaken = bool(self.edits) and (news or self.overtaken)
            return news

    def is_reverted(self, start: int, old: tuple[str, ...], new: tuple[str, ...]) -> bool:
        """Whether the file has `old` again where `new` was accepted.

        Args:
            start: The line of the base where `new` stands, from 0.
        """
        base = self.review.base
        stop = start + len(new)
        if base.raw[start:stop] != new or not any(
            edit.start <= stop and start <= edit.stop for edit in self.edits
        ):
            return False
        # The base without the accepted lines; where the edits on disk lead back to exactly that,
        # the accepted change is gone.
        before = Text((*base.raw[:start], *old, *base.raw[stop:]))
        return without_reverted(before, base, apply_hunks(base, self.edits)) == before

    def reject(self, hunk_ids: Collection[str]) -> None:
        """Reject hunks.

        Raises:
            UsageError: No such hunk is open.
        """
        with self._step(REJECTED):
            self.review.reject(hunk_ids)
            self.touched = True

    @contextmanager
    def _step(self, words: str) -> Iterator[None]:
        """Make what the `with` block does to the review a step that can be taken back.

        Args:
            words: What to say when the step is taken back.
        """
        with self.lock:
            before = self.review.copy()
            proposal = self.proposal
            retell = self._telling()
            yield
            # A block that changed nothing, such as rejecting no hunk, is no step to take back.
            if not self.review.stands_as(before):
                self._steps.append(_Step(words, before, proposal, self.review.copy(), retell))
                self._back.clear()
                self._cut = True

    def step_back(self, *, again: bool = False) -> str:
        """Take back the last step of the review, or do it again.

        Returns:
            What to say; "" where there is no step, or something else was done since.
        """
        with self.lock:
            steps = self._back if again else self._steps
            step = steps[-1] if steps else None
            now = self.review.copy()
            # An accept or a newer proposal since then would be lost with the saved review.
            if step is None or not self.review.stands_as(step.after):
                return ""
            steps.pop()
            others = self._steps if again else self._back
            others.append(
                _Step(step.words, now, self.proposal, step.before.copy(), self._telling())
            )
            self.review = step.before
            self.proposal = step.proposal
            step.retell()
            return step.words

    @property
    def journal_leads_on(self) -> bool:
        """Whether a redo continues with the journal.

        It does when the journal took back something last, and nothing else was decided since.
        """
        return self._back[-1] is None if self._back else not self._cut

    def journal_moved(self, *, back: bool) -> None:
        """Take note that the journal took a batch back, in whatever file, or did it again."""
        with self.lock:
            if back:
                self._back.append(None)
            elif self._back and self._back[-1] is None:
                self._back.pop()

    def go_on_from(self, other: "ReviewedFile") -> None:
        """Share the review of another proposal for the same file, decisions included."""
        # Both files hold one and the same `Review` from here on, so one lock must guard it.
        self.lock = other.lock
        self.review = other.review
        self.touched = other.touched
        self.worked_on = other.worked_on
        self._inherit(other, other._bases)

    def _inherit(self, other: "ReviewedFile", bases: list[_Base]) -> None:
        self._bases = bases
        self._inherited = len(bases)
        self.edits = other.edits
        self.overtaken = other.overtaken

    def stand_alone(self) -> None:
        """Keep the review as it is, whatever a review that goes on from it does."""
        with self.lock:
            self.review = self.review.copy()
            self._bases = list(self._bases)

    def edit(self, hunk_id: str, lines: Sequence[str]) -> list[Hunk]:
        """Propose other new lines in a hunk; returns and raises as `Review.edit`."""
        with self._step("the text is as it was before you edited it"):
            parts = self.review.edit(hunk_id, lines)
            self.touched = self.worked_on = True
            return [part.hunk for part in parts]

    def split(self, hunk_id: str) -> int:
        """Cut a hunk finer, or make it whole again.

        Returns:
            The number of its parts.

        Raises:
            UsageError: No such hunk is open.
        """
        with self._step("the hunks are cut as they were"):
            self.worked_on = True
            return self.review.split(hunk_id)

    def toggle(self, hunk_id: str, row: int) -> None:
        """Take a row of a hunk out of the decision, or put it back.

        Raises:
            UsageError: No such hunk is open.
        """
        with self._step("the line is as it was"):
            self.worked_on = True
            self.review.toggle(hunk_id, row)

    def with_conflict_peers(self, hunk_ids: Collection[str]) -> Collection[str]:
        """The hunks that are decided together with these.

        All hunks of a merge conflict go or stay together.
        """
        with self.lock:
            open_hunks = [part.hunk for part in self.parts]
            conflicts = torn(self.review.base.lines)
        bound = list(hunk_ids)
        for conflict in conflicts:
            inside = [hunk.id for hunk in open_hunks if _is_in(hunk, conflict)]
            if not set(hunk_ids).isdisjoint(inside):
                bound += inside
        return list(dict.fromkeys(bound))

    def decided(self, hunk_ids: Collection[str], *, accept: bool) -> tuple[Hunk, ...]:
        """The lines that a decision about hunks takes; lines that are out stay.

        Raises:
            UsageError: As `Review.would_accept`.
        """
        with self.lock:
            would = self.review.would_accept if accept else self.review.would_reject
            return diff(self.review.base, would(hunk_ids))

    def follow(self, on_disk: Text) -> None:
        """Follow the file back to an earlier state of this turn: what was taken back is open again.

        Edits beside the review do not matter as long as they are the same. Any other content leaves
        the review as it is; the next accept is then merged, or ends in a conflict.
        """
        with self.lock:
            # Which base is on disk? The one that differs from the file by the edits known now, else
            # by the edits that stood beside that base when it was left.
            now = [(each.text, diff(each.text, on_disk), each.edits) for each in self._bases]
            same = [(base, edits) for base, edits, _ in now if _alike(edits, self.edits)]
            same += [(base, edits) for base, edits, then in now if _alike(edits, then)]
            if not same:
                return
            base, edits = same[0]
            if base != self.review.base:
                self._bases.append(_Base(self.review.base, self.edits, self.review.marks))
            self.review.rebase(
                base, next(each.marks for each in reversed(self._bases) if each.text == base)
            )
            # Hunks of the review that lead from this base back to the beginning of the turn.
            done = set(diff(base, self.base))
            # A hunk was accepted, the accept undone, the hunk rejected, and now a redo accepts the
            # hunk again. The proposal still lacks it, which would show as a hunk that takes it out.
            if given_up := [hunk.id for hunk in self.review.hunks if hunk in done]:
                self.review.reject(given_up)
            self._fit(edits)


def size_of(hunks: Iterable[Hunk]) -> int:
    """How many lines hunks take out and put in."""
    return sum(len(hunk.old) + len(hunk.new) for hunk in hunks)


def _is_in(hunk: Hunk, conflict: Torn) -> bool:
    return conflict.touches(hunk.start, hunk.stop - 1)


def _overlap(hunk: Hunk, other: Hunk) -> bool:
    """Whether two hunks of one text share lines, or the same gap between lines."""
    same_place = (hunk.start, hunk.stop) == (other.start, other.stop)
    return same_place or (hunk.start < other.stop and other.start < hunk.stop)


def _alike(edits: Sequence[Hunk], others: Sequence[Hunk]) -> bool:
    """Whether two texts were edited in the same way, wherever the edits stand."""
    return [(hunk.old, hunk.new) for hunk in edits] == [(hunk.old, hunk.new) for hunk in others]
