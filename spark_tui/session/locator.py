"""Where a request belongs: files and symbols, reranked by the model.

What a request can point at: the files of a repository, their functions, and the place that it is
about.

Nothing here knows what a word means: models read that.

Which place the words of a request are about: the likelier the model finds them said of lines, the
likelier these.
"""

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from itertools import chain, islice
from statistics import fmean

from spark_tui.context.regions import MAX_LINES, Fits, Region, Source, always, source_of
from spark_tui.context.resolver import (
    RankedPlace,
    Sought,
    is_named,
    preview_places,
    rank,
    refuse_large,
)
from spark_tui.context.search_index import (
    MOST_BYTES,
    WORD,
    SearchIndex,
    file_names,
    identifiers,
    last_of,
    pieces_of,
    places,
    repo_map,
)
from spark_tui.context.symbols import Symbol, is_aside, outline, outline_of
from spark_tui.editing.formats import quoted
from spark_tui.editing.syntax import MOST_PARSED, language_of
from spark_tui.errors import SparkError, Unclear, UsageError
from spark_tui.mentions import Told, places_told
from spark_tui.providers.base import CHARACTERS_A_TOKEN, Ability, Provider
from spark_tui.session.request import Request
from spark_tui.vcs.repository import Repository
from spark_tui.vcs.spelling import are_one

__all__ = ["PlaceIndex", "RankedPlace", "Region", "Symbol"]

_MOST_NAMES = 20_000
_MOST_OUTLINED = 32 << 20
"""How many functions are known beforehand, and bytes of the files where they are looked for."""
_MOST_LISTED = 4_000_000
"""Bytes of the files whose functions are listed behind the likeliest places."""
_BREATH_S = 0.001
_MOST_SKIMMED = 64 << 20
"""Bytes of files that are kept while an instruction is being written."""
_FEW_FILES = 2000
_FRESH_S = 10.0
_FRESH_OF_MANY_S = 300.0
"""For how long what was read counts as what is there: where files are few, and where reading
them takes seconds.
"""


