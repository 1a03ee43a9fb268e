"""What an instruction can point at: the files of a repository, their functions, and the places it may mean itself."""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from hashlib import sha256
from itertools import chain, islice

from spark_tui.context.conflicts import Settling, TornFiles, settling
from spark_tui.context.files_told import files_named, refuse_no_python
from spark_tui.context.regions import Region, find_region, likely_regions, refuse_no_owner
from spark_tui.context.source import Fits, Source, always, source_of
from spark_tui.context.symbols import Symbol, outline
from spark_tui.editing.format import MAX_LINES
from spark_tui.editing.stretches import MOST_READ
from spark_tui.errors import SparkError, UsageError
from spark_tui.session.answers import no_markers
from spark_tui.session.turn import Request
from spark_tui.session.wording.length import refuse_too_long
from spark_tui.session.wording.one_place import own_places
from spark_tui.session.wording.steps import split
from spark_tui.vcs.conflicted import conflicted
from spark_tui.vcs.repository import Repository
from spark_tui.vcs.underway import under_way

__all__ = ["Mentions", "Region", "Symbol"]

_MOST_BYTES = 8_000_000
"""Larger files, which take seconds, are not looked through for their functions while an instruction is written."""
_MOST_NAMES = 20_000
"""How many functions are known beforehand."""
_BREATH_S = 0.001
_MOST_LIKELY = 20
"""Places that share words with an instruction; whoever looks for another one goes on to all there are."""
_MOST_SKIMMED = 64 << 20
"""Bytes of files that are kept while an instruction is being written."""
_FEW_FILES, _FRESH_S, _FRESH_OF_MANY_S = 2000, 10.0, 300.0
"""For how long what was read counts as what is there: where files are few, and where reading them takes seconds."""


