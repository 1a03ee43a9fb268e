import pytest

from tests.editing.codemods.results import results


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("if a:\n    x = 1\nelse:\n    x = b", ["x = 1 if a else b"]),
        ("if a:\n    return 1, 2\nreturn b", ["return (1, 2) if a else b"]),
        ("if a:\n    x.y += 1\nelse:\n    x.y += 2", ["x.y += 1 if a else 2"]),
        ("x: int = 0\nif a:\n    x = b", ["x: int = b if a else 0"]),
        ("if a:\n    return True\nreturn False", []),
        ("x = f()\nif a:\n    x = b", []),
        ("x = 0\nif x:\n    x = b", []),
        ("if a:\n    x = 1  # why\nelse:\n    x = b", []),
        ("if a:\n    x = 1\nelse:\n    y = b", []),
        ("if a:\n    x = 1\nelif b:\n    x = 2\nelse:\n    x = 3", []),
    ],
)
def test_two_assignments_or_returns_become_one(before: str, after: list[str]) -> None:
    assert results("to_ternary", before) == after
