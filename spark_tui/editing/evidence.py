"""How well an edit accounts for what an instruction says: what it tells to come comes, what it names is touched.

Some numbers for each edit that could be meant, of any kind: how many of the pieces told it brings, takes away or leaves
out, what it makes up, whether it touches what the words point at.
"""

import builtins
import keyword
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, StrEnum
from itertools import chain

from spark_tui.editing.codemods.common.said import Span, code_like, plain_word, spans
from spark_tui.editing.effects import TOKEN, Effect, Effects
from spark_tui.editing.pointing import Pointing
from spark_tui.editing.script import Delete, Insert, LineOp, Substitute

_WORD = re.compile(r"[^\W\d]\w*|\d+(?:\.\d+)?")
_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")
_COMING = re.compile(r"(?:\b(?:to|into|with|by|use|be|becomes?|add|append|call it|name it|it|catch|want)|->|=>|→)\W*$")
_GOING = re.compile(
    r"(?:\b(?:instead of|rather than|in place of|not|no|no longer|from|remove|drop|delete|without|replace|rename)"
    r"|n't)(?: (?:the|a|an|just|only))?\W*$"
)
_MEANT = {
    r"at least|or more|or above|minimum|no less than": ">=",
    r"at most|or less|or fewer|or below|maximum|up to|no more than": "<=",
    r"more than|greater than|larger than|bigger than|above|exceeds?|beyond": ">",
    r"less than|fewer than|smaller than|below|under": "<",
    r"none|null|nil": "None",
    r"true": "True",
    r"false": "False",
    r"slash(?:es)?": "/",
    r"commas?": ",",
    r"colons?": ":",
    r"semicolons?": ";",
    r"dash(?:es)?|hyphens?": "-",
    r"underscores?": "_",
    r"pipes?": "|",
    r"walrus": ":=",
    r"characters?|chars|items|elements|entries|longer|shorter|length": "len",
    r"empty string": '""',
}
_SYMPTOM = re.compile(
    r"\b\w+(?:Error|Warning|Exception)\b|\btraceback\b|\b(?:crash|blow|hang|break)\w*\b"
    r"|\b(?:i|we|you) (?:get|got|see)\b|\b(?:gives|returns|prints|shows|answers|yields|leaves)\b"
)
"""Tells that something goes wrong: what it names then need not come into the code."""
_LINT = re.compile(r"[A-Z]{1,4}\d{3,4}\b|\[[a-z]+(?:-[a-z]+)*\]")
_LINE_NUMBER = re.compile(r"\blines? #?\d*(?: ?(?:-|to|and|through) ?)?$")
_OPERATOR_WORDS = tuple((re.compile(rf"\b(?:{words})\b"), sign) for words, sign in _MEANT.items())
_USUAL = frozenset(
    [*keyword.kwlist, *dir(builtins), "self", "cls", "logger", "logging", "exc", "err", "e", "i", "other", "functools"]
)
_MOST_LATER, _MOST_INVENTED = 12, 3


class Feature(StrEnum):
    """What is counted of an edit: the pieces told that come, go, stay beside or are left out, and the edit itself."""

    UNMET_NEW = "unmet_new"
    UNMET_HERE = "unmet_here"
    UNMET_PLAIN = "unmet_plain"
    UNMET_COMMON = "unmet_common"
    UNMET_PROSE = "unmet_prose"
    UNMET_SYMPTOM = "unmet_symptom"
    HEARD = "heard"
    HEARD_SYMPTOM = "heard_symptom"
    COMES = "comes"
    GOES = "goes"
    GOES_AS_TOLD = "goes_as_told"
    BESIDE = "beside"
    COMES_BACKWARD = "comes_backward"
    GOES_BACKWARD = "goes_backward"
    ALL_MET = "all_met"
    SIGN_HEARD = "sign_heard"
    SIGN_UNHEARD = "sign_unheard"
    INVENTED = "invented"
    POINTED = "pointed"
    NOT_POINTED = "not_pointed"
    NUMBERED = "numbered"
    LATER = "later"
    AMONG = "among"
    SIZE = "size"
    INSERTS = "inserts"
    DELETES = "deletes"
    SUBSTITUTES = "substitutes"


class _Role(Enum):
    """Which way a piece of code is told to go."""

    ANY = 0
    COMING = 1
    GOING = 2


@dataclass(frozen=True, slots=True)
class _Item:
    """A piece told. `words`: its tokens; `unmet`: what it counts as when it is left out; `here`: in the region."""

    text: str
    words: frozenset[str]
    unmet: Feature
    here: bool
    role: _Role


