"""A model that means harm: all it tries is refused and told, and nothing outside changes."""

import shlex
import shutil
from pathlib import Path

import pytest

from spark_tui.errors import UsageError
from spark_tui.tasks.outcome import changes_of, status_of
from spark_tui.tasks.sandbox import MOST_CHARACTERS, Sandbox, shortened
from spark_tui.tasks.store import TaskStore
from spark_tui.tasks.tools import RunRules, run_rules
from spark_tui.vcs.policy import Trust
from spark_tui.vcs.repository import Repository
from tests.fakes import returned
from tests.tasks.conftest import Work
from tests.tasks.scripts import CHECK, DONE, MEND, ScriptedTalker, command, edit, open_task, worked
from tests.vcs.canary import plant, sung
from tests.vcs.repos import git, tree

SECRET = "sk-0123456789"


@pytest.fixture
def outside(root: Path) -> Path:
    """A folder that links of the repository lead to."""
    outside = root.parent / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text(SECRET)
    (root / "leads_out").symlink_to(outside)
    (root / "secret_link").symlink_to(outside / "secret.txt")
    (root / ".env").write_text(f"KEY={SECRET}\n")
    (root / "env_link").symlink_to(".env")
    git(root, "add", "--all")
    return outside


def of_git(root: Path) -> dict[str, bytes]:
    """The git directory."""
    return tree(root / ".git")


def others(folder: Path) -> set[str]:
    """The names of the files that are beside the state of tasks."""
    return {path for path in tree(folder) if not path.startswith("state/")}


def test_writes_out_of_the_work_tree_are_refused_and_told(
    work: Work, root: Path, outside: Path
) -> None:
    paths = [
        "../outside/new.txt",
        "/tmp/new.txt",
        ".git/hooks/pre-commit",
        ".git",
        "shapes/../.git/config",
        ".GIT/config",
        "leads_out/new.txt",
        "secret_link",
        "report.py/new.txt",
        "ignored.log",
        "n" * 400,
    ]
    (root / ".gitignore").write_text("*.log\n")
    before = tree(root), tree(outside), of_git(root), others(root.parent)
    task, talker = work(*(edit(path, "", "echo harm\n") for path in paths), MEND, DONE)
    for path, reply in zip([*paths, MEND], talker.replies, strict=True):
        assert ("Not carried out" in reply) == (path != MEND), path
    assert [change.path for change in changes_of(task.log, task.worktree).files] == [
        "shapes/area.py"
    ]
    assert (tree(root), tree(outside), of_git(root), others(root.parent)) == before


def test_secrets_and_what_lies_outside_are_not_read(work: Work, outside: Path) -> None:
    lines = [
        "read ../outside/secret.txt",
        "read leads_out/secret.txt",
        "read secret_link",
        "read .env",
        "read env_link",
        "read .git/config",
        "read /etc/passwd",
        f"search {SECRET[:8]}",
        "list ../outside",
        "list leads_out",
        "read " + "n" * 5000,
        "read " + "deep/" * 2000,
        "read a\0b",
        "read report.py:99999999999999999999",
        "read shapes",
        "list " + "n" * 5000,
        "search " + "n " * 5000,
    ]
    _, talker = work(*map(command, lines), DONE)
    for line, reply in zip(lines, talker.replies[: len(lines)], strict=True):
        for secret in (SECRET, "root:", "[core]"):
            assert secret not in reply, line


def test_a_command_that_is_not_allowed_does_not_run(work: Work, root: Path) -> None:
    canary = root.parent / "canary"
    lines = [
        "rm -rf /",
        "pytest; touch {canary}",
        "sh -c 'touch {canary}'",
        'python3 -c \'open("{canary}", "w")\'',
        "python3  test_area.py; touch {canary}",
        "env python3 test_area.py",
        "'unclosed",
    ]
    rules = RunRules(("python3 -m pytest", "echo"), CHECK)
    steps = [command("run " + line.replace("{canary}", str(canary))) for line in lines]
    _, talker = work(*steps, DONE, rules=rules)
    for line, reply in zip(lines, talker.replies[: len(lines)], strict=True):
        assert "refused" in reply, line
    assert not canary.exists()


def test_the_shell_reads_nothing_of_an_allowed_command(work: Work, root: Path) -> None:
    canary = root.parent / "canary"
    line = f"run echo harmless; touch {canary} $(touch {canary}) > {canary}"
    _, talker = work(command(line), DONE, rules=RunRules(("echo",)))
    assert "harmless; touch" in talker.read[1][-1]["content"]
    assert not canary.exists()


@pytest.mark.parametrize("line", ["echo fine", CHECK])
def test_nothing_runs_where_the_repository_is_not_trusted(
    work: Work, root: Path, line: str
) -> None:
    trust = Trust(Repository.discover(root), root.parent / "state")
    rules = run_rules(trust, ["echo"], CHECK)
    _, talker = work(command(f"run {line}"), DONE, rules=rules)
    assert "not trusted" in talker.read[1][-1]["content"]
    trust.grant()
    assert run_rules(trust, ["echo"], CHECK).line_for(line) == line


def test_what_may_run_is_known_by_its_first_words() -> None:
    rules = RunRules(("pytest", "python -m build"), "make check")
    assert rules.line_for("pytest -q 'a b'") == "pytest -q 'a b'"
    assert rules.line_for("make check") == "make check"
    for line in ("pytester", "python -m pip", "python", "make", "", "make check clean"):
        with pytest.raises(UsageError, match="not allowed"):
            rules.line_for(line)


