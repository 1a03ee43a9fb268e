"""Undo, redo and commit: a sheet shows each first, with clashing versions side by side.

Keys and commands call `JournalActions`. `previewed` works an undo out and has the user settle
clashes (`ConflictScreen`); `TurnScreen` shows what the undo will do.
"""

import asyncio
import re  # noqa: TID251 - reads names and settings
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
from spark_tui.safe_text import visible
from spark_tui.tui.keymap import Keymap
from spark_tui.tui.screens.cancellable_work import Asker, CancellableWork
from spark_tui.tui.screens.commit import CommitChoice, CommitScreen
from spark_tui.tui.screens.host import Host
from spark_tui.tui.screens.modals import ROOMY, Clock, Sheet, Write
from spark_tui.tui.screens.prompt_dispatch import PromptDispatch
from spark_tui.tui.themes import look
from spark_tui.tui.widgets.output_log import PatchView
from spark_tui.tui.widgets.status_bars import KeyHints, keys

if TYPE_CHECKING:
    from spark_tui.session.controller import Controller
    from spark_tui.vcs.history import Chosen, Preview


_MOST_FILES = 6  # files that the sheet of an undo names
_MOST_ROWS = 14  # rows of a patch, or of one version of a clash
_ABREAST = 120
"""Columns from which three versions stand side by side."""
_TELLING = 13
"""Rows from which there is room to say what clashes, above the lines that can be chosen."""
# The heading that `vcs/patch.py` writes above each clash; the three sides follow.
_CLASH = re.compile(
    r"^(.+:\d+): - is there now, \+ is what would take its place, = is what both come from$"
)
_SIDES = "-=+"  # the marks of the sides, in the order in which they stand side by side


class TurnScreen(Sheet[bool]):
    """Shows what an undo or redo will do, and asks.

    The key that asked, pressed again, carries it out, and so does Enter; Esc leaves everything as
    it is. Words go to the prompt.

    Args:
        preview: What the undo or redo will do.
        clock: See `Sheet`.
        keys: The keys in force.
        write: Puts words into the prompt.
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
        self._preview = preview
        self._keys = keys

    def compose(self) -> ComposeResult:
        """The widgets, from top to bottom."""
        with Vertical(id="sheet"):
            yield Static(id="question")
            yield PatchView()
            yield KeyHints()

    def on_mount(self) -> None:
        """Fill the sheet: colors are known once the screen is mounted."""
        patch = self._preview.patch.decode("utf-8", "surrogateescape")
        self.query_one(PatchView).show(patch or "the files are already as they would be")
        self.on_resize()
        action = "journal.redo"
        does = "redo it"
        if self._preview.back:
            action = "journal.undo"
            does = "take it back"
        do_keys = f"{self._keys.shown(action, most=1)} Enter".strip()
        self.query_one(KeyHints).show(keys((do_keys, does), ("Esc", "leave it")))

    def on_resize(self) -> None:
        """Give the patch the rows that the other words do not need.

        Where few rows are left, they begin at a change.
        """
        most_files = _MOST_FILES
        frame = 6  # padding, gaps and keys of the sheet, and its last line of files
        if self.app.size.height < ROOMY:
            most_files = 1
            frame = 2
        view = self.query_one(PatchView)
        files = self._files(most_files)
        self.query_one("#question", Static).update(files)
        others = files.plain.count("\n") + frame
        rows = max(1, min(_MOST_ROWS, len(view.lines), self.app.size.height - others))
        view.styles.height = rows
        # The change would lie below the last row: one line of context stays above it.
        if view.first_change >= rows:
            self.call_after_refresh(view.scroll_to, y=view.first_change - 1, animate=False)

    def action_do_it(self, back: bool | None = None) -> None:
        """Carry it out, unless nobody can have read it or the key is the other direction's."""
        if back in {None, self._preview.back} and self.can_be_meant:
            self.dismiss(True)

    def action_page(self, step: int) -> None:
        """Scroll the patch."""
        view = self.query_one(PatchView)
        view.scroll_to(y=view.scroll_offset.y + step * max(1, view.size.height - 1), animate=False)

    def _files(self, most: int) -> Text:
        """The batch and its files, of which at most `most` are named."""
        preview = self._preview
        files = self._preview.files
        words = " ".join(preview.subject.description.split())
        sheet = Text(no_wrap=True, overflow="ellipsis")
        does = "Take back" if preview.back else "Redo"
        sheet.append(does, look(self, "accent"))
        sheet.append(f" “{visible(words)}”", look(self, "text"))
        for file in files[:most]:
            sheet.append(f"\n{visible(file.path)}", look(self, "text"))
            sheet.append(f"  +{file.added}", look(self, "added"))
            sheet.append(f" −{file.removed}", look(self, "removed"))
        if len(files) > most:
            sheet.append(f"\nand {len(files) - most} more", look(self, "muted"))
        if preview.warning:
            sheet.append(f"\n{visible(preview.warning)}", look(self, "warning"))
        return sheet


class Choice(Enum):
    """The version of the clashing lines that the file keeps or gets."""

    KEEP = "keep"
    TAKE = "take"


