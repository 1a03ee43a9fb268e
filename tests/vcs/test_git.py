import errno
import os
from pathlib import Path

import pytest

from spark_tui.errors import RepoError
from spark_tui.vcs.git import (
    MINIMUM_VERSION,
    GitFailure,
    find_git,
    git_version,
    run_git,
    take_no_programs_from,
)
from spark_tui.vcs.repository import Repository
from tests.vcs.repos import git, hook, make_repo, write_files


def test_a_failure_carries_git_s_own_words_in_one_line(root: Path) -> None:
    with pytest.raises(GitFailure) as caught:
        run_git(["cat-file", "blob", "0" * 40], git_dir=root / ".git")

    assert caught.value.status == 128
    assert str(caught.value) == f"git cat-file failed: git cat-file {'0' * 40}: bad file"


@pytest.mark.parametrize("times", [1, 3])
def test_a_start_that_a_signal_interrupts_is_made_again(
    root: Path, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    real = os.pipe
    interrupted = [InterruptedError(errno.EINTR, os.strerror(errno.EINTR))] * times

    def pipe() -> tuple[int, int]:
        if interrupted:
            raise interrupted.pop()
        return real()

    monkeypatch.setattr(os, "pipe", pipe)

    assert run_git(["ls-files"], git_dir=root / ".git") == b"a.py\npkg/b.py\n"
    assert not interrupted


def test_a_start_that_is_interrupted_for_good_is_told(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def pipe() -> tuple[int, int]:
        raise InterruptedError(errno.EINTR, os.strerror(errno.EINTR))

    monkeypatch.setattr(os, "pipe", pipe)

    with pytest.raises(RepoError, match=r"cannot run git in .*: Interrupted system call"):
        run_git(["ls-files"], git_dir=root / ".git")


def test_inherited_git_variables_do_not_reach_git(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = make_repo(tmp_path / "other", {})
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", "'alias.x=!false'")
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "nowhere"))

    assert run_git(["rev-parse", "--absolute-git-dir"], cwd=root) == f"{root}/.git\n".encode()
    assert run_git(["ls-files"], git_dir=root / ".git") == b"a.py\npkg/b.py\n"


def test_git_looks_for_a_repository_in_its_folder_only(root: Path) -> None:
    with pytest.raises(GitFailure, match="not a git repository"):
        run_git(["rev-parse", "--absolute-git-dir"], cwd=root / "pkg")


def test_of_the_user_s_configuration_only_who_they_are_and_what_they_ignore_reaches_git(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".gitconfig").write_text(
        "[user]\n\tname = Someone\n\temail = user@example.org\n[core]\n\tquotePath = false\n"
        '\texcludesFile = ~/ignored\n[filter "x"]\n\tclean = false\n\trequired = true\n'
    )
    (tmp_path / "ignored").write_text("mine.py\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    write_files(root, {"mine.py": b""})
    git(root, "config", "user.email", "local@example.org")
    listed = run_git(["config", "--list"], git_dir=root / ".git")

    assert b"user.name=Someone" in listed
    assert (b"quotepath" in listed, b"filter.x" in listed, b"user@example.org" in listed) == (
        False,
        False,
        False,
    )
    assert (
        run_git(
            ["ls-files", "--others", "--exclude-standard"], git_dir=root / ".git", work_tree=root
        )
        == b""
    )


def test_an_identity_of_the_environment_stays(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "From Outside")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "outside@example.org")

    assert run_git(["var", "GIT_AUTHOR_IDENT"], git_dir=root / ".git").startswith(
        b"From Outside <outside@example.org>"
    )


def test_every_driver_and_configured_hook_of_a_repository_is_off(root: Path) -> None:
    (root / ".git" / "config").write_text(
        '[core]\n\trepositoryFormatVersion = 0\n[filter "a=b"]\n\tclean = evil\n'
        '[diff "d"]\n\ttextconv = evil\n[merge "M.m"]\n\tdriver = evil\n'
        '[hook "h"]\n\tcommand = evil\n\tevent = pre-commit\n[alias]\n\tx = !evil\n[remote '
        '"r"]\n\tvcs = evil\n'
    )
    listed = run_git(["config", "--list", "-z"], git_dir=root / ".git").decode().split("\0")
    last = dict(line.partition("\n")[::2] for line in listed)

    assert {key: value for key, value in last.items() if "evil" in value} == {}
    assert (last["filter.a=b.clean"], last["filter.a=b.required"], last["hook.h.enabled"]) == (
        "",
        "false",
        "false",
    )
    assert (last["merge.M.m.driver"], last["hook.h.event"]) == ("false", "")


def test_a_git_that_hangs_is_ended_with_all_it_started(root: Path) -> None:
    os.mkfifo(root / "pipe")

    with pytest.raises(RepoError, match="gave no answer within 0 s; try it by hand"):
        run_git(
            ["hash-object", "--no-filters", str(root / "pipe")],
            git_dir=root / ".git",
            most_seconds=0.3,
        )


def test_with_hooks_git_runs_as_the_user_s_own(root: Path, tmp_path: Path) -> None:
    hook(root, "pre-commit", f"touch {tmp_path}/ran")

    run_git(["hook", "run", "pre-commit"], git_dir=root / ".git", work_tree=root, hooks=True)

    assert (tmp_path / "ran").exists()


def test_a_git_that_lies_in_the_repository_is_not_run(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = find_git(root)
    for folder in ("bin", "."):
        (root / folder).mkdir(exist_ok=True)
        (root / folder / "git").write_text("#!/bin/sh\necho hijacked\n")
        (root / folder / "git").chmod(0o755)
    monkeypatch.chdir(root)
    monkeypatch.setenv("PATH", f"{root / 'bin'}:.::{Path(own).parent}")

    assert find_git(root) == own
    assert b"hijacked" not in run_git(["version"], cwd=root)
    assert find_git(tmp_path / "elsewhere") != own
    take_no_programs_from(root)
    assert find_git(tmp_path / "elsewhere") == own


def test_git_is_found_with_as_many_looks_at_the_disk_however_many_repositories_are_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = list[str]()
    real = os.lstat

    def counted(path: str) -> os.stat_result:
        looks.append(path)
        return real(path)

    monkeypatch.setattr(os, "lstat", counted)
    counts = []
    for opened in (0, 50):
        for number in range(opened):
            take_no_programs_from(tmp_path / f"work{number:02}")
        looks.clear()
        find_git(tmp_path / f"of{opened:02}")
        counts.append(len(looks))

    assert counts[0] == counts[1] > 0


def test_no_git_at_all_is_one_clear_line(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")

    with pytest.raises(RepoError, match="git was not found on PATH; install git"):
        run_git(["version"], cwd=root)


def test_the_git_here_is_new_enough() -> None:
    assert git_version() >= MINIMUM_VERSION


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("exit 0", "git gave no whole answer about "),
        ("echo /", "git gave no whole answer about "),
        ("exit 3", "git cannot read the configuration of .*: exit status 3"),
        ("kill -9 $$", "git cannot read the configuration of .*: signal 9 ended it"),
    ],
)
def test_a_git_without_a_word_is_told_as_that(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, words: str
) -> None:
    folder = tmp_path / "silent"
    folder.mkdir()
    (folder / "git").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    with pytest.raises(RepoError, match=words):
        Repository.discover(root)
