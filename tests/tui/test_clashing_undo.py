"""An undo is shown first; one of lines that were edited since in all versions: one is chosen,
and no byte is lost.
"""

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from spark_tui.errors import Conflict
from spark_tui.session.hunk_items import HunkState
from spark_tui.tui.screens.history import LogScreen
from spark_tui.tui.screens.undo import ConflictScreen, TurnScreen
from spark_tui.tui.widgets.output_log import PatchView
from tests.tui.support import EDIT, HUSH, STORE, Stage, until
from tests.tui.test_overlays import patch
from tests.tui.test_review import decide, decided, states


async def clashing(stage: Stage, pilot: Pilot[None]) -> str:
    """Of two accepted hunks the first was edited since, and an undo is asked for.

    Returns:
        What is in the file.
    """
    await stage.review(pilot)
    await decide(stage, pilot, "A", HunkState.ACCEPTED, HunkState.ACCEPTED)
    mine = "# mine, too\n" + stage.file.read_text().replace("list()", "set()  # mine")
    stage.file.write_text(mine)
    await stage.opens(pilot, ConflictScreen, "u")
    return mine


@pytest.mark.parametrize(("key", "text"), [("k", "set()  # mine"), ("t", "[]")])
async def test_where_an_undo_clashes_with_an_edit_one_of_both_is_chosen_and_what_that_does(
    stage: Stage, key: str, text: str
) -> None:
    """Whichever it is, the rest is taken back, other edits stay, and a redo brings back every
    byte.
    """
    async with stage.app.run_test() as pilot:
        mine = await clashing(stage, pilot)
        await pilot.pause()
        now, before, then = stage.app.screen.query(PatchView)
        assert "-    expenses = set()  # mine" in now.lines
        assert "=    expenses = list()" in before.lines
        assert "+    expenses = []" in then.lines
        await pilot.press(key)
        assert isinstance(stage.app.screen, ConflictScreen), "nobody reads that fast"
        stage.later()
        await stage.opens(pilot, TurnScreen, key)
        assert stage.file.read_text() == mine
        await stage.press_later(pilot, "u")
        after = "# mine, too\n" + STORE.replace("expenses = []", f"expenses = {text}")
        await until(
            pilot, lambda: stage.file.read_text() == after and stage.app.screen is stage.main
        )
        await until(pilot, lambda: stage.note.startswith("took back"))
        await stage.turn(pilot, "ctrl+r")
        await until(pilot, lambda: stage.file.read_text() == mine)


async def test_an_undo_of_which_nothing_is_left_once_what_is_there(
    stage: Stage,
) -> None:
    async with stage.reviewing() as pilot:
        await pilot.press("right_square_bracket", "a")
        await decided(stage, pilot, HunkState.OK, HunkState.ACCEPTED)
        await stage.press_later(pilot, "left_square_bracket")
        await decide(stage, pilot, "a", HunkState.ACCEPTED, HunkState.ACCEPTED)
        mine = stage.file.read_text().replace("list()", "set()")
        stage.file.write_text(mine)
        await stage.opens(pilot, ConflictScreen, "u")
        await stage.press_later(pilot, "k")
        await stage.says(pilot, "counts as taken back; store.py stays as it is")
        assert stage.file.read_text() == mine
        await stage.turn(pilot, "ctrl+r")
        await stage.says(pilot, "counts as redone; store.py stays as it is")
        await stage.turn(pilot, "u")
        await stage.says(pilot, "counts as taken back")
        assert stage.file.read_text() == mine
        await stage.turn(pilot, "u")
        await until(pilot, lambda: stage.file.read_text() == STORE.replace("= []", "= set()"))


