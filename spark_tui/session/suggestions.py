"""Suggests requests that would work on some lines; each is tried out unseen first.

A request is offered where the model is sure of its edit. The words suit many lines; the model
decides which of them suit these, and it finds the new names.
"""

import math
from collections import Counter
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass

from spark_tui.context.regions import Region
from spark_tui.editing.identifiers import names_in, substitute, uses
from spark_tui.editing.text import Text
from spark_tui.providers.base import Provider
from spark_tui.session.request import Request
from spark_tui.session.turn import Turn

MOST = 5
"""Suggestions for one region."""
_MOST_NAMES = 2
"""Names for which a better one is asked."""
_BETTER_NAME = "give {} a better name"
_WORDS = (
    "remove the print",
    "use with to open the file",
    "add a docstring",
    "raise an error if it is empty",
    "use a list comprehension",
    "add type hints",
    "use an f-string",
    "sort in reverse",
)
_MOST_TOKENS = 128
_UNLIKELY = math.log(0.3)
"""A first answer less likely than this is not made sure by another one."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Words, their region, and how many lines they would add and remove there."""

    words: str
    region: Region
    added: int
    removed: int


def suggest(
    answerer: Provider, region: Region, base: Text
) -> Generator[Suggestion | None, None, None]:
    """Suggest words that would work on a region, one after the other.

    Args:
        base: The file.

    Yields:
        A suggestion; None at every step between, where the search may be closed.

    Raises:
        UsageError: The region leaves no room to answer.
    """
    made = set[Text]()
    for asked in (*map(_BETTER_NAME.format, _short_names(base, region)), *_WORDS):
        words = asked
        turn = yield from _tried(words, answerer, region, base)
        # The model has found the new name, which then belongs into the words: they are tried anew.
        if turn.hunks and (renamed := _renamed(base, turn)):
            words = f"rename {renamed[0]} to {renamed[1]}"
            turn = yield from _tried(words, answerer, region, base)
        own = turn.candidates.own
        if own and turn.hunks and turn.sure and own.file not in made:
            made.add(own.file)
            added = sum(len(each.new) for each in turn.hunks)
            removed = sum(len(each.old) for each in turn.hunks)
            yield Suggestion(words, region, added, removed)
        if len(made) == MOST:
            return


def _tried(
    words: str, answerer: Provider, region: Region, base: Text
) -> Generator[None, None, Turn]:
    """Run a turn as long as it may come to something."""
    turn = Turn("", Request(words, region.path, max_tokens=_MOST_TOKENS), region, base, answerer)
    with closing(turn.events()) as events:
        for _ in events:
            # The first answer has come to its end: further ones could not make it sure.
            if len(turn.candidates) and turn.candidates.first.logprob < _UNLIKELY:
                break
            yield
    return turn


def _short_names(base: Text, region: Region) -> list[str]:
    """The shortest names that a region uses more than once, which may want better ones."""
    text = "\n".join(base.lines[region.start_line - 1 : region.end_line])
    counts = Counter(use.name for use in uses(text))
    known = names_in(text)
    repeated = [name for name, count in counts.items() if count > 1]
    several = [name for name in repeated if name in known and name[0] != "."]
    return sorted(several, key=len)[:_MOST_NAMES]


def _renamed(base: Text, turn: Turn) -> tuple[str, str] | None:
    """The old and the new name, where an edit does nothing but rename."""
    before = base.lines
    after = turn.file.proposal.lines
    old, new = (names_in("\n".join(lines)) for lines in (before, after))
    pairs = zip(old - new, new - old, strict=False)
    return next((pair for pair in pairs if substitute(before, *pair) == list(after)), None)
