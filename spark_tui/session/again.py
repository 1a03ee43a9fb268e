"""Turns that write one hunk of an earlier proposal anew: the rest of its review holds in them, to the byte."""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager

from spark_tui.editing.checks import Check, run_checks
from spark_tui.editing.hunks import Hunk
from spark_tui.editing.replace_hunk import renewed
from spark_tui.editing.review import Review
from spark_tui.editing.text import Text
from spark_tui.errors import UsageError
from spark_tui.session import answers
from spark_tui.session.events import Checked, Event, Status
from spark_tui.session.turn import Turn
from spark_tui.session.writing import Writing


class AgainTurn(Turn):
    """A turn about one hunk of another one. Until its end none of its hunks is closed."""

    _before: Turn
    _first: Text | None
    """The answer to the earlier words; to have it again is no answer to these."""
    _earlier: Review
    _written: Review

    def take_over(self, other: Turn, hunk_id: str) -> None:
        """Write this hunk of another turn for the same file, and nothing else, anew. Raises: UsageError: none such."""
        self._before = other
        self._first = other._first if isinstance(other, AgainTurn) else other.own_file
        with other.lock:
            part = other.review.part(hunk_id)
            self.asked, self.asked_at = part.hunk.id, other.review.parts.index(part)
            self._earlier, self.review = other.review.copy(), other.review.copy()
            self._bases, self.edits, self.overtaken = list(other._bases), other.edits, other.overtaken
            self._inherited = len(self._bases)
        self._written = self.review.copy()
        self.worked_on = True

    @property
    def as_written(self) -> bool:
        """Whether the user did nothing to the review since."""
        with self.lock:
            return self.review.stands_as(self._written)

    @property
    def closed_hunks(self) -> tuple[Hunk, ...]:
        """See `Turn`."""
        with self.lock:
            return () if self.status is Status.RUNNING else tuple(part.hunk for part in self.review.parts)

    @property
    def others(self) -> list[Hunk]:
        """The hunks that stay, or their parts."""
        return [part.hunk for part in self._earlier.parts if part.hunk.id != self.asked]

    def words_for(self, old: Sequence[str], new: Sequence[str]) -> str:
        """See `Turn`."""
        stays = any((each.old_lines, each.new_lines) == (old, new) for each in self.others)
        return self._before.words_for(old, new) if stays else self.request.instruction

    def refuse_mixture(self) -> None:
        """See `Varied`. Raises: UsageError: another one would take back what the user did since."""
        if not self.as_written:
            raise UsageError("you went on from this answer; undo that to see another one")

    def follow(self, on_disk: Text) -> None:
        """See `Reviewed`; what is still being written is not disturbed."""
        if self.status is not Status.RUNNING:
            super().follow(on_disk)

    @contextmanager
    def _step(self, words: str) -> Iterator[None]:
        if self.status is Status.RUNNING:
            raise UsageError("a hunk is being written anew; wait for its end, or go back with u")
        with super()._step(words):
            yield

    def _adopt(self, text: Text) -> None:
        self._proposal = text
        self.review = self._with(text)
        self._written = self.review.copy()

    def _retelling(self) -> Callable[[], None]:
        """See `Reviewed`; with an earlier answer back, nothing was done to that either."""
        written, retell = self._written, super()._retelling()

        def retell_all() -> None:
            self._written = written
            retell()

        return retell_all

    def _with(self, text: Text) -> Review:
        return renewed(self._earlier, self.asked, self.base, text)

    def _done(self, file: Text) -> str:
        """See `Turn`; what counts is what an answer makes of the file together with the hunks that stay."""
        mixed = self.review.proposed
        self.checks = run_checks(self.base, mixed, self.region.path)
        return super()._done(mixed)

    def _problem(self, writing: Writing, file: Text, checks: Sequence[Check]) -> str:
        problem = super()._problem(writing, file, checks)
        return problem if problem or file == self.base else self._idle(file)

    def _abstain(self, problem: str) -> None:
        """The likeliest answer is what the user waits to hear of, not what is wrong with it or with a later one."""
        first = self._candidates.first.file
        super()._abstain(self._idle(first) if self._is_same(first) or self._is_first(first) else problem)

    def _idle(self, file: Text) -> str:
        """Why an answer is of no use for the hunk, or ""."""
        if self._is_same(file):
            return answers.same_again()
        if self._is_first(file):
            return answers.first_again()
        return answers.nothing_there() if self._with(file).proposed == self._with(self.base).proposed else ""

    def _is_same(self, file: Text) -> bool:
        return self._with(file).proposed == self._earlier.proposed

    def _is_first(self, file: Text) -> bool:
        return self._first is not None and self._with(file).proposed == self._with(self._first).proposed

    def _run(self) -> Generator[Event, None, None]:
        with closing(super()._run()) as events:
            for event in events:
                if not isinstance(event, Checked) or event.hunk_id is None:
                    yield event
                elif event.hunk_id in {hunk.id for hunk in self.hunks if hunk not in self._earlier.hunks}:
                    yield Checked(event.hunk_id, self.checks_since(self._earlier.proposed))
        self._touched = True
