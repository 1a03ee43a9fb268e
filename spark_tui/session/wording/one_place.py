"""Which functions the steps of a request name as their places, and that those must be in reach of one another."""

import re
from collections.abc import Iterator, Sequence

from spark_tui.context.regions import Region
from spark_tui.context.symbols import Symbol, outline
from spark_tui.editing.text import Text
from spark_tui.session.answers import where
from spark_tui.session.wording.moving import is_value_in
from spark_tui.session.wording.step_words import VERBS, opening

_NAME = r"`?[^\W\d]\w*(?:\.\w+)*(?:\(\))?`?"
_WHERE = re.compile(
    rf"(?i)(?:\b(?:in|inside|within)|\b(?:docstrings?|hints?|annotations?|comments?"
    rf"|return types?(?: of \S+)?) (?:to|for|of))\s+"
    rf"(?P<names>(?:both )?(?:the (?!\w+\W*$))?(?:(?:function|method|class) )?{_NAME}"
    rf"(?:(?:\s*,\s*(?:and\s+)?|\s+(?:and|&|plus|as well as)\s+)(?:also )?(?:(?:in|to|for|of) )?{_NAME})*)"
    r"(?: (?:functions|methods|classes|too|as well))?\W*$"
)
_OBJECT = re.compile(
    rf"(?i)^\W*(?:please )?(?:annotate|document|make|simplify|turn|(?:add|give) [^,;.:'\"]*"
    rf"\b(?:argument|decorator|guard|logging|param(?:eter)?)s?(?: \S+)? to) "
    rf"(?:the )?(?:(?:function|method|class) )?(?P<name>{_NAME})(?=\s|\W*$)"
)
"""A function that something is made of or given to; it may be a variable as well."""
_OTHERWISE = re.compile(r"(?i)[.;:]\s|\b(?:as|because|like|since|so|that|than|which|who|is|are|was|were|\w+ed|done)\b")
"""What makes a name that is told as a place one that is only spoken of."""


def told_elsewhere(steps: Sequence[str], region: Region, base: Text) -> str:
    """That a step is to be done in a function outside the region, or "".

    Args: steps: what is asked for; the one place of one step alone is looked for elsewhere. base: the file.
    """
    lines = base.lines[region.start_line - 1 : region.end_line]
    told = [places for step in steps if (places := _places(step, lines))]
    symbols = outline(base.lines) if told else ()
    for places in told:
        named = [(name, found) for name in places if (found := list(_named(name, symbols)))]
        if len(steps) == 1 and len(named) < 2:
            continue
        for name, found in named:
            if not any(one.start_line <= region.end_line and region.start_line <= one.end_line for one in found):
                return f"one place at a time: {name} is not in {where(region)}; ask for the edit there on its own"
    return ""


def own_places(steps: Sequence[str], symbols: Sequence[Symbol], lines: Sequence[str]) -> list[Symbol | None]:
    """The one function or class that each step names as its place, if it does. Args: lines: as of `_places`."""
    return [_only(_places(step, lines), symbols) for step in steps]


def _only(names: Sequence[str], symbols: Sequence[Symbol]) -> Symbol | None:
    found = list(_named(names[0], symbols)) if len(names) == 1 else []
    return found[0] if len(found) == 1 else None


def _places(step: str, lines: Sequence[str]) -> list[str]:
    """The names told as where a step is to be done. Args: lines: where the variables are that it may mean."""
    found = _WHERE.search(step)
    if found and not _OTHERWISE.search(step[: found.start()]) and opening(step)[0] in VERBS:
        return [_bare(name) for name in re.findall(_NAME, found["names"])]
    told = _OBJECT.match(step)
    return [_bare(told["name"])] if told and not is_value_in(_bare(told["name"]), lines) else []


def _bare(name: str) -> str:
    return name.strip("`").removesuffix("()")


def _named(name: str, symbols: Sequence[Symbol]) -> Iterator[Symbol]:
    """The functions and classes of a name, which may be the last of its parts."""
    return (one for one in symbols if f".{one.name}".endswith(f".{name}"))
