"""Runs one turn without the screen, for `spark exec` and `spark demo --print`."""

import argparse
import math
import os
import shlex
import sys
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from spark_tui.cli import output
from spark_tui.cli.common import (
    advising_to_allow,
    ended_once,
    notice,
    open_session,
    read_stdin,
    settings_of,
)
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
from spark_tui.mentions import Place, parse_place, read_request
from spark_tui.session.candidates import where
from spark_tui.session.evaluator import MOST
from spark_tui.session.events import (
    Event,
    HandedOver,
    Held,
    Prefill,
    Status,
    Thinking,
    Token,
    TrialProgress,
    TurnStarted,
    VariationToken,
)
from spark_tui.session.json_output import (
    is_for_people,
    patch_of,
    patch_to,
    require_fit,
    result,
    to_json,
)
from spark_tui.session.leftovers import few
from spark_tui.session.repair.sandbox import BUDGET_SECONDS, TrialCommand
from spark_tui.session.session import Session
from spark_tui.session.targets import TargetFinder
from spark_tui.session.turn import Request, Turn
from spark_tui.vcs.journal import JournalEntry
from spark_tui.vcs.new_files import PATIENCE_SECONDS

T = TypeVar("T")
_MOST_NAMES = 3
_BAR = 20
"""Characters of the bar that fills while a prompt is read."""
_SEARCH_LINE_EVERY_S = 5.0
"""Seconds between two lines about a search, where stderr is no terminal."""
_EXIT_CODES = {
    Status.UNSURE: Abstained.exit_code,
    Status.ABSTAINED: Abstained.exit_code,
    Status.INTERRUPTED: Interrupted.exit_code,
}
_TRACKED_ONLY = (
    f"git did not find out within {PATIENCE_SECONDS:.1f} s which files are new here: only those "
    f"that it tracks were searched; --file names others"
)
_UNSURE = "nothing was written; --unsure {} it, --format json shows it"


def take_turn(args: argparse.Namespace) -> int:
    """Do one turn.

    Args:
        args: The arguments of `spark exec`.

    Returns:
        The exit code.

    Raises:
        SparkError: The arguments are wrong, or the turn failed.
    """
    settings = settings_of(args)
    instruction = _instruction(args)
    if args.stage and not args.apply:
        raise UsageError("--stage is for an edit that is applied; add --apply")
    opened = open_session(
        Path(args.folder),
        settings,
        once=True,
        serve=not (args.no_serve or args.rename),
        is_late=bool(args.rename),
    )
    with closing(opened) as session:
        return _take(session, instruction, settings, args)


def _take(session: Session, instruction: str, settings: Settings, args: argparse.Namespace) -> int:
    # Everything that can be refused is refused before the turn, which may take a while.
    args.allow = [_allowed(session, path, args) for path in args.allow]
    session.disclosure.allow(args.allow)
    if args.stage:
        session.staging.require_trust()
    if args.budget is not None and not args.check:
        raise UsageError("--budget is for the search with --check; name a command that must pass")
    if args.variations is not None and not 1 <= args.variations <= MOST:
        raise UsageError(f"--variations {args.variations}: choose a number from 1 to {MOST}")
    command = _check_command(session, args)
    finder = TargetFinder(session, settings)
    request = _request(args, instruction, settings, session)
    progress = _Progress(args)
    with ended_once():
        if request.rename:
            turn = session.rename(request, progress.say, command)
        else:
            with advising_to_allow():
                turn = progress.follow(finder.begin_request(request, command))
        if session.repo.lists_tracked_only:
            progress.note(_TRACKED_ONLY)
        # A turn may be taken over by another model, which makes another turn of it.
        while turn.status is Status.RUNNING:
            turn = _play(session, turn, args, progress)
    return _finish(session, turn, args)


def _check_command(session: Session, args: argparse.Namespace) -> TrialCommand | None:
    if args.check is None:
        return None
    seconds = BUDGET_SECONDS
    if args.budget is not None:
        seconds = args.budget
    return session.command(args.check, seconds)


