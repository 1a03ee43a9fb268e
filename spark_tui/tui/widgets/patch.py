"""A patch to look at: its lines as they are, safely marked, only those on the screen ever drawn."""

from rich.segment import Segment
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from spark_tui.tui.looks import look
from spark_tui.tui.marks import Ink, inked

_LOOKS = {"+": "added", "-": "removed", "@": "accent", " ": "muted", "=": "muted"}
_HASHES = "index "
_HEADS = ("diff --git", "--- ", "+++ ", "new file", "deleted file", "similarity", "rename", "old mode")
_CUT = "›"
_MOST_CHARACTERS = 4
"""In a cell: those that combine take none of their own."""


class PatchView(ScrollView, can_focus=True):
    """Shows a patch, or words where there is none."""

    DEFAULT_CSS = """
    PatchView {
        background: $spark-background; color: $spark-muted; scrollbar-size-vertical: 1; overflow-x: hidden;
        padding: 0 1;
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self.lines: tuple[str, ...] = ()

    def show(self, patch: str) -> None:
        """Show this patch from its top, but for the names of blobs, which tell nobody anything."""
        lines = patch.removesuffix("\n").split("\n")
        self.lines = tuple(line for line in lines if not line.startswith(_HASHES))
        self.virtual_size = Size(self.size.width, len(self.lines))
        self.scroll_to(y=0, animate=False)
        self.refresh()

    @property
    def first_change(self) -> int:
        """The first line that is added or removed; 0 where none is."""
        changed = (at for at, line in enumerate(self.lines) if line.startswith(("+", "-")))
        return next((at for at in changed if not self.lines[at].startswith(_HEADS)), 0)

    def render_line(self, y: int) -> Strip:
        """One row of the screen."""
        width, index = self.scrollable_content_region.width, y + self.scroll_offset.y
        if index >= len(self.lines):
            return Strip.blank(width, look(self, "page"))
        line = self.lines[index]
        style = look(self, "page") + look(self, "faint" if line.startswith(_HEADS) else _LOOKS.get(line[:1], "text"))
        marked = style + look(self, "warning")
        pieces = inked(line[: width * _MOST_CHARACTERS])
        drawn = Strip([Segment(text, marked if ink is Ink.MARK else style) for text, ink in pieces])
        if drawn.cell_length > width > 1:
            drawn = Strip([*drawn.crop(0, width - 1), Segment(_CUT, style + look(self, "faint"))])
        return drawn.adjust_cell_length(width, style)
