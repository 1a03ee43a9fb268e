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


ORDER = "while a:\n    rows.append(a)\n    a = a.next\nrest.sort()"


def test_neighbours_come_in_another_order_where_one_is_told() -> None:
    swapped = "while a:\n    a = a.next\n    rows.append(a)\nrest.sort()"
    assert swapped in results("fix_indent", ORDER, "the first one is in there twice, the last is missing")
    assert swapped not in results("fix_indent", ORDER, "that is one level too deep")
    options = "d = {}\n\nd.update(given)\nif more:\n    d.update(more)"
    wins = "d = {}\n\nif more:\n    d.update(more)\nd.update(given)"
    assert results("fix_indent", options, "what is given has to win over more")[:1] == [wins]
