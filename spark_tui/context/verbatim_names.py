"""Finds the names, files and places that stand verbatim in a user's words.

A word counts as a name by its looks alone: it stands between backticks, or has capitals or
underscores as only names have.
"""

import re  # noqa: TID251 - reads what is typed, by its shape
from dataclasses import dataclass

_DOTTED = re.compile(r"(?:[^\W\d]\w*(?:\.|::))*[^\W\d]\w*")
# A quotation mark with a letter before it, as in "don't", opens no quotation.
_QUOTED = re.compile(r"`([^`\n]+)`|(?<!\w)'([^'\n]+)'(?!\w)|(?<!\w)\"([^\"\n]+)\"(?!\w)")
_SHAPED = re.compile(r"\w+_\w*|_\w+|[a-z\d]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*|[A-Z]+\d*")
"""A word that can only be a name, by underscores or capitals."""
_PATH_LINE = re.compile(
    r"(?<![\w/.~-])(?P<path>[\w.~/-]*\w\.\w+)(?::|(?P<frame>\", line "
    r"))(?P<line>\d+)(?:-(?P<last>\d+))?"
)
_BACKTICKS = re.compile(r"`([^`\n]+)`")
_FILE = re.compile(r"(?<![\w/.~-])[\w.~-]*(?:/[\w.~-]+)*\.[^\W\d]\w*(?![\w/])")


@dataclass(frozen=True, slots=True)
class FileLines:
    """A file and its 1-based lines, as written."""

    path: str
    first: int
    last: int


def quoted(words: str) -> tuple[str, ...]:
    """Return the texts between backticks or quotation marks, each once, in order."""
    texts: list[str] = []
    for match in _QUOTED.finditer(words):
        texts += filter(None, match.groups())  # one group for each kind of mark
    return tuple(dict.fromkeys(texts))


def identifiers(words: str) -> tuple[str, ...]:
    """Return the words that are names, each once, in order.

    They stand between backticks or behind `@`, are called, or look like nothing else. A name behind
    a dot comes with what stands before the dot.
    """
    code = set[str]()
    for text in _BACKTICKS.findall(words):
        code.update(_DOTTED.findall(text))

    def is_name(word: str) -> bool:
        return word in code or is_shaped(word) or f"{word}(" in words or f"@{word}" in words

    return tuple(dict.fromkeys(filter(is_name, _DOTTED.findall(words))))


def places(words: str) -> tuple[FileLines, ...]:
    """Return each `path:line`, `path:first-last` and `File "path", line n`.

    Frames of tracebacks come first, the innermost before others.
    """
    frames: list[FileLines] = []
    others: list[FileLines] = []
    for match in _PATH_LINE.finditer(words):
        place = FileLines(match["path"], int(match["line"]), int(match["last"] or match["line"]))
        if match["frame"] is not None:
            frames.append(place)
        else:
            others.append(place)
    return tuple(dict.fromkeys([*reversed(frames), *others]))


def file_names(words: str) -> tuple[str, ...]:
    """Return what may be names of files, with folders or without, each once, in order."""
    return tuple(dict.fromkeys(_FILE.findall(words)))


def last_of(name: str) -> str:
    """Return the last part of a dotted name."""
    return re.split(r"\.|::", name)[-1]


def is_shaped(name: str) -> bool:
    """Whether a word can only be a name: it is compound, or has a dot in it."""
    return len(name) > 1 and ("." in name or _SHAPED.fullmatch(name) is not None)
