"""Blocks that search and replace, all about one region, as one of the drafts that a turn is made of."""

from collections.abc import Sequence

from spark_tui.editing.search_replace import BlocksDraft, Misfit
from spark_tui.errors import SparkError

_HERE = "the lines"


class BlockError(SparkError):
    """A block that does not fit the region."""


class RegionBlocks:
    """One answer as far as it is written. Mutable. Args: lines: the region."""

    line_mark = ""
    in_name = over = False
    renamed: tuple[tuple[str, str], ...] = ()

    def __init__(self, lines: Sequence[str]) -> None:
        self._before = tuple(lines)
        self._blocks = BlocksDraft({_HERE: self._before}, alone=True)
        self._finished = False

    @property
    def kind(self) -> str | None:
        """What kind of edit it is, as far as it tells."""
        return "none" if self.declined else "edit" if self._blocks.events or self.open_line is not None else None

    @property
    def declined(self) -> bool:
        """Whether it says, at its end, that nothing is to be changed."""
        return self._finished and tuple(self.lines()) == self._before

    @property
    def open_line(self) -> str | None:
        """The new line that is being written, as far as it is; None elsewhere."""
        return self._blocks.open_line

    def take(self, piece: bytes) -> bool:
        """Go on. Returns: whether that closed a block. Raises: BlockError: it does not fit the region."""
        return self._told(self._blocks.take(piece))

    def finish(self) -> None:
        """The answer is complete. Raises: BlockError: it ends within a block."""
        self._told(self._blocks.finish())
        self._finished = True

    def lines(self) -> list[str]:
        """The region as if the answer ended here."""
        return list(self._blocks.files().get(_HERE, self._before) or ())

    def settled(self) -> list[str]:
        """The region with nothing but what is closed."""
        return list(self._blocks.settled().get(_HERE, self._before) or ())

    @staticmethod
    def _told(events: Sequence[object]) -> bool:
        for event in events:
            if isinstance(event, Misfit):
                raise BlockError(f"a block does not fit: {event.why}")
        return bool(events)
