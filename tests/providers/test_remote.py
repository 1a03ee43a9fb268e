"""An endpoint: what is read, what is told of what goes wrong, how it is stopped, and that a key
shows up nowhere.
"""

import logging
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from typing import Any

import pytest

from spark_tui.config import Endpoint
from spark_tui.errors import SparkError, Transient, UsageError, UsedUp
from spark_tui.providers.openai_client import Server
from spark_tui.providers.openai_errors import BusyWait, Patience
from spark_tui.providers.openai_reply import ChatReply
from tests.providers.scripted_server import (
    ScriptedServer,
    chunk,
    drips,
    event,
    is_silent,
    refuses,
    says,
    sends,
    serving,
)

KEY = "sk-very-secret-0123456789"
ENV = {"BIG_KEY": KEY}
NOW = datetime(2026, 1, 1, 12, 0, 0, tzinfo=UTC)
AT_ONCE = Patience(pauses=(0.0, 0.0), now=lambda: NOW)
ASKED = [{"role": "user", "content": "say a"}]


At = Callable[..., Server]


@pytest.fixture
def at() -> Iterator[At]:
    """Makes the endpoint of a scripted server; closed in the end."""
    with ExitStack() as stack:

        def make(server: ScriptedServer, env: Mapping[str, str] = ENV, **given: Any) -> Server:
            return stack.enter_context(
                closing(
                    Server(
                        server.endpoint(**{"key_env": "BIG_KEY"} | given), patience=AT_ONCE, env=env
                    )
                )
            )

        yield make


def read(reply: ChatReply) -> tuple[str, list[BusyWait], SparkError | None]:
    """Its text, its waits and how it failed."""
    text, waits = "", list[BusyWait]()
    try:
        for item in reply:
            if isinstance(item, BusyWait):
                waits.append(item)
            elif isinstance(item, str):
                text += item
    except SparkError as e:
        return text, waits, e
    return text, waits, None


def test_an_answer_is_read_piece_by_piece(at: At) -> None:
    with serving(says("def ", "f():", "\n    é😀\n")) as server:
        reply = at(server).ask(ASKED, most=99)
        assert read(reply) == ("def f():\n    é😀\n", [], None)
        assert (reply.finished, server.keys) == (True, [f"Bearer {KEY}"])
        assert server.requests == [
            {"model": "m", "messages": ASKED, "stream": True, "temperature": 0.0, "max_tokens": 99}
        ]


def test_no_key_is_sent_where_none_is_named(at: At) -> None:
    with serving(says("a")) as server:
        assert read(at(server, key_env="").ask(ASKED))[0] == "a"
        assert server.keys == [None]


def test_draws_have_a_seed_and_prices_ask_for_what_was_spent(at: At) -> None:
    usage = event({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3}})
    with serving(sends(chunk("a", "stop"), usage, event(b"[DONE]"))) as server:
        reply = at(server, price_in=1.0).ask(ASKED, temperature=0.5, seed=3)
        assert (read(reply)[0], reply.spent) == ("a", (7, 3))
        assert (server.requests[0]["seed"], server.requests[0]["stream_options"]) == (
            3,
            {"include_usage": True},
        )


def test_one_connection_serves_all_requests(at: At) -> None:
    with serving(says("a")) as server:
        asked = at(server)
        assert [read(asked.ask(ASKED))[0] for _ in range(3)] == ["a"] * 3
        assert server.connections == 1


def test_warming_opens_the_connection_that_the_request_takes(at: At) -> None:
    with serving(says("a")) as server:
        asked = at(server)
        warming = asked.warm()
        assert warming is not None
        warming.result(20)
        assert asked.warm() is None
        assert read(asked.ask(ASKED))[0] == "a"
        assert server.connections == 1


def test_an_answer_that_came_to_its_limit_is_not_finished(at: At) -> None:
    with serving(says("a", end=chunk("b", "length") + event(b"[DONE]"))) as server:
        reply = at(server).ask(ASKED)
        assert (read(reply)[0], reply.finished) == ("ab", False)


