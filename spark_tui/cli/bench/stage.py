"""What the benches put on a terminal: the real screen, with a stream that does not end, or a large diff."""

import argparse
import asyncio
import gc
import json
import os
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from spark_tui.cli.demo import INSTRUCTION, PLACE
from spark_tui.cli.start import open_session
from spark_tui.config import Settings, load_settings
from spark_tui.context.source import Region
from spark_tui.editing.hunks import Hunk
from spark_tui.editing.text import Text
from spark_tui.engine.blas import use_one_blas_thread
from spark_tui.session.fixing.trial import Command
from spark_tui.session.making import Maker
from spark_tui.session.session import Session
from spark_tui.session.turn import Request, Turn
from spark_tui.tui.app import SparkApp
from spark_tui.tui.gil_priority import gil_priority
from spark_tui.tui.view import Phase, TurnView
from spark_tui.tui.widgets.completion import Completion

STREAMED = "read the file in a with statement"
"""What the turns are asked that do not end: something that takes more than a few tokens."""
THERE, BACK = INSTRUCTION, "rename expenses to d"
PLAYED = {THERE: "rename d expenses\n", BACK: "rename expenses d\n"}
"""What is asked and answered in the turns that are played."""
FILE, NAMED_THERE = PLACE.partition("::")[0], "expenses = []"
"""The file they change, and what is in it before the way back."""
TURNS_AT_ONCE = 100
"""How many turns F11 plays."""
_HUNK_EVERY = 100
_LINES_AROUND = 40
_WORDS = "spread(value, 12); "
_PATIENCE_S = 30.0
_STDERR = 2
_HURRY = 100
"""How many times faster the clock runs by which a hunk is accepted only once it could be seen."""


class _EndlessTurn(Turn):
    """A turn that writes its likeliest answer over and over, so that there is a stream for as long as it takes."""

    def _goes_on(self) -> bool:
        self._writer = self.answerer.write(self.ask)  # which knows nothing of what the one before it wrote
        return True


class EndlessMaker(Maker):
    """Makes turns that do not end."""

    def turn(self, number: str, request: Request, region: Region, base: Text, command: Command | None) -> Turn:
        """See `Maker`."""
        return _EndlessTurn(number, request, region, base, self.answerer, command)


class PlayedMaker(Maker):
    """Makes turns whose answers are given, as if the user had begun them: the model reads and ends them."""

    def turn(self, number: str, request: Request, region: Region, base: Text, command: Command | None) -> Turn:
        """See `Maker`. Args: request: one of `PLAYED`."""
        return Turn(number, request, region, base, self.answerer, command, begun=PLAYED[request.instruction])


def large_turn(lines: int) -> TurnView:
    """A turn that stands still with so many lines on the screen, one in a hundred changed, nothing folded."""
    base = [f"    value_{number} = compute(value_{number - 1}, {number})" for number in range(lines)]
    hunks = [
        Hunk(str(at), at, (base[at],), (base[at].replace("compute", "combine"),))
        for at in range(0, lines, _HUNK_EVERY)
    ]  # fmt: skip
    return _standing("change every hundredth line", base, hunks)


def wide_turn(characters: int) -> TurnView:
    """A turn that stands still with a line of so many characters, changed at its beginning."""
    base = [f"    value_{number} = compute(value_{number - 1}, {number})" for number in range(_LINES_AROUND)]
    base[2] = (_WORDS * (characters // len(_WORDS) + 1))[:characters]
    return _standing("change the long line", base, [Hunk("long", 2, (base[2],), ("value_10" + base[2],))])


def _standing(instruction: str, base: list[str], hunks: list[Hunk]) -> TurnView:
    view = TurnView(instruction, base)
    view.phase, view.region = Phase.PAUSED, (0, len(base))
    view.sync(base, hunks)
    return view


class StageApp(SparkApp):
    """The application, which notes what it did and when; F12 opens a diff, F11 plays turns.

    Args: view: makes what F12 opens.
    """

    BINDINGS = [("f12", "open_view", ""), ("f11", "play_turns", "")]  # noqa: RUF012 - declared so in App

    def __init__(self, load: Callable[[], Session], view: Callable[[], TurnView] = TurnView, *, hurry: int = 1) -> None:
        from spark_tui.tui.terminal import SparkDriver

        clock = (lambda: time.monotonic() * hurry) if hurry > 1 else time.monotonic
        super().__init__(load, Settings(), prompt=_at_place(STREAMED), clock=clock, driver_class=SparkDriver)
        self._view = view
        self._over = asyncio.Event()
        self.notes: dict[str, list[float]] = {each: [] for each in ("moved", "opened", "listed", "accepted")}
        """Moments in seconds; and of each turn that was played, whether it changed the file (1 or 0)."""

    def on_diff_view_moved(self) -> None:
        """A key was carried out."""
        self.notes["moved"].append(time.perf_counter())

    def on_completion_shown(self, event: Completion.Shown) -> None:
        """What stands in the prompt was looked up."""
        self.notes["listed"].append(event.time)

    def on_main_screen_turn_over(self) -> None:
        """A turn ended."""
        self._over.set()

    def action_open_view(self) -> None:
        """Show the diff."""
        view = self._view()
        assert self.main.desk is not None
        self.main.desk.view = view
        self.notes["opened"].append(time.perf_counter())
        self.main.paint()
        self.main.bench.diff.focus()

    def action_play_turns(self) -> None:
        """Play some turns, and say so when that is done."""
        self.run_worker(self._play())

    async def _play(self) -> None:
        """Rename there and back again, each time written to the file, as fast as it goes."""
        for _ in range(TURNS_AT_ONCE):
            # by what is in the file, whatever became of the turn before
            self.main.prompt.set_text(_at_place(BACK if NAMED_THERE in Path(FILE).read_text("utf-8") else THERE))
            self.main.prompt.send()
            async with asyncio.timeout(_PATIENCE_S):
                await self._over.wait()
            self._over.clear()
            self.notes["accepted"].append(bool(self.main.bench.written))
            self.main.action_do("accept_all")
            while self.main.busy:
                await asyncio.sleep(0.002)
            os.write(_STDERR, b"another turn\n")  # past the screen: who waits sees that it gets on
        self.main.say(f"{len(self.notes['accepted'])} turns played")


def main(arguments: list[str]) -> int:
    """Run until the user leaves, then write down what was noted."""
    parser = argparse.ArgumentParser()
    parser.add_argument("model", type=Path)
    parser.add_argument("notes", type=Path)
    parser.add_argument("--lines", type=int, default=0)
    parser.add_argument("--characters", type=int, default=0)
    parser.add_argument("--turns", action="store_true")
    args = parser.parse_args(arguments)
    view = partial(wide_turn, args.characters) if args.characters else partial(large_turn, args.lines)
    load = partial(_session, args.model, PlayedMaker if args.turns else EndlessMaker)
    gc.disable()  # as the program does until it is ready
    app = StageApp(load, view, hurry=_HURRY if args.turns else 1)
    with gil_priority() as runner:
        app.run(loop=runner.get_loop())
    args.notes.write_text(json.dumps(app.notes), "utf-8")
    if app.failure is not None:
        traceback.print_exception(app.failure)  # what the bench tells is only that it ended
    return 0 if app.failure is None else 1


def _at_place(words: str) -> str:
    return f"@{PLACE} {words}"


def _session(model: Path, kind: type[Maker]) -> Session:
    session = open_session(Path.cwd(), replace(load_settings(), model=str(model)))
    session.maker = kind(session.repo, session.host)
    return session


if __name__ == "__main__":
    use_one_blas_thread()
    sys.exit(main(sys.argv[1:]))
