"""Tests that a value is none of those that the words list: "by must be value or name"."""

import re
from collections.abc import Iterator

from spark_tui.editing.codemods.checks.symptoms import State
from spark_tui.editing.codemods.common.said import plain_word

_CUE = re.compile(
    r"\b(?:isn't|isnt|is not|are not|(?P<sure>neither|other than|anything but|one of|either)|must be|has to be"
    r"|have to be|should be|only) (?:one of )?"
)
_ITEM = re.compile(
    r"(?P<one>'[^']{1,30}'|\"[^\"]{1,30}\"|`[^`]{1,30}`|[\w-]+)(?P<glue>, (?:or |nor |and )?|/| or | nor | and | )?"
)
_KINDS = frozenset(
    "str string int integer float bool list dict tuple set bytes none true false number empty positive negative".split()  # noqa: SIM905
)
_MOST_VALUES = 5


def choices_told(text: str, about: list[str], quote: str, costs: dict[str, int]) -> Iterator[State]:
    """The tests of values that are named. Args: costs: how well each is named; 99 where it is not."""
    for match in _CUE.finditer(text):
        told = _listed(text, match.end())
        bare = [one.strip("`'\"") for one in told]
        if not 1 < len(told) <= _MOST_VALUES or any(one.lower() in _KINDS or one in about for one in bare):
            continue
        plain = any(plain_word(one) and len(one) > 1 for one in told)
        if plain and not match["sure"]:
            continue
        numbers = all(re.fullmatch(r"-?\d+", one) for one in bare)
        values = ", ".join(bare if numbers else [f"{quote}{one}{quote}" for one in bare])
        for name in sorted(about, key=lambda one: costs[one])[:2]:
            if costs[name] < 99:
                yield State(f"{name} not in ({values})", name, costs[name] - 30)


def _listed(text: str, at: int) -> list[str]:
    """The values from a place in the text on, up to the one behind the last "or"; none where they are no list."""
    found: list[str] = []
    last = ended = False
    while (match := _ITEM.match(text, at)) and not last and len(found) <= _MOST_VALUES:
        found.append(match["one"])
        glue = match["glue"] or ""
        last = ended
        ended = any(word in glue for word in ("or", "and", "/"))
        if not glue or (glue == " " and (last or len(match["one"]) > 1)):
            break
        at = match.end()
    return found if len(found) > 1 and last else []
