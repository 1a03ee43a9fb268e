"""Who runs this process, and what users are called."""

import os
import sys

from spark_tui import windows

if sys.platform == "win32":
    raise ImportError(windows.ADVICE)

import pwd


def own_id() -> int:
    """The number of the user in whose name this process runs."""
    return os.geteuid()


def name_of(user: int) -> str:
    """What a user is called; the number itself where nobody knows."""
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return str(user)
