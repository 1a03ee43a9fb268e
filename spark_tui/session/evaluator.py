"""Judges the answers of a turn.

An `AnswerBuffer` holds one answer while it is written. The `Evaluator` checks an answer that is
whole, makes it a `Candidate`, and has variations written (`Evaluator.vary`).
"""

import math
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from threading import RLock

from spark_tui.editing.checks import Check, run_checks
from spark_tui.editing.formats.quoted import QuotedRequest
from spark_tui.editing.formats.surroundings import Surroundings
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
from spark_tui.session.candidates import LEAST, Candidate, Candidates, RegionSplicer, doubt_of
from spark_tui.session.events import (
    Event,
    Held,
    Prefill,
    TrialProgress,
    VariationEnded,
    VariationToken,
)
from spark_tui.session.meter import TurnMetrics
from spark_tui.session.repair.sandbox import Trial

MOST = 16
"""Variations of one turn."""
_ROUNDS = 2
"""How often variations are written in place of those that failed or made the same file."""
_EACH = 64
"""How often a long answer is looked at: each time it has grown by one part in this many.

An answer of fewer lines is looked at with every piece.
"""

TypesCheck = Callable[[Text], Generator[Held, None, Check | None]]


class AnswerBuffer:
    """One answer.

    Mutable: one thread may write while another reads what is closed.

    Args:
        draft: The reader of the answer.
        lock: Guards the draft where its writer reads the pieces; None: they are read here.
    """

    def __init__(self, page: RegionSplicer, draft: Draft, lock: "RLock | None" = None) -> None:
        self._page = page
        self.draft = draft
        self._lock = lock or RLock()
        self._reads = lock is None
        self._states: list[tuple[Sequence[str], Sequence[tuple[str, str]]]] = []
        """The region each time that a part was closed, and the renamings by then."""
        self._lines = 0
        self._next = 0
        self.broken = False
        """Whether something was written that does not fit; all that follows is left out."""
        self.finished = False

    def worth_showing(self, *, slowly: bool) -> bool:
        """Whether to show the answer before its next piece.

        Unless there is time, only a new line is shown, which grows with each piece. An answer that
        reads just now like the original is not shown: where a line or a name is only added to, that
        would take the change back for one piece.

        Args:
            slowly: Whether there is time.
        """
        draft = self.draft
        lines = self._page.lines
        same = draft.open_line in lines or (draft.in_name and tuple(draft.lines()) == tuple(lines))
        return (slowly or (self._is_due and bool(draft.open_line))) and not same

    def take(self, wrote: TokenGenerated) -> bool:
        """Take one piece.

        Returns:
            Whether the piece closed anything; in a long answer, enough to look at.
        """
        with self._lock:
            closed = wrote.closed
            if self._reads:
                closed = self._read(wrote.piece)
            elif not wrote.fits:
                self.broken = True
            self._lines += wrote.piece.count(b"\n")
            is_worth_a_look = closed and self._is_due
            if is_worth_a_look:
                self._keep_state()
            return is_worth_a_look

    def _read(self, piece: bytes) -> bool:
        """Read a piece; whether it closed a part."""
        try:
            return not self.broken and self.draft.take(piece)
        except SparkError:
            self.broken = True
            return False

    @property
    def _is_due(self) -> bool:
        """Whether enough was written since the last look.

        The longer the answer, the more a look costs.
        """
        return self._lines >= self._next

    def end(self, answer: AnswerFinished) -> None:
        """End the answer."""
        with self._lock:
            self.finished = answer.finished and not self.broken
            if self.finished:
                self.draft.finish()
                self._keep_state()

    def _keep_state(self) -> None:
        self._states.append((self.draft.settled(), self.draft.renamed))

    def file(self) -> Text:
        """The file if the answer ended here."""
        with self._lock:
            # A look costs as much as the answer is long. Looks that grow apart with the answer keep
            # their sum in proportion to its length.
            self._next = self._lines + self._lines // _EACH
            return self._page.file(self.draft.lines(), self.draft.renamed)

    def closed_file(self) -> Text:
        """The file with only the closed parts of the answer."""
        with self._lock:
            return self._page.file(self.draft.settled(), self.draft.renamed)

    def sound_file(self) -> Text:
        """The file with as many of the closed parts as parse, where that can be told."""
        for lines, renamed in reversed(self._states):
            file = self._page.file(lines, renamed)
            if self._page.is_sound(file, lines):
                return file
        return self._page.base

    def checks(self) -> tuple[Check, ...]:
        """The checks of the closed parts by themselves."""
        with self._lock:
            closed = self.draft.settled()
        return self._page.checks(self.closed_file(), closed, self.draft.renamed)


