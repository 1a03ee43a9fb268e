"""OpenAI's interface: what is supported, and the errors that its clients know."""

import json
from pathlib import Path
from typing import Any

import httpx2
import pytest

from spark_tui.serve.turn_order import Limits
from tests.providers.chat_models import chat_model
from tests.serve.conftest import KEY, Server, StartServer, events_of

PROMPT = "def f(self, value):\n    return"
ASK = {"model": "model", "prompt": PROMPT, "max_tokens": 12, "temperature": 0}
CHAT = {
    "model": "chat",
    "messages": [{"role": "user", "content": "what is it"}],
    "temperature": 0,
}


@pytest.fixture
def server(start_scripted: StartServer) -> Server:
    """A server on the tiny model that quotes."""
    return start_scripted({})


@pytest.fixture
def chat(start: StartServer, tmp_path: Path) -> Server:
    """A server on a tiny chat model."""
    return start(chat_model(tmp_path / "chat", {"what is it": "a sum of two"}))


def refused(response: httpx2.Response, status: int, param: str | None, code: str | None) -> str:
    """The message of an error in OpenAI's shape."""
    assert response.status_code == status
    body = response.json()
    assert set(body) == {"error"}
    assert set(body["error"]) == {"message", "type", "param", "code"}
    assert (body["error"]["param"], body["error"]["code"]) == (param, code)
    message: str = body["error"]["message"]
    return message


def test_a_stream_says_what_the_whole_answer_says(server: Server) -> None:
    whole = server.post("/v1/completions", ASK).json()
    choice = whole["choices"][0]
    stream = {**ASK, "stream": True, "stream_options": {"include_usage": True}}
    events = events_of(server.post("/v1/completions", stream))
    assert "".join(event["choices"][0]["text"] for event in events[:-1]) == choice["text"]
    assert [event["choices"][0]["finish_reason"] for event in events[:-1]][-1] == "length"
    assert events[-1]["choices"] == []
    assert events[-1]["usage"]["completion_tokens"] == whole["usage"]["completion_tokens"] == 12
    assert whole["object"] == "text_completion"
    assert whole["id"].startswith("cmpl-")


def test_a_prompt_may_be_tokens(server: Server) -> None:
    ids = server.service.engines.loaded.tokenizer.encode(PROMPT)
    texts = [
        server.post("/v1/completions", {**ASK, "prompt": prompt}).json()["choices"][0]["text"]
        for prompt in (PROMPT, ids, [PROMPT], [ids])
    ]
    assert len(set(texts)) == 1


def test_log_probabilities_are_those_of_the_text(server: Server) -> None:
    choice = server.post("/v1/completions", {**ASK, "logprobs": 3}).json()["choices"][0]
    told = choice["logprobs"]
    assert len(told["tokens"]) == len(told["token_logprobs"]) == len(told["top_logprobs"]) == 12
    for token, logprob, likely in zip(
        told["tokens"], told["token_logprobs"], told["top_logprobs"], strict=True
    ):
        assert logprob == max(likely.values())
        assert likely[token] == logprob
    assert told["text_offset"][0] == 0


def test_streamed_log_probabilities_are_the_same(server: Server) -> None:
    asked = {**ASK, "logprobs": 2}
    whole = server.post("/v1/completions", asked).json()["choices"][0]["logprobs"]
    events = events_of(server.post("/v1/completions", {**asked, "stream": True}))
    parts = [event["choices"][0]["logprobs"] for event in events]
    for name in ("tokens", "token_logprobs", "text_offset"):
        streamed = [value for part in parts if part for value in part[name]]
        # numpy sums in another order where several tokens go through at once
        assert streamed == (pytest.approx(whole[name]) if name == "token_logprobs" else whole[name])


def test_a_stop_ends_the_text_before_it(server: Server) -> None:
    text = server.post("/v1/completions", ASK).json()["choices"][0]["text"]
    stop = text[4:6]
    choice = server.post("/v1/completions", {**ASK, "stop": [stop]}).json()["choices"][0]
    assert choice["text"] == text[: text.index(stop)]
    assert choice["finish_reason"] == "stop"


