"""Which errors an edit adds."""

import pytest

from spark_tui.session.language_servers.diagnostics import TypeFault, added_faults, read_faults

BASE = ["a", "b", "c"]
OLD = TypeFault(1, "attribute", "no b")


@pytest.mark.parametrize(
    ("proposed", "after", "added"),
    [
        (["x", "a", "b", "c"], [TypeFault(2, "attribute", "no b")], []),
        (["a", "c", "b"], [TypeFault(2, "attribute", "no b")], []),
        (["A", "b", "c"], [TypeFault(1, "attribute", "no b in A")], []),
        (["a", "B", "c"], [TypeFault(1, "attribute", "no B")], [TypeFault(1, "attribute", "no B")]),
        (["a", "b", "c"], [OLD, TypeFault(1, "call", "f")], [TypeFault(1, "call", "f")]),
        (
            ["a", "b", "b"],
            [OLD, TypeFault(2, *("attribute", "no b"))],
            [TypeFault(2, "attribute", "no b")],
        ),
        (["a", "c"], [], []),
    ],
    ids=["above", "moved", "other words", "other line", "other kind", "twice", "gone"],
)
def test_only_what_the_base_did_not_have_is_added(
    proposed: list[str], after: list[TypeFault], added: list[TypeFault]
) -> None:
    assert list(added_faults([OLD], BASE, after, proposed)) == added


def test_errors_are_read_in_order_and_long_ones_are_cut() -> None:
    items = [
        {"range": {"start": {"line": 2}}, "severity": 1, "code": 7, "message": "m" * 500},
        {"range": {"start": {"line": 0}}, "severity": 1, "message": "first\nsecond"},
        {"range": {"start": {"line": 1}}, "severity": 2, "message": "a warning"},
        {"range": {"start": {"line": 1}}, "severity": 1, "code": "import", "message": "no module"},
    ]
    first, last = read_faults(items, 3, {"import"})
    assert str(first) == "line 1: first"
    assert (last.line, last.code, len(last.message)) == (2, "7", 160)


@pytest.mark.parametrize("items", [None, {}, "text", [None], [[]]])
def test_what_is_no_list_of_diagnostics_holds_no_error(items: object) -> None:
    assert read_faults(items, 3, ()) == ()
