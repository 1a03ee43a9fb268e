"""Fences around code in what a chat model says, as Markdown has them, and as models write them."""

import re
from collections.abc import Iterable

_FENCE = re.compile(r"(?P<indent> {0,3}|\t)(?P<fence>`{3,}|~{3,})(?P<info>[^`]*)")
_LEAST = 3


def fence_for(lines: Iterable[str]) -> str:
    """A fence that stands in none of some lines."""
    longest = max((len(found["fence"]) for line in lines if (found := _FENCE.fullmatch(line))), default=0)
    return "`" * max(_LEAST, longest + 1)


class Fence:
    """A fence that was opened. Mutable: blocks within it open and close, where they are as long as it is.

    Args: mark: of at least three characters, all the same. indent: what stands before it, and before its lines.
    """

    def __init__(self, mark: str = "`" * _LEAST, indent: str = "", info: str = "") -> None:
        self._mark, self._indent = mark, indent
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
