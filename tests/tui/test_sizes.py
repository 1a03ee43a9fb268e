"""From 1x1 to 400x120: nothing breaks, everything fits, and below 40x10 one line says why there
is nothing.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from textual.screen import ModalScreen

from spark_tui.session.turn_state import TurnPhase
from spark_tui.tui.app import SparkApp
from spark_tui.tui.screens.help import HelpScreen
from spark_tui.tui.screens.modals import SmallScreen
from spark_tui.tui.screens.undo import TurnScreen
from spark_tui.tui.widgets.completion import Completion
from spark_tui.tui.widgets.status_bars import KeyHints
from tests.tui.scenes import SCENES, stage_for
from tests.tui.support import EDIT, HUSH, Stage, until

SIZES = [(1, 1), (39, 24), (80, 9), (40, 10), (1, 120), (400, 120), (60, 15), (80, 24)]
"""One after the other: what breaks a screen is often the way from one to the next."""
OPEN: dict[str, Callable[[SparkApp], object]] = {
    "main": lambda _: None,
    "help": SparkApp.action_help,
    "log": lambda app: app.action_show_log(),
    "resume": lambda app: app.action_show_turns(),
    "doctor": lambda app: app.action_show_doctor(),
    "palette": SparkApp.action_command_palette,
}


def is_covered(stage: Stage, wanted: bool) -> bool:
    return isinstance(stage.app.screen, SmallScreen) is wanted


def is_open(stage: Stage, wanted: bool) -> bool:
    return (len(stage.app.screen_stack) > 1) is wanted


def columns_of_sheet(stage: Stage) -> tuple[int, int]:
    """The first column of the sheet in front, and how many it has."""
    assert isinstance(stage.app.screen, ModalScreen)
    region = stage.app.screen.children[0].region
    return region.x, region.width


async def test_every_screen_goes_through_every_size(stage: Stage) -> None:
    async with stage.reviewing(EDIT, size=(80, 24)) as pilot:
        for name, open_it in OPEN.items():
            open_it(stage.app)
            await until(pilot, partial(is_open, stage, name != "main"))
            for width, height in SIZES:
                await pilot.resize_terminal(width, height)
                await until(pilot, partial(is_covered, stage, width < 40 or height < 10))
                await pilot.pause()
                lines = stage.painted.split("\n")
                assert len(lines) == height
                assert {len(line) for line in lines} == {width} or not all(map(str.isascii, lines))
            assert len(stage.app.screen_stack) == 1 + (name != "main")
            await pilot.press(*(["escape"] if name != "main" else []))
            await until(pilot, partial(is_open, stage, False))


async def test_a_start_in_a_terminal_that_is_too_small_says_so(stage: Stage) -> None:
    async with stage.app.run_test(size=(40, 9)) as pilot:
        for size in ((40, 9), (39, 10), (20, 5), (1, 1)):
            await pilot.resize_terminal(*size)
            await until(pilot, lambda: isinstance(stage.app.screen, SmallScreen))
            await pilot.pause()
            assert "toosmall"[: size[0]] in "".join("".join(stage.painted.split("\n")).split())


async def test_an_edit_can_be_read_and_decided_at_40x10(stage: Stage) -> None:
    async with stage.app.run_test(size=(40, 10)) as pilot:
        stage.gate.open()
        await stage.ready(pilot)
        await pilot.press(*HUSH, "enter")
        await until(pilot, lambda: stage.diff.has_focus)
        await pilot.pause()
        text = stage.painted
        assert '-     print("loaded"' in text
        assert "a accept  r reject" in text
        await stage.decides(pilot, "a")


async def test_what_an_undo_changes_and_its_keys_are_seen_however_low_it_is(stage: Stage) -> None:
    async with stage.reviewing(EDIT, size=(80, 24)) as pilot:
        await stage.decides(pilot, "a")
        for size in ((40, 10), (80, 12)):
            await pilot.resize_terminal(*size)
            await stage.opens(pilot, TurnScreen, "u")
            await pilot.pause()
            text = stage.painted
            assert "store.py  +" in text
            assert "-    with open(path" in text
            assert "u Enter take it back  Esc leave it" in text
            while "+    f.close()" not in text:
                before = text
                await pilot.press("pagedown")
                await pilot.pause()
                text = stage.painted
                assert text != before
            await pilot.press("escape")


@pytest.mark.parametrize(
    "scene", ["commit", "commit_warned", "commit_hindered", "asked_why", "clash", "conflict"]
)
async def test_a_sheet_is_as_wide_as_it_can_be_and_every_key_is_told_in_whole_words(
    tmp_path: Path, scene: str
) -> None:
    stage = stage_for(scene, tmp_path)
    async with stage.after(SCENES[scene]) as pilot:
        await pilot.pause()
        assert columns_of_sheet(stage) == (0, 80)
        for size in ((40, 10), (60, 15), (120, 40)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            told, known = stage.painted, stage.app.screen.query_one(KeyHints).left
            assert all(
                f"{key.text}{does.text}" in told
                for key, does in zip(known[::2], known[1::2], strict=True)
            )


async def test_a_list_leaves_room_for_the_prompt_and_its_keys_however_low_it_is(
    stage: Stage,
) -> None:
    async with stage.started(size=(40, 10)) as pilot:
        await pilot.press("/")
        await until(pilot, lambda: stage.main.query_one(Completion).is_open)
        await pilot.pause()
        text = stage.painted
        assert "› /" in text
        assert "Tab take  Up Down choose  Esc close" in text


async def test_the_diff_gets_most_of_the_width(stage: Stage) -> None:
    async with stage.reviewing(EDIT, size=(110, 40)) as pilot:
        for columns, least in ((110, 110), (139, 139), (140, 97), (200, 150)):
            await pilot.resize_terminal(columns, 40)
            await pilot.pause()
            assert stage.diff.size.width >= least - 1
            assert stage.hunks.size.width == columns or stage.hunks.size.width <= 42


async def test_esc_stops_the_turn_and_nothing_is_decided_while_it_is_too_small(
    stage: Stage,
) -> None:
    async with stage.asked(EDIT, size=(80, 24)) as pilot:
        await stage.step_until(pilot, lambda: stage.seen >= 3)
        await pilot.resize_terminal(20, 5)
        await until(pilot, lambda: isinstance(stage.app.screen, SmallScreen))
        before = stage.file.read_bytes()
        await pilot.press("a", "escape")
        stage.gate.let(1)
        await until(pilot, lambda: stage.view.phase is TurnPhase.READY)
        assert (stage.view.hunks, stage.file.read_bytes()) == ((), before)
        await pilot.resize_terminal(80, 24)
        await until(pilot, lambda: stage.app.screen is stage.main)


async def test_where_it_is_too_small_no_key_decides(stage: Stage) -> None:
    async with stage.reviewing(EDIT, size=(80, 24)) as pilot:
        hunks, before = stage.view.hunks, stage.file.read_bytes()
        await pilot.resize_terminal(39, 24)
        await until(pilot, partial(is_covered, stage, True))
        for key in ("a", "A", "r", "u", "c", "ctrl+r", "ctrl+p", "enter"):
            await pilot.press(key)
            await pilot.pause()
            assert is_covered(stage, True)
        await pilot.resize_terminal(80, 24)
        await until(pilot, lambda: stage.app.screen is stage.main)
        assert (stage.view.hunks, stage.file.read_bytes()) == (hunks, before)
        assert stage.prompt.text == "aAruc", "what is typed is text, to be seen when there is room"


async def test_what_opens_by_itself_where_it_is_too_small_is_there_once_there_is_room(
    stage: Stage,
) -> None:
    async with stage.app.run_test(size=(20, 5)) as pilot:
        await until(pilot, partial(is_covered, stage, True))
        stage.app.action_help()
        await pilot.pause()
        assert is_covered(stage, True)
        await pilot.resize_terminal(80, 24)
        await until(pilot, lambda: isinstance(stage.app.screen, HelpScreen))
        await stage.closes(pilot, "escape")


@pytest.mark.parametrize("scene", ["consent", "undo_shown", "keys", "shell"])
async def test_beside_a_sheet_there_is_no_rest_of_lines_where_it_is_narrow(
    tmp_path: Path, scene: str
) -> None:
    stage = stage_for(scene, tmp_path)
    async with stage.after(SCENES[scene]) as pilot:
        await pilot.pause()
        assert columns_of_sheet(stage) == (0, 80)
