"""Pictures of every screen and state at three sizes, in pictures/; `--snapshot-update` takes
them again.
"""

import re
import threading
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest
from textual.app import App
from textual.pilot import Pilot
from textual.screen import Screen

from spark_tui.session import meter
from spark_tui.session.runner import Runner
from spark_tui.session.session import Session
from spark_tui.tasks import store
from spark_tui.tui.screens.main import MainScreen
from spark_tui.vcs import batches
from tests.tui.scenes import SCENES, stage_for
from tests.tui.support import Stage

PICTURES = Path(__file__).with_name("pictures")
SIZES = [(80, 24), (120, 40), (200, 60)]
SIZE_OF = {"too_small": (30, 8), "unsure": (80, 24)}
"""Scenes that there is in one size only."""
LOOKS = ("ansi", "color-blind", "high-contrast", "spark-light", "no_color")
"""Other themes, each shown once."""
_NUMBER = re.compile(r"terminal-\d+-")
"""Before each name in a picture, another one in each."""


@pytest.fixture(autouse=True)
def _always_the_same(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """One time, one name, one folder; every look of the engine at the clock is a millisecond later
    than the last.

    Nothing is read ahead, which it would be if some time went by before a turn is sent, and would
    then read less.
    """
    ticks, latest = count(), [0]

    def now() -> float:
        if (
            threading.current_thread() is not threading.main_thread()
        ):  # the screen looks as often as it paints
            latest[0] = next(ticks)
        return latest[0] / 1000

    today = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
    monkeypatch.setattr(meter, "time", SimpleNamespace(perf_counter=now))
    monkeypatch.setattr(Session, "read_ahead", lambda *_: None)
    monkeypatch.setattr(
        Runner, "last_stop_ms", property(lambda _: 1.4, lambda *_: None), raising=False
    )
    monkeypatch.setattr(batches, "secrets", SimpleNamespace(token_hex=lambda _: "ab12"))
    ids = count(1)
    monkeypatch.setattr(
        store, "secrets", SimpleNamespace(token_hex=lambda _: f"c3d4e5f{next(ids)}")
    )
    monkeypatch.setattr(batches, "datetime", SimpleNamespace(now=lambda _: today))
    monkeypatch.setenv("SHELL", "/bin/sh")
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def taken(request: pytest.FixtureRequest, tmp_path: Path) -> "Album":
    return Album(tmp_path, update=request.config.getoption("update_snapshots"))


class Album:
    """Compares pictures with those in pictures/, or puts them there.

    Args:
        folder: Where others go to.
    """

    def __init__(self, folder: Path, *, update: bool) -> None:
        self._folder, self._update = folder, update
        self.others: list[str] = []

    def put(self, name: str, svg: str) -> None:
        """Take this picture in, or note that it is another one."""
        kept = PICTURES / f"{name}.svg"
        if self._update:
            kept.write_text(svg)
        elif not kept.exists() or kept.read_text() != svg:
            (self._folder / kept.name).write_text(svg)
            self.others.append(f"{kept.name} looks otherwise now: {self._folder / kept.name}")


async def take(
    album: Album, stage: Stage, scene: str, name: str, sizes: Sequence[tuple[int, int]]
) -> None:
    """Play a scene in the first of these sizes, and take its picture in each."""
    async with stage.app.run_test(size=sizes[0], notifications=True) as pilot:
        await SCENES[scene](stage, pilot)
        for width, height in sizes:
            await pilot.resize_terminal(width, height)
            album.put(f"{name}-{width}x{height}", await at_rest(pilot))
    stage.close()


async def at_rest(pilot: Pilot[None]) -> str:
    """The picture of when nothing moves any more: two in a row are the same, and no screen in
    it has work left.
    """
    before = ""
    main = pilot.app.get_default_screen()
    while (
        (seen := picture(pilot)) != before
        or any(map(has_work, seen_through(pilot.app)))
        or (isinstance(main, MainScreen) and main.painter.ending)
    ):
        before = seen
        await pilot.pause()
        await pilot.wait_for_scheduled_animations()
    return seen


def picture(pilot: Pilot[None]) -> str:
    return _NUMBER.sub("terminal-", pilot.app.export_screenshot(title="spark"))


def seen_through(app: App[None]) -> list[Screen[object]]:
    return [app.screen, *app._background_screens]


def has_work(screen: Screen[object]) -> bool:
    everyone = (screen.app, *screen.walk_children(with_self=True))
    told = any(not each._message_queue.empty() for each in everyone)
    called = any(each._next_callbacks for each in everyone)
    return any((told, called, screen._layout_required, screen._dirty_widgets, screen._callbacks))


@pytest.mark.parametrize("scene", SCENES)
async def test_it_looks_as_it_did(tmp_path: Path, taken: Album, scene: str) -> None:
    sizes = [SIZE_OF[scene]] if scene in SIZE_OF else SIZES
    await take(taken, stage_for(scene, tmp_path), scene, scene, sizes)
    assert not taken.others


@pytest.mark.parametrize("look", LOOKS)
async def test_every_theme_looks_as_it_did(
    tmp_path: Path, taken: Album, look: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if look == "no_color":
        monkeypatch.setenv("NO_COLOR", "1")
    stage = stage_for("reviewing", tmp_path, "spark-dark" if look == "no_color" else look)
    await take(taken, stage, "accepted", f"theme-{look}", [(80, 24)])
    assert not taken.others


def test_every_picture_is_of_something() -> None:
    shown = {name: [SIZE_OF[name]] if name in SIZE_OF else SIZES for name in SCENES}
    shown |= {f"theme-{look}": [(80, 24)] for look in LOOKS}
    assert {path.stem for path in PICTURES.iterdir()} == {
        f"{name}-{w}x{h}" for name in shown for w, h in shown[name]
    }
