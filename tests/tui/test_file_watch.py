"""A file that another program edits while its review is on the screen."""

import pytest
from textual.pilot import Pilot

from spark_tui.session.hunk_items import HunkState
from spark_tui.tui.screens import file_watch
from spark_tui.tui.widgets.diff_rows import RowKind
from tests.fakes import git
from tests.tui.support import EDIT, STORE, Stage, until
from tests.tui.test_clashes import numbered_lines
from tests.tui.test_review import decide, decided

TOLD = "the file changed since"


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_watch, "LOOK_S", 0.02)


async def accepted(stage: Stage, pilot: Pilot[None]) -> str:
    """Accept the first hunk.

    Returns:
        The file.
    """
    await stage.review(pilot)
    await decide(stage, pilot, "a", HunkState.ACCEPTED, HunkState.OK)
    await pilot.pause(0.1)
    assert TOLD not in stage.bar("region")
    return stage.file.read_text()


async def shown_as_on_disk(stage: Stage, pilot: Pilot[None]) -> None:
    """Wait until an edit from outside is told and its lines are shown.

    The edit is known as soon as the file was read, and a frame that comes just then tells of it
    before the diff is made anew.
    """

    def reached() -> bool:
        on_disk, shown = numbered_lines(stage)
        return TOLD in stage.bar("region") and on_disk == shown

    await until(pilot, reached)


def rows(stage: Stage) -> list[str]:
    return [stage.diff.rows[at].text for at in range(len(stage.diff.rows))]


def waits(stage: Stage) -> bool:
    return stage.session.staging.may_wait


def shown(stage: Stage) -> str:
    return "".join(
        strip.text for strip in map(stage.diff.render_line, range(stage.diff.size.height))
    )


async def test_an_accepted_line_that_is_edited_outside_is_told_and_shown_as_it_is_on_disk(
    stage: Stage,
) -> None:
    async with stage.app.run_test(size=(120, 40)) as pilot:
        text = await accepted(stage, pilot)
        mine = text.replace("expenses = list()", "expenses = deque()")
        stage.file.write_text(mine)
        await shown_as_on_disk(stage, pilot)
        assert "    expenses = deque()" in rows(stage)
        assert "    expenses = list()" not in rows(stage)
        assert stage.file.read_text() == mine
        stage.file.unlink()
        await pilot.pause(0.1)  # that ends nothing
        stage.file.write_text(text)
        await until(
            pilot,
            lambda: TOLD not in stage.bar("region") and "    expenses = list()" in rows(stage),
        )


async def test_what_was_accepted_is_undone_beside_an_edit_that_was_seen(stage: Stage) -> None:
    async with stage.app.run_test() as pilot:
        text = (await accepted(stage, pilot)).replace("print", "log")
        stage.file.write_text(text)
        await shown_as_on_disk(stage, pilot)
        await stage.turn(pilot, "u")
        await decided(stage, pilot, HunkState.OK, HunkState.CHANGED)
        assert stage.file.read_text() == text.replace("expenses = list()", "expenses = []")
        await stage.turn(pilot, "ctrl+r")
        await decided(stage, pilot, HunkState.ACCEPTED, HunkState.CHANGED)
        assert stage.file.read_text() == text


async def test_it_is_told_beside_the_verdict_and_no_longer_once_what_is_open_fits_the_file(
    stage: Stage,
) -> None:
    async with stage.app.run_test(size=(200, 40)) as pilot:
        text = await accepted(stage, pilot)
        stage.file.write_text("# mine\n\n" + text)
        await until(pilot, lambda: TOLD in stage.bar("region"))
        assert "checked (" in stage.bar("region")
        await stage.turn(pilot, "u")
        await decided(stage, pilot, HunkState.OK, HunkState.OK)
        await until(
            pilot, lambda: TOLD not in stage.bar("region") and "checked (" in stage.bar("region")
        )
        await pilot.pause(0.1)
        assert TOLD not in stage.bar("region"), "nothing was edited since"
        stage.file.write_text(stage.file.read_text().replace("f.close()", "f.shut()"))
        await until(pilot, lambda: TOLD in stage.bar("region"))
        await decide(stage, pilot, "a", HunkState.ACCEPTED, HunkState.CHANGED)
        assert TOLD in stage.bar("region"), "it is in the way of the hunk that is left"


