"""One turn: words about a region become checked hunks, one token at a time.

A turn is a generator of events. Whoever iterates it sets the pace: not asking for the next event is
a pause, closing it discards what is unfinished. It writes nothing to disk. It knows nothing of
models, tokens and formats: an `Provider` reads the words, which nothing here looks at. Its steps
stand in `session/__init__.py`.
"""

from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from threading import RLock

from spark_tui.context.regions import Region
from spark_tui.context.symbols import is_test
from spark_tui.editing.checks import Check, run_checks, tells_much
from spark_tui.editing.hunks import Hunk, HunkPart, diff
from spark_tui.editing.review import Review
from spark_tui.editing.text import Text
from spark_tui.errors import UsageError
from spark_tui.providers.base import (
    Ability,
    AnswerFinished,
    AnswerStarted,
    PromptProgress,
    Provider,
    Talker,
    Thought,
    TokenGenerated,
    Waits,
    tokens_of,
)
from spark_tui.session.candidates import (
    SAME_EDIT,
    WHO_COULD,
    Candidate,
    Candidates,
    Offered,
    RegionSplicer,
    checked,
    in_words,
    unsure,
    whole_words,
)
from spark_tui.session.evaluator import Evaluator
from spark_tui.session.events import (
    Checked,
    Event,
    Held,
    HunkClosed,
    HunkUpdated,
    Prefill,
    Status,
    Thinking,
    Timing,
    Token,
    TurnEnded,
    TurnStarted,
)
from spark_tui.session.file_review import ReviewedFile
from spark_tui.session.half_done import Rest, find_rest
from spark_tui.session.meter import TurnMetrics
from spark_tui.session.repair.sandbox import Trial, TrialCommand
from spark_tui.session.repair.search import Fix, Mender, passes_already
from spark_tui.session.request import Request, ask_of
from spark_tui.session.token_log import TokenLog

__all__ = ["Request", "Turn"]

MOST_RUN = 6
"""Answers that are written where each is judged by a command, which takes its time."""
_LEAST_TALK = 160
"""Characters of talk from which on an answer is taken for one in words: many say a line first."""
NOTHING = "no edit found for that; say what should be different, or where with @"


