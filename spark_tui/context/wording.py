"""What an instruction names: which of its words may be code, how surely, and which are worth searching for."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

_WORD = re.compile(
    r"(?P<quote>[`'\"]?)(?<![\w-])(?P<name>[^\W\d]\w*(?:\.[^\W\d]\w*)*)(?![\w]|-\w)(?P<end>\(\)|(?P=quote))"
)
_QUOTED = re.compile(r"`([^`]{3,})`|'([^']{3,})'|\"([^\"]{3,})\"")
_FILE = re.compile(r"[\w./-]+\.\w+")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_CODE_NOUNS = _words("function functions method methods class classes def")
_PLACES = _words("in inside within into of from")
_PREDICATES = _words("is isn does doesn has should must never always returns raises fails gives prints crashes")
_VERBS = _words("annotate comment debug document fix let make refactor simplify speed split test type")
_ARTICLES = _words("a an the this that these those each every any its their")
_STOP = (
    _ARTICLES
    | _PLACES
    | _CODE_NOUNS
    | _words(
        """about add all also and are as at be before by can change code do does file find fix for get give has have
    here if instead is it line lines make me must my new not of off old on one only or our out over please put
    remove rename replace should so some than then there they to turn under up use using when where which while
    will with without you your"""
    )
)
_COMMON = _STOP | _words(
    """after append argument arguments assert assign async attribute await body bug call calls cast check clean
    clear close comment comments constant convert copy count create debug decorator default delete dict doc docs
    docstring empty error except exception extract field float format guard handle helper hint hints import
    imports index init inline insert int invert item items join keep key keys last length list load log logging
    loop main merge message missing module move name names none number object open order param parameter parse
    pass path print process property raise read return returns reverse run save self send set show simplify sort
    split start state statement stop str string strip sum super swap test tests text top total true try tuple
    type types unused update value values variable wait warn wrap write yield"""
)


class Sureness(IntEnum):
    """How surely a word of an instruction names a piece of code."""

    COMMON = 0
    PLAIN = 1
    MARKED = 2
    PLACE = 3


@dataclass(frozen=True, slots=True)
class Mention:
    """A word that may name a function or class; `parts` are those between its dots."""

    parts: tuple[str, ...]
    sureness: Sureness


def mentions(instruction: str) -> tuple[Mention, ...]:
    """The words of an instruction that may name a function or class.

    PLACE: told as the place ("in parse", "of the Reader class"). MARKED: written as code, or called a function
    or class. PLAIN: another word. COMMON: one that instructions are made of anyway. The first word says what to
    do (unless a verb follows it) and a word after an article is a noun: they name nothing unless marked.
    """
    words = list(_WORD.finditer(instruction))
    return tuple(_mentions(words))


def _mentions(words: Sequence[re.Match[str]]) -> Iterator[Mention]:
    lower = [word["name"].lower() for word in words]
    for number, word in enumerate(words):
        parts = tuple(word["name"].removeprefix("self.").removeprefix("cls.").split("."))
        before = lower[:number][::-1]
        called_so = bool({*before[:1], *lower[number + 1 : number + 2]} & _CODE_NOUNS) or before[:1] == ["rename"]
        marked = called_so or bool(word["quote"]) or word["end"] == "()" or _looks_like_code(word["name"])
        while before and before[0] in _CODE_NOUNS | (_ARTICLES if marked else frozenset()):
            before.pop(0)
        if before and before[0] in _PLACES:
            yield Mention(parts, Sureness.PLACE)
        elif marked:
            yield Mention(parts, Sureness.MARKED)
        elif not before and {*lower[1:2]} & _PREDICATES:
            yield Mention(parts, Sureness.PLAIN)
        elif before and before[0] not in _ARTICLES:
            is_object = (number == 1 and before[0] in _VERBS) or (
                number == len(words) - 1 and before[0] in ("to", "for")
            )
            plain = lower[number] not in _COMMON or is_object
            yield Mention(parts, Sureness.PLAIN if plain else Sureness.COMMON)


def _looks_like_code(name: str) -> bool:
    return "_" in name or "." in name or any(character.isupper() for character in name[1:])


def file_names(instruction: str) -> tuple[str, ...]:
    """The words that may be names of files."""
    return tuple(match.group().rstrip(".").removeprefix("./") for match in _FILE.finditer(instruction))


def search_terms(instruction: str) -> dict[str, float]:
    """What to look for in code, in lower case, and how much each find is worth.

    Quoted text and words that can only be code are worth three times an ordinary word.
    """
    terms = {word: 1.0 for word in re.findall(r"[a-z]{2,}", instruction.lower()) if word not in _STOP}
    for word in _WORD.finditer(instruction):
        if _looks_like_code(word["name"]):
            terms[word["name"].lower()] = 3.0
    for quoted in _QUOTED.findall(instruction):
        terms["".join(quoted).lower()] = 3.0
    return terms
