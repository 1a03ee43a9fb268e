"""The application around the screen: loading, leaving, keys of one's own, themes, commands."""

import sys
import threading
from pathlib import Path

import pytest
from textual.css.stylesheet import Stylesheet

from spark_tui.cli.bench.stage import large_turn
from spark_tui.config import Settings
from spark_tui.errors import ModelError
from spark_tui.session.session import Session
from spark_tui.session.turn_state import TurnPhase, TurnState
from spark_tui.tui.app import Outside, SparkApp
from spark_tui.tui.screens import help as help_sheet
from tests.tui.support import HUSH, STORE, Stage, until


async def test_keys_typed_before_the_model_is_loaded_are_kept_and_sent(tmp_path: Path) -> None:
    ready = threading.Event()
    stage = Stage(tmp_path, ready=ready.wait)
    stage.gate.open()
    async with stage.app.run_test() as pilot:
        assert stage.view.phase is TurnPhase.LOADING
        await pilot.press(*HUSH)
        await pilot.press("enter")
        assert stage.prompt.text == HUSH
        assert "as soon as" in stage.note
        ready.set()
        await until(pilot, lambda: stage.view.phase is TurnPhase.REVIEW)
        assert stage.view.instruction == HUSH
        assert stage.prompt.text == ""
    stage.close()


async def test_what_loading_says_is_shown_until_there_is_a_session(tmp_path: Path) -> None:
    ready = threading.Event()
    outside = Outside()
    stage = Stage(tmp_path, ready=ready.wait, outside=outside)
    async with stage.app.run_test() as pilot:
        outside.notices.put("compiling, once for this machine")
        await until(pilot, lambda: stage.note == "compiling, once for this machine")
        ready.set()
        await stage.ready(pilot)
        await until(pilot, lambda: stage.note == "")
    stage.close()


def no_session() -> Session:
    raise ModelError("the weights are gone; install spark again")


async def test_a_session_that_cannot_be_opened_ends_the_app_with_its_error() -> None:
    app = SparkApp(no_session)
    async with app.run_test() as pilot:
        await until(pilot, lambda: app.failure is not None)
    assert isinstance(app.failure, ModelError)
    assert app.return_code == ModelError.exit_code


@pytest.mark.parametrize(("keys", "left"), [(["ctrl+c", "x"], "x"), (["escape"], HUSH)])
async def test_what_was_sent_before_the_model_is_loaded_can_be_taken_back(
    tmp_path: Path, keys: list[str], left: str
) -> None:
    ready = threading.Event()
    stage = Stage(tmp_path, ready=ready.wait)
    stage.gate.open()
    async with stage.app.run_test() as pilot:
        stage.prompt.set_text(HUSH)
        await pilot.press("enter", *keys)
        assert stage.note.startswith("not sent") is (keys == ["escape"])
        ready.set()
        await stage.ready(pilot)
        await until(pilot, lambda: not stage.main.dispatch.reading_ahead)
        assert (stage.view.phase, stage.prompt.text, stage.session.turn) == (
            TurnPhase.READY,
            left,
            None,
        )
    stage.close()


