"""`spark bench remote`: an endpoint over a connection kept open, beside a new one each time.

Run as a process of its own it is the endpoint: it prints its port and answers as from far away. A
connection takes a round trip before anything can be sent, a request half of one, its answer the
other half, as TCP has it.
"""

import asyncio
import json
import re  # noqa: TID251 - reads an answer
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from operator import truediv
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


def measure(bench: Bench) -> Generator[Figure, None, None]:
    """Measure the cost of a round trip and of a token, and the first token, at each distance."""
    for away in AWAY_MS:
        with (
            far_server(away) as port,
            closing(_server(port, keep=True)) as kept,
            closing(_server(port, keep=False)) as fresh,
        ):
            for server in (kept, fresh):
                _first_token(server)  # what is imported and compiled once is not measured
            for name, (unit, claimed, figure) in _FIGURES.items():
                kept_open = partial(figure, kept, away / 1000)
                anew = partial(figure, fresh, away / 1000)
                pairs = in_turn(bench.args.runs, kept_open, anew, _PEER)
                saved = 1 - median(map(truediv, pairs.ours, pairs.peer))
                claim = f"saved {saved:.0%}; {claimed:.0%} {_SOURCE}"
                yield replace(paired_row(name, f"{away} ms away", unit, pairs), claim=claim)


def _first_token(server: Server) -> float:
    """Seconds to the first token."""
    began = time.perf_counter()
    with closing(iter(server.ask(_ASKED, most=8))) as pieces:
        next(filter(None, pieces))  # an empty one only says that nothing came yet
        seconds = time.perf_counter() - began
        list(pieces)  # to the end, or the connection would not be kept
    return seconds


def _answer(server: Server, tokens: int) -> float:
    """Seconds to the end of an answer."""
    began = time.perf_counter()
    list(server.ask(_ASKED, most=tokens))
    return time.perf_counter() - began


_FIGURES: dict[str, tuple[str, float, Callable[[Server, float, int], float]]] = {
    "round_trip_overhead_ms": ("ms", 0.8, lambda server, way, _: (_answer(server, 1) - way) * 1e3),
    "token_overhead_us": (
        "µs",
        0.3,
        lambda far, _, __: (_answer(far, TOKENS) - _answer(far, 1)) * 1e6 / (TOKENS - 1),
    ),
    "first_token_ms": ("ms", 0.5, lambda server, _, __: _first_token(server) * 1e3),
}
"""Of each its unit, the share that OpenAI says it saved, and how it is measured, given the
seconds there and back and the number of the run: a token's without what is spent once an
answer, like connecting.
"""


def _server(port: int, *, keep: bool) -> Server:
    return Server(Endpoint("far", f"http://127.0.0.1:{port}/v1", "m"), keep=keep)


@contextmanager
def far_server(away: int, token_seconds: float = 0.0) -> Iterator[int]:
    """A server so many milliseconds away.

    Args:
        token_seconds: How long the server takes for a token; 0: all tokens come at once.

    Yields:
        Its port.
    """
    module = "spark_tui.cli.bench.remote"
    command = [sys.executable, "-m", module, str(away / 1000), str(token_seconds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            yield int(process.stdout.readline())
        finally:
            process.terminate()


def _reply(tokens: int) -> list[bytes]:
    """Return an answer of so many tokens as server-sent events, each a chunk of HTTP."""
    piece = {"choices": [{"delta": {"content": "token "}, "finish_reason": None}]}
    end = {"choices": [{"delta": {}, "finish_reason": "stop"}]}
    events = [json.dumps(piece)] * tokens
    events += [json.dumps(end), "[DONE]"]
    chunks = []
    for event in events:
        data = f"data: {event}\n\n".encode()
        chunks.append(b"%x\r\n%s\r\n" % (len(data), data))
    return [*chunks, b"0\r\n\r\n"]


async def _connected(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    seconds: float,
    token_seconds: float,
) -> None:
    await asyncio.sleep(seconds)
    try:
        while head := await reader.readuntil(b"\r\n\r\n"):
            length = _LENGTH.search(head)
            size = int(length[1]) if length else 0
            body = await reader.readexactly(size)
            await asyncio.sleep(seconds)
            tokens = json.loads(body)["max_tokens"] if body else 0
            chunks = [_HEAD, *_reply(tokens)]
            if not token_seconds:
                chunks = [b"".join(chunks)]
            for chunk in chunks:
                await asyncio.sleep(token_seconds)
                writer.write(chunk)
                await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def _serve(seconds: float, token_seconds: float) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await _connected(reader, writer, seconds, token_seconds)

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    output.show_line(str(server.sockets[0].getsockname()[1]))
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve(float(sys.argv[1]), float(sys.argv[2])))
