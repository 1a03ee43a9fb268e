import pytest

from spark_tui.editing.codemods.base import Request, applied, listed
from spark_tui.editing.codemods.unused_import import UnusedImport
from spark_tui.editing.snippet import Around, Snippet
from tests.editing.codemods.table import afters

USED = "\n\ndef f():\n    return used"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import a\nimport used", ["import used"]),
        ("from a import b, used", ["from a import used"]),
        ("from a import used, b as c", ["from a import used"]),
        ("from a import (\n    b,  # why\n    used,\n)", ["from a import (\n    used,\n)"]),
        ("from a import (b, used,\n    d)", ["from a import (used,\n    d)"]),
        ("if t:\n    import b\n    import d\nimport used", ["if t:\n    import d\nimport used", "import used"]),
        ("if t:\n    import b\nimport used", ["import used"]),
        ("import used", []),
        ("import used as used; import b", []),
        ("from __future__ import annotations\nimport used", []),
        ("import used, b\n__all__ = ['b']", []),
        ("try:\n    import b\nexcept ImportError:\n    used = 1", []),
    ],
)
def test_a_name_goes_or_its_statement(before: str, after: list[str]) -> None:
    found = afters(UnusedImport(), before + USED)
    expected = [one + USED for one in after]
    assert [one for one in found if one in expected] == expected
    assert bool(found) == bool(after)


def test_the_only_statement_goes_too() -> None:
    assert afters(UnusedImport(), "import a", "remove the import a") == [""]


@pytest.mark.parametrize(
    ("instruction", "selected", "after"),
    [
        ("remove the import of c", None, ["import a\nfrom b import d\n\nx = 1"]),
        ("F401 'b.d' imported but unused", None, ["import a\nfrom b import c\n\nx = 1"]),
        ("drop import a", None, ["from b import c, d\n\nx = 1"]),
        ("drop this", (0, 0), ["from b import c, d\n\nx = 1"]),
        ("drop `from b import c, d`", None, [None, None, "import a\n\nx = 1"]),
        ("remove the unused imports", None, []),
    ],
)
def test_words_and_selection_narrow(
    instruction: str, selected: tuple[int, int] | None, after: list[str | None]
) -> None:
    found = afters(UnusedImport(), "import a\nfrom b import c, d\n\nx = 1", instruction, selected)
    assert len(found) == len(after)
    assert all(one in (None, other) for one, other in zip(after, found, strict=True))


def test_all_of_them_go_where_their_users_are_in_sight() -> None:
    before = "import a\n\nimport b\nimport used" + USED
    assert afters(UnusedImport(), before, "clean up the unused imports") == ["import used" + USED]


def test_of_several_that_are_named_the_one_said_to_be_unused_goes() -> None:
    found = afters(UnusedImport(), "from a import B, C, D", "B, C -> C, B isn't used")
    assert found[0] == "from a import C, D"


def test_at_the_top_of_a_file_of_which_the_rest_is_known_all_that_it_leaves_unused_go() -> None:
    top = Snippet(
        ("import a", "import used", "from b import c, used_too"), Around(unused=frozenset({(0, "a"), (2, "c")}))
    )
    found = listed(UnusedImport(), top, Request("remove the unused imports")) or ()
    assert [applied(top, ops) for ops in found] == [["import used", "from b import used_too"]]


@pytest.mark.parametrize(
    "meant",
    ["import b  # noqa: F401", "import b  # noqa", "from m import b as b", "try:\n    import b\nexcept E:\n    x"],
)
def test_what_is_unused_on_purpose_stays_unless_it_is_named(meant: str) -> None:
    before = f"import a\n{meant}\nimport used{USED}"
    assert afters(UnusedImport(), before, "remove all unused imports") == [before.removeprefix("import a\n")]


@pytest.mark.parametrize("words", ["remove a and b", "drop the unused imports a, b", "remove the b and a imports"])
def test_of_several_that_are_named_all_go(words: str) -> None:
    assert afters(UnusedImport(), f"import a\nimport b\nimport c\nimport used{USED}", words) == [
        f"import c\nimport used{USED}"
    ]


def test_where_one_of_several_that_are_named_is_used_none_goes() -> None:
    assert afters(UnusedImport(), f"import a\nimport used{USED}", "remove a and used") == []
