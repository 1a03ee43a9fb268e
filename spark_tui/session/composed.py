"""A turn whose instruction asks for several things: one step after the other, and one review of them all."""

import re
from bisect import bisect_right
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from functools import partial

from spark_tui.context.regions import Region
from spark_tui.context.symbols import outline
from spark_tui.context.wording import told_lines, with_lines
from spark_tui.editing.checks import Check, run_checks
from spark_tui.editing.hunks import Hunk, diff
from spark_tui.editing.text import Text
from spark_tui.engine.cache import KVCache
from spark_tui.engine.library import LoadedModel
from spark_tui.session.events import (
    Checked,
    Event,
    HunkClosed,
    HunkUpdated,
    Prefill,
    Status,
    Timing,
    Token,
    TurnEnded,
    TurnStarted,
)
from spark_tui.session.fixing.trial import Command
from spark_tui.session.meter import Spent
from spark_tui.session.turn import Request, Turn
from spark_tui.session.wording.asked_back import asked_back
from spark_tui.session.wording.one_place import own_places
from spark_tui.session.wording.steps import renamed, split, with_new_names


class ComposedTurn(Turn):
    """A turn of several steps, each on the result of the one before. All or nothing: when a step finds no edit, the
    turn abstains. Until its end no hunk is closed; what is interrupted keeps the steps that were finished.

    Args: see `Turn`. command: only the last step's answers are tried with it. begun: how the scripts of `begun_step`
        begin, counted from 1.
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
        begun: Sequence[int] = (),
        begun_step: int = 1,
    ) -> None:
        self._steps_taken: list[Turn] = []
        self._starts: list[int] = []
        """Where in the tape each of them begins."""
        self._begun_by_hand = {begun_step: begun}
        super().__init__(turn_id, request, region, base, loaded, cache, command)

    @property
    def kind(self) -> str | None:
        """The kinds the model chose so far."""
        return " + ".join(part.kind for part in self._steps_taken if part.kind) or None

    @property
    def steps(self) -> tuple[Turn, ...]:
        """The turns of its steps so far."""
        return tuple(self._steps_taken)

    def step_at(self, index: int) -> int:
        """The number of the step, from 1, that wrote a token of the tape."""
        return max(1, bisect_right(self._starts, index))

    @property
    def versions(self) -> tuple[Text, ...]:
        """The file before the first step, and after each one that is finished."""
        done = [part for part in self._steps_taken if part.status is Status.OK]
        return (self.base, *(part.review.proposed for part in done))

    @property
    def closed_hunks(self) -> tuple[Hunk, ...]:
        """Those of `hunks` that are there to stay."""
        with self.lock:
            if self.status is Status.RUNNING:
                return ()
            return tuple(part.hunk for part in self.review.settled(self._file_now))

    @property
    def timing(self) -> Timing:
        """What was measured so far, of all steps together."""
        each = [part.timing for part in self._steps_taken] or [Timing()]
        tokens = sum(one.generated_tokens for one in each)
        rated = [one for one in each if one.tokens_per_second]
        seconds = sum(one.generated_tokens / one.tokens_per_second for one in rated)
        return Timing(
            ttft_ms=each[0].ttft_ms,
            total_ms=self._meter.ms,
            prompt_tokens=sum(one.prompt_tokens for one in each),
            cached_tokens=sum(one.cached_tokens for one in each),
            generated_tokens=tokens,
            forward_passes=sum(one.forward_passes for one in each),
            accepted_draft_tokens=sum(one.accepted_draft_tokens for one in each),
            tokens_per_second=sum(one.generated_tokens for one in rated) / seconds if seconds else 0.0,
        )

    @property
    def spent(self) -> Spent:
        """Where the time of all steps went so far."""
        return Spent.together((part.spent for part in self._steps_taken), self._meter.ms)

    @contextmanager
    def resting(self) -> Iterator[None]:
        """See `Turn.resting`; the step that is being taken rests, too."""
        with super().resting(), ExitStack() as stack:
            for part in self._steps_taken[-1:]:
                stack.enter_context(part.resting())
            yield

    def logprob(self, hunk: Hunk) -> float:
        """The log-probability of the tokens that wrote a hunk of `base`, over all steps that touched its lines."""
        total = 0.0
        for part in self._steps_taken:
            shift = sum(one.growth for one in diff(self.base, part.base) if one.start < hunk.start)
            total += part.logprob(replace(hunk, start=max(0, hunk.start + shift)))
        return total

    @property
    def _file_now(self) -> Text:
        """The file after the steps that are finished."""
        return self.base if self.status is Status.ABSTAINED else self.versions[-1]

    def _run(self) -> Generator[Event, None, None]:
        try:
            yield TurnStarted(self.id, self.request.instruction, self.region)
            steps = split(self.request.instruction)
            asked = asked_back(self.request.instruction, steps, self.region, self.base)
            problem = asked or (yield from self._take_steps(steps))
            yield from self._finish(problem)
        finally:
            if self.status is Status.RUNNING:
                self.status = Status.INTERRUPTED
                self.propose(self._file_now)

    def _take_steps(self, steps: tuple[str, ...]) -> Generator[Event, None, str]:
        """Returns: why a step failed, or ""."""
        region, names, new = self.region, dict[str, str](), ""
        owners = _owners(steps, region, self.base)
        for number, words in enumerate(steps, 1):
            before = self._file_now
            words_now = with_lines(with_new_names(_of(words, new), names), partial(_line_now, self.base, before))
            request = replace(self.request, instruction=words_now)
            part = Turn(
                f"{self.id}.{number}",
                request,
                self._selecting(_place_of(owners[number - 1], region, before, names), words_now),
                before,
                self._loaded,
                self._cache,
                self.command if number == len(steps) else None,
                begun=self._begun_by_hand.get(number, ()),
            )
            part.tape, part.due = self.tape, self.due
            self._starts.append(len(self.tape))
            self._steps_taken.append(part)
            yield from self._played(part)
            if part.status is not Status.OK:
                return f'step {number} of {len(steps)}, "{words}", failed, so none is offered: {part.message}'
            after = _moved(region, before, self._file_now, {})
            renamings = renamed(_lines(region, before), _lines(after, self._file_now))
            names |= renamings
            new = next(iter(renamings.values()), "")
            region = _moved(region, before, self._file_now, names)
        return "" if diff(self.base, self._file_now) else "the steps undo each other: together they change nothing"

    def _selecting(self, region: Region, words: str) -> Region:
        """The region with the lines selected that a step speaks of, where the selection comes from the words."""
        told = told_lines(words)
        if self.request.lines or not told_lines(self.request.instruction):
            return region
        inside = len(told) == 1 and region.start_line <= told[0][0] and told[0][1] <= region.end_line
        first = region.start_line
        return replace(region, selected=(told[0][0] - first, told[0][1] - first) if inside else None)

    def _played(self, part: Turn) -> Generator[Event, None, None]:
        """The events of a step as events of this turn."""
        first = sum(one.timing.generated_tokens for one in self._steps_taken[:-1])
        with closing(part.events()) as events:
            for event in events:
                match event:
                    case Prefill():
                        yield replace(event, t_ms=self._meter.ms)
                    case Token():
                        yield replace(event, index=first + event.index, t_ms=self._meter.ms)
                    case HunkUpdated():
                        yield from self.propose(part.review.proposed)
                    case TurnStarted() | TurnEnded() | HunkClosed() | Checked():
                        pass
                    case _:
                        yield event

    def _finish(self, problem: str) -> Generator[Event, None, None]:
        self.confidence = min((part.confidence for part in self._steps_taken), default=0.0)
        self.status, self.message = (Status.ABSTAINED if problem else Status.OK), problem
        yield from self.propose(self._file_now)
        self.checks = () if problem else self._all_checks()
        for hunk in self.closed_hunks:
            yield HunkClosed(hunk)
        if self.checks:
            for hunk_id in (None, *(hunk.id for hunk in self.hunks)):
                yield Checked(hunk_id, self.checks)
        self.message = problem or self._done(self._file_now)
        yield TurnEnded(self.status, self.message, self.timing)

    def _all_checks(self) -> tuple[Check, ...]:
        """Those of the steps, and of the whole edit where that was checked."""
        whole = run_checks(self.base, self._file_now, str(self.region.path))
        steps = {check.name: check for part in self._steps_taken for check in part.checks}
        return tuple((steps | {check.name: check for check in whole}).values())


def _owners(steps: Sequence[str], region: Region, base: Text) -> list[str | None]:
    """The function that each step is about, where they name several: its own, else that of the one before or behind."""
    lines = base.lines[region.start_line - 1 : region.end_line]
    own = [one.name if one else None for one in own_places(steps, outline(base.lines), lines)]
    if len({*filter(None, own)}) < 2:
        return [None] * len(own)
    last = next(filter(None, own))
    return [last := one or last for one in own]


def _place_of(owner: str | None, region: Region, file: Text, names: dict[str, str]) -> Region:
    """A function in a region, by its name before some were renamed; the region where there is none."""
    if owner is None:
        return region
    now = ".".join(names.get(part, part) for part in owner.split("."))
    found = [one for one in outline(file.lines) if one.name == now]
    within = [one for one in found if region.start_line <= one.start_line and one.end_line <= region.end_line]
    if len(within) != 1:
        return region
    return replace(region, start_line=within[0].start_line, end_line=within[0].end_line, symbol=now)


def _of(words: str, new: str) -> str:
    """A step that goes on with "it", said of what the step before has named anew."""
    return re.sub(r"(?i)^(\w+) it\b", rf"\1 {new}", words) if new else words


def _line_now(before: Text, after: Text, line: int) -> int:
    """Where a line (1-based) is after an edit."""
    return line + sum(hunk.growth for hunk in diff(before, after) if hunk.start < line - (hunk.stop == hunk.start))


def _lines(region: Region, file: Text) -> Sequence[str]:
    return file.lines[region.start_line - 1 : region.end_line]


def _moved(region: Region, before: Text, after: Text, names: dict[str, str]) -> Region:
    """A region after an edit in it: it grew, its selection moved, its symbol may have been renamed."""
    start = _line_now(before, after, region.start_line)
    end = region.end_line + len(after.lines) - len(before.lines)
    parts = (region.symbol or "").split(".")
    symbol = ".".join([*parts[:-1], names.get(parts[-1], parts[-1])]) or None
    selected = region.selected
    if selected is not None:
        lines = sorted(_line_now(before, after, region.start_line + line) - start for line in selected)
        selected = (max(0, lines[0]), max(0, min(lines[1], end - start)))
    return replace(region, start_line=start, end_line=max(end, start), symbol=symbol, selected=selected)
