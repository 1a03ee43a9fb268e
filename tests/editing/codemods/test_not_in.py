import pytest

from spark_tui.editing.codemods.not_in import NotIn
from tests.editing.codemods.table import afters


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("if not x in y: pass", ["if x not in y: pass"]),
        ("f(not (x is None))", ["f(x is not None)"]),
        ("a = not (b or c) in d and e", ["a = (b or c) not in d and e"]),
        ("a = not x == y", []),
        ("a = not x in y in z", []),
        ("a = not x in (\n    y)", []),
    ],
)
def test_the_not_moves_into_the_operator(before: str, after: list[str]) -> None:
    assert afters(NotIn(), before) == after


def test_what_is_looked_for_tells_which() -> None:
    assert afters(NotIn(), "a = not x in y, not z in y", "write z not in") == ["a = not x in y, z not in y"]
