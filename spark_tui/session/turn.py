"""One turn: an instruction about a region becomes checked hunks, one token at a time.

A turn is a generator of events. Whoever iterates it sets the pace: not asking for the next event is a pause,
closing it discards what is unfinished. It writes nothing to disk.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, partial

from spark_tui.context.regions import Region
from spark_tui.editing.checks import Check, run_checks
from spark_tui.editing.format import END, NO_EDIT
from spark_tui.editing.hunks import Hunk, diff
from spark_tui.editing.intents import code_names, unheard
from spark_tui.editing.script import ScriptError
from spark_tui.editing.text import Text
from spark_tui.engine.cache import KVCache
from spark_tui.engine.draft import Drafter
from spark_tui.engine.generate import Prefilled, Step
from spark_tui.engine.library import LoadedModel
from spark_tui.engine.pace import pace_of
from spark_tui.engine.sampling import sampled
from spark_tui.engine.search import Beginning, Search
from spark_tui.engine.tokenizer import Tokenizer
from spark_tui.errors import UsageError
from spark_tui.session import answers
from spark_tui.session.attempts import Attempt, Attempts
from spark_tui.session.editable import is_editable, why_not
from spark_tui.session.events import (
    Checked,
    Event,
    HunkClosed,
    Prefill,
    Status,
    Timing,
    Token,
    Trying,
    TurnEnded,
    TurnStarted,
)
from spark_tui.session.fixing import failing
from spark_tui.session.fixing.repairs import RepairSearch
from spark_tui.session.fixing.trial import Command, Trial
from spark_tui.session.guiding import guided
from spark_tui.session.intents import PLAINLY, strange_words, sureness
from spark_tui.session.meter import Meter, Spent
from spark_tui.session.prompt import prompt_ids, words_within
from spark_tui.session.reviewed import Reviewed
from spark_tui.session.tape import Tape
from spark_tui.session.wording.asked_back import asked_back
from spark_tui.session.writing import Writing


@dataclass(frozen=True, slots=True)
class Request:
    """What the user asks for, and where.

    `path`, `among` and others are relative to the repository's root. `lines`: 1-based first and last line; `symbol`: a
    qualified name; without them the region is found, in `among` where that names files. `earlier`: words that these
    correct, the oldest first.
    """

    instruction: str
    path: str | None = None
    lines: tuple[int, int] | None = None
    symbol: str | None = None
    among: tuple[str, ...] = ()
    temperature: float = 0.0
    seed: int = 0
    max_tokens: int = 512
    earlier: tuple[str, ...] = ()


class Turn(Reviewed):
    """One instruction and what came of it. Mutable.

    `events()` may run in one thread while another reviews: the review is touched under `lock` only.

    Args: turn_id: names it. base: the file as it is now. cache: belongs to the turn while `events()` is iterated.
        command: what every answer must pass besides. speculate: whether tokens are drafted, which changes none.
        begun: the tokens that every script begins with, by the user's own hand; see `branching`.
    Raises: UsageError: an option out of range, or a region that leaves the model no room to answer.
    """

    def __init__(
        self,
        turn_id: str,
        request: Request,
        region: Region,
        base: Text,
        loaded: LoadedModel,
        cache: KVCache,
        command: Command | None = None,
        *,
        speculate: bool = True,
        begun: Sequence[int] = (),
    ) -> None:
        super().__init__(base)
        if request.max_tokens < 1:
            raise UsageError(f"max-tokens is {request.max_tokens}; choose one from 1")
        self.id, self.begun_at, self.request = turn_id, datetime.now(UTC), request
        self.region, self.words = region, words_within(region, request.instruction)
        self.status, self.message = Status.RUNNING, ""
        self.checks: tuple[Check, ...] = ()
        self.confidence = 0.0
        self.strange: Sequence[str] = ()
        self._loaded, self._cache = loaded, cache
        self.begun = tuple(begun)
        self.tape = Tape(loaded.tokenizer.piece)
        """The tokens so far, to look back at."""
        self.command = command
        self.elsewhere: Callable[[Text], str] = lambda _: ""
        """Says of the file with an edit where else that matters."""
        self.example: Callable[[], str] = str
        """Finds an instruction that would work here, for a turn without an edit to offer; may use the cache."""
        self.due: Callable[[], bool] = lambda: False
        """Waits until the next token is due. Returns: whether there is time then to look at it."""
        self.note = self.half = self._unrepaired = ""  # half: what of the words is known to be done nothing for
        self.trial = Trial(command, region.path, base) if command else None
        self.mended: RepairSearch | None = None
        """The search that found the answer, where one did; perhaps before the turn began."""
        self._meter = Meter()
        self._told: tuple[str, ...] = ()
        self._take_in(begun)
        self._writing, self._search = self._blank(), self._searching()
        self._drafter = Drafter(self._prompt, pace_of(loaded.model)) if speculate else None
        self._attempts = Attempts()
        self._announced: set[tuple[str, Hunk]] = set()
        self._latest_check: tuple[Text, tuple[Check, ...]] | None = None

    def _take_in(self, begun: Sequence[int]) -> None:
        """Make the prompt, and what guides the choice of what is written. Raises: UsageError: it is too long."""
        self._told = tuple(code_names(self.words))
        self._prompt = prompt_ids(self._loaded, self.region, self.base, self.words, self._cache.capacity)
        self._guide = self._meter.timed("choices", guided)(self._loaded, self.words, self.region, self.base, begun)
        self._leaning = self._guide.leaning

    @property
    def kind(self) -> str | None:
        """The kind of edit the model chose, once it has."""
        return self._writing.kind

    @property
    def prompt(self) -> Sequence[int]:
        """The tokens that the model reads before it writes."""
        return self._prompt

    @property
    def spelling(self) -> Tokenizer:
        """How text becomes tokens."""
        return self._loaded.tokenizer

    @property
    def timing(self) -> Timing:
        """What was measured so far."""
        return self._meter.timing

    @property
    def spent(self) -> Spent:
        """Where the time went so far."""
        return self._meter.spent

    @property
    def closed_hunks(self) -> tuple[Hunk, ...]:
        """Those of `hunks`, or the parts of them, that are fully written."""
        with self.lock:
            over, review = self.status is not Status.RUNNING, self.review
            return tuple(part.hunk for part in (review.parts if over else review.settled(self._writing.closed_file())))

    @property
    def attempted(self) -> bool:
        """Whether the model was asked at all."""
        return bool(self._attempts)

    @property
    def first(self) -> Attempt:
        """The first attempt that was made."""
        return self._attempts.first

    @property
    def best(self) -> Attempt:
        """The attempt that is shown."""
        return self._attempts.best()[0]

    def logprob(self, hunk: Hunk) -> float:
        """The log-probability of the tokens that wrote a hunk of `base`."""
        return self._writing.logprob(hunk)

    @contextmanager
    def resting(self) -> Iterator[None]:
        """Count no time: something holds the turn up between two events."""
        self._meter.rest()
        try:
            yield
        finally:
            self._meter.go_on()

    @cached_property
    def _asked(self) -> answers.Asked:
        return answers.Asked(self.words, self.region, self._writing.lines, self.base.lines)

    def _done(self, file: Text) -> str:
        """What is said of an edit that is offered. Args: file: with it."""
        hunks = len(diff(self.base, file))
        self.note = self.elsewhere(file)
        return answers.done(self.kind or "edit", hunks, self.checks) + (f"; {self.note}" if self.note else "")

    def _blank(self) -> Writing:
        return Writing(self.base, self.region, self._guide, self._loaded.tokenizer, self._told)

    def _searching(self) -> Search:
        return Search(
            self._loaded.model,
            self._cache,
            self._prompt,
            sampler=sampled(self.request.temperature, self.request.seed),
            max_tokens=min(self.request.max_tokens, self._cache.capacity - len(self._prompt)),
            stop_ids={self._end_id},
            begun=self.begun,
            sharpness=self._sharpness,
        )

    @property
    def _end_id(self) -> int:
        """The token that ends a script."""
        return self._loaded.tokenizer.special(END.name)

    @property
    def _sharpness(self) -> float:
        return self._guide.sharpness

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
            told, plain = self.request.instruction, bool(self._guide.plain)
            problem = why_not(told, self.region, self.base, plain=plain)
            if not problem and (problem := asked_back(told, (told,), self.region, self.base)):
                self.example = str
            if not problem and self.trial and failing.asks_for_repair(told, self._leaning):
                yield from self.trial.run_unedited(Trying())
                problem = yield from failing.hopeless(self.trial, self._asked)
            if problem:
                self._abstain(problem)
                yield TurnEnded(self.status, self.message, self._meter.timing)
                return
            yield from self._answer()
            yield from self._end()
        finally:
            if self.trial:
                self.trial.close()
            if self.status is Status.RUNNING:
                self.propose(self._writing.closed_file() if self.touched else self._writing.sound_file())
                self.status = Status.INTERRUPTED

    def _answer(self) -> Iterator[Event]:
        """Make attempts, and where none will do, look for a repair, unless one was found already."""
        if self.mended:
            return self._take_repair(self.mended)
        self._cache.recall(self._prompt)
        while True:
            yield from self._attempt(self._search.begin() or Beginning())
            if not self._goes_on():
                break
        if self.trial and self._may_be_repaired(self.trial):
            yield from self._repair(self.trial)

    def _goes_on(self) -> bool:
        """Whether to make another attempt; one under review is not replaced."""
        return not (self.touched or self.request.temperature > 0) and self._attempts.worth_another(self._search.best)

    def _attempt(self, beginning: Beginning) -> Iterator[Event]:
        """Write one script and judge it."""
        self._writing = self._blank()
        self._announced.clear()
        logprob = beginning.logprob
        self.tape.begin(self._blank, [known.token_id for known in beginning.steps])
        try:
            for known in beginning.steps:
                self._writing.take(known)
            if self.begun:
                yield from self.propose(self._writing.file())
            self._expect([known.token_id for known in beginning.steps])
            allowed = self._meter.timed("choices", self._writing.allowed)
            for item in self._meter.computed(self._search.write(beginning, allowed, self._drafter)):
                self._meter.count(item)
                if isinstance(item, Prefilled):
                    yield Prefill(item.prompt_tokens, item.cached_tokens, item.done_tokens, self._meter.ms)
                else:
                    logprob += item.logprob
                    yield from self._take(item, slowly=self.due())
            problem = ""
        except ScriptError:
            problem = answers.does_not_fit(self.kind, self._asked)
        self.tape.end()
        yield from self.propose(self._writing.closed_file())
        yield from self._announce()
        self._attempts.add((yield from self._assess(self._writing, logprob, problem)))

    def _assess(self, writing: Writing, logprob: float, problem: str) -> Generator[Trying, None, Attempt]:
        """A script that is written, with its checks. Args: problem: what is known to be wrong with it, or ""."""
        file = writing.closed_file()
        checks: tuple[Check, ...] = ()
        with self._meter.doing("checks"):
            if not problem and writing.finished and file != self.base:
                checks = yield from self._final_checks(writing, file)
            return Attempt(writing, logprob, file, checks, problem or self._problem(writing, file, checks))

    def _final_checks(self, writing: Writing, file: Text) -> Generator[Trying, None, tuple[Check, ...]]:
        checks = (*self._checked(file), *writing.checks())
        if self.trial is not None and all(check.ok for check in checks):
            checks = (*checks, (yield from self.trial.run(file, Trying())))
        return checks

    @property
    def _fails_now(self) -> bool:
        """Whether the user's command is known to fail without an edit."""
        return bool(self.trial and self.trial.passed_before is False)

    def _may_be_repaired(self, trial: Trial) -> bool:
        """Whether one was asked for, the command fails, and the model wrote none that passes for a good reason."""
        meant = self._attempts.first.writing.kind in failing.repair_kinds()
        meant = meant or failing.asks_for_repair(self.request.instruction, self._leaning)
        held = self._attempts.offers(self.base) and not failing.is_doubtful(trial, self._writing.lines, self.best)
        return meant and self._fails_now and not self.touched and not held

    def _repair(self, trial: Trial) -> Iterator[Event]:
        """Try one small change after the other."""
        self._writing = self._blank()
        yield from self.propose(self.base)
        search = RepairSearch(self.base, self._asked, trial, again=self._attempts.offers(self.base))
        yield from search.run(self._loaded, self._cache, self._prompt, lambda: self._meter.ms / 1000)
        self._take_repair(search)
        self._unrepaired = "" if search.found else search.problem

    def _take_repair(self, search: RepairSearch) -> None:
        if found := search.found:
            self.mended, repair = search, found.repair
            self._writing.take_all(repair.script(self._writing.frame), repair.logprob)
            self._attempts.prove(Attempt(self._writing, repair.logprob, found.file, found.checks, ""))

    def _expect(self, begun: Sequence[int] | None = None) -> None:
        """Tell the drafter what is likely to come. Args: begun: how a new script begins."""
        if self._drafter is None:
            return
        if begun is not None:
            self._drafter.begin(begun)
        if self._drafter.lost and (expected := self._writing.expected()) is not None:
            self._drafter.expect(expected)

    def show_written(self) -> None:
        """Propose all that is written by now; for whoever made the turn stop, as long as it stands still."""
        if self.tape.writing:
            self.propose(self.tape.file(len(self.tape) - 1))

    def _take(self, step: Step, *, slowly: bool) -> Iterator[Event]:
        text, closed = self._writing.take(step)
        self._expect()
        index = self._meter.tokens - 1
        self.tape.take(step)
        token = Token(index, step.token_id, text, step.logprob, step.from_draft, self._meter.ms)
        with self._meter.doing("choices"):
            showing = closed or ((slowly or self._writing.worth_showing) and not self._writing.in_the_balance)
        updates = self.propose(self._writing.file()) if showing else []
        yield token  # whoever stops here sees what it wrote
        yield from updates
        if closed:
            yield from self._announce()

    def _announce(self) -> Iterator[Event]:
        """The hunks that are fully written since last time, with their checks if they pass.

        Half a script may well not parse (a try without its except): what fails is told at the end.
        """
        new = [hunk for hunk in self.closed_hunks if (hunk.id, hunk) not in self._announced]
        with self._meter.doing("checks"):
            checks = self._checked(self._writing.closed_file()) if new else ()
        for hunk in new:
            self._announced.add((hunk.id, hunk))
            yield HunkClosed(hunk)
            if all(check.ok for check in checks):
                yield Checked(hunk.id, checks)

    def _checked(self, text: Text) -> tuple[Check, ...]:
        if self._latest_check is None or self._latest_check[0] != text:
            self._latest_check = text, run_checks(self.base, text, self.region.path, told=self._told)
        return self._latest_check[1]

    def _end(self) -> Iterator[Event]:
        """Show the best attempt."""
        best, likely = self._attempts.best()
        with self.lock:
            self._writing = best.writing
        with self._meter.doing("checks"):
            self._weigh(best, likely)
        yield from self.propose(best.file)
        self.checks = best.checks
        if self.checks:
            for hunk_id in (None, *(hunk.id for hunk in self.hunks)):
                yield Checked(hunk_id, self.checks)
        with self._meter.doing("checks"):
            self._judge(self._unrepaired or best.problem or self._doubt())
        if self.status is Status.ABSTAINED and not self.touched:
            yield from self.propose(self.base)
        yield TurnEnded(self.status, self.message, self._meter.timing)

    def _weigh(self, best: Attempt, likely: float) -> None:
        """See how sure the best attempt is. Args: likely: how probable."""
        asked = self._loaded, self.kind or "", self.words, self._writing.lines
        unusual = strange_words(*asked)
        self.strange = [*unusual, *unheard(self.words, self._writing.lines, best.writing.closed_lines)]
        plain = bool(likely) and self.kind == self._guide.plain
        self.confidence = PLAINLY if plain else sureness(*asked, likely=likely, strange=len(unusual))

    def _judge(self, problem: str) -> None:
        if problem:
            self._abstain(problem)
            return
        self.status, self.message = Status.OK, self._done(self._writing.closed_file())
        if self.mended:
            self.message += self.mended.told
        elif self.trial:
            self.message += failing.doubt(self.trial, self._asked, self.best)

    def _abstain(self, problem: str) -> None:
        self.status, self.message = Status.ABSTAINED, problem
        if self.trial:
            self.message += failing.passes_already(self.trial, problem)
        elif is_editable(self.region, self.base) and not self._asked.explained:
            self.message += answers.such_as(self.example())

    def _doubt(self) -> str:
        """Why a sound answer is not offered."""
        if self.kind == NO_EDIT:
            return answers.not_understood(self._asked)
        if self.touched or self.begun or self._fails_now:
            return ""
        told = self._asked.untold or self._asked.nonsense(self._writing, self.confidence, self.strange)
        if self.trial:
            told = failing.unshown(self.trial, self.kind, self._writing.closed_lines, self._asked)
        if told or self.confidence < self._loaded.config.min_confidence:
            return told or answers.unsure(self.kind or "edit", self._asked, self.strange)
        elsewhere = partial(self.elsewhere, self._writing.closed_file())
        return self._asked.absence or answers.not_everywhere(self.kind, self._asked, elsewhere)

    def _problem(self, writing: Writing, file: Text, checks: tuple[Check, ...]) -> str:
        """What is wrong with a script that was written to its end, or ""."""
        kind = writing.kind
        if kind is None or not writing.finished:
            return answers.too_long(kind, self._asked, self._meter.tokens)
        if file == self.base:
            if kind == NO_EDIT:
                return answers.not_understood(self._asked) if self._fails_now else ""
            return answers.nothing_changed(kind, self._asked)
        if not all(check.ok for check in checks):
            return answers.failed(kind, self._asked, checks)
        after, asked = writing.closed_lines, self._asked
        return "" if self.begun else asked.spared(after) or ("" if self._fails_now else asked.unfounded(after))
