"""Words that move a turn: to another function of its file ("no, in save instead"), with what was asked before."""

import re
from collections.abc import Sequence

from spark_tui.context.symbols import Symbol
from spark_tui.context.wording import Sureness, mentions, pointed_at

_NAME = r"[`'\"]?(?P<name>[^\W\d]\w*(?:\.[^\W\d]\w*)*)[`'\"]?(?:\(\))?"
_WITHIN = re.compile(
    rf"(?i)\b(?<!not )(?:in|inside|within)\s+(?:the\s+)?(?:(?:function|method|class)\s+)?{_NAME}(?![\w.-]*\w)"
)
_WORD = re.compile(r"[^\W\d][\w.]*")
_DENIED = re.compile(r"(?i)\bnot (?:(?:in|inside|within) )?\S+")
_THE = re.compile(r"(?i)\b(?:the|this|that)\s+(?P<name>[^\W\d]\w{3,})(?![\w.-]*\w)")
_FILLER = re.compile(
    r"no|not|nope|oh|wait|sorry|please|actually|rather|instead|but|i|m|meant|mean|do|make|apply|it|that|this|the|same"
    r"|thing|one|other|wrong|function|method|class|place|in|inside|within|at|to|for|of|and|only|over|there|edit|change"
    r"|go|use|should|be"
)
"""A word that does not say what to do."""
_LONG = 4
"""Shorter words are mostly plain English."""


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


def points_elsewhere(words: str, path: str) -> bool:
    """Whether words point at a file other than this one, be it there or not ("in web/app.js")."""
    return any(not f"/{path}".endswith(f"/{name}") for name in pointed_at(words))


def named_in(words: str, symbols: Sequence[Symbol], lines: Sequence[str]) -> Symbol | None:
    """The one function or class of a file that words speak of by its name, if they do.

    Args: lines: those of the last place; what is a name there, a variable say, is meant there.
    """
    told = {match["name"] for match in _THE.finditer(words)}
    told |= {".".join(each.parts) for each in mentions(words) if _is_sure(each.parts[-1], each.sureness)}
    names = [name for name in told if not is_value_in(name, lines)]
    named = [each for each in symbols if any(f".{each.name}".endswith(f".{name}") for name in names)]
    return named[0] if len(named) == 1 else None


def is_value_in(name: str, lines: Sequence[str]) -> bool:
    """Whether a name stands in lines as one of theirs, a variable say, and not only called or as an attribute."""
    return re.search(rf"(?<![\w.]){re.escape(name)}(?![\w(])", "\n".join(lines)) is not None


def _is_sure(name: str, sureness: Sureness) -> bool:
    return sureness > Sureness.PLAIN or (sureness is Sureness.PLAIN and len(name) >= _LONG)


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
