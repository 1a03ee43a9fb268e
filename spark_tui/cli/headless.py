"""One turn without the screen: what `spark exec` and `spark demo --print` do once their
arguments are read.
"""

import argparse
import math
import os
import shlex
import sys
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, closing, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from spark_tui.cli import output
from spark_tui.cli.common import ended_once, notice, open_session, read_stdin, settings_of
from spark_tui.config import Settings
from spark_tui.editing.multi_file import Files
from spark_tui.errors import (
    Abstained,
    Conflict,
    FileError,
    Interrupted,
    ModelError,
    SparkError,
    Transient,
    UsageError,
)
from spark_tui.mentions import parse_place, read_request
from spark_tui.session.candidates import where
from spark_tui.session.controller import Controller
from spark_tui.session.evaluator import MOST
from spark_tui.session.events import (
    Event,
    Held,
    Prefill,
    Status,
    Thinking,
    Token,
    Trying,
    TurnEnded,
    TurnStarted,
    VariationToken,
)
from spark_tui.session.json_output import patch_of, patch_to, result, to_json
from spark_tui.session.leftovers import few
from spark_tui.session.repair.sandbox import BUDGET_SECONDS
from spark_tui.session.session import Session
from spark_tui.session.turn import Request, Turn
from spark_tui.vcs.journal import JournalEntry

T = TypeVar("T")
_MOST_NAMES = 3
_TOLD_EVERY = 5.0
"""Seconds between two lines about a search, where stderr is no terminal."""
_EXIT_CODES = {
    Status.UNSURE: Abstained.exit_code,
    Status.ABSTAINED: Abstained.exit_code,
    Status.INTERRUPTED: Interrupted.exit_code,
}
_UNSURE = "nothing was written; --unsure accepts it, --format json shows it"


def take_turn(args: argparse.Namespace) -> int:
    """Do one turn.

    Args:
        args: Of `spark exec`.

    Returns:
        The exit code.

    Raises:
        SparkError.
    """
    settings = settings_of(args)
    instruction = _instruction(args)
    if args.stage and not args.apply:
        raise UsageError("--stage is for an edit that is applied; add --apply")
    with closing(open_session(Path(args.folder), settings, once=True)) as session:
        return _take(session, instruction, settings, args)


def _take(session: Session, instruction: str, settings: Settings, args: argparse.Namespace) -> int:
    args.allow = [_allowed(session, path, args) for path in args.allow]
    if args.stage:
        session.staging.require_trust()
    if args.budget is not None and not args.check:
        raise UsageError("--budget is for the search with --check; name a command that must pass")
    if args.variations is not None and not 1 <= args.variations <= MOST:
        raise UsageError(f"--variations {args.variations}: choose a number from 1 to {MOST}")
    budget = BUDGET_SECONDS if args.budget is None else args.budget
    command = session.command(args.check, budget) if args.check is not None else None
    controller = Controller(session, settings)
    request = _request(args, instruction, settings, session)
    progress = _Progress(args)
    with ended_once():
        if request.rename:
            turn = session.rename(request, progress.say, command)
        else:
            turn = progress.follow(controller.begin_request(request, command))
        while turn.status is Status.RUNNING:
            turn = _play(controller, turn, args, progress)
    return _finish(session, turn, args)


def _play(
    controller: Controller, turn: Turn, args: argparse.Namespace, progress: "_Progress"
) -> Turn:
    """Run a turn to its end.

    Returns:
        It, or the turn that goes on from there.

    Raises:
        SparkError.
    """
    session = controller.session
    host = session.host_of(turn)
    retrying = nullcontext() if host.remote else host.on_failure(progress.engine_failed)
    try:
        with retrying:
            error = _follow(turn, progress)
            if why := controller.reason_to_hand_over(turn, error):
                progress.note(why)
                return session.take_over(turn, error) or turn
            if error is not None:
                raise error
            if args.variations:
                progress.follow(turn.vary(args.variations))
    except KeyboardInterrupt:
        turn.status = Status.INTERRUPTED
        turn.message = "interrupted; nothing was written"
    except SparkError as e:
        before = turn.before or turn
        if before.status is not Status.UNSURE:
            with _told_to_programs(session, turn, args):
                raise
        notice(f"{output.on_one_line(e)}; this is the edit of {before.writer}")
        return before
    return turn


