"""`spark -c`: the last turn's words come back, never over what was typed or sent meanwhile; and
how one hears of it.
"""

import threading
from collections.abc import Callable
from pathlib import Path

from spark_tui.session.turn_state import TurnPhase
from spark_tui.session.turn_store import SessionStore
from spark_tui.tui.app import Outside
from spark_tui.tui.screens.history import ResumeScreen
from tests.tui.support import HUSH, Stage, until
from tests.tui.test_overlays import EARLIER, patch


def begin(folder: Path, ready: Callable[[], object] = lambda: None) -> Stage:
    """A stage that continues a session which was saved before."""
    store = SessionStore(folder / "sessions")
    store.save(EARLIER)
    return Stage(folder, outside=Outside(again=True), sessions=store, ready=ready)


async def test_continuing_brings_back_the_last_words_and_sends_nothing(tmp_path: Path) -> None:
    stage = begin(tmp_path)
    async with stage.started(size=(100, 30)) as pilot:
        await until(pilot, lambda: stage.prompt.text != "")
        assert stage.prompt.text in {"earlier words", "do not print in load"}
        assert stage.session.turn is None


async def test_words_that_are_typed_before_the_last_ones_are_back_stay(tmp_path: Path) -> None:
    typed = threading.Event()
    stage = begin(tmp_path, typed.wait)
    async with stage.app.run_test(size=(100, 30)) as pilot:
        await pilot.press(*"mine")
        typed.set()
        await until(pilot, lambda: stage.main.controller is not None and "asked 20" in stage.note)
        assert stage.prompt.text == "mine"
        assert "what you typed stays, /resume" in stage.note
    stage.close()


async def test_words_that_are_sent_before_the_last_ones_are_back_are_begun_alone(
    tmp_path: Path,
) -> None:
    typed = threading.Event()
    stage = begin(tmp_path, typed.wait)
    async with stage.app.run_test(size=(100, 30)) as pilot:
        stage.prompt.set_text(HUSH)
        await pilot.press("enter")
        typed.set()
        await until(pilot, lambda: stage.session.turn is not None)
        await stage.step_until(pilot, lambda: stage.seen > 2)
        assert stage.prompt.text == ""
    stage.close()


async def test_how_to_come_back_stands_on_a_line_of_its_own(tmp_path: Path) -> None:
    stage = Stage(tmp_path, sessions=SessionStore(tmp_path / "sessions"))
    stage.gate.open()
    async with stage.asked(HUSH, size=(100, 30)) as pilot:
        await until(pilot, lambda: stage.view.phase is TurnPhase.REVIEW)
        undecided, again = stage.app.last_words.split("\n")
        assert "undecided" in undecided
        assert again == f"`spark -r {stage.session.past.session_id}` shows its turns again"
        stage.app.action_show_turns()
        await until(
            pilot, lambda: isinstance(stage.app.screen, ResumeScreen) and patch(stage) != ""
        )
        assert "No turns from earlier sessions" in patch(stage), "and this one has a turn"
