"""Log-probabilities of an endpoint: they are shown, and trusted as far as its edits were
accepted.
"""

from contextlib import closing
from pathlib import Path

import pytest

from spark_tui.editing.formats.quoted import QuotedRequest
from spark_tui.providers.base import AnswerFinished, GenerationRequest, TokenGenerated
from spark_tui.providers.calibration import SURE, DecisionLog
from spark_tui.providers.openai_client import Server
from spark_tui.providers.openai_provider import Remote
from tests.providers.scripted_server import DONE, event, says, sends, serving

ASK = GenerationRequest(QuotedRequest("a.py", ("x = 1", "y = 2"), "three"))


def scored(text: str, *logprobs: float) -> bytes:
    tokens = [{"token": "?", "logprob": each} for each in logprobs]
    return event({"choices": [{"delta": {"content": text}, "logprobs": {"content": tokens}}]})


PIECES = (scored("```\n", 0.0), scored("x = 1\ny", -0.1, -0.2), scored(" = 3\n```\n", -2.0))


def test_each_piece_has_the_probability_that_the_server_tells() -> None:
    with serving(sends(*PIECES, DONE)) as server:
        given = server.endpoint(abilities={"logprobs": True})
        with closing(Server(given)) as asked:
            items = list(Remote(asked).write(ASK).write())
        assert server.requests[0]["logprobs"] is True
    wrote = [item for item in items if isinstance(item, TokenGenerated)]
    assert sum(item.logprob for item in wrote) == pytest.approx(-2.3)
    answer = next(item for item in items if isinstance(item, AnswerFinished))
    assert (answer.worst, answer.lines) == (-2.0, ("x = 1", "y = 3"))


def test_an_answer_that_is_gone_on_with_keeps_the_probability_of_what_is_held_back() -> None:
    repeated = scored("```\n", -1.0), scored("x = 1\n", -2.0), scored("y = 3\n```\n", -0.5)
    begun = GenerationRequest(ASK.request, "```\nx = 1\n")
    with (
        serving(sends(*repeated, DONE)) as server,
        closing(Server(server.endpoint(abilities={"logprobs": True}))) as asked,
    ):
        items = list(Remote(asked).write(begun).write())
    answer = next(item for item in items if isinstance(item, AnswerFinished))
    assert answer.lines == ("x = 1", "y = 3")
    assert answer.logprob == pytest.approx(-3.5)


def test_without_probabilities_nothing_is_asked_or_learned(tmp_path: Path) -> None:
    with serving(says("```\nx = 1\ny = 3\n```\n")) as server:
        with closing(Server(server.endpoint(), folder=tmp_path)) as asked:
            remote = Remote(asked)
            list(remote.write(ASK).write())
            for _ in range(40):
                remote.learn(0.0, accepted=True)
            assert remote.chance([AnswerFinished((), (), 0.0, 0.0)]) is None
        assert "logprobs" not in server.requests[0]


def test_nothing_is_said_of_the_chance_before_enough_was_decided() -> None:
    decisions = DecisionLog()
    for _ in range(19):
        decisions.add(-0.1, accepted=True)
    assert decisions.chance(-0.1) is None
    decisions.add(-0.1, accepted=True)
    chance = decisions.chance(-0.1)
    assert chance is not None
    assert SURE < chance < 1


def test_edits_with_an_unlikely_token_are_judged_by_their_like(tmp_path: Path) -> None:
    path = tmp_path / "kept" / "decisions.json"
    decisions = DecisionLog(path)
    for _ in range(30):
        decisions.add(-0.05, accepted=True)
        decisions.add(-3.0, accepted=False)
    for known in (decisions, DecisionLog(path)):
        likely, unlikely = known.chance(-0.1), known.chance(-2.5)
        assert likely is not None
        assert unlikely is not None
        assert likely > SURE > unlikely


@pytest.mark.parametrize("text", ["", "[]", '{"version": 1, "rows": [3]}', "\x00"])
def test_what_cannot_be_read_is_no_decision(tmp_path: Path, text: str) -> None:
    path = tmp_path / "decisions.json"
    path.write_text(text)
    assert DecisionLog(path).chance(0.0) is None
