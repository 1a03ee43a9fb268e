"""Find characters in added lines that are not what they look like.

`suspects` lists hidden characters, control characters, characters that turn the direction of text,
and names that look like other names. A character that the removed lines had as often is not new and
is not listed, unless it turns the direction.

`is_needed` excludes the invisible characters that the letters beside them need to be written right.
Only the script of the letters around decides: beside letters of other scripts, at the edge of a
text, or doubled, the same character hides something.

Source: "Trojan Source" (Boucher and Anderson, 2021); Unicode Technical Standards 39 and 55; Unicode
Standard Annex 31, 2.3 and 2.5; RFC 5892, A.1 and A.2; The Unicode Standard, chapters 9 (marks of
direction), 13 (Mongolian), 16 (Thai, Lao, Khmer, Myanmar) and 23 (variation selectors).
"""

import builtins
import keyword
import re  # noqa: TID251 - reads source code
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

# zero width non-joiner, zero width joiner
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
"""Scripts in which the form of a letter depends on its neighbors, and a joiner changes it."""
_VIRAMA = 9
"""The combining class of the sign that joins two consonants."""

# Arabic letter mark, left-to-right mark, right-to-left mark
_DIRECTION_MARKS = "\u061c\u200e\u200f"
_LEFT_TO_RIGHT = "\u200e"
# bidirectional classes of letters written from right to left: Hebrew and others, Arabic
_TO_LEFT = frozenset({"R", "AL"})
_REACH = 16
"""The most digits, spaces and punctuation between a mark of direction and a letter."""
_LONGEST_NAME = 24
"""The most letters of a foreign name whose punctuation a mark keeps beside it."""

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
# the free variation selectors
_FORMS_OF_MONGOLIAN = "\u180b\u180c\u180d\u180f"
# three standardized variants, and the ideographic variation selectors
_FORMS_OF_HAN = (range(0xFE00, 0xFE03), range(0xE0100, 0xE01F0))
_MOST_MARKS = 4
"""The most combining marks between a letter and the character that is judged."""


def is_needed(line: str, index: int) -> bool:
    """Whether the letters around a character that does not show need the character."""
    # the cases by what the character does: turn text, join, divide, widen, or pick a form
    char = line[index]
    if char in _DIRECTION_MARKS:
        return _is_beside_right_to_left(line, index)
    if char in _JOINERS:
        return _joins(line, index)
    if char in _BETWEEN_LETTERS:
        scripts = _BETWEEN_LETTERS[char]
        return all(_is_of(letter, scripts) for letter in _letters_around(line, index))
    if char in _BESIDE_LETTERS:
        return _is_beside(line, index, _BESIDE_LETTERS[char])
    return _picks_form(line[max(index - 1, 0) : index], char)


def script_of(char: str) -> str:
    """The script of a letter, as the first word of the letter's name."""
    return unicodedata.name(char, "UNKNOWN").split(" ", 1)[0]


def _picks_form(letter: str, char: str) -> bool:
    """Whether a character picks one of several forms of the letter before."""
    if not letter.isalpha():
        return False
    if char in _FORMS_OF_MONGOLIAN:
        return _is_of(letter, _MONGOLIAN)
    return any(ord(char) in forms for forms in _FORMS_OF_HAN) and _is_of(letter, _HAN)


def _joins(line: str, index: int) -> bool:
    """Whether a joiner stands behind a virama, or between letters of one script that joins."""
    before, after = _letters_around(line, index)
    if not _is_of(before, _JOINED_SCRIPTS):
        return False
    if unicodedata.combining(line[index - 1]) == _VIRAMA:
        return True
    return after != "" and script_of(after) == script_of(before)


