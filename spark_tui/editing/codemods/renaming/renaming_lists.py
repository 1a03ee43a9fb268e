"""Several names renamed at once: list by list, one after the other, or all in the same way."""

import keyword
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial

from spark_tui.editing.codemods.renaming.renaming_words import NEVER

Pairs = tuple[tuple[str, str], ...]

_ONE = r"[`'\"]?\*{0,2}(?:self\.|cls\.)?[^\W\d]\w*[`'\"]?"
_GLUE = r"\s*(?:,\s*and\b|,|/|&|\+|\band\b)\s*"
_LIST = re.compile(rf"(?<![\w.]){_ONE}(?:{_GLUE}{_ONE})+(?![\w(])")
_JOINED = re.compile(
    rf"{_ONE}\s*,\s*{_ONE} (?:for|instead of|rather than|->|=>|to|into|should be|become) {_ONE}\s*,\s*{_ONE}\W*$"
)
_ENOUGH = re.compile(
    r"\W*(?:is|are|would be|will|would|should|reads?|says?)\W+(?:\w+ )?"
    r"(?:enough|fine|plenty|better|nicer|clearer|do|ok)\b"
    r"|\W*(?:for|in) (?:the|this|that) (?:loop|comprehension|unpacking|parameters?|arguments?|targets?)\b"
)
_CALLING = re.compile(
    r"\b(?:call|name|rename|shorten|abbreviate|make|spell) (?:them|these|those|the (?:\w+ )?\w+|both)(?: to| as)?\W*$"
)
_MORE = re.compile(r"(?:\band|,|;)\s+[`'\"]?([^\W\d]\w*)[`'\"]?\s+[`'\"]?([^\W\d]\w*)[`'\"]?(?=\s*(?:$|[,.;!]|and\b))")
_TURN = re.compile(
    r"(?<!\w)([^\W\d]\w*)[`'\"]? (?:is|means|stands for|for|=|->|\u2192) (?:the |a )?[`'\"]?([^\W\d]\w*)"
)
_UNUSED = re.compile(r"\bunused\b|\bnot used\b|\bnever (?:used|read)\b|\bnobody (?:uses|reads)\b")
_MOST = 4
_TOKEN = re.compile(r"[^\W\d]\w*")
_BEFORE = re.compile(
    r"\b(?:prefix|prepend|precede|start)\w*\b[^.]*?\bwith [`'\"]?(?P<a>\w*_)(?!\w)"
    r"|(?<!\w)(?P<b>\w+_)[`'\"]? (?:in front of|before|as (?:a |the )?prefix)"
    r"|\b(?:prefix|prepend) (?:of )?[`'\"]?(?P<c>\w*_)(?!\w)|[`'\"]?(?<!\w)(?P<d>\w+_)[`'\"]?-? ?prefix",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"\b(?:suffix|append|end)\w*\b[^.]*?[ `'\"](?P<a>_\w+)"
    r"|(?<!\w)(?P<b>_\w+)[`'\"]? ?-?(?:at the end|as (?:a |the )?suffix|after|suffix|ending)",
    re.IGNORECASE,
)
_LOSE = re.compile(r"\b(?:drop|remove|without|lose|strip|get rid of|no|needs? no|cut|off|superfluous)\b", re.IGNORECASE)
_SNAKE = re.compile(r"\bsnake[_ -]?case\b|\bcamel[_ -]?case\b|\bN80[236]\b|\bpep ?-?8 names?\b", re.IGNORECASE)
_PRIVATE = re.compile(
    r"\b(?:make|be|as|is|are|was|mark) (?:\S+ )?private\b|\b(?:add|a|give|with|put) [\w ]*\b(?:leading )?underscore\b"
    r"|\bunderscore (?:in front|before|first|prefix)\b|\b(?:prefix|precede)\w* [^.]*\bunderscore\b"
    r"|\bstart\w* with an underscore\b"
)
_UPPER = re.compile(r"\b(?:upper ?-?case|all caps|in caps|in capitals|screaming)\b", re.IGNORECASE)


