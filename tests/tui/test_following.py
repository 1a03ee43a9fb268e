"""Where the same words still ask for something after an accept, they stay in the prompt, and nothing else happens."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from textual.pilot import Pilot

from spark_tui.session.session import Session
from spark_tui.tui.app import SparkApp
from spark_tui.vcs.repository import Repository
from tests.fakes import SURE, UNSURE, edit_script, make_repo, scripted
from tests.tui.support import Stage, until

CODE = "def area(w, h):\n    log(w)\n    return w * h\n"
ONCE = CODE.replace("    return", "    log(h)\n    return")
WORDS = "log the height twice"


class Followed(Stage):
    """A stage whose model does one step each time, and could go on for ever."""

    def __init__(self, folder: Path, sure: float) -> None:
        super().__init__(folder / "unused")
        loaded = scripted(folder / "model", {WORDS: edit_script(CODE, ONCE)}, sure=sure)
        repo = Repository.discover(make_repo(folder / "repo", {"a.py": CODE}))
        self.session = Session(repo, loaded, folder / "state")
        self.file, self.words = repo.root / "a.py", f"@a.py::area {WORDS}"
        self.app = SparkApp(lambda: self.session, clock=lambda: self.now)

    @asynccontextmanager
    async def accepted(self) -> AsyncIterator[Pilot[None]]:
        """The screen once the first step is on the disk."""
        async with self.reviewing() as pilot:
            await self.press_later(pilot, "a")
            await until(pilot, lambda: self.file.read_text() == ONCE)
            yield pilot


async def test_a_step_that_is_left_is_one_key_away(tmp_path: Path) -> None:
    stage = Followed(tmp_path, SURE)
    async with stage.accepted() as pilot:
        await until(pilot, lambda: "more may be left" in stage.note)
        assert (stage.prompt.text, stage.prompt.is_offered) == (WORDS, True)
        assert "accepted" in stage.note
        assert not stage.view.hunks, "what was tried is not shown"
        await pilot.press("enter")
        await until(pilot, lambda: bool(stage.view.hunks) and stage.session.runner.idle)
        assert stage.proposed == ONCE.replace("    log(h)\n", "    log(h)\n    log(h)\n")
        assert stage.file.read_text() == ONCE


async def test_what_is_typed_meanwhile_takes_the_place_of_the_words(tmp_path: Path) -> None:
    stage = Followed(tmp_path, SURE)
    async with stage.accepted() as pilot:
        await pilot.press("x")
        await until(pilot, lambda: stage.session.runner.idle)
        await pilot.pause()
        assert stage.prompt.text == "x"


async def test_nothing_is_said_of_what_is_unsure(tmp_path: Path) -> None:
    stage = Followed(tmp_path, UNSURE)
    async with stage.accepted() as pilot:
        await until(pilot, lambda: bool(stage.main.following.tried) and stage.session.runner.idle)
        await pilot.pause()
        assert (stage.prompt.text, "more may be left" in stage.note) == ("", False)
