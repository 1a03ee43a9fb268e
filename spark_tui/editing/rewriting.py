"""A region written once more, whole, by a chat model, read as it comes in pieces of any size: it knows no tokens.

It is forgiving about what stands around the code (a fence, talk before and behind it) and about indentation that the
whole code, or its first line, has lost; beyond that every line counts as it is written.
"""

from collections.abc import Sequence

from spark_tui.editing.answer_code import AnswerCode
from spark_tui.editing.answered_diff import DIFF_NAMES, begins_diff, is_diff, patched
from spark_tui.editing.growing import Growing, grown_by_diff
from spark_tui.editing.layout import common_indent, indent_of
from spark_tui.editing.white_space import Returns
from spark_tui.errors import SparkError


class RewriteError(SparkError):
    """An answer that cannot be read as the region once more."""


class RewriteDraft:
    """One answer as far as it is written. Mutable. Args: lines: the region. fence: that the answer begins within."""

    line_mark = ""
    """What a new line begins with."""
    in_name = False
    missed: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()

    def __init__(self, lines: Sequence[str], fence: str | None = None) -> None:
        self._growing = Growing(lines)
        self._indentation = _Indentation(lines)
        self._code = AnswerCode(lines, fence)
        self._returns = Returns(lines)
        self._lines: list[str] = []
        """The code as it came."""
        self._is_diff = False
        """Whether it begins as a diff does; its lines are held until the last one."""
        self._finished = False
        self._open = b""

    @property
    def kind(self) -> str | None:
        """What kind of edit it is, as far as it tells."""
        if not self._code.begun:
            return None
        return "none" if self.declined else "edit"

    @property
    def closed(self) -> bool:
        """Whether the fence that was opened, if any, is closed, at least by the open line."""
        return self._code.closed(self._open.decode("utf-8", "replace").removesuffix("\r"))

    @property
    def over(self) -> bool:
        """Whether the code is complete, whatever comes: the model said more behind its fence.

        Closing a fence that the prompt opened is enough: that model runs in this process, and
        nothing cuts its answer.
        """
        return self._code.over or (self._code.ended and bool(self._open.strip()))

    @property
    def talks(self) -> bool:
        """Whether nothing but talk is written so far, and no code."""
        return not self._code.may_have_begun

    @property
    def declined(self) -> bool:
        """Whether it says, at its end, that nothing is to be changed."""
        return self._finished and self.lines() == list(self._growing.old)

    @property
    def open_line(self) -> str | None:
        """The new line that is being written, as far as it is; None elsewhere."""
        opened = self._opened()
        return opened if self._growing.is_new(opened) else None

    def take(self, piece: bytes) -> bool:
        """Go on. Returns: whether that closed anything."""
        *closed, self._open = (self._open + piece).split(b"\n")
        return sum(map(self._line, closed)) > 0

    def finish(self) -> None:
        """The answer is complete: what is left of the region is gone, unless it holds no code.

        Raises: RewriteError: what it means is not clear.
        """
        if self._open:
            self._line(self._open)
        self._open, self._finished = b"", True
        self._take(self._code.finish())
        if not self._code.begun:
            return
        if is_diff(self._lines, self._growing.old, self._code.info):
            self._patch()
        elif self._is_diff:
            self._is_diff = False
            held, self._lines = self._lines, []
            self._read(held)
        for line in self._indentation.rest():
            self._growing.take(line)
        self._growing.finish()
        if self._growing.problem:
            problem = self._growing.problem
            raise RewriteError(f"the answer cannot be read: {problem}; ask for less at once")

    @property
    def doubt(self) -> str:
        """Why nobody can be sure of it, "" where all is clear."""
        was, now = self._growing.old, self._growing.written
        if self._finished and any(map(str.strip, was)) and not any(map(str.strip, now)):
            return "the answer holds no line at all"
        if self._code.is_one_of_several:
            return "the answer holds several blocks of code"
        if self._finished and not self._code.is_fenced and self._lacks_end():
            return "the answer has no fence and lacks the last line"
        return self._growing.doubt

    def _lacks_end(self) -> bool:
        """Whether the region's last line is gone."""
        last = [line.strip() for line in self._growing.old if line.strip()][-1:]
        return not {line.strip() for line in self._growing.written}.issuperset(last)

    def lines(self) -> list[str]:
        """The region as if the answer ended here."""
        return self._growing.lines(self._opened())

    def settled(self) -> list[str]:
        """The region with nothing but what is closed."""
        return self._growing.settled()

    def _opened(self) -> str:
        fence = self._code.open_fence
        if fence is None or self._is_diff or self._indentation.waits:
            return ""
        opened = self._open.decode("utf-8", "ignore")
        return "" if fence.may_end(opened) else self._indentation.placed(fence.within(opened))

    def _line(self, written: bytes) -> bool:
        line = self._returns.stripped(written.decode("utf-8", "replace"))
        return self._take(self._code.take(line))

    def _take(self, code: Sequence[str]) -> bool:
        """Take lines of the code. Returns: whether that closed anything."""
        taken = []
        for line in code:
            self._lines.append(line)
            self._is_diff = self._is_diff or self._begins_diff(line)
            if not self._is_diff:
                taken.append(line)
        return self._read(taken)

    def _read(self, code: Sequence[str]) -> bool:
        closed = False
        for line in code:
            for known in self._indentation.take(line):
                closed = self._growing.take(known) or closed
        return closed

    def _begins_diff(self, line: str) -> bool:
        if any(map(str.strip, self._lines[:-1])):
            return False
        old = self._growing.old
        named = self._code.info.lower() in DIFF_NAMES
        return begins_diff(line, old) or (named and not any(begins_diff(each, ()) for each in old))

    def _patch(self) -> None:
        """Take what a diff makes of the region. Raises: RewriteError: it does not fit."""
        old = self._growing.old
        lines = patched(old, self._lines)
        if lines is None:
            raise RewriteError("the answer is a diff that does not fit the lines; ask again")
        self._growing = grown_by_diff(old, lines)
        self._indentation = _Indentation(())


