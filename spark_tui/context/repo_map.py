"""The map of a repository for a model that asks for one: its likeliest files, with the lines that define something.

Likely is what holds the words and names that stand in the request and in the lines shown, the rarest first; of very
many files only those that are nearest in the tree are looked into.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from heapq import nlargest
from itertools import chain, islice, takewhile
from operator import eq

from spark_tui.context.index import Index
from spark_tui.context.parts import WORD
from spark_tui.context.source import source_of
from spark_tui.context.symbols import Symbol
from spark_tui.context.terms import is_shaped
from spark_tui.editing.languages import language_of
from spark_tui.errors import FileError

MOST_LOOKED_INTO = 2_000
"""Files whose words are compared."""
_MOST_NAMES = 24
"""Names of the lines shown that are looked for elsewhere."""
_MOST_DEFINITIONS, _LONGEST = 12, 120
"""Of a file, and characters of each."""
_MOST_READ = 4_000_000
"""Bytes of the files whose definitions are looked for; others are on the map by their paths."""
_LARGE = 64_000
"""Bytes of a file beyond which few are remembered."""


def repo_map(index: Index, words: str, shown: Mapping[str, Sequence[str]], most: int) -> str:
    """Files by their paths, each above what it defines, as far as `most` characters go; "" where nothing fits.

    Args: shown: lines by their path, which are not on the map themselves.
    """
    near = _nearest(index, next(iter(shown), "").rpartition("/")[0])
    lines = chain.from_iterable(shown.values())
    names = dict.fromkeys(name for line in lines for name in WORD.findall(line) if is_shaped(name))
    scores = near.scores([*WORD.findall(words), *islice(names, _MOST_NAMES)])
    found, room, unread = list[str](), most, _MOST_READ
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
def _nearest(index: Index, folder: str) -> Index:
    """The files whose languages are read that have the most folders in common with one, the nearest first."""
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
    return "\n".join([path, *(_line(source.lines, each) for each in islice(public, _MOST_DEFINITIONS))])


_entry = lru_cache(maxsize=512)(_listed)
_large_entry = lru_cache(maxsize=4)(_listed)


def _line(lines: Sequence[str], symbol: Symbol) -> str:
    """The line that names a symbol: decorators and comments may stand above."""
    name, numbers = symbol.name.rpartition(".")[2], range(symbol.start_line, symbol.end_line + 1)
    number = next((each for each in numbers if name in lines[each - 1]), symbol.start_line)
    return f"{number:>5}: {lines[number - 1][:_LONGEST].rstrip()}"