def test_an_echo_puts_the_prompt_first(server: Server) -> None:
    plain = server.post("/v1/completions", ASK).json()["choices"][0]["text"]
    echo = server.post("/v1/completions", {**ASK, "echo": True}).json()["choices"][0]["text"]
    assert echo == PROMPT + plain


def scored(server: Server, **change: Any) -> dict[str, Any]:
    """The log-probabilities of an echo."""
    asked = {**ASK, "echo": True, "logprobs": 2, **change}
    choice = server.post("/v1/completions", asked).json()["choices"][0]
    told: dict[str, Any] = choice["logprobs"]
    lengths = {len(told[name]) for name in ("tokens", "token_logprobs", "top_logprobs")}
    assert lengths == {len(told["text_offset"])}
    ends = [*told["text_offset"][1:], len(choice["text"])]
    cut = [choice["text"][begin:end] for begin, end in zip(told["text_offset"], ends, strict=True)]
    assert "".join(cut) == choice["text"]
    for token, text in zip(told["tokens"], cut, strict=True):
        assert token == text or token.startswith("bytes:")
    return told


PROMPTS = {
    "code": PROMPT,
    "one token": "x",
    "half characters": "é = '→\U0001f600'\n",
    "passes": "a = 1\n" * 60,
}


@pytest.mark.parametrize("prompt", PROMPTS.values(), ids=PROMPTS)
def test_an_echo_scores_the_tokens_of_the_prompt(server: Server, prompt: str) -> None:
    told = scored(server, prompt=prompt, max_tokens=3)
    ids = server.service.engines.loaded.tokenizer.encode(prompt)
    assert len(told["tokens"]) == len(ids) + 3
    assert told["token_logprobs"][0] is told["top_logprobs"][0] is None
    assert all(logprob <= 0 for logprob in told["token_logprobs"][1:])
    # Each token is as likely as when the model is asked for what follows those before it.
    for at in {1, len(ids) // 2, len(ids) - 1} - {0}:
        asked = {**ASK, "prompt": ids[:at], "max_tokens": 1, "logprobs": 2}
        after = server.post("/v1/completions", asked).json()["choices"][0]["logprobs"]
        assert told["top_logprobs"][at] == pytest.approx(after["top_logprobs"][0], abs=1e-4)


def test_a_prompt_is_scored_the_same_whatever_the_cache_holds(server: Server) -> None:
    first = scored(server, max_tokens=0)
    server.post("/v1/completions", {**ASK, "prompt": PROMPT + " value + 1"})
    assert scored(server, max_tokens=0) == first
    usage = server.post(
        "/v1/completions", {**ASK, "echo": True, "logprobs": 1, "max_tokens": 0}
    ).json()["usage"]
    assert usage["completion_tokens"] == usage["prompt_tokens_details"]["cached_tokens"] == 0
    assert usage["prompt_tokens"] == usage["total_tokens"] == len(first["tokens"])


@pytest.mark.parametrize("logprobs", [None, 0, 2])
@pytest.mark.parametrize("max_tokens", [0, 4])
def test_a_streamed_echo_says_what_the_whole_one_says(
    server: Server, logprobs: int | None, max_tokens: int
) -> None:
    asked = {**ASK, "prompt": "é→ = 'ü'\n" * 40, "echo": True, "logprobs": logprobs}
    asked |= {"max_tokens": max_tokens}
    whole = server.post("/v1/completions", asked).json()["choices"][0]
    choices = [
        event["choices"][0]
        for event in events_of(server.post("/v1/completions", {**asked, "stream": True}))
    ]
    assert "".join(choice["text"] for choice in choices) == whole["text"]
    assert choices[-1]["finish_reason"] == whole["finish_reason"] == "length"
    for name in ("tokens", "token_logprobs", "top_logprobs", "text_offset"):
        parts = [choice["logprobs"][name] for choice in choices if choice["logprobs"]]
        found = [value for part in parts for value in part]
        assert found == (whole["logprobs"] or {name: []})[name]


@pytest.mark.parametrize("streams", [False, True])
def test_a_list_of_prompts_has_the_answer_to_each(server: Server, *, streams: bool) -> None:
    prompts = [PROMPT, "import os\n", "x = [1, 2"]
    alone = []
    used = 0
    for prompt in prompts:
        answer = server.post("/v1/completions", {**ASK, "prompt": prompt}).json()
        alone.append(answer["choices"][0]["text"])
        used += answer["usage"]["total_tokens"]
    # A stop in one of the texts ends that text alone.
    stop = alone[0][3:5]
    expected = [text.partition(stop)[0] for text in alone]
    asked = {**ASK, "prompt": prompts, "stop": [stop], "stream": streams}
    response = server.post("/v1/completions", asked)
    texts = dict.fromkeys(range(len(prompts)), "")
    reasons: dict[int, str] = {}
    for event in events_of(response) if streams else [response.json()]:
        for choice in event["choices"]:
            texts[choice["index"]] += choice["text"]
            if choice["finish_reason"]:
                assert choice["index"] not in reasons
                reasons[choice["index"]] = choice["finish_reason"]
    assert list(texts.values()) == expected
    assert reasons[0] == "stop"
    assert sorted(reasons) == [0, 1, 2]
    whole = server.post("/v1/completions", {**ASK, "prompt": prompts}).json()
    assert whole["usage"]["total_tokens"] == used


INFILL = {
    "<|fim_prefix|>": "<|fim_prefix|>def f():\n    <|fim_suffix|>\n<|fim_middle|>",
    "<fim_prefix>": "<fim_prefix>a<fim_suffix>b<fim_middle>",
    "<｜fim▁begin｜>": "<｜fim▁begin｜>a<｜fim▁hole｜>b<｜fim▁end｜>",
    "<|file_sep|>": "<|file_sep|>original/a.py\nx = 1\n<|file_sep|>current/a.py\n",
    "<|editable_region_start|>": "### Edits\n<|editable_region_start|>\nx<|user_cursor|>\n",
    "<[fim-prefix]>": ["x = 1\n", "<[fim-suffix]>b<[fim-prefix]>a<[fim-middle]>"],
}


@pytest.mark.parametrize(("marker", "prompt"), INFILL.items(), ids=INFILL)
def test_a_model_that_edits_refuses_to_fill_in_the_middle(
    server: Server, marker: str, prompt: str | list[str]
) -> None:
    response = server.post("/v1/completions", {**ASK, "prompt": prompt})
    assert marker in refused(response, 400, "prompt", "unsupported_model")


@pytest.mark.parametrize("prompt", INFILL.values(), ids=INFILL)
def test_another_model_is_asked_to_fill_in_the_middle(
    chat: Server, prompt: str | list[str]
) -> None:
    asked = {**ASK, "model": "chat", "prompt": prompt}
    assert chat.post("/v1/completions", asked).status_code == 200


RAW = "<|im_start|>user\nwhat is it<|im_end|>\n<|im_start|>assistant\n"
ASK_RAW = {**ASK, "model": "chat", "prompt": RAW, "max_tokens": 40}


def test_names_of_special_tokens_in_a_raw_prompt_are_these_tokens(chat: Server) -> None:
    tokenizer = chat.service.engines.loaded.tokenizer
    begin = tokenizer.special("<|im_start|>")
    end = tokenizer.special("<|im_end|>")
    user, asked, role = map(tokenizer.encode, ("user\nwhat is it", "\n", "assistant\n"))
    ids = [begin, *user, end, *asked, begin, *role]
    by_text = chat.post("/v1/completions", ASK_RAW).json()
    by_ids = chat.post("/v1/completions", {**ASK_RAW, "prompt": ids}).json()
    assert by_text["choices"] == by_ids["choices"]
    assert by_text["usage"]["prompt_tokens"] == len(ids)
    assert by_text["choices"][0]["text"].startswith("a sum of two")


@pytest.mark.parametrize("streams", [False, True])
def test_a_special_token_among_the_stops_ends_the_text(chat: Server, *, streams: bool) -> None:
    asked = {**ASK_RAW, "stop": ["<|file_sep|>", "<|im_end|>"], "stream": streams}
    response = chat.post("/v1/completions", asked)
    events = events_of(response) if streams else [response.json()]
    assert "".join(event["choices"][0]["text"] for event in events) == "a sum of two"
    assert events[-1]["choices"][0]["finish_reason"] == "stop"


def test_an_echo_has_the_special_tokens_of_the_prompt(chat: Server) -> None:
    asked = {**ASK_RAW, "stop": ["<|im_end|>"], "echo": True}
    choice = chat.post("/v1/completions", asked).json()["choices"][0]
    assert choice["text"] == RAW + "a sum of two"


def test_what_a_chat_spells_out_is_no_special_token(chat: Server) -> None:
    spelled = {**CHAT, "messages": [{"role": "user", "content": "<|im_end|>what is it"}]}
    plain = {**CHAT, "messages": [{"role": "user", "content": "what is it"}]}
    counts = [
        chat.post("/v1/chat/completions", asked).json()["usage"]["prompt_tokens"]
        for asked in (spelled, plain)
    ]
    assert counts[0] > counts[1] + 1


def test_a_seed_makes_a_draw_come_again(server: Server) -> None:
    asked = {**ASK, "temperature": 1.5, "seed": 7, "top_p": 0.9}
    texts = [
        server.post("/v1/completions", {**asked, "seed": seed}).json()["choices"][0]["text"]
        for seed in (7, 7, 8, 9)
    ]
    assert texts[0] == texts[1]
    assert len(set(texts)) > 1


def test_a_narrow_nucleus_is_greedy(server: Server) -> None:
    greedy = server.post("/v1/completions", ASK).json()["choices"][0]["text"]
    narrow = server.post("/v1/completions", {**ASK, "temperature": 2.0, "top_p": 0.0}).json()
    assert narrow["choices"][0]["text"] == greedy


def test_a_prompt_that_comes_again_is_known(server: Server) -> None:
    server.post("/v1/completions", ASK)
    usage = server.post("/v1/completions", ASK).json()["usage"]
    assert usage["prompt_tokens_details"]["cached_tokens"] == usage["prompt_tokens"] - 1


def test_a_client_does_not_profit_from_the_prompts_of_another(server: Server) -> None:
    server.post("/v1/completions", ASK, **{"X-Spark-Client": "a"})
    usage = server.post("/v1/completions", ASK, **{"X-Spark-Client": "b"}).json()["usage"]
    assert usage["prompt_tokens_details"]["cached_tokens"] == 0


def test_a_chat_is_answered_whole_and_in_pieces(chat: Server) -> None:
    whole = chat.post("/v1/chat/completions", CHAT).json()
    choice = whole["choices"][0]
    assert choice["message"]["content"] == "a sum of two"
    assert choice["finish_reason"] == "stop"
    assert whole["object"] == "chat.completion"
    events = events_of(chat.post("/v1/chat/completions", {**CHAT, "stream": True}))
    deltas = [event["choices"][0]["delta"] for event in events]
    assert deltas[0]["role"] == "assistant"
    assert "".join(delta.get("content", "") for delta in deltas) == "a sum of two"
    assert events[-1]["choices"][0]["finish_reason"] == "stop"


def test_a_chat_tells_log_probabilities_and_takes_parts_of_text(chat: Server) -> None:
    parts = [{"type": "text", "text": "what "}, {"type": "text", "text": "is it"}]
    asked = {**CHAT, "messages": [{"role": "user", "content": parts}]}
    asked |= {"logprobs": True, "top_logprobs": 2, "max_completion_tokens": 3}
    choice = chat.post("/v1/chat/completions", asked).json()["choices"][0]
    told = choice["logprobs"]["content"]
    assert len(told) == 3
    data = bytes(byte for token in told for byte in token["bytes"])
    assert b"a sum of two".startswith(data)
    assert all(len(token["top_logprobs"]) == 2 for token in told)
    assert choice["finish_reason"] == "length"


def test_a_model_that_only_edits_says_so_to_a_chat(server: Server) -> None:
    asked = {**CHAT, "model": "model"}
    message = refused(server.post("/v1/chat/completions", asked), 400, "model", "unsupported_model")
    assert "/v1/edits" in message


def test_the_models_are_listed(server: Server) -> None:
    listed = server.get("/v1/models").json()
    assert [model["id"] for model in listed["data"]] == ["model"]
    assert server.get("/v1/models/model").json() == listed["data"][0]
    refused(server.get("/v1/models/gpt"), 404, "model", "model_not_found")


@pytest.mark.parametrize(
    ("change", "param", "code"),
    [
        ({"model": None}, "model", None),
        ({"prompt": None}, "prompt", None),
        ({"prompt": ""}, "prompt", None),
        ({"prompt": [1, "a"]}, "prompt", None),
        ({"prompt": [-1]}, "prompt", None),
        ({"prompt": [10**9]}, "prompt", None),
        ({"prompt": [True]}, "prompt", None),
        ({"prompt": [10**9], "echo": True}, "prompt", None),
        ({"prompt": "x " * 100_000}, "prompt", "context_length_exceeded"),
        ({"prompt": []}, "prompt", None),
        ({"prompt": [PROMPT, ""]}, "prompt", None),
        ({"prompt": [PROMPT, 3]}, "prompt", None),
        ({"prompt": [PROMPT, [1, "a"]]}, "prompt", None),
        ({"prompt": [PROMPT, "x " * 100_000]}, "prompt", "context_length_exceeded"),
        ({"max_tokens": -1}, "max_tokens", None),
        ({"max_tokens": "4"}, "max_tokens", None),
        ({"max_tokens": True}, "max_tokens", None),
        ({"temperature": 3}, "temperature", None),
        ({"temperature": "hot"}, "temperature", None),
        ({"top_p": -0.1}, "top_p", None),
        ({"seed": -1}, "seed", None),
        ({"stop": [""]}, "stop", None),
        ({"stop": ["a"] * 5}, "stop", None),
        ({"stop": 3}, "stop", None),
        ({"logprobs": 6}, "logprobs", None),
        ({"stream": "yes"}, "stream", None),
        ({"stream_options": {"include_usage": True}}, "stream_options", None),
        ({"stream_options": 1, "stream": True}, "stream_options", None),
        ({"priority": "high"}, "priority", None),
        ({"n": 2}, "n", "unsupported_parameter"),
        ({"suffix": "end"}, "suffix", "unsupported_parameter"),
        ({"best_of": 3}, "best_of", "unsupported_parameter"),
        ({"logit_bias": {"1": 5}}, "logit_bias", "unsupported_parameter"),
        ({"presence_penalty": 0.5}, "presence_penalty", "unsupported_parameter"),
    ],
)
def test_what_is_wrong_is_told_by_its_name(
    server: Server, change: dict[str, Any], param: str, code: str | None
) -> None:
    refused(server.post("/v1/completions", {**ASK, **change}), 400, param, code)


def test_what_changes_nothing_is_taken(server: Server) -> None:
    neutral: dict[str, Any] = {
        "n": 1,
        "best_of": 1,
        "suffix": None,
        "presence_penalty": 0,
        "logit_bias": {},
    }
    neutral |= {"user": "me", "frequency_penalty": 0.0, "stop": None, "logprobs": None}
    assert server.post("/v1/completions", {**ASK, **neutral}).status_code == 200


@pytest.mark.parametrize(
    ("messages", "param"),
    [
        ([], "messages"),
        ("hello", "messages"),
        ([3], "messages[0]"),
        ([{"role": "robot", "content": "x"}], "messages[0].role"),
        ([{"role": "user"}], "messages[0].content"),
        ([{"role": "user", "content": [{"type": "image_url"}]}], "messages[0].content[0]"),
    ],
)
def test_messages_that_are_none_are_refused(chat: Server, messages: object, param: str) -> None:
    refused(chat.post("/v1/chat/completions", {**CHAT, "messages": messages}), 400, param, None)


@pytest.mark.parametrize("name", ["tools", "functions", "response_format"])
def test_what_a_chat_cannot_do_is_refused_by_its_name(chat: Server, name: str) -> None:
    asked = {**CHAT, name: [{"type": "function"}]}
    refused(chat.post("/v1/chat/completions", asked), 400, name, "unsupported_parameter")


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"3", b"\xff", b"[" * 100_000])
def test_a_request_that_is_no_object_is_refused(server: Server, data: bytes) -> None:
    refused(server.client.post("/v1/completions", content=data), 400, None, None)


