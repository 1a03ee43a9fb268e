"""Behind an accept the next edit is offered in the empty prompt; Tab opens it, typing ends it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from spark_tui.config import Settings
from spark_tui.session.session import Session
from spark_tui.tui.app import SparkApp
from tests.session.test_next_edit import FILES, SAVE, SHOW, WORDS, hushed, session_on
from tests.tui.support import Stage, until

OFFER = "next: +0 −1 a.py, Tab"
AFTER_THAT = "next: +0 −1 b.py, Tab"


class Measured(Stage):
    """A stage with a model whose next edits were measured."""

    def __init__(self, folder: Path, settings: Settings | None = None) -> None:
        super().__init__(folder / "unused")
        self.passes = list[int]()
        self.session: Session = session_on(folder, before_step=lambda: self.passes.append(1))
        self.file, self.words = self.session.repo.root / "a.py", f"@a.py::load {WORDS}"
        self.app = SparkApp(lambda: self.session, settings, clock=lambda: self.now)

    @property
    def offer(self) -> str:
        return self.main.next_edit.words

    @asynccontextmanager
    async def accepted(self) -> AsyncIterator[Pilot[None]]:
        """The screen once the first edit is on the disk."""
        async with self.reviewing() as pilot:
            await self.decides(pilot, "a")
            yield pilot

    @asynccontextmanager
    async def offered(self) -> AsyncIterator[Pilot[None]]:
        """The screen with the next edit offered."""
        async with self.accepted() as pilot:
            await until(pilot, lambda: self.offer == OFFER)
            yield pilot


async def test_tab_opens_the_offer_and_nothing_is_written_before_the_accept(
    tmp_path: Path,
) -> None:
    stage = Measured(tmp_path)
    async with stage.offered() as pilot:
        before = stage.file.read_text()
        assert str(stage.prompt.placeholder) == OFFER
        await pilot.press("tab")
        await until(pilot, lambda: stage.diff.has_focus and bool(stage.view.hunks))
        assert (stage.proposed, stage.file.read_text()) == (
            before.replace(SAVE, hushed(SAVE)),
            before,
        )
        await stage.decides(pilot, "a")
        assert stage.file.read_text() == before.replace(SAVE, hushed(SAVE))
        await until(pilot, lambda: stage.offer == AFTER_THAT)
        await pilot.press("tab")
        await until(pilot, lambda: stage.view.path == "b.py" and bool(stage.view.hunks))
        await stage.decides(pilot, "r")
        await until(pilot, lambda: stage.offer == "")
        assert (stage.file.parent / "b.py").read_text() == SHOW


async def test_typing_takes_the_offer_away(tmp_path: Path) -> None:
    stage = Measured(tmp_path)
    async with stage.offered() as pilot:
        await pilot.press("w", "backspace")
        await until(pilot, lambda: stage.prompt.text == "")
        assert stage.offer == ""
        await pilot.press("tab")
        await until(pilot, lambda: stage.diff.has_focus)
        assert not stage.view.hunks


async def test_typing_ends_the_search_at_the_next_token(tmp_path: Path) -> None:
    stage = Measured(tmp_path)
    async with stage.accepted() as pilot:
        begun = len(stage.passes)
        await until(pilot, lambda: len(stage.passes) > begun or stage.offer != "")
        await pilot.press("w")
        await until(pilot, lambda: stage.prompt.text == "w")
        await pilot.press("backspace")
        await until(pilot, lambda: not stage.main.workers or not _looks(stage))
        assert stage.offer == ""


def _looks(stage: Stage) -> bool:
    return any(each.group == "next edit" and each.is_running for each in stage.main.workers)


async def test_an_undo_takes_the_offer_away(tmp_path: Path) -> None:
    stage = Measured(tmp_path)
    async with stage.offered() as pilot:
        stage.main.action_undo()
        await until(pilot, lambda: stage.app.screen is not stage.main)
        stage.later()
        await pilot.press("u")
        await until(pilot, lambda: stage.file.read_text() == FILES["a.py"])
        await until(pilot, lambda: stage.offer == "" and not _looks(stage))


@pytest.mark.parametrize("key", ["tab", ""])
async def test_a_file_that_changes_meanwhile_takes_the_offer_away(tmp_path: Path, key: str) -> None:
    stage = Measured(tmp_path)
    async with stage.offered() as pilot:
        edited = stage.file.read_text() + "\n# by hand\n"
        stage.file.write_text(edited)
        await stage.press(pilot, *filter(None, [key]))
        await until(pilot, lambda: stage.offer == "")
        assert not stage.view.hunks
        assert stage.file.read_text() == edited


async def test_nothing_is_asked_where_the_setting_is_off(tmp_path: Path) -> None:
    stage = Measured(tmp_path, Settings(next_edit=False))
    async with stage.accepted() as pilot:
        await until(pilot, lambda: "accepted" in stage.note and stage.session.runner.idle)
        passes = len(stage.passes)
        await pilot.pause()
        assert not _looks(stage)
        assert (len(stage.passes), stage.offer) == (passes, "")
