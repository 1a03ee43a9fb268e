"""From 1x1 to 400x120: nothing breaks, everything fits, and below 40x10 one line says why there is nothing."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from textual.events import Paste
from textual.pilot import Pilot
from textual.screen import ModalScreen

from spark_tui.tui.app import SparkApp
from spark_tui.tui.screens.help import HelpScreen
from spark_tui.tui.screens.small import SmallScreen
from spark_tui.tui.screens.undo_preview import TurnScreen
from spark_tui.tui.view import Phase
from spark_tui.tui.widgets.bar import Keys
from spark_tui.tui.widgets.completion import Completion
from tests.tui.scenes import SCENES, stage_for
from tests.tui.support import EDIT, HUSH, Stage, until

SIZES = [(1, 1), (2, 2), (5, 3), (39, 24), (80, 9), (40, 10), (60, 15), (80, 24), (1, 120), (400, 1), (200, 60)]
SIZES += [(400, 120), (80, 24)]
"""One after the other: what breaks a screen is often the way from one to the next."""
OPEN: dict[str, Callable[[SparkApp], object]] = {
    "main": lambda _: None,
    "help": SparkApp.action_help,
    "log": SparkApp.action_log,
    "resume": SparkApp.action_resume,
    "report": SparkApp.action_report,
    "settings": SparkApp.action_settings,
    "doctor": SparkApp.action_doctor,
    "palette": SparkApp.action_command_palette,
}

SHEETS = ("commit", "commit_hindered", "consent", "clash", "conflict", "undo_shown", "asked_why", "report", "welcome")


def is_covered(stage: Stage, wanted: bool) -> bool:
    return isinstance(stage.app.screen, SmallScreen) is wanted


def shown(stage: Stage) -> list[str]:
    return [strip.text for strip in stage.app.screen._compositor.render_strips()]


async def reviewed(stage: Stage, pilot: Pilot[None]) -> None:
    stage.gate.open()
    await until(pilot, lambda: stage.main.desk is not None)
    stage.prompt.set_text(EDIT)
    await pilot.press("enter")
    await until(pilot, lambda: stage.view.phase is Phase.REVIEW)


@pytest.mark.parametrize("name", OPEN)
async def test_every_screen_goes_through_every_size(stage: Stage, name: str) -> None:
    async with stage.app.run_test(size=(80, 24)) as pilot:
        await reviewed(stage, pilot)
        OPEN[name](stage.app)
        await pilot.pause()
        for width, height in SIZES:
            await pilot.resize_terminal(width, height)
            await until(pilot, partial(is_covered, stage, width < 40 or height < 10))
            await pilot.pause()
            lines = shown(stage)
            assert len(lines) == height
            assert {len(line) for line in lines} == {width} or not all(map(str.isascii, lines))
        assert len(stage.app.screen_stack) == 1 + (name != "main")


@pytest.mark.parametrize("size", [(1, 1), (20, 5), (39, 10), (40, 9)])
async def test_a_start_in_a_terminal_that_is_too_small_says_so(stage: Stage, size: tuple[int, int]) -> None:
    async with stage.app.run_test(size=size) as pilot:
        await until(pilot, lambda: isinstance(stage.app.screen, SmallScreen))
        await pilot.pause()
        assert "toosmall"[: size[0]] in "".join("".join(shown(stage)).split())


async def test_an_edit_can_be_read_and_decided_at_40x10(stage: Stage) -> None:
    async with stage.app.run_test(size=(40, 10)) as pilot:
        stage.gate.open()
        await until(pilot, lambda: stage.main.desk is not None)
        await pilot.press(*(("space" if letter == " " else letter) for letter in HUSH), "enter")
        await until(pilot, lambda: stage.diff.has_focus)
        await pilot.pause()
        text = "\n".join(shown(stage))
        assert '-     print("loaded"' in text
        assert "a accept  r reject" in text
        stage.later()
        await pilot.press("a")
        await until(pilot, lambda: not stage.view.hunks and not stage.main.busy)


@pytest.mark.parametrize("size", [(40, 10), (40, 14), (80, 12)])
async def test_what_an_undo_changes_and_its_keys_are_seen_however_low_it_is(
    stage: Stage, size: tuple[int, int]
) -> None:
    async with stage.app.run_test(size=(80, 24)) as pilot:
        await reviewed(stage, pilot)
        stage.later()
        await pilot.press("a")
        await until(pilot, lambda: not stage.view.hunks and not stage.main.busy)
        await pilot.resize_terminal(*size)
        await pilot.press("u")
        await until(pilot, lambda: isinstance(stage.app.screen, TurnScreen))
        await pilot.pause()
        text = "\n".join(shown(stage))
        assert "store.py  +" in text
        assert "-    with open(path" in text
        assert "u Enter take it back  Esc leave it" in text
        while "+    f.close()" not in text:
            before = text
            await pilot.press("pagedown")
            await pilot.pause()
            text = "\n".join(shown(stage))
            assert text != before


@pytest.mark.parametrize("scene", ["commit", "commit_warned", "commit_hindered", "asked_why", "clash", "conflict"])
async def test_every_key_of_a_sheet_is_told_in_whole_words_however_small_it_is(tmp_path: Path, scene: str) -> None:
    stage = stage_for(scene, tmp_path)
    async with stage.app.run_test(size=(80, 24)) as pilot:
        await SCENES[scene](stage, pilot)
        for size in ((40, 10), (60, 15), (80, 24), (120, 40), (200, 60)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            told, known = "\n".join(shown(stage)), stage.app.screen.query_one(Keys).left
            assert all(f"{key.text}{does.text}" in told for key, does in zip(known[::2], known[1::2], strict=True))
    stage.close()


async def test_a_list_leaves_room_for_the_prompt_and_its_keys_however_low_it_is(stage: Stage) -> None:
    async with stage.app.run_test(size=(40, 10)) as pilot:
        await until(pilot, lambda: stage.main.desk is not None)
        await pilot.press("/")
        await until(pilot, lambda: stage.main.query_one(Completion).is_open)
        await pilot.pause()
        text = "\n".join(shown(stage))
        assert "› /" in text
        assert "Tab take  Up Down choose  Esc close" in text


@pytest.mark.parametrize(("columns", "least"), [(110, 110), (139, 139), (140, 97), (200, 150)])
async def test_the_diff_gets_most_of_the_width(stage: Stage, columns: int, least: int) -> None:
    async with stage.app.run_test(size=(columns, 40)) as pilot:
        await reviewed(stage, pilot)
        await pilot.pause()
        assert stage.diff.size.width >= least - 1
        assert stage.hunks.size.width == columns or stage.hunks.size.width <= 42


async def test_esc_stops_the_turn_and_nothing_is_decided_while_it_is_too_small(stage: Stage) -> None:
    async with stage.app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: stage.main.desk is not None)
        stage.prompt.set_text(EDIT)
        await pilot.press("enter")
        await stage.step_until(pilot, lambda: stage.seen >= 3)
        await pilot.resize_terminal(20, 5)
        await until(pilot, lambda: isinstance(stage.app.screen, SmallScreen))
        await pilot.press("a", "escape")
        stage.gate.let(1)
        await until(pilot, lambda: stage.view.phase is Phase.PAUSED)
        await pilot.resize_terminal(80, 24)
        await until(pilot, lambda: stage.app.screen is stage.main)


async def test_where_it_is_too_small_no_key_decides_and_the_screen_says_so(stage: Stage) -> None:
    async with stage.app.run_test(size=(80, 24)) as pilot:
        await reviewed(stage, pilot)
        stage.later()
        hunks, before = stage.view.hunks, stage.file.read_bytes()
        await pilot.resize_terminal(39, 24)
        await until(pilot, partial(is_covered, stage, True))
        for key in ("a", "A", "r", "u", "c", "ctrl+r", "ctrl+p", "enter"):
            await pilot.press(key)
            words = "kept in the prompt" if len(key) == 1 else "nothing is sent or decided"
            await until(pilot, lambda words=words: words in "".join(shown(stage)))  # type: ignore[misc]
            assert is_covered(stage, True)
        for words in ("the prompt is empty now", "again quits"):
            await pilot.press("ctrl+c")
            await until(pilot, lambda words=words: words in "".join(shown(stage)))  # type: ignore[misc]
        await pilot.resize_terminal(80, 24)
        await until(pilot, lambda: stage.app.screen is stage.main)
        assert (stage.view.hunks, stage.file.read_bytes()) == (hunks, before)


async def test_what_is_typed_where_it_is_too_small_is_in_the_prompt_once_there_is_room(stage: Stage) -> None:
    async with stage.app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: stage.main.desk is not None)
        await pilot.press("d", "o")
        await pilot.resize_terminal(20, 5)
        await until(pilot, partial(is_covered, stage, True))
        await pilot.press("space", "i", "s", "backspace", "t", "enter")
        stage.app.post_message(Paste(" now"))
        await pilot.press("?")
        await pilot.resize_terminal(80, 24)
        await until(pilot, lambda: stage.app.screen is stage.main)
        assert (stage.prompt.text, stage.prompt.has_focus) == ("do it now?", True)
        assert stage.session.turn is None


async def test_what_opens_by_itself_where_it_is_too_small_is_there_once_there_is_room(stage: Stage) -> None:
    async with stage.app.run_test(size=(20, 5)) as pilot:
        await until(pilot, partial(is_covered, stage, True))
        stage.app.action_help()
        await pilot.pause()
        assert is_covered(stage, True)
        await pilot.resize_terminal(80, 24)
        await until(pilot, lambda: isinstance(stage.app.screen, HelpScreen))
        await pilot.press("escape")
        await until(pilot, lambda: stage.app.screen is stage.main)


@pytest.mark.parametrize("scene", [*SHEETS, "keys", "shell"])
async def test_beside_a_sheet_there_is_no_rest_of_lines_where_it_is_narrow(tmp_path: Path, scene: str) -> None:
    stage = stage_for(scene, tmp_path)
    async with stage.app.run_test(size=(80, 24)) as pilot:
        await SCENES[scene](stage, pilot)
        await pilot.pause()
        assert isinstance(stage.app.screen, ModalScreen)
        sheet = stage.app.screen.children[0]
        assert (sheet.region.x, sheet.region.width) == (0, 80)
    stage.close()
