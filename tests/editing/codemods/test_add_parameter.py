import pytest

from tests.editing.codemods.results import results

CODE = "def load(a, **more):\n    pass"


@pytest.mark.parametrize(
    ("before", "instruction", "signature"),
    [
        (CODE, "add `n: int = 3` to load", "def load(a, n: int = 3, **more):"),
        (CODE, "give load a parameter max_rows, 10 by default", "def load(a, max_rows=10, **more):"),
        (CODE, "add an argument path of type str", "def load(a, path: str, **more):"),
        (CODE, "add the parameter 'mode' defaulting to `'r'`", "def load(a, mode='r', **more):"),
        (CODE, "load should take strict: bool = False", "def load(a, strict: bool = False, **more):"),
        ("def f():\n    pass", "pass limit to it", "def f(limit):"),
        ("def f(\n    a,\n    b=1,\n):\n    pass", "add parameter c=None", "def f(\n    a,\n    b=1,\n    c=None,\n):"),
    ],
)
def test_the_parameter_told_comes_last(before: str, instruction: str, signature: str) -> None:
    found = results("add_parameter", before, instruction)
    assert [one.removesuffix("\n    pass") for one in found] == [signature]


@pytest.mark.parametrize(
    ("before", "instruction"),
    [(CODE, "add a parameter a"), ("x = 1", "add a parameter n"), ("def f(a=1):\n    pass", "add a required n_max")],
)
def test_what_cannot_be_a_parameter_is_not_listed(before: str, instruction: str) -> None:
    assert results("add_parameter", before, instruction) == []
