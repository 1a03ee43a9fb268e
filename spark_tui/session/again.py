"""Turns that write one hunk of an earlier proposal anew: the rest of its review holds in them, to the byte."""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial

from spark_tui.answering.seam import Answerer
from spark_tui.editing.checks import run_checks
from spark_tui.editing.hunks import Hunk
from spark_tui.editing.replace_hunk import renewed
from spark_tui.editing.review import Review
from spark_tui.editing.text import Text
from spark_tui.errors import UsageError
from spark_tui.session import answers
from spark_tui.session.events import Checked, Event, Status
from spark_tui.session.request import Request
from spark_tui.session.reviewed import ReviewedFile
from spark_tui.session.turn import Turn


class OneHunk(ReviewedFile):
    """A file under review of which one hunk is written anew; until that has ended nothing of it is decided.

    Args: other: the review so far, for the same file; it stays as it is. telling: as for any. is_written: whether it
        has ended. Raises: UsageError: no such hunk is open.
    """

    def __init__(
        self,
        other: ReviewedFile,
        hunk_id: str,
        telling: Callable[[], Callable[[], None]],
        is_written: Callable[[], bool],
    ) -> None:
        super().__init__(other.base, partial(self._retelling, telling))
        self._is_written = is_written
        with other.lock:
            part = other.review.part(hunk_id)
            self.asked, self.asked_at = part.hunk.id, other.review.parts.index(part)
            self.earlier, self.review = other.review.copy(), other.review.copy()
            self._inherit(other, list(other._bases))
        self._written = self.review.copy()
        self.worked_on = True

    @property
    def as_written(self) -> bool:
        """Whether the user did nothing to the review since."""
        with self.lock:
            return self.review.stands_as(self._written)

    def refuse_mixture(self) -> None:
        """See `ReviewedFile`. Raises: UsageError: another one would take back what the user did since."""
        if not self.as_written:
            raise UsageError("you went on from this answer; undo that to see another one")

    def follow(self, on_disk: Text) -> None:
        """See `ReviewedFile`; what is still being written is not disturbed."""
        if self._is_written():
            super().follow(on_disk)

    @contextmanager
    def _step(self, words: str) -> Iterator[None]:
        if not self._is_written():
            raise UsageError("a hunk is being rewritten; wait until it is done, or go back with u")
        with super()._step(words):
            yield

    def _adopt(self, text: Text) -> None:
        self.proposal = text
        self.review = self.mixed(text)
        self._written = self.review.copy()

    def _retelling(self, telling: Callable[[], Callable[[], None]]) -> Callable[[], None]:
        """With an earlier answer back, nothing was done to that either."""
        written, retell = self._written, telling()

        def retell_all() -> None:
            self._written = written
            retell()

        return retell_all

    def mixed(self, text: Text) -> Review:
        """The review with what an answer has in the place of the hunk. Args: text: the file that the answer makes."""
        return renewed(self.earlier, self.asked, self.base, text)


class AgainTurn(Turn):
    """A turn about one hunk of another one. Until its end none of its hunks is closed.

    Args: before: the other one. hunk_id: what to write anew, and nothing else. Raises: UsageError: none such, or as
        `Turn`.
    """

    def __init__(self, turn_id: str, request: Request, answerer: Answerer, before: Turn, hunk_id: str) -> None:
        super().__init__(turn_id, request, before.region, before.base, answerer, before.command)
        self._before = before
        own = before.candidates.own
        self._first: Text | None = before._first if isinstance(before, AgainTurn) else own.file if own else None
        """The answer to the earlier words; to have it again is no answer to these."""
        self.file = self._one = OneHunk(before.file, hunk_id, self._telling, lambda: self.status is not Status.RUNNING)
        self.asked, self.asked_at = self._one.asked, self._one.asked_at

    @property
    def closed_hunks(self) -> tuple[Hunk, ...]:
        """See `Turn`."""
        with self.lock:
            return () if self.status is Status.RUNNING else tuple(part.hunk for part in self.review.parts)

    @property
    def others(self) -> list[Hunk]:
        """The hunks that stay, or their parts."""
        return [part.hunk for part in self._one.earlier.parts if part.hunk.id != self.asked]

    def words_for(self, old: Sequence[str], new: Sequence[str]) -> str:
        """See `Turn`."""
        stays = any((each.old_lines, each.new_lines) == (old, new) for each in self.others)
        return self._before.words_for(old, new) if stays else self.request.instruction

    def _offer(self, file: Text, doubt: str) -> None:
        """See `Turn`; what counts is what an answer makes of the file together with the hunks that stay."""
        mixed = self.review.proposed
        self.checks = run_checks(self.base, mixed, self.region.path)
        super()._offer(mixed, doubt)

    def _why_none(self, problem: str) -> str:
        """The likeliest answer is what the user waits to hear of, not what is wrong with it or with a later one."""
        why = self._idle(self.candidates.first.file)
        return why if why in {answers.SAME_AGAIN, answers.FIRST_AGAIN} else problem

    def _idle(self, file: Text) -> str:
        """Why an answer is of no use for the hunk, or ""."""
        mixed = self._mixed(file)
        if mixed == self._one.earlier.proposed:
            return answers.SAME_AGAIN
        if self._first is not None and mixed == self._mixed(self._first):
            return answers.FIRST_AGAIN
        return answers.NOTHING_THERE if mixed == self._mixed(self.base) else ""

    def _mixed(self, file: Text) -> Text:
        return self._one.mixed(file).proposed

    def _run(self) -> Generator[Event, None, None]:
        with closing(super()._run()) as events:
            for event in events:
                if not isinstance(event, Checked) or event.hunk_id is None:
                    yield event
                elif event.hunk_id in {hunk.id for hunk in self.hunks if hunk not in self._one.earlier.hunks}:
                    yield Checked(event.hunk_id, self.checks_since(self._one.earlier.proposed))
        self.file.touched = True
