"""Makes text safe for a terminal.

Characters that steer the terminal, turn the direction of text or do not show become marks: control
characters their pictures (␛), undecodable bytes <0xE9>, everything else <U+202E>.
"""

import re  # noqa: TID251 - reads characters as such

_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164"
    "\ufe00-\ufe0f\uffa0\U0001d159\U000e0100-\U000e01ef]"
)
"""Characters that Python calls printable and no terminal shows: fillers, selectors, blanks.

Source: Unicode's Default_Ignorable_Code_Point.
"""


def is_plain(text: str) -> bool:
    """Whether every character shows as itself and does nothing else; tabs and newlines do not."""
    return text.isprintable() and (text.isascii() or not _UNSEEN.search(text))


def mark(char: str) -> str:
    """Return the mark that stands for a character that is not plain."""
    code = ord(char)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    # a byte that is no UTF-8 stands in text as a surrogate from U+DC80 on (PEP 383)
    return f"<0x{code - 0xDC00:02X}>" if 0xDC80 <= code <= 0xDCFF else f"<U+{code:04X}>"


def visible(text: str, *, keep: str = "") -> str:
    """A text with a mark for every character that is not plain, except those in `keep`."""
    if is_plain(text):
        return text
    return "".join(char if char in keep or is_plain(char) else mark(char) for char in text)
