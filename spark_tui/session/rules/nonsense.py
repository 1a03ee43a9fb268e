"""Sentences of other things: "open the pod bay doors" is no wish for a `with open`.

Whoever wants an edit speaks of code: in words that people say of code, or that stand in the file or in the edit. What
they want done with it, the first word, may be any ("squash the ifs").
"""

import re
from collections.abc import Collection, Sequence
from difflib import get_close_matches

from spark_tui.context.wording import is_common
from spark_tui.editing.intents import stem
from spark_tui.editing.sayings import ALIKE, is_said_of_code, shipped, spoken_words, stems_in
from spark_tui.session.rules.facts import Code
from spark_tui.session.wording.step_words import EVERYDAY, VERBS, WEAK

_CODE = re.compile(
    r"`[^`]*`|\"[^\"]*\"|(?<!\w)'[^']*'(?!\w)|\w*[._/\\()\[\]{}=<>@#:\d]+\w[\w.]*|\w+\(|\b\w+[A-Z]\w*|\b[A-Z]{2,}\b"
    r"|\b(?i:f-?strings?|utf-?\d+|docstrings?|kwargs?|regex|json|tuples?|dicts?|dataclass(?:es)?|lambda|enum|mypy|None)\b"
)
"""What only somebody says who speaks of code."""
_FIRST = re.compile(r"^\W*(?:(?:please|pls|now|then|also|just|do|can you|could you|would you)[ ,]+)*\w+ *")
_YOURS = re.compile(r"(?i)\byours?\b")
_TO_SOMEBODY = re.compile(
    r"(?i)(?:^|(?<![\w'])(?!(?:after|as|before|can|could|did|didn't|do|don't|how|if|need|once|prefer"
    r"|so|thank|that|want|what|when|will|would)\b)[\w']+ )"
    r"you\b(?!'| (?:can|could|forgot|may|might|missed|must|need|should|will|would)\b)"
    r"|\b(?!(?:and|asks?|bothers?|by|explain|for|from|gives?|giving|hands?|help|lets?|remind|returns?|shows?|tells?|to)\b)"
    r"\w+ me\b"
)
"""Somebody who is neither asked for an edit nor sees what comes of the code; of short sentences only."""
SHORT = 7
"""Of so many words are sentences that one can tell of what they speak by their words alone."""
TELL = "Say what to change in words of the code"
"""What is asked for where nothing is understood."""
_THINGS = re.compile(
    r"(?i)^\W*(?:please )?import (?:the|some|an?|my|your|our|all(?: the)?) (?:[a-z]+ )*"
    r"(?!modules?\b|packages?\b|librar|names?\b|types?\b|functions?\b|class|stuff|constants?\b)[a-z]+"
    r"(?: now| please)*\W*$"
)
_EVERYDAY = frozenset(
    """monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
    september october november december eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen
    twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million
    colleague colleagues teammate teammates reviewer reviewers boss intern linter compiler interpreter client customer
    customers""".split()  # noqa: SIM905
)

_DO = re.compile(
    r"(?i)^\W*(?:(?:please|pls|now|then|also|just|can you|could you|would you)[ ,]+)*(?P<verb>[a-z]{3,})"
    r" (?:it|the|this|that|these|those|its|an?)(?: \w+){0,2}\W*$"
)
"""A command that tells with its verb alone what is to be done."""
_DOING = frozenset(
    """abolish adapt ban blank bypass condense crop decompose disentangle ditch eliminate erase expunge fetch fuse grab
    lift mend mute nuke omit polish precompile punctuate purge recast redo repair restructure retype scrap scrub shield
    shrink silence sketch slim specify squash squeeze stamp streamline surround sweep tighten toss trade trim undo unify
    unnest untangle vectorise vectorize widen zap""".split()  # noqa: SIM905
)
"""Verbs that people also say of code."""


def nonsense(words: str, code: Code, after: Sequence[str]) -> str:
    """That half of what words say is of other things than code, in a sentence, or "". Args: after: as `senseless`."""
    if is_code(words):
        return ""
    if _THINGS.match(words):
        return "import what? Say the module by its name, as in “import json”"
    if _YOURS.search(words) or (len(words.split()) <= SHORT and _TO_SOMEBODY.search(words)):
        return f"who is that said to? {TELL}"
    said = [word for word in spoken_words(_FIRST.sub("", words.lower())) if not is_common(word)]
    unknown = [word for word in said if not (word in _EVERYDAY or is_said_of_code(word))]
    if not _are_most(unknown, said):
        return ""
    here = stems_in((code.path, *code.file, code.text, *after))
    strange = [word for word in unknown if stem(word) not in here and not get_close_matches(word, here, 1, ALIKE)]
    return f"what is {' or '.join(strange[:3])} here? {TELL}" if _are_most(strange, said) else ""


def unknown_verb(words: str, code: Code) -> str:
    """That nobody knows what the one verb of a command means, in a sentence, or ""."""
    told = _DO.match(words)
    verb = told["verb"].lower() if told else ""
    if not told or verb in VERBS | WEAK | EVERYDAY | _DOING or verb in shipped().words or is_said_of_code(verb):
        return ""
    return "" if stem(verb) in stems_in(code.file) else f"what does it mean to {verb} something? {TELL}"


def is_code(words: str) -> bool:
    """Whether words hold what only somebody says who speaks of code."""
    return _CODE.search(words) is not None


def code_in(words: str) -> tuple[list[str], str]:
    """What only somebody says who speaks of code, without doubles, and the words without it."""
    return list(dict.fromkeys(_CODE.findall(words))), _CODE.sub(" ", words)


def _are_most(strange: Collection[str], said: Collection[str]) -> bool:
    """More than half of what is said, or half with one that was never said."""
    most = 2 * len(strange) - len(said)
    return bool(strange) and (most > 0 or (most == 0 and not shipped().words.keys() >= set(strange)))
