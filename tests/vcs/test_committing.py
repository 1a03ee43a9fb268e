"""A commit holds what was accepted, and nothing the user has staged or edited beside it."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spark_tui.errors import Conflict, RepoError, Transient, UsageError
from spark_tui.vcs import index
from spark_tui.vcs.atomic_write import FileChange
from spark_tui.vcs.commit import Committer
from spark_tui.vcs.repository import Repository
from spark_tui.vcs.staging import Stager
from tests.vcs.repos import git, hook, make_repo, name_somebody, tree, write_files
from tests.vcs.test_staging import (
    CHANGED,
    LINES,
    Trusts,
    histories,
    litter,
    of_three_hands,
    put,
    staged,
)

CHANGE = FileChange("a.py", b"one\ntwo\nthree\n", b"one\n2\nthree\n")


@pytest.fixture
def root(root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository of somebody, and nobody else's configuration."""
    monkeypatch.setenv("HOME", str(root.parent))
    name_somebody(root)
    write_files(root, {"a.py": CHANGE.after or b""})
    return root


@pytest.fixture
def committer(repo: Repository, state_dir: Path, told: list[str]) -> Committer:
    return Committer(repo, Trusts(), state_dir, tell=told.append)


def commits(root: Path) -> list[str]:
    return git(root, "log", "--format=%s").decode().splitlines()


def test_an_accepted_change_becomes_a_commit(root: Path, committer: Committer) -> None:
    made = committer.commit("Say two in figures\n\nBecause.  \n\n\n", [CHANGE])
    assert made.branch == "main"
    assert git(root, "log", "-1", "--format=%H|%an|%ce|%B").decode() == (
        f"{made.id}|Somebody|somebody@example.org|Say two in figures\n\nBecause.\n\n"
    )
    assert git(root, "show", "--format=", "--name-only") == b"a.py\n"
    assert git(root, "status", "--porcelain") == b""
    assert git(root, "reflog", "-1", "--format=%gs") == b"commit: Say two in figures\n"
    assert litter(root) == []
    assert git(root, "fsck", "--strict") == b""


def test_what_the_user_staged_is_not_swept_in_and_stays_staged(
    root: Path, committer: Committer
) -> None:
    put(root, "a.py", b"mine\none\ntwo\nthree\n")
    write_files(root, {"a.py": b"mine\none\n2\nthree\nnot staged\n", "new.py": b"new\n"})
    git(root, "add", "new.py")
    git(root, "rm", "-q", "pkg/b.py")
    before = tree(root)

    committer.commit(
        "two", [FileChange("a.py", b"mine\none\ntwo\nthree\nnot staged\n", before["a.py"])]
    )
    assert git(root, "cat-file", "blob", "HEAD:a.py") == b"one\n2\nthree\n"
    assert git(root, "show", "--format=", "--name-only") == b"a.py\n"
    assert staged(root)["a.py"][1] == b"mine\none\n2\nthree\n"
    assert git(root, "diff", "--cached", "--name-status") == b"M\ta.py\nA\tnew.py\nD\tpkg/b.py\n"
    assert tree(root) == before


def test_what_was_staged_before_is_committed_once(
    root: Path, repo: Repository, state_dir: Path, committer: Committer
) -> None:
    Stager(repo, Trusts(), state_dir).stage([CHANGE])
    more = FileChange("a.py", b"one\n2\nthree\n", b"one\n2\n3\n")
    write_files(root, {"a.py": b"one\n2\n3\n"})
    committer.commit("figures", [CHANGE, more])
    assert git(root, "status", "--porcelain") == b""
    with pytest.raises(UsageError, match="committed already"):
        committer.commit("figures", [CHANGE, more])
    assert commits(root) == ["figures", "first"]


def test_files_that_come_and_go(root: Path, committer: Committer) -> None:
    (root / "pkg" / "b.py").unlink()
    write_files(root, {"n.py": b"n\n"})
    committer.commit(
        "both",
        [FileChange("pkg/b.py", b"x = 1\r\ny = 2\r\n", None), FileChange("n.py", None, b"n\n")],
    )
    assert git(root, "ls-tree", "-r", "--name-only", "HEAD") == b"a.py\nn.py\n"
    assert git(root, "status", "--porcelain") == b" M a.py\n"


