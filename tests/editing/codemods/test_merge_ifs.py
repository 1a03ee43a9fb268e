import pytest

from tests.editing.codemods.results import results


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("if a or b:\n    if c:\n        # why\n        d()", ["if (a or b) and c:\n    # why\n    d()"]),
        ("if a:\n    return\nif b:\n    return", ["if a or b:\n    return"]),
        ("if a:\n    c()\nelif b:\n    c()\nelse:\n    d()", ["if a or b:\n    c()\nelse:\n    d()"]),
        (
            "if a:\n    if b:\n        if c:\n            d()",
            [
                "if a and b and c:\n    d()",
                "if a and b:\n    if c:\n        d()",
                "if a:\n    if b and c:\n        d()",
            ],
        ),
        ("if a:\n    b()\nif c:\n    b()", []),
        ("if a:\n    # why\n    if b:\n        c()", []),
        ("if a:\n    if b:\n        c()\n    else:\n        d()", []),
        ("if a:\n    if b:\n        c()\nelse:\n    d()", []),
    ],
)
def test_ifs_that_belong_together_become_one(before: str, after: list[str]) -> None:
    assert results("merge_ifs", before) == after
