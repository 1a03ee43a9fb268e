"""The application: themes, loading, the commands that hold everywhere, and the way out."""

import asyncio
import gc
import signal
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual._context import active_message_pump
from textual.app import SystemCommand
from textual.binding import Binding, BindingType
from textual.css.query import NoMatches
from textual.driver import Driver
from textual.filter import NoColor
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.widgets import Input
from textual.worker import WorkerFailed, active_worker

from spark_tui import signals
from spark_tui.config import Settings, config_dir
from spark_tui.errors import Problems, SparkError, UsageError
from spark_tui.marks import visible
from spark_tui.resources import themes_dir
from spark_tui.tui import syntax
from spark_tui.tui.key_queue import KeyQueue
from spark_tui.tui.keymap import Keymap
from spark_tui.tui.looks import APP_CSS
from spark_tui.tui.overlays import Outside, Overlays
from spark_tui.tui.palette import IN_PALETTE, palette
from spark_tui.tui.screens.help import HelpScreen
from spark_tui.tui.screens.main import MainScreen
from spark_tui.tui.screens.shell import ShellScreen
from spark_tui.tui.screens.small import ROOMY, CoveredApp, SmallScreen
from spark_tui.tui.themes import Themes, read_themes
from spark_tui.tui.widgets.diff import DiffView
from spark_tui.tui.widgets.note import Note
from spark_tui.tui.widgets.prompt import Prompt

if TYPE_CHECKING:
    from spark_tui.session.session import Session
    from spark_tui.tui.desk import Desk

_DEFAULT_THEME = "spark-dark"
_TWICE_S = 2.0
_HANG_UP = 1
_OF_THE_KEYBOARD = (2, 3)
"""SIGINT and SIGQUIT."""


