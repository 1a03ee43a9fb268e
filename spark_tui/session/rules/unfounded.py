"""Edits that nothing speaks for: the words only tell that something is off by one, and the code does not show it."""

from collections.abc import Sequence

from spark_tui.editing.codemods.base import Request, applied, listed
from spark_tui.editing.codemods.bugs.bounds_suspected import suspected
from spark_tui.editing.codemods.bugs.ways_told import Way, way_told
from spark_tui.editing.codemods.registry import codemods
from spark_tui.editing.snippet import Snippet


def unfounded(words: str, where: str, lines: Sequence[str], after: Sequence[str]) -> str:
    """Why an edit is not to be offered for what words tell to be off by one, in a sentence, or "". Args: after: it."""
    way = way_told(words)
    if way is None:
        return ""
    before = Snippet(tuple(lines))
    try:
        known, then = suspected(before), suspected(Snippet(tuple(after)))
        choices = listed(codemods()["off_by_one"], before, Request(words)) or ()
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    if len(then) > len(known):
        return f"no bound in {where} shows to be wrong in that way; {_ADVICE}"
    only = len(choices) == 1 and applied(before, choices[0]) == list(after)
    return "" if way is not Way.ANY or known or only else f"nothing in {where} shows what is off by one; {_ADVICE}"


def unseen(words: str, where: str, lines: Sequence[str]) -> str:
    """That the code does not show what words tell to be off by one, and nothing else, in a sentence, or ""."""
    if (way := way_told(words)) is None:
        return ""
    try:
        found = [one for one in suspected(Snippet(tuple(lines))) if way in (Way.ANY, one.way)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    what = "what is off by one" if way is Way.ANY else "a bound that is wrong in that way"
    return "" if found else f"nothing in {where} shows {what}; {_ADVICE}"


_ADVICE = "say which line, and what is left out or one too many, or give a test that fails with --check"
