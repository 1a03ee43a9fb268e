"""`spark train eval --check`: bugs with a command that accepts what is right, by a model whose words are known."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from spark_tui.engine.backend import Backend
from tests.cli.conftest import Spark
from tests.fakes import Script, edit_script

FIRST = ["def first(items):", "    return items[1]"]
RIGHT = ["def first(items):", "    return items[0]"]
FAR = ["def first(items):", "    return sorted(items, key=str)[-7] or None"]


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    told = {"instruction": "take the first", "before": FIRST, "selected": None, "bug": True}
    rows = [
        {**told, "id": "near", "accept": [RIGHT]},
        {**told, "id": "far", "accept": [FAR]},
        {**told, "id": "no bug", "accept": [RIGHT], "bug": False},
    ]
    path = tmp_path / "cases.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def knowing(use_scripts: Callable[[Mapping[str, Script]], None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_KERNELS", "numpy")
    wrong, right = "\n".join(FIRST), "\n".join(RIGHT)
    use_scripts({"take the first": edit_script(wrong, right), "fix this": edit_script(wrong, wrong.replace("1", "2"))})


@pytest.mark.usefixtures("knowing")
def test_a_bug_is_repaired_when_the_search_gets_to_what_is_right(spark: Spark, cases: Path) -> None:
    done = spark("train", "eval", "--check", "--cases", cases, "--budget", "30", "--json")
    result = json.loads(done.out)
    near, far = result["bugs"]
    assert (done.code, result["cases"], result["budget_seconds"]) == (0, 2, 30)
    assert (near["name"], near["no_hint"]["right"], near["own_words"]["right"]) == ("near", True, True)
    assert near["no_hint"]["checks"] > near["own_words"]["checks"] == 1  # what was written first is right in one alone
    assert near["without_command"] is True
    assert (far["no_hint"]["right"], far["own_words"]["right"], far["without_command"]) == (False, False, False)
    assert [result[key]["repaired"] for key in ("fix_this", "own_words", "own_words_without_command")] == [0.5] * 3


@pytest.mark.usefixtures("knowing")
def test_a_search_ends_with_its_budget(spark: Spark, cases: Path) -> None:
    done = spark("train", "eval", "--check", "--cases", cases, "--budget", "0.001")
    assert "fix this                       0.0%" in done.out
    assert "the right code only" in done.out


def test_a_budget_is_for_a_search(spark: Spark, cases: Path, knowing: None) -> None:
    done = spark("train", "eval", "--cases", cases, "--budget", "5")
    assert (done.code, done.out) == (2, "")
    assert "add --check" in done.err


def test_what_is_measured_computes_as_users_have_it_also_where_nothing_is_compiled_yet(
    spark: Spark, cases: Path, knowing: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    built: list[str] = []
    monkeypatch.setenv("SPARK_KERNELS", "auto")
    monkeypatch.setattr("spark_tui.engine.backend.why_not_compiled", lambda: "")
    monkeypatch.setattr(Backend, "build", lambda backend: built.append(backend.kind))
    done = spark("train", "eval", "--cases", cases)
    assert (done.code, built) == (0, ["auto"])
    assert "compiling" in done.err
