"""Words that tell of something off by one, which way it is, and nothing else."""

import re
from enum import Enum

_THING = r"(?:\w+ ?)?"
_LOSES = (
    r"(?:(?:skip|miss|drop|ignor|los|omit|forget|leav|cut)\w*(?: out| off)?"
    r"|(?:does not|doesn't|never) (?:include|reach|process|handle|visit|return|count|see|get)(?: to)?)"
)
_LOST = (
    r"(?:is|gets|was)? ?(?:always |never )?(?:missing|missed|left out|skipped|lost|dropped|ignored|omitted|not \w+ed"
    r"|included|processed)"
)
_PLACE = r"(?:loop|function|slice|range|condition|code|result|output)"
_HEAD = (
    r"(?:(?:please|fix|the|this|it|there(?:'s| is)|is|has|an?|some|loop|function|somehow|always|just|mend|correct)"
    r"[:,]? )*"
)
_TAIL = rf"(?: ?(?:error|bug|mistake|problem|issue))?(?: (?:here|there|in (?:the |this |it)?(?:\w+ )?{_PLACE}?))*"
_GIVES = r"(?:returns? |gives? |\w+ )?"
_RAISES = r"(?:(?:i get|raises|throws|gives|crashes with|with) )?(?:an? )?"


class Way(Enum):
    """How a bound is wrong: the end left out, the beginning left out, gone beyond, or one cannot tell."""

    SHORT = 0
    LATE = 1
    FAR = 2
    ANY = 3


def _words(*patterns: str) -> re.Pattern[str]:
    return re.compile(rf"{_HEAD}(?:{'|'.join(patterns)}){_TAIL}\W*", re.IGNORECASE)


_WAYS = (
    (
        Way.SHORT,
        _words(
            rf"{_LOSES} the last ?{_THING}",
            rf"last {_THING}{_LOST}",
            rf"{_GIVES}one (?:\w+ )?too few",
            r"(?:stops?|ends?|quits?) (?:one |an? \w+ )?too (?:early|soon)",
            r"(?:one|an? \w+) short",
        ),
    ),
    (
        Way.LATE,
        _words(
            rf"{_LOSES} the first ?{_THING}", rf"first {_THING}{_LOST}", r"(?:starts?|begins?) (?:one )?too late"
        ),
    ),
    (
        Way.FAR,
        _words(
            r"(?:(?:goes|runs|loops|reads|counts|steps|iterates) )?(?:one )?(?:\w+ )?(?:too far|past the end)",
            rf"{_GIVES}one (?:\w+ )?too many",
            rf"{_RAISES}(?:IndexError:? ?)?(?:(?:list|string|tuple) )?(?:index )?(?:is )?out of (?:range|bounds)",
            rf"{_RAISES}IndexError",
        ),
    ),
    (Way.ANY, _words(r"off[ -]by[ -](?:one|1)", r"fence ?post")),
)  # fmt: skip


def way_told(words: str) -> Way | None:
    """Which way something is wrong by one where the words say that and nothing else; None where they do not."""
    said = " ".join(words.split())
    return next((way for way, pattern in _WAYS if pattern.fullmatch(said)), None)
