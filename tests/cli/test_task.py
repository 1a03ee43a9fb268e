"""`spark task` with a scripted endpoint: what it prints, exits with, writes, and goes on from."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from spark_tui.vcs.atomic_write import FileChange
from spark_tui.vcs.batches import Batches
from spark_tui.vcs.repository import Repository
from tests.cli.conftest import Done, MakeRepo, Spark, UseScripts
from tests.fakes import git
from tests.providers.scripted_server import (
    Handler,
    ScriptedServer,
    Turn,
    is_silent,
    refuses,
    says,
    serving,
)
from tests.tasks.scripts import (
    CHECK,
    DONE,
    FILES,
    FROM_WORSE,
    MAKE,
    MEND,
    READ,
    WORSE,
    command,
    edit,
    stepwise,
)
from tests.vcs.repos import make_repo, name_somebody, write_files

STEPS = [READ, WORSE, FROM_WORSE, DONE]
RIGHT = "def area(w, h):\n    return w * h\n"
Configured = Callable[[ScriptedServer], Path]


@pytest.fixture
def configured(repo: MakeRepo, state: Path) -> Configured:
    """Names a server in the user's configuration; gives the repository."""

    def name(server: ScriptedServer) -> Path:
        config = Path(os.environ["XDG_CONFIG_HOME"]) / "spark" / "config.toml"
        config.parent.mkdir(parents=True, exist_ok=True)
        lines = ['allowed_commands = ["echo"]', 'model = "big"', "[models.big]"]
        lines += [f'base_url = "{server.base_url}"', 'model = "m"', "probe = false", ""]
        config.write_text("\n".join(lines))
        assert not state.is_file()
        return repo(FILES)

    return name


def at(step: int, turn: Turn, steps: list[str]) -> Turn:
    """Steps one after the other, but for one that a turn answers."""

    def answer(handler: Handler) -> None:
        messages = handler.body["messages"]
        number = sum(message["role"] == "assistant" for message in messages)
        (turn if number == step else stepwise(steps))(handler)

    return answer


def body_of(done: Done) -> dict[str, Any]:
    """The object that a command printed last."""
    body: dict[str, Any] = json.loads(done.out.splitlines()[-1])
    return body


def test_a_task_prints_its_patch_and_leaves_the_files_alone(
    spark: Spark, configured: Configured
) -> None:
    with serving(stepwise(STEPS)) as server:
        folder = configured(server)
        done = spark("task", "mend the area", "--check", CHECK, "-C", folder)
    assert done.code == 0, done.err
    assert "-    return w + h\n+    return w * h\n" in done.out
    assert "spark: step 2: edit shapes/area.py; the check fails" in done.err
    assert "done in 4 steps; `spark task apply" in done.err
    assert git(folder, "status", "--porcelain") == b""


