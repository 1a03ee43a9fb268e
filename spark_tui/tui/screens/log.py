"""What was accepted, undone and redone in this work tree: to look at, and to take back."""

from collections.abc import Sequence
from functools import partial
from typing import ClassVar

from textual.binding import Binding, BindingType

from spark_tui.errors import SparkError
from spark_tui.tui.desk import Desk
from spark_tui.tui.screens.browse import Browser, Words, beside
from spark_tui.tui.screens.cancellable_work import CancellableWork
from spark_tui.tui.screens.host import Host
from spark_tui.tui.screens.recording import Recording
from spark_tui.vcs.history import Batch

_SIGNS = {"applied": ("✓", "ok"), "undone": ("↶", "faint"), "partly": ("◐", "warning"), "interrupted": ("!", "error")}


class LogScreen(Browser[Batch, None]):
    """`u` shows what taking the chosen batch back, or doing it again, would change, and asks."""

    HEADLINE = "Log of what was accepted here"
    NOTHING = "Nothing accepted here yet."
    KEYS = (("u", "take back, or do again"), ("Up Down", "choose"), ("PgDn", "read on"), ("Esc", "close"))
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("u,enter", "turn", "take back, or do again", show=False, priority=True)
    ]

    def __init__(self, desk: Desk, main: Host, recording: Recording, preparing: CancellableWork) -> None:
        super().__init__()
        self._desk, self._main, self._recording, self._preparing = desk, main, recording, preparing

    def read(self) -> Sequence[Batch]:
        """See `Browser`."""
        return self._desk.session.past.log()

    def describe(self, item: Batch) -> Sequence[Words]:
        """See `Browser`."""
        entry, (sign, colour) = item.entry, _SIGNS[item.state.value]
        where = f"  {', '.join(file.path for file in entry.files) or 'no files'}  {entry.id}", "muted"
        words = " ".join(entry.description.split()), "text"
        when = f"{entry.time.astimezone():%Y-%m-%d %H:%M}  ", "faint"
        return (f"{sign} ", colour), when, words, (f"  {item.state.value}", colour), where

    def patch(self, item: Batch) -> str:
        """See `Browser`."""
        return self._desk.session.past.patch(item)

    def action_turn(self) -> None:
        """Take the chosen batch back, or do it again."""
        if self.chosen is not None:
            beside(self, partial(self._turn, self.chosen), "turn")

    async def _turn(self, batch: Batch) -> None:
        work = partial(self._desk.session.past.preview, batch)
        try:
            words = await self._recording.carry_out(self._desk, self, work, back=bool(batch.in_force))
        except SparkError as e:
            self.say(str(e), look="error")
            return
        if words is not None:
            self.say(words)
            self._main.say(words)
            self.reload()

    def paint_words(self) -> None:
        """Show what the keys do now; see `CancellableWork`."""
        if self.is_attached:
            self.show_keys(self._preparing.hints)
