"""A server of the test's own, over a real unix socket, on a tiny model that writes known words."""

import asyncio
import json
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from typing import Any

import httpx2
import pytest

from spark_tui.config import Settings
from spark_tui.engine.loader import LoadedModel
from spark_tui.providers.served_client import engine_id
from spark_tui.serve.server import Doors, Stopper, serve
from spark_tui.serve.service import Service, make_service
from spark_tui.serve.turn_order import DEFAULT_LIMITS, Limits
from tests.cli.conftest import repo, spark, state
from tests.fakes import scripted
from tests.providers.quoting_models import Script

__all__ = ["repo", "spark", "state"]  # fixtures of the command line

KEY = "sesame"


@dataclass
class Server:
    """A server that runs.

    Attributes:
        path: Its socket.
        url: The address of its port, "" where it has none.
        service: What it serves.
    """

    path: Path
    url: str
    service: Service
    client: httpx2.Client = field(repr=False)
    kill: Callable[[], None] = field(repr=False)
    """Cuts all connections and takes no more, as the end of the process does."""

    def post(self, place: str, body: object, **headers: str) -> httpx2.Response:
        """Ask over the socket."""
        return self.client.post(place, json=body, headers=headers)

    def get(self, place: str) -> httpx2.Response:
        """Ask over the socket."""
        return self.client.get(place)


StartServer = Callable[..., Server]


@contextmanager
def running(
    loaded: LoadedModel,
    folder: Path,
    *,
    path: Path,
    port: bool,
    limits: Limits,
    settings: Settings,
) -> Iterator[Server]:
    """A server for as long as the context lasts."""
    is_ready = Event()
    found: list[tuple[Service, str]] = []
    failures: list[BaseException] = []
    stoppers: list[Stopper] = []
    loops: list[asyncio.AbstractEventLoop] = []

    def make(stopper: Stopper) -> Service:
        stoppers.append(stopper)
        return make_service(
            loaded,
            settings,
            folder / "served-state",
            identity=engine_id(loaded.path, settings),
            stop=stopper.stop,
            limits=limits,
        )

    def ready(service: Service, url: str) -> None:
        loops.append(asyncio.get_running_loop())
        found.append((service, url))
        is_ready.set()

    def run() -> None:
        try:
            serve(Doors(path, 0 if port else None, (KEY,) if port else ()), make, ready)
        except BaseException as e:  # noqa: BLE001 - the test that started it must see it
            failures.append(e)
        finally:
            is_ready.set()

    thread = Thread(target=run)
    thread.start()
    is_ready.wait()
    if failures:
        raise failures[0]
    service, url = found[0]

    transport = httpx2.HTTPTransport(uds=str(path))
    try:
        with httpx2.Client(transport=transport, base_url="http://spark", timeout=60) as client:
            kill = partial(_kill, stoppers[0], loops[0])
            yield Server(path, url, service, client, kill)
    finally:
        with suppress(RuntimeError):  # it has ended
            loops[0].call_soon_threadsafe(stoppers[0].stop)
        thread.join()
    assert not failures


def _kill(stopper: Stopper, loop: asyncio.AbstractEventLoop) -> None:
    is_cut = Event()

    def cut() -> None:
        for server in stopper.servers:
            for listener in server.servers:
                listener.close()
            for connection in list(server.server_state.connections):
                connection.transport.abort()
        is_cut.set()

    loop.call_soon_threadsafe(cut)
    is_cut.wait()


@pytest.fixture
def socket_place() -> Iterator[Path]:
    """A path that is short enough for a socket."""
    with TemporaryDirectory(prefix="spark-", dir="/tmp") as folder:
        yield Path(folder) / "s" / "spark.sock"


@pytest.fixture
def start(tmp_path: Path, socket_place: Path) -> Iterator[StartServer]:
    """Starts a server on a model, which ends with the test."""
    with ExitStack() as stack:

        def begin(
            loaded: LoadedModel,
            *,
            port: bool = False,
            limits: Limits = DEFAULT_LIMITS,
            settings: Settings = Settings(),  # noqa: B008 - it never changes
        ) -> Server:
            return stack.enter_context(
                running(
                    loaded,
                    tmp_path,
                    path=socket_place,
                    port=port,
                    limits=limits,
                    settings=settings,
                )
            )

        yield begin


@pytest.fixture
def start_scripted(tmp_path: Path, start: StartServer) -> StartServer:
    """Starts a server on the tiny model that quotes, with these scripts."""

    def begin(
        scripts: Mapping[str, Script | None],
        before_step: Callable[[], None] | None = None,
        **options: Any,
    ) -> Server:
        return start(scripted(tmp_path / "model", scripts, before_step), **options)

    return begin


def events_of(response: httpx2.Response) -> list[Any]:
    """The events of a stream; the last line says that it is whole."""
    lines = [line.removeprefix("data: ") for line in response.text.splitlines() if line[:1] == "d"]
    assert lines[-1] == "[DONE]"
    return [json.loads(line) for line in lines[:-1]]


def raw(path: Path | int, data: bytes) -> bytes:
    """What a server answers to bytes on a socket, or a port, until it hangs up."""
    family = socket.AF_INET if isinstance(path, int) else socket.AF_UNIX
    place = ("127.0.0.1", path) if isinstance(path, int) else str(path)
    with socket.socket(family) as connection:
        connection.connect(place)
        connection.sendall(data)
        parts = []
        while part := connection.recv(65536):
            parts.append(part)
    return b"".join(parts)
