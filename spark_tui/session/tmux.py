"""tmux, where spark runs in it, to hold what the user copies: it drops what a program in it asks of the clipboard."""

import os
import shutil
import subprocess
from pathlib import Path

from spark_tui.vcs.git import path_outside

_PATIENCE_S = 2.0
_WAYS = (["load-buffer", "-w", "-"], ["load-buffer", "-"])
"""Into the clipboard of the terminals that show it, too; before tmux 3.2 only into its buffer."""


def load_buffer(data: bytes, root: Path) -> bool:
    """Put data into tmux's newest buffer. Args: root: of the repository; no program is taken from it.

    Returns: False: this is not in tmux, or it would not.
    """
    known = {name: os.environ[name] for name in ("TMUX", "TMUX_PANE") if os.environ.get(name)}
    program = shutil.which("tmux", path=path_outside(root)) if "TMUX" in known else None
    return program is not None and any(_took([program, *way], known, data) for way in _WAYS)


def _took(command: list[str], env: dict[str, str], data: bytes) -> bool:
    try:
        done = subprocess.run(
            command, input=data, cwd="/", env=env, timeout=_PATIENCE_S, check=False, start_new_session=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