def _play(session: Session, turn: Turn, args: argparse.Namespace, progress: "_Progress") -> Turn:
    """Run a turn to its end.

    Returns:
        The turn, or the one that goes on from there.

    Raises:
        SparkError: The turn failed, and no other model takes over.
    """
    host = session.host_of(turn)
    retries: AbstractContextManager[None] = nullcontext()
    if not (host.remote or host.served or turn.request.rename):
        # Only the engine of this process can go on from the last token.
        retries = host.on_failure(progress.engine_failed)
    try:
        with retries:
            error = _follow(turn, progress)
            if why := session.succession.reason_to_hand_over(turn, error):
                progress.note(why)
                return session.take_over(turn, error) or turn
            if error is not None:
                raise error
            if args.variations:
                progress.follow(session.vary(turn, args.variations))
    except KeyboardInterrupt:
        turn.status = Status.INTERRUPTED
        turn.message = "interrupted; nothing was written"
    except SparkError as e:
        # A model that took over has failed: the edit that the first one was unsure of is still
        # there.
        before = turn.before or turn
        if before.status is not Status.UNSURE:
            with _errors_as_json(session, turn, args):
                raise
        notice(f"{output.on_one_line(e)}; this is the edit of {before.writer}")
        return before
    return turn


def _follow(turn: Turn, progress: "_Progress") -> SparkError | None:
    """Run the events of a turn.

    Returns:
        The error that ended the turn, if any.
    """
    try:
        progress.follow(turn.events(), Files(turn.base.lines))
    except SparkError as e:
        return e
    return None


@contextmanager
def _errors_as_json(session: Session, turn: Turn, args: argparse.Namespace) -> Iterator[None]:
    """Print the object for programs also when a turn that has begun ends in an error."""
    try:
        yield
    except SparkError as error:
        if args.format != "diff":
            problem = {"status": output.status(error), "message": output.on_one_line(error)}
            output.show_json(_object(session, turn, args) | problem)
        raise


def _object(
    session: Session, turn: Turn, args: argparse.Namespace, applied: "_Applied | None" = None
) -> dict[str, Any]:
    """Return the object that programs get of a turn."""
    applied = applied or _Applied()
    body = result(
        session.repo,
        turn,
        turn.writer or session.host.in_use,
        applied.entry,
        staged=applied.staged,
        count=args.variations or 0,
    )
    if args.format == "stream-json":
        return {"event": "turn_ended", **body}
    return body


def _instruction(args: argparse.Namespace) -> str:
    given: str | None = args.instruction
    for option in ("keep", "rename"):
        if not getattr(args, option):
            continue
        if given is not None:
            raise UsageError(f"--{option} replaces the instruction; leave one of them out")
        return f"keep {args.keep}" if args.keep else ""
    if given is None:
        raise UsageError("no instruction; say what to change, or resolve conflicts with --keep")
    if given == "-":
        given = read_stdin()
    lines = (" ".join(line.split()) for line in given.splitlines())
    words = "\n".join(filter(None, lines))
    if not words:
        raise UsageError("the instruction is empty; say what to change")
    return words


def _allowed(session: Session, path: str, args: argparse.Namespace) -> str:
    """Return the path of a file that exists, or that the provider can create."""
    inside = session.repo.resolve(path, start=Path(args.folder).resolve())
    exists = os.path.lexists(session.repo.root / inside)
    if session.creates and not exists:
        return inside
    return _existing(session, path, args)


def _existing(session: Session, path: str, args: argparse.Namespace) -> str:
    inside = session.repo.resolve(path, start=Path(args.folder).resolve())
    place = session.repo.root / inside
    if not os.path.lexists(place):
        raise UsageError(f"there is no file {path}; check its name")
    if place.is_dir():
        raise UsageError(f"{path} is a folder; name a file")
    if place.exists() and not place.is_file():
        raise UsageError(f"{path} is not a regular file; name a file")
    return inside


def _place_named(args: argparse.Namespace) -> Place:
    """Return the place that --at names; a file may have a name that reads like lines of another."""
    is_file = os.path.lexists(Path(args.folder) / args.at)
    if is_file and args.at.strip():
        return Place(args.at)
    return parse_place(args.at)


def _request(
    args: argparse.Namespace, instruction: str, settings: Settings, session: Session
) -> Request:
    if not all(path.strip() for path in args.file):
        raise UsageError("--file '': name a file")
    if args.at is not None and args.file:
        raise UsageError("--at names the file already; leave out --file")
    # --at names the place, --file only narrows the search; without both the words may name one.
    place: dict[str, Any] = {"instruction": instruction}
    if args.at is not None:
        target = _place_named(args)
        place["path"] = _existing(session, target.path, args)
        place["lines"] = target.lines
        place["symbol"] = target.symbol
    elif not args.file:
        place = read_request(instruction, session.mentions.file_named)
    return Request(
        **place,
        among=tuple(_existing(session, path, args) for path in args.file),
        temperature=settings.temperature,
        seed=settings.seed,
        max_tokens=settings.max_tokens,
        keep=args.keep or "",
        rename=args.rename or "",
    )