class PlaceIndex:
    """Looks into a repository for whoever writes an instruction.

    Everything may wait for the disk.

    Args:
        fits: Whether the model has room for lines.
        creates: Whether what answers can make files that are not there.
    """

    def __init__(
        self, repo: Repository, fits: Fits = always, creates: Callable[[], bool] = bool
    ) -> None:
        self._repo = repo
        self._fits = fits
        self._creates = creates
        self._skim = _Skim(repo)
        self._ahead: tuple[Request, tuple[RankedPlace, ...]] | None = None
        self._settled: Request | None = None
        self._outlines: dict[str, tuple[tuple[int, int], tuple[Symbol, ...]]] = {}

    @property
    def ahead(self) -> Region | None:
        """The place that is the likeliest for the instruction that is still being written; None
        where there is none.
        """
        return self._ahead[1][0].region if self._ahead else None

    def settle(
        self, request: Request, places: Sequence[RankedPlace], *, is_whole: bool = True
    ) -> None:
        """Know the places of a request as they were weighed, the likeliest first.

        Args:
            is_whole: Whether all of them were.
        """
        self._ahead = request, tuple(places)
        self._settled = request if is_whole else None

    def knows(self, request: Request) -> bool:
        """Whether the places of a request were weighed, and the first is in its file as that is
        now.
        """
        return self._settled == request and self.ahead is not None and self._is_current(self.ahead)

    def find(self, request: Request) -> Region:
        """The likeliest place to edit.

        Raises:
            Unclear: There is no place at all.
            UsageError: What is told is not there.
            FileError: The one file told cannot be read as text.
        """
        if (
            (ahead := self._ahead) is not None
            and ahead[0] == request
            and self._is_current(ahead[1][0].region)
        ):
            return ahead[1][0].region
        files = () if request.path or request.among else _files(self._repo)
        return self._rank(request, SearchIndex(files, self._repo.read, self._repo.size))[0].region

    def find_ahead(self, request: Request) -> Region:
        """The same, from what was read a moment ago wherever the place itself has not changed
        since.
        """
        return self._rank_ahead(request)[0].region

    def ranked(self, request: Request) -> tuple[RankedPlace, ...]:
        """The places that a request may be about, the likeliest first: as they were weighed, else
        by their words.

        None where there is none, or what is told is not there.
        """
        try:
            return self._rank_ahead(request)
        except SparkError:
            return ()

    def names_place(self, request: Request) -> bool:
        """Whether a request tells its place verbatim, or the user is at it."""
        if request.path or request.focus or len(request.among) == 1:
            return True
        index = self._skim.index()
        return is_named(_sought(request), index.of(request.among) if request.among else index)

    def _rank_ahead(self, request: Request) -> tuple[RankedPlace, ...]:
        """Raises:
        As `find`.
        """
        if (
            (ahead := self._ahead) is not None
            and ahead[0] == request
            and self._is_current(ahead[1][0].region)
        ):
            return ahead[1]
        self._ahead = self._settled = None
        places = self._rank(request, self._skim.index())
        if stale := [place.region.path for place in places if not self._is_current(place.region)]:
            for path in stale:
                self._skim.forget(path)
            places = self._rank(request, self._skim.index())
        self._ahead = request, places
        return places

    def _rank(self, request: Request, index: SearchIndex) -> tuple[RankedPlace, ...]:
        """Raises:
        As `find`.
        """
        if not (request.path or request.among):
            if not index.files:
                raise Unclear("there is no file here; begin one, or use -C DIR")
            self._refuse_missing(request.instruction, index.files)
        places = rank(
            _sought(request), index.of(request.among) if request.among else index, self._fits
        )
        if not places:
            if len(request.among) == 1:
                refuse_large(index, request.among[0])
                index.source(request.among[0])  # says why it cannot be read
            raise Unclear("no file here can be read as text; begin one, or use -C DIR")
        return places

    def _refuse_missing(self, words: str, files: Iterable[str]) -> None:
        """Refuse words that name a file where there is none, and none can be made.

        Raises:
            UsageError.
        """
        for told in _missing(words, files, self._repo.spelling_key()):
            if told.is_certain or not self._creates():
                raise UsageError(f"there is no file {told.path} here; check its name")

    def _is_current(self, region: Region) -> bool:
        try:
            return sha256(self._repo.read(region.path)).hexdigest() == region.base_hash
        except SparkError:
            return False

    def files(self) -> tuple[str, ...]:
        """Every file that git tracks or would track, relative to the root; none when git cannot
        tell.
        """
        try:
            return self._repo.names()
        except SparkError:
            return ()

    def told(self, words: str) -> dict[str, bool]:
        """The files that words name, with `@` or as what they are called, and those of folders told
        with `@`, in order.

        Returns:
            Whether each is named itself.

        Raises:
            UsageError: One is not there.
        """
        names = self.files()
        found = dict[str, bool]()
        self._refuse_missing(words, names)
        for each in places_told(words):
            path = each.path.removeprefix("./").rstrip("/")
            if file := path if path in names else self.file_ending(path):
                found[file] = True
            else:
                found |= {
                    name: False
                    for name in names
                    if name.startswith(f"{path}/") and name not in found
                }
        bare = (name if name in names else self.file_ending(name) for name in file_names(words))
        return found | {name: True for name in bare if name}

    def functions(self, path: str) -> tuple[Symbol, ...]:
        """The functions, classes and sections of a file in their order; none when it cannot be
        read.
        """
        if self.is_too_large(path):
            return ()
        try:
            return source_of(path, self._repo.read(path)).symbols
        except SparkError:
            return ()

    def is_too_large(self, path: str) -> bool:
        """Whether a file is too large for `functions`."""
        return self._repo.size(path) > MOST_BYTES

    def file_ending(self, name: str) -> str | None:
        """The file that is told by the end of its path, as of a moment ago; None: there is
        none, or several.
        """
        files = self._skim.files()
        end = f"/{name.removeprefix('./')}"
        found = [path for path in files if f"/{path}".endswith(end)]
        if not found:
            key = self._repo.spelling_key()
            found = [path for path in files if key(f"/{path}").endswith(key(end))]
        return found[0] if len(found) == 1 else None

    def spelling(self, path: str) -> str:
        """The path of a file that is there, as git spells it, as of a moment ago."""
        root = self._repo.root
        if path.isascii() and not self._repo.ignores_case:
            return path
        files = self._skim.files()
        if path in files:
            return path
        key = self._repo.spelling_key()
        same = [file for file in files if key(file) == key(path)]
        return next((file for file in same if are_one(root / file, root / path)), path)

    def outline(
        self, files: Iterable[str], ends: Callable[[], bool] = bool
    ) -> list[tuple[str, Symbol]]:
        """The functions and classes of some files, none where there are very many; never two at
        once.

        It takes long where nothing was read before, and leaves time for whoever waits for a key
        meanwhile.

        Args:
            ends: Whether to stop early.
        """
        paths = tuple(files)
        if len(paths) > _FEW_FILES:
            return []
        found = list[tuple[str, Symbol]]()
        held = dict[str, tuple[tuple[int, int], tuple[Symbol, ...]]]()
        room = _MOST_OUTLINED
        for path in paths:
            try:
                known = self._outlined(path)
            except (OSError, ValueError, SparkError):
                continue
            held[path] = known
            found += [(path, symbol) for symbol in known[1]]
            size = known[0][1]
            room -= size if size <= MOST_PARSED else 0
            if len(found) >= _MOST_NAMES or room < 0 or ends():
                break
        self._outlines = held
        return found

    def _outlined(self, path: str) -> tuple[tuple[int, int], tuple[Symbol, ...]]:
        """The functions of a file, and what tells whether it has changed.

        Raises:
            OSError, ValueError, SparkError.
        """
        stat = (self._repo.root / path).stat()
        now = stat.st_mtime_ns, stat.st_size
        if (known := self._outlines.get(path)) is not None and known[0] == now:
            return known
        text = self._repo.read(path).decode("utf-8", "replace") if now[1] <= MOST_PARSED else ""
        time.sleep(_BREATH_S)
        lines = text.split("\n")
        return now, outline(lines) if path.endswith((".py", ".pyi")) else outline_of(path, lines)

    def places(self, request: Request, *, most: int = 60) -> tuple[Region, ...]:
        """The places that an instruction may be about: the likeliest, the user's file, then all
        others.
        """
        found = tuple(place.region for place in self.ranked(request))
        near = (
            request.focus.path if request.focus else request.path,
            found[0].path if found else None,
        )
        first = filter(None, near)
        return tuple(islice(chain(found, self._others(first, found)), most))

    def lines(self, region: Region) -> Sequence[str]:
        """Those of a place, as of a while ago.

        Raises:
            FileError.
        """
        source = source_of(region.path, self._skim.read(region.path))
        return source.lines[region.start_line - 1 : region.end_line]

    def previews(
        self, request: Request, regions: Iterable[Region]
    ) -> dict[Region, tuple[str, ...]]:
        """A few lines of each place, as of a while ago, by the words of a request.

        Raises:
            FileError.
        """
        places = (
            (source_of(region.path, self._skim.read(region.path)), region) for region in regions
        )
        return preview_places(places, request.instruction)

    def file_lines(self, path: str) -> Sequence[str]:
        """Read the lines of a file, as of a while ago.

        Raises:
            FileError.
        """
        return source_of(path, self._skim.read(path)).lines

    def map(self, words: str, shown: Mapping[str, Sequence[str]], room: int) -> str:
        """What else there is, as of a while ago.

        Args:
            shown: Lines, by their path.
            room: Tokens, perhaps none.
        """
        return repo_map(self._skim.index(), words, shown, room * CHARACTERS_A_TOKEN) if room else ""

    def _others(self, first: Iterable[str], known: tuple[Region, ...]) -> Iterator[Region]:
        """What is not among these and not too long, of some files, then of all."""
        places = {(each.path, each.start_line, each.end_line) for each in known}
        files = self._skim.files()
        room = _MOST_LISTED
        for path in dict.fromkeys([*first, *sorted(files[:_FEW_FILES], key=is_aside), *files]):
            size = self._repo.size(path)
            if size > min(room, MOST_BYTES):
                continue
            room -= size
            with suppress(SparkError):
                for each in _parts(source_of(path, self._skim.read(path))):
                    if (path, each.start_line, each.end_line) not in places:
                        yield each


