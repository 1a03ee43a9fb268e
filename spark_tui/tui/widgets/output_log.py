"""The output of a command, and a patch as text.

`OutputLog` keeps the last lines of a program, safe to show, and scrolls to their end unless the
user went elsewhere. `PatchView` shows the lines of a patch with odd characters marked; only those
on the screen are drawn.
"""

import re  # noqa: TID251 - reads characters as such
from codecs import getincrementaldecoder

from rich.segment import Segment
from textual.binding import Binding
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from spark_tui.safe_text import visible
from spark_tui.tui.themes import look
from spark_tui.tui.widgets.highlight import Ink, inked

MOST_LINES = 5000
_LONGEST = 1000
"""Characters of a line that are shown."""
_STEERING = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()#][0-9A-Za-z]|[=>78DEHMNOZc])"
)
"""Sequences for colors, titles and moves; they are left out, as only a terminal can obey them."""
_DRAWS = re.compile(rb"\x1b\[(?:\?(?:47|1047|1049)h|\d+;\d+H)")
"""The program opens the alternate screen, or moves the cursor to a row and column."""


class OutputLog(ScrollView, can_focus=True):
    """Lines of output; `count` is how many came, kept or not."""

    DEFAULT_CSS = """
    OutputLog {
        background: $spark-surface;
        padding: 0 1;
        scrollbar-size-vertical: 1;
        scrollbar-size-horizontal: 0;
    }
    """
    BINDINGS = [  # noqa: RUF012 - declared so in Widget
        Binding("j", "scroll_down", show=False),
        Binding("k", "scroll_up", show=False),
        Binding("g", "scroll_home", show=False),
        Binding("G", "scroll_end", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._decoder = getincrementaldecoder("utf-8")("surrogateescape")
        self._lines: list[str] = []
        self._rest = ""
        self.count = 0
        self.draws = False
        """Whether the program draws a full screen, which lines cannot show."""

    def add(self, data: bytes, *, begins_anew: bool = False) -> None:
        """Show more output.

        Args:
            begins_anew: Whether some output before this was left out.
        """
        if begins_anew:
            self._keep(["… (some of the output was left out)"])
        if data:
            self.draws = self.draws or bool(_DRAWS.search(data))
            *lines, self._rest = (self._rest + self._decoder.decode(data)).split("\n")
            # A progress bar may write megabytes without a line end. More than is shown is kept, as
            # sequences and what carriage returns overwrite will be removed.
            self._rest = self._rest[-(_LONGEST * 8) :]
            self._keep(lines)

    def clear(self) -> None:
        """Forget the output: what comes now belongs to another run."""
        self._decoder.reset()
        self._lines.clear()
        self._rest = ""
        self.count = 0
        self.draws = False
        self._keep([])

    def end(self) -> None:
        """Keep the last line, although no line end came."""
        rest = self._rest
        self._rest = ""
        if rest:
            self._keep([rest])

    @property
    def words(self) -> str:
        """All the text, for tests and screen readers."""
        return "\n".join([*self._lines, *self._unfinished])

    @property
    def _unfinished(self) -> list[str]:
        """The line that is being written, if one is."""
        return [shown(self._rest)] if self._rest else []

    def _keep(self, lines: list[str]) -> None:
        at_end = self.scroll_offset.y >= self.max_scroll_y
        self.count += len(lines)
        self._lines += map(shown, lines[-MOST_LINES:])
        del self._lines[:-MOST_LINES]
        # The line without an end takes a row, too.
        self.virtual_size = Size(self.size.width, len(self._lines) + bool(self._rest))
        if at_end:
            self.scroll_to(y=self.max_scroll_y, animate=False, force=True, immediate=True)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Draw one line."""
        row = y + self.scroll_offset.y
        style = look(self, "panel") + look(self, "text")
        if row < len(self._lines):
            text = self._lines[row]
        else:
            text = "".join(self._unfinished[row - len(self._lines) :][:1])
        return Strip([Segment(text, style)]).adjust_cell_length(self.size.width, style)


def shown(line: str) -> str:
    """A line as a terminal would show it in the end: a carriage return starts the line anew."""
    plain = _STEERING.sub("", line[-(_LONGEST * 8) :]).rstrip("\r").rpartition("\r")[2].expandtabs()
    return visible(plain[:_LONGEST]) + ("…" if len(plain) > _LONGEST else "")


_LOOKS = {"+": "added", "-": "removed", "@": "accent", " ": "muted", "=": "muted"}
_HASHES = "index "
_HEADS = (
    "diff --git",
    "--- ",
    "+++ ",
    "new file",
    "deleted file",
    "similarity",
    "rename",
    "old mode",
)
_CUT = "›"
_MOST_CHARACTERS = 4
"""The most characters in a cell: combining ones take no cell of their own."""


class PatchView(ScrollView, can_focus=True):
    """Shows a patch, or words where there is none."""

    DEFAULT_CSS = """
    PatchView {
        background: $spark-background;
        color: $spark-muted;
        scrollbar-size-vertical: 1;
        overflow-x: hidden;
        padding: 0 1;
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self.lines: tuple[str, ...] = ()

    def show(self, patch: str) -> None:
        """Show a patch from its top, without the `index` lines, whose blob names help nobody."""
        lines = patch.removesuffix("\n").split("\n")
        self.lines = tuple(line for line in lines if not line.startswith(_HASHES))
        self.virtual_size = Size(self.size.width, len(self.lines))
        self.scroll_to(y=0, animate=False)
        self.refresh()

    @property
    def first_change(self) -> int:
        """The first line that is added or removed; 0 where none is."""
        # The heads of a file also begin with + or -.
        changed = (at for at, line in enumerate(self.lines) if line.startswith(("+", "-")))
        return next((at for at in changed if not self.lines[at].startswith(_HEADS)), 0)

    def render_line(self, y: int) -> Strip:
        """Draw one row of the screen."""
        width = self.scrollable_content_region.width
        index = y + self.scroll_offset.y
        if index >= len(self.lines):
            return Strip.blank(width, look(self, "page"))
        line = self.lines[index]
        name = _LOOKS.get(line[:1], "text")
        if line.startswith(_HEADS):
            name = "faint"
        style = look(self, "page") + look(self, name)
        marked = style + look(self, "warning")
        segments = []
        for text, ink in inked(line[: width * _MOST_CHARACTERS]):
            ink_style = marked if ink is Ink.MARK else style
            segments.append(Segment(text, ink_style))
        drawn = Strip(segments)
        # The last column becomes a sign that the line goes on.
        if drawn.cell_length > width > 1:
            drawn = Strip([*drawn.crop(0, width - 1), Segment(_CUT, style + look(self, "faint"))])
        return drawn.adjust_cell_length(width, style)
