"""The sheet before a commit: the files, and a message that the user can change."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Static

from spark_tui.safe_text import visible
from spark_tui.tui.keymap import Keymap
from spark_tui.tui.screens.modals import Sheet
from spark_tui.tui.themes import look
from spark_tui.tui.widgets.prompt import Prompt
from spark_tui.tui.widgets.status_bars import KeyHints, keys

if TYPE_CHECKING:
    from spark_tui.session.staging import Offer

_MOST_FILES = 8
_STAGE = "Ctrl+S"
_CANCEL = "Esc"
_KEYS = (
    ("Enter", "commit{all_the_same}"),
    (_STAGE, "stage only"),
    ("{prompt.newline}", "new line"),
    (_CANCEL, "cancel"),
)


@dataclass(frozen=True, slots=True)
class CommitChoice:
    """The decision of the user.

    Args:
        message: The message as it was written.
        commit: Whether to commit; otherwise the files are only staged.
    """

    message: str
    commit: bool = True


class CommitScreen(Sheet[CommitChoice | None]):
    """Enter commits, Ctrl+S only stages, Esc does neither.

    Args:
        offer: What is to be committed.
        keymap: The keys in force.
        own: A message that the user wrote for an earlier commit that was not made, or "".
    """

    DEFAULT_CSS = """
    CommitScreen {
        #note { height: auto; max-height: 4; margin: 0 0 1 0; }
        #warning { height: auto; max-height: 6; margin: 0 0 1 0; color: $spark-warning; }
    }
    CommitScreen.-low #question { max-height: 3; }
    CommitScreen.-low #warning { margin: 0; max-height: 3; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "stage", "stage only", show=False),
        Binding("escape", "dismiss", "cancel", show=False),
    ]

    def __init__(self, offer: "Offer", keymap: Keymap, *, own: str = "") -> None:
        super().__init__()
        self._keymap = keymap
        self._offer = offer
        self._own = bool(own)
        self._message = own or offer.message
        self._hindrance = offer.hindrance

    def compose(self) -> ComposeResult:
        """The widgets, from top to bottom."""
        with Vertical(id="sheet"):
            yield Static(id="question")
            if self._offer.note:
                yield Static(Text(visible(self._offer.note), look(self, "muted")), id="note")
            if self._offer.warning:
                yield Static(Text(visible(self._offer.warning)), id="warning")
            if self._hindrance:
                yield Static(Text(visible(self._hindrance), look(self, "error")), id="hindrance")
            else:
                with Horizontal(id="writing"):
                    yield Static("›", id="mark")
                    yield Prompt(self._message, placeholder="say what this commit does")
            yield KeyHints()

    def on_mount(self) -> None:
        """Fill the sheet: colors are known once the screen is mounted."""
        self.query_one("#question", Static).update(self._files())
        anyway = " anyway" if self._offer.warning else ""
        hints = []
        for key, does in _KEYS:
            # What hinders a commit, such as a merge under way, need not hinder staging.
            hindered = bool(self._hindrance) and key not in {_STAGE, _CANCEL}
            if hindered or (key == _STAGE and not self._offer.stages):
                continue
            hints.append((self._keymap.fill(key, most=1), does.format(all_the_same=anyway)))
        self.query_one(KeyHints).show(keys(*hints))
        if not self._hindrance:
            self.query_one(Prompt).focus()
            # An offered message is replaced by the first letter; the user's own must not be.
            if not self._own:
                self.query_one(Prompt).offer()

    def action_stage(self) -> None:
        """Stage, and leave the commit to the user."""
        if not self._offer.stages:
            return
        message = self._message
        if not self._hindrance:
            message = self.query_one(Prompt).full
        self.dismiss(CommitChoice(message, commit=False))

    @on(Prompt.Sent)
    def _on_sent(self, event: Prompt.Sent) -> None:
        """Commit with the message; without words nothing happens, as git refuses that too."""
        event.stop()
        if event.text.strip():
            self.dismiss(CommitChoice(event.text))

    def _files(self) -> Text:
        paths = self._offer.paths[:_MOST_FILES]
        more = len(self._offer.paths) - _MOST_FILES
        # With a hindrance, `where` may be more than a branch: "merging on main".
        on = "," if self._hindrance else " on"
        sheet = Text(
            f"Commit{on} {visible(self._offer.where)}",
            look(self, "accent"),
            no_wrap=True,
            overflow="ellipsis",
        )
        for path in paths:
            sheet.append(f"\n{visible(path)}", look(self, "text"))
        if more > 0:
            sheet.append(f"\nand {more} more", look(self, "muted"))
        return sheet
