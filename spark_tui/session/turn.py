"""One turn: words about a region become checked hunks, one token at a time.

A turn is a generator of events. Whoever iterates it sets the pace: not asking for the next event is a pause, closing it
discards what is unfinished. It writes nothing to disk. It knows nothing of models, tokens and formats: an `Answerer`
reads the words, which nothing here looks at.

From Enter to hunks it is fifteen steps, each in a place of its own:

1. `places.read_request`: what was typed, with its `@` places, is a `Request`.
2. `Session.begin`: takes it; a model that waits to take its turn has it.
3. `Maker.place`: the region, from `PlaceLookup.find`, which asks `context.finding`.
4. `preconditions.refuse_uneditable`: what nobody can edit is refused.
5. `request.ask_of`: the `Ask`, with the words as they were typed.
6. `Answerer.write`: a `Writer` of answers; nothing is computed yet.
7. `Turn.events`: whoever iterates has it run.
8. `Turn._attempt`: one answer, piece by piece, from `Writer.write`.
9. `Turn._take`: a piece goes into the `Draft` and on the `Tape`, and is told as a `Token`.
10. `Writing.file`: the lines so far as a whole file, names of the rest of it renamed, too.
11. `Reviewed.propose`: the file as hunks that can be decided on; `Turn._announce` tells those that are closed.
12. `Judged._assess`: an answer that is whole is checked, by the user's command as well, and is a `Candidate`.
13. `Candidates.worth_another`: back to 8, or not.
14. `Turn._mend`: where no answer passes the command, small changes are tried.
15. `Turn._end`: the best candidate is shown, and how sure it is.
"""

from collections.abc import Collection, Generator, Iterator, Sequence
from contextlib import closing

from spark_tui.answering.seam import Ability, Answer, Began, Read, Waits, Wrote
from spark_tui.context.tested import is_test
from spark_tui.editing.hunks import Hunk, diff
from spark_tui.editing.text import Text
from spark_tui.session import answers
from spark_tui.session.candidates import Candidate
from spark_tui.session.events import (
    Checked,
    Event,
    Held,
    HunkClosed,
    Prefill,
    Status,
    Token,
    Trying,
    TurnEnded,
    TurnStarted,
)
from spark_tui.session.fixing.search import Fix, Search, Site
from spark_tui.session.fixing.trial import Trial
from spark_tui.session.fixing.unmended import hopeless, passes_already
from spark_tui.session.judged import Judged
from spark_tui.session.request import Request

__all__ = ["Request", "Turn"]

MOST_RUN = 6
"""Answers that are written where each is judged by a command, which takes its time."""
NOTHING = "the model sees nothing to change for that; say what should be different, or where with @"


