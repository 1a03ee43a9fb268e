"""The search index: chunks, BM25, the map of a repository.

A file cut into the parts that a request may be about, and the words in each: those of its code and
of its prose.

What stands verbatim in a user's words: identifiers, quoted code, names of files, `path:line`.

Nothing here knows what a word means: a name is one because it looks like one or because the code
has it.

The files of a repository as a request looks through them: which of them hold a word, and the parts
of each.

What was read and found stays known as long as the index does; whoever holds it makes a new one when
files change.

How likely each part of some files is what a request is about, by the words they share.

BM25F over the names of the code and over its prose, words that are alike counted in part. The
weights are those of a softmax over all parts of a package, fitted to 287 requests whose place is
known, so that a score is a log-probability up to a constant. Nothing knows what a word means.

The map of a repository for a model that asks for one: its likeliest files, with the lines that
define something.

Likely is what holds the words and names that stand in the request and in the lines shown, the
rarest first; of very many files only those that are nearest in the tree are looked into.
"""

import math
import re
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from heapq import nlargest
from itertools import chain, islice, pairwise, takewhile
from operator import eq

from spark_tui.context.regions import MAX_LINES, Region, Source, source_of
from spark_tui.context.symbols import Symbol, is_aside
from spark_tui.editing.syntax import language_of
from spark_tui.errors import FileError

LONG = 40
"""Lines that belong to no function are cut at blank ones where they are more."""
WORD = re.compile(r"[^\W\d]\w*|\d+(?:\.\d+)?")
_PIECE = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\dA-Za-z_]+")
_PROSE = re.compile(
    r"""[a-zA-Z]{0,2}(?:\"{3}.*?(?:\"{3}|\Z)|'{3}.*?(?:'{3}|\Z))
    | (?<!["'\w])\#[^\n]* | (?<!:)//[^\n]*
    | /\*.*?(?:\*/|\Z) | <!--.*?(?:-->|\Z) | (?P<text>"(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*')""",
    re.DOTALL | re.VERBOSE,
)
"""Comments and longer texts; a text of one word is code."""


@lru_cache(maxsize=50_000)
def pieces_of(word: str) -> tuple[str, ...]:
    """The parts of a name, in lower case."""
    return tuple(piece.lower() for piece in _PIECE.findall(word))


def pieces(words: Sequence[str]) -> list[str]:
    """The parts of names, one after the other."""
    return [piece for word in words for piece in pieces_of(word)]


@dataclass(frozen=True, slots=True)
class WordCounts:
    """How often each word stands in some text: whole, and in its pieces."""

    words: Counter[str]
    pieces: Counter[str]
    order: tuple[str, ...]
    """The pieces one behind the other."""

    @classmethod
    def of(cls, text: str) -> "WordCounts":
        """What a text says."""
        words = WORD.findall(text)
        each = pieces(words)
        return cls(Counter(words), Counter(each), tuple(each))

    def count_pair(self, first: str, second: str) -> int:
        """How often two pieces stand behind one another."""
        return sum(pair == (first, second) for pair in pairwise(self.order))


