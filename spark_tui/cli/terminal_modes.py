"""Changes the settings of the terminal on stdin as plain lines need them, and restores them."""

import signal
import sys
import termios
from typing import Any

from spark_tui import windows

if sys.platform == "win32":
    raise ImportError(windows.ADVICE)

SUSPEND: signal.Signals = signal.SIGTSTP
"""The signal that Ctrl+Z sends."""


def current() -> list[Any]:
    """The settings as they are."""
    return termios.tcgetattr(0)


def shows_keys(settings: list[Any]) -> bool:
    """Whether the terminal shows what is typed."""
    return bool(settings[3] & termios.ECHO)


def take_keys() -> None:
    """Have keys come as they are pressed, and not shown; Ctrl+C leaves what is unread."""
    settings = termios.tcgetattr(0)
    # termios gives a list: 3 are the local modes, 6 the control characters. A read returns as soon
    # as there is one byte.
    settings[3] = settings[3] & ~(termios.ICANON | termios.ECHO) | termios.NOFLSH
    settings[6][termios.VMIN] = 1
    settings[6][termios.VTIME] = 0
    termios.tcsetattr(0, termios.TCSANOW, settings)


def restore(settings: list[Any], *, drop_unread: bool) -> None:
    """Set what was read before.

    Args:
        drop_unread: Whether input that was typed and not read is thrown away.
    """
    when = termios.TCSAFLUSH if drop_unread else termios.TCSANOW
    termios.tcsetattr(0, when, settings)
