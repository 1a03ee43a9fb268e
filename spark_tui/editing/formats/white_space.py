"""Undo what models change in lines that they copy: white space, punctuation and letters.

`LineKeys` tells which lines of an answer are lines of a file all the same. `Columns`, `Returns` and
`Indents` give the tabs, carriage returns and indentation of the file back.
"""

import re  # noqa: TID251 - reads characters as such
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher

_LONG_DASHES = "\u2012\u2013\u2014\u2015"
_PLAIN = {
    "'": "\u2018\u2019\u201a\u201b\u2032\u02bc",
    '"': "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb",
    " ": "\u00a0\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B))),
    "-": f"\u2010\u2011\u2212{_LONG_DASHES}",
    "...": "\u2026",
    "": "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufe0e\ufe0f\ufeff",
}
"""What models write (the keys) in place of punctuation and spaces that no keyboard has."""
_AS_PLAIN: dict[int, str] = {}
for _plain, _letters in _PLAIN.items():
    _AS_PLAIN |= dict.fromkeys(map(ord, _letters), _plain)
_DASH = re.compile(r"\s*-+\s*")
_COLUMN_GAP = re.compile(" {2,}")
_UNREADABLE = re.compile(r"[\udc80-\udcff]")
"""A byte of a file that is not UTF-8; models are shown U+FFFD in its place."""
_WIDEST = 8
"""The most spaces that stand for a tab."""


def key_of(line: str) -> str:
    """A key that is equal for lines that differ only at the end, in punctuation or composition."""
    line = line.rstrip()
    if line.isascii():
        return line
    # stripped again below: a no-break space at the end is a plain space only now
    plain = _UNREADABLE.sub("\ufffd", line).translate(_AS_PLAIN)
    return unicodedata.normalize("NFC", plain).rstrip()


class LineKeys:
    """Keys that are equal for lines of a file and of an answer, up to what models change.

    Beyond `key_of`, a dash of the file may come back as several hyphens or with spaces around, and
    tabs between columns may come back as spaces. Only lines with dashes or such tabs are compared
    so loosely: in other lines, `a - b` and `a-b` are not the same.

    Args:
        old: Lines of the file.
    """

    def __init__(self, old: Sequence[str]) -> None:
        self._loose = {_loose(key_of(line)) for line in old if _may_come_back_loose(line)}

    def of(self, line: str) -> str:
        """The key of a line, of the file or of the answer: equal for lines that are the same."""
        key = key_of(line)
        if not self._loose:
            return key
        loose_key = _loose(key)
        if loose_key in self._loose:
            return loose_key
        return key


def _may_come_back_loose(line: str) -> bool:
    return "\t" in line.strip() or any(dash in line for dash in _LONG_DASHES)


def _loose(key: str) -> str:
    """A key with one space between words and "-" for each dash; only the indentation stays."""
    text = " ".join(key.split())
    indent = key[: len(key) - len(key.lstrip())]
    return indent + _DASH.sub("-", text)


class Columns:
    """The tabs between the columns of a file, for new lines whose tabs came back as spaces.

    Args:
        old: Lines of the file. Lines that all have the same number of tabs have columns.
    """

    def __init__(self, old: Sequence[str]) -> None:
        solid = [line for line in old if line.strip()]
        counts = {line.count("\t") for line in solid}
        within = any("\t" in line.strip() for line in solid)
        self._tabs = 0
        if within and len(counts) == 1 and len(solid) > 1:
            self._tabs = counts.pop()

    def restored(self, line: str) -> str:
        """A line with tabs between its columns, where it has as many columns as the file."""
        if not self._tabs or "\t" in line:
            return line
        # Columns come back two spaces apart or more, or one space apart. With only two columns, one
        # space could stand between any two words.
        fields = _COLUMN_GAP.split(line)
        if len(fields) == 1 and self._tabs > 1:
            fields = line.split(" ")
        if len(fields) != self._tabs + 1:
            return line
        return "\t".join(fields)


class Returns:
    """Take the carriage returns away from an answer that ends its lines in CR LF. Mutable.

    Where lines of the region end in a carriage return of their own, the first line of the answer
    that is none of these lines tells how the answer ends its lines. One of these lines with another
    carriage return tells so for certain: fences and talk may end in another way than the code.

    Args:
        old: The region.
    """

    def __init__(self, old: Sequence[str]) -> None:
        self._own = frozenset(line for line in old if line.endswith("\r"))
        # whether carriage returns belong to the lines; None until a line tells
        self._kept: bool | None = None

    def stripped(self, line: str) -> str:
        """The next line of the answer, given without its line feed, as it is meant."""
        if line.removesuffix("\r") in self._own and line not in self._own:
            self._kept = False
        if self._kept is None and line in self._own:
            return line
        if self._kept is None:
            self._kept = bool(self._own) and not line.endswith("\r")
        if self._kept:
            return line
        return line.removesuffix("\r")


def with_returns(lines: Sequence[str], old: Sequence[str]) -> list[str]:
    """Lines with the carriage returns of those old lines that are equal but for them."""
    restored = list(lines)
    if not any(line.endswith("\r") for line in old):
        return restored
    before = [line.rstrip("\r") for line in old]
    after = [line.rstrip("\r") for line in lines]
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for start, place, count in matcher.get_matching_blocks():
        restored[place : place + count] = old[start : start + count]
    return restored


