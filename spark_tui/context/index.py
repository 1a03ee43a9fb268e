"""The files of a repository as a request looks through them: which of them hold a word, and the parts of each.

What was read and found stays known as long as the index does; whoever holds it makes a new one when files change.
"""

import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from spark_tui.context.parts import Part, parts_of, pieces_of
from spark_tui.context.source import Source, source_of
from spark_tui.context.symbols import is_aside
from spark_tui.errors import FileError

Read = Callable[[str], bytes]
Size = Callable[[str], int]

MOST_BYTES = 1_000_000
"""Larger files are never looked through; a person can tell lines of them."""
MOST_IN_ALL = 64 << 20
"""Bytes of all files that are looked through."""
MOST_FILES, MOST_READ = 400, 2_000_000
"""How many files, and bytes of them, are looked at closely."""
_MOST_KEPT, _MOST_KEPT_BYTES = 1000, 4_000_000
"""How many files, and bytes of them, whose parts stay known. The words of a part take many times its bytes."""
_BEGINNING = 8000
"""Bytes of a file in which a NUL tells that it is no text."""


def small_files(files: Sequence[str], size_of: Size, most: int = MOST_IN_ALL) -> list[str]:
    """The files that are not too large to be looked through, in their order.

    Where they are too much in all, code comes before the rest, and small files before larger ones.
    Args: most: bytes of all of them.
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


class Index:
    """See the module. Mutable; for one thread at a time.

    Args: files: those that may be meant, in order. read: a path's bytes; what it cannot read is passed over.
        size: the bytes that a file has, told without a read; left out, files are read to learn it.
    """

    def __init__(self, files: Sequence[str], read: Read, size: Size | None = None) -> None:
        self.files = tuple(files)
        self._read = read
        self._size = size
        self._holding: dict[str, frozenset[str]] = {}
        self._texts: frozenset[str] | None = None
        self._sizes: dict[str, int] = {}
        self._parts: dict[str, tuple[Part, ...]] = {}

    def of(self, files: Sequence[str]) -> "Index":
        """The same of other files."""
        if tuple(files) == self.files:
            return self
        other = Index(files, self._read, self._size)
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
        """A file, however large. Raises: FileError: it cannot be read, or is no text."""
        return source_of(path, self._read(path))

    def parts(self, paths: Iterable[str]) -> list[Part]:
        """The parts of files; what is too large, or cannot be read as text, has none."""
        found = list[Part]()
        for path in paths:
            if path not in self._parts:
                self._parts[path] = self._parts_of(path)
            found += self._parts[path]
        self._forget_oldest()
        return found

    def _parts_of(self, path: str) -> tuple[Part, ...]:
        if self.is_large(path):
            return ()
        try:
            return parts_of(self.source(path))
        except FileError:
            return ()

    def _forget_oldest(self) -> None:
        """Keep the parts that were found last, as far as there is room."""
        kept = dict[str, tuple[Part, ...]]()
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
        """For each word the files that it stands in, in whatever case; only texts count that are not very large."""
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
        """How much of these words, and of the parts of those that are names, files hold: rare ones count for more."""
        terms = dict.fromkeys(words, 1.0) | {piece: 0.5 for word in words for piece in pieces_of(word) if piece != word}
        scores: dict[str, float] = {}
        for word, paths in self.holding(terms).items():
            rarity = math.log(1 + len(self.files) / len(paths)) if paths else 0.0
            for path in paths:
                scores[path] = scores.get(path, 0.0) + terms[word] * rarity
        return scores

    def likeliest(self, words: Sequence[str]) -> list[str]:
        """The files that have the most and the rarest of these words, for how long they are, then those without any.

        Tests and what is no code, which may be a lock file with all words there are, have some room of their own.
        """
        scores = self.scores(words)
        if not self._sizes:
            deque(self._lower(), maxlen=0)
        average = sum(self._sizes.values()) / max(len(self._sizes), 1) or 1.0
        weights = {path: scores.get(path, 0.0) / math.log(2 + size / average) for path, size in self._sizes.items()}
        best = sorted(weights, key=lambda path: (-weights[path], path))
        code = self._fitting((path for path in best if not any(is_aside(path))), MOST_FILES, MOST_READ)
        asides = (path for path in best if any(is_aside(path)))
        return sorted({*code, *self._fitting(asides, MOST_FILES // 4, MOST_READ // (4 if code else 1))})

    def _fitting(self, paths: Iterable[str], most: int, room: int) -> list[str]:
        """Of files as many as there is room for. Args: most: of them. room: bytes."""
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
