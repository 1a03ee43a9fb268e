"""An OpenAI-compatible server on loopback that does what a test says, request by request;
nothing in it sleeps.
"""

import json
import select
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeVar

from spark_tui.config import Endpoint

Turn = Callable[["Handler"], None]
Served = TypeVar("Served", bound=ThreadingHTTPServer)


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    server: "ScriptedServer"
    body: Any

    def setup(self) -> None:
        super().setup()
        self.server.connections += 1

    def do_GET(self) -> None:
        found = self.path.startswith(self.server.root)
        page = self.server.pages.get(self.path, {"data": []})
        self.whole(200 if found else 404, json.dumps(page).encode())

    def do_POST(self) -> None:
        sent = self.rfile.read(int(self.headers["Content-Length"]))
        self.body = json.loads(sent)
        with self.server.lock:
            self.server.bodies.append(sent)
            self.server.requests.append(self.body)
            self.server.keys.append(self.headers.get("Authorization"))
            turn = self.server.turns[min(len(self.server.requests), len(self.server.turns)) - 1]
        self.server.came.release()
        try:
            turn(self)
        except OSError:
            self.close_connection = True
        self.server.left.release()

    def log_message(self, *_: Any) -> None:
        """Say nothing."""

    def whole(
        self, status: int, body: bytes, kind: str = "application/json", **headers: str
    ) -> None:
        """Answer at once."""
        self.send_response(status)
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        for name, value in (
            {"Content-Type": kind, "Content-Length": str(len(body))} | given
        ).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def begin(self) -> None:
        """Begin a stream."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def send(self, data: bytes) -> None:
        """Send some bytes of a stream."""
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def end(self) -> None:
        """End a stream in the way of HTTP."""
        self.wfile.write(b"0\r\n\r\n")

    def drop(self) -> None:
        """Break off the connection."""
        self.close_connection = True


class ScriptedServer(ThreadingHTTPServer):
    """Its requests are answered by `turns`, the last of which answers all that follow."""

    daemon_threads = True

    def __init__(self, turns: Sequence[Turn]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.turns = turns
        self.lock = threading.Lock()
        self.requests: list[Any] = []
        self.bodies: list[bytes] = []
        """The requests as they came."""
        self.keys: list[str | None] = []
        self.connections = 0
        self.pages: dict[str, Any] = {}
        """What is got, by path."""
        self.root = "/"
        """What the addresses that can be looked at begin with; nothing is at others."""
        self.left = threading.Semaphore(0)
        """Released when a request is over."""
        self.came = threading.Semaphore(0)
        """Released when a request has come."""

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def endpoint(self, **given: Any) -> Endpoint:
        fields: dict[str, Any] = {"silence": 20.0} | given
        return Endpoint("big", self.base_url, "m", **fields)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of clients that are gone."""


@contextmanager
def running(server: Served) -> Iterator[Served]:
    """A server, at work on a thread of its own."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def serving(*turns: Turn) -> AbstractContextManager[ScriptedServer]:
    """Such a server, running."""
    return running(ScriptedServer(turns))


def event(data: Any) -> bytes:
    """A server-sent event."""
    return b"data: " + (data if isinstance(data, bytes) else json.dumps(data).encode()) + b"\n\n"


def chunk(text: str | None, ended: str | None = None) -> bytes:
    """A piece of an answer."""
    return event({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": ended}]})


DONE = chunk(None, "stop") + event(b"[DONE]")


def says(*texts: str, end: bytes = DONE) -> Turn:
    """Answer with these pieces, each sent by itself."""

    def turn(handler: Handler) -> None:
        handler.begin()
        for text in texts:
            handler.send(chunk(text))
        handler.send(end)
        handler.end()

    return turn


def sends(*parts: bytes, cut: bool = False) -> Turn:
    """Answer with these bytes of a stream.

    Args:
        cut: Break off the connection behind them.
    """

    def turn(handler: Handler) -> None:
        handler.begin()
        for part in parts:
            handler.send(part)
        handler.drop() if cut else handler.end()

    return turn


def refuses(status: int, body: Any = b"", **headers: str) -> Turn:
    """Answer with an error."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return lambda handler: handler.whole(status, data, **headers)


def drips(texts: Iterable[str], go: threading.Semaphore) -> Turn:
    """Answer with these pieces, one each time that a semaphore lets it go on."""

    def turn(handler: Handler) -> None:
        handler.begin()
        for text in texts:
            go.acquire()
            handler.send(chunk(text))
        go.acquire()
        handler.send(DONE)
        handler.end()

    return turn


def is_silent(*, begun: bool = False) -> Turn:
    """Say nothing until the other side hangs up.

    Args:
        begun: After one piece.
    """

    def turn(handler: Handler) -> None:
        if begun:
            handler.begin()
            handler.send(chunk("a"))
        handler.rfile.read(1)
        handler.drop()

    return turn


_PACE = 0.01
_MOST_DRIPS = 500
"""A client that waits for ever gets an error that no test expects, after some seconds."""


def drip(handler: BaseHTTPRequestHandler, begin: bytes, again: bytes) -> None:
    """Send some bytes, and then others until the client hangs up, a hundred times a second."""
    handler.close_connection = True
    handler.wfile.write(begin)
    for _ in range(_MOST_DRIPS):
        handler.wfile.write(again)
        if select.select([handler.connection], [], [], _PACE)[0]:
            return


def is_endless(begin: bytes, again: bytes) -> Turn:
    """Answer with bytes of HTTP as `drip` sends them."""
    return lambda handler: drip(handler, begin, again)
