"""The panel for a plan: the model writes steps, the user changes them, a task follows them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import TextArea

from spark_tui.crash_report import problem_of
from spark_tui.tasks.plan import planning, read_plan, write_plan
from spark_tui.tui.pastes import as_lines
from spark_tui.tui.screens.modals import Panel, every
from spark_tui.tui.widgets.message_line import Note
from spark_tui.tui.widgets.status_bars import Bar, BarPiece, keys

if TYPE_CHECKING:
    from spark_tui.session.session import Session

_EVERY_S = 1 / 20
_KEYS = (("Ctrl+S", "begin the task"), ("Esc", "leave it"))


class PlanText(TextArea):
    """The steps, one a line."""

    DEFAULT_CSS = """
    PlanText, PlanText:focus {
        height: 1fr; padding: 0 1; border: none; background: $spark-background; color: $spark-text;
        scrollbar-size: 0 1;
        .text-area--cursor-line { background: $spark-background; }
    }
    PlanText:dark .text-area--cursor, PlanText:light .text-area--cursor {
        background: $spark-accent; color: $spark-background;
    }
    """

    def on_key(self, event: events.Key) -> None:
        """Handle the keys that end the edit here, behind the text that was typed before them."""
        screen = self.screen
        if not isinstance(screen, PlanScreen):
            return
        if event.key in {"ctrl+s", "escape"}:
            event.stop()
            event.prevent_default()
            if event.key == "ctrl+s":
                screen.accept()
            else:
                screen.leave()
        else:  # the model would write over what the user types
            screen.stop()

    def on_paste(self, event: events.Paste) -> None:
        """Insert pasted text, with marks for the characters that do not show."""
        event.stop()
        event.prevent_default()
        if done := self._replace_via_keyboard(as_lines(event.text), *self.selection):
            self.move_cursor(done.end_location)


class PlanScreen(Panel[tuple[str, ...] | None]):
    """Ctrl+S begins the task, Esc stops the writing, then leaves the plan.

    Returns:
        The steps.

    Args:
        session: Runs the model.
        words: The task.
        speaker: The name of the model that is asked.
        steps: The steps that were written before; where there are none, the model is asked.
    """

    def __init__(
        self, session: "Session", words: str, speaker: str, steps: Sequence[str] = ()
    ) -> None:
        super().__init__()
        self._session = session
        self._words = words
        self._speaker = speaker
        self._written = write_plan(steps)
        self._number = 0
        self.is_writing = not steps
        self._error = ""
        self._is_stopped = False
        # Held, not looked up: a key may come before the widgets are on the screen.
        self.head = Bar(id="question")
        self.area = PlanText(compact=True, highlight_cursor_line=False)
        self.note = Note()
        self.hints = Bar(id="keys")

    def compose(self) -> ComposeResult:
        """The widgets, from top to bottom."""
        with Vertical(id="panel"):
            yield self.head
            yield self.area
            yield self.note
            yield self.hints

    def on_mount(self) -> None:
        """Ask for the plan."""
        self.head.show(
            [BarPiece("plan", "accent", 9), BarPiece(" ".join(self._words.split()), "text", 8)]
        )
        self.area.cursor_blink = False
        self.area.focus()
        every(_EVERY_S, self, self._look)
        if self.is_writing:
            work = planning(self._session, self._words, self._speaker)
            self._number = self._session.runner.start(work, self._on_text, self._on_end)
        self._look()

    def on_unmount(self) -> None:
        """Stop the writing: nobody reads it any more."""
        if self._number:
            self._session.runner.cancel(self._number)

    # Called on the engine's thread, as is `_on_end`: both only note what `_look` then shows.
    def _on_text(self, text: str) -> None:
        if not self._is_stopped:
            self._written = text

    def _on_end(self, error: Exception | None) -> None:
        if error is not None and not self._is_stopped:
            self._error = str(problem_of(error))
        self.is_writing = False

    def _look(self) -> None:
        """Show what is written, and whether the model still writes."""
        # Read before the text: once it is false, the text is complete.
        is_writing = self.is_writing
        if not self._is_stopped:
            self._show_written()
        if not is_writing:
            self._is_stopped = True  # from here on the text is the user's
        if self._error:
            self.note.say(f"{self._error}; write the steps yourself", look="error")
            self._error = ""
        state = "writing" if is_writing else "one step a line, as you want them"
        self.hints.show([BarPiece(state, "accent", 8), *keys(*_KEYS)])

    def _show_written(self) -> None:
        area = self.area
        text = as_lines(self._written)
        if area.text != text:
            area.text = text
            area.move_cursor(area.document.end)

    def stop(self) -> None:
        """Stop the model, and let the user write from here on."""
        if self._is_stopped:
            return
        self._show_written()  # the last words of the model, before the user's first
        self._is_stopped = True
        self.is_writing = False
        self._session.runner.cancel(self._number)

    def leave(self) -> None:
        """Stop the writing; when nothing is being written, leave the plan."""
        if self.is_writing:
            self.stop()
            self._look()
        else:
            self.dismiss(None)

    def accept(self) -> None:
        """Begin the task with the steps as they are."""
        self.stop()
        plan = read_plan(self.area.text)
        if plan:
            self.dismiss(plan)
        else:
            self.note.say("there is no step yet; write one a line", look="warning")
