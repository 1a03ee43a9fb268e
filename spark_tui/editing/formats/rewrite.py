"""The format of chat models: the region written once more, whole, in a fence.

`RewriteDraft` reads an answer as it comes, in pieces of any size, and knows no tokens. The reader
is forgiving about what stands around the code (a fence, talk before and after) and about
indentation that the whole code, or its first line, has lost. Beyond that every line counts as it is
written.
"""

import re  # noqa: TID251 - reads an answer
from collections.abc import Sequence

from spark_tui.editing.formats.answer_code import AnswerCode
from spark_tui.editing.formats.answer_lines import AnswerLines
from spark_tui.editing.formats.growing_region import GrowingRegion, grown_by_diff
from spark_tui.editing.formats.indentation import common_indent, indent_of
from spark_tui.editing.formats.surroundings import NOWHERE, Surroundings
from spark_tui.editing.formats.unified_diff import DIFF_NAMES, begins_diff, is_diff, patched
from spark_tui.editing.formats.white_space import Returns
from spark_tui.errors import SparkError

_LEAST_LINES = 4
"""The fewest lines of a region of which half must not be gone.

A smaller region may lose half of its lines for a good reason.
"""

_SENTENCE = re.compile(r"[A-Z][\w'’]*(?: [\w'’`.,()/-]+){2,}[.:!]")
"""A line of prose, as models write them above and below code."""


class RewriteError(SparkError):
    """An answer that cannot be read as a rewritten region."""


