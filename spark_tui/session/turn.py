"""One turn: an instruction about a region becomes checked hunks, one token at a time.

A turn is a generator of events. Whoever iterates it sets the pace: not asking for the next event is a pause,
closing it discards what is unfinished. It writes nothing to disk.
"""

from collections.abc import Collection, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from threading import RLock

from spark_tui.context.regions import Region
from spark_tui.editing.checks import Check, run_checks
from spark_tui.editing.format import END, NO_EDIT, encode_pieces, render_region, render_request
from spark_tui.editing.hunks import Hunk, diff
from spark_tui.editing.review import Review
from spark_tui.editing.script import ScriptError
from spark_tui.editing.text import Text
from spark_tui.engine.cache import KVCache
from spark_tui.engine.generate import Prefilled, Step, generate
from spark_tui.engine.library import LoadedModel
from spark_tui.engine.sampling import sampled
from spark_tui.errors import UsageError
from spark_tui.session import answers
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
from spark_tui.session.meter import Meter
from spark_tui.session.writing import Writing

MAX_WORDS = 400
"""Tokens of the longest instruction."""


@dataclass(frozen=True, slots=True)
class Request:
    """What the user asks for, and where.

    `path`, `among` and others are relative to the repository's root. `lines`: 1-based first and last line; `symbol`: a
    qualified name; without them the region is found, in `among` where that names files.
    """

    instruction: str
    path: str | None = None
    lines: tuple[int, int] | None = None
    symbol: str | None = None
    among: tuple[str, ...] = ()
    temperature: float = 0.0
    seed: int = 0
    max_tokens: int = 512


