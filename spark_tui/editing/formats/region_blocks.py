"""Read an answer in blocks about a region or several files, as the draft of a turn.

`BlocksDraft` knows files and paths. Here a region counts as the only file, and several files come
as one document, so that a turn gets its lines either way.
"""

from collections.abc import Sequence

from spark_tui.editing.formats.search_replace import BlocksDraft, Event, Misfit
from spark_tui.editing.line_diff import heading_of, is_document, section_lines, sections
from spark_tui.errors import SparkError
from spark_tui.mentions import mention

_HERE = "the lines"
"""The path of a region, which no file has."""


class BlockError(SparkError):
    """A block that does not fit the region."""


class RegionBlocks:
    """An answer in blocks about a region or several files, as far as it is written. Mutable.

    Args:
        lines: The region, or a document of several files (`line_diff`).
    """

    line_mark = ""
    in_name = over = False
    renamed: tuple[tuple[str, str], ...] = ()

    def __init__(self, lines: Sequence[str]) -> None:
        self._before = tuple(lines)
        self._several = is_document(lines)
        self._sections = sections(lines) if self._several else []
        # each file without its heading and its end mark
        files = {file.path: lines[file.start + 1 : file.stop] for file in self._sections}
        self._blocks = BlocksDraft(files or {_HERE: self._before}, alone=not self._several)
        self._finished = False
        self.missed: list[str] = []
        """The blocks about several files that fit nowhere; the others stand."""

    @property
    def kind(self) -> str | None:
        """The kind of the edit, "none" or "edit", as far as the answer tells."""
        if not self._blocks.events and self.open_line is None:
            return None
        return "none" if self.declined else "edit"

    @property
    def closed(self) -> bool:
        """Whether everything that began has come to its end."""
        return self._blocks.closed

    @property
    def talks(self) -> bool:
        """Whether nothing but talk is written so far, and no block."""
        return not self._blocks.begun

    @property
    def doubt(self) -> str:
        """The reason to doubt the answer, or "" where there is none."""
        return self._blocks.doubt

    @property
    def declined(self) -> bool:
        """Whether the complete answer changes nothing, and no block was left out."""
        return self._finished and not self.missed and tuple(self.lines()) == self._before

    @property
    def open_line(self) -> str | None:
        """The new line that is being written, as far as it goes; None elsewhere."""
        return self._blocks.open_line

    def take(self, piece: bytes) -> bool:
        """Read the next piece of the answer.

        Returns:
            Whether the piece closed a block.

        Raises:
            BlockError: A block does not fit the region.
        """
        events = self._blocks.take(piece)
        self._check(events)
        return bool(events)

    def finish(self) -> None:
        """End the answer.

        Raises:
            BlockError: The last block about the region is cut off or does not fit.
        """
        self._check(self._blocks.finish())
        self._finished = True

    def lines(self) -> list[str]:
        """The region, or the files, as if the answer ended here."""
        return self._with(self._blocks.files())

    def settled(self) -> list[str]:
        """The region, or the files, with closed blocks only."""
        return self._with(self._blocks.settled())

    def _with(self, changed: dict[str, tuple[str, ...] | None]) -> list[str]:
        """The region, or the document, with changed files; new files come last.

        Raises:
            UsageError: A line would be read as the heading of a file.
        """
        if not self._several:
            return list(changed.get(_HERE, self._before) or ())
        # Files keep their order and their headings; a deleted one loses both. What is left of
        # `changed` at the end is new.
        document: list[str] = []
        for path, start, stop, _ in self._sections:
            if path not in changed:
                document += self._before[start : stop + 1]
                continue
            lines = changed.pop(path)
            if lines is not None:
                document += section_lines(self._before[start], lines)
        for path, lines in changed.items():
            document += section_lines(heading_of(path), lines or ())
        return document

    def _check(self, events: Sequence[Event]) -> None:
        """Note the blocks that do not fit; for a lone region the first one is an error.

        Raises:
            BlockError: A block does not fit the region.
        """
        for event in events:
            if not isinstance(event, Misfit):
                continue
            if not self._several:
                raise BlockError(_described(event))
            self.missed.append(_described(event))


def _described(misfit: Misfit) -> str:
    """Why a block is left out, and the place nearest to the lines that it searches for."""
    of_file = ""
    if misfit.path and misfit.path != _HERE:
        of_file = f" of {misfit.path}"
    reason = f"a {misfit.what}{of_file} does not fit: {misfit.why}"
    if misfit.is_unknown and of_file:
        # The file may well be there: the request shows the model only some of all.
        remedy = f"if it is a file here, name it with {mention(misfit.path)}"
        reason = f"{misfit.path} is not part of the request; {remedy}"
    near = misfit.nearest
    if near is None:
        return reason
    if near.stop:
        return f"{reason}; the nearest are lines {near.start + 1} to {near.stop}"
    return f"{reason}; the nearest is {near.path}"
