"""What an edit leaves undone of the words is in the prompt after the accept, and nothing else
happens.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from spark_tui.session.session import Session
from spark_tui.tui.app import SparkApp
from spark_tui.vcs.repository import Repository
from tests.fakes import edit_script, make_repo, scripted
from tests.providers.quoting_models import NOTHING
from tests.tui.support import Stage, until

CODE = "def area(w, h):\n    log(w)\n    return w * h\n"
QUIET = CODE.replace("    log(w)\n", "")
NAMED = QUIET.replace("area", "surface")
FIRST, SECOND = "do not log", "and call it surface"
_QUIET = edit_script(CODE, QUIET)
STEPS = {
    FIRST: [(_QUIET, 0.9), (NOTHING, 0.1)],
    f"{FIRST} {SECOND}": [(_QUIET, 0.6), (edit_script(CODE, NAMED), 0.4)],
    SECOND: [(edit_script(QUIET, NAMED), 0.9), (NOTHING, 0.1)],
    f"{FIRST} any more here": [(_QUIET, 0.9), (NOTHING, 0.1)],
    f"{FIRST} in `area`": [(_QUIET, 0.6), (edit_script(CODE, NAMED), 0.4)],
    "in `area`": [(edit_script(QUIET, NAMED), 0.9), (NOTHING, 0.1)],
}
"""Of two steps the model does the first one, and knows that the second is another one."""


class Followed(Stage):
    """A stage with that model."""

    def __init__(self, folder: Path, words: str = f"{FIRST} {SECOND}") -> None:
        super().__init__(folder / "unused")
        loaded = scripted(folder / "model", {}, answers=STEPS)
        repo = Repository.discover(make_repo(folder / "repo", {"a.py": CODE}))
        self.session = Session(repo, loaded, folder / "state")
        self.file, self.words = repo.root / "a.py", f"@a.py::area {words}"
        self.app = SparkApp(lambda: self.session, clock=lambda: self.now)

    @asynccontextmanager
    async def accepted(self) -> AsyncIterator[Pilot[None]]:
        """The screen once the first step is on the disk."""
        async with self.reviewing() as pilot:
            await self.press_later(pilot, "a")
            await until(pilot, lambda: self.file.read_text() == QUIET)
            yield pilot


async def test_the_step_that_is_left_is_one_key_away(tmp_path: Path) -> None:
    stage = Followed(tmp_path)
    async with stage.accepted() as pilot:
        await until(pilot, lambda: "not done yet" in stage.note)
        assert (stage.prompt.text, stage.prompt.is_offered) == (SECOND, True)
        assert "accepted" in stage.note
        await pilot.press("enter")
        await until(pilot, lambda: bool(stage.view.hunks) and stage.session.runner.idle)
        assert (stage.proposed, stage.file.read_text()) == (NAMED, QUIET)


async def test_what_is_typed_meanwhile_takes_the_place_of_the_words(tmp_path: Path) -> None:
    stage = Followed(tmp_path)
    async with stage.accepted() as pilot:
        await pilot.press("x")
        await until(pilot, lambda: stage.session.runner.idle)
        await pilot.pause()
        assert stage.prompt.text == "x"


@pytest.mark.parametrize("words", [FIRST, f"{FIRST} any more here", f"{FIRST} in `area`"])
async def test_nothing_is_said_where_what_is_left_asks_for_nothing(
    tmp_path: Path, words: str
) -> None:
    stage = Followed(tmp_path, words)
    async with stage.accepted() as pilot:
        await until(pilot, lambda: "accepted" in stage.note and stage.session.runner.idle)
        await pilot.pause()
        assert (stage.prompt.text, "not done" in stage.note) == ("", False)
