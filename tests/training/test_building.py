"""`spark train data` and `fetch`, as typed."""

import gzip
import json
from pathlib import Path

import pytest

from spark_tui.editing.formats.quoted import apply_quoted
from spark_tui.errors import UsageError
from spark_tui.training import dataset
from spark_tui.training.dataset import own, remarks_on, shipped
from spark_tui.training.references import (
    PYTHON,
    ReferenceCase,
    folder_name,
    read_cases,
    read_references,
)
from spark_tui.training.rows import read_regions
from tests.blind_cases import BLIND
from tests.cli.conftest import Spark, spark, state
from tests.training.made_up import ORIGINAL, PLANTED, asked, planted, unpacked, write_references

__all__ = ["spark", "state"]


@pytest.fixture
def packages(state: Path, tmp_path: Path) -> Path:
    """Where spark looks for packages."""
    return tmp_path / "xdg_cache_home" / "spark" / "packages"


@pytest.fixture
def references(tmp_path: Path) -> Path:
    path = tmp_path / "x.jsonl"
    write_references(path, planted(asked("thanks")))
    return path


@pytest.fixture
def out_of_reach(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spark_tui.training.dataset._fetch_wheel", lambda *_: "no route")


def test_requests_are_written_with_their_code_and_what_becomes_of_it(
    spark: Spark, packages: Path, references: Path, tmp_path: Path
) -> None:
    unpacked(packages)
    out = tmp_path / "runs" / "all.jsonl"
    done = spark("train", "data", "--references", references, "--out", out)
    assert (done.code, done.out) == (0, "")
    assert f"{out}: 1 regions, 2 requests\n" in done.err
    assert [json.loads(line) for line in out.read_text().splitlines()] == [
        {
            "path": "fruit/prices.py",
            "code": "\n".join(PLANTED),
            "requests": [
                {"words": "no discount for many", "after": "\n".join(ORIGINAL), "selected": [3, 3]},
                {"words": "thanks", "edits": []},
            ],
        }
    ]
    told = json.loads((tmp_path / "runs" / "all.summary.json").read_text())
    assert told == {
        "regions": {"": 1, "held": 0},
        "requests": {"": 2, "held": 0},
        "packages": {"Fruit-Shop 1.0": 1},
        "missing": {},
    }


def test_code_kept_for_evaluation_is_not_trained_on(
    spark: Spark, packages: Path, references: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unpacked(packages)
    monkeypatch.setattr(dataset, "leaks", lambda lines: lines == PLANTED)
    assert (
        spark("train", "data", "--references", references, "--out", tmp_path / "all.jsonl").code
        == 0
    )
    assert (tmp_path / "all.jsonl").read_text() == ""


CONVERSATION = """\
########
=== a.py
def f():
    return 0
***
--- count from one
<<<<
    return 0
====
    return 1
>>>>
"""


def test_what_a_checkout_holds_is_written_to_files_of_their_own(
    spark: Spark, packages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unpacked(packages)
    monkeypatch.setattr(dataset, "SHIPPED", tmp_path)
    for name in dataset.WRITTEN:
        write_references(tmp_path / name, planted(asked(name)))
    _write_lines(tmp_path / dataset.OWN, {"path": "a.go", "code": "b", "requests": []})
    _write_lines(
        tmp_path / dataset.REMARKS,
        ["a", 0, "leave it"],
        ["a", 1, "change it"],
        ["b", 0, "fine as it is"],
    )
    (tmp_path / dataset.CONVERSATIONS).write_bytes(gzip.compress(CONVERSATION.encode()))
    monkeypatch.setattr(dataset, "HELD_CONVERSATIONS", 1 << 40)
    assert spark("train", "data", "--out", tmp_path / "all.jsonl").code == 0

    def words(name: str) -> list[list[str]]:
        rows = [json.loads(line) for line in (tmp_path / name).read_text().splitlines()]
        return [[one["words"] for one in row["requests"]][-2:] for row in rows]

    bug = "no discount for many"
    assert words("all.jsonl") == [*([bug, name] for name in dataset.WRITTEN), []]
    assert words("all.remarks.jsonl") == [["leave it", "fine as it is"]]
    assert ["count from one"] in words("all.conversations.jsonl")
    assert words("all.conversations.held.jsonl") == []
    assert (tmp_path / "all.again.jsonl").exists()
    named = dataset.WRITTEN[0]
    assert (
        spark(
            "train", "data", "--references", tmp_path / named, "--out", tmp_path / "named.jsonl"
        ).code
        == 0
    )
    assert words("named.jsonl") == [[bug, named]]


def _write_lines(path: Path, *rows: object) -> None:
    path.write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode()))


def test_every_remark_is_said_once_of_code_that_is_always_the_same() -> None:
    lines = [{"path": "x.py", "code": f"x = {n}", "requests": []} for n in range(2000)]
    found = remarks_on(lines)
    said = [one for row in found for one in row["requests"]]
    assert found == remarks_on(lines)
    assert len({row["code"] for row in found}) == len(found) < 1000
    assert len(said) > 3000
    assert all(one["words"].strip() and one["edits"] == [] for one in said)


@pytest.mark.usefixtures("out_of_reach", "packages")
def test_offline_it_says_what_is_missing_and_writes_nothing(
    spark: Spark, references: Path, tmp_path: Path
) -> None:
    done = spark("train", "data", "--references", references, "--out", tmp_path / "all.jsonl")
    assert done.code == 1
    assert "could not be downloaded: Fruit-Shop 1.0; " in done.err
    assert "(no route)" in done.err
    assert not (tmp_path / "all.jsonl").exists()


@pytest.mark.usefixtures("out_of_reach", "packages")
def test_what_is_there_can_be_had_without_the_rest(
    spark: Spark, references: Path, tmp_path: Path
) -> None:
    done = spark(
        "train", "data", "--references", references, "--out", tmp_path / "all.jsonl", "--partial"
    )
    assert done.code == 0
    assert "Fruit-Shop 1.0: 1 region missing: the package is not there" in done.err
    assert (tmp_path / "all.jsonl").read_text() == ""


def test_code_that_is_another_now_is_named_and_left_out(
    spark: Spark, packages: Path, tmp_path: Path
) -> None:
    unpacked(packages)
    write_references(tmp_path / "x.jsonl", planted(), planted(found=["other"]))
    done = spark(
        "train", "data", "--references", tmp_path / "x.jsonl", "--out", tmp_path / "all.jsonl"
    )
    assert done.code == 0
    assert "Fruit-Shop 1.0: 1 region missing: no such lines at fruit/prices.py:4" in done.err
    assert len((tmp_path / "all.jsonl").read_text().splitlines()) == 1


def test_packages_of_cases_are_fetched(
    spark: Spark, packages: Path, references: Path, out_of_reach: None
) -> None:
    assert spark("train", "fetch", references).code == 1
    unpacked(packages)
    assert spark("train", "fetch", references).code == 0


def test_cases_are_built_from_the_package_with_all_that_is_right(tmp_path: Path) -> None:
    write_references(tmp_path / "x.jsonl", planted())
    (case,) = read_cases([tmp_path / "x.jsonl"], unpacked(tmp_path))
    assert case == ReferenceCase(
        "f-1", "no discount for many", PLANTED, (2, 2), (ORIGINAL,), bug=True, path="prices.py"
    )


def test_cases_without_their_code_say_how_to_get_it(references: Path, tmp_path: Path) -> None:
    with pytest.raises(
        UsageError, match=r"Fruit-Shop 1\.0: .* is not there\); run `spark train fetch \S*x\.jsonl`"
    ):
        read_cases([references], tmp_path / "packages")


def test_all_shipped_references_have_words_and_a_package() -> None:
    every = [one for path in shipped() for one in read_references(path)]
    assert len(every) > 22_000
    assert sum(len(one.requests) for one in every) > 44_000
    assert all(request["words"].strip() for one in every for request in one.requests)
    assert all(one.place.package and one.place.first for one in every)
    assert len({folder_name(one.place.package, one.place.version) for one in every}) > 100
    assert any(one.place.package == PYTHON for one in every)


def test_no_code_is_of_a_package_that_is_kept_for_evaluation() -> None:
    packages = {one.place.package.lower() for path in shipped() for one in read_references(path)}
    kept = {
        one.place.package.lower() for path in BLIND.glob("*.jsonl") for one in read_references(path)
    }
    assert len(kept) == 9
    assert not packages & kept


def test_own_requests_fit_their_code(tmp_path: Path) -> None:
    (tmp_path / "own.jsonl").write_text("".join(json.dumps(row) + "\n" for row in own()))
    regions = list(read_regions([tmp_path / "own.jsonl"]))
    asked = [one for region in regions for one in region.asked]
    assert len(asked) > 6000
    assert all(
        apply_quoted(region.lines, script) for region in regions for _, script, _ in region.asked
    )
    nothing = sum(script == ("none",) for _, script, _ in asked) / len(asked)
    assert 0.08 < nothing < 0.25, "fewer teach to change what is not there, more to change nothing"