class SparkApp(CoveredApp):
    """The screen of spark.

    Args: load: how to get a session; called in a thread, after the first paint. prompt: typed in, not sent.
        clock: seconds; for tests. outside: what whoever opens the screen tells it.
    """

    TITLE = "spark"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-roomy"), (140, "-wide")]  # noqa: RUF012 - declared so in App
    VERTICAL_BREAKPOINTS = [(0, "-low"), (ROOMY, "-usual"), (36, "-tall")]  # noqa: RUF012 - declared so in App
    CSS = APP_CSS
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "interrupt", "clear the prompt; twice quits", priority=True, show=False, id="interrupt"),
        Binding("ctrl+p", "command_palette", "all commands", priority=True, show=False, id="palette"),
        Binding("ctrl+z", "suspend_process", "suspend", priority=True, show=False, id="suspend"),
        Binding("ctrl+q", "quit", "quit", show=False),
    ]

    def __init__(
        self, load: "Callable[[], Session]", settings: Settings | None = None, *, prompt: str = "",
        clock: Callable[[], float] = time.monotonic, driver_class: type[Driver] | None = None,
        outside: Outside | None = None,
    ) -> None:  # fmt: skip
        self._settings = settings or Settings()
        self.themes = read_themes([themes_dir(), config_dir() / "themes"])
        problems = Problems()
        check_look(self._settings, problems, self.themes)
        problems.tell()
        super().__init__(driver_class=driver_class)
        self._load_session, self._clock = load, clock
        self.keys = keymap(self._settings)
        self.main = MainScreen(prompt, clock, self.keys)
        self._overlays = Overlays(self, self.main, self._settings.pace, outside or Outside())
        self._key_queue = KeyQueue(self)
        self._interrupted_at, self._again = -_TWICE_S, f"{self.keys.key('interrupt')} again quits"
        self._on_terminal = driver_class is not None
        self._painted, self._ended_by = False, 0
        self.failure: BaseException | None = None
        self._use_themes(self._settings.theme)
        if self.no_color:
            self._filters = [NoColor()]
            self.theme = "ansi"
        self.set_keymap(self.keys.for_textual)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """The colours our style sheets name, for themes that do not give them."""
        return self.themes.known[_DEFAULT_THEME].variables

    def get_default_screen(self) -> Screen[None]:
        """The one screen."""
        return self.main

    def on_load(self) -> None:
        """Before the terminal is taken, see that it is given back."""
        if self._on_terminal:
            for number in (signal.SIGINT, *signals.ENDING):
                asyncio.get_running_loop().add_signal_handler(number, self._told_to_end, number)

    def on_mount(self) -> None:
        """Load once the first picture is on the screen."""
        # What is on the terminal after a suspension is not ours.
        self.app_resume_signal.subscribe(self, lambda _: self.refresh(layout=True))
        self.call_after_refresh(self._start_loading)

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """What the palette offers."""
        return (
            SystemCommand(name, self.keys.fill(does, most=1, without="no key"), do)
            for name, does, do in palette(self, self.main)
        )

    def action_help(self) -> None:
        """Show the sheet of keys."""
        self.push_screen(HelpScreen(self.keys))

    def action_stop(self) -> None:
        """Stop the turn, whatever covers it."""
        self.main.action_escape()

    def action_open(self, what: str) -> None:
        """Open a screen around the work, by its name; see `Overlays`."""
        self._overlays.open(what)

    async def action_pace(self, name: str = "") -> None:
        """Show tokens at a pace."""
        await self._overlays.pace(name)

    def action_mouse(self) -> None:
        """Take the mouse, or leave it to the terminal."""
        self._settings = replace(self._settings, mouse=not self._settings.mouse)
        self.use_mouse(self._settings.mouse)
        self.main.say("the mouse is spark's" if self._settings.mouse else "the mouse is the terminal's")

    @on(MainScreen.TurnOver)
    def _on_turn_over(self) -> None:
        if self._settings.bell:
            self.bell()

    async def action_quit(self) -> None:
        """Leave, and say what was not decided."""
        self.exit()

    def action_interrupt(self) -> None:
        """Close what is open on top, else end a search, else clear the prompt, else quit when pressed twice."""
        if isinstance(self.screen, ShellScreen):
            self.screen.action_interrupt()
            return
        if not isinstance(self.screen, MainScreen | SmallScreen):
            self.screen.dismiss()
            return
        prompt, now = self.main.prompt, self._clock()
        if prompt.text or self.main.helping.searching:
            if not self.main.helping.end_search():
                self.main.helping.close()
                prompt.set_text("")
            self._interrupted_at = -_TWICE_S
        elif now - self._interrupted_at < _TWICE_S:
            self.exit()
        else:
            self._interrupted_at = now
            self.main.say(self._again)

    def _told_to_end(self, number: int) -> None:
        """Give the terminal back before ending, as after any other way out, but never while the screen is made."""
        if self.lent and number in _OF_THE_KEYBOARD:
            return
        self._ended_by = number
        if self._painted:
            self.exit(return_code=128 + number)

    def on_terminal_closed(self) -> None:
        """End as the system would have it."""
        self._told_to_end(_HANG_UP)

    def let_go(self) -> None:
        """End what still runs in the engine: a thread that the interpreter's end meets in its midst would abort it."""
        if self.main.desk is not None:
            self.main.desk.close()

    @property
    def last_words(self) -> str:
        """What the user should know once the screen is gone, if anything."""
        left, desk = len(self.main.view.hunks), self.main.desk
        undecided = f"{left} hunk{'s' * (left != 1)} left undecided: none of that was written" if left else ""
        session_id = desk.session.past.session_id if desk and desk.turn else ""
        again = f"`spark -r {session_id}` shows its turns again" if session_id else ""
        return "\n".join(filter(None, [undecided, again]))

    def _use_themes(self, name: str) -> None:
        for theme in self.themes.known.values():
            self.register_theme(theme)
        self.theme = self.themes.check(name)
        for other in set(self.available_themes) - set(self.themes.known):
            self.unregister_theme(other)

    def _start_loading(self) -> None:
        self._painted = True
        if self._ended_by:
            self._told_to_end(self._ended_by)
            return
        if self.themes.broken:
            self.main.say(self.themes.told(), look="warning")
        self.run_worker(self._open_session())

    async def _open_session(self) -> None:
        loop = asyncio.get_running_loop()
        # Leaving waits for the loop's own threads, and compiling takes long.
        loading = ThreadPoolExecutor(1, "loading")
        try:
            desk = await loop.run_in_executor(loading, self._make_desk)
            self.main.open(desk)
            if self._settings.pace != "real":
                await self._overlays.take_pace(desk, self._settings.pace)
            await self._overlays.opened()
            await loop.run_in_executor(loading, _settle, desk.session)
            await self._overlays.tell_uncommitted()
        except SparkError as e:
            self.failure = e
            self.exit(return_code=e.exit_code)
        finally:
            loading.shutdown(wait=False)

    def _make_desk(self) -> "Desk":
        session = self._load_session()
        syntax.load()
        import textual.scrollbar  # noqa: F401, PLC0415 - the first diff must not wait for it, nor the first paint

        from spark_tui.tui.desk import Desk  # noqa: PLC0415 - pulls in the engine, which the first paint must not wait for

        return Desk(session, self._settings)

    def _handle_exception(self, error: Exception) -> None:
        """Keep the error for `run` to raise, where Textual would print a traceback over the user's terminal.

        What ends while its screen is taken down finds no widget to show itself in, and that is no error.
        """
        cause = error.error if isinstance(error, WorkerFailed) else error
        worker = active_worker.get(None)
        node = worker.node if worker else active_message_pump.get(None)
        if isinstance(cause, NoMatches) and (not self.is_running or _is_gone(node)):
            return
        self.failure = self.failure or cause
        super()._handle_exception(error)

    async def on_event(self, event: events.Event) -> None:
        """Keys act one after the other; what is pasted into Textual's own fields has its marks, as everywhere."""
        if self._key_queue.holds(event):
            return
        if self.main.preparing.takes(event):
            return
        if isinstance(event, events.Key | events.Paste | events.MouseDown):
            self._go_on_after_interrupt(event)
        if isinstance(event, events.Paste) and isinstance(self.focused, Input):
            event.text = "\n".join(map(visible, event.text.splitlines()))
        await super().on_event(event)

    def _go_on_after_interrupt(self, event: events.Event) -> None:
        """Whoever does something else meant Ctrl+C for what was there then: the next one does not quit."""
        if not (isinstance(event, events.Key) and event.key in self.keys.keys("interrupt")):
            self._interrupted_at = -_TWICE_S
            if self.main.is_mounted and self.main.query_one(Note).words == self._again:
                self.main.say("")

    def bell(self) -> None:
        """Ring by the way there is out to the terminal."""
        ring: Callable[[], None] = getattr(self._driver, "ring", super().bell)
        ring()

    def _set_pointer_shape(self, shape: str) -> None:
        """Leave the mouse pointer as it is: what shapes it is nothing that may leave; see `output_filter`."""

    def _fatal_error(self) -> None:
        self._close_messages_no_wait()


