"""Checks against None that change the hint as well."""

from tests.editing.codemods.results import results

PARSE = "def parse(text: str, n: int) -> int | None:\n    return int(text)"


def test_none_comes_into_the_hint_with_the_check() -> None:
    check = PARSE.replace("    return", "    if text is None:\n        return None\n    return")
    found = results("guard_clause", PARSE, "if text is None return None")
    assert check in found
    assert check.replace("text: str", "text: str | None") in found


def test_a_hint_that_allows_none_stays() -> None:
    before = PARSE.replace("text: str", "text: str | None")
    assert all("text: str | None," in one for one in results("guard_clause", before, "if text is None return None"))
