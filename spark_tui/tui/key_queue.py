"""Keys and pastes one by one: each acts before the next is sent to where the focus then is."""

import asyncio
from collections import deque
from collections.abc import Sequence
from contextlib import suppress

from textual import events
from textual.app import App
from textual.message_pump import MessagePump

_PATIENCE_S = 1.0


class KeyQueue:
    """Holds back what the user typed behind a key that still acts.

    Textual sends a key to what has the focus when it comes, and acts on it later: a letter right behind Esc would be a
    key of the diff that Esc leaves, and accept a hunk.
    """

    def __init__(self, app: App[None]) -> None:
        self._app = app
        self._waiting: deque[events.Key | events.Paste] = deque()
        self._next: events.Event | None = None
        self._acting: asyncio.Task[None] | None = None

    def holds(self, event: events.Event) -> bool:
        """Whether this has to wait: it comes again when it may act. What comes after it then waits for it."""
        if not isinstance(event, events.Key | events.Paste) or event.is_forwarded:
            return False
        if self._acting is not None and event is not self._next:
            self._waiting.append(event)
            return True
        focused: MessagePump = self._app.focused or self._app.screen
        self._acting = asyncio.create_task(self._let_act([focused, *focused.ancestors]))  # type: ignore[attr-defined]
        return False

    async def _let_act(self, hearers: Sequence[MessagePump]) -> None:
        """Wait until all that could hear of a key have heard all of it; then send the next, whatever happened."""
        try:
            with suppress(TimeoutError):  # of a screen that is gone nothing is heard
                async with asyncio.timeout(_PATIENCE_S):
                    for hearer in (*hearers, *hearers):  # what it said on its way up is to be heard, too
                        await _heard_all(hearer)
        finally:
            self._next = self._waiting.popleft() if self._waiting else None
            if self._next is None:
                self._acting = None
            else:
                self._app.post_message(self._next)


async def _heard_all(hearer: MessagePump) -> None:
    heard = asyncio.Event()
    if not _is_idle(hearer) and hearer.call_later(heard.set):
        await heard.wait()


def _is_idle(pump: MessagePump) -> bool:
    """Whether it heard all and waits for more. To ask it with a message takes two turns of a loop that may be busy."""
    ready: asyncio.Event = pump._message_queue.ready_event
    return not ready.is_set() and bool(getattr(ready, "_waiters", ()))  # of asyncio's own; without it, ask
