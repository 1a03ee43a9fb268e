"""What words do not want is not brought; what they find missing, or want done otherwise, is."""

import pytest

from spark_tui.context.source import Region
from spark_tui.session.rules.facts import Code
from spark_tui.session.rules.unwanted import unwanted

LINES = ("def load(path):", "    f = open(path)", "    cake = f.read()", "    f.close()", "    return '%s' % cake")
WITH = (LINES[0], "    with open(path) as f:", "        cake = f.read()", LINES[-1])
FORMATTED = (*LINES[:-1], "    return f'{cake}'")
HINTED = ("def load(path: str):", *LINES[1:])
RETURNING = ("def load(path) -> str:", *LINES[1:])
TRIED = (LINES[0], "    try:", *(f"    {line}" for line in LINES[1:]), "    finally:", "        pass")
DECORATED = ("@cache", *LINES)


def of(words: str, after: tuple[str, ...], lines: tuple[str, ...] = LINES) -> str:
    return unwanted(words, Code(words, "load", Region("a.py", 1, 5, "load", None, "", "symbol"), lines, lines), after)


@pytest.mark.parametrize(
    ("words", "after"),
    [
        ("don't open the file", WITH),
        ("you must not use a with", WITH),
        ("no f-strings please", FORMATTED),
        ("do not use an f-string here", FORMATTED),
        ("avoid f-strings", FORMATTED),
        ("no need for a type hint here", HINTED),
        ("there's no need for type annotations", RETURNING),
        ("never try", TRIED),
        ("we should not have decorators", DECORATED),
    ],
)
def test_what_is_not_wanted_is_not_brought(words: str, after: tuple[str, ...]) -> None:
    assert "not wanted" in of(words, after)


@pytest.mark.parametrize(
    ("words", "after"),
    [
        ("don't leave the file open", WITH),
        ("don't open it by hand", WITH),
        ("don't use %, but an f-string", FORMATTED),
        ("no type hint here", HINTED),
        ("no f-string?", FORMATTED),
        ("don't we have to use a with?", WITH),
        ("don't print, use a with", WITH),
    ],
)
def test_what_is_missing_or_wanted_instead_is(words: str, after: tuple[str, ...]) -> None:
    assert of(words, after) == ""


def test_what_is_not_wanted_may_go() -> None:
    assert of("no need for a type hint here", LINES, HINTED) == ""
