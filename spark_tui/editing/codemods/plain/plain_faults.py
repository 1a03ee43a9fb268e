"""Faults that words ask plainly to be without: "don't use a mutable default", "no bare except", "avoid os.path"."""

import re

_WITHOUT = (
    r"(?i)(?:please |this |it |we |you |should |must )*(?:do not|don't|dont|never|not|avoid|stop|no|without|shouldn't)"
    r"(?: (?:ever|use|using|have|having|want|like|rely on|compare with|comparing with|catch with))*(?: an?| the| any)? "
    r"[`'\"]?(?P<fault>{})[`'\"]?"
    r"(?: (?:here|there|please|for this|in this function|in [`'\"]?\w+[`'\"]?|any ?more))*[.!]?"
)
_FAULTS = {
    "mutable_default": r"mutable (?:default|argument)s?(?: (?:argument|value|parameter)s?)?"
    r"|(?:list|dict|set|\[\]|\{\})s? (?:as|for)(?: an?| the)? defaults?(?: (?:argument|value|parameter)s?)?"
    r"(?: (?:for|of)(?: the)?(?: (?:argument|parameter))? [`'\"]?\w+[`'\"]?(?: (?:argument|parameter))?)?",
    "narrow_except": r"bare excepts?(?: (?:clause|block|statement)s?)?|bare `except`|except without a type",
    "is_none": r"[=!]= ?None",
    "isinstance_check": r"type\(\w*\) ?==|type\(\)|type comparisons?",
    "pathlib": r"os\.path(?:\.join)?",
    "fstring": r"%[ -]formatting|(?:str)?\.format(?:\(\))?|str\.format(?:\(\))?|percent formatting",
    "from_ternary": r"ternar(?:y|ies)(?: (?:operator|expression)s?)?|conditional expressions?",
    "from_comprehension": r"(?:(?:list|dict|set) )?comprehensions?",
}
"""The faults that are named with no word of what shall stand there instead, by the kind of edit that mends them."""
_PATTERNS = {kind: re.compile(_WITHOUT.format(words)) for kind, words in _FAULTS.items()}


def is_to_go(kind: str, words: str) -> bool:
    """Whether words plainly ask to be without what edits of a kind mend."""
    return kind in _PATTERNS and _PATTERNS[kind].fullmatch(" ".join(words.split())) is not None


def fault_told(words: str) -> str:
    """What words plainly ask to be without, or ""."""
    found = (pattern.fullmatch(" ".join(words.split())) for pattern in _PATTERNS.values())
    return next((told["fault"] for told in found if told), "")