def _is_beside_right_to_left(line: str, index: int) -> bool:
    """Whether a mark of direction stands near a letter that is written from right to left.

    The nearest letter on one side is such a letter; or a mark to the right keeps the punctuation of
    a foreign name (`C#`) beside the name, and such a letter stands before the name. Within a word
    of such letters, a mark to the right would turn them round, so it is not needed there.
    """
    # both sides are read away from the mark, so the text before is reversed
    before = line[max(index - _REACH, 0) : index][::-1]
    after = line[index + 1 : index + 1 + _REACH]
    beside = (before[:1], after[:1])
    # a doubled mark is never needed
    if any(char and char in _DIRECTION_MARKS for char in beside):
        return False
    if line[index] == _LEFT_TO_RIGHT and all(map(_is_to_left, beside)):
        return False
    if line[index] == _LEFT_TO_RIGHT and not before[:1].isalnum():
        # backwards: the punctuation of the name, then the name itself, then what stands before it
        name = line[max(index - _REACH - _LONGEST_NAME, 0) : index][::-1].lstrip(string.punctuation)
        before = name.lstrip(string.ascii_letters + string.digits) or before
    return any(_is_to_left(_first_strong(text)) for text in (before, after))


def _first_strong(text: str) -> str:
    """The first character of a text that has a direction; "" if a hidden one comes before."""
    for char in text:
        if unicodedata.category(char) == "Cf":
            return ""
        if unicodedata.bidirectional(char) in {"L", *_TO_LEFT}:
            return char
    return ""


def _is_to_left(char: str) -> bool:
    return char != "" and unicodedata.bidirectional(char) in _TO_LEFT


def _is_beside(line: str, index: int, scripts: frozenset[str]) -> bool:
    """Whether one neighbor is a letter of some scripts, and the other such a letter or a sign.

    A sign is a number, punctuation or a symbol: something that shows.
    """
    letters = _letters_around(line, index)
    neighbors = (line[max(index - 1, 0) : index], line[index + 1 : index + 2])
    for letter, neighbor in zip(letters, neighbors, strict=True):
        shows = neighbor != "" and unicodedata.category(neighbor)[0] in "NPS"
        if not (_is_of(letter, scripts) or (not letter and shows)):
            return False
    return any(letters)


def _is_of(letter: str, scripts: frozenset[str]) -> bool:
    return letter != "" and script_of(letter) in scripts


def _letters_around(line: str, index: int) -> tuple[str, str]:
    """The letters right before and right behind a character, "" where there is none."""
    before = line[max(index - _MOST_MARKS, 0) : index][::-1]
    return _letter(before), _letter(line[index + 1 : index + 1 + _MOST_MARKS])


def _letter(text: str) -> str:
    """The letter that a text begins with, behind its marks; "" where there is none."""
    for char in text:
        if not unicodedata.category(char).startswith("M"):
            return char if char.isalpha() else ""
    return ""


MOST = 200
"""The most characters, and the most names, of one hunk that are listed."""

LONGEST = 10_000
"""The most characters of a line that are examined."""

