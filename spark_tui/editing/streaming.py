"""A region while its script is being written: token ids to pieces, pieces to the lines to show now."""

import codecs
from collections.abc import Iterable, Sequence
from dataclasses import replace

from spark_tui.editing.format import Frame, Mark, Piece, Vocabulary
from spark_tui.editing.parser import EditEvent, OpClosed, ScriptParser
from spark_tui.editing.script import Insert, LineOp, Replace, ScriptError, apply_script
from spark_tui.editing.text import undecodable


class PieceDecoder:
    """Turns token ids into pieces, holding back bytes until they make whole characters."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._utf8 = codecs.getincrementaldecoder("utf-8")()

    def feed(self, token_id: int) -> list[Piece]:
        """The piece that is complete with this token, if any. Raises: ScriptError: a character is never made whole."""
        piece = self._vocabulary.piece(token_id)
        try:
            if isinstance(piece, bytes):
                text = self._utf8.decode(piece)
                return [text] if text else []
            self._utf8.decode(b"", final=True)
        except UnicodeDecodeError as e:
            self._utf8.reset()
            raise ScriptError("bytes that make no character") from e
        return [Mark(piece)]


class Draft:
    """A region's lines as far as the script for them was written.

    Args: lines: the region, without line endings. frame: the one its prompt was written with.
    `ops` are the closed operations that fit; `parser` tells the kind, what is expected and what is finished.
    """

    def __init__(self, lines: Sequence[str], frame: Frame) -> None:
        self.parser = ScriptParser(frame)
        self.ops: tuple[LineOp, ...] = ()
        self.closed_lines = list(lines)
        self._original = tuple(lines)
        self._locked = [line for line in lines if undecodable(line)]
        self._unit = frame.layout.unit

    def feed(self, piece: Piece) -> list[EditEvent]:
        """Take the next piece.

        Raises: ScriptError: the grammar has no place for the piece, or the operation that it closes does not
            fit the region. Such an operation is left out; the rest stands and reading can go on.
        """
        events: list[EditEvent] = []
        refused: ScriptError | None = None
        for event in self.parser.feed(piece):
            try:
                if isinstance(event, OpClosed):
                    self._close(event.op)
                events.append(event)
            except ScriptError as error:
                refused = error
        if refused is not None:
            raise refused
        return events

    @property
    def lines(self) -> list[str]:
        """The region as it stands, the operation in progress included as if it ended here.

        A line of which nothing is written yet is left out: it would look like a blank one. An operation that does not
        fit shows nothing.
        """
        partial = self.parser.partial
        if partial is None:
            return self.closed_lines
        if isinstance(partial, Replace | Insert) and not partial.lines[-1]:
            partial = replace(partial, lines=partial.lines[:-1])
        try:
            return self._applied((*self.ops, partial))
        except ScriptError:
            return self.closed_lines

    def lines_after(self, count: int) -> list[str]:
        """The region with only the first so many of `ops`."""
        return self._applied(self.ops[:count])

    def _close(self, op: LineOp) -> None:
        self.closed_lines = self._applied((*self.ops, op))
        self.ops = (*self.ops, op)

    def _applied(self, ops: Iterable[LineOp]) -> list[str]:
        lines = apply_script(self._original, ops, unit=self._unit)
        if self._locked and [line for line in lines if undecodable(line)] != self._locked:
            raise ScriptError("the edit changes a line that is not UTF-8; such lines stay as they are")
        return lines
