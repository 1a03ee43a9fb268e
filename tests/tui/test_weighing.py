"""Weighing the places of words keeps nobody waiting."""

from collections.abc import Generator
from threading import Event

import pytest

from spark_tui.tui.view import Phase
from tests.tui.support import EDIT, Stage, until


@pytest.mark.parametrize("key", ["x", "escape"])
async def test_the_user_waits_for_no_look(stage: Stage, monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    begun, closed = Event(), Event()

    def endless(*_: object) -> Generator[None, None, None]:
        try:
            while True:
                begun.set()
                yield
        finally:
            closed.set()

    monkeypatch.setattr(type(stage.session), "weigh", endless)
    async with stage.started() as pilot:
        stage.prompt.put(EDIT)
        await until(pilot, begun.is_set)
        await until(pilot, lambda: "edits store.py:9-18  load? " in stage.bar("region"))
        if key == "escape":
            await pilot.press("enter")
            await until(pilot, lambda: stage.main.is_starting)
        await pilot.press(key)
        await until(pilot, closed.is_set)
        if key == "escape":
            await until(pilot, lambda: stage.view.phase is Phase.PAUSED)
