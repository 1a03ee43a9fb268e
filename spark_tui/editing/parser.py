"""The streaming parser of the line-edit format: pieces in, events out, whatever the chunking.

Text may come in pieces of any size; the events depend only on what was written. An emitted operation is
never revised. The parser also says which marks may come next, which is the grammar a decoder is masked by.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from spark_tui.editing.format import (
    DELETE,
    END,
    INDENT,
    INSERT,
    LEVELS,
    LINE_TAGS,
    NO_EDIT,
    OP_MARKS,
    REPLACE,
    SUBSTITUTE,
    TO,
    TOP_MARK,
    Frame,
    Mark,
    Piece,
    kind_of,
)
from spark_tui.editing.script import (
    TOP,
    Dedent,
    Delete,
    Indent,
    Insert,
    LineOp,
    Replace,
    ScriptError,
    Substitute,
)


class Expect(Enum):
    """A class of pieces that may come next."""

    KIND = auto()
    OP = auto()
    TAG = auto()
    LATER_TAG = auto()
    TOP = auto()
    LEVEL = auto()
    TEXT = auto()
    TO = auto()
    END = auto()


@dataclass(frozen=True, slots=True)
class KindChosen:
    """The model said what kind of edit this is."""

    kind: str


@dataclass(frozen=True, slots=True)
class OpOpened:
    """An operation began."""

    mark: Mark


@dataclass(frozen=True, slots=True)
class OpClosed:
    """An operation is complete and will not change."""

    op: LineOp


@dataclass(frozen=True, slots=True)
class Ended:
    """The script is complete."""


EditEvent = KindChosen | OpOpened | OpClosed | Ended
_START = frozenset({Expect.KIND})
_NEXT = frozenset({Expect.OP, Expect.END})
_BODY = frozenset({Expect.LEVEL})


class ScriptParser:
    """Reads one script for one region.

    Feed it pieces; ask it for `ops` (closed), `partial` (the one being written, as if it ended here),
    `kind`, `finished`, and `expects`. Raises ScriptError on a piece the grammar does not allow.
    """

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.kind: str | None = None
        self.ops: list[LineOp] = []
        self.finished = False
        self.expects: frozenset[Expect] = _START
        self._mark: Mark | None = None
        self._range: list[int] = []
        self._levels: list[int] = []
        self._texts: list[str] = []

    @property
    def op_mark(self) -> Mark | None:
        """The mark of the operation being written; None between operations."""
        return self._mark

    @property
    def texts(self) -> tuple[str, ...]:
        """The lines, or the two names, of the operation being written, as far as they are written."""
        return tuple(self._texts) if self._mark is not None else ()

    @property
    def lines(self) -> tuple[int, ...]:
        """The first line of the operation being written, and its last one, once they are known."""
        return tuple(self._range)

    @property
    def first_line(self) -> int | None:
        """The first line of the operation being written, once it is known."""
        return self._range[0] if self._range else None

    @property
    def partial(self) -> LineOp | None:
        """The operation being written as if it ended here; None while it would mean nothing."""
        if self._mark is None or self.expects <= {Expect.TAG, Expect.TOP} or not self._complete():
            return None
        return self._build()

    def feed(self, piece: Piece) -> Iterator[EditEvent]:
        """Take the next piece. Consume the iterator: the parser moves as it is read."""
        if isinstance(piece, str):
            self._text(piece)
            return
        if (kind := kind_of(piece)) is not None:
            self._require(Expect.KIND, piece)
            self.kind = kind
            self.expects = frozenset({Expect.END}) if kind == NO_EDIT else _NEXT
            yield KindChosen(kind)
        elif piece in OP_MARKS:
            self._require(Expect.OP, piece)
            yield from self._close()
            self._open(piece)
            yield OpOpened(piece)
        elif piece == END:
            self._require(Expect.END, piece)
            yield from self._close()
            self.finished, self.expects = True, frozenset()
            yield Ended()
        else:
            self._inside(piece)

    def _text(self, text: str) -> None:
        if not text:
            return
        if Expect.TEXT not in self.expects:
            raise ScriptError(f"text {text!r} where a mark was expected")
        if "\n" in text:
            raise ScriptError("a line feed inside a line")
        self._texts[-1] += text
        if self._mark == SUBSTITUTE:
            self.expects = frozenset({Expect.TEXT, Expect.TO} if len(self._texts) == 1 else {Expect.TEXT}) | (
                _NEXT if len(self._texts) == 2 else frozenset()
            )

    def _open(self, mark: Mark) -> None:
        self._mark, self._range, self._levels, self._texts = mark, [], [], []
        if mark == SUBSTITUTE:
            self._texts, self.expects = [""], frozenset({Expect.TEXT})
        else:
            self.expects = frozenset({Expect.TAG, Expect.TOP} if mark == INSERT else {Expect.TAG})

    def _inside(self, mark: Mark) -> None:
        if mark == TO:
            self._require(Expect.TO, mark)
            self._texts.append("")
            self.expects = frozenset({Expect.TEXT})
        elif mark in LEVELS:
            self._require(Expect.LEVEL, mark)
            self._levels.append(LEVELS.index(mark))
            self._texts.append("")
            self.expects = _NEXT | _BODY | {Expect.TEXT}
        elif mark in LINE_TAGS or mark == TOP_MARK:
            self._tag(mark)
        else:
            raise ScriptError(f"{mark.name} has no place in a script")

    def _tag(self, mark: Mark) -> None:
        number = self.frame.number(mark)
        if number is None:
            raise ScriptError(f"{mark.name} is no line of this region")
        self._require(Expect.TOP if number == TOP else Expect.LATER_TAG if self._range else Expect.TAG, mark)
        if self._range and number <= self._range[0]:
            raise ScriptError(f"{mark.name} does not come after the first line of the range")
        self._range.append(number)
        body = _BODY if self._mark in (REPLACE, INSERT) else _NEXT
        more = self._mark != INSERT and len(self._range) == 1
        self.expects = body | {Expect.LATER_TAG} if more else body

    def _require(self, expected: Expect, mark: Mark) -> None:
        if expected not in self.expects:
            raise ScriptError(f"{mark.name} where {sorted(e.name for e in self.expects)} was expected")

    def _complete(self) -> bool:
        if self._mark == SUBSTITUTE:
            return len(self._texts) == 2 and self._texts[1] not in ("", ".")
        return bool(self._range) and (self._mark not in (REPLACE, INSERT) or bool(self._levels))

    def _close(self) -> Iterator[OpClosed]:
        if self._mark is not None:
            op = self._build()
            self.ops.append(op)
            self._mark, self._range = None, []
            yield OpClosed(op)

    def _build(self) -> LineOp:
        if self._mark == SUBSTITUTE:
            return Substitute(self._texts[0], self._texts[1])
        first, last = self._range[0], self._range[-1]
        layout = self.frame.layout
        lines = tuple(layout.join(n, text) for n, text in zip(self._levels, self._texts, strict=True))
        if self._mark == REPLACE:
            return Replace(first, last, lines)
        if self._mark == INSERT:
            return Insert(first, lines)
        if self._mark == DELETE:
            return Delete(first, last)
        return Indent(first, last) if self._mark == INDENT else Dedent(first, last)