class Evaluator:
    """Judges what an answerer writes for a region.

    Mutable: it counts the variations.

    Args:
        around: What stands around the region.
        trial: The command that every answer must pass, if any.
        most: Tokens of an answer.
        idle: Says why an edit that passes is of no use all the same, or "".
        types: Checks the types of a file with an edit, and says what it waits for; None: nobody
            does.
    """

    def __init__(
        self,
        page: RegionSplicer,
        answerer: Provider,
        around: Surroundings,
        trial: Trial | None,
        meter: TurnMetrics,
        most: int,
        idle: Callable[[Text], str],
        types: TypesCheck | None = None,
    ) -> None:
        self._page = page
        self._answerer = answerer
        self._around = around
        self._trial = trial
        self._meter = meter
        self._most = most
        self._idle = idle
        self._types = types
        self._varied = 0

    def draft(self) -> Draft:
        """A reader for an answer, from its start."""
        return self._answerer.draft(self._page.lines, self._around)

    def begin(self, started: AnswerStarted) -> AnswerBuffer:
        """A buffer for an answer that begins, on its writer's own draft if there is one.

        Known pieces are read anew, as each line of them closes a part that may be kept.
        """
        if started.draft is None or started.known:
            return self.blank(started.known)
        return AnswerBuffer(self._page, started.draft, started.draft.lock)

    def blank(self, known: Sequence[TokenGenerated] = ()) -> AnswerBuffer:
        """A buffer that holds nothing but the known pieces of an answer."""
        writing = AnswerBuffer(self._page, self.draft())
        for wrote in known:
            lines = wrote.piece.splitlines(keepends=True) or [wrote.piece]
            for line in lines:  # line by line, as each one closes a part that may be kept
                writing.take(replace(wrote, piece=line))
        return writing

    def assess(
        self, writing: AnswerBuffer, answer: AnswerFinished | None
    ) -> Generator[TrialProgress | Held, None, Candidate]:
        """Check an answer and make it a candidate.

        Args:
            answer: None when the answer was given up.
        """
        file = writing.closed_file()
        checks: tuple[Check, ...] = ()
        if writing.finished and file != self._page.base:
            # The cheap checks come first. The user's command, which may take long, and the language
            # server are asked only about an answer that has passed so far.
            checks = (*run_checks(self._page.base, file, self._page.region.path), *writing.checks())
            if self._trial is not None and all(check.ok for check in checks):
                checks = (*checks, (yield from self._trial.run(file, TrialProgress())))
            if self._types is not None and all(check.ok for check in checks):
                types = yield from self._types(file)
                checks = checks if types is None else (*checks, types)
        problem = self._problem(writing, file, checks, answer)
        logprob, worst = (answer.logprob, answer.worst) if answer else (-math.inf, -math.inf)
        kind = writing.draft.kind
        declined = writing.draft.declined
        doubt = answer.doubt if answer else ""
        finished = writing.finished
        if finished and not doubt:
            doubt = self._doubt(file) or doubt_of(checks)
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
            return (answer.cut if answer else "") or longer
        if file == self._page.base:
            if writing.draft.declined:
                return ""
            return "; ".join(writing.draft.missed) or "what was written changes nothing"
        failed = [check for check in checks if check.withholds and not check.ok]
        if failed:
            return f"no edit offered: {failed[0].detail or failed[0].name}"
        return self._idle(file)

    def chance(
        self, candidates: Candidates, best: Candidate, request: QuotedRequest
    ) -> float | None:
        """How likely an answer is right, judged by all that were written; None: unknown."""
        worst = candidates.first.worst
        # An answer stands for all that make the same file; the floor keeps a sum that rounds to 0
        # finite.
        answers = [
            AnswerFinished(file.lines, (), math.log(max(mass, 1e-9)), worst, declined=best.declined)
            for file, mass in candidates.masses().items()
        ]
        # False sorts before True, and the sort keeps the order of the others.
        shown_first = sorted(answers, key=lambda each: each.lines != best.file.lines)
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
        """Write other answers until there are `count` variations.

        Raises:
            UsageError: The count is out of range.
        """
        if not 1 <= count <= MOST:
            raise UsageError(f"{count} variations; choose a number from 1 to {MOST}")
        try:
            # Draws may repeat however often they are made; the likeliest answers never come twice.
            rounds = 1 if by_chance else _ROUNDS
            for _ in range(rounds):
                if (missing := count - len(candidates.variations)) > 0:
                    yield from self._side_by_side(writer.write(missing, least=LEAST), candidates)
        finally:
            if self._trial:
                self._trial.close()

    def _side_by_side(
        self, items: Generator[Item, None, None], candidates: Candidates
    ) -> Iterator[Event]:
        """Follow answers that are written side by side, then judge them all."""
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
                candidate = yield from self.assess(other.writing, other.answer)
                candidates.add(candidate)
                yield VariationEnded(
                    other.number,
                    candidate.kind,
                    candidate.logprob,
                    candidate.checks,
                    candidate.problem,
                )


class _Other:
    """A variation while it is written. Mutable.

    Args:
        number: Its number, from 1.
    """

    def __init__(self, writing: AnswerBuffer, number: int) -> None:
        self.writing = writing
        self.number = number
        self.answer: AnswerFinished | None = None
        self._tokens = 0

    def take(self, wrote: TokenGenerated, ms: float) -> VariationToken:
        """Take one token.

        Args:
            ms: The time of the token, in milliseconds of the turn.
        """
        self.writing.take(wrote)
        self._tokens += 1
        text = wrote.piece.decode("utf-8", "replace")
        return VariationToken(self.number, self._tokens - 1, wrote.token, text, wrote.logprob, ms)

    def end(self, answer: AnswerFinished) -> None:
        """End the variation."""
        self.answer = answer
        self.writing.end(answer)
