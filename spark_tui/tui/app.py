"""The Textual application: startup, loading, the command palette, overlays, and the way out.

`run` opens the screen and stays until the user leaves. `SparkApp` owns what holds everywhere:
themes, keys, signals, mouse and bell. `Overlays` opens the screens around the work (log, earlier
turns, findings, wafer). `COMMANDS` is the table of the palette: add a command there.

The first paint waits for nothing that only a turn needs, so several imports stand inside functions.
"""

import asyncio
import gc
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, ClassVar, cast

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

from spark_tui import system
from spark_tui.config import Settings, config_dir
from spark_tui.errors import Problems, SparkError, UsageError
from spark_tui.mentions import at_place, mention
from spark_tui.resources import themes_dir
from spark_tui.safe_text import visible
from spark_tui.session.turn_state import IN_TURN
from spark_tui.tui.driver import KeyQueue, SparkDriver, gil_priority
from spark_tui.tui.keymap import Keymap, actions_in
from spark_tui.tui.screens.help import HelpScreen
from spark_tui.tui.screens.host import Host
from spark_tui.tui.screens.main import MainScreen
from spark_tui.tui.screens.modals import ROOMY, CoveredApp, SmallScreen
from spark_tui.tui.screens.shell import ShellScreen
from spark_tui.tui.themes import APP_CSS, Themes, read_themes
from spark_tui.tui.widgets import highlight
from spark_tui.tui.widgets.diff_view import DiffView
from spark_tui.tui.widgets.message_line import Note
from spark_tui.tui.widgets.prompt import Prompt

if TYPE_CHECKING:
    from spark_tui.session.change_review import ReviewSource
    from spark_tui.session.controller import Controller
    from spark_tui.session.history import EarlierTurn
    from spark_tui.session.session import Session
    from spark_tui.session.wafer import WaferView
    from spark_tui.tui.watchdog import Watchdog


@dataclass(frozen=True, slots=True)
class Outside:
    """What the command line asks of the screen.

    Args:
        doctor: Returns the findings, one a line.
        resume: Show earlier turns: those of the session whose id begins so, or "" for all.
        again: Bring back the words of the last turn.
        notices: Messages about loading, put there by the thread that loads.
        review: A change to review, which needs no model; the session loads its model later.
    """

    doctor: Callable[[], Sequence[str]] = tuple
    resume: str | None = None
    again: bool = False
    notices: "SimpleQueue[str]" = field(default_factory=SimpleQueue)
    review: "ReviewSource | None" = None


