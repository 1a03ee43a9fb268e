"""NO_COLOR on a real terminal: not one colour is sent, in any state of the screen."""

import re
import sys
from pathlib import Path

import pytest

from tests.tui.pseudo import Terminal
from tests.tui.support import HUSH

_STYLES = re.compile(rb"\x1b\[([0-9;]*)m")
_WITHOUT_COLOUR = {0, 1, 2, 3, 4, 7, 9, 22, 23, 24, 27, 29, 39, 49}
"""Weights, underlines, reverse, and the terminal's own two colours."""


def colours(raw: bytes) -> set[int]:
    """The parameters of styles that name a colour."""
    sent = {int(each or b"0") for found in _STYLES.findall(raw) for each in found.split(b";")}
    return sent - _WITHOUT_COLOUR


@pytest.mark.parametrize("no_color", ["1", None])
def test_only_with_no_color_nothing_is_coloured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_color: str | None
) -> None:
    if no_color is None:
        monkeypatch.delenv("NO_COLOR", raising=False)
    else:
        monkeypatch.setenv("NO_COLOR", no_color)
    terminal = Terminal(sys.executable, "-m", "tests.tui.on_a_terminal", str(tmp_path))
    try:
        terminal.until(terminal.says("ready"))
        terminal.press(HUSH + "\r")
        terminal.until(terminal.says("review"))
        terminal.until_quiet(0.3)  # what comes at once is text
        terminal.press("?")
        terminal.until(terminal.shows("Paused"))
        terminal.press("\x1b")
        terminal.until(lambda: "Paused" not in terminal.text)
        terminal.press("\x10")
        terminal.until(terminal.shows("Search for commands"))
    finally:
        terminal.close()
    assert bool(colours(terminal.raw)) is (no_color is None)