def test_the_first_commit_of_a_repository(tmp_path: Path, state_dir: Path, root: Path) -> None:
    new = tmp_path / "unborn"
    new.mkdir()
    git(new, "init", "-q", "-b", "start")
    name_somebody(new)
    write_files(new, {"a.py": b"a\n", "b.py": b"b\n"})
    git(new, "add", "b.py")
    made = Committer(Repository.discover(new), Trusts(), state_dir).commit(
        "first", [FileChange("a.py", None, b"a\n")]
    )
    assert made.branch == "start"
    assert git(new, "status", "--porcelain") == b"A  b.py\n"
    assert git(new, "rev-list", "--count", "HEAD") == b"1\n"


def test_on_a_detached_head_the_commit_is_on_no_branch(root: Path, committer: Committer) -> None:
    git(root, "checkout", "-q", "--detach")
    made = committer.commit("two", [CHANGE])
    assert made.branch is None
    assert git(root, "rev-parse", "HEAD").decode().strip() == made.id
    assert commits(root) == ["two", "first"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("MERGE_HEAD", "a merge"),
        ("rebase-merge", "a rebase"),
        ("rebase-apply", "a rebase"),
        ("CHERRY_PICK_HEAD", "a cherry-pick"),
        ("REVERT_HEAD", "a revert"),
        ("BISECT_LOG", "a bisection"),
    ],
)
def test_during_a_merge_and_the_like_nothing_is_committed(
    root: Path, committer: Committer, name: str, words: str
) -> None:
    (root / ".git" / name).touch()
    with pytest.raises(RepoError, match=f"{words}.* is going on"):
        committer.commit("two", [CHANGE])
    assert commits(root) == ["first"]


def test_signed_commits_are_left_to_git(root: Path, committer: Committer) -> None:
    git(root, "config", "commit.gpgSign", "true")
    with pytest.raises(RepoError, match="signed here"):
        committer.commit("two", [CHANGE])


def test_nobody_commits_nothing(root: Path, committer: Committer) -> None:
    git(root, "config", "--unset", "user.email")
    with pytest.raises(RepoError, match="git does not know who you are"):
        committer.commit("two", [CHANGE])
    assert git(root, "diff", "--cached", "--name-only") == b""


@pytest.mark.parametrize("message", ["", " \n\t\n"])
def test_a_commit_without_words_is_refused(root: Path, committer: Committer, message: str) -> None:
    with pytest.raises(UsageError, match="no message"):
        committer.commit(message, [CHANGE])
    assert commits(root) == ["first"]


def test_nothing_is_committed_before_the_repository_is_trusted(
    root: Path, repo: Repository, state_dir: Path
) -> None:
    hook(root, "pre-commit", "touch ran")
    trust = Trusts("this repository has hooks; `spark trust` lets it")
    with pytest.raises(RepoError, match="spark trust"):
        Committer(repo, trust, state_dir).commit("two", [CHANGE])
    assert trust.asked == ["committing"]
    assert not (root / "ran").exists()


def test_hooks_run_as_git_runs_them_and_see_only_what_is_committed(
    root: Path, committer: Committer
) -> None:
    git(root, "config", "core.hooksPath", "own hooks")
    (root / ".git" / "hooks").mkdir(exist_ok=True)
    (root / "own hooks").symlink_to(root / ".git" / "hooks")
    write_files(root, {"b.py": b"mine\n"})
    git(root, "add", "b.py")
    log = root.parent / "log"
    hook(
        root,
        "pre-commit",
        f'echo "pre $(pwd) [$GIT_DIR] $(git diff --cached --name-only)" >> {log}',
    )
    hook(root, "prepare-commit-msg", f'echo "prepare $2" >> {log}; echo "\nprepared" >> "$1"')
    hook(root, "commit-msg", f'echo "msg $(cat "$1")" >> {log}; echo "Change-Id: 1" >> "$1"')
    hook(root, "post-commit", f'echo "post $(git log -1 --format=%s)" >> {log}')
    committer.commit("two", [CHANGE])
    assert log.read_text().splitlines() == [
        f"pre {root} [] a.py",
        "prepare message",
        "msg two",
        "",
        "prepared",
        "post two",
    ]
    assert git(root, "log", "-1", "--format=%B") == b"two\n\nprepared\nChange-Id: 1\n\n"


@pytest.mark.parametrize("name", ["pre-commit", "prepare-commit-msg", "commit-msg"])
def test_a_hook_that_refuses_is_told_with_its_words_and_nothing_happened(
    root: Path, committer: Committer, name: str
) -> None:
    hook(root, name, "echo first; echo 'no: tabs' >&2; exit 1")
    before = (root / ".git" / "index").read_bytes()
    with pytest.raises(
        RepoError, match=rf"the {name} hook refused, nothing was committed: first no: tabs"
    ):
        committer.commit("two", [CHANGE])
    assert commits(root) == ["first"]
    assert (root / ".git" / "index").read_bytes() == before
    assert litter(root) == []


