"""`spark bench remote`: an endpoint over a connection that is kept open, beside a new connection each time."""

import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from functools import partial

from spark_tui.answering.remote import Server
from spark_tui.cli.bench.command import Bench
from spark_tui.cli.bench.far_server import TOKENS
from spark_tui.cli.bench.rows import Row, in_turn, paired_row
from spark_tui.endpoints import Endpoint

AWAY_MS = (0, 40, 100)
"""Milliseconds that a round trip takes besides."""
_PEER = "a connection a request"
_ASKED = [{"role": "user", "content": "write"}]


def measure(bench: Bench) -> Generator[Row, None, None]:
    """What a round trip and a token cost beyond the way, and how long the first token takes, at each distance."""
    for away in AWAY_MS:
        with _far(away) as port, closing(_server(port, keep=True)) as kept, closing(_server(port, keep=False)) as fresh:
            for server in (kept, fresh):
                _first_token(server)  # what is imported and compiled once is not measured
            for name, (unit, figure) in _FIGURES.items():
                kept_open, anew = (partial(figure, server, away / 1000) for server in (kept, fresh))
                pairs = in_turn(bench.args.runs, kept_open, anew, _PEER)
                yield paired_row(name, f"{away} ms away", unit, pairs)


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


_FIGURES: dict[str, tuple[str, Callable[[Server, float, int], float]]] = {
    "round_trip_overhead_ms": ("ms", lambda server, way, _: (_answer(server, 1) - way) * 1e3),
    "token_overhead_us": ("µs", lambda server, way, _: (_answer(server, TOKENS) - way) * 1e6 / TOKENS),
    "first_token_ms": ("ms", lambda server, _, __: _first_token(server) * 1e3),
}
"""Of each its unit, and how it is measured, given the seconds there and back and the number of the run."""


def _server(port: int, *, keep: bool) -> Server:
    return Server(Endpoint("far", f"http://127.0.0.1:{port}/v1", "m"), keep=keep)


@contextmanager
def _far(away: int) -> Iterator[int]:
    """A server so many milliseconds away. Yields: its port."""
    command = [sys.executable, "-m", "spark_tui.cli.bench.far_server", str(away / 1000)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            yield int(process.stdout.readline())
        finally:
            process.terminate()
