"""`spark stats`: the user's own turns by model and week."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from spark_tui.session.telemetry import TaskEnd, Telemetry
from tests.cli.conftest import Spark, UseScripts
from tests.fakes import rename_script

AREA = "def area(w, h):\n    size = w + h\n    return size\n"


@pytest.fixture
def folder(repo: Callable[[Mapping[str, str | bytes]], Path], use_scripts: UseScripts) -> Path:
    use_scripts({"wide": rename_script("w", "width")})
    return repo({"a.py": AREA})


def write_turns(state: Path, *turns: tuple[str, str, float]) -> None:
    """Note turns, each with its day, its model and milliseconds to the first token."""
    state.mkdir(parents=True, exist_ok=True)
    figures = {"total_ms": 100.0, "tokens_per_second": 50.0, "prompt_tokens": 10}
    lines = [
        {"v": 1, "turn": f"{number}", "time": f"{day}T12:00:00+00:00", "model": model}
        | {"status": "ok", "ttft_ms": ttft, "cached_tokens": 0, "generated_tokens": 5}
        | {"shown": 4, "rejected": 1, "batches": {f"b{number}": 2}}
        | figures
        for number, (day, model, ttft) in enumerate(turns)
    ]
    lines.append({"v": 1, "undone": "b0"})
    (state / "turns.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_turns_from_the_shell_are_noted_accepted_and_undone(spark: Spark, folder: Path) -> None:
    assert spark("exec", "wide", "--at", "a.py::area", "--apply", "-C", folder).code == 0
    assert spark("undo", "-C", folder).code == 0

    done = spark("stats", "--json")

    body = json.loads(done.out)
    (group,) = body["models"]
    assert (done.code, body["version"], body["telemetry"]) == (0, 1, True)
    assert (group["turns"], group["statuses"]) == (1, {"ok": 1})
    hunks = group["hunks"]
    assert hunks["shown"] == hunks["accepted"] == hunks["undone"] > 0
    assert group["accept_rate"] == 1.0
    assert group["generated_tokens"] > 0


def test_groups_are_by_week_and_model_the_last_week_first(spark: Spark, state: Path) -> None:
    write_turns(
        state,
        ("2026-11-02", "big", 30.0),
        ("2026-11-08", "big", 10.0),
        ("2026-11-09", "spark-m", 20.0),
        ("2026-11-09", "big", 0.0),
    )
    groups = json.loads(spark("stats", "--json").out)["models"]
    assert [(group["week"], group["model"], group["turns"]) for group in groups] == [
        ("2026-W46", "big", 1),
        ("2026-W46", "spark-m", 1),
        ("2026-W45", "big", 2),
    ]
    assert groups[2]["ttft_ms"] == {"p50": 10.0, "p95": 30.0}
    assert groups[2]["hunks"] == {"shown": 8, "accepted": 4, "rejected": 2, "undone": 2}
    assert groups[0]["ttft_ms"] is None, "no token came"


def test_people_are_shown_a_table(spark: Spark, state: Path) -> None:
    write_turns(state, ("2026-11-02", "big\x1b[31m", 1234.0))
    lines = spark("stats").out.splitlines()
    assert lines[0].split()[:3] == ["week", "model", "turns"]
    assert lines[1].split() == [
        *("2026-W45", "big␛[31m", "1", "4", "2", "(50%)", "1", "2"),
        *("1,234", "ms", "1,234", "ms", "100", "ms", "100", "ms", "50"),
    ]


def write_steps(state: Path, *steps: tuple[str, str, str, bool]) -> None:
    """Note steps, each with its day, its model, its task, and whether the task ended with it."""
    figures = {"seconds": 2.5, "ttft_ms": 200.0, "tokens_per_second": 40.0, "tokens": 1000}
    lines = [
        {"v": 1, "step": task, "time": f"{day}T12:00:00+00:00", "model": model, "ends": ends}
        | {"kind": "done" if ends else "edit", "files": 2}
        | figures
        for day, model, task, ends in steps
    ]
    state.mkdir(parents=True, exist_ok=True)
    with (state / "turns.jsonl").open("a") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)


def test_steps_of_tasks_are_grouped_too(spark: Spark, state: Path) -> None:
    write_turns(state, ("2026-11-02", "big", 30.0))
    write_steps(
        state,
        ("2026-11-02", "big", "a", False),
        ("2026-11-03", "big", "a", True),
        ("2026-11-03", "big", "b", False),
        ("2026-11-09", "big", "b", False),
    )
    body = json.loads(spark("stats", "--json").out)
    assert len(body["models"]) == 1, "a step is no turn"
    last, first = body["tasks"]
    assert (last["week"], last["tasks"], last["done"], last["steps"]) == ("2026-W46", 1, 0, 1)
    assert (first["week"], first["tasks"], first["done"], first["steps"]) == ("2026-W45", 2, 1, 3)
    assert first["kinds"] == {"edit": 2, "done": 1}
    assert (first["files"], first["tokens"], first["seconds"]) == (6, 3000, 7.5)
    assert first["step_ms"] == {"p50": 2500.0, "p95": 2500.0}
    shown = spark("stats").out.splitlines()
    assert shown[2] == ""
    assert shown[3].split()[:8] == [
        *("week", "model", "tasks", "done", "accepted", "rejected", "undone", "steps")
    ]
    assert shown[4].split() == [
        *("2026-W46", "big", "1", "0", "0", "0", "0", "1", "2", "1,000"),
        *("200", "ms", "200", "ms", "2,500", "ms", "2,500", "ms", "40"),
    ]


def test_what_became_of_a_task_counts_with_its_last_step(spark: Spark, state: Path) -> None:
    write_steps(
        state,
        ("2026-11-02", "big", "a", False),
        ("2026-11-09", "big", "a", True),
        ("2026-11-09", "big", "b", True),
        ("2026-11-09", "big", "c", True),
        ("2026-11-09", "big", "d", True),
        ("2026-11-09", "big", "open", True),
    )
    notes = Telemetry(state)
    notes.note_end("a", TaskEnd.PARTLY, "b1")
    notes.note_end("a", TaskEnd.APPLIED, "b2")
    notes.note_end("a", TaskEnd.DROPPED)
    notes.note_end("b", TaskEnd.BRANCH)
    notes.note_end("c", TaskEnd.DROPPED)
    notes.note_end("d", TaskEnd.PARTLY, "b3")
    notes.note_end("of no step", TaskEnd.APPLIED, "b4")
    with (state / "turns.jsonl").open("a") as file:
        file.write('{"v":1,"undone":"b3"}\n{"v":1,"undone":"b1"}\n{"v":1,"ended":"b","end":"?"}\n')

    last, first = json.loads(spark("stats", "--json").out)["tasks"]

    assert (last["accepted"], last["rejected"], last["undone"]) == (3, 1, 1)
    assert last["ends"] == {"applied": 1, "branch": 1, "dropped": 1, "partly": 1}
    assert (first["accepted"], first["rejected"], first["undone"], first["ends"]) == (0, 0, 0, {})
    assert spark("stats").out.splitlines()[1].split()[4:7] == ["3", "1", "1"]


def test_steps_alone_are_a_table_alone(spark: Spark, state: Path) -> None:
    write_steps(state, ("2026-11-02", "big", "a", False))
    done = spark("stats")
    assert (len(done.out.splitlines()), done.err) == (2, "")


def test_without_turns_that_is_said(spark: Spark, state: Path) -> None:
    assert not state.exists()
    done = spark("stats")
    assert (done.code, done.out, done.err) == (0, "", "spark: no turn was noted yet\n")
    assert json.loads(spark("stats", "--json").out)["models"] == []


def test_a_setting_switches_it_off(
    spark: Spark, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARK_TELEMETRY", "false")
    spark("exec", "wide", "--at", "a.py::area", "--apply", "-C", folder)
    spark("undo", "-C", folder)
    done = spark("stats")
    assert done.out == ""
    assert "telemetry = false" in done.err
    assert not json.loads(spark("stats", "--json").out)["telemetry"]


def test_an_undo_says_only_once_that_a_project_is_not_trusted(spark: Spark, folder: Path) -> None:
    spark("exec", "wide", "--at", "a.py::area", "--apply", "-C", folder)
    (folder / ".spark").mkdir()
    (folder / ".spark" / "config.toml").write_text("telemetry = false\n")
    done = spark("undo", "-C", folder)
    assert (done.code, done.err.count("is not read until you trust")) == (0, 1)
    assert json.loads(spark("stats", "--json").out)["models"][0]["hunks"]["undone"] > 0
