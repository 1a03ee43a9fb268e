"""What a user sees of twenty small tasks: with a right model, a wrong, a stubborn and a malformed
one, what is printed, what it exits with, and what is in the files.
"""

import json
import os
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Done, MakeRepo, Spark
from tests.fakes import git
from tests.providers.scripted_server import serving
from tests.tasks.scripts import DONE, command, edit, stepwise
from tests.tasks.twenty import TASKS, SmallTask
from tests.vcs.repos import write_files

MALFORMED = {
    "no fence": ("I would first read the file.\nread {path} and then change it.\n", "no block"),
    "unknown tool": (command("write {path} everything"), "no block"),
    "broken JSON": ('{"tool": "edit", "path": "{path}", "old": "def', "no block"),
    "two steps": (command("read {path}") + command("list"), "several commands"),
    "no end": ("{path}\n<<<<<<< SEARCH\ndef\n=======\n", "cut off"),
    "flood": ("and on and on " * 20_000, "no block"),
    "empty": (" \n", "the message is empty"),
}
"""What is no step, and what is told of it."""
Run = Callable[..., tuple[Done, Path]]
FIRST = tuple(task for task in TASKS if task.name in {"area", "rename", "unused", "option"})
"""A task of each repository."""


def each(name: str, every: tuple[Any, ...], some: tuple[Any, ...]) -> pytest.MarkDecorator:
    """Some cases in every run, and the others in exhaustive ones."""
    cases = []
    for case in every:
        marks = () if case in some else (pytest.mark.exhaustive,)
        cases.append(pytest.param(case, id=getattr(case, "name", str(case)), marks=marks))
    return pytest.mark.parametrize(name, cases)


@pytest.fixture
def run(spark: Spark, repo: MakeRepo, state: Path) -> Run:
    """Has a model that writes known steps do a task; gives what is printed, and the repository."""

    def run(task: SmallTask, steps: list[str], *options: str) -> tuple[Done, Path]:
        config = Path(os.environ["XDG_CONFIG_HOME"]) / "spark" / "config.toml"
        config.parent.mkdir(parents=True, exist_ok=True)
        folder = repo(task.repository)
        with serving(stepwise(steps)) as server:
            lines = ['model = "big"', "[models.big]", f'base_url = "{server.base_url}"']
            config.write_text("\n".join([*lines, 'model = "m"', "probe = false", ""]))
            done = spark("task", task.words, "--check", task.check, "-C", folder, *options)
        assert not state.is_file()
        return done, folder

    return run


def progress(done: Done) -> list[str]:
    """The lines about steps."""
    return [line for line in done.err.splitlines() if line.startswith("spark: step ")]


def last(done: Done) -> str:
    """What is said of the task at the end."""
    return done.err.splitlines()[-1]


@each("task", TASKS, TASKS)
def test_the_test_of_a_task_fails_before(tmp_path: Path, task: SmallTask) -> None:
    write_files(tmp_path, {path: text.encode() for path, text in task.repository.items()})
    done = subprocess.run(shlex.split(task.check), cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 1


@each("task", TASKS, TASKS)
def test_a_right_model_is_done_and_the_test_that_failed_passes(run: Run, task: SmallTask) -> None:
    done, folder = run(task, [command("list"), task.right, DONE], "--format", "stream-json")
    events = [json.loads(line) for line in done.out.splitlines()]
    body = events[-1]
    assert (done.code, body["status"], body["message"]) == (0, "done", "done in 3 steps")
    assert body["check"] == {"command": task.check, "ok": True, "output": ""}
    assert task.path in [file["path"] for file in body["files"]]
    assert git(folder, "status", "--porcelain") == b""
    checks = [event["check"] for event in events if event["event"] == "step_ended"]
    assert [check and check["ok"] for check in checks] == [None, True, True]


@each("task", TASKS, FIRST)
def test_a_wrong_model_is_told_that_the_test_fails_until_its_steps_are_used_up(
    run: Run, task: SmallTask
) -> None:
    done, folder = run(task, [task.wrong, DONE, command("list"), DONE], "--steps", "4")
    assert done.code == 3
    steps = progress(done)
    assert steps[0].startswith(f"spark: step 1: edit {task.path}")
    assert steps[0].endswith("; the check fails")
    assert steps[1] == f"spark: step 2: done (`{task.check}` fails); the check fails"
    assert "its budget of 4 steps is used up; `spark task resume" in last(done)
    assert "spark task apply" in last(done)
    assert f"diff --git a/{task.path} b/{task.path}" in done.out
    assert git(folder, "status", "--porcelain") == b""


@each("task", TASKS, FIRST)
def test_a_wrong_model_is_not_applied_by_itself(run: Run, task: SmallTask) -> None:
    done, folder = run(task, [task.wrong, DONE], "--apply", "--json")
    body = json.loads(done.out)
    assert (done.code, body["status"], body["applied"]) == (3, "stopped", False)
    assert body["message"] == "the model took the same step 3 times: done"
    assert not body["check"]["ok"]
    assert git(folder, "status", "--porcelain") == b""


@each("task", TASKS, FIRST)
def test_a_stubborn_model_is_stopped_at_the_third_time(run: Run, task: SmallTask) -> None:
    path = "shapes/area.py" if task.name == "circle" else task.path
    done, folder = run(task, [edit(path, "these lines are nowhere\n", "x\n")])
    assert (done.code, done.out) == (3, "")
    steps = progress(done)
    assert len(steps) == 3
    for line in steps:
        assert f"an edit that changed nothing (a block for {path}: its lines occur nowhere" in line
    assert "the model took the same step 3 times: an edit that changed nothing" in last(done)
    assert "apply" not in last(done)
    assert git(folder, "status", "--porcelain") == b""


@each("kind", tuple(MALFORMED), ("broken JSON", "flood", "no end"))
@each("task", TASKS, TASKS[:1])
def test_a_malformed_step_is_told_once_and_the_task_goes_on(
    run: Run, task: SmallTask, kind: str
) -> None:
    step, told = MALFORMED[kind]
    done, folder = run(task, [step.replace("{path}", task.path), task.right, DONE])
    assert done.code == 0
    first, *_ = progress(done)
    assert told in first
    assert first.count(told) == 1
    assert len(first) < 300
    assert "done in 3 steps; `spark task apply" in last(done)
    assert f"diff --git a/{task.path} b/{task.path}" in done.out
    assert git(folder, "status", "--porcelain") == b""


@each("kind", tuple(MALFORMED), ("no fence", "unknown tool"))
def test_a_model_that_writes_no_step_at_all_is_stopped(run: Run, kind: str) -> None:
    step, _ = MALFORMED[kind]
    done, folder = run(TASKS[0], [step.replace("{path}", TASKS[0].path)])
    assert (done.code, done.out) == (3, "")
    assert "the model took the same step 3 times" in last(done)
    assert git(folder, "status", "--porcelain") == b""