def _follow(turn: Turn, progress: "_Progress") -> SparkError | None:
    """Have the events of a turn happen.

    Returns:
        The error that ended it, if one did.
    """
    try:
        progress.follow(turn.events(), Files(turn.base.lines))
    except SparkError as e:
        return e
    return None


@contextmanager
def _told_to_programs(session: Session, turn: Turn, args: argparse.Namespace) -> Iterator[None]:
    """Put the one object on stdout also when a turn that has begun ends in an error."""
    try:
        yield
    except SparkError as error:
        if args.format != "diff":
            told = {"status": output.status(error), "message": output.on_one_line(error)}
            output.show_json(_object(session, turn, args) | told)
        raise


def _object(
    session: Session, turn: Turn, args: argparse.Namespace, done: "_Applied | None" = None
) -> dict[str, Any]:
    head = {"event": "turn_ended"} if args.format == "stream-json" else {}
    entry, staged = (done.entry, done.staged) if done else (None, False)
    body = result(
        session.repo,
        turn,
        turn.writer or session.host.in_use,
        entry,
        staged=staged,
        count=args.variations or 0,
    )
    return head | body


def _instruction(args: argparse.Namespace) -> str:
    given: str | None = args.instruction
    if command := "keep" if args.keep else "rename" if args.rename else "":
        if given is not None:
            raise UsageError(f"--{command} replaces the instruction; leave one of them out")
        return f"keep {args.keep}" if args.keep else ""
    if given is None:
        raise UsageError("no instruction; say what to change, or resolve conflicts with --keep")
    lines = (read_stdin() if given == "-" else given).splitlines()
    words = "\n".join(filter(None, (" ".join(line.split()) for line in lines)))
    if not words:
        raise UsageError("the instruction is empty; say what to change")
    return words


def _allowed(session: Session, path: str, args: argparse.Namespace) -> str:
    """A file that is there, or one that what answers can make."""
    inside = session.repo.resolve(path, start=Path(args.folder).resolve())
    is_there = os.path.lexists(session.repo.root / inside)
    return inside if session.creates and not is_there else _existing(session, path, args)


def _existing(session: Session, path: str, args: argparse.Namespace) -> str:
    inside = session.repo.resolve(path, start=Path(args.folder).resolve())
    if not os.path.lexists(session.repo.root / inside):
        raise UsageError(f"there is no file {path}; check its name")
    if (place := session.repo.root / inside).exists() and not place.is_file():
        raise UsageError(
            f"{path} is {'a folder' if place.is_dir() else 'not a regular file'}; name a file"
        )
    return inside


def _request(
    args: argparse.Namespace, instruction: str, settings: Settings, session: Session
) -> Request:
    if not all(path.strip() for path in args.file):
        raise UsageError("--file '': name a file")
    place = parse_place(args.at) if args.at is not None else None
    if place and args.file:
        raise UsageError("--at names the file already; leave out --file")
    said: dict[str, Any] = {"instruction": instruction}
    if place:
        said |= {
            "path": _existing(session, place.path, args),
            "lines": place.lines,
            "symbol": place.symbol,
        }
    elif not args.file:
        said = read_request(instruction, session.mentions.file_named)
    return Request(
        **said,
        among=tuple(_existing(session, path, args) for path in args.file),
        temperature=settings.temperature,
        seed=settings.seed,
        max_tokens=settings.max_tokens,
        keep=args.keep or "",
        rename=args.rename or "",
    )


