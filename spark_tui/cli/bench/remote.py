"""`spark bench remote`: measures a connection kept open, beside a new one each time.

There are two doors, an endpoint's port and the socket of `spark serve`, each with spark's own
client. Run as a process of its own, this module is the server of both: it prints its port and
answers as from far away. As with TCP, a connection takes a round trip before anything can be sent,
a request half of one, and its answer the other half.
"""

import asyncio
import json
import re  # noqa: TID251 - reads an answer
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from functools import partial
from operator import truediv
from pathlib import Path
from statistics import median

from spark_tui.cli import output
from spark_tui.cli.bench.suite import Bench, Figure, in_turn, paired_row
from spark_tui.config import Endpoint
from spark_tui.providers.openai_client import Server

AWAY_MS = (0, 40, 100)
"""Milliseconds that a round trip takes besides."""
TOKENS = 200
_PEER = "a connection a request"
_SOURCE = (
    "claimed by OpenAI for GPT-5.3-Codex-Spark (its announcement, of a WebSocket kept "
    "open), not measured here"
)
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
_LENGTH = re.compile(rb"(?i)\r\ncontent-length: *(\d+)")
_ASKED = [{"role": "user", "content": "write"}]


Ask = Callable[[int], Iterable[object]]
"""Asks for so many tokens; an item that is false only says that nothing came yet."""


def measure(bench: Bench) -> Generator[Figure, None, None]:
    """Measure the cost of a round trip and of a token, and the first token, at each distance."""
    for away in AWAY_MS:
        with far_server(away) as (port, socket):
            for door, asked in (("", _at_port(port)), ("socket_", _at_socket(socket))):
                with asked as (kept, fresh):
                    yield from _figures(bench, door, away, kept, fresh)


def _figures(
    bench: Bench, door: str, away: int, kept: Ask, fresh: Ask
) -> Generator[Figure, None, None]:
    """Measure one door at one distance."""
    for ask in (kept, fresh):
        _first_token(ask)  # what is imported and compiled once is not measured
    for name, (unit, claimed, figure) in _FIGURES.items():
        kept_open = partial(figure, kept, away / 1000)
        anew = partial(figure, fresh, away / 1000)
        pairs = in_turn(bench.args.runs, kept_open, anew, _PEER)
        saved = 1 - median(map(truediv, pairs.ours, pairs.peer))
        claim = f"saved {saved:.0%}; {claimed:.0%} {_SOURCE}"
        yield replace(paired_row(door + name, f"{away} ms away", unit, pairs), claim=claim)


@contextmanager
def _at_port(port: int) -> Iterator[tuple[Ask, Ask]]:
    """The client of endpoints, with a connection that it keeps and with one a request."""
    with ExitStack() as stack:
        asks = []
        for keep in (True, False):
            endpoint = Endpoint("far", f"http://127.0.0.1:{port}/v1", "m")
            server = stack.enter_context(closing(Server(endpoint, keep=keep)))
            asks.append(partial(_ask_server, server))
        yield asks[0], asks[1]


def _ask_server(server: Server, tokens: int) -> Iterable[object]:
    return server.ask(_ASKED, most=tokens)


@contextmanager
def _at_socket(path: Path) -> Iterator[tuple[Ask, Ask]]:
    """The client of `spark serve`, with a connection that it keeps and with one a request."""
    from spark_tui.providers.served_client import ServedClient

    with closing(ServedClient(path)) as kept, closing(ServedClient(path)) as fresh:

        def ask_anew(tokens: int) -> Iterator[object]:
            yield from kept_open(fresh, tokens)
            fresh.close()

        def kept_open(client: ServedClient, tokens: int) -> Iterator[object]:
            return client.call("write", {"max_tokens": tokens})

        yield partial(kept_open, kept), ask_anew


