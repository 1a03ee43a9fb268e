"""Take the colors off a patch that was written for a terminal (`color.ui=always`).

Git colors a line in spans, each from a color to a reset, and never one within another. A line of
the patch that holds more than these spans may have colors of its own as text: nobody can tell
which are git's, so the patch is refused.
"""

import re  # noqa: TID251 - reads escapes of terminals
from collections.abc import Iterator
from io import BytesIO

from spark_tui.errors import UsageError

_NOT_GITS = "line {} of this patch has colors that may belong to the file; make it with --no-color"
_ESCAPE = re.compile(rb"(\x1b\[[0-9;]*m)")
_COLORED_HEADING = re.compile(rb"^(?:\x1b\[[0-9;]*m)+(?:diff --git |--- |@@ -)", re.MULTILINE)
_RESETS = frozenset({b"\x1b[m", b"\x1b[0m"})
_MOST_SPANS = 2
"""Spans of an added line that hold more than blanks: the sign, and the text."""


def without_colors(patch: bytes) -> bytes:
    """A patch as git writes it into a file; one whose headings have no color stays as it is.

    Raises:
        UsageError: Colors of the patch cannot be told from escapes in its lines.
    """
    if _COLORED_HEADING.search(patch) is None:
        return patch
    return b"".join(_plain_lines(patch))


def _plain_lines(patch: bytes) -> Iterator[bytes]:
    for number, line in enumerate(BytesIO(patch), start=1):
        plain = _ESCAPE.sub(b"", line)
        # Of other lines the file itself tells: they fit only if they are what the file has.
        if plain.startswith(b"+") and plain != line and not _is_of_spans(line):
            raise UsageError(_NOT_GITS.format(number))
        yield plain


def _is_of_spans(line: bytes) -> bool:
    """Whether an added line is nothing but colored spans, and blanks."""
    is_open = False
    spans = 0
    for number, piece in enumerate(_ESCAPE.split(line)):
        is_text = number % 2 == 0
        if is_text:
            spans += bool(piece.strip())
            if piece.strip() and not is_open:
                return False
        elif is_open == (piece in _RESETS):
            is_open = not is_open
        else:
            return False
    return not is_open and spans <= _MOST_SPANS
