"""A word that an instruction says put for the one in a text that is nearly it: `derangments`, `pt_PT`, `lineno`."""

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from functools import lru_cache

from spark_tui.editing.codemods.base import Ops, Request, between, parses
from spark_tui.editing.codemods.common.said import plain_word
from spark_tui.editing.codemods.prose.prose import Prose, prose
from spark_tui.editing.snippet import Snippet

_WORD = re.compile(r"[^\W_]+(?:['\u2019_-][^\W_]+)*")
_SAID = re.compile(rf"(?<![\w.]){_WORD.pattern}(?![\w(]|\.\w)")
_PLAIN_CODE = re.compile(r"[\w.-]+")
_ENDINGS = ("s", "es", "ed", "d", "ing", "ly", "er", "r")
_APOSTROPHE = re.compile(r"\bapostrophes?\b", re.IGNORECASE)
_SHORT = {"its": "it's", "dont": "don't", "cant": "can't", "isnt": "isn't", "doesnt": "doesn't", "wont": "won't"}
_MOST = 4
_MOST_WORDS = 40
_BOTH, _ONE, _WHOLE = 0.7, 0.8, 0.6


def near_edits(before: Snippet, request: Request) -> Iterator[Ops]:
    """Each word of a text with each word for it, those that are said both first."""
    words = _said(request.instruction)
    if not words:
        return
    first, last = request.selected or (0, len(before.lines))
    found: list[tuple[float, int, int, int, str]] = []
    for one in prose(before):
        if first <= one.row <= last:
            found += _near(before, one, words)
    for _, row, start, end, new in sorted(found, key=lambda one: -one[0])[:_MOST]:
        line = before.lines[row]
        lines = [*before.lines[:row], line[:start] + new + line[end:], *before.lines[row + 1 :]]
        if parses(lines):
            yield between(before, lines)


@lru_cache(maxsize=64)
def _said(instruction: str) -> tuple[str, ...]:
    """The words that may be told, and those with the apostrophe that they are said to lack."""
    found = [word for word in _SAID.findall(instruction) if len(word) > 1]
    if _APOSTROPHE.search(instruction):
        found += [_SHORT[word.lower()] for word in found if word.lower() in _SHORT]
    return tuple(dict.fromkeys(found))[:_MOST_WORDS]


def _near(before: Snippet, one: Prose, words: tuple[str, ...]) -> Iterator[tuple[float, int, int, int, str]]:
    """The words that may stand in the place of others of a text, with how likely that is and where."""
    content = before.lines[one.row][one.start : one.end]
    if one.sort == "text" and _PLAIN_CODE.fullmatch(content):
        for new in words:
            if score := _for_whole(content, new, words):
                yield score, one.row, one.start, one.end, new
        return
    for match in _WORD.finditer(content):
        for new in words:
            if score := _for_word(match[0], new, words):
                yield score, one.row, one.start + match.start(), one.start + match.end(), _cased(new, match[0])


def _for_whole(old: str, new: str, words: tuple[str, ...]) -> float:
    """How likely a text of one word is to become another one; 0 for not."""
    if old == new or len(new) < 3 or (plain_word(new) and not old.startswith(new)):
        return 0
    like = _like(old.lower(), new.lower())
    return like + (old in words) if like > _WHOLE else 0


def _for_word(old: str, new: str, words: tuple[str, ...]) -> float:
    """How likely a word of prose is to become another one; 0 for not."""
    if old.lower() == new.lower() or old[0].lower() != new[0].lower() or abs(len(old) - len(new)) > 2:
        return 0
    both = (old in words or old.lower() in words) and not (plain_word(old) and plain_word(new))
    if not both and (len(old) < 5 or plain_word(new) or _is_form(old.lower(), new.lower())):
        return 0
    like = _like(old.lower(), new.lower())
    return like + both if like > (_BOTH if both else _ONE) else 0


def _is_form(one: str, other: str) -> bool:
    """Whether a word is another one with a usual ending."""
    short, long = sorted((one, other), key=len)
    return any(long in (short + ending, short[:-1] + ending, short[:-1] + "ies") for ending in _ENDINGS)


def _cased(new: str, old: str) -> str:
    return new[0].upper() + new[1:] if old[0].isupper() and new.islower() and old[1:].islower() else new


@lru_cache(maxsize=4096)
def _like(one: str, other: str) -> float:
    return SequenceMatcher(None, re.sub("[-_']", "", one), re.sub("[-_']", "", other)).ratio()
