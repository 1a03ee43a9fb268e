"""`spark serve`: keeps one warm engine for shells, editors and scripts."""

import argparse
import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING

from spark_tui.cli import output
from spark_tui.cli.common import add_model_argument, notice, ready_backend, settings_of
from spark_tui.config import Settings, added_models, state_dir
from spark_tui.errors import SparkError, UsageError

if TYPE_CHECKING:
    from spark_tui.serve.server import Stopper
    from spark_tui.serve.service import Service

_DEFAULT_KEY = "SPARK_SERVE_KEY"
_MOST_PORT = 65_535


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `spark serve`."""
    parser.add_argument("--stop", action="store_true", help="end the server that runs")
    parser.add_argument(
        "--port",
        type=int,
        metavar="N",
        help="also serve OpenAI's interface at 127.0.0.1:N, with a key; 0 takes a free port",
    )
    parser.add_argument(
        "--key-env",
        metavar="NAME",
        default=_DEFAULT_KEY,
        help=f"the variable with the keys of the port, between commas ({_DEFAULT_KEY})",
    )
    parser.add_argument("--json", action="store_true", help="print what is ready as one object")
    add_model_argument(parser)


def run(args: argparse.Namespace) -> int:
    """Serve until a signal ends the server, or end the one that runs.

    Returns:
        0.

    Raises:
        SparkError: The server cannot run, or none runs that could be ended.
    """
    if args.stop:
        return _stop()
    path = _socket()
    keys = _keys(args)
    settings = settings_of(args)
    if settings.model in settings.models:
        raise UsageError(
            f"{settings.model} is an endpoint, which has a server; name a model that runs here"
        )
    try:
        from spark_tui.serve.server import Doors, serve
    except ImportError as e:
        raise UsageError(f"`spark serve` needs {e.name}: pip install 'spark-tui[serve]'") from e
    logging.basicConfig(level=logging.WARNING, format="spark: %(message)s")

    def ready(service: "Service", url: str) -> None:
        _tell_ready(service, path, url, as_json=args.json)

    serve(Doors(path, args.port, keys), lambda stopper: _service(settings, stopper), ready)
    return 0


def _socket() -> Path:
    from spark_tui.providers.serve_socket import VARIABLE, socket_path

    path = socket_path()
    if path is None:
        raise UsageError(f"{VARIABLE} is empty, so there is no socket; unset it, or name a path")
    return path.absolute()


def _keys(args: argparse.Namespace) -> tuple[str, ...]:
    """Return the keys of the port.

    Raises:
        UsageError: There is a port and no key, or no such port.
    """
    if args.port is None:
        return ()
    if not 0 <= args.port <= _MOST_PORT:
        raise UsageError(f"--port {args.port}: choose a number from 0 to {_MOST_PORT}")
    given = os.environ.get(args.key_env, "").split(",")
    keys = tuple(key.strip() for key in given if key.strip())
    if not keys:
        raise UsageError(
            f"a port needs a key: set {args.key_env}, or name another variable with --key-env"
        )
    if not all(key.isascii() and key.isprintable() for key in keys):
        raise UsageError(f"a key in {args.key_env} has characters that no header can hold")
    return keys


def _service(settings: Settings, stopper: "Stopper") -> "Service":
    """Load the model and what serves it.

    Raises:
        SparkError: The model cannot be used.
    """
    from spark_tui.cli.catalogue import catalogue
    from spark_tui.engine.loader import find_model
    from spark_tui.providers.registry import Models
    from spark_tui.providers.served_client import engine_id
    from spark_tui.serve.service import make_service

    added = added_models()
    path = find_model(str(added.get(settings.model, settings.model)))
    identity = engine_id(path, settings)  # before anything is read: files may change meanwhile
    formats = {listed.name: listed.format for listed in catalogue().values()}
    models = Models(ready_backend(settings), added, format=settings.local_format, formats=formats)
    loaded = models.load_from(path)
    models.load_passes()
    return make_service(
        loaded,
        settings,
        state_dir(),
        identity=identity,
        blocks=models.writes_blocks(loaded),
        stop=stopper.stop,
    )


def _tell_ready(service: "Service", path: Path, url: str, *, as_json: bool) -> None:
    if as_json:
        output.show_json({"socket": str(path), "url": url or None, "model": service.model})
        return
    also = f" and at {url}" if url else ""
    output.show_line(f"{service.model} is ready at {path}{also}")


def _stop() -> int:
    """End the server that runs.

    Raises:
        SparkError: None runs.
    """
    from spark_tui.providers.serve_socket import is_ours
    from spark_tui.providers.served_client import ask_server

    path = _socket()
    if not is_ours(path) or ask_server(path, "POST", "/stop") is None:
        raise SparkError(f"no server runs at {path}")
    notice("the server ends after the answers in flight")
    return 0
