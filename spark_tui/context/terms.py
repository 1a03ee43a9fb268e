"""What stands verbatim in a user's words: identifiers, quoted code, `path:line`; and the words as terms of a search.

Nothing here knows what a word means: a name is one because it looks like one or because the code has it.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

_WORD = re.compile(r"[^\W\d]\w*")
_QUOTED = re.compile(r"`([^`\n]+)`|(?<!\w)'([^'\n]+)'(?!\w)|(?<!\w)\"([^\"\n]+)\"(?!\w)")
_SHAPED = re.compile(r"\w+_\w*|_\w+|[a-z\d]+(?:[A-Z]\w*)+|[A-Z][a-z]+(?:[A-Z]\w*)+|[A-Z]+\d*")
"""What a word looks like that can only be a name: an underscore, capitals within it, or nothing else."""
_PATH_LINE = re.compile(r"(?<![\w/.~-])(?P<path>[\w.~/-]*\w\.\w+)(?::|\", line )(?P<line>\d+)(?:-(?P<last>\d+))?")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_PARTLY = 0.5
"""What a part of a name counts, and the whole 1."""


@dataclass(frozen=True, slots=True)
class Place:
    """A file and its 1-based lines, as they are written."""

    path: str
    first: int
    last: int


def quoted(words: str) -> tuple[str, ...]:
    """What stands between backticks or quotation marks, each once, in order."""
    found = (next(filter(None, one.groups())) for one in _QUOTED.finditer(words))
    return tuple(dict.fromkeys(found))


def identifiers(words: str, known: Collection[str] = ()) -> tuple[str, ...]:
    """The words that are names: those that the code has, that are quoted, called or dotted, or look like nothing else.

    Args: known: names of the code. Returns: each once, in order.
    """
    code = {name for text in quoted(words) for name in _WORD.findall(text)}
    return tuple(
        dict.fromkeys(one for one in _names(words) if one in known or one in code or _looks_like_one(one, words))
    )


def places(words: str) -> tuple[Place, ...]:
    """Each `path:line`, `path:first-last` and `File "path", line n`, in order."""
    found = _PATH_LINE.finditer(words)
    each = (Place(one["path"], int(one["line"]), int(one["last"] or one["line"])) for one in found)
    return tuple(dict.fromkeys(each))


def search_terms(words: str) -> dict[str, float]:
    """The words, and the parts of those that are names, in lower case, with how much each counts."""
    found: dict[str, float] = {}
    for word in _names(words):
        parts = [one.lower() for one in _PART.findall(word)]
        found[word.lower()] = 1.0
        for part in parts if len(parts) > 1 else ():
            found.setdefault(part, _PARTLY)
    return found


def _names(words: str) -> Iterator[str]:
    return (one[0] for one in _WORD.finditer(words))


def _looks_like_one(name: str, words: str) -> bool:
    shaped = len(name) > 1 and _SHAPED.fullmatch(name) is not None
    return (
        shaped
        or re.search(rf"(?<!\w){re.escape(name)}\(|\w\.{re.escape(name)}\b|\b{re.escape(name)}\.\w", words) is not None
    )
