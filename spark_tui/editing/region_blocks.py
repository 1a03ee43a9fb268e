"""Blocks that search and replace, as one of the drafts that a turn is made of: about a region, or several files."""

from collections.abc import Sequence

from spark_tui.editing.headings import END, heading_of, is_document, sections
from spark_tui.editing.search_replace import BlocksDraft, Misfit
from spark_tui.errors import SparkError

_HERE = "the lines"


class BlockError(SparkError):
    """A block that does not fit the region."""


class RegionBlocks:
    """One answer as far as it is written. Mutable. Args: lines: the region, or those of several files (`headings`)."""

    line_mark = ""
    in_name = over = False
    closed = True
    renamed: tuple[tuple[str, str], ...] = ()

    def __init__(self, lines: Sequence[str]) -> None:
        self._before, self._several = tuple(lines), is_document(lines)
        self._sections = sections(lines) if self._several else []
        files = {each.path: lines[each.start + 1 : each.stop] for each in self._sections}
        self._blocks = BlocksDraft(files or {_HERE: self._before}, alone=not self._several)
        self._finished = False
        self.missed: list[str] = []
        """The blocks about several files that fit nowhere; the others stand."""

    @property
    def kind(self) -> str | None:
        """What kind of edit it is, as far as it tells."""
        if not self._blocks.events and self.open_line is None:
            return None
        return "none" if self.declined else "edit"

    @property
    def talks(self) -> bool:
        """Whether nothing but talk is written so far, and no block."""
        return not self._blocks.begun

    @property
    def doubt(self) -> str:
        """Why nobody can be sure of it, "" where all is clear."""
        return self._blocks.doubt

    @property
    def declined(self) -> bool:
        """Whether it says, at its end, that nothing is to be changed."""
        return self._finished and not self.missed and tuple(self.lines()) == self._before

    @property
    def open_line(self) -> str | None:
        """The new line that is being written, as far as it is; None elsewhere."""
        return self._blocks.open_line

    def take(self, piece: bytes) -> bool:
        """Go on. Returns: whether that closed a block. Raises: BlockError: it does not fit the region."""
        return self._told(self._blocks.take(piece))

    def finish(self) -> None:
        """The answer is complete. Raises: BlockError: it ends within a block about the region."""
        self._told(self._blocks.finish())
        self._finished = True

    def lines(self) -> list[str]:
        """The region, or the files, as if the answer ended here."""
        return self._with(self._blocks.files())

    def settled(self) -> list[str]:
        """The same with nothing but what is closed."""
        return self._with(self._blocks.settled())

    def _with(self, changed: dict[str, tuple[str, ...] | None]) -> list[str]:
        if not self._several:
            return list(changed.get(_HERE, self._before) or ())
        found: list[str] = []
        for path, start, stop in self._sections:
            if path not in changed:
                found += self._before[start : stop + 1]
            elif (lines := changed.pop(path)) is not None:
                found += [self._before[start], *lines, END]
        return [*found, *(line for path, lines in changed.items() for line in (heading_of(path), *(lines or ()), END))]

    def _told(self, events: Sequence[object]) -> bool:
        for event in events:
            if isinstance(event, Misfit):
                if not self._several:
                    raise BlockError(_said(event))
                self.missed.append(_said(event))
        return bool(events)


def _said(event: Misfit) -> str:
    """Why a block is left out, and what is nearest to what it searches for."""
    of = f" of {event.path}" if event.path and event.path != _HERE else ""
    said, near = f"a {event.what}{of} does not fit: {event.why}", event.nearest
    if near is None:
        return said
    lines = f"lines {near.start + 1} to {near.stop}"
    return f"{said}; the nearest {f'are {lines}' if near.stop else f'is {near.path}'}"
