"""What screens do again and again, and only as long as they are open."""

from collections.abc import Callable
from typing import Any

from textual.screen import Screen
from textual.timer import Timer


def is_open(screen: Screen[Any]) -> bool:
    """Whether a screen has its widgets: from when it is mounted until it is closed, also under other screens."""
    return screen.is_mounted and screen in screen.app.screen_stack


def every(seconds: float, screen: Screen[Any], do: Callable[[], None]) -> Timer:
    """Do something again and again while a screen is open; a tick may still come when its widgets are gone."""

    def tick() -> None:
        if is_open(screen):
            do()

    return screen.set_interval(seconds, tick)
