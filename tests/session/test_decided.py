"""What is decided of an endpoint's edits tells how sure the next ones are."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from spark_tui.providers.openai_client import Server
from spark_tui.providers.openai_provider import Remote
from spark_tui.session.events import Status
from spark_tui.session.request import Request
from spark_tui.session.session import Session
from tests.fakes import ended, scripted_session
from tests.providers.scripted_server import DONE, event, sends, serving

FILE = b"def f(x):\n    y = x\n    return y\n"
REQUEST = Request("shorter", path="a.py", lines=(1, 3))
ENOUGH = 20


def answer(logprob: float) -> bytes:
    told = {"content": [{"token": "?", "logprob": logprob}]}
    text = "```py\ndef f(x):\n    return x\n```\n"
    return event({"choices": [{"delta": {"content": text}, "logprobs": told}]})


@contextmanager
def session_with(folder: Path, logprob: float) -> Iterator[Session]:
    with serving(sends(answer(logprob), DONE)) as server:
        asked = Server(server.endpoint(abilities={"logprobs": True}))
        session = scripted_session(folder, {"a.py": FILE}, {})
        session.host.remote = Remote(asked)
        yield session
        session.close()


def decided(session: Session, count: int, *, accepted: bool) -> None:
    """So many edits were decided before."""
    assert session.host.remote
    for _ in range(count):
        session.host.remote.learn(-0.7, accepted=accepted)


@pytest.mark.parametrize(("accepted", "status"), [(True, Status.OK), (False, Status.UNSURE)])
def test_edits_are_sure_where_those_like_them_were_accepted(
    tmp_path: Path,
    accepted: bool,
    status: Status,
) -> None:
    with session_with(tmp_path, -0.7) as session:
        decided(session, ENOUGH - 1, accepted=accepted)
        turn = ended(session.begin(REQUEST))
        assert turn.confidence is None
        ids = [hunk.id for hunk in turn.hunks]
        if accepted:
            session.accept(turn, ids)
            session.undo()
        else:
            session.reject(turn, ids)
        turn = ended(session.begin(REQUEST))
        assert turn.status is status
        assert turn.confidence is not None
        assert (turn.confidence > 0.8) is accepted
        assert turn.logprob == pytest.approx(-0.7)


def test_a_turn_counts_once_and_what_is_taken_unseen_does_not(tmp_path: Path) -> None:
    with session_with(tmp_path, -0.7) as session:
        decided(session, ENOUGH - 2, accepted=True)
        turn = ended(session.begin(REQUEST))
        session.accept(turn)
        session.undo()
        turn = ended(session.begin(REQUEST))
        session.reject(turn, [hunk.id for hunk in turn.hunks])
        assert ended(session.begin(REQUEST)).confidence is None
