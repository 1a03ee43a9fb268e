"""Sentences that tell what was, or what might have been: "I wish I had used an f-string" asks for no edit."""

import re

_SOMEBODY = r"(?:i|we|you|he|she|they)"
_ASKS = r"(?!.*\b(?:but|now|please|should|so|fix|breaks?|broke|crash\w*|fail\w*|raises?|returns?|gives?)\b)"
_TIME = (
    r"(?:yesterday|(?:many |some )?(?:years|months|weeks|days) ago|back (?:in the day|then|in \d{4})"
    r"|last (?:night|week|month|year|spring|summer|autumn|fall|winter|\w+day))"
)
_TOLD = re.compile(
    rf"^\W*(?:{_SOMEBODY} wish|if only) {_SOMEBODY}"
    r"(?: were\b|(?:'d| had) (?:never |not |only |just )?\w+(?:ed|en|one)\b)"
    rf"|^\W*had {_SOMEBODY}\b|^\W*{_SOMEBODY} used to\b{_ASKS}[^.;:]*$"
    rf"|^\W*{_TIME},? (?:{_SOMEBODY}|my|our|there)\b{_ASKS}[^.;:]*$"
    r"|^\W*(?:do|does|did|has|have) (?:any(?:one|body)|every(?:one|body)|people|he|she|they)\b"
    r"(?!.*\b(?:here|in th(?:is|e))\b)[^.;:]*$"
    r"|^\W*(?:who|when) (?:is|are|was|were|did|invented|made|wrote)\b[^.;:,]*$",
    re.IGNORECASE,
)


def is_narrated(instruction: str) -> bool:
    """Whether somebody tells of the past, or asks others what they do, and asks for nothing."""
    return _TOLD.match(instruction) is not None
