import pytest

from spark_tui.editing.codemods.sort_keys import SortKeys
from tests.editing.codemods.tables import listed

PAIRS = [
    ("x = {'b': 1, 'a': 2}", "", "x = {'a': 2, 'b': 1}"),
    ("x = {3, 1, -2}", "", "x = {-2, 1, 3}"),
    ("__all__ = [\n    'b',\n    'a'\n]", "", "__all__ = [\n    'a',\n    'b'\n]"),
    ("x = {\n    2: [\n        1,\n    ],\n    1: 2,\n}", "", "x = {\n    1: 2,\n    2: [\n        1,\n    ],\n}"),
    ("x = dict(b=1, a=2)", "", "x = dict(a=2, b=1)"),
    ("x = (1, 3, 2)", "descending please", "x = (3, 2, 1)"),
    ("x = (1, 3, 2)", "from high to low", "x = (3, 2, 1)"),
    ("x = [A.b, A.a]", "", "x = [A.a, A.b]"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "instruction", "after"), PAIRS)
def test_elements_get_in_order(before: str, instruction: str, after: str) -> None:
    assert listed(SortKeys(), before, instruction) == [after]


@pytest.mark.parametrize(
    "before", ["{1: 1, 2: 2}", "x = {'b': 1, **a}", "[1, 'a']", "x = [\n    2,\n    # one\n    1,\n]", "a = c[2, 1]"]
)  # fmt: skip
def test_what_is_in_order_or_cannot_be_stays(before: str) -> None:
    assert listed(SortKeys(), before) == []


def test_the_words_say_which() -> None:
    before = "names = ['b', 'a']\nkeys = {'b': 1, 'a': 2}\n"
    assert len(listed(SortKeys(), before)) == 3
    assert listed(SortKeys(), before, "sort names") == ["names = ['a', 'b']\nkeys = {'b': 1, 'a': 2}\n"]
    assert listed(SortKeys(), before, "sort the dict") == ["names = ['b', 'a']\nkeys = {'a': 2, 'b': 1}\n"]
