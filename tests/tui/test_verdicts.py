"""What is said of an edit once the user changed it, and of what is over."""

from pathlib import Path

import pytest
from textual.pilot import Pilot

from spark_tui.session.hunk_items import HunkState
from tests.fakes import rename_script
from tests.tui.support import RENAME, STORE, Stage, notifications, until
from tests.tui.test_review import decide, decided, states


async def test_what_is_left_of_a_renaming_is_no_longer_called_checked_once_a_hunk_of_it_is_rejected(
    stage: Stage,
) -> None:
    async with stage.reviewing(RENAME) as pilot:
        await pilot.press("r")
        await until(
            pilot, lambda: "changed by you: names: undefined: rows (line 15)" in stage.bar("region")
        )
        assert states(stage) == [HunkState.REJECTED, HunkState.SPOILED, HunkState.SPOILED]
        await decide(stage, pilot, "u", HunkState.OK, HunkState.OK, HunkState.OK)
        assert "3 hunks, checked (applies, parses, names)" in stage.bar("region")


async def half_of_a_renaming(stage: Stage, pilot: Pilot[None]) -> None:
    """The first of its three hunks is rejected, and seen to be."""
    await stage.review(pilot, RENAME)
    await pilot.press("r")
    await until(
        pilot, lambda: states(stage) == [HunkState.REJECTED, HunkState.SPOILED, HunkState.SPOILED]
    )
    stage.later()


async def test_what_is_left_wants_the_same_key_twice_where_it_breaks_the_file(stage: Stage) -> None:
    async with stage.after(half_of_a_renaming) as pilot:
        await stage.says(
            pilot, "what is left does not pass a check; A again accepts all: names", "A"
        )
        await stage.press_later(pilot, "r")
        await until(
            pilot,
            lambda: states(stage) == [HunkState.REJECTED, HunkState.REJECTED, HunkState.FAILED],
        )
        await stage.press_later(pilot, "a")
        await stage.says(pilot, "not pass a check; a again accepts")
        assert stage.file.read_text() == STORE
        await decide(stage, pilot, "a", HunkState.REJECTED, HunkState.REJECTED, HunkState.ACCEPTED)


async def test_with_the_rest_rejected_it_is_said_that_what_was_accepted_breaks_the_file(
    stage: Stage,
) -> None:
    async with stage.reviewing(RENAME) as pilot:
        await decide(stage, pilot, "a", HunkState.ACCEPTED, HunkState.OK, HunkState.OK)
        await stage.press_later(pilot, "R")
        await stage.says(pilot, "rejected 2 hunks; what was accepted breaks the file (names:")


async def test_what_was_said_of_a_hunk_is_gone_once_the_user_goes_on(stage: Stage) -> None:
    async with stage.reviewing() as pilot:
        await decide(stage, pilot, "a", HunkState.ACCEPTED, HunkState.OK)
        assert stage.note.startswith("accepted")
        await pilot.press("j")
        assert not stage.note


async def test_a_notice_of_what_was_accepted_is_gone_once_that_is_taken_back(stage: Stage) -> None:
    async with stage.app.run_test(notifications=True) as pilot:
        await stage.review(pilot)
        stage.file.write_text("# mine\n" + STORE)
        await pilot.press("a")
        await until(
            pilot,
            lambda: any("went in beside it" in each.message for each in notifications(stage.app)),
        )
        await decided(stage, pilot, HunkState.ACCEPTED, HunkState.OK)
        await stage.turn(pilot, "u")
        await decided(stage, pilot, HunkState.OK, HunkState.OK)
        await until(pilot, lambda: not notifications(stage.app))


async def test_accepting_a_part_that_breaks_the_file_is_done_and_told(tmp_path: Path) -> None:
    stage = Stage(tmp_path, scripts={"rename f to file in load": rename_script("f", "file")})
    async with stage.reviewing("rename f to file in load") as pilot:
        await decide(stage, pilot, "a", HunkState.ACCEPTED, HunkState.OK)
        assert "which alone breaks the file (names: undefined: f (line" in stage.note
        await decide(stage, pilot, "a", HunkState.ACCEPTED, HunkState.ACCEPTED)
        assert "undefined" not in stage.note


async def test_half_a_renaming_is_told_where_no_check_knows_the_names_of_a_language(
    tmp_path: Path,
) -> None:
    code = "function all(rows) {\n  const n = rows.length;\n  log('all of them');\n  return n;\n}\n"
    stage = Stage(
        tmp_path,
        files={"store.py": STORE, "all.js": code},
        scripts={"say count": rename_script("n", "count")},
    )
    stage.file = stage.session.repo.root / "all.js"
    async with stage.reviewing("@all.js say count") as pilot:
        await decide(stage, pilot, "a", HunkState.ACCEPTED, HunkState.OK)
        assert "which alone breaks the file (names: n only partly renamed)" in stage.note
        await stage.turn(pilot, "u")
        await decided(stage, pilot, HunkState.OK, HunkState.OK)
        await decide(stage, pilot, "r", HunkState.REJECTED, HunkState.FAILED)
        stage.later()
        await stage.says(
            pilot,
            "this hunk does not pass a check; a again accepts it: names: n only partly renamed",
            "a",
        )
        assert stage.file.read_text() == code


async def test_where_nothing_is_left_to_complete_it_what_breaks_the_file_is_not_said_to_do_so_alone(
    stage: Stage,
) -> None:
    async with stage.reviewing() as pilot:
        turn = stage.asked_turn
        turn.file.edit(turn.hunks[0].id, ["    expenses = ("])
        stage.controller.refresh()
        stage.main.run_frames()
        await until(pilot, lambda: bool(stage.view.verdict))
        await stage.press_later(pilot, "A")
        await stage.says(pilot, "what is left does not pass a check; A again accepts all")
        await decide(stage, pilot, "A", HunkState.ACCEPTED, HunkState.ACCEPTED)
        assert stage.note.startswith("accepted 2 hunks, which breaks the file (it does not parse: ")
        assert stage.note.endswith("; /undo takes it back")


TORN = f"{STORE}<<<<<<< HEAD\na = 1\n=======\na = 2\n>>>>>>> side\n"


@pytest.fixture
def torn(tmp_path: Path) -> Stage:
    stage = Stage(tmp_path)
    stage.file.write_text(TORN)
    return stage


async def test_a_takes_the_side_with_all_of_its_markers_and_u_brings_them_back(torn: Stage) -> None:
    async with torn.reviewing("/keep theirs") as pilot:
        await until(pilot, lambda: len(torn.view.hunks) == 2)
        await torn.press_later(pilot, "a")
        await torn.says(pilot, "accepted 2 hunks")
        assert torn.file.read_text() == f"{STORE}a = 2\n"
        torn.session.undo()
        assert torn.file.read_text() == TORN


async def test_half_of_a_conflict_is_only_accepted_by_who_is_asked(torn: Stage) -> None:
    async with torn.reviewing("/keep ours") as pilot:
        await until(pilot, lambda: len(torn.view.hunks) == 2)
        await torn.press_later(pilot, "space")
        await until(pilot, lambda: "half of it is left" in (torn.view.verdict or ""))
        await torn.press_later(pilot, "a")
        await torn.says(pilot, "does not pass a check; a again accepts it: conflict")
        assert torn.file.read_text() == TORN