def _sought(request: Request) -> Sought:
    return Sought(request.instruction, request.path, request.lines, request.symbol, request.focus)


def _missing(words: str, files: Iterable[str], key: Callable[[str], str]) -> Iterator[Told]:
    """What stands behind an `@`, can only be a file, and is not there; `key`: `spelling_key`."""
    known = tuple(files)
    for told in places_told(words):
        if told.is_certain or language_of(told.path):
            end = f"/{told.path.removeprefix('./')}"
            if not _is_end(end, known) and not _is_end(key(end), map(key, known)):
                yield told


def _is_end(end: str, files: Iterable[str]) -> bool:
    """Whether the path of a file ends so, with or without what its name ends in."""
    paths = (f"/{path}" for path in files)
    return any(path.endswith(end) or path.rpartition(".")[0].endswith(end) for path in paths)


def _parts(source: Source) -> Iterator[Region]:
    """The functions and classes of a file; where it has none, what it begins with."""
    yield from (source.of_symbol(each) for each in source.symbols if each.length <= MAX_LINES)
    if not source.symbols and any(map(str.strip, source.lines)) and (top := source.top()):
        yield top


def _files(repo: Repository) -> tuple[str, ...]:
    """The files of a repository; none when git cannot tell."""
    try:
        return repo.files()
    except SparkError:
        return ()


