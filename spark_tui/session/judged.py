"""Answers of an answerer, judged: each is read as it is written, checked, and kept beside the others.

What is done with them, one after the other or side by side, is decided elsewhere; see `turn`.
"""

import math
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime

from spark_tui.answering.seam import Answer, Answerer, Ask, Began, Draft, Item, Read, Wrote
from spark_tui.context.source import Region
from spark_tui.editing.checks import Check, run_checks
from spark_tui.editing.text import Text
from spark_tui.errors import UsageError
from spark_tui.session.candidates import Candidate
from spark_tui.session.events import Event, Prefill, Status, Timing, Trying, VariationEnded, VariationToken
from spark_tui.session.fixing.trial import Command, Trial
from spark_tui.session.meter import Meter, Spent
from spark_tui.session.request import Request, ask_of
from spark_tui.session.tape import Tape
from spark_tui.session.variations import LEAST, MOST, Varied
from spark_tui.session.writing import Page, Writing

_ROUNDS = 2
"""How often more variations are written in place of those that failed or came to the same."""


class Judged(Varied):
    """A request, and answers to it that are written and judged. Mutable. Args, raises: see `Turn`."""

    def __init__(
        self,
        turn_id: str,
        request: Request,
        region: Region,
        base: Text,
        answerer: Answerer,
        command: Command | None = None,
        *,
        begun: str = "",
    ) -> None:
        super().__init__(region.path, base)
        if request.max_tokens < 1:
            raise UsageError(f"max-tokens is {request.max_tokens}; choose one from 1")
        self.id, self.begun_at, self.request, self.region = turn_id, datetime.now(UTC), request, region
        self.answerer, self.command, self.begun = answerer, command, begun
        self.ask = ask_of(request, region, base, begun)
        self.trial = Trial(command, region.path, base) if command else None
        self.page = Page(base, region)
        self.tape = Tape(self.page, self._draft)
        """The tokens so far, to look back at."""
        self.confidence: float | None = 0.0
        """How likely what is shown is right; None where the answerer cannot know."""
        self.note = ""
        """Where else what is offered matters."""
        self.elsewhere: Callable[[Text], str] = lambda _: ""
        """Says of the file with an edit where else that matters."""
        self.due: Callable[[], bool] = lambda: False
        """Waits until the next token is due. Returns: whether there is time then to look at it."""
        self._meter = Meter()
        self._writer = answerer.write(self.ask)
        self._writing = self._blank()
        """The answer that is being written, or was last."""
        self._varied = 0
        """How many variations were begun."""

    @property
    def prompt(self) -> Sequence[int]:
        """The tokens that are read before anything is written."""
        return self.answerer.prompt(self.ask.request)

    @property
    def timing(self) -> Timing:
        """What was measured so far."""
        return self._meter.timing

    @property
    def spent(self) -> Spent:
        """Where the time went so far."""
        return self._meter.spent

    @contextmanager
    def resting(self) -> Iterator[None]:
        """Count no time: something holds the turn up between two events."""
        self._meter.rest()
        try:
            yield
        finally:
            self._meter.go_on()

    def asked_from(self, begun: str) -> Ask:
        """The same ask, for answers whose text begins so."""
        return replace(self.ask, begun=begun)

    def _draft(self) -> Draft:
        return self.answerer.draft(self.page.lines)

    def _blank(self) -> Writing:
        return Writing(self.page, self._draft())

    def _assess(self, writing: Writing, answer: Answer | None) -> Generator[Trying, None, Candidate]:
        """An answer that is written, with its checks."""
        file = writing.closed_file()
        checks: tuple[Check, ...] = ()
        with self._meter.doing("checks"):
            if writing.finished and file != self.base:
                checks = yield from self._final_checks(writing, file)
            problem = self._problem(writing, file, checks)
        logprob, worst = (answer.logprob, answer.worst) if answer else (-math.inf, -math.inf)
        return Candidate(
            writing.kind, file, checks, logprob, problem, worst, writing.declined, writing.finished
        )  # fmt: skip

    def _final_checks(self, writing: Writing, file: Text) -> Generator[Trying, None, tuple[Check, ...]]:
        checks = (*run_checks(self.base, file, self.region.path), *writing.checks())
        if self.trial is not None and all(check.ok for check in checks):
            checks = (*checks, (yield from self.trial.run(file, Trying())))
        return checks

    def _problem(self, writing: Writing, file: Text, checks: Sequence[Check]) -> str:
        """What is wrong with an answer that was written to its end, or ""."""
        if writing.broken:
            return "what was written does not fit the lines; say it in other words"
        if not writing.finished:
            return f"the answer is longer than {self.request.max_tokens} tokens; ask for less at once"
        if file == self.base:
            return "" if writing.declined else "what was written changes nothing"
        wrong = [check for check in checks if not check.ok]
        return f"no edit offered: {wrong[0].detail or wrong[0].name}" if wrong else ""

    def _chance(self, best: Candidate) -> float | None:
        """How likely an answer is right, by all that were written."""
        worst = self._candidates.first.worst
        told = [
            Answer(file.lines, (), math.log(max(mass, 1e-9)), worst, declined=best.declined)
            for file, mass in self._candidates.masses().items()
        ]
        return self.answerer.chance(sorted(told, key=lambda each: each.lines != best.file.lines))

    def vary(self, count: int) -> Generator[Event, None, None]:
        """Write other answers until there are `count` in all, or no likely ones are left.

        They are the likeliest that were not written yet; at a temperature above 0 they are the draws of the seeds that
        follow the turn's. The turn itself stays as it is. Needs the answerer as `events` does.

        Raises: UsageError: a count out of range. SparkError: the answerer cannot go on.
        """
        if not 1 <= count <= MOST:
            raise UsageError(f"{count} variations; choose a number from 1 to {MOST}")
        if self.status is Status.RUNNING or not self.attempted:
            return
        self._own_answer()
        try:
            with self._meter.running(), self._meter.doing("varying"):
                for _ in range(1 if self.request.temperature > 0 else _ROUNDS):
                    if (missing := count - len(self.variations)) > 0:
                        yield from self._write_others(self._writer.write(missing, least=LEAST))
        finally:
            if self.trial:
                self.trial.close()

    def _write_others(self, items: Generator[Item, None, None]) -> Iterator[Event]:
        """Follow what is written side by side, then judge it all."""
        others: dict[int, _Other] = {}
        with closing(items):
            for item in items:
                match item:
                    case Read(total, cached, done):
                        yield Prefill(total, cached, done, self._meter.ms)
                    case Began(answer, known):
                        self._varied += 1
                        others[answer] = _Other(self._blank(), self._varied)
                        for wrote in known:
                            others[answer].take(wrote, self._meter.ms)
                    case Wrote():
                        yield others[item.answer].take(item, self._meter.ms)
                    case Answer():
                        others[item.number].answer = item
        for other in others.values():
            if other.answer:
                other.writing.end(other.answer)
            candidate = yield from self._assess(other.writing, other.answer)
            self._candidates.add(candidate)
            kind, logprob, checks = candidate.kind, candidate.logprob, candidate.checks
            yield VariationEnded(other.number, kind, logprob, checks, candidate.problem)


class _Other:
    """A variation while it is written. Mutable. Args: number: which one, from 1."""

    def __init__(self, writing: Writing, number: int) -> None:
        self.writing, self.number = writing, number
        self.answer: Answer | None = None
        self._tokens = 0

    def take(self, wrote: Wrote, ms: float) -> VariationToken:
        """Take one token. Args: ms: when."""
        self.writing.take(wrote)
        self._tokens += 1
        text = wrote.piece.decode("utf-8", "replace")
        return VariationToken(self.number, self._tokens - 1, wrote.token, text, wrote.logprob, ms)
