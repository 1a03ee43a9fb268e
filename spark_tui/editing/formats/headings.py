"""Lines that models write above and below the code of an answer, within its fence.

These are the name of the file or of its language, and lines that say where the code begins and
ends.
"""

import re  # noqa: TID251 - reads an answer
from collections.abc import Sequence
from pathlib import PurePosixPath

from spark_tui.editing.formats.html_escapes import is_markup
from spark_tui.editing.formats.remarks import CLOSING_REMARKS, OPENING_REMARKS, remark_in
from spark_tui.editing.formats.surroundings import Reading, Surroundings, has_same_text
from spark_tui.editing.syntax import BY_SUFFIX, language_of, reads

_DECORATION = " \t#/*<>!-=~%;|`+^"
"""What stands around the name of a file on such a line, besides the signs of remarks."""
_QUOTES = ('"""', "'''")
_KEY = re.compile(r"(?:[^\W\d]+[ -]?){1,2}\s*[:=]\s*(?P<value>\S.*)")
"""A word or two before the name: `File: app.py`."""
_NOTE = re.compile(r"(?::\d+(?:[-:]\d+)?|#L\d+(?:-L\d+)?|\s+\([^()]*\))$")
"""The lines of the file behind its name, or a note in brackets."""
_FRAME = re.compile(r"\W+(?P<words>\w+(?: \w+){0,3})\W*")
_TAG = re.compile(r"[<\[](?P<name>\w+)[>\]]")
_BEGINNINGS = frozenset({"begin", "start"})
_ENDS = frozenset({"end", "stop", "finish"})
_FRAMED = frozenset(
    """
    answer change changes code content contents edit edited file lines new of output region result
    snippet the updated
    """.split()
)
"""The words besides on a line that says where the code begins or ends."""


def without_heading(old: Sequence[str], lines: Sequence[str], around: Surroundings) -> Reading:
    """Lines without a first one that is nothing but the name of the file, or of its language.

    It stays where the region has such a line, and where there is no other change.

    Args:
        old: The region.
        lines: The lines of the answer.
        around: What stands around the region.
    """
    start = _first_solid(lines)
    length = _heading_length(lines[start:], around.path)
    if not length:
        return Reading(list(lines))
    code = list(lines[start + length :])
    # the empty lines below the heading belong to it, but for those that the region begins with
    code = code[max(0, _first_solid(code) - _first_solid(old)) :]
    heading = [line.strip() for line in lines[start : start + length]]
    is_remark = length > 1 or remark_in(heading[0]) is not None
    if _is_line(old, heading, code, is_remark=is_remark) or has_same_text(old, code):
        return Reading(list(lines))
    if is_remark:
        # more remarks that are new: all of them may be what was asked for
        below = "".join(code[:1]).strip()
        is_doubtful = remark_in(below) is not None and below not in set(map(str.strip, old))
    else:
        # in data a key with the name of a file may be one like any other
        is_doubtful = _KEY.fullmatch(heading[0]) is not None and not _reads_code(around.path)
    doubt = f"a line was left out that names the file: {heading[0]}"
    return Reading(code, doubt if is_doubtful else "")


def is_heading(line: str, path: str) -> bool:
    """Whether a line is nothing but the name of a file, or of its language."""
    return _names_file(line, path) or _names_language(line, path)


def _is_line(
    old: Sequence[str],
    heading: Sequence[str],
    code: Sequence[str],
    *,
    is_remark: bool,
) -> bool:
    """Whether a heading may be a line of the file all the same.

    Args:
        old: The region.
        heading: The heading, stripped.
        code: The lines below it.
        is_remark: Whether it is a remark.
    """
    known = [line.strip() for line in old if line.strip()]
    if set(heading) <= set(known):
        return True
    if is_remark and not known:
        return True  # a new file
    # the heading of the file as it was, which gives way to this one
    first = remark_in(known[0]) if known else None
    is_renewed = bool(first) and known[0] not in {line.strip() for line in code}
    return is_renewed and _FILE.search(first or "") is not None


_FILE = re.compile(r"\w\.[A-Za-z]\w*\b")
"""What looks like the name of a file."""


def _reads_code(path: str) -> bool:
    """Whether a file holds code that spark can parse, rather than text or data."""
    language = language_of(path)
    return reads(path) and language is not BY_SUFFIX["yaml"]