def test_a_server_that_does_not_stream_is_read_all_the_same(at: At) -> None:
    whole = {"choices": [{"message": {"content": "all\nof it"}, "finish_reason": "stop"}]}
    with serving(refuses(200, whole)) as server:
        assert read(at(server).ask(ASKED)) == ("all\nof it", [], None)


def test_a_megabyte_comes_whole(at: At) -> None:
    pieces = [f"{number:07d} {'x' * 1015}\n" for number in range(1024)]
    with serving(says(*pieces)) as server:
        assert read(at(server).ask(ASKED)) == ("".join(pieces), [], None)


AGAIN = "try again"
FAULTS: list[tuple[str, Any, str, type[SparkError], str]] = [
    (
        "cut in the middle",
        sends(chunk("ab"), cut=True),
        "ab",
        Transient,
        f"the answer of big was cut off; {AGAIN}",
    ),
    (
        "cut in a piece",
        sends(chunk("ab"), b'data: {"cho', cut=True),
        "ab",
        Transient,
        f"the answer of big was cut off; {AGAIN}",
    ),
    ("no end", sends(chunk("ab")), "ab", Transient, f"the answer of big was cut off; {AGAIN}"),
    (
        "nothing at all",
        sends(),
        "",
        Transient,
        "big sent an empty answer; the request may be too long for it",
    ),
    (
        "nothing but pings",
        sends(event(b"ping"), event(b"[1,2]"), event(b"[DONE]")),
        "",
        Transient,
        (
            "big sent nothing that is part of an answer, only: ping; "
            "try again, or see base_url in config.toml"
        ),
    ),
    (
        "malformed",
        sends(chunk("ab"), event(b"{oops"), chunk("c")),
        "ab",
        Transient,
        f"big: it sent something that is not part of an answer; {AGAIN}",
    ),
    (
        "malformed from the first",
        sends(event(b"{oops"), chunk("c")),
        "",
        Transient,
        "big: it sent something that is not part of an answer; try again",
    ),
    (
        "an error within",
        sends(chunk("ab"), event({"error": {"message": f"out of memory {KEY}"}})),
        "ab",
        Transient,
        f"big: out of memory …; {AGAIN}",
    ),
    (
        "401",
        refuses(401, {"error": {"message": f"bad key {KEY}"}}),
        "",
        UsageError,
        "big rejects the key in $BIG_KEY (401); set another one",
    ),
    (
        "404",
        refuses(404, {"error": {"message": "no model m"}}),
        "",
        UsageError,
        (
            "big has no model m, or its base_url is wrong (404) and says: no model m; see "
            "[models.big] in config.toml"
        ),
    ),
    (
        "400",
        refuses(400, {"error": f"too long for {KEY}"}),
        "",
        UsageError,
        (
            "big rejects the request (400) and says: too long for …; ask for less or name "
            "another model"
        ),
    ),
    (
        "308",
        refuses(308, Location="http://127.0.0.1:1/v2"),
        "",
        UsageError,
        "big has moved (308); set base_url in config.toml to its new address",
    ),
    ("500", refuses(500, b"<html>oops</html>"), "", Transient, "big failed (500); try again"),
    (
        "a page",
        refuses(200, b"<html>hello</html>", Content_Type="text/html"),
        "",
        Transient,
        "big: it answers with text/html; base_url may be wrong; try again",
    ),
    (
        "no answer at all",
        lambda handler: handler.drop(),
        "",
        Transient,
        "big broke off the connection; try again",
    ),
]


@pytest.mark.parametrize(
    ("turn", "text", "kind", "words"),
    [each[1:] for each in FAULTS],
    ids=[each[0] for each in FAULTS],
)
def test_what_goes_wrong_is_one_sentence_and_what_had_arrived_stays(
    at: At, turn: Any, text: str, kind: type[SparkError], words: str
) -> None:
    with serving(turn) as server:
        arrived, _, error = read(at(server).ask(ASKED))
        assert (arrived, type(error), str(error)) == (text, kind, words)


