"""Conflicts that a merge left, settled by the side that a command names: no model takes part."""

from collections.abc import Sequence

from spark_tui.answering.chat_writer import ChatWriter
from spark_tui.answering.seam import Answer, Answerer, Ask, Speech, Wrote
from spark_tui.editing.fences import fence_for
from spark_tui.editing.markers import torn
from spark_tui.editing.quoting import Request
from spark_tui.editing.rewriting import RewriteDraft


class Kept(Answerer):
    """Answers with the region as one side of its conflicts has it. Args: side: one of `SIDES`."""

    def __init__(self, side: str) -> None:
        self._side = side

    def write(self, ask: Ask) -> ChatWriter:
        """See `Answerer`."""
        return ChatWriter(ask, lambda number: self._speak(ask.request, number), lambda: self.draft(ask.request.lines))

    def draft(self, lines: Sequence[str]) -> RewriteDraft:
        """See `Answerer`."""
        return RewriteDraft(lines, fence_for(lines))

    def has_room(self, lines: Sequence[str]) -> bool:
        """See `Answerer`."""
        return True

    def chance(self, answers: Sequence[Answer]) -> float | None:
        """See `Answerer`: it is what was asked for."""
        return 1.0

    def _speak(self, request: Request, number: int) -> Speech:
        for line in one_side(request.lines, self._side):
            yield Wrote(number, -1, f"{line}\n".encode())
        yield Wrote(number, -1, fence_for(request.lines).encode())
        return True


def one_side(lines: Sequence[str], side: str) -> list[str]:
    """Lines without the markers of conflicts, and with one side of each, or both."""
    gone = {at for each in torn(lines) for stretch in each.dropped(side) for at in stretch}
    return [line for at, line in enumerate(lines) if at not in gone]
