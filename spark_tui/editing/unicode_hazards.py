"""What in added lines is not what it looks like: hidden, direction-turning and control characters, lookalike names.

After "Trojan Source" (Boucher and Anderson, 2021) and Unicode Technical Standard 39. What the lines that go had
as often is not new, and is not told again.
"""

import builtins
import keyword
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from spark_tui.editing.headings import is_heading
from spark_tui.editing.hunks import Hunk
from spark_tui.editing.script_marks import is_needed, script_of
from spark_tui.editing.text import Text, undecodable
from spark_tui.marks import is_plain

MOST = 200
"""How many characters, and how many names, of one hunk are told."""

LONGEST = 10_000
"""Characters of a line that are looked at."""

_ODD = re.compile(r"[^\t\n\x20-\x7e]")
_FOREIGN = re.compile(r"[^\x00-\x7f\udc80-\udcff]")
_WORD = re.compile(r"[^\W\d][\w\u0300-\u036f]*")
_EMOJI_PARTS = "\u200d\ufe0f"
_BIDI = {"LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI"}
_KINDS = {"Cc": "control character", "Zs": "unusual space", "Co": "private character", "Cn": "unassigned character"}
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

    Args: line: 0-based, among the hunk's new lines. start, stop: offsets in that line. what: in words.
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
        Suspect(at, LONGEST, len(line), f"only {LONGEST:,} of {len(line):,} characters were looked at")
        for at, line in enumerate(whole)
        if _ODD.search(line, LONGEST)
    ]
    if any(map(undecodable, base.raw)):
        told += [
            Suspect(at, place.start(), place.end(), f"{_named(place[0])} is written as UTF-8, which this file is not")
            for at, line in enumerate(new)
            if line not in hunk.old_lines and (place := _FOREIGN.search(line))
        ]
    return tuple(sorted(told, key=lambda each: (each.line, each.start)))


def _characters(line: str) -> Iterator[tuple[int, str]]:
    """Every character that does not show as itself, and what it is."""
    for match in _ODD.finditer(line):
        at, char = match.start(), match[0]
        if is_plain(char) or is_needed(line, at):
            continue
        if not (char in _EMOJI_PARTS and _ends_emoji(line[max(at - 3, 0) : at])):
            yield at, _described(char)


def _ends_emoji(before: str) -> bool:
    last = before.rstrip(_EMOJI_PARTS)[-1:]
    return len(before) - len(before.rstrip(_EMOJI_PARTS)) < 2 and last != "" and unicodedata.category(last) in "SoSk"


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
                yield Suspect(at, match.start(), match.end(), f"{match[0]} with {_named(match[0])} {what}")


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
    """What a name pretends to be, or "". Args: disguised: all foreign words of its line look like plain ones."""
    normal, looks = unicodedata.normalize("NFKC", word), skeleton(word)
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
    """A word with every letter in the form of the plain one it looks like; equal for words that look alike."""
    if word.isascii():
        return word
    plain = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", word))
    return plain.translate(_LOOKALIKES)


def warning(found: Iterable[Suspect], first_line: int) -> str:
    """One line about a hunk's suspects, or "". Args: first_line: the number of the hunk's first new line (1-based)."""
    words = [f"{each.what} (line {first_line + each.line}, column {each.start + 1})" for each in found]
    more = f"; and {len(words) - 2} more" if len(words) > 2 else ""
    return "; ".join(words[:2]) + more
