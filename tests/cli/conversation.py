"""What the tests of plain lines share: a conversation on a terminal, and how it is answered."""

import re
from collections.abc import Callable

from tests.tui.pseudo import Terminal
from tests.tui.wire import left_on

Begin = Callable[..., Terminal]
PASTE, END = "\x1b[200~", "\x1b[201~"


def only_pastes_are_asked_for(terminal: Terminal) -> bool:
    """Whether nothing was sent that steers the terminal but to have pastes marked, and no
    longer at the end.
    """
    terminal.until_quiet()
    on = set() if terminal.ended() else {"?2004"}
    return (
        b"\x1b" not in re.sub(rb"\x1b\[\?2004[hl]", b"", terminal.raw)
        and left_on(terminal.raw) == on
    )


def answer(terminal: Terminal, question: str, line: str, said: str = "") -> None:
    """Wait for a question that was not answered yet, and answer it.

    Args:
        said: What is to be seen then.
    """
    terminal.until(lambda: terminal.text.rstrip().endswith(question))
    before = len(terminal.raw)
    terminal.press(f"{line}\n", until=lambda: b"\n" in terminal.raw[before:])
    terminal.until(terminal.shows(said))
