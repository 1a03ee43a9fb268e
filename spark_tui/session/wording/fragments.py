"""Words that are no request by themselves ("to budget instead"), put into the request that they correct."""

import re

from spark_tui.session.wording.steps import split

_VALUE = r"(?:`[^`]+`|\"[^\"]*\"|'[^']*'|-?[\w.]*\w)"
_CONSTANT = re.compile(r"-?\.?\d|(?:True|False|None)$")
_BEGINS = re.compile(r"(?i)^\W*(?:to|no|nope|but|instead|not|rather|sorry|wait|actually)\b")
_NOT = re.compile(rf"(?i)^not\s+(?:to\s+)?{_VALUE}\s*(?:[,;]\s*|\s+(?=but\b|to\b|rather\b)|$)")
_LEADS = re.compile(
    r"(?i)^(?:to|no|nope|but|instead|rather|sorry|wait|actually|please|better|i meant?|make it|call it|use)\b[\s,;:]*"
)
_TRAILS = re.compile(r"(?i)[\s,;]*\b(?:instead|rather|please|then|better|instead of \S+|(?:and )?not \S+)[\s.!]*$")
_NO_VALUE = re.compile(r"(?i)stop|undo|cancel|thanks|that|this|it|don")
_CHANGE = re.compile(
    r"(?i)^\W*(?:please\s+)?(?:rename|change|set|turn|switch|bump|raise|lower|increase|decrease|reduce|convert)\b"
)
_UNNAMED = re.compile(
    r"(?i)(?P<asked>\brename (?:(?:the|this|that) )?(?:\w+ )?(?!to\b|in\b)[`'\"]?[^\W\d][\w.]*[`'\"]?)"
    r"(?P<where> (?:in|inside|within) \S+)?(?: in)?\W*$"
)
_TO = re.compile(rf"(?i)(?<=\s)to\s+(?P<value>{_VALUE})(?![\w`'\"])")


def joined(asked: str, words: str, step: int = 1) -> str:
    """What is asked for by words that correct an earlier request: that with another value behind its "to".

    So do words that say the name that a request to rename left out. Of several steps it is put into one whose value is
    of its sort, of these into the nearest to the one being written; the others stay. Words that say more than the
    value, or that correct a request without one, are a request of their own.

    Args: step: the number of that step, from 1.
    """
    if words.lower().lstrip().startswith("to ") and (left := _UNNAMED.search(asked)) and _value(words):
        return f"{asked[: left.end('asked')]} to {_value(words)}{left['where'] or ''}"
    told = _told(asked) if _BEGINS.match(words) else {}
    value = _value(words) if told else ""
    if not value:
        return words
    alike = {number: each for number, each in told.items() if _sort(each["value"]) == _sort(value)} or told
    start, stop = min(alike.items(), key=lambda each: abs(each[0] - step))[1].span("value")
    return asked[:start] + value + asked[stop:]


def _told(asked: str) -> dict[int, re.Match[str]]:
    """Where a request tells the one value that something is changed to, by the numbers of its steps."""
    steps, found = split(asked), list(_TO.finditer(asked))
    if [each["value"] for step in steps for each in _TO.finditer(step)] != [each["value"] for each in found]:
        steps = (asked,)
    told = dict[int, re.Match[str]]()
    for number, step in enumerate(steps, 1):
        here, found = found[: (count := len(_TO.findall(step)))], found[count:]
        if count == 1 and _CHANGE.match(step):
            told[number] = here[0]
    return told


def _sort(value: str) -> str:
    """Whether a value is a constant, a text or a name."""
    bare = value.strip("`")
    return "text" if bare[:1] in {"'", '"'} else "constant" if _CONSTANT.match(bare) else "name"


def _value(words: str) -> str:
    """The one value that such words say, or ""."""
    left, before = words.strip().rstrip(".!"), ""
    while left != before:
        before = left
        left = _TRAILS.sub("", _LEADS.sub("", _NOT.sub("", left, count=1), count=1), count=1).strip()
    return left if re.fullmatch(_VALUE, left) and not _NO_VALUE.fullmatch(left) else ""
