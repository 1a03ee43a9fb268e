"""`spark task @NAME` with a scripted agent: what it prints, exits with, and goes on from."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from importlib import util
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Done, MakeRepo, Spark
from tests.fakes import git
from tests.tasks.agents.test_agent_task import SCRIPT
from tests.tasks.scripts import CHECK, FILES
from tests.vcs.repos import name_somebody

RIGHT = "def area(w, h):\n    return w * h\n"
Configured = Callable[..., Path]


@pytest.fixture
def configured(repo: MakeRepo, state: Path) -> Configured:
    """Names an agent that plays a scene in the user's configuration; gives the repository."""

    def name(*command: str, more: str = "") -> Path:
        config = Path(os.environ["XDG_CONFIG_HOME"]) / "spark" / "config.toml"
        config.parent.mkdir(parents=True, exist_ok=True)
        args = json.dumps([str(SCRIPT), *command])
        lines = ["[agents.script]", f'command = "{sys.executable}"', f"args = {args}", more, ""]
        config.write_text("\n".join(lines))
        assert not state.is_file()
        return repo(FILES)

    return name


def body_of(done: Done) -> dict[str, Any]:
    """The object that a command printed last."""
    body: dict[str, Any] = json.loads(done.out.splitlines()[-1])
    return body


@pytest.mark.parametrize("words", [["@script", "mend the area"], ["@script mend the area"]])
def test_an_agent_works_and_the_patch_is_printed(
    spark: Spark, configured: Configured, words: list[str]
) -> None:
    folder = configured("right")
    done = spark("task", *words, "-C", folder)
    assert done.code == 0, done.err
    assert "-    return w + h\n+    return w * h\n" in done.out
    lines = [line for line in done.err.splitlines() if "bubblewrap" not in line]
    assert lines[:-1] == [
        "spark: @script works on the task: A Script 1.0",
        "spark: [x] look",
        "spark: [>] mend",
        "spark: @script: I look first.",
        "spark: step 1: read area.py",
        "spark: step 2: edit area.py",
        "spark: @script: It is mended.",
        "spark: step 3: done",
    ]
    assert "done in 3 steps; `spark task apply" in lines[-1]
    assert git(folder, "status", "--porcelain") == b""


@pytest.mark.parametrize(
    ("scene", "why"),
    [
        (["login"], "wants you to log in"),
        (["version", "9"], "speaks version 9"),
    ],
)
def test_a_task_whose_agent_never_began_is_not_kept(
    spark: Spark, configured: Configured, scene: list[str], why: str
) -> None:
    folder = configured(*scene)
    done = spark("task", "@script", "mend the area", "-C", folder)
    assert done.code == 1
    assert why in done.err
    assert "task resume" not in done.err
    body = body_of(spark("task", "@script", "mend the area", "--json", "-C", folder))
    assert body["status"] == "failed"
    assert why in body["message"]
    assert "task resume" not in body["message"]
    assert json.loads(spark("task", "list", "--json", "-C", folder).out)["tasks"] == []


def test_what_an_agent_did_is_applied_undone_and_dropped(
    spark: Spark, configured: Configured, state: Path
) -> None:
    folder = configured("right")
    done = spark("task", "@script", "mend", "--apply", "--json", "-C", folder)
    body = body_of(done)
    assert (done.code, body["status"], body["applied"], body["model"]) == (
        0,
        "done",
        True,
        "@script",
    )
    assert (body["tokens"], body["cost"]) == (10, 0.25)
    assert (folder / "shapes/area.py").read_text() == RIGHT
    assert spark("undo", "-C", folder).code == 0
    assert git(folder, "status", "--porcelain") == b""
    assert list(state.rglob("*.agent.log"))
    assert spark("task", "drop", body["id"], "-C", folder).code == 0
    assert not list(state.rglob("*.agent.log"))


def test_the_steps_and_the_end_of_an_agent_s_task_are_noted(
    spark: Spark, configured: Configured, state: Path
) -> None:
    folder = configured("right")
    body = body_of(spark("task", "@script", "mend the area", "--json", "-C", folder))

    def noted() -> dict[str, Any]:
        (group,) = body_of(spark("stats", "--json"))["tasks"]
        assert isinstance(group, dict)
        return group

    group = noted()
    assert (group["model"], group["tasks"], group["done"], group["tokens"]) == ("@script", 1, 1, 10)
    assert group["kinds"] == {"read": 1, "edit": 1, "done": 1}
    assert (group["files"], group["accepted"], group["undone"]) == (1, 0, 0)
    assert spark("task", "apply", body["id"], "-C", folder).code == 0
    assert (noted()["ends"], noted()["undone"]) == ({"applied": 1}, 0)
    assert spark("undo", "-C", folder).code == 0
    assert (noted()["accepted"], noted()["undone"]) == (1, 1)
    assert spark("redo", "-C", folder).code == 0
    assert noted()["undone"] == 0
    lines = (state / "turns.jsonl").read_text()
    for word in ("mend", "area", "shapes", "return"):
        assert word not in lines