class Overlays:
    """Opens the screens around the work over `app`.

    Each screen's module is imported when the screen is first asked for: the first paint waits for
    none of them.
    """

    def __init__(self, app: CoveredApp, main: MainScreen, pace: str, outside: Outside) -> None:
        self._app = app
        self._main = main
        self._pace = pace
        self._outside = outside
        self._wafer: WaferView | None = None

    @property
    def _controller(self) -> "Controller | None":
        controller = self._main.controller
        if controller is None:
            self._main.say("the model is being loaded")
        return controller

    async def opened(self) -> None:
        """Go back to earlier turns once the session is loaded, if the user asked for that.

        Otherwise offer the words of a turn that a crash cut off.
        """
        if self._outside.review is not None:
            return
        if self._outside.resume is not None:
            self.resume(self._outside.resume)
        elif self._outside.again and (controller := self._controller) is not None:
            with self._main.reported_errors():
                turns = await asyncio.to_thread(controller.session.past.turns)
                last = turns[0] if turns else None
                self._continue_with(last)
        elif (controller := self._controller) is not None:
            main = self._main
            turn = await asyncio.to_thread(controller.session.past.cut_off)
            if turn and controller.turn is None and not main.prompt.text:
                place = mention(turn.path, lines=(turn.start_line, turn.end_line))
                main.prompt.offer(at_place(turn.instruction, place, controller.file_named))
                main.say("spark ended during this turn; Enter sends it again, typing replaces it")
                main.paint_words()

    async def tell_uncommitted(self) -> None:
        """Say how many earlier accepted edits are not committed, if the user is idle."""
        main = self._main
        if (controller := main.controller) is None:
            return
        past = controller.session.past
        staging = controller.session.staging
        try:
            async with main.disk:
                count = await asyncio.to_thread(lambda: staging.find_earlier() if past.log() else 0)
        except SparkError:  # /commit reports the same error
            return
        # Idle: no other screen on top, no turn, no message shown, no words in the prompt.
        is_idle = main.is_current and not main.busy and controller.turn is None
        if not (count and is_idle and main.shows_message("") and not main.prompt.text):
            return
        if count > 1:
            main.say(f"{count} accepted edits are not committed: /commit offers them")
        else:
            main.say("an accepted edit is not committed: /commit offers it")

    def show_log(self) -> None:
        """Show what was accepted, undone and redone."""
        if (controller := self._controller) is None:
            return
        from spark_tui.tui.screens.history import LogScreen  # noqa: PLC0415 - see the class

        self._app.push_screen(
            LogScreen(controller, self._main, self._main.journal, self._main.pending)
        )

    def resume(self, session_id: str = "") -> None:
        """Show earlier turns.

        Args:
            session_id: Show only the turns of this session; "" for those of all.
        """
        if (controller := self._controller) is None:
            return
        from spark_tui.tui.screens.history import ResumeScreen  # noqa: PLC0415 - see the class

        self._app.push_screen(ResumeScreen(controller, session_id), self._bring_back)

    def show_doctor(self) -> None:
        """Show what is installed, and what to do about what is missing."""
        from spark_tui.tui.screens.history import DoctorScreen  # noqa: PLC0415 - see the class

        self._app.push_screen(DoctorScreen(self._outside.doctor))

    def show_wafer(self) -> None:
        """Show the simulated wafer."""
        if (controller := self._controller) is not None:
            self._app.run_worker(self._open_wafer(controller))

    async def _open_wafer(self, controller: "Controller") -> None:
        # The simulator, which few turns need.
        from spark_tui.session.wafer import WaferView  # noqa: PLC0415
        from spark_tui.tui.screens.wafer import WaferScreen  # noqa: PLC0415 - see the class

        with self._main.reported_errors():
            loaded = await asyncio.to_thread(lambda: controller.session.loaded)
            pace = controller.pacer.pace
            wafer = self._wafer
            # A view is worked out once for a model and a pace, and kept for the next time.
            if wafer is None or wafer.loaded.path != loaded.path or wafer.pace != pace:
                wafer = WaferView(loaded, pace)
                self._wafer = wafer
            self._app.push_screen(WaferScreen(wafer, controller))

    async def pace(self, name: str = "") -> None:
        """Show tokens at a pace; without a name, say which pace is in force."""
        if not name:
            self._main.say(
                f"the pace is {self._pace}; /pace NAME takes real, tokens a second, or a device"
            )
        elif (controller := self._controller) is not None:
            with self._main.reported_errors():
                await self.take_pace(controller, name)

    async def take_pace(self, controller: "Controller", name: str) -> None:
        """Show tokens at this pace from now on.

        Raises:
            UsageError: There is no pace of this name.
        """
        # The simulator, which few turns need.
        from spark_tui.session.pace import pace_for  # noqa: PLC0415

        controller.pacer.pace = await asyncio.to_thread(
            lambda: pace_for(name, controller.session.loaded)
        )
        self._pace = name
        self._main.paint_words()

    def _continue_with(self, last: "EarlierTurn | None") -> None:
        """Bring the last turn back, but never over what the user wrote or sent during loading."""
        from spark_tui.tui.screens.history import describe_turn  # noqa: PLC0415 - see the class

        main = self._main
        if last is None:
            main.say("there is no earlier turn here to continue")
        elif main.prompt.text:
            main.say(
                f"{describe_turn(last)}; what you typed stays, /resume brings those words back"
            )
        elif not main.is_starting and (main.controller is None or main.controller.turn is None):
            self._bring_back(last)

    def _bring_back(self, earlier: "EarlierTurn | None") -> None:
        """Offer the words of an earlier turn.

        What stands in the prompt goes to the history first, as the latest instruction sent.
        """
        if earlier is None:
            return
        from spark_tui.tui.screens.history import describe_turn  # noqa: PLC0415 - see the class

        main = self._main
        main.prompt.remember(main.prompt.full)
        main.prompt.offer(earlier.turn.instruction)
        main.prompt.focus()
        main.say(f"{describe_turn(earlier)}; typing replaces the words, an arrow key keeps them")
        main.paint_words()


