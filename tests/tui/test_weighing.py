"""Words that the model finds far likelier of another place are asked about, before anything is written."""

from collections.abc import Generator
from threading import Event

import pytest

from spark_tui.session.request import Request
from spark_tui.session.session import Session
from spark_tui.tui.view import Phase
from spark_tui.tui.widgets.completion import Completion
from tests.tui.support import EDIT, HUSH, Stage, until

MINE, ALSO = "mind the title", "and the next"


def doubting(session: Session, request: Request) -> Generator[None, None, None]:
    """Find all words likelier of the report, of which nothing was decided."""
    found = session.mentions.places(request, most=9)
    yield
    if request.instruction == MINE and not request.path:
        session.mentions.settle(request, tuple(sorted(found, key=lambda each: each.path)))


@pytest.fixture(autouse=True)
def weighed(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(stage.session), "weigh", doubting)


def offered(stage: Stage) -> list[str]:
    return [item.text for item in stage.main.query_one(Completion).items]


async def test_what_is_sent_waits_for_its_place_and_the_likeliest_comes_first(stage: Stage) -> None:
    async with stage.reviewing(HUSH) as pilot:
        before = stage.asked_turn
        stage.prompt.focus()
        await stage.ask(pilot, MINE)
        await until(pilot, lambda: bool(offered(stage)))
        assert offered(stage)[0].startswith("report.py")
        assert (stage.prompt.text, stage.asked_turn) == (MINE, before)
        assert "not clear which place" in stage.note
        await pilot.press("enter")
        await until(pilot, lambda: "no edit found" in stage.note)  # nor has this model any for the report
        assert stage.prompt.text == f"{MINE} @report.py:1-1"


async def test_it_is_seen_before_enter_that_the_place_is_not_known(stage: Stage) -> None:
    async with stage.reviewing(HUSH) as pilot:
        stage.prompt.focus()
        stage.prompt.put(ALSO)
        await until(pilot, lambda: "store.py" in stage.bar("region"))
        stage.prompt.set_text(MINE)
        await until(pilot, lambda: "no clear place yet" in stage.bar("region"))
        assert stage.desk.ahead == ""


async def test_whoever_leaves_the_list_is_no_longer_told_to_choose(stage: Stage) -> None:
    async with stage.reviewing(HUSH) as pilot:
        stage.prompt.focus()
        await stage.ask(pilot, MINE)
        await until(pilot, lambda: bool(offered(stage)))
        await pilot.press("escape")
        assert (offered(stage), stage.note, stage.prompt.text) == ([], "", MINE)


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
