"""Pictures of the screens around the work; `--snapshot-update` takes them again."""

import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest
from textual.pilot import Pilot

from spark_tui.config import Settings
from spark_tui.session.events import Timing
from spark_tui.session.meter import Spent
from spark_tui.tui.screens.report import ReportScreen
from spark_tui.tui.screens.welcome import WelcomeScreen
from spark_tui.vcs import batches
from tests.tui.support import Stage, until
from tests.tui.test_around import begin, note, open_doctor, open_log, open_resume, open_settings, patch, ready

__all__ = ["begin"]

Compare = Callable[..., bool]
Open = Callable[[Stage, Pilot[None]], object]
TIMING = Timing(9.4, 61.2, 412, 380, 188, 47, 141, 3071.0)
SPENT = Spent(6.8, 31.5, 11.9, 7.6, 3.4, 44)
FOLDER = Path("/home/you/.config/spark")
SETTINGS = Settings(
    seed=3,
    keys={"quit": "Z"},
    sources={"seed": f"{FOLDER}/config.toml:2", "theme": "$SPARK_THEME", "keys.quit": f"{FOLDER}/config.toml:7"},
)


@pytest.fixture(autouse=True)
def _always_the_same(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """One time, one name, one folder."""
    now = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
    monkeypatch.setattr(batches, "secrets", SimpleNamespace(token_hex=lambda _: "ab12"))
    monkeypatch.setattr(batches, "datetime", SimpleNamespace(now=lambda _: now))
    monkeypatch.setattr("spark_tui.tui.around.config_dir", lambda: FOLDER)
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


async def open_undo(stage: Stage, pilot: Pilot[None]) -> None:
    """What taking a batch back would change."""
    await open_log(stage, pilot)
    await pilot.press("u")
    await until(pilot, lambda: "this takes back" in note(stage))


async def open_earlier(stage: Stage, pilot: Pilot[None]) -> None:
    """An earlier turn with a patch that holds a control character."""
    await open_resume(stage, pilot)
    await pilot.press("j")
    await until(pilot, lambda: "@@" in patch(stage))


async def open_report(stage: Stage, pilot: Pilot[None]) -> None:
    """Figures of a turn."""
    await ready(stage, pilot)
    await stage.app.push_screen(ReportScreen("close the file in load", TIMING, SPENT, 1.4))


async def open_welcome(stage: Stage, pilot: Pilot[None]) -> None:
    """The first run, on a machine that lacks something."""
    await ready(stage, pilot)
    missing = ["kernels for this processor are being compiled, once; until then numpy computes, slower"]
    await stage.app.push_screen(WelcomeScreen(stage.app.keys, missing, stage.prompt))


SCENES: dict[str, Open] = {
    "log": open_log,
    "undo": open_undo,
    "resume": open_earlier,
    "settings": open_settings,
    "report": open_report,
    "doctor": open_doctor,
    "welcome": open_welcome,
}


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)], ids=["80x24", "120x40", "200x60"])
@pytest.mark.parametrize("scene", SCENES)
def test_it_looks_as_it_did(
    snap_compare: Compare, begin: Callable[..., Stage], scene: str, size: tuple[int, int]
) -> None:
    stage = begin(SETTINGS)

    async def run(pilot: Pilot[None]) -> None:
        await SCENES[scene](stage, pilot)  # type: ignore[misc] # they are all coroutines
        await pilot.pause()

    assert snap_compare(stage.app, terminal_size=size, run_before=run)


@pytest.mark.parametrize("theme", ["ansi", "colour-blind", "high-contrast", "spark-light"])
def test_every_theme_looks_as_it_did(snap_compare: Compare, begin: Callable[..., Stage], theme: str) -> None:
    stage = begin(Settings(theme=theme))

    async def run(pilot: Pilot[None]) -> None:
        await open_log(stage, pilot)

    assert snap_compare(stage.app, terminal_size=(80, 24), run_before=run)