class ConflictScreen(Sheet[Choice | None]):
    """The lines that were edited since: as they are now, as they were before, and as they would be.

    Args:
        conflict: The conflict, whose detail has the lines that clash.
        choices: What the user can choose, with the words for each choice; none: only to be read.
        clock: See `Sheet`.
    """

    DEFAULT_CSS = """
    ConflictScreen {
        #sheet { width: 96%; }
        #sides { height: auto; }
        PatchView { width: 1fr; }
    }
    ConflictScreen.-narrow #sides { layout: vertical; }
    ConflictScreen.-tight #sheet { width: 100%; padding: 1 0; }
    ConflictScreen.-tight #question { padding: 0 1 1 1; }
    ConflictScreen.-tight PatchView { padding: 0 0 0 1; }
    ConflictScreen.-tight KeyHints { padding: 0 1; }
    """
    # A plain list, as `Screen` declares it.
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (_ABREAST, "-tight"), (160, "-wide")]  # noqa: RUF012
    """A screen of 120 columns has just room for three versions with lines of 39, once -tight has
    taken all padding away.
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter,q", "dismiss", "close", show=False),
        Binding("k", "choose('keep')", "keep what is there", show=False),
        Binding("t", "choose('take')", "take the other", show=False),
    ]

    def __init__(
        self, conflict: "Conflict", choices: Mapping[Choice, str], clock: Clock, write: Write = None
    ) -> None:
        super().__init__(clock, write)
        # The advice of a conflict tells what to do where nothing can be chosen here.
        self._words = conflict.fact if choices else str(conflict)
        self._detail = conflict.detail
        self._choices = choices

    def compose(self) -> ComposeResult:
        """The widgets, from top to bottom."""
        with Vertical(id="sheet"):
            yield Static(id="question")
            with Horizontal(id="sides"):
                for _ in sides(self._detail):
                    yield PatchView()
            yield KeyHints()

    def on_mount(self) -> None:
        """Fill the sheet: colors are known once the screen is mounted."""
        self.query_one("#question", Static).update(Text(visible(self._words), look(self, "error")))
        for view, lines in zip(self.query(PatchView), sides(self._detail), strict=True):
            view.show("\n".join(lines))
        # The key of a choice is its first letter, as in BINDINGS.
        choices = [(choice.value[0], does) for choice, does in self._choices.items()]
        self.query_one(KeyHints).show(keys(*choices, ("Esc", "close; nothing was written")))

    def on_resize(self) -> None:
        """Share the rows among the sides, and hide the words where hardly a row is left."""
        width, height = self.app.size
        self.query_one("#question").display = not self._choices or height >= _TELLING
        # In a narrow screen the three sides stand below each other, and share its rows with the
        # words and the keys.
        most = _MOST_ROWS if width >= _ABREAST else max(1, min(_MOST_ROWS, height // 5))
        for view in self.query(PatchView):
            view.styles.height = min(most, len(view.lines))

    def action_choose(self, which: str) -> None:
        """Choose a version, if the choice is offered and the user can have read the versions."""
        if Choice(which) in self._choices and self.can_be_meant:
            self.dismiss(Choice(which))


async def previewed(
    asker: Asker,
    pending: CancellableWork,
    work: "Callable[[Chosen | None], Preview]",
    clock: Clock,
    *,
    back: bool,
) -> "tuple[Preview, bool] | None":
    """Work out an undo or a redo; where it clashes with later edits, the user chooses a side.

    Args:
        asker: The screen that the sheets are for.
        pending: Runs `work`, so that the user can go on and cancel it.
        work: Makes the preview, given the side that the user chose; may wait for the disk.
        back: Whether this is an undo.

    Returns:
        The preview, and whether the user chose to keep what is there; None if the user left it.

    Raises:
        SparkError.
    """
    from spark_tui.vcs.history import Chosen  # noqa: PLC0415 - the first paint does not wait for it

    chosen = None
    choices = {
        Choice.KEEP: "keep what is there",
        Choice.TAKE: "back to before" if back else "the edit",
    }
    # Another round after each choice: the file may have been edited again while the user read, and
    # then the new clash is shown too.
    while True:
        try:
            name = "undo" if back else "redo"
            kept = chosen is not None and chosen.keep
            return await pending.work(name, partial(work, chosen), asker), kept
        except Conflict as e:
            if not e.detail:
                raise
            offered = choices if e.choosable else {}
            choice = await asker.app.push_screen_wait(ConflictScreen(e, offered, clock))
            if choice is None:
                if not e.choosable:
                    raise  # the message says what to do about it
                return None
            chosen = Chosen(e.detail, keep=choice is Choice.KEEP)


def sides(detail: str) -> list[Sequence[str]]:
    """Split the detail of a conflict into its sides: there now, common origin, replacement.

    Lines of the same index stand beside each other. A detail that is a patch is one side.
    """
    lines = detail.splitlines()
    if not any(map(_CLASH.match, lines)):
        return [lines]
    return [list(side) for side in zip(*_beside(lines), strict=True)]


def _beside(lines: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """The rows of all clashes, a cell for each side; a row of headings comes first."""
    heads = [number for number, line in enumerate(lines) if _CLASH.match(line)]
    for start, stop in zip(heads, [*heads[1:], len(lines)], strict=True):
        head = _CLASH.match(lines[start])
        assert head is not None
        yield f"{head[1]} now", "what both come from", "what would take its place"
        sides = dict[str, list[str]]({mark: [] for mark in _SIDES})
        mark = "-"
        for line in lines[start + 1 : stop]:
            if line[:1] in sides:  # else it says how many more lines the side has
                mark = line[0]
            sides[mark].append(line)
        yield from zip_longest(*sides.values(), fillvalue="")


class JournalActions:
    """Undo, redo and commit. Work that may wait runs in workers of `screen`."""

    def __init__(self, screen: Host, pending: CancellableWork, dispatch: PromptDispatch) -> None:
        self._screen = screen
        self._pending = pending
        self._dispatch = dispatch
        self._message = ""
        """The message that the user wrote for a commit that was not made."""

    def undo_or_redo(self, *, back: bool) -> None:
        """Undo, or redo, once the user has seen what that does.

        A step that wrote nothing, such as a rejection, is taken at once.
        """
        screen = self._screen
        if (controller := screen.controller) is None:
            return
        before = screen.bench.known  # so that the cursor can go to what is open again
        # A decision that wrote nothing is no business of the journal, and risks nothing: no sheet.
        if not screen.busy and (words := controller.step_back(again=not back)):
            screen.run_frames()
            screen.bench.select_other_than(before)
            screen.say(words)
        # Something was decided here since the last undo. The journal would redo that undo all the
        # same, which is not what was done last.
        elif not (back or controller.turn is None or controller.turn.file.journal_leads_on):
            screen.say("nothing to redo here; /log can redo earlier edits")
        else:
            screen.run_worker(self._undo_or_redo(controller, back=back), group="disk")

    def commit(self) -> None:
        """Stage and commit what was accepted, if there is something to commit."""
        if (controller := self._screen.controller) is not None:
            self._screen.run_worker(self._offer_commit(controller), group="disk")

    async def _undo_or_redo(self, controller: "Controller", *, back: bool) -> None:
        screen = self._screen
        before = screen.bench.known
        with screen.reported_errors():
            work = partial(controller.session.past.preview_last, back=back)
            if (words := await self.carry_out(controller, screen, work, back=back)) is not None:
                if back:
                    other = f"{screen.way_to('redo')} redoes it"
                else:
                    other = f"{screen.way_to('undo')} takes it back"
                screen.say(f"{words}; {other}")
                screen.bench.select_other_than(before)

    async def carry_out(
        self,
        controller: "Controller",
        asker: Asker,
        work: "Callable[[Chosen | None], Preview]",
        *,
        back: bool,
    ) -> str | None:
        """Undo or redo a batch, once the user has seen what that does.

        Args:
            asker: The screen that the sheets are for.
            work: Works the preview out; see `previewed`.
            back: Whether this is an undo.

        Returns:
            What was done, in words; None if nothing was done.

        Raises:
            SparkError.
        """
        screen = self._screen
        try:
            shown = await previewed(asker, self._pending, work, screen.clock, back=back)
            if shown is None or not await self._agreed(*shown):
                return None
            preview, _ = shown
            async with screen.disk:
                words = controller.show_applied(
                    await asyncio.to_thread(controller.apply_preview, preview)
                )
            # Notices about what was accepted no longer hold.
            screen.app.clear_notifications()
            screen.post_message(screen.Written())
        finally:
            screen.show_notices()
        controller.refresh()
        screen.run_frames()
        self._dispatch.read_ahead()
        return words

    async def _agreed(self, preview: "Preview", kept: bool) -> bool:
        """Show the preview and return whether the user agrees.

        Where the user chose to keep everything that is there, nothing is left to show or ask.
        """
        if kept and not preview.patch:
            return True
        screen = self._screen
        return await screen.app.push_screen_wait(
            TurnScreen(preview, screen.clock, screen.keys, screen.write)
        )

    async def _offer_commit(self, controller: "Controller") -> None:
        """Ask for the message."""
        screen = self._screen

        def decided(answer: CommitChoice | None) -> None:
            if answer is not None:
                # Kept until a commit is made: git may refuse, and staging alone needs no message.
                # A message that is the offer's own is offered anew each time.
                self._message = answer.message if answer.message != offer.message else ""
                screen.run_worker(self._put_into_git(controller, answer), group="disk")

        with screen.reported_errors():
            offer = await self._pending.work("commit", controller.offer)
            screen.paint_words()
            screen.app.push_screen(CommitScreen(offer, screen.keys, own=self._message), decided)

    async def _put_into_git(self, controller: "Controller", answer: CommitChoice) -> None:
        screen = self._screen
        message = answer.message if answer.commit else None
        with screen.reported_errors():
            async with screen.disk:
                words = await asyncio.to_thread(controller.put_into_git, message)
            if answer.commit:
                self._message = ""
            screen.say(words)
            screen.paint_words()
            screen.show_notices()
