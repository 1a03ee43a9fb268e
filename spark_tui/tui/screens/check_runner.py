"""Runs the user's own check after each accept, shows it in a line, and asks for the fix."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from spark_tui.errors import SparkError
from spark_tui.tui.screens.host import Host
from spark_tui.tui.screens.modals import ConsentScreen, Panel, every
from spark_tui.tui.screens.prompt_dispatch import PromptDispatch
from spark_tui.tui.widgets.output_log import OutputLog, shown
from spark_tui.tui.widgets.status_bars import Bar, BarPiece, hint, keys

if TYPE_CHECKING:
    from spark_tui.session.check import CheckCommand
    from spark_tui.session.controller import Controller

_EVERY_S = 0.1
_FIX = "fix this"
_NONE = "no check is set: /check CMD runs a command of yours after each accept"
_RUNS = "Run it after each accept?"


class CheckRunner:
    """Runs the repository's check beside `screen`, and asks for the fix of the last failure."""

    def __init__(self, screen: Host, sending: PromptDispatch) -> None:
        self._screen = screen
        self._sending = sending
        self._waits = False
        """Whether the check may not run here."""
        self._shown: object = None
        """The state of the check that the line shows."""
        self.failed = ""
        """The command that failed last, be it the check or another one of the user's own."""

    def mount(self) -> None:
        """Begin to show how the check stands."""
        every(_EVERY_S, self._screen, self._look)

    def command(self, argument: str, *, by_hand: bool) -> None:
        """Set the check, end it with `off`, or show what it said.

        Args:
            by_hand: Whether the command was typed, and not pasted.
        """
        if (controller := self._screen.controller) is None:
            self._screen.say("the repository is being opened")
        elif argument:
            line = "" if argument == "off" else argument
            self._screen.run_worker(self._set(controller, line, by_hand=by_hand), group="check")
        elif controller.session.check.line:
            self._screen.app.push_screen(CheckScreen(controller.session.check))
        else:
            self._screen.say(_NONE)

    async def _set(self, controller: "Controller", line: str, *, by_hand: bool) -> None:
        screen = self._screen
        why = ["it was pasted, not typed"]
        sheet = ConsentScreen(f"/check {line}", why, screen.clock, question=_RUNS)
        if line and not by_hand and not await screen.app.push_screen_wait(sheet):
            return
        try:
            await asyncio.to_thread(controller.session.check.set, line)
        except SparkError as e:
            screen.say(str(e), look="error")
        else:
            words = "" if line else "no check runs any more"
            screen.say(words)
        self.failed = ""
        self._waits = False
        # Even if the command could not be saved, it holds until spark ends, and runs.
        if line == controller.session.check.line:
            await self._begin(controller)

    def run(self) -> None:
        """Run the check, if there is one: the files have changed."""
        if (controller := self._screen.controller) is not None:
            self._screen.run_worker(self._begin(controller), group="check")

    async def _begin(self, controller: "Controller") -> None:
        if not controller.session.check.line:
            return
        try:
            await asyncio.to_thread(controller.session.check.begin)
            self._waits = False
        except SparkError as e:
            if not self._waits:  # said once; the line shows it from then on
                self._screen.say(str(e), look="warning")
            self._waits = True

    def _look(self) -> None:
        """Show the state of the check."""
        if (controller := self._screen.controller) is None:
            return
        check = controller.session.check
        bar = self._screen.query_one("#check", Bar)
        before = self._shown
        self._shown = (check.line, check.begun, check.running, check.status, self._waits)
        if self._shown == before:
            return
        # A check that passes clears its own failure, but not that of a command of the shell.
        if check.status:
            self.failed = check.line
        elif check.status == 0 and self.failed == check.line:
            self.failed = ""
        bar.display = bool(check.line)
        if check.line:
            bar.show(self._pieces(check))

    def _pieces(self, check: "CheckCommand") -> list[BarPiece]:
        """The command, its state, and the key that asks for its fix."""
        fix: Sequence[BarPiece] = ()
        if self._waits:
            mark = "!"
            look = "warning"
            words = "waits for `spark trust`"
        elif check.running:
            mark = "○"
            look = "accent"
            words = "running"
        elif check.status is None:
            mark = "○"
            look = "muted"
            words = "runs after an accept"
        elif check.status == 0:
            mark = "✓"
            look = "ok"
            words = "passed"
        else:
            mark = "✗"
            look = "error"
            words = f"failed: {shown(check.last_line) or f'it ended with {check.status}'}"
            fix = hint(self._screen.keys.key("check.fix"), "fix it", weight=4)
        name = BarPiece(check.line, "muted", 2, least=10)
        return [BarPiece(f"{mark} check", look, 9), name, BarPiece(words, look, 9, least=20), *fix]

    def fix(self) -> None:
        """Ask for an edit that makes the command that failed last pass, tried out in a copy.

        An instruction that stands in the prompt goes along.
        """
        screen = self._screen
        controller = self._screen.controller
        line = self.failed
        if controller is None or not line:
            screen.say(
                "nothing has failed that needs a fix; /check CMD runs a command after each accept"
            )
        elif controller.is_busy:
            screen.say(f"a turn is running; {screen.keys.key('turn.stop')} stops it")
        else:
            # What the user has typed tells more than "fix this".
            words = screen.prompt.full if screen.prompt.is_instruction else _FIX
            screen.prompt.put_away(words)
            self._sending.begin(
                controller,
                words,
                lambda text: controller.fix(line, text, lambda: self._sending.stopping),
            )
            stop = screen.keys.key("turn.stop")
            words = (
                f"finding out where `{line}` fails, in a copy of the tracked files; {stop} stops it"
            )
            screen.say(words, holds=lambda: screen.is_starting)


class CheckScreen(Panel[None]):
    """The output of the check, as it comes.

    Args:
        check: The repository's.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter", "dismiss", "close", show=False)
    ]

    def __init__(self, check: "CheckCommand") -> None:
        super().__init__()
        self._check = check
        self._run = check.begun
        """The number of the run whose output the log shows."""
        self._received = 0
        """`CheckCommand.received` at the last look."""

    def compose(self) -> ComposeResult:
        """The widgets, from top to bottom."""
        with Vertical(id="panel"):
            yield Bar(id="line")
            yield OutputLog()
            yield Bar(id="state")

    def on_mount(self) -> None:
        """Show the output so far, and follow it."""
        self.query_one("#line", Bar).show(
            [BarPiece("$", "accent", 9), BarPiece(self._check.line, "text", 8)]
        )
        self.query_one(OutputLog).focus()
        every(_EVERY_S, self, self._look)
        self._look()

    def _look(self) -> None:
        log = self.query_one(OutputLog)
        run = self._check.begun  # read before the output: a run may begin at any moment
        output = self._check.output
        received = self._check.received
        # The check keeps only the end of a long output, so the new part is counted from that end.
        new = min(received - self._received, len(output))
        if run != self._run:
            log.clear()
            new = len(output)
        log.add(output[len(output) - new :])
        self._run = run
        self._received = received
        status = self._check.status
        if self._check.running:
            words = "running"
        elif status is None:
            words = "has not run yet"
        else:
            words = f"ended with {status}"
        look = "ok" if status == 0 else "warning"
        ways = [("Esc", "close"), ("/check off", "ends it")]
        self.query_one("#state", Bar).show([BarPiece(words, look, 9), *keys(*ways)])
