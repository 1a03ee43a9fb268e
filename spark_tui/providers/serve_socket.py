"""Finds the socket of `spark serve`; nothing here takes long to import."""

import os
import stat
from collections.abc import Mapping
from pathlib import Path

from spark_tui.config import state_dir
from spark_tui.system import own_id

VARIABLE = "SPARK_SERVE"
"""Names another socket; empty, it names none."""
MOST_PATH_BYTES = 100
"""Bytes of the longest path that a socket may have; systems allow 104 and more."""


def socket_path(env: Mapping[str, str] = os.environ) -> Path | None:
    """Return where the socket of the server is, or would be; None where none is wanted."""
    named = env.get(VARIABLE)
    if named is None:
        return state_dir(env) / "serve" / "spark.sock"
    return Path(named) if named else None


def is_ours(path: Path) -> bool:
    """Whether a path is a socket of the user's own, which nobody else can have put there."""
    try:
        status = path.lstat()
    except OSError:
        return False
    return stat.S_ISSOCK(status.st_mode) and status.st_uid == own_id()