def test_a_hook_that_stages_something_else_is_not_followed(
    root: Path, committer: Committer
) -> None:
    hook(root, "pre-commit", "echo swept >> pkg/b.py; git add pkg/b.py")
    with pytest.raises(RepoError, match="hook changed what was to be committed"):
        committer.commit("two", [CHANGE])
    assert commits(root) == ["first"]
    assert git(root, "diff", "--cached", "--name-only") == b""


def test_a_hook_that_fails_afterwards_is_only_told(
    root: Path, committer: Committer, told: list[str]
) -> None:
    hook(root, "post-commit", "echo too late; exit 1")
    committer.commit("two", [CHANGE])
    assert commits(root) == ["two", "first"]
    assert told == ["the post-commit hook failed, after the commit was made: too late"]


def test_a_branch_that_moves_meanwhile_stays_where_it_went(
    root: Path, committer: Committer
) -> None:
    hook(root, "pre-commit", "git update-ref HEAD $(git commit-tree -p HEAD -m theirs HEAD^{tree})")
    with pytest.raises(Conflict, match="the branch moved meanwhile"):
        committer.commit("two", [CHANGE])
    assert commits(root) == ["theirs", "first"]
    assert git(root, "diff", "--cached", "--name-only") == b"a.py\n"


def test_a_locked_index_or_branch_is_waited_for_and_then_told(
    root: Path, committer: Committer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "PATIENCE_SECONDS", 0.0)
    for name in ("index.lock", "refs/heads/main.lock"):
        lock = root / ".git" / name
        lock.touch()
        with pytest.raises(Transient):
            committer.commit("two", [CHANGE])
        assert lock.exists()
        lock.unlink()
    committer.commit("two", [CHANGE])
    assert commits(root) == ["two", "first"]


def test_lines_the_branch_has_otherwise_are_refused(root: Path, committer: Committer) -> None:
    put(root, "a.py", CHANGED)
    with pytest.raises(Conflict, match="other lines"):
        committer.commit("two", [CHANGE])
    assert commits(root) == ["first"]
    assert staged(root)["a.py"][1] == CHANGED


def test_in_a_larger_tree_all_other_files_stay_as_they_are(
    tmp_path: Path, state_dir: Path, root: Path
) -> None:
    big = make_repo(tmp_path / "big", {f"d{n % 7}/f{n}.py": LINES for n in range(50)})
    name_somebody(big)
    git(big, "commit-graph", "write", "--reachable")
    Committer(Repository.discover(big), Trusts(), state_dir).commit(
        "one", [FileChange("d3/f3.py", LINES, CHANGED)]
    )
    assert git(big, "show", "--format=", "--numstat") == b"1\t1\td3/f3.py\n"
    assert git(big, "diff", "--cached") == b""


@given(st.lists(histories(), min_size=1, max_size=3))
@settings(max_examples=5)
def test_of_three_hands_edits_exactly_the_accepted_ones_are_committed(
    files: list[tuple[bytes, ...]],
) -> None:
    check_hands(files)


@pytest.mark.exhaustive
@given(st.lists(histories(), min_size=1, max_size=6))
@settings(max_examples=300)
def test_of_three_hands_edits_exactly_the_accepted_ones_are_committed_in_very_many_histories(
    files: list[tuple[bytes, ...]],
) -> None:
    check_hands(files)


def check_hands(files: list[tuple[bytes, ...]]) -> None:
    """Commit the accepted edits of files, and look at commit, index and files."""
    with of_three_hands(files) as (root, named):
        name_somebody(root)
        before = tree(root)
        committer = Committer(Repository.discover(root), Trusts(), root.parent / "state")
        changes = [FileChange(path, each[2], each[3]) for path, each in named.items()]
        try:
            committer.commit("some", changes)
        except UsageError:
            assert all(each[0] == each[5] for each in files)
            return
        now = staged(root)
        assert {path: now[path][1] for path in named} == {
            path: each[4] for path, each in named.items()
        }
        assert now["other.py"][1] == CHANGED
        assert {
            path: git(root, "cat-file", "blob", f"HEAD:{path}") for path in (*named, "other.py")
        } == {
            **{path: each[5] for path, each in named.items()},
            "other.py": LINES,
        }
        assert tree(root) == before
        git(root, "fsck", "--strict")