# The palette.

Command = tuple[str, str, Callable[[], object]]
"""A name, what the command does (with {id} for the key of an action), and how to do it."""

COMMANDS = (
    ("Keys", "every key and what it does ({help})", "app.help"),
    ("Accept", "write the selected hunk to its file ({hunk.accept})", "main.accept_hunk"),
    ("Reject", "reject the selected hunk ({hunk.reject})", "main.reject_hunk"),
    ("Accept all", "write every finished hunk of the file ({all.accept})", "main.accept_file"),
    (
        "Reject all",
        "reject every finished hunk of the file ({all.reject})",
        "main.reject_file",
    ),
    (
        "Accept all files",
        "write every finished hunk of all files ({files.accept})",
        "main.accept_files",
    ),
    ("Look back", "by tokens, and branch ({token.back})", "main.look_back('back')"),
    ("Uncertain", "the next uncertain token ({token.unsure})", "main.look_back('unsure')"),
    ("Two sides", "unified or side by side ({view.sides})", "diff.beside"),
    ("Fold", "fold the hunk, or open it ({hunk.fold})", "diff.fold"),
    ("Rename", "a new name in all Python files ({symbol.rename})", "main.rename"),
    ("Undo", "take back what was accepted or rejected last ({journal.undo})", "main.undo"),
    ("Redo", "redo what was undone last ({journal.redo})", "main.redo"),
    ("Commit", "stage and commit what was accepted ({git.commit})", "main.commit"),
    ("Split", "cut the hunk finer, then whole again ({hunk.split})", "main.split_hunk"),
    ("Line", "take the line out of its hunk, or in ({line.toggle})", "main.toggle_line"),
    ("Edit", "write the proposed text anew ({hunk.edit})", "main.edit_hunk"),
    ("Editor", "the same in your editor ({hunk.editor})", "main.edit_outside"),
    ("Variation", "show another answer ({variation.next} in the diff)", "main.show_answer(1)"),
    ("Again", "ask for the hunk again, with a reason ({hunk.again})", "main.ask_again"),
    ("Fix", "ask for a fix of what failed: the check, or a !command ({check.fix})", "main.fix"),
    ("Copy patch", "the whole turn, to the clipboard ({patch.copy})", "main.copy_patch"),
    ("Save patch", "the whole turn, to a file", "main.save_patch"),
    ("Pause", "stop at the token; again: drop the unfinished ({turn.stop})", "main.escape"),
    ("History", "search what was sent before ({prompt.search} in the prompt)", "main.search"),
    ("Place", "choose the place that the instruction is about ({prompt.places})", "main.places"),
    ("Clear", "clear the last turn off the screen (/clear)", "main.clear"),
    ("Tasks", "what works by itself, and what came of it (/tasks)", "main.show_tasks"),
    ("Log", "what was accepted here; take it back from there (/log)", "app.show_log"),
    ("Earlier turns", "bring the words of one back (/resume)", "app.show_turns"),
    ("Doctor", "what is installed and what is missing (/doctor)", "app.show_doctor"),
    (
        "Wafer",
        "the simulated wafer, a mesh at work on the turn's tokens ({wafer})",
        "app.show_wafer",
    ),
    ("Meters", "show what is measured, or hide it (/meters)", "main.meters"),
    ("Pace", "how fast tokens are shown: as a wafer or a GPU would (/pace)", "app.pace"),
    ("Mouse", "take the mouse, or leave it to the terminal", "app.mouse"),
    ("Theme", "choose the theme (/theme)", "main.choose_theme"),
    ("Quit", "leave spark ({quit} in the diff, {interrupt} twice)", "app.quit"),
)
"""The commands of the palette: a name, what it does, and an action.

An action belongs to the application, the main screen or the diff.
"""

