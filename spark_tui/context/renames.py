"""Where a name is renamed: in the function that has it, in its class where it is an attribute, in the whole file."""

import re
from collections.abc import Iterator

from spark_tui.context.source import Region, Source
from spark_tui.context.symbols import Symbol, outermost
from spark_tui.context.wording import is_plain
from spark_tui.editing.codemods.renaming.renaming_keywords import passed
from spark_tui.editing.format import MAX_LINES
from spark_tui.editing.identifiers import uses
from spark_tui.editing.trees import parse
from spark_tui.editing.warned import warnings_as
from spark_tui.errors import Unclear

_NAME = r"[`'\"]?(?P<{}>(?:self\.|cls\.)?[^\W\d]\w*)[`'\"]?"
_OLD, _TO = _NAME.format("old"), r"\s*(?:\b(?:to|as|into)\b|->|=>|\u2192)\s*"
_THING = (
    r"(?:(?:the|my|our|this|that)\s+)?(?:(?:local|loop)\s+)?"
    r"(?:(?:variable|var|name|(?P<thing>(?:instance\s+)?(?:attribute|attr|field)|instance variable))\s+)?"
)
_TOLD = tuple(
    re.compile(words, re.IGNORECASE)
    for words in (
        rf"\brename\s+{_THING}{_OLD}{_TO}\S",
        rf"^\W*{_OLD}\s*(?:->|=>|\u2192)\s*[`'\"]?[^\W\d][\w.]*[`'\"]?\W*$",
        rf"\b(?:change|alter)\s+the\s+name\s+of\s+{_THING}{_OLD}{_TO}\S",
        rf"\bbetter\s+name\s+for\s+{_THING}{_OLD}(?=\W|$)",
        rf"^\W*{_THING}{_OLD}\s+(?:should|could|must|ought to)\s+be\s+(?:called|named|renamed)\b",
        rf"^\W*{_OLD}\s+is\s+a\s+(?:bad|poor|terrible|vague|misleading|confusing|cryptic)\s+name\b",
    )
)
_MOST_LISTED = 4


def name_to_change(instruction: str) -> str | None:
    """The name that is to become another one, `self.` before an attribute; None where none is plainly told."""
    found = next(filter(None, (pattern.search(instruction) for pattern in _TOLD)), None)
    if found is None or is_plain(found["old"]):
        return None
    attribute = found.groupdict().get("thing") and "." not in found["old"]
    return f"self.{found['old']}" if attribute else found["old"]


def home_of(name: str, source: Source, instruction: str) -> Region | None:
    """Where the whole of a name is that is no function's or class's own; None where that cannot be told.

    Of several functions that have one of their own, the one that the instruction names is meant.

    Raises: Unclear: none of them is named, or the name is in more lines than are edited at once.
    """
    if not source.is_python or source.named((name.rpartition(".")[2],)):
        return None
    rows = list(_rows(name, source))
    homes = _classes(rows, source) if "." in name else _functions(rows, source)
    if len(homes) > 1:
        said = {word for word in re.findall(r"\w+", instruction) if word != name}
        homes = {one: None for one in homes if one and one.name.rpartition(".")[2] in said} or homes
    if len(homes) == 1:
        home = next(iter(homes))
        if home and (whole := _whole(source)) and _is_passed(name, home, source):
            return whole
        return source.of_symbol(home, "name") if home and home.length <= MAX_LINES else _whole(source)
    if len(homes) > 1 and None not in homes:
        told = [f"{source.path}::{one.name}" for one in homes if one]
        shown = ", ".join(told[:_MOST_LISTED]) + (", ..." if len(told) > _MOST_LISTED else "")
        raise Unclear(f"{name} may be that of {shown}; choose one with --at")
    whole = _whole(source) if homes else None
    if homes and not whole:
        raise Unclear(
            f"{name} stands in several parts of {source.path}, which is too long to be edited as one "
            f"({len(source.lines)} lines, at most {MAX_LINES}): rename it in your editor"
        )
    return whole


def _is_passed(name: str, home: Symbol, source: Source) -> bool:
    """Whether calls outside of a function pass by name what may be a parameter of it."""
    text = "\n".join(source.lines)
    if not re.search(rf"\b{re.escape(name)}\s*=(?!=)", text):
        return False
    try:
        with warnings_as("ignore"):
            found = list(passed(parse(text), [(one, name) for one in home.name.split(".")]))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return any(not home.contains(argument.lineno, argument.lineno) for _, argument in found)


def class_around(region: Region, source: Source) -> Region:
    """The class of a method; the region itself where it is none."""
    owner = (region.symbol or "").rpartition(".")[0]
    around = [one for one in source.symbols if one.kind == "class" and one.name == owner]
    fits = [one for one in around if one.contains(region.start_line, region.end_line) and one.length <= MAX_LINES]
    return source.of_symbol(fits[0], "name") if fits else region


def _whole(source: Source) -> Region | None:
    count = len(source.lines)
    return source.region(1, count, "file") if 0 < count <= MAX_LINES else None


def _rows(name: str, source: Source) -> Iterator[int]:
    """The lines (1-based) where a name stands in the code."""
    text, wanted = "\n".join(source.lines), f".{name.rpartition('.')[2]}" if "." in name else name
    row, at = 1, 0
    for use in uses(text) if wanted in text else ():
        if use.name == wanted:
            row, at = row + text.count("\n", at, use.start), use.start
            yield row


def _functions(rows: list[int], source: Source) -> dict[Symbol | None, None]:
    """The outermost functions around lines; None for what is in none."""
    return dict.fromkeys(outermost((one for one in source.symbols if one.kind != "class"), rows))


def _classes(rows: list[int], source: Source) -> dict[Symbol | None, None]:
    """The classes around lines; what is in none is left out."""
    found = outermost((one for one in source.symbols if one.kind == "class"), rows)
    return dict.fromkeys(one for one in found if one)
