"""What an object for programs holds, as a table for people: a name and a value a line."""

from collections.abc import Mapping
from textwrap import wrap
from typing import Any

_NAMES = 32
"""Characters before a value."""


def table(body: Mapping[str, Any], indent: str = "  ") -> list[str]:
    """The lines, within 80 columns; what holds more goes below its name, and what has no value is left out."""
    lines = list[str]()
    for key, value in body.items():
        name = indent + key.replace("_", " ")
        if isinstance(value, Mapping):
            lines += [name, *table(value, f"{indent}  ")]
        elif value is not None:
            lines += wrap(f"{name:<{_NAMES}} {_words(value)}", 79, subsequent_indent=" " * (_NAMES + 1))
    return lines


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
