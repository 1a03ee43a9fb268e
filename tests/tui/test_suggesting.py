"""`/examples`: what would work where the user is, carried out by the model before it is offered."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from spark_tui.session.turn_state import TurnPhase
from spark_tui.tui.widgets.completion import Completion
from tests.fakes import edit_script
from tests.tui.support import LOAD, QUIET, TWO_HUNKS, Stage, until

WORKS = {
    "remove the print": edit_script(LOAD, QUIET),
    "use with to open the file": edit_script(LOAD, TWO_HUNKS),
}
SAME = {"use an f-string": edit_script(LOAD, QUIET)}


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    stage = Stage(tmp_path, scripts=WORKS | SAME)
    stage.gate.open()
    yield stage
    stage.close()


def offered(stage: Stage) -> list[tuple[str, str]]:
    return [(item.text, item.detail) for item in stage.main.query_one(Completion).items]


async def test_what_changes_something_is_offered_once_and_goes_into_the_prompt_with_its_place(
    stage: Stage,
) -> None:
    async with stage.started() as pilot:
        await pilot.press(*"/examples @store.py::load", "enter")
        await until(pilot, lambda: stage.session.runner.idle and len(offered(stage)) == 2)
        assert [words for words, _ in offered(stage)] == list(WORKS)
        first = offered(stage)[0][0]
        await pilot.press("enter")
        assert stage.prompt.text == f"{first} @store.py::load"
        assert not offered(stage)


async def test_without_a_place_it_is_about_the_one_of_the_last_turn(stage: Stage) -> None:
    async with stage.started() as pilot:
        await pilot.press(*"@store.py::load remove the print", "enter")
        await until(pilot, lambda: stage.view.phase is TurnPhase.REVIEW and stage.diff.has_focus)
        await pilot.press("escape", *"/examples", "enter")
        await until(pilot, lambda: len(offered(stage)) == 2)
        assert stage.main.query_one(Completion).title == "would work in store.py:9-18  load"


@pytest.mark.parametrize("key", ["escape", "x"])
async def test_a_key_ends_it_and_its_letter_is_kept(stage: Stage, key: str) -> None:
    stage.gate.shut()
    async with stage.started() as pilot:
        await pilot.press(*"/examples @store.py::load", "enter")
        await until(pilot, lambda: stage.gate.holds)
        await pilot.press(key)
        stage.gate.open()
        await until(pilot, lambda: stage.session.runner.idle)
        assert (stage.prompt.text, offered(stage)) == ("" if key == "escape" else "x", [])


async def test_a_place_that_is_not_there_is_said(stage: Stage) -> None:
    async with stage.started() as pilot:
        await pilot.press(*"/examples @store.py::lode", "enter")
        await until(pilot, lambda: "lode" in stage.note)
        assert not offered(stage)
