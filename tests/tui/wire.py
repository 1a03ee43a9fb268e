"""What may go to a terminal, told independently of the program: a strict parser of every byte."""

import re
import unicodedata
from collections.abc import Iterator

_SEQUENCES = re.compile(
    r"\x1b\[(?:(?P<mode>\?(?:7|25|1000|1003|1004|1006|1015|1016|1049|2004|2026|2048)[hl])"
    r"|[0-9;]*m|[0-9]+;[0-9]+H|\?(?:2026|2048)\$p|>25u|<u)|\r\n"
)
_HIDING = {"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"}
_UNSEEN = {0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180F, 0x3164, 0xFFA0}
_UNSEEN |= {*range(0x180B, 0x180E), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)}
_ON_AT_THE_END = {"?7", "?25"}


def violations(raw: bytes, *, layout: str = "") -> list[str]:
    """Everything in these bytes that no screen of ours may send; characters in `layout` may
    stand in text.
    """
    text = raw.decode("utf-8", "surrogateescape")
    return [
        repr(text[max(0, at - 20) : at + 20])
        for at, char in _text(text)
        if char not in layout and _bad(char)
    ]


def _text(text: str) -> Iterator[tuple[int, str]]:
    """The characters outside of sequences that are allowed."""
    at = 0
    while at < len(text):
        if match := _SEQUENCES.match(text, at):
            at = match.end()
        else:
            yield at, text[at]
            at += 1


def _bad(char: str) -> bool:
    return unicodedata.category(char) in _HIDING or ord(char) in _UNSEEN


def left_on(raw: bytes) -> set[str]:
    """The modes that these bytes leave other than a shell wants them."""
    last = {
        match["mode"][:-1]: match["mode"][-1]
        for match in _SEQUENCES.finditer(raw.decode())
        if match["mode"]
    }
    wrong = {mode for mode, state in last.items() if (state == "h") != (mode in _ON_AT_THE_END)}
    return wrong | ({"kitty keys"} if raw.rfind(b"\x1b[>25u") > raw.rfind(b"\x1b[<u") else set())
