"""The map of a repository for a model: the likeliest files, with the lines that define something.

Likely files hold the words and names of the request and of the lines shown, the rarest first; of
very many files only those nearest in the tree are examined.
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
from spark_tui.context.search_index import (SearchIndex)
from spark_tui.context.file_parts import (WORD)
from spark_tui.context.verbatim_names import (is_shaped)



MOST_LOOKED_INTO = 2_000
"""Files of the map whose words are compared."""
_MOST_NAMES = 24
"""Names in the lines shown that are searched for elsewhere."""
_MOST_DEFINITIONS = 12
"""Definitions shown of a file."""
_LONGEST = 120
"""Characters of a definition."""
_MOST_READ = 4_000_000
"""Bytes of the files whose definitions are shown; the others show their paths alone."""
_LARGE = 64_000
"""Bytes of a file beyond which few entries are cached."""


def repo_map(index: SearchIndex, words: str, shown: Mapping[str, Sequence[str]], most: int) -> str:
    """The map: files by their paths, each above its definitions.

    Args:
        shown: The lines shown already, by path; their files are left out of the map.
        most: Characters of the map.

    Returns:
        "" where nothing fits.
    """
    near = _nearest(index, next(iter(shown), "").rpartition("/")[0])
    lines = chain.from_iterable(shown.values())
    names = dict.fromkeys(name for line in lines for name in WORD.findall(line) if is_shaped(name))
    scores = near.scores([*WORD.findall(words), *islice(names, _MOST_NAMES)])
    entries = list[str]()
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
        entries.append(entry)
        room -= len(entry) + 1
    return "\n".join(entries)


def _is_unwritable(path: str) -> bool:
    """Whether a path is not UTF-8, so that no answer could name the file."""
    return any("\ud800" <= letter <= "\udfff" for letter in path)


@lru_cache(maxsize=4)
def _nearest(index: SearchIndex, folder: str) -> SearchIndex:
    """The files nearest to a folder, by the folders they share, the nearest first.

    Only files in languages that are read.
    """
    home = folder.split("/")

    def shared(path: str) -> int:
        return sum(takewhile(bool, map(eq, home, path.split("/"))))

    return index.of(nlargest(MOST_LOOKED_INTO, filter(language_of, index.files), key=shared))


def _listed(path: str, data: bytes) -> str:
    """The path of a file, and the numbered first lines of its public definitions."""
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
    """The numbered line that names a symbol; decorators and comments may stand above it."""
    name = symbol.name.rpartition(".")[2]
    numbers = range(symbol.start_line, symbol.end_line + 1)
    number = next((each for each in numbers if name in lines[each - 1]), symbol.start_line)
    return f"{number:>5}: {lines[number - 1][:_LONGEST].rstrip()}"
