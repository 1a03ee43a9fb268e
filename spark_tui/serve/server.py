"""The server as a process: its sockets, its loop, and its end.

SIGTERM and SIGINT end it after the answers in flight; a second signal ends it at once.
"""

import asyncio
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from spark_tui import windows
from spark_tui.serve.app import make_app
from spark_tui.serve.guard import Guard
from spark_tui.serve.service import Service
from spark_tui.serve.sockets import bound_socket, loopback_socket

if sys.platform == "win32":
    raise ImportError(windows.ADVICE)

HEADER_SECONDS = 10.0
"""How long the head of a request may take to arrive, and how long a connection may be idle."""
BODY_SECONDS = 20.0
"""How long the rest of a request may take to arrive."""
MOST_CONNECTIONS = 256
"""The most connections of a door: a process may often have no more than 1,024 files open."""
_ACCEPTED_AT_ONCE = 64
"""Connections that are accepted before those before them are counted."""
_HEAD_BYTES = 16 << 10
_POLL_SECONDS = 0.01
_PATIENCE_SECONDS = 30
"""How long the end waits for answers in flight."""


@dataclass(frozen=True, slots=True)
class Doors:
    """Where a server listens.

    Attributes:
        path: The unix socket.
        port: The port on the loopback interface; 0 for a free one, None for no port.
        keys: The keys that open the port.
    """

    path: Path
    port: int | None = None
    keys: tuple[str, ...] = ()


class _Protocol(H11Protocol):
    """HTTP that hangs up on connections which send their head too slowly, or nothing at all.

    Uvicorn only limits the time between two requests, up to the first byte of the second one. A
    request that has its answer before it has come as a whole is heard no further, and each door has
    room for so many connections, so that none takes the file descriptors of the other.
    """

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """See `asyncio.Protocol`."""
        super().connection_made(transport)
        if len(self.connections) > MOST_CONNECTIONS:
            transport.abort()
            return
        self._watch()

    def data_received(self, data: bytes) -> None:
        """See `asyncio.Protocol`."""
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """See `asyncio.Protocol`."""
        self._forget_deadline()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """See `H11Protocol`."""
        super().on_response_complete()
        if self.conn.their_state is h11.SEND_BODY:
            self.transport.close()
        self._watch()

    def _watch(self) -> None:
        """Set a deadline for the head of the next request, unless the head has come."""
        if self.conn.their_state is not h11.IDLE:
            self._forget_deadline()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(HEADER_SECONDS, self._hang_up)

    def _forget_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _hang_up(self) -> None:
        self._deadline = None
        if self.conn.their_state is h11.IDLE and not self.transport.is_closing():
            self.transport.close()


class _Server(uvicorn.Server):
    """A server that leaves signals to `serve`."""

    def capture_signals(self) -> AbstractContextManager[None]:  # type: ignore[override]
        """Capture no signals."""
        return nullcontext()


class Stopper:
    """Ends a server, from its loop. Mutable."""

    def __init__(self) -> None:
        self.servers: list[uvicorn.Server] = []

    def stop(self) -> None:
        """Take no more requests, and end after the answers in flight."""
        for server in self.servers:
            server.should_exit = True

    def on_signal(self) -> None:
        """End as `stop` does; end at once if the server is ending already."""
        for server in self.servers:
            # Already ending, by an earlier signal or by /stop: do not wait for the answers.
            server.force_exit = server.should_exit
        self.stop()


def serve(
    doors: Doors,
    make_service: Callable[[Stopper], Service],
    ready: Callable[[Service, str], object],
) -> None:
    """Serve until a signal or `--stop` ends the server.

    Args:
        doors: Where to listen. The doors are taken before the model loads, and open after it.
        make_service: Loads what is served.
        ready: Called with the address of the port, or "", once the doors are open.

    Raises:
        SparkError: A door cannot be taken, or the model cannot be loaded.
    """
    stopper = Stopper()
    with ExitStack() as stack:
        local = stack.enter_context(bound_socket(doors.path))
        port: socket.socket | None = None
        if doors.port is not None:
            port = stack.enter_context(loopback_socket(doors.port))
        # Loading takes long: a door that is taken is reported before.
        service = make_service(stopper)
        service.thread.start()
        stack.callback(service.thread.close)
        asyncio.run(_serve(doors, service, stopper, local, port, ready))


async def _serve(
    doors: Doors,
    service: Service,
    stopper: Stopper,
    local: socket.socket,
    port: socket.socket | None,
    ready: Callable[[Service, str], object],
) -> None:
    """Open the doors, and wait for the end."""
    # Two servers on one loop: the socket's has more endpoints, the port's has keys.
    guarded = partial(Guard, metrics=service.metrics, read_seconds=BODY_SECONDS)
    stopper.servers.append(_server(guarded(make_app(service, local=True))))
    sockets = [local]
    url = ""
    if port is not None:
        number = port.getsockname()[1]
        url = f"http://127.0.0.1:{number}/v1"
        names = [f"{name}:{number}" for name in ("127.0.0.1", "localhost")]
        app = make_app(service, local=False)
        stopper.servers.append(_server(guarded(app, keys=doors.keys, hosts=names)))
        sockets.append(port)
    loop = asyncio.get_running_loop()
    for signal_number in (signal.SIGTERM, signal.SIGINT):
        with suppress(RuntimeError, ValueError):  # in another thread than the first
            loop.add_signal_handler(signal_number, stopper.on_signal)
    runs = []
    for server, listening in zip(stopper.servers, sockets, strict=True):
        runs.append(asyncio.ensure_future(server.serve(sockets=[listening])))
    # Uvicorn has no event for this.
    while not all(server.started for server in stopper.servers):
        await asyncio.sleep(_POLL_SECONDS)
    ready(service, url)
    await asyncio.gather(*runs)


def _server(app: Guard) -> uvicorn.Server:
    config = uvicorn.Config(
        app,
        http=_Protocol,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        date_header=False,
        backlog=_ACCEPTED_AT_ONCE,
        timeout_keep_alive=int(HEADER_SECONDS),
        timeout_graceful_shutdown=_PATIENCE_SECONDS,
        h11_max_incomplete_event_size=_HEAD_BYTES,
    )
    return _Server(config)
