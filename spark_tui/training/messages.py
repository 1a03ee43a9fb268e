"""Messages of commits as words of requests: without what a tracker needs, and none by a machine.

These rules clean data that is trained on; nothing here reads what a user asks.
"""

import re

FEWEST_WORDS = 2
MOST_WORDS = 20
_BOT = re.compile(
    r"\[bot\]|[-_ ][Bb]ot\b|[a-z]Bot\b|<bot@"
    r"|^(?i:dependabot|renovate|github-actions|pre-commit)\b"
)
_MACHINE_MADE = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?:revert|reapply|merge[sd]?|bump(?:s|ed)?|wip|cherry.?pick\w*)\b.*",
        r"(?:fixup|squash|amend)!.*",
        r"(?:releas\w+|version|tag|prepar\w+|back to|start\w*)\b.*\b(?:\d+\.\d.*|release|version)",
        r"(?:up(?:date|grade)[sd]?|bump|pin|require)\b.*\b(?:to|from|version)\b.*\d.*",
        r"(?:.*\W)?(?:change ?logs?|release notes?|copyright|translations?)\b.*",
        r"(?:update|create|delete|rename)[sd]? \S+\.\w+",
        r"\S+ updates?|add(?:ed)? files via upload",
        r"(?:appl|address|incorporat)\w* .*(?:review|suggestion|feedback|comment)s?\b.*",
        r"v?\d+(?:\.\d+)+\S*.*",
        r".*\b(?:ci skip|skip ci)\b.*",
    )
)
_TICKET = r"(?:#\d+|gh-?\d+|[A-Z][A-Z0-9]+-\d{2,}|https?://\S+)"
_TICKETS = rf"{_TICKET}(?:(?:,|,? and|,? &|;)?\s*{_TICKET})*"
_CLOSING = (
    r"(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?|re(?:f(?:s|erences)?)?|see|issues?|bugs?|pr"
    r"|tickets?|part of|for)"
)
_LEADING_TICKETS = re.compile(
    rf"(?i)(?:(?:{_CLOSING}[ :]+)?{_TICKETS}\s*[:.,;-]+"
    rf"|[\[(](?:{_CLOSING}[ :]+)?{_TICKETS}[\])]:?|#\d+)\s*"
)
_TRAILING_TICKETS = re.compile(
    rf"(?i)[\s,;.-]*(?:[\[(](?:{_CLOSING}[ :]*)*{_TICKETS}[\])]|\b{_CLOSING}:? {_TICKETS})[\s.]*$"
)
_ELSEWHERE = re.compile(r"#\d|\bgh-\d|https?:|\b(?=[a-f]*\d)[0-9a-f]{7,40}\b|@\w", re.IGNORECASE)
_EMOJI = re.compile("[\u2600-\u27bf\u2b00-\u2bff\ufe0f\u200d\U0001f000-\U0001faff]+")
_GITMOJI = re.compile(r"^(?::[a-z0-9_+-]+:\s*)+|(?:\s*:[a-z0-9_+-]+:)+$")
_PREFIX = re.compile(r"(?:[\w$./*+-]+(?:\([^()]*\))?!?:\s+|\[[^\[\]]*\]:?\s*)(?=\S)")
_CAPITALISED = re.compile(r"[A-Z][a-z]*(?![\w.(])")
_QUOTES = str.maketrans("‘’“”–—\u00a0", "''\"\"-- ")


def is_bot(author: str) -> bool:
    """Whether the name and address of an author are those of a program."""
    return bool(_BOT.search(author))


def words_of(subject: str, commit: str) -> str:
    """Make the words of a request from the subject of a message.

    Half of the prefixes (`fix(scope):`) and half of the first capitals go, as the commit's hash
    decides.

    Args:
        subject: The first line of the message.
        commit: The hash of the commit, in hexadecimal.

    Returns:
        The words, or nothing where a machine made the message, or it makes no request.
    """
    choice = int(commit[-1], 16)
    text = " ".join(_EMOJI.sub("", subject.translate(_QUOTES)).split())
    text = _without_tickets(_GITMOJI.sub("", text))
    bare = _PREFIX.sub("", text, count=1) if _PREFIX.match(text) else text
    bare = _without_tickets(bare)
    if _is_no_request(bare) or any(pattern.fullmatch(text) for pattern in _MACHINE_MADE):
        return ""
    words = bare if choice & 1 else text
    if choice & 2 and _CAPITALISED.match(words):
        words = words[0].lower() + words[1:]
    return words


def _without_tickets(text: str) -> str:
    """Take the numbers of tickets and the dots from both ends of a line."""
    before = ""
    while text != before:
        before = text
        match = _LEADING_TICKETS.match(text)
        text = text[match.end() :] if match else text
        text = _TRAILING_TICKETS.sub("", text).strip()
        text = text if text.endswith("..") else text.rstrip(" .,;:")
    return text


def _is_no_request(text: str) -> bool:
    """Whether a line is too short or long, cut off, in other letters, or refers to a tracker."""
    words = text.split()
    if not FEWEST_WORDS <= len(words) <= MOST_WORDS or not text.isascii() or text.endswith(".."):
        return True
    spelled = [word for word in words if any(map(str.isalpha, word))]
    if len(spelled) < FEWEST_WORDS or _ELSEWHERE.search(text):
        return True
    return any(pattern.fullmatch(text) for pattern in _MACHINE_MADE)