def _heading_length(lines: Sequence[str], path: str) -> int:
    """How many of the first lines name the file: 0, 1, or 3 for a remark of three lines."""
    if not path or not lines:
        return 0
    if is_heading(lines[0], path):
        return 1
    first, *others = (line.strip() for line in lines[:3])
    is_remark = first in OPENING_REMARKS or first in _QUOTES
    if len(others) == 2 and is_remark and _names_file(others[0], path):
        return 3 if others[1] in {*CLOSING_REMARKS, *_QUOTES} else 0
    return 0


def _names_file(line: str, path: str) -> bool:
    """Whether a line is nothing but the name or the path of a file."""
    text = line.strip()
    for quotes in _QUOTES:
        text = text.removeprefix(quotes).removesuffix(quotes)
    remark = remark_in(text)
    names = _names_in(text if remark is None else remark)
    return bool(path) and any(_is_path(name, path, is_remark=remark is not None) for name in names)


def _names_in(text: str) -> list[str]:
    """What may be the name on a line: all of it, what follows a key, both without a note."""
    names = [text]
    if key := _KEY.fullmatch(text.strip(_DECORATION)):
        names.append(key["value"])
    bare = [_NOTE.sub("", name.strip(_DECORATION + ":.")) for name in names]
    return [*names, *bare]


def _is_path(name: str, path: str, *, is_remark: bool) -> bool:
    """Whether a name is a path, or the end of it.

    A remark may lead there from elsewhere, too; code may run such a file.
    """
    name = name.strip(_DECORATION).rstrip(":.").replace("\\", "/").removeprefix("./")
    if "." not in name and "/" not in name and language_of(name) is None:
        return False  # a word, like any other
    return f"/{path}".endswith(f"/{name}") or (is_remark and f"/{name}".endswith(f"/{path}"))


def _names_language(line: str, path: str) -> bool:
    """Whether a line is nothing but the word that should stand after the fence."""
    word = line.strip().casefold()
    language = language_of(path)
    if not word.isalnum():
        return False
    if language is None:
        return word == PurePosixPath(path).suffix.removeprefix(".").casefold()
    return word == language.name.casefold() or BY_SUFFIX.get(word) is language


def without_frame(old: Sequence[str], lines: Sequence[str], around: Surroundings) -> Reading:
    """Lines without a first and a last one that say where the code begins and ends.

    What may also be code stays, and is doubted: tags in a page, a bare `BEGIN` and `END`.

    Args:
        old: The region.
        lines: The lines of the answer.
        around: What stands around the region.
    """
    start = _first_solid(lines)
    stop = len(lines) - _first_solid(lines[::-1])
    if stop - start < 2:
        return Reading(list(lines))
    first = lines[start].strip()
    last = lines[stop - 1].strip()
    known = {line.strip() for line in old}
    code = list(lines[start + 1 : stop - 1])
    if last in known or has_same_text(old, code) or has_same_text(old, [first, *code]):
        return Reading(list(lines))
    is_end = says_frame(last, _ENDS) or (last.isupper() and last.casefold() in _ENDS)
    is_frame = says_frame(first, _BEGINNINGS) and says_frame(last, _ENDS)
    is_tagged = _are_tags(first, last) and first not in known
    if is_frame or (is_tagged and not is_markup(around.path)):
        return Reading(code)
    # The beginning may stand after the fence already; `<<END` has its end below.
    is_named = any(last in line for line in lines[: stop - 1])
    if is_tagged or (is_end and not is_named):
        return Reading(list(lines), f"{last} may only say where the code ends")
    return Reading(list(lines))


def _are_tags(first: str, last: str) -> bool:
    """Whether two lines are a tag and its end, as in HTML or a forum."""
    tag = _TAG.fullmatch(first)
    return tag is not None and last in {f"</{tag['name']}>", f"[/{tag['name']}]"}


def says_frame(line: str, words: frozenset[str] = _BEGINNINGS) -> bool:
    """Whether a line is nothing but a word between signs that says where the code begins.

    Args:
        line: The line.
        words: The words that say so.
    """
    frame = _FRAME.fullmatch(line.strip())
    if frame is None:
        return False
    first, *others = frame["words"].casefold().replace("_", " ").split()
    return first in words and _FRAMED.issuperset(others)


def _first_solid(lines: Sequence[str]) -> int:
    """How many empty lines come first."""
    for row, line in enumerate(lines):
        if line.strip():
            return row
    return len(lines)
