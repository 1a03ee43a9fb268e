"""The model weighs the places that words may be about, and whoever writes them never waits for
that.
"""

from collections.abc import Generator
from threading import Event

import pytest

from spark_tui.session import playback
from spark_tui.session.request import Request
from spark_tui.session.session import Session
from spark_tui.session.turn_state import TurnPhase
from tests.tui.support import EDIT, Stage, until

WORDS = "mind the title"


def finding_the_report(session: Session, request: Request) -> Generator[None, None, None]:
    """Find the words likeliest of the report."""
    places = session.mentions.ranked(request)
    yield
    if request.instruction == WORDS and not request.path:
        session.mentions.settle(request, sorted(places, key=lambda place: place.region.path))


async def test_what_is_sent_begins_where_the_model_finds_the_words_likeliest(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(stage.session), "weigh", finding_the_report)
    stage.gate.open()
    async with stage.started() as pilot:
        await stage.ask(pilot, WORDS)
        await until(
            pilot, lambda: "no edit found" in stage.note
        )  # this model has none for the report
        await until(pilot, lambda: "report.py:1-1" in stage.bar("region"))


@pytest.mark.parametrize("key", ["x", "escape"])
async def test_the_user_waits_for_no_look(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    begun, closed = Event(), Event()

    def endless(*_: object) -> Generator[None, None, None]:
        try:
            while True:
                begun.set()
                yield
        finally:
            closed.set()

    monkeypatch.setattr(type(stage.session), "weigh", endless)
    monkeypatch.setattr(playback, "WEIGHING_S", 100.0)
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
            await until(pilot, lambda: stage.view.phase is TurnPhase.PAUSED)


async def test_a_request_that_was_sent_begins_though_the_model_still_weighs(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    def endless(*_: object) -> Generator[None, None, None]:
        while True:
            yield

    monkeypatch.setattr(type(stage.session), "weigh", endless)
    monkeypatch.setattr(playback, "WEIGHING_S", 0.05)
    stage.gate.open()
    async with stage.started() as pilot:
        await stage.ask(pilot, EDIT)
        await until(pilot, lambda: stage.view.phase is TurnPhase.REVIEW)
