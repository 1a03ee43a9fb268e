"""Words that are no request by themselves ("to budget instead"), put into the request that they correct."""

import re

_VALUE = r"(?:`[^`]+`|\"[^\"]*\"|'[^']*'|-?[\w.]*\w)"
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


def joined(asked: str, words: str) -> str:
    """What is asked for by words that correct an earlier request: that with another value behind its "to".

    So do words that say the name that a request to rename left out. Words that say more than the value, or that correct
    a request without one, are a request of their own.
    """
    if words.lower().lstrip().startswith("to ") and (left := _UNNAMED.search(asked)) and _value(words):
        return f"{asked[: left.end('asked')]} to {_value(words)}{left['where'] or ''}"
    told = list(_TO.finditer(asked)) if _CHANGE.match(asked) and _BEGINS.match(words) else []
    value = _value(words) if len(told) == 1 else ""
    if not value:
        return words
    start, stop = told[0].span("value")
    return asked[:start] + value + asked[stop:]


def _value(words: str) -> str:
    """The one value that such words say, or ""."""
    left, before = words.strip().rstrip(".!"), ""
    while left != before:
        before = left
        left = _TRAILS.sub("", _LEADS.sub("", _NOT.sub("", left, count=1), count=1), count=1).strip()
    return left if re.fullmatch(_VALUE, left) and not _NO_VALUE.fullmatch(left) else ""
