"""What an edit looks like beside the words that asked for it, in numbers near 1.

How much of what is said comes, goes or stands there, how long the edit is and where, what its lines begin with. None of
it speaks for an edit by itself: what of it goes with which kind and which words is learned; see `ranking`.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from math import log1p

from spark_tui.editing.effects import Effect, Effects
from spark_tui.editing.intents import stem
from spark_tui.editing.script import Dedent, Delete, Indent, Insert, LineOp, Replace, Substitute

_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SMALL_WORDS = _words("""
the a an of to in it its is are be this that and or for on with as at by from so i we you me my our your do does not no
just only here there when if then please can could should would have has had was were will all any into out up make use
add change instead
""")
_MARKS = ("`", "'", '"', "(", "=")
_CUES = tuple(
    re.compile(rf"\b(?:{words})\b")
    for words in (
        "all|every|each|everywhere",
        "remove|drop|delete|get rid|without",
        "add|insert|put|also|new",
        "instead|rather|replace|change|switch|swap",
        "should|must|needs?",
        "wrong|bug|broken|off|incorrect|fix",
        "first|start|beginning|top|before",
        "last|end|bottom|after",
        "not|never|[a-z]+n't",
        r"\w+(?:error|exception|warning)|traceback|crash\w*|hangs?|breaks?|blows?",
    )
)
_OPERATIONS = (Substitute, Insert, Replace, Delete, Indent, Dedent)
_BEGINNINGS = (
    "if", "for", "return", "def", "import", "with", "try", "raise", "=", "call", "@", "#", '"""', "other", ""
)  # fmt: skip
"""What a line begins with; others count as one of these."""
_IS_BEGINNING = {one: [float(one == each) for each in _BEGINNINGS] for one in (*_BEGINNINGS, None)}
_LIKE = {
    "elif": "if", "else": "if", "match": "if", "while": "for", "async": "def", "class": "def", "from": "import",
    "except": "try", "finally": "try", "assert": "raise", "yield": "return", "pass": "return", "break": "return",
    "continue": "return", "'''": '"""',
}  # fmt: skip
_BEGINNING = re.compile(r"\w+|@|#|\"\"\"|'''|.")
_ASSIGNS, _CALLS = re.compile(r"[\w.,\s\[\]\"']+[-+*/|&]?=[^=]"), re.compile(r"[\w.]+\(")
_KINDS_OF_TOKEN: tuple[Callable[[str], bool], ...] = (
    lambda token: token[0] in "\"'",
    lambda token: token[0].isdigit(),
    lambda token: not token[0].isalnum() and token[0] != "_",
)


class Shapes:
    """Of the edits of one request. Args: effects: of these. selected: the 0-based first and last line."""

    def __init__(self, effects: Effects, instruction: str, selected: tuple[int, int] | None) -> None:
        self._effects, self._selected = effects, selected
        lower = instruction.lower()
        self._said = _parts(re.findall(r"\w+", instruction)) - _SMALL_WORDS
        here = self._said & _parts(token for tokens in effects.tokens for token in tokens)
        self._request = [
            log1p(len(instruction.split())) / 3,
            float(selected is not None),
            log1p(len(effects.lines)) / 3,
            log1p(len(self._said)) / 3,
            len(here) / max(len(self._said), 1),
            *(float(mark in lower) for mark in _MARKS),
            *(float(cue.search(lower) is not None) for cue in _CUES),
        ]
        self._beginnings = [_beginning(line) for line in effects.lines]

    def of(self, ops: Sequence[LineOp], effect: Effect) -> list[float]:
        """The numbers of one edit, those of the request first; as many for every edit of every request."""
        brought = _beginning(effect.brought[0]) if effect.brought else None
        touched = self._beginnings[effect.here[0]] if effect.here else None
        operations = set(map(type, ops))
        return [
            *self._request,
            *self._shares(effect),
            *[float(one in operations) for one in _OPERATIONS],
            log1p(len(ops)),
            log1p(effect.come.total()) / 2,
            log1p(effect.gone.total()) / 2,
            log1p(len(effect.brought)),
            log1p(effect.size),
            log1p(len(effect.here)),
            *self._place(effect.here),
            *[float(any(map(of_kind, tokens))) for of_kind in _KINDS_OF_TOKEN for tokens in (effect.come, effect.gone)],
            float(len(effect.come) == len(effect.gone) == 1),
            *_IS_BEGINNING[brought],
            *_IS_BEGINNING[touched],
        ]

    def _shares(self, effect: Effect) -> list[float]:
        """How much of what is said comes, goes, does both, stands there, is left out; of what comes, goes, is said."""
        come, gone, said = _parts(effect.come), _parts(effect.gone), self._said
        there = _parts(token for line in effect.here for token in self._effects.tokens[line]) - gone
        spoken = (said & come, said & gone, said & come & gone, said & there, said - come - gone - there)
        return [
            *(len(each) / max(len(said), 1) for each in spoken),
            len(come & said) / max(len(come), 1),
            len(gone & said) / max(len(gone), 1),
            float(not come),
            float(not gone),
        ]

    def _place(self, here: tuple[int, ...]) -> list[float]:
        """Where it begins, whether at the top, at the end; how much of it is selected, and whether nothing is."""
        last = len(self._effects.lines) - 1
        if not here:
            return [0.0] * 5
        inside = 0.0
        if self._selected is not None:
            inside = sum(self._selected[0] <= line <= self._selected[1] for line in here) / len(here)
        outside = float(self._selected is not None and not inside)
        return [here[0] / max(last, 1), float(here[0] == 0), float(here[-1] == last), inside, outside]


@lru_cache(maxsize=8192)
def _parts_of(token: str) -> frozenset[str]:
    return frozenset(stem(part.lower()) for part in _PARTS.findall(token))


def _parts(tokens: Iterable[str]) -> frozenset[str]:
    return frozenset().union(*map(_parts_of, tokens))


@lru_cache(maxsize=8192)
def _beginning(line: str) -> str:
    found = _BEGINNING.match(line.strip())
    word = _LIKE.get(found[0], found[0]) if found else ""
    if word in _BEGINNINGS:
        return word
    return "=" if _ASSIGNS.match(line.strip()) else "call" if _CALLS.match(line.strip()) else "other"
