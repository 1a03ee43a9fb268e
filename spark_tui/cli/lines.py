"""Begins to talk in plain lines: hears the keyboard before anything large is imported, as that takes seconds."""

import signal
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

from spark_tui.cli.keyboard import Keyboard
from spark_tui.config import Settings

if TYPE_CHECKING:
    from spark_tui.session.session import Session


def talk(load: "Callable[[], Session]", settings: Settings, *, prompt: str, resume: str | None, again: bool) -> int:
    """Talk until the user leaves. Args: load: opens the session. prompt, resume, again: as for the screen.

    Returns: the exit code.
    """
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, _end)
    with Keyboard() as keyboard:
        with keyboard.listening():
            from spark_tui.cli.plain import converse

            session = load()
            session.prepare()
        return converse(session, settings, keyboard, prompt=prompt, resume=resume, again=again)


def _end(number: int, _: FrameType | None) -> NoReturn:
    """End as the signal asks, but by the same way out as always."""
    raise SystemExit(128 + number)
