"""What the screen shows where the stream stands still or comes slowly: all that was written,
and nothing else.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from spark_tui.session.hunk_items import HunkLike, HunkState
from spark_tui.session.pace import Pace
from spark_tui.session.turn_factory import hunks_at
from spark_tui.session.turn_state import IN_TURN, TurnPhase
from spark_tui.tui.screens.token_scrubber import LookBackScreen
from spark_tui.tui.widgets.diff_rows import RowKind
from tests.fakes import edit_script, proposed, rename_script
from tests.tui.support import EDIT, LOAD, SCRIPTS, SPLIT, STORE, Stage, until

RENAME = "rename expenses to bookings in load"
NOTHING = "make load better"
WRONG = "mind the gap in load"
WHY = "no edit offered: undefined: gap (line 14)"
WAIT = Pace(0.001)


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    """A stage whose model also knows a renaming, of which every second half is known, and an
    edit that is wrong.
    """
    more = {
        RENAME: rename_script("expenses", "bookings"),
        WRONG: edit_script(LOAD, LOAD.replace("len(parts)", "len(gap)")),
    }
    stage = Stage(tmp_path, scripts={**SCRIPTS, **more})
    yield stage
    stage.close()


async def pause(stage: Stage, pilot: Pilot[None]) -> None:
    """Pause, let the token go that the engine is busy with, and see the screen show where it
    stands.
    """
    controller = stage.controller
    await pilot.press("escape")
    stage.gate.let(1)
    await until(pilot, lambda: stage.session.runner.paused and controller.settled)


def contents(hunks: Sequence[HunkLike]) -> list[tuple[int, tuple[str, ...], tuple[str, ...]]]:
    return [(hunk.start, hunk.old_lines, hunk.new_lines) for hunk in hunks]


def drawn(stage: Stage, kind: RowKind) -> list[str]:
    """The lines of the diff that the screen shows as new, or as old."""
    rows = stage.diff.rows
    return [rows[number].text for number in range(len(rows)) if rows[number].kind is kind]


def written(stage: Stage) -> list[tuple[int, tuple[str, ...], tuple[str, ...]]]:
    turn: Any = stage.session.turn
    return contents(hunks_at(turn, len(turn.tape) - 1))


async def test_at_a_pause_behind_any_token_the_diff_shows_all_of_it_and_looking_back_the_same(
    stage: Stage,
) -> None:
    async with stage.asked(SPLIT, size=(100, 40)) as pilot:
        await until(pilot, lambda: stage.gate.holds)
        turn, stops, heads = stage.session.turn, 0, list[list[str]]()
        while stops < 18:
            await pause(stage, pilot)
            assert contents(stage.view.hunks) == written(stage)
            heads.append(drawn(stage, RowKind.NEW))
            await pilot.press("full_stop")
            assert isinstance(stage.app.screen, LookBackScreen)
            assert contents(stage.app.screen.film.rows.hunks) == written(stage)
            await pilot.press("escape", "enter")
            stops += 1
            await until(pilot, lambda: stage.gate.holds)
        assert (
            ["    expenses = l"] in heads
            or ["    expenses = li"] in heads
            or ["    expenses = list"] in heads
        )
        assert all("" not in head for head in heads), "a line just begun is no blank one"
        stage.gate.open()
        await until(pilot, lambda: stage.view.phase is TurnPhase.REVIEW)
        assert turn is not None
        text = proposed(turn)
        assert text == STORE.replace("expenses = []", "expenses = list()").replace(
            "    f.close()\n", ""
        )


async def test_a_name_that_leaves_no_choice_grows_on_the_screen_at_a_pace_that_can_be_read(
    stage: Stage,
) -> None:
    async with stage.started(size=(100, 40)) as pilot:
        controller = stage.controller
        controller.pacer.pace = WAIT
        stage.gate.open()
        await stage.ask(pilot, RENAME)
        await until(pilot, lambda: stage.view.phase in IN_TURN)
        names = []
        for count in range(1, 40):
            await until(
                pilot,
                lambda count=count: stage.seen == count or stage.view.phase not in IN_TURN,  # type: ignore[misc]
            )
            if stage.view.phase not in IN_TURN:
                break
            await until(pilot, lambda: contents(stage.view.hunks) == written(stage))
            await pilot.press("escape")
            await until(pilot, lambda: controller.settled)
            if stage.view.phase not in IN_TURN:
                break  # the turn ended right behind its last token
            assert stage.seen == count, "what waits for its time was not written yet"
            assert contents(stage.view.hunks) == written(stage)
            names += [line.removesuffix(" = []").strip() for line in drawn(stage, RowKind.NEW)[:1]]
            controller.pacer.begin()
            await pilot.press("enter")
        assert len(dict.fromkeys(names)) > 2
        assert all("bookings".startswith(name) for name in names)
        assert [hunk.new_lines[0] for hunk in stage.view.hunks[:1]] == ["    bookings = []"]
        assert not any(
            "expenses" in line
            for hunk in stage.view.hunks
            for line in hunk.new_lines
            if "log" not in line
        )


async def test_the_place_that_is_shown_once_a_turn_is_dropped_is_that_of_the_words_that_were_typed(
    stage: Stage,
) -> None:
    async with stage.asked(EDIT) as pilot:
        await until(pilot, lambda: stage.view.phase in IN_TURN and stage.gate.holds)
        await until(pilot, lambda: stage.view.place == "store.py:9-18  load")
        stage.prompt.focus()
        stage.prompt.put("rename expenses to rows in `save`")
        await until(pilot, lambda: stage.view.phase is TurnPhase.PAUSED)
        await pilot.press("escape")
        stage.gate.open()
        await until(pilot, lambda: stage.view.phase not in IN_TURN)
        assert "load" not in stage.bar("region")
        await until(pilot, lambda: stage.bar("region").startswith("edits store.py:21-23  save"))


async def test_keys_that_decide_are_offered_only_where_the_hunk_is_fully_written(
    stage: Stage,
) -> None:
    async with stage.asked(SPLIT, size=(200, 40)) as pilot:
        await stage.step_until(pilot, lambda: len(stage.view.hunks) == 1)
        await pause(stage, pilot)
        assert stage.view.state(stage.view.hunks[0]) is HunkState.WRITING
        await pilot.press("tab")
        assert "a  accept" not in stage.bar("hints")
        stage.prompt.focus()
        await pilot.press("enter")
        stage.gate.open()
        await until(pilot, lambda: stage.view.phase is TurnPhase.REVIEW)
        stage.diff.focus()
        await until(pilot, lambda: "a  accept" in stage.bar("hints"))


async def test_esc_behind_the_end_of_a_turn_without_an_edit_leaves_the_reason(stage: Stage) -> None:
    async with stage.app.run_test(size=(100, 40)) as pilot:
        stage.gate.open()
        await stage.ask(pilot, NOTHING)
        await stage.says(pilot, "say what should be different")
        reason = stage.note
        await pilot.press("escape", "escape")
        assert stage.note == reason
        await pilot.press("x")
        assert stage.note == ""
        await pilot.press("escape")
        assert stage.note == reason, "whoever typed into the end reads it, too"
        await stage.ask(pilot, SPLIT)
        await until(pilot, lambda: stage.view.phase is TurnPhase.REVIEW)
        await pilot.press("escape")
        assert stage.note.startswith("it was written before Esc came"), "not of the turn before"


def withdrawn(stage: Stage) -> str:
    """What is said where the diff was."""
    told = stage.main.bench.query_one("#withdrawn", Static)
    return str(told.render()) if told.display else ""


async def test_what_was_seen_being_written_and_is_not_offered_is_said_to_be_withdrawn_where_it_was(
    stage: Stage,
) -> None:
    async with stage.asked(WRONG, size=(80, 24)) as pilot:
        await stage.step_until(pilot, lambda: bool(stage.view.hunks))
        assert withdrawn(stage) == ""
        stage.gate.open()
        await until(pilot, lambda: stage.view.phase is TurnPhase.READY)
        await pilot.press("x")
        assert stage.note == ""
        assert withdrawn(stage) == f"✗ withdrawn: {WHY}"
        await stage.ask(pilot, SPLIT)
        await until(pilot, lambda: not withdrawn(stage))


async def test_nothing_is_said_to_be_withdrawn_that_nobody_saw_or_that_the_user_gave_up(
    stage: Stage,
) -> None:
    async with stage.asked(EDIT, size=(80, 24)) as pilot:
        await stage.step_until(pilot, lambda: bool(stage.view.hunks))
        await pause(stage, pilot)
        await pilot.press("escape")
        stage.gate.open()
        await until(pilot, lambda: stage.view.phase is TurnPhase.READY)
        assert withdrawn(stage) == ""
        await stage.ask(pilot, NOTHING)
        await until(pilot, lambda: stage.view.phase is TurnPhase.READY and bool(stage.note))
        assert withdrawn(stage) == ""


async def test_the_words_of_a_turn_that_found_no_edit_come_back_to_be_written_on_or_over(
    stage: Stage,
) -> None:
    async with stage.app.run_test(size=(80, 24)) as pilot:
        stage.gate.open()
        await stage.ask(pilot, NOTHING)
        await until(
            pilot, lambda: stage.view.phase is TurnPhase.READY and stage.prompt.text == NOTHING
        )
        await pilot.press("right", *" to it")
        assert stage.prompt.text == f"{NOTHING} to it"
        await stage.ask(pilot, NOTHING)
        await until(pilot, lambda: stage.view.phase is TurnPhase.READY and stage.prompt.is_offered)
        await pilot.press("x")
        assert stage.prompt.text == "x"


async def test_words_that_are_offered_make_room_for_what_says_that_letters_are_keys(
    stage: Stage,
) -> None:
    async with stage.reviewing(SPLIT) as pilot:
        await pilot.press("enter")
        await stage.ask(pilot, NOTHING)
        await until(pilot, lambda: stage.view.phase is TurnPhase.REVIEW and stage.prompt.is_offered)
        await pilot.press("tab")
        assert (stage.prompt.text, stage.prompt.placeholder) == (
            "",
            "letters are keys of the diff; Enter writes here",
        )
        await pilot.press("enter", "up")
        assert stage.prompt.text == NOTHING


async def test_esc_just_after_an_edit_that_was_too_fast_for_it_offers_the_redirect(
    stage: Stage,
) -> None:
    async with stage.reviewing(SPLIT) as pilot:
        await pilot.press("escape")
        assert stage.note == ""
        for paced in (True, False):
            await stage.ask(pilot, SPLIT)
            await until(
                pilot, lambda: stage.view.phase is TurnPhase.REVIEW and stage.diff.has_focus
            )
            await stage.says(
                pilot, "it was written before Esc came; what you type redirects it", "escape"
            )
            assert ("/pace 12" in stage.note) is paced
            assert stage.prompt.has_focus
