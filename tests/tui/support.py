"""A stage for the screen: a real session on a model that writes a known script, held still at
any token.
"""

import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from textual.app import App
from textual.notifications import Notification
from textual.pilot import Pilot
from textual.screen import Screen
from textual.strip import Strip

from spark_tui.config import Settings
from spark_tui.session.controller import Controller
from spark_tui.session.events import Status
from spark_tui.session.session import Session
from spark_tui.session.turn import Turn
from spark_tui.session.turn_state import TurnPhase, TurnState
from spark_tui.session.turn_store import SessionStore
from spark_tui.tui.app import Outside, SparkApp
from spark_tui.tui.screens.main import MainScreen
from spark_tui.tui.screens.undo import TurnScreen
from spark_tui.tui.widgets.diff_view import DiffView
from spark_tui.tui.widgets.hunk_list import HunkList
from spark_tui.tui.widgets.message_line import Note
from spark_tui.tui.widgets.prompt import Prompt
from spark_tui.tui.widgets.status_bars import Bar
from tests.expenses import (
    AFTER,
    BEFORE,
    BETTER,
    EDIT,
    FILES,
    HUSH,
    LOAD,
    QUIET,
    RENAME,
    SCRIPTS,
    SPLIT,
    STORE,
    TWO_HUNKS,
    WIDEN,
    WIDER,
)
from tests.fakes import proposed, scripted_session
from tests.providers.quoting_models import Script

__all__ = [  # what tests of the screen ask for is here, too
    "AFTER",
    "BEFORE",
    "BETTER",
    "EDIT",
    "FILES",
    "HUSH",
    "LOAD",
    "QUIET",
    "RENAME",
    "SCRIPTS",
    "SPLIT",
    "STORE",
    "TWO_HUNKS",
    "WIDEN",
    "WIDER",
]
Opened = TypeVar("Opened", bound=Screen[Any])
P = ParamSpec("P")


class Gate:
    """Holds the engine before each token until it is let through."""

    def __init__(self) -> None:
        self._steps = threading.Semaphore(0)
        self._open = threading.Event()
        self._errors: deque[Exception] = deque()
        self.holds = False
        """Whether the engine waits for leave."""
        self.passes = 0
        """How many passes it was given leave for."""

    def __call__(self) -> None:
        """Wait for leave; the engine calls this in its own thread."""
        if not self._open.is_set():
            self.holds = True
            self._steps.acquire()
            self.holds = False
            self.passes += 1
        if self._errors:
            raise self._errors.popleft()

    def fail(self, *errors: Exception) -> None:
        """Let the next passes fail, one after the other."""
        self._errors.extend(errors)

    def let(self, tokens: int) -> None:
        """Let so many tokens through."""
        for _ in range(tokens):
            self._steps.release()

    def open(self) -> None:
        """Let everything through from now on."""
        self._open.set()
        self._steps.release()

    def shut(self) -> None:
        """Hold again what comes next, with no leave left over; for when no turn runs."""
        self._open.clear()
        while self._steps.acquire(blocking=False):
            pass


