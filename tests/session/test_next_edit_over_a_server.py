"""The next edit where `spark serve` answers: the server is asked behind the turns of everybody."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from spark_tui.config import Settings
from spark_tui.providers.calibration import Calibration
from spark_tui.providers.served_client import ServedClient
from spark_tui.providers.served_model import ServedFacts
from spark_tui.serve.turn_order import DEFAULT_LIMITS
from spark_tui.session.session import Session
from tests.fakes import proposed, scripted
from tests.serve.conftest import Server, running, socket_place
from tests.session.test_next_edit import SAVE, SCRIPTS, accepted, found, hushed, session_on

__all__ = ["socket_place"]


@pytest.fixture
def server(tmp_path: Path, socket_place: Path) -> Iterator[Server]:
    loaded = scripted(tmp_path / "served", SCRIPTS)
    with running(
        loaded,
        tmp_path,
        path=socket_place,
        port=False,
        limits=DEFAULT_LIMITS,
        settings=Settings(),
    ) as server:
        yield server


@pytest.fixture
def session(tmp_path: Path, server: Server) -> Iterator[Session]:
    """A session whose own model would write nothing of use, so that only the server can."""
    calibration = Calibration(sure=0.0, conversation=True, next_edit=0.5)
    facts = ServedFacts("served", server.service.engines.capacity, calibration)
    session = session_on(tmp_path, {})
    session.host.serve_from(ServedClient(server.path), facts, session.notices.append)
    with closing(session):
        yield session


def test_the_server_writes_the_next_edit_with_a_cache_beside_that_of_the_turns(
    session: Session, server: Server
) -> None:
    turn = accepted(session)
    clients = server.service.engines.clients
    edit = found(session, turn)
    text = (session.repo.root / "a.py").read_text()
    assert proposed(edit.turn) == text.replace(SAVE, hushed(SAVE))
    assert server.service.engines.clients == clients + 1


def test_a_server_that_goes_away_leaves_no_offer_and_no_notice(
    session: Session, server: Server
) -> None:
    turn = accepted(session)
    server.kill()
    assert session.next_edit(turn, bool) is None
    assert not session.notices  # nobody asked for this edit
