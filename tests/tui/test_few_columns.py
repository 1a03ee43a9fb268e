"""The lists of what was done before, in a terminal of few columns: what a person said is what they know it by."""

from collections.abc import Awaitable, Callable

import pytest
from textual.pilot import Pilot

from tests.tui.support import HUSH, Stage, until
from tests.tui.test_overlays import begin as begin  # noqa: PLC0414 - a fixture
from tests.tui.test_overlays import lines, open_log, open_resume

Open = Callable[[Stage, Pilot[None]], Awaitable[None]]


@pytest.mark.parametrize(
    ("opened", "said", "told"),
    [(open_log, HUSH, "✓ applied"), (open_resume, "earlier words", "nothing accepted")],
)
async def test_words_come_before_times_states_and_places_where_there_is_no_room_for_all(
    begin: Callable[..., Stage], opened: Open, said: str, told: str
) -> None:
    stage = begin()
    async with stage.app.run_test(size=(40, 16)) as pilot:
        await opened(stage, pilot)
        (line,) = (line for line in lines(stage) if said in line)
        assert line.startswith(said)
        assert told in line
        await pilot.resize_terminal(100, 30)
        await until(pilot, lambda: not any(line.startswith(said) for line in lines(stage)))
        assert any(said in line for line in lines(stage))
        await pilot.resize_terminal(40, 16)
        await until(pilot, lambda: line in lines(stage))


async def test_what_was_chosen_stays_chosen_when_the_columns_change(begin: Callable[..., Stage]) -> None:
    stage = begin()
    async with stage.app.run_test(size=(100, 30)) as pilot:
        await open_resume(stage, pilot)
        await pilot.press("j")
        await pilot.resize_terminal(40, 16)
        await until(pilot, lambda: lines(stage)[1].startswith("do not print"))
        await pilot.press("enter")
        await until(pilot, lambda: stage.app.screen is stage.main)
        assert stage.prompt.text == "do not print in load"
