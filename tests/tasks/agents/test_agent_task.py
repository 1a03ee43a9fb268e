"""A task that an agent works on: what happens, what comes of it, and from where it goes on."""

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from shutil import rmtree
from typing import Any

import pytest

from spark_tui.config import Agent
from spark_tui.errors import SparkError, UsageError
from spark_tui.tasks.agents.registry import MOST_STEPS, find_agent, find_program, split_agent
from spark_tui.tasks.agents.task import AgentLimits, AgentTask
from spark_tui.tasks.events import (
    AgentPlanned,
    AgentStarted,
    CommandStarted,
    FilesAbsent,
    PermissionAsked,
    StepEnded,
    StepText,
    TaskEnded,
    TaskEvent,
    TaskWaits,
    ToolProgress,
)
from spark_tui.tasks.log import Budget, PlanItem, TaskLog
from spark_tui.tasks.outcome import changes_of, status_of
from spark_tui.tasks.store import TaskStore
from spark_tui.tasks.tools import RunRules
from spark_tui.vcs.repository import Repository
from tests.tasks.scripts import CHECK, FILES, store_in
from tests.vcs.repos import git, make_repo, tree, write_files

SCRIPT = Path(__file__).parent / "scripted_agent.py"
RIGHT = b"def area(w, h):\n    return w * h\n"
SECRET = "sk-0123456789"


