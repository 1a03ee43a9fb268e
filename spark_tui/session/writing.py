"""What the model has written so far in one turn, token by token, and the file it amounts to."""

import sys
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from threading import Lock

from spark_tui.context.regions import Region
from spark_tui.editing.checks import Check, new_names_are_free, region_parses
from spark_tui.editing.format import INSERT, REPLACE, Mark, Piece
from spark_tui.editing.guide import Guide
from spark_tui.editing.hunks import Hunk
from spark_tui.editing.imports_brought import with_imports
from spark_tui.editing.parser import OpClosed, ScriptParser
from spark_tui.editing.parsing import parsed
from spark_tui.editing.script import Dedent, Delete, Indent, Insert, LineOp, Replace, Substitute
from spark_tui.editing.streaming import Draft, PieceDecoder
from spark_tui.editing.text import Text
from spark_tui.engine.arrays import FloatArray, IntArray
from spark_tui.engine.generate import Step
from spark_tui.engine.tokenizer import Tokenizer
from spark_tui.session.proposal import Proposals


@dataclass(frozen=True, slots=True)
class _Scored:
    """The base lines a closed operation touches (0-based, stop excluded), and the log-probability of its tokens."""

    start: int
    stop: int
    logprob: float


class Writing:
    """The script of one turn while it is written. Mutable: one thread may write while another sees what is closed.

    Args: base: the file. region: the part of it being edited. guide: knows what may be written. told: names that were
        asked for; what a finished script uses of them comes with its import.
    """

    def __init__(
        self, base: Text, region: Region, guide: Guide, tokenizer: Tokenizer, told: Collection[str] = ()
    ) -> None:
        self.lines = base.lines[region.start_line - 1 : region.end_line]
        self.frame = guide.frame
        self.first_line = region.start_line
        self._base = base
        self._told = told if region.path.endswith((".py", ".pyi")) else ()
        self._draft = Draft(self.lines, self.frame)
        self._guide = guide
        self._written: list[int] = []
        self._allowed: IntArray | FloatArray | None = None
        self._closed_file: Text | None = None
        self._lock = Lock()
        self._pieces = PieceDecoder(tokenizer)
        self._proposals = Proposals(base, region)
        self._scored: list[_Scored] = []
        self._logprob = 0.0

    @property
    def parser(self) -> ScriptParser:
        """The parser of the script, to look at."""
        return self._draft.parser

    @property
    def kind(self) -> str | None:
        """The kind of edit the model chose, once it has."""
        return self._draft.parser.kind

    @property
    def finished(self) -> bool:
        """Whether the script is complete."""
        return self._draft.parser.finished

    @property
    def worth_showing(self) -> bool:
        """Whether to show it before the next token, where those come too fast to look at each.

        A line just opened says nothing yet, and a token that has no alternative follows at once.
        """
        parser = self._draft.parser
        at_line_start = parser.op_mark in (REPLACE, INSERT) and parser.texts[-1:] == ("",)
        return not at_line_start and len(self.allowed()) > 1

    @property
    def in_the_balance(self) -> bool:
        """Whether the line under way is just now one that it takes the place of: the next token tells if it stays so.

        To show that would be to take the change back for one token, wherever a line is only added to.
        """
        match self._draft.parser.partial:
            case Replace(first, last, lines):
                return bool(lines[-1]) and lines[-1] in self.lines[first : last + 1]
            case Substitute(old, new):
                return old == new
        return False

    def allowed(self) -> IntArray | FloatArray:
        """The ids of the tokens allowed next, or (V,) what to add to the logits."""
        if self._allowed is None:
            self._allowed = self._guide.allowed(self._draft.parser, self._written)
        return self._allowed

    def expected(self) -> Sequence[int] | None:
        """What the next tokens are likely to be, if that was learned just now: a listed edit, or the lines replaced."""
        parser = self._draft.parser
        if parser.kind is None:
            return None
        if self._guide.edits(parser.kind) is not None:
            return self._guide.likely(parser.kind, self._written)
        if parser.op_mark == REPLACE and parser.lines and not parser.texts:
            return self._guide.spelled(parser.lines[0], parser.lines[-1])
        return None

    def take(self, step: Step) -> tuple[str, bool]:
        """Take one token. Returns: its text, and whether it closed an operation. Raises: ScriptError."""
        self._logprob += step.logprob
        self._written.append(step.token_id)
        self._allowed = None
        text, closed = "", False
        with self._lock:
            for piece in self._pieces.feed(step.token_id):
                text += piece.name if isinstance(piece, Mark) else piece
                closed |= self._feed(piece)
        return text, closed

    def take_all(self, script: Iterable[Piece], logprob: float) -> None:
        """Take a whole script, written by other hands, with its log-probability. Raises: ScriptError."""
        self._logprob += logprob
        with self._lock:
            for piece in script:
                self._feed(piece)

    def file(self) -> Text:
        """The file as it would be if the script ended here."""
        return self._proposals.file(self._draft.lines, self._draft.ops)

    @property
    def closed_lines(self) -> Sequence[str]:
        """The region with closed operations only."""
        return self._draft.closed_lines

    def closed_file(self) -> Text:
        """The file with closed operations only."""
        with self._lock:
            if self._closed_file is None:
                file = self._proposals.file(self._draft.closed_lines, self._draft.ops)
                self._closed_file = with_imports(self._base, file, self._told) if self.finished else file
            return self._closed_file

    def sound_file(self) -> Text:
        """The file with as many closed operations, in the order they were written, as parse without the others."""
        ops, base = self._draft.ops, self._proposals.file(self.lines, ())
        for count in range(len(ops), 0, -1):
            lines = self._draft.lines_after(count)
            file = self._proposals.file(lines, ops[:count])
            read = parsed(base, file)
            if read.is_sound or (not read.was_sound and region_parses(lines).ok):
                return file
        return base

    def checks(self) -> tuple[Check, ...]:
        """What can be said of the closed operations themselves, and of the region where the file tells too little."""
        free = new_names_are_free(self.lines, [op for op in self._draft.ops if isinstance(op, Substitute)])
        if parsed(self._base, self.closed_file()).was_sound:
            return free
        return (*free, region_parses(self.closed_lines), *self._proposals.left_behind(self.closed_lines))

    def logprob(self, hunk: Hunk) -> float:
        """The log-probability of the tokens that wrote a hunk of the base; operations that touch it count whole."""
        return sum(each.logprob for each in self._scored if each.start <= hunk.stop and hunk.start <= each.stop)

    def _feed(self, piece: Piece) -> bool:
        """Take a piece. Returns: whether it closed an operation."""
        closed = [event.op for event in self._draft.feed(piece) if isinstance(event, OpClosed)]
        if closed or self.finished:
            self._closed_file = None
        for op in closed:
            self._score(op)
        return bool(closed)

    def _score(self, op: LineOp) -> None:
        match op:
            case Substitute():
                start, stop = 0, sys.maxsize
            case Insert(after=after):
                start = stop = self.first_line + after
            case Replace() | Delete() | Indent() | Dedent():
                start, stop = self.first_line - 1 + op.first, self.first_line + op.last
        self._scored.append(_Scored(start, stop, self._logprob))
        self._logprob = 0.0
