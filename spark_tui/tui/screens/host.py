"""What the parts of the main screen may use of it, of one another, and of the application.

They are built by the screen, which knows each of them; they know no more of it than stands here.
"""

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, overload

from textual.app import App
from textual.binding import ActiveBinding
from textual.dom import DOMNode
from textual.screen import Screen
from textual.timer import Timer
from textual.widget import Widget

from spark_tui.tui.keymap import Keymap
from spark_tui.tui.themes import Themes
from spark_tui.tui.view import Phase, TurnView
from spark_tui.tui.widgets.bar import Piece
from spark_tui.tui.widgets.prompt import Prompt
from spark_tui.tui.widgets.work import Work

if TYPE_CHECKING:
    from spark_tui.session.turn import Turn
    from spark_tui.tui.desk import Desk
    from spark_tui.tui.rows import HunkLike

T = TypeVar("T")
W = TypeVar("W", bound=Widget)


class Asker(Protocol):
    """A screen that a sheet is prepared for."""

    @property
    def app(self) -> App[Any]:
        """Where sheets are opened."""

    def say(self, words: str, *, look: str = "") -> None:
        """Say something in its line for that."""

    def paint_words(self) -> None:
        """Show which keys mean something now."""


class Prepares(Protocol):
    """See `CancellableWork`."""

    presses: int

    @property
    def hints(self) -> Sequence[Piece]:
        """What is being prepared, and the way out."""

    async def work(self, what: str, work: Callable[[], T], asker: Asker | None = None) -> T:
        """Work something out in a thread, for a sheet that opens then."""

    def tell(self, words: str) -> None:
        """Say what came of it though the user goes on with something else."""


class Sends(Protocol):
    """See `PromptDispatch`."""

    starting: bool
    sent: str
    reading_ahead: bool
    gave_up: bool

    @property
    def phase(self) -> Phase:
        """How the turn stands that begins, or the one that is there."""

    def send(self, text: str) -> None:
        """Begin a turn, redirect the one that runs, or go on with one that is paused."""

    def begin(self, desk: "Desk", text: str, begin: "Callable[[str], Turn]") -> None:
        """Begin a turn in the way that is given."""

    def ask_again(self, desk: "Desk", hunk: "HunkLike", text: str) -> None:
        """Have one hunk written anew, with other words."""

    def pause(self) -> bool:
        """Stop at the token."""

    def read_ahead(self) -> None:
        """Let the engine read what the prompt will begin with."""


class Decides(Protocol):
    """See `Deciding`."""

    busy: bool


class Varies(Protocol):
    """See `Varying`."""

    @property
    def has_others(self) -> bool:
        """Whether other answers are known."""


class Handles(Protocol):
    """See `HunkActions`."""

    @property
    def varying(self) -> Varies:
        """What steps to other answers."""

    def refuses(self) -> bool:
        """Whether what is on the screen may be about to change, and say so."""


class Helps(Protocol):
    """See `Helping`."""

    @property
    def choosing(self) -> bool:
        """Whether the user has begun to name something."""


class Looks(Protocol):
    """See `Looking`."""

    def takes(self, key: str) -> bool:
        """Whether a key in the empty prompt leads back into what was written, and do that."""

    def fix(self) -> bool:
        """Fix the half-written line, if that is where the cursor is."""

    def words_back(self, turn: "Turn | None") -> str:
        """Put what was typed into the history, where nothing came of that."""


class Holds(Protocol):
    """See `KeyGuard`."""

    def begin(self) -> None:
        """The review began, and took the focus from the prompt."""


class Watches(Protocol):
    """See `FileWatch`."""

    def judge(self) -> None:
        """See whether what the user made of the edit is sound."""


class Notices(Protocol):
    """See `Noticing`."""

    def show(self, desk: "Desk") -> None:
        """Show what the session wants the user to know."""

    def clear(self) -> None:
        """What could still be read is over."""


class Commands(Protocol):
    """See `Commanding`."""

    def choices(self, command: str) -> list[tuple[str, str]]:
        """What a command can take, with what each is."""

    def theme(self, name: str) -> None:
        """Change the colours."""


