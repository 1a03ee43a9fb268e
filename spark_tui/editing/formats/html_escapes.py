"""Signs that a model writes as HTML does, in lines of a file that has them plainly."""

import html
import re  # noqa: TID251 - reads an answer
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from spark_tui.editing.formats.surroundings import Reading, Surroundings, has_same_text
from spark_tui.editing.formats.white_space import key_of

_ESCAPE = re.compile(r"&(?:lt|gt|amp|quot|apos|#\d{2,5}|#[xX][0-9a-fA-F]{2,5});")
_MARKUP = frozenset({".html", ".htm", ".xml", ".svg", ".xhtml", ".vue", ".svelte", ".jsx", ".tsx"})
"""The suffixes of files in which a sign such as `&` is rightly escaped."""

_ALONE = "the answer writes signs as HTML does, and changes nothing else"
_SOME = "the answer writes some signs as HTML does"


def without_escapes(old: Sequence[str], lines: Sequence[str], around: Surroundings) -> Reading:
    """Lines with plain signs where the model escaped those of lines that it was to leave alone.

    A line that equals one of the region once its escapes are undone is that line. New lines keep
    their escapes, unless the answer has none of these signs plainly and the region has: then the
    model escaped all that it wrote. Where the escapes are the only change, they stay and are
    doubted.

    Args:
        old: The region.
        lines: The lines of the answer.
        around: What stands around the region.
    """
    signs = _escaped_signs(lines)
    may_escape = is_markup(around.path)
    if not signs or (may_escape and signs == {"&"}):
        return Reading(list(lines))
    known = {key_of(line) for line in old}
    undone = [line if key_of(line) in known else _unescape(line) for line in lines]
    if has_same_text(old, undone):
        if list(lines) == undone:
            return Reading(undone)
        return Reading(list(lines), _ALONE)
    is_all_escaped = _holds(old, signs) and not _holds(lines, signs)
    if is_all_escaped:
        return Reading(undone)
    # the lines of the region alone
    plain = list(lines)
    is_returned = False
    for row, line in enumerate(undone):
        if line != lines[row] and key_of(line) in known:
            plain[row] = line
            is_returned = True
    if plain == undone:
        return Reading(plain)
    # New lines have escapes: they are wanted as they are where the file has such, or plain signs
    # stand beside them.
    file = (*around.above, *old, *around.below)
    is_unusual = not (_escaped_signs(file) or _holds(plain, signs))
    is_doubtful = is_returned or (is_unusual and not may_escape)
    return Reading(plain, _SOME if is_doubtful else "")


def is_markup(path: str) -> bool:
    """Whether a file holds tags, between which signs are escaped."""
    return PurePosixPath(path).suffix.lower() in _MARKUP


def _escaped_signs(lines: Iterable[str]) -> frozenset[str]:
    """The signs that lines hold escaped."""
    return frozenset(html.unescape(each[0]) for line in lines for each in _ESCAPE.finditer(line))


def _holds(lines: Iterable[str], signs: Iterable[str]) -> bool:
    """Whether lines hold any of some signs plainly."""
    plain = "\n".join(_ESCAPE.sub("", line) for line in lines)
    return any(sign in plain for sign in signs)


def _unescape(line: str) -> str:
    """A line with each of its escapes undone once."""
    return _ESCAPE.sub(lambda escape: html.unescape(escape[0]), line)
