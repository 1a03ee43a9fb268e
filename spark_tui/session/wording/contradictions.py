"""Two parts of a request that do not go together: "remove the print and keep the print" is asked back, not guessed."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from spark_tui.session.wording.step_words import COURTESY, JOINT, VERBS, WEAK, masked

_JOINT = re.compile(
    rf"(?i)[\s,;]*(?:[,;.]\s+|\s+(?={JOINT}\s)|\s+(?=(?:but|while|yet|without)\s))"
    rf"(?:(?:{JOINT}|but|while|yet|also|please|still|at the same time)[\s,]+)*"
)
_TO = re.compile(
    r"(?i)^(?P<verb>(?:rename|change|set|turn|switch|bump|raise|lower|increase|decrease|reduce|convert|replace)\s+)?"
    r"(?P<what>.+?)\s*(?:\s(?:to|into|with|by)\s|->|=>|\u2192|\s=\s)\s*(?P<value>\S+)$"
)
_STANCES = (
    ("left", r"(?:do not|don'?t|never|not) (?:change|touch|modify|alter|edit|rename)|(?:leave|leaving)"),
    ("kept", r"(?:do not|don'?t|never|not) (?:remove|delete|drop)|keep(?:ing)?|retain(?:ing)?|preserv(?:e|ing)"),
    ("none", r"(?:do not|don'?t|never|not) (?:add|use|write|insert)|without|no"),
    ("gone", r"remove|delete|drop|get rid of|take out|strip"),
    ("come", r"add|use|write|insert|introduce|put in"),
)
_STANCE = re.compile("(?i)^(?:" + "|".join(rf"(?P<{name}>{words})" for name, words in _STANCES) + r")\s+(?P<what>.+)$")
_APART = {
    ("to", "kept"), ("to", "left"), ("gone", "kept"), ("gone", "left"), ("done", "left"),
}  # fmt: skip
"""What cannot be had of one and the same thing, in whatever order."""
_LITTLE = frozenset(
    """a an the this that these those its my our is name called named variable parameter function method
    statement as it at using any alone unchanged value""".split()  # noqa: SIM905
)
_BEHIND = re.compile(r"(?i)\s+(?:of|for|to|that|on|which|with|saying|about|at)\s.*$")
"""What is told of a thing behind its name."""
_AT = re.compile(r"(?i)\s+(?:at|as)\s+\S+(?:\s+is)?$")
_ORDERS = re.compile(
    r"(?i)\b(?P<one>ascending|descending)(?:,? (?:and|but)(?: also| then)?|,| &) (?P<two>ascending|descending)\W*$"
)
_FORMS = {
    "loop": (r"comprehension", r"(?:for[ -]?)?loop|for"),
    "text": (r"f-?strings?", r"%|% ?-?format\w*|percent\w*|\.?format(?:\(\))?(?: call)?|concatenation"),
    "branch": (r"ternary|conditional expression", r"if(?:[ /-]?else)?(?: statement)?"),
}
"""What code is turned into, and what it then no longer is."""
_TURNED, _KEPT = (
    re.compile(begin + "|".join(rf"(?P<{name}>{form[at]})" for name, form in _FORMS.items()) + end)
    for at, begin, end in (
        (0, r"(?i)(?:make|turn|convert|change|rewrite|use)\b.*\b(?:", ")$"),
        (1, r"(?i)(?:keep|leave)(?:ing)? (?:the|using|an?|it as an?) (?:", r")(?: as (?:it )?is)?"),
    )
)
_OPERATOR = r"(?P<{name}>[<>]=?|[=!]=)"
_OPERATORS = re.compile(
    rf"(?i)\buse {_OPERATOR.format(name='one')}(?P<of> ?[\w.]+)?,? (?:but|and|while) keep(?:ing)?(?: the)? "
    rf"{_OPERATOR.format(name='two')}(?: ?[\w.]+)?\W*$"
)


@dataclass(frozen=True)
class _Part:
    """A part of a request: what is to become of a thing. `value`: what it is to be. `head`: the thing, named only."""

    words: str
    stance: str
    what: frozenset[str]
    head: frozenset[str]
    value: str = ""


def contradiction(words: str) -> str:
    """Which two parts of a request do not go together, in a sentence, or ""."""
    pair = _opposites(words) or _forms(words) or next(_clashing(words), None)
    return f"“{pair[0]}” and “{pair[1]}” do not go together; say the one that is meant" if pair else ""


def _opposites(words: str) -> tuple[str, str] | None:
    for found in filter(None, (_ORDERS.search(words), _OPERATORS.search(words))):
        if found["one"].lower() != found["two"].lower():
            return found["one"], found["two"]
    return None


def _forms(words: str) -> tuple[str, str] | None:
    """What code is to be turned into, and that it is to stay what it is."""
    parts = [each.strip(" .!") for each in _JOINT.split(masked(words))]
    for first, second in combinations(parts, 2):
        turned, kept = _TURNED.match(COURTESY.sub("", first)), _KEPT.fullmatch(second)
        if turned and kept and any(turned[name] and kept[name] for name in _FORMS):
            return first, second
    return None


def _clashing(words: str) -> Iterator[tuple[str, str]]:
    parts = [part for part in map(_read, _split(words)) if part]
    for one, two in combinations(parts, 2):
        if _clash(one, two):
            yield one.words, two.words


def _clash(one: _Part, two: _Part) -> bool:
    if (one.stance, two.stance) == ("come", "none"):
        return bool(two.what) and two.what == two.head and two.what in (one.what, one.head)
    if (one.stance, two.stance) == ("come", "gone"):
        return bool(one.head) and one.head == two.what
    if two.stance == "kept" and not two.what and one.stance == "gone":
        return True
    same = bool(one.what) and one.what == two.what
    if one.stance == "to" and two.stance in ("to", "pair"):
        return same and one.value != two.value
    return same and bool({(one.stance, two.stance), (two.stance, one.stance)} & _APART)


def _split(words: str) -> Iterator[str]:
    cover, start = masked(words), 0
    for joint in _JOINT.finditer(cover):
        yield words[start : joint.start()]
        start = joint.end()
    yield words[start:]


def _read(words: str) -> _Part | None:
    """A part of a request; None where it does not tell what is to become of what."""
    text = COURTESY.sub("", words.strip()).strip(" \t\n.!,;")
    if found := _STANCE.match(text):
        stance = next(name for name, _ in _STANCES if found[name])
        what = found["what"]
        if stance in ("left", "kept"):
            what = _AT.sub("", what)
        return _Part(text, stance, _key(what), _key(_BEHIND.sub("", what)))
    if found := _TO.match(text):
        stance = "to" if found["verb"] else "pair"
        return _Part(text, stance, _key(found["what"]), frozenset(), found["value"])
    verb, _, what = text.partition(" ")
    known = verb.lower() in VERBS | WEAK and what
    return _Part(text, "done", _key(what), frozenset()) if known else None


def _key(what: str) -> frozenset[str]:
    """What is spoken of, but for little words, and with what it may stand in."""
    words = (word.strip("`'\"()") for word in what.split())
    return frozenset(word for word in words if word and word.lower() not in _LITTLE)