# Nearly all lines are ASCII, and none of the rules below look at those. Undecodable bytes are
# surrogates, which are no characters of a foreign script.
_ODD = re.compile(r"[^\t\n\x20-\x7e]")
_FOREIGN = re.compile(r"[^\x00-\x7f\udc80-\udcff]")
_WORD = re.compile(r"[^\W\d][\w\u0300-\u036f]*")
# zero width joiner and emoji presentation, which make one emoji of several characters
_EMOJI_PARTS = "\u200d\ufe0f"
_BIDI = {"LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI"}
_KINDS = {
    "Cc": "control character",
    "Zs": "unusual space",
    "Co": "private character",
    "Cn": "unassigned character",
}
# invisible copies of ASCII, in which a whole message can be hidden
_TAGS = range(0xE0000, 0xE0080)
_TOGETHER = {"LATIN", "CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "BOPOMOFO", "HANGUL"}
"""Scripts that are written together and look nothing alike."""
_BUILT_IN = frozenset([*dir(builtins), *keyword.kwlist, *keyword.softkwlist, "self", "cls"])

# each letter of the first text looks like the letter at the same place in the second one
_LOOKALIKES = str.maketrans(
    "аеорсухіјѕһԁԛԝѵӏгкАВЕКМНОРСТУХІЈЅԌԜѴҮӀ"  # Cyrillic
    "αορνικυγτωϲϳηΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹϒ"  # Greek
    "օսհզոցքԼՏՍՕ"  # Armenian
    "ᎪᏴᏟᎠᎬᏀᎻᎥᎫᏦᏞᎷᏢᏒᏚᎢᏙᎳᏃ"  # Cherokee
    "ɡɑıɩȷʟǀ",  # Latin
    "aeopcyxijshdqwvlrkABEKMHOPCTYXIJSGWVYIaopviкuytwcjnABEZH"
    "IKMNOPTYXCYouhqngpLSUOABCDEGHiJKLMPRSTVWZgaiijLl",
)


@dataclass(frozen=True, slots=True)
class Suspect:
    """Characters [start, stop) of a line that are not what they look like.

    Args:
        line: 0-based, among the new lines of the hunk.
        start, stop: Offsets in the line.
        what: The suspicion, in words.
    """

    line: int
    start: int
    stop: int
    what: str


def suspects(base: Text, hunk: Hunk) -> tuple[Suspect, ...]:
    """The suspects in the lines that a hunk adds to a file, from top to bottom."""
    # Headings are written by spark, and not examined. They are emptied rather than left out, so
    # that line numbers stay.
    whole: list[str] = []
    for line in hunk.new_lines:
        whole.append("" if is_heading(line) else line)
    if not any(map(_ODD.search, whole)):
        return ()
    new = [line[:LONGEST] for line in whole]
    listed = [
        *islice(_new_characters(hunk, new), MOST),
        *islice(_names(base, hunk, new), MOST),
        *_unexamined(whole),
    ]
    if any(map(undecodable, base.raw)):
        listed += _wrongly_encoded(hunk, new)
    return tuple(sorted(listed, key=lambda suspect: (suspect.line, suspect.start)))


def _new_characters(hunk: Hunk, new: Sequence[str]) -> Iterator[Suspect]:
    """The odd characters that `new` has more often than the old lines, or that turn text."""
    # A character that only moved within the hunk is not new. One that turns text may turn other
    # text at its new place, and is always told.
    known = Counter("".join(hunk.old_lines))
    added = Counter("".join(new))
    for number, line in enumerate(new):
        for start, description in _characters(line):
            char = line[start]
            if added[char] > known[char] or _turns(char):
                yield Suspect(number, start, start + 1, description)


def _unexamined(lines: Sequence[str]) -> Iterator[Suspect]:
    """The ends of very long lines that hold odd characters."""
    for number, line in enumerate(lines):
        if _ODD.search(line, LONGEST):
            warned = f"only {LONGEST:,} of {len(line):,} characters were looked at"
            yield Suspect(number, LONGEST, len(line), warned)


def _wrongly_encoded(hunk: Hunk, new: Sequence[str]) -> Iterator[Suspect]:
    """The first foreign character of each new line of a file that is not UTF-8."""
    for number, line in enumerate(new):
        if line in hunk.old_lines:
            continue
        if place := _FOREIGN.search(line):
            warned = f"{_named(place[0])} is written as UTF-8, which this file is not"
            yield Suspect(number, place.start(), place.end(), warned)


def _characters(line: str) -> Iterator[tuple[int, str]]:
    """The offset and a description of each character that does not show as itself."""
    for match in _ODD.finditer(line):
        start = match.start()
        char = match[0]
        if is_plain(char) or is_needed(line, start):
            continue
        if char in _EMOJI_PARTS and _ends_emoji(line[max(start - 3, 0) : start]):
            continue
        yield start, _described(char)


def _ends_emoji(before: str) -> bool:
    """Whether an emoji ends here, which a joiner or a variation selector may follow."""
    # a symbol, or the modifier of a skin color, with one part behind it at most
    symbols = before.rstrip(_EMOJI_PARTS)
    if not symbols or len(before) - len(symbols) > 1:
        return False
    return unicodedata.category(symbols[-1]) in "SoSk"


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
    """The number and name of the first character of a word that is not plain."""
    char = next(char for char in word if not (char.isascii() and char.isprintable()))
    return f"U+{ord(char):04X} {unicodedata.name(char, '')}".rstrip()


def _names(base: Text, hunk: Hunk, new: Sequence[str]) -> Iterator[Suspect]:
    """The names in the `new` lines of a hunk that the old lines lack and that pass for others."""
    words = set(filter(_is_foreign, _words(new))) - set(_words(hunk.old_lines))
    if not words:
        return
    # only now, as this reads the whole file
    others = _others(base.lines, new)
    for number, line in enumerate(new):
        # A line in which some words are surely of another language, such as a comment in Russian,
        # holds short words that happen to look like plain ones.
        foreign = [match for match in _WORD.finditer(line) if _is_foreign(match[0])]
        disguised = all(skeleton(match[0]).isascii() for match in foreign)
        for match in foreign:
            word = match[0]
            if word not in words:
                continue
            if pretence := _pretence(word, others, disguised=disguised):
                warned = f"{word} with {_named(word)} {pretence}"
                yield Suspect(number, match.start(), match.end(), warned)


def _words(lines: Sequence[str]) -> list[str]:
    return _WORD.findall("\n".join(lines))


def _is_foreign(word: str) -> bool:
    return not word.isascii() and word.isidentifier()


def _others(*texts: Sequence[str]) -> dict[str, set[str]]:
    """The names of texts, and of Python, by their skeletons."""
    names = set(_BUILT_IN)
    for lines in texts:
        names.update(_words(lines))
    others: dict[str, set[str]] = {}
    for name in names:
        others.setdefault(skeleton(name), set()).add(name)
    return others


def _pretence(word: str, others: dict[str, set[str]], *, disguised: bool) -> str:
    """What a name pretends to be, or "".

    Args:
        word: The name.
        others: All names, by their skeletons.
        disguised: Whether all foreign words of the line look like plain ones.
    """
    # Python itself reads names in this form, so two spellings may be one name
    normal = unicodedata.normalize("NFKC", word)
    if normal != word:
        return f"is read as {normal}"
    looks = skeleton(word)
    if alike := sorted(others.get(looks, set()) - {word}):
        return f"looks like {alike[0]}"
    if _mixes(word):
        return "mixes scripts"
    if disguised and looks.isascii():
        return f"looks like {looks}"
    return ""


def _mixes(word: str) -> bool:
    """Whether a word mixes letters of scripts that may be taken for one another."""
    letters = [char for char in word if char.isalpha()]
    scripts = {script_of(char) for char in letters}
    if len(scripts) < 2 or scripts <= _TOGETHER:
        return False
    # Latin letters beside those of one other script are common ("Δx"): then only letters that
    # look like Latin ones count.
    if len(scripts - {"LATIN"}) > 1:
        return True
    return any(script_of(char) != "LATIN" and skeleton(char).isascii() for char in letters)


def skeleton(word: str) -> str:
    """A word with each letter replaced by the plain one it looks like.

    Words that look alike have equal skeletons.
    """
    if word.isascii():
        return word
    # taken apart, so that the letter below an accent is replaced, too
    plain = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", word))
    return plain.translate(_LOOKALIKES)


def warning(suspicions: Iterable[Suspect], first_line: int) -> str:
    """One line about the suspects of a hunk, or "".

    Args:
        first_line: The number of the first new line of the hunk (1-based).
    """
    words: list[str] = []
    for suspect in suspicions:
        line = first_line + suspect.line
        words.append(f"{suspect.what} (line {line}, column {suspect.start + 1})")
    shown = "; ".join(words[:2])
    if len(words) > 2:
        shown += f"; and {len(words) - 2} more"
    return shown
