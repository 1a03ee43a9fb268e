import pytest

from tests.editing.codemods.results import results

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