class _Skim:
    """Reads each file once, as long as there is room; made for looking through all of them at
    every pause in typing.
    """

    def __init__(self, repo: Repository) -> None:
        self._repo = repo
        self._index = SearchIndex((), self.read, repo.size)
        self._listed_at = -_FRESH_OF_MANY_S
        self._held: dict[str, bytes] = {}
        self._bytes = 0

    def files(self) -> tuple[str, ...]:
        """The files, as of a while ago."""
        return self.index().files

    def index(self) -> SearchIndex:
        """What looks through them; what was read of older ones is forgotten."""
        fresh = _FRESH_S if len(self._index.files) <= _FEW_FILES else _FRESH_OF_MANY_S
        if time.monotonic() - self._listed_at > fresh:
            self._held = {}
            self._bytes = 0
            self._index = SearchIndex(_files(self._repo), self.read, self._repo.size)
            self._listed_at = time.monotonic()
        return self._index

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
        self._index.forget(path)


SAID = 0.7
"""The weight of the log-probability of the words beside the score of what they share.

Of 100 development requests, whole packages before them, 32 have the right place first and 53 among
three by the score alone, 47 and 67 with this weight, which is the likeliest for either half of the
packages; 43 and 66 with 0.5, 49 and 67 with 1. By 6 places instead of 12 it is 45 and 63.
"""


def weigh(answerer: Provider, lookup: PlaceIndex, request: Request) -> Generator[None, None, None]:
    """Rank the places of a request that tells none by what the model finds its words said of; None
    between passes.

    What was weighed so far counts when it is given up, as if the words were said of the other
    places as of these.
    """
    told = request.path or places(request.instruction)
    if told or Ability.SCORE not in answerer.can or lookup.knows(request):
        return
    ranked = lookup.ranked(request)
    try:
        previews = lookup.previews(request, [place.region for place in ranked])
    except SparkError:
        return  # whoever asks there will hear of it
    scores = dict[Region, float]()
    for place in ranked:
        lines = previews[place.region]
        score = yield from _score(answerer, request, place.region, lines)
        scores[place.region] = score
        lookup.settle(request, _weighed(ranked, scores), is_whole=len(scores) == len(ranked))


def _score(
    answerer: Provider, request: Request, region: Region, lines: tuple[str, ...]
) -> Generator[None, None, float]:
    """How likely the words are said of lines, or, where the user is, behind what was asked
    there.
    """
    asked = [
        quoted.QuotedRequest(region.path, lines, request.instruction, previous=request.previous)
    ]
    if (focus := request.focus) and focus.earlier and focus.meets(region):
        asked.append(replace(asked[0], earlier=focus.earlier))
    scores = list[float]()
    for item in answerer.said(asked):
        if item is None:
            yield
        else:
            scores.append(item)
    return max(scores)


def _weighed(ranked: Sequence[RankedPlace], scores: dict[Region, float]) -> list[RankedPlace]:
    """The places as they are known so far, the likeliest first."""
    other = fmean(scores.values())
    places = [
        replace(place, weight=place.weight + SAID * scores.get(place.region, other))
        for place in ranked
    ]
    return sorted(places, key=lambda place: -place.weight)


def names(words: str, place: Region) -> bool:
    """Whether words name a place or its file."""
    if any(f"/{place.path}".endswith(f"/{name}") for name in file_names(words)):
        return True
    if place.symbol is None:
        return False
    own = last_of(place.symbol)
    asked = WORD.findall(words)
    return own in (*asked, *map(last_of, identifiers(words))) or pieces_of(own) in set(
        map(pieces_of, asked)
    )
