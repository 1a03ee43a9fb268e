"""What is said of a hunk beside its lines: that it breaks the file, that other files use a name it takes away."""

from pathlib import Path

from spark_tui.tui.items import State
from tests.fakes import rename_script
from tests.tui.support import STORE, Stage, until
from tests.tui.test_review import decided, review


async def test_accepting_a_part_that_breaks_the_file_is_done_and_told(tmp_path: Path) -> None:
    stage = Stage(tmp_path, scripts={"rename f to file in load": rename_script("f", "file")})
    async with stage.app.run_test() as pilot:
        await review(stage, pilot, "rename f to file in load")
        await pilot.press("a")
        await decided(stage, pilot, State.ACCEPTED, State.OK)
        assert "which alone breaks the file (names: undefined: f (line" in stage.note
        stage.later()
        await pilot.press("a")
        await decided(stage, pilot, State.ACCEPTED, State.ACCEPTED)
        assert "undefined" not in stage.note
    stage.close()


async def test_where_nothing_is_left_to_complete_it_what_breaks_the_file_is_not_said_to_do_so_alone(
    stage: Stage,
) -> None:
    async with stage.app.run_test() as pilot:
        await review(stage, pilot)
        turn = stage.session.turn
        assert turn is not None
        assert stage.main.desk is not None
        turn.file.edit(turn.hunks[0].id, ["    expenses = ("])
        stage.main.desk.refresh()
        stage.main.run_frames()
        await until(pilot, lambda: bool(stage.view.verdict))
        stage.later()
        await pilot.press("A")
        await until(pilot, lambda: "what is left does not pass a check; A again accepts all" in stage.note)
        stage.later()
        await pilot.press("A")
        await decided(stage, pilot, State.ACCEPTED, State.ACCEPTED)
        assert stage.note.startswith("accepted 2 hunks, which breaks the file (it does not parse: ")
        assert stage.note.endswith("; u takes it back")


async def test_a_name_that_other_files_use_is_told_with_its_renaming(tmp_path: Path) -> None:
    scripts = {"rename load to read_all": rename_script("load", "read_all")}
    stage = Stage(tmp_path, scripts=scripts, files={"store.py": STORE, "report.py": "from store import load\n"})
    async with stage.app.run_test() as pilot:
        await review(stage, pilot, "rename load to read_all @store.py::load")
        assert stage.note == "load also in: report.py: not changed"
    stage.close()
