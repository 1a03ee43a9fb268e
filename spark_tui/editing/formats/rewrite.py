"""The format of chat models: the region written once more, whole, in a fence.

`RewriteDraft` reads an answer as it comes, in pieces of any size, and knows no tokens. The reader
is forgiving about what stands around the code (a fence, talk before and after) and about
indentation that the whole code, or its first line, has lost. Beyond that every line counts as it is
written. The parts, in the order of the page:

- `GrowingRegion`: new lines that take the place of old ones while they are written, from the top.
  Additions and deletions only grow.
- `layout_of`, `indent_of`, `common_indent`: how lines are indented.
- `Fence`: fences around code, as Markdown has them and as models write them.
- `AnswerCode`: the code of an answer without the fence and the talk. Where the region has fences of
  its own, or the answer is Markdown, a line that may close the answer's fence may also belong to
  the code. Such a line is held until one of the region's lines follows, or the answer ends: then
  the last fence without a partner closes the answer.
- `code_blocks`, `placed`: the code blocks of an answer to a question, and where a block belongs in
  a file.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import pairwise

from spark_tui.editing.formats.left_out import (
    OPENING_REMARKS,
    put_back,
    stands_for_code,
    takes_place_of_code,
)
from spark_tui.editing.formats.unified_diff import DIFF_NAMES, begins_diff, is_diff, patched
from spark_tui.editing.formats.white_space import Columns, Indents, Keys, Returns, with_returns
from spark_tui.editing.text import undecodable
from spark_tui.errors import SparkError

_REACH = 40
"""Old lines that may be left out at once before they are known to be gone."""
_HOP = 3
"""Old lines that may be left out at once on the word of one line."""
_WEIGHT = 3
"""The least letters and digits of a line that tells its place; the end of a block has fewer."""


class GrowingRegion:
    """Old lines while new ones are written in their place. Mutable.

    A new line is final, and an old line that gave way never comes back: shown are the new lines and
    the old ones that are not passed. Lines that both have settle which old lines are passed;
    `closed` counts the new lines up to there.

    A carriage return at the end of an old line, which models do not copy, always stays. An old line
    that came back with other white space, or with punctuation or letters written in another way
    (see `Keys`), counts as the old line. From a line on that stands for code left out, or that has
    spaces for tabs, all lines are held until the last line tells what they mean.

    `doubt`: why nobody can be sure of the lines, or "". `problem`: why the lines cannot be used, or
    "". Both are known at the end.

    Args:
        old: The old lines.
    """

    def __init__(self, old: Sequence[str]) -> None:
        self.old = tuple(old)
        self.written: list[str] = []
        self.closed = 0
        self.doubt = self.problem = ""
        self._key_of = Keys(old).of
        self._keys = [self._key_of(line) for line in old]
        self._stripped = {line.strip() for line in old}
        self._indents = Indents(old)
        self._columns = Columns(old)
        self._at = 0
        self._raw: list[str] = []
        """The lines as they came."""
        self._held: list[str] = []
        """The lines whose meaning the last line tells."""

    def take(self, line: str) -> bool:
        """Take the next line.

        Returns:
            Whether the line closed anything.
        """
        self._raw.append(line)
        left_out = line.strip() not in self._stripped and stands_for_code(line)
        if self._held or left_out or self._indents.swapped(line):
            opens = self.written[self.closed :][-1:]
            if left_out and not self._held and opens and opens[0].strip() in OPENING_REMARKS:
                self._held.append(self.written.pop())
            self._held.append(line)
            return False
        return self._take(line)

    def _take(self, line: str) -> bool:
        row = self._old_row(line)
        if row is None:
            self.written.append(self._columns.restored(line))
            return False
        self.written.append(self.old[row])
        self._settle(row)
        self._at = row + 1
        self.closed = len(self.written)
        return True

    def finish(self) -> None:
        """End the new lines: all old lines are passed, and held lines get their meaning."""
        held = self._held
        self._held = []
        if held:
            whole = put_back(self.old, self._indents.restored([*self.written, *held]))
            if whole is None:
                self.problem = "it leaves code out, and which is not clear"
                return
            self.doubt = "" if whole.exact else "code that was left out was put back"
            for line in whole.lines[len(self.written) :]:
                self._take(line)
        self._settle(len(self.old))
        self._raw = with_returns(self._raw, self.old)
        only_white = tuple(self.written) == self.old and tuple(self._raw) != self.old
        if only_white and not self.doubt and not any(map(undecodable, self.old)):
            self.written = self._unheld(held)
        self._at = len(self.old)
        self.closed = len(self.written)
        if not self.doubt and takes_place_of_code(self.old, self.written):
            self.doubt = "a remark stands where code was, which may only be left out"

    def _unheld(self, held: Sequence[str]) -> list[str]:
        """The lines as they came, unless one of them stood for code."""
        known = self._stripped
        if any(line.strip() not in known and stands_for_code(line) for line in held):
            return self.written
        return self._raw

    def _settle(self, stop: int) -> None:
        """Restore those lines being closed that equal passed old lines but for white space.

        Args:
            stop: The old line, exclusive, up to which old lines are passed.
        """
        old_keys = self._keys[self._at : stop]
        new_keys = [self._key_of(line) for line in self.written[self.closed :]]
        matcher = SequenceMatcher(None, old_keys, new_keys, autojunk=False)
        for old_start, new_start, size in matcher.get_matching_blocks():
            old_row = self._at + old_start
            new_row = self.closed + new_start
            self.written[new_row : new_row + size] = self.old[old_row : old_row + size]

    def lines(self, opened: str = "") -> list[str]:
        """The new lines and the old ones that are not passed, as if the answer ended here.

        Args:
            opened: The line being written, as far as it goes.
        """
        new = [opened] if self.is_new(opened) else []
        return [*self.written, *new, *self.old[self._at :]]

    def settled(self) -> list[str]:
        """The lines with closed new lines only."""
        return [*self.written[: self.closed], *self.old[self._at :]]

    def is_new(self, opened: str) -> bool:
        """Whether a line that is being written is surely none of the old ones."""
        if not opened or self._held:
            return False
        return not any(line.startswith(opened) for line in self._ahead())

    def likely(self) -> Sequence[str]:
        """The old lines that are likely to come next, if as many went by as came."""
        return self.old[self._at + len(self.written) - self.closed :]

    def _ahead(self) -> Sequence[str]:
        return self.old[self._at : self._at + _REACH]

    def _old_row(self, line: str) -> int | None:
        """The row of the old line that a new line is, where that is clear.

        The old line is the next one; or as many lines came as went; or the lines before both are
        equal, too; or the old line is the only one like the new line, and few lines are left out.
        """
        key = self._key_of(line)
        ahead = self._keys[self._at : self._at + _REACH]
        waiting = len(self.written) - self.closed
        weighs = _weighs(key)
        alone = bool(key.strip()) and ahead.count(key) == 1
        before = self._key_of(self.written[-1]) if self.written else ""
        if ahead and ahead[0] == key and (not waiting or weighs):
            return self._at
        for skipped, old_key in enumerate(ahead[1:], 1):
            if old_key != key:
                continue
            follows = ahead[skipped - 1] == before and waiting > 0 and _weighs(before + key)
            hops = alone and not waiting and skipped <= _HOP and weighs
            keeps_count = skipped == waiting and (alone or weighs)
            if follows or hops or keeps_count:
                return self._at + skipped
        return None


def grown_by_diff(old: Sequence[str], lines: Sequence[str]) -> GrowingRegion:
    """The complete growing region for lines that a diff has made of old ones.

    What a diff deletes and adds is meant, down to a dash: only code left out, tabs and columns come
    back.
    """
    growing = GrowingRegion(old)
    for line in lines:
        growing.take(line)
    growing.finish()
    key_of = Keys(old).of
    if list(map(key_of, growing.written)) == list(map(key_of, lines)):
        growing.written = list(lines)
    return growing


def _weighs(text: str) -> bool:
    """Whether a text has letters enough to tell its place."""
    return sum(map(str.isalnum, text)) >= _WEIGHT


@dataclass(frozen=True, slots=True)
class Indentation:
    """How a region's lines are indented: all of them by at least `base` units of `unit`."""

    unit: str = "    "
    base: int = 0