class RewriteDraft:
    """An answer that rewrites a region, as far as the answer is written. Mutable.

    Args:
        lines: The region.
        fence: The fence that the prompt opened and the answer begins within; None for none.
        around: What stands around the region.
    """

    line_mark = ""
    """What a new line begins with."""
    in_name = False
    missed: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()

    def __init__(
        self,
        lines: Sequence[str],
        fence: str | None = None,
        around: Surroundings = NOWHERE,
    ) -> None:
        self._growing = GrowingRegion(lines)
        self._indentation = _Indentation(lines)
        self._code = AnswerCode(lines, fence)
        self._returns = Returns(lines)
        self._lines = AnswerLines(lines, around)
        """The code."""
        self._is_diff = False
        """Whether the code begins like a diff; its lines are then held until the last one."""
        self._finished = False
        self._doubt = ""
        self._open = b""

    @property
    def kind(self) -> str | None:
        """The kind of the edit, "none" or "edit", as far as the answer tells."""
        if not self._code.begun:
            return None
        return "none" if self.declined else "edit"

    @property
    def closed(self) -> bool:
        """Whether every opened fence is closed, at least by the line being written."""
        return self._code.closed(self._open.decode("utf-8", "replace").removesuffix("\r"))

    @property
    def over(self) -> bool:
        """Whether the code is complete, whatever comes: the model went on below its fence.

        Closing a fence that the prompt opened is enough: such a model runs in this process, and
        nothing cuts its answer.
        """
        return self._code.over or (self._code.ended and bool(self._open.strip()))

    @property
    def talks(self) -> bool:
        """Whether nothing but talk is written so far, and no code."""
        return not self._code.may_have_begun

    @property
    def declined(self) -> bool:
        """Whether the complete answer changes nothing."""
        return self._finished and self.lines() == list(self._growing.old)

    @property
    def open_line(self) -> str | None:
        """The new line that is being written, as far as it goes; None elsewhere."""
        opened = self._opened()
        return opened if self._growing.is_new(opened) else None

    def take(self, piece: bytes) -> bool:
        """Read the next piece of the answer.

        Returns:
            Whether the piece closed anything.
        """
        *closed, self._open = (self._open + piece).split(b"\n")
        return sum(map(self._line, closed)) > 0

    def finish(self) -> None:
        """End the answer: the rest of the region is deleted, unless the answer holds no code.

        Raises:
            RewriteError: The meaning of the answer is not clear.
        """
        # the last line may lack its line feed, and `_code` may hold lines behind a doubtful fence
        if self._open:
            self._line(self._open)
        self._open = b""
        self._finished = True
        self._take(self._code.finish())
        if not self._code.begun:
            return
        # Only the whole code tells whether it is a diff, or only begins like one.
        if is_diff(self._lines.lines, self._growing.old, self._code.info):
            self._patch()
        else:
            self._read_as_meant()
        for line in self._indentation.rest():
            self._growing.take(line)
        self._growing.finish()
        if self._lines.are_indented_otherwise(self._growing.written):
            self._doubt = self._doubt or "tabs and spaces are mixed"
        if self._growing.problem:
            problem = self._growing.problem
            raise RewriteError(f"the answer cannot be read: {problem}; ask for less at once")

        # An empty block beside other fences is more likely a fence read wrong than a deletion.
        if self._takes_all_away() and self._code.has_other_fences:
            raise RewriteError("the answer holds no line of code in its last block; ask again")

    def _takes_all_away(self) -> bool:
        """Whether the region had lines, and the complete answer has none."""
        was_empty = not any(map(str.strip, self._growing.old))
        is_empty = not any(map(str.strip, self._growing.written))
        return self._finished and is_empty and not was_empty

    @property
    def doubt(self) -> str:
        """The reason to doubt the answer, or "" where there is none."""
        if self._takes_all_away():
            return "the answer holds no line at all"
        if self._code.is_one_of_several:
            return "the answer holds several blocks of code"
        if self._finished and not self._code.is_fenced and self._lacks_end():
            return "the answer has no fence and lacks the last line"
        if self._finished and not self._code.is_fenced and self._may_talk():
            return "the answer has no fence, and a line of it may be talk"
        if self._finished and self._lacks_most():
            return "the answer lacks most of the lines that were there"
        return self._code.doubt or self._doubt or self._growing.doubt

    def _may_talk(self) -> bool:
        """Whether the first or the last line of the complete answer is a new one in prose."""
        old = {line.strip() for line in self._growing.old}
        written = [line.strip() for line in self._growing.written if line.strip()]
        ends = (*written[:1], *written[-1:])
        return any(line not in old and _SENTENCE.fullmatch(line) for line in ends)

    def _lacks_most(self) -> bool:
        """Whether the answer has half of the lines at most: models show the part that they changed.

        An edit that really removes so much is rare, and deserves a look all the same.
        """
        old = [line.strip() for line in self._growing.old if line.strip()]
        written = [line.strip() for line in self._growing.written if line.strip()]
        return len(old) >= _LEAST_LINES and 2 * len(written) <= len(old)

    def _lacks_end(self) -> bool:
        """Whether the region's last line is gone."""
        last = [line.strip() for line in self._growing.old if line.strip()][-1:]
        return not {line.strip() for line in self._growing.written}.issuperset(last)

    def lines(self) -> list[str]:
        """The region as if the answer ended here."""
        return self._growing.lines(self._opened())

    def settled(self) -> list[str]:
        """The region with closed lines only."""
        return self._growing.settled()

    def _opened(self) -> str:
        """The line being written as a line of code; "" where its meaning is not known."""
        fence = self._code.open_fence
        waits = self._is_diff or self._lines.waits or self._indentation.waits
        if fence is None or waits:
            return ""
        opened = self._open.decode("utf-8", "ignore")
        if fence.may_end(opened):
            return ""
        return self._indentation.placed(fence.within(opened))

    def _line(self, written: bytes) -> bool:
        line = self._returns.stripped(written.decode("utf-8", "replace"))
        return self._take(self._code.take(line))

    def _take(self, code: Sequence[str]) -> bool:
        """Take lines of the code; those of a diff are kept for the end.

        Returns:
            Whether the lines closed anything.
        """
        closed = False
        for line in code:
            shown = self._lines.take(line)
            self._is_diff = self._is_diff or self._begins_diff(line)
            if not self._is_diff:
                closed = self._read(shown) or closed
        return closed

    def _read(self, code: Sequence[str]) -> bool:
        closed = False
        for line in code:
            for known in self._indentation.take(line):
                closed = self._growing.take(known) or closed
        return closed

    def _begins_diff(self, line: str) -> bool:
        # only the first line that is not empty can begin a diff
        if any(map(str.strip, self._lines.lines[:-1])):
            return False
        old = self._growing.old
        if begins_diff(line, old):
            return True
        named = self._code.info.lower() in DIFF_NAMES  # reads an answer
        return named and not any(begins_diff(old_line, ()) for old_line in old)

    def _read_as_meant(self) -> None:
        """Read the complete code anew, where it means other lines than those read so far."""
        reading = self._lines.read()
        self._doubt = reading.doubt
        if self._is_diff or reading.lines != self._lines.shown:
            self._growing = GrowingRegion(self._growing.old)
            self._indentation = _Indentation(self._growing.old)
            self._read(reading.lines)

    def _patch(self) -> None:
        """Read the code as a diff of the region.

        Raises:
            RewriteError: The diff does not fit.
        """
        old = self._growing.old
        lines = patched(old, self._lines.lines)
        if lines is None:
            raise RewriteError("the answer is a diff that does not fit the lines; ask again")
        self._growing = grown_by_diff(old, lines)
        # the lines of a diff have the indentation of the region: none is held, none is added
        self._indentation = _Indentation(())


