"""What @NAME means in an instruction: a place, or a decorator that is spoken of."""

import re

_AT = re.compile(r"(?<![^\s(])@(?P<name>[^\W\d]\w*(?:/[\w-]+)*)(?![\w(/:@-]|\.\w)")
_A_PLACE_FOLLOWS = re.compile(r"(?i)\b(?:in|at|inside|within|from|(?P<to>to))\s+$")
_A_DECORATOR_FOLLOWS = re.compile(
    r"(?i)\b(?:a|add|an|and|as|be|by|call|drop|delete|is|like|make|missing|needs?|no|not|or|put|remove|replace|stick|the"
    r"|use|using|via|want|with|without)\s+$"
)
_OF_DECORATORS = re.compile(r"(?i)decorat|\b(?:annotat|apply|appli|mark|wrap)")
_TO_ANOTHER = re.compile(r"(?i)\b(?:chang|convert|mak|renam|replac|set|switch|turn)")
_DECORATORS = frozenset({
    "abstractmethod", "cache", "cached_property", "classmethod", "contextmanager", "dataclass", "final", "lru_cache",
    "overload", "override", "property", "singledispatch", "staticmethod", "total_ordering", "wraps",
})  # fmt: skip
"""Words that are more often meant as decorators than as files."""


def may_decorate(name: str, before: str) -> bool:
    """Whether @NAME may well be a decorator. Args: before: what the instruction says before it."""
    return name in _DECORATORS or bool(_A_DECORATOR_FOLLOWS.search(before) or _OF_DECORATORS.search(before))


def places_at(instruction: str) -> tuple[str, ...]:
    """What the instruction surely tells as a place by @NAME alone, a file or function; a decorator it may be is not."""
    found = list(_AT.finditer(instruction))
    if len(found) != 1 or _OF_DECORATORS.search(instruction):
        return ()
    name, before = found[0]["name"], instruction[: found[0].start()]
    place = _A_PLACE_FOLLOWS.search(before)
    if place is None or (place["to"] and _TO_ANOTHER.search(before)) or may_decorate(name, before):
        return ()
    return (name,)