class Bench:
    """A repository, and agents that work on tasks in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = make_repo(folder / "work", FILES)
        self.store: TaskStore = store_in(folder)
        self.events: list[TaskEvent] = []
        self.patience = AgentLimits(start=20.0, cancel=5.0)

    def begin(self, **given: Any) -> TaskLog:
        budget = given.pop("budget", Budget(steps=MOST_STEPS))
        return self.store.begin("mend the area", "@scripted", budget=budget, **given)

    def open(
        self,
        log: TaskLog,
        *command: str,
        rules: RunRules | None = None,
        asks: bool = False,
        **settings: Any,
    ) -> AgentTask:
        agent = Agent("scripted", sys.executable, (str(SCRIPT), *command), **settings)
        allowed = rules or RunRules(check=log.spec.check)
        repo = Repository.discover(self.root)
        program = find_program(agent, self.root)
        return AgentTask(
            self.store, repo, log, agent, program, allowed, asks=asks, patience=self.patience
        )

    def work(self, *command: str, log: TaskLog | None = None, **given: Any) -> AgentTask:
        """Have an agent work to the end."""
        check = given.pop("check", "")
        budget = given.pop("budget", Budget(steps=MOST_STEPS))
        task = self.open(log or self.begin(check=check, budget=budget), *command, **given)
        self.events = []
        for event in task.events():
            self.events.append(event)
        return task

    def of_kind(self, kind: type[Any]) -> Iterator[Any]:
        return (event for event in self.events if isinstance(event, kind))

    @property
    def said(self) -> str:
        """All that the agent said."""
        return "".join(event.text for event in self.of_kind(StepText))


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def files_of(task: AgentTask) -> dict[str, bytes | None]:
    """What a task changed, by path."""
    changes = changes_of(task.log, task.worktree)
    return {change.path: change.after for change in changes.files}


def test_an_agent_works_to_the_end_of_a_task_and_all_is_told(bench: Bench) -> None:
    task = bench.work("right")
    assert files_of(task) == {"shapes/area.py": RIGHT}
    assert tree(bench.root) == FILES
    assert git(bench.root, "status", "--porcelain") == b""
    started = next(bench.of_kind(AgentStarted))
    assert (started.program, started.remembers) == ("A Script 1.0", None)
    plan = next(bench.of_kind(AgentPlanned))
    assert plan.items == (PlanItem("look", "completed"), PlanItem("mend", "in_progress"))
    task.log.read()  # as another process finds it
    assert task.log.agent_plan == plan.items
    assert bench.said == "I look first.\nIt is mended."
    assert TaskWaits("thinking") in bench.events
    edits = [event for event in bench.of_kind(ToolProgress) if event.kind == "edit"]
    assert [event.status for event in edits] == ["pending", "in_progress", "completed"]
    assert edits[-1].diffs[0].path == "shapes/area.py"
    assert edits[-1].diffs[0].new.encode() == RIGHT
    ends = list(bench.of_kind(StepEnded))
    assert [(end.kind, end.paths) for end in ends] == [
        ("read", ()),
        ("edit", ("shapes/area.py",)),
        ("done", ()),
    ]
    assert (ends[-1].tokens, ends[-1].cost) == (10, 0.25)
    assert bench.events[-1] == TaskEnded("done", "done in 3 steps")


def test_what_an_agent_changes_by_itself_is_in_the_outcome(bench: Bench) -> None:
    task = bench.work("alone")
    assert next(bench.of_kind(AgentStarted)).program == ""
    assert files_of(task) == {
        "docs/area.md": b"# Area\n",
        "report.py": None,
        "shapes/area.py": RIGHT,
    }
    assert tree(bench.root) == FILES


def test_a_check_that_fails_is_told_to_the_agent(bench: Bench) -> None:
    task = bench.work("twice", check=CHECK)
    assert status_of(task.log)[0] == "done"
    assert [end.check.ok for end in bench.of_kind(StepEnded)] == [False, True]
    assert f"`{CHECK}` fails" in bench.said
    assert task.log.check is not None
    assert task.log.check.ok


def test_what_the_copy_lacks_is_told_to_the_agent(bench: Bench) -> None:
    write_files(bench.root, {".gitignore": b"lib\n", "lib/a": b"1\n"})
    task = bench.work("alone", check="test -f lib/a", budget=Budget(steps=1))
    (absent,) = bench.of_kind(FilesAbsent)
    assert absent.paths == ("lib/",)
    assert "lib/" in task.log.opening


@pytest.mark.parametrize(
    ("scene", "check", "why"),
    [
        ("stubborn", "", "the agent changed no file"),
        ("stubborn", CHECK, "the model took the same step 3 times: done"),
        ("refuses", "", "the agent refuses to go on"),
    ],
)
def test_an_agent_that_does_not_finish_leaves_a_task_that_is_stopped(
    bench: Bench, scene: str, check: str, why: str
) -> None:
    task = bench.work(scene, check=check)
    status, message = status_of(task.log)
    assert status == "stopped"
    assert message.startswith(why)


def test_a_task_that_was_stopped_goes_on_with_another_budget(bench: Bench) -> None:
    log = bench.work("refuses").log
    log.renew(log.spec.budget)
    assert status_of(bench.work("alone", log=log).log)[0] == "done"


@pytest.mark.parametrize("how", ["takes up its session", "forgets", "lost"])
def test_an_agent_that_dies_in_mid_step_goes_on_where_it_was(bench: Bench, how: str) -> None:
    log = bench.begin()
    with pytest.raises(SparkError, match=r"@scripted ended with status 3; it said last: .*luck"):
        bench.work("dies", how, log=log)
    assert files_of(bench.open(log, "dies")) == {"shapes/area.py": RIGHT}
    assert status_of(log)[0] == "interrupted"
    assert b"luck" in bench.store.notes(log).read_bytes()
    task = bench.work("dies", how, log=log)
    assert next(bench.of_kind(AgentStarted)).remembers == (how == "takes up its session")
    assert "return w * h" in bench.said
    assert "what was said before" not in bench.said
    assert files_of(task) == {"new.txt": b"new\n", "shapes/area.py": RIGHT}
    assert status_of(task.log)[0] == "done"


def test_a_work_tree_that_is_gone_is_made_from_the_last_step(bench: Bench) -> None:
    log = bench.begin()
    with pytest.raises(SparkError):
        bench.work("dies", log=log)
    rmtree(bench.store.worktree(log).root)
    task = bench.work("dies", log=log)
    assert next(bench.of_kind(AgentStarted)).remembers is False
    assert files_of(task) == {"new.txt": b"new\n", "shapes/area.py": RIGHT}


def test_closing_cancels_the_turn_and_keeps_what_was_changed(bench: Bench) -> None:
    task = bench.open(bench.begin(), "waits")
    with closing(task.events()) as events:
        for event in events:
            if isinstance(event, ToolProgress):
                break
    assert files_of(task) == {"cancelled.txt": b"cancelled\n", "shapes/area.py": RIGHT}
    assert status_of(task.log)[0] == "interrupted"


def test_words_of_the_user_redirect_an_agent(bench: Bench) -> None:
    task = bench.open(bench.begin(), "heeds")
    said = ""
    kinds = []
    for event in task.events():
        if isinstance(event, StepText):
            said += event.text
            if said == "I go the wrong way.":
                task.redirect("multiply instead")
        if isinstance(event, StepEnded):
            kinds.append((event.kind, event.title))
    assert said == "I go the wrong way.multiply instead"
    assert kinds == [("redirected", "multiply instead"), ("done", "done")]
    assert files_of(task) == {"shapes/area.py": RIGHT, "wrong.txt": b"wrong\n"}
    with pytest.raises(UsageError, match="there are no words"):
        task.redirect(" ")


def test_closing_ends_an_agent_that_hangs_and_all_that_it_started(
    bench: Bench, tmp_path: Path
) -> None:
    bench.patience = AgentLimits(start=20.0, cancel=0.2)
    os.mkfifo(tmp_path / "alive")
    alive = os.open(tmp_path / "alive", os.O_RDONLY | os.O_NONBLOCK)
    task = bench.open(bench.begin(), "hangs", str(tmp_path / "alive"), confined=False)
    with closing(task.events()) as events:
        for _ in events:
            if select.select([alive], [], [], 0)[0] and os.read(alive, 99):
                break
    assert select.select([alive], [], [], 20)[0], "the daemon lives on"
    assert os.read(alive, 1) == b""
    os.close(alive)


def test_an_agent_that_never_answers_is_stopped_when_its_time_is_up(bench: Bench) -> None:
    bench.patience = AgentLimits(start=20.0, cancel=0.2)
    task = bench.work(
        "hangs", str(bench.folder / "alive"), confined=False, budget=Budget(seconds=1.0)
    )
    status, message = status_of(task.log)
    assert (status, "1 seconds is used up" in message) == ("stopped", True)


def test_an_agent_that_never_starts_is_told(bench: Bench) -> None:
    bench.patience = AgentLimits(start=0.3)
    with pytest.raises(SparkError, match=r"@scripted did not answer initialize within 0\.3 sec"):
        bench.work("silent")


def test_the_start_of_an_agent_takes_no_longer_than_the_budget_of_the_task(bench: Bench) -> None:
    with pytest.raises(SparkError, match=r"did not answer initialize within 1 seconds"):
        bench.work("silent", budget=Budget(seconds=1.0))


@pytest.mark.parametrize("version", ["0", "2", "99"])
def test_another_version_of_the_protocol_is_refused(bench: Bench, version: str) -> None:
    with pytest.raises(SparkError, match=f"speaks version {version} of the Agent Client Protocol"):
        bench.work("version", version)


def test_an_agent_that_wants_a_login_says_what_to_do(bench: Bench) -> None:
    with pytest.raises(SparkError, match=r"wants you to log in .*env of \[agents\.scripted\]"):
        bench.work("login")


def test_a_program_that_is_no_agent_is_told(bench: Bench) -> None:
    with pytest.raises(SparkError, match="does not speak the protocol; it wrote"):
        bench.work("garbage")
    with pytest.raises(SparkError, match="sent a malformed answer to a prompt"):
        bench.work("nonsense", "null")


@pytest.mark.parametrize("reason", ["paused", "tool_use", "END_TURN", ""])
def test_a_reason_to_stop_that_is_not_known_is_no_success(bench: Bench, reason: str) -> None:
    task = bench.work("nonsense", json.dumps(reason))
    status, words = status_of(bench.store.find(task.log.id))
    assert status == "stopped"
    assert f"for a reason that spark does not know ({reason})" in words
    assert files_of(task) == {"shapes/area.py": RIGHT}


def test_options_and_tools_of_a_kind_that_is_not_known_are_not_chosen(bench: Bench) -> None:
    bench.work("asks_newly")
    assert json.loads(bench.said) == ["yes", "cancelled", "no", "cancelled"]


def test_malformed_messages_are_passed_over(bench: Bench) -> None:
    task = bench.work("malformed")
    assert bench.said == "half ? and \ufffd and \x1b[2J"
    assert files_of(task) == {"shapes/area.py": RIGHT}
    assert status_of(bench.store.find(task.log.id)) == ("done", "done in 2 steps")
    assert sum(step.cost for step in task.log.steps) == 0.0


def test_a_flood_is_cut_and_the_task_goes_on(bench: Bench) -> None:
    task = bench.work("floods")
    assert files_of(task) == {"shapes/area.py": RIGHT}
    assert max(len(step.answer) for step in task.log.steps) <= 200_000
    assert max(len(step.title) for step in task.log.steps) <= 80
    assert bench.store.notes(task.log).stat().st_size <= 1 << 20


def test_a_message_without_end_ends_the_conversation(bench: Bench) -> None:
    with pytest.raises(SparkError, match="@scripted sent a message of more than 16 MB"):
        bench.work("endless")


def test_steps_without_end_use_up_the_budget(bench: Bench) -> None:
    task = bench.work("right", budget=Budget(steps=1))
    assert status_of(task.log)[0] == "stopped"
    assert len(task.log.steps) == 1


def test_files_outside_of_the_work_tree_are_neither_read_nor_written(bench: Bench) -> None:
    outside = bench.folder / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text(SECRET)
    (bench.root / "leads_out").symlink_to(outside)
    (bench.root / "secret_link").symlink_to(outside / "secret.txt")
    (bench.root / ".env").write_text(f"KEY={SECRET}\n")
    (bench.root / ".gitignore").write_text("*.log\n")
    before = tree(bench.root), tree(outside)
    names = [
        str(outside / "new.txt"),
        str(bench.root / "report.py"),
        "/etc/passwd",
        "../../../outside/secret.txt",
        "shapes/../../x/report.py",
        "leads_out/secret.txt",
        "secret_link",
        ".git",
        ".git/config",
        "shapes/../.git/config",
        ".GIT/config",
        "report.py/new.txt",
        "shapes",
        "",
        "new\0name",
        "n" * 400,
        "ignored.log",
    ]
    task = bench.work("lies", *names[:-3], "n" * 400, "ignored.log")
    outcomes = json.loads(bench.said)
    assert all(outcome == [True, None] for outcome in outcomes.values()), outcomes
    assert len(outcomes) == len(names) - 1
    assert files_of(task) == {"shapes/area.py": RIGHT}
    assert (tree(bench.root), tree(outside)) == before
    assert SECRET not in repr(bench.events)


def test_a_file_that_may_hold_secrets_is_not_read(bench: Bench) -> None:
    (bench.root / ".env").write_text(f"KEY={SECRET}\n")
    bench.work("lies", ".env")
    assert SECRET not in bench.said


def question(kind: str, *paths: str, **facts: Any) -> str:
    """A tool call as the script takes it."""
    return json.dumps({"kind": kind, "locations": [{"path": path} for path in paths]} | facts)


def command(line: str) -> str:
    return question("execute", rawInput={"command": line})


def test_the_rules_answer_where_nobody_is_asked(bench: Bench) -> None:
    questions = {
        question("edit", "ROOT/report.py"): "yes",
        question("edit", "report.py"): "yes",
        question("edit", "ROOT/report.py", "/etc/passwd"): "no",
        question("edit", "../report.py"): "no",
        question("edit", "ROOT"): "no",
        question("edit", "ROOT//etc/passwd"): "no",
        question("edit", "ROOT/.git/config"): "no",
        question("edit", "ROOT/../report.py"): "no",
        question("edit"): "no",
        question("delete", "ROOT/report.py"): "yes",
        question("read", "ROOT"): "yes",
        question("read", "/etc/passwd"): "no",
        question("read", "ROOT/.env"): "no",
        question("search"): "yes",
        question("think"): "yes",
        question("fetch"): "no",
        question("other"): "no",
        command("pytest -q"): "yes",
        command(CHECK): "yes",
        command("pytest 'test_a.py::test[x]'"): "yes",
        question("execute", rawInput={"command": ["bash", "-lc", "pytest -q"]}): "yes",
        question("execute", rawInput={"command": ["pytest", "-k", "a b"]}): "yes",
        question("execute", rawInput={"command": ["bash", "-lc", "rm -rf /"]}): "no",
        question("execute", rawInput={"command": ["bash", "pytest"]}): "no",
        question("execute", rawInput={"command": [7]}): "no",
        command("pytest -q; rm -rf /"): "no",
        command("pytest -q\nrm -rf /"): "no",
        command("pytest $(rm -rf /)"): "no",
        command("rm -rf /"): "no",
        question("execute"): "no",
        question("think", rawInput={"command": "rm -rf /"}): "no",
        question("think", rawInput={"cmd": ["rm", "-rf", "/"]}): "no",
        question("think", rawInput={"command": "pytest -q"}): "yes",
        question("think", rawInput={"thought": "rm"}): "yes",
        question("edit", "ROOT/report.py", rawInput={"command": "rm -rf /"}): "no",
        question("read", "ROOT/report.py", rawInput={"script": "rm -rf /"}): "no",
        question("read", "ROOT/report.py", rawInput={"command": {"line": "rm"}}): "no",
        question("edit", "/etc/passwd", rawInput={"command": "pytest -q"}): "no",
        question("search", rawInput={"commandLine": "rm -rf /"}): "no",
        question("delete", "ROOT/report.py", rawInput={"command": [["rm"]]}): "no",
    }
    rules = RunRules(("pytest",), CHECK)
    bench.work("asks", *questions, rules=rules)
    assert json.loads(bench.said) == list(questions.values())
    asked = list(bench.of_kind(PermissionAsked))
    assert [event.allowed for event in asked] == [answer == "yes" for answer in questions.values()]
    assert all(bool(event.reason) != event.allowed for event in asked)


def test_a_diff_that_is_too_large_to_keep_is_judged_all_the_same(bench: Bench) -> None:
    bench.work("asks_at_length", "report.py", "/etc/passwd")
    assert json.loads(bench.said) == ["yes", "no"]
    assert all(event.tool.diffs == () for event in bench.of_kind(PermissionAsked))


def test_nothing_is_run_where_the_repository_is_not_trusted(bench: Bench) -> None:
    rules = RunRules(("pytest",), refusal="nothing may be run in this repository")
    bench.work("asks", command("pytest"), rules=rules)
    assert json.loads(bench.said) == ["no"]
    bench.work("runs", "pytest", rules=rules)
    assert json.loads(bench.said) == ["nothing may be run in this repository"]


def test_the_user_answers_what_the_rules_do_not_allow(bench: Bench) -> None:
    questions = [command("rm -rf /"), question("edit", "ROOT/report.py"), question("fetch")]
    task = bench.open(bench.begin(), "asks", *questions, asks=True)
    asked = []
    said = ""
    for event in task.events():
        if isinstance(event, PermissionAsked):
            asked.append((event.command, event.allowed))
            if event.allowed is None:
                task.decide(event.number, allow=bool(event.command))
        if isinstance(event, StepText):
            said += event.text
    assert asked == [("rm -rf /", None), ("", True), ("", None)]
    assert json.loads(said) == ["yes", "yes", "no"]


def test_commands_run_by_the_rules_of_the_task(bench: Bench) -> None:
    lines = [CHECK, "echo hello; touch harm", '["sh", "-c", "echo $HOME"]', "rm -rf shapes"]
    task = bench.work("runs", *lines, rules=RunRules(("echo",), CHECK))
    checked, echoed, unread, refused = json.loads(bench.said)
    assert unread == [{"exitCode": 0, "signal": None}, "$HOME\n"]
    assert checked[0] == {"exitCode": 1, "signal": None}
    assert "the area is wrong" in checked[1]
    assert echoed == [{"exitCode": 0, "signal": None}, "hello; touch harm\n"]
    assert "is not allowed" in refused
    assert next(bench.of_kind(CommandStarted)).line == CHECK
    assert files_of(task) == {"shapes/area.py": RIGHT}


def test_an_agent_sees_the_variables_that_are_allowed(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SCRIPTED_KEY", "OTHER_API_KEY", "GIT_DIR", "UNUSUAL"):
        monkeypatch.setenv(name, SECRET)
    task = bench.work("sees", env=("SCRIPTED_KEY",))
    seen = json.loads(bench.said)
    assert {name for name, value in seen.items() if value == SECRET} == {"SCRIPTED_KEY"}
    assert seen["PATH"] == os.environ["PATH"]
    assert seen["CWD"] == str(task.worktree.root)


needs_bubblewrap = pytest.mark.skipif(
    subprocess.run(["sh", "-c", "bwrap --unshare-pid --dev-bind / / true"], check=False).returncode
    != 0,
    reason="needs bubblewrap (bwrap) that works here",
)


@needs_bubblewrap
def test_in_bubblewrap_an_agent_cannot_write_to_the_users_files(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(bench.folder / "xdg"))
    state = bench.folder / "xdg" / "spark"
    state.mkdir(parents=True)
    (state / "trust.json").write_text("{}")
    before = tree(bench.root)
    names = [str(bench.root / "report.py"), str(bench.root / ".git" / "config")]
    bench.work("reaches", *names, str(state / "trust.json"))
    assert json.loads(bench.said) == names
    assert tree(bench.root) == before
    assert (state / "trust.json").read_text() == "{}"


KILLED = """
import os, signal, sys
from pathlib import Path
from shutil import rmtree
from spark_tui.tasks.events import ToolProgress
from tests.tasks.agents.test_agent_task import Bench
from tests.tasks.scripts import store_in
bench = Bench.__new__(Bench)
bench.folder = Path(sys.argv[1])
bench.root = bench.folder / "work"
bench.store = store_in(bench.folder)
bench.patience = None
for event in bench.open(bench.store.logs()[0], *sys.argv[2:]).events():
    if isinstance(event, ToolProgress):
        os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("how", ["takes up its session", "forgets"])
