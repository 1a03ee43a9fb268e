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
_FILE = re.compile(r"(diff --git |index [0-9a-f]+\.\.|Index: |={20,}$)")
_HUNK = re.compile(r"@@.*?(@@|$)")
_COUNTS = re.compile(r"@@ -\d+(?:,(?P<old>\d+))? \+\d+(?:,(?P<new>\d+))? @@")
"""The numbers of lines that a hunk says it has."""
_NAME = re.compile(r"(?:---|\+\+\+) \S*[./]\S*(?:\t.*)?")
"""A path behind either sign; `--- old` may be the remark `-- old` that goes."""
_OLD = "--- "
_NEW = "+++ "


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
    heads = headings_of(diff)
    for row, line in enumerate(diff):
        if _HUNK.match(line):
            hunks.append([])
        elif row in heads or _is_outside(line) or (not hunks[-1] and _is_above(line)):
            continue
        elif line[:1] in ("+", "-", " "):
            hunks[-1].append(line)
        else:
            hunks[-1].append(f" {line}")
    return list(filter(_changes_lines, hunks))


def headings_of(diff: Sequence[str]) -> set[int]:
    """The rows of a diff that are `--- file` or `+++ file`, and no lines of a hunk.

    Below `@@ -1,2 +1,2 @@` the numbers tell which lines belong to the hunk, so that `--- x` may
    remove the line `-- x`. Where the numbers are wrong, or missing, both signs in a row and a hunk
    below them are a heading.
    """
    heads = set[int]()
    old = new = 0
    in_hunk = False
    for row, line in enumerate(diff):
        if row in heads:
            continue
        if _HUNK.match(line):
            in_hunk = True
            old, new = _counted(line)
        elif _is_pair(diff, row) and not (in_hunk and _belongs(diff, row, old, new)):
            heads |= {row, row + 1}
            in_hunk = False
        elif not in_hunk and _is_lone_heading(diff, row):
            heads.add(row)
        else:
            old -= _is_old(line)
            new -= _is_new(line)
    return heads


def _counted(heading: str) -> tuple[int, int]:
    """The numbers of old and new lines that the heading of a hunk tells; 0 where it tells none."""
    counts = _COUNTS.match(heading)
    if counts is None:
        return 0, 0
    return int(counts["old"] or 1), int(counts["new"] or 1)


def _belongs(diff: Sequence[str], row: int, old: int, new: int) -> bool:
    """Whether `--- x` and `+++ y` are lines of the hunk above.

    Args:
        diff: The diff.
        row: The row of the first of both.
        old: How many old lines the hunk lacks.
        new: How many new lines it lacks.
    """
    # Where the next hunk begins below them, they must be all that this one lacks.
    if _begins_hunk(diff, row + 2):
        return old == new == 1
    return (old > 0 and new > 0) or not _NAME.fullmatch(diff[row])


def _is_old(line: str) -> bool:
    """Whether a line of a hunk counts as an old line."""
    return not line.startswith(("+", "\\"))


def _is_new(line: str) -> bool:
    """Whether a line of a hunk counts as a new line."""
    return not line.startswith(("-", "\\"))


def _is_pair(diff: Sequence[str], row: int) -> bool:
    """Whether `--- x` and `+++ y` stand in a row."""
    return diff[row].startswith(_OLD) and any(
        line.startswith(_NEW) for line in diff[row + 1 : row + 2]
    )


def _is_lone_heading(diff: Sequence[str], row: int) -> bool:
    """Whether one of both signs stands alone above a hunk, or with a path."""
    if not diff[row].startswith((_OLD, _NEW)):
        return False
    return _begins_hunk(diff, row + 1) or _NAME.fullmatch(diff[row]) is not None


def _begins_hunk(diff: Sequence[str], row: int) -> bool:
    return any(map(_HUNK.match, diff[row : row + 1]))


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
