"""Words that are easily taken for one another: `start` and `end`, `pause_job` and `resume_job`, one and many."""

import re
from collections.abc import Iterator
from functools import lru_cache

_PAIRS = """
start end stop|begin end finish|first last|min max|add subtract sub remove|plus minus|pause resume|open close
lock unlock|enter exit|left right|width height|row column col|rows columns cols|before after|prev next previous
previous next|old new|head tail|top bottom|lower upper|encode decode|load dump save|loads dumps|read write
send recv receive|push pop|enable disable|enabled disabled|show hide|include exclude|included excluded
dirname basename|src dst dest|source target destination|parent child|key value|keys values|minimum maximum|asc desc
ascending descending|connect disconnect|register unregister|subscribe unsubscribe|acquire release|quote unquote
escape unescape|pack unpack|compress decompress|serialize deserialize|attach detach|mount unmount|black white
forward backward|up down|horizontal vertical|inner outer|x y|lat lon lng|day month year|hour minute second
hours minutes seconds|days months weeks|floor ceil|prefix suffix|append prepend|lstrip rstrip|lhs rhs|low high
success error failure|ok error|true false|yes no|on off|in out|input output|stdin stdout stderr|request response
req res|sender receiver|from to|local remote|public private|client server|startswith endswith|find rfind
index rindex|union intersection difference|any all|group groups|name qualname|stop start|increment decrement
incr decr|inc dec|ltr rtr|above below|over under|odd even|positive negative|accept reject|allow deny|import export
upload download|install uninstall|insert delete|set unset get|created updated deleted modified|sync async
before_request after_request|setup teardown|primary secondary|get post put delete patch|mean median|sin cos
sunday monday|saturday sunday|hex bin oct|removeprefix removesuffix|bold italic|primary foreign|more less
greater less|gt lt|ge le|gte lte|eq ne
""".replace("\n", "|")
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


@lru_cache(maxsize=1)
def _table() -> dict[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for group in _PAIRS.split("|"):
        words = group.split()
        for word in words:
            found.setdefault(word, {}).update((one, None) for one in words if one != word)
    return {word: tuple(others) for word, others in found.items()}


@lru_cache(maxsize=4096)
def opposites(name: str) -> tuple[str, ...]:
    """A name with one of its words turned into its opposite."""
    return tuple(_turned(name))


def opposites_said(name: str, instruction: str) -> list[str]:
    """The opposites of a name that the words tell."""
    said = set(re.findall(r"[a-z]+", instruction.lower()))
    return [one for one in opposites(name) if said & set(_words(one)) - set(_words(name))]


def _words(name: str) -> list[str]:
    return [one.lower() for one in _PART.findall(name)]


def _turned(name: str) -> Iterator[str]:
    for match in _PART.finditer(name):
        for other in _table().get(match[0].lower(), ()):
            text = other.upper() if match[0].isupper() else other.title() if match[0][0].isupper() else other
            yield name[: match.start()] + text + name[match.end() :]


def other_number(name: str) -> str:
    """A name of several words for one instead of many, or the reverse: `random_elements` for `random_element`."""
    if "_" not in name.strip("_") or len(name) < 6:
        return ""
    return name[:-1] if name.endswith("s") and not name.endswith("ss") else f"{name}s"