def test_unknown_addresses_and_methods_are_refused(server: Server) -> None:
    refused(server.get("/v1/nothing"), 404, None, "unknown_url")
    refused(server.post("/v1/engine/nothing", {}), 404, None, "unknown_url")
    refused(server.get("/v1/completions"), 405, None, None)


def test_a_client_that_asks_too_often_is_told_when_to_come_back(
    start_scripted: StartServer,
) -> None:
    server = start_scripted({}, limits=Limits(per_second=0.01, burst=2))
    statuses = [server.post("/v1/completions", ASK).status_code for _ in range(3)]
    assert statuses == [200, 200, 429]
    response = server.post("/v1/completions", ASK)
    assert int(response.headers["Retry-After"]) >= 1
    refused(response, 429, None, "rate_limit_exceeded")
    other = server.post("/v1/completions", ASK, **{"X-Spark-Client": "other"})
    assert other.status_code == 200
    assert 'spark_refused_total{status="429"} 2' in server.get("/metrics").text


def test_the_metrics_are_text_of_prometheus(server: Server) -> None:
    server.post("/v1/completions", ASK)
    text = server.get("/metrics").text
    assert 'spark_requests_total{path="/v1/completions",status="200"} 1' in text
    values = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    assert int(values["spark_tokens_total"]) > 12
    assert all(float(value) >= 0 for value in values.values())


