"""The one screen: the diff above, the prompt below, and what a key means right now.

It holds what is under way, says things and shows them; its parts do the rest, each built with the screen alone.
"""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Static

from spark_tui.marks import visible
from spark_tui.tui.items import State
from spark_tui.tui.keymap import Keymap
from spark_tui.tui.places import in_our_words
from spark_tui.tui.screens.actions import Actions
from spark_tui.tui.screens.cancellable_work import CancellableWork
from spark_tui.tui.screens.commanding import Commanding
from spark_tui.tui.screens.file_watch import FileWatch
from spark_tui.tui.screens.helping import Helping
from spark_tui.tui.screens.key_guard import BEGINS, KeyGuard
from spark_tui.tui.screens.looking import Looking
from spark_tui.tui.screens.painting import Painting
from spark_tui.tui.screens.prompt_dispatch import PromptDispatch
from spark_tui.tui.sides import LEAST_WIDTH
from spark_tui.tui.view import IN_TURN, Phase, TurnView
from spark_tui.tui.widgets.bar import Bar
from spark_tui.tui.widgets.completion import Completion
from spark_tui.tui.widgets.diff import DiffView
from spark_tui.tui.widgets.note import Note
from spark_tui.tui.widgets.prompt import Prompt
from spark_tui.tui.widgets.work import Work

if TYPE_CHECKING:
    from spark_tui.tui.desk import Desk

_TAB_S = 0.5
"""How long after the review began a Tab was meant for the way to it, which the footer told of before."""
_NOTICE_S = 15.0


