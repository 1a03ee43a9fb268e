"""`spark acp`: an agent for editors, by the Agent Client Protocol on stdin and stdout."""

import argparse
import asyncio
import logging
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from spark_tui.cli.common import (
    LoadedModels,
    add_model_argument,
    add_no_serve_argument,
    open_session,
    sessions_of,
    settings_of,
)
from spark_tui.cli.open import end
from spark_tui.errors import UsageError

if TYPE_CHECKING:
    from spark_tui.editors.agent import Opened
    from spark_tui.editors.buffers import BufferedRepository


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `spark acp`."""
    add_model_argument(parser)
    add_no_serve_argument(parser)


def run(args: argparse.Namespace) -> int:
    """Answer an editor until it hangs up.

    Returns:
        0.

    Raises:
        UsageError: The extra is not installed, or a person types into a terminal.
    """
    try:
        from spark_tui.editors.agent import Opener, SparkAgent, serve_editor
    except ImportError as e:
        raise UsageError(f"`spark acp` needs {e.name}: pip install 'spark-tui[agents]'") from e
    if sys.stdin.isatty():
        raise UsageError(
            "`spark acp` is started by an editor and speaks its protocol; see examples/editors"
        )
    settings_of(args)  # which refuses what is wrong before an editor waits for it
    logging.basicConfig(level=logging.WARNING, format="spark: %(message)s")
    sink = _stdout_alone()
    shared = LoadedModels()

    def open_in(folder: Path, repo: "BufferedRepository") -> "Opened":
        return _open(folder, repo, shared, args)

    agent = SparkAgent(
        Opener(open_in, lambda repo: sessions_of(repo).list()), Path(args.folder).absolute()
    )
    asyncio.run(serve_editor(agent, sys.stdin.fileno(), sink))
    return end(0)


def _stdout_alone() -> int:
    """Keep stdout for the protocol: whatever else is printed goes to stderr.

    Returns:
        The descriptor to write messages to.
    """
    # A library that prints would break the protocol, so only this new descriptor leads to the
    # editor from here on.
    sink = os.dup(sys.stdout.fileno())
    sys.stdout.flush()
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return sink


def _open(
    folder: Path, repo: "BufferedRepository", shared: LoadedModels, args: argparse.Namespace
) -> "Opened":
    """Open a session of an editor.

    Raises:
        SparkError: There is no model, or a setting is wrong.
    """
    from spark_tui.editors.agent import Opened

    there = argparse.Namespace(**{**vars(args), "folder": str(folder)})
    settings = settings_of(there)
    session = open_session(folder, settings, serve=not args.no_serve, repo=repo, shared=shared)
    return Opened(session, settings)
