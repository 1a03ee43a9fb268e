"""Pictures of every state at two sizes; `--snapshot-update` takes them again."""

import threading
from collections.abc import Callable
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest
from textual.pilot import Pilot

from spark_tui.config import Settings
from spark_tui.engine.runner import Runner
from spark_tui.session import meter
from spark_tui.tui.screens.commit import CommitScreen
from spark_tui.tui.screens.shell import ShellScreen
from spark_tui.tui.view import Phase, State
from spark_tui.tui.widgets.bar import Bar
from spark_tui.tui.widgets.completion import Completion
from spark_tui.tui.widgets.prompt import Prompt
from tests.tui.support import EDIT, HUSH, SPLIT, Stage, until

Compare = Callable[..., bool]
SIZES = pytest.mark.parametrize("size", [(80, 24), (160, 48)], ids=["80x24", "160x48"])
TOKENS_SO_FAR = 60


@pytest.fixture(autouse=True)
def _still_clocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every look of the engine at the clock is a millisecond later than the last one, and every stop took as long."""
    ticks, latest = count(), [0]

    def now() -> float:
        if threading.current_thread() is not threading.main_thread():  # the screen looks as often as it paints
            latest[0] = next(ticks)
        return latest[0] / 1000

    monkeypatch.setattr(meter, "time", SimpleNamespace(perf_counter=now))
    monkeypatch.setattr(Runner, "last_stop_ms", property(lambda _: 1.4))


class Scene:
    """The steps that lead to a picture."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage

    async def start(self, pilot: Pilot[None]) -> None:
        """Nothing was asked yet."""
        await until(pilot, lambda: self.stage.main.desk is not None)

    async def streaming(self, pilot: Pilot[None]) -> None:
        """A hunk is being written."""
        await self._send(pilot, EDIT)
        await self.stage.step_until(pilot, lambda: self.stage.seen == TOKENS_SO_FAR)

    async def paused(self, pilot: Pilot[None]) -> None:
        """Esc was pressed."""
        await self.streaming(pilot)
        await pilot.press("escape")
        self.stage.gate.let(1)
        await until(pilot, lambda: self.stage.view.figures.stop_ms is not None)

    async def failed(self, pilot: Pilot[None]) -> None:
        """The engine failed while it was writing."""
        await self.streaming(pilot)
        self.stage.gate.fail(MemoryError())
        self.stage.gate.let(1)
        await until(pilot, lambda: bool(self.stage.view.problem) and self.stage.session.runner.paused)

    async def redirect(self, pilot: Pilot[None]) -> None:
        """Other words were typed instead."""
        await self.paused(pilot)
        await pilot.press(*"no", "comma", "space", *"keep", "space", *"print")

    async def review(self, pilot: Pilot[None], instruction: str = EDIT) -> None:
        """The turn is over."""
        self.stage.gate.open()
        await self._send(pilot, instruction)
        await until(pilot, lambda: self.stage.view.phase is Phase.REVIEW and self.stage.diff.has_focus)
        await pilot.press("home", "right_square_bracket")  # how far it scrolled depends on the frames painted so far
        self.stage.later()

    async def accepted(self, pilot: Pilot[None]) -> None:
        """One of two hunks was accepted."""
        await self.review(pilot, SPLIT)
        await pilot.press("a")
        await self._states(pilot, State.ACCEPTED, State.OK)

    async def undone(self, pilot: Pilot[None]) -> None:
        """And taken back."""
        await self.accepted(pilot)
        await self.stage.turn(pilot, "u")
        await self._states(pilot, State.OK, State.OK)

    async def rejected(self, pilot: Pilot[None]) -> None:
        """Nothing is left to review."""
        await self.review(pilot, HUSH)
        await pilot.press("r")
        await self._states(pilot, State.REJECTED)

    async def commit(self, pilot: Pilot[None]) -> None:
        """What was accepted is about to be committed."""
        await self.accepted(pilot)
        await pilot.press("c")
        await until(pilot, lambda: isinstance(self.stage.app.screen, CommitScreen))
        await until(pilot, lambda: self.stage.app.screen.query_one(Prompt).has_focus)

    async def help(self, pilot: Pilot[None]) -> None:
        """The sheet of keys."""
        await self.start(pilot)
        await pilot.press("?")

    async def error(self, pilot: Pilot[None]) -> None:
        """A place that is not clear."""
        await self._send(pilot, "make it better")
        await until(pilot, lambda: bool(self.stage.note))

    async def abstained(self, pilot: Pilot[None]) -> None:
        """The model found nothing to do."""
        self.stage.gate.open()
        await self._send(pilot, "make load better")
        await until(pilot, lambda: bool(self.stage.note))

    async def palette(self, pilot: Pilot[None]) -> None:
        """All commands."""
        await self.start(pilot)
        await pilot.press("ctrl+p")
        await pilot.pause(0.3)

    async def files(self, pilot: Pilot[None]) -> None:
        """Files that could be meant."""
        await self._offered(pilot, "close the file in @")

    async def functions(self, pilot: Pilot[None]) -> None:
        """Functions of a file."""
        await self._offered(pilot, "close it in @store.py::")

    async def commands(self, pilot: Pilot[None]) -> None:
        """What begins with /."""
        await self._offered(pilot, "/")

    async def history(self, pilot: Pilot[None]) -> None:
        """What was sent before."""
        await self.start(pilot)
        for sent in (HUSH, "rename rows to lines @report.py", EDIT):
            self.stage.prompt.remember(sent)
        await pilot.press("ctrl+r", *"load")
        await until(pilot, lambda: not self.stage.main.sending.reading_ahead)

    async def places(self, pilot: Pilot[None]) -> None:
        """Where it could be, beside where it is."""
        await self._offered(pilot, EDIT)
        await until(pilot, lambda: "edits" in self.stage.bar("region"))
        await pilot.press("ctrl+l")
        await until(pilot, lambda: self.stage.main.query_one(Completion).is_open)

    async def shell(self, pilot: Pilot[None]) -> None:
        """A shell command has ended."""
        await self._offered(pilot, "!seq 3; exit 2")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(self.stage.app.screen, ShellScreen))
        await until(pilot, lambda: "ended" in self.stage.app.screen.query_one("#state", Bar).words)

    async def _offered(self, pilot: Pilot[None], text: str) -> None:
        """Something was typed that a list may follow."""
        await self.start(pilot)
        await until(pilot, lambda: len(self.stage.main.helping._names) > 0)
        await pilot.press(*text)
        await until(pilot, lambda: self.stage.main.query_one(Completion).is_open or text[-1] not in "@:/")
        await until(pilot, lambda: not self.stage.main.sending.reading_ahead)

    async def _send(self, pilot: Pilot[None], instruction: str) -> None:
        await self.start(pilot)
        self.stage.prompt.set_text(instruction)
        await pilot.press("enter")

    async def _states(self, pilot: Pilot[None], *wanted: State) -> None:
        def reached() -> bool:
            return [item.state for item in self.stage.view.items()] == list(wanted) and not self.stage.main.busy

        await until(pilot, reached)


SCENES = (
    "start", "streaming", "paused", "failed", "redirect", "review", "accepted", "undone", "rejected", "commit", "help",
    "error", "abstained", "palette",
)  # fmt: skip


@SIZES
@pytest.mark.parametrize("scene", SCENES)
def test_the_screen_looks_as_it_did(snap_compare: Compare, stage: Stage, scene: str, size: tuple[int, int]) -> None:
    assert snap_compare(stage.app, terminal_size=size, run_before=getattr(Scene(stage), scene))


def test_the_light_theme_looks_as_it_did(snap_compare: Compare, tmp_path: Path) -> None:
    stage = Stage(tmp_path, settings=Settings(theme="spark-light"))
    assert snap_compare(stage.app, run_before=Scene(stage).review)
    stage.close()


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=["80x24", "120x40"])
@pytest.mark.parametrize("scene", ["files", "functions", "commands", "history", "places", "shell"])
def test_the_prompt_looks_as_it_did(
    snap_compare: Compare, stage: Stage, scene: str, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHELL", "/bin/sh")
    assert snap_compare(stage.app, terminal_size=size, run_before=getattr(Scene(stage), scene))
