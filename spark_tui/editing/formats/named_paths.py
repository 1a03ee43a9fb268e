"""Find the file that a line above a block names, as models write such lines.

The line may be the path alone, a heading with a number, a link of Markdown, or a sentence.
"""

import re  # noqa: TID251 - reads an answer
from collections.abc import Collection
from typing import NamedTuple

from spark_tui.editing.syntax import language_of

# what Markdown puts around the name of a file: code, bold, a heading, quotes
_DECORATION = " \t`*#\"'"
_PUNCTUATION = _DECORATION + ":,;()[]<>"
_LINK = re.compile(r"\[(?P<text>[^][]+)\]\((?P<target>[^()\s]+)\)")
_CODE = re.compile(r"[#*\s]*`(?P<name>[^`]+)`[*\s:]*")
"""A line that is nothing but one name."""
_FILE_NAME = re.compile(r"[^\s:*?\"<>|]*[^\s/\\:*?\"<>|]\.(?P<suffix>[A-Za-z]\w{0,7})")
_LINES = re.compile(r"(?::\d+(?:[-:]\d+)?|#L\d+(?:-L\d+)?)+$")
"""The lines of a file, behind its path."""
_SUFFIXES = frozenset(
    """
    bat cfg cmake conf csv dart env ex exs gradle graphql hs ini ipynb jl json5 less lock ml
    php pl proto ps1 r rst sass scss svelte svg tf tsv txt vue xml
    """.split()
)
"""Suffixes of files besides those of known languages."""


class NamedPath(NamedTuple):
    """The file that a line names.

    Attributes:
        path: The path; "" where the line names none.
        is_alone: Whether the line says nothing else.
    """

    path: str
    is_alone: bool = True


def named_path(line: str, known: Collection[str]) -> NamedPath:
    """Read the file that a line names.

    Args:
        line: The line.
        known: The paths of the files that there are.
    """
    line = _LINK.sub(_link_name, line)
    whole = bare_name(line)
    if not whole or whole in known:
        return NamedPath(whole)
    # The whole line, its last word ("File: app.py"), then a path that ends so. Any other word is
    # the path of a new file.
    if path := _known_path(_bare_word(whole.split()[-1]), known):
        return NamedPath(path)
    code = _CODE.fullmatch(line)  # a name may hold spaces
    if " " not in whole or (code and _is_file_name("".join(code["name"].split()))):
        return NamedPath(_with_slashes(whole))
    words = [_bare_word(word) for word in whole.split()]
    paths = {path for word in words if (path := _known_path(word, known))}
    paths = paths or {_with_slashes(word) for word in words if _is_file_name(word)}
    # a sentence that names no file, or several
    if len(paths) != 1:
        return NamedPath("", is_alone=False)
    return NamedPath(paths.pop(), is_alone=False)


def bare_name(name: str) -> str:
    """The name of a file without the Markdown around the name."""
    return name.strip(_DECORATION).removesuffix(":").strip(_DECORATION).removeprefix("./")


def _bare_word(word: str) -> str:
    """A word without what stands around the name of a file within a sentence."""
    bare = _LINES.sub("", word.strip(_PUNCTUATION).rstrip("."))
    return bare.strip(_PUNCTUATION).removeprefix("./")


def _known_path(word: str, known: Collection[str]) -> str:
    """The known file that a word names, by its whole path or the end of the path; else ""."""
    if not word:
        return ""
    for path in (word, _with_slashes(word)):
        if path in known:
            return path
        same_end = {other for other in known if f"/{other}".endswith(f"/{path}")}
        if len(same_end) == 1:
            return same_end.pop()
    return ""


def _with_slashes(path: str) -> str:
    """The path of a file that is not there, with slashes."""
    return path.replace("\\", "/").removeprefix("./")


def _link_name(link: re.Match[str]) -> str:
    """The name of a file that a link of Markdown holds."""
    is_name = "/" in link["text"] or _is_file_name(bare_name(link["text"]))
    return link["text"] if is_name else link["target"]


def _is_file_name(word: str) -> bool:
    """Whether a word within a sentence looks like the path of a file."""
    match = _FILE_NAME.fullmatch(word)
    if match is None:
        return language_of(word) is not None and "." not in word
    has_folder = "/" in word or "\\" in word
    suffix = match["suffix"].lower()
    return "://" not in word and (
        has_folder or suffix in _SUFFIXES or language_of(word) is not None
    )
