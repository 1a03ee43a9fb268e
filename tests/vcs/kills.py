"""Starts the processes that kill operations, and reads how these ended."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

# The system calls that change something.
CALLS = [
    "write",
    "pwrite64",
    "fsync",
    "rename",
    "renameat",
    "renameat2",
    "link",
    "linkat",
    "unlink",
    "unlinkat",
    "mkdir",
    "mkdirat",
    "rmdir",
    "ftruncate",
    "fchmod",
    "fchown",
    "fsetxattr",
    "fremovexattr",
    "flock",
    "fcntl",
    "openat",
]
needs_strace = pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace")


def ends(
    module: str, name: str, folder: Path, start: int, step: int, *, again: bool = False
) -> list[str]:
    """How an operation ended, once for each moment at which it was killed.

    Args:
        module: The module with the operation.
        start, step: The moments to take.
        again: Kill the start that follows, too, at each of its moments.
    """
    how = "again" if again else "once"
    return _said(module, name, folder, str(start), str(step), how)


def traced_ends(
    module: str, name: str, folder: Path, call: str, *, seldom: bool = False
) -> list[str]:
    """How an operation ended, once for each time that it made a system call and was killed there.

    The last end is that of a run in which nothing was killed.

    Args:
        module: The module with the operation.
        seldom: Kill it at the first, the second, the fourth, the eighth time, and so on, alone.
    """
    return _said(module, name, folder, call, "seldom" if seldom else "often")


def _said(module: str, name: str, folder: Path, *words: str) -> list[str]:
    """What a process says of the ends of an operation."""
    temporary = folder / "tmp"
    temporary.mkdir(exist_ok=True)
    additions = {
        "PYTHONPATH": str(Path.cwd()),
        "PYTHONDONTWRITEBYTECODE": "1",
        "TMPDIR": str(temporary),
    }
    done = subprocess.run(
        [sys.executable, "-m", module, name, str(folder), *words],
        env={**os.environ, **additions},
        capture_output=True,
        check=False,
    )
    assert done.stderr == b""
    found: list[str] = json.loads(done.stdout)
    return found
