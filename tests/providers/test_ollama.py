"""Ollama is asked in its own way, so that it reads as many tokens as the settings say."""

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest

from spark_tui.errors import SparkError
from spark_tui.providers.openai_client import Server
from spark_tui.providers.openai_reply import ChatReply
from tests.providers.scripted_server import Handler, ScriptedServer, Turn, refuses, serving

ASKED = [{"role": "user", "content": "say a"}]
END = {"done": True, "done_reason": "stop", "prompt_eval_count": 7, "eval_count": 2}


def tells(*lines: Any, pieces: int = 1) -> Turn:
    """Answers with lines of JSON.

    Args:
        pieces: In how many parts they are sent.
    """

    def turn(handler: Handler) -> None:
        data = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
        size = -(-len(data) // pieces)
        handler.send_response(200)
        handler.send_header("Content-Type", "application/x-ndjson")
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        for start in range(0, len(data), size):
            handler.send(data[start : start + size])
        handler.end()

    return turn


def says(text: str, **more: Any) -> dict[str, Any]:
    return {"message": {"role": "assistant", "content": text}, "done": False} | more


@contextmanager
def asking(turn: Turn, **given: Any) -> Iterator[tuple[ScriptedServer, Server]]:
    with serving(turn) as server:
        endpoint = server.endpoint(abilities={"num_ctx": True}, context=16_384, **given)
        with closing(Server(endpoint)) as asked:
            yield server, asked


def text_of(reply: ChatReply) -> str:
    return "".join(str(piece) for piece in reply if piece)


def test_every_request_says_how_many_tokens_to_read() -> None:
    with asking(tells(says("é"), says("b"), END), thinking="off") as (server, asked):
        reply = asked.ask(ASKED, most=9, temperature=0.5, seed=3)
        assert (text_of(reply), reply.finished, reply.spent) == ("éb", True, (7, 2))
        assert server.requests == [
            {
                "model": "m",
                "messages": ASKED,
                "stream": True,
                "think": False,
                "options": {"temperature": 0.5, "seed": 3, "num_predict": 9, "num_ctx": 16_384},
            }
        ]


@pytest.mark.parametrize("pieces", [2, 7, 90])
def test_lines_may_come_in_any_pieces(pieces: int) -> None:
    with asking(tells(says("é😀\n"), says("b"), END, pieces=pieces)) as (_, asked):
        assert text_of(asked.ask(ASKED)) == "é😀\nb"


def test_an_answer_that_came_to_its_limit_is_not_finished() -> None:
    with asking(tells(says("a"), END | {"done_reason": "length"})) as (_, asked):
        reply = asked.ask(ASKED)
        assert (text_of(reply), reply.finished) == ("a", False)


@pytest.mark.parametrize(
    ("turn", "words"),
    [
        (tells(says("a"), {"error": "out of memory"}), "big: out of memory"),
        (tells(says("a")), "the answer of big was cut off"),
        (tells([1]), "big sent nothing that is part of an answer"),
        (refuses(404, {"error": "model 'm' not found"}), "model 'm' not found"),
    ],
)
def test_what_goes_wrong_is_told(turn: Turn, words: str) -> None:
    with asking(turn) as (_, asked), pytest.raises(SparkError, match=words):
        text_of(asked.ask(ASKED))


def test_log_probabilities_come_along() -> None:
    told = [{"token": "a", "logprob": -0.5}]
    with asking(tells(says("a", logprobs=told), END)) as (_, asked):
        reply = asked.ask(ASKED)
        text = text_of(reply)
        assert (text, reply.scores.of(text)) == ("a", -0.5)
