import pytest

from spark_tui.editing.codemods.trailing_comma import TrailingComma
from tests.editing.codemods.tables import listed

PAIRS = [
    ("f(\n    a,\n    b\n)", "f(\n    a,\n    b,\n)"),
    ("x = {\n    'a': (1)  # one\n}", "x = {\n    'a': (1),  # one\n}"),
    ("def f(\n    a,\n    b=(1, 2)\n):\n    pass", "def f(\n    a,\n    b=(1, 2),\n):\n    pass"),
    ("from a import (\n    b\n)", "from a import (\n    b,\n)"),
    ("x = [\n    1,\n]", "x = [\n    1\n]"),
    ("f(a, b, )", "f(a, b)"),
]


@pytest.mark.parametrize(("before", "after"), PAIRS)
def test_the_comma_comes_or_goes(before: str, after: str) -> None:
    assert listed(TrailingComma(), before) == [after]


@pytest.mark.parametrize(
    "before",
    ["f(a,\n  b)", "f(\n    x for x in y\n)", "x = (\n    a,\n)", "x = (a,)", "[\n    x for x in y\n]"],
)  # fmt: skip
def test_where_it_is_needed_or_forbidden_nothing_changes(before: str) -> None:
    assert listed(TrailingComma(), before) == []


def test_the_words_say_whether_it_comes_or_goes() -> None:
    before = "f(\n    a\n)\ng(\n    b,\n)"
    assert listed(TrailingComma(), before, "missing trailing comma") == ["f(\n    a,\n)\ng(\n    b,\n)"]
    assert listed(TrailingComma(), before, "drop the trailing comma") == ["f(\n    a\n)\ng(\n    b\n)"]
