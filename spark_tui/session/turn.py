"""One turn: words about a region become checked hunks, one token at a time.

A turn is a generator of events, and whoever iterates it sets the pace: not asking for the next
event is a pause, and closing the generator discards what is unfinished. A turn writes nothing to
disk. It knows nothing of models, tokens and formats; a `Provider` reads the words, and nothing here
looks at them. The steps of a turn are listed in `session/__init__.py`.
"""

from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from enum import Enum, auto
from threading import RLock

from spark_tui.context.regions import Region
from spark_tui.context.symbols import is_test
from spark_tui.editing.checks import Check, run_checks, tells_much
from spark_tui.editing.hunks import Hunk, HunkPart, diff
from spark_tui.editing.review import Review
from spark_tui.editing.text import Text
from spark_tui.errors import SparkError, UsageError
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
    MOST_JUDGED,
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
from spark_tui.session.language_servers.type_check import TypeChecker
from spark_tui.session.meter import TurnMetrics
from spark_tui.session.repair.sandbox import Trial, TrialCommand
from spark_tui.session.repair.search import Fix, Mender, passes_already
from spark_tui.session.request import Request, ask_of
from spark_tui.session.second_model import SecondModel
from spark_tui.session.token_log import TokenLog
from spark_tui.vcs.atomic_write import FileChange
from spark_tui.vcs.repository import Repository

__all__ = ["Request", "Turn", "Verdict"]

MOST_RUN = 6
"""Answers written when a command judges each, which takes its time."""
_LEAST_TALK = 160
"""Characters from which on talk counts as an answer in words: many say a line first."""
NOTHING = "no edit found for that; say what should be different, or where with @"


class Verdict(Enum):
    """What a second model found of an answer that is shown already."""

    NONE = auto()
    """Nothing that still matters."""
    SAME = auto()
    """It prefers this answer, too."""
    OTHER = auto()
    """It prefers another one, which is the next."""
    CHANGED = auto()
    """It prefers another one, which is shown now."""


