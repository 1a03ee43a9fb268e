"""A model that quotes behind a server answers as in process: edits, confidence, branches."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from spark_tui.config import Endpoint
from spark_tui.editing.formats.quoted import QuotedRequest
from spark_tui.engine.loader import LoadedModel
from spark_tui.errors import Transient, UsageError
from spark_tui.providers.base import (
    Ability,
    AnswerFinished,
    AnswerStarted,
    GenerationRequest,
    PromptProgress,
    Provider,
    TokenGenerated,
)
from spark_tui.providers.calibration import Calibration
from spark_tui.providers.openai_client import Server
from spark_tui.providers.openai_errors import Patience
from spark_tui.providers.quoting_provider import QuotingProvider, remote_of
from spark_tui.providers.spark_model import SparkModel
from tests.providers.completing_server import completes
from tests.providers.quoting_models import NOTHING, quoting_model
from tests.providers.scripted_server import (
    Handler,
    ScriptedServer,
    event,
    is_silent,
    refuses,
    sends,
    serving,
)

REGION = ("def f(x):", "    y = x", "", "    return y")
ASK = GenerationRequest(QuotedRequest("a.py", REGION, "return x at once"))
EDIT = ("-    y = x", "-", "-    return y", "+    return x")
OTHER = ("-    return y", "+    return x")
EDITED = ("def f(x):", "    return x")
EITHER = {"return x at once": [(EDIT, 0.6), (OTHER, 0.3), (NOTHING, 0.1)]}
DIALECTS = ["llama-server", "vllm", "older"]

At = Callable[..., QuotingProvider]


@pytest.fixture
def model(tmp_path: Path) -> LoadedModel:
    """A model with three answers."""
    loaded = quoting_model(tmp_path / "quoting", {}, answers=EITHER)
    Calibration(conversation=True, done=0.5).write(loaded.path)
    return loaded


@pytest.fixture
def at(model: LoadedModel) -> Iterator[At]:
    """Makes an answerer of a scripted server; closed in the end."""
    with ExitStack() as stack:

        def make(server: ScriptedServer, **given: Any) -> QuotingProvider:
            endpoint = server.endpoint(format="quoting", **given)
            opened = stack.enter_context(closing(Server(endpoint, patience=Patience(pauses=()))))
            return QuotingProvider(opened, model.path)

        yield make


def answers(
    answerer: Provider, ask: GenerationRequest = ASK, count: int = 1
) -> list[AnswerFinished]:
    """What it writes."""
    writer = answerer.write(ask)
    found = []
    for _ in range(count):
        found += [item for item in writer.write() if isinstance(item, AnswerFinished)]
    return found


@pytest.mark.parametrize("dialect", DIALECTS)
def test_answers_are_those_in_process_with_their_probabilities(
    at: At, model: LoadedModel, dialect: str
) -> None:
    with serving(completes(model, dialect=dialect)) as server:
        far, near = answers(at(server), count=3), answers(SparkModel(model), count=3)
        assert [each.lines for each in far] == [each.lines for each in near]
        assert [each.tokens for each in far] == [each.tokens for each in near]
        assert [each.logprob for each in far] == pytest.approx(
            [each.logprob for each in near], abs=1e-4
        )
        assert at(server).chance(far) == pytest.approx(SparkModel(model).chance(near), abs=1e-4)


def test_the_prompt_is_read_before_the_answer_comes(at: At, model: LoadedModel) -> None:
    answer = completes(model)

    def turn(handler: Handler) -> None:
        begin = handler.begin

        def begin_reading() -> None:
            begin()
            for done in (40, 90):
                told = {"total": 90, "cache": 0, "processed": done, "time_ms": 1}
                handler.send(event({"choices": [], "prompt_progress": told}))

        vars(handler)["begin"] = begin_reading
        answer(handler)

    with serving(turn) as server:
        items = list(at(server).write(ASK).write())
        assert server.requests[0]["return_progress"] is True
    order = [type(item) for item in items if isinstance(item, PromptProgress | TokenGenerated)]
    assert order[:3] == [PromptProgress, PromptProgress, TokenGenerated]
    assert PromptProgress not in order[2:]


@pytest.mark.parametrize("dialect", ["llama-server", "vllm"])
def test_a_server_without_a_grammar_is_held_to_the_scripts_that_apply(
    at: At, tmp_path: Path, dialect: str
) -> None:
    wild = quoting_model(tmp_path / "wild", {"return x at once": EDIT}, surely=7.0)
    with serving(completes(wild, dialect=dialect)) as server:
        (far,), (near,) = answers(at(server)), answers(SparkModel(wild))
        assert (far.lines, far.tokens) == (near.lines, near.tokens)
        assert far.logprob == pytest.approx(near.logprob, rel=0.02)
        assert len(server.requests) > 2  # it had to be held back


@pytest.mark.parametrize("dialect", DIALECTS)
def test_characters_of_several_tokens_come_whole(at: At, tmp_path: Path, dialect: str) -> None:
    script = ("-    return y", "+    return 'größe → 😀'")
    known = quoting_model(tmp_path / "known", {"return x at once": script})
    with serving(completes(known, dialect=dialect)) as server:
        (answer,) = answers(at(server))
        assert answer.lines == (*REGION[:-1], "    return 'größe → 😀'")


def test_the_prompt_has_the_tokens_of_the_prompt_in_process(at: At, model: LoadedModel) -> None:
    with serving(completes(model)) as server:
        answers(at(server))
        assert server.requests[0]["prompt"] == SparkModel(model).prompt(ASK.request)
        assert server.requests[0]["grammar"].startswith("root ::= ")


def test_an_answer_goes_on_from_what_the_user_wrote(at: At, model: LoadedModel) -> None:
    ask = replace(ASK, begun="-    y = x\n+    y = 2")
    with serving(completes(model)) as server:
        (far,), (near,) = answers(at(server), ask), answers(SparkModel(model), ask)
        assert far.lines == near.lines
        assert "    y = 2" in far.lines[1]


@pytest.mark.parametrize("unknown", ["grammar", "logprobs"])
def test_what_a_server_refuses_is_left_out_from_then_on(
    at: At, model: LoadedModel, unknown: str
) -> None:
    with serving(completes(model, refuses=lambda body: unknown in body)) as server:
        far = at(server)
        assert answers(far)[0].lines == EDITED
        tried = len(server.requests)
        assert answers(far)[0].lines == EDITED
        assert all(unknown not in body for body in server.requests[tried:])


@pytest.mark.parametrize(("told", "seed"), [({}, 3), ({"seed": True}, 3), ({"seed": False}, None)])
def test_a_draw_has_a_seed_unless_the_settings_switch_it_off(
    at: At, model: LoadedModel, told: dict[str, bool], seed: int | None
) -> None:
    with serving(completes(model)) as server:
        answers(at(server, abilities=told), replace(ASK, temperature=0.5, seed=3))
        assert server.requests[0]["temperature"] == 0.5
        assert server.requests[0].get("seed") == seed


def test_a_server_that_takes_no_tokens_gets_the_text_of_the_prompt(
    at: At, model: LoadedModel
) -> None:
    with serving(completes(model, refuses=lambda body: isinstance(body["prompt"], list))) as server:
        assert answers(at(server))[0].lines == EDITED
        assert server.requests[-1]["prompt"].startswith("### File a.py\ndef f(x):\n")


def test_without_probabilities_nothing_is_said_of_how_sure_an_answer_is(
    at: At, model: LoadedModel
) -> None:
    with serving(completes(model, refuses=lambda body: "logprobs" in body)) as server:
        far = at(server)
        assert far.chance(answers(far)) is None
        assert Ability.PROBABILITIES not in far.can


def test_an_answer_that_breaks_off_goes_on_from_its_last_token(at: At, model: LoadedModel) -> None:
    with serving(completes(model, cut_after=3)) as server:
        far = at(server)
        reasons: list[str] = []
        with far.on_failure(reasons.append):
            (answer,) = answers(far)
        assert (answer.lines, answer.finished) == (EDITED, True)
        assert reasons == ["the answer of big was cut off"]
        first, second = server.requests[0]["prompt"], server.requests[1]["prompt"]
        assert second == [*first, *answer.tokens[:3]]


def test_an_answer_that_breaks_off_is_told_where_nobody_decides(at: At, model: LoadedModel) -> None:
    with (
        serving(completes(model, cut_after=3)) as server,
        pytest.raises(Transient, match="the answer of big was cut off; try again"),
    ):
        answers(at(server))


def test_text_that_is_no_script_is_never_called_finished(at: At) -> None:
    words = [event({"choices": [{"text": text}]}) for text in ("Sure", ", here", " it is\n")]
    ended = event({"choices": [{"text": "", "finish_reason": "stop"}]}) + event(b"[DONE]")
    with serving(sends(*words, ended)) as server:
        (answer,) = answers(at(server))
        assert (answer.finished, answer.lines) == (False, REGION)


def test_a_script_cut_for_its_length_is_unfinished(at: At, model: LoadedModel) -> None:
    with serving(completes(model)) as server:
        (answer,) = answers(at(server), replace(ASK, max_tokens=5))
        assert (answer.finished, len(answer.tokens)) == (False, 5)


def test_whether_nothing_is_left_to_do_is_known_as_in_process(at: At, model: LoadedModel) -> None:
    with serving(completes(model)) as server:
        (far,) = at(server).score(ASK.request, [REGION])
        (near,) = SparkModel(model).score(ASK.request, [REGION])
        assert far[1] == pytest.approx(near[1], abs=1e-4)


def test_giving_up_hangs_up_at_once(at: At) -> None:
    with serving(is_silent()) as server:
        items = at(server).write(ASK).write()
        assert isinstance(next(items), AnswerStarted)
        while not server.requests:
            assert not isinstance(next(items), TokenGenerated)
        items.close()
        assert server.left.acquire(timeout=5)  # the server saw the connection close


def test_a_refusal_of_everything_is_told_in_the_servers_words(at: At) -> None:
    with (
        serving(refuses(400, {"error": {"message": "too long"}})) as server,
        pytest.raises(UsageError, match=r"rejects the request \(400\) and says: too long"),
    ):
        answers(at(server))


def test_a_wrong_key_is_told_after_one_request(at: At) -> None:
    with serving(refuses(401)) as server:
        with pytest.raises(UsageError, match="needs a key"):
            answers(at(server))
        assert len(server.requests) == 1


def test_a_model_that_is_not_known_here_is_refused_with_what_to_do() -> None:
    endpoint = Endpoint("gpu", "http://localhost/v1", "mistral", format="quoting")
    with pytest.raises(UsageError, match="name the model spark-m, or `spark model add` its folder"):
        remote_of(endpoint, {})


@pytest.mark.parametrize("name", ["spark-m", "/models/spark-m.gguf", "team/spark-m"])
def test_the_model_is_known_by_the_last_part_of_its_name(name: str) -> None:
    endpoint = Endpoint("gpu", "http://localhost/v1", name, format="quoting")
    assert isinstance(remote_of(endpoint, {}), QuotingProvider)
