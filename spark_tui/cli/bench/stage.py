"""What the benches put on a terminal: the real screen, with a stream that does not end, or a large diff."""

import argparse
import gc
import json
import sys
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from pathlib import Path

from spark_tui.cli.demo import INSTRUCTION
from spark_tui.config import Settings, load_settings
from spark_tui.editing.guide import Guide
from spark_tui.engine.blas import use_one_blas_thread
from spark_tui.session.events import Event, TurnEnded, TurnStarted
from spark_tui.session.session import Session
from spark_tui.session.turn import Turn
from spark_tui.tui.app import SparkApp
from spark_tui.tui.screens.main import MainScreen
from spark_tui.tui.view import Phase, TurnView

_HUNK_EVERY = 100


class _EndlessTurn(Turn):
    """A turn that begins again when it ends, so that there is a stream for as long as it takes."""

    def events(self) -> Generator[Event, None, None]:
        """See `Turn.events`; every token is decoded anew each time."""
        yield TurnStarted(self.id, self.request.instruction, self.region)
        while True:
            again = _Again(self)
            self.review, again.lock = again.review, self.lock
            for event in again.events():
                if not isinstance(event, TurnStarted | TurnEnded):
                    yield event


class _Again(Turn):
    """The same turn once more: its tokens and its time count on, and what can be known of the request is known."""

    def __init__(self, first: Turn) -> None:
        self._first = first
        super().__init__(first.id, first.request, first.region, first.base, first._loaded, first._cache)
        self._meter = first._meter

    def _guided(self) -> Guide:
        return self._first._guide


class EndlessSession(Session):
    """A session whose turns do not end."""

    turn_type = _EndlessTurn


@dataclass(frozen=True, slots=True)
class Block:
    """A hunk of the large diff."""

    id: str
    start: int
    old_lines: tuple[str, ...]
    new_lines: tuple[str, ...]


def large_turn(lines: int) -> TurnView:
    """A turn that stands still with so many lines on the screen, one in a hundred changed, nothing folded."""
    base = [f"    value_{number} = compute(value_{number - 1}, {number})" for number in range(lines)]
    hunks = [
        Block(str(at), at, (base[at],), (base[at].replace("compute", "combine"),))
        for at in range(0, lines, _HUNK_EVERY)
    ]  # fmt: skip
    view = TurnView("change every hundredth line", base)
    view.phase, view.region = Phase.PAUSED, (0, lines)
    view.sync(base, hunks)
    return view


class StageApp(SparkApp):
    """The application, which notes when a key has moved the cursor; F12 opens a large diff. Args: lines: of that."""

    BINDINGS = [("f12", "open_large", "")]  # noqa: RUF012 - declared so in App

    def __init__(self, load: Callable[[], Session], lines: int) -> None:
        from spark_tui.tui.terminal import SparkDriver

        super().__init__(load, Settings(), prompt=f"{INSTRUCTION} in load", driver_class=SparkDriver)
        self._lines = lines
        self.moved: list[float] = []
        self.opened: list[float] = []

    def on_diff_view_moved(self) -> None:
        """A key was carried out."""
        self.moved.append(time.perf_counter())

    def action_open_large(self) -> None:
        """Show the large diff."""
        main = self.get_default_screen()
        assert isinstance(main, MainScreen)
        assert main.desk is not None
        main.desk.view = large_turn(self._lines)
        self.opened.append(time.perf_counter())
        main.paint()
        main.bench.diff.focus()


def main(arguments: list[str]) -> int:
    """Run until the user leaves, then write down what was noted."""
    parser = argparse.ArgumentParser()
    parser.add_argument("model", type=Path)
    parser.add_argument("state", type=Path)
    parser.add_argument("notes", type=Path)
    parser.add_argument("--lines", type=int, default=0)
    args = parser.parse_args(arguments)
    from spark_tui.cli.start import backend_of
    from spark_tui.engine.library import load
    from spark_tui.vcs.repository import Repository

    def session() -> Session:
        loaded = load(args.model, backend_of(load_settings()))
        return EndlessSession(Repository.discover(Path.cwd()), loaded, args.state)

    gc.disable()  # as the program does until it is ready
    app = StageApp(session, args.lines)
    app.run()
    args.notes.write_text(json.dumps({"moved": app.moved, "opened": app.opened}), "utf-8")
    return 0 if app.failure is None else 1


if __name__ == "__main__":
    use_one_blas_thread()
    sys.exit(main(sys.argv[1:]))
