"""An answer that never ends is given up in time, whichever part of HTTP has no end."""

import select
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from spark_tui.config import Endpoint
from spark_tui.errors import Transient, UsageError
from spark_tui.providers.openai_client import Server
from spark_tui.providers.openai_errors import Patience
from tests.providers.scripted_server import (
    DONE,
    Handler,
    chunk,
    drip,
    is_endless,
    is_silent,
    refuses,
    running,
    says,
    serving,
)

ASKED = [{"role": "user", "content": "say a"}]
SHORT = 0.2
LONG = 30.0
SILENT = f"big said nothing for {SHORT} s; try again, or raise silence of [models.big] in"
SLOW = f"the answer of big took more than {SHORT} s; ask for less, or raise longest of [models.big]"
EARLIER = [({"silence": SHORT}, SILENT), ({"silence": LONG, "longest": SHORT}, SLOW)]
"""Limits, and what is told: whichever limit ends earlier."""

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
PACKED = HEAD + b"Content-Encoding: gzip\r\n\r\n\x1f\x8b\x08" + bytes(6) + b"\xff"
WHOLE = b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{"choices":'
WITHOUT_HEADERS = {
    "interim responses": (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "other interim responses": (b"", b"HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n"),
    "a status line": (b"HTTP/1.1 200 ", b"O"),
    "a header": (HEAD + b"X-Long: ", b"a"),
}
WITHOUT_TEXT = WITHOUT_HEADERS | {
    "the size of a chunk": (CHUNKED + b"5;", b"a"),
    "packed bytes of nothing": (PACKED, b"\x00\x00\x00\xff\xff"),
    "comments": (HEAD + b"\r\n", b": wait\n"),
    "an event": (HEAD + b"\r\ndata: ", b" "),
    "a reply that is no stream": (WHOLE, b" "),
}
forms = pytest.mark.parametrize("form", WITHOUT_TEXT.values(), ids=WITHOUT_TEXT.keys())
limits = pytest.mark.parametrize(("given", "words"), EARLIER, ids=["silence", "longest"])
At = Callable[..., Server]


@pytest.fixture
def at() -> Iterator[At]:
    """Makes the endpoint of a scripted server; closed in the end."""
    with ExitStack() as stack:

        def make(endpoint: Endpoint, **given: Any) -> Server:
            patience = Patience(pauses=(), before=SHORT / 10, behind=LONG)
            return stack.enter_context(closing(Server(endpoint, patience=patience, **given)))

        yield make


@forms
@limits
def test_kind_14_an_answer_without_end_is_given_up_with_the_setting(
    at: At, form: tuple[bytes, bytes], given: dict[str, float], words: str
) -> None:
    with serving(is_endless(*form)) as server:
        with pytest.raises(Transient) as caught:
            list(at(server.endpoint(**given)).ask(ASKED))
        assert str(caught.value).startswith(words)


def test_kind_14_text_without_end_is_given_up_with_the_setting(at: At) -> None:
    with serving(is_endless(HEAD + b"\r\n", chunk("word "))) as server:
        with pytest.raises(Transient) as caught:
            list(at(server.endpoint(silence=LONG, longest=SHORT)).ask(ASKED))
        assert str(caught.value).startswith(SLOW)


def test_kind_14_the_time_before_the_headers_is_part_of_the_answer_s(at: At) -> None:
    def late(handler: Handler) -> None:
        select.select([handler.connection], [], [], 0.75 * SHORT)
        handler.begin()
        handler.send(chunk("word "))
        is_silent()(handler)

    with serving(late) as server:
        with pytest.raises(Transient) as caught:
            list(at(server.endpoint(silence=LONG, longest=SHORT)).ask(ASKED))
        assert str(caught.value).startswith(SLOW)


def test_kind_14_interim_responses_before_an_answer_are_no_fault(at: At) -> None:
    def turn(handler: Handler) -> None:
        handler.wfile.write(2 * WITHOUT_HEADERS["interim responses"][1])
        says("a")(handler)

    with serving(turn) as server:
        reply = at(server.endpoint()).ask(ASKED)
        assert [piece for piece in reply if piece] == ["a"]


def test_kind_14_an_answer_that_is_over_stands_though_the_stream_goes_on(at: At) -> None:
    ended = HEAD + b"\r\n" + chunk("a") + chunk(None, "stop")
    with serving(is_endless(ended, b":")) as server:
        reply = at(server.endpoint(silence=SHORT)).ask(ASKED)
        assert [piece for piece in reply if piece] == ["a"]
        assert reply.finished


@pytest.mark.parametrize("given", [{"silence": SHORT}, {"longest": SHORT}])
def test_kind_14_a_refusal_without_end_is_told_all_the_same(
    at: At, given: dict[str, float]
) -> None:
    refusal = b'HTTP/1.1 413 Large\r\n\r\n{"error": "too many words"}'
    with serving(is_endless(refusal, b" ")) as server:
        reply = at(server.endpoint(**given)).ask(ASKED)
        with pytest.raises(UsageError, match="too many words"):
            list(reply)


@forms
@limits
def test_kind_14_a_probe_without_end_is_given_up_with_the_setting(
    at: At, form: tuple[bytes, bytes], given: dict[str, float], words: str
) -> None:
    with serving(is_endless(*form)) as server:
        with pytest.raises(Transient) as caught:
            at(server.endpoint(**given)).probe()
        assert str(caught.value).startswith(words)


def test_kind_14_a_probe_of_a_stream_that_stays_open_tells_what_the_stream_holds(at: At) -> None:
    def turn(handler: Handler) -> None:
        if not handler.body["stream"]:
            refuses(200, {"choices": [{"message": {"content": "x"}}]})(handler)
            return
        handler.begin()
        handler.send(chunk("a") + b'data: {"usage": {"prompt_tokens": 1}}\n\n' + DONE)
        is_silent()(handler)

    with serving(turn) as server:
        assert at(server.endpoint(silence=SHORT)).probe().abilities["usage"] is True


@pytest.mark.parametrize("form", WITHOUT_HEADERS.values(), ids=WITHOUT_HEADERS.keys())
def test_kind_14_the_first_use_of_an_endpoint_ends_as_any_other(
    at: At, form: tuple[bytes, bytes], tmp_path: Path
) -> None:
    with serving(is_endless(*form)) as server:
        asked = at(server.endpoint(silence=SHORT), folder=tmp_path, probes=True)
        with pytest.raises(Transient) as caught:
            list(asked.ask(ASKED))
        assert str(caught.value).startswith(SILENT)


class _Drips(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        drip(self, *WITHOUT_HEADERS["interim responses"])

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def test_kind_14_warming_ends_where_the_server_answers_for_ever(at: At) -> None:
    with running(ThreadingHTTPServer(("127.0.0.1", 0), _Drips)) as server:
        url = f"http://127.0.0.1:{server.server_address[1]}/v1"
        warming = at(Endpoint("big", url, "m", silence=SHORT)).warm()
        assert warming is not None
        assert warming.result(LONG) is None
