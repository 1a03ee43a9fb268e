"""Answers that are known beforehand, as a side of conflicts that a command names: no model takes part."""

from collections.abc import Callable, Sequence

from spark_tui.answering.chat_writer import ChatWriter
from spark_tui.answering.seam import Answer, Answerer, Ask, EditKind, Speech, Wrote
from spark_tui.editing.markers import torn
from spark_tui.editing.quoting import Request


class KnownDraft:
    """One answer, which comes as a single piece: a line feed behind nothing, and behind each line. Mutable."""

    kind = "edit"
    line_mark = ""
    in_name = declined = over = talks = False
    closed = True
    doubt = ""
    open_line: str | None = None
    missed: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = tuple(lines)

    def take(self, piece: bytes) -> bool:
        """See `Draft`."""
        if piece:
            self._lines, self.over = tuple(piece.decode("utf-8", "surrogateescape").split("\n")[1:-1]), True
        return self.over

    def finish(self) -> None:
        """See `Draft`."""

    def lines(self) -> Sequence[str]:
        """See `Draft`."""
        return self._lines

    settled = lines


class Known(Answerer):
    """Answers with the lines that a region becomes. Args: become: makes them of those that it has."""

    def __init__(self, become: Callable[[Sequence[str]], Sequence[str]]) -> None:
        self._become = become

    def write(self, ask: Ask) -> ChatWriter:
        """See `Answerer`."""
        return ChatWriter(ask, lambda number: self._speak(ask.request, number), lambda: self.draft(ask.request.lines))

    def draft(self, lines: Sequence[str]) -> KnownDraft:
        """See `Answerer`."""
        return KnownDraft(lines)

    def has_room(self, lines: Sequence[str]) -> bool:
        """See `Answerer`."""
        return True

    def chance(self, answers: Sequence[Answer], kind: EditKind = EditKind.PLAIN) -> float | None:
        """See `Answerer`: it is what was asked for."""
        return 1.0

    def _speak(self, request: Request, number: int) -> Speech:
        said = "\n".join(["", *self._become(request.lines), ""])
        yield Wrote(number, -1, said.encode("utf-8", "surrogateescape"))
        return True


def one_side(lines: Sequence[str], side: str) -> list[str]:
    """Lines without the markers of conflicts, and with one side of each, or both."""
    gone = {at for each in torn(lines) for stretch in each.dropped(side) for at in stretch}
    return [line for at, line in enumerate(lines) if at not in gone]