@pytest.mark.parametrize(
    ("words", "end", "counts"),
    [("commit", "branch", (1, 0)), ("drop", "dropped", (0, 1))],
)
def test_a_task_that_is_committed_or_dropped_is_noted(
    spark: Spark, configured: Configured, words: str, end: str, counts: tuple[int, int]
) -> None:
    folder = configured("right")
    name_somebody(folder)
    body = body_of(spark("task", "@script", "mend", "--json", "-C", folder))
    done = spark("task", words, body["id"], "-C", folder)
    assert done.code == 0, done.err
    (group,) = body_of(spark("stats", "--json"))["tasks"]
    assert group["ends"] == {end: 1}
    assert (group["accepted"], group["rejected"]) == counts


def test_the_events_of_an_agent_are_lines(spark: Spark, configured: Configured) -> None:
    folder = configured("right")
    done = spark("task", "@script", "mend", "--format", "stream-json", "-C", folder)
    events = [json.loads(line) for line in done.out.splitlines()]
    names = list(dict.fromkeys(event["event"] for event in events))
    assert names == [
        "task_started",
        "agent_started",
        "step_started",
        "agent_planned",
        "step_text",
        "tool_progress",
        "step_ended",
        "task_ended",
        "task_result",
    ]
    plan = next(event for event in events if event["event"] == "agent_planned")
    assert plan["items"][0] == {"content": "look", "status": "completed"}


def test_what_the_rules_do_not_allow_is_refused_and_told(
    spark: Spark, configured: Configured
) -> None:
    question = json.dumps({"kind": "execute", "rawInput": {"command": "rm -rf \x1b[2J/"}})
    folder = configured("asks", question)
    done = spark("task", "@script", "mend", "-C", folder)
    assert done.code == 0
    assert "spark: step 1: refused: rm -rf ␛[2J/: nothing may be run in this repo" in done.err
    assert 'spark: @script: ["no"]' in done.err


def test_commands_may_run_in_a_repository_that_is_trusted(
    spark: Spark, configured: Configured
) -> None:
    folder = configured("runs", "echo hello", CHECK)
    config = next(Path(os.environ["XDG_CONFIG_HOME"]).rglob("config.toml"))
    config.write_text('allowed_commands = ["echo"]\n' + config.read_text())
    assert spark("trust", "--yes", "-C", folder).code == 0
    done = spark("task", "@script", "mend", "-C", folder)
    assert '[[{"exitCode": 0, "signal": null}, "hello\\n"], "`python3 test_area.py`' in done.err


