"""What stands verbatim in a user's words: identifiers, quoted code, names of files, `path:line`.

Nothing here knows what a word means: a name is one because it looks like one or because the code has it.
"""

import re
from dataclasses import dataclass

_DOTTED = re.compile(r"(?:[^\W\d]\w*(?:\.|::))*[^\W\d]\w*")
_QUOTED = re.compile(r"`([^`\n]+)`|(?<!\w)'([^'\n]+)'(?!\w)|(?<!\w)\"([^\"\n]+)\"(?!\w)")
_SHAPED = re.compile(r"\w+_\w*|_\w+|[a-z\d]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*|[A-Z]+\d*")
"""What a word looks like that can only be a name: an underscore, capitals within it, or nothing else."""
_PATH_LINE = re.compile(
    r"(?<![\w/.~-])(?P<path>[\w.~/-]*\w\.\w+)(?::|(?P<frame>\", line ))(?P<line>\d+)(?:-(?P<last>\d+))?"
)
_BACKTICKS = re.compile(r"`([^`\n]+)`")
_FILE = re.compile(r"(?<![\w/.~-])[\w.~-]*(?:/[\w.~-]+)*\.[^\W\d]\w*(?![\w/])")


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


def identifiers(words: str) -> tuple[str, ...]:
    """The words that are names: between backticks or behind `@`, called, or like nothing else; each once, in order.

    A name behind a dot comes with what is before it.
    """
    code = {name for text in _BACKTICKS.findall(words) for name in _DOTTED.findall(text)}
    found = (one[0] for one in _DOTTED.finditer(words))
    return tuple(
        dict.fromkeys(one for one in found if one in code or is_shaped(one) or f"{one}(" in words or f"@{one}" in words)
    )


def places(words: str) -> tuple[Place, ...]:
    """Each `path:line`, `path:first-last` and `File "path", line n`; such frames first, the innermost before others."""
    found = [
        (one["frame"] is not None, Place(one["path"], int(one["line"]), int(one["last"] or one["line"])))
        for one in _PATH_LINE.finditer(words)
    ]
    frames = [place for is_frame, place in found if is_frame]
    return tuple(dict.fromkeys([*frames[::-1], *(place for is_frame, place in found if not is_frame)]))


def file_names(words: str) -> tuple[str, ...]:
    """What may be the name of a file, with folders or without, each once, in order."""
    return tuple(dict.fromkeys(_FILE.findall(words)))


def last_of(name: str) -> str:
    """The last part of a name with dots in it."""
    return re.split(r"\.|::", name)[-1]


def is_shaped(name: str) -> bool:
    """Whether a word can only be a name: it is put together of several, or has a dot in it."""
    return len(name) > 1 and ("." in name or _SHAPED.fullmatch(name) is not None)