@dataclass(frozen=True, slots=True)
class _Applied:
    """How far it came.

    Args:
        entry: The journal's.
        beside: The files of which something was staged before, once the edit is, too; None: it is
            not.
        problem: What was refused, to be told after the patch.
    """

    entry: JournalEntry | None = None
    beside: tuple[str, ...] | None = None
    problem: SparkError | None = None

    @property
    def staged(self) -> bool:
        """Whether it is staged."""
        return self.beside is not None

    @property
    def words(self) -> str:
        """What was done, for people; "" when nothing was."""
        if self.entry:
            return f"applied{' and staged' if self.staged else ''}, `spark undo` takes it back"
        return ""

    @property
    def more(self) -> str:
        """What is in git's index beside it, for people; "" when nothing is."""
        told = "already staged, and in the next `git commit`, too"
        return f"{told}: {few(self.beside, _MOST_NAMES)}" if self.beside else ""


def _finish(session: Session, turn: Turn, args: argparse.Namespace) -> int:
    with _told_to_programs(session, turn, args):
        done = _apply(session, turn, args) if args.apply and _is_taken(turn, args) else _Applied()
    try:
        _show(session, turn, args, done)
    except FileError as e:
        raise FileError(
            f"{done.words} (batch {done.entry.id}); but {e}" if done.entry else str(e)
        ) from e
    if done.problem is not None:
        raise done.problem
    return 0 if _is_taken(turn, args) else _EXIT_CODES[turn.status]


def _is_taken(turn: Turn, args: argparse.Namespace) -> bool:
    """Whether the turn ended with an edit that the user wants: a sure one, or any."""
    return turn.status is Status.OK or (turn.status is Status.UNSURE and args.unsure)


def _show(session: Session, turn: Turn, args: argparse.Namespace, done: _Applied) -> None:
    """What came of it, on stdout; for people a line more on stderr, unless an error is about to
    say it.
    """
    if args.format != "diff":
        if done.problem:
            problem = {"status": output.status(done.problem), "message": str(done.problem)}
        else:
            problem = {}
        return output.show_json(_object(session, turn, args, done) | problem)
    unsure = turn.status is Status.UNSURE and not args.unsure
    if not unsure:
        _show_patches(session, turn, args.variations)
    if not (args.quiet and turn.status is Status.OK) and not (done.entry and done.problem):
        told = [f"spark: {turn.message}", done.words, done.more, _UNSURE if unsure else ""]
        output.say("; ".join(filter(None, told)))
        for line in turn.unsaid:
            output.say(f"  {line}")
        if turn.advice and not args.quiet:
            output.say(f"spark: {turn.advice}")
        if (
            turn.trial and turn.trial.last_lines and turn.status is Status.ABSTAINED
        ):  # no edit made it pass
            output.say(f"spark: `{turn.trial.command.line}` said, as it is:")
            for line in turn.trial.last_lines:
                output.say(f"  {line}")
    return None


def _apply(session: Session, turn: Turn, args: argparse.Namespace) -> _Applied:
    """Write the edit and stage it, where both are possible; otherwise nothing is written."""
    for path, why in session.doubts(turn).items():
        if path not in args.allow:
            words = (
                f"{path} {'; '.join(why)}; nothing was written: --allow {shlex.quote(path)} "
                f"permits it"
            )
            return _Applied(problem=SparkError(words))
    try:
        if not args.stage:
            return _Applied(session.accept(turn, allow=None))
        with ExitStack() as held:
            stage, warning, beside = _ready_to_stage(session, turn, held)
            done = _staged(session.accept(turn, allow=None), stage, beside)
            if warning and done.staged:
                notice(warning)
            return done
    finally:
        for words in session.take_notices():
            notice(words)


_Stage = Callable[[JournalEntry], object]


def _ready_to_stage(
    session: Session, turn: Turn, held: ExitStack
) -> tuple[_Stage, str, tuple[str, ...]]:
    """What stages the edit once it is applied, what that breaks, or "", and in which files
    something is staged.

    Raises:
        Conflict, Transient, SparkError: Nothing could.
    """
    changes = session.changes(turn)
    try:
        if len(changes) > 1:  # each is staged by itself once all of them are applied
            session.staging.require_trust()
            return lambda entry: session.staging.stage([entry.id]), "", ()
        warning, beside = session.staging.beside(changes[0])
        return held.enter_context(session.staging.ready(changes[0])), warning, beside
    except SparkError as e:
        kind = type(e) if isinstance(e, (Conflict, Transient)) else SparkError
        raise kind(f"{e}; nothing was written: without --stage, it can be applied") from e


