"""What was accepted, undone and redone in this work tree: to look at, and to take back."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from spark_tui.errors import SparkError
from spark_tui.tui.screens.browse import Browser, Words, beside
from spark_tui.tui.screens.cancellable_work import CancellableWork
from spark_tui.tui.screens.undo_preview import previewed
from spark_tui.tui.widgets.bar import Bar, keys
from spark_tui.tui.widgets.patch import PatchView
from spark_tui.tui.widgets.work import GUARD_S

if TYPE_CHECKING:
    from spark_tui.tui.desk import Desk
    from spark_tui.vcs.history import Batch
    from spark_tui.vcs.preview import Preview

_SIGNS = {"applied": ("✓", "ok"), "undone": ("↶", "faint"), "partly": ("◐", "warning"), "interrupted": ("!", "error")}
_ASK = (("y", "do it"), ("n", "leave it"))


class LogScreen(Browser["Batch", None]):
    """`u` shows what taking the chosen batch back (or doing it again) would change; `y` then does it.

    Args: disk: held by whoever writes. turned: called after something was. clock: seconds; a `y` that comes at once was
        meant for something else. preparing: works out what is shown.
    """

    HEADLINE = "Log of what was accepted here"
    NOTHING = "Nothing was accepted here yet."
    KEYS = (("u", "take back, or do again"), ("Up Down", "choose"), ("PgDn", "read on"), ("Esc", "close"))
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("u,enter", "preview", "take back, or do again", show=False, priority=True),
        Binding("y", "carry_out", "do it", show=False),
        Binding("n", "leave", "leave it", show=False),
    ]

    def __init__(
        self,
        desk: "Desk",
        disk: asyncio.Lock,
        turned: Callable[[str], None],
        clock: Callable[[], float],
        preparing: CancellableWork,
    ) -> None:
        super().__init__()
        self._desk, self._disk, self._turned, self._clock = desk, disk, turned, clock
        self._preparing = preparing
        self._preview: Preview | None = None
        self._asked_at = 0.0

    def read(self) -> Sequence["Batch"]:
        """See `Browser`."""
        return self._desk.session.past.log()

    def describe(self, item: "Batch") -> Sequence[Words]:
        """See `Browser`."""
        entry, (sign, colour) = item.entry, _SIGNS[item.state.value]
        state = f"{sign} {item.state.value:<12}", colour
        when = f"{entry.time.astimezone():%Y-%m-%d %H:%M}  ", "faint"
        where = f"  {', '.join(file.path for file in entry.files) or 'no files'}  {entry.id}", "muted"
        return self.in_line((" ".join(entry.description.split()), "text"), before=(state, when), behind=where)

    def patch(self, item: "Batch") -> str:
        """See `Browser`."""
        return self._desk.session.past.patch(item)

    def action_preview(self) -> None:
        """Show what turning the chosen batch would change, and ask."""
        if self.chosen is not None and self._preview is None:
            beside(self, partial(self._ask, self.chosen), "preview")

    def action_carry_out(self) -> None:
        """Do what was shown, unless the user cannot have read it."""
        if self._preview is not None and self._clock() - self._asked_at >= GUARD_S:
            preview, self._preview = self._preview, None
            beside(self, partial(self._turn, preview), "turn")

    def action_leave(self) -> None:
        """Leave everything as it is."""
        if self._preview is not None:
            self._answered("")
            self._show_chosen()

    def action_close(self) -> None:
        """Leave a question first, then the screen."""
        if self._preview is not None:
            self.action_leave()
        else:
            self.dismiss(None)

    async def _ask(self, batch: "Batch") -> None:
        try:
            work = partial(self._desk.session.past.preview, batch)
            found = await previewed(self, self._preparing, work, self._clock, back=bool(batch.in_force))
        except SparkError as e:
            self.say(str(e), look="error")
            return
        if found is None:
            return
        preview, _ = found
        does = "takes back" if preview.back else "does again"
        counts = ", ".join(f"{file.path} +{file.added} −{file.removed}" for file in preview.files)
        patch = preview.patch.decode("utf-8", "surrogateescape")
        self._preview, self._asked_at = preview, self._clock()
        self.query_one(PatchView).show(patch or "the files are already as they would be")
        warning = f"; {preview.warning}" if preview.warning else ""
        words = f"this {does} “{' '.join(preview.subject.description.split())}”: {counts or 'no file changes'}{warning}"
        self.say(words, look="warning" if warning else "")
        self.paint_words()

    async def _turn(self, preview: "Preview") -> None:
        try:
            async with self._disk:
                words = self._desk.turned(await asyncio.to_thread(self._desk.turn_batch, preview))
        except SparkError as e:
            self._answered(str(e), look="error")
            return
        self._answered(words)
        self._turned(words)
        self.reload()

    def _answered(self, words: str, *, look: str = "") -> None:
        self._preview = None
        self.say(words, look=look)
        self.paint_words()

    def paint_words(self) -> None:
        """Show what the keys do now; see `Asker`."""
        if self.is_attached:
            self.query_one("#keys", Bar).show(self._preparing.hints or keys(*(_ASK if self._preview else self.KEYS)))
