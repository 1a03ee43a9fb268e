"""The map of a repository for a model: the likeliest files, with the lines that define something.

Likely files hold the words and names of the request and of the lines shown, the rarest first; of
very many files only those nearest in the tree are examined.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from heapq import nlargest
from itertools import chain, takewhile
from operator import eq

from spark_tui.context.file_parts import WORD
from spark_tui.context.regions import source_of
from spark_tui.context.search_index import SearchIndex
from spark_tui.context.symbols import Symbol
from spark_tui.context.verbatim_names import is_shaped
from spark_tui.editing.syntax import language_of
from spark_tui.errors import FileError

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
    """Draw the map: files by their paths, each above its definitions.

    Args:
        index: The files.
        words: The words of the request.
        shown: The lines shown already, by path; their files are left out of the map.
        most: The most characters of the map.

    Returns:
        "" where nothing fits.
    """
    # Nearness counts from the folder of the first file shown.
    folder = next(iter(shown), "").rpartition("/")[0]
    near = _nearest(index, folder)
    names = _names_in(chain.from_iterable(shown.values()))
    scores = near.scores([*WORD.findall(words), *names])
    entries = list[str]()
    room = most
    unread = _MOST_READ
    for path in sorted(near.files, key=lambda path: -scores.get(path, 0.0)):
        if path in shown or _is_unwritable(path):
            continue
        # Once the bytes are spent, files are listed without definitions.
        data = near.bytes(path) if unread > 0 else b""
        unread -= len(data)
        # The caches keep the bytes of their files, so large files get a small cache.
        draw = _entry if len(data) < _LARGE else _large_entry
        entry = draw(path, data)
        if len(entry) >= room:
            break
        entries.append(entry)
        room -= len(entry) + 1
    return "\n".join(entries)


def _names_in(lines: Iterable[str]) -> list[str]:
    """Return the first names in some lines, each once."""
    names = dict[str, None]()
    for line in lines:
        names |= dict.fromkeys(filter(is_shaped, WORD.findall(line)))
    return list(names)[:_MOST_NAMES]


def _is_unwritable(path: str) -> bool:
    """Whether a path is not UTF-8, so that no answer could name the file."""
    return any("\ud800" <= letter <= "\udfff" for letter in path)


@lru_cache(maxsize=4)
def _nearest(index: SearchIndex, folder: str) -> SearchIndex:
    """Return the files nearest to a folder, by the folders they share, the nearest first.

    Only files in languages that are read.
    """
    home = folder.split("/")

    def shared(path: str) -> int:
        return sum(takewhile(bool, map(eq, home, path.split("/"))))

    return index.of(nlargest(MOST_LOOKED_INTO, filter(language_of, index.files), key=shared))


def _listed(path: str, data: bytes) -> str:
    """Return the path of a file, and the numbered first lines of its public definitions."""
    try:
        source = source_of(path, data)
    except FileError:
        return path
    public = []
    for symbol in source.symbols:
        name = symbol.name.rpartition(".")[2]
        if not name.startswith("_"):
            public.append(symbol)
    lines = [_line(source.lines, symbol) for symbol in public[:_MOST_DEFINITIONS]]
    return "\n".join([path, *lines])


# The bytes are a part of the key, so a changed file is drawn anew.
_entry = lru_cache(maxsize=512)(_listed)
_large_entry = lru_cache(maxsize=4)(_listed)


def _line(lines: Sequence[str], symbol: Symbol) -> str:
    """Return the numbered line that names a symbol.

    Decorators and comments may stand above it.
    """
    name = symbol.name.rpartition(".")[2]
    named = symbol.start_line
    for number in range(symbol.start_line, symbol.end_line + 1):
        if name in lines[number - 1]:
            named = number
            break
    return f"{named:>5}: {lines[named - 1][:_LONGEST].rstrip()}"
