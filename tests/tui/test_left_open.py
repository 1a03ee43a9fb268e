"""Reviews that another turn took the place of: none is lost, and each comes back when what came
after it is gone.
"""

from typing import Any

from textual.pilot import Pilot

from spark_tui.session.turn_state import IN_TURN, TurnPhase
from spark_tui.tui.screens.token_scrubber import LookBackScreen
from tests.tui.support import HUSH, RENAME, SPLIT, STORE, Stage, until


async def review(stage: Stage, pilot: Pilot[None], words: str = SPLIT) -> None:
    """A whole turn, the engine held again after it."""
    await stage.ready(pilot)
    stage.prompt.focus()
    await stage.ask(pilot, words)
    await until(pilot, lambda: stage.view.instruction == words)
    stage.gate.open()
    await until(pilot, lambda: stage.view.phase is TurnPhase.REVIEW and stage.diff.has_focus)
    stage.gate.shut()
    stage.later()


async def pause(stage: Stage, pilot: Pilot[None]) -> None:
    """Pause the turn that runs, at a token."""
    await pilot.press("escape")
    stage.gate.let(1)
    await until(pilot, lambda: stage.session.runner.paused)


async def branched(stage: Stage, pilot: Pilot[None]) -> None:
    """Go on from a token in the midst of what was written, and pause there before that is
    complete.
    """
    before: Any = stage.session.turn
    await pilot.press("comma")
    screen = stage.app.screen
    assert isinstance(screen, LookBackScreen)
    assert before is not None
    screen.typed = "mine"
    screen.dismiss(before.tape.text(len(before.tape) * 2 // 3))
    await until(
        pilot,
        lambda: (
            stage.session.turn is not before and stage.view.phase in IN_TURN and stage.gate.holds
        ),
    )
    stage.gate.let(1)
    await until(pilot, lambda: bool(stage.view.hunks))
    await pause(stage, pilot)


async def test_u_brings_the_undecided_review_before_a_new_one_back_as_the_user_made_it(
    stage: Stage,
) -> None:
    async with stage.after(review) as pilot:
        first = stage.asked_turn
        first.file.edit(first.hunks[0].id, ["    expenses = dict()"])
        before = stage.proposed
        await review(stage, pilot, RENAME)
        await review(stage, pilot, HUSH)
        for words in (RENAME, SPLIT):
            await stage.press(pilot, "u")
            await until(pilot, lambda words=words: stage.view.instruction == words)  # type: ignore[misc]
            assert "the earlier proposal is back" in stage.note
        assert (stage.session.turn, stage.proposed, stage.view.phase) == (
            first,
            before,
            TurnPhase.REVIEW,
        )
        assert stage.bar("title").startswith(SPLIT)
        await stage.says(pilot, "before you edited it", "u")


async def test_u_goes_back_while_the_new_one_is_written(stage: Stage) -> None:
    async with stage.after(review) as pilot:
        before = stage.proposed
        stage.prompt.focus()
        await stage.ask(pilot, HUSH)
        await stage.step_until(pilot, lambda: bool(stage.view.hunks))
        await stage.says(pilot, "2 hunks of the last turn left undecided; u goes back to them")
        stage.diff.focus()
        await stage.press(pilot, "u")
        await until(pilot, lambda: stage.view.instruction == SPLIT)
        stage.gate.open()
        await until(pilot, lambda: stage.session.runner.idle)
        assert (stage.proposed, stage.view.phase, len(stage.view.hunks)) == (
            before,
            TurnPhase.REVIEW,
            2,
        )


async def test_what_was_accepted_and_rejected_since_is_taken_back_first(stage: Stage) -> None:
    async with stage.after(review, HUSH) as pilot:
        before = stage.proposed
        await review(stage, pilot, SPLIT)
        await stage.decides(pilot, "r", left=1)
        await stage.decides(pilot, "a")
        stage.later()
        await stage.turn(pilot, "u")
        await until(pilot, lambda: stage.file.read_text() == STORE and len(stage.view.hunks) == 1)
        await stage.press_later(pilot, "u")
        await until(pilot, lambda: len(stage.view.hunks) == 2)
        await stage.press(pilot, "u")
        await until(pilot, lambda: stage.view.instruction == HUSH)
        assert stage.proposed == before
        await stage.press_later(pilot, "a")
        await until(pilot, lambda: stage.file.read_text() == before)


async def test_a_branch_of_a_finished_proposal_that_is_given_up_leads_back_to_it(
    stage: Stage,
) -> None:
    async with stage.app.run_test(size=(100, 30)) as pilot:
        await review(stage, pilot)
        first, before = stage.session.turn, stage.proposed
        await branched(stage, pilot)
        assert "back to the earlier one" in stage.bar("hints")
        await pilot.press("escape")
        await until(
            pilot,
            lambda: stage.note == "Up brings back what you typed; the review is as it was before",
        )
        assert (stage.session.turn, stage.proposed, stage.view.phase) == (
            first,
            before,
            TurnPhase.REVIEW,
        )


async def test_where_nothing_was_complete_before_a_branch_its_words_come_back(stage: Stage) -> None:
    async with stage.asked(SPLIT, size=(100, 30)) as pilot:
        await stage.step_until(pilot, lambda: bool(stage.view.hunks) and stage.seen > 10)
        turn = stage.asked_turn
        assert not turn.closed_hunks
        await pause(stage, pilot)
        await branched(stage, pilot)
        assert "drop the unfinished" in stage.bar("hints")
        await pilot.press("escape")
        await until(pilot, lambda: stage.view.phase is TurnPhase.READY)
        assert stage.note == "Up brings back what you typed"


async def test_a_branch_of_a_paused_turn_that_is_given_up_leads_back_to_what_was_written_there(
    stage: Stage,
) -> None:
    async with stage.app.run_test(size=(100, 30)) as pilot:
        await review(stage, pilot, HUSH)
        stage.prompt.focus()
        await stage.ask(pilot, SPLIT)
        await until(pilot, lambda: stage.view.instruction == SPLIT)
        turn = stage.asked_turn
        await stage.step_until(pilot, lambda: bool(turn.closed_hunks))
        await pause(stage, pilot)
        await branched(stage, pilot)
        assert "back to the earlier one" in stage.bar("hints")
        await stage.says(pilot, "the review is as it was before", "escape")
        assert (stage.session.turn, stage.view.phase) == (turn, TurnPhase.REVIEW)
        assert [hunk.new_lines for hunk in stage.view.hunks] == [("    expenses = list()",)]
        assert not any(stage.view.state(hunk).value == "writing" for hunk in stage.view.hunks)


async def test_words_sent_instead_of_a_branch_do_not_lead_back_when_they_brought_something(
    stage: Stage,
) -> None:
    async with stage.app.run_test(size=(100, 30)) as pilot:
        await review(stage, pilot)
        first = stage.session.turn
        await branched(stage, pilot)
        branch = stage.session.turn
        await stage.ask(pilot, HUSH)
        await until(pilot, lambda: stage.session.turn is not branch)
        assert stage.session.turn is not first
        await until(pilot, lambda: not stage.controller.leads_back)
