"""Wishes of hardly more words than the code that they want are read as that code, at its place."""

import pytest

from tests.editing.codemods.plain.test_plain_requests import changed

KEEP = (
    "def keep(path, names: List[str]) -> Optional[str]:",
    "    for name in names:",
    "        text = name.lower()",
    "    with open(path) as f:",
    "        csv.writer(f).writerows(names)",
    "    os.rename(path, name)",
    "    return text",
)


@pytest.mark.parametrize(
    ("words", "row", "new"),
    [
        ("os.replace instead of rename", 5, "    os.replace(path, name)"),
        ("use os.replace, not rename", 5, "    os.replace(path, name)"),
        ("return text.strip('-')", 6, "    return text.strip('-')"),
        ("newline='' for csv", 3, "    with open(path, newline='') as f:"),
        ("should be str not Optional", 0, "def keep(path, names: List[str]) -> str:"),
        ("names can be any iterable", 0, "def keep(path, names: Iterable[str]) -> Optional[str]:"),
    ],
)
def test_code_that_is_told_goes_where_it_belongs(words: str, row: int, new: str) -> None:
    old, came = changed(words, KEEP)
    assert [one.strip() for one in old] == [KEEP[row].strip()]
    assert [one.strip() for one in came] == [new.strip()]


def test_nothing_there_is_the_one_parameter_that_is_gone_over_being_empty() -> None:
    lines = ("def mean(rows):", "    for row in rows:", "        total += row", "    return total / len(rows)")
    assert changed("return 0.0 if there's nothing", lines)[1] == ["if not rows:", "return 0.0"]
