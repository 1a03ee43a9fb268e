"""What a short text may be by mistake: a sign turned, a letter of a date format, a sibling that the words name."""

import calendar
import re
from collections.abc import Iterator

from spark_tui.editing.codemods.bugs.opposites import opposites, opposites_said

_DATES = re.compile(
    r"\b(?:months?|minutes?|hours?|time|dates?|clock|noon|[ap]m|year)\b|\d:\d\d|\d{4}-\d", re.IGNORECASE
)
_DIRECTIVE = re.compile(r"%([MmHhIYyDd])")
_RUN = re.compile(r"(?<![A-Za-z%])(?:H+|h+|M{1,2}|m{1,2}|S+|s+|D{1,2}|d{1,2})(?![A-Za-z])")
_TURNED = {"+": "-", "-": "+", "<": ">", ">": "<"}
_DAYS = [one.lower() for one in (*calendar.day_name, *calendar.month_name) if one]


def strings_near(text: str, instruction: str) -> Iterator[str]:
    """The texts that may be meant in the place of one, the likeliest first."""
    yield from _named(text, instruction)
    yield from opposites(text) if text.isidentifier() else opposites_said(text, instruction)
    if _DATES.search(instruction):
        yield from _formats(text)
    if text != "__main__" and text.strip("_:") == "main":
        yield "__main__"
    if text[:1] in _TURNED:
        yield _TURNED[text[:1]] + text[1:]


def _named(text: str, instruction: str) -> Iterator[str]:
    """Another day or month that is named, or another word with the same beginning before a hyphen or an underscore."""
    said = re.findall(r"(?<![\w-])[A-Za-z][\w-]*", instruction)
    if text.lower() in _DAYS:
        for word in said:
            if word.lower() in _DAYS and word.lower() != text.lower():
                yield word.title() if text[:1].isupper() else word.lower()
    if begins := re.match(r"\w+[-_.]", text):
        for word in said:
            if word != text and word.replace("_", "-").startswith(begins[0].replace("_", "-")):
                yield word.replace("_", "-") if "-" in text else word


def _formats(text: str) -> Iterator[str]:
    """A directive or a run of letters of a date format in the other case."""
    for match in _DIRECTIVE.finditer(text):
        yield text[: match.start(1)] + match[1].swapcase() + text[match.end(1) :]
    if "%" not in text and len(list(_RUN.finditer(text))) > 1:
        for match in _RUN.finditer(text):
            yield text[: match.start()] + match[0].swapcase() + text[match.end() :]
