"""One parameter more in a signature, wherever it fits: by name only, last, one a line where the line gets too long."""

import re
from collections.abc import Iterator

from spark_tui.editing.code import MAX_WIDTH, Function, header, is_receiver, parameters
from spark_tui.editing.codemods.common.layout_told import inner_text, one_a_line, top_level
from spark_tui.editing.codemods.common.said import is_expression
from spark_tui.editing.codemods.hints.typing_words import type_of
from spark_tui.editing.signatures import append_parameter, parameter_source
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.trees import parse

_BY_NAME = re.compile(
    r"\bkey ?word[- ]?(?:only|arg\w*)?\b|\bkw-?only\b|\bkwonly\b|\bby keyword\b|\bkwarg\b", re.IGNORECASE
)


def is_hinted(function: Function) -> bool:
    """Whether a function has hints."""
    own = [one for one in parameters(function) if not is_receiver(function, one)]
    return function.returns is not None or any(one.annotation for one in own)


def hinted(source: str) -> str:
    """The source of a parameter with the type that its default gives away."""
    head, _, default = source.partition("=")
    if not default or ":" in head or not is_expression(default.strip()):
        return source
    return parameter_source(head.strip(), type_of(parse(default.strip(), mode="eval").body), default.strip())


def with_parameter(snippet: Snippet, function: Function, source: str, instruction: str) -> Iterator[list[str]]:
    """The lines with the parameter by name only, where that is told, and as any other.

    Args: function: as it stands in the snippet, or stood there before lines below its signature changed.
    """
    spec = function.args
    if _BY_NAME.search(instruction):
        bare = bool(spec.vararg or spec.kwonlyargs)
        if after := _appended(snippet, function, source if bare else f"*, {source}"):
            yield after
        if bare or re.search(r"only\b", instruction):
            return
    if after := _appended(snippet, function, source):
        yield after


def _appended(snippet: Snippet, function: Function, source: str) -> list[str] | None:
    """Args: source: of the parameter, perhaps with `*, ` before it."""
    return append_parameter(snippet, function, source) or _one_a_line(snippet, function, source)


def _one_a_line(snippet: Snippet, function: Function, source: str) -> list[str] | None:
    head = header(snippet, function)
    if head is None:
        return None
    pieces = top_level(inner_text(snippet.lines, head.opening, head.closing))
    if "" in pieces:
        return None
    at = len(pieces) - bool(function.args.kwarg)
    pieces[at:at] = source.split("*, ")[-1:] if not source.startswith("*, ") else ["*", source[3:]]
    lines = one_a_line(snippet.lines, head.opening, head.closing, pieces, snippet.layout.unit)
    return lines if all(len(one) <= MAX_WIDTH for one in lines[head.opening[0] :][: len(pieces) + 2]) else None
