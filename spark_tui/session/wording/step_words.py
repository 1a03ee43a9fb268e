"""The words by which an instruction that asks for several things can be told apart."""

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


VERBS = _words(
    """add annotate change clean commit convert create delete document drop explain extract fix generate implement
    improve inline insert introduce invert give make mark merge migrate modernise modernize move negate optimise
    optimize put refactor reformat remove rename reorder replace rewrite shorten simplify sort split swap tidy turn
    uncomment update use wrap"""
)
WEAK = _words(
    """allow avoid call catch check close comment declare default expose guard handle import initialise initialize log
    name narrow pass print raise return run set skip test type validate write yield reverse cache unpack await"""
)
"""Verbs that begin a step only where it is plain that one begins: after "and" they may go on with the step before."""
TAKING_AWAY = _words("remove replace drop delete change swap rewrite convert turn")
PRONOUNS = _words("it them that this one these those sure in")
NOUNS_AFTER = _words("type types value values statement statements line lines hint hints and or is are")
EVERYDAY = (
    VERBS
    | WEAK
    | PRONOUNS
    | NOUNS_AFTER
    | _words(
        """a i an the in on at by to of for from with list dict set name text data file path key item index count number
    line result docstring comment function method class parameter argument variable default message error log"""
    )
)

_SURE_JOINTS = r"after\ that|afterwards?|additionally|furthermore|moreover|subsequently|in\ addition|besides"
JOINT = rf"(?:and|&|then|plus|also|as\ well\ as|next|finally|lastly|{_SURE_JOINTS})"
"""What stands between two steps, for a pattern."""
SURE_JOINT = re.compile(rf"(?i)\b(?:{_SURE_JOINTS})\b")

_LITTLE = rf"(?:please|first|firstly|second|secondly|now|just|{JOINT}),?\s+"
COURTESY = re.compile(
    rf"(?i)^(?:{_LITTLE}|(?:can|could|would) you\s+|i (?:want|need) you to\s+|let's\s+|(?:we|you) (?:should|must)\s+)*"
)
_QUOTED = re.compile(r"`[^`]*`|(?<!\w)'[^']*'(?!\w)|\"[^\"]*\"|\((?!\d{1,2}\))[^()]*\)")

_NAME = r"[`'\"]?[^\W\d][\w.]*(?:\(\))?[`'\"]?"
_ARROW = r"\s*(?:\b(?:to|as|into)\b|->|=>|\u2192)\s*"
FULL_RENAME = re.compile(rf"(?i)\brename\b[^,;]*?[\w`'\")]{_ARROW}{_NAME}\s*$")
"""A renaming that tells both names, up to the end."""
RENAMES_SEVERAL = re.compile(
    rf"(?i)\brename (?:the|its|both|these|those|our) (?:\w+ )?\w+s (?:to|as|into) {_NAME}(?:, {_NAME})*,?\s*$"
)
"""A renaming of what is told by a plural, up to one of the new names that is not the last."""
_PAIR = re.compile(
    rf"(?i)^(?:the )?(?:[a-z]+ )?{_NAME}{_ARROW}{_NAME}(?=\s*(?:[,;.]|$|{JOINT}\s|in\s|for\s|everywhere))"
)
FOLLOW_UP = re.compile(
    r"""(?ix)^(?:please|everywhere|throughout|wherever|every|in|inside|within|for|because|so|since|as|which|not?|don'?t
    |do\ not|never|nothing|only|but|leave|keep|that|it|its|it's|this|all|accordingly|use\ (?:it|that|the\ new)
    |(?:update|adjust|fix|change|correct|rename)\ (?:(?:all|the|its|every|any|each|of|other|everything|it)\ )*
     (?:uses?|usages?|references?|refs?|callers?|calls?|call\ sites?|occurrences?|places|mentions|accordingly)
    )(?![\w'])"""
)
"""What goes on with the step before: where, why, and what a renaming means anyway."""


DEFAULTING = re.compile(r"(?i)^(?:\S+ (?:should |must )?defaults? to|default (?!to\b)(?:the )?\S+ to) \S")
"""A wish for a default, which is one for certain."""

_THING = r"(?:doc\s?strings?|(?:(?:type|return)\s)?(?:hints?|annotations?)|return\stype)"
WHOLE = re.compile(
    r"""(?ix)^(?:please\ )?(?: (?:use|write|return)\ (?:\w+\ ){0,2}`?(?:[-+*/%|&]=|f-?strings?\b|ternar|walrus)
    | catch\ (?:\S+\ (?:instead|only)|only\ [A-Z]\w+)\b | add\ (?:an?\ |the\ |some\ )?(?:missing\ )?"""
    + _THING
    + r"\b(?!\s*[`:'\"]|.*\b(?:saying|says?|that|which|to it)\b))"
)
"""What is a wish of its own beside any other one."""
DOCUMENTS = re.compile(rf"(?i)(?:please )?(?:add|write) (?:an? |the |some )?(?:missing )?{_THING}")
"""A wish, told in full, that no other is done along with."""


def masked(text: str) -> str:
    """A text of the same length whose quoted parts hold no words."""
    return _QUOTED.sub(lambda match: "`" + "q" * (len(match[0]) - 2) + "`", text)


def opening(text: str) -> tuple[str, str]:
    """The first two words, in lower case, without courtesy."""
    words = COURTESY.sub("", text.strip()).lower().split(maxsplit=2)
    return (words[0].strip(",.;:!?") if words else ""), (words[1].strip(",.;:!?") if len(words) > 1 else "")


def is_pair(text: str) -> bool:
    """Whether a text begins with the two names of one more renaming: "b to y"."""
    return _PAIR.match(masked(text)) is not None and opening(text)[0] not in VERBS
