"""What the screen says and does when the engine fails in the middle of a turn."""

from pathlib import Path
from typing import NoReturn

import pytest
from textual.pilot import Pilot

from spark_tui.session.session import Session
from spark_tui.session.turn import Turn
from spark_tui.session.turn_factory import TurnFactory
from spark_tui.session.turn_state import IN_TURN, TurnPhase
from tests.tui.support import AFTER, BEFORE, BETTER, EDIT, HUSH, STORE, Stage, until
from tests.tui.test_streaming import finish, start


async def _fail(stage: Stage, pilot: Pilot[None], *errors: Exception) -> None:
    """Let some tokens come, and the engine fail at the next."""
    await start(stage, pilot, tokens=10)
    stage.gate.fail(*errors)
    stage.gate.let(1)
    await until(pilot, lambda: bool(stage.view.problem) and stage.session.runner.paused)


async def test_it_says_what_happened_and_enter_goes_on_to_the_same_result(stage: Stage) -> None:
    async with stage.after(_fail, ValueError("no kernel")) as pilot:
        written = stage.seen
        assert (
            stage.note
            == "the engine failed (ValueError: no kernel): Enter goes on from the last token"
        )
        assert stage.view.phase is TurnPhase.PAUSED
        assert "Enter go on" in stage.bar("hints").replace("  ", " ")
        assert stage.file.read_text() == STORE
        await pilot.press("enter")
        await finish(stage, pilot)
        assert stage.seen > written
        assert stage.proposed == BEFORE + BETTER + AFTER
        assert (stage.note, stage.view.problem) == ("", "")


async def test_it_says_so_every_time_and_ends_the_turn_when_it_never_works(stage: Stage) -> None:
    async with stage.after(_fail, *[MemoryError()] * 99) as pilot:
        stage.gate.open()
        for _ in range(2):
            await pilot.press("enter")
            await until(pilot, lambda: bool(stage.view.problem) and stage.session.runner.paused)
            assert stage.note.startswith(
                "the engine failed (out of memory again: close other programs"
            )
        await pilot.press("enter")
        await until(pilot, lambda: stage.view.phase not in IN_TURN)
        assert stage.note.startswith("the engine failed again and again (out of memory)")
        assert stage.file.read_text() == STORE


async def test_esc_drops_the_unfinished_and_the_same_words_can_be_sent_again(stage: Stage) -> None:
    async with stage.after(_fail, RuntimeError("kernel")) as pilot:
        await pilot.press("escape")
        await until(pilot, lambda: stage.view.phase in {TurnPhase.REVIEW, TurnPhase.READY})
        assert stage.note == ""
        stage.gate.open()
        stage.main.action_to_prompt()
        await stage.ask(pilot, EDIT)
        await until(
            pilot, lambda: stage.view.phase is TurnPhase.REVIEW and not stage.session.runner.paused
        )
        await until(pilot, lambda: stage.proposed == BEFORE + BETTER + AFTER)


async def test_other_words_begin_another_turn_while_the_engine_stands_still(stage: Stage) -> None:
    async with stage.after(_fail, MemoryError()) as pilot:
        stage.gate.open()
        await stage.ask(pilot, HUSH)
        await until(
            pilot, lambda: stage.view.instruction == HUSH and stage.view.phase is TurnPhase.REVIEW
        )
        assert "print(" not in stage.proposed


async def test_weights_that_are_damaged_on_disk_are_told_when_needed_again(
    stage: Stage, tmp_path: Path
) -> None:
    async with stage.app.run_test() as pilot:
        weights = tmp_path / "model" / "model.safetensors"
        whole = weights.read_bytes()
        weights.write_bytes(whole[:-10])
        await _fail(stage, pilot, RuntimeError("kernel"), RuntimeError("kernel"))
        stage.gate.open()
        await stage.says(pilot, "truncated", "enter")
        assert stage.note.startswith("the engine failed (it cannot be loaded again: ")
        await pilot.press("enter")
        await finish(stage, pilot)
        assert stage.proposed == BEFORE + BETTER + AFTER


def _trip(*_: object, **__: object) -> NoReturn:
    msg = "a rule tripped"
    raise IndexError(msg)


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "spark"


async def test_a_bug_as_a_turn_begins_leaves_the_words_and_the_review_and_a_report(
    stage: Stage, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with stage.after(start, tokens=10) as pilot:
        stage.gate.open()
        await finish(stage, pilot)
        monkeypatch.setattr(TurnFactory, "create", _trip)
        await pilot.press("enter")
        await stage.ask(pilot, HUSH)
        await until(
            pilot,
            lambda: stage.note.startswith(
                "unexpected IndexError: a rule tripped; please report it with"
            ),
        )
        (report,) = (state / "crashes").iterdir()
        assert "IndexError: a rule tripped" in report.read_text()
        assert stage.prompt.text == HUSH
        assert stage.proposed == BEFORE + BETTER + AFTER
        assert stage.view.phase is TurnPhase.REVIEW


async def test_a_bug_as_words_are_looked_at_while_they_are_written_is_left_to_the_turn(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Session, "look_ahead", _trip)
    async with stage.app.run_test() as pilot:
        stage.gate.open()
        await stage.ready(pilot)
        await pilot.press(*EDIT)
        await until(
            pilot, lambda: stage.main.controller is not None and stage.controller.has_looked(EDIT)
        )
        await pilot.press("enter")
        await until(pilot, lambda: stage.view.phase is TurnPhase.REVIEW)


async def test_a_bug_within_a_turn_ends_that_and_the_next_one_runs(
    stage: Stage, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with stage.app.run_test() as pilot:
        stage.gate.open()
        with monkeypatch.context() as tripping:
            tripping.setattr(Turn, "events", _trip)
            await stage.ask(pilot, EDIT)
            await stage.says(pilot, "unexpected IndexError: a rule tripped")
            assert list((state / "crashes").iterdir())
            assert stage.view.phase not in IN_TURN
        await stage.ask(pilot, HUSH)
        await until(
            pilot, lambda: stage.view.instruction == HUSH and stage.view.phase is TurnPhase.REVIEW
        )
        assert stage.file.read_text() == STORE
