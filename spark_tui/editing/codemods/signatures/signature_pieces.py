"""A signature as its parameters one by one, so that they can be given defaults, moved and put behind a star."""

import re
from collections.abc import Mapping, Sequence

from spark_tui.editing.code import MAX_WIDTH, Function, header, parameters, splice
from spark_tui.editing.codemods.base import parses
from spark_tui.editing.codemods.common.layout_told import inner_text, one_a_line, top_level
from spark_tui.editing.codemods.hints.none_hints import with_none
from spark_tui.editing.snippet import Snippet

_ALLOWS_NONE = re.compile(r"(?:typing\.|t\.)?(?:Any|object|Optional\b.*)|.*\bNone\b['\"]?")


def pieces_of(before: Snippet, function: Function) -> list[str]:
    """The source of each parameter in order, `*` and `/` among them; none where comments stand between them."""
    head = header(before, function)
    pieces = top_level(inner_text(before.lines, head.opening, head.closing)) if head else []
    return (
        [" ".join(one.split()) for one in pieces] if all(pieces) and not re.search(r"\n\s*['\"]", str(pieces)) else []
    )


def with_pieces(before: Snippet, function: Function, pieces: Sequence[str]) -> list[str] | None:
    """The lines with a signature of these parameters, where that is Python and fits."""
    head = header(before, function)
    if head is None:
        return None
    flat = splice(before.lines, (head.opening[0], head.opening[1] + 1), head.closing, ", ".join(pieces))
    tall = one_a_line(before.lines, head.opening, head.closing, pieces, before.layout.unit)
    stood = len({one.lineno for one in parameters(function)}) > 1 or head.closing[0] > head.opening[0] + 1
    lines = flat if len(flat[head.opening[0]]) <= MAX_WIDTH and not stood else tall
    return lines if parses(lines) else None


def name_in(piece: str) -> str:
    """The name of the parameter that a piece is."""
    return re.split(r"[:=\s]", piece.lstrip("*"))[0]


def defaulted(before: Snippet, piece: str, value: str) -> str:
    """The piece with a default; None is allowed by its hint then, too."""
    head, hint, _ = parts_of(piece)
    if value == "None" and hint and not _ALLOWS_NONE.fullmatch(hint):
        hint = with_none(before, hint)
    return f"{head}: {hint} = {value}" if hint else f"{head}={value}"


def parts_of(piece: str) -> tuple[str, str, str]:
    """Name, hint and default of a piece."""
    name = name_in(piece)
    rest = piece[len(piece) - len(piece.lstrip("*")) + len(name) :].strip()
    if not rest.startswith(":"):
        return name, "", rest.removeprefix("=").strip()
    hint, _, default = _split_at_equals(rest[1:])
    return name, hint.strip(), default.strip()


def _split_at_equals(text: str) -> tuple[str, str, str]:
    """At the first `=` outside of brackets."""
    depth = 0
    for at, sign in enumerate(text):
        depth += (sign in "([{") - (sign in ")]}")
        if sign == "=" and not depth:
            return text[:at], "=", text[at + 1 :]
    return text, "", ""


def with_defaults(
    before: Snippet, function: Function, values: Mapping[str, str], *, last: bool = False
) -> list[str] | None:
    """The lines with these defaults. Args: last: those parameters go to the end of what is given by position."""
    pieces = pieces_of(before, function)
    new = [defaulted(before, one, values[name_in(one)]) if name_in(one) in values else one for one in pieces]
    return with_pieces(before, function, to_the_end(new, values) if last else new)


def to_the_end(pieces: Sequence[str], names: Mapping[str, str]) -> list[str]:
    """The pieces with those of these names behind all that are given by position."""
    moved = [one for one in pieces if name_in(one) in names and not one.startswith("*")]
    rest = [one for one in pieces if one not in moved]
    at = next((at for at, one in enumerate(rest) if one.startswith("*")), len(rest))
    return [*rest[:at], *moved, *rest[at:]]
