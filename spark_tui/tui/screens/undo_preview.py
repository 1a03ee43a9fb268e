"""What an undo or a redo will do, shown before it does; and what stands in its way, all versions side by side."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Static

from spark_tui.errors import Conflict
from spark_tui.marks import visible
from spark_tui.tui.keymap import Keymap
from spark_tui.tui.looks import look
from spark_tui.tui.screens.cancellable_work import Asker, CancellableWork
from spark_tui.tui.screens.sheet import Clock, Sheet, Write
from spark_tui.tui.screens.small import ROOMY
from spark_tui.tui.widgets.bar import Keys, keys
from spark_tui.tui.widgets.patch import PatchView

if TYPE_CHECKING:
    from spark_tui.vcs.preview import Chosen, Preview

_MOST_FILES = 6
_MOST_ROWS = 14
_ABREAST = 120
"""Columns from which three versions stand side by side."""
_TELLING = 13
"""Rows from which what clashes is told, too, above the lines that can be chosen."""
_CLASH = re.compile(r"^(.+:\d+): - is there now, \+ is what would take its place, = is what both come from$")
_SIDES = "-=+"


class TurnScreen(Sheet[bool]):
    """The key that asked for it does it, and so does Enter; Esc does not, nor do words: they go where words belong.

    Args: preview: what it comes to. clock: see `Sheet`. keys: those in force. write: puts words into the prompt.
    """

    DEFAULT_CSS = "TurnScreen #sheet { width: 84; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("u", "do_it(True)", "undo it", show=False, id="journal.undo"),
        Binding("ctrl+r", "do_it(False)", "redo it", show=False, id="journal.redo"),
        Binding("enter", "do_it", "do it", show=False),
        Binding("escape,n,q", "dismiss(False)", "leave it", show=False),
        Binding("pagedown,j,down", "page(1)", show=False),
        Binding("pageup,k,up", "page(-1)", show=False),
    ]

    def __init__(self, preview: "Preview", clock: Clock, keys: Keymap, write: Write) -> None:
        super().__init__(clock, write)
        self._preview, self._keys = preview, keys

    def compose(self) -> ComposeResult:
        """From top to bottom."""
        with Vertical(id="sheet"):
            yield Static(id="told")
            yield PatchView()
            yield Keys()

    def on_mount(self) -> None:
        """Colours are known once the screen is mounted."""
        patch = self._preview.patch.decode("utf-8", "surrogateescape") or "the files are already as they would be"
        self.query_one(PatchView).show(patch)
        self.on_resize()
        action, does = ("journal.undo", "take it back") if self._preview.back else ("journal.redo", "redo it")
        self.query_one(Keys).show(
            keys((f"{self._keys.shown(action, most=1)} Enter".strip(), does), ("Esc", "leave it"))
        )

    def on_resize(self) -> None:
        """Leave the rows to the patch that the other words do not need; where few are left they begin at a change."""
        low, view = self.app.size.height < ROOMY, self.query_one(PatchView)
        files = self._files(1 if low else _MOST_FILES)
        self.query_one("#told", Static).update(files)
        others = files.plain.count("\n") + (2 if low else 6)
        rows = max(1, min(_MOST_ROWS, len(view.lines), self.app.size.height - others))
        view.styles.height = rows
        if view.first_change >= rows:
            self.call_after_refresh(view.scroll_to, y=view.first_change - 1, animate=False)

    def action_do_it(self, back: bool | None = None) -> None:
        """Do it, unless the user cannot have read it, or pressed the key for the other direction."""
        if back in {None, self._preview.back} and self.can_be_meant:
            self.dismiss(True)

    def action_page(self, step: int) -> None:
        """Read on."""
        view = self.query_one(PatchView)
        view.scroll_to(y=view.scroll_offset.y + step * max(1, view.size.height - 1), animate=False)

    def _files(self, most: int) -> Text:
        preview, files = self._preview, self._preview.files
        words = " ".join(preview.subject.description.split())
        sheet = Text(no_wrap=True, overflow="ellipsis")
        sheet.append("Take back" if preview.back else "Redo", look(self, "accent"))
        sheet.append(f" “{visible(words)}”", look(self, "text"))
        for each in files[:most]:
            sheet.append(f"\n{visible(each.path)}", look(self, "text"))
            sheet.append(f"  +{each.added}", look(self, "added")).append(f" −{each.removed}", look(self, "removed"))
        if len(files) > most:
            sheet.append(f"\nand {len(files) - most} more", look(self, "muted"))
        if preview.warning:
            sheet.append(f"\n{visible(preview.warning)}", look(self, "warning"))
        return sheet


class Choice(Enum):
    """Which of two versions is to be in the file."""

    KEEP = "keep"
    TAKE = "take"


class ConflictScreen(Sheet[Choice | None]):
    """The lines that were edited since: as they are now, as they were before, and as they would be.

    Args: conflict: with what clashes in its detail. choices: what the user can choose, and how that is called. clock:
        see `Sheet`.
    """

    DEFAULT_CSS = """
    ConflictScreen {
        #sheet { width: 96%; }
        #sides { height: auto; }
        PatchView { width: 1fr; }
    }
    ConflictScreen.-narrow #sides { layout: vertical; }
    ConflictScreen.-tight #sheet { width: 100%; padding: 1 0; }
    ConflictScreen.-tight #told { padding: 0 1 1 1; }
    ConflictScreen.-tight PatchView { padding: 0 0 0 1; }
    ConflictScreen.-tight Keys { padding: 0 1; }
    """
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (_ABREAST, "-tight"), (160, "-wide")]  # noqa: RUF012 - declared so in Screen
    """In three columns of a screen of 120 there is just room for lines of 39, where nothing else takes any."""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter,q", "dismiss", "close", show=False),
        Binding("k", "choose('keep')", "keep what is there", show=False),
        Binding("t", "choose('take')", "take the other", show=False),
    ]

    def __init__(self, conflict: "Conflict", choices: Mapping[Choice, str], clock: Clock, write: Write = None) -> None:
        super().__init__(clock, write)
        self._words, self._detail = conflict.fact if choices else str(conflict), conflict.detail
        self._choices = choices

    def compose(self) -> ComposeResult:
        """From top to bottom."""
        with Vertical(id="sheet"):
            yield Static(id="told")
            with Horizontal(id="sides"):
                for _ in sides(self._detail):
                    yield PatchView()
            yield Keys()

    def on_mount(self) -> None:
        """Colours are known once the screen is mounted."""
        self.query_one("#told", Static).update(Text(visible(self._words), look(self, "error")))
        for view, lines in zip(self.query(PatchView), sides(self._detail), strict=True):
            view.show("\n".join(lines))
        choices = [(choice.value[0], does) for choice, does in self._choices.items()]
        self.query_one(Keys).show(keys(*choices, ("Esc", "close; nothing was written")))

    def on_resize(self) -> None:
        """Where hardly a row is left, what can be chosen says enough; one below the other they share the rows."""
        width, height = self.app.size
        self.query_one("#told").display = not self._choices or height >= _TELLING
        most = _MOST_ROWS if width >= _ABREAST else max(1, min(_MOST_ROWS, height // 5))
        for view in self.query(PatchView):
            view.styles.height = min(most, len(view.lines))

    def action_choose(self, which: str) -> None:
        """Have one of the versions, where that can be chosen and the user can have read them."""
        if Choice(which) in self._choices and self.can_be_meant:
            self.dismiss(Choice(which))


async def previewed(
    asker: Asker, preparing: CancellableWork, work: "Callable[[Chosen | None], Preview]", clock: Clock, *, back: bool
) -> "tuple[Preview, bool] | None":
    """What an undo or a redo comes to; where it clashes with what was edited since, the user says what it is to be.

    Args: asker: the screen that it is for. work: may wait for the disk; hears of what was chosen.
    Returns: that, and whether it was chosen to keep what is there; None: it is left. Raises: SparkError.
    """
    from spark_tui.vcs.preview import Chosen  # noqa: PLC0415 - the first paint does not wait for it

    chosen, choices = None, {Choice.KEEP: "keep what is there", Choice.TAKE: "back to before" if back else "the edit"}
    while True:
        try:
            what, kept = "undo" if back else "redo", chosen is not None and chosen.keep
            return await preparing.work(what, partial(work, chosen), asker), kept
        except Conflict as e:
            if not e.detail:
                raise
            choice = await asker.app.push_screen_wait(ConflictScreen(e, choices if e.choosable else {}, clock))
            if choice is None:
                if not e.choosable:
                    raise
                return None
            chosen = Chosen(e.detail, keep=choice is Choice.KEEP)


def sides(detail: str) -> list[Sequence[str]]:
    """What is there now, what both come from, what would take its place, line beside line; or a patch, as one."""
    lines = detail.splitlines()
    if not any(map(_CLASH.match, lines)):
        return [lines]
    return [list(side) for side in zip(*_beside(lines), strict=True)]


def _beside(lines: Sequence[str]) -> Iterator[tuple[str, ...]]:
    heads = [number for number, line in enumerate(lines) if _CLASH.match(line)]
    for start, stop in zip(heads, [*heads[1:], len(lines)], strict=True):
        head = _CLASH.match(lines[start])
        assert head is not None
        yield f"{head[1]} now", "what both come from", "what would take its place"
        sides = dict[str, list[str]]({mark: [] for mark in _SIDES})
        mark = "-"
        for line in lines[start + 1 : stop]:
            mark = line[0] if line[:1] in sides else mark
            sides[mark].append(line)
        yield from zip_longest(*sides.values(), fillvalue="")
