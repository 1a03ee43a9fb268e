"""What an object for programs holds, as a table for people: a name and a value a line."""

from collections.abc import Iterator, Mapping
from functools import partial
from textwrap import wrap
from typing import Any


def table(body: Mapping[str, Any]) -> list[str]:
    """The lines, within 80 columns; what holds more goes below its name, and what has no value is left out."""
    rows = list(_rows(body, ""))
    width = max(len(name) for name, _ in rows) + 1
    fill = partial(wrap, width=79, subsequent_indent=" " * width, break_long_words=False, break_on_hyphens=False)
    return [line for name, words in rows for line in fill(f"{name:<{width}}{words}")]


def _rows(body: Mapping[str, Any], indent: str) -> Iterator[tuple[str, str]]:
    for key, value in body.items():
        name = indent + key.replace("_", " ")
        if isinstance(value, Mapping):
            yield name, ""
            yield from _rows(value, f"{indent}  ")
        elif value is not None:
            yield name, _words(value)


def _words(value: Any) -> str:
    if isinstance(value, list | tuple):
        return "; ".join(map(_words, value))
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_words(each)}" for name, each in value.items())
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return f"{value:,.0f}" if value >= 1000 or value == int(value) else f"{value:.4g}"
    return str(value)
