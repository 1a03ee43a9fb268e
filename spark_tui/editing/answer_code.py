"""The code of an answer, without the fence and the talk around it, read line by line.

Where the region has fences of its own, or the answer is Markdown, a line that may close the
answer's fence may as well belong to the code. It is held until one of the region's lines follows,
or the answer ends: then the last fence that has no partner closes the answer.
"""

from collections import Counter
from collections.abc import Sequence

from spark_tui.editing.answered_diff import begins_diff
from spark_tui.editing.fences import Fence

_DOCUMENTS = frozenset({"md", "markdown", "mdx", "qmd", "rmd"})
"""What a fence is called around text that has fences itself."""


class AnswerCode:
    """One answer as far as it is written. Mutable.

    Args: old: the region. fence: that the answer begins within, as the prompt opened it.
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
        """Whether what was opened is closed. Args: opened: the last line, as far as written."""
        if self._first:
            return False
        if not self._opened or self.ended:
            return True
        assert self._fence is not None
        if self._held:
            return len(self._unpaired([*self._held, opened])) % 2 == 1
        return self._fence.would_end(opened)

    def take(self, line: str) -> list[str]:
        """Take the next line. Returns: the lines of code that are known now."""
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
        """There are no more lines. Returns: as `take`."""
        if self._held:
            return self._closed_at_last()
        known = set(self._old)
        said = [line for line in self._talk if any(map(str.isalnum, line))]
        if self._fence is None and any(line.strip() in known for line in said):
            self._fence = Fence()  # what was said without one is the region all the same
            talk, self._talk = self._talk, []
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
        self._fence, self._opened = fence, True
        self._document = self._has_fences(fence) or fence.info.lower() in _DOCUMENTS

    def _second(self, line: str) -> list[str]:
        """Behind a fence that may be the region's own: only another one makes it the answer's."""
        first, self._first = self._first, ""
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
        held, self._held = self._held, []
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
        depth, found = 0, list[int]()
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
