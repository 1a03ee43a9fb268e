"""How files and folders are opened: no descriptor outlives spark in a program that it starts."""

import os
import sys

from spark_tui import windows

if sys.platform == "win32":
    raise ImportError(windows.ADVICE)

FOLDER: int = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
FILE: int = os.O_CLOEXEC
"""Opens for reading where no other flag is added."""
NO_LINK: int = os.O_NOFOLLOW
"""Refuses symbolic links."""
AT_ONCE: int = os.O_NONBLOCK
"""Opens a pipe without waiting for its other end."""
