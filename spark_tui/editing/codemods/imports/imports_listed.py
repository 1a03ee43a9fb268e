"""Several imports asked for at once, or several that are to go: all of them are meant, or none."""

import re
from collections.abc import Iterator

from spark_tui.editing.codemods.common.said import plain_word
from spark_tui.editing.codemods.imports.usual_imports import is_module, usual_import

_DOTTED = r"[`'\"]?\.*[^\W\d][\w.]*[`'\"]?"
_NAME = r"[`'\"]?[^\W\d][\w.]*(?: as [^\W\d]\w*)?[`'\"]?"
_AND = r"(?:\s*,\s*(?:and\s+)?|\s+and\s+|\s*&\s*|\s+plus\s+)"
_LIST = rf"\(?(?P<names>{_NAME}(?:{_AND}{_NAME})+),?\)?"
_LEAD = r"^\W*(?:(?:please|also|can you|could you|you|we|i|just|now)\s+)*"
_END = r"(?:\s+(?:as well|too|please|also|at the top|here|to the imports|imports?))*\W*$"
_ADD = (
    r"(?:(?:add|insert|needs?(?: to)?|bring in|include|use|import|get)\s+)+"
    r"(?:the\s+)?(?:imports?\s+(?:of\s+|for\s+)?)?"
)
_FROM = rf"(?P<module>{_DOTTED})"
_ASKED = tuple(
    re.compile(_LEAD + words + _END, re.IGNORECASE)
    for words in (
        rf"(?:add\s+)?(?:an?\s+|the\s+)?(?:import\s+)?from\s+{_FROM}\s+import\s+{_LIST}",
        rf"{_ADD}{_LIST}\s+(?:from|of|out of)\s+{_FROM}",
        rf"{_ADD}{_LIST}\s+to\s+(?:the\s+)?(?:imports? (?:of|from)\s+)?{_FROM}(?:\s+imports?)?",
        rf"(?:import|(?:add|insert|needs?)\s+(?:the\s+)?imports?\s+(?:of|for))\s+{_LIST}",
        rf"(?:add|needs?)\s+(?:the\s+)?{_LIST}\s+(?:to the )?imports?",
    )
)
_TO_GO = re.compile(
    r"^\W*(?:please\s+)?(?:remove|delete|drop|get rid of|take out)\s+(?:the\s+)?(?:unused\s+)?"
    rf"(?P<said>imports?\s+(?:of\s+|for\s+)?)?{_LIST}(?P<after>\s+imports?)?\W*$",
    re.IGNORECASE,
)


def lines_listed(instruction: str) -> list[str] | None:
    """The imports of several names that are asked for, a line each; None where no list is told.

    Empty where a name of the list comes from nowhere that is known.
    """
    found = next(filter(None, (pattern.match(instruction) for pattern in _ASKED)), None)
    if found is None:
        return None
    module = (found.groupdict().get("module") or "").strip("`'\"")
    names = list(_names(found["names"]))
    if any(name.islower() and plain_word(name) and not is_module(name) for name in names):
        return None  # "import sys, please" is no list
    if module and module not in ("imports", "file", "top"):
        return [f"from {module} import {name}" for name in names]
    lines = [f"import {name}" if " as " in name else usual_import(name) or "" for name in names]
    return lines if all(lines) else []


def names_to_go(instruction: str) -> tuple[str, ...]:
    """The names whose imports are to go, where several are told; none else. Without "import" they may be anything."""
    found = _TO_GO.match(instruction)
    return tuple(_names(found["names"])) if found else ()


def _names(told: str) -> Iterator[str]:
    return (one.strip("`'\"") for one in re.split(_AND, told))
