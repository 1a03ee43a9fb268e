"""What an instruction says: names, values and pieces of code, told apart from the prose around them."""

import ast
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TypeVar

T = TypeVar("T")

_QUOTED = re.compile(r"""(?<![\w\\])(?P<mark>`|"|')(?P<text>(?:(?!(?P=mark)).)*)(?P=mark)(?!\w)""")
_BARE = re.compile(r"\S+")
_WORD = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_NUMBER = re.compile(r"-?(?:0[xXbBoO][\da-fA-F_]+|(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)")
_CODE_LIKE = re.compile(r"\w*[_\d]\w*|[a-z]+[A-Z]\w*|[A-Z]\w*[a-z]+[A-Z]\w*|[A-Z]{2,}|\w+(?:\.\w+)+")
_WORDS = """
a add after again all allow also always an and another any anymore anywhere are arg argument arguments as ask at
attribute avoid away back bad be because been before better block body both branch bug but by bytes call calls can
case change check class clean code comment compare comparison condition constant convert copy correct could count
create dead def default delete dict do doc docs does don drop each else empty end error even every everything
exception extra false field file first fix float for forget forgot format found from function get give given go goes
good has have here how i if import imports in index input inside instead int into is isinstance isn it its just keep
key kind last leave left length less like line lines list literal local log long loop make me message method might
mistake module more move must my name need needed needs never new no none not nothing now number object of off old on
one only operator or order other our out outside over parameter part path place please point print problem put python
query raise range rather read redundant remove replace return right s same say says see self set shall short should
simplify so some start statement stop str string strings style such super swap t take test text than that the their
them then there these they thing this those throw time to today too true try tuple turn two type types unless unused
up update upper us use used user uses value values variable very want was we were what when where which while who why
will with without word words would write wrong yes you your
"""
_PROSE = frozenset(_WORDS.split())
_WORDS_FOR = {
    r"empty list": "[]", r"empty dict(?:ionary)?": "{}", r"empty tuple": "()", r"empty set": "set()",
    r"empty string": "''", r"minus one": "-1", r"zero": "0", r"none|null|nil": "None", r"true": "True",
    r"false": "False",
}  # fmt: skip
_CUE = re.compile(r"(?:\b(?:to|be|is|use|with|by|as|of|say|says|read|make|it|put|write|into|from|than)|[=>:])$")
_FORWARD = re.compile(r"(?:\b(?:to|with|by|into|for|as|becomes?|but|be|read|say|use|it|meant|take|is|want)|[>:/])\W*$")
_BACKWARD = re.compile(r"\b(?:instead of|rather than|in place of|not|where)\b|^\W*,?\s*not\b")
_NEGATED = re.compile(r"\b(?:instead of|rather than|not|in place of|says?|where)\W*$")


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of an instruction: `text` without the marks it is quoted by, `mark` being "" where there are none."""

    text: str
    mark: str
    start: int
    end: int

    @property
    def solid(self) -> bool:
        """Whether it is surely no prose."""
        return bool(self.mark) or certain(self.text)


def certain(text: str) -> bool:
    """Whether a word, by its looks, is meant as code wherever it is said."""
    return bool(_CODE_LIKE.fullmatch(text)) or text.lower() not in _PROSE


@lru_cache(maxsize=64)
def spans(instruction: str) -> tuple[Span, ...]:
    """The quoted pieces and the words around them, in order; sentence marks are no part of a word."""
    found: list[Span] = []
    at = 0
    for quoted in _QUOTED.finditer(instruction):
        found += _bare(instruction, at, quoted.start())
        found.append(Span(quoted["text"], quoted["mark"], quoted.start(), quoted.end()))
        at = quoted.end()
    return (*found, *_bare(instruction, at, len(instruction)))


def _bare(instruction: str, start: int, stop: int) -> Iterable[Span]:
    for word in _BARE.finditer(instruction[:stop], start):
        text, left = word[0], word.start()
        while text and text[-1] in ",.;:?!" and text not in (":", "..."):
            text = text[:-1]
        text = text.removesuffix("'s")
        for opening, closing in ("()", "[]"):
            if text.startswith(opening) and closing not in text:
                text, left = text[1:], left + 1
            if text.endswith(closing) and opening not in text:
                text = text[:-1]
        if text:
            yield Span(text, "", left, left + len(text))


def quoted(instruction: str) -> tuple[str, ...]:
    """What stands in quotes or backticks."""
    return tuple(span.text for span in spans(instruction) if span.mark)


@lru_cache(maxsize=64)
def names(instruction: str) -> frozenset[str]:
    """The names and dotted names that surely are meant as code."""
    alone = {span.text.removesuffix("()") for span in spans(instruction) if span.mark}
    words = {word for word in _WORD.findall(instruction) if certain(word)}
    return frozenset(words | {part for word in words for part in word.split(".") if certain(part)} | alone)


def said(instruction: str, text: str) -> bool:
    """Whether an instruction surely speaks of a name or of a piece of code."""
    if not text:
        return False
    if _WORD.fullmatch(text):
        return text in names(instruction)
    left, right = (r"(?<![\w.])" if text[0].isalnum() else ""), (r"(?!\w)" if text[-1].isalnum() else "")
    return len(text) > 1 and bool(re.search(left + re.escape(text) + right, instruction))


def narrowed(instruction: str, options: Sequence[T], keys: Callable[[T], Iterable[str]]) -> Sequence[T]:
    """The options of which the instruction says a key; all of them when it says none."""
    return [one for one in options if any(said(instruction, key) for key in keys(one))] or options


def values(instruction: str, quote: str) -> tuple[str, ...]:
    """The sources of the values that an instruction may tell, the surest first; strings come in `quote`s."""
    found = [*_quoted_values(instruction, quote), *_bare_values(instruction)]
    for words, source in _WORDS_FOR.items():
        if re.search(rf"(?<![\w.`'\"])(?:{words})(?![\w.])", instruction, re.IGNORECASE):
            found.append(source.replace("''", quote * 2))
    return tuple(dict.fromkeys(found))


def _quoted_values(instruction: str, quote: str) -> Iterable[str]:
    for span in spans(instruction):
        if not span.mark:
            continue
        inner = _literal(span.text)
        if inner is not None:
            yield literal(inner, quote) if isinstance(inner, str) else span.text
            continue
        if span.mark != "`":
            yield literal(span.text, quote)
        if is_expression(span.text):
            yield span.text
        elif span.mark == "`":
            yield literal(span.text, quote)


def _bare_values(instruction: str) -> Iterable[str]:
    for span in spans(instruction):
        text = span.text
        if span.mark:
            continue
        before = instruction[: span.start].rstrip()
        assigned = text.rpartition("=")[2] if re.match(r"[\w.]+=[^=]", text) else ""
        if _NUMBER.fullmatch(text) or text in ("[]", "{}", "()", "..."):
            yield text
        elif is_expression(assigned):
            yield assigned
        elif is_expression(text) and not (text.isidentifier() and not certain(text) and not _CUE.search(before)):
            yield text


def literal(content: str, quote: str) -> str:
    """A string literal with that content, in other quotes where it holds these."""
    if quote in content or "\\" in content:
        return repr(content)
    return quote + content + quote


def _literal(text: str) -> object:
    """What a literal other than a name stands for, or None."""
    if not text[:1] or text[0] not in "'\"-.0123456789":
        return None
    try:
        value: object = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return value


@lru_cache(maxsize=256)
def is_expression(text: str) -> bool:
    """Whether a text is one Python expression on one line."""
    try:
        ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return False
    return "\n" not in text and text == text.strip()


def pairs(instruction: str, fits: Callable[[Span], bool]) -> tuple[tuple[str, str], ...]:
    """What is to become what, as far as the words between two fitting pieces tell: (old, new), in order."""
    found = [span for span in spans(instruction) if fits(span)]
    made: list[tuple[str, str]] = []
    for left, right in pairwise(found):
        between, before = instruction[left.end : right.start].lower(), instruction[: left.start].lower()
        if _NEGATED.search(before) and not _BACKWARD.search(between):
            made.append((left.text, right.text))
        elif _BACKWARD.search(between):
            made.append((right.text, left.text))
        elif _FORWARD.search(between):
            made.append((left.text, right.text))
    return tuple(dict.fromkeys(made))