async def test_what_only_a_turn_needs_is_loaded_when_the_screen_is_ready(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage, go_on = Stage(tmp_path), threading.Event()
    monkeypatch.setattr(stage.session, "prepare", go_on.wait)
    async with stage.app.run_test() as pilot:
        await until(pilot, lambda: stage.view.phase is TurnPhase.READY)
        go_on.set()
    stage.close()


async def test_what_a_turn_needs_and_is_damaged_is_told_before_the_first_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise ModelError("tokenizer.json is damaged")

    stage = Stage(tmp_path)
    monkeypatch.setattr(stage.session, "prepare", fail)
    async with stage.app.run_test() as pilot:
        await until(pilot, lambda: stage.app.failure is not None)
    assert isinstance(stage.app.failure, ModelError)
    stage.close()


async def test_ctrl_c_closes_what_is_open_or_clears_the_prompt_and_twice_in_a_row_it_quits(
    stage: Stage,
) -> None:
    async with stage.started() as pilot:
        await pilot.press("?", "ctrl+c")
        assert (stage.app.screen, stage.note) == (stage.main, "")
        await pilot.press("x", "ctrl+c")
        assert (stage.prompt.text, stage.note) == ("", "")
        for between in (["down"], ["x", "backspace"], ["?", "escape"], [*"/clear", "enter"]):
            await pilot.press("ctrl+c", *between)
            assert stage.note == ""
        await pilot.press("ctrl+c")
        assert stage.note == "Ctrl+C again quits"
        stage.later(5)
        await pilot.press("ctrl+c")
        assert stage.app.is_running
        await pilot.press("ctrl+c")
        await until(pilot, lambda: stage.app.return_code == 0)


async def test_q_in_the_diff_quits_once_it_was_said_what_is_undecided_and_writes_nothing(
    stage: Stage,
) -> None:
    async with stage.reviewing(HUSH) as pilot:
        await stage.says(pilot, "1 hunk undecided", "q")
        await pilot.press("escape", "tab")
        assert not stage.note
        await stage.says(
            pilot, "q again quits", "q"
        )  # what was said is gone, and so it is said again
        assert stage.app.is_running
        await stage.press(pilot, "q")
        await until(pilot, lambda: stage.app.return_code == 0)
    assert stage.file.read_text() == STORE


async def test_the_palette_carries_commands_out_and_q_quits_at_once_where_nothing_is_undecided(
    stage: Stage,
) -> None:
    async with stage.reviewing(HUSH) as pilot:
        offered = {command.title for command in stage.app.get_system_commands(stage.app.screen)}
        assert {"Keys", "Accept", "Reject", "Undo", "Redo", "Pause", "Theme", "Quit"} <= offered
        await pilot.press("ctrl+p")
        await until(pilot, lambda: stage.app.screen is not stage.main)
        await pilot.press(*"keys", "enter")
        await until(pilot, lambda: isinstance(stage.app.screen, help_sheet.HelpScreen))
        await pilot.press("escape", "r")
        await until(pilot, lambda: not stage.view.hunks)
        await stage.to_diff(pilot)
        await stage.press(pilot, "q")
        await until(pilot, lambda: stage.app.return_code == 0)


async def test_a_key_of_ones_own_replaces_the_usual_one_on_the_sheet_and_in_the_footer_too(
    tmp_path: Path,
) -> None:
    keys = {"hunk.accept": "x", "focus.diff": "f8,f9", "interrupt": "ctrl+k"}
    stage = Stage(tmp_path, settings=Settings(keys=keys))
    async with stage.started(size=(100, 50)) as pilot:
        assert "Ctrl+K quit" in " ".join(stage.bar("hints").split())
        await stage.review(pilot, HUSH)
        assert "x  accept" in stage.bar("hints")
        await pilot.press("?")
        await until(pilot, lambda: isinstance(stage.app.screen, help_sheet.HelpScreen))
        await pilot.pause()
        sheet = stage.painted
        assert "F8 F9" in sheet
        assert "x; r n        accept: write it; reject" in sheet
        await pilot.press("escape", "x")
        await until(pilot, lambda: stage.view.hunks == ())


async def test_text_from_outside_is_never_markup_nor_control(tmp_path: Path) -> None:
    name = "[bold]x[/] \u202e.py"
    stage = Stage(tmp_path, files={name: "def load(path):\n    return '\x1b[31m'\n"})
    stage.gate.open()
    async with stage.asked("make [red]load[/red] \x1b[2J better") as pilot:
        await until(pilot, lambda: bool(stage.note) and stage.bar("region").startswith("edits "))
        await pilot.pause()
        screen = stage.painted
        assert "[red]load[/red] ␛[2J" in screen
        assert "[bold]x[/] <U+202E>.py:1-2" in screen
        assert "return '␛[31m'" in screen
        assert "\x1b" not in screen
        assert "\u202e" not in screen


async def test_a_diff_opens_without_reading_style_sheets_or_loading_code(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both would be a good part of its first frame."""
    styled = list[object]()
    async with stage.started():
        assert "textual.scrollbar" in sys.modules
        monkeypatch.setattr(Stylesheet, "update_nodes", lambda _, nodes, **__: styled.extend(nodes))
        stage.main.bench.show(large_turn(1000))
        assert (stage.diff.display, stage.hunks.display) == (True, True)
        stage.main.bench.show(TurnState())
        assert (stage.diff.display, stage.hunks.display) == (False, False)
        assert not styled
