"""A file under review: what is proposed for it, and what of that was accepted, rejected or
taken back.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import RLock
from typing import NamedTuple

from spark_tui.editing.conflicts import Torn, torn
from spark_tui.editing.hunks import Hunk, HunkPart, apply_hunks, diff
from spark_tui.editing.rebase import without_reverted
from spark_tui.editing.review import Marks, Review, renewed
from spark_tui.editing.text import Text
from spark_tui.errors import UsageError
from spark_tui.session.events import HunkUpdated

REJECTED = "what was rejected last is open again"
EARLIER = "the earlier proposal is back"


class _Base(NamedTuple):
    """A base of the review.

    Args:
        edits: What was edited in the file besides when it was left for the next.
        marks: When it came, or was left.
    """

    text: Text
    edits: tuple[Hunk, ...]
    marks: Marks


@dataclass(frozen=True, slots=True)
class _Step:
    """Something the user did that wrote nothing.

    Args:
        words: What to say when it is taken back.
    """

    words: str
    before: Review
    proposal: Text
    after: Review
    retell: Callable[[], None]
    """Has what is told of the proposal be what it was."""


class ReviewedFile:
    """A file and its proposal.

    Mutable: one thread may propose while another reviews, `review` under `lock` only.

    Args:
        base: The file as it is now.
        telling: Gives what has all that is told of the proposal besides be as it is now.
    """

    def __init__(self, base: Text, telling: Callable[[], Callable[[], None]]) -> None:
        self.base = base
        self._telling = telling
        self.review = Review(base)
        self.lock = RLock()
        self.proposal = base
        """The file as it was proposed last, whatever was decided of that."""
        self._bases = [_Base(base, (), self.review.marks)]
        """Each base of the review so far."""
        self._inherited = 1
        """How many of them it began with."""
        self.touched = False
        """Whether anything was accepted, rejected or edited."""
        self.worked_on = False
        """Whether hunks were ever cut or edited, or lines of them taken out."""
        self._shown: tuple[Hunk, ...] = ()
        self.edits: tuple[Hunk, ...] = ()
        """What was edited in the file besides: the lines on disk are those of the review's base
        with these.
        """
        self.overtaken = False
        """Whether that is news since hunks last went into the file, or in the way of open ones."""
        self._steps: list[_Step | None] = []
        self._back: list[_Step | None] = []
        """Those that were taken back, the other way round: each leads from there to what had been
        done.

        None stands for what the journal took back meanwhile.
        """
        self._cut = False
        """Whether something was decided here that what the journal took back before cannot
        follow on.
        """

    @property
    def hunks(self) -> tuple[Hunk, ...]:
        """The hunks open to review now."""
        with self.lock:
            return self.review.hunks

    @property
    def parts(self) -> tuple[HunkPart, ...]:
        """The same, those that are cut in their parts: what a decision may be about."""
        with self.lock:
            return self.review.parts

    @property
    def worked_at(self) -> bool:
        """Whether the user did anything to it, apart from what it took over."""
        return bool(self._steps) or len(self._bases) > self._inherited

    @property
    def as_written(self) -> bool:
        """Whether it stands as it was proposed: the user did nothing to it, or took all of that
        back.
        """
        with self.lock:
            review = self.review
            decided = review.base != self._bases[self._inherited - 1].text or bool(
                review.worked_over
            )
            cut = len(review.parts) > len(review.hunks) or any(part.out for part in review.parts)
            return not self.worked_at or not (decided or cut)

    @property
    def beginning(self) -> Text:
        """The file as it was before anything was accepted here, or of what this goes on from."""
        return self._bases[0].text

    @property
    def extent(self) -> int:
        """How many lines all of it takes out and puts in: accepted, open or rejected, but for
        what it took over.
        """
        with self.lock:
            base = self._bases[self._inherited - 1].text
            mine = self.review.proposed
            all_of_it = self.proposal
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
        """Take a newer proposal; returns the event that tells of it, if there is anything to
        tell.
        """
        with self.lock:
            if text != self.proposal:
                self._adopt(text)
            hunks = self.review.hunks
            if hunks == self._shown:
                return []
            self._shown = hunks
            return [HunkUpdated(hunks)]

    def _adopt(self, text: Text) -> None:
        self.proposal = text
        self.review.propose(text)

    def replace(self, text: Text) -> list[HunkUpdated]:
        """Take another proposal in the place of this one.

        Returns:
            As `propose`.

        Raises:
            As `refuse_mixture`.
        """
        self.refuse_mixture()
        with self._step(EARLIER):
            return self.propose(text)

    def refuse_mixture(self) -> None:
        """See that no other answer would come beside parts of this one.

        Raises:
            UsageError: Some of it is accepted.
        """
        with self.lock:
            if self.review.base != self.base:
                raise UsageError("some of this answer is accepted; undo that to see another one")

    def renew(self, hunk_id: str, text: Text) -> list[HunkUpdated]:
        """Take from another proposal what it has in the place of a hunk; all else stays.

        Returns:
            As `propose`; nothing where that changes nothing.

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
            self._shown = other.hunks  # news, also where the same was told before a step back
            return [HunkUpdated(self._shown)]

    def accept(
        self, hunk_ids: Collection[str], before: Text | None = None, on_disk: Text | None = None
    ) -> None:
        """Take hunks that are on disk now into the review's base; the caller holds the lock.

        Args:
            before, on_disk: The file before and now, where that is not the review's base.
        """
        edits = () if before is None else diff(self.review.base, before)
        self._bases.append(_Base(self.review.base, edits, self.review.marks))
        self.review.accept(hunk_ids)
        self._bases.append(_Base(self.review.base, (), self.review.marks))
        self.touched = True
        self._back.clear()
        self._fit(() if on_disk is None else diff(self.review.base, on_disk))

    def _fit(self, edits: tuple[Hunk, ...]) -> None:
        """Something went into the file as it is: what is open fits it, too, but for hunks that
        were edited over.
        """
        self.edits = edits
        self.overtaken = any(
            edit.start <= hunk.stop and hunk.start <= edit.stop
            for edit in edits
            for hunk in self.review.hunks
        )

    def see(self, on_disk: Text) -> bool:
        """Take note of what was edited in the file besides.

        Returns:
            Whether that is news.

        Args:
            on_disk: The file.
        """
        with self.lock:
            before = self.edits
            self.edits = diff(self.review.base, on_disk)
            news = self.edits != before
            self.overtaken = bool(self.edits) and (news or self.overtaken)
            return news

    def lacks(self, start: int, old: tuple[str, ...], new: tuple[str, ...]) -> bool:
        """Whether the file has `old` again where `new` was accepted.

        Args:
            start: Where that stands in the base.
        """
        base = self.review.base
        stop = start + len(new)
        if base.raw[start:stop] != new or not any(
            edit.start <= stop and start <= edit.stop for edit in self.edits
        ):
            return False
        before = Text((*base.raw[:start], *old, *base.raw[stop:]))
        return without_reverted(before, base, apply_hunks(base, self.edits)) == before

    def reject(self, hunk_ids: Collection[str]) -> None:
        """Give up hunks.

        Raises:
            UsageError: No such hunk is open.
        """
        with self._step(REJECTED):
            self.review.reject(hunk_ids)
            self.touched = True

    @contextmanager
    def _step(self, words: str) -> Iterator[None]:
        """What is done to the review meanwhile can be taken back.

        Args:
            words: What to say then.
        """
        with self.lock:
            before = self.review.copy()
            proposal = self.proposal
            retell = self._telling()
            yield
            if not self.review.stands_as(before):
                self._steps.append(_Step(words, before, proposal, self.review.copy(), retell))
                self._back.clear()
                self._cut = True

    def step_back(self, *, again: bool = False) -> str:
        """Take back what was done last to the proposal and wrote nothing, or do that again.

        Returns:
            What is said of taking it back; "" where that is impossible: there is nothing, or more
            was done since.
        """
        with self.lock:
            steps = self._back if again else self._steps
            step = steps[-1] if steps else None
            now = self.review.copy()
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
        """Whether what the journal took back last is to be done again, and not something else
        was done since.
        """
        return self._back[-1] is None if self._back else not self._cut

    def turned(self, *, back: bool) -> None:
        """The journal took a batch back, in whatever file, or did it again."""
        with self.lock:
            if back:
                self._back.append(None)
            elif self._back and self._back[-1] is None:
                self._back.pop()

    def go_on_from(self, other: "ReviewedFile") -> None:
        """Take over the review of another proposal for the same file: what was decided there
        holds here.
        """
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
        """Stay as it is, whatever becomes of another that goes on from it."""
        with self.lock:
            self.review, self._bases = self.review.copy(), list(self._bases)

    def edit(self, hunk_id: str, lines: Sequence[str]) -> list[Hunk]:
        """Propose other new lines in a hunk. Returns, raises: as `Review.edit`."""
        with self._step("the text is as it was before you edited it"):
            parts = self.review.edit(hunk_id, lines)
            self.touched = self.worked_on = True
            return [part.hunk for part in parts]

    def split(self, hunk_id: str) -> int:
        """Cut a hunk finer, or make it whole again.

        Returns:
            Its parts.

        Raises:
            UsageError: No such hunk is open.
        """
        with self._step("the hunks are cut as they were"):
            self.worked_on = True
            return self.review.split(hunk_id)

    def toggle(self, hunk_id: str, row: int) -> None:
        """Take a row of a hunk out of what is decided, or in again.

        Raises:
            UsageError: No such hunk is open.
        """
        with self._step("the line is as it was"):
            self.worked_on = True
            self.review.toggle(hunk_id, row)

    def bound(self, hunk_ids: Collection[str]) -> Collection[str]:
        """The open hunks that are decided when these are: those of a conflict go or stay
        together.
        """
        with self.lock:
            open_hunks = [part.hunk for part in self.parts]
            conflicts = torn(self.review.base.lines)
        meant = [
            each
            for each in conflicts
            if any(hunk.id in hunk_ids and _is_in(hunk, each) for hunk in open_hunks)
        ]
        more = [hunk.id for hunk in open_hunks if any(_is_in(hunk, each) for each in meant)]
        return list(dict.fromkeys([*hunk_ids, *more]))

    def decided(self, hunk_ids: Collection[str], *, accept: bool) -> tuple[Hunk, ...]:
        """What a decision about hunks takes of them: lines that are out are left.

        Raises:
            UsageError: See `Review`.
        """
        with self.lock:
            would = self.review.would_accept if accept else self.review.would_reject
            return diff(self.review.base, would(hunk_ids))

    def follow(self, on_disk: Text) -> None:
        """The file was brought back to what it was earlier in this turn: what was taken back is
        open again.

        What was edited besides does not matter, as long as it is the same. Any other content leaves
        the review as it is, and the next accept is merged, or ends in a conflict.
        """
        with self.lock:
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
            done = set(diff(base, self.base))
            # What was rejected after its accept was undone is accepted again by a redo: it is no
            # longer rejected.
            if given_up := [hunk.id for hunk in self.review.hunks if hunk in done]:
                self.review.reject(given_up)
            self._fit(edits)


def size_of(hunks: Iterable[Hunk]) -> int:
    """How many lines hunks take out and put in."""
    return sum(len(hunk.old) + len(hunk.new) for hunk in hunks)


def _is_in(hunk: Hunk, conflict: Torn) -> bool:
    return conflict.touches(hunk.start, hunk.stop - 1)


def _overlap(hunk: Hunk, other: Hunk) -> bool:
    """Whether two hunks of one text are about the same lines of it, or the same place between
    two.
    """
    same_place = (hunk.start, hunk.stop) == (other.start, other.stop)
    return same_place or (hunk.start < other.stop and other.start < hunk.stop)


def _alike(edits: Sequence[Hunk], others: Sequence[Hunk]) -> bool:
    """Whether two texts were edited in the same way, wherever that is in them."""
    return [(hunk.old, hunk.new) for hunk in edits] == [(hunk.old, hunk.new) for hunk in others]
