"""What an instruction says: names, values and pieces of code, told apart from the prose around them."""

import keyword
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TypeVar

from spark_tui.editing.numbers import SIGNED
from spark_tui.editing.trees import literal_value, parse
from spark_tui.editing.warned import warnings_as

T = TypeVar("T")

_QUOTED = re.compile(r"""(?<![\w\\`'"])(?P<mark>`|"|')(?P<text>(?:(?!(?P=mark)).|(?<=\w)'(?=\w))*)(?P=mark)(?!\w)""")
_NAME = "a text"
"""What Python calls a text that is read as an expression."""
_BARE = re.compile(r"\S+")
_WORD = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_NUMBER = re.compile(SIGNED)
_CODE_LIKE = re.compile(r"\w*[_\d]\w*|[a-z]+[A-Z]\w*|[A-Z]\w*[a-z]+[A-Z]\w*|[A-Z]{2,}|\w+(?:\.\w+)+")
_WORDS = """
a action add adjust after again all allow also alter always an and another any anymore anywhere are aren arg argument
arguments as ask at attribute avoid away back bad be because become becomes been before better big block body both
bound branch bug bump but by bytes call callers calls can case change check clarity class clean code coded comment
compare comparison condition consistency constant convert copy correct cosmetic could count create dead def default
defaults delete dict do doc docs does doesn don drop each edit else empty end equal equals error even every everything
exception exclusive expected extra fallback false field figure file fine first fix fixme float for forget forgot
format found from function get give given go goal goes good greater hard hardcoded has have hello here hey how i if
import imports in inclusive index input inside instead int into is isinstance isn it its just keep key kind kindly
last least leave left length less like limit line lines linter list literal local log long loop lower magic make many
me meant message method might minor minus mistake modify module more most move much must my name need needed needs
never new next nit no nobody none not nothing now number object of off ok okay old omitted on one only operator or
order other our out outside over parameter part pass passed path place please plus point preset print problem put
python query quickly raise range rather read redundant remove rephrase replace request return review reviewer reword
right s safety same say says see self set shall short should shouldn signature simplify simply slot small so some
start statement step stop str strict string strings style such super swap switch t take task test text than thanks
that the their them then there these they thing this those throw time times to today too true try tuple turn two type
typed types typo unless unused up update upper us use used user uses value values variable very want was we were what
when where wherever which while who why will with without won word wording words would write wrong wrote yes you your
"""
_PROSE = frozenset(_WORDS.split())
_PLAIN_CODE = re.compile(r"[^\W\d][\w.]*(?:\(.*\)|\[.*\])?|[(\[{].*[)\]}]")
_WORDS_FOR = {
    r"empty list": "[]", r"empty dict(?:ionary)?": "{}", r"empty tuple": "()", r"empty set": "set()",
    r"empty string": "''", r"minus one": "-1", r"half": "0.5", r"zero": "0", r"none|null|nil": "None", r"true": "True",
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
        return bool(self.mark) or (certain(self.text) and bool(re.search(r"\w", self.text)))


def certain(text: str) -> bool:
    """Whether a word, by its looks, is meant as code wherever it is said."""
    return bool(_CODE_LIKE.fullmatch(text)) or text.lower() not in _PROSE


def code_like(text: str) -> bool:
    """Whether a text is written as code is: no word of prose, be it known or not."""
    return bool(_CODE_LIKE.fullmatch(text)) or not re.fullmatch(r"[^\W\d_]+(?:['-][^\W\d_]+)*|\W*", text)


def plain_word(text: str) -> bool:
    """Whether a word is one that instructions are made of."""
    return text.lower() in _PROSE


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
        while text and text[-1] in ",.;:?!" and text not in (":", "...", "e.g.", "i.e."):
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
    return len(text) > 1 and text in instruction and bool(re.search(left + re.escape(text) + right, instruction))


def narrowed(instruction: str, options: Sequence[T], keys: Callable[[T], Iterable[str]]) -> Sequence[T]:
    """The options of which the instruction says a key; all of them when it says none."""
    return [one for one in options if any(said(instruction, key) for key in keys(one))] or options


def stands(source: str, instruction: str) -> bool:
    """Whether a piece of code stands in an instruction as it is, and not as a part of a longer one."""
    if not source or source not in instruction:
        return False
    return bool(re.search(rf"(?<![\w.-]){re.escape(source)}(?![\w(\[]|\.\w)", instruction))


def word_said(instruction: str, name: str) -> bool:
    """Whether a name stands in an instruction, be it as a plain word."""
    return name in re.findall(r"\w+", instruction)


def values(instruction: str, quote: str) -> tuple[str, ...]:
    """The sources of the values that an instruction may tell, the surest first; strings come in `quote`s."""
    found = [*_quoted_values(instruction, quote), *_bare_values(instruction)]
    for words, source in _WORDS_FOR.items():
        if re.search(rf"(?<![\w.`'\"])(?:{words})(?!\w|\.\w)", instruction, re.IGNORECASE):
            found.append(source.replace("''", quote * 2))
    return tuple(dict.fromkeys(found))


def _quoted_values(instruction: str, quote: str) -> Iterable[str]:
    for span in spans(instruction):
        if not span.mark:
            continue
        inner = _literal(span.text)
        if inner is not None:
            yield literal(span.text[1:-1], quote) if isinstance(inner, str) else span.text
            continue
        if span.mark != "`":
            yield literal(span.text, quote)
        if is_expression(span.text) and (span.mark == "`" or _PLAIN_CODE.fullmatch(span.text)):
            yield span.text
        elif span.mark == "`" and not keyword.iskeyword(span.text):
            yield literal(span.text, quote)


def _bare_values(instruction: str) -> Iterable[str]:
    for span in spans(instruction):
        if span.mark:
            continue
        text = re.sub(r"^[\w.]*=(?!=)", "", span.text)
        told = bool(_CUE.search(instruction[: span.start].rstrip())) or text != span.text
        plain = text.isidentifier() and not _CODE_LIKE.fullmatch(text)
        option = text.startswith("--")
        if (not plain or (told and certain(text))) and is_expression(text) and not option:
            yield text


def literal(content: str, quote: str) -> str:
    """A string literal with that content, escapes as they are; in other quotes where it holds these."""
    source = quote + content + quote
    return source if quote not in content and is_expression(source) else repr(content)


def _literal(text: str) -> object:
    """What a literal other than a name stands for, or None."""
    if not text[:1] or text[0] not in "'\"-.0123456789" or not is_expression(text):
        return None
    try:
        value: object = literal_value(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return value


@lru_cache(maxsize=256)
def is_expression(text: str) -> bool:
    """Whether a text is one Python expression on one line."""
    if "\n" in text or text != text.strip():
        return False
    try:
        with warnings_as("error", _NAME):
            parse(text, _NAME, mode="eval")
    except (SyntaxError, SyntaxWarning, ValueError, MemoryError, RecursionError):
        return False
    return True


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
