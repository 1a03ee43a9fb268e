"""The list of a turn's hunks: how each one stands, the open ones and those that were decided. Knows no widgets."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import overload

from spark_tui.editing.spots import Files, lines_of
from spark_tui.tui.decisions import Decided
from spark_tui.tui.rows import Edits, HunkLike, further


class State(StrEnum):
    """How a hunk stands; the words are those of the hunk list."""

    WRITING = "writing"
    UNCHECKED = "unchecked"
    CHECKING = "being checked"
    TOGETHER = "ok together"
    SPOILED = "not ok together"
    OK = "ok"
    UNSURE = "unsure"
    FAILED = "check"
    ODD = "look"
    CHANGED = "file changed"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    GONE = "gone from file"


@dataclass(frozen=True, slots=True)
class Item:
    """A hunk in the list: `index` is its place among the open ones, `line` where it stands (1-based).

    `path`: its file, where there are several.
    """

    state: State
    line: int
    added: int
    removed: int
    note: str = ""
    index: int | None = None
    path: str = ""


class Items(Sequence[Item]):
    """Every hunk of a turn, from top to bottom, each looked at when it is asked for.

    Args: hunks: the open ones, in order. item: of the open one with a number. decided: in order. edits: besides. files:
        whose lines they are about.
    """

    def __init__(
        self, hunks: Sequence[HunkLike], item: Callable[[int], Item], decided: Sequence[Decided], edits: Edits = (),
        files: Files | None = None,
    ) -> None:  # fmt: skip
        self._hunks, self._item, self._decided, self._edits = hunks, item, decided, edits
        self._files = files or Files()
        self._places = [
            bisect_left(hunks, each.start, key=lambda hunk: hunk.start) + before for before, each in enumerate(decided)
        ]

    def __len__(self) -> int:
        return len(self._hunks) + len(self._decided)

    @overload
    def __getitem__(self, place: int) -> Item: ...
    @overload
    def __getitem__(self, place: slice) -> list[Item]: ...
    def __getitem__(self, place: int | slice) -> Item | list[Item]:
        if isinstance(place, slice):
            return [self[each] for each in range(len(self))[place]]
        place = range(len(self))[place]
        before = bisect_left(self._places, place)
        if before == len(self._places) or self._places[before] != place:
            return self._item(place - before)
        start, hunk, accepted, gone = self._decided[before]
        state = State.GONE if gone else State.ACCEPTED if accepted else State.REJECTED
        path, line = self._files.spot(hunk, start)
        more = further(self._edits, start) - start
        return Item(state, line + more + 1, len(lines_of(hunk.new)), len(lines_of(hunk.old)), path=path)

    def place_of(self, index: int) -> int:
        """Where an open hunk stands among all. Args: index: its place among the open ones."""
        start = self._hunks[index].start
        return index + bisect_right(self._decided, start, key=lambda each: each.start)
