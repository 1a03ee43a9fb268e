"""What an endpoint takes: a parameter that is refused is left out and remembered, what is known
is used.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from spark_tui.config import Endpoint
from spark_tui.editing.formats.quoted import QuotedRequest
from spark_tui.errors import SparkError, UsageError
from spark_tui.providers.abilities import Abilities
from spark_tui.providers.base import AnswerFinished, GenerationRequest, TokenGenerated
from spark_tui.providers.openai_client import Server
from spark_tui.providers.openai_errors import Patience
from spark_tui.providers.openai_provider import Remote
from spark_tui.providers.openai_reply import ChatReply
from tests.providers.scripted_server import (
    Handler,
    ScriptedServer,
    Turn,
    chunk,
    event,
    refuses,
    says,
    sends,
    serving,
)

SYSTEM = {"role": "system", "content": "Edit."}
USER = {"role": "user", "content": "say a"}
ASKED = [SYSTEM, USER]
OPENAI_LIMIT = (
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
    "'max_completion_tokens' instead."
)
OPENAI_HEAT = (
    "Unsupported value: 'temperature' does not support 0.0 with this model. Only the "
    "default (1) value is supported."
)
REGION = ("def f(x):", "    y = x", "    return y")
ASK = GenerationRequest(QuotedRequest("a.py", REGION, "return x at once"))

At = Callable[..., Server]


@pytest.fixture
def at(tmp_path: Path) -> Iterator[At]:
    """Makes the endpoint of a scripted server that remembers in a folder; closed in the end."""
    with ExitStack() as stack:

        def make(server: ScriptedServer, **given: Any) -> Server:
            asked = Server(
                server.endpoint(**given), patience=Patience(pauses=()), folder=tmp_path / "kept"
            )
            return stack.enter_context(closing(asked))

        yield make


def text_of(reply: ChatReply) -> str:
    return "".join(str(piece) for piece in reply if piece)


def picky(rule: Callable[[dict[str, Any]], str]) -> Turn:
    """Answers unless a rule has an objection to the request."""

    def turn(handler: Handler) -> None:
        why = rule(handler.server.requests[-1])
        answer = refuses(400, {"error": {"message": why}}) if why else says("a")
        answer(handler)

    return turn


def reasoning(body: dict[str, Any]) -> str:
    if "max_tokens" in body:
        return OPENAI_LIMIT
    return OPENAI_HEAT if body.get("temperature", 1) != 1 else ""


def no_system(body: dict[str, Any]) -> str:
    roles = [each["role"] for each in body["messages"]]
    return "System role not supported" if "system" in roles else ""


def alternating(body: dict[str, Any]) -> str:
    first = body["messages"][0]["role"]
    return "" if first == "user" else "Conversation roles must alternate user/assistant/user/..."


def test_a_reasoning_model_is_asked_again_in_its_own_words(at: At) -> None:
    with serving(picky(reasoning)) as server:
        assert text_of(at(server).ask(ASKED, most=9)) == "a"
        assert server.requests[-1] == {
            "model": "m",
            "messages": ASKED,
            "stream": True,
            "max_completion_tokens": 9,
        }
        assert len(server.requests) == 3


@pytest.mark.parametrize("rule", [reasoning, no_system, alternating])
def test_what_was_refused_is_remembered_for_the_endpoint(at: At, rule: Any) -> None:
    with serving(picky(rule)) as server:
        assert text_of(at(server).ask(ASKED)) == "a"
        before = len(server.requests)
        assert text_of(at(server).ask(ASKED)) == "a"
        assert len(server.requests) == before + 1


@pytest.mark.parametrize("rule", [no_system, alternating])
def test_without_a_system_role_its_words_begin_the_user_s_message(at: At, rule: Any) -> None:
    with serving(picky(rule)) as server:
        assert text_of(at(server).ask(ASKED)) == "a"
        assert server.requests[-1]["messages"] == [{"role": "user", "content": "Edit.\n\nsay a"}]


@pytest.mark.parametrize(
    ("status", "why"),
    [
        (500, "System role not supported"),
        (500, "Conversation roles must alternate user/assistant/user/assistant/..."),
        (400, "system messages are not supported"),
        (400, "Only user and assistant roles are supported!"),
        (400, "Developer instruction is not enabled for models/gemma-3-1b-it"),
        (422, "unknown variant `system`, expected `user` or `assistant`"),
        (424, "Template error: this model has no System prompt"),
        (501, "This model does not take system instructions."),
        (400, "\ud83d: no system role"),
    ],
)
@pytest.mark.parametrize("in_stream", [False, True])
def test_kind_23_a_system_role_is_left_out_however_the_refusal_is_worded(
    at: At, status: int, why: str, in_stream: bool
) -> None:
    refusal = refuses(status, {"error": {"message": why}})
    if in_stream:
        refusal = sends(event({"error": {"message": why}}))
    with serving(refusal, says("a")) as server:
        assert text_of(at(server).ask(ASKED)) == "a"
        assert at(server).abilities.takes("system") is False
        assert text_of(at(server).ask(ASKED)) == "a"
        merged = [{"role": "user", "content": "Edit.\n\nsay a"}]
        assert [request["messages"] for request in server.requests] == [ASKED, merged, merged]


@pytest.mark.parametrize("status", [401, 403, 408, 500, 502])
def test_kind_23_another_refusal_is_told_and_nothing_is_remembered(at: At, status: int) -> None:
    with serving(refuses(status, {"error": "your system role is not known"})) as server:
        with pytest.raises(SparkError, match=str(status)):
            text_of(at(server).ask(ASKED))
        assert len(server.requests) <= 2
        assert at(server).abilities.takes("system") is None


def test_a_refusal_that_stays_is_told_and_nothing_is_remembered(at: At) -> None:
    with serving(refuses(400, {"error": "max_tokens is too large: 512"})) as server:
        with pytest.raises(UsageError, match="max_tokens is too large"):
            text_of(at(server).ask(ASKED))
        assert at(server).abilities.takes("max_tokens") is None


def test_a_refusal_that_names_nothing_is_told_at_once(at: At) -> None:
    with serving(refuses(400, {"error": "too long"})) as server:
        with pytest.raises(UsageError, match="too long"):
            text_of(at(server).ask(ASKED))
        assert len(server.requests) == 1


def test_refusals_do_not_use_up_the_patience_with_a_busy_server(at: At) -> None:
    no_heat = refuses(400, {"error": OPENAI_HEAT})
    with serving(no_heat, refuses(429), says("a")) as server:
        with pytest.raises(SparkError, match="is busy"):
            text_of(at(server).ask(ASKED))
        assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("name", "more"),
    [
        (
            "continue_final_message",
            {"continue_final_message": True, "add_generation_prompt": False},
        ),
        ("prefix", {}),
        ("prefill", {}),
    ],
)
def test_an_answer_is_gone_on_with_within_its_line(at: At, name: str, more: dict[str, Any]) -> None:
    begun = "```py\ndef f(x):\n    ret"
    with serving(sends(chunk(begun), cut=True), says("urn x\n```\n")) as server:
        remote = Remote(at(server, abilities={name: True}))
        with remote.on_failure(lambda _: None):
            items = list(remote.write(ASK).write())
        answer = next(item for item in items if isinstance(item, AnswerFinished))
        assert answer.lines == ("def f(x):", "    return x")
        last = server.requests[1]["messages"][-1]
        assert (last["role"], last["content"]) == ("assistant", begun)
        assert last.get("prefix", False) is (name == "prefix")
        assert {key: server.requests[1][key] for key in more} == more


def test_a_line_that_comes_twice_is_not_dropped_where_the_server_goes_on_exactly(at: At) -> None:
    with serving(says("x\nz\n```\n")) as server:
        remote = Remote(at(server, abilities={"prefill": True}))
        items = list(remote.write(GenerationRequest(ASK.request, "```py\nx\n")).write())
        answer = next(item for item in items if isinstance(item, AnswerFinished))
        assert answer.lines == ("x", "x", "z")


@pytest.mark.parametrize("begun", ["```py\n", "```py\nx\n", "```py\nx\n    ret"])
def test_a_server_that_sends_the_begun_text_once_more_has_it_left_out(at: At, begun: str) -> None:
    with serving(says(begun[:4], f"{begun[4:]}urn", " x\n```\n")) as server:
        remote = Remote(at(server, abilities={"prefill": True}))
        items = list(remote.write(GenerationRequest(ASK.request, begun)).write())
        answer = next(item for item in items if isinstance(item, AnswerFinished))
        whole = f"{begun}urn x\n"
        assert answer.lines == tuple(whole.splitlines()[1:])


def test_an_answer_that_only_begins_like_the_begun_text_is_whole(at: At) -> None:
    with serving(says("```", "\nz\n```\n")) as server:
        remote = Remote(at(server, abilities={"prefill": True}))
        items = list(remote.write(GenerationRequest(ASK.request, "````py\n```py\n")).write())
        text = b"".join(item.piece for item in items if isinstance(item, TokenGenerated)).decode()
        assert text.endswith("```\nz\n```\n")


def test_a_model_that_was_seen_to_think_is_given_tokens_for_that_from_the_start(at: At) -> None:
    with serving(says("<think>Hm.</think>```py\nx\n```\n")) as server:
        for _ in range(2):  # each time as a program that has just started
            list(Remote(at(server)).write(ASK).write())
        first, second = (request["max_tokens"] for request in server.requests)
        assert second > first + 4096


def test_where_going_on_is_refused_it_is_asked_for_in_words(at: At) -> None:
    def rule(body: dict[str, Any]) -> str:
        return "extra: continue_final_message" if "continue_final_message" in body else ""

    with serving(picky(rule)) as server:
        asked = at(server, abilities={"continue_final_message": True})
        assert text_of(asked.ask(ASKED, begun="b\n")) == "a"
        assert [each["role"] for each in server.requests[-1]["messages"]][-2:] == [
            "assistant",
            "user",
        ]


def test_the_lines_are_the_prediction_where_that_is_taken(at: At) -> None:
    with serving(says("```\nx\n```\n")) as server:
        for known in ({}, {"prediction": True}):
            list(Remote(at(server, abilities=known)).write(ASK).write())
        assert "prediction" not in server.requests[0]
        content = "```py\ndef f(x):\n    y = x\n    return y\n```"
        assert server.requests[1]["prediction"] == {"type": "content", "content": content}


@pytest.mark.parametrize(
    ("thinking", "known", "sent"),
    [
        ("on", {"enable_thinking": True, "reasoning_effort": True}, {}),
        ("off", {"enable_thinking": True}, {"chat_template_kwargs": {"enable_thinking": False}}),
        ("off", {"reasoning_effort": True}, {"reasoning_effort": "low"}),
        ("low", {"enable_thinking": True, "reasoning_effort": True}, {"reasoning_effort": "low"}),
        ("low", {}, {}),
    ],
)
def test_thinking_is_as_the_settings_say_where_the_server_can_be_told(
    at: At,
    thinking: str,
    known: dict[str, bool],
    sent: dict[str, Any],
) -> None:
    with serving(says("a")) as server:
        text_of(at(server, thinking=thinking, abilities=known).ask(ASKED))
        keys = {"chat_template_kwargs", "reasoning_effort"}
        assert {key: value for key, value in server.requests[0].items() if key in keys} == sent


@pytest.mark.parametrize(
    ("told", "found", "sent"),
    [
        ({}, None, 3),
        ({}, True, 3),
        ({}, False, None),
        ({"seed": True}, False, 3),
        ({"seed": False}, True, None),
    ],
)
def test_a_seed_goes_along_with_a_draw_unless_it_is_switched_off(
    at: At, told: dict[str, bool], found: bool | None, sent: int | None
) -> None:
    with serving(says("a")) as server:
        asked = at(server, abilities=told)
        asked.abilities.learn({"seed": found})
        text_of(asked.ask(ASKED, temperature=0.5, seed=3))
        assert server.requests[0].get("seed") == sent


def test_what_the_settings_say_stands_above_what_was_found(tmp_path: Path) -> None:
    plain = Endpoint("big", "http://h/v1", "m")
    Abilities(plain, tmp_path).learn({"temperature": False, "system": False, "seed": None})
    told = Endpoint("other", "http://h/v1", "m", abilities={"temperature": True})
    known = Abilities(told, tmp_path)
    assert [known.takes(name) for name in ("temperature", "system", "seed")] == [True, False, None]
    assert Abilities(Endpoint("big", "http://h/v1", "n"), tmp_path).takes("system") is None


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"version": 0, "abilities": {}}', "\x00"])
def test_a_memory_that_cannot_be_read_is_none_and_is_written_anew(
    tmp_path: Path, text: str
) -> None:
    endpoint = Endpoint("big", "http://h/v1", "m")
    Abilities(endpoint, tmp_path).learn({"seed": True})
    (path,) = tmp_path.iterdir()
    path.write_text(text)
    known = Abilities(endpoint, tmp_path)
    assert known.takes("seed") is None
    known.learn({"seed": False})
    assert json.loads(path.read_text())["abilities"] == {"seed": False}


def test_a_folder_that_cannot_be_written_forgets_at_the_end_only(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    known = Abilities(Endpoint("big", "http://h/v1", "m"), tmp_path / "file" / "kept")
    known.learn({"seed": False})
    assert known.takes("seed") is False


def limited(words: str, limit: int, param: str | None = None) -> Turn:
    """Answers requests whose answer is bounded by a limit at most, and refuses others in words."""

    def turn(handler: Handler) -> None:
        body = handler.server.requests[-1]
        most = body.get("max_completion_tokens", body.get("max_tokens", limit + 1))
        error = {"message": words.format(most=most, total=most + 1200), "param": param}
        answer = refuses(400, {"error": error}) if most > limit else says("a")
        answer(handler)

    return turn


@pytest.mark.parametrize("param", [None, "max_tokens"])
@pytest.mark.parametrize(
    ("words", "limit"),
    [
        (
            (
                "max_tokens is too large: {most}. This model supports at most 4096 completion "
                "tokens, whereas you provided {most}."
            ),
            4096,
        ),
        (
            (
                "max_tokens: {most} > 1024, which is the maximum allowed number of output "
                "tokens for claude-3-opus-20240229"
            ),
            1024,
        ),
        ("max_tokens must be less than or equal to `1024`", 1024),
        ("Invalid max_tokens value, the valid range of max_tokens is [1, 1024]", 1024),
        ("Range of max_tokens should be [1,1024]", 1024),
        ("Error 400: max_tokens must be in 1-4096.", 4096),
        ("For any prompt, the range of max_tokens is 1 to 4,096", 4096),
        ("max_tokens (limit of llama-3.1-8b: 2,048) is too large", 2048),
    ],
)
def test_a_limit_of_output_tokens_is_read_from_the_refusal_and_kept_to(
    at: At, words: str, limit: int, param: str | None
) -> None:
    with serving(limited(words, limit, param)) as server:
        assert text_of(at(server).ask(ASKED, most=6160)) == "a"
        assert text_of(at(server).ask(ASKED, most=6160)) == "a"  # another start remembers
        assert text_of(at(server).ask(ASKED, most=100)) == "a"
        sent = [body["max_tokens"] for body in server.requests]
    assert sent == [6160, limit, limit, 100]


def test_a_limit_may_stand_in_fields_beside_the_words(at: At) -> None:
    refusal = {
        "detail": [
            {"loc": ["body", "max_tokens"], "msg": "Input is too large", "ctx": {"le": 4096}},
        ]
    }
    with serving(refuses(422, refusal), says("a")) as server:
        assert text_of(at(server).ask(ASKED, most=6160)) == "a"
        assert [body["max_tokens"] for body in server.requests] == [6160, 4096]


def test_a_limit_of_the_newer_name_is_read_though_the_older_one_was_refused(at: At) -> None:
    def turn(handler: Handler) -> None:
        if "max_tokens" in handler.server.requests[-1]:
            refuses(400, {"error": {"message": f"{OPENAI_LIMIT} See page 12."}})(handler)
        else:
            limited("max_completion_tokens is too large: at most 4096", 4096)(handler)

    with serving(turn) as server:
        assert text_of(at(server).ask(ASKED, most=6160)) == "a"
        assert server.requests[-1]["max_completion_tokens"] == 4096


@pytest.mark.parametrize(
    "words",
    [
        (
            "This model's maximum context length is 4096 tokens. However, you requested {total} "
            "tokens (1200 in the messages, {most} in the completion). Please reduce the length."
        ),
        "This model's maximum context length is 4096 tokens, and you requested {total} tokens",
        (
            "'max_tokens' or 'max_completion_tokens' is too large: {most}. This model's maximum "
            "context length is 4096 tokens and your request has 1200 input tokens "
            "({most} > 4096 - 1200)."
        ),
        (
            "input length and `max_tokens` exceed context limit: 1200 + {most} > 4096, decrease "
            "input length or `max_tokens` and try again"
        ),
        (
            "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 1200 `inputs` tokens and "
            "{most} `max_new_tokens`"
        ),
    ],
)
def test_the_room_beside_a_prompt_bounds_this_answer_only(at: At, words: str) -> None:
    with serving(limited(words, 2896)) as server:
        assert text_of(at(server).ask(ASKED, most=6160)) == "a"
        server.turns = [says("a")]
        assert text_of(at(server).ask(ASKED, most=6160)) == "a"
        sent = [body["max_tokens"] for body in server.requests]
    assert sent == [6160, 2896, 6160]


def test_a_limit_and_another_refusal_are_both_kept_to(at: At) -> None:
    def turn(handler: Handler) -> None:
        body = handler.server.requests[-1]
        if body["max_tokens"] <= 4096 and "temperature" in body:
            refuses(400, {"error": {"message": OPENAI_HEAT}})(handler)
        else:
            limited("max_tokens must be <= 4096", 4096)(handler)

    with serving(turn) as server:
        assert text_of(at(server).ask(ASKED, most=6160)) == "a"
        assert server.requests[-1]["max_tokens"] == 4096
        assert len(server.requests) == 3


def test_a_refusal_of_every_bound_names_the_settings(at: At) -> None:
    words = "max_tokens must be less than 1024 tokens"
    with serving(refuses(400, {"error": {"message": words}})) as server:
        with pytest.raises(UsageError) as refused:
            text_of(at(server).ask(ASKED, most=6160))
        assert "max_tokens" in str(refused.value).rpartition("; ")[2]
        assert "thinking_tokens of [models.big]" in str(refused.value)
        server.turns = [says("a")]
        assert text_of(at(server).ask(ASKED, most=6160)) == "a"
        assert server.requests[-1]["max_tokens"] == 6160


def test_a_thought_that_uses_up_a_limit_is_not_asked_for_again_with_the_same(at: At) -> None:
    thought = event({"choices": [{"index": 0, "delta": {"reasoning_content": "Hm."}}]})
    refusal = refuses(400, {"error": {"message": "max_tokens must be <= 1024"}})
    with serving(refusal, sends(thought, chunk(None, "length"), event(b"[DONE]"))) as server:
        with pytest.raises(SparkError, match="used all of its 1,024 tokens to think"):
            list(Remote(at(server)).write(ASK).write())
        assert [body["max_tokens"] for body in server.requests][1:] == [1024]
