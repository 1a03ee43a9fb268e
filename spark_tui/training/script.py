"""Scripts: how references to code write down an edit, and the lines that come of it.

A script is a list of operations, each a list: its code, then its values. Lines are those of the region, counted from 0,
so that the order of operations does not matter; only renamings are done last, on what the others leave.

    ["R", first, last, lines]   lines first..last (inclusive) become these
    ["I", after, lines]         these come in after a line (-1: before everything)
    ["D", first, last]          they go away
    ["IND", first, last]        they move one indentation unit to the right; blank lines stay
    ["DED", first, last]        and to the left
    ["S", old, new]             an identifier is renamed wherever it is used (see editing/identifiers.py)

A new line is text of ours, or [line, start, count, text, ...]: a line already known, and what stands in it for so many
characters from a start on.
"""

from collections.abc import Iterable
from typing import Any

from spark_tui.editing.identifiers import substitute
from spark_tui.editing.layout import layout_of

Lines = tuple[str, ...]
Operation = list[Any]


def applied(lines: Lines, script: Iterable[Operation], known: Lines) -> Lines:
    """What a script makes of the lines of a region.

    Args: lines: without endings. known: the lines that new ones may refer to.
    Raises: ValueError: an operation of no known kind. IndexError: a reference to a line that is not known.
    """
    unit, became, behind = layout_of(lines).unit, [[line] for line in lines], dict[int, list[str]]()
    renamed: list[tuple[str, str]] = []
    for code, *values in script:
        first, last = values[:2]
        match code:
            case "R":
                became[first : last + 1] = [_written(values[2], known), *([] for _ in range(first, last))]
            case "I":
                behind[first] = _written(last, known)
            case "D":
                became[first : last + 1] = ([] for _ in range(first, last + 1))
            case "IND":
                became[first : last + 1] = ([unit + line if line.strip() else line] for line in lines[first : last + 1])
            case "DED":
                became[first : last + 1] = (
                    [line.removeprefix(unit) if line.strip() else line] for line in lines[first : last + 1]
                )
            case "S":
                renamed.append((first, last))
            case _:
                raise ValueError(f"unknown operation {code!r}")
    after = behind.get(-1, [])
    for number, each in enumerate(became):
        after = [*after, *each, *behind.get(number, [])]
    for old, new in renamed:
        after = substitute(after, old, new)
    return tuple(after)


def _written(lines: Iterable[str | list[Any]], known: Lines) -> list[str]:
    return [line if isinstance(line, str) else _spliced(line, known) for line in lines]


def _spliced(held: list[Any], known: Lines) -> str:
    number, *spliced = held
    line: str = known[number]
    text, at = "", 0
    for start, count, new in zip(spliced[::3], spliced[1::3], spliced[2::3], strict=True):
        text += line[at:start] + new
        at = start + count
    return text + line[at:]
