"""Lines that take the place of old ones while they are written, from the top: additions and deletions only grow."""

from collections.abc import Sequence

_REACH = 40
"""Old lines that may be left out at once before they are known to be gone."""
_HOP = 3
"""Old lines that may be left out at once on the word of one line."""
_WEIGHT = 3
"""Letters and digits of a line that says where it stands; an end of a block or an empty line does not."""


class Growing:
    """Old lines while new ones are written. Mutable. Args: old: the lines whose place they take.

    A new line is final, and an old one that gave way never comes back: what is shown is the new lines and the old ones
    that are not passed. Which are passed is settled by lines that both have; `closed` counts the new lines up to there.
    """

    def __init__(self, old: Sequence[str]) -> None:
        self.old = tuple(old)
        self.written: list[str] = []
        self.closed = 0
        self._at = 0

    def take(self, line: str) -> bool:
        """Take the next line. Returns: whether that closed anything."""
        found = self._found(line)
        self.written.append(line)
        if found is None:
            return False
        self._at, self.closed = found + 1, len(self.written)
        return True

    def finish(self) -> None:
        """There are no more lines."""
        self._at, self.closed = len(self.old), len(self.written)

    def lines(self, opened: str = "") -> list[str]:
        """What is there as if the answer ended here. Args: opened: the line being written, as far as it is."""
        return [*self.written, *([opened] if self.is_new(opened) else []), *self.old[self._at :]]

    def settled(self) -> list[str]:
        """What is there with closed lines only."""
        return [*self.written[: self.closed], *self.old[self._at :]]

    def is_new(self, opened: str) -> bool:
        """Whether a line that is being written is surely none of the old ones."""
        return bool(opened) and not any(line.startswith(opened) for line in self._ahead())

    def likely(self) -> Sequence[str]:
        """The old lines that are likely to come next, if as many went by as came."""
        return self.old[self._at + len(self.written) - self.closed :]

    def _ahead(self) -> Sequence[str]:
        return self.old[self._at : self._at + _REACH]

    def _found(self, line: str) -> int | None:
        """The old line that a new one is, if that is clear.

        It is the next one; or as many lines came as went; or the line before is the one before it, too; or it is the
        only one like it, and few are left out.
        """
        ahead, waiting = self._ahead(), len(self.written) - self.closed
        alone = bool(line.strip()) and ahead.count(line) == 1
        before = self.written[-1] if self.written else ""
        if ahead and ahead[0] == line and (not waiting or _weighs(line)):
            return self._at
        for skipped, old in enumerate(ahead[1:], 1):
            follows = ahead[skipped - 1] == before and waiting > 0 and _weighs(before + line)
            hops = alone and not waiting and skipped <= _HOP and _weighs(line)
            if old == line and (follows or hops or (skipped == waiting and (alone or _weighs(line)))):
                return self._at + skipped
        return None


def _weighs(text: str) -> bool:
    return sum(map(str.isalnum, text)) >= _WEIGHT
