import pytest

from tests.editing.codemods.results import results


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("if a == 1:\n    b()\nelse:\n    # why\n    c()", ["if a != 1:\n    # why\n    c()\nelse:\n    b()"]),
        ("if not a:\n    b()\nelse:\n    c()", ["if a:\n    c()\nelse:\n    b()"]),
        ("if a and (b or c):\n    d()\nelse:\n    e()", ["if not (a and (b or c)):\n    e()\nelse:\n    d()"]),
        ("if 0 <= a < 9:\n    b()\nelse:\n    c()", ["if not 0 <= a < 9:\n    c()\nelse:\n    b()"]),
        (
            "if a:\n    b()\nelif (c := d) in e:\n    f()\nelse:\n    g()",
            ["if a:\n    b()\nelif (c := d) not in e:\n    g()\nelse:\n    f()"],
        ),
        ("x = a if b is None else (c or d)", ["x = (c or d) if b is not None else a"]),
        ("if a:\n    b()", []),
        ("if a:\n    b()\nelse:  # why\n    c()", []),
        ("if a: b()\nelse: c()", []),
    ],
)
def test_the_branches_change_places_and_the_condition_its_sense(before: str, after: list[str]) -> None:
    assert results("invert_if", before) == after
