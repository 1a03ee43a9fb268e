"""What an instruction can point at: the files of a repository, their functions, and the places it may mean itself."""

from collections.abc import Iterator

from spark_tui.context.regions import Region, likely_regions
from spark_tui.context.source import Source
from spark_tui.context.symbols import Symbol
from spark_tui.editing.format import MAX_LINES
from spark_tui.errors import SparkError
from spark_tui.session.turn import Request
from spark_tui.vcs.repository import Repository

__all__ = ["Mentions", "Region", "Symbol"]

_MOST_BYTES = 2_000_000
"""Larger files are not looked through for their functions."""


class Mentions:
    """Looks into a repository for whoever writes an instruction. Everything may wait for the disk."""

    def __init__(self, repo: Repository) -> None:
        self._repo = repo

    def files(self) -> tuple[str, ...]:
        """Every file that git tracks or would track, relative to the root; none when git cannot tell."""
        try:
            return self._repo.all_files()
        except SparkError:
            return ()

    def functions(self, path: str) -> tuple[Symbol, ...]:
        """The functions, methods and classes of a file in their order; none when it cannot be read as Python."""
        try:
            data = self._repo.read(path)
            return Source(path, data).symbols if len(data) <= _MOST_BYTES else ()
        except SparkError:
            return ()

    def places(self, request: Request, *, most: int = 20) -> tuple[Region, ...]:
        """The places that an instruction may be about, the likeliest first, then the rest of the likeliest's file."""
        try:
            files = (request.path,) if request.path else request.among or self._repo.files()
            likely = likely_regions(request.instruction, files, self._repo.read, most=most)
            path = likely[0].path if likely else request.path
            return (*likely, *self._others(path, likely)) if path else ()
        except SparkError:
            return ()

    def _others(self, path: str, known: tuple[Region, ...]) -> Iterator[Region]:
        """The functions of a file that are not among these and not too long."""
        source = Source(path, self._repo.read(path))
        places = {(each.path, each.start_line, each.end_line) for each in known}
        for symbol in source.symbols:
            if (path, symbol.start_line, symbol.end_line) not in places and symbol.length <= MAX_LINES:
                yield source.of_symbol(symbol, "symbol")