def test_each_step_is_noted_without_words_and_code(
    spark: Spark, configured: Configured, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(stepwise(STEPS)) as server:
        folder = configured(server)
        body = body_of(spark("task", "mend the area", "--check", CHECK, "--json", "-C", folder))
        (group,) = json.loads(spark("stats", "--json").out)["tasks"]
        assert (group["model"], group["tasks"], group["done"]) == ("big", 1, 1)
        assert (group["steps"], group["files"], group["tokens"]) == (4, 2, body["tokens"])
        assert group["kinds"] == {"read": 1, "edit": 2, "done": 1}
        assert group["ttft_ms"]["p50"] > 0
        noted = (state / "turns.jsonl").read_text()
        for word in ("mend", "area", "shapes", "return", "python3", "subtract"):
            assert word not in noted
        monkeypatch.setenv("SPARK_TELEMETRY", "false")
        assert spark("task", "mend the area", "-C", folder).code == 0
    assert (state / "turns.jsonl").read_text() == noted


def test_the_object_and_the_commands_about_a_task(spark: Spark, configured: Configured) -> None:
    with serving(stepwise(STEPS)) as server:
        folder = configured(server)
        done = spark("task", "mend the area", "--check", CHECK, "--format", "json", "-C", folder)
    body = body_of(done)
    assert done.code == 0
    assert [line for line in done.err.splitlines() if "bubblewrap" not in line] == []
    assert {name: body[name] for name in ("status", "steps", "applied", "journal_id")} == {
        "status": "done",
        "steps": 4,
        "applied": False,
        "journal_id": None,
    }
    assert body["check"] == {"command": CHECK, "ok": True, "output": ""}
    assert [file["path"] for file in body["files"]] == ["shapes/area.py"]
    listed = body_of(spark("task", "list", "--json", "-C", folder))
    assert [(task["id"], task["status"]) for task in listed["tasks"]] == [(body["id"], "done")]
    applied = body_of(spark("task", "apply", body["id"][:5], "--json", "-C", folder))
    assert applied["applied"]
    assert applied["journal_id"]
    assert (folder / "shapes/area.py").read_text() == RIGHT
    assert "applied" in spark("task", "list", "-C", folder).out
    again = body_of(spark("task", "apply", body["id"], "--json", "-C", folder))
    assert again["journal_id"] == applied["journal_id"]
    told = spark("task", "apply", body["id"], "-C", folder).err
    assert "was applied already; nothing was written" in told
    assert spark("undo", "-C", folder).code == 0
    assert git(folder, "status", "--porcelain") == b""
    assert spark("task", "drop", body["id"], "-C", folder).code == 0
    assert body_of(spark("task", "list", "--json", "-C", folder))["tasks"] == []
    assert git(folder, "worktree", "list").count(b"\n") == 1


def test_a_drop_that_loses_files_of_a_repository_in_the_task_takes_a_second_word(
    spark: Spark, configured: Configured, state: Path
) -> None:
    with serving(stepwise(STEPS)) as server:
        folder = configured(server)
        body = body_of(spark("task", "mend", "--json", "-C", folder))
    (log,) = (state / "tasks").rglob("*.jsonl")
    make_repo(log.with_suffix("") / "web", {"logo.png": b"\x89PNG\0\xff"})
    done = spark("task", "drop", body["id"], "-C", folder)
    assert (done.code, done.out) == (1, "")
    assert "web/logo.png; nothing was dropped: --yes drops them, too" in done.err
    assert log.is_file()
    assert spark("task", "drop", body["id"], "--yes", "-C", folder).code == 0
    assert list(log.parent.iterdir()) == []


@pytest.mark.parametrize("way", ["flag", "setting", "neither"])
def test_a_check_reads_an_ignored_folder_that_is_shared(
    spark: Spark, configured: Configured, way: str
) -> None:
    with serving(stepwise([MEND, DONE])) as server:
        folder = configured(server)
        write_files(folder, {".gitignore": b"lib\n", "lib/a": b"1\n"})
        options = ["--share", folder / "lib"] if way == "flag" else []
        if way == "setting":
            config = next(Path(os.environ["XDG_CONFIG_HOME"]).rglob("config.toml"))
            config.write_text('shared_paths = ["lib", "nowhere"]\n' + config.read_text())
        assert spark("trust", "--yes", "-C", folder).code == 0
        done = spark("task", "mend", "--check", "test -f lib/a", *options, "-C", folder)
    assert done.code == (3 if way == "neither" else 0)
    assert ("lacks what git ignores or keeps" in done.err) is (way == "neither")


def test_a_repository_shares_nothing_with_its_tasks(spark: Spark, configured: Configured) -> None:
    with serving(stepwise([MEND, DONE])) as server:
        folder = configured(server)
        write_files(folder, {".spark/config.toml": b'shared_paths = [".env"]\n'})
        assert spark("trust", "--yes", "-C", folder).code == 0
        done = spark("task", "mend", "-C", folder)
    assert "paths that tasks share go in your own config.toml only" in done.err


def test_any_command_about_tasks_removes_what_a_kill_left_of_one(
    spark: Spark, configured: Configured, state: Path
) -> None:
    with serving(stepwise(STEPS)) as server:
        folder = configured(server)
        spark("task", "mend", "-C", folder)
    (log,) = (state / "tasks").rglob("*.jsonl")
    log.unlink()
    shutil.rmtree(log.with_suffix(""))
    assert spark("task", "list", "-C", folder).code == 0
    assert list(log.parent.iterdir()) == []


def test_events_are_lines_and_the_last_one_is_the_object(
    spark: Spark, configured: Configured
) -> None:
    with serving(stepwise(STEPS)) as server:
        folder = configured(server)
        done = spark("task", "mend", "--apply", "--format", "stream-json", "-C", folder)
    events = [json.loads(line) for line in done.out.splitlines()]
    assert [event["event"] for event in events if event["event"] != "step_text"] == [
        "task_started",
        *["step_started", "step_ended"] * 4,
        "task_ended",
        "task_result",
    ]
    assert (events[-1]["status"], events[-1]["applied"]) == ("done", True)
    assert (folder / "shapes/area.py").read_text() == RIGHT


def test_a_task_that_stops_exits_with_3_and_a_resume_goes_on(
    spark: Spark, configured: Configured
) -> None:
    with serving(stepwise(STEPS)) as server:
        folder = configured(server)
        done = spark("task", "mend", "--steps", "2", "--apply", "--json", "-C", folder)
        body = body_of(done)
        assert (done.code, body["status"], body["applied"]) == (3, "stopped", False)
        assert git(folder, "status", "--porcelain") == b""
        more = spark("task", "resume", body["id"], "--apply", "--json", "-C", folder)
        assert (more.code, body_of(more)["status"], body_of(more)["steps"]) == (0, "done", 4)
    assert (folder / "shapes/area.py").read_text() == RIGHT
    assert body_of(spark("task", "resume", body["id"], "--json", "-C", folder))["applied"]


def test_an_endpoint_that_fails_leaves_a_task_that_can_be_resumed(
    spark: Spark, configured: Configured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spark_tui.tasks.task.PAUSES", (0.0,))
    with serving(at(2, refuses(500), STEPS)) as server:
        folder = configured(server)
        done = spark("task", "mend", "--json", "-C", folder)
        body = body_of(done)
        assert (done.code, body["status"], body["steps"]) == (75, "failed", 2)
        assert f"spark task resume {body['id']}" in body["message"]
        server.turns = [stepwise(STEPS)]
        more = spark("task", "resume", body["id"], "--json", "-C", folder)
        assert (more.code, body_of(more)["steps"]) == (0, 4)


def test_an_interrupt_exits_with_130_and_can_be_resumed(
    spark: Spark, configured: Configured
) -> None:
    with serving(at(1, is_silent(), STEPS)) as server:
        folder = configured(server)
        line = [sys.executable, "-m", "spark_tui", "task", "mend", "--json", "-C", str(folder)]
        process = subprocess.Popen(line, stdout=subprocess.PIPE, text=True)
        assert server.came.acquire(timeout=60)
        assert server.came.acquire(timeout=60)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate()
        body = json.loads(out.splitlines()[-1])
        assert (process.returncode, body["status"], body["steps"]) == (130, "interrupted", 1)
        server.turns = [stepwise(STEPS)]
        assert spark("task", "resume", body["id"], "-C", folder).code == 0


def test_lines_that_were_edited_meanwhile_are_a_conflict(
    spark: Spark, configured: Configured
) -> None:
    with serving(stepwise(STEPS)) as server:
        folder = configured(server)
        body = body_of(spark("task", "mend", "--json", "-C", folder))
    (folder / "shapes/area.py").write_text("def area(w, h):\n    return w / h\n")
    done = spark("task", "apply", body["id"], "-C", folder)
    assert (done.code, done.out) == (4, "")
    assert "the same lines of shapes/area.py were edited since" in done.err
    assert "+    return w * h" in done.err
    assert (folder / "shapes/area.py").read_text() == "def area(w, h):\n    return w / h\n"


def test_a_file_that_runs_by_itself_is_named_with_the_option_that_permits_it(
    spark: Spark, configured: Configured
) -> None:
    with serving(stepwise([edit("conftest.py", "", "import os\n"), DONE])) as server:
        folder = configured(server)
        done = spark("task", "add it", "--apply", "-C", folder)
        assert (done.code, "--allow conftest.py" in done.err) == (1, True)
        body = body_of(spark("task", "list", "--json", "-C", folder))["tasks"][0]
        assert spark("task", "apply", body["id"], "--allow", "conftest.py", "-C", folder).code == 0
    assert (folder / "conftest.py").exists()


def test_what_a_model_writes_never_reaches_the_terminal_as_it_is(
    spark: Spark, configured: Configured
) -> None:
    evil = "\x1b]0;owned\x07\x1b[2J\u202e"
    steps = [
        command(f"read {evil}.py"),
        command(f"search {evil}"),
        edit(f"{evil}.py", "", "x\n"),
        f"{evil}\n",
        MEND.replace("w * h", f"w * h  # {evil}"),
        DONE,
    ]
    with serving(stepwise(steps)) as server:
        folder = configured(server)
        done = spark("task", "mend", "-C", folder)
    assert done.code == 0
    assert not set("\x1b\x07\u202e") & set(done.err)
    shown = spark("task", "list", "-C", folder)
    assert not set("\x1b\x07\u202e") & set(shown.out)


def test_what_may_run_stands_in_the_configuration(spark: Spark, configured: Configured) -> None:
    steps = [command("run echo hello there"), command("run pytest"), MEND, DONE]
    with serving(stepwise(steps)) as server:
        folder = configured(server)
        assert spark("trust", "--yes", "-C", folder).code == 0
        assert spark("task", "mend", "--check", "echo", "-C", folder).code == 0
        told = [message["content"] for message in server.requests[-1]["messages"]]
    assert "hello there" in told[3]
    assert told[5].endswith("is not allowed; allowed are: echo.")


def test_a_task_is_committed_to_a_branch(spark: Spark, configured: Configured) -> None:
    with serving(stepwise(STEPS)) as server:
        folder = configured(server)
        name_somebody(folder)
        body = body_of(spark("task", "mend the area", "--json", "-C", folder))
    before = git(folder, "for-each-ref"), git(folder, "status", "--porcelain")
    spark("task", "commit", body["id"], "main", "-C", folder).refuses(2, "a branch main already")
    assert (git(folder, "for-each-ref"), git(folder, "status", "--porcelain")) == before
    made = body_of(spark("task", "commit", body["id"][:4], "--json", "-C", folder))
    branch = f"task-{body['id']}"
    assert (made["id"], made["branch"], made["left_out"]) == (body["id"], branch, [])
    assert git(folder, "rev-parse", branch).decode().strip() == made["commit"]
    assert git(folder, "show", f"{branch}:shapes/area.py").decode() == RIGHT
    assert git(folder, "log", "-1", "--format=%s", branch) == b"Mend the area in area.py\n"
    assert git(folder, "status", "--porcelain") == before[1]
    done = spark("task", "commit", body["id"], "mended", "--message", "By hand", "-C", folder)
    assert (done.code, "on the new branch mended" in done.out) == (0, True)
    assert git(folder, "log", "-1", "--format=%s", "mended") == b"By hand\n"


def test_a_task_that_is_done_goes_on_with_words_and_from_an_earlier_step(
    spark: Spark, configured: Configured
) -> None:
    with serving(stepwise([WORSE, DONE, MAKE, DONE])) as server:
        folder = configured(server)
        body = body_of(spark("task", "mend", "--json", "-C", folder))
        more = spark("task", "resume", body["id"], "docs, too", "-C", folder)
        assert "spark: step 3: redirected: docs, too\n" in more.err
        more = spark("task", "resume", body["id"], "--json", "-C", folder)
        assert [file["path"] for file in body_of(more)["files"]] == [
            "docs/area.md",
            "shapes/area.py",
        ]
        assert server.requests[2]["messages"][-1]["content"] == "docs, too"
        server.turns = [stepwise([MEND, DONE])]
        spark("task", "resume", body["id"], "--back", "9", "-C", folder).refuses(2, "no such step")
        back = ("--back", "5", "--json")
        other = spark("task", "resume", body["id"], *back, "multiply", "-C", folder)
        assert "+    return w * h\n" in body_of(other)["patch"]
        assert server.requests[-2]["messages"][-1]["content"].endswith("multiply")


def test_a_plan_comes_from_a_file(spark: Spark, configured: Configured, tmp_path: Path) -> None:
    (tmp_path / "plan.md").write_text("1. mend the area\n2. write docs/area.md\n")
    with serving(stepwise([MEND, DONE, MAKE, DONE])) as server:
        folder = configured(server)
        plan = str(tmp_path / "plan.md")
        done = spark("task", "mend", "--plan", plan, "--json", "-C", folder)
    body = body_of(done)
    assert [file["path"] for file in body["files"]] == ["docs/area.md", "shapes/area.py"]
    assert body["plan"] == [
        {"item": "mend the area", "done": True},
        {"item": "write docs/area.md", "done": True},
    ]


def test_a_model_proposes_a_plan_that_a_task_reads(
    spark: Spark, configured: Configured, tmp_path: Path
) -> None:
    answer = "I would do this:\n1. mend the area\n2. write docs/area.md\n"
    with serving(says(answer)) as server:
        folder = configured(server)
        done = spark("task", "plan", "mend the area", "-C", folder)
        assert (done.code, done.out) == (0, "1. mend the area\n2. write docs/area.md\n")
        body = body_of(spark("task", "plan", "mend the area", "--json", "-C", folder))
        assert body["plan"] == ["mend the area", "write docs/area.md"]
        server.turns = [stepwise([MEND, DONE, MAKE, DONE])]
        (tmp_path / "plan.txt").write_text(done.out)
        options = ("--plan", str(tmp_path / "plan.txt"), "--json", "-C", folder)
        made = body_of(spark("task", "mend the area", *options))
        assert [item["done"] for item in made["plan"]] == [True, True]
        server.turns = [says("-\n")]
        nothing = spark("task", "plan", "mend the area", "-C", folder)
        assert (nothing.code, nothing.out) == (3, "")
        assert "the model wrote no plan" in nothing.err


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["resume"], 2, "name a task"),
        (["apply", "0000"], 2, "no task begins with '0000'"),
        (["drop", ""], 2, "no task begins with ''"),
        (["mend", "the", "area"], 2, "between quotes"),
        (["mend", "area"], 2, "between quotes"),
        ([""], 2, "the task is empty"),
        (["mend", "--steps", "0"], 2, "--steps 0: choose a number above 0"),
        (["mend", "--seconds", "nan"], 2, "--seconds nan"),
        (["mend", "--check", "no-such-program"], 2, "there is no program no-such-program"),
        (["mend", "--plan", "nowhere.md"], 1, "cannot read the plan in nowhere.md"),
        (["mend", "--share", "nowhere"], 2, "there is no nowhere to share"),
        (["list", "--share", "lib"], 2, "--share does not go with `spark task list`"),
        (["mend", "-m", "nowhere"], 2, "nowhere"),
        (["list", "--check", "true"], 2, "--check does not go with `spark task list`"),
        (["mend", "--back", "1"], 2, "--back does not go with `spark task WORDS`"),
        (["mend", "--yes"], 2, "--yes does not go with `spark task WORDS`"),
        (["apply", "0000", "--yes"], 2, "--yes does not go with `spark task apply`"),
        (["resume", "0000", "--back", "-1"], 2, "--back -1: choose a number from 0"),
        (["resume", "0000", " "], 2, "is empty; leave it out"),
        (["commit", "0000", ""], 2, "is empty; leave it out"),
        (["commit"], 2, "name a task"),
        (["plan"], 2, "say what to plan"),
        (["plan", "mend", "--check", "true"], 2, "--check does not go with `spark task plan`"),
        (["commit", "0000", "a", "b"], 2, "between quotes"),
    ],
)
def test_what_is_wrong_is_told_in_a_line(
    spark: Spark, configured: Configured, arguments: list[str], code: int, told: str
) -> None:
    with serving(stepwise(STEPS)) as server:
        folder = configured(server)
        spark("task", *arguments, "-C", folder).refuses(code, told)
        assert body_of(spark("task", "list", "--json", "-C", folder))["tasks"] == []


