"""Slips of markup in docstrings and comments: directives and roles, ticks, blanks that lack or are too many, odd signs.

The words tell only that something is wrong ("typo in the docstring, should be versionadded::", "stray space before
the period"); what it is shows in the text.
"""

import re
from collections.abc import Iterator, Sequence

from spark_tui.editing.codemods.base import Ops, Request, between, parses
from spark_tui.editing.codemods.prose.prose import Prose, prose_meant
from spark_tui.editing.snippet import Snippet

_Slip = tuple[re.Pattern[str], re.Pattern[str], str]
_DIRECTIVE = r"(?:version\w+|deprecated|note|warning|seealso|code-block|rubric|math|todo)"
_SLIPS: tuple[_Slip, ...] = tuple(
    (re.compile(rf"(?i){cue}"), re.compile(wrong), right)
    for cue, wrong, right in (
        (r"direct|colon|::|typo|version|deprec|dots|space", rf"\.\. ?({_DIRECTIVE}):{{1,2}} ?(?=\S|$)", r".. \1:: "),
        (r"role|colon|space|typo|:class|link", r"(:\w+:) +(`)", r"\1\2"),
        (r"quot|tick|typo|:\w+:|sphinx", r"(:\w+:`[\w.~]+)'", r"\1`"),
        (r"tick|quot", r"`{3,}(?=\W|$)", "``"),
        (r"tick|quot", r"`{3,}", "``"),
        (r"space|blank|miss", r"(``[^`]+``)(?=[A-Za-z])", r"\1 "),
        (r"space|blank|miss", r"(?<=[A-Za-z])(``\w[^`]*``)", r" \1"),
        (r"space|blank", r" +([.,;:])(?=\s|$)", r"\1"),
        (r"space|blank|miss", r"(?<=[a-z])([.,;])(?=[A-Z][a-z])", r"\1 "),
        (r"dots|periods|full stops?|twice", r"(?<!\.)\.\.(?=\s|$)", "."),
        (r"dots|ellips", r"\.{4,}", "..."),
        (r"dash|hyphen|ascii|unicode|fancy", "[\u2014\u2013]", "--"),
        (r"dash|hyphen|ascii|unicode|fancy", "[\u2014\u2013]", "-"),
        (r"quot|ascii|straight|curly|fancy|typograph", "[\u201c\u201d]", '"'),
        (r"quot|ascii|straight|curly|fancy|apostroph|typograph", "[\u2018\u2019]", "'"),
        (r"arrow|ascii|unicode", "\u2192", "->"),
        (r"prompt|doctest|empty", r"^>>>\s*$", ""),
        (r"\bspaces?\b.*(?:=|equal|assign|example)|pep ?8", r"(?<=>>> )([\w.]+)=(?=[^=])", r"\1 = "),
    )
)
_MOST = 6


def markup_slips(before: Snippet, request: Request) -> Iterator[Ops]:
    """Every such repair that the words allow: everywhere, then on each line."""
    ways = [(wrong, right) for cue, wrong, right in _SLIPS if cue.search(request.instruction)]
    if not ways:
        return
    found = [one for one in prose_meant(before, request) if one.sort != "text"]
    seen: set[tuple[str, ...]] = set()
    for wrong, right in ways:
        for lines in _mended(before, found, wrong, right):
            if tuple(lines) not in seen and len(seen) < _MOST and parses(lines):
                seen.add(tuple(lines))
                yield between(before, lines)


def _mended(before: Snippet, found: Sequence[Prose], wrong: re.Pattern[str], right: str) -> Iterator[list[str]]:
    fresh = {}
    for one in found:
        content = before.lines[one.row][one.start : one.end]
        new = wrong.sub(right, content)
        if new != content:
            fresh[one.row] = before.lines[one.row][: one.start] + new.rstrip() + before.lines[one.row][one.end :]
    for rows in [list(fresh), *([row] for row in fresh if len(fresh) > 1)] if fresh else ():
        changed = [fresh[row] if row in rows else line for row, line in enumerate(before.lines)]
        yield [line for row, line in enumerate(changed) if line.strip() or not before.lines[row].strip()]
