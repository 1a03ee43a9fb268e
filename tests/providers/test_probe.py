"""Asking an endpoint what it takes: servers of several makes, each scripted as its make answers."""

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from spark_tui.config import ABILITIES, Endpoint
from spark_tui.providers.probe import Probed, Refused, probe

ENDPOINT = Endpoint("big", "http://h:1/v1", "qwen3:8b")
Body = Mapping[str, Any]
Answer = tuple[int, Any]


def said(text: str = "One", **more: Any) -> Answer:
    usage = {"prompt_tokens": 9, "completion_tokens": 1} | more.pop("usage", {})
    choice = {"message": {"content": text}, "finish_reason": "length"} | more
    return 200, {"choices": [choice], "usage": usage}


def refusal(words: str) -> Answer:
    return 400, {"error": {"message": words}}


def goes_on(body: Body) -> str:
    return "ur" if body["messages"][-1]["role"] == "assistant" else "One"


def llama_server(body: Body) -> Answer:
    """It takes nearly all, goes on from the assistant's last message, and obeys a grammar."""
    if body["stream"]:
        told = {"prompt_progress": {"processed": 9}} if body.get("return_progress") else {}
        return 200, {"choices": [], "usage": {"prompt_tokens": 9}} | told
    text = "sp" if "grammar" in body else goes_on(body)
    return said(text, logprobs={"content": [{"token": text}]} if body.get("logprobs") else None)


def vllm(body: Body) -> Answer:
    """It goes on where it is told so, and has structured outputs; an unknown parameter is
    ignored.
    """
    if body["stream"]:
        return 200, {"choices": [], "usage": {"prompt_tokens": 9}}
    text = "spark" if "structured_outputs" in body else "One"
    if body.get("continue_final_message") and body["add_generation_prompt"] is False:
        text = "ur"
    return said(text, logprobs={"content": [{"token": text}]} if body.get("logprobs") else None)


_OPENAI = {"model", "messages", "stream", "max_completion_tokens", "stream_options", "prediction"}


