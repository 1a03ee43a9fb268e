"""The real screen for the benches on a terminal: a stream, tasks, a large diff, a review."""

import argparse
import gc
import json
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from spark_tui.cli.bench.endless_tasks import TASKS, write_without_end
from spark_tui.cli.common import open_session
from spark_tui.cli.open import PLACE
from spark_tui.config import Settings, load_settings
from spark_tui.context.regions import Region
from spark_tui.editing.hunks import Hunk
from spark_tui.editing.text import Text
from spark_tui.engine import use_one_blas_thread
from spark_tui.session.repair.sandbox import TrialCommand
from spark_tui.session.session import Session
from spark_tui.session.turn import Request, Turn
from spark_tui.session.turn_factory import TurnFactory
from spark_tui.session.turn_state import TurnPhase, TurnState
from spark_tui.tui.app import SparkApp
from spark_tui.tui.driver import SparkDriver, gil_priority

STREAMED = "read the file in a with statement"
"""The instruction of turns that do not end; its answer takes more than a few tokens."""
_FILE, _, _FUNCTION = PLACE.partition("::")
ASKED = Request(STREAMED, _FILE, symbol=_FUNCTION)
LINES = 1_000_000
"""Lines of the diff that F10 opens."""
_HUNK_EVERY = 100
DECISIONS = 30
"""Hunks that a bench decides about; the review that F11 opens has one more."""
_REVIEWED = "values.py"
_REVIEWED_EVERY = 8


class _EndlessTurn(Turn):
    """A turn that writes its likeliest answer over and over, as long as a bench measures."""

    def _goes_on(self) -> bool:
        self._writer = self.answerer.write(self.ask)  # a fresh writer knows no earlier answer
        return True


class EndlessMaker(TurnFactory):
    """Makes turns that do not end."""

    def create(
        self,
        number: str,
        request: Request,
        region: Region,
        base: Text,
        command: TrialCommand | None,
    ) -> Turn:
        """See `TurnFactory`."""
        return _EndlessTurn(number, request, region, base, self.answerer, command)


def large_turn(lines: int) -> TurnState:
    """Return a turn about so many lines, one in a hundred of them changed."""
    # As in a file, the lines are a tuple: the garbage collector does not look through it.
    base = tuple(
        f"    value_{number} = compute(value_{number - 1}, {number})" for number in range(lines)
    )
    hunks = []
    for number in range(0, lines, _HUNK_EVERY):
        changed = base[number].replace("compute", "combine")
        hunks.append(Hunk(str(number), number, (base[number],), (changed,)))
    view = TurnState("change every hundredth line", base)
    view.phase = TurnPhase.PAUSED
    view.region = (0, len(base))
    view.sync(base, hunks)
    return view


def begin_review(session: Session) -> Turn:
    """Begin a turn without a model, with hunks to decide about in a file that it writes."""
    base = [f"value_{number} = {number}" for number in range(_REVIEWED_EVERY * (DECISIONS + 1))]
    Path(_REVIEWED).write_text("\n".join([*base, ""]), "utf-8")
    changed = list(base)
    for number in range(0, len(base), _REVIEWED_EVERY):
        changed[number] += " + 1"
    session.maker = TurnFactory(session.repo, session.host)
    lines = (1, len(base))
    words = "change every eighth line"
    return session.begin(Request(words, _REVIEWED, lines, become=tuple(changed)))


class StageApp(SparkApp):
    """The application, which notes what it did and when.

    F9 begins tasks, F10 opens a large diff, F11 a review. The last line tells all that is measured,
    so that every token changes the screen.
    """

    BINDINGS = [  # noqa: RUF012 - declared so in App
        ("f11", "open_review", ""),
        ("f10", "open_view", ""),
        ("f9", "begin_tasks", ""),
    ]

    def __init__(self, load: Callable[[], Session]) -> None:
        settings = Settings(meters=True)
        super().__init__(load, settings, prompt=f"@{PLACE} {STREAMED}", driver_class=SparkDriver)
        self.notes: dict[str, list[float]] = {"moved": [], "opened": []}
        """Moments in seconds; of each task, under "written", the tokens of its step."""

    def on_diff_view_moved(self) -> None:
        """A key was carried out."""
        self.notes["moved"].append(time.perf_counter())

    def action_open_review(self) -> None:
        """Show hunks to decide about."""
        controller = self.main.controller
        assert controller is not None
        self.main.prompt.clear()
        self.main.dispatch.begin(controller, "", lambda _: begin_review(controller.session))

    def action_begin_tasks(self) -> None:
        """Have tasks write without end beside the screen."""
        controller = self.main.controller
        assert controller is not None
        write_without_end(controller.session, ASKED)
        for number in range(TASKS):
            self.main.tasks.begin(f"write {number}")

    def note_tasks(self) -> None:
        """Note how much the tasks have written."""
        tasks = self.main.tasks.tasks
        self.notes["written"] = [float(task.pieces) for task in tasks.begun] if tasks else []

    def action_open_view(self) -> None:
        """Show the diff."""
        view = large_turn(LINES)
        assert self.main.controller is not None
        self.main.controller.view = view
        self.notes["opened"].append(time.perf_counter())
        self.main.paint()
        self.main.bench.diff.focus()


def main(arguments: list[str]) -> int:
    """Run until the user leaves, then write down what was noted."""
    parser = argparse.ArgumentParser()
    parser.add_argument("model", type=Path)
    parser.add_argument("notes", type=Path)
    args = parser.parse_args(arguments)
    gc.disable()  # as the program does until it is ready
    app = StageApp(partial(_session, args.model))
    with gil_priority() as runner:
        app.run(loop=runner.get_loop())
    app.note_tasks()
    args.notes.write_text(json.dumps(app.notes), "utf-8")
    if app.failure is not None:
        traceback.print_exception(app.failure)  # what the bench tells is only that it ended
    return 0 if app.failure is None else 1


def _session(model: Path) -> Session:
    session = open_session(Path.cwd(), replace(load_settings(), model=str(model), types=False))
    session.maker = EndlessMaker(session.repo, session.host)
    return session


if __name__ == "__main__":
    use_one_blas_thread()
    sys.exit(main(sys.argv[1:]))
