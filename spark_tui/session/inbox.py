"""What the engine's thread reports, kept until a front end takes it."""

import time
from collections import deque
from dataclasses import dataclass

from spark_tui.session.events import Event, Held, HunkUpdated, Token
from spark_tui.session.turn import Turn

_STAND_BACK_EVERY_S = 0.004
_STAND_BACK_S = 0.00005
"""How often, and for how long, the engine's thread lets the interface run."""


@dataclass(frozen=True, slots=True)
class Began:
    """A turn was made, and runs from here on.

    Attributes:
        branch: How git stands.
    """

    turn: Turn
    branch: str


@dataclass(frozen=True, slots=True)
class Over:
    """The turn gives no more events; `error` is what ended it, or None."""

    error: Exception | None


@dataclass(frozen=True, slots=True)
class Failed:
    """The provider failed at a token, and the turn is held there; `problem` says why, in words."""

    problem: str


Report = Event | Began | Failed | Over


class Inbox:
    """The reports of a turn that were not taken yet. Mutable.

    Items come in on the engine's thread and are taken on the interface's. Whoever puts something in
    also stands back for a moment now and then: on a single processor, or beside code that holds
    Python's lock, the interface would otherwise wait until the system takes the processor away.
    """

    def __init__(self) -> None:
        # Two threads use its ends without a lock, which a deque allows.
        self._items: deque[Report] = deque()
        self._stood_back_at = 0.0

    def put(self, item: Report) -> None:
        """Add a report; an empty `Held`, which only lets the turn be stopped, is dropped."""
        if item == Held(""):
            return
        self._items.append(item)
        now = time.perf_counter()
        if now - self._stood_back_at > _STAND_BACK_EVERY_S:
            time.sleep(_STAND_BACK_S)
            self._stood_back_at = time.perf_counter()

    def take_first(self) -> Report | None:
        """Take the oldest item, if there is one."""
        return self._items.popleft() if self._items else None

    def take(self) -> list[Report]:
        """Take everything that was reported since the last time.

        A hunk update that a newer one replaces, before anything looks at it, is left out.
        """
        # As many as there are now: the engine goes on, and the interface must come to an end.
        items = [self._items.popleft() for _ in range(len(self._items))]
        kept: list[Report] = []
        is_replaced = False
        # From the newest to the oldest: an update is dropped where a newer one follows with nothing
        # but tokens in between, which do not look at the hunks.
        for item in reversed(items):
            is_update = isinstance(item, HunkUpdated)
            if not (is_update and is_replaced):
                kept.append(item)
            is_replaced = is_update or (is_replaced and isinstance(item, Token))
        return kept[::-1]
