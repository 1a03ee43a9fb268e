"""A program moves a folder of its task away, and puts a link or the user's own folder there.

spark stops with a message, whatever comes next, and no byte of the user's changes.
"""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from spark_tui.errors import FilesLost, RepoError, SparkError
from spark_tui.tasks.agents.process import AgentProcess, environment
from spark_tui.tasks.log import TaskLog
from spark_tui.tasks.outcome import changes_of
from spark_tui.tasks.store import TaskStore
from spark_tui.tasks.tools import RunRules
from tests.tasks.scripts import DONE, MEND, ScriptedTalker, command, open_task, store_in, worked
from tests.vcs.repos import make_repo, tree, write_files

PLACES = ["", ".git", ".tmp"]
"""What follows the id in the names of a task's folders."""


def everything(folder: Path) -> dict[str, bytes]:
    """The user's files and git directory."""
    return {
        **tree(folder),
        **{f".git/{path}": data for path, data in tree(folder / ".git").items()},
    }


def link(place: Path, user: Path) -> None:
    place.rename(place.with_name("away"))
    place.symlink_to(user)


def link_git(place: Path, user: Path) -> None:
    link(place, user / ".git")


def swap(place: Path, user: Path) -> None:
    place.rename(place.with_name("away"))
    shutil.copytree(user, place, symlinks=True)


@pytest.mark.parametrize("ending", PLACES)
@pytest.mark.parametrize("replace", [link, link_git, swap])
def test_what_stands_in_place_of_a_folder_stays_as_it_is(
    store: TaskStore, root: Path, ending: str, replace: Callable[[Path, Path], None]
) -> None:
    log = store.begin("mend", "scripted")
    task = worked(open_task(store, log, ScriptedTalker([MEND, DONE])))
    place = task.worktree.root.with_name(f"{log.id}{ending}")
    replace(place, root)
    before = everything(root), everything(place) if replace is swap else {}
    if ending != ".tmp":
        with pytest.raises(RepoError, match="not the folder that spark made"):
            task.worktree.commit("step")
        with pytest.raises(RepoError, match="not the folder that spark made"):
            task.worktree.make(log.spec.base)
        with pytest.raises(RepoError, match="not the folder that spark made"):
            store.worktree(log).adopt(log.commit)
    with pytest.raises(RepoError, match="not the folder that spark made"):
        store.drop(log.id)
    assert (everything(root), everything(place) if replace is swap else {}) == before
    # Once it is put right, the task can be dropped.
    place.unlink() if place.is_symlink() else shutil.rmtree(place)
    place.with_name("away").rename(place)
    store.drop(log.id)
    assert list(place.parent.iterdir()) == []


@pytest.mark.parametrize("target", ["root", "git"])
def test_a_command_that_moves_the_work_tree_stops_the_task(
    store: TaskStore, root: Path, target: str
) -> None:
    places = {"root": root, "git": root / ".git"}
    # Where bubblewrap confines commands, the move fails, which is as well.
    line = f'sh -c \'mv "$PWD" "$PWD.moved"; ln -s {places[target]} "$PWD"\''
    before = everything(root)
    log = store.begin("mend", "scripted")
    rules = RunRules(("sh",))
    task = open_task(store, log, ScriptedTalker([MEND, command(f"run {line}"), DONE]), rules)
    errors = list[str]()
    try:
        worked(task)
    except RepoError as error:
        errors.append(str(error))
    assert everything(root) == before
    for message in errors:
        assert "not the folder that spark made" in message
        assert [step.kind for step in store.find(log.id).steps] == ["edit"]
        changes = changes_of(store.find(log.id), store.worktree(log))
        assert [change.path for change in changes.files] == ["shapes/area.py"]


@pytest.mark.parametrize(
    "inner", ["objects", "refs", "HEAD", "index", "info/exclude", "commondir", "pipe"]
)
def test_git_writes_through_nothing_in_the_repository_of_a_task(
    store: TaskStore, root: Path, inner: str
) -> None:
    log = store.begin("mend", "scripted")
    task = worked(open_task(store, log, ScriptedTalker([MEND, DONE])))
    place = task.worktree.git_dir / inner
    if inner == "commondir":
        place.write_text(f"{root}/.git\n")
    elif inner == "pipe":
        os.mkfifo(place)
    else:
        place.rename(task.worktree.root.with_name("away"))
        place.symlink_to(root / ".git" / inner)
    before = everything(root)
    task.worktree.root.joinpath("new.txt").write_bytes(b"new")
    with pytest.raises(RepoError, match="leads git elsewhere"):
        task.worktree.commit("step")
    store.drop(log.id)
    assert everything(root) == before


def test_the_repository_that_was_moved_into_the_work_tree_is_not_removed(
    store: TaskStore, root: Path
) -> None:
    log = store.begin("mend", "scripted")
    task = worked(open_task(store, log, ScriptedTalker([MEND, DONE])))
    before = everything(root)
    (task.worktree.root / ".git").unlink()
    (root / ".git").rename(task.worktree.root / ".git")
    for attempt in (task.worktree.remove, lambda: task.worktree.commit("step")):
        with pytest.raises(RepoError, match="move it back"):
            attempt()
    (task.worktree.root / ".git").rename(root / ".git")
    assert everything(root) == before
    task.worktree.commit("step")


def test_the_notes_of_an_agent_are_not_written_through_a_link(root: Path) -> None:
    victim = root / ".git/config"
    before = victim.read_bytes()
    notes = root.parent / "0badcafe.agent.log"
    notes.symlink_to(victim)
    with pytest.raises(SparkError):
        AgentProcess("a", ["sh", "-c", "echo harm >&2"], root, environment((), "m"), notes)
    assert victim.read_bytes() == before


