"""What keys mean in the diff: accept, reject, undo, redo, moving about, and what can never
happen by accident.
"""

import threading

import pytest
from textual import events
from textual.pilot import Pilot

from spark_tui.session.hunk_items import HunkState
from spark_tui.session.turn_state import TurnPhase
from spark_tui.tui.screens.undo import TurnScreen
from spark_tui.tui.widgets.work import GUARD_S
from tests.fakes import returned
from tests.tui.support import AFTER, BEFORE, HUSH, QUIET, SPLIT, STORE, Stage, notifications, until


async def watched(stage: Stage, pilot: Pilot[None]) -> None:
    """Look on in the diff while a turn goes by."""
    await stage.ask(pilot, SPLIT)
    await stage.step_until(pilot, lambda: stage.seen > 0)
    stage.diff.focus()
    stage.gate.open()
    await until(pilot, lambda: stage.view.phase is TurnPhase.REVIEW)


def states(stage: Stage) -> list[HunkState]:
    return [item.state for item in stage.view.items()]


async def decide(stage: Stage, pilot: Pilot[None], key: str, *wanted: HunkState) -> None:
    """Press a key once nothing is too new, and see what becomes of the hunks."""
    await stage.press_later(pilot, key)
    await decided(stage, pilot, *wanted)


async def decided(stage: Stage, pilot: Pilot[None], *wanted: HunkState) -> None:
    await until(pilot, lambda: states(stage) == list(wanted) and not stage.main.busy)


async def test_u_opens_what_was_rejected_last_again(
    stage: Stage,
) -> None:
    async with stage.reviewing() as pilot:
        await decide(stage, pilot, "a", HunkState.ACCEPTED, HunkState.OK)
        await decide(stage, pilot, "r", HunkState.ACCEPTED, HunkState.REJECTED)
        await until(pilot, lambda: "rejected the hunk; /undo takes it back" in stage.note)
        await decide(stage, pilot, "u", HunkState.ACCEPTED, HunkState.OK)
        assert stage.app.screen is stage.main
        assert stage.view.phase is TurnPhase.REVIEW
        await decide(stage, pilot, "ctrl+r", HunkState.ACCEPTED, HunkState.REJECTED)
        await decide(stage, pilot, "u", HunkState.ACCEPTED, HunkState.OK)
        await stage.opens(pilot, TurnScreen, "u")


async def test_undo_and_redo_bring_back_the_bytes_and_the_hunk_by_key_and_by_command(
    stage: Stage,
) -> None:
    async with stage.reviewing(HUSH) as pilot:
        await decide(stage, pilot, "a", HunkState.ACCEPTED)
        await stage.turn(pilot, "u")
        await until(pilot, lambda: stage.file.read_text() == STORE)
        await decided(stage, pilot, HunkState.OK)
        await stage.turn(pilot, "ctrl+r")
        await until(pilot, lambda: stage.file.read_text() == BEFORE + QUIET + AFTER)
        await decided(stage, pilot, HunkState.ACCEPTED)
        await pilot.press("enter", *"/undo")
        await stage.turn(pilot, "enter")
        await until(pilot, lambda: stage.note.endswith("; /redo redoes it"))
        assert stage.file.read_text() == STORE
        await pilot.press(*"/redo")
        await stage.turn(pilot, "enter")
        await until(pilot, lambda: stage.note.endswith("; /undo takes it back"))
        assert stage.file.read_text() == BEFORE + QUIET + AFTER


async def test_words_typed_into_what_an_undo_shows_go_to_the_prompt(stage: Stage) -> None:
    async with stage.reviewing(HUSH) as pilot:
        await decide(stage, pilot, "a", HunkState.ACCEPTED)
        await stage.opens(pilot, TurnScreen, "u")
        stage.later()
        await pilot.press(*"make it mute")
        assert (stage.app.screen, stage.prompt.text) == (stage.main, "make it mute")
        assert stage.file.read_text() == BEFORE + QUIET + AFTER


async def test_approval_keys_wait_until_a_hunk_has_been_there_for_a_moment(stage: Stage) -> None:
    async with stage.after(watched) as pilot:
        stage.later(GUARD_S - 0.001)
        for key in ("a", "y", "r", "n", "A", "R"):
            await stage.press(pilot, key)
            assert states(stage) == [HunkState.OK, HunkState.OK]
            assert not stage.main.busy
        stage.later(0.002)
        await decide(stage, pilot, "A", HunkState.ACCEPTED, HunkState.ACCEPTED)


async def test_what_is_typed_or_pasted_in_the_diff_accepts_nothing_and_the_way_to_the_prompt(
    stage: Stage,
) -> None:
    async with stage.reviewing() as pilot:
        for number, key in enumerate(("enter", "i", "escape"), 1):
            await stage.press(pilot, key)
            await until(pilot, lambda: stage.prompt.has_focus)
            await pilot.press("a")
            assert stage.prompt.text == "a" * number
            await pilot.press("tab")
            assert stage.diff.has_focus
        stage.app.post_message(events.Paste("AyY\x1b[31m"))
        await until(pilot, lambda: stage.prompt.text == "aaaAyY␛[31m")
        assert states(stage) == [HunkState.OK, HunkState.OK]
        assert stage.file.read_text() == STORE


