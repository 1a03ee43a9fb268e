"""The repository holds references; the code comes back from the packages, to the byte, or not
at all.
"""

import json
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from spark_tui.errors import UsageError
from spark_tui.training.references import (
    MissingStretch,
    Operation,
    ReferencedLines,
    applied,
    from_json,
    missing_by_package,
    read_references,
    resolve,
)
from tests.training.made_up import (
    ORIGINAL,
    PLANTED,
    asked,
    place,
    planted,
    unpacked,
    write_references,
)

LINES = ("def f(x):", "    if x:", "        return x", "", "    return 0")


def resolved(row: dict[str, Any], folder: Path) -> ReferencedLines:
    write_references(folder / "x.jsonl.gz", row)
    (region,) = resolve(read_references(folder / "x.jsonl.gz"), unpacked(folder))
    assert isinstance(region, ReferencedLines)
    return region


def test_a_planted_bug_is_planted_again_and_its_mending_is_the_original(tmp_path: Path) -> None:
    region = resolved(planted(asked("thanks"), asked("again", ["D", 1, 3])), tmp_path)
    assert (region.place, region.lines) == (place(), PLANTED)
    assert [one.afters for one in region.asked] == [(ORIGINAL,), (), ((PLANTED[0], PLANTED[4]),)]
    assert (region.asked[0].words, region.asked[0].selected) == ("no discount for many", (2, 2))
    assert region.asked[0].more == {"id": "f-1", "bug": True}


@pytest.mark.parametrize(
    ("script", "after"),
    [
        ([], LINES),
        ([["R", 1, 2, ["    return x"]]], ("def f(x):", "    return x", "", "    return 0")),
        ([["I", -1, ["@a"]], ["I", 4, [""]]], ("@a", *LINES, "")),
        ([["D", 0, 4]], ()),
        (
            [["IND", 2, 4]],
            ("def f(x):", "    if x:", "            return x", "", "        return 0"),
        ),
        ([["DED", 1, 4]], ("def f(x):", "if x:", "    return x", "", "return 0")),
        ([["S", "x", "y"]], ("def f(y):", "    if y:", "        return y", "", "    return 0")),
        (
            [["S", "x", "y"], ["R", 2, 2, ["        return x + 1"]]],
            ("def f(y):", "    if y:", "        return y + 1", "", "    return 0"),
        ),
        (
            [["I", 1, ["        pass"]], ["R", 1, 1, ["    if not x:"]]],
            ("def f(x):", "    if not x:", "        pass", "        return x", "", "    return 0"),
        ),
        ([["R", 4, 4, [[2]]], ["D", 1, 2]], ("def f(x):", "", "        return x")),
        (
            [["I", 0, [[1, 7, 0, "not ", 8, 1, "x is None:"]]], ["D", 1, 4]],
            ("def f(x):", "    if not xx is None:"),
        ),
    ],
)
def test_each_operation_does_what_it_says_in_any_order(
    script: list[Operation], after: tuple[str, ...]
) -> None:
    for ordered in permutations(script):
        assert applied(LINES, ordered, LINES) == after


def test_a_block_moves_by_the_unit_of_its_region_and_blank_lines_stay() -> None:
    lines = ("\tif a:", "\t\tb", "\t", "\tc")
    assert applied(lines, [["DED", 0, 3]], ()) == ("if a:", "\tb", "\t", "c")
    assert applied(lines, [["IND", 1, 3]], ()) == ("\tif a:", "\t\t\tb", "\t", "\t\tc")


def test_an_operation_of_no_known_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="'X'"):
        applied(LINES, [["X", 0, 1]], ())


def test_a_wrong_hash_is_refused_and_named(tmp_path: Path) -> None:
    wrong = place(["something else"])
    rows = (planted(), planted(found=["something else"]))
    found = list(resolve([from_json(row) for row in rows], unpacked(tmp_path)))
    assert isinstance(found[0], ReferencedLines)
    assert found[1] == MissingStretch(wrong, "hash")
    told = missing_by_package(one for one in found if isinstance(one, MissingStretch))
    assert list(told) == ["Fruit-Shop 1.0"]
    assert "fruit/prices.py:4" in told["Fruit-Shop 1.0"]
    assert wrong.hash in told["Fruit-Shop 1.0"]


def test_a_missing_package_is_named_with_how_much_is_missing(tmp_path: Path) -> None:
    missing = [
        one
        for one in resolve([from_json(planted())] * 2, tmp_path)
        if isinstance(one, MissingStretch)
    ]
    assert missing_by_package(missing) == {
        "Fruit-Shop 1.0": "2 regions missing: the package is not there"
    }


@pytest.mark.parametrize("row", ["{", json.dumps({"package": "x"}), json.dumps([1])])
def test_a_file_of_something_else_is_refused(tmp_path: Path, row: str) -> None:
    (tmp_path / "x.jsonl").write_text(row + "\n")
    with pytest.raises(UsageError, match=r"x\.jsonl"):
        read_references(tmp_path / "x.jsonl")
