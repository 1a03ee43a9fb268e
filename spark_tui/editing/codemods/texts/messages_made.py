"""The message of a check for which none is told, from what it tests: `n < 1` gets "n must be at least 1"."""

import re

from spark_tui.editing.numbers import SIGNED
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import quote

_X = r"(?P<x>[\w.]+)"
_N = rf"(?P<n>{SIGNED})"
_FORMS = tuple(
    (re.compile(pattern), text)
    for pattern, text in (
        (rf"{_X} < 0(?:\.0)?", "{x} must not be negative"),
        (rf"{_X} < {_N}", "{x} must be at least {n}"),
        (rf"{_X} <= 0(?:\.0)?", "{x} must be positive"),
        (rf"{_X} <= {_N}", "{x} must be greater than {n}"),
        (rf"{_X} > {_N}", "{x} must be at most {n}"),
        (rf"{_X} >= {_N}", "{x} must be less than {n}"),
        (rf"{_X} == 0", "{x} must not be zero"),
        (rf"not {_N} <= {_X} <= (?P<m>{SIGNED})", "{x} must be between {n} and {m}"),
        (rf"{_X} < (?P<y>[^\W\d][\w.]*)", "{x} must not be less than {y}"),
        (rf"{_X} > (?P<y>[^\W\d][\w.]*)", "{x} must not be greater than {y}"),
        (rf"not {_X}", "{x} must not be empty"),
        (rf"{_X} is None", "{x} must not be None"),
        (rf"len\({_X}\) != {_N}", "{x} must have exactly {n} elements"),
    )
)
_SHOWING = tuple(
    (re.compile(pattern), text)
    for pattern, text in (
        (rf"{_X} not in \((?P<all>['\"][^()]+)\)", "{x} must be {all}, got {{{path}!r}}"),
        (rf"{_X} not in (?P<y>[^\W\d][\w.]*)", "Unknown {x}: {{{path}!r}}"),
        (rf"{_X} in (?P<y>[^\W\d][\w.]*)", "duplicate {x}: {{{path}!r}}"),
        (rf"not isinstance\({_X}, (?P<y>[\w.]+)\)", "{x} must be {a} {y}, not {{type({path}).__name__}}"),
    )
)
_WHEN_GIVEN = re.compile(r"[\w.]+ is not None and ")


def messages_made(before: Snippet, test: str) -> list[str]:
    """The messages that a check may have, as source, the likeliest first; none for a test that says nothing.

    Args: test: when it raises.
    """
    test = _WHEN_GIVEN.sub("", test, count=1)
    for pattern, text in _FORMS:
        if match := pattern.fullmatch(test):
            told = {name: _spoken(value) for name, value in match.groupdict("").items()}
            return [quote(before, text.format(**told))]
    for pattern, text in _SHOWING:
        if match := pattern.fullmatch(test):
            return [_shown(before, match, text)]
    return []


def _shown(before: Snippet, match: re.Match[str], text: str) -> str:
    told = match.groupdict("")
    kind = _KINDS.get(told.get("y", ""), _spoken(told.get("y", "")))
    fields = {
        "x": _spoken(told["x"]), "path": told["x"], "all": _listed(told.get("all", "")),
        "y": kind, "a": "an" if kind[:1].lower() in "aeiou" else "a",
    }  # fmt: skip
    message = text.format(**fields)
    mark = '"' if "'" in message else quote(before, "")[0]
    return f"f{mark}{message}{mark}"


_KINDS = {"str": "string", "int": "int", "bool": "bool", "dict": "dict"}


def _spoken(path: str) -> str:
    """How a message names a value: by its last name, without what marks it as private; numbers as they are."""
    return path if path[:1] in "-0123456789" else path.rpartition(".")[2].strip("_")


def _listed(choices: str) -> str:
    """'a', 'b', 'c' as 'a', 'b' or 'c'."""
    found = re.findall(r"'[^']*'|\"[^\"]*\"", choices)
    texts = [f"'{one[1:-1]}'" for one in found]
    return " or ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)
