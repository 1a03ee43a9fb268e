"""What the rest of a file tells of a region, for whoever lists the edits of the region."""

import re
from collections.abc import Sequence

from spark_tui.context.regions import Region
from spark_tui.editing.codemods.statements.logging_words import logger_in
from spark_tui.editing.codemods.unused_import import unused_imports
from spark_tui.editing.snippet import Around, Snippet
from spark_tui.editing.stretches import MOST_READ
from spark_tui.session.rules.facts import FAULTS

_MAY_BE_UNUSED = re.compile(r"(?i)import|F401|\bneed|\b(?:un)?used\b|\b(?:clean|delete|dr[ou]p|get rid|remove|tidy)")
_IMPORT = re.compile(r"\s*(?:import|from)\s")


def around(lines: Sequence[str], region: Region, words: str) -> Around:
    """What is known of the rest of the file. Args: lines: of the file. words: what is asked of the region."""
    opens = region.start_line == 1 and region.path.endswith(".py")
    return Around(logger_in(lines), opens, _unused(lines, region) if _MAY_BE_UNUSED.search(words) else None)


def _unused(lines: Sequence[str], region: Region) -> frozenset[tuple[int, str]] | None:
    """The imports in a mere part of a file that nothing in all of it uses, where that can be told."""
    first, last = region.start_line, region.end_line
    here = any(_IMPORT.match(line) for line in lines[first - 1 : last])
    if not here or (first, last) == (1, len(lines)) or sum(map(len, lines)) > MOST_READ:
        return None
    try:
        found = unused_imports(Snippet(tuple(lines)))
    except FAULTS:
        return None
    return frozenset((one.node.lineno - first, one.bound) for one in found if first <= one.node.lineno <= last)
