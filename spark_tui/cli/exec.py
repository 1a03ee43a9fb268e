"""`spark exec`: one turn without the screen. The patch goes to stdout, what happens to stderr."""

import argparse
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from spark_tui.cli import output
from spark_tui.cli.places import parse_place
from spark_tui.cli.start import add_model_argument, open_session, settings_of
from spark_tui.errors import Abstained, Interrupted, UsageError

if TYPE_CHECKING:
    from spark_tui.config import Settings
    from spark_tui.session.events import Event
    from spark_tui.session.session import Session
    from spark_tui.session.turn import Request, Turn


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `spark exec`."""
    parser.add_argument("instruction", help="what to do, in plain words; - reads it from stdin")
    parser.add_argument("--file", action="append", default=[], metavar="PATH", help="look in this file (repeatable)")
    parser.add_argument("--at", metavar="PLACE", help="edit PATH:FIRST-LAST or PATH::Symbol.name")
    parser.add_argument("--apply", action="store_true", help="write the edit to the work tree, too")
    parser.add_argument("--format", choices=["diff", "json", "stream-json"], default="diff")
    parser.add_argument("--temperature", type=float, metavar="T", help="0 (default) always takes the likeliest token")
    parser.add_argument("--seed", type=int, metavar="N", help="fixes the draws of a temperature above 0")
    parser.add_argument("--max-tokens", type=int, metavar="N", help="give up after this many tokens")
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress on stderr")
    add_model_argument(parser)


def run(args: argparse.Namespace) -> int:
    """Do one turn. Returns: 0, 3 (abstained) or 130. Raises: SparkError."""
    settings = settings_of(args)
    instruction = _instruction(args.instruction)
    session = open_session(Path(args.folder), settings)
    turn = session.begin(_request(args, instruction, settings, session))
    _play(turn, args)
    return _finish(session, turn, args)


def _instruction(given: str) -> str:
    words = " ".join((sys.stdin.read() if given == "-" else given).split())
    if not words:
        raise UsageError("the instruction is empty; say what to do in plain words")
    return words


def _request(args: argparse.Namespace, instruction: str, settings: "Settings", session: "Session") -> "Request":
    from spark_tui.session.turn import Request

    def inside(path: str) -> str:
        return session.repo.resolve(path, start=Path(args.folder).resolve())

    place = parse_place(args.at) if args.at else None
    if place and args.file:
        raise UsageError("--at names the file already; leave out --file")
    return Request(
        instruction,
        path=inside(place.path) if place else None,
        lines=place.lines if place else None,
        symbol=place.symbol if place else None,
        among=tuple(map(inside, args.file)),
        temperature=settings.temperature,
        seed=settings.seed,
        max_tokens=settings.max_tokens,
    )


def _play(turn: "Turn", args: argparse.Namespace) -> None:
    """Run the turn to its end, or to Ctrl+C."""
    from spark_tui.session.events import TurnEnded, to_json

    progress = _Progress(quiet=args.quiet or args.format != "diff")
    try:
        with closing(turn.events()) as events:
            for event in events:
                progress.show(event)
                if args.format == "stream-json" and not isinstance(event, TurnEnded):
                    output.show_json(to_json(event))
    except KeyboardInterrupt:
        turn.message = "interrupted; nothing was written"
    finally:
        progress.clear()


def _finish(session: "Session", turn: "Turn", args: argparse.Namespace) -> int:
    from spark_tui.session.events import Status
    from spark_tui.session.result import patch_of, result

    entry = session.accept(turn) if args.apply and turn.status is Status.OK else None
    if args.format == "diff":
        output.show_patch(patch_of(session.repo, turn))
    else:
        body = result(session.repo, turn, session.loaded.name, entry)
        output.show_json({"event": "turn_ended", **body} if args.format == "stream-json" else body)
    if args.format == "diff" and not (args.quiet and turn.status is Status.OK):
        output.say(f"spark: {turn.message}")
    codes = {Status.ABSTAINED: Abstained.exit_code, Status.INTERRUPTED: Interrupted.exit_code}
    return codes.get(turn.status, 0)


class _Progress:
    """What is going on, on stderr: a line that rewrites itself where that is a terminal."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._live = sys.stderr.isatty()

    def show(self, event: "Event") -> None:
        """Take one event."""
        from spark_tui.session.answers import where
        from spark_tui.session.events import Prefill, Token, TurnStarted

        if self._quiet:
            return
        match event:
            case TurnStarted(region=region):
                output.say(f"spark: editing {where(region)}")
            case Prefill(prompt_tokens=total, done_tokens=done) if self._live:
                filled = 20 * done // total
                self._rewrite(f"reading [{'#' * filled}{'.' * (20 - filled)}] {done}/{total} tokens")
            case Token(index=index) if self._live:
                self._rewrite(f"writing, {index + 1} tokens")

    def clear(self) -> None:
        """Take the line away."""
        if self._live and not self._quiet:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    def _rewrite(self, line: str) -> None:
        print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)
