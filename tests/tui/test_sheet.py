"""The sheet of keys against the table of what every key does in every state: what the one says,
the other does.
"""

from collections.abc import Iterator

import pytest
from textual.widgets import Static

from spark_tui.config import Settings
from spark_tui.tui.app import keymap
from spark_tui.tui.keymap import actions_in
from spark_tui.tui.screens.help import LEFT, LISTS, LOOKING_BACK, RIGHT, HelpScreen
from spark_tui.tui.screens.token_scrubber import LookBackScreen
from spark_tui.tui.widgets.status_bars import Bar
from tests.tui.support import Stage
from tests.tui.test_every_key import KEYS, MOVES, STATES, TABLE

SECTIONS = {
    "How to ask": ("ready, words", "writing"),
    "While it writes": ("begun", "writing"),
    "Paused": ("paused",),
    "Prompt": ("ready", "ready, words", "review, in the prompt"),
    "Diff": ("writing, in the diff", "paused, in the diff", "review", "done"),
    "Anywhere": tuple(STATES),
}
BEGINS = (("Prompt", "/"), ("Prompt", "!"))
"""Text that means something at the start of the prompt."""
WHOLE = ("While it writes", "Paused")
"""Sections of one state: every key of theirs means something there."""
TOLD_ELSEWHERE = {
    *MOVES,
    "s",
    "Y",
    "g",
    "Tab",
    "Shift+Tab",
    "z",
    "{",
    "}",
    "q",
    "Ctrl+C",
    "Ctrl+Z",
    "Down",
    "Ctrl+R",
}
"""Keys that the table leaves to other tests, or that need more to be there than its states have."""


def on_sheet() -> Iterator[tuple[str, str]]:
    """Every key of the sheet, with its section."""
    keys = keymap(Settings())
    for column in (LEFT, RIGHT):
        section = ""
        for press, does in column:
            section = section if does else press or section
            for key in keys.fill(press).split() if does else ():
                if key in KEYS and key not in TOLD_ELSEWHERE:
                    yield section, key


def means(state: str, key: str) -> bool:
    """Whether a key does more in a state than to be text."""
    change = TABLE[state].get(key, {})
    return bool(change) and change.get("prompt") != "+" + key.replace("Space", " ")


@pytest.mark.parametrize(("section", "key"), [*dict.fromkeys(on_sheet())])
def test_a_key_on_the_sheet_does_something_where_it_says(section: str, key: str) -> None:
    found = [means(state, key) or (section, key) in BEGINS for state in SECTIONS[section]]
    assert all(found) if section in WHOLE else any(found)


@pytest.mark.parametrize("section", [*WHOLE, "Diff"])
def test_every_key_that_does_something_is_in_its_section_or_works_anywhere(section: str) -> None:
    told = {key for where, key in on_sheet() if where in (section, "Anywhere", "Prompt")}
    known = {key for state in SECTIONS[section] for key in TABLE[state] if means(state, key)}
    assert known - TOLD_ELSEWHERE <= told


def shown(stage: Stage) -> list[str]:
    """The sheet from top to bottom, however much of it there is room for."""
    return str(stage.app.screen.query_one("#sheet", Static).content).splitlines()


def test_every_action_has_a_line_on_the_sheet() -> None:
    lines = (*LEFT, *RIGHT, *LOOKING_BACK, *LISTS)
    assert set(keymap(Settings()).does) == {
        action for press, _ in lines for action in actions_in(press)
    }


async def test_every_key_of_looking_back_stands_on_the_sheet(stage: Stage) -> None:
    async with stage.reviewing(size=(120, 40)) as pilot:
        await stage.opens(pilot, LookBackScreen, "comma")
        keys = [
            piece.text
            for piece in stage.app.screen.query_one("#hints", Bar).left
            if piece.look == "key"
        ]
        told = {
            key.rstrip(";")
            for press, _ in LOOKING_BACK
            for key in stage.app.keys.fill(press).split()
        }
        assert {key for each in keys if each != "type" for key in each.split()} <= told


async def test_every_key_stands_on_the_sheet_which_says_how_to_close_it_and_can_be_read_to_its_end(
    stage: Stage,
) -> None:
    known = keymap(Settings())
    async with stage.app.run_test(size=(40, 10)) as pilot:
        await stage.opens(pilot, HelpScreen, "?")
        told = [line.split()[0] for line in shown(stage) if line and line in SECTIONS]
        assert told == [name.split()[0] for name in SECTIONS], (
            "on a narrow screen each key is under its own heading"
        )
        pressed = {word.rstrip(";") for each in shown(stage) for word in each.split()}
        missing = {
            action: key
            for action in known.does
            for key in known.shown(action).split()
            if key not in pressed
        }
        assert not missing
        for size in ((40, 10), (80, 24), (120, 40)):
            await pilot.resize_terminal(*size)
            await pilot.press("end")
            await pilot.wait_for_scheduled_animations()
            rows = stage.painted.split("\n")
            assert any("Esc ? q Enter close" in row for row in rows)
            assert any(f"{LISTS[-1][0]}" in row and LISTS[-1][1] in row for row in rows)
