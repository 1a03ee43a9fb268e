import pytest

from tests.editing.codemods.results import results

TWO = "def load(x):\n    return x\n\ndef save_it(x):\n    pass"


@pytest.mark.parametrize(
    ("before", "instruction", "after"),
    [
        ("def f():\n    pass", "make it async", ["async def f():\n    pass"]),
        ("class A:\n    @b\n    def f(self): ...", "", ["class A:\n    @b\n    async def f(self): ..."]),
        (TWO, "make save_it async", [TWO.replace("def save", "async def save")]),
        (
            TWO,
            "make them async",
            [TWO.replace("def load", "async def load"), TWO.replace("def save", "async def save")],
        ),
        ("async def f():\n    pass", "make f async", []),
        ("def __init__(self):\n    pass", "make it async", []),
        ("x = 1", "make it async", []),
    ],
)
def test_each_plain_function_can_become_a_coroutine(before: str, instruction: str, after: list[str]) -> None:
    assert results("make_async", before, instruction)[:2] == after
