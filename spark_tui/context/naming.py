"""What @NAME means in an instruction: a place, or a decorator that is spoken of."""

import re

from spark_tui.context.wording import is_common, is_plain

_AT = re.compile(r"(?<![^\s(])@(?P<name>[^\W\d]\w*(?:/[\w-]+)*)(?![\w(/:@-]|\.\w)")
_A_PLACE_FOLLOWS = re.compile(r"(?i)\b(?:in|at|inside|within|from|(?P<to>to))\s+$")
_RENAMED = re.compile(
    r"(?i)\brename\s+(?:the\s+)?(?:\w+\s+)?[\w.`'\"]+\s*(?:\b(?:to|as|into)\b|->|=>)\s*[\w.`'\"]+\s+$"
)
_OWNER = re.compile(
    r"(?i)\b(?P<place>in|inside|within)\s+(?:the\s+)?"
    r"(?:(?P<kind>(?:function|method|class)\s+))?(?P<mark>`?)(?P<name>[^\W\d]\w+)(?P<called>\(\))?(?P=mark)"
    r"(?P<after>\s+(?:function|method|class))?(?P<end>\W*$)?(?![\w.(/:-])"
)
_RECEIVER = re.compile(
    r"(?i)\b(?:doc ?strings?|hints?|annotations?|return types?|comments?|decorators?)\b[^,;.:'\"]*? (?:to|for)\s+"
    r"(?:the\s+)?(?P<mark>`?)(?P<name>[^\W\d]\w*_\w+)(?:\(\))?(?P=mark)\W*$"
)
"""What something is to be added to that functions and classes have, told by a name that can be no plain word."""
_MAKES = re.compile(r"(?i)\b(?:call|create|extract|make|mov|new|pull|put|split|turn|wrap)")
_WHOLES = frozenset(
    """all both camelcase code codebase comments docstrings everything everywhere general lowercase package parallel
    place project python repo repository snake_case tests uppercase""".split()  # noqa: SIM905
)
"""What may be told behind "in" and is no function."""
_A_DECORATOR_FOLLOWS = re.compile(
    r"(?i)\b(?:a|add|an|and|as|be|by|call|drop|delete|is|like|make|missing|needs?|no|not|or|put|remove|replace|stick|the"
    r"|use|using|via|want|with|without)\s+$"
)
_OF_DECORATORS = re.compile(r"(?i)decorat|\b(?:annotat|apply|appli|mark|wrap)")
_TO_ANOTHER = re.compile(r"(?i)\b(?:chang|convert|mak|renam|replac|set|switch|turn)")
_BRINGS = re.compile(
    r"(?i)\b(?:us(?:e|es|ing)|call|calls|calling|via|through|imports?|returns?|returning|raises?|raising|with|by|into|as"
    r"|than|like|instead of)\s+(?:an?\s+|the\s+)?[`'\"]?$"
)
"""A name that follows is what an edit is to bring, or to be like."""
_BECOMES = re.compile(r"(?i)\bto\s+(?:an?\s+|the\s+)?[`'\"]?$")
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
    if _RENAMED.search(before):
        return (name,)
    place = _A_PLACE_FOLLOWS.search(before)
    if place is None or (place["to"] and _TO_ANOTHER.search(before)) or may_decorate(name, before):
        return ()
    return (name,)


def owners_named(instruction: str) -> tuple[str, ...]:
    """What the instruction surely tells as the function or class to edit in: called so, or given something."""
    if _MAKES.search(instruction):
        return ()
    if receiver := _RECEIVER.search(instruction):
        return (receiver["name"],)
    return tuple(
        found["name"]
        for found in _OWNER.finditer(instruction)
        if not (is_plain(found["name"]) or is_common(found["name"]) or found["name"].lower() in _WHOLES)
        if found["kind"] or found["after"] or found["called"] or _closes_renaming(instruction, found)
    )


def _closes_renaming(instruction: str, found: re.Match[str]) -> bool:
    return found["end"] is not None and _RENAMED.search(instruction[: found.start()]) is not None


def is_brought(name: str, instruction: str) -> bool:
    """Whether a name is only said as what an edit is to bring or to go by ("use load instead", "change it to load")."""
    befores = [instruction[: one.start()] for one in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", instruction)]
    return all(_BRINGS.search(one) or (_BECOMES.search(one) and _TO_ANOTHER.search(one)) for one in befores)
