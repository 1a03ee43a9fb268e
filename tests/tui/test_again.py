"""`g` with words: one hunk is written anew, all others stay as the user made them, and there is
a way back.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.pilot import Pilot

from spark_tui.session.hunk_items import HunkState
from spark_tui.session.turn_state import IN_TURN, TurnPhase
from spark_tui.tui.screens.modals import AskScreen
from tests.fakes import edit_script, rename_script
from tests.tui.support import AFTER, BEFORE, LOAD, RENAME, SCRIPTS, SPLIT, TWO_HUNKS, Stage, until

OTHERWISE = LOAD.replace("expenses = []", "expenses = [None]").replace(
    "    f.close()\n", "    f.flush()\n"
)


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    stage = Stage(tmp_path, scripts={**SCRIPTS, f"{SPLIT}, other": edit_script(LOAD, OTHERWISE)})
    yield stage
    stage.close()


async def review(stage: Stage, pilot: Pilot[None]) -> None:
    """A turn of two hunks, the engine held again after it."""
    await stage.ask(pilot, SPLIT)
    while stage.view.phase is not TurnPhase.REVIEW:
        stage.gate.let(stage.gate.holds)
        await pilot.pause(0.001)
    await until(pilot, lambda: stage.diff.has_focus)
    stage.later()


async def ask(stage: Stage, pilot: Pilot[None], *words: str) -> None:
    await stage.opens(pilot, AskScreen, "g")
    await pilot.press(*"".join(words), "enter")


async def done(stage: Stage, pilot: Pilot[None]) -> None:
    stage.gate.open()
    await until(
        pilot,
        lambda: stage.view.phase is TurnPhase.REVIEW and stage.view.instruction.endswith("other"),
    )
    stage.later()


async def edited(stage: Stage, pilot: Pilot[None]) -> str:
    """The first hunk written by hand, the second selected.

    Returns:
        What is proposed then.
    """
    turn = stage.asked_turn
    turn.file.edit(turn.hunks[0].id, ["    expenses = dict()"])
    stage.controller.refresh()
    stage.main.run_frames()
    await pilot.press("]")
    assert stage.diff.selected == 1
    return BEFORE + TWO_HUNKS.replace("list()", "dict()") + AFTER


async def test_only_the_selected_hunk_becomes_another_and_u_brings_the_earlier_one_back(
    stage: Stage,
) -> None:
    async with stage.after(review) as pilot:
        before = await edited(stage, pilot)
        await ask(stage, pilot, "other")
        await done(stage, pilot)
        assert stage.proposed == before.replace("    print(", "    f.flush()\n    print(")
        assert stage.diff.selected == 1
        await until(pilot, lambda: stage.view.items()[1].state is HunkState.OK)
        await stage.says(pilot, "the earlier proposal is back", "u")
        assert (stage.proposed, stage.view.phase, stage.diff.selected) == (
            before,
            TurnPhase.REVIEW,
            1,
        )
        await stage.press_later(pilot, "a")
        await until(pilot, lambda: stage.file.read_text() == before.replace("dict()", "[]"))


async def test_what_was_done_to_the_new_one_is_taken_back_before_it(stage: Stage) -> None:
    async with stage.after(review) as pilot:
        before = await edited(stage, pilot)
        await ask(stage, pilot, "other")
        await done(stage, pilot)
        after = stage.proposed
        await stage.decides(pilot, "r", left=1)
        for wanted in (after, before, BEFORE + TWO_HUNKS + AFTER):
            await stage.press(pilot, "u")
            await until(pilot, lambda wanted=wanted: stage.proposed == wanted)  # type: ignore[misc]


@pytest.mark.parametrize("keys", [["u"], ["escape", "escape"]])
async def test_while_it_is_written_the_earlier_one_comes_back_for_a_key(
    stage: Stage, keys: list[str]
) -> None:
    async with stage.after(review) as pilot:
        before = await edited(stage, pilot)
        await ask(stage, pilot, "other")
        await until(pilot, lambda: stage.view.phase in IN_TURN and stage.gate.holds)
        stage.gate.let(12)
        await until(pilot, lambda: stage.seen > 3)
        stage.diff.focus()
        for key in keys:
            await stage.press(pilot, key)
            if key != keys[-1]:
                await until(pilot, lambda: stage.view.phase is TurnPhase.PAUSED)
                assert "back to the earlier one" in stage.bar("hints")
                stage.diff.focus()
        stage.gate.open()
        await until(
            pilot, lambda: stage.view.phase is TurnPhase.REVIEW and stage.proposed == before
        )
        assert stage.view.instruction == SPLIT
        stage.later()
        stage.diff.focus()
        await pilot.press("A")
        await until(pilot, lambda: stage.file.read_text() == before)


async def test_no_other_place_is_taken_while_a_hunk_is_written_anew(stage: Stage) -> None:
    async with stage.after(review) as pilot:
        await ask(stage, pilot, "other")
        await until(pilot, lambda: stage.view.phase in IN_TURN and stage.gate.holds)
        turn = stage.session.turn
        stage.prompt.focus()
        stage.prompt.put("tidy it in @store.py::save")
        await until(pilot, lambda: stage.view.phase is TurnPhase.PAUSED)
        await stage.says(pilot, "drop that first, then name another place", "enter")
        assert (stage.session.turn, stage.prompt.text) == (turn, "tidy it in @store.py::save")


async def test_one_hunk_of_a_rename_is_not_asked_for_alone(tmp_path: Path) -> None:
    """Its name would be defined nowhere; what is left of it when others were accepted is a part
    of it still.
    """
    stage = Stage(tmp_path, scripts={RENAME: rename_script("expenses", "rows")})
    stage.gate.open()
    async with stage.asked(RENAME) as pilot:
        await until(pilot, lambda: stage.view.phase is TurnPhase.REVIEW and stage.diff.has_focus)
        before = stage.proposed
        while stage.view.hunks:
            left = len(stage.view.hunks)
            await stage.press_later(pilot, "g")
            await stage.says(pilot, "a rename goes as a whole")
            assert (stage.proposed, stage.app.screen) == (before, stage.main)
            await pilot.press("a", "a")
            await until(
                pilot,
                lambda left=left: len(stage.view.hunks) < left and not stage.main.busy,  # type: ignore[misc]
            )
        await pilot.press("up")
        assert stage.prompt.text == RENAME
