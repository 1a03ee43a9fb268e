"""That a turn edits one place only, said to who asks for edits of several functions at once."""

import re
from collections.abc import Iterator, Sequence

from spark_tui.context.regions import Region
from spark_tui.context.symbols import Symbol, outline
from spark_tui.editing.text import Text
from spark_tui.session.answers import where
from spark_tui.session.wording.step_words import VERBS, opening

_NAME = r"`?[^\W\d]\w*(?:\.\w+)*(?:\(\))?`?"
_WHERE = re.compile(
    rf"(?i)(?:\b(?:in|inside|within)|\b(?:docstrings?|hints?|annotations?|comments?|return types?) (?:to|for|of))\s+"
    rf"(?P<names>(?:both )?(?:the (?!\w+\W*$))?(?:(?:function|method|class) )?{_NAME}"
    rf"(?:(?:\s*,\s*(?:and\s+)?|\s+(?:and|&|plus|as well as)\s+)(?:also )?(?:(?:in|to|for|of) )?{_NAME})*)"
    r"(?: (?:functions|methods|classes|too|as well))?\W*$"
)
_OTHERWISE = re.compile(r"(?i)[.;:]\s|\b(?:as|because|like|since|so|that|than|which|who|is|are|was|were|\w+ed|done)\b")
"""What makes a name that is told as a place one that is only spoken of."""


def told_elsewhere(steps: Sequence[str], region: Region, base: Text) -> str:
    """That a step is to be done in a function outside the region, or "".

    Args: steps: what is asked for; the one place of one step alone is looked for elsewhere. base: the file.
    """
    told = [places for step in steps if (places := _places(step))]
    symbols = outline(base.lines) if told else ()
    for places in told:
        named = [(name, found) for name in places if (found := list(_named(name, symbols)))]
        if len(steps) == 1 and len(named) < 2:
            continue
        for name, found in named:
            if not any(one.start_line <= region.end_line and region.start_line <= one.end_line for one in found):
                return f"one place at a time: {name} is not in {where(region)}; ask for the edit there on its own"
    return ""


def _places(step: str) -> list[str]:
    """The names told at the end of a step as where it is to be done."""
    found = _WHERE.search(step)
    if not found or opening(step)[0] not in VERBS or _OTHERWISE.search(step[: found.start()]):
        return []
    return [name.strip("`").removesuffix("()") for name in re.findall(_NAME, found["names"])]


def _named(name: str, symbols: Sequence[Symbol]) -> Iterator[Symbol]:
    """The functions and classes of a name, which may be the last of its parts."""
    return (one for one in symbols if f".{one.name}".endswith(f".{name}"))
