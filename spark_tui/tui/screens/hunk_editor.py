"""Lets the user change a hunk: cut the hunk finer, leave lines out, rewrite the text.

`HunkShaper` carries the changes out; `EditScreen` is a small editor over the hunk.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar, cast
from weakref import WeakKeyDictionary

from textual import events
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.containers import Vertical
from textual.geometry import Region
from textual.screen import ModalScreen
from textual.widgets import TextArea

from spark_tui.errors import SparkError
from spark_tui.safe_text import is_plain
from spark_tui.session.accept import edit
from spark_tui.session.controller import Controller
from spark_tui.session.external import edit_outside, editor_of
from spark_tui.session.hunk_items import HunkLike, HunkState
from spark_tui.session.turn import Turn
from spark_tui.tui.pastes import as_lines
from spark_tui.tui.screens.cancellable_work import CancellableWork
from spark_tui.tui.screens.host import Host
from spark_tui.tui.screens.modals import CoveredApp
from spark_tui.tui.widgets.diff_rows import DiffRow, DiffRows, RowKind
from spark_tui.tui.widgets.highlight import TAB_WIDTH
from spark_tui.tui.widgets.status_bars import Bar, BarPiece, keys

_FRAME = 2
"""Rows besides the text: the head and the keys."""


def editable_here(lines: Sequence[str]) -> bool:
    """Whether all characters of these lines show; others would not survive the editor here."""
    # `is_plain` refuses a tab, which the editor handles well.
    return all(is_plain(line.replace("\t", "")) for line in lines)


@dataclass(frozen=True, slots=True)
class Edited:
    """The text as the user left it.

    Args:
        lines: The lines of the text.
        outside: Whether to continue in the user's own editor.
        later: Whether to keep the text for the next edit, and to propose nothing now.
    """

    lines: tuple[str, ...]
    outside: bool = False
    later: bool = False


class HunkEditor(TextArea):
    """The text area of the editor; every character in it shows, whatever is pasted."""

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
        """Indent a new line like the line before, and handle the keys that end the edit.

        These keys are handled here so that they act after the text that was typed before them.
        """
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
            # Only text left of the cursor counts: Enter at the start of a line indents nothing.
            line = self.document.get_line(self.cursor_location[0])[: self.cursor_location[1]]
            self._put("\n" + line[: len(line) - len(line.lstrip())])

    def on_paste(self, event: events.Paste) -> None:
        """Insert pasted text, with marks for the characters that do not show."""
        event.stop()
        event.prevent_default()
        self._put(as_lines(event.text, keep="\t"))

    def _put(self, text: str) -> None:
        if done := self._replace_via_keyboard(text, *self.selection):
            self.move_cursor(done.end_location)


class EditScreen(ModalScreen[Edited | None]):
    """The editor over a hunk.

    Enter breaks the line, Ctrl+S keeps the text, and Ctrl+G goes on in the user's own editor. Esc
    keeps a changed text for later, and gives up an unchanged one.

    Args:
        lines: The lines to begin with.
        place: Tells where the hunk is on the screen.
        first: The number of the first line.
        draft: Whether the user wrote the lines; otherwise they are the proposed ones.
    """

    DEFAULT_CSS = """
    EditScreen {
        background: $spark-background 30%;
        #sheet { background: $spark-surface; }
    }
    """

    def __init__(
        self, lines: Sequence[str], place: Callable[[], Region], first: int, *, draft: bool
    ) -> None:
        super().__init__()
        self._head = "your draft for this hunk" if draft else "what this hunk proposes"
        self._text = "\n".join(lines)
        self._place = place
        self._first = first

    def compose(self) -> ComposeResult:
        """The widgets, from top to bottom."""
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
        """Lie over the hunk, with as many rows as the text needs."""
        self.query_one("#head", Bar).show([BarPiece(self._head, "accent")])
        self._show_keys()
        self.editor.cursor_blink = False
        self.editor.indent_width = TAB_WIDTH
        self.editor.focus()
        self._lay_out()

    @property
    def editor(self) -> HunkEditor:
        """The text area."""
        return self.query_one(HunkEditor)

    def on_resize(self) -> None:
        """Stay over the hunk, wherever the screen below has it now."""
        self.call_after_refresh(self._lay_out)

    def on_text_area_changed(self) -> None:
        """Grow with the text."""
        self._lay_out()
        self._show_keys()

    def dismiss(self, result: Edited | None = None) -> AwaitComplete:
        """Close the editor; however it is closed, a changed text is kept for later."""
        later = Edited(self._lines, later=True) if self._changed else None
        return super().dismiss(result or later)

    def keep(self) -> None:
        """Close the editor, and propose the text as it is now."""
        self.dismiss(Edited(self._lines))

    def go_outside(self) -> None:
        """Close the editor, and continue in the user's own."""
        self.dismiss(Edited(self._lines, outside=True))

    @property
    def _changed(self) -> bool:
        return self.editor.text != self._text

    def _show_keys(self) -> None:
        escape = ("Esc", "leave it for later" if self._changed else "give up")
        self.query_one("#keys", Bar).show(
            keys(("Ctrl+S", "keep"), ("Ctrl+G", "your editor"), escape)
        )

    @property
    def _lines(self) -> tuple[str, ...]:
        text = self.editor.text
        # No text is no lines: a hunk may delete all of its old lines.
        return tuple(text.split("\n")) if text else ()

    def _lay_out(self) -> None:
        sheet = self.query_one("#sheet", Vertical)
        place = self._place()
        # The head takes the row above the hunk. Near the lower edge the sheet moves up.
        height = min(self.size.height, self.editor.document.line_count + _FRAME)
        sheet.styles.width = min(place.width, self.size.width)
        sheet.styles.height = height
        sheet.styles.offset = (place.x, max(0, min(place.y - 1, self.size.height - height)))