@dataclass(frozen=True)
class FilePart:
    """Lines of a file (1-based, inclusive) that may be a region.

    `symbol`: what they are, or are in.
    """

    source: Source
    first: int
    last: int
    symbol: Symbol | None

    @property
    def opens(self) -> bool:
        """Whether a function or class begins with it."""
        return self.symbol is not None and self.symbol.start_line == self.first

    @property
    def name(self) -> str:
        """The last part of the name of the function or class that it begins, or ""."""
        return self.symbol.name.rpartition(".")[2] if self.symbol and self.opens else ""

    @property
    def is_function(self) -> bool:
        """Whether a function or method begins with it."""
        return self.symbol is not None and self.opens and self.symbol.kind in {"function", "method"}

    @cached_property
    def name_pieces(self) -> tuple[str, ...]:
        """The pieces of its name."""
        return pieces_of(self.name)

    @cached_property
    def text(self) -> str:
        """Its lines."""
        return "\n".join(self.source.lines[self.first - 1 : self.last])

    @cached_property
    def _both(self) -> tuple[WordCounts, WordCounts]:
        prose = list[str]()

        def sorted_out(match: re.Match[str]) -> str:
            if match["text"] is not None and len(match["text"].split()) == 1:
                return match["text"]
            prose.append(match[0])
            return " "

        code = _PROSE.sub(sorted_out, self.text)
        return WordCounts.of(code), WordCounts.of("\n".join(prose))

    @property
    def code(self) -> WordCounts:
        """What its code says."""
        return self._both[0]

    @property
    def prose(self) -> WordCounts:
        """What its comments and texts say."""
        return self._both[1]

    @cached_property
    def size(self) -> int:
        """How many words it has, those of names apart."""
        return self.code.pieces.total() + self.prose.pieces.total()

    def region(self) -> Region:
        """It as a region."""
        symbol = self.symbol
        is_whole = symbol is not None and (symbol.start_line, symbol.end_line) == (
            self.first,
            self.last,
        )
        name = symbol.name if symbol and is_whole else None
        return self.source.region(self.first, self.last, symbol=name)


def parts_of(source: Source, most: int = MAX_LINES) -> tuple[FilePart, ...]:
    """All that stands in a file, in order: functions as they are, what is between them, and pieces
    of what is long.

    Args:
        most: Lines of a part.
    """
    found = list[FilePart]()
    at = 1
    around = list[Symbol]()
    for symbol, is_whole in _outermost(source.symbols):
        found += _between(source, at, symbol.start_line - 1, around, most)
        at = max(at, symbol.start_line)
        if not is_whole:
            around.append(symbol)
            continue
        if symbol.length <= most:
            found.append(FilePart(source, symbol.start_line, symbol.end_line, symbol))
        else:
            found += _cut(source, symbol.start_line, symbol.end_line, symbol, most)
        at = symbol.end_line + 1
    return (*found, *_between(source, at, len(source.lines), around, most))


def _outermost(symbols: Sequence[Symbol]) -> Iterator[tuple[Symbol, bool]]:
    """In order, the outermost functions and what has no symbols, which are whole; what holds
    such, even a long one.
    """
    end = 0
    for at, symbol in enumerate(symbols):
        following = symbols[at + 1] if at + 1 < len(symbols) else None
        holds = following is not None and symbol.contains(following.start_line, following.end_line)
        if symbol.start_line > end:
            is_whole = not holds or (
                symbol.kind in {"function", "method"} and symbol.length <= MAX_LINES
            )
            end = symbol.end_line if is_whole else end
            yield symbol, is_whole


def _between(
    source: Source, first: int, last: int, around: list[Symbol], most: int
) -> Iterator[FilePart]:
    """What stands in no function: the head of a class, the top of a file, a page of text.

    Args:
        around: What began above and holds other symbols; what ended meanwhile is taken from it.
    """
    while around and around[-1].end_line < first:
        around.pop()
    if around and around[-1].end_line < last:
        yield from _between(source, first, around[-1].end_line, around, most)
        yield from _between(source, around[-1].end_line + 1, last, around, most)
        return
    while first <= last and not source.lines[first - 1].strip():
        first += 1
    while first <= last and not source.lines[last - 1].strip():
        last -= 1
    yield from _cut(source, first, last, around[-1] if around else None, min(most, LONG))


def _cut(
    source: Source, first: int, last: int, symbol: Symbol | None, most: int
) -> Iterator[FilePart]:
    """Lines in pieces of at most so many, each ending at the last blank line that there is room
    for.
    """
    while last - first >= most:
        stop = first + most - 1
        stop = next((at for at in range(stop, first, -1) if not source.lines[at - 1].strip()), stop)
        yield FilePart(source, first, stop, symbol)
        first = stop + 1
    if first <= last:
        yield FilePart(source, first, last, symbol)