def openai_reasoning(body: Body) -> Answer:
    """It wants the newer bound and more than one token, no temperature, nothing that it does
    not know.
    """
    if "max_tokens" in body:
        return refusal("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
    for name in set(body) - _OPENAI - {"seed", "reasoning_effort"}:
        return refusal(f"Unknown parameter: '{name}'.")
    if body["max_completion_tokens"] < 2:
        return refusal("Could not finish the message because the output limit was reached")
    if "prediction" in body:
        return said("", usage={"completion_tokens_details": {"accepted_prediction_tokens": 0}})
    return said("")


def gemma(body: Body) -> Answer:
    if body["messages"][0]["role"] == "system":
        return refusal("System role not supported")
    return said()


def probed(
    server: Callable[[Body], Answer],
    pages: Mapping[str, Any] | None = None,
) -> tuple[Probed, list[Body]]:
    bodies = list[Body]()

    async def send(body: Body) -> tuple[int, bytes]:
        bodies.append(body)
        status, data = server(body)
        return status, json.dumps(data).encode()

    async def look(url: str) -> tuple[int, bytes]:
        page = (pages or {}).get(url)
        return (404, b"<html>") if page is None else (200, json.dumps(page).encode())

    return asyncio.run(probe(ENDPOINT, send, look)), bodies


def taken(server: Callable[[Body], Answer]) -> set[str]:
    return {name for name, value in probed(server)[0].abilities.items() if value}


def test_every_ability_is_told() -> None:
    assert list(probed(llama_server)[0].abilities) == list(ABILITIES)


def test_a_llama_server_goes_on_obeys_a_grammar_and_tells_its_progress() -> None:
    assert {"prefill", "grammar", "return_progress", "logprobs", "usage"} <= taken(llama_server)
    assert not {"structured_outputs", "guided_grammar"} & taken(llama_server)


def test_a_server_goes_on_that_sends_the_begun_text_once_more() -> None:
    def newer(body: Body) -> Answer:
        if body["messages"][-1]["role"] == "assistant":
            return said(f"{body['messages'][-1]['content']}ur")
        return llama_server(body)

    assert "prefill" in taken(newer)


def test_a_model_that_begins_anew_does_not_go_on() -> None:
    def reasoning(body: Body) -> Answer:
        if body.get("max_tokens", 16) < 2:
            return refusal("ask for two tokens at least")
        return said("one, two, three, four, five")

    assert "prefill" not in taken(reasoning)


def test_a_vllm_goes_on_where_it_is_told_so_and_has_structured_outputs() -> None:
    found = taken(vllm)
    assert {"continue_final_message", "structured_outputs", "logprobs"} <= found
    assert not {"prefix", "prefill", "grammar", "return_progress"} & found


def test_a_reasoning_model_wants_the_newer_bound_and_no_temperature() -> None:
    found = probed(openai_reasoning)[0].abilities
    assert [found[name] for name in ("max_tokens", "max_completion_tokens", "temperature")] == [
        False,
        True,
        False,
    ]
    assert found["prediction"] is True
    assert [found[name] for name in ("stop", "logprobs", "enable_thinking")] == [
        False,
        False,
        False,
    ]


def test_a_template_without_a_system_role_is_found() -> None:
    assert probed(gemma)[0].abilities["system"] is False


def test_a_prediction_that_is_not_refused_and_leaves_no_trace_is_unknown() -> None:
    assert probed(vllm)[0].abilities["prediction"] is None


def test_every_request_asks_for_one_token() -> None:
    bodies = probed(llama_server)[1]
    assert {body.get("max_tokens", body.get("max_completion_tokens")) for body in bodies} == {1}
    assert len(bodies) <= len(ABILITIES)


def test_a_server_that_refuses_the_plainest_request_is_no_server_without_abilities() -> None:
    with pytest.raises(Refused) as caught:
        probed(lambda _: (401, {"error": "no key"}))
    assert caught.value.status == 401


@pytest.mark.parametrize("answer", [[], None, {"choices": []}, {"choices": [{"message": None}]}])
def test_answers_that_are_none_deny_what_they_do_not_show(answer: Any) -> None:
    found = probed(lambda _: (200, answer))[0].abilities
    assert [found[name] for name in ("logprobs", "prefill", "grammar")] == [False, False, False]


@pytest.mark.parametrize(
    ("pages", "context", "ollama"),
    [
        ({}, None, False),
        ({"http://h:1/api/version": {"version": "0.9"}}, None, True),
        (
            {
                "http://h:1/api/version": {"version": "0.9"},
                "http://h:1/api/ps": {"models": [{"name": "qwen3:8b", "context_length": 4096}]},
            },
            4096,
            True,
        ),
        ({"http://h:1/props": {"default_generation_settings": {"n_ctx": 8192}}}, 8192, False),
        ({"http://h:1/v1/models": {"data": [{"id": "qwen3:8b", "max_model_len": 99}]}}, 99, False),
        ({"http://h:1/v1/models": {"data": [{"id": "other", "max_model_len": 99}]}}, None, False),
        ({"http://h:1/props": [], "http://h:1/api/ps": {"models": "no"}}, None, False),
    ],
)
def test_the_tokens_that_a_server_reads_are_told_where_it_tells_them(
    pages: dict[str, Any],
    context: int | None,
    ollama: bool,
) -> None:
    found, _ = probed(llama_server, pages)
    assert (found.context, found.ollama) == (context, ollama)
    assert found.abilities["num_ctx"] is (True if ollama else None)


class _Crowd:
    """A llama-server that answers once all others that may come have come.

    Args:
        most: The requests that it has room for; the others are turned away.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._inside = 0
        self.largest = 0
        self.streams = list[int]()

    async def send(self, body: Body) -> tuple[int, bytes]:
        if self._inside == self._most:
            return 429, b"{}"
        self._inside += 1
        self.largest = max(self.largest, self._inside)
        for _ in range(10):
            await asyncio.sleep(0)
        if body["stream"]:
            self.streams.append(self._inside)
        self._inside -= 1
        status, data = llama_server(body)
        return status, json.dumps(data).encode()

    async def look(self, url: str) -> tuple[int, bytes]:
        return 404, b""

    def probed(self) -> Probed:
        return asyncio.run(probe(ENDPOINT, self.send, self.look))


def test_a_few_things_are_asked_for_at_a_time_and_streams_alone() -> None:
    crowd = _Crowd(99)
    assert crowd.probed() == probed(llama_server)[0]
    assert crowd.largest == 4
    assert crowd.streams == [1, 1]


@pytest.mark.parametrize("most", [1, 2, 3])
def test_a_server_with_less_room_is_asked_again_one_after_the_other(most: int) -> None:
    crowd = _Crowd(most)
    assert crowd.probed() == probed(llama_server)[0]
    assert crowd.largest == most


def test_a_server_that_breaks_while_it_is_asked_is_asked_nothing_more() -> None:
    sent = list[Body]()

    async def send(body: Body) -> tuple[int, bytes]:
        sent.append(body)
        for _ in range(10):
            await asyncio.sleep(0)
        if len(sent) > 2:
            raise ConnectionResetError
        return 200, json.dumps(said()[1]).encode()

    with pytest.raises(ConnectionResetError):
        asyncio.run(probe(ENDPOINT, send, _Crowd(1).look))
    assert len(sent) < 10
