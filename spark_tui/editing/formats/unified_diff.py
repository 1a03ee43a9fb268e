"""Apply diffs from models that were asked for whole lines, or for blocks, instead.

The line numbers of such diffs are mostly wrong, so each hunk goes where its lines stand. Patches as
OpenAI's models write them (`*** Begin Patch`) are read, too.
"""

import re  # noqa: TID251 - reads an answer
from collections.abc import Iterable, Sequence

from spark_tui.editing.formats.white_space import LineKeys

DIFF_NAMES = frozenset({"diff", "patch", "udiff"})
"""The names of a fence around a diff."""
_FRAME = re.compile(r"\*\*\* (?:Begin Patch|End Patch|End of File|Update File: )")
"""The lines around the hunks in a patch of OpenAI's models."""
_HEADING = re.compile(
    rf"(diff --git |index [0-9a-f]+\.\.|--- \S|\+\+\+ \S|@@ ?|Index: |{_FRAME.pattern})",
)
_FILE = re.compile(r"(diff --git |index [0-9a-f]+\.\.|--- \S|\+\+\+ \S|Index: |={20,}$)")
_HUNK = re.compile(r"@@.*?(@@|$)")


def begins_diff(line: str, old: Sequence[str]) -> bool:
    """Whether a line begins a diff, and none of the old lines looks like that."""
    return _HEADING.match(line) is not None and not any(map(_HEADING.match, old))


def is_diff(lines: Sequence[str], old: Sequence[str], info: str = "") -> bool:
    """Whether an answer is a diff of old lines that are no diff themselves.

    Args:
        lines: The answer.
        old: The old lines.
        info: The name of the fence around the answer.
    """
    # a region that holds a diff itself, such as a patch file, is rewritten like any other
    if any(map(_HUNK.match, old)) or not any(line.startswith(("+", "-")) for line in lines):
        return False
    if info.lower() in DIFF_NAMES:
        return True
    solid = [line for line in lines if line.strip()]
    if any(map(_HUNK.match, lines)):
        return _HEADING.match(solid[0]) is not None
    # Without any heading, the lines themselves tell: each has a sign, none is a line of the region
    # as it is, and what is removed stands there.
    known = set(old)
    if not all(line.startswith(("+", "-", " ")) for line in solid) or known & set(solid):
        return False
    gone = [line[1:] for line in solid if line.startswith("-")]
    return bool(gone) and all(line in known for line in gone)


def patched(old: Sequence[str], diff: Sequence[str]) -> list[str] | None:
    """Old lines with a diff applied; None where a hunk fits nowhere, or in several places."""
    # Hunks come from top to bottom: each is searched for below the one before.
    lines = list(old)
    start = 0
    for written in hunks_of(diff):
        hunk = _without_end(written, lines, start)
        expected = _expected(hunk)
        places = _places(lines, expected, start)
        if not expected or len(places) != 1:
            return None
        place = places[0]
        row = place
        new = list[str]()
        for line in hunk:
            if line[0] == "+":
                new.append(line[1:])
                continue
            if line[0] == " ":
                new.append(lines[row])  # as the file has the line
            row += 1
        lines[place:row] = new
        start = place + len(new)
    return lines


def _without_end(hunk: list[str], lines: Sequence[str], start: int) -> list[str]:
    """A hunk without those empty lines at its end that keep it from fitting."""
    while hunk and not hunk[-1].strip() and not _places(lines, _expected(hunk), start):
        hunk = hunk[:-1]
    return hunk


def _expected(hunk: Sequence[str]) -> list[str]:
    """The lines that a hunk says are there."""
    return [line[1:] for line in hunk if line[0] in " -"]


def hunks_of(diff: Sequence[str]) -> list[list[str]]:
    """The hunks of a diff that change something, each line behind its sign.

    Models leave out the space before an empty line, and sometimes before any.
    """
    hunks: list[list[str]] = [[]]
    for line in diff:
        if _HUNK.match(line):
            hunks.append([])
        # `--- a/file` begins a file only above a hunk; within one it removes the line `-- a/file`
        elif _is_outside(line) or (not hunks[-1] and _is_above(line)):
            continue
        elif line[:1] in ("+", "-", " "):
            hunks[-1].append(line)
        else:
            hunks[-1].append(f" {line}")
    return list(filter(_changes_lines, hunks))


def _changes_lines(hunk: Iterable[str]) -> bool:
    """Whether a hunk adds or removes a line; one of context alone says nothing."""
    return any(line[0] in "+-" for line in hunk)


def _is_above(line: str) -> bool:
    """Whether a line above a hunk belongs to a heading, or is empty."""
    return not line or _FILE.match(line) is not None


def _is_outside(line: str) -> bool:
    """Whether a line is about a diff rather than part of a hunk."""
    return line.startswith("\\") or _FRAME.match(line) is not None


def _places(lines: Sequence[str], wanted: Sequence[str], start: int) -> list[int]:
    """Where `wanted` stands in `lines`, from line `start` on."""
    key_of = LineKeys(lines).of
    keys = [key_of(line) for line in lines]
    wanted_keys = [key_of(line) for line in wanted]
    count = len(wanted)
    rows = range(start, len(keys) - count + 1)
    return [row for row in rows if keys[row : row + count] == wanted_keys]
