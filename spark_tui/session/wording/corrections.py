"""Somebody who corrects themselves within a request: of "set retries to 5, no, to 3" the last word holds."""

import re

from spark_tui.session.wording.quoting import straightened
from spark_tui.session.wording.step_words import PRONOUNS, VERBS, opening

_OFF = r"scratch that|never ?mind|correction|no(?=\s*[,;:.!-]|\s+(?:to|wait|sorry|make|actually|i mean)\b)|nope"
_ELSE = r"i meant?|or rather|rather(?! than)|actually|sorry|oops|wait(?=\s*[,;:.!-])|hmm?|er|uh"
_CORRECTION = re.compile(
    rf"(?is)(?P<head>.*?\S)\s*(?:[,;:.!]|\s[-\u2013\u2014]+)\s*"
    rf"(?P<marks>(?:{_OFF}|{_ELSE})(?:[\s,;:.!-]+(?:{_OFF}|{_ELSE}))*)(?!\w)[\s,;:.!-]*?(?<=[\s,;:.!-])(?P<tail>\S.*?)[\s.!]*"
)
_WORD = r"(?!(?:it|that|this|them|one|so|not|no|nope|yes|ok|okay)\b)[^\W\d][\w.]*(?:\[[^\s]*\])?"
_VALUES = {
    "text": r"\"[^\"]*\"|(?<!\w)'[^']*'(?!\w)",
    "number": r"-?\d[\w.]*",
    "operator": r"[<>]=?|[=!]=|(?<!\S)[-+*/%]=?(?!\S)",
    "type": r"(?:int|float|str|bytes|bool|complex|object|None|True|False|(?:list|dict|tuple|set)(?: of \w+)?)"
    r"(?![\w\[.])|[^\W\d][\w.]*\[\S+\]",
    "word": rf"`[^`]*`|{_WORD}",
}
_VALUE = "(?:" + "|".join(f"(?P<{sort}>{pattern})" for sort, pattern in _VALUES.items()) + ")"
_BEFORE = r"to|of|with|by|as|into|for|called|named|than|from|in|returns?"
_TAIL = re.compile(
    r"(?i)(?:(?:make|call|name|set|change|rename|turn) (?:it|that|this) |use |say )?"
    rf"(?:(?P<before>{_BEFORE}) )?(?P<article>an? |the )?(?P<value>{_VALUE})(?: instead| then| please| rather)*"
)
_OLD = re.compile(r"(?i)\b(?:instead of|rather than|in place of|from) \S+$")
"""What tells at its end what is to be no more."""
_PLACE = re.compile(r"(?i)\b(?:in|inside|within|from|for|line) (?:the )?$")


def corrected(words: str) -> str:
    """A request in which its last word has taken the place of what it corrects; as it is where that is not plain.

    Its curly quotes are straight ones.
    """
    words = straightened(words)
    found = _CORRECTION.fullmatch(words)
    if found is None:
        return words
    if _is_whole(found):
        return found["tail"]
    told = _TAIL.fullmatch(found["tail"])
    place = _corrected(found["head"], told) if told else None
    if told is None or place is None:
        return words
    return found["head"][: place[0]] + (told["article"] or "") + told["value"] + found["head"][place[1] :]


def unclear(words: str) -> str:
    """That it is not plain what the last word of a request corrects, in a sentence, or ""."""
    found = _CORRECTION.fullmatch(words)
    told = _TAIL.fullmatch(found["tail"]) if found else None
    if not found or not told or corrected(words) != words:
        return ""
    return f"what does “{found['tail']}” take the place of? Say only the request that holds"


def _is_whole(found: re.Match[str]) -> bool:
    """Whether what corrects a request is one of its own: "no, remove it" is none."""
    verb, following = opening(found["tail"])
    off = re.match(rf"(?i){_OFF}", found["marks"])
    return verb in VERBS and following not in PRONOUNS | {""} and bool(off or verb == opening(found["head"])[0])


def _corrected(head: str, told: re.Match[str]) -> tuple[int, int] | None:
    """Where a request says what is told anew: behind the same word, at its end, or the only one of its sort."""
    sort = _sort(told)
    if _OLD.search(head):
        return None
    if told["before"]:
        pattern = rf"(?i)(?<!\w){told['before']} (?P<what>(?:an? |the )?{_VALUE})(?![\w\[(])"
        same = list(re.finditer(pattern, head))
        return same[0].span("what") if len(same) == 1 else None
    last = re.search(rf"(?i)(?<![\w.`'\"])(?:an? |the )?{_VALUE}$", head)
    if last and not _PLACE.search(head[: last.start()]) and (_sort(last) == "word") == (sort == "word"):
        return last.span()
    alike = [] if sort == "word" else [each for each in re.finditer(_EACH, head) if _sort(each) == sort]
    return alike[0].span() if len(alike) == 1 else None


_EACH = re.compile(rf"(?<![\w.`'\"]){_VALUE}(?![\w`'\"])")


def _sort(found: re.Match[str]) -> str:
    return next(sort for sort in _VALUES if found[sort])