_DOES = " ".join(does for _, does, _ in COMMANDS)
IN_PALETTE = frozenset(actions_in(_DOES)) - {"interrupt"}
"""The actions that the palette offers, which can do without a key.

Only the key of `interrupt` ends what a program holds up.
"""


def palette(app: CoveredApp, main: Host) -> Iterator[Command]:
    """Yield the commands of the palette, each bound to its action."""
    for name, does, action in COMMANDS:
        yield name, does, partial(_do, app, main, action)


async def _do(app: CoveredApp, main: Host, action: str) -> None:
    """Run the action on its owner (application, main screen or diff), whatever covers the owner."""
    owner, _, name = action.partition(".")
    if owner == "app":
        await app.run_action(action)
    elif owner == "diff":
        await app.run_action(name, main.bench.diff)
    else:
        await app.run_action(name, main)


# The application.

_DEFAULT_THEME = "spark-dark"
_INPUTS = (
    events.Key,
    events.Paste,
    events.MouseDown,
    events.MouseScrollDown,
    events.MouseScrollUp,
)
"""Events that show that the user is at work on what the screen shows."""
_TWICE_S = 2.0
"""How soon a second Ctrl+C has to follow the first one to quit."""
_FRAME_S = 1 / 60
_NOTICE_SECONDS = 0.1
"""How often the screen looks for messages about loading."""
_HANG_UP = 1
_OF_THE_KEYBOARD = (2, 3)
"""SIGINT and SIGQUIT."""


