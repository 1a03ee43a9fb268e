"""A repository whose every program-valued setting touches a file: whatever spark does there, the file never appears."""

from contextlib import suppress
from pathlib import Path
from subprocess import CalledProcessError

import pytest

from spark_tui.errors import RepoError
from spark_tui.vcs.batches import Batches
from spark_tui.vcs.repository import Repository
from spark_tui.vcs.write import FileChange
from tests.vcs.repos import git, make_repo

PROGRAMS = [
    "core.fsmonitor",
    "core.pager",
    "core.editor",
    "core.sshCommand",
    "core.askPass",
    "core.alternateRefsCommand",
    "core.gitProxy",
    "credential.helper",
    "diff.external",
    "diff.canary.command",
    "diff.canary.textconv",
    "filter.canary.clean",
    "filter.canary.smudge",
    "filter.canary.process",
    "merge.canary.driver",
    "gpg.program",
    "gpg.ssh.program",
    "interactive.diffFilter",
    "pager.diff",
    "pager.ls-files",
    "sequence.editor",
    "trailer.x.command",
    "uploadpack.packObjectsHook",
    "browser.x.cmd",
    "difftool.x.cmd",
    "mergetool.x.cmd",
    "alias.apply",
    "alias.ls-files",
    "alias.rev-parse",
    "alias.x",
    "hook.canary.command",
]
HOOKS = [
    "applypatch-msg",
    "pre-applypatch",
    "post-applypatch",
    "pre-commit",
    "post-commit",
    "post-checkout",
    "post-index-change",
    "fsmonitor-watchman",
    "reference-transaction",
    "query-watchman",
]
LINES = b"".join(b"line %d\n" % number for number in range(12))


@pytest.fixture
def canary(tmp_path: Path) -> Path:
    return tmp_path / "canary"


@pytest.fixture
def hostile(tmp_path: Path, canary: Path) -> Path:
    root = make_repo(tmp_path / "work", {"a.py": LINES, "pkg/b.py": LINES})
    script = root / ".git" / "canary.sh"
    script.write_text(f'#!/bin/sh\necho "$0 $*" >> {canary}\ncat\n')
    script.chmod(0o755)
    (root / ".gitattributes").write_bytes(b"* filter=canary diff=canary merge=canary ident text eol=crlf\n")
    for name in HOOKS:
        (root / ".git" / "hooks").mkdir(exist_ok=True)
        (root / ".git" / "hooks" / name).write_bytes(script.read_bytes())
        (root / ".git" / "hooks" / name).chmod(0o755)
    included = "".join(
        f"[{section}]\n\t{key} = {'!' if section == 'alias' else ''}{script}\n"
        for section, key in map(_section_and_key, PROGRAMS)
    )
    (root / ".git" / "hostile").write_text(
        included + '[hook "canary"]\n\tevent = post-index-change\n[filter "canary"]\n\trequired = true\n'
    )
    with (root / ".git" / "config").open("a") as config:
        config.write("[include]\n\tpath = hostile\n[core]\n\tautocrlf = true\n\tuntrackedCache = true\n")
    return root


def _section_and_key(setting: str) -> tuple[str, str]:
    section, *middle, key = setting.split(".")
    return (f'{section} "{".".join(middle)}"' if middle else section), key


@pytest.mark.parametrize("command", [["status"], ["diff"], ["ls-files", "--others"], ["x"]])
def test_plain_git_does_set_the_canary_off(hostile: Path, canary: Path, command: list[str]) -> None:
    (hostile / "a.py").write_bytes(b"changed\n")
    with suppress(CalledProcessError):
        git(hostile, *command)

    assert canary.exists()


def test_no_operation_of_ours_sets_the_canary_off(
    hostile: Path, canary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(hostile)
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", str(hostile / ".git" / "canary.sh"))
    monkeypatch.setenv("GIT_PAGER", str(hostile / ".git" / "canary.sh"))
    monkeypatch.setenv("GIT_TRACE_SETUP", str(tmp_path / "trace"))
    repo = Repository.discover(hostile / "pkg")
    batches = Batches(repo, tmp_path / "state")
    facts = (repo.branch, repo.head, repo.key, repo.lock_key, repo.resolve("a.py"), repo.read("a.py"))

    changes = [
        FileChange("a.py", LINES, LINES.replace(b"line 3\n", b"line three\r\n")),
        FileChange("pkg/b.py", LINES, None),
        FileChange("new.py", None, b"new\n"),
    ]
    batches.accept(changes, "change")
    (hostile / "a.py").write_bytes((hostile / "a.py").read_bytes() + b"by hand\n")
    batches.undo()
    batches.redo()
    batches.recover()

    assert facts[0] == "main"
    assert len(batches.log()) == 3
    assert repo.files() == ("a.py", "new.py")
    assert (hostile / "a.py").read_bytes() == LINES.replace(b"line 3\n", b"line three\r\n") + b"by hand\n"
    assert not canary.exists(), canary.read_text()
    assert not (tmp_path / "trace").exists()


def test_a_partial_clone_fetches_nothing(hostile: Path, canary: Path) -> None:
    git(hostile, "config", "remote.origin.url", f"ext::{hostile}/.git/canary.sh")
    git(hostile, "config", "remote.origin.promisor", "true")
    git(hostile, "config", "extensions.partialClone", "origin")
    git(hostile, "config", "protocol.ext.allow", "always")
    git(hostile, "config", "index.sparse", "true")
    for place in (hostile / ".git" / "objects").glob("[0-9a-f][0-9a-f]/*"):
        place.unlink()
    canary.unlink(missing_ok=True)
    repo = Repository.discover(hostile)

    assert repo.files() == ("a.py", "pkg/b.py")
    assert repo.head is not None
    assert not canary.exists()


def test_a_work_tree_that_points_elsewhere_is_refused_without_setting_it_off(
    hostile: Path, canary: Path, tmp_path: Path
) -> None:
    with (hostile / ".git" / "config").open("a") as config:
        config.write(f"[core]\n\tworktree = {tmp_path}\n")

    with pytest.raises(RepoError, match=r"core\.worktree"):
        Repository.discover(hostile)
    assert not canary.exists()


def test_a_repository_of_another_user_is_read_without_running_anything(
    hostile: Path, canary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")

    assert Repository.discover(hostile).files() == ("a.py", "pkg/b.py")
    assert not canary.exists()
