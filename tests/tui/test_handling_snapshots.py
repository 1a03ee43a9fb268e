"""Pictures of a hunk cut, edited and half out, of an undo shown first and of a conflict, at two sizes."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from spark_tui.tui.rows import Kind
from spark_tui.tui.screens.ask import AskScreen, Question
from spark_tui.tui.screens.edit import EditScreen
from spark_tui.tui.screens.turning import ConflictScreen, TurnScreen
from spark_tui.tui.view import State
from tests.fakes import edit_script
from tests.tui.support import LOAD, Stage, until
from tests.tui.test_handling import WIDEN, WIDER, go_to
from tests.tui.test_review import decided
from tests.tui.test_snapshots import Scene, _still_clocks  # noqa: F401 - a fixture

Compare = Callable[..., bool]
SIZES = pytest.mark.parametrize("size", [(80, 24), (160, 48)], ids=["80x24", "160x48"])


@pytest.fixture
def wide(tmp_path: Path) -> Stage:
    return Stage(tmp_path, scripts={WIDEN: edit_script(LOAD, WIDER)})


async def half_out(stage: Stage, pilot: Pilot[None]) -> None:
    """Cut, and a line of it out."""
    await Scene(stage).review(pilot, WIDEN)
    await pilot.press("s")
    await until(pilot, lambda: len(stage.view.hunks) == 3)
    await go_to(stage, pilot, Kind.OLD, "for line in f")
    await pilot.press("space")
    await until(pilot, lambda: bool(stage.view.out))


async def edited(stage: Stage, pilot: Pilot[None]) -> None:
    """In the small editor."""
    await Scene(stage).review(pilot, WIDEN)
    await pilot.press("e")
    await until(pilot, lambda: isinstance(stage.app.screen, EditScreen))


async def undoing(stage: Stage, pilot: Pilot[None]) -> None:
    """What an undo will do."""
    await Scene(stage).review(pilot, WIDEN)
    await pilot.press("a")
    await decided(stage, pilot, State.ACCEPTED)
    await pilot.press("u")
    await until(pilot, lambda: isinstance(stage.app.screen, TurnScreen))


async def conflict(stage: Stage, pilot: Pilot[None]) -> None:
    """The same lines were edited since."""
    await Scene(stage).review(pilot, WIDEN)
    await pilot.press("a")
    await decided(stage, pilot, State.ACCEPTED)
    stage.file.write_text(stage.file.read_text().replace("log.info(path)", "log.debug(path)"))
    await pilot.press("u")
    await until(pilot, lambda: isinstance(stage.app.screen, ConflictScreen))


async def asked(stage: Stage, pilot: Pilot[None]) -> None:
    """Why not."""
    await Scene(stage).review(pilot, WIDEN)
    question = Question("What should be different?", "write it again", more="Or not.", warning="2 others, too.")
    stage.app.push_screen(AskScreen(question))
    await until(pilot, lambda: isinstance(stage.app.screen, AskScreen))


@SIZES
@pytest.mark.parametrize("scene", [half_out, edited, undoing, conflict, asked], ids=lambda scene: scene.__name__)
def test_the_review_looks_as_it_did(
    snap_compare: Compare, wide: Stage, scene: Callable[[Stage, Pilot[None]], Awaitable[None]], size: tuple[int, int]
) -> None:
    async def play(pilot: Pilot[None]) -> None:
        await scene(wide, pilot)
        await pilot.pause()

    assert snap_compare(wide.app, run_before=play, terminal_size=size)
    wide.close()
