"""Words that move a turn: to another function of its file ("no, in save instead"), with what was asked before."""

import re
from collections.abc import Sequence

from spark_tui.context.symbols import Symbol

_NAME = r"[`'\"]?(?P<name>[^\W\d]\w*(?:\.[^\W\d]\w*)*)[`'\"]?(?:\(\))?"
_WITHIN = re.compile(
    rf"(?i)\b(?<!not )(?:in|inside|within)\s+(?:the\s+)?(?:(?:function|method|class)\s+)?{_NAME}(?![\w.-]*\w)"
)
_WORD = re.compile(r"[^\W\d][\w.]*")
_DENIED = re.compile(r"(?i)\bnot (?:(?:in|inside|within) )?\S+")
_FILLER = re.compile(
    r"no|not|nope|oh|wait|sorry|please|actually|rather|instead|but|i|m|meant|mean|do|make|apply|it|that|this|the|same"
    r"|thing|one|other|wrong|function|method|class|place|in|inside|within|at|to|for|of|and|only|over|there|edit|change"
    r"|go|use|should|be"
)
"""A word that does not say what to do."""


def moved_to(words: str, symbols: Sequence[Symbol], here: str | None) -> Symbol | None:
    """The one other function or class of a file that words name as the place, if they do.

    It is told with "in", or the words say nothing but its name. Args: here: the name of where the turn is.
    """
    names = {match["name"] for match in _WITHIN.finditer(words)}
    if not names and not _left(words, {symbol.name.rpartition(".")[2].lower() for symbol in symbols}):
        names = set(_WORD.findall(_DENIED.sub("", words)))
    named = [each for each in symbols if any(f".{each.name}".endswith(f".{name}") for name in names)]
    others = [each for each in named if each.name != here]
    return others[0] if len(others) == 1 else None


def same_request(words: str, asked: str, there: str, here: str | None) -> str:
    """What to do at another place: the words, or what was asked before where they only say where, told of that place.

    Args: there: the name of the other place. here: of the one before.
    """
    verb = asked.split(maxsplit=1)[0].lower() if asked.split() else ""
    points = bool(re.search(r"(?i)\b(?:it|that|this|same)\b", words))
    last = there.rpartition(".")[2]
    if _left(words, {there.lower(), last.lower(), *([verb] if points else [])} | _parts(here)):
        return words
    if here is None:
        return asked
    return re.sub(rf"(?<![\w.]){re.escape(here.rpartition('.')[2])}(?!\w)", last, asked)


def _parts(name: str | None) -> set[str]:
    return {name.lower(), name.rpartition(".")[2].lower()} if name else set()


def _left(words: str, known: set[str]) -> set[str]:
    """What words say beside fillers and these names."""
    said = {word.strip(".").lower() for word in _WORD.findall(words.replace("'", " "))}
    return {word for word in said - known if not _FILLER.fullmatch(word)}
