"""What words ask for besides: "print to stderr and return 1" leaves the function right behind what is done first."""

import re
from collections.abc import Iterator, Sequence

from spark_tui.editing.linediff import line_changes
from spark_tui.editing.numbers import SIGNED
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import places

AND_RETURN = re.compile(
    r"(?i)^\W*(?P<first>(?:please |just )*(?:print|log|write|close|save|show|warn|set|call|send|flush)\b[^.;]*?)"
    rf" and (?:then )?return `?(?P<value>{SIGNED}|None|True|False|'[^']*'|\"[^\"]*\")`?"
    r"(?: instead| then| there)?\W*$"
)


def with_return(before: Snippet, after: Sequence[str], value: str) -> Iterator[list[str]]:
    """The lines with an edit that changes one simple statement, and a return behind that; none where it goes on there.

    Args: after: the lines with the edit alone.
    """
    changes = list(line_changes(list(before.lines), list(after)))
    found = [one for one in places(Snippet(tuple(after))) if not hasattr(one.node, "body")]
    changed = [
        one for one in found if len(changes) == 1 and one.first <= changes[0][2] and changes[0][3] <= one.last + 1
    ]
    for place in changed[:1]:
        behind = place.block[place.index + 1 :]
        own = next((one for one in found if behind and one.node is behind[0]), None)
        new = f"{place.indent}return {value}"
        if not behind and place.function and not place.in_loop:
            yield [*after[: place.last + 1], new, *after[place.last + 1 :]]
        elif own and re.match(r"\s*return\b", after[own.first]):
            yield [*after[: own.first], new, *after[own.last + 1 :]]