T = TypeVar("T")
Target = tuple[Controller, Turn, HunkLike]


class HunkShaper:
    """Splits and edits the selected hunk.

    Whatever may wait runs in workers of `screen`, one after the other.
    """

    def __init__(self, screen: Host, pending: CancellableWork) -> None:
        self._screen = screen
        self._pending = pending
        self._lock = asyncio.Lock()
        self._drafts: WeakKeyDictionary[Turn, dict[object, Sequence[str]]] = WeakKeyDictionary()
        """Texts that the user left in the editor for later: by turn, and there by hunk. A turn that
        is gone takes its texts along.
        """

    def split(self) -> None:
        """Cut the selected hunk finer; a hunk that cannot be cut finer is made whole."""
        if target := self._target():
            self._screen.run_worker(self._split(target), group="shape")

    def toggle(self) -> None:
        """Take the line under the cursor out of its hunk, or in again."""
        diff = self._screen.bench.diff
        if not (target := self._target()):
            return
        if diff.selected is None or diff.rows[diff.cursor].kind not in {RowKind.OLD, RowKind.NEW}:
            self._screen.say("only a line that changes can be taken out")
            return
        _, turn, hunk = target
        row = diff.cursor - diff.rows.first_rows[diff.selected]
        self._screen.run_worker(
            self._do(target, lambda: turn.file.toggle(hunk.id, row)), group="shape"
        )

    def edit(self) -> None:
        """Write the proposed text anew, in place."""
        if not (target := self._target()):
            return
        if editable_here(target[2].new_lines):
            lines = self._drafts_of(target).get(_as_proposed(target), target[2].new_lines)
            self._screen.run_worker(self._edit(target, lines), group="shape")
        else:
            key = self._screen.keys.key("hunk.editor")
            self._screen.say(f"this hunk has invisible characters; {key} edits it in your editor")

    def edit_outside(self) -> None:
        """Write the proposed text anew in the user's own editor."""
        if target := self._target():
            self._screen.run_worker(self._edit_outside(target, target[2].new_lines), group="shape")

    def _target(self) -> Target | None:
        """The selected hunk, if the user can work on it; otherwise a message says why not."""
        screen = self._screen
        turn = screen.controller.turn if screen.controller else None
        selected = screen.bench.selected
        if screen.controller is None or turn is None or not selected:
            screen.say("no hunk here")
            return None
        if screen.refuses():
            return None
        if screen.view.state(selected[0]) is HunkState.WRITING:
            screen.say(
                "this hunk is still being written",
                look="warning",
                holds=lambda: screen.bench.is_growing,
            )
            return None
        return screen.controller, turn, selected[0]

    async def _split(self, target: Target) -> None:
        _, turn, hunk = target
        before = len(turn.parts)
        parts = await self._do(target, lambda: turn.file.split(hunk.id))
        if parts is None:
            return
        if parts > 1:
            words = f"cut into {parts} parts"
        elif len(turn.parts) < before:
            words = "one hunk, in one piece"
        else:
            key = self._screen.keys.key("line.toggle")
            words = f"this hunk is one change; {key} takes lines out"
        self._screen.say(words)

    def _drafts_of(self, target: Target) -> dict[object, Sequence[str]]:
        return self._drafts.setdefault(target[1], {})

    async def _edit(self, target: Target, lines: Sequence[str]) -> None:
        hunk = target[2]
        drafts = self._drafts_of(target)
        again = self._screen.keys.key("hunk.edit")
        place = partial(self._place, hunk)
        is_draft = tuple(lines) != tuple(hunk.new_lines)
        editor = EditScreen(lines, place, self._first_line(hunk), draft=is_draft)
        self._show_hints(editing=True)
        edited = await self._screen.app.push_screen_wait(editor)
        self._show_hints(editing=False)
        # None: the text was left unchanged. A draft that is left unchanged is given up.
        if edited is None:
            if drafts.pop(_as_proposed(target), None):
                self._screen.say(f"your draft was dropped; {again} begins with what is proposed")
            return
        # Kept in any case until the text is proposed: that may still fail.
        drafts[_as_proposed(target)] = edited.lines
        if edited.later:
            self._screen.say(
                f"nothing is changed yet; what you wrote is kept, and {again} goes on with it"
            )
        elif edited.outside:
            await self._edit_outside(target, edited.lines)
        else:
            await self._keep(target, edited)

    def _show_hints(self, *, editing: bool) -> None:
        self._screen.is_editing = editing
        self._screen.paint_words()

    async def _edit_outside(self, target: Target, lines: Sequence[str]) -> None:
        controller, turn, _ = target
        root = controller.session.repo.root
        path = str(turn.region.path)
        with self._screen.reported_errors():
            editor_of(root)  # raises before the terminal is given away
            with cast("CoveredApp", self._screen.app).lend_terminal():
                edited = await asyncio.to_thread(edit_outside, lines, path, root)
            await self._keep(target, Edited(edited))

    async def _keep(self, target: Target, edited: Edited) -> None:
        """Propose the text that the user wrote.

        A text that cannot be proposed comes back to the editor, unless the user has gone on.
        """
        controller, turn, hunk = target
        if edited.lines == hunk.new_lines:
            self._drafts_of(target).pop(_as_proposed(target), None)
            self._screen.say("nothing was changed")
            return
        pressed = self._pending.presses
        done = await self._do(target, lambda: edit(turn, hunk.id, edited.lines))
        if done is None:
            if self._pending.presses == pressed:
                await self._edit(target, edited.lines)
            return
        self._drafts_of(target).pop(_as_proposed(target), None)
        left, problem = done
        controller.view.close(left, problem, by_hand=True)
        self._screen.paint()
        if problem:
            self._screen.say(f"with your text {problem}", look="warning")
        elif edited.lines != hunk.old_lines:
            self._screen.say("your text is proposed; nothing was written yet")
        else:
            self._screen.say(
                f"nothing is left of this hunk: {self._screen.way_to('undo')} brings it back"
            )

    async def _do(self, target: Target, work: Callable[[], T]) -> T | None:
        """Do something in a thread and show the result, with the cursor on the same line.

        Returns:
            The result of `work`; None if it failed.
        """
        screen = self._screen
        diff = self._screen.bench.diff
        async with self._lock:
            try:
                done = await asyncio.to_thread(work)
            except SparkError as e:
                screen.say(str(e), look="error")
                return None
        screen.say("")
        # Rows get other numbers when hunks are cut: the cursor follows the line, not the number.
        row = diff.rows[diff.cursor] if len(diff.rows) else None
        target[0].refresh()
        screen.run_frames()
        if row is not None and (place := _place_of(row, diff.rows)) is not None:
            diff.go_to(place)
        return done

    def _place(self, hunk: HunkLike) -> Region:
        """The region of a hunk's new lines on the screen, or of the diff if the hunk is gone."""
        diff = self._screen.bench.diff
        ids = [other.id for other in diff.rows.hunks]
        if hunk.id not in ids:
            return diff.region
        top = diff.top_of(diff.rows.first_rows[ids.index(hunk.id)] + len(hunk.old_lines))
        return Region(diff.region.x, max(diff.region.y, top), diff.region.width, diff.region.height)

    def _first_line(self, hunk: HunkLike) -> int:
        """The number of the first new line of a hunk in the file as proposed."""
        line = hunk.start + 1
        for other in self._screen.bench.diff.rows.hunks:
            if other.start < hunk.start:
                line += len(other.new_lines) - len(other.old_lines)
        return line


def _as_proposed(target: Target) -> object:
    """The identity of a hunk and its present proposal, wherever the hunk moves."""
    return target[2].id, tuple(target[2].new_lines)


def _place_of(row: DiffRow, rows: DiffRows) -> int | None:
    """The row that the same changed line has now."""
    wanted = (row.kind, row.old, row.new, row.text)
    for first, last in zip(rows.first_rows, rows.last_rows, strict=True):
        for index in range(first, last + 1):
            other = rows[index]
            if (other.kind, other.old, other.new, other.text) == wanted:
                return index
    return None