class Evidence:
    """What one instruction tells about edits of one region. Args: effects: of these edits."""

    def __init__(self, effects: Effects, instruction: str) -> None:
        self._lines = lines = effects.lines
        self._here = frozenset(chain.from_iterable(effects.tokens))
        self._here_lower = frozenset(map(str.lower, self._here))
        self._symptom = _SYMPTOM.search(instruction) is not None
        self._items = tuple(self._told(_LINT.sub(lambda match: " " * len(match[0]), instruction)))
        self._tells_code = any(item.unmet in {Feature.UNMET_NEW, Feature.UNMET_HERE} for item in self._items)
        self._pointing = Pointing(lines, instruction)
        self._said = frozenset(part for word in _WORD.findall(instruction) for part in (word, word.lower()))
        self._signs = tuple(sign for words, sign in _OPERATOR_WORDS if words.search(instruction.lower()))

    def of(self, ops: Sequence[LineOp], effect: Effect, rank: int = 0, listed: int = 1) -> Counter[str]:
        """What there is to count of an edit. Args: rank: its place among those `listed` of its kind."""
        found = Counter[str](feature for item in self._items for feature in self._met(item, effect))
        signs = sum(1 for sign in self._signs if effect.come[sign] > effect.gone[sign])
        pointed, not_pointed = self._pointing.hits(effect.lines)
        found.update({
            Feature.ALL_MET: self._tells_code and not found[Feature.UNMET_NEW] and not found[Feature.UNMET_HERE],
            Feature.SIGN_HEARD: signs,
            Feature.SIGN_UNHEARD: len(self._signs) - signs,
            Feature.INVENTED: min(_MOST_INVENTED, sum(1 for word in effect.come if self._invented(word))),
            Feature.POINTED: pointed,
            Feature.NOT_POINTED: not_pointed,
            Feature.NUMBERED: self._pointing.numbered(effect.lines),
            Feature.LATER: min(rank, _MOST_LATER),
            Feature.AMONG: math.log(listed),
            Feature.SIZE: math.log1p(effect.size),
            Feature.INSERTS: bool(ops) and all(isinstance(op, Insert) for op in ops),
            Feature.DELETES: bool(ops) and all(isinstance(op, Delete) for op in ops),
            Feature.SUBSTITUTES: any(isinstance(op, Substitute) for op in ops),
        })  # fmt: skip
        return found

    def _invented(self, word: str) -> bool:
        if not word[0].isalpha() or word in self._here or word in self._said or word in _USUAL:
            return False
        parts = [part.lower() for part in _PARTS.findall(word)]
        return not all(part in self._said or part in self._here_lower for part in parts)

    def _met(self, item: _Item, effect: Effect) -> Iterator[Feature]:
        come, gone = self._holds(effect.come, effect.text, item), any(effect.gone[word] for word in item.words)
        if come:
            yield Feature.COMES if item.here else Feature.HEARD
            if not item.here and self._symptom:
                yield Feature.HEARD_SYMPTOM
            if item.role is _Role.GOING and not gone:
                yield Feature.COMES_BACKWARD
        elif gone:
            backward = item.role is _Role.COMING and not item.here
            as_told = Feature.GOES_AS_TOLD if item.role is _Role.GOING else Feature.GOES
            yield Feature.GOES_BACKWARD if backward else as_told
        else:
            yield Feature.BESIDE if item.here and item.words <= effect.beside else item.unmet

    def _holds(self, come: Counter[str], text: str, item: _Item) -> bool:
        if len(item.words) > 1 or not item.words:
            return item.text.lower() in text or (len(item.words) > 2 and all(come[word] for word in item.words))
        return all(come[word] for word in item.words)

    def _told(self, instruction: str) -> Iterator[_Item]:
        lower = instruction.lower()
        whole = "\n".join(self._lines)
        for span in _pieces(instruction):
            words = frozenset(TOKEN.findall(span.text))
            here = words <= self._here if len(words) == 1 else span.text in whole
            if _LINE_NUMBER.search(lower[: span.start]):
                continue
            unmet = self._unmet(span, words, here)
            if words and unmet is not None:
                yield _Item(span.text, words, unmet, here, _role(lower[: span.start]))

    def _unmet(self, span: Span, words: frozenset[str], here: bool) -> Feature | None:
        """What it counts as when a piece is left out; None for one that says nothing."""
        if span.mark or code_like(span.text):
            return Feature.UNMET_HERE if here else Feature.UNMET_SYMPTOM if self._symptom else Feature.UNMET_NEW
        if here:
            return Feature.UNMET_COMMON if plain_word(span.text) else Feature.UNMET_PLAIN
        return None if plain_word(span.text) or not words else Feature.UNMET_PROSE


def _pieces(instruction: str) -> Iterator[Span]:
    """The spans, those of words joined by a slash or an equals sign taken apart."""
    for span in spans(instruction):
        parts = re.split(r"([/=])", span.text)
        if span.mark or len(parts) < 3 or not all(part.isidentifier() or part.isdigit() for part in parts[::2]):
            yield span
            continue
        at = span.start
        for part in parts:
            if part not in "/=":
                yield Span(part, "", at, at + len(part))
            at += len(part)


def _role(before: str) -> _Role:
    before = before.rstrip(" `'\"")
    if _GOING.search(before):
        return _Role.GOING
    return _Role.COMING if _COMING.search(before) else _Role.ANY
