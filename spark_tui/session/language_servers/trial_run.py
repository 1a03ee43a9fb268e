"""A trial of a language server's program: whether it runs at all, by having it say its version.

That a program is on PATH says little: rustup puts a `rust-analyzer` there that only tells what to
install, and an interpreter that a script names may be gone.
"""

import subprocess
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile

from spark_tui import system
from spark_tui.process_keeper import Keeper
from spark_tui.session.language_servers.catalog import ServerKind, environment_for

PATIENCE_SECONDS = 10.0
"""How long a program may take to say its version."""
_MOST_BYTES = 4096
"""Bytes that are read of what a program says."""
_REAP_SECONDS = 5.0


def find_problem(kind: ServerKind, program: str, root: Path) -> str:
    """Run a server's program; why it cannot check anything, or "".

    Args:
        program: Its absolute path.
        root: The work tree, of which the program sees nothing.
    """
    command = [program, *kind.version_arguments]
    with TemporaryFile() as said:
        keeper = Keeper(command)
        try:
            process = subprocess.Popen(
                keeper.command,
                cwd="/",
                env=environment_for(kind, root),
                start_new_session=True,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                pass_fds=keeper.descriptors,
            )
        except (OSError, ValueError) as e:
            keeper.end_program()
            return f"cannot be started: {e}"
        keeper.mark_started()
        try:
            code = process.wait(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            return f"says nothing within {PATIENCE_SECONDS:.0f} s"
        finally:
            if not keeper.end_program() and process.poll() is None:
                system.send(process.pid, system.KILL)
            with suppress(subprocess.TimeoutExpired):
                process.wait(_REAP_SECONDS)
        said.seek(0)
        text = said.read(_MOST_BYTES).decode("utf-8", "replace").strip()
    first_line = text.partition("\n")[0]
    if code != 0:
        return f"does not run: {first_line or f'exit status {code}'}"
    if _version_in(text) < kind.least_version:
        least = ".".join(map(str, kind.least_version))
        return f"is too old: {first_line}; {least} is the first that is asked"
    return ""


def _version_in(text: str) -> tuple[int, ...]:
    """The version that a program says it has: "0.0.107" in "ty 0.0.107 (4ddee4a05)"."""
    for word in text.split():
        parts = word.split(".")
        if len(parts) > 1 and all(part.isdigit() for part in parts):
            return tuple(map(int, parts))
    return ()