def test_a_model_that_only_edits_is_refused(
    spark: Spark, use_scripts: UseScripts, repo: MakeRepo
) -> None:
    use_scripts({})
    folder = repo(FILES)
    spark("task", "mend the area", "-C", folder).refuses(2, "for a task, name a chat model")
    assert body_of(spark("task", "list", "--json", "-C", folder))["tasks"] == []


def test_a_task_that_was_accepted_in_part_is_listed_so_and_apply_accepts_the_rest(
    spark: Spark, configured: Configured, state: Path
) -> None:
    with serving(stepwise([MEND + MAKE, DONE])) as server:
        folder = configured(server)
        body = body_of(spark("task", "mend it", "--json", "-C", folder))
    assert (body["acceptance"], body["hunks"], body["hunks_applied"]) == (None, None, None)
    batches = Batches(Repository.discover(folder), state)
    wrong = (folder / "shapes/area.py").read_bytes()
    mended = FileChange("shapes/area.py", wrong, wrong.replace(b"w + h", b"w * h"))
    batches.accept([mended], f"task {body['id']}: mend it")

    listed = spark("task", "list", "-C", folder).out
    assert "  partly  " in listed
    assert "mend it (1 of 2 hunks applied, the others rejected or left undecided)" in listed
    (task,) = json.loads(spark("task", "list", "--json", "-C", folder).out)["tasks"]
    assert (task["applied"], task["hunks"], task["hunks_applied"]) == (True, 2, 1)
    assert spark("task", "apply", body["id"], "-C", folder).code == 0
    assert (folder / "docs/area.md").read_text() == "# Area\n"
    assert "  applied  " in spark("task", "list", "-C", folder).out