@dataclass(frozen=True, slots=True)
class _Applied:
    """The result of applying an edit.

    Attributes:
        entry: The journal's entry; None where nothing was written.
        beside: The files in which something had been staged before the edit was; None where the
            edit is not staged.
        problem: The refusal, if any; raised after the patch is shown.
    """

    entry: JournalEntry | None = None
    beside: tuple[str, ...] | None = None
    problem: SparkError | None = None

    @property
    def staged(self) -> bool:
        """Whether the edit is staged."""
        return self.beside is not None

    @property
    def summary(self) -> str:
        """A clause for people that says what was done; "" for nothing."""
        if self.entry is None:
            return ""
        staged = " and staged" if self.staged else ""
        return f"applied{staged}, `spark undo` takes it back"

    @property
    def index_note(self) -> str:
        """A clause for people that says what else is in git's index; "" for nothing."""
        if not self.beside:
            return ""
        note = "already staged, and in the next `git commit`, too"
        return f"{note}: {few(self.beside, _MOST_NAMES)}"


def _finish(session: Session, turn: Turn, args: argparse.Namespace) -> int:
    applied = _Applied()
    is_wanted = _is_wanted(turn, args)
    if args.apply and is_wanted:
        with _errors_as_json(session, turn, args):
            applied = _apply(session, turn, args)
    elif is_wanted:
        with _errors_as_json(session, turn, args):
            require_fit(session.repo, turn)
    # The patch is shown even where writing it was refused; the refusal is raised behind it.
    try:
        _show(session, turn, args, applied)
    except FileError as e:
        if applied.entry is None:
            raise
        raise FileError(f"{applied.summary} (batch {applied.entry.id}); but {e}") from e
    if applied.problem is not None:
        raise applied.problem
    return 0 if is_wanted else _EXIT_CODES[turn.status]


def _is_wanted(turn: Turn, args: argparse.Namespace) -> bool:
    """Whether the turn ended with an edit that the user wants: a sure one, or any."""
    return turn.status is Status.OK or (turn.status is Status.UNSURE and args.unsure)


def _show(session: Session, turn: Turn, args: argparse.Namespace, applied: _Applied) -> None:
    """Print the outcome on stdout, and for people a summary on stderr."""
    if args.format != "diff":
        body = _object(session, turn, args, applied)
        if applied.problem:
            body["status"] = output.status(applied.problem)
            body["message"] = str(applied.problem)
        output.show_json(body)
        return
    is_withheld = turn.status is Status.UNSURE and not args.unsure
    if not is_withheld:
        _show_patches(session, turn, args.variations)
    if args.quiet and turn.status is Status.OK:
        return
    if applied.entry and applied.problem:
        return  # the error is about to say it
    parts = [f"spark: {turn.message}", applied.summary, applied.index_note]
    if is_withheld:
        parts.append(_UNSURE.format("applies" if args.apply else "prints"))
    output.say("; ".join(filter(None, parts)))
    for line in turn.unsaid:
        output.say(f"  {line}")
    if turn.advice and not args.quiet:
        output.say(f"spark: {turn.advice}")
    _show_failed_check(turn)


def _show_failed_check(turn: Turn) -> None:
    """Show what the check printed before any edit, where no edit made it pass."""
    if turn.trial is None or turn.status is not Status.ABSTAINED or not turn.trial.last_lines:
        return
    output.say(f"spark: `{turn.trial.command.line}` said, as it is:")
    for line in turn.trial.last_lines:
        output.say(f"  {line}")


def _apply(session: Session, turn: Turn, args: argparse.Namespace) -> _Applied:
    """Write the edit and stage it, where both are possible; otherwise write nothing."""
    for path, reasons in session.doubts(turn).items():
        if path not in args.allow:
            advice = f"--allow {shlex.quote(path)} permits it"
            return _Applied(
                problem=SparkError(f"{path} {'; '.join(reasons)}; nothing was written: {advice}")
            )
    try:
        if not args.stage:
            return _Applied(session.accept(turn, allow=None))
        # All that may refuse to stage comes before the edit is written, and its locks are held
        # until the edit is staged.
        with ExitStack() as locks:
            stage, warning, beside = _ready_to_stage(session, turn, locks)
            locks.enter_context(session.staging.noted())
            applied = _stage(session.accept(turn, allow=None), stage, beside)
            if warning and applied.staged:
                notice(warning)
            return applied
    finally:
        for words in session.take_notices():
            notice(words)


