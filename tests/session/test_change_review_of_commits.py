"""This project's own last fifty commits, each as a review, beside git."""

from collections.abc import Collection, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from spark_tui.session.change_review import ChangeReview, Patch, ReviewSource, WorkTree
from spark_tui.session.request import Request
from spark_tui.vcs.batches import Batches
from spark_tui.vcs.journal import JournalEntry
from spark_tui.vcs.repository import Repository
from tests.fakes import ScriptedSession, scripted_session
from tests.session.partial_patches import apply_with_git, every_other
from tests.vcs.repos import git

ROOT = Path(__file__).parents[2]
COMMITS = 50


class Commit:
    """A commit in two clones: one for spark, one for git.

    Args:
        name: Of the commit.
        ours, gits: The clones.
    """

    def __init__(self, name: str, ours: Path, gits: Path) -> None:
        self.name = name
        self.ours = ours
        self.gits = gits
        self.batches = Batches(Repository.discover(ours), ours.parent / "state")
        self.paths = _lines(ours, "diff", "--name-only", "-z", "--no-renames", f"{name}^", name)

    def check_out(self, folder: Path, version: str) -> None:
        """Give a clone the parent as HEAD, and the files of a version."""
        git(folder, "checkout", "--quiet", "--force", "--detach", f"{self.name}^")
        git(folder, "clean", "--quiet", "--force", "-d")
        if version == "commit":
            git(folder, "checkout", "--quiet", "--no-overlay", self.name, "--", ".")
            git(folder, "reset", "--quiet")

    def review(self, source: ReviewSource) -> ChangeReview:
        """A review in spark's clone."""
        return ChangeReview.open(Repository.discover(self.ours), self.batches, source)

    def files(self, folder: Path) -> dict[str, bytes | None]:
        """The files of the commit as they are in a clone; None: there is none."""
        found: dict[str, bytes | None] = {}
        for path in self.paths:
            file = folder / path
            found[path] = file.read_bytes() if file.is_file() else None
        return found

    def version(self, name: str) -> dict[str, bytes | None]:
        """The files of the commit in a version that git has."""
        self.check_out(self.gits, name)
        return self.files(self.gits)


def _lines(folder: Path, *args: str) -> list[str]:
    return [name.decode() for name in git(folder, *args).split(b"\0")[:-1]]


