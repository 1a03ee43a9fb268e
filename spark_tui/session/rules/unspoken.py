"""Whether the words of a request speak for the edit that was found: "catch of the day" is no wish for an `except`."""

import re
from collections.abc import Collection, Sequence

from spark_tui.context.wording import is_filler
from spark_tui.editing.intents import stem
from spark_tui.editing.sayings import shipped, spoken_words, stems_in
from spark_tui.session.rules.facts import Code
from spark_tui.session.rules.nonsense import SHORT, TELL, is_code
from spark_tui.session.rules.unread import marks_by

_SPEAKS = 2.7
"""How many times likelier than for edits at large a word is for what an edit does, if it speaks for it."""
_SIGNS = re.compile(r"[-=]>|[][(){}=<>+*%\u2192]")
_RENAMING = re.compile(
    r"(?i)\b(?:re-?nam\w*|call\w*|to|into|as|be|becomes?|should|not|no|better|prefer|instead|use|name (?:it|this|that)"
    r"|names|named|make|rather|than|with|by|for|over|would|is|isn't|are|aren't|say|spell|want|like|shadow\w*|reads?"
    r"|clearer|typo|misspel\w*|new|change|replace|turn)\b|[^\w\s'.!]"
)
"""What joins a name to the one that it is to have."""


def unspoken(words: str, code: Code, after: Sequence[str], kind: str, strange: Collection[str]) -> str:
    """That half of what words tell is never said for such an edit, in a sentence, or "".

    Args: after: as `senseless`. kind: of the edit. strange: the words that are unusual for it and not in the lines.
    """
    if is_code(words) or _SIGNS.search(words) or len(words.split()) >= SHORT:
        return ""
    if kind == "rename" and not _RENAMING.search(words):
        return "what is to be called what? Say it as in \u201crename total to amount\u201d"
    marks = marks_by(code, after, kind)
    if not marks:
        return ""
    here = stems_in(code.text.split("\n"))
    come = stems_in(after) - here
    told = [word for word in spoken_words(words) if not is_filler(word)]
    for_it = {word for word in told if shipped().best(word, marks) >= _SPEAKS}
    told = [word for word in told if word in for_it or stem(word) not in come]
    odd = [word for word in told if word in strange and word not in for_it]
    usual = [word for word in told if word in for_it or (word not in strange and stem(word) not in here)]
    if not told or (usual and 2 * len(odd) < len(told)):
        return ""
    return f"what is {' or '.join(odd[:3])} here? {TELL}" if odd else f"what is to be done here? {TELL}"
