import pytest

from tests.editing.codemods.results import results


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = 1 if a else b", ["if a:\n    x = 1\nelse:\n    x = b"]),
        ("return 1 if a else b", ["if a:\n    return 1\nreturn b"]),
        ("x: int = 1 if a else b", ["if a:\n    x: int = 1\nelse:\n    x = b"]),
        ("x = (\n    1\n    if a\n    else b\n)", ["if a:\n    x = 1\nelse:\n    x = b"]),
        ("x = 1 if a else 2 if b else 3", ["if a:\n    x = 1\nelif b:\n    x = 2\nelse:\n    x = 3"]),
        ("f(x, y=1 if a else 2)", ["if a:\n    f(x, y=1)\nelse:\n    f(x, y=2)"]),
        ("x = 1 if a else b  # why", []),
        ("x = f(1 if a else b)", []),
        ("if c: x = 1 if a else b", []),
    ],
)
def test_a_choice_is_written_out(before: str, after: list[str]) -> None:
    assert results("from_ternary", before) == after
