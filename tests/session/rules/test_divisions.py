"""A division by zero is avoided by a test, and what comes instead has to be told."""

import pytest

from spark_tui.context.regions import Region
from spark_tui.session.rules.divisions import still_divides
from spark_tui.session.rules.facts import Code

SHARE = "def f(part, whole):\n    return part / whole * 100"


@pytest.mark.parametrize(
    ("words", "after", "why"),
    [
        ("avoid division by zero", SHARE.replace("*", "/"), "“return 0 if whole is 0”"),
        ("never divide by zero", SHARE.replace("100", "10"), "“return 0 if whole is 0”"),
        ("return 0 to avoid division by zero", SHARE.replace("100", "0"), "does not test"),
        ("avoid division by zero", SHARE.replace("    return", "    if not whole:\n        return 0\n    return"), ""),
        ("avoid division by zero", SHARE.replace("whole *", "(whole or 1) *"), ""),
        ("multiply by 10", SHARE.replace("100", "10"), ""),
    ],
)
def test_an_edit_tests_what_is_divided_by(words: str, after: str, why: str) -> None:
    lines = SHARE.split("\n")
    code = Code(words, "a.py", Region("a.py", 1, 2, None, None, "", "file"), lines, lines)
    said = still_divides(words, code, after.split("\n"))
    assert why in said if why else not said
