"""Where a URI of an editor leads: a file, lines of it, or a symbol.

Zed writes `file:///p/a.py#L10:20`, and for a symbol `file:///p/a.py?symbol=load#L10:20`; others
write `#L10-L20`, `#L10`, or an absolute path with or without lines. Earlier versions of Zed have
the path in a query: `zed:///agent/selection?path=/p/a.py#L10:20`.
"""

import re  # noqa: TID251 - reads names and settings
from dataclasses import dataclass
from urllib.parse import parse_qs, unquote, urlsplit

# The first form is `L10`, `L10:20` or `L10-L20`; in the second one each line has a column, which is
# not used.
_LINE = r"L?(\d{1,9})(?:[,:C]\d{1,9})?"
_LINES = re.compile(rf"L?(\d{{1,9}})(?:[:-]L?(\d{{1,9}}))?|{_LINE}(?:-{_LINE})?")
_BEHIND_PATH = re.compile(r"(?P<path>.+?):(?P<first>\d{1,9})(?:-(?P<last>\d{1,9})|:\d{1,9})?")
_LOCAL = frozenset({"", "localhost"})


@dataclass(frozen=True, slots=True)
class Target:
    """A place that an editor names; it may not exist.

    Attributes:
        path: The absolute path of the file.
        lines: 1-based first and last line; None: the whole file.
        symbol: The name of a function or the like; "" for none.
        is_folder: Whether the place is a folder.
    """

    path: str
    lines: tuple[int, int] | None = None
    symbol: str = ""
    is_folder: bool = False


def read_uri(uri: str) -> Target | None:
    """Read a URI; None if it names no file of this machine."""
    if uri.startswith("/") and "://" not in uri:
        return _from_path(uri)
    try:
        parts = urlsplit(uri)
        query = parse_qs(parts.query)
    except ValueError:
        return None
    lines = read_lines(parts.fragment)
    symbol = _first(query, "symbol")
    if parts.scheme == "file" and parts.netloc in _LOCAL:
        path = unquote(parts.path)
    elif parts.scheme == "zed" and "path" in query:
        path = _first(query, "path")
        if parts.path.startswith("/agent/symbol/"):
            symbol = unquote(parts.path.removeprefix("/agent/symbol/"))
    else:
        return None
    if not path.startswith("/"):
        return None
    is_folder = path.endswith("/") or parts.path.startswith("/agent/directory")
    return Target(path, lines, symbol, is_folder)


def read_lines(fragment: str) -> tuple[int, int] | None:
    """Read a fragment such as `L10:20` as lines; None if it is no such fragment."""
    match = _LINES.fullmatch(unquote(fragment))
    if match is None:
        return None
    first = int(match[1] or match[3])
    last = int(match[2] or match[4] or first)
    return (first, last) if 1 <= first <= last else None


def _from_path(text: str) -> Target:
    """Read a plain path, with line numbers as compilers write them: `a.py:10`, `a.py:10-20`."""
    path, _, fragment = text.partition("#")
    if lines := read_lines(fragment):
        return Target(path, lines)
    if match := _BEHIND_PATH.fullmatch(text):
        first = int(match["first"])
        last = int(match["last"] or first)
        if 1 <= first <= last:
            return Target(match["path"], (first, last))
    return Target(text, is_folder=text.endswith("/"))


def _first(query: dict[str, list[str]], name: str) -> str:
    return query.get(name, [""])[0]