class MainScreen(Screen[None]):
    """Prompt, diff, hunks and meters, over a Desk that comes once the model is loaded.

    Args: text: what to begin the prompt with. clock: seconds, for the approval guard. keys: those in force.
    """

    DEFAULT_CSS = """
    MainScreen {
        background: $spark-background; layout: vertical;
        #title, #region { background: $spark-surface; }
        #writing { height: auto; }
        #mark { width: 3; height: 1; padding: 0 0 0 1; color: $spark-accent; }
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
        Binding("tab", "do('to_diff')", "to the diff", id="focus.diff"),
    ]

    class TurnOver(Message):
        """A turn ended by itself."""

    def __init__(self, text: str, clock: Callable[[], float], keys: Keymap) -> None:
        super().__init__()
        self._text, self.clock, self.keys = text, clock, keys
        self.desk: Desk | None = None
        self._idle_view = TurnView()
        self._idle_view.phase = Phase.LOADING
        self.disk = asyncio.Lock()
        """Held by whoever writes."""
        self.is_starting = self.is_deciding = self.is_varying = False
        """Whether a turn is about to begin; a decision is on its way to the disk; other answers are being written."""
        self.is_editing = False
        """Whether an editor lies over the diff, whose keys are others."""
        self.preparing, self.holding, self.watching = CancellableWork(self), KeyGuard(self), FileWatch(self)
        self.sending, self.looking = PromptDispatch(self), Looking(self)
        self.commanding, self.helping = Commanding(self), Helping(self)
        self.actions, self.painting = Actions(self), Painting(self)

    def compose(self) -> ComposeResult:
        """From top to bottom."""
        yield Bar(id="title")
        yield Work(self.clock)
        yield Note()
        yield Completion()
        yield Bar(id="region")
        with Horizontal(id="writing"):
            yield Static("›", id="mark")
            yield Prompt(self._text)
        yield Bar(id="hints")
        yield Bar(id="meters")

    def on_mount(self) -> None:
        """From here on its parts have what they work on."""
        self.painting.mount()
        self.helping.mount()
        self.watching.mount()
        self.prompt.focus()
        self.paint()

    def open(self, desk: "Desk") -> None:
        """The model is loaded: from here on instructions are carried out."""
        self.desk = desk
        self.show_notices()
        self.paint()
        self.helping.open(desk)
        self.sending.open()

    # What its parts know of it

    @property
    def view(self) -> TurnView:
        """The turn that is on the screen."""
        return self.desk.view if self.desk else self._idle_view

    @property
    def busy(self) -> bool:
        """Whether something is on its way to the disk or to the engine."""
        return self.is_starting or self.is_deciding

    @property
    def idle(self) -> bool:
        """Whether nothing was begun yet, and nothing lies on top."""
        return self.is_current and not self.busy and (self.desk is None or self.desk.turn is None)

    @property
    def prompt(self) -> Prompt:
        """Where instructions are written."""
        return self.query_one(Prompt)

    @property
    def bench(self) -> Work:
        """The diff and its hunks."""
        return self.query_one(Work)

    def say(self, words: str, *, look: str = "", stays: bool = False, holds: Callable[[], bool] | None = None) -> None:
        """Show a message until the next key. Args: stays: Esc brings it back, until another one. holds: see `Note`."""
        if words:
            self.view.reason = (words, look) if stays else ("", "")
        self.query_one(Note).say(in_our_words(words), look=look, holds=holds)

    def said(self, words: str) -> bool:
        """Whether this is the message that can be read now."""
        return self.query_one(Note).words == in_our_words(words)

    def say_no_key(self, character: str) -> None:
        """Somebody wrote into the diff."""
        self.say(f"{character} is no key here; {self.keys.key('focus.prompt')} goes to the prompt")

    def refuses(self) -> bool:
        """Whether other answers are on their way, any of which may come before a key about a hunk acts; says so."""
        if self.is_varying:
            stop = self.keys.key("turn.stop")
            self.say(f"other answers are on their way, so that did nothing; {stop} stops them", look="warning")
        return self.is_varying

    def write(self, text: str) -> None:
        """Put text into the prompt."""
        self.prompt.focus()
        self.prompt.put(text)

    def paint(self) -> None:
        """Show everything as it is now; widgets that would look the same are not painted."""
        self.bench.show(self.view)
        self.paint_words()

    def show_notices(self) -> None:
        """Show what the session wants the user to know; under another screen that waits until it is closed."""
        if self.is_active and self.desk is not None:
            for words in self.desk.session.take_notices():
                self.notify(visible(words), timeout=_NOTICE_S, markup=False)

    # What the user asks for

    def action_escape(self) -> None:
        """Pause; when paused, drop what is unfinished; otherwise come back to the prompt.

        An Esc that comes when the turn has just ended takes no reason away that nobody can have read.
        """
        cancelled = self.preparing.cancel() or self.holding.cancel()
        self.say("")
        if not (self.actions.stop() or self.sending.stop()):
            words, look = self.view.reason
            self.say(words, look=look, stays=True)
        if cancelled:
            self.say(cancelled)
        self.prompt.focus()

    def action_do(self, what: str) -> None:
        """Do something by its name; see `Actions`."""
        if what != "next" or self.clock() - self.holding.led_away_at >= _TAB_S:
            self.actions.do(what)

    def action_look_back(self, how: str) -> None:
        """Look back at what was written, token by token; see `Looking`."""
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
        """Something was opened on top."""
        self.holding.forget()
        self.paint_words()

    def on_screen_resume(self) -> None:
        """It was closed."""
        self.show_notices()
        self.paint_words()

    @on(Prompt.Sent)
    def _on_sent(self, event: Prompt.Sent) -> None:
        self.commanding.sent(event.text, by_hand=event.by_hand)

    def clear_prompt(self) -> None:
        """Empty the prompt."""
        self.helping.close()
        self.prompt.set_text("")

    def action_search(self) -> None:
        """Look through what was sent before."""
        self.prompt.focus()
        self.helping.search()

    def action_places(self) -> None:
        """Choose the place that the instruction is about."""
        self.prompt.focus()
        self.helping.choose_place()

    @on(Completion.Picked)
    def _on_picked(self) -> None:
        self.prompt.focus()
        self.helping.take_chosen()

    @on(Prompt.Changed)
    def _on_changed(self) -> None:
        self.helping.changed()
        self.paint_words()
        self.sending.read_ahead()

    @on(Prompt.SelectionChanged)
    def _on_cursor_moved(self) -> None:
        self.helping.changed()
        self.painting.cursor_moved()

    @on(Prompt.Typed)
    def _on_typed(self) -> None:
        if not self.preparing.told:
            self.say("")
        self.sending.pause()

    def run_frames(self) -> None:
        """Something comes: paint until nothing does."""
        self.painting.run()

    def paint_words(self) -> None:
        """The lines above and below."""
        self.painting.paint_words()

    # Small things the widgets tell

    @on(DiffView.Moved)
    def _on_moved(self, event: DiffView.Moved) -> None:
        """What is odd about the hunk that the user goes to is told; that is looking at it.

        What was said before is over, but for why there is no edit.
        """
        if event.by_user and self.view.phase not in IN_TURN and not self.said(self.view.reason[0]):
            self.say("")
        for hunk in self.bench.selected if event.by_user else ():
            if self.view.state(hunk) is not State.WRITING and (words := self.view.look_at(hunk)):
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
        """What was said of the room may be so no more."""
        self.query_one(Note).look_again()

    def on_descendant_focus(self) -> None:
        """Other keys mean something now."""
        self.paint_words()

    async def on_mouse_down(self) -> None:
        """Whoever points knows where the focus is."""
        await self.holding.let_go()

    async def on_key(self, event: events.Key) -> None:
        """A letter that is no key of the diff: text for the turn that is running, else a word of advice or its begin.

        What was begun for the prompt though the diff has the focus must not decide about hunks; see `KeyGuard`.
        """
        if not self.bench.diff.has_focus:
            return
        if await self.holding.takes(event):
            event.stop()
        elif event.is_printable and event.character is not None and event.key not in self.active_bindings:
            if self.view.phase in IN_TURN or event.character in BEGINS:
                event.stop()
                self.write(event.character)
            else:
                self.say_no_key(event.character)

    def on_paste(self, event: events.Paste) -> None:
        """Pasted text is text, wherever the cursor is."""
        self.write(self.holding.forget() + event.text)
