"""Where a request belongs: the files and symbols of a repository, reranked by the model.

`PlaceIndex` finds the place of a request, and whatever else an instruction can point at; it ranks
by what the request names and by shared words (`context.resolver`). `weigh` then reranks: the
likelier the model finds the words said of some lines, the likelier those lines. Nothing here knows
what a word means; models read that.
"""

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from itertools import chain, groupby, islice, takewhile
from statistics import fmean
from threading import Lock

from spark_tui.context.file_parts import WORD, pieces_of
from spark_tui.context.likeness import LikePlace, like_places
from spark_tui.context.regions import (
    MAX_LINES,
    Fits,
    Region,
    Source,
    always,
    source_of,
    torn_region,
)
from spark_tui.context.repo_map import repo_map
from spark_tui.context.resolver import (
    RankedPlace,
    Sought,
    is_named,
    preview_places,
    rank,
    refuse_large,
)
from spark_tui.context.search_index import MOST_BYTES, SearchIndex
from spark_tui.context.symbols import Symbol, is_aside, outline, outline_of
from spark_tui.context.verbatim_names import file_names, identifiers, last_of, places
from spark_tui.editing.formats import quoted
from spark_tui.editing.syntax import MOST_PARSED, language_of
from spark_tui.errors import SparkError, Unclear, UsageError
from spark_tui.mentions import Mention, mentions_in
from spark_tui.providers.base import CHARACTERS_A_TOKEN, Ability, Provider
from spark_tui.session.request import Request
from spark_tui.vcs.policy import holds_secrets
from spark_tui.vcs.repository import Repository, conflicted
from spark_tui.vcs.spelling import are_one

__all__ = ["PlaceIndex", "RankedPlace", "Region", "Symbol"]

_MOST_NAMES = 20_000
"""Functions known beforehand."""
_MOST_OUTLINED = 32 << 20
"""Bytes of the files in which those functions are looked for."""
_MOST_LISTED = 4_000_000
"""Bytes of the files whose functions are listed behind the likeliest places."""
_BREATH_S = 0.001
"""A pause between two files, for threads that wait."""
_MOST_SKIMMED = 64 << 20
"""Bytes of files kept while an instruction is being written."""
# Up to so many files a repository is listed often, and outlined as a whole.
_FEW_FILES = 2000
_MOST_NEAR = 400
"""Files near an edited one in which the same change is looked for."""
_FRESH_S = 10.0
"""How long the files read count as current."""
_FRESH_OF_MANY_S = 300.0
"""The same for more than `_FEW_FILES`, which take seconds to read."""


