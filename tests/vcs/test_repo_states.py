"""In every state of a repository each operation works or ends in one clear line, and nothing is
lost.
"""

import shutil
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from subprocess import CalledProcessError

import pytest

from spark_tui.errors import SparkError
from spark_tui.session.staging import Staging
from spark_tui.vcs import index
from spark_tui.vcs.atomic_write import FileChange
from spark_tui.vcs.batches import Batches
from spark_tui.vcs.patch import encode_patch
from spark_tui.vcs.repository import Repository, standing
from tests.vcs.repos import git
from tests.vcs.states import LINES, STATES, as_somebody

CHANGED = LINES.replace(b"line_3 = 1", b"line_3 = 3")
OPERATIONS = ("open", "exec", "accept", "undo", "redo", "stage", "commit", "log")

_GOING_ON = {"commit": (1, "is going on here")}
REFUSED: dict[str, dict[str, tuple[int, str]]] = {
    **dict.fromkeys(("merging", "rebasing", "cherry-picking", "reverting", "bisecting"), _GOING_ON),
    "conflicted index": dict.fromkeys(("stage", "commit"), (1, "a.py has a merge conflict")),
    "unborn": {"commit": (4, "git has no a.py yet")},
    "bare": dict.fromkeys(OPERATIONS, (1, "bare repository")),
    "locked index": dict.fromkeys(("stage", "commit"), (75, "index.lock is there")),
    "read-only .git": dict.fromkeys(("stage", "commit"), (1, "ermission")),
}
"""By state and operation: the exit code and words of the error."""


class User:
    """Somebody who edits a.py with spark."""

    def __init__(self, root: Path, state_dir: Path) -> None:
        self.root, self.state_dir = root, state_dir
        data = (root / "a.py").read_bytes() if (root / "a.py").exists() else None
        self.change = FileChange("a.py", data, CHANGED)

    def parts(self) -> tuple[Repository, Batches, Staging]:
        repo = Repository.discover(self.root)
        batches = Batches(repo, self.state_dir)
        staging = Staging(repo, batches, self.state_dir, lambda _: None)
        for batch in reversed(batches.log()):
            if batch.entry.is_accept:
                staging.add(batch.entry)
        return repo, batches, staging

    def do(self, operation: str) -> None:
        repo, batches, staging = self.parts()
        match operation:
            case "exec":
                facts = (repo.files(), repo.branch, repo.head, repo.key, repo.lock_key)
                assert all(each is not None or at in {1, 2} for at, each in enumerate(facts))
                before = None if self.change.before is None else repo.read("a.py")
                assert encode_patch("a.py", before, CHANGED)
            case "accept":
                batches.accept([self.change], "three in words")
            case "undo":
                batches.undo()
            case "redo":
                batches.redo()
            case "stage":
                assert staging.stage() == ("a.py",)
            case "commit":
                staging.commit("Three in words")
            case "log":
                assert len(batches.log()) == 3

    def outcome(self, operation: str) -> tuple[int, str]:
        """The exit code and the line the user reads; anything but an error of spark's own is a
        failure.
        """
        try:
            self.do(operation)
        except SparkError as e:
            return e.exit_code, str(e)
        return 0, ""


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that other users can enter."""
    made = Path(tempfile.mkdtemp(prefix="spark-test-")).resolve()
    made.chmod(0o755)
    monkeypatch.setenv("HOME", str(made / "home"))
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Somebody")
    monkeypatch.setenv("GIT_COMMITTER_NAME", "Somebody")
    monkeypatch.setenv("GIT_AUTHOR_EMAIL", "somebody@example.org")
    monkeypatch.setenv("GIT_COMMITTER_EMAIL", "somebody@example.org")
    monkeypatch.setattr(index, "PATIENCE_SECONDS", 0.0)
    yield made
    shutil.rmtree(made)


def build(name: str, folder: Path) -> Path:
    try:
        return STATES[name](folder)
    except CalledProcessError as e:
        if name in {"reftable", "SHA-256"}:
            pytest.skip("this git knows no such repository")
        raise AssertionError(e.stderr) from e


def entries(root: Path) -> list[str]:
    """The index, with its flags, but for the file that is edited."""
    lines = git(root, "ls-files", "--stage", "-v", "-z").decode().split("\0")[:-1]
    return [line for line in lines if not line.endswith("\ta.py")]


def use(user: User, refused: dict[str, tuple[int, str]]) -> None:
    """Do one operation after the other, and look at how each ends."""
    for operation in OPERATIONS:
        code, words = user.outcome(operation)
        wanted, pattern = refused.get(operation, (0, ""))
        assert (code, pattern in words, words.count("\n")) == (wanted, True, 0), (
            operation,
            code,
            words,
        )


@pytest.mark.parametrize("name", STATES)
def test_each_operation_works_or_ends_in_one_clear_line(name: str, folder: Path) -> None:
    root = build(name, folder)
    user, refused = User(root, folder / "state"), REFUSED.get(name, {})
    if name == "bare":
        use(user, refused)
        return
    others, commits = entries(root), git(root, "rev-list", "--all", "--count")
    if name == "read-only .git":
        as_somebody(folder, partial(use, user, refused))
    else:
        use(user, refused)

    assert (root / "a.py").read_bytes() == CHANGED
    assert entries(root) == others
    if "stage" not in refused:
        assert git(root, "cat-file", "blob", ":a.py") == CHANGED
    if "commit" in refused:
        assert git(root, "rev-list", "--all", "--count") == commits
    else:
        assert (
            git(root, "show", "--format=%s", "--name-only", "HEAD") == b"Three in words\n\na.py\n"
        )
        assert git(root, "diff", "--cached", "--name-only") == b""
    git(root, "fsck", "--strict", "--connectivity-only")
    assert list(Repository.discover(root).git_dir.glob("spark-[0-9]*")) == []


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("plain", "main"),
        ("unborn", "main"),
        ("detached", "no branch"),
        ("merging", "merging on main"),
        ("rebasing", "rebasing main"),
        ("cherry-picking", "cherry-picking on main"),
        ("reverting", "reverting on main"),
        ("bisecting", "bisecting"),
    ],
)
def test_where_a_commit_would_go_says_what_is_under_way(
    name: str, words: str, tmp_path: Path
) -> None:
    assert standing(Repository.discover(STATES[name](tmp_path))) == words
