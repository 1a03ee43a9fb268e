"""Which files of a repository may hold what is looked for: a first, cheap look at their bytes."""

import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping

from spark_tui.context.source import Source, import_of, source_of
from spark_tui.errors import FileError

Read = Callable[[str], bytes]

MAX_FILES, MAX_BYTES, MAX_FILE_BYTES = 40, 400_000, 1_000_000
"""How many files, and bytes of them, are looked at closely; larger files are not searched by words."""


def defining(names: Iterable[str], files: Iterable[str], read: Read) -> Iterator[Source]:
    """The files that define a function or class of one of these names; what cannot be read is passed over."""
    words = "|".join(re.escape(_as_python(name)) for name in sorted(names))
    patterns = [re.compile(rf"{word}[ \t]+(?:{words})[ \t]*[(:\[]") for word in ("def", "class")]
    for path, data in _readable(files, read):
        if words and any(pattern.search(_text(data)) for pattern in patterns):
            yield from _source(path, data)


def importing(name: str, files: Iterable[str], read: Read) -> Iterator[str]:
    """The files with an import statement that says a name."""
    pattern = import_of(name)
    for path, data in _readable(files, read):
        if name.encode("utf-8", "replace") in data and pattern.search(data.decode("utf-8", "replace")):
            yield path


def is_said_in(name: str, files: Iterable[str], read: Read) -> bool:
    """Whether a word stands anywhere in these files, in whatever case."""
    word = re.compile(rf"\b{re.escape(_as_python(name))}\b", re.IGNORECASE)
    return any(word.search(_text(data)) for _, data in _readable(files, read))


def likeliest(terms: Mapping[str, float], files: Iterable[str], read: Read) -> list[Source]:
    """The files that have the most and the rarest of the terms, in the order of `files`."""
    held = dict(_survey(terms, files, read))
    counts = [sum(mask >> bit & 1 for mask, _ in held.values()) for bit in range(len(terms))]
    worths = [
        worth * math.log(1 + len(held) / count) if count else 0.0
        for worth, count in zip(terms.values(), counts, strict=True)
    ]

    def score(path: str) -> float:
        return sum(worth for bit, worth in enumerate(worths) if held[path][0] >> bit & 1)

    chosen: set[str] = set()
    room = MAX_BYTES
    for path in sorted(held, key=lambda path: (-score(path), path))[:MAX_FILES]:
        room -= held[path][1]
        if chosen and room < 0:
            break
        if held[path][0]:
            chosen.add(path)
    return list(open_sources(sorted(chosen), read))


def open_sources(files: Iterable[str], read: Read) -> Iterator[Source]:
    """The files; what cannot be read is passed over."""
    for path, data in _readable(files, read):
        yield from _source(path, data)


def _survey(terms: Iterable[str], files: Iterable[str], read: Read) -> Iterator[tuple[str, tuple[int, int]]]:
    """For each file the terms in it, as bits, and its size."""
    needles = [(1 << bit, term.lower().encode("utf-8", "surrogateescape")) for bit, term in enumerate(terms)]
    for path, data in _readable(files, read):
        if len(data) <= MAX_FILE_BYTES:
            lower = data.lower()
            yield path, (sum(bit for bit, needle in needles if needle in lower), len(data))


def _text(data: bytes) -> str:
    return _as_python(data.decode("utf-8", "replace"))


def _as_python(text: str) -> str:
    """A text with its names as Python takes them: `é` is the same letter, however it was put together."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def _readable(files: Iterable[str], read: Read) -> Iterator[tuple[str, bytes]]:
    for path in files:
        try:
            yield path, read(path)
        except FileError:
            continue


def _source(path: str, data: bytes) -> Iterator[Source]:
    try:
        yield source_of(path, data)
    except FileError:
        return
