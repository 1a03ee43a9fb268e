import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from git import Repo as GitRepo

from spark_tui.errors import FileError, RepoError, UsageError
from spark_tui.vcs import new_files
from spark_tui.vcs.git import run_git
from spark_tui.vcs.repository import Repository, conflicted, unmerged_files
from tests.vcs.repos import git, make_repo, write_files


def test_a_repository_is_found_from_any_folder_or_file_in_it(root: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(root)
    for place in (root, root / "pkg", root / "pkg" / "b.py", tmp_path / "link" / "pkg"):
        assert Repository.discover(place).root == root


def test_branch_and_head_are_read_anew_each_time(root: Path, repo: Repository) -> None:
    first = git(root, "rev-parse", "HEAD").decode().strip()
    assert (repo.branch, repo.head) == ("main", first)

    git(root, "checkout", "--quiet", "-b", "feature/x")
    git(root, "commit", "--quiet", "--allow-empty", "--message=second")

    second = git(root, "rev-parse", "HEAD").decode().strip()
    assert (repo.branch, repo.head) == ("feature/x", second) != ("feature/x", first)
    git(root, "pack-refs", "--all")
    assert repo.head == second
    git(root, "checkout", "--quiet", "--detach")
    assert (repo.branch, repo.head) == (None, second)


def test_a_repository_without_commits_has_a_branch_but_no_head(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--initial-branch=trunk")
    write_files(tmp_path, {"new.py": b"x = 1\n"})
    repo = Repository.discover(tmp_path)

    assert (repo.branch, repo.head, repo.files()) == ("trunk", None, ("new.py",))


def test_a_repository_with_long_hashes_has_a_head(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--object-format=sha256")
    git(tmp_path, "commit", "--quiet", "--allow-empty", "--message=first")

    head = Repository.discover(tmp_path).head

    assert head is not None
    assert len(head) == 64


def test_a_linked_work_tree_shares_the_lock_but_not_the_journal(
    root: Path, repo: Repository, tmp_path: Path
) -> None:
    git(root, "worktree", "add", "--quiet", "-b", "other", str(tmp_path / "linked"))
    linked = Repository.discover(tmp_path / "linked" / "pkg")

    assert linked.root == tmp_path / "linked"
    assert (linked.branch, linked.head) == ("other", repo.head)
    assert linked.common_dir == repo.common_dir
    assert linked.lock_key == repo.lock_key
    assert linked.key != repo.key


def test_a_submodule_is_a_repository_of_its_own(root: Path, tmp_path: Path) -> None:
    source = make_repo(tmp_path / "source", {"s.py": b"s = 1\n"})
    git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(source), "sub")

    sub = Repository.discover(root / "sub")

    assert (sub.root, sub.files()) == (root / "sub", ("s.py",))
    assert "sub/s.py" not in Repository.discover(root).files()


@pytest.mark.parametrize(
    ("place", "words"),
    [
        (".", "is not in a git repository; run `git init` first"),
        ("nowhere", "No such file"),
        ("store.git", "bare repository"),
        ("work/.git", "inside a git directory"),
        ("work/.git/hooks", "inside a git directory"),
        ("work/.git/refs/heads", "inside a git directory"),
        ("work/.git/worktrees/linked", "inside a git directory"),
    ],
)
def test_where_there_is_no_work_tree_the_error_says_what_to_do(
    tmp_path: Path, place: str, words: str
) -> None:
    work = make_repo(tmp_path / "work", {"a.py": b""})
    git(work, "worktree", "add", "--quiet", "-b", "other", str(tmp_path / "linked"))
    git(tmp_path, "init", "--quiet", "--bare", "store.git")
    with pytest.raises(RepoError, match=words):
        Repository.discover(tmp_path / place)


def test_a_bare_repository_hidden_in_a_work_tree_is_refused(root: Path, tmp_path: Path) -> None:
    git(root, "init", "--quiet", "--bare", "hidden")
    git(root / "hidden", "config", "core.bare", "false")
    git(root / "hidden", "config", "core.worktree", str(tmp_path))

    with pytest.raises(RepoError):
        Repository.discover(root / "hidden")


def test_a_commit_that_is_not_there_is_told_and_none_at_all_is_fine(
    root: Path, tmp_path: Path
) -> None:
    repo = Repository.discover(root)
    repo.check_head()
    for damage in ("HEAD", f"refs/heads/{repo.branch}"):
        before = (root / ".git" / damage).read_bytes()
        (root / ".git" / damage).write_bytes(b"1" * 40)
        with pytest.raises(
            RepoError, match=r"is broken: .*; `git -C .* symbolic-ref HEAD refs/heads/BRANCH`"
        ):
            repo.check_head()
        (root / ".git" / damage).write_bytes(before)
    (tmp_path / "empty").mkdir()
    git(tmp_path / "empty", "init")
    Repository.discover(tmp_path / "empty").check_head()


def test_inherited_variables_do_not_lead_to_another_repository(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = make_repo(tmp_path / "other", {"o.py": b""})
    for name, value in {
        "GIT_DIR": ".git",
        "GIT_COMMON_DIR": ".git",
        "GIT_WORK_TREE": "",
        "GIT_INDEX_FILE": "x",
    }.items():
        monkeypatch.setenv(name, str(other / value))
    repo = Repository.discover(root)

    assert (repo.root, repo.git_dir, repo.common_dir) == (root, root / ".git", root / ".git")
    assert repo.files() == ("a.py", "pkg/b.py")
    assert os.environ["GIT_DIR"] == str(other / ".git")


def test_what_other_threads_tell_programs_stays_in_the_environment_while_head_is_read(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = Repository.discover(root)
    told, opened = list[str | None](), GitRepo.__init__

    def opening(self: Any, *args: Any, **options: Any) -> None:
        told.append(os.environ.get("GIT_AUTHOR_NAME"))
        opened(self, *args, **options)

    monkeypatch.setattr(GitRepo, "__init__", opening)
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Ada")
    assert repo.branch == "main"
    assert told == ["Ada"]


def test_files_are_tracked_or_not_ignored_and_present(root: Path, repo: Repository) -> None:
    write_files(
        root,
        {
            "new.py": b"",
            "n\u00e9.py": b"",
            "note.txt": b"",
            "out/gen.py": b"",
            ".gitignore": b"out/\n",
        },
    )
    (root / "a.py").unlink()
    (root / "link.py").symlink_to("pkg/b.py")

    assert repo.files(".py") == ("new.py", "n\u00e9.py", "pkg/b.py")
    assert "note.txt" in repo.files()


def test_files_are_listed_whatever_the_form_of_the_index(root: Path, repo: Repository) -> None:
    for option in ("--index-version=4", "--split-index", "--untracked-cache"):
        git(root, "update-index", "--force-write-index", option)

        assert repo.files() == ("a.py", "pkg/b.py")


def test_what_cannot_be_read_as_a_file_is_one_clear_line(root: Path, repo: Repository) -> None:
    (root / "out.py").symlink_to("/etc/hosts")
    (root / "linked").symlink_to("pkg")
    os.mkfifo(root / "pipe.py")

    for path, words in {
        "none.py": "there is no file none.py",
        "out.py": "out.py is a link out of the work tree",
        "pipe.py": "not a regular file",
        "pkg": "not a regular file",
        "linked/b.py": "linked is not a plain folder",
    }.items():
        with pytest.raises(FileError, match=words):
            repo.read(path)


def test_paths_are_made_relative_to_the_root(
    root: Path, repo: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root / "pkg")

    assert repo.resolve("b.py") == "pkg/b.py"
    assert repo.resolve("../a.py") == "a.py"
    assert repo.resolve(root / "new" / "c.py") == "new/c.py"
    assert repo.resolve("a.py", start=root) == "a.py"
    (tmp_path / "link").symlink_to(root)
    (root / "here").symlink_to("pkg")
    assert repo.resolve(tmp_path / "link" / "here" / "b.py") == "pkg/b.py"


@pytest.mark.parametrize(
    "path", ["../outside.py", "/etc/passwd", ".", "", ".git/config", "pkg/../.git/hooks/x", "out/x"]
)
def test_paths_outside_or_of_git_are_refused(
    root: Path, repo: Repository, tmp_path: Path, path: str
) -> None:
    (root / "out").symlink_to(tmp_path)

    with pytest.raises(UsageError):
        repo.resolve(path, start=root)


def test_importing_and_reading_a_repository_starts_no_git_through_gitpython(
    root: Path, tmp_path: Path
) -> None:
    """A `git` that tells on whoever starts it stands first on PATH, where GitPython would find
    it.
    """
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "git").write_text(f"#!/bin/sh\necho called >> {tmp_path}/canary\nexit 1\n")
    (tmp_path / "bin" / "git").chmod(0o755)
    code = (
        "import warnings; warnings.simplefilter('error')\n"
        "from pathlib import Path\n"
        "from spark_tui.vcs import git_python, repository\n"
        "print(repository.Repository(Path('.').resolve(), Path('.'), Path('.')).branch)\n"
        "git_python.open_handle(Path('.').resolve()).git.version()\n"
    )
    environment = {
        **os.environ,
        "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}",
        "PYTHONPATH": str(Path.cwd()),
    }
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, env=environment, capture_output=True, check=False
    )

    assert done.stdout == b"main\n"
    assert b"GitPython wanted to start git" in done.stderr
    assert not (tmp_path / "canary").exists()


def _configure(root: Path, lines: str) -> Path:
    with (root / ".git" / "config").open("a") as config:
        config.write(lines)
    return root


def _pipe(path: Path) -> Path:
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    return path


def _link(path: Path, to: str) -> Path:
    path.symlink_to(to)
    return path


def _without_git(root: Path) -> Path:
    shutil.rmtree(root / ".git")
    return root / ".git"


BROKEN: dict[str, tuple[Callable[[Path], object], str]] = {
    "no HEAD": (
        lambda root: (root / ".git" / "HEAD").unlink(),
        "/.git/HEAD names no branch and no commit; write ",
    ),
    "HEAD of junk": (
        lambda root: (root / ".git" / "HEAD").write_text("junk"),
        "/.git/HEAD names no branch and no",
    ),
    "no objects": (
        lambda root: shutil.rmtree(root / ".git" / "objects"),
        "lacks a part of a .*; `git init` adds it",
    ),
    "HEAD a pipe": (lambda root: _pipe(root / ".git" / "HEAD"), "HEAD is not a file"),
    "config a pipe": (lambda root: _pipe(root / ".git" / "config"), "config is not a file"),
    "index a device": (
        lambda root: _link(root / ".git" / "link", "/dev/zero").replace(root / ".git" / "index"),
        "index is not a file",
    ),
    "an included pipe": (
        lambda root: _configure(_pipe(root / ".git" / "p").parents[1], "[include]\n\tpath = p\n"),
        "cannot be read within",
    ),
    "an included device": (
        lambda root: _configure(root, "[include]\n\tpath = /dev/zero\n"),
        "bad config line 1",
    ),
    "a circle of includes": (
        lambda root: _configure(root, "[include]\n\tpath = config\n"),
        "include",
    ),
    "a syntax error": (lambda root: _configure(root, "[core\n"), "bad config line"),
    "an unknown extension": (
        lambda root: _configure(
            root, "[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\tfancy = true\n"
        ),
        "git cannot read the repository",
    ),
    "a work tree elsewhere": (
        lambda root: _configure(root, "[core]\n\tworktree = /tmp\n"),
        "to another folder",
    ),
    "a wrong value": (
        lambda root: _configure(root, "[core]\n\tbare = perhaps\n"),
        "bad boolean config value",
    ),
    "a huge config": (lambda root: _configure(root, "[a]\n" + "\tb = c\n" * 800_000), "has 9 MB"),
    "a later format": (
        lambda root: _configure(root, "[core]\n\trepositoryFormatVersion = 99\n"),
        "99",
    ),
    "bare by configuration": (
        lambda root: _configure(root, "[core]\n\tbare = true\n"),
        "a bare repository by its",
    ),
    "an empty .git": (
        lambda root: _without_git(root).mkdir(),
        "lacks a part of a repository; `git init`",
    ),
    ".git a pipe": (lambda root: os.mkfifo(_without_git(root)), "cannot read"),
    ".git a link to nothing": (lambda root: _without_git(root).symlink_to("gone"), "cannot read"),
    ".git of words": (lambda root: _without_git(root).write_text("hello\n"), "gitfile"),
    ".git to nothing": (
        lambda root: _without_git(root).write_text("gitdir: /nowhere\n"),
        "nowhere",
    ),
    "too many drivers": (
        lambda root: _configure(
            root, "".join(f'[filter "{n:060}"]\n\tclean = x\n' for n in range(30_000))
        ),
        "Argument list too long",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_repository_that_cannot_be_read_is_one_clear_line(
    root: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    damage, words = BROKEN[name]
    if "pipe" in name:
        monkeypatch.setattr("spark_tui.vcs.git._CONFIG_SECONDS", 0.5)
        monkeypatch.setattr("spark_tui.vcs.repository._MOST_SECONDS", 0.5)
    damage(root)

    with pytest.raises(RepoError, match=words) as caught:
        Repository.discover(root / "pkg")

    assert "\n" not in str(caught.value)


def test_conflicts_that_git_cannot_list_are_an_error_and_not_none(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = Repository.discover(root)
    with monkeypatch.context() as patch:
        patch.setattr("spark_tui.vcs.repository._MOST_UNDERWAY_SECONDS", 0.0)
        for list_files in (conflicted, unmerged_files):
            with pytest.raises(RepoError, match="gave no answer"):
                list_files(repo)
    (root / ".git" / "index").write_bytes(b"no index")
    for list_files in (conflicted, unmerged_files):
        with pytest.raises(RepoError, match=r"cannot list the conflicts of .*: .*index"):
            list_files(repo)


def _partial(root: Path) -> None:
    _configure(
        root,
        '[remote "o"]\n\turl = ext::false\n\tpromisor = true\n[extensions]\n\tpartialClone = o\n',
    )
    for place in (root / ".git" / "objects").glob("[0-9a-f][0-9a-f]/*"):
        if git(root, "cat-file", "-t", place.parent.name + place.name) == b"blob\n":
            place.unlink()


READABLE: dict[str, Callable[[Path], object]] = {
    "sparse": lambda root: git(root, "sparse-checkout", "set", "--cone", "pkg"),
    "sparse index": lambda root: git(
        root, "sparse-checkout", "set", "--cone", "--sparse-index", "pkg"
    ),
    "split index": lambda root: git(root, "update-index", "--split-index"),
    "partial": _partial,
    "shallow": lambda root: (root / ".git" / "shallow").write_bytes(git(root, "rev-parse", "HEAD")),
    "merging": lambda root: (root / ".git" / "MERGE_HEAD").write_bytes(
        git(root, "rev-parse", "HEAD")
    ),
    "rebasing": lambda root: (root / ".git" / "rebase-merge").mkdir(),
    "index locked": lambda root: (root / ".git" / "index.lock").touch(),
    "no index": lambda root: (root / ".git" / "index").unlink(),
    "alternates to nowhere": lambda root: write_files(
        root / ".git", {"objects/info/alternates": b"/nowhere\n"}
    ),
    "separate git directory": lambda root: git(root, "init", "--separate-git-dir", f"{root}.git"),
    "linked git directory": lambda root: (root / ".git").symlink_to(
        (root / ".git").rename(f"{root}.real")
    ),
    "an include of nothing": lambda root: _configure(root, "[include]\n\tpath = nothing\n"),
    "a byte order mark": lambda root: (root / ".git" / "config").write_bytes(
        b"\xef\xbb\xbf" + (root / ".git" / "config").read_bytes()
    ),
    "no configuration": lambda root: (root / ".git" / "config").unlink(),
}


@pytest.mark.parametrize("change", READABLE.values(), ids=READABLE)
def test_unusual_repositories_are_read(root: Path, change: Callable[[Path], object]) -> None:
    change(root)
    repo = Repository.discover(root / "pkg")

    assert (repo.root, repo.branch) == (root, "main")
    assert repo.head == git(root, "rev-parse", "HEAD").decode().strip()
    assert "pkg/b.py" in repo.files()


def test_a_work_tree_linked_to_a_bare_repository_is_read(root: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "--quiet", "--bare", str(root), "bare")
    git(tmp_path / "bare", "worktree", "add", "--quiet", str(tmp_path / "linked"), "main")

    assert Repository.discover(tmp_path / "linked").files() == ("a.py", "pkg/b.py")
    with pytest.raises(RepoError, match="bare repository"):
        Repository.discover(tmp_path / "bare" / "refs")


@pytest.mark.parametrize(
    "variables", [("GIT_DIR",), ("GIT_WORK_TREE",), ("GIT_DIR", "GIT_WORK_TREE")]
)
def test_variables_that_name_a_repository_are_not_followed_and_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variables: tuple[str, ...]
) -> None:
    for name in variables:
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    with pytest.raises(RepoError) as caught:
        Repository.discover(tmp_path)
    assert "git init" not in str(caught.value)
    assert "worktree add FOLDER" in str(caught.value)
    assert all(f"{name}={tmp_path / name.lower()}" in str(caught.value) for name in variables)


def _stub_git(folder: Path, monkeypatch: pytest.MonkeyPatch, lines: str) -> None:
    """Put a git first on PATH that begins with some lines of shell."""
    real = shutil.which("git")
    folder.mkdir()
    (folder / "git").write_text(f'#!/bin/sh\n{lines}\nexec {real} "$@"\n')
    (folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def test_where_git_never_ends_looking_for_new_files_those_it_tracks_are_listed(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(root, {"new.py": b""})
    stuck = 'case " $* " in *" --others "*) exec sleep 1000;; esac'
    _stub_git(tmp_path / "bin", monkeypatch, stuck)
    monkeypatch.setattr(new_files, "PATIENCE_SECONDS", 0.0)
    repo = Repository.discover(root)
    assert repo.names() == ("a.py", "pkg/b.py")
    monkeypatch.setattr(new_files, "PATIENCE_SECONDS", 1000.0)
    assert repo.files() == ("a.py", "pkg/b.py"), "it is not waited for again"
    assert repo.lists_tracked_only


def test_new_files_that_git_finds_late_are_listed_once_they_are_known(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(root, {"new.py": b""})
    wait = f'case " $* " in *" --others "*) read _ < {tmp_path / "pipe"};; esac'
    os.mkfifo(tmp_path / "pipe")
    _stub_git(tmp_path / "bin", monkeypatch, wait)
    monkeypatch.setattr(new_files, "PATIENCE_SECONDS", 0.0)
    repo = Repository.discover(root)
    others = set(threading.enumerate())
    assert repo.names() == ("a.py", "pkg/b.py")
    lacking = [repo.lists_tracked_only]
    (tmp_path / "pipe").write_text("\n")
    for listing in set(threading.enumerate()) - others:
        listing.join()
    lacking.append(repo.lists_tracked_only)
    assert lacking == [True, False]
    stuck = 'case " $* " in *" --others "*) exec sleep 1000;; esac'
    _stub_git(tmp_path / "more", monkeypatch, stuck)
    assert repo.names() == ("a.py", "new.py", "pkg/b.py")


def test_a_git_that_does_not_end_when_it_is_killed_is_left_behind(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = tmp_path / "number"
    left = f"setsid sleep 1000 & echo $! > {number}; wait"  # which keeps the pipes of git open
    _stub_git(tmp_path / "bin", monkeypatch, f'case " $* " in *" ls-files "*) {left};; esac')
    try:
        with pytest.raises(RepoError, match="gave no answer"):
            run_git(["ls-files"], git_dir=root / ".git", most_seconds=0.5)
    finally:
        os.kill(int(number.read_text()), signal.SIGKILL)