def test_what_a_kill_left_before_the_log_is_swept_at_the_next_beginning(
    store: TaskStore, root: Path
) -> None:
    kept = store.begin("stays", "scripted")
    log = store.begin("mend", "scripted")
    folder = root.parent / "state/tasks"
    (folder / f"{log.id}.jsonl").rename(folder / f"{log.id}.jsonl.0123abcd")
    (folder / "mine.txt").write_bytes(b"the user's")
    (folder / "cafebabe").mkdir()
    (folder / "cafebabe.git").mkdir()
    new = store.begin("next", "scripted")
    names = {path.name for path in folder.iterdir()}
    assert not any(name.startswith(log.id) for name in names)
    assert {f"{kept.id}.git", f"{new.id}.git", "mine.txt", "cafebabe", "cafebabe.git"} <= names


IN_NO_PATCH = {
    "a picture": {"web/logo.png": b"\x89PNG\x00\xff"},
    "what came behind the last step": {"web/late.js": b"3\n"},
}


@pytest.mark.parametrize("files", IN_NO_PATCH.values(), ids=IN_NO_PATCH)
def test_files_of_a_repository_in_a_task_that_are_in_no_patch_are_dropped_at_a_second_word(
    store: TaskStore, root: Path, files: dict[str, bytes]
) -> None:
    log, place = _task_with_repository(store)
    write_files(place, files)
    for _ in range(2):
        with pytest.raises(FilesLost, match=next(iter(files))):
            store.drop(log.id)
        assert store.find(log.id).steps
        assert (place / next(iter(files))).exists()
    store.drop(log.id, anyway=True)
    assert list((root.parent / "state/tasks").iterdir()) == []


def test_files_of_a_repository_in_a_task_that_are_in_its_patch_are_dropped_at_once(
    store: TaskStore, root: Path
) -> None:
    log, place = _task_with_repository(store)
    # What git ignores is in no patch of any task.
    write_files(place, {"web/.git/info/exclude": b"*\n", "kept.png": b"\x89PNG\x00\xff"})
    store.drop(log.id)
    assert list((root.parent / "state/tasks").iterdir()) == []


def test_of_a_task_with_a_damaged_log_nobody_knows_what_is_in_a_patch(
    store: TaskStore, root: Path
) -> None:
    log, _ = _task_with_repository(store)
    (root.parent / f"state/tasks/{log.id}.jsonl").write_bytes(b"{}\n")
    with pytest.raises(FilesLost, match="web/"):
        store.drop(log.id)
    store.drop(log.id, anyway=True)
    assert list((root.parent / "state/tasks").iterdir()) == []


def _task_with_repository(store: TaskStore) -> tuple[TaskLog, Path]:
    """A task in which a program made a repository, and its work tree."""
    line = "git init -q web; echo 1 > web/index.js"
    log = store.begin("mend", "scripted")
    steps = [command(f"run sh -c '{line}'"), MEND, DONE]
    task = worked(open_task(store, log, ScriptedTalker(steps), RunRules(("sh",))))
    assert "web/index.js" in {change.path for change in changes_of(log, task.worktree).files}
    return log, task.worktree.root


def test_a_drop_that_was_cut_short_goes_on_at_the_next_start(store: TaskStore, root: Path) -> None:
    log = store.begin("mend", "scripted")
    worked(open_task(store, log, ScriptedTalker([MEND, DONE])))
    log.drop()
    assert store.logs() == ()
    store.sweep()
    assert list((root.parent / "state/tasks").iterdir()) == []


def test_of_a_task_that_was_killed_at_work_the_next_start_removes_temporary_files(
    store: TaskStore, root: Path
) -> None:
    log = store.begin("mend", "scripted")
    folder = root.parent / "state/tasks"
    names = {path.name for path in folder.iterdir()}
    (folder / f"{log.id}.tmp.made.0123abcd").write_bytes(b"")
    with log.held():
        store.sweep()
        assert (folder / f"{log.id}.tmp.made.0123abcd").exists()
    store.sweep()
    assert {path.name for path in folder.iterdir()} == names


def test_what_another_process_begins_is_not_swept(store: TaskStore, root: Path) -> None:
    log = store.begin("mend", "scripted")
    folder = root.parent / "state/tasks"
    path = folder / f"{log.id}.jsonl"
    with log.held():
        path.rename(path.with_suffix(".away"))
        store_in(root.parent).begin("next", "scripted")
        path.with_suffix(".away").rename(path)
    assert (folder / f"{log.id}.git/HEAD").is_file()
    worked(open_task(store, log, ScriptedTalker([MEND, DONE])))


def test_repositories_that_a_program_makes_are_files_and_modes_are_named(
    store: TaskStore, root: Path
) -> None:
    write_files(root, {".gitignore": b"*.log\n"})
    log = store.begin("mend", "scripted")
    task = worked(open_task(store, log, ScriptedTalker([MEND, DONE])))
    make_repo(task.worktree.root / "web", {"index.js": b"1\n", "deep/a.log": b"no", "deep/b": b"b"})
    make_repo(task.worktree.root / "web/inner", {"c": b"c"})
    (task.worktree.root / "report.py").chmod(0o755)
    commit = task.worktree.commit("step")
    changes = task.worktree.changes(log.spec.base, commit)
    assert {change.path for change in changes.files} == {
        "shapes/area.py",
        "web/index.js",
        "web/deep/b",
        "web/inner/c",
    }
    assert changes.modes == {"report.py": True}
    assert task.worktree.commit("nothing new") == commit
    (task.worktree.root / "web/index.js").write_bytes(b"2\n")
    task.worktree.discard()
    assert (task.worktree.root / "web/index.js").read_bytes() == b"1\n"
    task.worktree.make(commit)
    assert (task.worktree.root / "web/inner/c").read_bytes() == b"c"
