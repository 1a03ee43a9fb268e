"""Keys of one's own: what the screen says of keys is what they are now."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from spark_tui.config import Settings
from spark_tui.session.turn_state import TurnPhase
from spark_tui.tui.app import palette
from spark_tui.tui.keymap import actions_in
from spark_tui.tui.screens.commit import CommitScreen
from spark_tui.tui.screens.undo import TurnScreen
from spark_tui.tui.widgets.prompt import Prompt
from spark_tui.tui.widgets.status_bars import Bar
from tests.tui.support import EDIT, SPLIT, Stage, until

OWN = {
    "hunk.accept": "f3",
    "journal.undo": "f4",
    "journal.redo": "f6",
    "focus.prompt": "f7",
    "line.toggle": "f8",
    "git.commit": "f9",
    "prompt.newline": "f10",
    "interrupt": "ctrl+x",
    "turn.stop": "f5",
    "prompt.search": "ctrl+o",
}


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    stage = Stage(tmp_path, settings=Settings(keys=OWN))
    stage.gate.open()
    yield stage
    stage.close()


async def test_what_is_said_after_a_decision_names_the_keys_of_ones_own(stage: Stage) -> None:
    async with stage.asked(SPLIT) as pilot:
        await until(pilot, lambda: stage.view.phase is TurnPhase.REVIEW)
        await stage.press_later(pilot, "s")
        await until(pilot, lambda: stage.note == "this hunk is one change; F8 takes lines out")
        await pilot.press("f3")
        await until(pilot, lambda: stage.note.endswith("; F4 takes it back"))


async def test_the_question_before_an_undo_and_the_commit_message_take_the_keys_that_are_named(
    stage: Stage,
) -> None:
    async with stage.reviewing(EDIT) as pilot:
        await stage.says(pilot, "takes it back", "f3")
        await stage.to_diff(pilot)
        await stage.opens(pilot, CommitScreen, "f9")
        assert "F10  new line" in stage.app.screen.query_one("#keys", Bar).words
        await pilot.press("f10")
        await until(pilot, lambda: stage.app.screen.query_one(Prompt).text.endswith("\n"))
        await stage.opens(pilot, TurnScreen, "escape", "f4")
        assert stage.app.screen.query_one("#keys", Bar).words.startswith("F4 Enter  take it back")
        await stage.press_later(pilot, "f4")
        await until(pilot, lambda: stage.note.endswith("; F6 redoes it"))


async def test_the_key_that_quits_is_named_as_it_is(stage: Stage) -> None:
    async with stage.started() as pilot:
        await pilot.press("ctrl+x")
        await until(pilot, lambda: stage.note == "Ctrl+X again quits")


async def test_the_palette_names_an_action_that_there_is_and_its_key_as_it_is(stage: Stage) -> None:
    async with stage.started():
        actions = [
            action for _, does, _ in palette(stage.app, stage.main) for action in actions_in(does)
        ]
        assert set(actions) <= set(stage.app.keys.does)
        said = {
            command.title: command.help
            for command in stage.app.get_system_commands(stage.app.screen)
        }
        assert said["Undo"].endswith("(F4)")
        assert said["Quit"] == "leave spark (q in the diff, Ctrl+X twice)"


async def test_the_key_that_searches_goes_on_to_the_next_one_found(stage: Stage) -> None:
    async with stage.started() as pilot:
        stage.prompt.remember("first")
        stage.prompt.remember("second")
        await pilot.press("ctrl+o", "ctrl+o", "enter")
        await until(pilot, lambda: stage.prompt.text == "first")


async def test_an_action_without_a_key_is_done_from_the_palette_and_no_line_names_a_key_for_it(
    tmp_path: Path,
) -> None:
    without = {"journal.undo": "", "hunk.accept": "u"}
    with closing(Stage(tmp_path, settings=Settings(keys=without))) as stage:
        stage.gate.open()
        async with stage.asked(EDIT) as pilot:
            await until(pilot, lambda: stage.view.phase is TurnPhase.REVIEW)
            await stage.press_later(pilot, "a")
            await until(pilot, lambda: stage.prompt.text == "a")  # no key: the begin of words
            await stage.press(pilot, "ctrl+c", "tab", "u")
            await until(pilot, lambda: stage.note.endswith("; /undo takes it back"))
            assert "undo" not in stage.main.query_one("#hints", Bar).words
            said = {
                command.title: command
                for command in stage.app.get_system_commands(stage.app.screen)
            }
            assert said["Undo"].help.endswith("(no key)")
            stage.app.call_later(said["Undo"].callback)
            await until(pilot, lambda: isinstance(stage.app.screen, TurnScreen))
            shown = stage.app.screen
            await until(
                pilot,
                lambda: any(
                    bar.words.startswith("Enter  take it back") for bar in shown.query(Bar)
                ),
            )
            await stage.press_later(pilot, "enter")
            await stage.says(pilot, "redoes it")