def _staged(entry: JournalEntry, stage: _Stage, beside: tuple[str, ...]) -> _Applied:
    """Stage what was applied: what can refuse that was asked before, but for a disk that fills
    up just now.
    """
    try:
        stage(entry)
    except SparkError as e:
        words = f"applied (`spark undo` takes it back) but not staged: {output.on_one_line(e)}"
        return _Applied(entry, problem=SparkError(words))
    return _Applied(entry, beside)


def _show_patches(session: Session, turn: Turn, count: int | None) -> None:
    """The turn's patch, or those of all variations, each below a line that says which it is."""
    if count is None:
        output.show_patch(patch_of(session.repo, turn))
        return
    found = turn.variations[:count]
    for number, each in enumerate(found, 1):
        title = f"variation {number} of {len(found)}, probability {math.exp(each.logprob):.2g}"
        output.show_patch(title.encode() + b"\n" + patch_to(session.repo, turn, each.file))


class _Progress:
    """What is going on: on stderr for people, where a terminal has a line that changes; on
    stdout for programs.
    """

    def __init__(self, args: argparse.Namespace) -> None:
        self._streams = args.format == "stream-json"
        self._quiet = args.quiet or args.format != "diff"
        self._live = sys.stderr.isatty() and not self._quiet
        self._failures = 0
        self._told = time.monotonic()

    def follow(self, events: Generator[Event, None, T], files: Files = Files()) -> T:  # noqa: B008 - it never changes
        """Have events happen, and tell of each.

        Args:
            files: That hunks are about.

        Returns:
            What comes of them all.
        """
        try:
            with closing(events):
                while True:
                    event = next(events)
                    self.show(event)
                    silent = isinstance(event, TurnEnded | Thinking)
                    silent = silent or (isinstance(event, Held) and not event.line)
                    if self._streams and not silent:
                        output.show_json(to_json(event, files))
        except StopIteration as end:
            result: T = end.value
            return result
        finally:
            self.say("")

    def engine_failed(self, problem: str) -> None:
        """Try again once in a turn.

        Raises:
            ModelError: It was not the first time.
        """
        self._failures += 1
        if self._failures > 1:
            raise ModelError(
                f"the engine failed again ({problem}); nothing was written; name another model"
            )
        self.say("")
        if not self._quiet:
            output.say(f"spark: the engine failed ({problem}); trying again from the last token")

    def note(self, words: str) -> None:
        """Say a line that stays."""
        if not self._quiet:
            output.say(f"spark: {words}")

    def show(self, event: Event) -> None:
        """Take one event."""
        match event:
            case TurnStarted(region=region, map_tokens=tokens) if not self._quiet:
                output.say(
                    f"spark: editing {where(region)}"
                    + f", with a map of {tokens:,} tokens" * bool(tokens)
                )
            case Prefill(prompt_tokens=total, done_tokens=done):
                filled = 20 * done // total
                self.say(f"reading [{'#' * filled}{'.' * (20 - filled)}] {done}/{total} tokens")
            case Held(line) if line:
                self._rare(line)
            case Thinking(tokens=tokens):
                self.say(f"thinking, {tokens} tokens")
            case Token(index=index):
                self.say(f"writing, {index + 1} tokens")
            case VariationToken(variation=number):
                self.say(f"writing variation {number}")
            case Trying():
                self._rare(event.words, _TOLD_EVERY)

    def _rare(self, words: str, every: float = 0.0) -> None:
        """Say it at once where that can be rewritten, else as a line of its own.

        Args:
            every: Seconds at least.
        """
        if self._live or self._quiet:
            self.say(words)
        elif time.monotonic() - self._told >= every:
            self._told = time.monotonic()
            output.say(f"spark: {words}")

    def say(self, line: str) -> None:
        """Rewrite the line."""
        if self._live:
            output.rewrite(line)