class Host(Asker, Protocol):
    """The main screen, as its parts know it."""

    desk: "Desk | None"
    clock: Callable[[], float]
    keys: Keymap
    disk: asyncio.Lock
    editing: bool

    @property
    def view(self) -> TurnView:
        """The turn that is on the screen."""

    @property
    def busy(self) -> bool:
        """Whether something is on its way to the disk or to the engine."""

    @property
    def idle(self) -> bool:
        """Whether nothing was begun yet, and nothing lies on top."""

    @property
    def prompt(self) -> Prompt:
        """Where instructions are written."""

    @property
    def bench(self) -> Work:
        """The diff and its hunks."""

    # Its parts, as they know one another

    @property
    def sending(self) -> Sends:
        """From the words in the prompt to a turn."""

    @property
    def deciding(self) -> Decides:
        """Accepting and rejecting."""

    @property
    def looking(self) -> Looks:
        """The look back."""

    @property
    def holding(self) -> Holds:
        """What keeps a key from deciding about what nobody can have seen."""

    @property
    def watching(self) -> Watches:
        """What is otherwise by now."""

    @property
    def noticing(self) -> Notices:
        """What the session wants the user to know."""

    @property
    def helping(self) -> Helps:
        """The list above the prompt."""

    @property
    def commanding(self) -> Commands:
        """What begins with / or !."""

    @property
    def handling(self) -> Handles:
        """The other keys of the review."""

    @property
    def preparing(self) -> Prepares:
        """Sheets that are worked out."""

    # What it shows and does for them

    def say(self, words: str, *, look: str = "", stays: bool = False, holds: Callable[[], bool] | None = None) -> None:
        """Show a message until the next key."""

    def said(self, words: str) -> bool:
        """Whether this is the message that can be read now."""

    def say_no_key(self, character: str) -> None:
        """Somebody wrote into the diff."""

    def write(self, text: str) -> None:
        """Put text into the prompt."""

    def paint(self) -> None:
        """Show everything as it is now."""

    def run_frames(self) -> None:
        """Something comes: paint until nothing does."""

    def action_escape(self) -> None:
        """Pause; when paused, drop what is unfinished; otherwise come back to the prompt."""

    # What it has from Textual

    @property
    def screen(self) -> Screen[Any]:
        """Itself, where Textual wants a screen."""

    @property
    def focused(self) -> Widget | None:
        """The widget that takes keys."""

    @property
    def is_active(self) -> bool:
        """Whether it is on top."""

    @property
    def is_current(self) -> bool:
        """Whether the user can see it."""

    @property
    def is_attached(self) -> bool:
        """Whether it is not closed."""

    @property
    def active_bindings(self) -> Mapping[str, ActiveBinding]:
        """What keys do now."""

    def run_worker(self, work: Coroutine[Any, Any, object], *, group: str = ..., exclusive: bool = ...) -> object:
        """Run what may wait."""

    def set_timer(self, delay: float, callback: Callable[[], object]) -> Timer:
        """Do something after a delay, in seconds."""

    @overload
    def query_one(self, selector: type[W]) -> W: ...
    @overload
    def query_one(self, selector: str, expect_type: type[W]) -> W: ...

    def notify(self, message: str, *, timeout: float | None = None, markup: bool = True) -> None:
        """Show a notice in a corner."""


class Application(Protocol):
    """The application, as its parts know it."""

    theme: str
    themes: Themes
    keys: Keymap

    @property
    def main(self) -> Host:
        """The main screen, whatever covers it."""

    @property
    def available_themes(self) -> Mapping[str, object]:
        """Those that can be used."""

    def push_screen(self, screen: Screen[T], callback: Callable[[T | None], None] | None = None) -> object:
        """Open a screen on top; the callback takes what it is closed with."""

    def run_worker(self, work: Coroutine[Any, Any, object]) -> object:
        """Run what may wait."""

    async def run_action(self, action: str, default_namespace: DOMNode | None = None) -> bool:
        """Do what a key would, by the name of the action."""

    def action_help(self) -> None:
        """Show the sheet of keys."""

    def action_change_theme(self) -> None:
        """Let the user choose the colours."""

    async def action_pace(self, name: str = "") -> None:
        """Show tokens at a pace."""

    def use_mouse(self, on: bool) -> None:
        """Have the terminal tell of the mouse, or not."""

    def lend_terminal(self) -> AbstractContextManager[None]:
        """Let a program of the user's own have the terminal."""

    def bell(self) -> None:
        """Ring."""