class SparkApp(CoveredApp):
    """The screen of spark.

    Args:
        load: Makes the session; called in a thread, after the first paint.
        prompt: Words to type in without sending them.
        clock: Seconds; for tests.
        outside: What the command line asks of the screen.
    """

    TITLE = "spark"
    # The class of the screen from so many columns, or rows, on. Declared so in App.
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-roomy"), (140, "-wide")]  # noqa: RUF012
    # Declared so in App.
    VERTICAL_BREAKPOINTS = [(0, "-low"), (ROOMY, "-usual"), (36, "-tall")]  # noqa: RUF012
    CSS = APP_CSS
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "ctrl+c",
            "interrupt",
            "clear the prompt; twice quits",
            priority=True,
            show=False,
            id="interrupt",
        ),
        Binding(
            "ctrl+p", "command_palette", "all commands", priority=True, show=False, id="palette"
        ),
        Binding("ctrl+z", "suspend_process", "suspend", priority=True, show=False, id="suspend"),
        Binding("ctrl+q", "quit", "quit", show=False),
    ]

    def __init__(
        self,
        load: "Callable[[], Session]",
        settings: Settings | None = None,
        *,
        prompt: str = "",
        clock: Callable[[], float] = time.monotonic,
        driver_class: type[Driver] | None = None,
        outside: Outside | None = None,
    ) -> None:
        self._settings = settings or Settings()
        # A wrong key or theme is reported before Textual starts, while the terminal is the shell's.
        self.themes = read_themes([themes_dir(), config_dir() / "themes"])
        problems = Problems()
        check_look(self._settings, problems, self.themes)
        problems.tell()
        super().__init__(driver_class=driver_class)
        self._load_session = load
        self._clock = clock
        self.keys = keymap(self._settings)
        self.main = MainScreen(prompt, clock, self.keys)
        self.main.shows_meters = self._settings.meters
        outside = outside or Outside()
        self._notices = outside.notices
        self._review = outside.review
        self._overlays = Overlays(self, self.main, self._settings.pace, outside)
        self._key_queue = KeyQueue(self)
        self._interrupted_at = -_TWICE_S
        """When Ctrl+C was pressed last, unless other input came since."""
        self._again = ""
        """The message that told last how to quit."""
        # Tests bring no driver: the signals of their process stay as they are.
        self._on_terminal = driver_class is not None
        self._painted = False
        self._ended_by = 0
        """The number of the signal that ends the app; 0 for none."""
        self.failure: BaseException | None = None
        self._use_themes(self._settings.theme)
        # NO_COLOR is set, which asks programs to add no color: https://no-color.org
        if self.no_color:
            self._filters = [NoColor()]
            self.theme = "ansi"
        self.set_keymap(self.keys.for_textual)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """The colors our style sheets name, for themes that do not give them."""
        return self.themes.known[_DEFAULT_THEME].variables

    def get_default_screen(self) -> Screen[None]:
        """The one screen."""
        return self.main

    def on_load(self) -> None:
        """Handle signals that end spark, before it takes the terminal, so that it is given back."""
        if self._on_terminal:
            for number in (signal.SIGINT, *system.ENDING):
                asyncio.get_running_loop().add_signal_handler(number, self._told_to_end, number)

    def on_mount(self) -> None:
        """Load once the first picture is on the screen."""
        # Another program has drawn on the terminal meanwhile.
        self.app_resume_signal.subscribe(self, lambda _: self.refresh(layout=True))
        self.call_after_refresh(self._start_loading)

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """The commands of the palette."""
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

    def action_show_log(self) -> None:
        """Show what was accepted, undone and redone."""
        self._overlays.show_log()

    def action_show_turns(self) -> None:
        """Show earlier turns."""
        self._overlays.resume()

    def action_show_doctor(self) -> None:
        """Show what is installed, and what is missing."""
        self._overlays.show_doctor()

    def action_show_wafer(self) -> None:
        """Show the simulated wafer."""
        self._overlays.show_wafer()

    async def action_pace(self, name: str = "") -> None:
        """Show tokens at a pace."""
        await self._overlays.pace(name)

    def action_mouse(self) -> None:
        """Take the mouse, or leave it to the terminal."""
        self._settings = replace(self._settings, mouse=not self._settings.mouse)
        self.use_mouse(self._settings.mouse)
        owner = "spark's" if self._settings.mouse else "the terminal's"
        self.main.say(f"the mouse is {owner}")

    @on(MainScreen.TurnOver)
    def _on_turn_over(self) -> None:
        if self._settings.bell:
            self.bell()

    async def action_quit(self) -> None:
        """Leave, and say what was not decided."""
        self.exit()

    def action_interrupt(self) -> None:
        """Close the topmost screen, else end a search or clear the prompt, else quit.

        Quitting takes a second press within `_TWICE_S`.
        """
        if isinstance(self.screen, ShellScreen):
            self.screen.action_interrupt()
            return
        if not isinstance(self.screen, MainScreen | SmallScreen):
            self.screen.dismiss()
            return
        prompt = self.main.prompt
        now = self._clock()
        if prompt.text or self.main.completion.searching:
            # This press did something, so it is not the first of the two that quit.
            if not self.main.completion.end_search():
                self.main.completion.close()
                prompt.set_text("")
            self._interrupted_at = -_TWICE_S
        elif now - self._interrupted_at < _TWICE_S:
            self.exit()
        else:
            self._interrupted_at = now
            self._again = self.main.words_of_leaving(self.keys.key("interrupt"))
            self.main.say(self._again)

    def _told_to_end(self, number: int) -> None:
        """Leave because of a signal: the terminal is given back first, as after any other way out.

        While the first picture is still being made, the app only remembers the signal.
        """
        # A program that has the terminal for a while gets these signals, too, and they are meant
        # for it.
        if self.lent and number in _OF_THE_KEYBOARD:
            return
        self._ended_by = number
        if self._painted:
            # The exit code that a shell reports for a process ended by this signal.
            self.exit(return_code=128 + number)

    def on_terminal_closed(self) -> None:
        """End as on SIGHUP: the terminal is gone."""
        self._told_to_end(_HANG_UP)

    def let_go(self) -> None:
        """End what still runs in the engine.

        A thread that is still running when the interpreter ends would abort the process.
        """
        if self.main.controller is not None:
            self.main.tasks.close()
            self.main.controller.close()

    @property
    def last_words(self) -> str:
        """The last words to the user, once the screen is gone, or ""."""
        lines = []
        left = len(self.main.view.hunks)
        controller = self.main.controller
        if left and controller and controller.turn:
            hunks = f"{left} hunk{'s' * (left != 1)}"
            lines.append(f"{hunks} left undecided: {controller.turn.undecided}")
        if controller and controller.turn and (session_id := controller.session.past.session_id):
            lines.append(f"`spark -r {session_id}` shows its turns again")
        lines += self.main.tasks.last_words
        return "\n".join(lines)

    def _use_themes(self, name: str) -> None:
        for theme in self.themes.known.values():
            self.register_theme(theme)
        # Switch before Textual's own themes go: one of these is in force until here.
        self.theme = self.themes.check(name)
        for other in set(self.available_themes) - set(self.themes.known):
            self.unregister_theme(other)

    def _start_loading(self) -> None:
        self._painted = True
        if self._ended_by:
            self._told_to_end(self._ended_by)
            return
        if self.themes.broken:
            self.main.say(self.themes.describe_broken(), look="warning")
        self.run_worker(self._open_session())

    async def _open_session(self) -> None:
        loop = asyncio.get_running_loop()
        # An executor of its own: asyncio waits for the threads of its default one when the loop is
        # closed, and the engine compiles for seconds.
        loading = ThreadPoolExecutor(1, "loading")
        notices = self.set_interval(_NOTICE_SECONDS, self._show_notices)
        try:
            # The session first, because the screen opens with it; what only a turn needs comes
            # after that.
            controller = await loop.run_in_executor(loading, self._make_controller)
            notices.stop()
            self.main.open(controller)
            self.main.query_one(Note).look_again()
            if self._review is not None:
                await self._open_review(controller, self._review, loading)
                return
            if self._settings.pace != "real":
                await self._overlays.take_pace(controller, self._settings.pace)
            await self._overlays.opened()
            await loop.run_in_executor(loading, _settle, controller.session)
            await self._overlays.tell_uncommitted()
        except SparkError as e:
            self.failure = e
            self.exit(return_code=e.exit_code)
        finally:
            loading.shutdown(wait=False)

    async def _open_review(
        self, controller: "Controller", source: "ReviewSource", loading: ThreadPoolExecutor
    ) -> None:
        """Open a review, and load the model meanwhile; without one the review goes on."""
        words = f"review {source.name}"
        self.main.commands.begin_review(controller, source, words)
        while self.main.busy or self.main.view.phase in IN_TURN:
            await asyncio.sleep(_FRAME_S)  # the review is not held up by what loads
        try:
            await asyncio.get_running_loop().run_in_executor(loading, _settle, controller.session)
        except SparkError as e:
            self.main.say(f"{e}; the review needs no model", look="warning", stays=True)
        else:
            if self._settings.pace != "real":
                await self._overlays.take_pace(controller, self._settings.pace)
        self.main.paint_words()

    def _show_notices(self) -> None:
        """Show messages about loading, until there is a session."""
        with suppress(Empty):
            self.main.say(self._notices.get_nowait(), holds=lambda: self.main.controller is None)

    def _make_controller(self) -> "Controller":
        session = self._load_session()
        highlight.load()
        # Neither the first paint nor the first diff must wait for this import.
        import textual.scrollbar  # noqa: F401, PLC0415

        # Pulls in the engine, which the first paint must not wait for.
        from spark_tui.session.controller import Controller  # noqa: PLC0415

        return Controller(session, self._settings)

    def _handle_exception(self, error: Exception) -> None:
        """Keep the error for `run` to raise.

        Textual would print a traceback over the user's terminal. A task that outlives its screen
        finds no widget to show itself in; that is no error.
        """
        cause = error.error if isinstance(error, WorkerFailed) else error
        # The node whose task failed: a worker's, else the one that handles a message.
        worker = active_worker.get(None)
        node = worker.node if worker else active_message_pump.get(None)
        if isinstance(cause, NoMatches) and (not self.is_running or _is_gone(node)):
            return
        self.failure = self.failure or cause
        super()._handle_exception(error)

    async def on_event(self, event: events.Event) -> None:
        """Let keys act one after the other.

        Odd characters that are pasted into Textual's own fields are marked, as everywhere.
        """
        if isinstance(event, _INPUTS):
            self.main.inputs += 1
        if self._key_queue.holds(event):
            return
        # While a sheet is being prepared, Esc only cancels the preparation.
        if self.main.pending.takes(event):
            return
        if isinstance(event, events.Key | events.Paste | events.MouseDown):
            self._go_on_after_interrupt(event)
        if isinstance(event, events.Paste) and isinstance(self.focused, Input):
            event.text = "\n".join(map(visible, event.text.splitlines()))
        await super().on_event(event)

    def _go_on_after_interrupt(self, event: events.Event) -> None:
        """Forget the last Ctrl+C after any other input, so that the next Ctrl+C does not quit."""
        if not (isinstance(event, events.Key) and event.key in self.keys.keys("interrupt")):
            self._interrupted_at = -_TWICE_S
            if self.main.is_mounted and self.main.query_one(Note).words == self._again:
                self.main.say("")

    def bell(self) -> None:
        """Ring through the driver, whose output filter lets a bell pass."""
        ring: Callable[[], None] = getattr(self._driver, "ring", super().bell)
        ring()

    def _set_pointer_shape(self, shape: str) -> None:
        """Leave the mouse pointer as it is.

        The sequence that would shape the pointer may not leave; see `output_filter`.
        """

    def _fatal_error(self) -> None:
        # Textual's version also rings and renders a traceback; `run` raises the error instead.
        self._close_messages_no_wait()


