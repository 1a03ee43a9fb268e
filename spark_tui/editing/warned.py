"""What Python warns of in code that is only read: it is not told, or means that the code is not what it looks like."""

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock
from typing import Literal

_SETTING = RLock()
"""What becomes of a warning is set for the whole process: of two threads that did so side by side, the one to end last
would leave the other's setting behind for good."""


@contextmanager
def warnings_as(action: Literal["ignore", "error"], name: str = "") -> Iterator[None]:
    """Let warnings be nothing, or errors, for a moment.

    Args: name: of what they are about, as its reader calls it; "": they are about anything, in any thread.
    """
    with _SETTING, warnings.catch_warnings():
        warnings.filterwarnings(action, module=re.escape(name))
        yield