class Mentions:
    """Looks into a repository for whoever writes an instruction. Everything may wait for the disk.

    Args: fits: whether the model has room for lines. plain: whether words are only looked through for the names of
        what is there, as the model reads them itself.
    """

    def __init__(self, repo: Repository, fits: Fits = always, plain: Callable[[], bool] = bool) -> None:
        self._repo, self._fits, self._plain = repo, fits, plain
        self._skim = _Skim(repo)
        self._ahead: tuple[Request, Region] | None = None
        self._outlines: dict[str, tuple[tuple[int, int], tuple[Symbol, ...]]] = {}

    @property
    def ahead(self) -> Region | None:
        """The place that was found last for an instruction that is still being written; None while it is not clear."""
        ahead = self._ahead
        return ahead[1] if ahead else None

    def find(self, request: Request) -> Region:
        """The place to edit: the one that `find_ahead` found for the same words, if its file is still the same.

        Raises: UsageError: there is none, or not one. FileError: the file cannot be read as text.
        """
        if (ahead := self._ahead) is not None and ahead[0] == request and self._is_current(ahead[1]):
            return ahead[1]
        files = (request.path,) if request.path else request.among or self._repo.files()
        return self._found(request, files, self._repo.read)

    def find_ahead(self, request: Request) -> Region:
        """The same, from what was read a moment ago wherever the place itself has not changed since."""
        self._ahead = None
        region = self._skimmed(request)
        if not self._is_current(region):
            self._skim.forget(region.path)
            region = self._skimmed(request)
        self._ahead = request, region
        return region

    def find_again(self, request: Request) -> Region:
        """The place that other words would find, from what was read a moment ago. Raises: UsageError, FileError."""
        return self._skimmed(request)

    def _skimmed(self, request: Request) -> Region:
        files = (request.path,) if request.path else request.among or self._skim.files()
        return self._found(request, files, self._skim.read)

    def _found(self, request: Request, files: Iterable[str], read: Callable[[str], bytes]) -> Region:
        refuse_too_long(request.instruction)
        plain = self._plain()
        if not plain and (wish := settling(request.instruction)) and (conflict := self._conflict(wish, request)):
            return conflict
        if not (plain or request.path or request.among):
            refuse_no_python(request.instruction, self.files)
        region = find_region(
            request.instruction,
            files,
            read,
            path=request.path,
            lines=request.lines,
            symbol=request.symbol,
            fits=self._fits,
        )
        return region if plain or request.lines or request.symbol else self._with_places_of_steps(region, request, read)

    def _with_places_of_steps(self, region: Region, request: Request, read: Callable[[str], bytes]) -> Region:
        """A region, or one with the functions of its file that single steps name, where there is room for them."""
        steps = split(request.instruction)
        if len(steps) < 2 or region.selected is not None:
            return region
        source = source_of(region.path, read(region.path))
        lines = source.lines[region.start_line - 1 : region.end_line]
        own = [one for one in own_places(steps, source.symbols, lines) if one]
        first = min([region.start_line, *(one.start_line for one in own)])
        last = max([region.end_line, *(one.end_line for one in own)])
        if (first, last) == (region.start_line, region.end_line) or last - first >= MAX_LINES:
            return region
        return source.region(first, last, "name") if self._fits(source.lines[first - 1 : last]) else region

    def _conflict(self, wish: Settling, request: Request) -> Region | None:
        """The conflicts that are to be settled; None where there are none anywhere, and the words may mean others."""
        paths = request.among or conflicted(self._repo)
        if paths:
            return TornFiles(paths, self._repo.read).region(wish, request.path, request.lines, request.symbol)
        if wish.certain and (work := under_way(self._repo)):
            raise UsageError(no_markers(work))
        return None

    def _is_current(self, region: Region) -> bool:
        try:
            return sha256(self._repo.read(region.path)).hexdigest() == region.base_hash
        except SparkError:
            return False

    def files(self) -> tuple[str, ...]:
        """Every file that git tracks or would track, relative to the root; none when git cannot tell."""
        try:
            return self._repo.names()
        except SparkError:
            return ()

    def functions(self, path: str) -> tuple[Symbol, ...]:
        """The functions, methods and classes of a file in their order; none when it cannot be read as Python."""
        try:
            data = self._repo.read(path)
            return source_of(path, data).symbols if len(data) <= _MOST_BYTES else ()
        except SparkError:
            return ()

    def is_too_large(self, path: str) -> bool:
        """Whether a file is too large for `functions`."""
        try:
            return (self._repo.root / path).stat().st_size > _MOST_BYTES
        except (OSError, ValueError):
            return False

    def files_named(self, words: str) -> tuple[str, ...]:
        """The Python files that words name, as of a moment ago."""
        return files_named(words, self._skim.files())

    def file_ending(self, name: str) -> str | None:
        """The Python file that is told by the end of its path, as of a moment ago; None: there is none, or several."""
        ends = [path for path in self._skim.files() if f"/{path}".endswith(f"/{name.removeprefix('./')}")]
        return ends[0] if len(ends) == 1 and name.endswith((".py", ".pyi")) else None

    def refuse_no_owner(self, words: str, path: str) -> None:
        """Refuse words that tell a place that is neither in a file nor elsewhere. Raises: UsageError, FileError."""
        refuse_no_python(words, self.files)
        refuse_no_owner(words, (path,), self._repo.read)

    def outline(self, files: Iterable[str], ends: Callable[[], bool] = bool) -> list[tuple[str, Symbol]]:
        """The functions and classes of some files, none where there are very many; never two at once.

        It takes long where nothing was read before, and leaves time for whoever waits for a key meanwhile.
        Args: ends: whether to stop early.
        """
        python = [path for path in files if path.endswith(".py")]
        if len(python) > _FEW_FILES:
            return []
        found, held = list[tuple[str, Symbol]](), dict[str, tuple[tuple[int, int], tuple[Symbol, ...]]]()
        for path in python:
            try:
                stat = (self._repo.root / path).stat()
                now = stat.st_mtime_ns, stat.st_size
                if (known := self._outlines.get(path)) is None or known[0] != now:
                    text = self._repo.read(path).decode("utf-8", "replace") if now[1] <= MOST_READ else ""
                    known = now, outline(text.split("\n"))
                    time.sleep(_BREATH_S)
            except (OSError, ValueError, SparkError):
                continue
            held[path] = known
            found += [(path, symbol) for symbol in known[1]]
            if len(found) >= _MOST_NAMES or ends():
                break
        self._outlines = held
        return found

    def places(self, request: Request, *, most: int = 60) -> tuple[Region, ...]:
        """The places that an instruction may be about: the likeliest, the rest of their file, then all others."""
        try:
            files = (request.path,) if request.path else request.among or self._skim.files()
            likely = likely_regions(request.instruction, files, self._skim.read, most=_MOST_LIKELY)
        except SparkError:
            likely = ()
        first = [likely[0].path] if likely else [request.path] if request.path else []
        return tuple(islice(chain(likely, self._others(first, likely)), most))

    def _others(self, first: Iterable[str], known: tuple[Region, ...]) -> Iterator[Region]:
        """What is not among these and not too long, of some files, then of all."""
        places = {(each.path, each.start_line, each.end_line) for each in known}
        with suppress(SparkError):
            for path in dict.fromkeys([*first, *self._skim.files()]):
                with suppress(SparkError):
                    for each in _parts(source_of(path, self._skim.read(path))):
                        if (path, each.start_line, each.end_line) not in places:
                            yield each


def _parts(source: Source) -> Iterator[Region]:
    """The functions and classes of a file; where it has none, what it begins with."""
    yield from (source.of_symbol(each, "symbol") for each in source.symbols if each.length <= MAX_LINES)
    if not source.symbols and any(map(str.strip, source.lines)) and (top := source.top()):
        yield top


class _Skim:
    """Reads each file once, as long as there is room; made for looking through all of them at every pause in typing."""

    def __init__(self, repo: Repository) -> None:
        self._repo = repo
        self._files: tuple[str, ...] = ()
        self._listed_at = -_FRESH_OF_MANY_S
        self._held: dict[str, bytes] = {}
        self._bytes = 0

    def files(self) -> tuple[str, ...]:
        """The Python files, as of a while ago; what was read of older ones is forgotten."""
        fresh = _FRESH_S if len(self._files) <= _FEW_FILES else _FRESH_OF_MANY_S
        if time.monotonic() - self._listed_at > fresh:
            self._files, self._listed_at = self._repo.files(), time.monotonic()
            self._held, self._bytes = {}, 0
        return self._files

    def read(self, path: str) -> bytes:
        """The bytes of a file as they were when it was read first."""
        data = self._held.get(path)
        if data is None:
            data = self._repo.read(path)
            if self._bytes + len(data) <= _MOST_SKIMMED:
                self._held[path] = data
                self._bytes += len(data)
        return data

    def forget(self, path: str) -> None:
        """Read a file afresh the next time."""
        self._bytes -= len(self._held.pop(path, b""))
