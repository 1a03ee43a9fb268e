"""Turns that write one hunk of an earlier proposal anew: the rest of its review holds in them, to the byte."""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager

from spark_tui.editing.checks import Check, run_checks
from spark_tui.editing.hunks import Hunk
from spark_tui.editing.intents import code_names
from spark_tui.editing.replace_hunk import renewed
from spark_tui.editing.review import Review
from spark_tui.editing.text import Text
from spark_tui.errors import UsageError
from spark_tui.session import answers
from spark_tui.session.composed import ComposedTurn
from spark_tui.session.events import Checked, Event, Status
from spark_tui.session.turn import Turn
from spark_tui.session.variations import VariedTurn, checks_since
from spark_tui.session.wording.steps import split
from spark_tui.session.writing import Writing


class AgainTurn(Turn):
    """What is common to turns about one hunk. Until the end none of their hunks is closed."""

    asked: str
    """The id of the hunk, in the earlier review."""
    asked_at: int
    """Its number there; as no other hunk goes or comes above it, that of what was written in its place."""
    _before: Turn
    _first: Text | None
    """The answer to the earlier words; to have it again is no answer to these."""
    _earlier: Review
    _written: Review

    def take_over(self, other: Turn, hunk_id: str) -> None:
        """Write this hunk of another turn for the same file, and nothing else, anew. Raises: UsageError: none such."""
        self._before = other
        self._first = _first_of(other)
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
        """See `words_for`."""
        stays = any((each.old_lines, each.new_lines) == (old, new) for each in self.others)
        return words_for(self._before, old, new) if stays else self.request.instruction

    @contextmanager
    def _step(self, words: str) -> Iterator[None]:
        if self.status is Status.RUNNING:
            raise UsageError("a hunk is being written anew; wait for its end, or go back with u")
        with super()._step(words):
            yield

    def follow(self, on_disk: Text) -> None:
        """See `Reviewed`; what is still being written is not disturbed."""
        if self.status is not Status.RUNNING:
            super().follow(on_disk)

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
        self.checks = run_checks(self.base, mixed, self.region.path, told=code_names(self.words))
        return super()._done(mixed)

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
                    yield Checked(event.hunk_id, checks_since(self, self._earlier.proposed))
        self._touched = True


def _first_of(turn: Turn) -> Text | None:
    """The file of the first answer that this turn, or the one whose hunks it asked for again, came to by itself."""
    if isinstance(turn, AgainTurn):
        return turn._first
    return turn.own_file if isinstance(turn, VariedTurn) else None


def words_for(turn: Turn, old: Sequence[str], new: Sequence[str]) -> str:
    """The words that a hunk of a turn came of. Args: old, new: its lines."""
    return turn.words_for(old, new) if isinstance(turn, AgainTurn) else turn.request.instruction


class OneAgain(AgainTurn, VariedTurn):
    """One whose instruction asks for one thing."""

    def refuse_mixture(self) -> None:
        """See `VariedTurn`. Raises: UsageError: another one would take back what the user did since."""
        if not self.as_written:
            raise UsageError("you went on from this answer; undo that to see another one")

    def _problem(self, writing: Writing, file: Text, checks: tuple[Check, ...]) -> str:
        problem = super()._problem(writing, file, checks)
        return problem if problem or file == self.base else self._idle(file)

    def _abstain(self, problem: str) -> None:
        """The likeliest answer is what the user waits to hear of, not what is wrong with it or with a later one."""
        if self.attempted and (self._is_same(self.first.file) or self._is_first(self.first.file)):
            self.status, self.message = Status.ABSTAINED, self._idle(self.first.file)
        else:
            super()._abstain(problem)


class SeveralAgain(AgainTurn, ComposedTurn):
    """One whose instruction asks for several things."""

    def _finish(self, problem: str) -> Generator[Event, None, None]:
        if problem:
            problem = answers.no_edit_of(split(self.request.instruction)[len(self._steps_taken) - 1])
        yield from super()._finish(problem or self._idle(self._file_now))
