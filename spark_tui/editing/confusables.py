"""Invisible characters and lookalikes in added lines.

Characters that do not show and that the letters beside them need to be written right.

Whether one is needed is told by the script of the letters around it, and by nothing else: beside
letters of other scripts, at the edge of a text or doubled, the same character hides something.

Source: Unicode Standard Annex 31, 2.3 and 2.5; Unicode Technical Standards 39 and 55; RFC 5892, A.1
and A.2; The Unicode Standard, chapters 9 (marks of direction), 13 (Mongolian), 16 (Thai, Lao,
Khmer, Myanmar) and 23 (variation selectors).

What in added lines is not what it looks like: hidden, direction-turning and control characters,
lookalike names.

After "Trojan Source" (Boucher and Anderson, 2021) and Unicode Technical Standard 39. What the lines
that go had as often is not new, and is not told again.
"""

import builtins
import keyword
import re
import string
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from spark_tui.editing.hunks import Hunk
from spark_tui.editing.line_diff import is_heading
from spark_tui.editing.text import Text, undecodable
from spark_tui.safe_text import is_plain

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


MOST = 200
"""How many characters, and how many names, of one hunk are told."""

LONGEST = 10_000
"""Characters of a line that are looked at."""

_ODD = re.compile(r"[^\t\n\x20-\x7e]")
_FOREIGN = re.compile(r"[^\x00-\x7f\udc80-\udcff]")
_WORD = re.compile(r"[^\W\d][\w\u0300-\u036f]*")
_EMOJI_PARTS = "\u200d\ufe0f"
_BIDI = {"LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI"}
_KINDS = {
    "Cc": "control character",
    "Zs": "unusual space",
    "Co": "private character",
    "Cn": "unassigned character",
}
_TAGS = range(0xE0000, 0xE0080)
_TOGETHER = {"LATIN", "CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "BOPOMOFO", "HANGUL"}
"""Scripts that are written together and look nothing alike."""
_BUILT_IN = frozenset([*dir(builtins), *keyword.kwlist, *keyword.softkwlist, "self", "cls"])

_LOOKALIKES = str.maketrans(
    "аеорсухіјѕһԁԛԝѵӏгкАВЕКМНОРСТУХІЈЅԌԜѴҮӀ"  # Cyrillic
    "αορνικυγτωϲϳηΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹϒ"  # Greek
    "օսհզոցքԼՏՍՕ"  # Armenian
    "ᎪᏴᏟᎠᎬᏀᎻᎥᎫᏦᏞᎷᏢᏒᏚᎢᏙᎳᏃ"  # Cherokee
    "ɡɑıɩȷʟǀ",  # Latin
    "aeopcyxijshdqwvlrkABEKMHOPCTYXIJSGWVYIaopviкuytwcjnABEZHIKMNOPTYXCYouhqngpLSUOABCDEGHiJKLMPRSTVWZgaiijLl",
)


@dataclass(frozen=True, slots=True)
class Suspect:
    """Something that is not what it looks like.

    Args:
        line: 0-based, among the hunk's new lines.
        start, stop: Offsets in that line.
        what: In words.
    """

    line: int
    start: int
    stop: int
    what: str


def suspects(base: Text, hunk: Hunk) -> tuple[Suspect, ...]:
    """What is suspicious in the lines that a hunk adds to a file, from top to bottom."""
    whole = tuple("" if is_heading(line) else line for line in hunk.new_lines)
    if not any(map(_ODD.search, whole)):
        return ()
    new = [line[:LONGEST] for line in whole]
    known = Counter("".join(hunk.old_lines))
    added = Counter("".join(new))
    found = (
        Suspect(at, start, start + 1, what)
        for at, line in enumerate(new)
        for start, what in _characters(line)
        if added[line[start]] > known[line[start]] or _turns(line[start])
    )
    told = [*islice(found, MOST), *islice(_names(base, hunk, new), MOST)]
    told += [
        Suspect(
            at, LONGEST, len(line), f"only {LONGEST:,} of {len(line):,} characters were looked at"
        )
        for at, line in enumerate(whole)
        if _ODD.search(line, LONGEST)
    ]
    if any(map(undecodable, base.raw)):
        told += [
            Suspect(
                at,
                place.start(),
                place.end(),
                f"{_named(place[0])} is written as UTF-8, which this file is not",
            )
            for at, line in enumerate(new)
            if line not in hunk.old_lines and (place := _FOREIGN.search(line))
        ]
    return tuple(sorted(told, key=lambda each: (each.line, each.start)))


def _characters(line: str) -> Iterator[tuple[int, str]]:
    """Every character that does not show as itself, and what it is."""
    for match in _ODD.finditer(line):
        at = match.start()
        char = match[0]
        if is_plain(char) or is_needed(line, at):
            continue
        if not (char in _EMOJI_PARTS and _ends_emoji(line[max(at - 3, 0) : at])):
            yield at, _described(char)


def _ends_emoji(before: str) -> bool:
    last = before.rstrip(_EMOJI_PARTS)[-1:]
    return (
        len(before) - len(before.rstrip(_EMOJI_PARTS)) < 2
        and last != ""
        and unicodedata.category(last) in "SoSk"
    )


def _turns(char: str) -> bool:
    return unicodedata.bidirectional(char) in _BIDI


def _described(char: str) -> str:
    kind = _KINDS.get(unicodedata.category(char), "invisible character")
    if _turns(char):
        kind = "changes the direction of text"
    elif ord(char) in _TAGS:
        kind = "invisible tag character"
    return f"{_named(char)}, {kind}"


def _named(word: str) -> str:
    """The first character of a word that is not a plain one, by number and name."""
    char = next(each for each in word if not (each.isascii() and each.isprintable()))
    return f"U+{ord(char):04X} {unicodedata.name(char, '')}".rstrip()


def _names(base: Text, hunk: Hunk, new: Sequence[str]) -> Iterator[Suspect]:
    """Names that a hunk brings into the file in its `new` lines and that pass for others."""
    words = {match[0] for line in new for match in _WORD.finditer(line) if _is_foreign(match[0])}
    words -= {match[0] for line in hunk.old_lines for match in _WORD.finditer(line)}
    others = _others(base.lines, new) if words else {}
    for at, line in enumerate(new):
        foreign = [match for match in _WORD.finditer(line) if _is_foreign(match[0])]
        disguised = all(skeleton(match[0]).isascii() for match in foreign)
        for match in foreign:
            if match[0] in words and (what := _pretence(match[0], others, disguised=disguised)):
                yield Suspect(
                    at, match.start(), match.end(), f"{match[0]} with {_named(match[0])} {what}"
                )


def _is_foreign(word: str) -> bool:
    return not word.isascii() and word.isidentifier()


def _others(*texts: Sequence[str]) -> dict[str, set[str]]:
    """The names of a file, and of Python, by what they look like."""
    names = {name for lines in texts for name in _WORD.findall("\n".join(lines))} | _BUILT_IN
    others: dict[str, set[str]] = {}
    for name in names:
        others.setdefault(skeleton(name), set()).add(name)
    return others


def _pretence(word: str, others: dict[str, set[str]], *, disguised: bool) -> str:
    """What a name pretends to be, or "".

    Args:
        disguised: All foreign words of its line look like plain ones.
    """
    normal = unicodedata.normalize("NFKC", word)
    looks = skeleton(word)
    if normal != word:
        return f"is read as {normal}"
    if alike := sorted(others.get(looks, set()) - {word}):
        return f"looks like {alike[0]}"
    if _mixes(word):
        return "mixes scripts"
    return f"looks like {looks}" if disguised and looks.isascii() else ""


def _mixes(word: str) -> bool:
    """Whether letters of scripts are mixed that may be taken for one another."""
    letters = [char for char in word if char.isalpha()]
    scripts = {script_of(char) for char in letters}
    if len(scripts) < 2 or scripts <= _TOGETHER:
        return False
    if len(scripts - {"LATIN"}) > 1:
        return True
    return any(script_of(char) != "LATIN" and skeleton(char).isascii() for char in letters)


def skeleton(word: str) -> str:
    """A word with every letter in the form of the plain one it looks like; equal for words that
    look alike.
    """
    if word.isascii():
        return word
    plain = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", word))
    return plain.translate(_LOOKALIKES)


def warning(found: Iterable[Suspect], first_line: int) -> str:
    """One line about a hunk's suspects, or "".

    Args:
        first_line: The number of the hunk's first new line (1-based).
    """
    words = [
        f"{each.what} (line {first_line + each.line}, column {each.start + 1})" for each in found
    ]
    more = f"; and {len(words) - 2} more" if len(words) > 2 else ""
    return "; ".join(words[:2]) + more
