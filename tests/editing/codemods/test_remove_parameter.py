import pytest

from spark_tui.editing.codemods.remove_parameter import RemoveParameter
from tests.editing.codemods.results import results
from tests.editing.codemods.table import afters

CODE = "def load(a, b=1, *args):\n    return a + args"


@pytest.mark.parametrize(
    ("before", "instruction", "signature"),
    [
        (CODE, "drop b", ["def load(a, *args):"]),
        (CODE, "one is unused", ["def load(a, *args):", "def load(b=1, *args):", "def load(a, b=1):"]),
        ("def f(self, a: int):\n    pass", "a is unused", ["def f(self):"]),
        ("def f(self):\n    pass", "unused", []),
        ("def f(*, a):\n    pass", "unused a", []),
        ("x = lambda a: 1", "drop a", []),
    ],
)
def test_parameters_leave_the_signature(before: str, instruction: str, signature: list[str]) -> None:
    assert [one.split("\n", 1)[0] for one in results("remove_parameter", before, instruction)] == signature


def test_all_that_are_unused_go_at_once() -> None:
    before = "def f(a, b, *, c=1, d=2):\n    return a"
    assert afters(RemoveParameter(), before, "remove the unused parameters") == ["def f(a):\n    return a"]