async def test_lines_pages_and_hunks_can_be_walked_and_what_is_selected_is_what_is_decided(
    stage: Stage,
) -> None:
    async with stage.reviewing() as pilot:
        await pilot.press("home")
        assert stage.diff.cursor == 0
        await pilot.press("j", "down", "k")
        assert stage.diff.cursor == 1
        await pilot.press("end")
        assert stage.diff.cursor == len(stage.diff.rows) - 1
        await pilot.press("pageup", "pageup", "right", "left")
        assert stage.diff.cursor == 0
        await pilot.press("]", "]")
        assert stage.diff.selected == 1
        await pilot.press("[")
        assert stage.diff.selected == 0
        await pilot.click("HunkList", offset=(5, 1))
        assert stage.diff.selected == 1
        assert stage.diff.has_focus
        await decide(stage, pilot, "a", HunkState.OK, HunkState.ACCEPTED)
        assert stage.file.read_text() == STORE.replace("    f.close()\n", "")
        assert [item.line for item in stage.view.items()] == [10, 16]


async def test_the_next_turn_tells_of_hunks_left_undecided_and_is_shown_from_its_first_column(
    stage: Stage,
) -> None:
    async with stage.reviewing() as pilot:
        await pilot.press("right", "right")
        assert stage.diff.shift
        await pilot.press("enter")
        await stage.ask(pilot, HUSH)
        await until(
            pilot, lambda: stage.view.instruction == HUSH and stage.view.phase is TurnPhase.REVIEW
        )
        assert "2 hunks of the last turn left undecided" in stage.note
        assert not stage.diff.shift
        assert stage.file.read_text() == STORE


@pytest.mark.parametrize("keys", [[], ["escape", "escape"]])
async def test_a_turn_that_ends_without_an_edit_leaves_the_open_hunks_as_the_user_made_them(
    stage: Stage, keys: list[str]
) -> None:
    async with stage.reviewing() as pilot:
        first = stage.asked_turn
        first.file.edit(first.hunks[0].id, ["    expenses = dict()"])
        before = first.review.proposed
        await stage.decides(pilot, "]", "r", left=1)
        await pilot.press("enter")
        stage.prompt.set_text("asdf jkl in load")
        await pilot.press("enter", *keys)
        await until(pilot, lambda: stage.note.endswith("the review is as it was before"))
        assert (stage.session.turn, stage.view.instruction, len(stage.view.hunks)) == (
            first,
            SPLIT,
            1,
        )
        stage.diff.focus()
        await until(pilot, lambda: stage.diff.has_focus)
        await stage.press_later(pilot, "u")
        await until(pilot, lambda: first.review.proposed == before)
        assert "expenses = dict()" in before.lines[9]


async def test_what_is_undone_while_nothing_is_found_is_open_again(stage: Stage) -> None:
    async with stage.reviewing() as pilot:
        await stage.decides(pilot, "a", left=1)
        controller = stage.controller
        controller.play(returned(controller.begin("asdf jkl in load")), "")
        preview = controller.session.past.preview_last(back=True)
        controller.show_applied(controller.apply_preview(preview))
        stage.main.run_frames()
        await until(pilot, lambda: stage.note.endswith("the review is as it was before"))
        await until(pilot, lambda: len(stage.view.hunks) == 2)
        assert [item.state for item in stage.view.items()] == [HunkState.OK, HunkState.OK]


@pytest.mark.parametrize(
    ("key", "verb", "state"),
    [("a", "accept", HunkState.ACCEPTED), ("r", "reject", HunkState.REJECTED)],
)
async def test_what_is_decided_while_a_decision_is_carried_out_does_nothing_and_says_so(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, key: str, verb: str, state: HunkState
) -> None:
    """The hunk that it was about went; the next one has not been looked at."""
    go = threading.Event()
    async with stage.reviewing() as pilot:
        write = getattr(stage.controller, verb)
        monkeypatch.setattr(
            stage.controller, verb, lambda *args, **more: (go.wait(10), write(*args, **more))[1]
        )
        await stage.press_later(pilot, key)
        await pilot.press(key)
        go.set()
        await decided(stage, pilot, state, HunkState.OK)
        await until(pilot, lambda: "what was pressed meanwhile did nothing" in stage.note)


async def test_what_the_journal_tells_is_a_notification_and_never_markup(stage: Stage) -> None:
    async with stage.reviewing() as pilot:
        stage.session.notices.append("[/] kept as a.py\x1b[2J")
        await stage.press(pilot, "u")
        await until(pilot, lambda: bool(notifications(stage.app)))
        assert [(each.message, each.markup) for each in notifications(stage.app)] == [
            ("[/] kept as a.py␛[2J", False)
        ]


async def test_the_lines_that_the_screen_shows_after_an_accept_are_worked_out_beside_it(
    stage: Stage,
) -> None:
    """In a file of megabytes they take most of a frame."""
    async with stage.reviewing():
        controller = stage.controller
        assert controller.turn is not None
        controller.accept(controller.turn, stage.view.hunks[:1], {})
        assert "lines" in vars(controller.turn.review.base)
