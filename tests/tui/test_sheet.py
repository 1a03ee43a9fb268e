"""The sheet of keys against the table of what every key does in every state: what the one says, the other does."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.widgets import Static

from spark_tui.config import Settings
from spark_tui.tui.app import keymap
from spark_tui.tui.screens.help import LEFT, RIGHT, HelpScreen
from tests.tui.support import Stage, until
from tests.tui.test_every_key import KEYS, MOVES, STATES, TABLE

SECTIONS = {
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
TOLD_ELSEWHERE = {*MOVES, "s", "Y", "g", "Tab", "Shift+Tab", "z", "{", "}", "q", "Ctrl+C", "Ctrl+Z", "Down", "Ctrl+R"}
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


async def test_on_a_narrow_screen_each_key_is_under_its_own_heading(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    async with stage.app.run_test(size=(40, 10)) as pilot:
        await pilot.press("?")
        await until(pilot, lambda: isinstance(stage.app.screen, HelpScreen))
        lines = str(stage.app.screen.query_one("#sheet", Static).content).splitlines()
        told = [line.split()[0] for line in lines if line and line in SECTIONS]
        assert told == [name.split()[0] for name in SECTIONS]
    stage.close()
