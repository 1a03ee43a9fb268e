"""A small editor over a hunk, for the text it proposes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from textual import events
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.containers import Vertical
from textual.geometry import Region
from textual.screen import ModalScreen
from textual.widgets import TextArea

from spark_tui.marks import is_plain
from spark_tui.tui.marks import TAB_WIDTH
from spark_tui.tui.pastes import as_lines
from spark_tui.tui.widgets.bar import Bar, Piece, keys

_FRAME = 2
"""Rows besides the text: the head and the keys."""


def editable_here(lines: Sequence[str]) -> bool:
    """Whether these lines are all text that shows; others would not come back as they were."""
    return all(is_plain(line.replace("\t", "")) for line in lines)


@dataclass(frozen=True, slots=True)
class Edited:
    """The text as it was left. Args: outside: whether to go on in the user's own editor. later: whether to go on with
    it at the next edit, and to propose nothing now.
    """

    lines: tuple[str, ...]
    outside: bool = False
    later: bool = False


class HunkEditor(TextArea):
    """The text; all of it shows, whatever is pasted."""

    DEFAULT_CSS = """
    HunkEditor, HunkEditor:focus {
        height: 1fr; padding: 0 1; border: none; background: $spark-background; color: $spark-text;
        scrollbar-size: 0 1;
        .text-area--cursor-line { background: $spark-background; }
        .text-area--gutter { color: $spark-faint; background: $spark-background; }
    }
    HunkEditor:dark .text-area--cursor, HunkEditor:light .text-area--cursor {
        background: $spark-accent; color: $spark-background;
    }
    """

    def on_key(self, event: events.Key) -> None:
        """A new line begins as far in as the one before; what ends the edit waits for what was typed before it."""
        if not isinstance(self.screen, EditScreen):
            return
        does: dict[str, Callable[[], object]] = {
            "ctrl+s": self.screen.keep,
            "ctrl+g": self.screen.go_outside,
            "escape": self.screen.dismiss,
        }
        if event.key == "enter" or event.key in does:
            event.stop()
            event.prevent_default()
        if event.key in does:
            does[event.key]()
        elif event.key == "enter":
            line = self.document.get_line(self.cursor_location[0])[: self.cursor_location[1]]
            self._put("\n" + line[: len(line) - len(line.lstrip())])

    def on_paste(self, event: events.Paste) -> None:
        """Take what is pasted as text that shows."""
        event.stop()
        event.prevent_default()
        self._put(as_lines(event.text, keep="\t"))

    def _put(self, text: str) -> None:
        if done := self._replace_via_keyboard(text, *self.selection):
            self.move_cursor(done.end_location)


class EditScreen(ModalScreen[Edited | None]):
    """Enter breaks the line, Ctrl+S keeps the text, Ctrl+G goes on in the user's own editor; Esc leaves a text that was
    changed for later, and gives up one that was not.

    Args: lines: to begin with. place: tells where the hunk is on the screen. first: the number of the first line.
        draft: whether the lines are what the user wrote and not what is proposed.
    """

    DEFAULT_CSS = """
    EditScreen {
        background: $spark-background 30%;
        #sheet { background: $spark-surface; }
    }
    """

    def __init__(self, lines: Sequence[str], place: Callable[[], Region], first: int, *, draft: bool) -> None:
        super().__init__()
        self._head = "your draft for this hunk" if draft else "what this hunk proposes"
        self._text, self._place, self._first = "\n".join(lines), place, first

    def compose(self) -> ComposeResult:
        """From top to bottom."""
        with Vertical(id="sheet"):
            yield Bar(id="head")
            yield HunkEditor(
                self._text,
                compact=True,
                show_line_numbers=True,
                line_number_start=self._first,
                highlight_cursor_line=False,
                tab_behavior="indent",
                soft_wrap=False,
            )
            yield Bar(id="keys")

    def on_mount(self) -> None:
        """Lie over the hunk, and as much lower as the text needs."""
        self.query_one("#head", Bar).show([Piece(self._head, "accent")])
        self._show_keys()
        self.editor.cursor_blink = False
        self.editor.indent_width = TAB_WIDTH
        self.editor.focus()
        self._lay_out()

    @property
    def editor(self) -> HunkEditor:
        """Where the text is."""
        return self.query_one(HunkEditor)

    def on_resize(self) -> None:
        """Stay over the hunk, wherever the screen below has it now."""
        self.call_after_refresh(self._lay_out)

    def on_text_area_changed(self) -> None:
        """Grow with the text."""
        self._lay_out()
        self._show_keys()

    def dismiss(self, result: Edited | None = None) -> AwaitComplete:
        """Close it; whatever does so, what was written is not lost."""
        later = Edited(self._lines, later=True) if self._changed else None
        return super().dismiss(result or later)

    def keep(self) -> None:
        """The text as it is now."""
        self.dismiss(Edited(self._lines))

    def go_outside(self) -> None:
        """On to the user's editor."""
        self.dismiss(Edited(self._lines, outside=True))

    @property
    def _changed(self) -> bool:
        return self.editor.text != self._text

    def _show_keys(self) -> None:
        escape = ("Esc", "leave it for later" if self._changed else "give up")
        self.query_one("#keys", Bar).show(keys(("Ctrl+S", "keep"), ("Ctrl+G", "your editor"), escape))

    @property
    def _lines(self) -> tuple[str, ...]:
        text = self.editor.text
        return tuple(text.split("\n")) if text else ()

    def _lay_out(self) -> None:
        sheet, place = self.query_one("#sheet", Vertical), self._place()
        height = min(self.size.height, self.editor.document.line_count + _FRAME)
        sheet.styles.width = min(place.width, self.size.width)
        sheet.styles.height = height
        sheet.styles.offset = (place.x, max(0, min(place.y - 1, self.size.height - height)))
