"""Makes text sendable to a server: U+FFFD takes the place of every byte that is not UTF-8.

Such a byte stands in text as a lone surrogate (PEP 383), which no JSON in UTF-8 can hold. The
answer gives the lines their own bytes back.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spark_tui.providers.chat_writer import ChatDraft

MARK = "\ufffd"
"""The replacement of a byte that is not UTF-8."""
_TABLE = dict.fromkeys(range(0xD800, 0xE000), MARK)
_UNKNOWN = "the answer has U+FFFD where no byte of the lines belongs"


def encodable(text: str) -> str:
    """Replace every lone surrogate by U+FFFD; the text stays as long as before."""
    return text.translate(_TABLE)


def is_encodable(lines: Sequence[str]) -> bool:
    """Whether lines are UTF-8 as they are."""
    return all(line.isascii() or encodable(line) == line for line in lines)


def draft_of(lines: Sequence[str], blank: "Callable[[Sequence[str]], ChatDraft]") -> "ChatDraft":
    """Make a draft of an answer about lines as they were sent; it gives the lines their own bytes.

    Args:
        lines: The region.
        blank: Makes a draft of an answer about lines that are UTF-8.
    """
    if is_encodable(lines):
        return blank(lines)
    return _RestoringDraft(lines, blank([encodable(line) for line in lines]))


class _RestoringDraft:
    """Reads an answer for `draft_of`. Mutable as the draft within."""

    def __init__(self, lines: Sequence[str], draft: "ChatDraft") -> None:
        self._draft = draft
        self._known = defaultdict[str, list[str]](list)
        for line in lines:
            if MARK in encodable(line):
                self._known[encodable(line)].append(line)

    @property
    def kind(self) -> str | None:
        """See `Draft`."""
        return self._draft.kind

    @property
    def declined(self) -> bool:
        """See `Draft`."""
        return self._draft.declined

    @property
    def renamed(self) -> Sequence[tuple[str, str]]:
        """See `Draft`."""
        return self._draft.renamed

    @property
    def open_line(self) -> str | None:
        """See `Draft`."""
        line = self._draft.open_line
        return line and self._restored([line])[0]

    @property
    def missed(self) -> Sequence[str]:
        """See `Draft`."""
        # A mark that is left belongs to no byte of the region, unless the region has one itself.
        if self._has_own_mark() or not any(MARK in line for line in self.lines()):
            return self._draft.missed
        return [*self._draft.missed, _UNKNOWN]

    def _has_own_mark(self) -> bool:
        """Whether a line of the region has U+FFFD itself, so that the answer may have it, too."""
        return any(MARK in "".join(originals) for originals in self._known.values())

    @property
    def in_name(self) -> bool:
        """See `Draft`."""
        return self._draft.in_name

    @property
    def line_mark(self) -> str:
        """See `Draft`."""
        return self._draft.line_mark

    @property
    def over(self) -> bool:
        """See `ChatDraft`."""
        return self._draft.over

    @property
    def closed(self) -> bool:
        """See `ChatDraft`."""
        return self._draft.closed

    @property
    def talks(self) -> bool:
        """See `Draft`."""
        return self._draft.talks

    @property
    def doubt(self) -> str:
        """See `ChatDraft`."""
        return self._draft.doubt

    def take(self, piece: bytes) -> bool:
        """See `Draft`."""
        return self._draft.take(piece)

    def finish(self) -> None:
        """See `Draft`."""
        self._draft.finish()

    def lines(self) -> Sequence[str]:
        """See `Draft`."""
        return self._restored(self._draft.lines())

    def settled(self) -> Sequence[str]:
        """See `Draft`."""
        return self._restored(self._draft.settled())

    def _restored(self, lines: Sequence[str]) -> tuple[str, ...]:
        """Return lines of the answer with the bytes that the region has there."""
        seen = defaultdict[str, int](int)
        restored = list[str]()
        for line in lines:
            if MARK not in line:
                restored.append(line)
                continue
            originals = self._known.get(line)
            if originals:
                # Lines that are sent alike come back in their old order.
                number = min(seen[line], len(originals) - 1)
                restored.append(originals[number])
                seen[line] += 1
            else:
                restored.append(self._aligned(line))
        return tuple(restored)

    def _aligned(self, line: str) -> str:
        """Return a changed line with the bytes of the old line that resembles the line most."""

        def likeness(old: str) -> float:
            return SequenceMatcher(None, old, line, autojunk=False).ratio()

        nearest = max(self._known, key=likeness)
        original = self._known[nearest][0]
        letters = list(line)
        matcher = SequenceMatcher(None, nearest, line, autojunk=False)
        for old_start, new_start, length in matcher.get_matching_blocks():
            # `encodable` keeps the length of a line, so places in `nearest` are places in
            # `original`.
            letters[new_start : new_start + length] = original[old_start : old_start + length]
        return "".join(letters)
