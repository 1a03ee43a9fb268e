"""A repository whose every program-valued setting leaves its name in a file: whatever is done
there, nobody sings.
"""

import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from spark_tui.errors import RepoError
from spark_tui.vcs.atomic_write import FileChange
from spark_tui.vcs.batches import Batches
from spark_tui.vcs.commit import Committer
from spark_tui.vcs.git import GitFailure, run_git
from spark_tui.vcs.policy import Trust
from spark_tui.vcs.repository import Repository
from spark_tui.vcs.staging import Stager
from tests.vcs.canary import COMMANDS, LINES, PROGRAMS, plant, sung
from tests.vcs.repos import git, make_repo

_COMMAND_LINES = [
    ["status"],
    ["-p", "diff"],
    ["log", "-p", "-1"],
    ["x"],
    ["add", "."],
    ["checkout", "a.py", "pkg/b.py", "c.bin"],
    ["fetch"],
    ["commit", "--allow-empty", "--edit", "--message=x", "--trailer", "x=1"],
    ["submodule", "update", "--init"],
    ["archive", "--format=x", "HEAD"],
    ["difftool", "--no-prompt"],
    ["rebase", "--interactive", "HEAD"],
    ["credential", "fill"],
    ["web--browse", "--browser=x", "http://example.org"],
]
PLAIN = [["-c", "filter.lasting.process=", *command] for command in _COMMAND_LINES]
LASTING = ["checkout", "c.bin"]
"""By itself: git gives everything up once it reads from a program that has ended, now sooner,
now later.
"""
HEARD = (
    "alias.x",
    "core.askPass",
    "core.editor",
    "core.fsmonitor",
    "credential.helper",
    "credential.https://example.org.helper",
    *(
        f"diff.{driver}.{kind}"
        for driver in ("tracked", "private")
        for kind in ("command", "textconv")
    ),
    *(
        f"filter.{driver}.{kind}"
        for driver in ("tracked", "private")
        for kind in ("clean", "smudge")
    ),
    "filter.lasting.process",
    "ext::",
    "gpg.ssh.defaultKeyCommand",
    *(f"hook {name}" for name in ("commit-msg", "post-checkout", "post-index-change")),
    *(f"hook {name}" for name in ("pre-commit", "prepare-commit-msg")),
    "tar.x.command",
    "trailer.x.cmd",
    "trailer.y.command",
)
"""What runs whenever git 2.39 carries out the commands above; a newer one runs more."""
EDITED = LINES.replace(b"line 3\n", b"line three\r\n")

DRIVERS = [
    ("filter", "clean"),
    ("filter", "smudge"),
    ("diff", "textconv"),
    ("diff", "command"),
    ("merge", "driver"),
]


@pytest.fixture
def canary(tmp_path: Path) -> Path:
    return tmp_path / "canary"


@pytest.fixture
def hostile(tmp_path: Path, canary: Path) -> Path:
    return plant(tmp_path / "work", canary)


def test_plain_git_sets_many_of_them_off(hostile: Path, canary: Path) -> None:
    """The control: were this empty, the silence below would mean nothing."""
    for command in (*PLAIN, LASTING):
        for name in ("a.py", "pkg/b.py", "c.bin"):
            (hostile / name).write_bytes(b"changed by hand\n")
        with suppress(subprocess.CalledProcessError):
            git(hostile, *command, stdin=b"protocol=https\nhost=example.org\n\n")

    assert set(HEARD) - sung(canary) == set()


def test_each_of_them_is_a_reason_to_restrict(hostile: Path, tmp_path: Path) -> None:
    told = {
        reason.partition(" = ")[0]
        for reason in Trust(Repository.discover(hostile), tmp_path / "state").restricted
    }

    assert {name.lower() for name in PROGRAMS} <= {name.lower() for name in told}
    assert {
        "hook pre-commit",
        "core.hookspath",
        "init.templatedir",
        "remote.origin.url",
        "include.path",
    } <= told