async def test_what_was_edited_again_while_a_clash_with_an_undo_was_looked_at_is_shown_again(
    stage: Stage,
) -> None:
    async with stage.app.run_test() as pilot:
        mine = await clashing(stage, pilot)
        first = stage.app.screen
        other = mine.replace("set()", "dict()")
        stage.file.write_text(other)
        await stage.press_later(pilot, "t")
        await until(
            pilot,
            lambda: isinstance(stage.app.screen, ConflictScreen) and stage.app.screen is not first,
        )
        await stage.closes(pilot, "escape")
        assert stage.file.read_text() == other


async def test_in_the_log_it_is_chosen_just_so(stage: Stage) -> None:
    async with stage.app.run_test() as pilot:
        mine = await clashing(stage, pilot)
        await stage.closes(pilot, "escape")
        stage.app.action_show_log()
        await until(pilot, lambda: isinstance(stage.app.screen, LogScreen) and "@@" in patch(stage))
        for key, then in (("escape", LogScreen), ("t", TurnScreen)):
            await stage.opens(pilot, ConflictScreen, "u")
            await stage.press_later(pilot, key)
            await until(pilot, lambda then=then: isinstance(stage.app.screen, then))  # type: ignore[misc]
            assert stage.file.read_text() == mine
        await stage.press_later(pilot, "enter")
        await until(pilot, lambda: stage.file.read_text() == "# mine, too\n" + STORE)


async def test_from_120_columns_on_the_versions_stand_side_by_side_with_room_for_lines_of_39(
    stage: Stage,
) -> None:
    """In fewer they stand below each other; what is too long ends with a mark."""
    detail = [
        "a.py:1: - is there now, + is what would take its place, = is what both come from",
        *(f"{mark}{'x' * length}" for mark in "-=+" for length in (38, 39)),
    ]
    async with stage.app.run_test(size=(120, 40)) as pilot:
        clash = Conflict("the same lines were edited", "\n".join(detail))
        await stage.app.push_screen(ConflictScreen(clash, {}, lambda: 0.0))
        for columns in (120, 119):
            await pilot.resize_terminal(columns, 40)
            await pilot.pause()
            views = list(stage.app.screen.query(PatchView))
            beside = len({view.region.y for view in views}) == 1
            assert beside == (columns >= 120)
            for view, mark in zip(views, "-=+", strict=True):
                drawn = [view.render_line(row).text.rstrip() for row in (1, 2)]
                assert drawn == [
                    f"{mark}{'x' * 38}",
                    f"{mark}{'x' * 37}›" if beside else f"{mark}{'x' * 39}",
                ]


async def test_undo_shows_first_what_it_will_do(stage: Stage) -> None:
    async with stage.reviewing(HUSH) as pilot:
        await decide(stage, pilot, "a", HunkState.ACCEPTED)
        written = stage.file.read_text()
        for key in ("escape", "u"):
            await stage.opens(pilot, TurnScreen, "u")
            assert (
                '+    print("loaded", len(expenses))' in stage.app.screen.query_one(PatchView).lines
            )
            assert stage.file.read_text() == written
            await pilot.press("u", "ctrl+r")
            assert isinstance(stage.app.screen, TurnScreen), (
                "at once, or the other direction, is not meant"
            )
            await stage.press_later(pilot, key)
            await until(pilot, lambda: not isinstance(stage.app.screen, TurnScreen))
        await until(pilot, lambda: stage.file.read_text() == STORE)
        await stage.says(pilot, "redoes it")


async def test_what_a_redo_breaks_is_said_before_it_is_done(stage: Stage) -> None:
    async with stage.reviewing(EDIT) as pilot:
        await pilot.press("A")
        await until(
            pilot, lambda: set(states(stage)) == {HunkState.ACCEPTED} and not stage.main.busy
        )
        await stage.turn(pilot, "u")
        await until(pilot, lambda: stage.file.read_text() == STORE)
        stage.file.write_text(STORE.replace("log = logging.getLogger(__name__)\n", ""))
        await stage.opens(pilot, TurnScreen, "ctrl+r")
        assert "doing it again breaks store.py (names: undefined: log" in str(
            stage.app.screen.query_one("#question", Static).render()
        )
