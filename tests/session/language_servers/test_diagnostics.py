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


PLACE = {"start": {"line": 1}}


@pytest.mark.parametrize(
    ("item", "line"),
    [
        ({"range": PLACE, "message": "no b"}, 1),
        ({"range": PLACE, "severity": None, "message": "no b"}, 1),
        ({"range": PLACE, "severity": "high", "message": "no b"}, 1),
        ({"range": PLACE, "severity": [], "message": {"kind": "markdown", "value": "no b"}}, 1),
        ({"range": None, "severity": 1, "message": "no b"}, 0),
        ({"severity": 1, "message": "no b"}, 0),
        ({"range": {"start": {"line": -1}}, "severity": 1, "message": "no b"}, 0),
        ({"range": {"start": {"line": None}}, "severity": 1, "message": "no b"}, 0),
        ({"range": {"start": {"line": 10**9}}, "severity": 1, "message": "no b"}, 2),
    ],
)
def test_what_may_be_an_error_counts_wherever_it_is_said_to_be(
    item: dict[str, object], line: int
) -> None:
    assert read_faults([item], 3, ()) == (TypeFault(line, "", "no b"),)


@pytest.mark.parametrize("message", [None, "", " ", 5, {"kind": "markdown"}])
def test_an_error_without_words_is_an_error(message: object) -> None:
    item = {"range": PLACE, "severity": 1, "message": message}
    assert read_faults([item], 3, ()) == (TypeFault(1, "", "an error without words"),)


@pytest.mark.parametrize(
    "items",
    [
        *(None, {}, "text", [None], [[]], [{}]),
        [{"range": PLACE, "severity": 2, "message": "a warning"}],
        [{"range": PLACE, "severity": 4, "message": "a hint"}],
        [{"range": PLACE, "tags": [1], "message": "x is not used"}],
    ],
)
def test_what_is_no_error_does_not_count(items: object) -> None:
    assert read_faults(items, 3, ()) == ()