def test_no_operation_of_ours_sets_one_off(
    hostile: Path, canary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(hostile)
    script = hostile / ".git" / "canaries" / "core.pager"
    for name in [
        "EXTERNAL_DIFF",
        "PAGER",
        "EDITOR",
        "ASKPASS",
        "SSH",
        "SSH_COMMAND",
        "PROXY_COMMAND",
        "SEQUENCE_EDITOR",
    ]:
        monkeypatch.setenv(f"GIT_{name}", str(script))
    monkeypatch.setenv("GIT_TRACE_SETUP", str(tmp_path / "trace"))
    monkeypatch.setenv("GIT_EXEC_PATH", str(hostile / ".git" / "canaries"))
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", f"'core.fsmonitor={script}'")
    repo = Repository.discover(hostile / "pkg")
    batches = Batches(repo, tmp_path / "state")
    facts = (
        repo.branch,
        repo.head,
        repo.key,
        repo.lock_key,
        repo.resolve("a.py"),
        repo.read("a.py"),
    )

    changes = [
        FileChange("a.py", LINES, EDITED),
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
    assert repo.files(".py") == ("a.py", "new.py")
    assert (hostile / "a.py").read_bytes() == EDITED + b"by hand\n"
    assert sung(canary) == set()
    assert not (tmp_path / "trace").exists()


def test_staging_and_committing_wait_for_trust_and_set_none_off(
    hostile: Path, canary: Path, tmp_path: Path
) -> None:
    repo, state = Repository.discover(hostile), tmp_path / "state"
    trust, changes = Trust(repo, state), [FileChange("a.py", LINES, EDITED)]

    with pytest.raises(RepoError, match="staging waits"):
        Stager(repo, trust, state).stage(changes)
    with pytest.raises(RepoError, match="committing waits"):
        Committer(repo, trust, state).commit("message", changes)
    trust.grant()
    trust.revoke()
    assert sung(canary) == set()


def test_staging_sets_none_off_even_with_trust(hostile: Path, canary: Path, tmp_path: Path) -> None:
    repo, state = Repository.discover(hostile), tmp_path / "state"
    trust = Trust(repo, state)
    trust.grant()
    with suppress(RepoError):
        Stager(repo, trust, state).stage([FileChange("a.py", LINES, EDITED)])

    assert sung(canary) == set()


@pytest.mark.parametrize(
    "args",
    [
        ["status", "--porcelain"],
        ["diff"],
        ["diff", "HEAD"],
        ["log", "-p", "-1"],
        ["show"],
        ["add", "--renormalize", "."],
        ["add", "--all"],
        ["checkout", "--force", "HEAD", "--", "a.py", "pkg/b.py", "c.bin"],
        ["commit", "--allow-empty", "--message=x", "--trailer", "x=1"],
        ["merge-file", "-p", "a.py", "a.py", "pkg/b.py"],
        ["merge", "--no-ff", "HEAD~0"],
        ["stash"],
        ["fetch"],
        ["submodule", "update", "--init"],
        ["archive", "--format=x", "HEAD"],
        ["gc"],
        ["blame", "a.py"],
        ["cat-file", "--textconv", "HEAD:a.py"],
        ["cat-file", "--filters", "HEAD:a.py"],
        ["cat-file", "blob", "2" * 40],
        ["hash-object", "-w", "a.py"],
        ["update-ref", "refs/heads/other", "HEAD"],
        ["read-tree", "-u", "-m", "HEAD"],
        ["init"],
        ["x"],
        ["y"],
    ],
    ids=" ".join,
)
def test_the_factory_sets_none_off_whatever_is_asked_of_git(
    hostile: Path, canary: Path, args: list[str]
) -> None:
    (hostile / "a.py").write_bytes(b"changed by hand\n")
    with suppress(Exception):
        run_git(args, git_dir=hostile / ".git", work_tree=hostile)

    assert sung(canary) == set()


@pytest.mark.parametrize(
    "name", ["", "a=b", "a.b", 'a\\"b', "a\\\\b", "A b", "\u00e9", "filter", "a\tb", "0"]
)
def test_a_driver_is_off_whatever_its_name(tmp_path: Path, canary: Path, name: str) -> None:
    root = make_repo(tmp_path / "work", {"a.py": LINES})
    lines = "".join(
        f'[{kind} "{name}"]\n\t{key} = "touch {canary}; cat"\n' for kind, key in DRIVERS
    )
    with (root / ".git" / "config").open("a") as config:
        config.write(lines)
    said = name.replace('\\"', '"').replace("\\\\", "\\")
    quoted = f"filter={said} diff={said} merge={said}"
    (root / ".gitattributes").write_text(f"* {quoted}\n")
    for args in (["add", "--renormalize", "."], ["diff", "HEAD"], ["status"]):
        (root / "a.py").write_bytes(args[0].encode())
        with suppress(GitFailure):
            run_git(args, git_dir=root / ".git", work_tree=root)

    assert not canary.exists()
    assert len(Trust(Repository.discover(root), tmp_path / "state").restricted) == len(DRIVERS)


def test_a_driver_without_a_name_is_one_for_plain_git(tmp_path: Path, canary: Path) -> None:
    """The control: git takes the empty name for a name."""
    root = make_repo(tmp_path / "work", {"a.py": LINES})
    with (root / ".git" / "config").open("a") as config:
        config.write(f'[filter ""]\n\tclean = "touch {canary}; cat"\n')
    (root / ".gitattributes").write_text("* filter=\n")
    (root / "a.py").write_bytes(b"changed")
    git(root, "add", ".")

    assert canary.exists()


def test_a_partial_clone_fetches_nothing(hostile: Path, canary: Path) -> None:
    for place in (hostile / ".git" / "objects").glob("[0-9a-f][0-9a-f]/*"):
        place.unlink()
    repo = Repository.discover(hostile)

    assert repo.files(".py") == ("a.py", "pkg/b.py")
    assert repo.head is not None
    for name in (repo.head, f"{repo.head}:a.py"):
        with pytest.raises(Exception, match="git cat-file failed"):
            run_git(["cat-file", "-p", name], git_dir=repo.git_dir)
    assert sung(canary) == set()


def test_a_work_tree_that_points_elsewhere_is_refused_without_setting_one_off(
    hostile: Path, canary: Path, tmp_path: Path
) -> None:
    with (hostile / ".git" / "config.worktree").open("a") as config:
        config.write(f"[core]\n\tworktree = {tmp_path}\n")

    with pytest.raises(RepoError, match=r"core\.worktree"):
        Repository.discover(hostile)
    assert sung(canary) == set()


def test_a_repository_of_another_user_is_read_without_running_anything(
    hostile: Path, canary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")

    assert Repository.discover(hostile).files(".py") == ("a.py", "pkg/b.py")
    assert sung(canary) == set()


def test_every_subcommand_that_spark_uses_has_a_hostile_alias() -> None:
    assert {"apply", "cat-file", "config", "hash-object", "ls-files", "rev-parse"} <= set(COMMANDS)