class Turn(Judged):
    """One request and what came of it. Mutable.

    `events()` may run in one thread while another reviews: the review is touched under `lock` only.

    Args: turn_id: names it. base: the file as it is now. answerer: writes for this turn alone while `events()` is
        iterated. command: what every answer must pass besides. begun: how the text of every answer begins, by the
        user's own hand; see `branching`.
    Raises: UsageError: an option out of range, or a region that leaves no room to answer.
    """

    asked: str = ""
    """The id of the hunk that is written anew, in the review of the turn before; "" in most turns."""
    asked_at: int | None = None
    """Its number there."""
    search: Search | None = None
    """The search for a fix among small changes, once there was one, perhaps before the turn began."""
    _unmended = ""
    """Why there is no fix, where one was looked for."""

    @property
    def kind(self) -> str | None:
        """What kind of edit it is, once that is known."""
        return self._shown_candidate.kind if self._shown_candidate else self._writing.kind

    @property
    def closed_hunks(self) -> tuple[Hunk, ...]:
        """Those of `hunks`, or the parts of them, that are fully written."""
        with self.lock:
            over, review = self.status is not Status.RUNNING, self.review
            return tuple(part.hunk for part in (review.parts if over else review.settled(self._writing.closed_file())))

    @property
    def others(self) -> list[Hunk]:
        """The hunks that stay where one is written anew."""
        return []

    @property
    def sure(self) -> bool:
        """Whether what is shown is likely enough to be right, as far as that can be known."""
        if self.fix:
            return not self.fix.doubtful
        if self._makes_pass:
            return True
        return self.confidence is None or self.confidence >= self.answerer.sure

    @property
    def fix(self) -> Fix | None:
        """The small change that is offered in the place of an answer, if one is."""
        found = self.search.fix if self.search else None
        return found if self._candidates.proven else None

    @property
    def _makes_pass(self) -> bool:
        """Whether the command fails as it is and passes with what is shown, for what may well be a good reason."""
        if not (self.trial and self.trial.passed_before is False and self._shown_candidate):
            return False
        if not any(check.name == "command" and check.ok for check in self._shown_candidate.checks):
            return False
        return not Site(self.page, self.ask.request, self.trial).is_doubtful(
            self.page.within(self._shown_candidate.file)
        )

    def logprob(self, _hunk: Hunk) -> float:
        """The log-probability of the answer that wrote a hunk; which part of it did is not told apart."""
        return self._shown_candidate.logprob if self._shown_candidate else 0.0

    def told_of(self, hunk_ids: Collection[str]) -> str:
        """The words that hunks came of; the caller holds the lock. Raises: UsageError: none such is open."""
        hunks = [part.hunk for part in self.review.chosen(hunk_ids)]
        each = dict.fromkeys(" ".join(self.words_for(one.old_lines, one.new_lines).split()) for one in hunks)
        return " and ".join(each)

    def words_for(self, _old: Sequence[str], _new: Sequence[str]) -> str:
        """The words that a hunk came of. Args: its lines."""
        return self.request.instruction

    def show_written(self) -> None:
        """Propose all that is written by now; for whoever made the turn stop, as long as it stands still."""
        if self.tape.writing:
            self.propose(self.tape.file(len(self.tape) - 1))

    def events(self) -> Generator[Event, None, None]:
        """Do the turn. Iterate it once.

        Raises: SparkError: the turn cannot go on; what was closed stays in the review.
        """
        with closing(self._run()) as events, self._meter.running():
            for event in events:
                self._meter.rest()
                yield event
                self._meter.go_on()

    def _run(self) -> Generator[Event, None, None]:
        try:
            yield TurnStarted(self.id, self.request.instruction, self.region)
            if not self.search or not self.search.fix or self.search.fix.doubtful:
                yield from self._attempt()
                while self._goes_on():
                    yield from self._attempt()
            if self.trial and self._may_be_mended:
                yield from self._mend(self.trial)
            yield from self._end()
        finally:
            if self.trial:
                self.trial.close()
            if self.status is Status.RUNNING:
                self.propose(self._writing.closed_file() if self.touched else self._writing.sound_file())
                self.status = Status.INTERRUPTED

    def _goes_on(self) -> bool:
        """Whether to write another answer; one under review is not replaced."""
        if self.touched or self.request.temperature > 0 or (self.trial and len(self._candidates) >= MOST_RUN):
            return False
        weighed = Ability.PROBABILITIES in self.answerer.can
        return self._candidates.worth_another(self._writer.best, self.base, weighed=weighed)

    @property
    def _may_be_mended(self) -> bool:
        """Whether small changes may be tried: no answer passes the command, and whose place it is cannot be a test."""
        free = not (self.touched or self.begun or self.asked or self.request.temperature > 0)
        return free and not self._candidates.offers(self.base) and not is_test(self.region.path, self.region.symbol)

    def _mend(self, trial: Trial) -> Iterator[Event]:
        """Try one small change after the other, unless that was done already."""
        self._writing = self._blank()
        yield from self.propose(self.base)
        with self._meter.doing("checks"):
            yield from trial.run_unedited(Trying())
            if trial.passed_before:
                return
            if not self.search:
                self._unmended = yield from hopeless(trial, self.region, self.page.lines)
                if self._unmended:
                    return
                self.search = Search([Site(self.page, self.ask.request, trial)], self.answerer)
                yield from self.search.run(lambda: self._meter.ms / 1000, trial.left)
        if fix := self.search.fix:
            self._candidates.prove(Candidate("fix", fix.file, fix.checks, fix.change.logprob))
        else:
            self._unmended = self.search.problem

    def _attempt(self) -> Iterator[Event]:
        """Write one answer and judge it."""
        self._writing, answer = self._blank(), None
        self._announced = set[tuple[str, Hunk]]()
        for item in self._meter.computed(self._writer.write()):
            self._meter.count(item)
            if isinstance(item, Answer):
                answer = item
            else:
                yield from self._follow(item)
        self.tape.end(answer)
        if answer:
            self._writing.end(answer)
        yield from self.propose(self._writing.closed_file())
        yield from self._announce()
        self._candidates.add((yield from self._assess(self._writing, answer)))

    def _follow(self, item: Read | Began | Waits | Wrote) -> Iterator[Event]:
        match item:
            case Waits(line):
                yield Held(line)
            case Read(total, cached, done):
                yield Prefill(total, cached, done, self._meter.ms)
            case Began(known=known):
                self.tape.begin(known)
                for wrote in known:
                    self._writing.take(wrote)
                if self.begun:
                    yield from self.propose(self._writing.file())
            case Wrote():
                yield from self._take(item, slowly=self.due())

    def _take(self, wrote: Wrote, *, slowly: bool) -> Iterator[Event]:
        closed = self._writing.take(wrote)
        text, index = wrote.piece.decode("utf-8", "replace"), self._meter.tokens - 1
        self.tape.take(wrote)
        token = Token(index, wrote.token, text, wrote.logprob, wrote.from_draft, self._meter.ms)
        showing = closed or ((slowly or self._writing.worth_showing) and not self._writing.in_the_balance)
        updates = self.propose(self._writing.file()) if showing else []
        yield token  # whoever stops here sees what it wrote
        yield from updates
        if closed:
            yield from self._announce()

    def _announce(self) -> Iterator[Event]:
        """The hunks that are fully written since last time; none is called checked before it is known how sure it is.

        Half an answer may well not parse (a try without its except): what fails is told at the end.
        """
        for hunk in self.closed_hunks:
            if (hunk.id, hunk) not in self._announced:
                self._announced.add((hunk.id, hunk))
                yield HunkClosed(hunk)

    def _end(self) -> Iterator[Event]:
        """Show the best answer."""
        best = self._candidates.best()
        with self.lock:
            self._shown_candidate = best
        with self._meter.doing("checks"):
            self.confidence = None if self.fix else self._chance(best) if best.sound else 0.0
        yield from self.propose(best.file)
        self.checks = best.checks
        if self.checks:
            for hunk_id in (None, *(hunk.id for hunk in self.hunks)):
                yield Checked(hunk_id, self.checks)
        with self._meter.doing("checks"):
            self._judge(best)
        if self.status is Status.ABSTAINED and not self.touched:
            yield from self.propose(self.base)
        yield TurnEnded(self.status, self.message, self._meter.timing)

    def _judge(self, best: Candidate) -> None:
        """Say how the turn ended."""
        problem = self._unmended or best.problem or (NOTHING if best.declined else "")
        if problem:
            self._abstain(problem + passes_already(self.trial))
            return
        done = self._done(best.file)
        if self.sure or self.touched or self.begun:
            self.status, self.message = Status.OK, done
        else:
            self.status, self.message = Status.UNSURE, f"{self._unsure}: {done}"

    def _abstain(self, problem: str) -> None:
        self.status, self.message = Status.ABSTAINED, problem

    def _done(self, file: Text) -> str:
        """What is said of an edit that is offered. Args: file: with it."""
        self.note = self.elsewhere(file)
        told = answers.done(self.kind or "edit", len(diff(self.base, file)), self.checks)
        told += self.search.told if self.search and self.fix and file == self.fix.file else ""
        return told + (f"; {self.note}" if self.note else "")

    @property
    def _unsure(self) -> str:
        return "unsure" if self.confidence is None else f"unsure ({self.confidence:.0%})"

    def _as_chosen(self, variation: Candidate, file: Text) -> tuple[Status, str]:
        """See `Varied`: no answer is as sure as the turn's own."""
        own = file == self.own_file
        if own and self.sure:
            return Status.OK, variation.problem or self._done(file)
        how = self._unsure if own else "unsure (less likely)"
        return Status.UNSURE, variation.problem or f"{how}: {self._done(file)}"