def without_added_returns(lines: Sequence[str], old: Sequence[str]) -> list[str]:
    """Lines with no more carriage returns at their ends than the old lines that they replace.

    A line that replaces none has no more than both of its neighbors.

    Args:
        lines: The new lines.
        old: The lines that they take the place of.
    """
    kept = list(lines)
    if not any(line.endswith("\r") for line in lines):
        return kept
    before = [line.rstrip("\r") for line in old]
    after = [line.rstrip("\r") for line in lines]
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for kind, start, stop, new_start, new_stop in matcher.get_opcodes():
        if kind == "equal":
            continue
        # Line by line where as many lines come as go. Else the limit is the most that an old line
        # has, or without old lines what both neighbors have.
        counts = [_count_returns(line) for line in old[start:stop]]
        if len(counts) != new_stop - new_start:
            around = [_count_returns(line) for line in old[max(start - 1, 0) : stop + 1]]
            most = max(counts) if counts else min(around, default=0)
            counts = [most] * (new_stop - new_start)
        for number, most in zip(range(new_start, new_stop), counts, strict=True):
            count = min(most, _count_returns(lines[number]))
            kept[number] = after[number] + "\r" * count
    return kept


def _count_returns(line: str) -> int:
    """How many carriage returns a line ends with."""
    return len(line) - len(line.rstrip("\r"))


def kind_of(line: str) -> str:
    """What a line is indented with: a space, a tab, or "" for no indentation."""
    if line.strip() and line[0] in (" ", "\t"):
        return line[0]
    return ""


class Indents:
    """How a file is indented, for lines of an answer that came back with spaces for tabs.

    Args:
        old: Lines of the file.
    """

    def __init__(self, old: Sequence[str]) -> None:
        self._old = frozenset(old)
        # the indented lines of the file by what stands on them
        self._there = {line.strip(): line for line in old if kind_of(line)}
        self._kinds = {kind_of(line) for line in self._there.values()}

    def swapped(self, line: str) -> bool:
        """Whether a line has spaces where the file has tabs, or tabs in place of its own spaces."""
        kind = kind_of(line)
        if not kind or line in self._old:
            return False
        # a lone space aligns something, as the stars of a C remark; two are an indentation
        if line.startswith("  ") and self._kinds == {"\t"}:
            return True
        there = self._there.get(line.strip(), "")
        return bool(there) and kind != kind_of(there)

    def restored(self, new: Sequence[str]) -> list[str]:
        """New lines as the file is indented; only where spaces and tabs were swapped."""
        swapped = [line for line in new if self.swapped(line)]
        if not swapped:
            return list(new)
        known = list(self._there.values())
        if self._kinds == {" "}:
            # a file without tabs takes none, not even in lines that are new altogether
            width = _width(swapped, known)
            return [_with_spaces(line, width) for line in new]
        # A file that mixes both tells for each line by itself, if the file has the line.
        width = _width(known, swapped)
        restored: list[str] = []
        for line in new:
            if not self.swapped(line):
                restored.append(line)
            elif self._kinds == {"\t"}:
                restored.append(_with_tabs(line, width))
            else:
                restored.append(self._there[line.strip()])
        return restored


def width_of_tab(tabbed: Sequence[str], spaced: Sequence[str]) -> int | None:
    """How many spaces stand for a tab, by the lines that are in both; None without such lines."""
    # the width that most lines agree on
    tabs = {line.strip(): _depth(line, "\t") for line in tabbed}
    widths = Counter[int]()
    for line in spaced:
        tab_count = tabs.get(line.strip(), 0)
        space_count = _depth(line, " ")
        if tab_count and space_count % tab_count == 0:
            widths[space_count // tab_count] += 1
    if not widths:
        return None
    (most_common, _), *_ = widths.most_common(1)
    return most_common


def _width(tabbed: Sequence[str], spaced: Sequence[str]) -> int:
    """How many spaces stand for a tab; without lines in both, the shallowest ones decide."""
    width = width_of_tab(tabbed, spaced)
    if width is None:
        least = min((_depth(line, " ") for line in spaced if line.startswith("  ")), default=4)
        shallow = min((_depth(line, "\t") for line in tabbed), default=1)
        width = least // max(shallow, 1)
    return max(1, min(width, _WIDEST))


def _with_tabs(line: str, width: int) -> str:
    # spaces that make no whole tab stay: they align
    count = _depth(line, " ")
    if not line.strip() or count < max(width, 2):
        return line
    return "\t" * (count // width) + " " * (count % width) + line[count:]


def _with_spaces(line: str, width: int) -> str:
    if not line.strip():
        return line
    count = _depth(line, "\t")
    return " " * (count * width) + line[count:]


def _depth(line: str, kind: str) -> int:
    """How many characters of a kind a line begins with."""
    return len(line) - len(line.lstrip(kind))


def is_indented_otherwise(file: Sequence[str], lines: Iterable[str]) -> bool:
    """Whether lines begin with tabs in a file that has spaces there, or with spaces for tabs.

    A file without an indented line, or with both, tells nothing.
    """
    known = _indent_signs(file)
    return len(known) == 1 and not _indent_signs(lines) <= known


def _indent_signs(lines: Iterable[str]) -> set[str]:
    """The signs that lines are indented by."""
    return {sign for line in lines for sign in line[: len(line) - len(line.lstrip(" \t"))]}
