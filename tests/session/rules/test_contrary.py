"""Edits that bring what is complained of, or undo themselves, are not offered."""

import pytest

from spark_tui.context.source import Region
from spark_tui.session.rules.contrary import contrary
from spark_tui.session.rules.facts import Code

FIND = "def f(items):\n    found = items[-1]\n    return found"
UPPER = "def f(text):\n    return text.upper()"
ADD = "def f(a, b):\n    return a + b"
PATH = "def f(a):\n    return os.path.exists(a)"
COPY = "def f(data):\n    return data.copy()"


def _said(words: str, before: str, after: str) -> str:
    lines = before.split("\n")
    code = Code(words, "a.py:1-5", Region("a.py", 1, len(lines), None, None, "", "symbol"), lines, lines)
    return contrary(words, code, after.split("\n"))


@pytest.mark.parametrize(
    ("words", "before", "wrong", "right", "why"),
    [
        (
            "returns nothing for empty files", FIND, FIND.replace("    f", "    if not items:\n        return\n    f"),
            FIND.replace("[-1]", "[0]"), "returns nothing once more",
        ),
        (
            "it returns an empty list", FIND, FIND.replace("    f", "    if items:\n        return []\n    f"),
            FIND.replace("[-1]", "[0]"), "returns an empty list once more",
        ),
        ("make it lowercase", UPPER, UPPER + ".lower()", UPPER.replace("upper", "lower"), "calls lower on what upper"),
        (
            "use chain(a, b)", ADD, ADD.replace("+ b", "+ chain(a, b)"), ADD.replace("a + b", "chain(a, b)"),
            "takes a in twice",
        ),
        (
            "use pathlib.Path instead of os.path", PATH, PATH.replace("os.path", "pathlib.Path"),
            PATH.replace("os.path.exists(a)", "pathlib.Path(a).exists()"), "pathlib.Path is no module",
        ),
        (
            "use deepcopy", COPY, COPY.replace("copy", "deepcopy"), COPY.replace("data.copy()", "copy.deepcopy(data)"),
            "deepcopy is a function of copy",
        ),
    ],
)  # fmt: skip
def test_what_shows_to_be_wrong_is_not_offered(words: str, before: str, wrong: str, right: str, why: str) -> None:
    assert why in _said(words, before, wrong)
    assert not _said(words, before, right)


@pytest.mark.parametrize(
    "words", ["return nothing for empty files", "returns 0 for empty files, should return nothing", "return early"]
)
def test_what_is_wanted_is_no_complaint(words: str) -> None:
    assert not _said(words, FIND, FIND.replace("    found", "    if not items:\n        return\n    found", 1))
