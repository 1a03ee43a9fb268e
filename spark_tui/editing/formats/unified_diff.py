"""A diff that a model answers with where all lines, or blocks, were asked for.

Line numbers of such diffs are mostly wrong, so its hunks go where their lines stand. Patches in the
form that OpenAI's models write (`*** Begin Patch`) are read, too.
"""

import re
from collections.abc import Sequence

from spark_tui.editing.formats.white_space import Keys

DIFF_NAMES = frozenset({"diff", "patch", "udiff"})
"""What a fence around a diff is called."""
_FRAME = re.compile(r"\*\*\* (?:Begin Patch|End Patch|End of File|Update File: )")
"""What stands around the hunks of a patch of OpenAI's models."""
_HEADING = re.compile(
    rf"(diff --git |index [0-9a-f]+\.\.|--- \S|\+\+\+ \S|@@ ?|Index: |{_FRAME.pattern})",
)
_FILE = re.compile(r"(diff --git |index [0-9a-f]+\.\.|--- \S|\+\+\+ \S|Index: |={20,}$)")
_HUNK = re.compile(r"@@.*?(@@|$)")


def begins_diff(line: str, old: Sequence[str]) -> bool:
    """Whether a line begins a diff, where none of the old lines looks so."""
    return _HEADING.match(line) is not None and not any(map(_HEADING.match, old))


def is_diff(lines: Sequence[str], old: Sequence[str], info: str = "") -> bool:
    """Whether an answer is a diff of old lines that are none themselves.

    Args:
        info: What its fence is called.
    """
    if any(map(_HUNK.match, old)) or not any(line.startswith(("+", "-")) for line in lines):
        return False
    solid = [line for line in lines if line.strip()]
    if info.lower() in DIFF_NAMES or any(map(_HUNK.match, lines)):
        return info.lower() in DIFF_NAMES or _HEADING.match(solid[0]) is not None
    known = set(old)
    if not all(line.startswith(("+", "-", " ")) for line in solid) or known & set(solid):
        return False
    gone = [line[1:] for line in solid if line.startswith("-")]
    return bool(gone) and all(line in known for line in gone)


def patched(old: Sequence[str], diff: Sequence[str]) -> list[str] | None:
    """Old lines with a diff applied; None where a hunk fits nowhere, or in several places."""
    lines = list(old)
    start = 0
    for written in hunks_of(diff):
        hunk = _without_end(written, lines, start)
        gone = _gone(hunk)
        places = _places(lines, gone, start)
        if not gone or len(places) != 1:
            return None
        at = places[0]
        made = list[str]()
        for line in hunk:
            if line[0] == "+":
                made.append(line[1:])
                continue
            if line[0] == " ":
                made.append(lines[at])
            at += 1
        lines[places[0] : at] = made
        start = places[0] + len(made)
    return lines


def _without_end(hunk: list[str], lines: Sequence[str], start: int) -> list[str]:
    """A hunk without empty lines at its end, as far as they are in the way."""
    while hunk and not hunk[-1].strip() and not _places(lines, _gone(hunk), start):
        hunk = hunk[:-1]
    return hunk


def _gone(hunk: Sequence[str]) -> list[str]:
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
        elif _is_outside(line) or (not hunks[-1] and (_FILE.match(line) or not line)):
            continue
        elif line[:1] in ("+", "-", " "):
            hunks[-1].append(line)
        else:
            hunks[-1].append(f" {line}")
    return [hunk for hunk in hunks if any(line[0] in "+-" for line in hunk)]


def _is_outside(line: str) -> bool:
    """Whether a line is about a diff, and none of its lines."""
    return line.startswith("\\") or _FRAME.match(line) is not None


def _places(lines: Sequence[str], wanted: Sequence[str], start: int) -> list[int]:
    key_of = Keys(lines).of
    keys = [key_of(line) for line in lines]
    looked_for = [key_of(line) for line in wanted]
    stop = len(keys) - len(wanted) + 1
    count = len(wanted)
    return [at for at in range(start, stop) if keys[at : at + count] == looked_for]
