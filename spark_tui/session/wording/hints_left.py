"""Which parameters got no hint where hints were asked for: their types show nowhere."""

import re
from collections.abc import Sequence

from spark_tui.editing.codemods.hints.hint_spots import bare_names
from spark_tui.editing.snippet import Snippet

_ALL = re.compile(r"(?i)\W*(?:please )?(?:add )?(?:the |some |missing )*type hints?\b(?!.*\breturn)")


def hints_left(kind: str | None, words: str, before: Sequence[str], after: Sequence[str]) -> str:
    """What an edit leaves without a hint, in words, or "". Args: before, after: the lines of the region."""
    if kind != "complete_hints" or not _ALL.match(words):
        return ""
    try:
        functions = Snippet(tuple(after)).functions
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    new = [one for one in functions if after[one.lineno - 1] not in before]
    names = list(dict.fromkeys(name for one in new for name in bare_names(one)))
    return (
        f"no hint for {', '.join(names)}: nothing shows what type; say it, as in “{names[0]} is a str”" if names else ""
    )
