"""Conflicts that a merge left, settled on the screen."""

from pathlib import Path

import pytest

from tests.tui.support import STORE, Stage, until
from tests.tui.test_review import review

TORN = f"{STORE}<<<<<<< HEAD\na = 1\n=======\na = 2\n>>>>>>> side\n"


@pytest.fixture
def torn(tmp_path: Path) -> Stage:
    stage = Stage(tmp_path)
    stage.file.write_text(TORN)
    return stage


async def test_a_takes_the_side_with_all_of_its_markers_and_u_brings_them_back(torn: Stage) -> None:
    async with torn.app.run_test() as pilot:
        await review(torn, pilot, "/keep theirs")
        await until(pilot, lambda: len(torn.view.hunks) == 2)
        torn.later()
        await pilot.press("a")
        await until(pilot, lambda: "accepted 2 hunks" in torn.note)
        assert torn.file.read_text() == f"{STORE}a = 2\n"
        torn.session.undo()
        assert torn.file.read_text() == TORN
    torn.close()


async def test_half_of_a_conflict_is_only_accepted_by_who_is_asked(torn: Stage) -> None:
    async with torn.app.run_test() as pilot:
        await review(torn, pilot, "/keep ours")
        await until(pilot, lambda: len(torn.view.hunks) == 2)
        torn.later()
        await pilot.press("space")
        await until(pilot, lambda: "half of it is left" in (torn.view.verdict or ""))
        torn.later()
        await pilot.press("a")
        await until(pilot, lambda: "does not pass a check; a again accepts it: conflict" in torn.note)
        assert torn.file.read_text() == TORN
    torn.close()