class PlaceIndex:
    """Looks into a repository for whoever writes an instruction.

    Every method may wait for the disk.

    Args:
        fits: Whether the model has room for lines.
        creates: Whether the answerer can create files.
        withheld: Gives those of some files that the answerer may not read.
    """

    def __init__(
        self,
        repo: Repository,
        fits: Fits = always,
        creates: Callable[[], bool] = bool,
        withheld: Callable[[Iterable[str]], Sequence[str]] = lambda _: (),
    ) -> None:
        self._repo = repo
        self._fits = fits
        self._creates = creates
        self._withheld = withheld
        self._in_sight: tuple[SearchIndex, SearchIndex] | None = None
        """The last index that was narrowed to what the answerer may read, and the result."""
        self._skim = _Skim(repo)
        self._searching = Lock()
        """Held while an index is searched: an instruction is typed while another one is sent."""
        self._ahead: tuple[Request, tuple[RankedPlace, ...]] | None = None
        self._settled: Request | None = None
        self._outlines: dict[str, tuple[tuple[int, int], tuple[Symbol, ...]]] = {}

    @property
    def ahead(self) -> Region | None:
        """The likeliest place for the instruction that is still being written, if any."""
        return self._ahead[1][0].region if self._ahead else None

    def settle(
        self, request: Request, places: Sequence[RankedPlace], *, is_whole: bool = True
    ) -> None:
        """Remember the places of a request as weighed, the likeliest first.

        Args:
            is_whole: Whether all of them were weighed.
        """
        self._ahead = request, tuple(places)
        self._settled = request if is_whole else None

    def knows(self, request: Request) -> bool:
        """Whether the places of a request were weighed, and the first is still current."""
        return self._settled == request and self.ahead is not None and self._is_current(self.ahead)

    def find(self, request: Request) -> Region:
        """The likeliest place to edit.

        Raises:
            As `find_ranked`.
        """
        return self.find_ranked(request)[0].region

    def find_ranked(self, request: Request) -> tuple[RankedPlace, ...]:
        """The places to edit by the files as they are now, the likeliest first.

        Raises:
            Unclear: There is no place at all.
            UsageError: The place named is not there; or there is no conflict to settle, or there
                are some in several files.
            FileError: The one file named cannot be read as text.
            RepoError: Git cannot list the conflicts.
        """
        if request.keep:
            named = (request.path,) if request.path else request.among
            paths = named or conflicted(self._repo)
            region = torn_region(paths, self._repo.read, request.lines, request.symbol)
            return (RankedPlace(region, 0.0),)
        if (known := self._known(request)) is not None:
            return known
        # A request that is sent reads the files anew, unless a look ahead has found its place and
        # the file there is unchanged.
        files = () if request.path or request.among else _files(self._repo)
        repo = self._repo
        index = SearchIndex(files, repo.read, repo.size, repo.read_each)
        places = self._rank(request, index)
        self.settle(request, places, is_whole=False)
        return places

    def _known(self, request: Request) -> tuple[RankedPlace, ...] | None:
        """The places found for a request before, if its first one is still current."""
        if self._ahead is None:
            return None
        ahead, places = self._ahead
        if ahead != request or self._withheld([place.region.path for place in places]):
            return None
        return places if self._is_current(places[0].region) else None

    def find_ahead(self, request: Request) -> Region:
        """As `find`, from files as read a moment ago, unless the place itself has changed."""
        return self._rank_ahead(request)[0].region

    def ranked(self, request: Request) -> tuple[RankedPlace, ...]:
        """The places that a request may be about, the likeliest first.

        They rank as weighed, else by shared words. There are none where the place named is not
        there.
        """
        try:
            return self._rank_ahead(request)
        except SparkError:
            return ()

    def names_place(self, request: Request) -> bool:
        """Whether a request names its place verbatim, or the user is there."""
        if request.path or request.focus or len(request.among) == 1:
            return True
        with self._searching:
            return is_named(_sought(request), _among(request, self._skim.index()))

    def _rank_ahead(self, request: Request) -> tuple[RankedPlace, ...]:
        """Rank the places of a request by the files as of a moment ago.

        Raises:
            As `find`.
        """
        if (known := self._known(request)) is not None:
            return known
        self._ahead = None
        self._settled = None
        places = self._rank(request, self._skim.index())
        # Files are skimmed once and may have changed since. Only those that were found are checked:
        # reading all of them again at each pause in typing would take too long.
        stale = [place.region.path for place in places if not self._is_current(place.region)]
        if stale:
            for path in stale:
                self._skim.forget(path)
            places = self._rank(request, self._skim.index())
        self._ahead = request, places
        return places

    def _rank(self, request: Request, index: SearchIndex) -> tuple[RankedPlace, ...]:
        """Rank the places of a request by an index of the files.

        Raises:
            As `find`.
        """
        if not (request.path or request.among):
            if not index.files:
                raise Unclear("there is no file here; begin one, or start spark in another folder")
            self._refuse_missing(request.instruction, index.files)
            index = self._within_sight(request.instruction, index)
        with self._searching:
            places = rank(_sought(request), _among(request, index), self._fits)
        if not places:
            if len(request.among) == 1:
                refuse_large(index, request.among[0])
                index.source(request.among[0])  # raises with the reason why it cannot be read
            raise Unclear(
                "no file here can be read as text; begin one, or start spark in another folder"
            )
        return places

    def _within_sight(self, words: str, index: SearchIndex) -> SearchIndex:
        """An index without the files that the answerer may not read, unless words name them."""
        withheld = frozenset(self._withheld(index.files))
        if not withheld:
            return index
        named = {path for path, by_name in self.files_named(words).items() if by_name}
        shown = tuple(path for path in index.files if path not in withheld or path in named)
        if self._in_sight is None or self._in_sight[0] is not index:
            self._in_sight = (index, index.of(shown))
        # The same index again knows already which files hold which words.
        known = self._in_sight[1]
        if known.files != shown:
            known = index.of(shown)
            self._in_sight = (index, known)
        return known

    def _refuse_missing(self, words: str, files: Iterable[str]) -> None:
        """Refuse words that name a file which is not there and cannot be created.

        Raises:
            UsageError.
        """
        for mention in _missing(words, files, self._repo.spelling_key()):
            if mention.is_certain or not self._creates():
                raise UsageError(f"there is no file {mention.path} here; check its name")

    def _is_current(self, region: Region) -> bool:
        try:
            return sha256(self._repo.read(region.path)).hexdigest() == region.base_hash
        except SparkError:
            return False

    def files(self) -> tuple[str, ...]:
        """Every file that git tracks or would track, relative to the root.

        None where git cannot tell.
        """
        try:
            return self._repo.names()
        except SparkError:
            return ()

    def files_named(self, words: str) -> dict[str, bool]:
        """The files that words name, in order, and those of the folders named with `@`.

        A file is named with `@`, or by its name alone.

        Returns:
            Whether each file is named itself.

        Raises:
            UsageError: A file named is not there.
        """
        names = self.files()
        by_name = dict[str, bool]()
        self._refuse_missing(words, names)
        for mention in mentions_in(words):
            path = mention.path.removeprefix("./").rstrip("/")
            file = path if path in names else self.file_ending(path)
            if file:
                by_name[file] = True
                continue
            for name in names:
                if name.startswith(f"{path}/"):
                    by_name.setdefault(name, False)
        for name in file_names(words):
            file = name if name in names else self.file_ending(name)
            if file:
                by_name[file] = True
        return by_name

    def functions(self, path: str) -> tuple[Symbol, ...]:
        """The functions, classes and sections of a file in their order.

        None where the file cannot be read, or is too large.
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
        """The one file whose path ends so, as of a moment ago.

        None where there is no such file, or several.
        """
        files = self._skim.files()
        end = f"/{name.removeprefix('./')}"
        matches = [path for path in files if f"/{path}".endswith(end)]
        if not matches:
            key = self._repo.spelling_key()
            # No exact match: spell the name as the file system does (letter case, composed
            # characters).
            matches = [path for path in files if key(f"/{path}").endswith(key(end))]
        return matches[0] if len(matches) == 1 else None

    def file_named(self, name: str) -> str | None:
        """The file that a name in an instruction means: a path from the root, or the end of one.

        None where there is no such file, or several.
        """
        try:
            is_file = not name.startswith("/") and (self._repo.root / name).is_file()
        except (OSError, ValueError):  # a name too long for any file, say
            return None
        return self.spelling(name) if is_file else self.file_ending(name)

    def spelling(self, path: str) -> str:
        """The path of an existing file as git spells it, as of a moment ago."""
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
        """The functions and classes of some files; none where there are very many.

        The first call takes long, and leaves time to threads that wait for a key. Never run two at
        once.

        Args:
            ends: Whether to stop early.
        """
        paths = tuple(files)
        if len(paths) > _FEW_FILES:
            return []
        symbols = list[tuple[str, Symbol]]()
        outlines = dict[str, tuple[tuple[int, int], tuple[Symbol, ...]]]()
        room = _MOST_OUTLINED
        for path in paths:
            try:
                known = self._outlined(path)
            except (OSError, ValueError, SparkError):
                continue
            outlines[path] = known
            symbols += [(path, symbol) for symbol in known[1]]
            size = known[0][1]
            # A larger file is not parsed, and so costs nothing.
            room -= size if size <= MOST_PARSED else 0
            if len(symbols) >= _MOST_NAMES or room < 0 or ends():
                break
        # Replaced as a whole, so that files which are gone are forgotten.
        self._outlines = outlines
        return symbols

    def _outlined(self, path: str) -> tuple[tuple[int, int], tuple[Symbol, ...]]:
        """The mtime and the size of a file, which tell whether it changed, and its functions.

        Raises:
            OSError, ValueError, SparkError.
        """
        stat = (self._repo.root / path).stat()
        now = stat.st_mtime_ns, stat.st_size
        if (known := self._outlines.get(path)) is not None and known[0] == now:
            return known
        text = self._repo.read(path).decode("utf-8", "replace") if now[1] <= MOST_PARSED else ""
        # Parsing holds Python's lock; a key that was pressed meanwhile gets its turn here.
        time.sleep(_BREATH_S)
        lines = text.split("\n")
        if path.endswith((".py", ".pyi")):
            return now, outline(lines)
        return now, outline_of(path, lines)

    def places(self, request: Request, *, most: int = 60) -> tuple[Region, ...]:
        """The places an instruction may be about: the likeliest, the user's file, all others."""
        found = tuple(place.region for place in self.ranked(request))
        near = (
            request.focus.path if request.focus else request.path,
            found[0].path if found else None,
        )
        first = filter(None, near)
        return tuple(islice(chain(found, self._others(first, found)), most))

    def lines(self, region: Region) -> Sequence[str]:
        """The lines of a place, as of a while ago.

        Raises:
            FileError.
        """
        source = source_of(region.path, self._skim.read(region.path))
        return source.lines[region.start_line - 1 : region.end_line]

    def previews(
        self, request: Request, regions: Iterable[Region]
    ) -> dict[Region, tuple[str, ...]]:
        """A few lines of each place, as of a while ago, chosen by the words of a request.

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

    def like(self, lines: Sequence[str], edited: Region) -> Generator[None, None, list[LikePlace]]:
        """Rank the places near an edited region that are like some lines; see `like_places`.

        The edited file is read anew. A place elsewhere that changed a moment ago is left out.
        """
        self._skim.forget(edited.path)
        index = self._skim.index()
        near = sorted(index.files, key=lambda path: _steps(edited.path, path))[:_MOST_NEAR]
        places = yield from like_places(lines, edited, index.of(near))
        return [place for place in places if self._is_current(place.region)]

    def map(self, words: str, shown: Mapping[str, Sequence[str]], room: int) -> str:
        """A map of the rest of the repository, as of a while ago.

        Args:
            shown: The lines shown already, by their path.
            room: Tokens for the map, perhaps none.
        """
        if not room:
            return ""
        with self._searching:
            return repo_map(self._skim.open_index(), words, shown, room * CHARACTERS_A_TOKEN)

    def _others(self, first: Iterable[str], known: tuple[Region, ...]) -> Iterator[Region]:
        """Further places that are not too long, first of some files, then of all."""
        places = {(each.path, each.start_line, each.end_line) for each in known}
        files = self._skim.files()
        room = _MOST_LISTED
        # Tests, stubs and data come after code. Sorting looks at each path, so only the first ones
        # are sorted; `fromkeys` drops the repetitions.
        for path in dict.fromkeys([*first, *sorted(files[:_FEW_FILES], key=is_aside), *files]):
            size = self._repo.size(path)
            if size > min(room, MOST_BYTES):
                continue
            room -= size
            with suppress(SparkError):
                for each in _parts(source_of(path, self._skim.read(path))):
                    if (path, each.start_line, each.end_line) not in places:
                        yield each


def _steps(path: str, other: str) -> int:
    """How many folders lie between two files."""
    folders = path.split("/")[:-1]
    others = other.split("/")[:-1]
    pairs = zip(folders, others, strict=False)
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    return len(folders) + len(others) - 2 * shared


def _sought(request: Request) -> Sought:
    return Sought(request.instruction, request.path, request.lines, request.symbol, request.focus)


def _among(request: Request, index: SearchIndex) -> SearchIndex:
    """An index of the files that a request is limited to; of all where it names none."""
    return index.of(request.among) if request.among else index


def _missing(words: str, files: Iterable[str], key: Callable[[str], str]) -> Iterator[Mention]:
    """The places named in words whose file is not there, and which can only be files.

    Args:
        key: As `Repository.spelling_key` gives it.
    """
    known = tuple(files)
    for mention in mentions_in(words):
        if mention.is_certain or language_of(mention.path):
            end = f"/{mention.path.removeprefix('./')}"
            if not _is_end(end, known) and not _is_end(key(end), map(key, known)):
                yield mention


def _is_end(end: str, files: Iterable[str]) -> bool:
    """Whether the path of a file ends so, with or without its suffix."""
    paths = (f"/{path}" for path in files)
    return any(path.endswith(end) or path.rpartition(".")[0].endswith(end) for path in paths)


def _parts(source: Source) -> Iterator[Region]:
    """The functions and classes of a file; where it has none, its beginning."""
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
    """Reads each file once, as long as there is room.

    That lets every pause in typing look through all files.
    """

    def __init__(self, repo: Repository) -> None:
        self._repo = repo
        self._index = SearchIndex((), self.read, repo.size, self.read_each)
        self._open: tuple[SearchIndex, SearchIndex] | None = None
        """The last index, and the one of its files that hold no secrets."""
        self._listed_at = -_FRESH_OF_MANY_S
        self._held: dict[str, bytes] = {}
        self._bytes = 0

    def files(self) -> tuple[str, ...]:
        """The files, as of a while ago."""
        return self.index().files

    def index(self) -> SearchIndex:
        """The index of the files; the bytes of older ones are dropped with it."""
        fresh = _FRESH_S if len(self._index.files) <= _FEW_FILES else _FRESH_OF_MANY_S
        if time.monotonic() - self._listed_at > fresh:
            self._held = {}
            self._bytes = 0
            files = _files(self._repo)
            self._index = SearchIndex(files, self.read, self._repo.size, self.read_each)
            self._listed_at = time.monotonic()
        return self._index

    def open_index(self) -> SearchIndex:
        """The index of the files that hold no secrets, as a map shows them to any model.

        A conversation keeps its maps, and another model may go on with it.
        """
        index = self.index()
        if self._open is None or self._open[0] is not index:
            paths = tuple(path for path in index.files if not holds_secrets(path))
            self._open = (index, index.of(paths))
        return self._open[1]

    def read(self, path: str) -> bytes:
        """The bytes of a file as they were when it was read first."""
        data = self._held.get(path)
        if data is None:
            data = self._repo.read(path)
            self._hold(path, data)
        return data

    def read_each(self, paths: Iterable[str], most: int) -> Iterator[tuple[str, bytes]]:
        """The bytes of many files as they were when each was read first.

        Args:
            most: How many bytes of a file that was not read yet.
        """
        for is_held, some in groupby(paths, key=self._held.__contains__):
            if is_held:
                yield from ((path, self._held[path]) for path in some)
                continue
            for path, data in self._repo.read_each(some, most):
                # `most` bytes may be the beginning of a longer file, and none may mean an
                # unreadable one.
                if 0 < len(data) < most:
                    self._hold(path, data)
                yield path, data

    def _hold(self, path: str, data: bytes) -> None:
        if self._bytes + len(data) <= _MOST_SKIMMED:
            self._held[path] = data
            self._bytes += len(data)

    def forget(self, path: str) -> None:
        """Read a file afresh the next time."""
        self._bytes -= len(self._held.pop(path, b""))
        self._index.forget(path)


SAID = 0.7
"""The weight of the log-probability of the words, beside the score of the shared words.

