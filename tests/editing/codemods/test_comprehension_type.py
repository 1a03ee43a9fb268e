import pytest

from spark_tui.editing.codemods.comprehension_type import ComprehensionType
from tests.editing.codemods.tables import listed

PAIRS = [
    ("any([x for x in y])", "any(x for x in y)"),
    ("any([\n    f(x) for x in y\n])", "any(\n    f(x) for x in y\n)"),
    ("','.join([f(x) for x in y])", "','.join(f(x) for x in y)"),
    ("set([f(x) for x in y])", "{f(x) for x in y}"),
    ("set(f(x) for x in y)", "{f(x) for x in y}"),
    ("set([1, 2])", "{1, 2}"),
    ("dict([(k, v + 1) for k, v in y])", "{k: v + 1 for k, v in y}"),
    ("list(f(x) for x in y)", "[f(x) for x in y]"),
    ("list(map(lambda x: x + 1, y))", "[x + 1 for x in y]"),
    ("set(filter(lambda x: x > 1, y))", "{x for x in y if x > 1}"),
    ("z = [x for x in y]", "z = list(y)"),
]


@pytest.mark.parametrize(("before", "after"), PAIRS)
def test_the_type_changes(before: str, after: str) -> None:
    assert listed(ComprehensionType(), before)[0] == after


@pytest.mark.parametrize(
    "before", ["set([])", "sum([f(x) for x in y], 1)", "list(map(f, y))", "set([*a])", "[x for x in y if x]"]
)  # fmt: skip
def test_what_would_not_do_stays(before: str) -> None:
    assert listed(ComprehensionType(), before) == []