def _first_token(ask: Ask) -> float:
    """Ask for an answer; returns the seconds to its first token."""
    began = time.perf_counter()
    pieces = iter(ask(8))
    next(filter(None, pieces))  # an empty one only says that nothing came yet
    seconds = time.perf_counter() - began
    list(pieces)  # to the end, or the connection would not be kept
    return seconds


def _answer(ask: Ask, tokens: int) -> float:
    """Ask for an answer; returns the seconds to its end."""
    began = time.perf_counter()
    list(ask(tokens))
    return time.perf_counter() - began


_FIGURES: dict[str, tuple[str, float, Callable[[Ask, float, int], float]]] = {
    "round_trip_overhead_ms": ("ms", 0.8, lambda ask, way, _: (_answer(ask, 1) - way) * 1e3),
    "token_overhead_us": (
        "µs",
        0.3,
        lambda ask, _, __: (_answer(ask, TOKENS) - _answer(ask, 1)) * 1e6 / (TOKENS - 1),
    ),
    "first_token_ms": ("ms", 0.5, lambda ask, _, __: _first_token(ask) * 1e3),
}
"""For each figure: its unit, the share that OpenAI says it saved, and how it is measured.

The function gets the way to ask, the seconds of a round trip and the number of the run. The cost of
a token leaves out what is spent once an answer, such as connecting.
"""


@contextmanager
def far_server(away: int, token_seconds: float = 0.0) -> Iterator[tuple[int, Path]]:
    """A server so many milliseconds away.

    Args:
        token_seconds: How long the server takes for a token; 0: all tokens come at once.

    Yields:
        Its port and its socket.
    """
    with tempfile.TemporaryDirectory(prefix="spark-") as folder:
        socket = Path(folder) / "spark.sock"
        module = "spark_tui.cli.bench.remote"
        seconds = [str(away / 1000), str(token_seconds)]
        command = [sys.executable, "-m", module, *seconds, str(socket)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            try:
                assert process.stdout
                yield int(process.stdout.readline()), socket
            finally:
                process.terminate()


def _reply(head: bytes, tokens: int) -> list[bytes]:
    """Return an answer of so many tokens in chunks of HTTP, in the form of the asked address."""
    if head.startswith(b"POST /v1/engine/"):
        item = json.dumps({"token": "token "})
        return _chunks([f"{item}\n"] * tokens + ['{"end": true}\n'])
    piece = {"choices": [{"delta": {"content": "token "}, "finish_reason": None}]}
    end = {"choices": [{"delta": {}, "finish_reason": "stop"}]}
    events = [json.dumps(piece)] * tokens
    events += [json.dumps(end), "[DONE]"]
    return _chunks([f"data: {event}\n\n" for event in events])


def _chunks(pieces: Iterable[str]) -> list[bytes]:
    """Return the chunks of a body that ends with its last piece."""
    chunks = []
    for piece in pieces:
        data = piece.encode()
        chunks.append(b"%x\r\n%s\r\n" % (len(data), data))
    return [*chunks, b"0\r\n\r\n"]


async def _connected(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    seconds: float,
    token_seconds: float,
) -> None:
    # the round trip in which the connection is opened
    await asyncio.sleep(seconds)
    try:
        while head := await reader.readuntil(b"\r\n\r\n"):
            length = _LENGTH.search(head)
            size = int(length[1]) if length else 0
            body = await reader.readexactly(size)
            await asyncio.sleep(seconds)
            tokens = 0
            if body:
                tokens = json.loads(body)["max_tokens"]
            chunks = [_HEAD, *_reply(head, tokens)]
            if not token_seconds:
                chunks = [b"".join(chunks)]
            for chunk in chunks:
                await asyncio.sleep(token_seconds)
                writer.write(chunk)
                await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def _serve(seconds: float, token_seconds: float, path: str) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await _connected(reader, writer, seconds, token_seconds)

    if sys.platform != "win32":
        await asyncio.start_unix_server(answer, path)
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    output.show_line(str(server.sockets[0].getsockname()[1]))
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve(float(sys.argv[1]), float(sys.argv[2]), sys.argv[3]))
