"""Screens that show a list and, below it, the patch of what is chosen in it."""

import asyncio
from abc import abstractmethod
from collections.abc import Awaitable, Callable, Sequence
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
from spark_tui.marks import visible
from spark_tui.tui.looks import look
from spark_tui.tui.widgets.bar import Bar, Piece, keys
from spark_tui.tui.widgets.note import Note
from spark_tui.tui.widgets.patch import PatchView

Item = TypeVar("Item")
Result = TypeVar("Result")
Words = tuple[str, str]
"""A text and what it looks like."""


def beside(node: DOMNode, do: Callable[[], Awaitable[None]], group: str) -> None:
    """Do this beside the interface; what the group still did before is given up."""
    node.run_worker(do, group=group, exclusive=True)


class Picker(OptionList):
    """A list of lines; j and k move, too."""

    DEFAULT_CSS = """
    Picker, Picker:focus {
        background: $spark-background; background-tint: transparent; border: none; padding: 0; color: $spark-text;
        scrollbar-size-vertical: 1; text-wrap: nowrap; text-overflow: ellipsis;
        & > .option-list--option { padding: 0 1; }
        & > .option-list--option-highlighted { background: $spark-cursor; color: $spark-text; text-style: none; }
    }
    Picker:ansi > .option-list--option-highlighted, Picker:ansi:focus > .option-list--option-highlighted {
        text-style: reverse;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "cursor_down", show=False),
        Binding("k", "cursor_up", show=False),
    ]


class Browser(Screen[Result], Generic[Item, Result]):
    """A list, the patch of what is chosen, and the keys. Esc and q close it; Tab moves between list and patch.

    What is read from the disk is read in threads.
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
        Binding("pagedown,ctrl+d", "page(1)", "page down", show=False, priority=True),
        Binding("pageup,ctrl+u", "page(-1)", "page up", show=False, priority=True),
    ]
    HEADLINE: ClassVar[str] = ""
    NOTHING: ClassVar[str] = ""
    """What is shown where the list is empty."""
    KEYS: ClassVar[tuple[Words, ...]] = ()

    def __init__(self) -> None:
        super().__init__()
        self.items: Sequence[Item] = ()

    @abstractmethod
    def read(self) -> Sequence[Item]:
        """All there is to choose from. Called in a thread. Raises: SparkError."""

    @abstractmethod
    def describe(self, item: Item) -> Sequence[Words]:
        """An item as one line."""

    @abstractmethod
    def patch(self, item: Item) -> str:
        """What to show below it. Called in a thread. Raises: SparkError."""

    def compose(self) -> ComposeResult:
        """From top to bottom."""
        yield Bar(id="title")
        yield Picker()
        yield PatchView()
        yield Note()
        yield Bar(id="keys")

    def on_mount(self) -> None:
        """Read the list."""
        self.query_one("#title", Bar).show([Piece(self.HEADLINE, "accent", 9)])
        self.show_keys()
        self.reload()

    @property
    def picker(self) -> Picker:
        """The list."""
        return self.query_one(Picker)

    @property
    def chosen(self) -> Item | None:
        """What is highlighted, if anything is."""
        at = self.picker.highlighted
        return self.items[at] if at is not None and at < len(self.items) else None

    def reload(self) -> None:
        """Read the list anew; the same place stays highlighted."""
        beside(self, self._fill, "list")

    def say(self, words: str, *, look: str = "") -> None:
        """Show a message, or none."""
        self.query_one(Note).say(words, look=look)

    def show_keys(self, instead: Sequence[Piece] = ()) -> None:
        """Show what the keys do. Args: instead: of that, for the moment."""
        self.query_one("#keys", Bar).show(instead or keys(*self.KEYS))

    def action_page(self, step: int) -> None:
        """Move through the patch, wherever the focus is."""
        view = self.query_one(PatchView)
        view.scroll_relative(y=step * max(1, view.size.height - 2), animate=False)

    async def _fill(self) -> None:
        try:
            self.items = await asyncio.to_thread(self.read)
        except SparkError as e:
            self.say(str(e), look="error")
        if not self.is_attached:
            return
        self._list()
        self.set_class(not self.items, "-empty")
        if self.items:
            self.picker.focus()
            self._show_chosen()
        else:
            self.query_one(PatchView).show(self.NOTHING)

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
        if self.is_attached and self.chosen is item:
            self.query_one(PatchView).show(patch or "no patch was kept")
