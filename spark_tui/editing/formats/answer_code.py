"""Find the code in an answer: what is left without the fence and the talk.

Where the region has fences of its own, or the answer is Markdown, a line that may close the fence
of the answer may also belong to the code. Such a line is held until another line of the region
follows, or the answer ends: then the last fence without a partner closes the answer.
"""

from collections import Counter
from collections.abc import Sequence

from spark_tui.editing.formats.fences import Fence, is_frame, read_fence_text, without_tags
from spark_tui.editing.formats.unified_diff import begins_diff

_DOCUMENTS = frozenset({"md", "markdown", "mdx", "qmd", "rmd"})
"""The languages of blocks that have fences themselves."""
_MARKS = ("```", "~~~")
"""What every fence holds."""


class AnswerCode:
    """The code of one answer, read line by line. Mutable.

    Args:
        old: The region.
        fence: The fence that the prompt opened and the answer begins within; None for none.
    """

    def __init__(self, old: Sequence[str], fence: str | None = None) -> None:
        self._old = [line.strip() for line in old if line.strip()]
        self._known = frozenset(self._old)
        self._left = Counter(self._old)
        """The region's lines that the answer has not had yet."""
        self._fence = None if fence is None else Fence(fence)
        self._prompted = self._opened = fence is not None
        # whether the code may hold fences, so that a fence need not be its end
        self._document = self._has_fences(Fence())
        if self._fence:
            self._document = self._has_fences(self._fence)
        self._first = ""
        """A fence that may be the answer's, or the region's own first line."""
        # the lines before the code, or the code itself where the answer has no fence at all
        self._talk: list[str] = []
        self._behind: str | None = None
        """The text after the opening fence, where it is the first line of the code."""
        self.doubt = ""
        """The reason to doubt where the code begins, or ""."""
        self._held: list[str] = []
        """The lines from the one on that may close the fence of the answer."""
        self.ended = False
        """Whether the fence is closed."""
        self.over = False
        """Whether the fence is closed and the model went on below; see `RewriteDraft.over`."""
        self.has_other_fences = False
        """Whether the talk around the code holds fences, even in the middle of a line."""
        self.is_one_of_several = False
        """Whether another block stands below the code, so that the meant block is not clear."""
        self._lines: list[str] = []
        """The code so far."""
        self._below: Fence | None = None
        """The fence of a block below the code, while that block is read."""
        self._again: list[str] = []
        """The lines of that block."""

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
        if self.ended or self._held or self._first or self._behind is not None:
            return None
        return self._fence

    def closed(self, opened: str) -> bool:
        """Whether every fence that was opened is closed.

        Args:
            opened: The last line, as far as it is written.
        """
        opened = self._untagged(opened)
        if self._first:
            return False
        if not self._opened or self.ended:
            return True
        assert self._fence is not None
        # held fences open and close blocks of the document in turn; one left over closes the answer
        if self._held:
            return len(self._unpaired([*self._held, opened])) % 2 == 1
        return self._fence.would_end(opened)

    def take(self, line: str) -> list[str]:
        """Take the next line.

        Returns:
            The lines of code that are known now.
        """
        line = self._untagged(line)
        # from the last state to the first: talk below the code, the line below a doubtful fence,
        # or below one with text after it, the code, talk above the code
        if self.ended:
            self.over = self.over or bool(line.strip())
            self._look_below(line)
            self._look_at_talk(line)
            return []
        if self._first:
            return self._second(line)
        if self._fence is not None:
            behind = self._behind_fence(self._fence, line)
            return [*behind, *self._within(self._fence, line)]
        return self._begin(line)

    def finish(self) -> list[str]:
        """End the answer.

        Returns:
            The last lines of code.
        """
        if self._fence and (behind := self._behind_fence(self._fence)):
            return behind
        self.is_one_of_several = self.is_one_of_several or self._below is not None
        if self._held:
            return self._closed_at_last()
        known = set(self._old)
        spoken = [line for line in self._talk if any(map(str.isalnum, line))]
        if self._fence is not None or not any(line.strip() in known for line in spoken):
            return []
        # the region was written without a fence: the talk is the code
        self._fence = Fence()
        talk = self._without_frame()
        self._talk = []
        lines: list[str] = []
        for line in talk:
            lines += self.take(line)
        return lines

    def _untagged(self, line: str) -> str:
        """A line without tags around its fence, unless the region has the line as it is."""
        return line if line.strip() in self._known else without_tags(line)

    def _without_frame(self) -> list[str]:
        """The talk without a pair of tags around all of it that the region does not have."""
        solid = [number for number, line in enumerate(self._talk) if line.strip()]
        if len(solid) < 2:
            return self._talk
        first = self._talk[solid[0]].strip()
        last = self._talk[solid[-1]].strip()
        if is_frame(first, last) and not {first, last} & self._known:
            return self._talk[solid[0] + 1 : solid[-1]]
        return self._talk

    def _begin(self, line: str) -> list[str]:
        """Take a line before the code has begun."""
        # The region may begin with a fence itself; the next line tells whose fence this one is.
        fence = Fence.opened(line)
        if fence and line.strip() in self._old[:1]:
            self._first = line
            return []
        if fence:
            self._open(fence)
            return []
        # Without a fence the code begins with a line of the region, or as a diff. Below talk, a
        # line of the region is no sign, since talk quotes code, unless the region is a document.
        talked = any(map(str.strip, self._talk))
        is_old = line.strip() in self._old and (self._document or not talked)
        if (line.strip() and is_old) or begins_diff(line, self._old):
            self._fence = Fence()
            return self._within(self._fence, line)
        self._talk.append(line)
        self._look_at_talk(line)
        return []

    def _look_below(self, line: str) -> None:
        """Take a line below the code: another block there counts unless it is the same again.

        Some servers send the whole answer once more at its end.
        """
        if self._below is None:
            self._below = Fence.opened(line)
            self._again = []
        elif not self._below.ends(line):
            self._again.append(self._below.within(line))
        else:
            self._below = None
            self.is_one_of_several = self.is_one_of_several or self._again != self._lines

    def _look_at_talk(self, line: str) -> None:
        """Note whether a line of talk holds a fence."""
        self.has_other_fences = self.has_other_fences or _MARKS[0] in line or _MARKS[1] in line

    def _open(self, fence: Fence) -> None:
        self._fence = fence
        self._opened = True
        text = read_fence_text(fence.info, self._old[:1])
        fence.info = text.info
        self._behind = text.code
        if not text.is_known:
            self.doubt = "text stands after the opening fence, which may be code"
        # reads an answer
        self._document = self._has_fences(fence) or fence.info.lower() in _DOCUMENTS

    def _behind_fence(self, fence: Fence, below: str = "") -> list[str]:
        """The first line of the code, where it stands after the opening fence; only once.

        Args:
            below: The line below the fence. Where that is the region's first line, the text after
                the fence only looks like it, as a word may name a language, too.
        """
        code = self._behind
        self._behind = None
        if code is None:
            return []
        is_first_alone = self._old[:1] == [code] and self._old[1:2] != [code]
        if is_first_alone and below.strip() == code:
            return []
        return self._code(fence, code)

    def _second(self, line: str) -> list[str]:
        """Take the line below a fence that may be the region's own.

        Only the same fence once more makes the first one the answer's.
        """
        first = self._first
        self._first = ""
        fence = Fence.opened(first)
        assert fence is not None
        # Twice the same: the fence of the answer, then the first line of the region.
        if line.strip() == first.strip():
            self._open(fence)
            self._fence = fence
            if Fence.opened(line) is None:
                return self._code(fence, line)  # too deep for a fence, as in a list
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
            # A line that the answer has not had yet: the code goes on, so the held fence was part
            # of it. Other lines may be code or talk, and wait.
            is_more = Fence.opened(line) is None and self._left[line.strip()] > 0
            if not line.strip() or not is_more:
                return []
            return self._released(fence)
        if not fence.ends(line):
            return self._code(fence, line)
        if self._document:
            # `ends` has counted the line as the end, which it may not be
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
        self._lines.append(fence.within(line))
        return self._lines[-1:]

    def _closed_at_last(self) -> list[str]:
        """The held lines that are code, at the end of the answer."""
        assert self._fence is not None
        held = self._held
        self._held = []
        # With an even number each has a partner among the others, and none closes the answer.
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
        """The rows of the fences among some lines, without the blocks that one opens by name.

        Such a block, like ```` ```python ````, takes the next fence along.
        """
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
