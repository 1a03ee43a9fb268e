"""Characters that do not show and that the letters beside them need to be written right.

Whether one is needed is told by the script of the letters around it, and by nothing else: beside
letters of other scripts, at the edge of a text or doubled, the same character hides something.

Source: Unicode Standard Annex 31, 2.3 and 2.5; Unicode Technical Standards 39 and 55; RFC 5892,
A.1 and A.2; The Unicode Standard, chapters 9 (marks of direction), 13 (Mongolian), 16 (Thai, Lao,
Khmer, Myanmar) and 23 (variation selectors).
"""

import string
import unicodedata

_JOINERS = "\u200c\u200d"
_JOINED_SCRIPTS = frozenset(
    [
        "ADLAM",
        "ARABIC",
        "BENGALI",
        "DEVANAGARI",
        "GUJARATI",
        "GURMUKHI",
        "KANNADA",
        "KHMER",
        "MALAYALAM",
        "MANDAIC",
        "MONGOLIAN",
        "MYANMAR",
        "NKO",
        "ORIYA",
        "PHAGS-PA",
        "SINHALA",
        "SYRIAC",
        "TAMIL",
        "TELUGU",
        "TIBETAN",
    ]
)
"""Scripts whose letters take other forms beside each other, which a joiner changes."""
_VIRAMA = 9
"""The combining class of the sign that joins two consonants."""

_DIRECTION_MARKS = "\u061c\u200e\u200f"
_LEFT_TO_RIGHT = "\u200e"
_TO_LEFT = frozenset({"R", "AL"})
_REACH = 16
"""Digits, spaces and punctuation that may stand between a mark of direction and a letter."""
_LONGEST_NAME = 24
"""Letters of a foreign name whose punctuation a mark keeps beside it."""

_UNSPACED_SCRIPTS = frozenset(
    ["BALINESE", "JAVANESE", "KHMER", "LAO", "MYANMAR", "NEW", "SUNDANESE", "TAI", "THAI"],
)
"""Scripts without spaces between words, by the first word of the names of their letters."""
_EAST_ASIAN_SCRIPTS = frozenset(["BOPOMOFO", "CJK", "HANGUL", "HIRAGANA", "KATAKANA"])
_MONGOLIAN = frozenset(["MONGOLIAN"])
_HAN = frozenset(["CJK"])
_BETWEEN_LETTERS = {
    "\u180e": _MONGOLIAN,  # before a vowel that stands apart
    "\u202f": _MONGOLIAN,  # before a suffix
}
_BESIDE_LETTERS = {
    "\u200b": _UNSPACED_SCRIPTS,  # where a line may break
    "\u3000": _EAST_ASIAN_SCRIPTS,  # a space as wide as a letter
}
_FORMS_OF_MONGOLIAN = "\u180b\u180c\u180d\u180f"
_FORMS_OF_HAN = (range(0xFE00, 0xFE03), range(0xE0100, 0xE01F0))
_MOST_MARKS = 4
"""Marks of one letter that are looked behind."""


def is_needed(line: str, at: int) -> bool:
    """Whether the letters around a character that does not show need the character."""
    char = line[at]
    if char in _DIRECTION_MARKS:
        return _is_beside_right_to_left(line, at)
    if char in _JOINERS:
        return _joins(line, at)
    if char in _BETWEEN_LETTERS:
        scripts = _BETWEEN_LETTERS[char]
        return all(_is_of(letter, scripts) for letter in _letters_around(line, at))
    if char in _BESIDE_LETTERS:
        return _is_beside(line, at, _BESIDE_LETTERS[char])
    return _picks_form(line[max(at - 1, 0) : at], char)


def script_of(char: str) -> str:
    """The script of a letter, as the first word of the letter's name."""
    return unicodedata.name(char, "UNKNOWN").split(" ", 1)[0]


def _picks_form(letter: str, char: str) -> bool:
    """Whether a character picks a form of the letter before, of which that script has several."""
    if not letter.isalpha():
        return False
    if char in _FORMS_OF_MONGOLIAN:
        return _is_of(letter, _MONGOLIAN)
    return any(ord(char) in forms for forms in _FORMS_OF_HAN) and _is_of(letter, _HAN)


def _joins(line: str, at: int) -> bool:
    """Whether a joiner stands behind a virama, or between letters of one script that joins."""
    before, after = _letters_around(line, at)
    if not _is_of(before, _JOINED_SCRIPTS):
        return False
    if unicodedata.combining(line[at - 1]) == _VIRAMA:
        return True
    return after != "" and script_of(after) == script_of(before)


def _is_beside_right_to_left(line: str, at: int) -> bool:
    """Whether the nearest letter on one side is written from right to left.

    Or else a mark to the right keeps the punctuation of a foreign name (`C#`) beside that name,
    before which such a letter stands. A mark to the right within a word of such letters would turn
    them round, so it is not needed there.
    """
    before = line[max(at - _REACH, 0) : at][::-1]
    after = line[at + 1 : at + 1 + _REACH]
    beside = (before[:1], after[:1])
    if any(char and char in _DIRECTION_MARKS for char in beside):
        return False
    if line[at] == _LEFT_TO_RIGHT and all(map(_is_to_left, beside)):
        return False
    if line[at] == _LEFT_TO_RIGHT and not before[:1].isalnum():
        name = line[max(at - _REACH - _LONGEST_NAME, 0) : at][::-1].lstrip(string.punctuation)
        before = name.lstrip(string.ascii_letters + string.digits) or before
    return any(_is_to_left(_first_strong(text)) for text in (before, after))


def _first_strong(text: str) -> str:
    """The first character of a text that has a direction; "" where one that hides comes before."""
    for char in text:
        if unicodedata.category(char) == "Cf":
            return ""
        if unicodedata.bidirectional(char) in {"L", *_TO_LEFT}:
            return char
    return ""


def _is_to_left(char: str) -> bool:
    return char != "" and unicodedata.bidirectional(char) in _TO_LEFT


def _is_beside(line: str, at: int, scripts: frozenset[str]) -> bool:
    """Whether one neighbor is a letter of some scripts, and the other is no letter of others."""
    letters = _letters_around(line, at)
    neighbors = (line[max(at - 1, 0) : at], line[at + 1 : at + 2])
    for letter, neighbor in zip(letters, neighbors, strict=True):
        shows = neighbor != "" and unicodedata.category(neighbor)[0] in "NPS"
        if not (_is_of(letter, scripts) or (not letter and shows)):
            return False
    return any(letters)


def _is_of(letter: str, scripts: frozenset[str]) -> bool:
    return letter != "" and script_of(letter) in scripts


def _letters_around(line: str, at: int) -> tuple[str, str]:
    """The letters right before and right behind a character, "" where there is none."""
    before = line[max(at - _MOST_MARKS, 0) : at][::-1]
    return _letter(before), _letter(line[at + 1 : at + 1 + _MOST_MARKS])


def _letter(text: str) -> str:
    """The letter that a text begins with, behind its marks; "" where there is none."""
    for char in text:
        if not unicodedata.category(char).startswith("M"):
            return char if char.isalpha() else ""
    return ""
