import pytest

from tests.editing.codemods.results import results


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("if (a or b) and c:\n    # why\n    d()", ["if a or b:\n    if c:\n        # why\n        d()"]),
        ("if a or b:\n    return", ["if a:\n    return\nif b:\n    return"]),
        ("if a or b:\n    c()\nelse:\n    d()", ["if a:\n    c()\nelif b:\n    c()\nelse:\n    d()"]),
        (
            "if a and b and c:\n    d()",
            [
                "if a:\n    if b:\n        if c:\n            d()",
                "if a:\n    if b and c:\n        d()",
                "if a and b:\n    if c:\n        d()",
            ],
        ),
        ("if a and b:\n    c()\nelse:\n    d()", []),
        ("if a and b:  # why\n    c()", []),
        ("if a:\n    c()", []),
        ("if a or b:\n    c()\n    d()\n    e()\n    f()", []),
    ],
)
def test_an_if_over_several_conditions_becomes_several(before: str, after: list[str]) -> None:
    assert results("split_if", before) == after
