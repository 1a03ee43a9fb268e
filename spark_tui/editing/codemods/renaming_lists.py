"""Several names renamed at once: list by list, one after the other, or all in the same way."""

import keyword
import re
from collections.abc import Callable, Collection, Iterator
from functools import partial

from spark_tui.editing.codemods.renaming_words import NEVER

Pairs = tuple[tuple[str, str], ...]

_ONE = r"[`'\"]?(?:self\.|cls\.)?[^\W\d]\w*[`'\"]?"
_GLUE = r"\s*(?:,\s*and\b|,|/|&|\+|\band\b)\s*"
_LIST = re.compile(rf"(?<![\w.]){_ONE}(?:{_GLUE}{_ONE})+(?![\w(])")
_MORE = re.compile(r"(?:\band|,|;)\s+[`'\"]?([^\W\d]\w*)[`'\"]?\s+[`'\"]?([^\W\d]\w*)[`'\"]?(?=\s*(?:$|[,.;!]|and\b))")
_TURN = re.compile(
    r"(?<!\w)([^\W\d]\w*)[`'\"]? (?:is|means|stands for|for|=|->|\u2192) (?:the |a )?[`'\"]?([^\W\d]\w*)"
)
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
    r"\b(?:make|be|as|is|are|was|mark) (?:\S+ )?private\b|\b(?:add|a|give|with|put) [\w ]*\bleading underscore\b"
)
_UPPER = re.compile(r"\b(?:upper ?-?case|all caps|in caps|in capitals|screaming)\b", re.IGNORECASE)


def lists_told(instruction: str, names: Collection[str]) -> Iterator[Pairs]:
    """Lists of as many names that are here and that are not: "a, b -> c and d", "c/d instead of a/b".

    Args: names: those of the region, without dots.
    """
    lists = [_items(match[0]) for match in _LIST.finditer(instruction)]
    olds = [one for one in lists if all(name in names for name in one)]
    for old in olds:
        ends = [one[-len(old) :] for one in lists if len(one) >= len(old) and one is not old]
        fitting = [new for new in ends if len(set(new)) == len(new) and all(_may_be(name, names) for name in new)]
        yield from (tuple(zip(old, new, strict=True)) for new in fitting)
    turns = [(old, new) for old, new in _TURN.findall(instruction) if old in names and _may_be(new, names)]
    if len(turns) > 1 and not olds:
        yield tuple(dict(turns).items())


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
    every = said or (list(bound) if _SNAKE.search(instruction) else [])
    pairs = tuple((old, change(old)) for old in every if change(old) != old)
    if pairs and all(_usable(new, names) for _, new in pairs):
        yield pairs


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
    return [one.strip("`'\"").removeprefix("self.").removeprefix("cls.") for one in re.split(_GLUE, text)]


def _may_be(name: str, names: Collection[str]) -> bool:
    return _usable(name, names) and name.lower() not in NEVER


def _usable(name: str, names: Collection[str]) -> bool:
    return name.isidentifier() and name.isascii() and not keyword.iskeyword(name) and name not in names
