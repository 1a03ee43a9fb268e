"""A few of this project's own commits, each reviewed on the screen, beside git."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from textual.pilot import Pilot

from spark_tui.session.change_review import ChangeReview, Patch, ReviewSource, WorkTree
from spark_tui.session.turn_state import TurnPhase
from spark_tui.tui.app import Outside
from spark_tui.vcs.repository import Repository
from tests.fakes import ScriptedSession
from tests.session.partial_patches import apply_with_git, every_other
from tests.session.test_change_review_of_commits import COMMITS, ROOT, Commit
from tests.tui.support import Stage, until
from tests.vcs.repos import git

FEW = 3
MOST_HUNKS = 12
"""A commit with more hunks takes long to decide key by key."""


@pytest.fixture(scope="module")
def commits(tmp_path_factory: pytest.TempPathFactory) -> Sequence[Commit]:
    """The last commits with few hunks, in code and prose that stays where it is."""
    if not (ROOT / ".git").exists():
        pytest.skip("this is no checkout with a history")
    folder = tmp_path_factory.mktemp("clones")
    for name in ("ours", "gits"):
        git(folder, "clone", "--quiet", "--shared", str(ROOT), name)
    found: list[Commit] = []
    names = git(ROOT, "rev-list", "--min-parents=1", f"--max-count={COMMITS}", "HEAD")
    for name in names.decode().split():
        commit = Commit(name, folder / "ours", folder / "gits")
        patch = git(ROOT, "diff", "-U0", f"{name}^", name)
        changes = git(ROOT, "diff", "-M", "--name-status", f"{name}^", name).splitlines()
        is_plain = all(
            change[:1] in b"AMD" and change.endswith((b".py", b".md")) for change in changes
        )
        if is_plain and 1 < patch.count(b"\n@@ ") <= MOST_HUNKS:
            found.append(commit)
    if not found:
        pytest.skip("no commit has few hunks")
    return found[:FEW]


class Reviewed(Stage):
    """A stage in a clone that opens with a review.

    Args:
        commit: What is reviewed.
        source: The same, as a source.
    """

    def __init__(self, folder: Path, commit: Commit, source: ReviewSource) -> None:
        super().__init__(folder, outside=Outside(review=source))
        repo = Repository.discover(commit.ours)
        self.session = ScriptedSession(repo, self.session.loaded, folder / "states")

    async def opened(self, pilot: Pilot[None]) -> int:
        """Wait for the review.

        Returns:
            The number of its hunks.
        """
        await until(pilot, lambda: self.view.phase is TurnPhase.REVIEW and self.diff.has_focus)
        self.later()
        return len(self.view.hunks)

    async def decide(self, pilot: Pilot[None], key: str, left: int) -> None:
        """Decide, and agree to whatever is asked."""

        def reached() -> bool:
            return self.app.screen is not self.main or len(self.view.hunks) == left

        await self.press_later(pilot, key)
        await until(pilot, lambda: reached() or "again accepts" in self.note)
        if self.app.screen is not self.main:
            self.later()
            await self.closes(pilot, "y")
        elif len(self.view.hunks) != left:
            await self.press_later(pilot, key)
        await until(pilot, lambda: len(self.view.hunks) == left and not self.main.busy)

    async def every_other(self, pilot: Pilot[None], key: str) -> None:
        """Decide the first hunk, the third one and so on with a key."""
        count = await self.opened(pilot)
        for decided, number in enumerate(range(0, count, 2), 1):
            if self.diff.selected != number // 2:
                await pilot.press("]")
            assert self.diff.selected == number // 2
            await self.decide(pilot, key, count - decided)


def beside(commit: Commit, source: ReviewSource) -> ChangeReview:
    """The same review without a screen."""
    return ChangeReview.open(Repository.discover(commit.ours), commit.batches, source)


@pytest.mark.every(FEW)
@pytest.mark.parametrize("number", range(FEW))
async def test_hunks_taken_back_leave_gits_own_bytes(
    number: int, commits: Sequence[Commit], tmp_path: Path
) -> None:
    commit = commits[number % len(commits)]
    before = commit.version("parent")
    after = commit.version("commit")
    commit.check_out(commit.ours, "commit")
    source = WorkTree("HEAD", commit.ours)
    review = beside(commit, source)
    hunks = {hunk_id for change in review.files for hunk_id, _ in change.hunks()}
    commit.check_out(commit.gits, "parent")
    apply_with_git(commit.gits, review, hunks - set(every_other(review)))

    stage = Reviewed(tmp_path / "all", commit, source)
    async with stage.started() as pilot:
        assert await stage.opened(pilot) == len(hunks)
        await stage.decide(pilot, "ctrl+a", 0)
    assert commit.files(commit.ours) == after
    stage = Reviewed(tmp_path / "other", commit, source)
    async with stage.started() as pilot:
        await stage.every_other(pilot, "r")
    assert commit.files(commit.ours) == commit.files(commit.gits)
    stage = Reviewed(tmp_path / "none", commit, source)
    async with stage.started() as pilot:
        for left in reversed(range(await stage.opened(pilot))):
            await stage.decide(pilot, "r", left)
    assert commit.files(commit.ours) == before


@pytest.mark.every(FEW)
@pytest.mark.parametrize("number", range(FEW))
async def test_hunks_of_a_patch_make_gits_own_bytes(
    number: int, commits: Sequence[Commit], tmp_path: Path
) -> None:
    commit = commits[number % len(commits)]
    before = commit.version("parent")
    after = commit.version("commit")
    source = Patch("commit", git(commit.ours, "diff", f"{commit.name}^", commit.name))
    commit.check_out(commit.ours, "parent")
    review = beside(commit, source)
    commit.check_out(commit.gits, "parent")
    apply_with_git(commit.gits, review, every_other(review))

    stage = Reviewed(tmp_path / "none", commit, source)
    async with stage.started() as pilot:
        for left in reversed(range(await stage.opened(pilot))):
            await stage.decide(pilot, "r", left)
    assert commit.files(commit.ours) == before
    stage = Reviewed(tmp_path / "other", commit, source)
    async with stage.started() as pilot:
        await stage.every_other(pilot, "a")
    assert commit.files(commit.ours) == commit.files(commit.gits)
    commit.check_out(commit.ours, "parent")
    stage = Reviewed(tmp_path / "all", commit, source)
    async with stage.started() as pilot:
        for left in reversed(range(await stage.opened(pilot))):
            await stage.decide(pilot, "a", left)
    assert commit.files(commit.ours) == after