async def test_a_hunk_whose_lines_were_edited_is_not_said_to_be_ok(stage: Stage) -> None:
    async with stage.reviewing(size=(120, 40)) as pilot:
        await decided(stage, pilot, HunkState.OK, HunkState.OK)
        stage.file.write_text(STORE.replace("expenses = []", "expenses = set()"))
        await decided(stage, pilot, HunkState.CHANGED, HunkState.OK)
        stage.file.write_text("# mine\n" + STORE)
        await decided(stage, pilot, HunkState.OK, HunkState.OK)
        stage.file.write_text(STORE.replace("    f.close()", "    f.close()\n    # mine"))
        await decided(stage, pilot, HunkState.OK, HunkState.CHANGED)


async def test_what_was_accepted_and_thrown_away_outside_is_said_to_be_gone_and_not_offered(
    stage: Stage,
) -> None:
    async with stage.app.run_test(size=(120, 40)) as pilot:
        await accepted(stage, pilot)
        assert waits(stage)
        git(stage.session.repo.root, "checkout", "-q", "store.py")
        await decided(stage, pilot, HunkState.GONE, HunkState.OK)
        assert "✓" not in shown(stage)
        assert "    expenses = []" in rows(stage)
        assert not waits(stage)
        await stage.says(pilot, "nothing to commit; what is no longer in store.py is left out", "c")
        stage.file.write_text(STORE.replace("expenses = []", "expenses = list()"))
        await decided(stage, pilot, HunkState.ACCEPTED, HunkState.OK)
        assert waits(stage)


async def test_lines_that_are_gone_from_the_file_have_no_number_and_no_check_mark(
    stage: Stage,
) -> None:
    async with stage.reviewing(EDIT, size=(120, 40)) as pilot:
        await stage.decides(pilot, "A")
        count = len(stage.view.items())
        stage.file.write_text(STORE)
        await decided(stage, pilot, *[HunkState.GONE] * count)
        kinds = [row.kind for row in map(stage.diff.rows.__getitem__, range(len(stage.diff.rows)))]
        assert RowKind.GONE in kinds
        assert RowKind.DONE not in kinds
        gone = [at for at, kind in enumerate(kinds) if kind is RowKind.GONE]
        assert all(stage.diff.rows.numbers(stage.diff.rows[at]) == (None, None) for at in gone)


async def test_what_is_gone_from_the_file_is_neither_taken_back_nor_done_again(
    stage: Stage,
) -> None:
    async with stage.app.run_test(size=(120, 40)) as pilot:
        text = await accepted(stage, pilot)
        stage.file.write_text(STORE)
        await decided(stage, pilot, HunkState.GONE, HunkState.OK)
        await stage.says(pilot, "nothing to undo", "u")
        await stage.says(pilot, "nothing to redo", "ctrl+r")
        assert stage.file.read_text() == STORE
        stage.file.write_text(text)
        await decided(stage, pilot, HunkState.ACCEPTED, HunkState.OK)
        await stage.turn(pilot, "u")
        await decided(stage, pilot, HunkState.OK, HunkState.OK)
        assert stage.file.read_text() == STORE


async def test_the_rest_of_what_is_half_gone_is_taken_back_and_done_again(stage: Stage) -> None:
    async with stage.reviewing(size=(120, 40)) as pilot:
        await decide(stage, pilot, "A", HunkState.ACCEPTED, HunkState.ACCEPTED)
        half = stage.file.read_text().replace("expenses = list()", "expenses = []")
        stage.file.write_text(half)
        await decided(stage, pilot, HunkState.GONE, HunkState.ACCEPTED)
        await stage.turn(pilot, "u")
        await decided(stage, pilot, HunkState.OK, HunkState.OK)
        assert stage.file.read_text() == STORE
        await stage.turn(pilot, "ctrl+r")
        await decided(stage, pilot, HunkState.GONE, HunkState.ACCEPTED)
        assert stage.file.read_text() == half
