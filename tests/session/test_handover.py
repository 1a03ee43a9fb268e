"""Answers that branch off another one, where the endpoint that writes them is down by then: the
model named as its fallback goes on. And whose requests go first at an endpoint.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from spark_tui.errors import SparkError, Transient
from spark_tui.providers.quoting_provider import remote_of
from spark_tui.providers.registry import Models
from spark_tui.session.events import HandedOver
from spark_tui.session.request import Request
from spark_tui.session.session import Session
from spark_tui.vcs.repository import Repository
from tests.fakes import ScriptedSession, ended, make_repo, proposed, scripted
from tests.providers.scripted_server import ScriptedServer, Turn, refuses, says, serving

AREA = "def area(w, h):\n    return w + h\n"


def writes(sign: str) -> Turn:
    """An answer with another sign in the sum."""
    return says(f"```python\n{AREA.replace('+', sign)}```\n")


@contextmanager
def session_with(
    folder: Path, *replies: Turn, fallback: str = "other", form: str = "rewrite"
) -> Iterator[tuple[Session, ScriptedServer]]:
    """A session on an endpoint that gives these answers, and the server of its fallback."""
    with serving(*replies) as first, serving(writes("*"), writes("/")) as second:
        big = first.endpoint(fallback=fallback, probe=False)
        other = replace(second.endpoint(probe=False, format=form), name="other")
        models = Models(endpoints={"big": big, "other": other})
        repo = Repository.discover(make_repo(folder / "repo", {"a.py": AREA}))
        loaded = scripted(folder / "model", {})
        remote = remote_of(big, {})
        session = ScriptedSession(repo, loaded, folder / "state", models=models, remote=remote)
        try:
            yield session, second
        finally:
            session.close()


@pytest.mark.parametrize("status", [429, 500, 503])
def test_the_fallback_writes_the_variations_of_an_endpoint_that_is_down(
    status: int, tmp_path: Path
) -> None:
    with session_with(tmp_path, writes("-"), refuses(status)) as (session, second):
        turn = ended(session.begin(Request("do", "a.py", symbol="area", temperature=1.0)))
        lines = [each.line for each in session.vary(turn, 3) if isinstance(each, HandedOver)]
        assert [line.endswith(": other is asked instead") for line in lines] == [True]
        found = [each.file.to_bytes().decode() for each in turn.variations]
        assert sorted(found) == sorted(AREA.replace("+", sign) for sign in "-*/")
        assert len(second.requests) == 2


def test_without_a_fallback_the_failure_is_told_and_the_answer_stays(tmp_path: Path) -> None:
    broken = refuses(503, Retry_After="999")
    with session_with(tmp_path, writes("-"), broken, fallback="") as (session, second):
        turn = ended(session.begin(Request("do", "a.py", symbol="area", temperature=1.0)))
        with pytest.raises(Transient):
            list(session.vary(turn, 3))
        assert proposed(turn) == AREA.replace("+", "-")
        assert second.requests == []


def test_the_fallback_goes_on_from_the_text_that_a_branch_begins_with(tmp_path: Path) -> None:
    begun = "```python\ndef area(w, h):\n    return w "
    rest = says("* h\n```\n")
    with session_with(tmp_path, writes("-"), refuses(503)) as (session, second):
        second.turns = [rest]
        turn = ended(session.begin(Request("do", "a.py", symbol="area")))
        branch = session.branch(turn, begun)
        with pytest.raises(Transient) as failed:
            ended(branch)
        heir = session.take_over(branch, failed.value)
        assert heir is not None
        assert (heir.writer, proposed(ended(heir))) == ("other", AREA.replace("+", "*"))


def test_a_branch_is_not_handed_over_to_a_model_that_writes_in_another_format(
    tmp_path: Path,
) -> None:
    begun = "```python\ndef area(w, h):\n    return w "
    replies = writes("-"), refuses(503)
    with session_with(tmp_path, *replies, form="search_replace") as (session, second):
        turn = ended(session.begin(Request("do", "a.py", symbol="area")))
        branch = session.branch(turn, begun)
        with pytest.raises(Transient) as failed:
            ended(branch)
        with pytest.raises(SparkError, match="other cannot go on from what was written there"):
            session.take_over(branch, failed.value)
        assert second.requests == []


@pytest.mark.parametrize("takes", [True, False])
def test_work_beside_the_turns_lets_their_requests_go_first(takes: bool, tmp_path: Path) -> None:
    with serving(says("a")) as server:
        endpoint = server.endpoint(probe=False, abilities={"priority": takes})
        repo = Repository.discover(make_repo(tmp_path / "repo", {"a.py": AREA}))
        models = Models(endpoints={"big": endpoint})
        loaded = scripted(tmp_path / "model", {})
        with closing(ScriptedSession(repo, loaded, tmp_path / "state", models=models)) as session:
            beside = session.succession.host_beside("big")
            for host in (session.succession.host("big"), beside):
                assert list(host.talker.talk([{"role": "user", "content": "say a"}], most=9))
            beside.close()
        sent = [request.get("priority") for request in server.requests]
        assert sent == [None, 1 if takes else None]
