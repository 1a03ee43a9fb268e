"""A file that another program edits while its review is on the screen."""

from collections.abc import Callable

import pytest
from textual.pilot import Pilot

from spark_tui.tui.screens import watching
from spark_tui.tui.view import State
from tests.tui.support import Stage, until
from tests.tui.test_clashes import assert_numbers_are_those_on_disk
from tests.tui.test_review import decided, review

TOLD = "the file changed since"


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "LOOK_S", 0.02)


async def accepted(stage: Stage, pilot: Pilot[None]) -> str:
    """Accept the first hunk. Returns: the file."""
    await review(stage, pilot)
    await pilot.press("a")
    await decided(stage, pilot, State.ACCEPTED, State.OK)
    await pilot.pause(0.1)
    assert TOLD not in stage.bar("region")
    return stage.file.read_text()


def rows(stage: Stage) -> list[str]:
    return [stage.diff.rows[at].text for at in range(len(stage.diff.rows))]


async def test_an_accepted_line_that_is_edited_outside_is_told_and_shown_as_it_is_on_disk(stage: Stage) -> None:
    async with stage.app.run_test(size=(120, 40)) as pilot:
        text = await accepted(stage, pilot)
        mine = text.replace("expenses = list()", "expenses = deque()")
        stage.file.write_text(mine)
        await until(pilot, lambda: TOLD in stage.bar("region"))
        assert "    expenses = deque()" in rows(stage)
        assert "    expenses = list()" not in rows(stage)
        assert_numbers_are_those_on_disk(stage)
        assert stage.file.read_text() == mine
        stage.file.write_text(text)
        await until(pilot, lambda: TOLD not in stage.bar("region"))
        assert "    expenses = list()" in rows(stage)


@pytest.mark.parametrize("edit", [lambda text: "# mine\n\n" + text, lambda text: text.replace("print", "log")])
async def test_what_was_accepted_is_undone_beside_an_edit_that_was_seen(
    stage: Stage, edit: Callable[[str], str]
) -> None:
    async with stage.app.run_test() as pilot:
        text = await accepted(stage, pilot)
        stage.file.write_text(edit(text))
        await until(pilot, lambda: TOLD in stage.bar("region"))
        assert_numbers_are_those_on_disk(stage)
        await stage.turn(pilot, "u")
        await decided(stage, pilot, State.OK, State.OK)
        assert stage.file.read_text() == edit(text).replace("expenses = list()", "expenses = []")
        await stage.turn(pilot, "ctrl+r")
        await decided(stage, pilot, State.ACCEPTED, State.OK)
        assert stage.file.read_text() == edit(text)


async def test_it_is_told_beside_the_verdict_and_no_longer_once_what_is_open_fits_the_file(stage: Stage) -> None:
    async with stage.app.run_test(size=(200, 40)) as pilot:
        text = await accepted(stage, pilot)
        stage.file.write_text("# mine\n\n" + text)
        await until(pilot, lambda: TOLD in stage.bar("region"))
        assert "checked (" in stage.bar("region")
        await stage.turn(pilot, "u")
        await decided(stage, pilot, State.OK, State.OK)
        await until(pilot, lambda: TOLD not in stage.bar("region") and "checked (" in stage.bar("region"))
        await pilot.pause(0.1)
        assert TOLD not in stage.bar("region"), "nothing was edited since"
        stage.file.write_text(stage.file.read_text().replace("f.close()", "f.shut()"))
        await until(pilot, lambda: TOLD in stage.bar("region"))
        stage.later()
        await pilot.press("a")
        await decided(stage, pilot, State.ACCEPTED, State.OK)
        assert TOLD in stage.bar("region"), "it is in the way of the hunk that is left"


async def test_a_file_that_is_gone_meanwhile_ends_nothing(stage: Stage) -> None:
    async with stage.app.run_test() as pilot:
        text = await accepted(stage, pilot)
        stage.file.unlink()
        await pilot.pause(0.1)
        stage.file.write_text("# mine\n" + text)
        await until(pilot, lambda: TOLD in stage.bar("region"))