def test_a_command_sees_a_variable_that_the_user_allows(
    spark: Spark, configured: Configured, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = configured("runs", "env", CHECK)
    config = next(Path(os.environ["XDG_CONFIG_HOME"]).rglob("config.toml"))
    lines = 'allowed_commands = ["env"]\nallowed_variables = ["DATABASE_URL"]\n'
    config.write_text(lines + config.read_text())
    for name in ("DATABASE_URL", "OTHER_URL"):
        monkeypatch.setenv(name, f"of {name}")
    assert spark("trust", "--yes", "-C", folder).code == 0
    done = spark("task", "@script", "mend", "-C", folder)
    assert "DATABASE_URL=of DATABASE_URL" in done.err
    assert "OTHER_URL" not in done.err


def test_a_repository_allows_its_commands_no_variable(spark: Spark, configured: Configured) -> None:
    folder = configured("runs", "env", CHECK)
    (folder / ".spark").mkdir()
    (folder / ".spark/config.toml").write_text('allowed_variables = ["DATABASE_URL"]\n')
    assert spark("trust", "--yes", "-C", folder).code == 0
    done = spark("task", "@script", "mend", "-C", folder)
    assert "names of variables go in your own config.toml only" in done.err


def test_what_an_agent_says_cannot_steer_the_terminal(spark: Spark, configured: Configured) -> None:
    done = spark("task", "@script", "mend", "-C", configured("malformed"))
    assert done.code == 0
    assert "\x1b" not in done.err
    assert "half ? and � and ␛[2J" in done.err


def test_an_agent_that_dies_leaves_a_task_that_can_be_resumed(
    spark: Spark, configured: Configured
) -> None:
    folder = configured("dies")
    done = spark("task", "@script", "mend", "--json", "-C", folder)
    body = body_of(done)
    assert (done.code, body["status"]) == (1, "failed")
    assert "ended with status 3" in body["message"]
    assert [file["path"] for file in body["files"]] == ["shapes/area.py"]
    more = spark("task", "resume", body["id"], "-C", folder)
    assert more.code == 0
    assert "it takes up its session" in more.err


def test_a_check_runs_no_longer_where_the_repository_is_not_trusted(
    spark: Spark, configured: Configured
) -> None:
    folder = configured("dies")
    body = body_of(spark("task", "@script", "mend", "--check", CHECK, "--json", "-C", folder))
    (folder / ".git/hooks/pre-commit").write_text("#!/bin/sh\n")
    (folder / ".git/hooks/pre-commit").chmod(0o755)
    spark("task", "resume", body["id"], "-C", folder).refuses(1, "spark trust")


def test_an_agent_that_changes_nothing_exits_with_3(spark: Spark, configured: Configured) -> None:
    done = spark("task", "@script", "mend", "-C", configured("stubborn"))
    assert (done.code, done.out) == (3, "")
    assert "the agent changed no file; `spark task resume" in done.err


def test_an_interrupt_cancels_the_turn_and_keeps_what_was_changed(
    configured: Configured,
) -> None:
    folder = configured("waits")
    arguments = ["task", "@script", "mend", "--format", "stream-json", "-C", str(folder)]
    line = [sys.executable, "-m", "spark_tui", *arguments]
    process = subprocess.Popen(line, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert any('"waiting"' in told for told in process.stdout)
    process.send_signal(signal.SIGINT)
    *_, last = process.stdout
    process.wait()
    process.stdout.close()
    body = json.loads(last)
    assert (process.returncode, body["status"]) == (130, "interrupted")
    assert [file["path"] for file in body["files"]] == ["cancelled.txt", "shapes/area.py"]


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["@nobody", "mend"], 2, "there is no agent 'nobody'; the agents are gone, script"),
        (["@gone", "mend"], 2, "there is no program no-such-agent for @gone"),
        (["@script", "mend", "it"], 2, "between quotes"),
        (["@script", ""], 2, "the task is empty"),
        (["@script"], 2, "the task is empty"),
        (["@script", "mend", "-m", "big"], 2, "--model does not go with @script"),
        (["@script", "mend", "--steps", "0"], 2, "--steps 0: choose a number above 0"),
        (["@script", "mend", "--check", "true"], 1, "spark trust"),
    ],
)
def test_what_is_wrong_is_told_before_anything_begins(
    spark: Spark, configured: Configured, arguments: list[str], code: int, told: str
) -> None:
    folder = configured("right", more='[agents.gone]\ncommand = "no-such-agent"')
    (folder / ".git/hooks/pre-commit").write_text("#!/bin/sh\n")
    (folder / ".git/hooks/pre-commit").chmod(0o755)
    spark("task", *arguments, "-C", folder).refuses(code, told)
    assert body_of(spark("task", "list", "--json", "-C", folder))["tasks"] == []


def test_without_the_package_everything_else_works(
    spark: Spark, configured: Configured, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = configured("right")
    find_spec = util.find_spec
    monkeypatch.setattr(
        "spark_tui.tasks.agents.registry.find_spec",
        lambda name: None if name == "acp" else find_spec(name),
    )
    spark("task", "@script", "mend", "-C", folder).refuses(2, "pip install 'spark-tui[agents]'")
    code = "import sys; sys.modules['acp'] = None; import spark_tui.cli.task; "
    code += "import spark_tui.tasks.store, spark_tui.tasks.task, spark_tui.tasks.agents.registry"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_doctor_says_which_agents_can_be_started(spark: Spark, configured: Configured) -> None:
    folder = configured("right", more='[agents.gone]\ncommand = "no-such-agent"')
    done = spark("doctor", "--json", "-C", folder)
    findings = {each["name"]: each for each in json.loads(done.out)["findings"]}
    assert (findings["@script"]["ok"], findings["@script"]["value"]) == (True, sys.executable)
    assert not findings["@gone"]["ok"]
    assert "there is no program no-such-agent" in findings["@gone"]["value"]
    assert not findings["@gone"]["needed"]
