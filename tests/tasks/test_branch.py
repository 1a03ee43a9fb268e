"""What came of a task as a commit on a branch of its own: nothing of the user's moves."""

from pathlib import Path

import pytest

from spark_tui.errors import Conflict, RepoError, SparkError, UsageError
from spark_tui.tasks.outcome import commit_to_branch
from spark_tui.tasks.store import TaskStore
from spark_tui.tasks.task import Task
from spark_tui.vcs.commit import Commit, Committer
from spark_tui.vcs.policy import Trust
from spark_tui.vcs.repository import Repository
from tests.tasks.conftest import Work
from tests.tasks.scripts import (
    DONE,
    FILES,
    MAKE,
    MEND,
    ScriptedTalker,
    edit,
    open_task,
    store_in,
    worked,
)
from tests.vcs.repos import git, hook, name_somebody, tree, write_files

STEPS = (MEND + MAKE + "report.py\n<<<<<<< DELETE\n", DONE)
AFTER = {
    "docs/area.md": b"# Area\n",
    "notes.txt": FILES["notes.txt"],
    "shapes/area.py": b"def area(w, h):\n    return w * h\n",
    "test_area.py": FILES["test_area.py"],
}


@pytest.fixture
def root(root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(root.parent))
    name_somebody(root)
    return root


def committed(task: Task, root: Path, branch: str | None = None, **given: object) -> Commit:
    repo = Repository.discover(root)
    state = root.parent / "state"
    committer = Committer(repo, Trust(repo, state), state)
    return commit_to_branch(task.log, repo, task.worktree, committer, branch=branch, **given)  # type: ignore[arg-type]


def of_user(root: Path) -> tuple[object, ...]:
    """All that a commit to a branch must leave alone."""
    index = (root / ".git" / "index").read_bytes()
    head = (root / ".git" / "HEAD").read_bytes()
    main = git(root, "for-each-ref", "refs/heads/main"), git(root, "reflog", "main")
    return tree(root), index, head, main, git(root, "status", "--porcelain")


def files_of(root: Path, commit: str) -> dict[str, bytes]:
    names = git(root, "ls-tree", "-r", "--name-only", commit).decode().splitlines()
    return {name: git(root, "cat-file", "blob", f"{commit}:{name}") for name in names}


def test_a_branch_holds_the_task_behind_the_commit_that_it_began_with(
    work: Work, root: Path
) -> None:
    task, _ = work(*STEPS)
    before = of_user(root)
    head = git(root, "rev-parse", "HEAD").strip()
    made = committed(task, root)
    assert made.branch == f"task-{task.log.id}"
    assert of_user(root) == before
    assert git(root, "rev-parse", f"{made.branch}^").strip() == head
    assert files_of(root, made.id) == AFTER
    said = git(root, "log", "-1", "--format=%an|%s", made.id)
    assert said == b"Somebody|Mend the area in 3 files\n"
    assert git(root, "fsck", "--strict") == b""


def test_work_that_is_not_committed_is_no_part_of_it(store: TaskStore, root: Path) -> None:
    write_files(
        root,
        {
            "shapes/area.py": b"def area(w, h):\n    return w + h\n\n\n\nx = 1\n",
            "new.py": b"mine\n",
            "notes.txt": b"changed\n",
        },
    )
    git(root, "add", "notes.txt")
    log = store.begin("mend", "scripted")
    task = worked(open_task(store, log, ScriptedTalker(STEPS)))
    before = of_user(root)
    made = committed(task, root, "mended", message="Multiply\n\nFor areas.")
    assert files_of(root, made.id) == AFTER
    assert of_user(root) == before
    assert git(root, "log", "-1", "--format=%B", "mended") == b"Multiply\n\nFor areas.\n\n"


