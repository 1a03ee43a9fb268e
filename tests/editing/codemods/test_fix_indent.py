import pytest

from tests.editing.codemods.results import results

LOOP = "for x in xs:\n    a(x)\n    b(x)"
AFTER = "for x in xs:\n    a(x)\nb(x)"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (LOOP, [AFTER]),
        (AFTER, [LOOP]),
        ("if x:\n    a()\nelse:\n    b()\nc()", ["if x:\n    a()\nelse:\n    b()\n    c()"]),
        ("if x:\n    a()\n    # why\n    b(\n        1,\n    )", ["if x:\n    a()\n# why\nb(\n    1,\n)"]),
        ("for x in xs:\n    a()\n    return x", ["for x in xs:\n    a()\nreturn x"]),
        ("for x in xs:\n    a()\n    break", []),
        ("if x:\n    return 1\nb()", []),
        ("if x:\n    a()\n    return 1\nb()", []),
        ('if x:\n    a()\n    b("""\n    """)', []),
        ("if x: a()\nb()", []),
        ("a()\nb()", []),
    ],
)
def test_statements_move_in_and_out(before: str, after: list[str]) -> None:
    assert results("fix_indent", before) == after


def test_several_statements_move_together() -> None:
    before = "while x:\n    a()\n    b()\n    c()"
    assert results("fix_indent", before) == [
        "while x:\n    a()\n    b()\nc()",
        "while x:\n    a()\nb()\nc()",
    ]
