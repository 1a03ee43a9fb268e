"""What a server sends while it answers, in whatever pieces it arrives."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_tui.answering.chat_stream import ChatStream, told
from tests.answering.scripted_server import DONE, chunk, event

WHOLE = b"".join([
    b": ping\r\n\r\n", chunk("def "), b"event: x\nid: 1\n", chunk("é→😀"), chunk(None), chunk("\n", "stop"),
    event({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3}}), event(b"[DONE]"),
])  # fmt: skip


@given(st.lists(st.integers(0, len(WHOLE)), max_size=20), st.booleans())
def test_the_text_is_the_same_in_all_pieces(places: list[int], crlf: bool) -> None:
    whole = WHOLE.replace(b"\n", b"\r\n").replace(b"\r\r", b"\r") if crlf else WHOLE
    edges = [0, *sorted(places), len(whole)]
    stream = ChatStream()
    text = "".join(stream.take(whole[start:stop]) for start, stop in pairwise(edges))
    assert text + stream.finish() == "def é→😀\n"
    assert (stream.ended, stream.done, stream.fault, stream.spent) == ("stop", True, "", (7, 3))


def test_nothing_counts_behind_the_end() -> None:
    stream = ChatStream()
    assert stream.take(DONE + chunk("more")) == ""


@pytest.mark.parametrize(
    "data", [b"{", b"nothing", b"[]", b"{}", b'{"choices": 1}', b'{"choices": [1]}', b"[" * 100_000,
             b'{"choices": [{"delta": {"content": 5}}]}'],
)  # fmt: skip
def test_what_is_no_piece_of_an_answer_is_a_fault_and_what_came_before_stays(data: bytes) -> None:
    stream = ChatStream()
    assert stream.take(chunk("kept") + event(data) + chunk("lost")) == "kept"
    assert stream.fault == "it sent something that is not part of an answer"


def test_an_error_within_a_stream_is_told() -> None:
    stream = ChatStream()
    stream.take(event({"error": {"message": "out of\x1b[2J memory"}}))
    assert stream.fault == "out of [2J memory"


def test_a_line_that_never_ends_is_not_kept() -> None:
    stream = ChatStream()
    stream.take(b"data: " + b"x" * (9 << 20))
    assert stream.fault == "it sent a line that never ends"


@given(st.binary(max_size=200))
def test_no_bytes_are_too_odd(data: bytes) -> None:
    stream = ChatStream()
    stream.take(data)
    stream.finish()


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b'{"error": {"message": "no such model", "type": "x"}}', "no such model"),
        (b'{"error": "no such model"}', "no such model"),
        (b'{"detail": [{"msg": "too long", "loc": []}]}', "too long"),
        (b'{"message": "slow down"}', "slow down"),
        (b"<html>", ""),
        (b"{}", ""),
        (b'{"error": "' + b"x" * 300 + b'"}', "x" * 200 + "…"),
    ],
)
def test_what_a_server_says_of_an_error_is_found(body: bytes, words: str) -> None:
    assert told(body) == words
