"""The screen as a client of `spark serve`: the same turns, and nothing lost when that goes."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from textual.pilot import Pilot

from spark_tui.config import Settings
from spark_tui.providers.calibration import Calibration
from spark_tui.providers.served_client import ServedClient
from spark_tui.providers.served_model import ServedFacts
from spark_tui.serve.turn_order import DEFAULT_LIMITS
from spark_tui.session.turn_state import TurnPhase
from tests.fakes import scripted
from tests.serve.conftest import Server, running, socket_place
from tests.tui.support import (
    AFTER,
    BEFORE,
    BETTER,
    EDIT,
    SCRIPTS,
    STORE,
    Stage,
    notifications,
    until,
)
from tests.tui.test_streaming import finish, start

__all__ = ["socket_place"]


@pytest.fixture
def server(stage: Stage, tmp_path: Path, socket_place: Path) -> Iterator[Server]:
    """A server whose engine the stage's gate holds, and which answers on the stage."""
    loaded = scripted(tmp_path / "served", SCRIPTS, stage.gate)
    with running(
        loaded,
        tmp_path,
        path=socket_place,
        port=False,
        limits=DEFAULT_LIMITS,
        settings=Settings(),
    ) as server:
        calibration = Calibration.read(loaded.path)
        assert calibration is not None
        facts = ServedFacts("served", server.service.engines.capacity, calibration)
        session = stage.session
        with closing(ServedClient(socket_place)) as client:
            session.host.serve_from(client, facts, session.notices.append)
            yield server
        stage.gate.open()


async def pause(stage: Stage, pilot: Pilot[None]) -> None:
    """Write some tokens and stop there."""
    await start(stage, pilot, tokens=6)
    await pilot.press("escape")
    await until(pilot, lambda: stage.session.runner.paused)


async def test_a_pause_frees_the_engine_and_enter_gets_the_same_tokens(
    stage: Stage, server: Server
) -> None:
    async with stage.after(pause) as pilot:
        stage.gate.open()
        await until(pilot, lambda: server.service.thread.running == 0)
        seen = stage.seen
        assert stage.view.phase is TurnPhase.PAUSED
        assert 0 < seen == stage.asked_turn.timing.generated_tokens
        await pilot.press("enter")
        await finish(stage, pilot)
        assert stage.proposed == BEFORE + BETTER + AFTER
        assert stage.asked_turn.timing.generated_tokens > seen
        assert stage.session.host.served is not None


async def test_a_server_that_dies_in_mid_turn_pauses_it_and_enter_goes_on_without(
    stage: Stage, server: Server
) -> None:
    async with stage.after(start, tokens=6) as pilot:
        seen = stage.seen
        server.kill()
        stage.gate.open()
        await until(pilot, lambda: bool(stage.view.problem) and stage.session.runner.paused)
        assert "the server of `spark serve`" in stage.note
        assert "Enter goes on" in stage.note
        assert stage.view.phase is TurnPhase.PAUSED
        assert stage.seen >= seen
        assert stage.file.read_text() == STORE
        await pilot.press("enter")
        await finish(stage, pilot)
        assert stage.proposed == BEFORE + BETTER + AFTER
        assert stage.note == ""


async def test_a_server_that_died_between_two_turns_is_told_and_not_missed(
    stage: Stage, server: Server
) -> None:
    async with stage.started() as pilot:
        await stage.review(pilot, EDIT)
        await stage.decides(pilot, "R")
        server.kill()
        await stage.review(pilot, EDIT)
        assert stage.proposed == BEFORE + BETTER + AFTER
        words = [note.message for note in notifications(stage.app)]
        assert [each for each in words if "going on in this process" in each]


async def test_a_turn_that_is_given_up_in_a_pause_leaves_the_engine_to_the_next(
    stage: Stage, server: Server
) -> None:
    async with stage.after(pause) as pilot:
        await pilot.press("escape")
        stage.gate.open()
        await until(pilot, lambda: stage.view.phase in {TurnPhase.REVIEW, TurnPhase.READY})
        stage.main.action_to_prompt()
        await stage.ask(pilot, EDIT)
        await until(
            pilot, lambda: stage.view.phase is TurnPhase.REVIEW and not stage.session.runner.paused
        )
        await until(pilot, lambda: stage.proposed == BEFORE + BETTER + AFTER)
        assert server.service.thread.running == 0
