"""Screens with a list to choose from: the log, earlier turns, the findings of the doctor.

`Browser` shows a list and, below it, the patch of the chosen item. `LogScreen` lists what was
accepted, undone and redone in this work tree, and can take an item back. `ResumeScreen` lists turns
of earlier sessions: the instruction, how the turn ended, its patch, and whether the patch is still
applied. `DoctorScreen` lists what is installed, and what to do about what is missing.
"""

import asyncio
from abc import abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import ClassVar, Generic, TypeVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.dom import DOMNode
from textual.screen import Screen
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from spark_tui.errors import SparkError
from spark_tui.safe_text import visible
from spark_tui.session.controller import Controller
from spark_tui.session.history import EarlierTurn
from spark_tui.tui.screens.cancellable_work import CancellableWork
from spark_tui.tui.screens.host import Host
from spark_tui.tui.screens.undo import JournalActions
from spark_tui.tui.themes import look
from spark_tui.tui.widgets.message_line import Note
from spark_tui.tui.widgets.output_log import PatchView
from spark_tui.tui.widgets.status_bars import Bar, BarPiece, keys
from spark_tui.vcs.history import JournaledBatch

Item = TypeVar("Item")
Result = TypeVar("Result")
Words = tuple[str, str]
"""A text and the name of its color; in a list of keys, a key and what it does."""


def beside(node: DOMNode, do: Callable[[], Awaitable[None]], group: str) -> None:
    """Run a coroutine in a worker; an earlier worker of the same group is cancelled."""
    node.run_worker(do, group=group, exclusive=True)


class Picker(OptionList):
    """A list of lines; j and k move, too."""

    DEFAULT_CSS = """
    Picker, Picker:focus {
        background: $spark-background;
        background-tint: transparent;
        border: none;
        padding: 0;
        color: $spark-text;
        scrollbar-size-vertical: 1; text-wrap: nowrap; text-overflow: ellipsis;
        & > .option-list--option { padding: 0 1; }
        & > .option-list--option-highlighted {
            background: $spark-cursor;
            color: $spark-text;
            text-style: none;
        }
    }
    Picker:ansi > .option-list--option-highlighted,
    Picker:ansi:focus > .option-list--option-highlighted {
        text-style: reverse;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "cursor_down", show=False),
        Binding("k", "cursor_up", show=False),
    ]


class Browser(Screen[Result], Generic[Item, Result]):
    """A list, the patch of the chosen item, and the keys.

    Esc and q close it; Tab moves between list and patch. Threads read what lies on the disk.
    """

    DEFAULT_CSS = """
    Browser {
        background: $spark-background;
        #title { background: $spark-surface; }
        Picker { height: auto; max-height: 40%; }
        PatchView { height: 1fr; border-top: solid $spark-line; }
        Note { background: $spark-surface; }
    }
    Browser.-empty Picker { display: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss(None)", "close", show=False),
        # These move the patch, though the list has the focus and page keys of its own.
        Binding("pagedown,ctrl+d", "page(1)", "page down", show=False, priority=True),
        Binding("pageup,ctrl+u", "page(-1)", "page up", show=False, priority=True),
    ]
    HEADLINE: ClassVar[str] = ""
    NOTHING: ClassVar[str] = ""
    """The words in the place of an empty list."""
    KEYS: ClassVar[tuple[Words, ...]] = ()

    def __init__(self) -> None:
        super().__init__()
        self.items: Sequence[Item] = ()
        # Held, not looked up: a key, or the result of a worker, may come before the widgets are on
        # the screen, or after the screen has closed.
        self.head = Bar(id="title")
        self.picker = Picker()
        self.view = PatchView()
        self.note = Note()
        self.hints = Bar(id="keys")

    @abstractmethod
    def read(self) -> Sequence[Item]:
        """Read all items to choose from.

        Called in a thread.

        Raises:
            SparkError.
        """

    @abstractmethod
    def describe(self, item: Item) -> Sequence[Words]:
        """An item as one line."""

    @abstractmethod
    def patch(self, item: Item) -> str:
        """The text below the list for an item.

        Called in a thread.

        Raises:
            SparkError.
        """

    def compose(self) -> ComposeResult:
        """The widgets, from top to bottom."""
        yield self.head
        yield self.picker
        yield self.view
        yield self.note
        yield self.hints

    def on_mount(self) -> None:
        """Read the list."""
        self.head.show([BarPiece(self.HEADLINE, "accent", 9)])
        self.show_keys()
        self.reload()

    @property
    def chosen(self) -> Item | None:
        """The highlighted item, if there is one."""
        at = self.picker.highlighted
        return self.items[at] if at is not None and at < len(self.items) else None

    def reload(self) -> None:
        """Read the list anew; the same place stays highlighted."""
        beside(self, self._fill, "list")

    def say(self, words: str, *, look: str = "") -> None:
        """Show a message, or none."""
        self.note.say(words, look=look)

    def show_keys(self, instead: Sequence[BarPiece] = ()) -> None:
        """Show what the keys do.

        Args:
            instead: Hints to show in their place, for the moment.
        """
        self.hints.show(instead or keys(*self.KEYS))

    def action_page(self, step: int) -> None:
        """Move through the patch, wherever the focus is."""
        rows = max(1, self.view.size.height - 2)
        self.view.scroll_relative(y=step * rows, animate=False)

    async def _fill(self) -> None:
        try:
            self.items = await asyncio.to_thread(self.read)
        except SparkError as e:
            self.say(str(e), look="error")
        if not self.is_attached:  # closed while the list was being read
            return
        self._list()
        self.set_class(not self.items, "-empty")
        if self.items:
            self.picker.focus()
            self._show_chosen()
        else:
            self.view.show(self.NOTHING)

    def _list(self) -> None:
        """Show the items as lines; the same place stays highlighted."""
        before = self.picker.highlighted or 0
        self.picker.clear_options()
        self.picker.add_options([Option(self._line(item)) for item in self.items])
        if self.items:
            self.picker.highlighted = min(before, len(self.items) - 1)

    def _line(self, item: Item) -> Text:
        line = Text(no_wrap=True, overflow="ellipsis")
        for words, name in self.describe(item):
            line.append(visible(words), look(self, name))
        return line

    @on(OptionList.OptionHighlighted)
    def _show_chosen(self) -> None:
        beside(self, self._show_patch, "patch")

    async def _show_patch(self) -> None:
        if (item := self.chosen) is None:
            return
        try:
            patch = await asyncio.to_thread(self.patch, item)
        except SparkError as e:
            patch = ""
            self.say(str(e), look="error")
        # The user may have moved on while the patch was being read.
        if self.is_attached and self.chosen is item:
            self.view.show(patch or "no patch was kept")