_StageEntry = Callable[[JournalEntry], object]


def _ready_to_stage(
    session: Session, turn: Turn, locks: ExitStack
) -> tuple[_StageEntry, str, tuple[str, ...]]:
    """Prepare to stage an edit before it is applied.

    Args:
        locks: Takes what must be released once the edit is staged.

    Returns:
        What stages the entry; what that breaks, or ""; the files in which something is staged.

    Raises:
        Conflict, Transient, SparkError: The edit cannot be staged.
    """
    changes = session.changes(turn)
    try:
        if len(changes) > 1:  # each file is staged by itself once all of them are applied
            session.staging.require_trust()
            return lambda entry: session.staging.stage([entry.id]), "", ()
        warning, beside = session.staging.beside(changes[0])
        return locks.enter_context(session.staging.ready(changes[0])), warning, beside
    except SparkError as e:
        kind = SparkError
        if isinstance(e, (Conflict, Transient)):  # they have exit codes of their own
            kind = type(e)
        raise kind(f"{e}; nothing was written: without --stage, it can be applied") from e


def _stage(entry: JournalEntry, stage: _StageEntry, beside: tuple[str, ...]) -> _Applied:
    """Stage what was applied.

    All that can refuse was asked before; what remains is, say, a disk that fills up just now.
    """
    try:
        stage(entry)
    except SparkError as e:
        words = f"applied (`spark undo` takes it back) but not staged: {output.on_one_line(e)}"
        return _Applied(entry, problem=SparkError(words))
    return _Applied(entry, beside)


def _show_patches(session: Session, turn: Turn, count: int | None) -> None:
    """Show the turn's patch, or those of its variations, each below a line with its number."""
    if count is None:
        output.show_patch(patch_of(session.repo, turn))
        return
    variations = turn.variations[:count]
    for number, variation in enumerate(variations, 1):
        probability = math.exp(variation.logprob)
        title = f"variation {number} of {len(variations)}, probability {probability:.2g}\n"
        patch = patch_to(session.repo, turn, variation.file)
        output.show_patch(title.encode() + patch)


class _Progress:
    """Shows how a turn goes: events on stdout for programs, a line on stderr for people.

    On a terminal the line changes in place.
    """

    def __init__(self, args: argparse.Namespace) -> None:
        self._streams = args.format == "stream-json"
        self._quiet = args.quiet or args.format != "diff"
        self._live = sys.stderr.isatty() and not self._quiet
        self._failures = 0
        self._last_line = time.monotonic()

    def follow(self, events: Generator[Event, None, T], files: Files = Files()) -> T:  # noqa: B008
        """Run events and show each.

        Args:
            files: The files that hunks are about.

        Returns:
            The value that the generator returns.
        """
        try:
            with closing(events):
                # no `for` loop, which would drop what the generator returns
                while True:
                    event = next(events)
                    self.show(event)
                    if self._streams and not is_for_people(event):
                        output.show_json(to_json(event, files))
        except StopIteration as end:
            result: T = end.value
            return result
        finally:
            self.say("")

    def engine_failed(self, problem: str) -> None:
        """Try again once in a turn.

        Raises:
            ModelError: The engine failed for the second time.
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
                repo_map = f", with a map of {tokens:,} tokens" if tokens else ""
                output.say(f"spark: editing {where(region)}{repo_map}")
            case Prefill(prompt_tokens=total, done_tokens=done):
                filled = _BAR * done // total
                bar = "#" * filled + "." * (_BAR - filled)
                self.say(f"reading [{bar}] {done}/{total} tokens")
            case Held(line) if line:
                self._say_rarely(line)
            case HandedOver(line):
                self.note(line)
            case Thinking(tokens=tokens):
                self.say(f"thinking, {tokens} tokens")
            case Token(index=index):
                self.say(f"writing, {index + 1} tokens")
            case VariationToken(variation=number):
                self.say(f"writing variation {number}")
            case TrialProgress():
                self._say_rarely(event.words, _SEARCH_LINE_EVERY_S)

    def _say_rarely(self, words: str, every: float = 0.0) -> None:
        """Rewrite the line where the terminal can, else add a line from time to time.

        Args:
            every: The least seconds between two lines.
        """
        if self._live or self._quiet:
            self.say(words)
        elif time.monotonic() - self._last_line >= every:
            self._last_line = time.monotonic()
            output.say(f"spark: {words}")

    def say(self, line: str) -> None:
        """Rewrite the line."""
        if self._live:
            output.rewrite(line)
