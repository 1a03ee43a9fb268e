"""Work trees beside the user's: exact bytes, no link followed, nothing of the user touched."""

import errno
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from spark_tui.errors import FileError, RepoError, UsageError
from spark_tui.vcs.disk import Disk
from spark_tui.vcs.repository import Repository
from spark_tui.vcs.worktree import Worktree
from tests.vcs.canary import plant, sung
from tests.vcs.repos import AWKWARD, COMMIT, git, make_repo, tree, write_files

FILES = {"a.py": b"one\ntwo\n", "pkg/b.py": b"x\r\ny", ".gitignore": b"*.log\n"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_repo(tmp_path / "work", FILES)


def made(root: Path, disk: Disk | None = None) -> tuple[Worktree, str]:
    """A work tree beside another one, and the commit that it was made from."""
    repo = Repository.discover(root)
    worktree = Worktree(repo, root.parent / "state" / "0badcafe", disk)
    base = worktree.snapshot("base")
    worktree.make(base)
    return worktree, base


def facts(root: Path) -> tuple[object, ...]:
    """What must stay: the files, all of the git directory, and what git says of them."""
    own = {path: data for path, data in tree(root / ".git").items() if path != "index"}
    return tree(root), own, shown(root), git(root, "status", "--porcelain")


def shown(root: Path) -> list[bytes]:
    """What git shows of a repository beside its files."""
    return [git(root, *args) for args in (["log", "--all"], ["worktree", "list"], ["reflog"])]


def test_uncommitted_work_comes_along_byte_for_byte_and_nothing_of_the_user_changes(
    root: Path,
) -> None:
    awkward = {f"awkward {number}": data for number, data in enumerate(AWKWARD.values())}
    write_files(root, {"a.py": b"1\r\n2\n", "new/c.py": b"c", "x.log": b"ignored", **awkward})
    git(root, "config", "core.autocrlf", "true")
    write_files(root, {".gitattributes": b"*.py text eol=crlf ident\n"})
    (root / "pkg/b.py").chmod(0o755)
    (root / ".gitignore").unlink()
    before = facts(root)
    worktree, _ = made(root)
    kept = tree(root)
    assert tree(worktree.root) == kept
    assert (worktree.root / "pkg/b.py").stat().st_mode & 0o100
    assert facts(root) == before


def test_what_another_process_left_is_kept_with_all_that_it_changed(root: Path) -> None:
    worktree, base = made(root)
    write_files(worktree.root, {"a.py": b"1\n", "new.py": b"new\n", "x.log": b"ignored"})
    (worktree.root / "pkg/b.py").unlink()
    (worktree.root / ".git").unlink()
    other = Worktree(Repository.discover(root), worktree.root)
    other.adopt(base)
    commit = other.commit("what was left")
    assert other.changed_names(base, commit) == ("a.py", "new.py", "pkg/b.py")
    assert (worktree.root / "x.log").read_bytes() == b"ignored"
    other.adopt(commit)
    assert other.commit("nothing new") == commit
    assert other.changed_names(commit, commit) == ()
    shutil.rmtree(worktree.root)
    with pytest.raises(RepoError, match="is gone"):
        other.adopt(commit)


def test_a_commit_holds_what_changed_and_says_so(root: Path) -> None:
    worktree, base = made(root)
    worktree.write("a.py", b"1\n")
    worktree.write("new/deep/c.py", b"c\n")
    worktree.write("pkg/b.py", None)
    commit = worktree.commit("step")
    changes = worktree.changes(base, commit)
    assert [(change.path, change.before, change.after) for change in changes.files] == [
        ("a.py", b"one\ntwo\n", b"1\n"),
        ("new/deep/c.py", None, b"c\n"),
        ("pkg/b.py", b"x\r\ny", None),
    ]
    assert git(worktree.root, "rev-parse", "HEAD").decode().strip() == commit
    assert git(worktree.root, "status", "--porcelain") == b""
    assert worktree.commit("nothing new") == commit


def test_links_and_what_is_no_text_are_told_apart(root: Path) -> None:
    worktree, base = made(root)
    (worktree.root / "link").symlink_to("/etc/passwd")
    (worktree.root / "c.bin").write_bytes(b"\0")
    (worktree.root / "a.py").write_bytes(b"1\n")
    changes = worktree.changes(base, worktree.commit("step"))
    assert [change.path for change in changes.files] == ["a.py"]
    assert changes.left_out == ("c.bin", "link")


def test_what_came_since_the_last_commit_is_taken_back(root: Path) -> None:
    worktree, _ = made(root)
    worktree.write("a.py", b"1\n")
    worktree.commit("step")
    before = tree(worktree.root)
    (worktree.root / "a.py").unlink()
    (worktree.root / "a.py").mkdir()
    write_files(worktree.root, {"a.py/x": b"x", "junk": b"junk", "pkg/b.py": b"other"})
    worktree.discard()
    assert tree(worktree.root) == before


@pytest.mark.parametrize(
    "path",
    [
        "../out",
        "/etc/out",
        ".git",
        ".git/hooks/pre-commit",
        "pkg/.GIT/config",
        "leads_out/canary",
        "leads_in/b.py",
        "file_link",
        "a.py/inner",
        "pkg",
        "",
        "n" * 300,
        "deep/" * 300 + "x",
    ],
)
def test_no_path_leads_out_of_the_work_tree(root: Path, tmp_path: Path, path: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "canary").write_bytes(b"alive")
    (root / "leads_out").symlink_to(outside)
    (root / "leads_in").symlink_to("pkg")
    (root / "file_link").symlink_to("a.py")
    worktree, _ = made(root)
    before = tree(worktree.root)
    for data in (b"dead", None):
        with pytest.raises((UsageError, FileError)):
            worktree.write(path, data)
    assert tree(worktree.root) == before
    assert tree(outside) == {"canary": b"alive"}


def test_a_folder_that_became_a_link_is_not_read_through(root: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "b.py").write_bytes(b"secret")
    worktree, base = made(root)
    shutil.rmtree(worktree.root / "pkg")
    (worktree.root / "pkg").symlink_to(tmp_path / "outside")
    changes = worktree.changes(base, worktree.commit("step"))
    assert [(change.path, change.after) for change in changes.files] == [("pkg/b.py", None)]


def test_a_folder_that_leads_git_elsewhere_is_led_back(root: Path, tmp_path: Path) -> None:
    other = make_repo(tmp_path / "other", {"x": b"x"})
    head = git(other, "rev-parse", "HEAD")
    worktree, _ = made(root)
    (worktree.root / ".git").write_text(f"gitdir: {other}/.git\n")
    worktree.write("a.py", b"1\n")
    worktree.commit("step")
    assert git(other, "rev-parse", "HEAD") == head
    assert git(worktree.root, "rev-parse", "--git-common-dir").decode().strip() == str(
        worktree.git_dir
    )


def test_no_hook_filter_or_setting_of_a_stranger_runs(tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    root = plant(tmp_path / "work", canary)
    (root / "a.py").write_bytes(b"edited\n")
    worktree, base = made(root)
    worktree.write(".gitattributes", b"* filter=tracked\n")
    worktree.write("b.py", b"b\n")
    worktree.changes(base, worktree.commit("step"))
    (worktree.root / "b.py").unlink()
    worktree.discard()
    worktree.remove()
    assert sung(canary) == set()


def test_a_repository_without_a_commit_has_work_trees_too(tmp_path: Path) -> None:
    root = tmp_path / "work"
    root.mkdir()
    git(root, "init", "--quiet")
    write_files(root, {"a.py": b"a\n"})
    worktree, _ = made(root)
    assert tree(worktree.root) == {"a.py": b"a\n"}


def test_a_linked_work_tree_has_work_trees_too(root: Path) -> None:
    linked = root.parent / "linked"
    git(root, "worktree", "add", "--quiet", "--detach", str(linked))
    write_files(linked, {"a.py": b"linked\n"})
    before = facts(root), tree(linked), git(linked, "status", "--porcelain")
    worktree, base = made(linked)
    assert (worktree.root / "a.py").read_bytes() == b"linked\n"
    worktree.write("a.py", b"1\n")
    assert len(worktree.changes(base, worktree.commit("step")).files) == 1
    worktree.remove()
    assert (facts(root), tree(linked), git(linked, "status", "--porcelain")) == before


def test_a_repository_with_longer_names_has_work_trees_too(tmp_path: Path) -> None:
    root = tmp_path / "work"
    root.mkdir()
    git(root, "init", "--quiet", "--object-format=sha256")
    write_files(root, {"a.py": b"a\n"})
    worktree, base = made(root)
    worktree.write("a.py", b"1\n")
    commit = worktree.commit("step")
    assert len(commit) == 64
    assert len(worktree.changes(base, commit).files) == 1


def test_many_new_files_are_kept(root: Path) -> None:
    many = {f"many/{number}.txt": b"%d\n" % number for number in range(150)}
    write_files(root, many)
    worktree, _ = made(root)
    assert tree(worktree.root).items() >= many.items()


def test_a_work_tree_that_is_gone_is_told_and_can_be_made_anew(root: Path) -> None:
    worktree, base = made(root)
    shutil.rmtree(worktree.root)
    with pytest.raises(RepoError, match="is gone"):
        worktree.commit("step")
    worktree.make(base)
    assert tree(worktree.root) == FILES


def test_what_a_kill_left_in_its_repository_goes_when_it_is_made_anew(root: Path) -> None:
    worktree, base = made(root)
    # No process has this number: Linux has numbers below 2 ** 22.
    left = ["HEAD.lock", "index.lock", f"spark-{2**22}-1-0badcafe.tmp", "objects/ab/tmp_obj_x"]
    write_files(worktree.git_dir, dict.fromkeys([*left, "objects/pack/tmp_pack_x"], b""))
    worktree.make(base)
    names = [path.name for path in worktree.git_dir.rglob("*")]
    assert not [name for name in names if name.endswith((".lock", ".tmp", "_x"))]


def test_a_commit_that_git_collected_is_told(root: Path) -> None:
    worktree, base = made(root)
    with pytest.raises(RepoError, match="git cannot keep the files"):
        worktree.make("0" * 40)
    with pytest.raises(RepoError, match="git cannot keep the files"):
        worktree.changes(base, "0" * 39 + "1")


@pytest.mark.parametrize("size", ["40k", "400k"])
def test_a_full_disk_of_git_is_told(root: Path, tmp_path: Path, size: str) -> None:
    state = tmp_path / "state"
    state.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(state)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("needs the right to mount")
    try:
        write_files(root, {f"{number}.bin": os.urandom(100_000) for number in range(8)})
        before = facts(root)
        with pytest.raises((RepoError, FileError), match=r"git cannot keep the files|free some"):
            made(root)
        assert facts(root) == before
    finally:
        subprocess.run(["umount", str(state)], check=True)


def test_the_users_git_knows_nothing_of_a_work_tree(root: Path) -> None:
    write_files(root, {"a.py": b"edited\n"})
    before = facts(root)
    worktree, _ = made(root)
    worktree.write("a.py", b"1\n")
    worktree.commit("step")
    assert facts(root) == before
    (worktree.root / "closed").mkdir()
    (worktree.root / "closed").chmod(0)
    worktree.remove()
    worktree.remove()
    assert list(worktree.root.parent.iterdir()) == []
    assert facts(root) == before


def test_a_work_tree_has_the_settings_branches_and_exclusions_of_the_user(root: Path) -> None:
    git(root, "config", "user.name", 'A "quoted" name')
    (root / ".git/info/exclude").write_bytes(b"private\n")
    git(root, "tag", "v1")
    write_files(root, {"private": b"private"})
    worktree, _ = made(root)
    inside = worktree.root
    write_files(inside, {"private": b"private"})
    assert git(inside, "config", "user.name") == b'A "quoted" name\n'
    assert git(inside, "rev-parse", "v1", "main") == git(root, "rev-parse", "v1", "main")
    assert git(inside, "status", "--porcelain") == b""


def test_files_that_are_tracked_though_they_are_ignored_come_along_and_stay(root: Path) -> None:
    write_files(root, {"kept.log": b"kept"})
    git(root, "add", "--force", "kept.log")
    worktree, base = made(root)
    worktree.write("a.py", b"1\n")
    changed = worktree.changed_names(base, worktree.commit("step"))
    assert changed == ("a.py",)


def test_what_the_users_git_collects_is_not_missed(root: Path) -> None:
    worktree, base = made(root)
    write_files(root, {"a.py": b"other\n"})
    git(root, *COMMIT, "--quiet", "--all", "--amend", "--message", "other")
    git(root, "reflog", "expire", "--expire=now", "--all")
    git(root, "gc", "--quiet", "--prune=now")
    worktree.make(base)
    assert tree(worktree.root) == FILES
    worktree.write("pkg/b.py", b"y\n")
    assert worktree.changed_names(base, worktree.commit("step")) == ("pkg/b.py",)


@pytest.mark.parametrize("kept", ["adopt", "make"])
def test_a_work_tree_of_git_that_an_earlier_spark_made_goes_on(root: Path, kept: str) -> None:
    before = shown(root)
    worktree = Worktree(Repository.discover(root), root.parent / "state" / "0badcafe")
    base = git(root, "rev-parse", "HEAD").decode().strip()
    git(root, "worktree", "add", "--quiet", "--detach", str(worktree.root))
    write_files(worktree.root, {"a.py": b"1\n"})
    git(worktree.root, *COMMIT, "--quiet", "--all", "--message", "step")
    step = git(worktree.root, "rev-parse", "HEAD").decode().strip()
    assert worktree.changed_names(base, step) == ("a.py",)
    if kept == "adopt":
        worktree.adopt(step)
    else:
        worktree.make(step)
    git(root, "gc", "--quiet", "--prune=now")
    worktree.write("b.py", b"b\n")
    assert worktree.changed_names(base, worktree.commit("next")) == ("a.py", "b.py")
    assert shown(root) == before


@pytest.mark.parametrize("call", ["create", "write", "rename", "mkdir"])
def test_a_full_disk_is_told(root: Path, call: str) -> None:
    full = False

    def fail(name: str) -> None:
        if full and name == call:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    worktree, _ = made(root, Disk(fail))
    full = True
    with pytest.raises(FileError, match="free some space"):
        worktree.write("new/c.py", b"c\n")
