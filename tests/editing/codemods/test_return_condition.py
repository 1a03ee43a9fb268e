import pytest

from tests.editing.codemods.results import results


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("if a == 1:\n    return True\nreturn False", ["return a == 1"]),
        ("if a:\n    return True\nelse:\n    return False", ["return bool(a)"]),
        ("if a < 1 or b:\n    x = False\nelse:\n    x = True", ["x = a >= 1 and not b"]),
        ("x = False\nif isinstance(a, b):\n    x = True", ["x = isinstance(a, b)"]),
        ("f(True if not a else False)", ["f(not a)"]),
        ("if not a:\n    return False\nreturn True", ["return bool(a)"]),
        ("x = False\nif x:\n    x = True", []),
        ("if a:\n    return True  # why\nreturn False", []),
        ("if a:\n    return True\nreturn None", []),
        ("if a:\n    return 1\nelif b:\n    return True\nelse:\n    return False", []),
    ],
)
def test_a_condition_takes_the_place_of_true_and_false(before: str, after: list[str]) -> None:
    assert results("return_condition", before) == after