_DOTTED = re.compile(r"(?:[^\W\d]\w*(?:\.|::))*[^\W\d]\w*")
_QUOTED = re.compile(r"`([^`\n]+)`|(?<!\w)'([^'\n]+)'(?!\w)|(?<!\w)\"([^\"\n]+)\"(?!\w)")
_SHAPED = re.compile(r"\w+_\w*|_\w+|[a-z\d]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*|[A-Z]+\d*")
"""What a word looks like that can only be a name: an underscore, capitals within it, or nothing
else.
"""
_PATH_LINE = re.compile(
    r"(?<![\w/.~-])(?P<path>[\w.~/-]*\w\.\w+)(?::|(?P<frame>\", line "
    r"))(?P<line>\d+)(?:-(?P<last>\d+))?"
)
_BACKTICKS = re.compile(r"`([^`\n]+)`")
_FILE = re.compile(r"(?<![\w/.~-])[\w.~-]*(?:/[\w.~-]+)*\.[^\W\d]\w*(?![\w/])")


@dataclass(frozen=True, slots=True)
class FileLines:
    """A file and its 1-based lines, as they are written."""

    path: str
    first: int
    last: int


def quoted(words: str) -> tuple[str, ...]:
    """What stands between backticks or quotation marks, each once, in order."""
    found = (next(filter(None, one.groups())) for one in _QUOTED.finditer(words))
    return tuple(dict.fromkeys(found))


def identifiers(words: str) -> tuple[str, ...]:
    """The words that are names: between backticks or behind `@`, called, or like nothing else; each
    once, in order.

    A name behind a dot comes with what is before it.
    """
    code = {name for text in _BACKTICKS.findall(words) for name in _DOTTED.findall(text)}
    found = (one[0] for one in _DOTTED.finditer(words))
    return tuple(
        dict.fromkeys(
            one
            for one in found
            if one in code or is_shaped(one) or f"{one}(" in words or f"@{one}" in words
        )
    )


def places(words: str) -> tuple[FileLines, ...]:
    """Each `path:line`, `path:first-last` and `File "path", line n`; such frames first, the
    innermost before others.
    """
    found = [
        (
            one["frame"] is not None,
            FileLines(one["path"], int(one["line"]), int(one["last"] or one["line"])),
        )
        for one in _PATH_LINE.finditer(words)
    ]
    frames = [place for is_frame, place in found if is_frame]
    return tuple(
        dict.fromkeys([*frames[::-1], *(place for is_frame, place in found if not is_frame)])
    )


def file_names(words: str) -> tuple[str, ...]:
    """What may be the name of a file, with folders or without, each once, in order."""
    return tuple(dict.fromkeys(_FILE.findall(words)))


def last_of(name: str) -> str:
    """The last part of a name with dots in it."""
    return re.split(r"\.|::", name)[-1]


def is_shaped(name: str) -> bool:
    """Whether a word can only be a name: it is put together of several, or has a dot in it."""
    return len(name) > 1 and ("." in name or _SHAPED.fullmatch(name) is not None)


Read = Callable[[str], bytes]
Size = Callable[[str], int]

MOST_BYTES = 1_000_000
"""Larger files are never looked through; a person can tell lines of them."""
MOST_IN_ALL = 64 << 20
"""Bytes of all files that are looked through."""
MOST_FILES = 400
MOST_READ = 2_000_000
"""How many files, and bytes of them, are looked at closely."""
_MOST_KEPT = 1000
_MOST_KEPT_BYTES = 4_000_000
"""How many files, and bytes of them, whose parts stay known.

The words of a part take many times its bytes.
"""
_BEGINNING = 8000
"""Bytes of a file in which a NUL tells that it is no text."""