class Stage:
    """A repository with one file, an app on it, and shortcuts to what the app shows."""

    def __init__(
        self,
        folder: Path,
        *,
        prompt: str = "",
        scripts: Mapping[str, Script] = SCRIPTS,
        files: Mapping[str, str | bytes] | None = None,
        settings: Settings | None = None,
        ready: Callable[[], object] = lambda: None,
        outside: Outside | None = None,
        sessions: SessionStore | None = None,
    ) -> None:
        self.gate = Gate()
        self.now, self.words = 100.0, SPLIT
        self.session: Session = scripted_session(
            folder, files or FILES, scripts, self.gate, sessions
        )
        self.file = self.session.repo.root / "store.py"
        self._ready = ready
        self.on_close: Callable[[], object] = lambda: None
        self.app = SparkApp(
            self._load, settings, prompt=prompt, clock=lambda: self.now, outside=outside
        )

    def _load(self) -> Session:
        self._ready()
        return self.session

    @property
    def main(self) -> MainScreen:
        screen = self.app.get_default_screen()
        assert isinstance(screen, MainScreen)
        return screen

    @property
    def view(self) -> TurnState:
        return self.main.view

    @property
    def prompt(self) -> Prompt:
        return self.main.prompt

    @property
    def diff(self) -> DiffView:
        return self.main.bench.diff

    @property
    def hunks(self) -> HunkList:
        return self.main.query_one(HunkList)

    @property
    def note(self) -> str:
        return self.main.query_one(Note).words

    def bar(self, name: str) -> str:
        """The words of one of the lines: title, region, hints or meters."""
        return self.main.query_one(f"#{name}", Bar).words

    @property
    def seen(self) -> int:
        """How many tokens of the turn the screen knows of."""
        return self.view.figures.tokens

    async def step_until(self, pilot: Pilot[None], reached: Callable[[], bool]) -> None:
        """Let single passes through, each only when the screen has shown the one before, until
        something is so.

        What leaves the model no choice comes without a pass, so a pass may bring several tokens.
        """
        await until(pilot, lambda: self.still)
        while not reached():
            assert not self._is_over, "the turn ended before"
            passes = self.gate.passes
            self.gate.let(1)
            await until(pilot, lambda passes=passes: self.gate.passes > passes and self.still)  # type: ignore[misc]

    @property
    def still(self) -> bool:
        """Whether the engine waits for leave or is done, and the screen has all that it wrote."""
        turn = self.session.turn
        halts = turn is not None and (self.gate.holds or self._is_over)
        return halts and turn is not None and self.seen == turn.timing.generated_tokens

    @property
    def _is_over(self) -> bool:
        return self.session.turn is not None and self.session.turn.status is not Status.RUNNING

    def close(self) -> None:
        """Let the engine go, whatever is left running."""
        self.on_close()
        self.gate.open()
        self.session.runner.cancel(self.session.runner.turn_id)
        assert self.session.runner.wait(10)

    @property
    def controller(self) -> Controller:
        assert self.main.controller is not None
        return self.main.controller

    @property
    def asked_turn(self) -> Turn:
        assert self.session.turn is not None
        return self.session.turn

    @asynccontextmanager
    async def started(self, size: tuple[int, int] = (80, 24)) -> AsyncIterator[Pilot[None]]:
        """The screen with its session, closed at the end."""
        try:
            async with self.app.run_test(size=size) as pilot:
                await self.ready(pilot)
                yield pilot
                assert strips(self.app)  # whatever it ends with can be painted
        finally:
            self.close()

    @asynccontextmanager
    async def asked(
        self, words: str, size: tuple[int, int] = (80, 24)
    ) -> AsyncIterator[Pilot[None]]:
        """The same, and these words sent."""
        async with self.started(size) as pilot:
            await self.ask(pilot, words)
            yield pilot

    @asynccontextmanager
    async def reviewing(
        self, words: str = "", size: tuple[int, int] = (80, 24)
    ) -> AsyncIterator[Pilot[None]]:
        """The same, and a whole turn gone by."""
        async with self.started(size) as pilot:
            await self.review(pilot, words)
            yield pilot

    @asynccontextmanager
    async def after(
        self,
        step: Callable[Concatenate["Stage", Pilot[None], P], Awaitable[object]],
        *args: P.args,
        **given: P.kwargs,
    ) -> AsyncIterator[Pilot[None]]:
        """The same, and a step gone that tests have in common."""
        async with self.started() as pilot:
            await step(self, pilot, *args, **given)
            yield pilot

    async def ready(self, pilot: Pilot[None]) -> None:
        """Wait for the session to be there."""
        await until(pilot, lambda: self.main.controller is not None)

    async def ask(self, pilot: Pilot[None], words: str) -> None:
        """Send these words."""
        await self.ready(pilot)
        self.prompt.set_text(words)
        await pilot.press("enter")

    async def review(self, pilot: Pilot[None], words: str = "") -> None:
        """Let a whole turn go by.

        Args:
            words: "": the usual ones.
        """
        self.gate.open()
        await self.ask(pilot, words or self.words)
        await until(pilot, lambda: self.view.phase is TurnPhase.REVIEW and self.diff.has_focus)
        self.later()

    async def turn(self, pilot: Pilot[None], key: str) -> None:
        """Undo or redo: see what it will do, and do it with the same key."""
        await self.press(pilot, key)
        await until(pilot, lambda: isinstance(self.app.screen, TurnScreen))
        self.later()
        await pilot.press(key)
        await until(pilot, lambda: not isinstance(self.app.screen, TurnScreen))

    async def to_diff(self, pilot: Pilot[None]) -> None:
        """Go to where letters are keys."""
        if self.main.focused is self.prompt:
            await pilot.press("tab")
            await until(pilot, lambda: self.diff.has_focus)

    async def opens(self, pilot: Pilot[None], screen: type[Opened], *keys: str) -> Opened:
        """Press keys, and wait for the screen that they open."""
        await self.press(pilot, *keys)
        await until(pilot, lambda: isinstance(self.app.screen, screen))
        assert isinstance(self.app.screen, screen)
        return self.app.screen

    async def closes(self, pilot: Pilot[None], *keys: str) -> None:
        """Press keys, and wait for all that lay over the main screen to be gone."""
        await pilot.press(*keys)
        await until(pilot, lambda: self.app.screen is self.main)

    async def says(self, pilot: Pilot[None], words: str, *keys: str) -> None:
        """Press keys, if any are given, and wait for these words in the note."""
        await self.press(pilot, *keys)
        await until(pilot, lambda: words in self.note)

    async def until_painted(self, pilot: Pilot[None], *words: str) -> None:
        """Wait until all of these words can be read on the screen."""
        await until(pilot, lambda: all(each in self.painted for each in words))

    async def press_later(self, pilot: Pilot[None], *keys: str) -> None:
        """Press keys once nothing is too new to be decided about."""
        self.later()
        await self.press(pilot, *keys)

    async def decides(self, pilot: Pilot[None], *keys: str, left: int = 0) -> None:
        """Press keys that decide about hunks, and wait until that is done.

        Args:
            left: How many are open then.
        """
        await self.press_later(pilot, *keys)
        await until(pilot, lambda: len(self.view.hunks) == left and not self.main.busy)

    async def press(self, pilot: Pilot[None], *keys: str) -> None:
        """Press keys; where nothing is open, one of the diff is pressed there."""
        if (
            self.app.screen is self.main
            and keys[:1] in {("u",), ("c",), ("ctrl+r",)}
            and not self.prompt.text
        ):
            await self.to_diff(pilot)
        await pilot.press(*keys)

    @property
    def proposed(self) -> str:
        """The file as the turn would have it."""
        return proposed(self.asked_turn)

    @property
    def painted(self) -> str:
        """What can be read on the screen."""
        return "\n".join(strip.text for strip in strips(self.app))

    def later(self, seconds: float = 2.0) -> None:
        """Let the clock run on until nothing is too new to be decided about, and the focus is
        where one knows it.
        """
        self.now += seconds


def strips(app: App[None]) -> list[Strip]:
    """The lines of the screen in front, painted; Textual shows them to nobody but a terminal."""
    return app.screen._compositor.render_strips()  # noqa: SLF001


def notifications(app: App[None]) -> list[Notification]:
    """What is shown over the screen for a while; Textual has no other way to ask for these."""
    return list(app._notifications)  # noqa: SLF001


async def until(pilot: Pilot[None], reached: Callable[[], bool]) -> None:
    """Let the app work until something is so, and every screen holds what it is made of."""
    deadline = time.monotonic() + 20
    while not (all(screen.is_mounted for screen in pilot.app.screen_stack) and reached()):
        assert time.monotonic() < deadline, "it never came to that"
        await pilot.pause(0.002)