@pytest.mark.parametrize(("begun", "text"), [(True, "a"), (False, "")])
def test_silence_is_given_up_after_a_while(at: At, begun: bool, text: str) -> None:
    with serving(is_silent(begun=begun)) as server:
        arrived, _, error = read(at(server, silence=0.05).ask(ASKED))
        assert (arrived, str(error)) == (
            text,
            (
                "big said nothing for 0.1 s; try again, or raise silence of [models.big] in "
                "config.toml"
            ),
        )


def test_a_server_that_is_not_there_is_told_with_its_address(at: At) -> None:
    with serving(says("a")) as server:
        endpoint, asked = server.endpoint(), at(server)
    _, _, error = read(asked.ask(ASKED))
    host = endpoint.base_url.removeprefix("http://").removesuffix("/v1")
    assert isinstance(error, Transient)
    assert str(error) == f"big cannot be reached at {host} (Connection refused); is it running?"


def test_a_connection_that_was_closed_meanwhile_is_opened_again(at: At) -> None:
    with serving(says("a"), lambda handler: handler.drop(), says("b")) as server:
        asked = at(server)
        assert [read(asked.ask(ASKED)) for _ in range(2)] == [("a", [], None), ("b", [], None)]


@pytest.mark.parametrize(
    ("status", "after", "seconds", "line"),
    [
        (429, {}, 0.0, "big is busy (429): asking again in a moment"),
        (429, {"Retry-After": "0.01"}, 0.01, "big is busy (429): asking again in a moment"),
        (
            429,
            {"Retry-After": "Thu, 01 Jan 2026 12:00:00 GMT"},
            0.0,
            "big is busy (429): asking again in a moment",
        ),
        (503, {"Retry-After": "soon"}, 0.0, "big is busy (503): asking again in a moment"),
    ],
)
def test_a_busy_server_is_waited_for_with_a_line_that_says_how_long(
    at: At, status: int, after: dict[str, str], seconds: float, line: str
) -> None:
    with serving(refuses(status, **after), says("a")) as server:
        assert read(at(server).ask(ASKED)) == ("a", [BusyWait(seconds, line)], None)


@pytest.mark.parametrize("data", [b": still here\n\n", chunk(""), b"data: x\n", b"odd: 1\n"])
def test_a_stream_without_end_or_text_is_given_up(at: At, data: bytes) -> None:
    def endless(handler: Any) -> None:
        handler.begin()
        while True:
            handler.send(data)

    with serving(endless) as server:
        text, _, error = read(at(server, silence=0.05).ask(ASKED))
        assert (text, type(error)) == ("", Transient)


@pytest.mark.parametrize("kind", ["text/event-stream", "application/json"])
@pytest.mark.parametrize("wrap", [lambda error: error, lambda error: [error]])
def test_an_error_in_a_stream_that_is_none_is_told_in_the_server_s_words(
    at: At, kind: str, wrap: Callable[[Any], Any]
) -> None:
    body = wrap({"error": {"message": "credit is used up"}})
    with serving(refuses(200, body, Content_Type=kind)) as server:
        _, _, error = read(at(server).ask(ASKED))
        assert (type(error), str(error)) == (Transient, "big: credit is used up; try again")


def test_a_stream_is_read_whatever_it_is_called(at: At) -> None:
    body = chunk("a", "stop") + event(b"[DONE]")
    with serving(refuses(200, body, Content_Type="text/plain")) as server:
        assert read(at(server).ask(ASKED)) == ("a", [], None)


@pytest.mark.parametrize(
    "after", ["nan", "-nan", "inf", "1e400", "Fri, 31 Dec 9999 23:59:59 GMT", "Fri, 31 Dec 99999"]
)
def test_no_retry_after_holds_a_run_up(at: At, after: str) -> None:
    with serving(refuses(429, Retry_After=after)) as server:
        _, _, error = read(at(server).ask(ASKED))
        assert isinstance(error, Transient)
        assert "busy" in str(error)