@lru_cache(maxsize=16)
def layout_of(lines: tuple[str, ...]) -> Indentation:
    """Read the indentation unit and the common level off a region's lines."""
    unit = _unit(lines)
    widths = [len(line) - len(line.lstrip(unit[0])) for line in lines if line.strip()]
    return Indentation(unit, min(widths, default=0) // len(unit))


def _unit(lines: Sequence[str]) -> str:
    """The step from a line that ends in a colon to the next one, else four spaces."""
    if any(line.startswith("\t") for line in lines):
        return "\t"
    filled = [line for line in lines if line.strip()]
    for head, body in pairwise(filled):
        step = _width(body) - _width(head)
        if head.rstrip().endswith(":") and step > 0:
            return " " * step
    return "    "


def _width(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def indent_of(line: str) -> str:
    """The spaces and tabs that a line begins with."""
    return line[: len(line) - len(line.lstrip(" \t"))]


def common_indent(lines: Sequence[str]) -> str:
    """The spaces and tabs that all lines but empty ones begin with."""
    solid = [line for line in lines if line.strip()]
    if not solid:
        return ""
    # what the first and the last line in the order of the alphabet share, all lines share
    least = min(solid)
    most = max(solid)
    same = 0
    while same < len(least) and least[same] == most[same]:
        same += 1
    return indent_of(least[:same])


_FENCE = re.compile(r"(?P<indent> {0,3}|\t)(?P<fence>`{3,}|~{3,})(?P<info>[^`]*)")
_LEAST = 3


def fence_for(lines: Iterable[str]) -> str:
    """A fence that is longer than all fences in some lines."""
    fences = filter(None, map(_FENCE.fullmatch, lines))
    longest = max((len(match["fence"]) for match in fences), default=0)
    return "`" * max(_LEAST, longest + 1)


class Fence:
    """A fence that was opened. Mutable: blocks within open and close.

    Only blocks within whose fences are at least as long as this one count.

    Args:
        mark: The fence: three characters or more, all the same.
        indent: The white space before the fence, and before the lines within.
        info: The text behind the fence.
    """

    def __init__(self, mark: str = "`" * _LEAST, indent: str = "", info: str = "") -> None:
        self._mark = mark
        self._indent = indent
        self.info = info
        """The text behind the fence: the language of the block."""
        self._within = 0

    @classmethod
    def opened(cls, line: str) -> "Fence | None":
        """The fence that a line opens; None for any other line."""
        match = _FENCE.fullmatch(line)
        if match is None:
            return None
        return cls(match["fence"], match["indent"], match["info"].strip())

    def is_like(self, line: str) -> bool:
        """Whether a line is a fence that could open or close a block of this kind."""
        match = _FENCE.fullmatch(line)
        return match is not None and match["fence"].startswith(self._mark)

    def enter(self) -> None:
        """Count a block within that was opened by a line not given to `ends`."""
        self._within += 1

    def reopen(self) -> None:
        """Go on as if the line that closed the fence had not."""
        self._within = 0

    def ends(self, line: str) -> bool:
        """Take the next line below the fence.

        Returns:
            Whether the line closes the fence.
        """
        match = _FENCE.fullmatch(line)
        if not match or not match["fence"].startswith(self._mark):
            return False
        if match["info"].strip():
            self._within += 1
            return False
        self._within -= 1
        return self._within < 0

    def would_end(self, line: str) -> bool:
        """Whether `ends` would return True for a line, without taking the line."""
        match = _FENCE.fullmatch(line)
        if not match or match["info"].strip():
            return False
        return not self._within and match["fence"].startswith(self._mark)

    def may_end(self, begun: str) -> bool:
        """Whether a line that begins with `begun` may close the fence."""
        bare = begun.strip()
        return not self._within and bool(bare) and not bare.strip(self._mark[0])

    def within(self, line: str) -> str:
        """A line of the answer as a line of the block, without the indentation of the fence."""
        return line.removeprefix(self._indent)


_DOCUMENTS = frozenset({"md", "markdown", "mdx", "qmd", "rmd"})
"""The languages of blocks that have fences themselves."""


class AnswerCode:
    """The code of one answer, read line by line. Mutable.

    Args:
        old: The region.
        fence: The fence that the prompt opened and the answer begins within; None for none.
    """

    def __init__(self, old: Sequence[str], fence: str | None = None) -> None:
        self._old = [line.strip() for line in old if line.strip()]
        self._left = Counter(self._old)
        """The region's lines that the answer has not had yet."""
        self._fence = None if fence is None else Fence(fence)
        self._prompted = self._opened = fence is not None
        self._document = self._has_fences(Fence())
        if self._fence:
            self._document = self._has_fences(self._fence)
        self._first = ""
        """A fence that may be the answer's, or the region's own first line."""
        self._talk: list[str] = []
        self._held: list[str] = []
        """The lines from one on that may close the answer's fence."""
        self.ended = False
        """Whether the fence is closed."""
        self.over = False
        """Whether the fence is closed and the model went on below; see `RewriteDraft.over`."""
        self.is_one_of_several = False
        """Whether more fences were opened below the code, so that the meant block is not clear."""

    @property
    def begun(self) -> bool:
        """Whether the code has begun."""
        return self._fence is not None

    @property
    def may_have_begun(self) -> bool:
        """Whether the code has begun, or a fence was opened that may be the answer's."""
        return self.begun or bool(self._first)

    @property
    def is_fenced(self) -> bool:
        """Whether the code stands within a fence."""
        return self._opened

    @property
    def info(self) -> str:
        """The language that the fence names, or ""."""
        return self._fence.info if self._fence else ""

    @property
    def open_fence(self) -> Fence | None:
        """The fence within which the next line is code; None where that is not known."""
        if self.ended or self._held or self._first:
            return None
        return self._fence

    def closed(self, opened: str) -> bool:
        """Whether every fence that was opened is closed.

        Args:
            opened: The last line, as far as it is written.
        """
        if self._first:
            return False
        if not self._opened or self.ended:
            return True
        assert self._fence is not None
        if self._held:
            return len(self._unpaired([*self._held, opened])) % 2 == 1
        return self._fence.would_end(opened)

    def take(self, line: str) -> list[str]:
        """Take the next line.

        Returns:
            The lines of code that are known now.
        """
        if self.ended:
            self.over = self.over or bool(line.strip())
            self.is_one_of_several = self.is_one_of_several or Fence.opened(line) is not None
            return []
        if self._first:
            return self._second(line)
        if self._fence is not None:
            return self._within(self._fence, line)
        return self._begin(line)

    def finish(self) -> list[str]:
        """End the answer.

        Returns:
            The last lines of code.
        """
        if self._held:
            return self._closed_at_last()
        known = set(self._old)
        spoken = [line for line in self._talk if any(map(str.isalnum, line))]
        if self._fence is not None or not any(line.strip() in known for line in spoken):
            return []
        # the region was written without a fence: the talk is the code
        self._fence = Fence()
        talk = self._talk
        self._talk = []
        lines: list[str] = []
        for line in talk:
            lines += self.take(line)
        return lines

    def _begin(self, line: str) -> list[str]:
        """Take a line before the code has begun."""
        fence = Fence.opened(line)
        if fence and line.strip() in self._old[:1]:
            self._first = line
            return []
        if fence:
            self._open(fence)
            return []
        talked = any(map(str.strip, self._talk))
        is_old = line.strip() in self._old and (self._document or not talked)
        if (line.strip() and is_old) or begins_diff(line, self._old):
            self._fence = Fence()
            return self._within(self._fence, line)
        self._talk.append(line)
        return []

    def _open(self, fence: Fence) -> None:
        self._fence = fence
        self._opened = True
        self._document = self._has_fences(fence) or fence.info.lower() in _DOCUMENTS

    def _second(self, line: str) -> list[str]:
        """Take the line below a fence that may be the region's own.

        Only the same fence once more makes the first one the answer's.
        """
        first = self._first
        self._first = ""
        fence = Fence.opened(first)
        assert fence is not None
        if Fence.opened(line) and line.strip() == first.strip():
            self._open(fence)
            self._fence = fence
            return self._opened_within(fence, line)
        self._fence = fence
        return [*self._opened_within(fence, first), *self.take(line)]

    def _opened_within(self, fence: Fence, line: str) -> list[str]:
        fence.enter()
        return self._code(fence, line)

    def _within(self, fence: Fence, line: str) -> list[str]:
        """Take a line within the answer's fence."""
        if self._held:
            self._held.append(line)
            is_more = Fence.opened(line) is None and self._left[line.strip()] > 0
            if not line.strip() or not is_more:
                return []
            return self._released(fence)
        if not fence.ends(line):
            return self._code(fence, line)
        if self._document:
            self._held = [line]
            fence.reopen()
        else:
            self.ended = True
            self.over = self._prompted
        return []

    def _released(self, fence: Fence) -> list[str]:
        """The held lines as code: the first one opens a block, as more of the region follows."""
        first, *others = self._held
        self._held = []
        lines = self._opened_within(fence, first)
        for line in others:
            lines += self._within(fence, line)
        return lines

    def _code(self, fence: Fence, line: str) -> list[str]:
        self._left[line.strip()] -= 1
        return [fence.within(line)]

    def _closed_at_last(self) -> list[str]:
        """The held lines that are code, at the end of the answer."""
        assert self._fence is not None
        held = self._held
        self._held = []
        ends = self._unpaired(held)
        if len(ends) % 2 == 0:
            return [self._fence.within(line) for line in held]
        self.ended = True
        all_there = not any(count > 0 for count in self._left.values())
        # below the whole region and an empty line stands talk, with fences of its own
        talks = all_there and len(held) > 1 and not held[1].strip()
        if talks:
            return []
        return [self._fence.within(line) for line in held[: ends[-1]]]

    def _unpaired(self, lines: Sequence[str]) -> list[int]:
        """The rows of fences that close no block which one of these lines opens by name."""
        assert self._fence is not None
        depth = 0
        rows = list[int]()
        for number, line in enumerate(lines):
            if not self._fence.is_like(line):
                continue
            fence = Fence.opened(line)
            if fence and fence.info:
                depth += 1
            elif depth:
                depth -= 1
            else:
                rows.append(number)
        return rows

    def _has_fences(self, fence: Fence) -> bool:
        return any(fence.is_like(line) for line in self._old)


class RewriteError(SparkError):
    """An answer that cannot be read as a rewritten region."""


class RewriteDraft:
    """An answer that rewrites a region, as far as the answer is written. Mutable.

    Args:
        lines: The region.
        fence: The fence that the prompt opened and the answer begins within; None for none.
    """

    line_mark = ""
    """What a new line begins with."""
    in_name = False
    missed: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()

    def __init__(self, lines: Sequence[str], fence: str | None = None) -> None:
        self._growing = GrowingRegion(lines)
        self._indentation = _Indentation(lines)
        self._code = AnswerCode(lines, fence)
        self._returns = Returns(lines)
        self._lines: list[str] = []
        """The code as it came."""
        self._is_diff = False
        """Whether the code begins like a diff; its lines are then held until the last one."""
        self._finished = False
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
        if self._open:
            self._line(self._open)
        self._open = b""
        self._finished = True
        self._take(self._code.finish())
        if not self._code.begun:
            return
        if is_diff(self._lines, self._growing.old, self._code.info):
            self._patch()
        elif self._is_diff:
            self._is_diff = False
            held = self._lines
            self._lines = []
            self._read(held)
        for line in self._indentation.rest():
            self._growing.take(line)
        self._growing.finish()
        if self._growing.problem:
            problem = self._growing.problem
            raise RewriteError(f"the answer cannot be read: {problem}; ask for less at once")

    @property
    def doubt(self) -> str:
        """Why nobody can be sure of the answer, "" where all is clear."""
        was_empty = not any(map(str.strip, self._growing.old))
        is_empty = not any(map(str.strip, self._growing.written))
        if self._finished and is_empty and not was_empty:
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
        """The region with closed lines only."""
        return self._growing.settled()

    def _opened(self) -> str:
        """The line being written as a line of code; "" where its meaning is not known."""
        fence = self._code.open_fence
        if fence is None or self._is_diff or self._indentation.waits:
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
        if begins_diff(line, old):
            return True
        named = self._code.info.lower() in DIFF_NAMES
        return named and not any(begins_diff(old_line, ()) for old_line in old)

    def _patch(self) -> None:
        """Take what a diff makes of the region.

        Raises:
            RewriteError: The diff does not fit.
        """
        old = self._growing.old
        lines = patched(old, self._lines)
        if lines is None:
            raise RewriteError("the answer is a diff that does not fit the lines; ask again")
        self._growing = grown_by_diff(old, lines)
        self._indentation = _Indentation(())


class _Indentation:
    """The indentation that the code of an answer has lost. Mutable.

    Args:
        old: The lines of the region, with their indentation.
    """

    def __init__(self, old: Sequence[str]) -> None:
        solid = [line for line in old if line.strip()]
        self._common = common_indent(solid)
        self._second = indent_of(solid[1]) if len(solid) > 1 else None
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
        """The held lines, with the indentation by what is known now."""
        if self._lost is None:
            self._lost = self._common
        held = self._held
        self._held = []
        return [self.placed(line) for line in held]

    def _only_first(self, second: str) -> bool:
        """Whether only the first line has lost its indentation, as the second line still has it."""
        indent = indent_of(second)
        if self._second is not None:
            return indent == self._second
        return indent.startswith(self._common)


def code_blocks(answer: str) -> list[tuple[str, ...]]:
    """The lines of each fenced block in Markdown that is closed and not blank."""
    blocks = list[tuple[str, ...]]()
    block = list[str]()
    fence = None
    for line in answer.split("\n"):
        if fence is None:
            fence = Fence.opened(line)
            block = []
        elif fence.ends(line):
            fence = None
            if any(map(str.strip, block)):
                blocks.append(tuple(block))
        else:
            block.append(fence.within(line))
    return blocks


def placed(
    lines: Sequence[str], block: Sequence[str], *, whole: bool = False
) -> tuple[range, list[str]]:
    """Where a block belongs in a file.

    The block replaces all lines from the first to the last one that both share. A block that shares
    no line goes below the last line.

    Args:
        lines: At least one line.
        block: The block.
        whole: Whether the block replaces all lines.

    Returns:
        The lines to replace, and the lines in their place, indented as the file is.
    """
    old = [line.strip() for line in lines]
    new = [line.strip() for line in block]
    shared: list[tuple[int, int]] = []
    for row, new_row, size in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks():
        pairs = zip(range(row, row + size), range(new_row, new_row + size), strict=True)
        shared += [pair for pair in pairs if old[pair[0]]]
    if not shared and not whole:
        return range(len(lines) - 1, len(lines)), [lines[-1], *block]
    first, first_new = shared[0] if shared else (0, 0)
    last, _ = shared[-1] if shared else (0, 0)
    place = range(len(lines)) if whole else range(first, last + 1)
    indent = indent_of(lines[first])
    block_indent = indent_of(block[first_new])
    indented: list[str] = []
    for line in block:
        if line.startswith(block_indent) and line.strip():
            indented.append(indent + line.removeprefix(block_indent))
        else:
            indented.append(line)
    return place, indented
