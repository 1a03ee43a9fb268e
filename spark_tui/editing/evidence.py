"""How well an edit accounts for what an instruction says: what it tells to come comes, what it names is touched.

A number for each edit that could be meant, of any kind, so that they can be held against each other by the words alone:
0 when everything told is accounted for, less for each piece of code told that the edit leaves out and for each name
that it makes up. It knows no kinds and no model; a guide adds it to what a model thinks.
"""

import builtins
import keyword
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from spark_tui.editing.codemods.said import Span, code_like, plain_word, spans
from spark_tui.editing.script import Dedent, Delete, Indent, Insert, LineOp, Replace, Substitute

_TOKEN = re.compile(r"[^\W\d]\w*|\d[\w.]*|[^\w\s]+")
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
_UNMET_NEW, _UNMET_HERE, _UNMET_PLAIN, _UNMET_COMMON = -2.0, -1.2, -0.7, -0.2
_HEARD, _BACKWARD, _INVENTED = 1.0, -2.0, -0.8
_LATER = -0.08
_MOST_LATER = 12


class _Role(Enum):
    """Which way a piece of code is told to go."""

    ANY = 0
    COMING = 1
    GOING = 2


@dataclass(frozen=True, slots=True)
class _Item:
    """A piece told. `words`: its tokens; `unmet`: what it costs to leave it out, 0 for mere words."""

    text: str
    words: frozenset[str]
    unmet: float
    here: bool
    role: _Role


@dataclass(frozen=True, slots=True)
class _Effect:
    """The tokens an edit takes away, brings, and stands beside."""

    gone: Counter[str]
    come: Counter[str]
    beside: frozenset[str]
    text: str


class Evidence:
    """What one instruction tells about edits of one region. Args: lines: the region's."""

    def __init__(self, lines: Sequence[str], instruction: str) -> None:
        self._lines = lines
        self._tokens = [frozenset(_TOKEN.findall(line)) for line in lines]
        self._here = frozenset().union(*self._tokens)
        self._here_lower = frozenset(map(str.lower, self._here))
        self._symptom = _SYMPTOM.search(instruction) is not None
        self._items = tuple(self._told(_LINT.sub(lambda match: " " * len(match[0]), instruction)))
        self._said = frozenset(part for word in _WORD.findall(instruction) for part in (word, word.lower()))
        self._signs = tuple(sign for words, sign in _OPERATOR_WORDS if words.search(instruction.lower()))

    @property
    def tells_code(self) -> bool:
        """Whether any piece of code is told."""
        return any(item.unmet < _UNMET_PLAIN for item in self._items)

    def of(self, ops: Iterable[LineOp], rank: int = 0) -> float:
        """How well an edit accounts for the words. Args: rank: its place among those of its kind."""
        effect = self._effect(ops)
        found = _LATER * min(rank, _MOST_LATER) + sum(self._met(item, effect) for item in self._items)
        found += sum(_HEARD for sign in self._signs if effect.come[sign] > effect.gone[sign])
        return found + _INVENTED * min(3, sum(1 for word in effect.come if self._invented(word)))

    def _invented(self, word: str) -> bool:
        if not word[0].isalpha() or word in self._here or word in self._said or word in _USUAL:
            return False
        parts = [part.lower() for part in _PARTS.findall(word)]
        return not all(part in self._said or part in self._here_lower for part in parts)

    def _met(self, item: _Item, effect: _Effect) -> float:
        come, gone = self._holds(effect.come, effect.text, item), any(effect.gone[word] for word in item.words)
        if come:
            heard = 0.0 if item.here or (self._symptom and not item.unmet) else _HEARD
            return _BACKWARD if item.role is _Role.GOING and not gone else heard
        if gone:
            return (
                _BACKWARD if item.role is _Role.COMING and not item.here else (0.3 if item.role is _Role.GOING else 0)
            )
        if item.here and item.words <= effect.beside:
            return 0.0
        return item.unmet

    def _holds(self, come: Counter[str], text: str, item: _Item) -> bool:
        if len(item.words) > 1 or not item.words:
            return item.text.lower() in text or (len(item.words) > 2 and all(come[word] for word in item.words))
        return all(come[word] for word in item.words)

    def _effect(self, ops: Iterable[LineOp]) -> _Effect:
        gone, come, beside, text = Counter[str](), Counter[str](), set[str](), list[str]()
        for op in ops:
            match op:
                case Substitute(old=old, new=new):
                    gone[old.removeprefix(".")] += 1
                    come[new.removeprefix(".")] += 1
                    text.append(new)
                case Insert(after=after, lines=lines):
                    come.update(_tokens_of(lines))
                    text += lines
                    beside.update(*self._tokens[max(after, 0) : after + 2])
                case Replace(first=first, last=last, lines=lines):
                    gone.update(_tokens_of(self._lines[first : last + 1]))
                    come.update(_tokens_of(lines))
                    text += lines
                case Delete(first=first, last=last):
                    gone.update(_tokens_of(self._lines[first : last + 1]))
                case Indent(first=first, last=last) | Dedent(first=first, last=last):
                    beside.update(*self._tokens[first : last + 1])
        both = gone & come
        beside.update(both)
        return _Effect(gone - both, come - both, frozenset(beside | gone.keys()), "\n".join(text).lower())

    def _told(self, instruction: str) -> Iterator[_Item]:
        lower = instruction.lower()
        whole = "\n".join(self._lines)
        for span in _pieces(instruction):
            words = frozenset(_TOKEN.findall(span.text))
            here = words <= self._here if len(words) == 1 else span.text in whole
            if _LINE_NUMBER.search(lower[: span.start]):
                continue
            unmet = self._cost(span, words, here)
            if words and unmet is not None:
                yield _Item(span.text, words, unmet, here, _role(lower[: span.start]))

    def _cost(self, span: Span, words: frozenset[str], here: bool) -> float | None:
        """What it costs to leave a piece out; None for one that says nothing."""
        if span.mark or code_like(span.text):
            return _UNMET_HERE if here else 0.0 if self._symptom else _UNMET_NEW
        if here:
            return _UNMET_COMMON if plain_word(span.text) else _UNMET_PLAIN
        return None if plain_word(span.text) or not words else 0.0


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


def _tokens_of(lines: Iterable[str]) -> Iterator[str]:
    return (token for line in lines for token in _TOKEN.findall(line))
