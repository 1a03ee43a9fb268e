"""What the benches put on a terminal: the real screen, with a stream that does not end, or a large diff."""

import argparse
import asyncio
import gc
import json
import os
import re
import sys
import time
import traceback
from collections.abc import Callable, Generator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from spark_tui.cli.bench.scenes import large_turn, wide_turn
from spark_tui.cli.demo import INSTRUCTION, PLACE
from spark_tui.config import Settings, load_settings
from spark_tui.engine.blas import use_one_blas_thread
from spark_tui.session.events import Event, TurnEnded, TurnStarted
from spark_tui.session.session import Session
from spark_tui.session.turn import Turn
from spark_tui.tui.app import SparkApp
from spark_tui.tui.gil_priority import gil_priority
from spark_tui.tui.screens.main import MainScreen
from spark_tui.tui.view import TurnView
from spark_tui.tui.widgets.completion import Completion

TURNS_AT_ONCE = 100
"""How many turns F11 plays."""
_THERE, _BACK = f"{INSTRUCTION} in load", "rename expenses to d in load"
_NAMED_BACK = re.compile(r"\bexpenses = ")
_PATIENCE_S = 30.0
_STDERR = 2
_HURRY = 100
"""How many times faster the clock runs by which a hunk is accepted only once it could be seen."""


class _EndlessTurn(Turn):
    """A turn that begins again when it ends, so that there is a stream for as long as it takes."""

    def events(self) -> Generator[Event, None, None]:
        """See `Turn.events`; every token is decoded anew each time."""
        yield TurnStarted(self.id, self.request.instruction, self.region)
        while True:
            again = _Again(self)
            with self.lock:  # the screen may be reading it
                self.review, again.lock = again.review, self.lock
            for event in again.events():
                if not isinstance(event, TurnStarted | TurnEnded):
                    yield event


class _Again(Turn):
    """The same turn once more: its tokens and its time count on, and what can be known of the request is known."""

    def __init__(self, first: Turn) -> None:
        super().__init__(first.id, first.request, first.region, first.base, first._loaded, first._cache)
        self._meter = first._meter


class EndlessSession(Session):
    """A session whose turns do not end."""

    turn_type = _EndlessTurn


class StageApp(SparkApp):
    """The application, which notes what it did and when; F12 opens a diff, F11 plays turns.

    Args: view: makes what F12 opens.
    """

    BINDINGS = [("f12", "open_view", ""), ("f11", "play_turns", "")]  # noqa: RUF012 - declared so in App

    def __init__(self, load: Callable[[], Session], view: Callable[[], TurnView] = TurnView, *, hurry: int = 1) -> None:
        from spark_tui.tui.terminal import SparkDriver

        clock = (lambda: time.monotonic() * hurry) if hurry > 1 else time.monotonic
        prompt = f"{INSTRUCTION} in load"
        super().__init__(load, Settings(), prompt=prompt, clock=clock, driver_class=SparkDriver)
        self._view = view
        self._over = asyncio.Event()
        self.moved: list[float] = []
        self.opened: list[float] = []
        self.listed: list[float] = []
        self.turns = self.accepted = 0

    @property
    def notes(self) -> dict[str, Any]:
        """What was noted: moments in seconds, and how many turns there were."""
        return {each: getattr(self, each) for each in ("moved", "opened", "listed", "turns", "accepted")}

    @property
    def stage(self) -> MainScreen:
        """The screen that all is played on."""
        main = self.get_default_screen()
        assert isinstance(main, MainScreen)
        return main

    def on_diff_view_moved(self) -> None:
        """A key was carried out."""
        self.moved.append(time.perf_counter())

    def on_completion_shown(self, event: Completion.Shown) -> None:
        """What stands in the prompt was looked up."""
        self.listed.append(event.time)

    def on_main_screen_turn_over(self) -> None:
        """A turn ended."""
        self._over.set()

    def action_open_view(self) -> None:
        """Show the diff."""
        view, main = self._view(), self.stage
        assert main.desk is not None
        main.desk.view = view
        self.opened.append(time.perf_counter())
        main.paint()
        main.bench.diff.focus()

    def action_play_turns(self) -> None:
        """Play some turns, and say so when that is done."""
        self.run_worker(self._play())

    async def _play(self) -> None:
        """Rename there and back again, each time written to the file, as fast as it goes."""
        main = self.stage
        for _ in range(TURNS_AT_ONCE):
            main.prompt.set_text(_next_request())
            main.send_prompt()
            async with asyncio.timeout(_PATIENCE_S):
                await self._over.wait()
            self._over.clear()
            self.turns, self.accepted = self.turns + 1, self.accepted + bool(main.bench.written)
            main.action_accept_all()
            while main.busy:
                await asyncio.sleep(0.002)
            os.write(_STDERR, b"%d turns so far\n" % self.turns)  # past the screen: who waits sees that it gets on
        main.say(f"{self.turns} turns played")


def main(arguments: list[str]) -> int:
    """Run until the user leaves, then write down what was noted."""
    parser = argparse.ArgumentParser()
    parser.add_argument("model", type=Path)
    parser.add_argument("state", type=Path)
    parser.add_argument("notes", type=Path)
    parser.add_argument("--lines", type=int, default=0)
    parser.add_argument("--characters", type=int, default=0)
    parser.add_argument("--turns", action="store_true")
    args = parser.parse_args(arguments)
    view = partial(wide_turn, args.characters) if args.characters else partial(large_turn, args.lines)
    load = partial(_real_session if args.turns else _endless_session, args.model, args.state)
    gc.disable()  # as the program does until it is ready
    app = StageApp(load, view, hurry=_HURRY if args.turns else 1)
    with gil_priority() as runner:
        app.run(loop=runner.get_loop())
    args.notes.write_text(json.dumps(app.notes), "utf-8")
    if app.failure is not None:
        traceback.print_exception(app.failure)  # what the bench tells is only that it ended
    return 0 if app.failure is None else 1


def _next_request() -> str:
    """The way there or back, by what is in the file: whatever became of the turn before."""
    code = Path(PLACE.partition("::")[0]).read_text("utf-8")
    return _BACK if _NAMED_BACK.search(code) else _THERE


def _endless_session(model: Path, state: Path) -> Session:
    from spark_tui.cli.start import backend_of
    from spark_tui.engine.library import load
    from spark_tui.session.models import Models
    from spark_tui.vcs.repository import Repository

    backend = backend_of(load_settings())
    loaded = load(model, backend)
    return EndlessSession(Repository.discover(Path.cwd()), loaded, state, models=Models(backend))


def _real_session(model: Path, _: Path) -> Session:
    from spark_tui.cli.start import open_session

    return open_session(Path.cwd(), replace(load_settings(), model=str(model)))


if __name__ == "__main__":
    use_one_blas_thread()
    sys.exit(main(sys.argv[1:]))