class _Indentation:
    """The indentation that the code of an answer has lost. Mutable.

    Models write the code of an indented region, such as a method, from the first column on, or only
    its first line. The first two lines that are not empty tell which.

    Args:
        old: The lines of the region, with their indentation.
    """

    def __init__(self, old: Sequence[str]) -> None:
        solid = [line for line in old if line.strip()]
        self._common = common_indent(solid)
        self._second = indent_of(solid[1]) if len(solid) > 1 else None
        # the lines whose indentation is not known yet
        self._held: list[str] = []
        self._lost: str | None = None if self._common else ""
        """The indentation that every line has lost; None while that is not known."""

    @property
    def waits(self) -> bool:
        """Whether the next line tells how the held lines are meant."""
        return bool(self._held) and self._lost is None

    def placed(self, line: str) -> str:
        """A line with the indentation that all lines have lost."""
        if not self._lost or not line.strip():
            return line
        return self._lost + line

    def take(self, line: str) -> list[str]:
        """Take a line.

        Returns:
            The lines whose indentation is known now, with their indentation.
        """
        if self._lost is not None:
            return [self.placed(line)]
        solid = any(map(str.strip, self._held))
        self._held.append(line)
        if not line.strip():
            return []
        # With indentation in the first line, nothing is lost. Else the second line decides: if that
        # one has the indentation of the region, only the first line has lost it.
        if not solid and indent_of(line):
            self._lost = ""
        elif solid and self._only_first(line):
            self._lost = self._common
            before = self._held[:-1]
            self._held = [*map(self.placed, before), line]
            self._lost = ""
        elif solid:
            self._lost = self._common
        return [] if self._lost is None else self.rest()

    def rest(self) -> list[str]:
        """The held lines with their indentation, as far as it is known."""
        # too few lines came to tell: all of them count as if they had lost their indentation
        if self._lost is None:
            self._lost = self._common
        held = self._held
        self._held = []
        return [self.placed(line) for line in held]

    def _only_first(self, second: str) -> bool:
        """Whether only the first line has lost its indentation, as the second line still has it."""
        # The second line of the region tells how deep the second line of the answer should stand:
        # in a method that lost its indentation, the body is indented all the same.
        indent = indent_of(second)
        if self._second is not None:
            return indent == self._second
        return indent.startswith(self._common)