def _is_gone(node: MessagePump | None) -> bool:
    """Whether it belongs to a screen that was closed, perhaps before it had opened."""
    while node is not None and not isinstance(node, Screen):
        node = node._parent
    return node is not None and node not in node.app.screen_stack


def check_look(settings: Settings, problems: Problems, themes: Themes | None = None) -> None:
    """See what is wrong with the user's own keys and theme. Args: problems: takes it. themes: those there are."""
    keymap(settings, problems)
    with problems.collected():
        known = themes or read_themes([themes_dir(), config_dir() / "themes"])
        try:
            known.check(settings.theme)
        except UsageError as e:
            raise UsageError(f"{settings.sources.get('theme', 'theme')}: {e}") from e


def keymap(settings: Settings, problems: Problems | None = None) -> Keymap:
    """The keys in force. Args: problems: as of `Keymap`. Raises: UsageError: what is wrong with the user's own."""
    bindings = {"app": SparkApp.BINDINGS, "main": MainScreen.BINDINGS, "diff": DiffView.BINDINGS}
    return Keymap(
        bindings | {"prompt": Prompt.BINDINGS},
        settings.keys,
        settings.sources,
        problems,
        optional=IN_PALETTE,
        edits={"main": Prompt.edit_keys(), "prompt": {"enter"}},
    )


def _settle(session: "Session") -> None:
    """Load what only a turn needs; then look for garbage again, if nobody did so far, but only in what comes from now.

    To look through all that a start makes would hold up a key for 100 ms.
    """
    session.prepare()
    session.models.load_passes()
    if not gc.isenabled():
        gc.freeze()
        gc.enable()
