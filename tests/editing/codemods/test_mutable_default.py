import pytest

from tests.editing.codemods.results import results

PLAIN = 'def f(a, b=[]):\n    """F."""\n    return b'
A = "    if a is None:\n        a = {}\n"
B = "    if b is None:\n        b = []\n"
TWO = "def f(a={}, *, b: list[int] = []):\n    a[1] = b"


@pytest.mark.parametrize(
    ("before", "instruction", "after"),
    [
        (PLAIN, "", ['def f(a, b=None):\n    """F."""\n    if b is None:\n        b = []\n    return b']),
        (
            TWO,
            "fix `b`",
            [f"def f(a={{}}, *, b: list[int] | None = None):\n{B}    a[1] = b"],
        ),
        (
            TWO,
            "fix both",
            [
                f"def f(a=None, *, b: list[int] | None = None):\n{A}{B}    a[1] = b",
                f"def f(a=None, *, b: list[int] = []):\n{A}    a[1] = b",
                f"def f(a={{}}, *, b: list[int] | None = None):\n{B}    a[1] = b",
            ],
        ),
        ("def f(a=x.deque()): return a", "", []),
        ("def f(a=()):\n    return a", "", []),
        ("def f(a=[]):\n    pass", "", []),
        ("def f(a=[\n    1]):\n    return a", "", []),
    ],
)
def test_a_mutable_default_becomes_none(before: str, instruction: str, after: list[str]) -> None:
    assert results("mutable_default", before, instruction) == after
