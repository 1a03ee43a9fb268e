"""At the start: what was accepted earlier, is in the files and was never committed."""

import threading

import pytest
from textual.pilot import Pilot

from spark_tui.session.session import Session
from spark_tui.session.staging import Staging
from spark_tui.session.turn import Request
from spark_tui.session.turn_state import TurnPhase
from spark_tui.tui.screens.commit import CommitScreen
from tests.fakes import ended, git
from tests.tui.support import RENAME, SPLIT, Stage, until
from tests.vcs.repos import hook, name_somebody

ONE = "an accepted edit is not committed: /commit offers it"
TWO = "2 accepted edits are not committed: /commit offers them"


@pytest.fixture(autouse=True)
def _somebody(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(stage.session.repo.root.parent))
    name_somebody(stage.session.repo.root)
    stage.gate.open()


def accept_earlier(stage: Stage, *, one_by_one: bool = False) -> None:
    """An earlier start, in which an edit was accepted."""
    session = stage.session
    turn = ended(session.begin(Request(SPLIT, "store.py", symbol="load")))
    for hunk in turn.hunks if one_by_one else ():
        session.accept(turn, [hunk.id])
    if not one_by_one:
        session.accept(turn)
    stage.session = Session(session.repo, session.loaded, session.repo.root.parent / "state")


async def settled(stage: Stage, pilot: Pilot[None]) -> None:
    """The start is over."""
    await stage.ready(pilot)
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()


@pytest.mark.parametrize(("one_by_one", "words"), [(False, ONE), (True, TWO)])
async def test_it_is_said_until_something_is_typed(
    stage: Stage, one_by_one: bool, words: str
) -> None:
    accept_earlier(stage, one_by_one=one_by_one)
    async with stage.app.run_test() as pilot:
        await until(pilot, lambda: stage.note == words)
        await pilot.press("x")
        assert stage.note == ""


async def test_the_command_offers_it_and_nothing_is_said_once_it_is_committed(stage: Stage) -> None:
    accept_earlier(stage)
    async with stage.app.run_test() as pilot:
        await until(pilot, lambda: stage.note == ONE)
        await pilot.press(*"/commit")
        await pilot.pause()
        await stage.opens(pilot, CommitScreen, "enter")
    git(stage.session.repo.root, "commit", "-qam", "mine")
    again = Session(
        stage.session.repo, stage.session.loaded, stage.session.repo.root.parent / "state"
    )
    assert again.staging.find_earlier() == 0


@pytest.mark.parametrize("command", ["commit -qam mine", "checkout -q ."])
async def test_nothing_is_said_of_what_git_has_or_the_files_no_longer(
    stage: Stage, command: str
) -> None:
    accept_earlier(stage)
    git(stage.session.repo.root, *command.split())
    async with stage.after(settled):
        assert stage.note == ""


async def test_nothing_is_said_where_nothing_can_be_committed_before_trust(stage: Stage) -> None:
    accept_earlier(stage)
    hook(stage.session.repo.root)
    async with stage.after(settled):
        assert stage.note == ""


@pytest.mark.parametrize("begun", ["words", "turn"])
async def test_whoever_has_begun_meanwhile_waits_for_nothing_and_is_told_nothing(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, begun: str
) -> None:
    accept_earlier(stage)
    find, looking, may_end, found = (
        Staging.find_earlier,
        threading.Event(),
        threading.Event(),
        list[int](),
    )

    def slowly(self: Staging) -> int:
        looking.set()
        may_end.wait(30)
        found.append(find(self))
        return found[-1]

    monkeypatch.setattr(Staging, "find_earlier", slowly)
    async with stage.app.run_test() as pilot:
        await until(pilot, looking.is_set)
        stage.prompt.put(RENAME if begun == "turn" else "mine")
        if begun == "turn":
            await pilot.press("enter")
            await until(pilot, lambda: stage.view.phase is TurnPhase.REVIEW)
        said = stage.note
        may_end.set()
        await settled(stage, pilot)
        assert found == [1]
        assert stage.note == said != ONE