def test_a_time_too_long_to_wait_is_told_instead(at: At) -> None:
    with serving(refuses(429, Retry_After="7300")) as server:
        _, waits, error = read(at(server).ask(ASKED))
        assert (waits, str(error)) == ([], "big is busy (429) for 2 h; try again then")


@pytest.mark.parametrize("after", ["1e9", "inf", "Fri, 31 Dec 9999 23:59:59 GMT"])
def test_a_time_that_nobody_means_is_not_counted_in_hours(at: At, after: str) -> None:
    with serving(refuses(429, Retry_After=after)) as server:
        _, _, error = read(at(server).ask(ASKED))
        assert str(error) == "big is busy (429) for more than two days; try again then"


def test_a_server_that_stays_busy_is_given_up(at: At) -> None:
    with serving(refuses(503)) as server:
        _, waits, error = read(at(server).ask(ASKED))
        assert (len(waits), str(error)) == (
            2,
            "big is still busy (503) after 2 more tries; try again later",
        )


def wrong(code: str, kind: str = "error") -> dict[str, Any]:
    return {"error": {"message": "Your credit is used up.", "type": kind, "code": code}}


def google(window: str, delay: str) -> list[dict[str, Any]]:
    """A refusal of Gemini's: a quota, and when to ask again."""
    quota = f"GenerateRequests{window}PerProjectPerModel-FreeTier"
    details = [
        {
            "@type": "type.googleapis.com/google.rpc.QuotaFailure",
            "violations": [{"quotaId": quota}],
        },
        {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay},
    ]
    words = "Your credit is used up."
    error = {"code": 429, "message": words, "status": "RESOURCE_EXHAUSTED", "details": details}
    return [{"error": error}]


LOOK = "look at your plan there, or name another model"


@pytest.mark.parametrize(
    ("status", "body", "after"),
    [
        (429, wrong("insufficient_quota"), {}),
        (429, wrong("429", "insufficient_quota"), {}),
        (429, wrong("credit_balance_exhausted"), {"Retry-After": "1"}),
        (429, wrong("", "exceeded_current_quota_error"), {}),
        (429, {"type": "usage_limit_reached", "message": "Your credit is used up."}, {}),
        (429, {"code": "Arrearage", "message": "Your credit is used up."}, {}),
        (429, wrong("1113"), {}),
        (429, google("PerDay", "34s"), {}),
        (503, wrong("InsufficientBalance"), {}),
        (403, wrong("insufficient_user_quota"), {}),
        (400, wrong("insufficient-balance"), {}),
    ],
)
def test_a_quota_that_is_used_up_is_told_at_once(
    at: At, status: int, body: Any, after: dict[str, str]
) -> None:
    with serving(refuses(status, body, **after)) as server:
        _, waits, error = read(at(server).ask(ASKED))
        says = f"big has no quota left ({status}) and says: Your credit is used up; {LOOK}"
        assert (waits, type(error), str(error)) == ([], UsedUp, says)
        assert len(server.requests) == 1


def test_a_quota_that_is_used_up_in_a_stream_is_told_as_such(at: At) -> None:
    with serving(sends(chunk("a"), event(wrong("insufficient_quota")))) as server:
        text, _, error = read(at(server).ask(ASKED))
        says = f"big has no quota left and says: Your credit is used up; {LOOK}"
        assert (text, type(error), str(error)) == ("a", UsedUp, says)


@pytest.mark.parametrize(
    ("body", "after", "seconds"),
    [
        (google("PerMinute", "0.01s"), {}, 0.01),
        (google("PerMinute", "soon"), {}, 0.0),
        (google("PerMinute", "30s"), {"Retry-After": "0.01"}, 0.01),
        (wrong("429"), {"Retry-After": "0.01"}, 0.01),
        (wrong("insufficient_quota"), {"Retry-After": "0.01"}, 0.01),
        (wrong("rate_limit_exceeded", "tokens"), {}, 0.0),
        (wrong("RateLimitReached"), {}, 0.0),
        (b"quota exceeded", {}, 0.0),
        (b"[" * 100_000, {}, 0.0),
    ],
)
def test_a_quota_that_fills_again_is_waited_for(
    at: At, body: Any, after: dict[str, str], seconds: float
) -> None:
    line = "big is busy (429): asking again in a moment"
    with serving(refuses(429, body, **after), says("a")) as server:
        assert read(at(server).ask(ASKED)) == ("a", [BusyWait(seconds, line)], None)