Of 100 development requests, each before a whole package, the score alone puts 32 right places first
and 53 among three; this weight 47 and 67, and it is the likeliest for either half of the packages;
0.5 gives 43 and 66, and 1 gives 49 and 67. With 6 places instead of 12 it is 45 and 63.
"""


def weigh(answerer: Provider, lookup: PlaceIndex, request: Request) -> Generator[None, None, None]:
    """Rank the places of a request that names none, by where the model finds its words said.

    Closing the generator early keeps the scores so far; a place without a score takes their mean.

    Yields:
        None between passes.
    """
    names_place = request.path or places(request.instruction)
    if names_place or Ability.SCORE not in answerer.can or lookup.knows(request):
        return
    ranked = lookup.ranked(request)
    try:
        previews = lookup.previews(request, [place.region for place in ranked])
    except SparkError:
        return  # a turn at that place reports the error
    scores = dict[Region, float]()
    for place in ranked:
        lines = previews[place.region]
        score = yield from _score(answerer, request, place.region, lines)
        scores[place.region] = score
        # After each place, as the generator may be closed at any item.
        lookup.settle(request, _weighed(ranked, scores), is_whole=len(scores) == len(ranked))


def _score(
    answerer: Provider, request: Request, region: Region, lines: tuple[str, ...]
) -> Generator[None, None, float]:
    """How likely the words are said of some lines.

    Where the user is, the words may also follow what was asked there.
    """
    asked = [
        quoted.QuotedRequest(region.path, lines, request.instruction, previous=request.previous)
    ]
    if (focus := request.focus) and focus.earlier and focus.meets(region):
        # Read alone or as a correction: the better reading counts.
        asked.append(replace(asked[0], earlier=focus.earlier))
    scores = list[float]()
    for item in answerer.likelihoods(asked):
        if item is None:
            yield
        else:
            scores.append(item)
    return max(scores)


def _weighed(ranked: Sequence[RankedPlace], scores: dict[Region, float]) -> list[RankedPlace]:
    """The places by the scores so far, the likeliest first."""
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
    if own in asked or own in map(last_of, identifiers(words)):
        return True
    # The same name in another spelling, such as `loadRows` for `load_rows`.
    return pieces_of(own) in map(pieces_of, asked)
