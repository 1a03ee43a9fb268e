import pytest

from tests.editing.codemods.results import results


@pytest.mark.parametrize(
    ("before", "instruction", "after"),
    [
        ("def f(x):\n    return x", "it returns a Path or None", ["def f(x) -> Path | None:"]),
        ("def f(\n    x\n):\n    return x", "-> dict[str, int]", ["def f(\n    x\n) -> dict[str, int]:"]),
        ("def f(x):\n    return x == 1", "what does it return?", ["def f(x) -> bool:"]),
        ("def f(x):\n    if x:\n        return 'a'\n    return", "no return type", ["def f(x) -> str | None:"]),
        ("def f():\n    g()", "no return type", ["def f() -> None:"]),
        ("def __len__(self):\n    return g()", "no return type", ["def __len__(self) -> int:"]),
        ("def f():\n    return g()", "no return type", []),
        ("def f():\n    yield 1", "no return type", []),
        ("def f() -> int: ...", "-> str", ["def f() -> str: ...:"]),
    ],
)
def test_functions_get_the_return_type_told_or_seen(before: str, instruction: str, after: list[str]) -> None:
    found = results("add_return_type", before, instruction)
    assert [one.split(":\n    ", 1)[0] + ":" for one in found] == after