def test_a_server_that_stays_busy_is_given_up_with_its_words(at: At) -> None:
    with serving(refuses(429, wrong("slow_down"))) as server:
        _, _, error = read(at(server).ask(ASKED))
        tried = "big is still busy (429) after 2 more tries"
        assert str(error) == f"{tried} and says: Your credit is used up; try again later"
    with serving(refuses(429, wrong("slow_down"), Retry_After="7300")) as server:
        _, _, error = read(at(server).ask(ASKED))
        is_busy = "big is busy (429) for 2 h and says: Your credit is used up"
        assert str(error) == f"{is_busy}; try again then"


def stopped(reply: ChatReply, until: int = 0) -> float:
    """Read it on a thread, stop it after so many pieces from here, and say how long that took
    in seconds.
    """
    ready = threading.Event()

    def reading() -> None:
        for number, _ in enumerate(filter(None, reply), 1):
            if number == until:
                ready.set()

    thread = threading.Thread(target=reading)
    thread.start()
    assert until == 0 or ready.wait(20)
    began = time.perf_counter()
    reply.stop()
    thread.join(20)
    assert not thread.is_alive()
    return time.perf_counter() - began


@pytest.mark.parametrize("begun", [False, True])
def test_stopping_lets_go_at_once_and_hangs_up(at: At, begun: bool) -> None:
    with serving(is_silent(begun=begun)) as server:
        asked = at(server)
        assert min(stopped(asked.ask(ASKED), int(begun)) for _ in range(3)) < 0.05
        left = len(server.requests) if not begun else 3
        assert all(server.left.acquire(timeout=20) for _ in range(left))


def test_stopping_ends_a_wait_for_a_busy_server(at: At) -> None:
    with serving(refuses(429, Retry_After="200")) as server:
        assert min(stopped(at(server).ask(ASKED), 1) for _ in range(3)) < 0.05


def test_a_reply_that_was_stopped_before_it_began_sends_nothing(at: At) -> None:
    with serving(says("a")) as server:
        reply = at(server).ask(ASKED)
        reply.stop()
        assert (read(reply), server.requests) == (("", [], None), [])


def test_while_nothing_comes_whoever_reads_gets_the_chance_to_stop(at: At) -> None:
    with serving(is_silent(begun=True)) as server, closing(iter(at(server).ask(ASKED))) as pieces:
        assert next(filter(None, pieces)) == "a"
        assert [next(pieces), next(pieces)] == [None, None]


def test_nothing_is_lost_of_an_answer_that_drips_and_is_paused(at: At) -> None:
    go = threading.Semaphore(0)
    with serving(drips(["a", "b", "c"], go)) as server:
        reply = at(server).ask(ASKED)
        pieces = filter(None, reply)
        go.release()
        assert next(pieces) == "a"
        go.release(3)
        assert server.left.acquire(timeout=20)  # all is sent while nobody asks for it
        assert ("".join(str(piece) for piece in pieces), reply.finished) == ("bc", True)


def test_a_pause_holds_reading_back(at: At) -> None:
    sent = 0

    def endless(handler: Any) -> None:
        nonlocal sent
        handler.begin()
        handler.connection.settimeout(0.2)
        while sent < 512 << 20:
            handler.send(chunk("x" * 65_536))
            sent += 65_536

    with serving(endless) as server:
        reply = at(server).ask(ASKED)
        pieces = filter(None, reply)
        assert str(next(pieces)).startswith("x")
        assert server.left.acquire(timeout=60)  # the server could get rid of no more
        assert sent < 64 << 20
        reply.stop()


