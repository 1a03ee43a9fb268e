"""The format of chat models: the region's lines once more, in a fence.

Lines that take the place of old ones while they are written, from the top: additions and deletions
only grow.

How lines are indented: the unit that a piece of code takes, and what its lines share.

Fences around code in what a chat model says, as Markdown has them, and as models write them.

The code of an answer, without the fence and the talk around it, read line by line.

Where the region has fences of its own, or the answer is Markdown, a line that may close the
answer's fence may as well belong to the code. It is held until one of the region's lines follows,
or the answer ends: then the last fence that has no partner closes the answer.

A region written once more, whole, by a chat model, read as it comes in pieces of any size: it knows
no tokens.

It is forgiving about what stands around the code (a fence, talk before and behind it) and about
indentation that the whole code, or its first line, has lost; beyond that every line counts as it is
written.

Code that a chat model shows in an answer, and lines of a file with such code in them.
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
"""Letters and digits of a line that says where it stands; an end of a block or an empty line
does not.
"""


class GrowingRegion:
    """Old lines while new ones are written.

    Mutable.

    Args:
        old: The lines whose place they take.

    A new line is final, and an old one that gave way never comes back: what is shown is the new
    lines and the old ones that are not passed. Which are passed is settled by lines that both have;
    `closed` counts the new lines up to there.

    A carriage return at the end of an old line, which models do not copy, always stays. An old line
    that came back with other white space, or with punctuation or letters written otherwise (see
    `Keys`), is the old one. From a line on that stands for code left out, or is indented with
    spaces for tabs, lines are held until the last one tells what they mean.

    `doubt`: why nobody can be sure of the lines, "" where all is clear. `problem`: why they cannot
    be used; both are known at the end.
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

    def take(self, line: str) -> bool:
        """Take the next line.

        Returns:
            Whether that closed anything.
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
        found = self._found(line)
        if found is None:
            self.written.append(self._columns.restored(line))
            return False
        self.written.append(self.old[found])
        self._settle(found)
        self._at, self.closed = found + 1, len(self.written)
        return True

    def finish(self) -> None:
        """There are no more lines."""
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
        self._at, self.closed = len(self.old), len(self.written)
        if not self.doubt and takes_place_of_code(self.old, self.written):
            self.doubt = "a remark stands where code was, which may only be left out"

    def _unheld(self, held: Sequence[str]) -> list[str]:
        """The lines as they came, unless one of them stood for code."""
        known = self._stripped
        if any(line.strip() not in known and stands_for_code(line) for line in held):
            return self.written
        return self._raw

    def _settle(self, stop: int) -> None:
        """Give lines that are closed now back as they were, where only their white space differs.

        Args:
            stop: The old line, exclusive, up to which old lines are passed.
        """
        start = self.closed
        old = self._keys[self._at : stop]
        keys = [self._key_of(line) for line in self.written[start:]]
        matcher = SequenceMatcher(None, old, keys, autojunk=False)
        for a, b, size in matcher.get_matching_blocks():
            there = self._at + a
            self.written[start + b : start + b + size] = self.old[there : there + size]

    def lines(self, opened: str = "") -> list[str]:
        """What is there as if the answer ended here.

        Args:
            opened: The line being written, as far as it is.
        """
        return [*self.written, *([opened] if self.is_new(opened) else []), *self.old[self._at :]]

    def settled(self) -> list[str]:
        """What is there with closed lines only."""
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

    def _found(self, line: str) -> int | None:
        """The old line that a new one is, if that is clear.

        It is the next one; or as many lines came as went; or the line before is the one before it,
        too; or it is the only one like it, and few are left out.
        """
        line = self._key_of(line)
        ahead = self._keys[self._at : self._at + _REACH]
        waiting = len(self.written) - self.closed
        alone = bool(line.strip()) and ahead.count(line) == 1
        before = self._key_of(self.written[-1]) if self.written else ""
        if ahead and ahead[0] == line and (not waiting or _weighs(line)):
            return self._at
        for skipped, old in enumerate(ahead[1:], 1):
            follows = ahead[skipped - 1] == before and waiting > 0 and _weighs(before + line)
            hops = alone and not waiting and skipped <= _HOP and _weighs(line)
            if old == line and (
                follows or hops or (skipped == waiting and (alone or _weighs(line)))
            ):
                return self._at + skipped
        return None


def grown_by_diff(old: Sequence[str], lines: Sequence[str]) -> GrowingRegion:
    """Old lines whose place others take that a diff has made of them, complete.

    What a diff takes away and adds is meant, down to a dash: only code that was left out, tabs and
    columns come back.
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
    spaces = min(
        (len(line) - len(line.lstrip(unit[0])) for line in lines if line.strip()), default=0
    )
    return Indentation(unit, spaces // len(unit))


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
    """What all lines that are not empty begin with of spaces and tabs."""
    solid = [line for line in lines if line.strip()]
    if not solid:
        return ""
    least = min(solid)
    most = max(solid)
    same = next(
        (at for at, (one, other) in enumerate(zip(least, most, strict=False)) if one != other),
        len(least),
    )
    return indent_of(least[:same])


_FENCE = re.compile(r"(?P<indent> {0,3}|\t)(?P<fence>`{3,}|~{3,})(?P<info>[^`]*)")
_LEAST = 3


def fence_for(lines: Iterable[str]) -> str:
    """A fence that stands in none of some lines."""
    longest = max(
        (len(found["fence"]) for line in lines if (found := _FENCE.fullmatch(line))), default=0
    )
    return "`" * max(_LEAST, longest + 1)


class Fence:
    """A fence that was opened.

    Mutable: blocks within it open and close, where they are as long as it is.

    Args:
        mark: Of at least three characters, all the same.
        indent: What stands before it, and before its lines.
    """

    def __init__(self, mark: str = "`" * _LEAST, indent: str = "", info: str = "") -> None:
        self._mark = mark
        self._indent = indent
        self.info = info
        """What stands behind it: what the block is written in."""
        self._within = 0

    @classmethod
    def opened(cls, line: str) -> "Fence | None":
        """The fence that a line opens."""
        found = _FENCE.fullmatch(line)
        return cls(found["fence"], found["indent"], found["info"].strip()) if found else None

    def is_like(self, line: str) -> bool:
        """Whether a line is a fence that could open or close a block of this one's kind."""
        found = _FENCE.fullmatch(line)
        return found is not None and found["fence"].startswith(self._mark)

    def enter(self) -> None:
        """A block within it was opened, by a line that was not given to `ends`."""
        self._within += 1

    def reopen(self) -> None:
        """The line that closed it may not have been its end."""
        self._within = 0

    def ends(self, line: str) -> bool:
        """Whether a line, the next one behind the fence, closes it."""
        found = _FENCE.fullmatch(line)
        if not found or not found["fence"].startswith(self._mark):
            return False
        if found["info"].strip():
            self._within += 1
            return False
        self._within -= 1
        return self._within < 0

    def would_end(self, line: str) -> bool:
        """Whether `ends` would say so of a line; nothing is taken of it."""
        found = _FENCE.fullmatch(line)
        if not found or found["info"].strip():
            return False
        return not self._within and found["fence"].startswith(self._mark)

    def may_end(self, begun: str) -> bool:
        """Whether a line may close it that begins so."""
        bare = begun.strip()
        return not self._within and bool(bare) and not bare.strip(self._mark[0])

    def within(self, line: str) -> str:
        """A line as it stands in the block."""
        return line.removeprefix(self._indent)


_DOCUMENTS = frozenset({"md", "markdown", "mdx", "qmd", "rmd"})
"""What a fence is called around text that has fences itself."""


class AnswerCode:
    """One answer as far as it is written.

    Mutable.

    Args:
        old: The region.
        fence: That the answer begins within, as the prompt opened it.
    """

    def __init__(self, old: Sequence[str], fence: str | None = None) -> None:
        self._old = [line.strip() for line in old if line.strip()]
        self._left = Counter(self._old)
        """The region's lines that the answer has not come to."""
        self._fence = None if fence is None else Fence(fence)
        self._prompted = self._opened = fence is not None
        self._document = self._has_fences(Fence())
        if self._fence:
            self._document = self._has_fences(self._fence)
        self._first = ""
        """A fence that may be the answer's, or the region's own first line."""
        self._talk: list[str] = []
        self._held: list[str] = []
        """From a line on that may close the answer's fence."""
        self.ended = False
        """Whether the fence is closed."""
        self.over = False
        """Whether it is, and the model went on behind it; see `RewriteDraft.over`."""
        self.is_one_of_several = False
        """Whether more fences were opened behind the code: which block is meant is not clear."""

    @property
    def begun(self) -> bool:
        """Whether the code has begun."""
        return self._fence is not None

    @property
    def may_have_begun(self) -> bool:
        """Whether it has, or a fence was opened that may be the answer's."""
        return self.begun or bool(self._first)

    @property
    def is_fenced(self) -> bool:
        """Whether the code stands within a fence."""
        return self._opened

    @property
    def info(self) -> str:
        """What the fence says that its block is written in."""
        return self._fence.info if self._fence else ""

    @property
    def open_fence(self) -> Fence | None:
        """The fence within which the next line is code; None where that is not known."""
        return None if self.ended or self._held or self._first else self._fence

    def closed(self, opened: str) -> bool:
        """Whether what was opened is closed.

        Args:
            opened: The last line, as far as written.
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
        """There are no more lines.

        Returns:
            As `take`.
        """
        if self._held:
            return self._closed_at_last()
        known = set(self._old)
        said = [line for line in self._talk if any(map(str.isalnum, line))]
        if self._fence is None and any(line.strip() in known for line in said):
            self._fence = Fence()  # what was said without one is the region all the same
            talk = self._talk
            self._talk = []
            return [line for each in talk for line in self.take(each)]
        return []

    def _begin(self, line: str) -> list[str]:
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
        """Behind a fence that may be the region's own: only another one makes it the answer's."""
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
        if self._held:
            self._held.append(line)
            is_more = Fence.opened(line) is None and self._left[line.strip()] > 0
            return self._released(fence) if line.strip() and is_more else []
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
        """The first line that is held opens a block of the code: more of the region follows."""
        (first, *others), self._held = self._held, []
        lines = self._opened_within(fence, first)
        for line in others:
            lines += self._within(fence, line)
        return lines

    def _code(self, fence: Fence, line: str) -> list[str]:
        self._left[line.strip()] -= 1
        return [fence.within(line)]

    def _closed_at_last(self) -> list[str]:
        assert self._fence is not None
        held = self._held
        self._held = []
        ends = self._unpaired(held)
        if len(ends) % 2 == 0:
            return [self._fence.within(line) for line in held]
        self.ended = True
        all_there = not any(count > 0 for count in self._left.values())
        talks = all_there and len(held) > 1 and not held[1].strip()
        return [self._fence.within(line) for line in held[: 0 if talks else ends[-1]]]

    def _unpaired(self, lines: Sequence[str]) -> list[int]:
        """The lines that close nothing that was opened with a name among these lines."""
        assert self._fence is not None
        depth = 0
        found = list[int]()
        for number, line in enumerate(lines):
            if not self._fence.is_like(line):
                continue
            fence = Fence.opened(line)
            if fence and fence.info:
                depth += 1
            elif depth:
                depth -= 1
            else:
                found.append(number)
        return found

    def _has_fences(self, fence: Fence) -> bool:
        return any(fence.is_like(line) for line in self._old)


class RewriteError(SparkError):
    """An answer that cannot be read as the region once more."""


class RewriteDraft:
    """One answer as far as it is written.

    Mutable.

    Args:
        lines: The region.
        fence: That the answer begins within.
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
        """Go on.

        Returns:
            Whether that closed anything.
        """
        *closed, self._open = (self._open + piece).split(b"\n")
        return sum(map(self._line, closed)) > 0

    def finish(self) -> None:
        """The answer is complete: what is left of the region is gone, unless it holds no code.

        Raises:
            RewriteError: What it means is not clear.
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
        """Why nobody can be sure of it, "" where all is clear."""
        was = self._growing.old
        now = self._growing.written
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
        """Take lines of the code.

        Returns:
            Whether that closed anything.
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
        named = self._code.info.lower() in DIFF_NAMES
        return begins_diff(line, old) or (named and not any(begins_diff(each, ()) for each in old))

    def _patch(self) -> None:
        """Take what a diff makes of the region.

        Raises:
            RewriteError: It does not fit.
        """
        old = self._growing.old
        lines = patched(old, self._lines)
        if lines is None:
            raise RewriteError("the answer is a diff that does not fit the lines; ask again")
        self._growing = grown_by_diff(old, lines)
        self._indentation = _Indentation(())


class _Indentation:
    """Gives back the indentation that code has lost.

    Mutable.

    Args:
        old: The lines as they are indented.
    """

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
        """Take a line.

        Returns:
            The lines that are known now, as they should be.
        """
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
                self._held = [
                    self._common + each if each.strip() else each for each in self._held[:-1]
                ] + [line]
        return [] if self._lost is None else self.rest()

    def rest(self) -> list[str]:
        """The lines that were not known, by what is known now."""
        if self._lost is None:
            self._lost = self._common
        held = self._held
        self._held = []
        return [self.placed(line) for line in held]

    def _only_first(self, second: str) -> bool:
        """Whether the first line alone has lost its indentation: the second one is indented as
        it was.
        """
        indent = indent_of(second)
        if self._second is not None:
            return indent == self._second
        return indent.startswith(self._common)


def code_blocks(answer: str) -> list[tuple[str, ...]]:
    """The lines of each fenced block of some Markdown that is closed and holds more than white
    space.
    """
    found = list[tuple[str, ...]]()
    block = list[str]()
    fence = None
    for line in answer.split("\n"):
        if fence is None:
            fence = Fence.opened(line)
            block = []
        elif fence.ends(line):
            fence = None
            if any(map(str.strip, block)):
                found.append(tuple(block))
        else:
            block.append(fence.within(line))
    return found


def placed(
    lines: Sequence[str], block: Sequence[str], *, whole: bool = False
) -> tuple[range, list[str]]:
    """Where a block belongs in some lines, which are not none, and what stands there then, indented
    as it was.

    It replaces all from the first to the last line that it shares; where it shares none it goes
    below the last.

    Args:
        whole: It replaces all lines.
    """
    old, new = [[line.strip() for line in each] for each in (lines, block)]
    pairs = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    shared = [(a + n, b + n) for a, b, size in pairs for n in range(size) if old[a + n]]
    if not shared and not whole:
        return range(len(lines) - 1, len(lines)), [lines[-1], *block]
    (first, like), (last, _) = (shared[0], shared[-1]) if shared else ((0, 0), (0, 0))
    indent = indent_of(lines[first])
    its = indent_of(block[like])
    become = [
        indent + line[len(its) :] if line.startswith(its) and line.strip() else line
        for line in block
    ]
    return range(len(lines)) if whole else range(first, last + 1), become
