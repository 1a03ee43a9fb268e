"""The panel that runs the user's own shell command and shows its output."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.timer import Timer

from spark_tui.errors import SparkError
from spark_tui.safe_text import visible
from spark_tui.tui.screens.modals import Panel, every
from spark_tui.tui.widgets.message_line import Note
from spark_tui.tui.widgets.output_log import OutputLog
from spark_tui.tui.widgets.status_bars import Bar, BarPiece

if TYPE_CHECKING:
    from spark_tui.session.external import ShellRun

_SHOWN_EVERY_S = 1 / 30
_DRAWS = "a program with a screen of its own does not work here; run it in another terminal"


class ShellScreen(Panel[str]):
    """Runs a command line.

    Esc and Ctrl+C end the command and everything that it started; pressed again, they close the
    panel. Letters typed meanwhile are for the prompt, and are kept in `typed`.

    Returns:
        The message how the command ended.

    Args:
        line: The command line.
        root: The folder to run it in.
        fix: The key that asks for the fix of a command that fails.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "interrupt", "end it; then close", show=False),
        Binding("q,enter", "close", "close when it has ended", show=False),
        Binding("ctrl+t", "fix", "ask for the fix", show=False, id="check.fix"),
    ]

    def __init__(self, line: str, root: Path, fix: str = "") -> None:
        super().__init__()
        self._line = line
        self._root = root
        self._fix = fix
        self.fixes = False
        """Whether the user asked for the fix."""
        self._run: ShellRun | None = None
        self._timer: Timer | None = None
        self._stopping = False
        self._closed = False
        self._problem = ""
        """Why the command could not be started, or ""."""
        self.typed = ""
        """The text for the prompt that was typed meanwhile."""

    def compose(self) -> ComposeResult:
        """The widgets, from top to bottom."""
        with Vertical(id="panel"):
            yield Bar(id="line")
            yield OutputLog()
            yield Note()
            yield Bar(id="state")

    def on_mount(self) -> None:
        """Start the command."""
        self.query_one("#line", Bar).show(
            [BarPiece("$", "accent", 9), BarPiece(self._line, "text", 8)]
        )
        self.query_one(OutputLog).focus()
        self._timer = every(_SHOWN_EVERY_S, self, self._look)
        self.run_worker(self._start(), group="shell")
        self._look()

    def on_unmount(self) -> None:
        """Kill whatever the command left running, however the panel was closed."""
        self._closed = True
        if self._run is not None:
            self._run.kill()

    async def _start(self) -> None:
        try:
            await asyncio.to_thread(self._begin)
        except SparkError as e:
            self._problem = str(e)

    def _begin(self) -> None:
        # The first paint waits for none of this.
        from spark_tui.session.external import ShellRun  # noqa: PLC0415

        self._run = ShellRun(self._line, self._root)
        # Closed while the command was being started: `on_unmount` found nothing to kill.
        if self._closed:
            self._run.kill()

    def on_key(self, event: events.Key) -> None:
        """Take letters as text while the command runs, and afterwards if text has been begun."""
        # Once the command has ended, "q" closes the panel, unless it is a letter within a word.
        if event.is_printable and event.character and (self.typed or not self._has_ended):
            event.stop()
            self._type(self.typed + event.character)
        elif event.key == "backspace":
            self._type(self.typed[:-1])

    def on_paste(self, event: events.Paste) -> None:
        """Pasted text is text, too."""
        event.stop()
        self._type(self.typed + event.text)

    def _type(self, text: str) -> None:
        self.typed = text
        self._look()

    def action_interrupt(self) -> None:
        """End the command; once it has ended, close the panel."""
        if self._has_ended:
            self.dismiss(self._outcome)
        elif self._run is not None and not self._stopping:
            self._stopping = True
            # Stopping waits for the processes, so it has a thread.
            self.run_worker(asyncio.to_thread(self._run.stop), group="shell")

    def action_close(self) -> None:
        """Close the panel, if it has ended."""
        if self._has_ended:
            self.dismiss(self._outcome)

    @property
    def failed(self) -> bool:
        """Whether the command ended by itself, with an exit status other than 0."""
        return (
            self._has_ended
            and self._run is not None
            and bool(self._run.status)
            and not self._stopping
        )

    def action_fix(self) -> None:
        """Close the panel, and ask for the fix of the command."""
        self.fixes = self.failed
        self.action_close()

    @property
    def _has_ended(self) -> bool:
        return bool(self._problem) or (self._run is not None and self._run.ended)

    @property
    def _outcome(self) -> str:
        if self._problem or self._run is None:
            return self._problem
        status = self._run.status
        if self._stopping:
            how = "was stopped"
        elif (status or 0) >= 0:  # a negative status is the number of a signal
            how = f"ended with {status}"
        else:
            how = "was killed"
        return f"`{self._line}` {how}"

    def _look(self) -> None:
        """Show the output since the last look, and the state of the command."""
        ended = self._has_ended  # read before the output: once it is true, the output is complete
        log = self.query_one(OutputLog)
        run = self._run
        if run is not None:
            log.add(run.take(), begins_anew=run.dropped)
            run.dropped = False
            if log.draws:
                self.query_one(Note).say(_DRAWS, look="warning")
        if ended and self._timer is not None:
            log.end()
            self._timer.stop()
        lines = [BarPiece(f"{log.count} line{'s' * (log.count != 1)}", "faint", 1)]
        state = self._state(ended=ended)
        if self.typed:
            state.append(BarPiece(f"for the prompt: {visible(self.typed)}", "text", 4))
        self.query_one("#state", Bar).show(state, lines)

    def _state(self, *, ended: bool) -> list[BarPiece]:
        """The state of the command, and the keys that mean something now."""
        run = self._run
        if ended:
            look = "warning"
            if run is not None and run.status == 0 and not self._stopping:
                look = "ok"
            pieces = [BarPiece(self._outcome.removeprefix(f"`{self._line}` "), look, 9)]
            if self.failed and self._fix:
                pieces += [BarPiece(self._fix, "text", 6), _joined("fix it")]
            return [*pieces, BarPiece("Esc", "text", 5), _joined("close")]
        words = "stopping" if self._stopping else "running"
        # The shell itself has ended, but a program in the background still holds its output open.
        if run is not None and run.status is not None and not self._stopping:
            words = f"ended with {run.status}; something it started is still running"
        return [
            BarPiece(words, "accent", 9),
            BarPiece("Esc", "text", 5),
            _joined("stop it and all it started"),
        ]


def _joined(words: str) -> BarPiece:
    return BarPiece(f" {words}", "muted", 5, joined=True)