def _is_gone(node: MessagePump | None) -> bool:
    """Whether a node belongs to a screen that was closed, perhaps before it had opened."""
    while node is not None and not isinstance(node, Screen):
        node = node._parent
    return node is not None and node not in node.app.screen_stack


def check_look(settings: Settings, problems: Problems, themes: Themes | None = None) -> None:
    """Check the user's own keys and theme.

    Args:
        problems: Collects the problems.
        themes: The themes there are; read from the folders if not given.
    """
    keymap(settings, problems)
    with problems.collected():
        known = themes or read_themes([themes_dir(), config_dir() / "themes"])
        try:
            known.check(settings.theme)
        except UsageError as e:
            raise UsageError(f"{settings.sources.get('theme', 'theme')}: {e}") from e


def keymap(settings: Settings, problems: Problems | None = None) -> Keymap:
    """The keys in force.

    Args:
        problems: Collects what is wrong with the user's keys; see `Keymap`.

    Raises:
        UsageError: The user's keys are wrong, and nothing collects problems.
    """
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
    """Load what only a turn needs, then switch the garbage collector on again if it is off.

    Later collections leave out the objects that startup made: going through all of them would hold
    up a key for 100 ms.
    """
    session.prepare()
    if session.host.served is None:
        session.models.load_passes()
    session.succession.load_judge_ahead()
    if not gc.isenabled():
        gc.freeze()
        gc.enable()


def run(
    load: "Callable[[], Session]",
    settings: Settings,
    *,
    prompt: str = "",
    tell: Callable[[str], object] = str,
    watchdog: "Watchdog | None" = None,
    outside: Outside | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> int:
    """Open the screen and stay until the user leaves.

    Args:
        load: Makes the session; called in a thread after the first paint.
        prompt: Words to type in without sending them.
        tell: Takes the last words, line by line, once the screen is gone.
        watchdog: The process that watches over this terminal.
        outside: What the command line asks of the screen.
        clock: Seconds; for tests.

    Returns:
        The exit code.

    Raises:
        SparkError: The session cannot be opened; anything else is a bug.
    """
    # Textual only calls its driver class, so a partial object will do.
    driver = cast("type[Driver]", partial(SparkDriver, watchdog=watchdog))
    app = SparkApp(load, settings, prompt=prompt, clock=clock, driver_class=driver, outside=outside)
    try:
        with gil_priority() as runner:
            app.run(mouse=settings.mouse, loop=runner.get_loop())
    finally:
        app.let_go()
    if app.failure is not None:
        raise app.failure
    for line in app.last_words.splitlines():
        tell(f"spark: {line}")
    return app.return_code or 0
