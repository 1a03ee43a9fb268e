"""The main screen: the diff above, the prompt below, and what a key means right now.

The screen composes the widgets and builds its parts, which do the work; its handlers only pass keys
and messages on to them.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Static

from spark_tui.tui.keymap import Keymap
from spark_tui.tui.screens.actions import Actions
from spark_tui.tui.screens.cancellable_work import CancellableWork
from spark_tui.tui.screens.check_runner import CheckRunner
from spark_tui.tui.screens.command_runner import CommandRunner
from spark_tui.tui.screens.completion_control import CompletionControl
from spark_tui.tui.screens.file_watch import FileWatch
from spark_tui.tui.screens.focus_guard import FocusGuard
from spark_tui.tui.screens.follow_up import FollowUp
from spark_tui.tui.screens.host import Host
from spark_tui.tui.screens.look_back import LookBack
from spark_tui.tui.screens.painter import Painter
from spark_tui.tui.screens.prompt_dispatch import PromptDispatch
from spark_tui.tui.turn_state import IN_TURN, HunkState
from spark_tui.tui.widgets.completion import Completion
from spark_tui.tui.widgets.diff_rows import LEAST_WIDTH
from spark_tui.tui.widgets.diff_view import DiffView
from spark_tui.tui.widgets.message_line import Note
from spark_tui.tui.widgets.prompt import Prompt
from spark_tui.tui.widgets.status_bars import Bar
from spark_tui.tui.widgets.thought import ThoughtFold
from spark_tui.tui.widgets.work import Work

if TYPE_CHECKING:
    from spark_tui.tui.desk import Desk
    from spark_tui.tui.widgets.answer_text import AnswerText


class MainScreen(Host):
    """Prompt, diff, hunks and meters, over a Desk that comes once the model is loaded.

    Args:
        text: What to begin the prompt with.
        clock: Seconds, for the approval guard.
        keys: Those in force.
    """

    DEFAULT_CSS = """
    MainScreen {
        background: $spark-background; layout: vertical;
        #title, #region { background: $spark-surface; }
        #writing { height: auto; }
        #check { display: none; }
        #mark { width: 3; height: 1; padding: 0 0 0 1; color: $spark-faint; }
        #mark.-focused { color: $spark-accent; }
        Prompt { width: 1fr; }
    }
    MainScreen.-low HunkList, MainScreen.-low Prompt { max-height: 2; }
    MainScreen.-tall HunkList { max-height: 8; }
    MainScreen.-wide Work { layout: horizontal; }
    MainScreen.-wide HunkList { width: 42; height: 1fr; max-height: 100%; }
    MainScreen.-wide Work.-beside { layout: vertical; }
    MainScreen.-wide Work.-beside HunkList { width: 100%; height: auto; max-height: 5; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "escape", "pause; again: drop the unfinished", id="turn.stop"),
        Binding("ctrl+r", "do('redo')", "redo", id="journal.redo"),
        Binding("f2", "do('rename')", "rename it in all files", id="symbol.rename"),
        Binding("tab", "do('to_diff')", "to the diff", id="focus.diff"),
        Binding("ctrl+l", "places", "choose the place to edit", show=False, id="prompt.places"),
        Binding(
            "f12", "thought", "open or fold what the model thought", show=False, id="thought.open"
        ),
        Binding("ctrl+t", "fix", "ask for the fix of what failed", id="check.fix"),
    ]

    def __init__(self, text: str, clock: Callable[[], float], keys: Keymap) -> None:
        super().__init__(clock, keys)
        self._text = text
        # Each part takes those that it needs, so the order is that of their needs.
        self.preparing = CancellableWork(self)
        self.guard = FocusGuard(self)
        self.watching = FileWatch(self)
        self.following = FollowUp(self)
        self.sending = PromptDispatch(self, self._is_choosing)
        self.looking = LookBack(self, self.sending)
        self.checking = CheckRunner(self, self.sending)
        self.commanding = CommandRunner(self, self.sending, self.preparing, self.checking)
        self.helping = CompletionControl(self, self.looking, self.commanding)
        self.actions = Actions(self, self.preparing, self.sending, self.looking, self.commanding)
        self.painting = Painter(
            self,
            self.preparing,
            self.sending,
            self.looking,
            self.helping,
            self.actions,
            self.guard,
            self.watching,
        )

    def _is_choosing(self) -> bool:
        """Whether the user has begun to name a place; asked once all parts are there."""
        return self.helping.choosing

    def compose(self) -> ComposeResult:
        """From top to bottom."""
        yield Bar(id="title")
        yield Work(self.clock, self.keys)
        yield ThoughtFold(self.keys.key("thought.open"))
        yield Note("/message")
        yield Completion()
        yield Bar(id="region")
        with Horizontal(id="writing"):
            yield Static("›", id="mark")
            yield Prompt(self._text)
        yield Bar(id="check")
        yield Bar(id="hints")
        yield Bar(id="meters")

    def on_mount(self) -> None:
        """Start the parts, which have their widgets now."""
        self.painting.mount()
        self.prompt.helper = self._take_in_prompt
        self.watching.mount()
        self.checking.mount()
        self.prompt.focus()
        self.paint()

    def _take_in_prompt(self, key: str) -> bool:
        """Take a key that means something else than text in the prompt."""
        return self.guard.repeats_decision(key) or self.helping.takes(key)

    def open(self, desk: "Desk") -> None:
        """The model is loaded: from here on instructions are carried out."""
        self.desk = desk
        self.show_notices()
        self.paint()
        self.helping.open(desk)
        self.sending.open()

    # What the user asks for

    def action_escape(self) -> None:
        """Pause; when paused, drop what is unfinished; otherwise come back to the prompt.

        An Esc that comes when the turn has just ended takes no reason away that nobody can have
        read.
        """
        self.guard.keeps_message = False
        cancelled = self.preparing.cancel()
        self.say("")
        if not (self.actions.stop() or self.sending.stop()):
            words, look = self.view.reason
            self.say(words, look=look, stays=True)
            if not words:
                self.say(self.painting.late())
        if cancelled:
            self.say(cancelled)
        self.prompt.focus()

    def action_do(self, what: str) -> None:
        """Do something by its name; see `Actions`."""
        # A Tab just after the program moved the focus was meant for the way to the diff.
        if what != "next" or not self.guard.is_led_away:
            self.actions.do(what)

    def action_meters(self) -> None:
        """Show all that is measured in the last line, or only what matters always."""
        self.shows_meters = not self.shows_meters
        self.paint_words()

    def action_fix(self) -> None:
        """Ask for the fix of what failed last."""
        self.checking.fix()

    @on(Host.Written)
    def _on_written(self) -> None:
        self.checking.run()
        self.following.look()

    def action_thought(self) -> None:
        """Open or fold what the model thought before it wrote."""
        self.query_one(ThoughtFold).toggle()

    def action_look_back(self, how: str) -> None:
        """Look back at what was written, token by token; see `LookBack`."""
        self.looking.open(how)

    async def action_leave(self) -> None:
        """Quit; where hunks are undecided say so first, and quit as long as that can be read."""
        left = len(self.view.hunks)
        again = f"{self.keys.key('quit')} again quits, and /resume brings the words back later"
        words = f"{left} hunk{'s' * (left != 1)} undecided; {again}"
        if left and not self.said(words):
            self.say(words, look="warning")
        else:
            await self.app.run_action("app.quit")

    def on_screen_suspend(self) -> None:
        """Show no keys of a screen that is covered."""
        self.paint_words()

    def on_screen_resume(self) -> None:
        """Show what waited for the screen on top to be closed."""
        self.show_notices()
        self.paint_words()

    @on(Prompt.Sent)
    def _on_sent(self, event: Prompt.Sent) -> None:
        if event.text.strip():
            self.guard.note_sent()
        self.commanding.sent(event.text, by_hand=event.by_hand)

    def action_search(self) -> None:
        """Look through what was sent before."""
        self.prompt.focus()
        self.helping.search()

    def action_places(self) -> None:
        """See `Host`."""
        self.prompt.focus()
        self.helping.choose_place()

    def action_suggest(self, place: str) -> None:
        """Offer requests that would work."""
        self.prompt.focus()
        self.helping.suggest(place)

    @on(Completion.Picked)
    def _on_picked(self) -> None:
        self.prompt.focus()
        self.helping.takes("tab")

    @on(Prompt.Changed)
    def _on_changed(self) -> None:
        self.helping.changed()
        if self.prompt.text:
            self.following.stop()
            self.actions.leave_other_places()
        else:
            self.guard.keeps_message = False
        self.paint_words()
        self.sending.read_ahead()

    @on(Prompt.SelectionChanged)
    def _on_cursor_moved(self) -> None:
        self.helping.changed()
        self.painting.cursor_moved()

    @on(Prompt.Typed)
    def _on_typed(self) -> None:
        self.guard.note_typed()
        if not (self.preparing.told or self.guard.keeps_message):
            self.say("")
        self.sending.pause()

    def note_led_away(self) -> None:
        """See `Host`."""
        self.guard.note_led_away()

    def note_led_back(self) -> None:
        """See `Host`."""
        self.guard.note_led_back()

    def run_frames(self) -> None:
        """Something comes: paint until nothing does."""
        self.painting.run()

    def paint_words(self) -> None:
        """The lines above and below."""
        self.painting.paint_words()

    # Small things the widgets tell

    @on(DiffView.Moved)
    def _on_moved(self, event: DiffView.Moved) -> None:
        """Say what is odd about the hunk that the user went to, which is then looked at.

        The message before is over, unless it tells why there is no edit.
        """
        view = self.view
        if event.by_user and view.phase not in IN_TURN and not self.said(view.reason[0]):
            self.say("")
        if event.by_user:
            for hunk in self.bench.selected:
                if view.state(hunk) is HunkState.WRITING:
                    continue
                if words := view.look_at(hunk):
                    self.say(words, look="warning")
        self.paint_words()

    @on(Prompt.HelpAsked)
    async def _on_help_asked(self) -> None:
        await self.app.run_action("app.help")

    @on(DiffView.NoRoom)
    def _on_no_room(self) -> None:
        words = f"two sides need {LEAST_WIDTH} columns; in fewer they stand one below the other"
        self.say(words, holds=lambda: self.size.width < LEAST_WIDTH)

    def on_resize(self) -> None:
        """Hide a message that was about the room there was."""
        self.query_one(Note).look_again()

    def on_descendant_focus(self) -> None:
        """Show the keys that mean something now."""
        self.paint_words()

    def on_key(self, event: events.Key) -> None:
        """Take a key that no widget took: a letter that may be text; see `FocusGuard`.

        The prompt takes its own letters: one that comes here was on its way to the diff as the
        focus left that.
        """
        if self.focused is self.prompt and event.is_printable and event.character:
            event.stop()
            self.prompt.put(event.character, by_hand=True)
        elif self.focused is self.bench.diff and self.guard.takes(event):
            event.stop()
        elif self.bench.is_read and event.key not in self.active_bindings:
            self._write_on(event)

    def _write_on(self, event: events.Key) -> None:
        """Take what is typed while an answer is read as words; Enter leads to the prompt."""
        if event.key == "enter":
            self.prompt.focus()
        elif event.is_printable and event.character:
            event.stop()
            self.write(event.character)

    async def on_answer_text_taken(self, event: "AnswerText.Taken") -> None:
        """Have a block of code in an answer reviewed."""
        blocks = event.answer.blocks
        if event.number <= len(blocks):
            self.commanding.take_code(blocks[event.number - 1])

    def on_paste(self, event: events.Paste) -> None:
        """Write pasted text into the prompt, wherever the cursor is."""
        self.write(event.text)
