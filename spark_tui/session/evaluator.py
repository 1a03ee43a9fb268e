"""Judges the answers of a turn: each is read as it is written, checked, and made a candidate."""

import math
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from threading import Lock

from spark_tui.editing.checks import Check, run_checks
from spark_tui.editing.formats.quoted import QuotedRequest
from spark_tui.editing.hunks import diff
from spark_tui.editing.placeholders import lost_to_placeholders
from spark_tui.editing.text import Text
from spark_tui.errors import SparkError, UsageError
from spark_tui.providers.base import (
    AnswerFinished,
    AnswerStarted,
    Draft,
    EditKind,
    Item,
    PromptProgress,
    Provider,
    TokenGenerated,
    Writer,
)
from spark_tui.providers.encodable import MARK
from spark_tui.session.candidates import LEAST, Candidate, Candidates, RegionSplicer
from spark_tui.session.events import Event, Prefill, Trying, VariationEnded, VariationToken
from spark_tui.session.meter import TurnMetrics
from spark_tui.session.repair.sandbox import Trial

MOST = 16
"""Variations of one turn."""
_ROUNDS = 2
"""How often more of them are written in place of those that failed or came to the same."""
_EACH = 64
"""Up to so many lines every piece is looked at as it comes, then each time that the answer is
longer by such a part.
"""


class AnswerBuffer:
    """One answer.

    Mutable: one thread may write while another sees what is closed.

    Args:
        draft: Reads it.
    """

    def __init__(self, page: RegionSplicer, draft: Draft) -> None:
        self._page = page
        self.draft = draft
        self._lock = Lock()
        self._states: list[tuple[Sequence[str], Sequence[tuple[str, str]]]] = []
        """The place each time that something was closed, and what was renamed by then."""
        self._lines = self._next = 0
        self.broken = False
        """Whether something was written that does not fit; what comes after it is left out."""
        self.finished = False

    def worth_showing(self, *, slowly: bool) -> bool:
        """Whether to show it before the next piece: unless there is time, only a new line, which
        grows with each.

        Not where it reads just now like what was there, and the next piece tells if it stays so:
        that would take the change back for one piece, wherever a line or a name is only added to.
        """
        draft = self.draft
        lines = self._page.lines
        same = draft.open_line in lines or (draft.in_name and tuple(draft.lines()) == tuple(lines))
        return (slowly or (self._is_due and bool(draft.open_line))) and not same

    def take(self, wrote: TokenGenerated) -> bool:
        """Take one piece.

        Returns:
            Whether it closed anything; in a long answer whether it closed enough to look at.
        """
        with self._lock:
            try:
                closed = not self.broken and self.draft.take(wrote.piece)
            except SparkError:
                self.broken = True
                closed = False
            self._lines += wrote.piece.count(b"\n")
            if told := closed and self._is_due:
                self._keep_state()
            return told

    @property
    def _is_due(self) -> bool:
        """Whether enough was written since it was looked at last: the longer the answer, the
        more a look costs.
        """
        return self._lines >= self._next

    def end(self, answer: AnswerFinished) -> None:
        """The answer is over."""
        with self._lock:
            self.finished = answer.finished and not self.broken
            if self.finished:
                self.draft.finish()
                self._keep_state()

    def _keep_state(self) -> None:
        self._states.append((self.draft.settled(), self.draft.renamed))

    def file(self) -> Text:
        """The file as it would be if the answer ended here."""
        with self._lock:
            self._next = self._lines + self._lines // _EACH
            return self._page.file(self.draft.lines(), self.draft.renamed)

    def closed_file(self) -> Text:
        """The file with nothing but what is closed."""
        with self._lock:
            return self._page.file(self.draft.settled(), self.draft.renamed)

    def sound_file(self) -> Text:
        """The file with as much of what is closed as parses without the rest, where that can be
        told.
        """
        files = ((self._page.file(*state), state[0]) for state in reversed(self._states))
        return next(
            (file for file, lines in files if self._page.is_sound(file, lines)), self._page.base
        )

    def checks(self) -> tuple[Check, ...]:
        """What can be said of what is closed itself."""
        with self._lock:
            closed = self.draft.settled()
        return self._page.checks(self.closed_file(), closed, self.draft.renamed)