@pytest.fixture(scope="module")
def clones(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    if not (ROOT / ".git").exists():
        pytest.skip("this is no checkout with a history")
    folder = tmp_path_factory.mktemp("clones")
    for name in ("ours", "gits"):
        git(folder, "clone", "--quiet", "--shared", str(ROOT), name)
    return folder / "ours", folder / "gits"


def _commits() -> list[str]:
    if not (ROOT / ".git").exists():
        return []
    names = git(ROOT, "rev-list", "--min-parents=1", f"--max-count={COMMITS}", "HEAD")
    return names.decode().split()


def _undo(commit: Commit, entry: JournalEntry | None) -> None:
    if entry is not None:
        commit.batches.undo(entry.id)


def _allowed(review: ChangeReview) -> Collection[str]:
    paths = [change.path for change in review.files]
    return [*paths, *(change.versions.old_path for change in review.files)]


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", _commits())
def test_a_commit_as_a_review_of_the_work_tree_gives_gits_own_bytes(
    name: str, clones: tuple[Path, Path]
) -> None:
    commit = Commit(name, *clones)
    before = commit.version("parent")
    after = commit.version("commit")
    commit.check_out(commit.ours, "commit")
    review = commit.review(WorkTree())
    reasons = [change.path for change in review.files if change.file is None]
    hunks = {hunk_id for change in review.files for hunk_id, _ in change.hunks()}
    taken = every_other(review)
    commit.check_out(commit.gits, "parent")
    apply_with_git(commit.gits, review, hunks - set(taken))
    partly = commit.files(commit.gits)
    for path in reasons:
        partly[path] = after[path]
        before[path] = after[path]

    review.accept()
    assert commit.files(commit.ours) == after
    if taken:
        entry = commit.review(WorkTree()).reject(taken, allow=_allowed(review))
        assert commit.files(commit.ours) == partly
        _undo(commit, entry)
    assert commit.files(commit.ours) == after
    entry = commit.review(WorkTree()).reject(allow=_allowed(review))
    assert commit.files(commit.ours) == before
    _undo(commit, entry)
    assert commit.files(commit.ours) == after


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", _commits())
def test_a_commit_as_a_patch_gives_gits_own_bytes(name: str, clones: tuple[Path, Path]) -> None:
    commit = Commit(name, *clones)
    patch = git(commit.ours, "diff", "-M", "--binary", f"{name}^", name)
    before = commit.version("parent")
    after = commit.version("commit")
    commit.check_out(commit.ours, "parent")
    review = commit.review(Patch("commit", patch))
    everything = [
        name
        for change in review.files
        for name in (change.id, *(hunk_id for hunk_id, _ in change.hunks()))
        if change.file is not None
    ]
    taken = every_other(review)
    commit.check_out(commit.gits, "parent")
    apply_with_git(commit.gits, review, taken)
    partly = commit.files(commit.gits)
    for change in review.files:
        if change.file is None:
            after[change.path] = before[change.path]

    review.reject()
    assert commit.files(commit.ours) == before
    if taken:
        entry = commit.review(Patch("commit", patch)).accept(taken, allow=_allowed(review))
        assert commit.files(commit.ours) == partly
        _undo(commit, entry)
    assert commit.files(commit.ours) == before
    entry = commit.review(Patch("commit", patch)).accept(everything, allow=_allowed(review))
    assert commit.files(commit.ours) == after
    _undo(commit, entry)
    assert commit.files(commit.ours) == before


RENAMING = 5


@pytest.fixture(scope="module")
def renaming_commits(clones: tuple[Path, Path]) -> Sequence[Commit]:
    """The last commits that rename files, and neither add nor delete an empty one."""
    args = ["--no-merges", "-M", "--diff-filter=R", "--format=%H", f"--max-count={4 * RENAMING}"]
    found: list[Commit] = []
    for name in git(ROOT, "log", *args).decode().split():
        raw = git(ROOT, "diff", "--raw", "-M", "--abbrev=40", f"{name}^", name)
        if b" e69de29bb2" not in raw:
            found.append(Commit(name, *clones))
    if not found:
        pytest.skip("no commit renames a file")
    return found[:RENAMING]


@pytest.mark.exhaustive
@pytest.mark.parametrize("number", range(RENAMING))
@pytest.mark.parametrize("in_place", [False, True])
def test_all_of_a_commit_with_renames_is_one_batch_of_gits_own_bytes(
    number: int, in_place: bool, renaming_commits: Sequence[Commit], tmp_path: Path
) -> None:
    commit = renaming_commits[number % len(renaming_commits)]
    versions = {"parent": commit.version("parent"), "commit": commit.version("commit")}
    source: ReviewSource = WorkTree("HEAD", commit.ours)
    begun = "commit"
    wanted = "parent"
    if not in_place:
        begun = "parent"
        wanted = "commit"
        patch = git(commit.ours, "diff", "-M", "--binary", f"{commit.name}^", commit.name)
        source = Patch("commit", patch)
    commit.check_out(commit.ours, begun)
    with closing(scripted_session(tmp_path, {"a": b"a\n"}, {})) as other:
        repo = Repository.discover(commit.ours)
        with closing(ScriptedSession(repo, other.loaded, tmp_path / "states")) as session:
            turn = session.begin_review(source, Request("review"))
            hunks = [hunk.id for hunk in turn.hunks]
            if in_place:
                session.settle(turn, hunks, accept=False)
            else:
                session.accept(turn, hunks, allow=None)
            assert commit.files(commit.ours) == versions[wanted]
            session.undo()
            assert commit.files(commit.ours) == versions[begun]
