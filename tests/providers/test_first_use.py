"""An endpoint that is used for the first time is asked what it takes, and nobody waits for that."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from spark_tui.config import Endpoint
from spark_tui.editing.formats.quoted import QuotedRequest
from spark_tui.errors import Transient, UsageError
from spark_tui.providers.abilities import Abilities
from spark_tui.providers.openai_client import Server
from spark_tui.providers.openai_errors import Patience
from spark_tui.providers.openai_provider import Remote
from spark_tui.providers.openai_reply import ChatReply
from spark_tui.providers.quoting_provider import remote_of
from tests.providers.scripted_server import (
    Handler,
    ScriptedServer,
    Turn,
    is_silent,
    refuses,
    says,
    serving,
)

ASKED = [{"role": "user", "content": "say a"}]
PLAIN = {"model", "messages", "stream", "temperature", "max_tokens"}
GRAMMARS = ("grammar", "structured_outputs", "guided_grammar")
LONG = 30.0

At = Callable[..., Server]


@pytest.fixture
def at(tmp_path: Path) -> Iterator[At]:
    """Makes an endpoint that is asked what it takes, and remembers that in a folder."""
    with ExitStack() as stack:

        def make(
            server: ScriptedServer,
            before: float = LONG,
            behind: float = LONG,
            **given: Any,
        ) -> Server:
            patience = Patience(pauses=(), before=before, behind=behind)
            endpoint = server.endpoint(**given)
            asked = Server(endpoint, patience=patience, folder=tmp_path / "kept", probes=True)
            return stack.enter_context(closing(asked))

        yield make


def is_probe(body: Any) -> bool:
    return bool(body["messages"][-1]["content"] != "say a")


def answers(probes: Turn) -> Turn:
    """Answers a request, and does something else with what is asked beside it."""

    def turn(handler: Handler) -> None:
        answer = probes if is_probe(handler.body) else says("a")
        answer(handler)

    return turn


def takes_all(handler: Handler) -> None:
    """Take whatever is asked for, with log-probabilities."""
    choice: dict[str, Any] = {"message": {"content": "One"}, "finish_reason": "length"}
    if handler.body.get("logprobs"):
        choice["logprobs"] = {"content": [{"token": "One", "logprob": -0.1}]}
    progress = b'data: {"choices": [], "prompt_progress": {"total": 9}}\n\n'
    if handler.body["stream"]:
        handler.whole(200, progress, "text/event-stream")
        return
    handler.whole(200, json.dumps({"choices": [choice]}).encode())


def text_of(reply: ChatReply) -> str:
    return "".join(piece for piece in reply if isinstance(piece, str))


def requests(server: ScriptedServer) -> list[Any]:
    """The requests that are no probes."""
    return [body for body in server.requests if not is_probe(body)]


def await_parameter(server: ScriptedServer, name: str) -> None:
    """Wait until a parameter was asked for."""
    while not any(name in body for body in list(server.requests)):
        assert server.came.acquire(timeout=LONG)


def test_the_first_request_makes_use_of_what_is_found(at: At) -> None:
    with serving(answers(takes_all)) as server:
        assert text_of(at(server).ask(ASKED)) == "a"
        (request,) = requests(server)
        assert request["logprobs"] is True
        assert request["return_progress"] is True
        first = next(body for body in server.requests if is_probe(body))
        assert "logprobs" not in first


def test_what_was_found_is_not_asked_for_again(at: At) -> None:
    with serving(answers(takes_all)) as server:
        text_of(at(server).ask(ASKED))
        before = len(server.requests)
        assert text_of(at(server).ask(ASKED)) == "a"
        assert len(server.requests) == before + 1
        assert server.requests[-1]["logprobs"] is True


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ({}, {"prediction", "logprobs", "top_logprobs", "return_progress"}),
        (
            {"format": "search_replace"},
            {"logprobs", "top_logprobs", "return_progress", *GRAMMARS},
        ),
        (
            {"thinking": "off", "abilities": {"logprobs": False, "return_progress": False}},
            {"prediction", "reasoning_effort", "chat_template_kwargs"},
        ),
    ],
)
def test_only_what_the_request_can_use_is_asked_before_it(
    at: At,
    given: dict[str, Any],
    names: set[str],
) -> None:
    with serving(answers(takes_all)) as server:
        text_of(at(server, **given).ask(ASKED))
        probes = [body for body in server.requests if is_probe(body)]
        assert set().union(*probes) - PLAIN == names
        assert all(body["max_tokens"] == 1 for body in probes)


def test_settings_that_need_more_have_only_that_asked(at: At) -> None:
    with serving(answers(takes_all)) as server:
        text_of(at(server).ask(ASKED))
        before = len(server.requests)
        text_of(at(server, thinking="off").ask(ASKED))
        plain, *more = server.requests[before:-1]
        assert set(plain) == PLAIN
        names = {name for body in more for name in body} - PLAIN
        assert names == {"reasoning_effort", "chat_template_kwargs"}


def test_a_request_goes_though_the_probes_hang(at: At) -> None:
    with serving(answers(is_silent())) as server:
        asked = at(server, before=0.05)
        assert text_of(asked.ask(ASKED)) == "a"
        assert asked.abilities.takes("logprobs") is None
        before = len(server.requests)
        assert text_of(asked.ask(ASKED)) == "a"
        assert len(server.requests) == before + 1


def test_a_reader_is_let_go_while_the_probes_hang(at: At) -> None:
    with serving(answers(is_silent())) as server:
        reply = at(server).ask(ASKED)
        pieces = iter(reply)
        assert next(pieces) is None
        assert server.came.acquire(timeout=LONG)
        reply.stop()
        assert list(pieces) == []
        assert requests(server) == []


@pytest.mark.parametrize(("status", "words"), [(401, "needs a key"), (404, "has no model")])
def test_a_server_that_refuses_everything_is_told_of_as_ever(
    at: At,
    status: int,
    words: str,
) -> None:
    with serving(refuses(status)) as server:
        asked = at(server)
        for count in (2, 3):
            with pytest.raises(UsageError, match=words):
                text_of(asked.ask(ASKED))
            assert len(server.requests) == count
        assert asked.abilities.asked <= {"num_ctx"}


def test_a_server_that_is_down_has_nothing_asked(at: At) -> None:
    with serving(says("a")) as server:
        asked = at(server)
    with pytest.raises(Transient, match="cannot be reached"):
        text_of(asked.ask(ASKED))
    assert asked.abilities.asked == set()


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_or_failing_server_denies_nothing(at: At, status: int) -> None:
    def picks(handler: Handler) -> None:
        answer = takes_all if set(handler.body) == PLAIN else refuses(status)
        answer(handler)

    with serving(answers(picks)) as server:
        asked = at(server)
        assert text_of(asked.ask(ASKED)) == "a"
        assert asked.abilities.takes("logprobs") is None
        assert "logprobs" not in asked.abilities.asked


def test_the_rest_is_asked_behind_the_answer_and_gives_way(at: At) -> None:
    gone = threading.Event()

    def hangs_at_stop(handler: Handler) -> None:
        if "stop" not in handler.body:
            takes_all(handler)
            return
        is_silent()(handler)
        gone.set()

    with serving(answers(hangs_at_stop)) as server:
        asked = at(server, behind=0.0)
        assert text_of(asked.ask(ASKED)) == "a"
        await_parameter(server, "stop")
        assert text_of(asked.ask(ASKED)) == "a"
        assert gone.wait(LONG)
        assert {"usage", "prefill"} <= asked.abilities.asked


def test_it_is_asked_while_words_are_typed_and_told_none_of_the_code(at: At) -> None:
    with serving(answers(takes_all)) as server:
        remote = Remote(at(server))
        list(remote.read_ahead(QuotedRequest("a.py", ("secret = 1",), "")))
        await_parameter(server, "prediction")
        assert "secret" not in json.dumps(server.requests)


def test_an_ollama_is_told_how_much_to_read_from_the_first_request_on(at: At) -> None:
    def ollama(handler: Handler) -> None:
        message = {"message": {"content": "a"}, "done": True}
        answer = takes_all if is_probe(handler.body) else refuses(200, message)
        answer(handler)

    with serving(ollama) as server:
        server.pages["/api/version"] = {"version": "0.9"}
        asked = at(server)
        assert text_of(asked.ask(ASKED)) == "a"
        assert asked.abilities.takes("num_ctx") is True
        assert requests(server)[0]["options"]["num_ctx"] == asked.endpoint.context


@pytest.mark.parametrize("probe", [True, False])
def test_the_setting_turns_it_off(tmp_path: Path, probe: bool) -> None:
    with serving(answers(takes_all)) as server:
        far = remote_of(server.endpoint(probe=probe), {}, tmp_path)
        assert isinstance(far, Remote)
        with closing(far):
            list(far.talk(ASKED, most=9))
        assert any(map(is_probe, server.requests)) is probe


def test_another_key_may_find_other_abilities(tmp_path: Path) -> None:
    plain = Endpoint("big", "http://h/v1", "m")
    Abilities(plain, tmp_path).learn({"seed": True}, asked=["seed"])
    assert Abilities(plain, tmp_path).asked == {"seed"}
    keyed = Abilities(Endpoint("big", "http://h/v1", "m", key_env="BIG_KEY"), tmp_path)
    assert (keyed.asked, keyed.takes("seed")) == (set(), True)
