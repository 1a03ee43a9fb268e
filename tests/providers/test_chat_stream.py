"""What a server sends while it answers, in whatever pieces it arrives."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_tui.providers.base import PromptProgress
from spark_tui.providers.openai_stream import ChatStream, Piece, error_message
from spark_tui.providers.thoughts import ThoughtPiece
from tests.providers.scripted_server import DONE, chunk, event

WHOLE = b"".join(
    [
        b": ping\r\n\r\n",
        chunk("def "),
        b"event: x\nid: 1\n",
        chunk("é→😀"),
        chunk(None),
        chunk("\n", "stop"),
        event({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3}}),
        event(b"[DONE]"),
    ]
)


@given(
    st.lists(st.integers(0, len(WHOLE)), max_size=20),
    st.sampled_from([b"\n", b"\r\n", b"\r"]),
)
def test_the_text_is_the_same_in_all_pieces(places: list[int], end: bytes) -> None:
    whole = WHOLE.replace(b"\r", b"").replace(b"\n", end)
    edges = [0, *sorted(places), len(whole)]
    stream = ChatStream()
    pieces = [piece for start, stop in pairwise(edges) for piece in stream.take(whole[start:stop])]
    assert "".join(map(str, [*pieces, *stream.finish()])) == "def é→😀\n"
    assert (stream.ended, stream.done, stream.fault, stream.spent) == ("stop", True, "", (7, 3))


def test_nothing_counts_behind_the_end() -> None:
    stream = ChatStream()
    assert stream.take(DONE + chunk("more")) == []


@pytest.mark.parametrize(
    "data",
    [
        b"{",
        b'{"choices": 1}',
        b'{"choices": [1]}',
        b'{"choices": [{"delta": {"content": 5}}]}',
        b'{"choices": [{"delta": {"content": "a',
        b'ping\ndata: {"choices": [{"delta":',
        b'{"a": ' * 100_000,
    ],
)
def test_what_is_no_piece_of_an_answer_is_a_fault_and_what_came_before_stays(data: bytes) -> None:
    stream = ChatStream()
    assert stream.take(chunk("kept") + event(data) + chunk("lost")) == ["kept"]
    assert stream.fault == "it sent something that is not part of an answer"


def test_an_error_within_a_stream_is_told() -> None:
    stream = ChatStream()
    stream.take(event({"error": {"message": "out of\x1b[2J memory"}}))
    assert stream.fault == "out of [2J memory"


@pytest.mark.parametrize(
    ("sent", "fault"),
    [
        (event([{"error": {"code": 503, "message": "overloaded"}}]), "overloaded"),
        (b"event: error\n" + event({"message": "overloaded"}), "overloaded"),
        (b"event: error\n" + event(b"overloaded"), "overloaded"),
        (b"event: error\n" + event(b"[]"), "[]"),
        (b"event: error\n" + event({}), "it gave up"),
    ],
)
def test_kind_14_an_error_is_told_however_it_is_wrapped(sent: bytes, fault: str) -> None:
    assert pieces_of(chunk("a"), sent, chunk("b")) == (["a"], fault)


CREDIT = {"error": {"message": "credit is used up", "code": 402}}
CREDIT_LINE = json.dumps(CREDIT).encode()


@pytest.mark.parametrize(
    "body",
    [
        CREDIT_LINE,
        CREDIT_LINE + b"\n",
        b"\xef\xbb\xbf" + CREDIT_LINE + b"\r\n\r\n",
        json.dumps(CREDIT, indent=2).encode(),
        json.dumps([CREDIT], indent="\t").encode(),
        b": ping\n\n" + CREDIT_LINE + b"\n\ndata: [DONE]\n\n",
        b'{"error": "credit is used up"}',
        b"error: " + CREDIT_LINE + b"\n\n",
        b"error: credit is used up",
        b'{"object": "error", "message": "credit is used up"}',
    ],
)
def test_an_error_that_is_no_event_is_told(body: bytes) -> None:
    assert pieces_of(body) == ([], "credit is used up")
    half = len(body) // 2
    assert pieces_of(body[:half], body[half:]) == ([], "credit is used up")
    if not body.startswith(b"\xef"):
        assert pieces_of(chunk("a"), body) == (["a"], "credit is used up")


def test_an_error_after_a_whole_answer_or_beside_it_changes_nothing() -> None:
    assert pieces_of(chunk("a", "stop"), CREDIT_LINE) == (["a"], "")
    assert pieces_of(b"odd: 1\nnoise\n", chunk("a"), b"noise\n") == (["a"], "")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"<html>\n\n<body>Bad gateway</body>", "<html>"),
        (b"upstream connect error", "upstream connect error"),
        (b'{"detail": "no credit"}', "no credit"),
        (event({"message": "no credit"}), "no credit"),
        (b'{"code": 7, "msg": "no credit"}', "no credit"),
    ],
)
def test_the_first_words_of_a_stream_that_is_none_are_kept(body: bytes, words: str) -> None:
    stream = ChatStream()
    stream.take(body)
    stream.finish()
    assert (stream.fault, stream.skipped, stream.spoken) == ("", words, False)


def test_an_answer_without_the_fields_of_events_is_read() -> None:
    whole = {"choices": [{"message": {"content": "a"}, "finish_reason": "stop"}]}
    pieces = [chunk("a"), chunk("b", "stop"), event(b"[DONE]")]
    lines = b"".join(piece.removeprefix(b"data: ") for piece in pieces)
    assert pieces_of(json.dumps(whole, indent=1).encode()) == (["a"], "")
    assert pieces_of(lines) == (["a", "b"], "")


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
    assert error_message(body) == words


def pieces_of(*parts: bytes) -> tuple[list[Piece], str]:
    stream = ChatStream()
    pieces = [piece for part in parts for piece in stream.take(part)]
    return [*pieces, *stream.finish()], stream.fault


TEXT_PART = {"type": "text", "text": "a"}
MISTRAL = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}


@pytest.mark.parametrize(
    ("content", "pieces"),
    [
        ([TEXT_PART], ["a"]),
        ([MISTRAL, TEXT_PART], [ThoughtPiece("hm"), "a"]),
        (
            [{"type": "reasoning", "text": "hm"}, {"type": "output_text", "text": "a"}],
            [ThoughtPiece("hm"), "a"],
        ),
        ([{"type": "image_url", "image_url": {"url": "x"}}, "a"], ["a"]),
        (TEXT_PART, ["a"]),
        ([], []),
    ],
)
def test_text_parts_of_a_content_count_and_thoughts_come_apart(
    content: object,
    pieces: list[Piece],
) -> None:
    sent = event({"choices": [{"delta": {"content": content}}]})
    assert pieces_of(sent) == (pieces, "")


@pytest.mark.parametrize(
    "beside",
    [
        event({"type": "ping"}),
        b"event: ping\ndata: 12:00\n\n",
        event({"usage": {"prompt_tokens": None}}),
        event({"usage": {"total_tokens": 9}, "choices": []}),
        event({"usage": "much", "choices": None}),
        event({}),
        event(b"null"),
        event(b"ping"),
        event(b"12:00"),
        event(b"[1,2]"),
        event(b"[]"),
        event(b"[" * 100_000),
        event(b"\xff\xfe"),
        event(b"<br>"),
        b"data: ping\n",
        b"\xef\xbb\xbf",
    ],
)
def test_kind_14_what_comes_beside_an_answer_does_not_end_it(beside: bytes) -> None:
    assert pieces_of(beside, chunk("a"), chunk("b", "stop")) == (["a", "b"], "")
    if not beside.startswith(b"\xef"):
        assert pieces_of(chunk("a"), beside, chunk("b", "stop"), beside) == (["a", "b"], "")


def test_kind_14_events_that_run_together_are_read_line_by_line() -> None:
    lines = chunk("a").rstrip() + b"\n" + chunk("b", "stop").rstrip() + b"\ndata: [DONE]\n\n"
    stream = ChatStream()
    assert stream.take(lines) == ["a", "b"]
    assert (stream.ended, stream.done, stream.fault) == ("stop", True, "")


def test_kind_14_what_was_skipped_is_remembered_in_one_short_line() -> None:
    stream = ChatStream()
    stream.take(event(b"Service\x1bbusy " + b"x" * 1000) + event(b"ping"))
    assert stream.skipped.startswith("Service busy xxx")
    assert len(stream.skipped) <= 201


@pytest.mark.parametrize(
    "piece",
    [
        {"text": "a"},
        {"index": 0, "text": "a", "logprobs": None},
        {"delta": "a"},
        {"message": "a"},
        {"delta": {}, "message": {}, "text": "a"},
    ],
)
def test_a_chat_that_is_sent_as_plain_text_is_read(piece: dict[str, object]) -> None:
    sent = event({"choices": [{"finish_reason": "stop"} | piece]})
    assert pieces_of(sent) == (["a"], "")


def progress(**figures: object) -> bytes:
    delta = {"role": "assistant", "content": None}
    return event({"choices": [{"index": 0, "delta": delta}], "prompt_progress": figures})


def test_how_much_of_the_prompt_is_read_is_told_as_it_grows() -> None:
    counts = (40, 168, 168, 300)
    sent = [progress(total=300, cache=40, processed=done, time_ms=9) for done in counts]
    read = [PromptProgress(300, 40, done, passes=0) for done in (40, 168, 300)]
    assert pieces_of(*sent, chunk("a", "stop")) == ([*read, "a"], "")


@pytest.mark.parametrize(
    "figures",
    [
        {},
        {"total": 0, "cache": 0, "processed": 0},
        {"total": 9, "processed": 10},
        {"total": "many", "processed": 1},
        {"total": True, "processed": True},
    ],
)
def test_odd_figures_of_what_is_read_are_none(figures: dict[str, object]) -> None:
    assert pieces_of(progress(**figures), chunk("a", "stop")) == (["a"], "")
    assert pieces_of(event({"prompt_progress": "much"}), chunk("a", "stop")) == (["a"], "")


def test_halves_of_a_character_are_joined_and_a_lone_half_is_odd() -> None:
    high, low = (
        event(b'{"choices": [{"delta": {"content": "' + half + b'"}}]}')
        for half in (b"a\\ud83d", b"\\ude00b")
    )
    assert pieces_of(high, chunk(""), low) == (["a", "😀b"], "")
    assert pieces_of(high, chunk("b")) == (["a"], "it sent half of a character")
    assert pieces_of(high) == (["a"], "it sent half of a character")
    assert pieces_of(low)[1] == "it sent half of a character"


@pytest.mark.parametrize("field", [b"data: x\n", b"id: 1\n", b"odd: 1\n"])
def test_an_event_without_an_end_is_not_kept(field: bytes) -> None:
    stream = ChatStream()
    stream.take(field * ((9 << 20) // len(field)))
    assert stream.fault == "it sent an event that never ends"