def test_an_answer_that_has_not_begun_is_let_go_of_and_asked_for_again(at: At) -> None:
    with serving(is_silent(), says("a")) as server:
        reply = at(server).ask(ASKED)
        items = iter(reply)
        assert next(items) is None
        server.came.acquire()
        assert reply.release()
        server.left.acquire()  # the server was hung up on, though nobody reads
        assert len(server.requests) == 1
        assert "".join(item for item in items if isinstance(item, str)) == "a"
        assert reply.finished
        assert server.requests == [server.requests[0]] * 2


def test_an_answer_that_has_begun_is_not_let_go_of(at: At) -> None:
    with serving(says("a", "b")) as server:
        reply = at(server).ask(ASKED)
        items = iter(reply)
        text = next(item for item in items if isinstance(item, str))
        assert not reply.release()
        assert text + "".join(item for item in items if isinstance(item, str)) == "ab"
        assert not reply.release()
        assert len(server.requests) == 1


def test_two_answers_at_once_do_not_mix(at: At) -> None:
    go = threading.Semaphore(0)
    with serving(drips(["a"] * 3, go), says("b" * 3)) as server:
        asked = at(server)
        first = filter(None, asked.ask(ASKED))
        go.release()
        assert next(first) == "a"
        assert read(asked.ask(ASKED))[0] == "bbb"
        go.release(3)
        assert "".join(map(str, first)) == "aa"


def test_what_is_left_unread_hangs_up(at: At) -> None:
    with serving(is_silent(begun=True)) as server:
        pieces = iter(at(server).ask(ASKED))
        assert next(filter(None, pieces)) == "a"
        pieces.close()
        assert server.left.acquire(timeout=20)


@pytest.mark.parametrize(
    ("value", "words"),
    [(None, "which is not set"), ("a b", "more than the key"), ("a\x00", "more")],
)
def test_a_key_that_is_none_is_told_by_its_variable_only(value: str | None, words: str) -> None:
    server = Server(
        Endpoint("big", "http://127.0.0.1:1/v1", "m", "BIG_KEY"),
        env={"BIG_KEY": value} if value else {},
    )
    with pytest.raises(UsageError, match=words) as caught:
        server.ask(ASKED)
    assert "$BIG_KEY" in str(caught.value)


def errors_of(error: BaseException | None) -> Iterator[BaseException]:
    while error:
        yield error
        error = error.__cause__ or error.__context__


def everything(thing: object, seen: set[int], depth: int = 6) -> Iterator[str]:
    """What can be seen of something by whoever looks at it from outside."""
    if depth and id(thing) not in seen:
        seen.add(id(thing))
        yield repr(thing)
        for each in (*getattr(thing, "__dict__", {}).values(), *getattr(thing, "args", ())):
            yield from everything(each, seen, depth - 1)


@pytest.mark.parametrize("turn", [each[1] for each in FAULTS], ids=[each[0] for each in FAULTS])
def test_a_key_is_in_no_log_no_error_and_nothing_that_is_shown(
    at: At, turn: Any, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    with serving(turn) as server:
        asked = at(server, env=_Hidden(ENV))
        reply = asked.ask(ASKED)
        text, _, error = read(reply)
        assert isinstance(error, SparkError)
        assert list(errors_of(error)) == [error]
        seen = [
            text,
            caplog.text,
            *capfd.readouterr(),
            *everything(error, set()),
            repr(reply),
            repr(asked),
        ]
        seen += [*everything(asked, set()), *everything(reply, set())]
        assert server.keys[0] == f"Bearer {KEY}"
    assert not [each for each in seen if KEY in each]


class _Hidden(dict[str, str]):
    """The environment, which everybody may look at."""

    def __repr__(self) -> str:
        return "the environment"


def test_nothing_of_the_client_is_imported_before_an_endpoint_is_asked() -> None:
    code = (
        "import sys, spark_tui.providers.openai_client as r; from spark_tui.config import "
        "Endpoint\n"
        "r.Server(Endpoint('a', 'http://127.0.0.1:1/v1', 'm')).ask([])\n"
        "print(*sorted({'httpx2', 'httpcore2', 'anyio', 'h11'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