class _Indentation:
    """Gives back the indentation that code has lost. Mutable. Args: old: the lines as they are indented."""

    def __init__(self, old: Sequence[str]) -> None:
        solid = [line for line in old if line.strip()]
        self._common = common_indent(solid)
        self._second = indent_of(solid[1]) if len(solid) > 1 else None
        self._held: list[str] = []
        self._lost: str | None = None if self._common else ""
        """What every line has lost; None as long as that is open."""

    @property
    def waits(self) -> bool:
        """Whether the next line tells how this and the one before are meant."""
        return bool(self._held) and self._lost is None

    def placed(self, line: str) -> str:
        """A line with what it has lost."""
        return f"{self._lost or ''}{line}" if line.strip() else line

    def take(self, line: str) -> list[str]:
        """Take a line. Returns: the lines that are known now, as they should be."""
        if self._lost is not None:
            return [self.placed(line)]
        solid = any(map(str.strip, self._held))
        self._held.append(line)
        if not line.strip():
            return []
        if not solid and indent_of(line):
            self._lost = ""
        elif solid:
            self._lost = "" if self._only_first(line) else self._common
            if not self._lost:
                self._held = [self._common + each if each.strip() else each for each in self._held[:-1]] + [line]
        return [] if self._lost is None else self.rest()

    def rest(self) -> list[str]:
        """The lines that were not known, by what is known now."""
        if self._lost is None:
            self._lost = self._common
        held, self._held = self._held, []
        return [self.placed(line) for line in held]

    def _only_first(self, second: str) -> bool:
        """Whether the first line alone has lost its indentation: the second one is indented as it was."""
        indent = indent_of(second)
        return indent == self._second if self._second is not None else indent.startswith(self._common)
