"""Where words want one of several elements: "x before y", "y heads the list", "z goes last"."""

import re
from collections.abc import Iterator, Sequence

_FIRST = re.compile(
    r"\b(?:first|head(?:s|ing|ed)?|tops?|(?:at|to) the (?:start|beginning|front)|lead(?:s|ing)?)\b", re.IGNORECASE
)
_LAST = re.compile(r"\b(?:last|(?:at|to) the end|closes?|bottom)\b", re.IGNORECASE)
_BEFORE = re.compile(r"\b(?:before|ahead of|above|precedes?|first,? (?:and )?then|then|in front of)\b", re.IGNORECASE)
_AFTER = re.compile(r"\b(?:after|behind|below|follows?)\b", re.IGNORECASE)


def orders_told(words: str, names: Sequence[str]) -> Iterator[list[int]]:
    """The orders of elements, each by its place now, that the words may want. Args: names: what each is told by."""
    said = sorted((found.start(), at) for at, name in enumerate(names) if (found := _where(words, name)))
    if not said or len(said) > 2 or len(set(names)) < len(names):
        return
    one = said[0][1]
    rest = [at for at in range(len(names)) if at != one]
    if len(said) == 2:
        between = words[said[0][0] : said[1][0]]
        other = rest.index(said[1][1])
        if _BEFORE.search(between):
            yield [*rest[:other], one, *rest[other:]]
        elif _AFTER.search(between):
            yield [*rest[: other + 1], one, *rest[other + 1 :]]
    elif _FIRST.search(words):
        yield [one, *rest]
    elif _LAST.search(words):
        yield [*rest, one]


def _where(words: str, name: str) -> re.Match[str] | None:
    """Where a name stands in the words."""
    return re.search(rf"(?<![\w.-]){re.escape(name)}(?!\w|\.\w|-\w)", words) if name else None
