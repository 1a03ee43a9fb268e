"""The repository holds references; the code comes back from the packages, to the byte, or not at all."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spark_tui.errors import UsageError
from spark_tui.training.places import Missing, Place, folder_name, hash_of
from spark_tui.training.references import (
    Asked,
    Region,
    missing_by_package,
    read_references,
    refer,
    resolve,
    script_between,
    write_references,
)
from spark_tui.training.script import Dedent, Indent, Insert, LineOp, Replace, Substitute, apply_script
from tests.training.made_up import ORIGINAL, PLANTED, asked, place, planted, unpacked

LINE = st.one_of(
    st.sampled_from(["", "    return total", "        return total", "total = fruit.price", "if count > 10:", "x = 1"]),
    st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=30).filter(str.strip),
)
LINES = st.lists(LINE, min_size=1, max_size=12).map(tuple)
SAME_FOLDER = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
"""Each example writes its files anew."""


@given(original=LINES, lines=LINES, afters=st.lists(LINES, max_size=3))
@SAME_FOLDER
def test_what_was_referred_to_comes_back(
    tmp_path_factory: pytest.TempPathFactory,
    original: Sequence[str],
    lines: Sequence[str],
    afters: list[tuple[str, ...]],
) -> None:
    folder = tmp_path_factory.mktemp("packages")
    home = folder / folder_name("made-up", "1")
    home.mkdir()
    (home / "x.py").write_bytes("\n".join(["first", *original, "last"]).encode())
    where = Place("made-up", "1", "x.py", 2, len(original), hash_of(original))
    requests = [Asked("do it", (script_between(tuple(lines), after),), (0, 0), {"id": "1"}) for after in afters]
    path = folder / "references.jsonl.gz"
    write_references(path, [refer(where, tuple(original), tuple(lines), requests)])
    (region,) = resolve(read_references(path), folder)
    assert region == Region(where, tuple(lines), tuple(requests))
    assert isinstance(region, Region)
    assert [region.after(one.scripts[0]) for one in region.asked] == afters


EVERY_KIND: tuple[LineOp, ...] = (
    Insert(-1, ("@cache",)),
    Replace(1, 1, ("    total = count * fruit.price",)),
    Indent(2, 2),
    Dedent(3, 3),
    Substitute("total", "sum"),
)


def test_operations_of_every_kind_come_back(tmp_path: Path) -> None:
    reference = planted(asked("all of it", *EVERY_KIND), asked("thanks"))
    (region,) = resolve([reference], unpacked(tmp_path))
    assert isinstance(region, Region)
    assert [one.scripts for one in region.asked[1:]] == [(EVERY_KIND,), ()]
    assert region.after(EVERY_KIND) == tuple(apply_script(PLANTED, EVERY_KIND))


def test_a_planted_bug_is_planted_again_and_its_mending_is_the_original(tmp_path: Path) -> None:
    (region,) = resolve([planted()], unpacked(tmp_path))
    assert isinstance(region, Region)
    assert region.lines == PLANTED
    assert region.after(region.asked[0].scripts[0]) == ORIGINAL


def test_no_line_of_the_package_is_held(tmp_path: Path) -> None:
    moved = (ORIGINAL[0], "    if count:", *("    " + line for line in ORIGINAL[1:4]), "    return sum", ORIGINAL[4])
    reference = planted(asked("guard it", *script_between(PLANTED, moved)))
    write_references(tmp_path / "x.jsonl", [reference])
    written = (tmp_path / "x.jsonl").read_text()
    assert not [line for line in ORIGINAL if line.strip() in written]
    (region,) = resolve(read_references(tmp_path / "x.jsonl"), unpacked(tmp_path))
    assert isinstance(region, Region)
    assert region.after(region.asked[1].scripts[0]) == moved


def test_a_wrong_hash_is_refused_and_named(tmp_path: Path) -> None:
    wrong = refer(place(("something else",)), ORIGINAL, PLANTED, [asked("do it")])
    found = list(resolve([planted(), wrong], unpacked(tmp_path)))
    assert isinstance(found[0], Region)
    assert found[1] == Missing(wrong.place, "hash")
    told = missing_by_package(one for one in found if isinstance(one, Missing))
    assert list(told) == ["Fruit-Shop 1.0"]
    assert "fruit/prices.py:4" in told["Fruit-Shop 1.0"]
    assert wrong.place.hash in told["Fruit-Shop 1.0"]


def test_a_missing_package_is_named_with_how_much_is_missing(tmp_path: Path) -> None:
    missing = [one for one in resolve([planted(), planted()], tmp_path) if isinstance(one, Missing)]
    assert missing_by_package(missing) == {"Fruit-Shop 1.0": "2 regions missing: the package is not there"}


def test_the_same_references_give_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a.jsonl.gz", "b.jsonl.gz"):
        assert write_references(tmp_path / name, [planted()]) == 1
    assert (tmp_path / "a.jsonl.gz").read_bytes() == (tmp_path / "b.jsonl.gz").read_bytes()


@pytest.mark.parametrize("row", ["{", json.dumps({"package": "x"}), json.dumps([1])])
def test_a_file_of_something_else_is_refused(tmp_path: Path, row: str) -> None:
    (tmp_path / "x.jsonl").write_text(row + "\n")
    with pytest.raises(UsageError, match=r"x\.jsonl"):
        read_references(tmp_path / "x.jsonl")