def lists_told(instruction: str, names: Collection[str]) -> Iterator[Pairs]:
    """Lists of as many names that are here and that are not: "a, b -> c and d", "c/d instead of a/b".

    Args: names: those of the region, without dots.
    """
    lists = [_items(match[0]) for match in _LIST.finditer(instruction)]
    olds = [one for one in lists if all(name in names for name in one)]
    fits = _usable if _JOINED.search(instruction) else _may_be
    for old in olds:
        ends = [one[-len(old) :] for one in lists if len(one) >= len(old) and one is not old]
        fitting = [new for new in ends if len(set(new)) == len(new) and all(fits(name, names) for name in new)]
        yield from (tuple(zip(old, new, strict=True)) for new in fitting)
    turns = [(old, new) for old, new in _TURN.findall(instruction) if old in names and _may_be(new, names)]
    if len(turns) > 1 and not olds:
        yield tuple(dict(turns).items())


def lists_alone(instruction: str, names: Collection[str], groups: Iterable[tuple[str, ...]]) -> Iterator[Pairs]:
    """A list of new names only: "call them row and col". Args: groups: the names that go together in the region."""
    for match in _LIST.finditer(instruction):
        new = _items(match[0])
        called = _CALLING.search(instruction[: match.start()])
        told = called or _ENOUGH.match(instruction[match.end() :])
        fit = all((_usable if called else _may_be)(name, names) for name in new) and len(set(new)) == len(new)
        for old in dict.fromkeys(groups) if fit and told else ():
            if len(old) == len(new):
                yield tuple(zip(old, new, strict=True))


def more_told(instruction: str, names: Collection[str]) -> Pairs:
    """What is told in turn with few words after a first one: the end of "x should be col and y row"."""
    found = ((match[1], match[2]) for match in _MORE.finditer(instruction))
    return tuple((old, new) for old, new in found if old in names and _may_be(new, names))


def alike_told(instruction: str, names: Collection[str], bound: Collection[str]) -> Iterator[Pairs]:
    """Names all changed in one way: by a prefix or suffix, in snake case, in capitals, private.

    Args: bound: those of the region that it defines, all of which may be meant to be in snake case.
    """
    change = _change(instruction)
    if change is None:
        return
    said = [word for word in dict.fromkeys(_TOKEN.findall(instruction)) if word in names and word not in NEVER]
    every = said or (list(bound) if _SNAKE.search(instruction) else _called(instruction, bound))
    pairs = tuple((old, change(old)) for old in every if change(old) != old)
    if pairs and all(_usable(new, names) for _, new in pairs):
        yield pairs


def unused_told(instruction: str, idle: Collection[str]) -> Iterator[Pairs]:
    """Names that get an underscore since nothing reads them: those told, else all and each. Args: idle: such names."""
    if not _UNUSED.search(instruction) or "underscore" not in instruction:
        return
    told = [name for name in idle if re.search(rf"\b{name}\b", instruction) and name not in NEVER] or list(idle)
    told = [name for name in told if not name.startswith("_")]
    yield from [tuple((name, f"_{name}") for name in told)] if told else []
    yield from (((name, f"_{name}"),) for name in told[:_MOST])


def _called(instruction: str, bound: Collection[str]) -> list[str]:
    """The names that a plural tells: "both dummies" are dummy0 and dummy1."""
    told = {re.sub(r"ies$", "ys", word).removesuffix("s") for word in re.findall(r"[a-z]{3,}s\b", instruction.lower())}
    return [name for name in bound if name.rstrip("0123456789_") in told]


def _change(instruction: str) -> Callable[[str], str] | None:
    lost = _LOSE.search(instruction)
    if _SNAKE.search(instruction):
        return lambda name: _snake(name) if not name[:1].isupper() else name
    for pattern, first in ((_BEFORE, True), (_AFTER, False)):
        match = pattern.search(instruction)
        affix = next(filter(None, match.groups()), "") if match else ""
        if affix:
            return partial(_cut if lost else _put, affix, first)
    if _PRIVATE.search(instruction.lower()) and not lost:
        return lambda name: name if name.startswith("_") else f"_{name}"
    return str.upper if _UPPER.search(instruction) else None


def _put(affix: str, first: bool, name: str) -> str:
    return affix + name if first else name + affix


def _cut(affix: str, first: bool, name: str) -> str:
    return name.removeprefix(affix) if first else name.removesuffix(affix)


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z\d])(?=[A-Z])", "_", name).lower() if name != name.upper() else name


def _items(text: str) -> list[str]:
    return [one.strip("`'\"*").removeprefix("self.").removeprefix("cls.") for one in re.split(_GLUE, text)]


def _may_be(name: str, names: Collection[str]) -> bool:
    return _usable(name, names) and name.lower() not in NEVER


def _usable(name: str, names: Collection[str]) -> bool:
    return name.isidentifier() and name.isascii() and not keyword.iskeyword(name) and name not in names