def small_files(files: Sequence[str], size_of: Size, most: int = MOST_IN_ALL) -> list[str]:
    """The files that are not too large to be looked through, in their order.

    Where they are too much in all, code comes before the rest, and small files before larger ones.

    Args:
        most: Bytes of all of them.
    """
    sizes = {path: size for path in files if (size := size_of(path)) <= MOST_BYTES}
    if sum(sizes.values()) <= most:
        return list(sizes)
    chosen = set[str]()
    for path in sorted(sizes, key=lambda path: (any(is_aside(path)), sizes[path])):
        most -= sizes[path]
        if most < 0:
            break
        chosen.add(path)
    return [path for path in sizes if path in chosen]


class SearchIndex:
    """See the module.

    Mutable; for one thread at a time.

    Args:
        files: Those that may be meant, in order.
        read: A path's bytes; what it cannot read is passed over.
        size: The bytes that a file has, told without a read; left out, files are read to learn it.
    """

    def __init__(self, files: Sequence[str], read: Read, size: Size | None = None) -> None:
        self.files = tuple(files)
        self._read = read
        self._size = size
        self._holding: dict[str, frozenset[str]] = {}
        self._texts: frozenset[str] | None = None
        self._sizes: dict[str, int] = {}
        self._parts: dict[str, tuple[FilePart, ...]] = {}

    def of(self, files: Sequence[str]) -> "SearchIndex":
        """The same of other files."""
        if tuple(files) == self.files:
            return self
        other = SearchIndex(files, self._read, self._size)
        other._parts = self._parts
        return other

    def forget(self, path: str) -> None:
        """Look at a file afresh: it has changed."""
        self._parts.pop(path, None)
        self._holding.clear()

    def is_large(self, path: str) -> bool:
        """Whether a file is too large to be looked through."""
        return self._size is not None and self._size(path) > MOST_BYTES

    def source(self, path: str) -> Source:
        """A file, however large.

        Raises:
            FileError: It cannot be read, or is no text.
        """
        return source_of(path, self._read(path))

    def parts(self, paths: Iterable[str]) -> list[FilePart]:
        """The parts of files; what is too large, or cannot be read as text, has none."""
        found = list[FilePart]()
        for path in paths:
            if path not in self._parts:
                self._parts[path] = self._parts_of(path)
            found += self._parts[path]
        self._forget_oldest()
        return found

    def _parts_of(self, path: str) -> tuple[FilePart, ...]:
        if self.is_large(path):
            return ()
        try:
            return parts_of(self.source(path))
        except FileError:
            return ()

    def _forget_oldest(self) -> None:
        """Keep the parts that were found last, as far as there is room."""
        kept = dict[str, tuple[FilePart, ...]]()
        room = _MOST_KEPT_BYTES
        for path, parts in islice(reversed(self._parts.items()), _MOST_KEPT):
            room -= parts[0].source.size if parts else 0
            if room < 0:
                break
            kept[path] = parts
        if len(kept) < len(self._parts):
            self._parts.clear()
            self._parts.update(reversed(kept.items()))

    def holding(self, words: Iterable[str]) -> dict[str, frozenset[str]]:
        """For each word the files that it stands in, in whatever case; only texts count that
        are not very large.
        """
        needles = {word: word.lower().encode("utf-8", "surrogateescape") for word in words}
        new = {word: needle for word, needle in needles.items() if word not in self._holding}
        if new:
            found: dict[str, set[str]] = {word: set() for word in new}
            for path, data in self._lower():
                for word, needle in new.items():
                    if needle in data:
                        found[word].add(path)
            self._holding |= {word: frozenset(paths) for word, paths in found.items()}
        return {word: self._holding[word] for word in needles}

    def scores(self, words: Sequence[str]) -> dict[str, float]:
        """How much of these words, and of the parts of those that are names, files hold: rare
        ones count for more.
        """
        terms = dict.fromkeys(words, 1.0) | {
            piece: 0.5 for word in words for piece in pieces_of(word) if piece != word
        }
        scores: dict[str, float] = {}
        for word, paths in self.holding(terms).items():
            rarity = math.log(1 + len(self.files) / len(paths)) if paths else 0.0
            for path in paths:
                scores[path] = scores.get(path, 0.0) + terms[word] * rarity
        return scores

    def likeliest(self, words: Sequence[str]) -> list[str]:
        """The files that have the most and the rarest of these words, for how long they are, then
        those without any.

        Tests and what is no code, which may be a lock file with all words there are, have some room
        of their own.
        """
        scores = self.scores(words)
        if not self._sizes:
            deque(self._lower(), maxlen=0)
        average = sum(self._sizes.values()) / max(len(self._sizes), 1) or 1.0
        weights = {
            path: scores.get(path, 0.0) / math.log(2 + size / average)
            for path, size in self._sizes.items()
        }
        best = sorted(weights, key=lambda path: (-weights[path], path))
        code = self._fitting(
            (path for path in best if not any(is_aside(path))), MOST_FILES, MOST_READ
        )
        asides = (path for path in best if any(is_aside(path)))
        return sorted(
            {*code, *self._fitting(asides, MOST_FILES // 4, MOST_READ // (4 if code else 1))}
        )

    def _fitting(self, paths: Iterable[str], most: int, room: int) -> list[str]:
        """Of files as many as there is room for.

        Args:
            most: Of them.
            room: Bytes.
        """
        chosen = list[str]()
        for path in islice(paths, 2 * most):  # no more are read to see whether they fit
            if len(chosen) < most and (size := len(self.bytes(path))) <= room:
                chosen.append(path)
                room -= size
        return chosen

    def _lower(self) -> Iterator[tuple[str, bytes]]:
        """The text files that are looked through, in small letters."""
        known = self._texts
        texts = set[str]()
        for path in self._small() if known is None else sorted(known):
            data = self.bytes(path)
            if known is not None or (len(data) <= MOST_BYTES and b"\0" not in data[:_BEGINNING]):
                texts.add(path)
                self._sizes[path] = len(data)
                yield path, data.lower()
        self._texts = frozenset(texts)

    def _small(self) -> Sequence[str]:
        """The files that are looked through."""
        return self.files if self._size is None else small_files(self.files, self._size)

    def bytes(self, path: str) -> bytes:
        """A file as it is; none where it is too large or cannot be read."""
        if self.is_large(path):
            return b""
        try:
            return self._read(path)
        except FileError:
            return b""


SATURATION = 1.2
"""Many finds in a part of average size count at most 1 + SATURATION times what one does."""
CODE = 0.32
PROSE = 0.14
ALIKE = 0.5
WHOLE = 0.3
PAIR = 0.11
QUOTED = 0.7
NAME = 0.28
"""The weights of a piece of a name in the code, of one in the prose, of one that is alike, of a
whole name, of two pieces behind one another, of all that stands between quotation marks, and of a
piece of the part's own name.

With weights fitted to the packages of the other half, 34 % of 287 development requests have the
right part first and 60 % among six; each one left out costs 1 to 4 points.
"""
LIKENESS = 0.5
"""How many of their trigrams pieces of names share that are alike: the forms of one word."""

_MOST_PARTS = 10_000
_RARE = 200
"""Of more parts only those are weighed that have a word of the request which few have."""
_FIRST_LETTERS = 3
"""Letters that pieces of names which are alike begin with."""


def sieved(parts: Sequence[FilePart], words: str) -> Sequence[FilePart]:
    """The parts that are worth weighing."""
    if len(parts) <= _MOST_PARTS:
        return parts
    chosen = set[int]()
    for word in {word for word in WORD.findall(words) if len(word) > 1}:
        having = [at for at, part in enumerate(parts) if word in part.text]
        chosen.update(having if len(having) <= _RARE else ())
    # Where no word is rare, the first are as good as any, and better than none.
    return [parts[at] for at in sorted(chosen)] or parts[:_MOST_PARTS]


def likelihoods(words: str, parts: Sequence[FilePart]) -> list[float]:
    """A log-probability for each part, up to a constant."""
    whole = list(dict.fromkeys(WORD.findall(words)))
    asked = list(dict.fromkeys(pieces(whole)))
    scores = _Scores(parts)
    code = _Postings(part.code.pieces for part in parts)
    prose = _Postings(part.prose.pieces for part in parts)
    alike = {piece: _alike(piece, code.beginning(piece)) for piece in asked}
    shares = dict[str, float]()
    for piece in asked:
        in_code = code[piece]
        in_prose = prose[piece]
        rarity = scores.rarity(len(in_code.keys() | in_prose.keys()))
        shares[piece] = len(in_code) / (len(in_code) + len(in_prose)) if in_code else 0.0
        scores.add(in_code, CODE * rarity)
        scores.add(in_prose, PROSE * rarity)
        named = (at for at in in_code if piece in parts[at].name_pieces)
        scores.add_flat(named, NAME * rarity * shares[piece])
        for other, likeness in alike[piece].items():
            finds = code[other]
            scores.add(finds, ALIKE * likeness**2 * min(rarity, scores.rarity(len(finds))))
    for word in whole:
        finds = {
            at: count for at, part in enumerate(parts) if (count := part.code.words.get(word, 0))
        }
        own = pieces([word])
        share = 1.0 if is_shaped(word) or len(own) != 1 else shares[own[0]]
        scores.add(finds, WHOLE * share * scores.rarity(len(finds)))
    for pair in dict.fromkeys(pairwise(pieces(WORD.findall(words)))):
        holding = (code[pair[0]].keys() | prose[pair[0]].keys()) & (
            code[pair[1]].keys() | prose[pair[1]].keys()
        )
        counts = {
            at: parts[at].code.count_pair(*pair) + parts[at].prose.count_pair(*pair)
            for at in holding
        }
        finds = {at: count for at, count in counts.items() if count}
        scores.add(finds, PAIR * scores.rarity(len(finds)))
    for text in quoted(words):
        if len(text) > 2:
            holds = [at for at, part in enumerate(parts) if text in part.text]
            scores.add_flat(holds, QUOTED * scores.rarity(len(holds)))
    return scores.of_parts


class _Scores:
    """The sums of what is found in the parts."""

    def __init__(self, parts: Sequence[FilePart]) -> None:
        self.of_parts = [0.0] * len(parts)
        average = sum(part.size for part in parts) / max(len(parts), 1) or 1.0
        self._slack = [SATURATION * part.size / average for part in parts]

    def rarity(self, having: int) -> float:
        """How much it tells that a part is among so many that have something."""
        return math.log(1 + (len(self.of_parts) - having + 0.5) / (having + 0.5))

    def add(self, finds: Mapping[int, int], weight: float) -> None:
        """Add how often parts have something: often in one counts little more than once, in a
        long one less.
        """
        for at, count in finds.items():
            self.of_parts[at] += weight * count * (1 + SATURATION) / (count + self._slack[at])

    def add_flat(self, holding: Iterable[int], weight: float) -> None:
        """Add that parts have something, however long they are."""
        for at in holding:
            self.of_parts[at] += weight


class _Postings:
    """Which parts have a piece of a name, and how often."""

    def __init__(self, counts: Iterable[Mapping[str, int]]) -> None:
        self._having = dict[str, dict[int, int]]()
        for at, counted in enumerate(counts):
            for piece, count in counted.items():
                self._having.setdefault(piece, {})[at] = count
        self._beginnings: dict[str, list[str]] | None = None

    def __getitem__(self, piece: str) -> Mapping[int, int]:
        return self._having.get(piece, {})

    def beginning(self, piece: str) -> Sequence[str]:
        """The other pieces that begin as one does."""
        if self._beginnings is None:
            self._beginnings = {}
            for known in self._having:
                self._beginnings.setdefault(known[:_FIRST_LETTERS], []).append(known)
        return [
            known for known in self._beginnings.get(piece[:_FIRST_LETTERS], ()) if known != piece
        ]


def _alike(piece: str, others: Iterable[str]) -> dict[str, float]:
    """The pieces that are alike, and how much they are, from `LIKENESS` to 1."""
    if len(piece) <= _FIRST_LETTERS:
        return {}
    likeness = {other: likeness_of(piece, other) for other in others if len(other) > _FIRST_LETTERS}
    return {other: value for other, value in likeness.items() if value >= LIKENESS}


def likeness_of(piece: str, other: str) -> float:
    """How many of their trigrams two pieces share, from 0 to 1 (Dice)."""
    own = _trigrams(piece)
    others = _trigrams(other)
    return 2 * len(own & others) / (len(own) + len(others))


@lru_cache(maxsize=50_000)
def _trigrams(piece: str) -> frozenset[str]:
    bounded = f"^{piece}$"
    return frozenset(bounded[at : at + 3] for at in range(len(bounded) - 2))


MOST_LOOKED_INTO = 2_000
"""Files whose words are compared."""
_MOST_NAMES = 24
"""Names of the lines shown that are looked for elsewhere."""
_MOST_DEFINITIONS = 12
_LONGEST = 120
"""Of a file, and characters of each."""
_MOST_READ = 4_000_000
"""Bytes of the files whose definitions are looked for; others are on the map by their paths."""
_LARGE = 64_000
"""Bytes of a file beyond which few are remembered."""


def repo_map(index: SearchIndex, words: str, shown: Mapping[str, Sequence[str]], most: int) -> str:
    """Files by their paths, each above what it defines, as far as `most` characters go; "" where
    nothing fits.

    Args:
        shown: Lines by their path, which are not on the map themselves.
    """
    near = _nearest(index, next(iter(shown), "").rpartition("/")[0])
    lines = chain.from_iterable(shown.values())
    names = dict.fromkeys(name for line in lines for name in WORD.findall(line) if is_shaped(name))
    scores = near.scores([*WORD.findall(words), *islice(names, _MOST_NAMES)])
    found = list[str]()
    room = most
    unread = _MOST_READ
    for path in sorted(near.files, key=lambda each: -scores.get(each, 0.0)):
        if path in shown or _is_unwritable(path):
            continue
        data = near.bytes(path) if unread > 0 else b""
        unread -= len(data)
        entry = _entry(path, data) if len(data) < _LARGE else _large_entry(path, data)
        if len(entry) >= room:
            break
        found.append(entry)
        room -= len(entry) + 1
    return "\n".join(found)


def _is_unwritable(path: str) -> bool:
    """Whether a path has bytes that are not UTF-8: nobody could name that file in an answer."""
    return any("\ud800" <= letter <= "\udfff" for letter in path)


@lru_cache(maxsize=4)
def _nearest(index: SearchIndex, folder: str) -> SearchIndex:
    """The files whose languages are read that have the most folders in common with one, the
    nearest first.
    """
    home = folder.split("/")

    def shared(path: str) -> int:
        return sum(takewhile(bool, map(eq, home, path.split("/"))))

    return index.of(nlargest(MOST_LOOKED_INTO, filter(language_of, index.files), key=shared))


def _listed(path: str, data: bytes) -> str:
    """A file's path, and the first lines of what it defines for others, with their numbers."""
    try:
        source = source_of(path, data)
    except FileError:
        return path
    public = (each for each in source.symbols if not each.name.rpartition(".")[2].startswith("_"))
    return "\n".join(
        [path, *(_line(source.lines, each) for each in islice(public, _MOST_DEFINITIONS))]
    )


_entry = lru_cache(maxsize=512)(_listed)
_large_entry = lru_cache(maxsize=4)(_listed)


def _line(lines: Sequence[str], symbol: Symbol) -> str:
    """The line that names a symbol: decorators and comments may stand above."""
    name = symbol.name.rpartition(".")[2]
    numbers = range(symbol.start_line, symbol.end_line + 1)
    number = next((each for each in numbers if name in lines[each - 1]), symbol.start_line)
    return f"{number:>5}: {lines[number - 1][:_LONGEST].rstrip()}"
