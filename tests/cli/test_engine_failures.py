"""`spark exec` on an engine that fails: one more try, then a plain error, and nothing written."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cli.conftest import Spark
from tests.fakes import edit_script, scripted
from tests.session.test_engine_failures import Breaking, Breaks

FILE = "def total(d):\n    return sum(d)\n"
NEW = "def total(prices):\n    return sum(prices) + 0\n"
ASK = ("exec", "use prices", "--at", "a.py::total")
Repo = Callable[[Mapping[str, str | bytes]], Path]


@pytest.fixture
def use_breaking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Breaks], None]:
    """Makes every model one that breaks."""

    def use(breaks: Breaks) -> None:
        loaded = scripted(tmp_path / "tiny", {ASK[1]: edit_script(FILE, NEW)})
        broken = replace(loaded, model=Breaking(loaded.model, breaks))
        monkeypatch.setattr("spark_tui.engine.loader.find_model", lambda name=None: loaded.path)
        monkeypatch.setattr("spark_tui.engine.loader.load", lambda path, backend=None: broken)

    return use


def test_one_failure_is_told_and_changes_nothing_of_the_patch(
    spark: Spark, repo: Repo, use_breaking: Callable[[Breaks], None]
) -> None:
    folder = repo({"a.py": FILE})
    use_breaking(Breaks())
    calm = spark(*ASK, "-C", folder)
    use_breaking(Breaks(1))
    done = spark(*ASK, "-C", folder)
    assert (done.code, done.out) == (calm.code, calm.out)
    assert "+def total(prices):" in done.out
    assert (
        "spark: the engine failed (out of memory); trying again from the last token\n" in done.err
    )


@pytest.mark.parametrize("at", range(3))
def test_a_second_failure_is_an_error_and_nothing_is_written(
    spark: Spark, repo: Repo, use_breaking: Callable[[Breaks], None], at: int
) -> None:
    folder = repo({"a.py": FILE})
    use_breaking(Breaks(from_=at))
    done = spark(*ASK, "--apply", "-C", folder)
    assert (done.code, done.out) == (1, "")
    *_, last = done.err.splitlines()
    why = "out of memory again: close other programs, or name a smaller model"
    assert (
        last == f"spark: the engine failed again ({why}); nothing was written; name another model"
    )
    assert (folder / "a.py").read_text() == FILE
    assert spark("log", "-C", folder).out == ""


@pytest.mark.parametrize("form", ["json", "stream-json"])
def test_a_program_gets_the_error_as_an_object_and_the_end_of_the_turn(
    spark: Spark, repo: Repo, use_breaking: Callable[[Breaks], None], form: str
) -> None:
    use_breaking(Breaks(from_=1))
    done = spark(*ASK, "--format", form, "-C", repo({"a.py": FILE}))
    body, told = json.loads(done.err), [json.loads(line) for line in done.out.splitlines()]
    assert (done.code, body["status"], body["exit_code"]) == (1, "error", 1)
    assert "the engine failed again" in body["message"]
    assert (told[-1]["status"], told[-1]["message"], told[-1]["patch"]) == (
        "error",
        body["message"],
        "",
    )
    assert [each.get("event", "turn_ended") for each in told].count("turn_ended") == 1
