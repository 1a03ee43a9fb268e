"""What is said of an edit once the user changed it, and of what is over."""

from pathlib import Path

import pytest
from textual.pilot import Pilot

from spark_tui.tui.items import State
from tests.fakes import edit_script
from tests.tui.support import LOAD, RENAME, STORE, Stage, until
from tests.tui.test_hunk_actions import WIDEN, WIDER
from tests.tui.test_review import decided, review, states


@pytest.fixture
def wide(tmp_path: Path) -> Stage:
    return Stage(tmp_path, scripts={WIDEN: edit_script(LOAD, WIDER)})


async def test_once_cut_the_parts_are_said_to_be_checked_together_only(wide: Stage) -> None:
    async with wide.app.run_test() as pilot:
        await review(wide, pilot, WIDEN)
        whole = wide.bar("region")
        await pilot.press("s")
        await until(pilot, lambda: wide.bar("region").endswith("changed by you: 3 hunks, checked together"))
        assert states(wide) == [State.TOGETHER] * 3
        await pilot.press("s")
        await until(pilot, lambda: wide.bar("region") == whole)
        assert states(wide) == [State.OK]
    wide.close()


async def test_what_is_left_of_a_renaming_is_no_longer_called_checked_once_a_hunk_of_it_is_rejected(
    stage: Stage,
) -> None:
    async with stage.app.run_test() as pilot:
        await review(stage, pilot, RENAME)
        await pilot.press("r")
        await until(pilot, lambda: "changed by you: names: undefined: rows (line 15)" in stage.bar("region"))
        assert states(stage) == [State.REJECTED, State.SPOILED, State.SPOILED]
        await pilot.press("u")
        await decided(stage, pilot, State.OK, State.OK, State.OK)
        assert "3 hunks, checked (applies, parses, names)" in stage.bar("region")


async def half_of_a_renaming(stage: Stage, pilot: Pilot[None]) -> None:
    """The first of its three hunks is rejected, and seen to be."""
    await review(stage, pilot, RENAME)
    await pilot.press("r")
    await until(pilot, lambda: states(stage) == [State.REJECTED, State.SPOILED, State.SPOILED])
    stage.later()


@pytest.mark.parametrize("key", ["a", "A"])
async def test_the_one_hunk_that_is_left_is_marked_where_it_breaks_the_file_and_wants_the_same_key_twice(
    stage: Stage, key: str
) -> None:
    async with stage.app.run_test() as pilot:
        await half_of_a_renaming(stage, pilot)
        await pilot.press("r")
        await until(pilot, lambda: states(stage) == [State.REJECTED, State.REJECTED, State.FAILED])
        stage.later()
        await pilot.press(key)
        await until(pilot, lambda: f"not pass a check; {key} again accepts" in stage.note)
        assert stage.file.read_text() == STORE
        stage.later()
        await pilot.press(key)
        await decided(stage, pilot, State.REJECTED, State.REJECTED, State.ACCEPTED)


async def test_all_that_is_left_wants_the_same_key_twice_where_together_it_breaks_the_file(stage: Stage) -> None:
    async with stage.app.run_test() as pilot:
        await half_of_a_renaming(stage, pilot)
        await pilot.press("A")
        await until(pilot, lambda: "what is left does not pass a check; A again accepts all: names" in stage.note)
        assert stage.file.read_text() == STORE
        stage.later()
        await pilot.press("A")
        await decided(stage, pilot, State.REJECTED, State.ACCEPTED, State.ACCEPTED)


async def test_with_the_rest_rejected_it_is_said_that_what_was_accepted_breaks_the_file(stage: Stage) -> None:
    async with stage.app.run_test() as pilot:
        await review(stage, pilot, RENAME)
        await pilot.press("a")
        await decided(stage, pilot, State.ACCEPTED, State.OK, State.OK)
        stage.later()
        await pilot.press("R")
        await until(pilot, lambda: "rejected 2 hunks; what was accepted breaks the file (names:" in stage.note)


async def test_what_was_said_of_a_hunk_is_gone_once_the_user_goes_on(stage: Stage) -> None:
    async with stage.app.run_test() as pilot:
        await review(stage, pilot)
        await pilot.press("a")
        await decided(stage, pilot, State.ACCEPTED, State.OK)
        assert stage.note.startswith("accepted")
        await pilot.press("j")
        assert not stage.note


async def test_a_notice_of_what_was_accepted_is_gone_once_that_is_taken_back(stage: Stage) -> None:
    async with stage.app.run_test(notifications=True) as pilot:
        await review(stage, pilot)
        stage.file.write_text("# mine\n" + STORE)
        await pilot.press("a")
        await until(pilot, lambda: any("went in beside it" in each.message for each in stage.app._notifications))
        await decided(stage, pilot, State.ACCEPTED, State.OK)
        await stage.turn(pilot, "u")
        await decided(stage, pilot, State.OK, State.OK)
        await until(pilot, lambda: not list(stage.app._notifications))
