"""The lines of a region while an answer writes new ones in their place, from the top.

A model that rewrites a region copies most lines. As each line comes, `GrowingRegion` decides
whether it is an old line or a new one, so that a diff can be shown while the answer is written.
Additions and deletions only grow: a new line is final, and an old line that gave way stays away.
"""

from collections.abc import Sequence
from difflib import SequenceMatcher

from spark_tui.editing.formats.left_out import (
    put_back,
    stands_for_code,
    takes_place_of_code,
)
from spark_tui.editing.formats.remarks import OPENING_REMARKS
from spark_tui.editing.formats.white_space import (
    Columns,
    Indents,
    LineKeys,
    with_returns,
    without_added_returns,
)
from spark_tui.editing.text import undecodable

_REACH = 40
"""How many old lines ahead a new line is searched for; so many may be left out at once."""
_HOP = 3
"""How many old lines may be left out because one line below them has come, and no other sign."""
_WEIGHT = 3
"""The least letters and digits of a line that tells its place; a lone `}` has fewer."""


class GrowingRegion:
    """Old lines while new ones are written in their place. Mutable.

    A new line is final, and an old line that gave way never comes back: the region consists of the
    new lines and the old ones that are not passed. Lines that both have settle which old lines are
    passed; `closed` counts the new lines up to the last such line.

    A carriage return at the end of an old line, which models do not copy, always stays. An old line
    that came back with other white space, or with punctuation or letters written in another way
    (see `LineKeys`), counts as the old line. From a line on that stands for code left out, or that
    has spaces for tabs, all lines are held until the last line tells what they mean.

    `doubt`: the reason to doubt the lines, or "". `problem`: why the lines cannot be used, or "".
    Both are known at the end.

    Args:
        old: The old lines.
    """

    def __init__(self, old: Sequence[str]) -> None:
        self.old = tuple(old)
        self.written: list[str] = []
        self.closed = 0
        self.doubt = self.problem = ""
        self._key_of = LineKeys(old).of
        self._keys = [self._key_of(line) for line in old]
        self._stripped = {line.strip() for line in old}
        self._indents = Indents(old)
        self._columns = Columns(old)
        # the first old line that is not passed
        self._at = 0
        self._raw: list[str] = []
        """The lines as they came."""
        self._held: list[str] = []
        """The lines that wait for the last line, which tells what they mean."""

    def take(self, line: str) -> bool:
        """Take the next line.

        Returns:
            Whether the line closed anything.
        """
        self._raw.append(line)
        # Which code is left out, or how many spaces stand for a tab, only the lines below can tell.
        left_out = line.strip() not in self._stripped and stands_for_code(line)
        if not (self._held or left_out or self._indents.swapped(line)):
            return self._take(line)
        opens_remark = bool(self.written[self.closed :]) and (
            self.written[-1].strip() in OPENING_REMARKS
        )
        if left_out and not self._held and opens_remark:
            # the line above opens the remark that says what is left out
            self._held.append(self.written.pop())
        self._held.append(line)
        return False

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
        # First the code that was left out and the tabs, for all lines at once. Only the held lines
        # are taken anew: those before are final.
        held = self._held
        self._held = []
        if held:
            whole = put_back(self.old, self._indents.restored([*self.written, *held]))
            if whole is None:
                self.problem = "it leaves code out, and which is not clear"
                return
            if not whole.exact:
                self.doubt = "code that was left out was put back"
            for line in whole.lines[len(self.written) :]:
                self._take(line)
        # Then the lines below the last common one, and carriage returns.
        self._settle(len(self.old))
        self.written = without_added_returns(self.written, self.old)
        self._raw = without_added_returns(with_returns(self._raw, self.old), self.old)
        # If every line turned out to be an old one, the answer changes nothing but white space or
        # punctuation. Then that is what was asked for, and the lines count as they came. A line
        # with bytes that are not UTF-8 never came as it is, so there this cannot be told.
        only_white = tuple(self.written) == self.old and tuple(self._raw) != self.old
        if only_white and not self.doubt and not any(map(undecodable, self.old)):
            self.written = self._unheld(held)
        self._at = len(self.old)
        self.closed = len(self.written)
        hides_code = takes_place_of_code(self.old, self.written) or self._leaves_code_out()
        if not self.doubt and hides_code:
            self.doubt = "a remark stands where code was, which may only be left out"

    def _leaves_code_out(self) -> bool:
        """Whether a new line stands for code, and lines of the region are gone."""
        written = {line.strip() for line in self.written}
        gone = any(line not in written for line in self._stripped)
        return gone and any(map(stands_for_code, written.difference(self._stripped)))

    def _unheld(self, held: Sequence[str]) -> list[str]:
        """The lines as they came, unless one of them stood for code."""
        known = self._stripped
        if any(line.strip() not in known and stands_for_code(line) for line in held):
            return self.written
        return self._raw

    def _settle(self, stop: int) -> None:
        """Restore the new lines being closed that are passed old lines, but for their spelling.

        Args:
            stop: The old line up to which, exclusive, old lines are passed.
        """
        # A line may equal a passed old one without having been clear enough to settle its place.
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
        ahead = self.old[self._at :]
        if self.is_new(opened):
            return [*self.written, opened, *ahead]
        return [*self.written, *ahead]

    def settled(self) -> list[str]:
        """The lines with closed new lines only."""
        return [*self.written[: self.closed], *self.old[self._at :]]

    def is_new(self, opened: str) -> bool:
        """Whether a line that is being written is surely none of the old ones.

        Until then the line is not shown, so that a copied line never looks like an addition.
        """
        if not opened or self._held:
            return False
        return not any(line.startswith(opened) for line in self._ahead())

    def likely(self) -> Sequence[str]:
        """The old lines that are likely to come next, if new lines replace as many old ones."""
        return self.old[self._at + len(self.written) - self.closed :]

    def _ahead(self) -> Sequence[str]:
        return self.old[self._at : self._at + _REACH]

    def _old_row(self, line: str) -> int | None:
        """The row of the old line that a new line is, where that is clear; else None.

        The old line is the next one; or as many new lines came as old ones would go; or the lines
        above both are equal, too; or the old line is the only one like the new line, and few lines
        would be left out.
        """
        key = self._key_of(line)
        ahead = self._keys[self._at : self._at + _REACH]
        # the new lines since the last common one: they may stand for the old lines skipped here
        waiting = len(self.written) - self.closed
        weighs = _weighs(key)
        alone = bool(key.strip()) and ahead.count(key) == 1
        before = ""
        if self.written:
            before = self._key_of(self.written[-1])
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

    A diff means what it deletes and adds, down to a dash. So only code left out, tabs and columns
    are given back.
    """
    growing = GrowingRegion(old)
    for line in lines:
        growing.take(line)
    growing.finish()
    # nothing but spelling was given back: the lines of the diff count
    key_of = LineKeys(old).of
    if list(map(key_of, growing.written)) == list(map(key_of, lines)):
        growing.written = list(lines)
    return growing


def _weighs(text: str) -> bool:
    """Whether a text has letters enough to tell its place."""
    return sum(map(str.isalnum, text)) >= _WEIGHT
