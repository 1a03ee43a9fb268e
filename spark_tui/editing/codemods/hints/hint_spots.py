"""Where type hints go that functions lack."""

from collections.abc import Iterator, Mapping

from spark_tui.editing.code import Function, header, is_receiver, parameters, start_of
from spark_tui.editing.codemods.common.tidy import Spot
from spark_tui.editing.snippet import Snippet


def bare_names(function: Function) -> list[str]:
    """The parameters without a hint, but for self."""
    return [one.arg for one in parameters(function) if one.annotation is None and not is_receiver(function, one)]


def spots(before: Snippet, function: Function, types: Mapping[str, str]) -> Iterator[Spot]:
    """Where the hints go. `sort` is parameter or return."""
    for one in parameters(function):
        if one.arg not in types or is_receiver(function, one):
            continue
        row, end = start_of(before, one)[0], start_of(before, one)[1] + len(one.arg)
        text, rest = f": {types[one.arg]}", before.lines[row][end:]
        spaced = rest.startswith("=") and not rest.startswith("==")
        yield Spot((row, end), (row, end + spaced), text + " = " if spaced else text, "parameter")
    head = header(before, function) if "return" in types and function.returns is None else None
    if head and head.closing == (head.colon[0], head.colon[1] - 1):
        yield Spot(head.colon, head.colon, f" -> {types['return']}", "return")
