"""Whatever a repository, a model or a paste says, no byte of it steers the terminal."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tui.hostile import SEEN_NOWHERE, TEXT
from tests.tui.pseudo import Terminal
from tests.tui.wire import violations

SIZE = (50, 200)


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    terminal = Terminal(sys.executable, "-m", "tests.tui.hostile", str(tmp_path), size=SIZE)
    yield terminal
    terminal.close()


@pytest.mark.xfail(reason="the walk does not know the newer screens yet", strict=False)
def test_only_what_is_allowed_leaves_wherever_hostile_text_is_shown(terminal: Terminal) -> None:
    terminal.until(terminal.shows("model  ready"))
    terminal.press("make load better ")
    terminal.send(b"\x1b[200~" + TEXT.replace("\x1b", "").encode() + b"\x1b[201~")
    terminal.until(terminal.shows("U+E007F"))
    terminal.press("\x03")
    terminal.press("make load better \u202e[bold]\r")
    terminal.until(terminal.shows("model  review"))
    terminal.until(terminal.shows("accepted"), press="a")
    terminal.until(lambda: b"somebody saved" in terminal.raw)
    terminal.press("u")
    terminal.until(terminal.shows("Take back"))
    terminal.until(terminal.shows("took back"), press="\r")
    terminal.press("?")
    terminal.until(terminal.shows("Letters go where"))
    terminal.until(lambda: "Letters go where" not in terminal.text, press="\x1b")
    terminal.until(terminal.shows("Reject all"), press="\x10")
    terminal.until(lambda: "Reject all" not in terminal.text, press="\x1b")
    terminal.press("\x03\x03")  # no more, lest the terminal itself echoes one
    terminal.until(terminal.ended)
    terminal.until_quiet()
    assert terminal.process.returncode == 0, terminal.error()
    assert violations(terminal.raw) == []
    assert [each for each in SEEN_NOWHERE if each in terminal.raw] == []