class Turn:
    """One request and what came of it.

    Mutable: `events()` may run in one thread while another reviews; `file` is touched under `lock`
    only.

    Args:
        turn_id: The name of the turn.
        base: The file as it is now.
        answerer: Writes for this turn alone while `events()` is iterated.
        command: A command that every answer must pass besides.
        begun: The text that every answer begins with, written by the user; see `with_words`.

    Raises:
        UsageError: An option is out of range, or the region leaves no room to answer.
    """

    asked: str = ""
    """The id of the hunk that is written anew, in the review of the turn before; else ""."""
    asked_at: int | None = None
    """The number of that hunk in that review."""
    reply = ""
    """What a chat model answered in words, instead of an edit."""
    undecided = "none of that was written"
    """What is true of hunks that are left undecided."""
    is_change = False
    """Whether the turn reviews a change that no model made."""
    task = ""
    """The id of the task whose outcome the turn reviews; "" for none."""
    missing: Text | None = None
    """The text in the review of a file that is not there; None: the review leaves the file out."""
    rewriter: "Callable[[Repository, str, Request, Provider, Turn, str], Turn] | None" = None
    """Makes the turn that writes a hunk anew, where that is not `AgainTurn`."""
    writers: tuple[str, ...] = ("",)
    """The models asked for this request; the last one writes this turn."""
    second: SecondModel | None = None
    """Judges the answers where the first one is not sure; None: nobody does."""
    is_judged_later = False
    """Whether the turn ends before the second model judges; `have_judged` then lets it."""
    types: TypeChecker | None = None
    """Tells whether an edit adds an error of types; None: nobody does."""

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
        """The proposal, and what was decided of it."""
        self.status = Status.RUNNING
        self.message = ""
        self.checks: tuple[Check, ...] = ()
        self.confidence: float | None = 0.0
        """How likely the answer shown is right; None where the answerer cannot know."""
        self.rest: Rest | None = None
        """What the edit may leave undone of the request."""
        self.place_chance = 1.0
        """How likely the place is the intended one; 1 where the words or the user named it."""
        self.unjudged = ""
        """Why a second model did not judge the answers; "" where it did, or was not asked."""
        self.note = ""
        """What of the answer fits nowhere, and where else the edit matters."""
        self.elsewhere: Callable[[Text], str] = lambda _: ""
        """Tells, for the file with an edit, where else that matters."""
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
        """The answer shown, once there is one."""
        self._decided = False
        self._offered: Offered | None = None
        """What is said of the answer, where it is an edit."""
        self.meter = TurnMetrics()
        self._evaluator = Evaluator(
            self.page,
            answerer,
            self.ask.surroundings,
            self.trial,
            self.meter,
            request.max_tokens,
            self._idle,
            self._check_types,
        )
        self.tape = TokenLog(self.page, self._evaluator.draft)
        """The tokens so far, to look back at."""
        self._writer = answerer.write(self.ask)
        self._writing = self._evaluator.blank()
        """The answer being written, or the last one."""

    is_alone = False
    """Whether the model only edits, and no other model is named to take over."""
    has_heir = False
    """Whether another model is asked as soon as the first answer is not sure."""
    before: "Turn | None" = None
    """The turn of the model asked first, where another one took the request over."""

    @property
    def written_by(self) -> tuple[str, ...]:
        """The models whose answer the edit is: two where both prefer it; none without an edit."""
        own = self.candidates.own
        if not (self.writer and self.status.offers):
            return ()
        is_own = own is not None and self._shown is not None and self._shown.file == own.file
        if self.second and is_own and self.candidates.are_agreed:
            return self.writer, self.second.name
        return (self.writer,)

    @property
    def writer(self) -> str:
        """The name of the model that writes the turn; "" where none does."""
        return self.writers[-1]

    def writer_of(self, _hunk: Hunk) -> "Turn | None":
        """The turn that wrote a hunk of this review; None where no model did."""
        return self

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
        """The hunks that a decision may be about: those that are cut, in their parts."""
        return self.file.parts

    @property
    def variations(self) -> tuple[Candidate, ...]:
        """The sound answers so far: the turn's own first, then the likeliest."""
        return self.candidates.variations

    @property
    def words(self) -> str:
        """The answer in words so far, instead of an edit; "" while an edit may yet come."""
        is_over = self.status is not Status.RUNNING
        has_begun = self.tape.writing or (is_over and len(self.tape) > 0)
        if self.reply or not (has_begun and self._writing.draft.talks):
            return self.reply
        text = whole_words(self.tape.text(len(self.tape) - 1))
        return text if is_over or len(text) >= _LEAST_TALK else ""

    @property
    def is_cut(self) -> bool:
        """Whether the answer was cut off before its end, and nothing of it is offered."""
        shown = self._shown
        return self.status is Status.ABSTAINED and shown is not None and not shown.finished

    @property
    def is_empty(self) -> bool:
        """Whether a chat model answered without a word."""
        shown = self._shown
        declines = self.status is Status.ABSTAINED and shown is not None and shown.declined
        return declines and not self.reply and isinstance(self.answerer, Talker)

    @property
    def unsaid(self) -> Sequence[str]:
        """The lines of an answer in words for which the message has no room."""
        is_in_message = " ".join(self.reply.split()) in self.message
        return () if is_in_message else self.reply.splitlines()

    @property
    def declined(self) -> Candidate | None:
        """The answer in words, where the turn ended with one."""
        return self._shown if self.reply else None

    @property
    def outcome(self) -> str:
        """The sentence about the edit proposed now; it counts the hunks that are open."""
        return self._offered.sentence(len(self.hunks)) if self._offered else self.message

    @property
    def advice(self) -> str:
        """Who could edit where no edit was found; "" where one was, or another model is named."""
        return WHO_COULD if self.is_alone and self.message.startswith(NOTHING) else ""

    @property
    def prompt(self) -> Sequence[int]:
        """The tokens read before anything is written."""
        return self.answerer.prompt(self.ask.request)

    @property
    def timing(self) -> Timing:
        """The figures measured so far."""
        return self.meter.timing

    @property
    def kind(self) -> str | None:
        """The kind of edit, once known."""
        return self._shown.kind if self._shown else self._writing.draft.kind

    @property
    def closed_hunks(self) -> tuple[Hunk, ...]:
        """The open hunks, or parts of them, that are fully written."""
        with self.lock:
            if self.status is Status.RUNNING:
                parts = self.review.settled(self._writing.closed_file())
            else:
                parts = self.review.parts
            return tuple(part.hunk for part in parts)

    @property
    def others(self) -> list[Hunk]:
        """The hunks that stay when one is written anew."""
        return []

    @property
    def sure(self) -> bool:
        """Whether the answer shown is likely enough to be right, as far as known."""
        if self.rest:
            return False
        if self.fix:
            return False  # found by trying: passing a command alone says little
        # A command that failed before and passes now proves more than any probability.
        if self.mender and self._shown and self.mender.proves(self._shown):
            return True
        if self._shown and self._shown.doubt:
            return False
        if self.confidence is None:
            return self._shown is None or tells_much(self._shown.checks)
        least = self.answerer.sure
        if self.candidates.are_agreed:
            least = min(least, self.answerer.agreed)
        return self.confidence >= least

    @property
    def fix(self) -> Fix | None:
        """The small change offered in place of an answer, if any."""
        return self.mender.fix if self.mender and self.candidates.proven else None

    @property
    def logprob(self) -> float:
        """The log-probability of the answer shown; it is not split among hunks."""
        return self._shown.logprob if self._shown else 0.0

    def tell_decision(self, *, accepted: bool) -> None:
        """Tell the answerer the first decision about its edit."""
        if self._shown and not self._decided:
            self._decided = True
            self.answerer.learn(self._shown.worst, accepted=accepted)

    def told_of(self, hunk_ids: Collection[str]) -> str:
        """The instructions that hunks came from; the caller holds the lock.

        Raises:
            UsageError: No such hunk is open.
        """
        instructions = []
        for part in self.review.chosen(hunk_ids):
            words = self.words_for(part.hunk.old_lines, part.hunk.new_lines)
            instructions.append(" ".join(words.split()))
        return " and ".join(filter(None, dict.fromkeys(instructions))) or self.request.instruction

    def words_for(self, _old: Sequence[str], _new: Sequence[str]) -> str:
        """The instruction that a hunk came from.

        Args:
            _old, _new: The lines of the hunk.
        """
        return self.request.instruction

    def as_files(self, changes: Iterable[FileChange]) -> tuple[FileChange, ...]:
        """Changes of the turn's files as they are to be written."""
        return tuple(changes)

    def show_written(self) -> None:
        """Propose everything written so far; only while the turn stands still."""
        if self.tape.writing:
            self.file.propose(self.tape.file(len(self.tape) - 1))

    def events(self) -> Generator[Event, None, None]:
        """Run the turn; iterate it once.

        Raises:
            SparkError: The turn cannot go on; the closed hunks stay in the review.
        """
        # What the consumer does between two events, a pause included, does not count as the turn's.
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
            if self.second is not None and self.may_be_judged:
                self.second.load_ahead()  # beside the further answers
            # The likeliest answer is on the screen; further ones tell how sure it is, or replace
            # it.
            while self._goes_on():
                yield from self._attempt()
            if self.mender and self._may_be_mended:
                yield from self._mend(self.mender)
            if not self.is_judged_later:
                yield from self.have_judged()
            yield from self._end()
        finally:
            if self.trial:
                self.trial.close()
            # The consumer closed the generator, or something was raised. What is left ends in a
            # form that parses, unless the user has already decided about parts of it.
            if self.status is Status.RUNNING:
                if self.file.touched:
                    self.file.propose(self._writing.closed_file())
                else:
                    self.file.propose(self._writing.sound_file())
                self.status = Status.INTERRUPTED

    def _goes_on(self) -> bool:
        """Whether to write another answer; one under review is not replaced."""
        # No other answer during a review, which it would disturb; at a temperature, where answers
        # are draws; beyond what a slow command allows; or where the next model is asked instead.
        if (
            self.file.touched
            or self.request.temperature > 0
            or (self.trial and len(self.candidates) >= MOST_RUN)
            or (self.has_heir and not self._may_stand)
        ):
            return False
        return self.candidates.worth_another(
            self._writer.best, weighed=Ability.PROBABILITIES in self.answerer.can
        )

    @property
    def _may_stand(self) -> bool:
        """Whether the answers so far are sure of an edit, which further ones may yet refute."""
        best = self.candidates.best()
        chance = self._chance(best)
        is_edit = best.sound and not best.declined and not best.doubt
        return is_edit and chance is not None and chance >= self.answerer.sure

    @property
    def _may_be_mended(self) -> bool:
        """Whether small changes may be tried.

        No answer passes the command, and the place is no test.
        """
        # A small change to a test may make it pass and repair nothing.
        free = not (self.file.touched or self.begun or self.asked or self.request.temperature > 0)
        return (
            free
            and not self.candidates.offers
            and not is_test(self.region.path, self.region.symbol)
        )

    def _mend(self, mender: Mender) -> Iterator[Event]:
        """Try one small change after another."""
        self._writing = self._evaluator.blank()
        yield from self.file.propose(self.base)
        if found := (yield from mender.run(self.answerer, lambda: self.meter.ms / 1000)):
            self.candidates.prove(found)

    @property
    def may_be_judged(self) -> bool:
        """Whether a second model may choose among the answers: none is sure, and nobody chose."""
        is_bound = self.file.touched or self.begun or self.asked or self.trial
        if is_bound or self.request.temperature > 0 or not self.candidates.offers:
            return False
        if self.second is None or self.candidates.are_judged:
            return False
        best = self.candidates.best()
        chance = self._chance(best)
        return chance is not None and (chance < self.answerer.sure or bool(best.doubt))

    def have_judged(self) -> Generator[Event, None, None]:
        """Write further answers, and let the second model choose among all of them.

        What a turn that has ended shows stays as it is; `take_verdict` goes by the choice. Needs
        the answerer as `events` does.
        """
        second = self.second
        if second is None or not self.may_be_judged:
            return
        second.load_ahead()
        yield Held(f"{second.name} judges the answers")
        others = self._evaluator.vary(self._writer, self.candidates, MOST_JUDGED, by_chance=False)
        for _ in others:
            yield Held("")  # says nothing, but lets the consumer pause or stop the work
        files = [candidate.file for candidate, _ in self.candidates.ranked()[:MOST_JUDGED]]
        if len(files) < 2:
            return
        yield Held("")
        results = [self.page.within(file) for file in files]
        judging = second.weigh(self.ask.request, results)
        while True:
            try:
                next(judging)
            except StopIteration as end:
                self.candidates.judge(dict(zip(files, end.value, strict=True)))
                break
            except SparkError as error:
                self.unjudged = f"{second.name} did not judge it: {error}"
                return
            yield Held("")
        own = self.candidates.own
        if own is not None and self.candidates.are_agreed and self.sure:
            yield from self._look_for_rest(own)

    def take_verdict(self, *, may_change: bool) -> Verdict:
        """Tell what the second model found of a turn that has ended, and go by it.

        Args:
            may_change: Whether the answer that it prefers may take the place of the one shown.
        """
        own = self.candidates.own
        with self.lock:
            if own is None or self.file.touched or not self.file.is_whole(own.file):
                return Verdict.NONE
            if not self.candidates.are_judged:
                return Verdict.NONE
            # Also where no edit is likelier still: what is on the screen is not taken away.
            ranked = [candidate for candidate, _ in self.candidates.ranked()]
            preferred = next(each for each in ranked if each.file != self.base)
            if preferred.file == own.file:
                self._offer(own.file, "" if self.sure else unsure(self.confidence))
                return Verdict.SAME
            if not may_change:
                return Verdict.OTHER
            self.candidates.prefer(preferred)
            self.confidence = self._chance(preferred)
            self.show(preferred)
            return Verdict.CHANGED

    def _attempt(self) -> Iterator[Event]:
        """Write one answer and judge it."""
        self._writing = self._evaluator.blank()
        answer = None
        self._announced = set[tuple[str, Hunk]]()
        with closing(self._writer.write()) as items:
            for item in items:
                self.meter.count(item)
                match item:
                    case Waits() | PromptProgress() | Thought():
                        yield self._progress(item)
                    case AnswerStarted():
                        yield from self._begin(item)
                    case TokenGenerated():
                        # Waits for the pace, if there is one; with time to spare every token is
                        # shown.
                        slowly = self.due()
                        closed = self._writing.take(item)
                        self.tape.take(item)
                        updates: list[HunkUpdated] = []
                        if closed or self._writing.worth_showing(slowly=slowly):
                            updates = self.file.propose(self._writing.file())
                        # Tape and proposal come first: a pause at this event shows this very token.
                        yield self._token(item)
                        yield from updates
                        if closed:
                            yield from self._announce()
                    case AnswerFinished():
                        answer = item
        self.tape.end(answer)
        if answer:
            self._writing.end(answer)
        # A line that is still open at the end counts for nothing: only closed parts are judged.
        yield from self.file.propose(self._writing.closed_file())
        yield from self._announce()
        self.candidates.add((yield from self._evaluator.assess(self._writing, answer)))

    def _begin(self, started: AnswerStarted) -> Iterator[Event]:
        """Make room for an answer; an answer that begins anew replaces what was shown of it."""
        # Read before the tape begins the new answer.
        again = self.tape.writing
        self.tape.begin(started.known)
        self._writing = self._evaluator.begin(started)
        if self.begun or again:
            yield from self.file.propose(self._writing.file())

    def _progress(self, item: Waits | PromptProgress | Thought) -> Event:
        """The event of what comes before the first piece of an answer."""
        match item:
            case Waits(line):
                return Held(line)
            case PromptProgress(total, cached, done):
                return Prefill(total, cached, done, self.meter.ms)
            case Thought(text=text):
                return Thinking(self.meter.thought_tokens, text, self.meter.ms)

    def _token(self, wrote: TokenGenerated) -> Token:
        """The event of a piece that was just written."""
        text = wrote.piece.decode("utf-8", "replace")
        index = self.meter.tokens - 1
        return Token(index, wrote.token, text, wrote.logprob, wrote.from_draft, self.meter.ms)

    def _announce(self) -> Iterator[Event]:
        """Report the hunks that were fully written since the last time.

        No hunk is called checked here: half an answer may well not parse (a try without its
        except), so checks are reported at the end.
        """
        for hunk in self.closed_hunks:
            if (hunk.id, hunk) not in self._announced:
                self._announced.add((hunk.id, hunk))
                if self.types is not None:
                    # The language server starts on the closed part, so that its verdict is there at
                    # the end.
                    closed = self._writing.closed_file()
                    self.types.foresee(self.base, closed, self.region.path)
                yield HunkClosed(hunk)

    def _end(self) -> Iterator[Event]:
        """Show the best answer."""
        best = self.candidates.best()
        # `show`, in the interface's thread, sets it under the same lock.
        with self.lock:
            self._shown = best
        self.confidence = self._chance(best)
        # The second look costs the model a pass or more, and only a sure edit could be called too
        # sure.
        if self.sure and best.sound and not best.declined:
            yield from self._look_for_rest(best)
        yield from self.file.propose(best.file)
        self.checks = best.checks
        if self.checks:
            for hunk_id in (None, *(hunk.id for hunk in self.hunks)):
                yield Checked(hunk_id, self.checks)
        self._conclude(best)
        # Nothing is offered: what was streamed leaves the screen, unless the user decided some of
        # it.
        if self.status is Status.ABSTAINED and not self.file.touched:
            yield from self.file.propose(self.base)
        yield TurnEnded(self.status, self.message, self.meter.timing)

    def _look_for_rest(self, best: Candidate) -> Iterator[Event]:
        """See whether the edit does everything that was asked; half of that is never sure."""
        after = self.page.within(best.file)
        search = find_rest(self.answerer, self.ask.request, after)
        while True:
            try:
                next(search)
            except StopIteration as found:
                self.rest = found.value
                return
            yield Held("")  # says nothing, but lets the consumer pause or stop the search

    def _chance(self, best: Candidate) -> float | None:
        """How likely the place and the edit are right; None where the answerer cannot know."""
        if self.fix:
            return None
        if not best.sound:
            return 0.0
        chance = self._evaluator.chance(self.candidates, best, self.ask.request)
        return None if chance is None else chance * self.place_chance

    def _conclude(self, best: Candidate) -> None:
        """Set the status and the message of the end."""
        # A chat model that wrote words and no code block: the words are its reply.
        if (
            best.declined
            and best.kind is None
            and len(self.tape)
            and isinstance(self.answerer, Talker)
        ):
            self.reply = self.tape.text(len(self.tape) - 1).strip()
        if problem := self._problem(best):
            message = self._why_none(problem + passes_already(self.trial))
            self.status = Status.ABSTAINED
            self.message = message
            return
        doubt = ""
        if not (self.sure or self.file.touched or self.begun):
            found_by_trying = self.mender.provenance(best.file) if self.mender and self.fix else ""
            doubt = found_by_trying or unsure(self.confidence)
        self._offer(best.file, doubt)
        self.candidates.own = best

    def _problem(self, best: Candidate) -> str:
        """Why the best answer is not offered, or ""."""
        if self.mender and self.mender.problem:
            return self.mender.problem
        if best.problem or not best.declined:
            return best.problem
        return in_words(self.reply) or NOTHING

    def _why_none(self, problem: str) -> str:
        """Why no edit is offered.

        Args:
            problem: What is wrong with the best answer.
        """
        return problem

    def _offer(self, file: Text, doubt: str) -> None:
        """Set the status and the message of an edit that is offered.

        Args:
            file: The file with the edit.
            doubt: How unsure the edit is, or "".
        """
        why = self._shown.doubt if self._shown else ""
        missed = self._writing.draft.missed
        notes = [why, *missed, self.unjudged, self.elsewhere(file), self._rest_in_words(file)]
        self.note = "; ".join(filter(None, notes))
        rest = checked(self.checks, sure=not doubt)
        if self.note:
            rest += f"; {self.note}"
        lead = f"{doubt}," if doubt else f"{self.kind or 'edit'}:"
        self._offered = Offered(lead, len(diff(self.file.base, file)), rest)
        message = self._offered.sentence()
        self.status = Status.UNSURE if doubt else Status.OK
        self.message = message

    def _rest_in_words(self, file: Text) -> str:
        """What the edit may leave undone, or "" for an edit that was not examined."""
        if self.rest is None or (self.candidates.own and file != self.candidates.own.file):
            return ""
        if self.rest.line is None:
            return "not all of it may be done"
        return f"not all of it may be done: see line {self.region.start_line + self.rest.line}"

    def _check_types(self, file: Text) -> Generator[Held, None, Check | None]:
        """Check the types of an edit; None where nobody can tell.

        Args:
            file: The file with the edit.
        """
        if self.types is None:
            return None
        return (yield from self.types.wait_for_check(self.base, file, self.region.path))

    def _idle(self, file: Text) -> str:
        """Why an edit that passes its checks is of no use all the same, or ""."""
        return SAME_EDIT if file == self.candidates.given_up else ""

    def vary(self, count: int, of: "Turn | None" = None) -> Generator[Event, None, None]:
        """Write other answers until there are `count` in all, or no likely ones are left.

        They are the likeliest that were not written yet; at a temperature above 0 they are the
        draws of the seeds that follow the turn's. The turn itself stays as it is. Needs the
        answerer as `events` does.

        Args:
            count: Answers in all.
            of: The turn whose answers they are, where another model wrote that one; None: this
                turn.

        Raises:
            UsageError: A count out of range.
            SparkError: The answerer cannot go on.
        """
        turn = of or self
        if turn.status is not Status.RUNNING and turn.candidates:
            yield from self._evaluator.vary(
                self._writer, turn.candidates, count, by_chance=self.request.temperature > 0
            )

    def show(self, variation: Candidate, hunk_id: str | None = None) -> list[HunkUpdated]:
        """Propose another answer in place of the current one, as the user chose, however likely.

        Args:
            hunk_id: Take only what the answer has in place of this hunk.

        Returns:
            Nothing where the proposal stays the same.

        Raises:
            UsageError: No such hunk is open, or as `ReviewedFile.refuse_mixture`.
        """
        with self.lock:
            # `replace` and `renew` record a step that restores the fields below, so they come
            # first.
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
            own = self.candidates.own
            # Only the turn's own answer may be sure: the chance was worked out for that answer
            # alone.
            doubt = "unsure (less likely)"
            if own is not None and file == own.file:
                doubt = "" if self.sure else unsure(self.confidence)
            self._offer(file, doubt)
        return updates

    def checks_since(self, earlier: Text) -> tuple[Check, ...]:
        """The checks of the proposal, without what was wrong with an earlier one already."""
        return run_checks(earlier, self.review.proposed, self.region.path)

    def _telling(self) -> Callable[[], None]:
        """Save what is reported of the proposal; the returned function restores that."""
        shown = self._shown
        checks = self.checks
        status = self.status
        message = self.message
        offered = self._offered

        def restore() -> None:
            self._shown = shown
            self.checks = checks
            self.status = status
            self.message = message
            self._offered = offered

        return restore
