"""Names of Python and its libraries that are easily taken for one another, and words in names that are opposites."""

import re
from collections.abc import Iterator
from functools import cache

_GROUPS = """
append extend insert add update|remove discard pop popleft clear|min max|any all|get pop setdefault|items keys values
startswith endswith|lower upper title|find rfind index rindex|read readline readlines|write writelines|split rsplit
partition rpartition|lstrip rstrip strip|encode decode|loads load|dumps dump|ceil floor round|sorted reversed iter
match fullmatch search findall finditer|group groups|union intersection difference|copy deepcopy|mkdir makedirs|sum len
isfile isdir exists|debug info warning error|now utcnow today|time monotonic|hexdigest digest|notify notify_all
int float str bytes|list tuple dict set frozenset|IndexError KeyError LookupError|TypeError ValueError AttributeError
OSError FileNotFoundError|cached_property property|staticmethod classmethod|Lock RLock|put_nowait put|split join
first last|start end stop|begin end|left right|top bottom|width height|x y|row column col|rows columns cols|before after
head tail|src dst dest|source target|parent child|key value|name value|minimum maximum|asc desc|ascending descending
up down|horizontal vertical|inner outer|low high|success error|true false|stdin stdout stderr|request response|from to
open close|opened closed|lock unlock|enter exit|push pop|enable disable|enabled disabled|show hide|include exclude
prefix suffix|pre post|created deleted modified|major minor|forward backward|get post put delete|r rb w wb a
prev next|old new
"""
"""What is called, raised, asked for or named: each may be meant for each of its group."""
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


@cache
def alike(name: str) -> tuple[str, ...]:
    """What a name or a word may be taken for: others of its groups, and itself with one word turned."""
    return tuple(dict.fromkeys([*_table().get(name, ()), *_turned(name)]))


@cache
def _table() -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for group in _GROUPS.replace("\n", "|").split("|"):
        words = group.split()
        for word in words:
            found.setdefault(word, []).extend(one for one in words if one != word)
    return {word: tuple(others) for word, others in found.items()}


def _turned(name: str) -> Iterator[str]:
    for match in _PART.finditer(name):
        for other in _table().get(match[0].lower(), ()) if match[0] != name else ():
            text = other.upper() if match[0].isupper() else other.title() if match[0][0].isupper() else other
            yield name[: match.start()] + text + name[match.end() :]