def test_a_task_goes_on_where_spark_was_killed(bench: Bench, how: str) -> None:
    log = bench.begin()
    line = [sys.executable, "-c", KILLED, str(bench.folder), "waits", how]
    killed = subprocess.run(line, check=False)
    assert killed.returncode == -signal.SIGKILL
    assert status_of(bench.store.find(log.id))[0] == "interrupted"
    task = bench.work("alone" if how == "forgets" else "dies", log=log)
    assert next(bench.of_kind(AgentStarted)).remembers == (how != "forgets")
    assert files_of(task)["shapes/area.py"] == RIGHT
    assert tree(bench.root) == FILES


@pytest.mark.parametrize(
    ("words", "name", "rest"),
    [
        ("@vibe use pathlib", "vibe", "use pathlib"),
        ("  @vibe   use pathlib ", "vibe", "use pathlib"),
        ("@vibe\nuse pathlib", "vibe", "use pathlib"),
        ("@vibe", "vibe", ""),
        ("", "", ""),
        ("use @report.py", "", "use @report.py"),
    ],
)
def test_the_agent_stands_before_the_words(words: str, name: str, rest: str) -> None:
    assert split_agent(words) == (name, rest)


def test_an_agent_that_is_not_there_is_told(bench: Bench) -> None:
    with pytest.raises(UsageError, match=r"no agent 'vibe'; there is none yet"):
        find_agent("vibe", {})
    with pytest.raises(UsageError, match=r"no agent 'vibe'; the agents are codex"):
        find_agent("vibe", {"codex": Agent("codex", "codex")})
    with pytest.raises(UsageError, match="no program no-such-program for @vibe"):
        find_program(Agent("vibe", "no-such-program"), bench.root)


def test_no_program_of_the_repository_is_started(bench: Bench) -> None:
    program = bench.root / "agent"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    with pytest.raises(UsageError, match="lies in this repository"):
        find_program(Agent("vibe", str(program)), bench.root)
