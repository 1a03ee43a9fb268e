"""The terminals of a Mac: Terminal.app has no keys of kitty's, iTerm2 only where it is told to."""

import re
from pathlib import Path

import pytest

from spark_tui.config import Settings
from spark_tui.tui.app import keymap
from tests.tui.keyboards import legacy
from tests.tui.test_every_key import accept_and_undo, enter
from tests.tui.walking import Seen, User

NAMED = {"escape", "enter", "tab", "backspace", "space", "up", "down", "left", "right", "delete"}
NAMED |= {"home", "end", "pageup", "pagedown", "shift+tab", "alt+enter"}
SENT = re.compile(r"f([1-9]|1[0-2])|ctrl\+[a-z]|[a-zA-Z]|[a-z]+(_[a-z]+)+|slash|comma|minus|tilde")
"""What a keyboard without the protocol sends beside these: no Ctrl+Enter, no Super."""
TAKEN = {"ctrl+i", "ctrl+m", "ctrl+h"}
"""What is Tab, Enter and Backspace there."""


def is_sent(key: str) -> bool:
    return key in NAMED or (SENT.fullmatch(key) is not None and key not in TAKEN)


def test_every_action_has_a_key_that_a_terminal_without_the_protocol_sends() -> None:
    keys = keymap(Settings())

    for action in keys.does:
        pressed = [key for key in keys.keys(action) if key]
        sent = [key for key in pressed if is_sent(key)]
        assert sent or not pressed or action in keys.optional, (action, pressed)


@pytest.mark.parametrize("program", ["Apple_Terminal", "iTerm.app"])
def test_a_mac_s_terminal_that_answers_nothing_writes_accepts_undoes_and_gets_its_modes_back(
    program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM_PROGRAM", program)
    user = User(tmp_path, legacy)
    try:
        user.until(Seen())
        accept_and_undo(user)
        enter(user, "review")
        user.press("q", "q")
        user.terminal.until(user.terminal.ended)
        assert user.terminal.after == user.terminal.before
        assert user.seen().file == "old"
    finally:
        user.close()
