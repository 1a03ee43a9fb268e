"""Lines that take the place of old ones while they are written, from the top: additions and deletions only grow."""

from collections.abc import Sequence
from difflib import SequenceMatcher

from spark_tui.editing.left_out import (
    OPENING_REMARKS,
    put_back,
    stands_for_code,
    takes_place_of_code,
)
from spark_tui.editing.text import undecodable
from spark_tui.editing.white_space import Columns, Indents, Keys, with_returns

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

    A carriage return at the end of an old line, which models do not copy, always stays.
    An old line that came back with other white space, or with punctuation or letters written
    otherwise (see `Keys`), is the old one. From a line on that stands for code left out, or is
    indented with spaces for tabs, lines are held until the last one tells what they mean.

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
        """Take the next line. Returns: whether that closed anything."""
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
        held, self._held = self._held, []
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

        Args: stop: the old line, exclusive, up to which old lines are passed.
        """
        start, old = self.closed, self._keys[self._at : stop]
        keys = [self._key_of(line) for line in self.written[start:]]
        matcher = SequenceMatcher(None, old, keys, autojunk=False)
        for a, b, size in matcher.get_matching_blocks():
            there = self._at + a
            self.written[start + b : start + b + size] = self.old[there : there + size]

    def lines(self, opened: str = "") -> list[str]:
        """What is there as if the answer ended here. Args: opened: the line being written, as far as it is."""
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

        It is the next one; or as many lines came as went; or the line before is the one before it, too; or it is the
        only one like it, and few are left out.
        """
        line = self._key_of(line)
        ahead, waiting = self._keys[self._at : self._at + _REACH], len(self.written) - self.closed
        alone = bool(line.strip()) and ahead.count(line) == 1
        before = self._key_of(self.written[-1]) if self.written else ""
        if ahead and ahead[0] == line and (not waiting or _weighs(line)):
            return self._at
        for skipped, old in enumerate(ahead[1:], 1):
            follows = ahead[skipped - 1] == before and waiting > 0 and _weighs(before + line)
            hops = alone and not waiting and skipped <= _HOP and _weighs(line)
            if old == line and (follows or hops or (skipped == waiting and (alone or _weighs(line)))):
                return self._at + skipped
        return None


def grown_by_diff(old: Sequence[str], lines: Sequence[str]) -> Growing:
    """Old lines whose place others take that a diff has made of them, complete.

    What a diff takes away and adds is meant, down to a dash: only code that was left out, tabs and
    columns come back.
    """
    growing = Growing(old)
    for line in lines:
        growing.take(line)
    growing.finish()
    key_of = Keys(old).of
    if list(map(key_of, growing.written)) == list(map(key_of, lines)):
        growing.written = list(lines)
    return growing


def _weighs(text: str) -> bool:
    return sum(map(str.isalnum, text)) >= _WEIGHT