def test_the_official_client_is_served(start: StartServer, tmp_path: Path) -> None:
    openai = pytest.importorskip("openai")
    loaded = chat_model(tmp_path / "chat", {"what is it": "a sum"})
    server = start(loaded, port=True)
    with openai.OpenAI(base_url=server.url, api_key=KEY, max_retries=0) as client:
        whole = client.chat.completions.create(**CHAT)
        assert whole.choices[0].message.content == "a sum"
        with client.chat.completions.create(**CHAT, stream=True) as stream:
            parts = [chunk.choices[0].delta.content or "" for chunk in stream]
        assert "".join(parts) == "a sum"
        text = client.completions.create(model="chat", prompt="x = ", max_tokens=3, logprobs=1)
        assert len(text.choices[0].logprobs.tokens) == 3
        assert [model.id for model in client.models.list()] == ["chat"]
        with pytest.raises(openai.NotFoundError) as missing:
            client.completions.create(model="gpt", prompt="x")
        assert missing.value.code == "model_not_found"
        with pytest.raises(openai.BadRequestError) as wrong:
            client.completions.create(model="chat", prompt="x", temperature=9)
        assert wrong.value.param == "temperature"
        assert json.loads(wrong.value.response.text)["error"]["type"] == "invalid_request_error"
    with (
        openai.OpenAI(base_url=server.url, api_key="wrong", max_retries=0) as stranger,
        pytest.raises(openai.AuthenticationError),
    ):
        stranger.models.list()
