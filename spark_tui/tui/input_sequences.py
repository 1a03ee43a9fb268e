"""What a terminal sends, taken apart: text, keys, and reports that nobody typed.

Sources: ECMA-48, 5.4 and 5.6; XTerm Control Sequences; the kitty keyboard protocol.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual._keyboard_protocol import FUNCTIONAL_KEYS

_NO_NUMBER = r"(?<=[\[;:<?])(?:NaN|nan|-?[Ii]nf(?:inity)?|undefined|null)(?=[;:A-Za-z~])"
"""What some terminals write where a number belongs."""
_PARAMETERS = rf"(?:[ -?]|{_NO_NUMBER})*"
_SEQUENCE = re.compile(
    r"\x1b\[(?:"
    r"\[[A-E]"  # the Linux console's function keys
    r"|<[^\x00-\x1fMm]{0,64}[Mm]"  # the mouse, whatever it says of itself
    rf"|(?!<){_PARAMETERS}(?<!\[)M|M[^\x1b]{{3}}"  # older forms of the same
    rf"|(?!<){_PARAMETERS}[@-LO-Z\\-~])"
)
_OPEN_SEQUENCE = re.compile(
    r"\x1b(?:O|[\]P]|\[(?:\[|M[^\x1b]{0,2}|<[^\x00-\x1fMm]{0,64}"
    rf"|(?!<){_PARAMETERS}(?:N|Na|NaN)?)?)?\Z"
)
_STRING = re.compile(r"\x1b[\]P_^X][^\x00-\x1f\x9c]*(?:\x07|\x1b\\|\x9c)")
_OPEN_STRING = re.compile(r"\x1b[\]P_^X][^\x00-\x1f\x9c]*\x1b?\Z")
_PRINTABLE = re.compile(r"[^\x00-\x1f\x7f]*")
_KEY = re.compile(r"\x1b(?:O[^\x1b]|[^\x1b])?", re.DOTALL)
_MACHINE_MADE = re.compile(r"\x1b(?:\[[0-?M]|\]\d|P[!$+0-9;<=>?]|[_^][ -~])")
"""How sequences begin that nobody types, however fast."""

_EXTENDED_KEY = re.compile(r"\x1b\[([\d:]*)(?:;([\d:]*))?(?:;([\d:]*))?([u~A-FHPQRS])")
_PASTE = frozenset({"200~", "201~"})
_OTHER_KEYS = "27"
"""The number that xterm's modifyOtherKeys puts in front of a modifier and a character."""
_CONTROL_KEYS = frozenset({"9", "13", "27", "127"})
_EVENTS = frozenset({"", "1", "2"})
"""A key is pressed, or repeats."""
_MOST_MODIFIERS = 512
_MOST_DIGITS = 7
_MOST_READ = 32
"""Characters of a sequence that Textual reads."""


class Kind(Enum):
    """What a piece of input is."""

    TEXT = auto()
    KEY = auto()
    """A key that begins with an escape character, or a control sequence that may be one."""
    REPORT = auto()
    """Complete, and nobody pressed it."""
    BROKEN = auto()
    """The beginning of a report, up to a character that no report has."""
    OPEN = auto()
    """The beginning of something longer."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of input."""

    kind: Kind
    text: str

    @property
    def is_machine_made(self) -> bool:
        """Whether no hand can have typed its beginning."""
        return _MACHINE_MADE.match(self.text) is not None


def split(data: str) -> Iterator[Piece]:
    """Take input apart. What is OPEN comes last."""
    start = 0
    while start < len(data):
        escape = data.find("\x1b", start)
        if escape != start:
            stop = len(data) if escape < 0 else escape
            yield Piece(Kind.TEXT, data[start:stop])
        else:
            piece = _first(data[start:])
            yield piece
            stop = start + len(piece.text)
        start = stop


def _first(data: str) -> Piece:
    """Read what an escape character begins."""
    if string := _STRING.match(data):
        return Piece(Kind.REPORT, string[0])
    if sequence := _SEQUENCE.match(data):
        return Piece(Kind.KEY, sequence[0])
    if data in ANSI_SEQUENCES_KEYS and data.endswith("$"):  # rxvt's; ECMA-48 has no such end
        return Piece(Kind.KEY, data)
    if _is_open(data):
        return Piece(Kind.OPEN, data)
    if cut := _MACHINE_MADE.match(data):
        printable = _PRINTABLE.match(data, cut.end())
        assert printable is not None
        return Piece(Kind.BROKEN, data[: printable.end()])
    key = _KEY.match(data)
    assert key is not None
    return Piece(Kind.KEY, key[0])


def _is_open(data: str) -> bool:
    if _OPEN_SEQUENCE.match(data):
        return True
    if not _OPEN_STRING.match(data):
        return False
    return data[1:2] == "X" or len(data) == 2 or _MACHINE_MADE.match(data) is not None


def key_sequence(sequence: str) -> str:
    """Write a sequence so that Textual reads it; "" for what is to be dropped.

    That is the release of a key, and what cannot be read. In kitty's protocol a number may have
    others behind colons: the key on other layouts, and whether the key was pressed (1), repeats
    (2) or was released (3).
    """
    if len(sequence) > _MOST_READ:
        return ""
    match = _EXTENDED_KEY.fullmatch(sequence)
    if match is None or sequence in ANSI_SEQUENCES_KEYS or sequence[2:] in _PASTE:
        return sequence
    number, modifiers, text = (match[group] or "" for group in (1, 2, 3))
    end = match[4]
    code = number.partition(":")[0]
    modifier, _, event = modifiers.partition(":")
    if event not in _EVENTS or (modifier and not 0 < _number(modifier) <= _MOST_MODIFIERS):
        return ""
    if not _is_key(code, end, text):
        return ""
    fields = ";".join([code, modifier, text]).rstrip(";")
    return f"\x1b[{fields}{end}"


def _is_key(code: str, end: str, text: str) -> bool:
    """Whether there is a key of this number."""
    if end == "~" and code == _OTHER_KEYS and text:
        return _is_character(text) or text in _CONTROL_KEYS
    if text and not all(map(_is_character, text.split(":"))):
        return False
    if f"{code or 1}{end}" in FUNCTIONAL_KEYS:
        return True
    if end == "u":
        return _is_character(code)
    return end == "R" and not text  # a place of the cursor, which Textual reads before any key


def _is_character(number: str) -> bool:
    """Whether a number is that of a character that shows, a space, or one of kitty's own keys."""
    code = _number(number)
    return 0x20 <= code <= 0x10FFFF and not 0x7F <= code < 0xA0 and not 0xD800 <= code < 0xE000


def _number(digits: str) -> int:
    """Read a number; -1 for what is none, or too long for one."""
    return int(digits) if digits.isdecimal() and len(digits) <= _MOST_DIGITS else -1
