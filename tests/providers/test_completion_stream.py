"""Completions as they arrive: three dialects of probabilities, any cuts, and what is no answer."""

import json
from typing import Any

import pytest

from spark_tui.providers.openai_stream import CompletedToken, CompletionStream, LikelyToken
from tests.providers.scripted_server import event


def piece(text: str, logprobs: Any = None, ended: str | None = None) -> bytes:
    """An event of a completion."""
    choice = {"index": 0, "text": text, "logprobs": logprobs, "finish_reason": ended}
    return event({"choices": [choice]})


def read(*events: bytes) -> tuple[list[CompletedToken], CompletionStream]:
    stream = CompletionStream()
    pieces = [piece for each in events for piece in stream.take(each)] + stream.finish()
    return [piece for piece in pieces if isinstance(piece, CompletedToken)], stream


LLAMA_SERVER = {
    "content": [
        {
            "id": 5,
            "token": "+",
            "bytes": [43],
            "logprob": -0.5,
            "top_logprobs": [{"id": 6, "token": "-", "bytes": [45], "logprob": -1.0}],
        }
    ]
}
VLLM = {
    "tokens": ["token_id:5"],
    "token_logprobs": [-0.5],
    "top_logprobs": [{"token_id:6": -1.0}],
}
OLDER = {"tokens": ["+"], "token_logprobs": [-0.5], "top_logprobs": [{"-": -1.0}]}


@pytest.mark.parametrize(
    ("logprobs", "token"),
    [
        (LLAMA_SERVER, CompletedToken(5, b"+", -0.5, (LikelyToken(6, b"-", -1.0),))),
        (VLLM, CompletedToken(5, b"", -0.5, (LikelyToken(6, b"", -1.0),))),
        (OLDER, CompletedToken(None, b"+", -0.5, (LikelyToken(None, b"-", -1.0),))),
        (None, CompletedToken(None, b"+")),
    ],
)
def test_each_dialect_tells_its_tokens(logprobs: Any, token: CompletedToken) -> None:
    tokens, stream = read(piece("+", logprobs), piece("", None, "stop"))
    assert (tokens, stream.ended, stream.fault) == ([token], "stop", "")


def test_any_cut_of_the_bytes_gives_the_same_tokens() -> None:
    whole = piece("+é", None) + piece("", None, "stop") + event(b"[DONE]")
    expected, _ = read(whole)
    for at in range(len(whole)):
        tokens, stream = read(whole[:at], whole[at:])
        assert (tokens, stream.done) == (expected, True)


def test_text_that_the_tokens_of_an_event_leave_out_is_not_lost() -> None:
    last = {"content": [{"id": 9, "token": "", "bytes": [0x92], "logprob": -0.1}]}
    tokens, _ = read(piece("→", last))
    assert b"".join(token.piece for token in tokens).decode() == "→"


@pytest.mark.parametrize(
    "choice",
    [
        {"text": 1},
        {"text": "a", "logprobs": {"tokens": ["a"]}},
        {"text": "a", "logprobs": {"tokens": ["a"], "token_logprobs": ["high"]}},
        {"text": "a", "logprobs": {"tokens": ["a"], "token_logprobs": [-1.0, -2.0]}},
        {"text": "a", "logprobs": {"content": [{"token": "a", "logprob": None}]}},
        {"text": "a", "logprobs": {"content": [{"token": "a", "bytes": [999], "logprob": 0}]}},
    ],
)
def test_what_is_no_completion_is_a_fault(choice: Any) -> None:
    tokens, stream = read(event({"choices": [choice]}), piece("later"))
    assert (tokens, stream.fault) == ([], "it sent something that is not part of an answer")


def test_not_a_number_is_no_probability() -> None:
    logprobs = {"tokens": ["a"], "token_logprobs": [float("nan")], "top_logprobs": None}
    data = json.dumps({"choices": [{"text": "a", "logprobs": logprobs}]})
    _, stream = read(event(data.encode()))
    assert stream.fault


def test_an_error_among_the_events_is_told_in_the_servers_words() -> None:
    _, stream = read(piece("a"), event({"error": {"message": "out of memory"}}))
    assert stream.fault == "out of memory"


def test_a_line_that_never_ends_is_given_up() -> None:
    stream = CompletionStream()
    stream.take(b"data: " + b"a" * (9 << 20))
    assert stream.fault == "it sent a line that never ends"
