"""Where a hunk clashes with what was edited since, nothing is lost: both are shown, and the
user chooses.
"""

import pytest
from textual.widgets import Static

from spark_tui.session.hunk_items import HunkState
from spark_tui.tui.screens.undo import ConflictScreen
from spark_tui.tui.widgets.diff_rows import RowKind
from spark_tui.tui.widgets.output_log import PatchView
from spark_tui.tui.widgets.status_bars import KeyHints
from tests.tui.support import AFTER, BEFORE, STORE, TWO_HUNKS, Stage, until
from tests.tui.test_review import decide, decided


@pytest.mark.parametrize(
    ("key", "state", "text"),
    [
        ("escape", HunkState.CHANGED, "set()  # mine"),
        ("k", HunkState.REJECTED, "set()  # mine"),
        ("t", HunkState.ACCEPTED, "list()"),
    ],
)
async def test_where_a_hunk_clashes_with_an_edit_both_are_shown_and_one_of_them_is_chosen(
    stage: Stage, key: str, state: HunkState, text: str
) -> None:
    """Whichever it is, other edits stay; and what the edit took the place of comes back with an
    undo.
    """
    async with stage.reviewing() as pilot:
        mine = "# mine, too\n" + STORE.replace("expenses = []", "expenses = set()  # mine")
        stage.file.write_text(mine)
        await stage.opens(pilot, ConflictScreen, "a")
        await pilot.pause()
        shown = [view.lines[1].split(maxsplit=1)[1] for view in stage.app.screen.query(PatchView)]
        assert shown == ["expenses = set()  # mine", "expenses = []", "expenses = list()"]
        await pilot.press("t", "k")
        assert isinstance(stage.app.screen, ConflictScreen), "nobody reads that fast"
        await decide(stage, pilot, key, state, HunkState.OK)
        assert stage.file.read_text() == mine.replace("set()  # mine", text)
        if state is HunkState.ACCEPTED:
            await stage.turn(pilot, "u")
            await until(pilot, lambda: stage.file.read_text() == mine)
            await decided(stage, pilot, HunkState.CHANGED, HunkState.OK)


def assert_numbers_are_those_on_disk(stage: Stage) -> None:
    on_disk, shown = numbered_lines(stage)
    assert on_disk == shown


def numbered_lines(stage: Stage) -> tuple[list[str], list[str]]:
    """The lines of the file at the numbers that the diff shows, and those that the diff shows."""
    lines, rows = stage.file.read_text().splitlines(), stage.diff.rows
    known = [
        row
        for row in map(rows.__getitem__, range(len(rows)))
        if row.old and row.kind is not RowKind.FOLD
    ]
    numbers = [number for number, _ in map(rows.numbers, known) if number]
    return [lines[number - 1] for number in numbers], [row.text for row in known]


async def test_lines_are_shown_and_numbered_as_they_are_on_disk_once_a_hunk_went_in_beside_an_edit(
    stage: Stage,
) -> None:
    async with stage.reviewing() as pilot:
        lines = [item.line for item in stage.view.items()]
        stage.file.write_text("# mine\n\n" + STORE.replace('split(",")', 'split(";")  # mine'))
        await decide(stage, pilot, "a", HunkState.ACCEPTED, HunkState.OK)
        assert [item.line for item in stage.view.items()] == [line + 2 for line in lines]
        assert_numbers_are_those_on_disk(stage)
        await stage.turn(pilot, "u")
        await decided(stage, pilot, HunkState.OK, HunkState.OK)
        assert [item.line for item in stage.view.items()] == [line + 2 for line in lines]
        assert_numbers_are_those_on_disk(stage)


@pytest.mark.parametrize(
    ("clashing", "key", "state"), [(0, "k", HunkState.REJECTED), (1, "t", HunkState.ACCEPTED)]
)
async def test_of_several_hunks_only_the_one_that_clashes_is_chosen_about(
    stage: Stage, clashing: int, key: str, state: HunkState
) -> None:
    async with stage.reviewing() as pilot:
        mine = [("expenses = []", "expenses = set()"), ("    f.close()\n", "    f.quit()\n")][
            clashing
        ]
        stage.file.write_text(STORE.replace(*mine))
        line = stage.view.items()[clashing].line
        await stage.opens(pilot, ConflictScreen, "A")
        await pilot.pause()
        assert f"(the hunk at line {line})" in str(
            stage.app.screen.query_one("#question", Static).render()
        )
        assert "keep what is there, accept the rest" in stage.app.screen.query_one(KeyHints).words
        await decide(
            stage,
            pilot,
            key,
            *(state if number == clashing else HunkState.ACCEPTED for number in range(2)),
        )
        whole = BEFORE + TWO_HUNKS + AFTER
        kept = [
            ("expenses = list()", "expenses = set()"),
            ("    print(", "    f.quit()\n    print("),
        ][clashing]
        assert stage.file.read_text() == (whole.replace(*kept) if key == "k" else whole)
        if key == "k":
            assert "accepted the hunk, rejected 1 for what is there" in stage.note


async def test_where_all_hunks_clash_all_of_it_can_be_kept(stage: Stage) -> None:
    async with stage.reviewing() as pilot:
        mine = STORE.replace("expenses = []", "expenses = set()").replace(
            "    f.close()\n", "    f.quit()\n"
        )
        stage.file.write_text(mine)
        await stage.opens(pilot, ConflictScreen, "A")
        await decide(stage, pilot, "k", HunkState.REJECTED, HunkState.REJECTED)
        assert stage.file.read_text() == mine
        assert "rejected 2 hunks" in stage.note


async def test_a_rejection_for_what_is_there_and_the_rest_that_was_accepted_are_both_taken_back(
    stage: Stage,
) -> None:
    async with stage.reviewing() as pilot:
        mine = STORE.replace("expenses = []", "expenses = set()")
        stage.file.write_text(mine)
        await stage.opens(pilot, ConflictScreen, "A")
        await decide(stage, pilot, "k", HunkState.REJECTED, HunkState.ACCEPTED)
        await decide(stage, pilot, "u", HunkState.CHANGED, HunkState.ACCEPTED)
        await stage.turn(pilot, "u")
        await decided(stage, pilot, HunkState.CHANGED, HunkState.OK)
        assert stage.file.read_text() == mine


async def test_what_was_edited_again_while_both_were_looked_at_is_shown_again(stage: Stage) -> None:
    async with stage.reviewing() as pilot:
        for word in ("set()", "dict()"):
            stage.file.write_text(STORE.replace("expenses = []", f"expenses = {word}"))
            if word == "set()":
                await stage.opens(pilot, ConflictScreen, "a")
        first = stage.app.screen
        await stage.press_later(pilot, "t")
        await until(
            pilot,
            lambda: isinstance(stage.app.screen, ConflictScreen) and stage.app.screen is not first,
        )
        await pilot.pause()
        assert any("dict()" in line for line in stage.app.screen.query(PatchView).first().lines)
        assert "dict()" in stage.file.read_text()