def test_commands_see_no_keys(
    store: TaskStore, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("BIG", "OTHER_API_KEY", "FORGE_TOKEN"):
        monkeypatch.setenv(name, SECRET)
    sandbox = Sandbox(root, root.parent / "scratch", ["BIG"])
    run = returned(sandbox.run("env", 20.0))
    assert SECRET not in run.output
    assert "PATH=" in run.output


def test_a_flood_is_cut_to_its_head_and_tail(work: Work) -> None:
    rules = RunRules(("python3 -c",))
    flood = 'run python3 -c \'print("first"); print("x\\n" * 10**6); print("last")\''
    _, talker = work(command(flood), DONE, rules=rules)
    told = talker.read[1][-1]["content"]
    assert len(told) < MOST_CHARACTERS + 300
    assert "last" in told


def test_a_flood_of_words_is_cut_and_a_flood_of_files_is_text(work: Work) -> None:
    many = "".join(edit(f"many/{number}.txt", "", "x\n") for number in range(300))
    task, _ = work(many, DONE)
    assert status_of(task.log)[0] == "done"
    assert len(changes_of(task.log, task.worktree).files) == 300


@pytest.mark.parametrize("size", [0, 1, MOST_CHARACTERS, MOST_CHARACTERS + 1, 100_000])
@pytest.mark.parametrize("line", ["x" * 79 + "\n", "x"])
def test_an_output_keeps_its_head_and_its_tail(size: int, line: str) -> None:
    output = "begin\n" + (line * size)[:size] + "\nend"
    cut = shortened(output)
    assert len(cut) <= MOST_CHARACTERS + 60
    assert cut.startswith("begin")
    assert cut.endswith("end")


def test_nothing_that_a_repository_names_runs_in_a_task(tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    plant(tmp_path / "work", canary)
    store = TaskStore(Repository.discover(tmp_path / "work"), tmp_path / "state" / "tasks")
    steps = [edit("a.py", "line 3\n", "line three\n"), edit("b.py", "", "b\n"), DONE]
    log = store.begin("edit", "scripted")
    task = worked(open_task(store, log, ScriptedTalker(steps)))
    assert len(changes_of(log, task.worktree).files) == 2
    store.drop(log.id)
    assert sung(canary) == set()


@pytest.mark.parametrize(
    "harm",
    [
        "rm .git && git init -q . && git config core.fsmonitor 'touch canary; false'",
        "rm .git && mkdir .git && echo harm > .git/config",
        "rm .git && ln -s {root}/.git .git",
        "echo 'gitdir: {root}/.git' > .git",
        "rm -rf shapes && ln -s {outside} shapes",
        "rm report.py && ln -s {outside}/secret.txt report.py",
        "rm -f -- * .gitignore",
        "chmod 000 . || true",
    ],
)
def test_what_a_command_does_to_its_work_tree_leads_nowhere(
    work: Work, root: Path, outside: Path, harm: str
) -> None:
    before = tree(root), tree(outside), of_git(root), others(root.parent)
    line = harm.replace("{root}", str(root)).replace("{outside}", str(outside))
    run = command(f"run sh -c {shlex.quote(line)}")
    writes = edit("shapes/new.py", "", "new\n") + edit("report.py", "sk-", "mine\n")
    task, talker = work(run, writes, DONE, DONE, DONE, rules=RunRules(("sh",)))
    told = "".join(message["content"] for message in talker.read[-1])
    assert SECRET not in told
    changes = changes_of(task.log, task.worktree).files
    assert not any(SECRET.encode() in (change.after or b"") for change in changes)
    assert "canary" not in [change.path for change in changes]
    assert (tree(root), tree(outside), of_git(root), others(root.parent)) == before


needs_bubblewrap = pytest.mark.skipif(
    shutil.which("bwrap") is None, reason="needs bubblewrap (bwrap)"
)


@needs_bubblewrap
@pytest.mark.parametrize(
    "line",
    [
        "touch {outside}/canary",
        "rm -r {root}/shapes",
        "cp {outside}/secret.txt {root}/report.py",
        "git -C {root} commit --allow-empty -m x",
        "python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", {port}), 3)'",
    ],
)
def test_in_bubblewrap_a_command_reaches_nothing_but_its_work_tree(
    work: Work, root: Path, outside: Path, line: str
) -> None:
    before = tree(root), tree(outside), git(root, "rev-parse", "HEAD")
    written = line.replace("{outside}", str(outside)).replace("{root}", str(root))
    allowed = RunRules((written.split()[0],))
    _, talker = work(command(f"run {written.replace('{port}', '9')}"), DONE, rules=allowed)
    assert "fails with exit status" in talker.read[1][-1]["content"]
    assert (tree(root), tree(outside), git(root, "rev-parse", "HEAD")) == before


@needs_bubblewrap
def test_in_bubblewrap_a_command_writes_into_its_work_tree(work: Work) -> None:
    made = command("run sh -c 'echo made > made.txt; mktemp'")
    task, talker = work(made, DONE, rules=RunRules(("sh",)))
    assert "passes" in talker.read[1][-1]["content"]
    assert [change.after for change in changes_of(task.log, task.worktree).files] == [b"made\n"]