_SIGNS = {
    "applied": ("✓", "ok"),
    "undone": ("↶", "faint"),
    "partly": ("◐", "warning"),
    "interrupted": ("!", "error"),
}


class LogScreen(Browser[JournaledBatch, None]):
    """`u` shows what taking the chosen batch back, or doing it again, would change, and asks."""

    HEADLINE = "Log of what was accepted here"
    NOTHING = "Nothing accepted here yet."
    KEYS = (
        ("u", "take back, or do again"),
        ("Up Down", "choose"),
        ("PgDn", "read on"),
        ("Esc", "close"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        # before the list, where Enter only selects
        Binding("u,enter", "turn", "take back, or do again", show=False, priority=True)
    ]

    def __init__(
        self, controller: Controller, main: Host, journal: JournalActions, pending: CancellableWork
    ) -> None:
        super().__init__()
        self._controller = controller
        self._main = main
        self._journal = journal
        self._pending = pending

    def read(self) -> Sequence[JournaledBatch]:
        """See `Browser`."""
        return self._controller.session.past.log()

    def describe(self, item: JournaledBatch) -> Sequence[Words]:
        """See `Browser`."""
        entry = item.entry
        sign, color = _SIGNS[item.state.value]
        paths = ", ".join(file.path for file in entry.files) or "no files"
        return (
            (f"{sign} ", color),
            (f"{entry.time.astimezone():%Y-%m-%d %H:%M}  ", "faint"),
            (" ".join(entry.description.split()), "text"),
            (f"  {item.state.value}", color),
            (f"  {paths}  {entry.id}", "muted"),
        )

    def patch(self, item: JournaledBatch) -> str:
        """See `Browser`."""
        return self._controller.session.past.patch(item)

    def action_turn(self) -> None:
        """Undo the chosen batch, or redo it."""
        if self.chosen is not None:
            beside(self, partial(self._turn, self.chosen), "turn")

    async def _turn(self, batch: JournaledBatch) -> None:
        work = partial(self._controller.session.past.preview, batch)
        try:
            words = await self._journal.carry_out(
                self._controller, self, work, back=bool(batch.in_force)
            )
        except SparkError as e:
            self.say(str(e), look="error")
            return
        if words is not None:
            self.say(words)
            self._main.say(words)  # to be read once the log is closed
            self.reload()

    def paint_words(self) -> None:
        """Show what the keys do now; see `CancellableWork`."""
        if self.is_attached:
            self.show_keys(self._pending.hints)


_LOOKS = {
    "ok": "ok",
    "unsure": "warning",
    "abstained": "warning",
    "interrupted": "warning",
    "running": "faint",
}


class ResumeScreen(Browser[EarlierTurn, EarlierTurn | None]):
    """Enter brings the instruction back.

    Args:
        session_id: The id of the only session to show, or the beginning of the id; "": all.
    """

    HEADLINE = "Earlier turns in this repository"
    NOTHING = "No turns from earlier sessions here."
    KEYS: ClassVar[tuple[Words, ...]] = (
        ("Enter", "bring its words back"),
        ("Up Down", "choose"),
        ("PgDn", "read on"),
        ("Esc", "close"),
    )

    def __init__(self, controller: Controller, session_id: str = "") -> None:
        super().__init__()
        self._controller = controller
        self._session_id = session_id

    def read(self) -> Sequence[EarlierTurn]:
        """See `Browser`."""
        return self._controller.session.past.turns(self._session_id)

    def describe(self, item: EarlierTurn) -> Sequence[Words]:
        """See `Browser`."""
        turn = item.turn
        state_look = "ok" if item.state == "applied" else "faint"
        return (
            (f"{turn.time.astimezone():%Y-%m-%d %H:%M}  ", "faint"),
            (" ".join(turn.instruction.split()), "text"),
            (f"  {turn.status}", _LOOKS.get(turn.status, "muted")),
            (f"  {item.state}", state_look),
            (f"  {turn.path}:{turn.start_line}-{turn.end_line}", "muted"),
        )

    def patch(self, item: EarlierTurn) -> str:
        """See `Browser`."""
        turn = item.turn
        message = f"{turn.message}\n" if turn.message else ""
        result = ""
        if not turn.patch:
            result = "; it proposed nothing"
        elif not turn.journal_ids:
            result = " of what it proposed:"
        return f"session {item.session_id}: {item.state}{result}\n{message}\n{turn.patch}"

    @on(OptionList.OptionSelected)
    def _on_selected(self) -> None:
        self.dismiss(self.chosen)


def describe_turn(earlier: EarlierTurn) -> str:
    """Describe a turn whose words were brought back."""
    turn = earlier.turn
    when = f"{turn.time.astimezone():%Y-%m-%d %H:%M}"
    where = f"{turn.path}:{turn.start_line}-{turn.end_line}"
    return f"asked {when} about {where}: {earlier.state}"


class DoctorScreen(Browser[str, None]):
    """The findings, one a line; the whole of the chosen one below.

    Args:
        look: Makes the findings, in a thread.
    """

    HEADLINE = "Doctor"
    NOTHING = "Nothing was found."
    KEYS = (("Up Down", "choose"), ("Esc", "close"))

    def __init__(self, look: Callable[[], Sequence[str]]) -> None:
        super().__init__()
        self._look = look

    def read(self) -> Sequence[str]:
        """See `Browser`."""
        return self._look()

    def describe(self, item: str) -> Sequence[Words]:
        """See `Browser`."""
        name = "text"
        if item.startswith("FAIL"):
            name = "error"
        elif item.startswith("note"):
            name = "warning"
        return [(item, name)]

    def patch(self, item: str) -> str:
        """See `Browser`."""
        # A finding is one line of clauses, which are easier to read below each other.
        return "\n".join(part.strip() for part in item.split(";"))