def test_what_belongs_to_work_that_is_not_committed_is_a_conflict(
    store: TaskStore, root: Path
) -> None:
    write_files(root, {"shapes/area.py": b"def area(w, h):\n    return w / h\n"})
    mends = edit("shapes/area.py", "    return w / h\n", "    return w * h\n")
    log = store.begin("mend", "scripted")
    task = worked(open_task(store, log, ScriptedTalker([mends, DONE])))
    refs = git(root, "for-each-ref")
    with pytest.raises(Conflict):
        committed(task, root)
    assert git(root, "for-each-ref") == refs


def test_a_branch_that_exists_and_names_that_are_none_are_refused(work: Work, root: Path) -> None:
    git(root, "branch", "taken")
    task, _ = work(*STEPS)
    before = of_user(root), git(root, "for-each-ref")
    for branch, told in (
        ("main", "there is a branch main already"),
        ("taken", "there is a branch taken already"),
        ("taken/below", "git cannot make a branch taken/below"),
    ):
        with pytest.raises(UsageError, match=told):
            committed(task, root, branch)
    for name in ("", "a..b", "-x", "@{-1}", "HEAD", "a b", "../../x"):
        with pytest.raises(UsageError, match="is no name for a branch"):
            committed(task, root, name)
    assert (of_user(root), git(root, "for-each-ref")) == before


def test_a_branch_without_a_commit_is_the_users_and_another_one_begins_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    root = tmp_path / "work"
    root.mkdir()
    git(root, "init", "--quiet", "--initial-branch=main")
    name_somebody(root)
    write_files(root, {"shapes/area.py": FILES["shapes/area.py"]})
    store = store_in(tmp_path)
    task = worked(open_task(store, store.begin("make", "scripted"), ScriptedTalker([MAKE, DONE])))
    with pytest.raises(UsageError, match="there is a branch main already"):
        committed(task, root, "main")
    made = committed(task, root, "other")
    assert files_of(root, made.id) == {"docs/area.md": b"# Area\n"}
    assert git(root, "log", "--format=%p", "other") == b"\n"
    assert git(root, "symbolic-ref", "HEAD") == b"refs/heads/main\n"
    assert git(root, "for-each-ref", "refs/heads/main") == b""


def test_a_task_that_changed_nothing_has_nothing_to_commit(work: Work, root: Path) -> None:
    task, _ = work(MEND, edit("shapes/area.py", "    return w * h\n", "    return w + h\n"), DONE)
    with pytest.raises(UsageError, match="nothing to commit"):
        committed(task, root)


def test_files_that_run_by_themselves_need_a_consent_here_too(work: Work, root: Path) -> None:
    task, _ = work(MEND + edit("conftest.py", "", "import os\n"), DONE)
    with pytest.raises(SparkError, match=r"--allow conftest\.py"):
        committed(task, root)
    assert "conftest.py" in files_of(root, committed(task, root, allow=["conftest.py"]).id)


def test_no_hook_runs_and_who_has_no_name_is_told(work: Work, root: Path, tmp_path: Path) -> None:
    task, _ = work(*STEPS)
    for name in ("pre-commit", "commit-msg", "reference-transaction", "post-commit"):
        hook(root, name, f"touch {tmp_path}/ran")
    with pytest.raises(RepoError, match="spark trust"):
        committed(task, root)
    repo = Repository.discover(root)
    Trust(repo, root.parent / "state").grant()
    committed(task, root, "one")
    assert not (tmp_path / "ran").exists()
    git(root, "config", "--unset", "user.email")
    with pytest.raises(RepoError, match="does not know who you are"):
        committed(task, root, "two")


def test_a_branch_that_moved_meanwhile_is_no_hindrance(work: Work, root: Path) -> None:
    task, _ = work(*STEPS)
    start = git(root, "rev-parse", "HEAD").strip()
    git(root, "checkout", "--quiet", "-b", "other")
    git(root, "rm", "--quiet", "shapes/area.py")
    git(root, "commit", "--quiet", "--message=gone")
    git(root, "branch", "--quiet", "--delete", "--force", "main")
    made = committed(task, root)
    assert files_of(root, made.id) == AFTER
    assert git(root, "rev-parse", f"{made.id}^").strip() == start
