"""Questions that decide something, in plain lines: what is typed at one answers it; what was pasted never does.

The terminal is asked to mark pastes. Where it cannot, a line with more right behind it is a paste, too.
"""

import os
import re
import select
import signal
import sys
import termios
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from spark_tui.cli import output

_ON, _OFF = b"\x1b[?2004h", b"\x1b[?2004l"
_MARK = re.compile("\x1b\\[20[01]~")
_BEGIN = "\x1b[200~"
_GAP_S = 0.05
"""The pieces of a paste follow each other faster than this, keys do not."""
_STALL_S = 5.0
"""How long the rest of a paste is waited for whose end is known to be missing."""


def decide(question: str) -> str | None:
    """Ask, as `output.ask` does; what was typed before, and pastes, are thrown away."""
    if not sys.stdin.isatty():
        return output.ask(question)
    with _pastes_marked():
        _take_rest("")
        while (line := output.ask(question)) is not None:
            if not _take_rest(line) and not _MARK.search(line):
                break
            output.show_line("")  # the echo of a paste may end anywhere
            output.show_line("a paste answers nothing; type the answer")
    return line


def _take_rest(line: str) -> bool:
    """Throw away what is there already, begun lines too, until there is nothing. Returns: whether there was any."""
    settings = termios.tcgetattr(0)
    taken, seen = False, line
    try:
        tty.setcbreak(0, termios.TCSANOW)  # a line that has no end yet can be seen so only
        while select.select([0], [], [], _STALL_S if _is_open(seen) else _GAP_S)[0]:
            if not (piece := os.read(0, 65536)):
                break
            taken, seen = True, (_BEGIN if _is_open(seen) else "") + seen[-5:] + piece.decode("latin-1")
    finally:
        termios.tcsetattr(0, termios.TCSANOW, settings)
    return taken


def _is_open(text: str) -> bool:
    """Whether a paste begins in a text and does not end there."""
    return [*_MARK.findall(text)][-1:] == [_BEGIN]


@contextmanager
def _pastes_marked() -> Iterator[None]:
    """Have the terminal mark what is pasted, if it is one that can; not while spark is suspended."""
    if not sys.stdout.isatty() or os.environ.get("TERM", "dumb") == "dumb":
        yield
        return
    before = signal.getsignal(signal.SIGTSTP)

    def suspend(number: int, _: FrameType | None) -> None:
        os.write(1, _OFF)
        signal.signal(number, before)
        signal.raise_signal(number)
        signal.signal(number, suspend)
        os.write(1, _ON)

    signal.signal(signal.SIGTSTP, suspend)
    try:
        os.write(1, _ON)
        yield
    finally:
        os.write(1, _OFF)
        signal.signal(signal.SIGTSTP, before)
