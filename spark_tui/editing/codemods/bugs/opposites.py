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
open closed|reader writer|error warning|local global|name value|id name|http https|host port|user password
username password|latitude longitude|args kwargs|started finished|start finish|expected actual
connected disconnected|major minor|instance class|text content|body headers|size count|count total|length count
singular plural|visible hidden|valid invalid|known unknown|required optional|present missing|full empty
default value|index value|index count|raw data|public secret|encrypt decrypt|pre post|weekday isoweekday
early late|short long|single double|access refresh|scheme netloc|digest block|status state|exception status
email name|stem name|type value|forwards backwards|ltr rtl|north south|east west
""".replace("\n", "|")
_ATTRIBUTES = """
scheme netloc hostname path query fragment port|digest_size block_size|__name__ __qualname__ __module__
__bases__ __mro__ __dict__ __slots__|stem name suffix parent|days seconds microseconds
lineno end_lineno col_offset|st_mtime st_ctime st_atime st_size|year month day|hour minute second microsecond
IGNORECASE MULTILINE DOTALL VERBOSE ASCII|DEBUG INFO WARNING ERROR CRITICAL|SEEK_SET SEEK_CUR SEEK_END
SIGTERM SIGINT SIGKILL SIGHUP|AF_INET AF_INET6 AF_UNIX|SOCK_STREAM SOCK_DGRAM|sep pathsep linesep
ascii_letters ascii_lowercase ascii_uppercase digits|text content|status_code reason
POSITIONAL_ONLY POSITIONAL_OR_KEYWORD KEYWORD_ONLY VAR_POSITIONAL VAR_KEYWORD|FIRST_COMPLETED ALL_COMPLETED
hits misses currsize maxsize|real imag|maxsize maxlen|names attrs|group groups|stdout stderr returncode
exc_info exc_text
"""
_ALIKE = [group.split() for line in _ATTRIBUTES.split("\n") for group in line.split("|") if group]
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


@lru_cache(maxsize=1024)
def opposites_said(name: str, instruction: str) -> tuple[str, ...]:
    """The opposites of a name of which the words tell either side, those that they tell first; its number as told."""
    said, own = _said(instruction), set(_words(name))
    told = [one for one in opposites(name) if said & set(_words(one)) - own]
    others = [one for one in opposites(name) if said & (own - set(_words(one)))]
    return tuple(dict.fromkeys([*_numbered(name, instruction), *told, *others]))


@lru_cache(maxsize=64)
def _said(instruction: str) -> frozenset[str]:
    """The words, with and without their endings, and those that names are made of."""
    found = {part.lower() for word in re.findall(r"[^\W_]+", instruction) for part in (word, *_PART.findall(word))}
    return frozenset(found | {re.sub(r"(?:s|ed|ing)$", "", one) for one in found})


def _numbered(name: str, instruction: str) -> Iterator[str]:
    """`IPv4Address` where "IPv6" is told."""
    for word in re.findall(r"\b[A-Za-z]+\d+\b", instruction):
        letters = word.rstrip("0123456789")
        if (turned := re.sub(rf"{letters}\d+", word, name)) != name:
            yield turned


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


def attributes_alike(name: str) -> tuple[str, ...]:
    """The attributes of the same sort of object that one may be taken for."""
    return tuple(dict.fromkeys(one for group in _ALIKE if name in group for one in group if one != name))
