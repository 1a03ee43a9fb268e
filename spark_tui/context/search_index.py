"""The search index: which files of a repository hold a word, and their parts.

Nothing is indexed ahead: a word is looked up in the bytes of the files when it is asked for, and
the answer is remembered. The owner makes a new index when files appear or go, and has the index
forget a file that changed.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from spark_tui.context.file_parts import FilePart, parts_of, pieces_of
from spark_tui.context.regions import Source, source_of
from spark_tui.context.symbols import is_aside
from spark_tui.errors import FileError

Read = Callable[[str], bytes]
Size = Callable[[str], int]
ReadEach = Callable[[Iterable[str], int], Iterator[tuple[str, bytes]]]
"""Gives the bytes of each of many paths, in their order, but no more of one than so many."""

MOST_BYTES = 1_000_000
"""Larger files are never searched; a person can name lines of them."""
MOST_IN_ALL = 64 << 20
"""Bytes of all files that are searched."""
MOST_FILES = 400
"""Files that are examined closely."""
MOST_READ = 2_000_000
"""Bytes of those files."""
_MOST_KEPT = 1000
"""Files whose parts stay known."""
_MOST_KEPT_BYTES = 4_000_000
"""Bytes of those files.

The words of a part take many times its bytes.
"""
_BEGINNING = 8000
"""Bytes of a file in which a NUL means that the file is not text."""


def small_files(files: Sequence[str], size_of: Size, most: int = MOST_IN_ALL) -> list[str]:
    """Return the files that are not too large to be searched, in their order.

    Where they are too much in all, code comes before the rest, and small files before larger ones.

    Args:
        files: The files.
        size_of: Returns the size of a file.
        most: The most bytes of all of them.
    """
    sizes = {}
    for path in files:
        size = size_of(path)
        if size <= MOST_BYTES:
            sizes[path] = size
    if sum(sizes.values()) <= most:
        return list(sizes)
    chosen = set[str]()
    # small files first: so the most files fit
    for path in sorted(sizes, key=lambda path: (any(is_aside(path)), sizes[path])):
        most -= sizes[path]
        if most < 0:
            break
        chosen.add(path)
    return [path for path in sizes if path in chosen]


def _weights_of(words: Sequence[str]) -> dict[str, float]:
    """Return the weights of words, and of the pieces of names among them."""
    weights = dict.fromkeys(words, 1.0)
    for word in words:
        for piece in pieces_of(word):
            if piece != word:
                weights[piece] = 0.5
    return weights


class SearchIndex:
    """The files of a repository, and the words and parts in them. For one thread at a time.

    Args:
        files: The files that may be meant, in order.
        read: Gives the bytes of a path; a file that it cannot read is passed over.
        size: Gives the size of a path without reading the file; None: files are read to learn it.
        read_each: Reads very many files, faster than one by one; None: there is no such way.
    """

    def __init__(
        self,
        files: Sequence[str],
        read: Read,
        size: Size | None = None,
        read_each: ReadEach | None = None,
    ) -> None:
        self.files = tuple(files)
        self._read = read
        self._size = size
        self._read_each = read_each or self._read_singly
        self._holding: dict[str, frozenset[str]] = {}
        self._texts: frozenset[str] | None = None
        self._sizes: dict[str, int] = {}
        self._parts: dict[str, tuple[FilePart, ...]] = {}

    def of(self, files: Sequence[str]) -> "SearchIndex":
        """Return the same index for other files, which another thread may use."""
        if tuple(files) == self.files:
            return self
        other = SearchIndex(files, self._read, self._size, self._read_each)
        # parts depend on the file alone; what holds a word depends on the list of files
        other._parts = self._parts
        return other

    def forget(self, path: str) -> None:
        """Drop what is known of a file that has changed."""
        self._parts.pop(path, None)
        # every remembered word may come or go with the file
        self._holding.clear()

    def is_large(self, path: str) -> bool:
        """Whether a file is too large to be searched."""
        return self._size is not None and self._size(path) > MOST_BYTES

    def source(self, path: str) -> Source:
        """Return a file, however large.

        Raises:
            FileError: The file cannot be read, or is not text.
        """
        return source_of(path, self._read(path))

    def parts(self, paths: Iterable[str]) -> list[FilePart]:
        """Return the parts of files; a file that is too large, or not text, has none."""
        parts = list[FilePart]()
        for path in paths:
            known = self._parts.get(path)
            if known is None:
                known = self._parts_of(path)
                self._parts[path] = known
            parts += known
        self._forget_oldest()
        return parts

    def _parts_of(self, path: str) -> tuple[FilePart, ...]:
        if self.is_large(path):
            return ()
        try:
            return parts_of(self.source(path))
        except FileError:
            return ()

    def _forget_oldest(self) -> None:
        """Keep the parts found last, as far as there is room."""
        # A copy: an index made by `of` shares the dictionary and may add to it in another thread.
        known = list(self._parts.items())
        kept = 0
        room = _MOST_KEPT_BYTES
        for _, parts in islice(reversed(known), _MOST_KEPT):
            room -= parts[0].source.size if parts else 0
            if room < 0:
                break
            kept += 1
        for path, _ in known[: len(known) - kept]:
            self._parts.pop(path, None)

    def holding(self, words: Iterable[str]) -> dict[str, frozenset[str]]:
        """Return the files that each word stands in, in whatever case.

        Only texts that are not very large count.
        """
        words = list(words)
        needles = {}
        for word in words:
            if word not in self._holding:
                needles[word] = word.lower().encode("utf-8", "surrogateescape")  # reads source code
        if needles:
            holders: dict[str, set[str]] = {word: set() for word in needles}
            for path, data in self._lower():
                for word, needle in needles.items():
                    if needle in data:
                        holders[word].add(path)
            for word, paths in holders.items():
                self._holding[word] = frozenset(paths)
        return {word: self._holding[word] for word in words}

    def prepare(self, words: Sequence[str], names: Iterable[str]) -> None:
        """Look all words of a request up in one pass over the files, which takes most of the time.

        Args:
            words: The words that `scores` is asked for.
            names: Further words, to ask `holding` for.
        """
        self.holding(dict.fromkeys((*_weights_of(words), *names)))

    def scores(self, words: Sequence[str]) -> dict[str, float]:
        """Score how much of some words, and of the pieces of names, each file holds.

        Rare words count for more.
        """
        weights = _weights_of(words)
        scores: dict[str, float] = {}
        for word, paths in self.holding(weights).items():
            if not paths:
                continue
            # inverse document frequency, with files as documents
            rarity = math.log(1 + len(self.files) / len(paths))
            for path in paths:
                scores[path] = scores.get(path, 0.0) + weights[word] * rarity
        return scores

    def likeliest(self, words: Sequence[str]) -> list[str]:
        """Return the files with the most and rarest of some words for their size.

        Files without any of the words come last. Tests and what is no code have some room of their
        own: a lock file may hold all words.
        """
        scores = self.scores(words)
        if not self._sizes:
            for _ in self._lower():
                pass  # reading the files notes their sizes
        average = sum(self._sizes.values()) / max(len(self._sizes), 1) or 1.0
        weights = {}
        for path, size in self._sizes.items():
            # A large file holds more words by chance. The logarithm, since size itself would put a
            # short file with one word first.
            weights[path] = scores.get(path, 0.0) / math.log(2 + size / average)
        code = []
        asides = []
        for path in sorted(weights, key=lambda path: (-weights[path], path)):
            if any(is_aside(path)):
                asides.append(path)
            else:
                code.append(path)
            if len(code) >= 2 * MOST_FILES and len(asides) >= MOST_FILES // 2:
                break  # more of them are not looked at
        chosen = self._fitting(code, MOST_FILES, MOST_READ)
        # a repository of documents alone has all the room for them
        room = MOST_READ // 4 if chosen else MOST_READ
        chosen += self._fitting(asides, MOST_FILES // 4, room)
        return sorted(set(chosen))

    def _fitting(self, paths: Sequence[str], most: int, room: int) -> list[str]:
        """Return as many files as there is room for.

        Args:
            paths: The files, the likeliest first.
            most: The most files.
            room: The most bytes.
        """
        chosen = list[str]()
        for path in paths[: 2 * most]:  # reading more to see whether they fit takes too long
            if len(chosen) == most:
                break
            size = len(self.bytes(path))
            if size <= room:
                chosen.append(path)
                room -= size
        return chosen

    def _lower(self) -> Iterator[tuple[str, bytes]]:
        """Yield the text files that are searched, in lower case."""
        # the first pass learned which files are text; later ones read only those
        if self._texts is not None:
            for path, data in self._read_each(sorted(self._texts), MOST_BYTES + 1):
                self._sizes[path] = len(data)
                yield path, data.lower()  # reads source code
            return
        texts = set[str]()
        for path, data in self._read_each(self._small(), MOST_BYTES + 1):
            # One byte more than allowed is read, so that a file that is too large shows.
            if len(data) <= MOST_BYTES and b"\0" not in data[:_BEGINNING]:
                texts.add(path)
                self._sizes[path] = len(data)
                yield path, data.lower()  # reads source code
        self._texts = frozenset(texts)

    def _read_singly(self, paths: Iterable[str], most: int) -> Iterator[tuple[str, bytes]]:
        for path in paths:
            yield path, self.bytes(path)[:most]

    def _small(self) -> Sequence[str]:
        """Return the files that are searched."""
        if self._size is None:
            return self.files
        return small_files(self.files, self._size)

    def bytes(self, path: str) -> bytes:
        """Return the bytes of a file; none where it is too large or cannot be read."""
        if self.is_large(path):
            return b""
        try:
            return self._read(path)
        except FileError:
            return b""
