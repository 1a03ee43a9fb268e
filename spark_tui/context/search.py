"""Which files of a repository define what is looked for: a first, cheap look at their bytes."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator

from spark_tui.context.source import Source, source_of
from spark_tui.errors import FileError

Read = Callable[[str], bytes]


def defining(names: Iterable[str], files: Iterable[str], read: Read) -> Iterator[Source]:
    """The files that define a function or class of one of these names; what cannot be read is passed over."""
    words = "|".join(re.escape(_as_python(name)) for name in sorted(names))
    patterns = [re.compile(rf"{word}[ \t]+(?:{words})[ \t]*[(:\[]") for word in ("def", "class")]
    for path, data in _readable(files, read):
        if words and any(pattern.search(_text(data)) for pattern in patterns):
            yield from _source(path, data)


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
