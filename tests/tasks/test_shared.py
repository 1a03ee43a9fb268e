"""What a task shares of the user's work tree: its commands read it, and change nothing there."""

from contextlib import suppress
from pathlib import Path

import pytest

from spark_tui.errors import FileError, UsageError
from spark_tui.tasks.events import FilesAbsent
from spark_tui.tasks.outcome import changes_of
from spark_tui.tasks.sandbox import Sandbox
from spark_tui.tasks.shared import SharedPaths, find_shared, find_those_shared
from spark_tui.tasks.store import TaskStore
from spark_tui.tasks.task import Task
from spark_tui.tasks.tools import RunRules
from spark_tui.vcs.repository import Repository
from tests.tasks.scripts import DONE, MEND, ScriptedTalker, break_bubblewrap, command, open_task
from tests.vcs.repos import git, make_repo, tree, write_files

LIBRARY = {
    "node_modules/p/index.js": b"1\n",
    "node_modules/p/credentials.js": b"code\n",
    "node_modules/p/.env": b"KEY=1\n",
    "node_modules/p/key.pem": b"KEY\n",
    "deep/er/made.py": b"2\n",
    ".env": b"KEY=2\n",
}
SHARED = ("node_modules", "deep/er", ".env", "s")


@pytest.fixture
def root(root: Path) -> Path:
    """A work tree with ignored files and a submodule."""
    write_files(root, {".gitignore": b".env\nnode_modules\n/deep/er\n"})
    make_repo(root / "s", {"f": b"1\n"})
    commit = git(root / "s", "rev-parse", "HEAD").decode().strip()
    git(root, "update-index", "--add", "--cacheinfo", f"160000,{commit},s")
    write_files(root, LIBRARY)
    (root / "node_modules/link").symlink_to("p/index.js")
    return root


@pytest.fixture(params=["confined", "unconfined"])
def kind(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """How commands run."""
    kind: str = request.param
    if kind == "unconfined":
        break_bubblewrap(tmp_path / "broken", monkeypatch)
    elif not Sandbox(tmp_path, tmp_path / "scratch").is_confined:
        pytest.skip("needs bubblewrap (bwrap) that works here")
    return kind


either = pytest.mark.usefixtures("kind")


def _work(store: TaskStore, *lines: str) -> tuple[Task, list[str]]:
    """Have a task run commands, and edit a file; what each command puts out, with its status."""
    log = store.begin("mend", "scripted", shared=SHARED)
    steps = [*(command(f"run {line}") for line in lines), MEND, DONE]
    talker = ScriptedTalker(steps)
    task = open_task(store, log, talker, RunRules(("sh", "cat", "test")))
    for _ in task.events():
        pass
    return task, talker.replies[: len(lines)]


@either
def test_commands_read_what_is_shared(store: TaskStore) -> None:
    lines = ["node_modules/p/index.js", "deep/er/made.py", ".env", "s/f", "node_modules/link"]
    task, outputs = _work(store, *(f"cat {line}" for line in lines))
    for output, wanted in zip(outputs, ["1", "2", "KEY=2", "1", "1"], strict=True):
        assert output.splitlines()[-2] == wanted
    changes = changes_of(task.log, task.worktree)
    assert [change.path for change in changes.files] == ["shapes/area.py"]
    assert not changes.left_out


@either
def test_no_command_changes_what_is_shared(store: TaskStore, root: Path) -> None:
    before = tree(root)
    script = (
        "rm -rf node_modules/p node_modules/ deep s .env; echo x > node_modules/link; "
        "echo x > s/f; echo x > .env; mkdir -p deep/er; "
        "echo x > deep/er/made.py; mv deep away; true"
    )
    _work(store, f"sh -c '{script}'", "sh -c 'ls; true'")
    assert tree(root) == before
    assert (root / "node_modules/link").is_symlink()


@either
def test_secrets_within_are_shared_only_where_they_are_named(store: TaskStore, root: Path) -> None:
    hidden = [".env", "key.pem"]
    _, outputs = _work(
        store,
        *(f"cat node_modules/p/{name}" for name in hidden),
        "cat node_modules/p/credentials.js",
    )
    assert not any("KEY" in output for output in outputs)
    assert "code" in outputs[-1]
    named = SharedPaths(root, root.parent / "other", ["node_modules", "node_modules/p/.env"])
    (root.parent / "other").mkdir()
    named.copy(root.parent)
    assert (root.parent / "other/node_modules/p/.env").exists()
    assert not (root.parent / "other/node_modules/p/key.pem").exists()


@pytest.mark.parametrize("place", ["node_modules", "deep"])
def test_nothing_is_made_behind_a_link_in_the_work_tree_of_the_task(
    root: Path, tmp_path: Path, place: str
) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (tmp_path / "victim").mkdir()
    (own / place).symlink_to(tmp_path / "victim")
    shared = SharedPaths(root, own, ["node_modules", "deep/er"])
    with pytest.raises(FileError):
        shared.mounts()
    with suppress(FileError):
        shared.copy(tmp_path)
    assert list((tmp_path / "victim").iterdir()) == []


def test_a_folder_that_is_too_large_is_not_copied(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own").mkdir()
    with (root / "node_modules/large").open("wb") as file:
        file.truncate(3 << 30)
    with pytest.raises(FileError, match="bubblewrap"):
        SharedPaths(root, tmp_path / "own", ["node_modules"]).copy(tmp_path)
    assert list((tmp_path / "own").iterdir()) == []


def test_what_is_gone_or_a_link_by_now_is_not_shared(root: Path, tmp_path: Path) -> None:
    (root / ".env").unlink()
    (root / "s").rename(root / "t")
    (root / "s").symlink_to("t")
    (tmp_path / "own").mkdir()
    shared = SharedPaths(root, tmp_path / "own", [".env", "s"])
    assert shared.mounts() == []
    shared.copy(tmp_path)
    assert list((tmp_path / "own").iterdir()) == []


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("nowhere", "there is no nowhere"),
        ("shapes", "is in the task's work tree anyway"),
        ("new.txt", "is in the task's work tree anyway"),
        ("linked", "neither a folder nor a file"),
        ("kept", "is in the task's work tree anyway"),
        ("..", "not a file inside the repository"),
        (".git", "belongs to git"),
    ],
)
def test_what_cannot_be_shared_is_told(root: Path, path: str, told: str) -> None:
    write_files(root, {"new.txt": b"1\n", "kept/a": b"1\n", "kept/b": b"1\n"})
    git(root, "add", "kept/a")
    (root / ".gitignore").write_bytes(b"kept\nlinked\n/deep/er\n")
    (root / "linked").symlink_to("shapes")
    repo = Repository.discover(root)
    with pytest.raises(UsageError, match=told):
        find_shared(repo, path, root)
    assert list(find_those_shared(repo, [path, "deep/er"])) == ["deep/er"]


def test_what_is_shared_is_not_absent_and_is_kept_for_a_resume(
    store: TaskStore, root: Path
) -> None:
    log = store.begin("mend", "scripted", check="false", shared=["node_modules", "s"])
    task = open_task(store, store.find(log.id), ScriptedTalker([MEND, DONE]))
    (absent,) = [event for event in task.events() if isinstance(event, FilesAbsent)]
    assert sorted(absent.paths) == [".env", "deep/"]
    assert store.find(log.id).spec.shared == ("node_modules", "s")
