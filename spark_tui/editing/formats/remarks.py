"""Remarks of many languages, as models write them on lines of their own."""

import re  # noqa: TID251 - reads an answer

# The remarks of JSX, C, C++, HTML, shell, Python and ML. Signs that may also begin code (`--x`,
# `*p`, a string) need white space behind: SQL, Lisp, TeX, the middle of a C remark, BASIC.
_REMARK = re.compile(
    r"\s*(?:\{\s*/\*+|/\*+|//+|<!--|#+|\(\*|(?:--+|;+|%+|\*+|'|REM)(?=\s))\s*(?P<text>.*?)"
    r"\s*(?:\*+/\s*\}?|-->|\*\))?\s*"
)
OPENING_REMARKS = frozenset({"/*", "/**", "<!--", "{/*", "(*"})
"""Lines that only open a remark."""
CLOSING_REMARKS = frozenset({"*/", "**/", "-->", "*/}", "*)"})


def remark_in(line: str) -> str | None:
    """The text of a line that is a remark; None for another line."""
    remark = _REMARK.fullmatch(line)
    return remark["text"] if remark else None