class Turn:
    """One request and what came of it.

    Mutable.

    `events()` may run in one thread while another reviews: `file` is touched under `lock` only.

    Args:
        turn_id: Names it.
        base: The file as it is now.
        answerer: Writes for this turn alone while `events()` is iterated.
        command: What every answer must pass besides.
        begun: How the text of every answer begins, by the user's own hand; see `branching`.

    Raises:
        UsageError: An option out of range, or a region that leaves no room to answer.
    """

    asked: str = ""
    """The id of the hunk that is written anew, in the review of the turn before; "" in most
    turns.
    """
    asked_at: int | None = None
    """Its number there."""
    said = ""
    """What a chat model answered instead of an edit, in words."""
    writers: tuple[str, ...] = ("",)
    """The models that were asked for this request, the one that writes this turn last."""

    def __init__(
        self,
        turn_id: str,
        request: Request,
        region: Region,
        base: Text,
        answerer: Provider,
        command: TrialCommand | None = None,
        *,
        begun: str = "",
    ) -> None:
        if request.max_tokens < 1:
            raise UsageError(f"max-tokens is {request.max_tokens}; choose one from 1")
        self.id = turn_id
        self.begun_at = datetime.now(UTC)
        self.request = request
        self.region = region
        self.base = base
        self.answerer = answerer
        self.command = command
        self.begun = begun
        self.file = ReviewedFile(base, self._telling)
        """What is proposed, and what was decided of it."""
        self.status = Status.RUNNING
        self.message = ""
        self.checks: tuple[Check, ...] = ()
        self.confidence: float | None = 0.0
        """How likely what is shown is right; None where the answerer cannot know."""
        self.rest: Rest | None = None
        """What the edit may leave undone of the request."""
        self.place_chance = 1.0
        """How likely the place is the one that is meant: 1 where the words or the user named
        the place.
        """
        self.note = ""
        """What of the answer fits nowhere, and where else what is offered matters."""
        self.elsewhere: Callable[[Text], str] = lambda _: ""
        """Says of the file with an edit where else that matters."""
        self.due: Callable[[], bool] = lambda: False
        """Waits until the next token is due.

        Returns:
            Whether there is time then to look at it.
        """
        self.ask = ask_of(request, region, base, begun)
        self.trial = Trial(command, region.path, base) if command else None
        self.page = RegionSplicer(base, region)
        self.mender = Mender(self.page, self.ask.request, self.trial) if self.trial else None
        self.candidates = Candidates(base)
        self._shown: Candidate | None = None
        """The answer that is shown, once there is one."""
        self._decided = False
        self._offered: Offered | None = None
        """What is said of it, where it is an edit."""
        self.meter = TurnMetrics()
        self._judge = Evaluator(
            self.page, answerer, self.trial, self.meter, request.max_tokens, self._idle
        )
        self.tape = TokenLog(self.page, self._judge.draft)
        """The tokens so far, to look back at."""
        self._writer = answerer.write(self.ask)
        self._writing = self._judge.blank()
        """The answer that is being written, or was last."""

    is_alone = False
    """Whether it is written by a model that only edits, and no other one is named to take over."""
    before: "Turn | None" = None
    """The turn of the model that was asked first, where another one took the request over."""

    @property
    def writer(self) -> str:
        """The name of the model that writes it; "" where none does."""
        return self.writers[-1]

    @property
    def lock(self) -> RLock:
        """Guards `review`."""
        return self.file.lock

    @property
    def review(self) -> Review:
        """The file with what is decided and what is open; under `lock` only."""
        return self.file.review

    @property
    def hunks(self) -> tuple[Hunk, ...]:
        """The hunks open to review now."""
        return self.file.hunks

    @property
    def parts(self) -> tuple[HunkPart, ...]:
        """The same, those that are cut in their parts: what a decision may be about."""
        return self.file.parts

    @property
    def variations(self) -> tuple[Candidate, ...]:
        """The sound answers that are known: the turn's own first, then the likeliest."""
        return self.candidates.variations

    @property
    def words(self) -> str:
        """What a chat model says so far instead of an edit; "" where it may be about to edit."""
        is_over = self.status is not Status.RUNNING
        has_begun = self.tape.writing or (is_over and len(self.tape) > 0)
        if self.said or not (has_begun and self._writing.draft.talks):
            return self.said
        text = whole_words(self.tape.text(len(self.tape) - 1))
        return text if is_over or len(text) >= _LEAST_TALK else ""

    @property
    def is_cut(self) -> bool:
        """Whether the answer came to no end of its own, and nothing of it is offered."""
        shown = self._shown
        return self.status is Status.ABSTAINED and shown is not None and not shown.finished

    @property
    def is_empty(self) -> bool:
        """Whether a chat model answered without a word."""
        shown = self._shown
        declines = self.status is Status.ABSTAINED and shown is not None and shown.declined
        return declines and not self.said and isinstance(self.answerer, Talker)

    @property
    def unsaid(self) -> Sequence[str]:
        """The lines of an answer in words for which the message has no room."""
        told = " ".join(self.said.split()) in self.message
        return () if told else self.said.splitlines()

    @property
    def declined(self) -> Candidate | None:
        """The answer in words, where the turn ended with one."""
        return self._shown if self.said else None

    @property
    def told(self) -> str:
        """What is said of the edit that is proposed now, by how many of its hunks are open."""
        return self._offered.told(len(self.hunks)) if self._offered else self.message

    @property
    def advice(self) -> str:
        """Who could do what no edit was found for; "" where there is one, or another model was
        named.
        """
        return WHO_COULD if self.is_alone and self.message.startswith(NOTHING) else ""

    @property
    def prompt(self) -> Sequence[int]:
        """The tokens that are read before anything is written."""
        return self.answerer.prompt(self.ask.request)

    @property
    def timing(self) -> Timing:
        """What was measured so far."""
        return self.meter.timing

    @property
    def kind(self) -> str | None:
        """What kind of edit it is, once that is known."""
        return self._shown.kind if self._shown else self._writing.draft.kind

    @property
    def closed_hunks(self) -> tuple[Hunk, ...]:
        """Those of `hunks`, or the parts of them, that are fully written."""
        with self.lock:
            over = self.status is not Status.RUNNING
            review = self.review
            return tuple(
                part.hunk
                for part in (review.parts if over else review.settled(self._writing.closed_file()))
            )

    @property
    def others(self) -> list[Hunk]:
        """The hunks that stay where one is written anew."""
        return []

    @property
    def sure(self) -> bool:
        """Whether what is shown is likely enough to be right, as far as that can be known."""
        if self.rest:
            return False
        if self.fix:
            return False  # a command that passes says little of a change that nobody reasoned about
        if self.mender and self._shown and self.mender.proves(self._shown):
            return True
        if self._shown and self._shown.doubt:
            return False
        if self.confidence is None:
            return self._shown is None or tells_much(self._shown.checks)
        return self.confidence >= self.answerer.sure

    @property
    def fix(self) -> Fix | None:
        """The small change that is offered in the place of an answer, if one is."""
        return self.mender.fix if self.mender and self.candidates.proven else None

    @property
    def logprob(self) -> float:
        """The log-probability of the answer that is shown; which part of it wrote a hunk is not
        told apart.
        """
        return self._shown.logprob if self._shown else 0.0

    def tell_decision(self, *, accepted: bool) -> None:
        """Tell what answered of the first decision about its edit."""
        if self._shown and not self._decided:
            self._decided = True
            self.answerer.learn(self._shown.worst, accepted=accepted)

    def told_of(self, hunk_ids: Collection[str]) -> str:
        """The words that hunks came of; the caller holds the lock.

        Raises:
            UsageError: None such is open.
        """
        hunks = [part.hunk for part in self.review.chosen(hunk_ids)]
        each = dict.fromkeys(
            " ".join(self.words_for(one.old_lines, one.new_lines).split()) for one in hunks
        )
        return " and ".join(each)

    def words_for(self, _old: Sequence[str], _new: Sequence[str]) -> str:
        """The words that a hunk came of.

        Args:
            Its lines.
        """
        return self.request.instruction

    def show_written(self) -> None:
        """Propose all that is written by now; for whoever made the turn stop, as long as it
        stands still.
        """
        if self.tape.writing:
            self.file.propose(self.tape.file(len(self.tape) - 1))

    def events(self) -> Generator[Event, None, None]:
        """Do the turn.

        Iterate it once.

        Raises:
            SparkError: The turn cannot go on; what was closed stays in the review.
        """
        with closing(self._run()) as events, self.meter.running():
            for event in events:
                with self.meter.resting():
                    yield event

    def _run(self) -> Generator[Event, None, None]:
        try:
            yield TurnStarted(
                self.id, self.request.instruction, self.region, tokens_of(self.ask.around)
            )
            yield from self._attempt()
            while self._goes_on():
                yield from self._attempt()
            if self.mender and self._may_be_mended:
                yield from self._mend(self.mender)
            yield from self._end()
        finally:
            if self.trial:
                self.trial.close()
            if self.status is Status.RUNNING:
                self.file.propose(
                    self._writing.closed_file() if self.file.touched else self._writing.sound_file()
                )
                self.status = Status.INTERRUPTED

    def _goes_on(self) -> bool:
        """Whether to write another answer; one under review is not replaced."""
        if (
            self.file.touched
            or self.request.temperature > 0
            or (self.trial and len(self.candidates) >= MOST_RUN)
        ):
            return False
        return self.candidates.worth_another(
            self._writer.best, weighed=Ability.PROBABILITIES in self.answerer.can
        )

    @property
    def _may_be_mended(self) -> bool:
        """Whether small changes may be tried: no answer passes the command, and whose place it
        is cannot be a test.
        """
        free = not (self.file.touched or self.begun or self.asked or self.request.temperature > 0)
        return (
            free
            and not self.candidates.offers
            and not is_test(self.region.path, self.region.symbol)
        )

    def _mend(self, mender: Mender) -> Iterator[Event]:
        """Try one small change after the other."""
        self._writing = self._judge.blank()
        yield from self.file.propose(self.base)
        if found := (yield from mender.run(self.answerer, lambda: self.meter.ms / 1000)):
            self.candidates.prove(found)

    def _attempt(self) -> Iterator[Event]:
        """Write one answer and judge it."""
        self._writing = self._judge.blank()
        answer = None
        self._announced = set[tuple[str, Hunk]]()
        with closing(self._writer.write()) as items:
            for item in items:
                self.meter.count(item)
                if isinstance(item, AnswerFinished):
                    answer = item
                else:
                    yield from self._follow(item)
        self.tape.end(answer)
        if answer:
            self._writing.end(answer)
        yield from self.file.propose(self._writing.closed_file())
        yield from self._announce()
        self.candidates.add((yield from self._judge.assess(self._writing, answer)))

    def _follow(
        self, item: PromptProgress | AnswerStarted | Waits | TokenGenerated | Thought
    ) -> Iterator[Event]:
        match item:
            case Waits(line):
                yield Held(line)
            case PromptProgress(total, cached, done):
                yield Prefill(total, cached, done, self.meter.ms)
            case AnswerStarted(known=known):
                again = self.tape.writing
                self.tape.begin(known)
                self._writing = self._judge.blank(known)
                if self.begun or again:
                    yield from self.file.propose(self._writing.file())
            case TokenGenerated():
                yield from self._take(item, slowly=self.due())
            case Thought(text=text):
                yield Thinking(self.meter.thought_tokens, text, self.meter.ms)

    def _take(self, wrote: TokenGenerated, *, slowly: bool) -> Iterator[Event]:
        closed = self._writing.take(wrote)
        text = wrote.piece.decode("utf-8", "replace")
        index = self.meter.tokens - 1
        self.tape.take(wrote)
        token = Token(index, wrote.token, text, wrote.logprob, wrote.from_draft, self.meter.ms)
        showing = closed or self._writing.worth_showing(slowly=slowly)
        updates = self.file.propose(self._writing.file()) if showing else []
        yield token  # whoever stops here sees what it wrote
        yield from updates
        if closed:
            yield from self._announce()

    def _announce(self) -> Iterator[Event]:
        """The hunks that are fully written since last time; none is called checked before it is
        known how sure it is.

        Half an answer may well not parse (a try without its except): what fails is told at the end.
        """
        for hunk in self.closed_hunks:
            if (hunk.id, hunk) not in self._announced:
                self._announced.add((hunk.id, hunk))
                yield HunkClosed(hunk)

    def _end(self) -> Iterator[Event]:
        """Show the best answer."""
        best = self.candidates.best()
        with self.lock:
            self._shown = best
        self.confidence = self._chance(best)
        if self.sure and best.sound and not best.declined:
            yield from self._look_for_rest(best)
        yield from self.file.propose(best.file)
        self.checks = best.checks
        if self.checks:
            for hunk_id in (None, *(hunk.id for hunk in self.hunks)):
                yield Checked(hunk_id, self.checks)
        self._conclude(best)
        if self.status is Status.ABSTAINED and not self.file.touched:
            yield from self.file.propose(self.base)
        yield TurnEnded(self.status, self.message, self.meter.timing)

    def _look_for_rest(self, best: Candidate) -> Iterator[Event]:
        """See whether the edit makes all of what was asked; half of it is never sure."""
        after = self.page.within(best.file)
        looking = find_rest(self.answerer, self.ask.request, after)
        while True:
            try:
                next(looking)
            except StopIteration as found:
                self.rest = found.value
                return
            yield Held("")

    def _chance(self, best: Candidate) -> float | None:
        """How likely the place and the edit are right; None where the answerer cannot know."""
        if self.fix:
            return None
        if not best.sound:
            return 0.0
        chance = self._judge.chance(self.candidates, best, self.ask.request)
        return None if chance is None else chance * self.place_chance

    def _conclude(self, best: Candidate) -> None:
        """Say how the turn ended."""
        if (
            best.declined
            and best.kind is None
            and len(self.tape)
            and isinstance(self.answerer, Talker)
        ):
            self.said = self.tape.text(len(self.tape) - 1).strip()
        unmended = self.mender.problem if self.mender else ""
        if (
            problem := unmended
            or best.problem
            or ((in_words(self.said) or NOTHING) if best.declined else "")
        ):
            self.status, self.message = (
                Status.ABSTAINED,
                self._why_none(problem + passes_already(self.trial)),
            )
            return
        sure = self.sure or self.file.touched or bool(self.begun)
        found_by_trying = self.mender.told(best.file) if self.mender and self.fix else ""
        self._offer(best.file, "" if sure else found_by_trying or unsure(self.confidence))
        self.candidates.own = best

    def _why_none(self, problem: str) -> str:
        """Why no edit is offered.

        Args:
            problem: What is wrong with the best answer.
        """
        return problem

    def _offer(self, file: Text, doubt: str) -> None:
        """Say what is offered.

        Args:
            file: With the edit.
            doubt: How unsure that is, or "".
        """
        why = self._shown.doubt if self._shown else ""
        missed = self._writing.draft.missed
        notes = [why, *missed, self.elsewhere(file), self._rest_in_words(file)]
        self.note = "; ".join(filter(None, notes))
        rest = checked(self.checks, sure=not doubt)
        rest += self.note and f"; {self.note}"
        lead = f"{doubt}," if doubt else f"{self.kind or 'edit'}:"
        self._offered = Offered(lead, len(diff(self.base, file)), rest)
        self.status, self.message = Status.UNSURE if doubt else Status.OK, self._offered.told()

    def _rest_in_words(self, file: Text) -> str:
        """Say what the edit may leave undone, where it is this edit that was looked at."""
        if self.rest is None or (self.candidates.own and file != self.candidates.own.file):
            return ""
        if self.rest.line is None:
            return "not all of it may be done"
        return f"not all of it may be done: see line {self.region.start_line + self.rest.line}"

    def _idle(self, file: Text) -> str:
        """Why an edit that passes its checks is of no use all the same, or ""."""
        return SAME_EDIT if file == self.candidates.given_up else ""

    def vary(self, count: int) -> Generator[Event, None, None]:
        """Write other answers until there are `count` in all, or no likely ones are left.

        They are the likeliest that were not written yet; at a temperature above 0 they are the
        draws of the seeds that follow the turn's. The turn itself stays as it is. Needs the
        answerer as `events` does.

        Raises:
            UsageError: A count out of range.
            SparkError: The answerer cannot go on.
        """
        if self.status is not Status.RUNNING and self.candidates:
            yield from self._judge.vary(
                self._writer, self.candidates, count, by_chance=self.request.temperature > 0
            )

    def show(self, variation: Candidate, hunk_id: str | None = None) -> list[HunkUpdated]:
        """Propose another answer in place of the one proposed now: the user chose it, however
        likely it is.

        Args:
            hunk_id: What it has in the place of this hunk only.

        Returns:
            Nothing where that changes nothing.

        Raises:
            UsageError: No such hunk is open, or as `ReviewedFile.refuse_mixture`.
        """
        with self.lock:
            before = self.review.proposed
            if hunk_id is None:
                updates = self.file.replace(variation.file)
                file = variation.file
                checks = variation.checks
            else:
                if not (updates := self.file.renew(hunk_id, variation.file)):
                    return updates
                file = self.review.proposed
                checks = self.checks_since(before)
            self._shown = variation
            self.checks = checks
            if variation.problem:
                self.status = Status.UNSURE
                self.message = variation.problem
                self._offered = None
                return updates
            own = (
                self.candidates.own is not None and file == self.candidates.own.file
            )  # no other is as sure
            self._offer(
                file,
                ("" if self.sure else unsure(self.confidence)) if own else "unsure (less likely)",
            )
        return updates

    def checks_since(self, earlier: Text) -> tuple[Check, ...]:
        """The checks of what is proposed now, but for what was wrong with an earlier proposal
        already.
        """
        return run_checks(earlier, self.review.proposed, self.region.path)

    def _telling(self) -> Callable[[], None]:
        """What has all that is told of the proposal be as it is now."""
        told = self._shown, self.checks, self.status, self.message, self._offered

        def tell() -> None:
            self._shown, self.checks, self.status, self.message, self._offered = told

        return tell