class Turn:
    """One instruction and what came of it. Mutable.

    `events()` may run in one thread while another reviews: the review is touched under `lock` only.

    Args: turn_id: names it. base: the file as it is now. cache: belongs to the turn while `events()` is iterated.
    Raises: UsageError: an option out of range, or a region that leaves the model no room to answer.
    """

    def __init__(
        self, turn_id: str, request: Request, region: Region, base: Text, loaded: LoadedModel, cache: KVCache
    ) -> None:
        self.id = turn_id
        self.request = request
        self.region = region
        self.base = base
        self.review = Review(base)
        self.lock = RLock()
        self.status = Status.RUNNING
        self.message = ""
        self.checks: tuple[Check, ...] = ()
        self._loaded = loaded
        self._cache = cache
        self._meter = Meter()
        self._writing = Writing(base, region, request.instruction, loaded.tokenizer, loaded.config)
        self._sampler = sampled(request.temperature, request.seed)
        self._prompt = self._prompt_ids()
        self._proposal = base
        self._bases = [base]
        self._rejected: set[Hunk] = set()
        self._shown: tuple[Hunk, ...] = ()
        self._announced: set[tuple[str, Hunk]] = set()
        self._latest_check: tuple[Text, tuple[Check, ...]] | None = None

    @property
    def kind(self) -> str | None:
        """The kind of edit the model chose, once it has."""
        return self._writing.kind

    @property
    def timing(self) -> Timing:
        """What was measured so far."""
        return self._meter.timing

    @property
    def hunks(self) -> tuple[Hunk, ...]:
        """The hunks open to review now."""
        with self.lock:
            return self.review.hunks

    @property
    def closed_hunks(self) -> tuple[Hunk, ...]:
        """Those of `hunks` that are fully written."""
        with self.lock:
            closed = set(diff(self.review.base, self._writing.closed_file()))
            return tuple(hunk for hunk in self.review.hunks if hunk in closed)

    def add_check(self, check: Check) -> Checked:
        """Take one more check of the whole edit; when it failed, there is nothing to offer any more."""
        self.checks = (*self.checks, check)
        self._judge(answers.failed(self.kind or "edit", self.checks) if not check.ok else None)
        return Checked(None, self.checks)

    def accept(self, hunks: Sequence[Hunk]) -> None:
        """Take hunks that are on disk now into the review's base; the caller holds the lock."""
        self.review.accept([hunk.id for hunk in hunks])
        self._bases.append(self.review.base)

    def reject(self, hunk_ids: Collection[str]) -> None:
        """Give up hunks. Raises: UsageError: no such hunk is open."""
        with self.lock:
            chosen = [self._as_proposed(hunk) for hunk in self.review.hunks if hunk.id in hunk_ids]
            self.review.reject(hunk_ids)
            self._rejected.update(chosen)

    def follow(self, on_disk: Text) -> None:
        """The file was brought back to what it was earlier in this turn: what was taken back is open again.

        Any other content leaves the review as it is, and the next accept ends in a conflict.
        """
        with self.lock:
            if on_disk not in self._bases:
                return
            self.review.base = on_disk
            self.review.propose(self._proposal)
            if not set(self.review.hunks) <= set(diff(on_disk, self._proposal)):
                self._forget_rejections(on_disk)

    def _forget_rejections(self, base: Text) -> None:
        """What was rejected after its accept was undone is accepted again by a redo: it is no longer rejected."""
        self.review = Review(self.base)
        self.review.base = base
        self.review.propose(self._proposal)
        self._rejected -= set(diff(self.base, base))
        self.review.reject([hunk.id for hunk in self.review.hunks if self._as_proposed(hunk) in self._rejected])

    def _as_proposed(self, hunk: Hunk) -> Hunk:
        """An open hunk where it would be had nothing been accepted."""
        shift = 0
        for done in diff(self.base, self.review.base):
            if done.start + shift >= hunk.start:
                break
            shift += done.growth
        return replace(hunk, start=hunk.start - shift)

    def logprob(self, hunk: Hunk) -> float:
        """The log-probability of the tokens that wrote a hunk of `base`."""
        return self._writing.logprob(hunk)

    def _prompt_ids(self) -> list[int]:
        """The prompt; what comes before the instruction is the same for every instruction about the region."""
        if self.request.max_tokens < 1:
            raise UsageError(f"max-tokens is {self.request.max_tokens}; choose one from 1")
        lines, frame = self._writing.lines, self._writing.frame
        words = encode_pieces(
            render_request(self.request.instruction, frame, self.region.selected), self._loaded.tokenizer
        )
        if len(words) > MAX_WORDS:
            raise UsageError(f"the instruction takes {len(words)} tokens and at most {MAX_WORDS} are read; say less")
        ids = encode_pieces(render_region(lines, frame), self._loaded.tokenizer) + words
        if len(ids) >= self._cache.capacity:
            raise UsageError(
                f"{answers.where(self.region)} takes {len(ids)} tokens and the model reads {self._cache.capacity}; "
                "select fewer lines with --at PATH:L1-L2"
            )
        return ids

    def events(self) -> Generator[Event, None, None]:
        """Do the turn. Iterate it once.

        Raises: SparkError: the turn cannot go on; what was closed stays in the review.
        """
        with closing(self._run()) as events:
            for event in events:
                self._meter.rest()
                yield event
                self._meter.go_on()

    def _run(self) -> Generator[Event, None, None]:
        try:
            yield TurnStarted(self.id, self.request.instruction, self.region)
            fits = True
            try:
                yield from self._decode()
            except ScriptError:
                fits = False
            yield from self._end(fits=fits)
        finally:
            if self.status is Status.RUNNING:
                self.status = Status.INTERRUPTED
                self._propose(self._writing.closed_file())

    def _decode(self) -> Iterator[Event]:
        for item in self._generated():
            self._meter.count(item)
            if isinstance(item, Prefilled):
                yield Prefill(item.prompt_tokens, item.cached_tokens, item.done_tokens, self._meter.ms)
            else:
                yield from self._take(item)

    def _generated(self) -> Iterator[Prefilled | Step]:
        return generate(
            self._loaded.model,
            self._cache,
            self._prompt,
            sampler=self._sampler,
            max_tokens=min(self.request.max_tokens, self._cache.capacity - len(self._prompt)),
            stop_ids={self._loaded.tokenizer.special(END.name)},
            mask=self._writing.mask,
        )

    def _take(self, step: Step) -> Iterator[Event]:
        text, closed = self._writing.take(step)
        index = self._meter.tokens - 1
        yield Token(index, step.token_id, text, step.logprob, step.from_draft, self._meter.ms)
        if closed or not self._writing.at_line_start:
            yield from self._propose(self._writing.file())
        if closed:
            yield from self._announce()

    def _propose(self, text: Text) -> list[Event]:
        with self.lock:
            self._proposal = text
            self.review.propose(text)
            hunks = self.review.hunks
        if hunks == self._shown:
            return []
        self._shown = hunks
        return [HunkUpdated(hunks)]

    def _announce(self) -> Iterator[Event]:
        """The hunks that are fully written since last time, with their checks if they pass.

        Half a script may well not parse (a try without its except): what fails is told at the end.
        """
        new = [hunk for hunk in self.closed_hunks if (hunk.id, hunk) not in self._announced]
        checks = self._checked(self._writing.closed_file()) if new else ()
        for hunk in new:
            self._announced.add((hunk.id, hunk))
            yield HunkClosed(hunk)
            if all(check.ok for check in checks):
                yield Checked(hunk.id, checks)

    def _checked(self, text: Text) -> tuple[Check, ...]:
        if self._latest_check is None or self._latest_check[0] != text:
            self._latest_check = text, run_checks(self.base, text, str(self.region.path))
        return self._latest_check[1]

    def _end(self, *, fits: bool) -> Iterator[Event]:
        final = self._writing.closed_file()
        yield from self._propose(final)
        changed = final != self.base
        if fits and self._writing.finished and changed:
            self.checks = (*self._checked(final), *self._writing.checks())
            for hunk_id in (None, *(hunk.id for hunk in self.hunks)):
                yield Checked(hunk_id, self.checks)
        self._judge(self._problem(fits=fits, changed=changed))
        yield TurnEnded(self.status, self.message, self._meter.timing)

    def _judge(self, problem: str | None) -> None:
        hunks = len(diff(self.base, self._writing.closed_file()))
        self.status = Status.ABSTAINED if problem else Status.OK
        self.message = problem or answers.done(self.kind or "edit", hunks, self.checks)

    def _problem(self, *, fits: bool, changed: bool) -> str | None:
        """Why there is nothing to offer, or None."""
        kind = self.kind
        if not fits:
            return answers.does_not_fit(kind)
        if kind is None or not self._writing.finished:
            return answers.too_long(kind, self._meter.tokens)
        if kind == NO_EDIT:
            return answers.not_understood(self.region)
        if not changed:
            return answers.nothing_changed(kind, self.region)
        if not all(check.ok for check in self.checks):
            return answers.failed(kind, self.checks)
        return None