class Evaluator:
    """Judges what an answerer writes for a page.

    Mutable: it counts the variations.

    Args:
        trial: The command that every answer must pass, if any.
        most: Tokens of an answer.
        idle: Says why an edit that passes is of no use all the same, or "".
    """

    def __init__(
        self,
        page: RegionSplicer,
        answerer: Provider,
        trial: Trial | None,
        meter: TurnMetrics,
        most: int,
        idle: Callable[[Text], str],
    ) -> None:
        self._page = page
        self._answerer = answerer
        self._trial = trial
        self._meter = meter
        self._most = most
        self._idle = idle
        self._varied = 0

    def draft(self) -> Draft:
        """What reads an answer from its start."""
        return self._answerer.draft(self._page.lines)

    def blank(self, known: Sequence[TokenGenerated] = ()) -> AnswerBuffer:
        """An answer of which nothing is written yet but what is known."""
        writing = AnswerBuffer(self._page, self.draft())
        for wrote in known:
            for line in wrote.piece.splitlines(keepends=True) or [
                wrote.piece
            ]:  # each closes what may be kept
                writing.take(replace(wrote, piece=line))
        return writing

    def assess(
        self, writing: AnswerBuffer, answer: AnswerFinished | None
    ) -> Generator[Trying, None, Candidate]:
        """An answer that is written, with its checks.

        Args:
            answer: None where it was given up.
        """
        file = writing.closed_file()
        checks: tuple[Check, ...] = ()
        if writing.finished and file != self._page.base:
            checks = (*run_checks(self._page.base, file, self._page.region.path), *writing.checks())
            if self._trial is not None and all(check.ok for check in checks):
                checks = (*checks, (yield from self._trial.run(file, Trying())))
        problem = self._problem(writing, file, checks, answer)
        logprob, worst = (answer.logprob, answer.worst) if answer else (-math.inf, -math.inf)
        kind = writing.draft.kind
        declined = writing.draft.declined
        doubt = answer.doubt if answer else ""
        finished = writing.finished
        if finished and not doubt:
            doubt = self._doubt(file)
        return Candidate(kind, file, checks, logprob, problem, worst, declined, finished, doubt)

    def _doubt(self, file: Text) -> str:
        """Why nobody can be sure of an edit, whoever wrote it; "" where somebody can.

        Args:
            file: The file with the edit.
        """
        old = self._page.lines
        new = self._page.within(file)
        if MARK in "".join(new) and MARK not in "".join(old):
            return "it adds U+FFFD, which stands for a broken character"
        path = self._page.region.path
        # the lines of the place may be read where the file is large or does not parse
        names = lost_to_placeholders(self._page.base, file, path) or lost_to_placeholders(
            Text(tuple(f"{line}\n" for line in old)),
            Text(tuple(f"{line}\n" for line in new)),
            path,
        )
        if names:
            return f"a placeholder stands where the code of {', '.join(names)} was"
        return ""

    def _problem(
        self,
        writing: AnswerBuffer,
        file: Text,
        checks: Sequence[Check],
        answer: AnswerFinished | None,
    ) -> str:
        """What is wrong with an answer that was written to its end, or ""."""
        if writing.broken:
            return "what was written does not fit the lines; say it in other words"
        if not writing.finished:
            longer = f"the answer is longer than {self._most} tokens; ask for less at once"
            return answer.cut or longer if answer else longer
        if file == self._page.base:
            missed = "; ".join(writing.draft.missed)
            return "" if writing.draft.declined else missed or "what was written changes nothing"
        wrong = [check for check in checks if not check.ok]
        return f"no edit offered: {wrong[0].detail or wrong[0].name}" if wrong else self._idle(file)

    def chance(
        self, candidates: Candidates, best: Candidate, request: QuotedRequest
    ) -> float | None:
        """How likely an answer is right, by all that were written."""
        worst = candidates.first.worst
        told = [
            AnswerFinished(file.lines, (), math.log(max(mass, 1e-9)), worst, declined=best.declined)
            for file, mass in candidates.masses().items()
        ]
        shown_first = sorted(told, key=lambda each: each.lines != best.file.lines)
        return self._answerer.chance(shown_first, self._kind(best.file, request))

    def _kind(self, file: Text, request: QuotedRequest) -> EditKind:
        """What kind of edit leads to a file.

        Args:
            request: What was asked.
        """
        if request.earlier:
            return EditKind.CORRECTION
        if request.previous:
            return EditKind.FOLLOW_UP
        several = len(diff(self._page.base, file)) > 1
        return EditKind.SEVERAL_PLACES if several else EditKind.PLAIN

    def vary(
        self, writer: Writer, candidates: Candidates, count: int, *, by_chance: bool
    ) -> Iterator[Event]:
        """Write other answers until there are so many.

        Raises:
            UsageError: A count out of range.
        """
        if not 1 <= count <= MOST:
            raise UsageError(f"{count} variations; choose a number from 1 to {MOST}")
        try:
            for _ in range(1 if by_chance else _ROUNDS):
                if (missing := count - len(candidates.variations)) > 0:
                    yield from self._side_by_side(writer.write(missing, least=LEAST), candidates)
        finally:
            if self._trial:
                self._trial.close()

    def _side_by_side(
        self, items: Generator[Item, None, None], candidates: Candidates
    ) -> Iterator[Event]:
        """Follow what is written side by side, then judge it all."""
        others: dict[int, _Other] = {}
        with self._meter.running(), closing(items):
            for item in items:
                match item:
                    case PromptProgress(total, cached, done):
                        yield Prefill(total, cached, done, self._meter.ms)
                    case AnswerStarted(answer, known):
                        self._varied += 1
                        others[answer] = _Other(self.blank(), self._varied)
                        for wrote in known:
                            others[answer].take(wrote, self._meter.ms)
                    case TokenGenerated():
                        yield others[item.answer].take(item, self._meter.ms)
                    case AnswerFinished():
                        others[item.number].end(item)
            for other in others.values():
                one = yield from self.assess(other.writing, other.answer)
                candidates.add(one)
                yield VariationEnded(other.number, one.kind, one.logprob, one.checks, one.problem)


class _Other:
    """A variation while it is written.

    Mutable.

    Args:
        number: Which one, from 1.
    """

    def __init__(self, writing: AnswerBuffer, number: int) -> None:
        self.writing = writing
        self.number = number
        self.answer: AnswerFinished | None = None
        self._tokens = 0

    def take(self, wrote: TokenGenerated, ms: float) -> VariationToken:
        """Take one token.

        Args:
            ms: When.
        """
        self.writing.take(wrote)
        self._tokens += 1
        text = wrote.piece.decode("utf-8", "replace")
        return VariationToken(self.number, self._tokens - 1, wrote.token, text, wrote.logprob, ms)

    def end(self, answer: AnswerFinished) -> None:
        """It is over."""
        self.answer = answer
        self.writing.end(answer)
