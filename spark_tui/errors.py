"""Every error spark raises on purpose, and the exit code each one ends the process with.

    SparkError                    1    something failed; the message says what to do
    ├── UsageError                2    the request itself is wrong (flag, path, model name, region)
    │   └── Unclear               2    it tells no place, or more than one
    ├── Abstained                 3    understood, but no edit that passes its checks
    ├── Conflict                  4    the files are no longer what the patch was made for
    ├── Transient                 75   try again: a lock is held, an endpoint is down
    ├── Interrupted               130  the user stopped it
    ├── ModelError                1    weights, config or tokenizer missing, truncated or mismatched
    ├── RepoError                 1    not a repository spark can work in
    ├── FileError                 1    a file that cannot be read, written or edited as text
    └── ShapeError                1    arrays that do not fit together (a bug in the caller)

Messages are for people: one line, what is wrong, then what to do.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar


class SparkError(Exception):
    """Base of everything spark raises on purpose."""

    exit_code: ClassVar[int] = 1


class UsageError(SparkError):
    """The request itself is wrong."""

    exit_code = 2


class Unclear(UsageError):
    """The request tells no place, or more than one."""


class Problems:
    """All that is wrong with what somebody wrote, such as settings, to be told at once."""

    def __init__(self) -> None:
        self.found: list[str] = []

    @contextmanager
    def collected(self) -> Iterator[None]:
        """Keep what is told of one thing, to go on with the next."""
        try:
            yield
        except UsageError as e:
            self.found.append(str(e))

    def tell(self) -> None:
        """Raises: UsageError: all that was kept."""
        if self.found:
            raise UsageError("; ".join(self.found))


class Abstained(SparkError):
    """The instruction was read, but no edit passed its checks."""

    exit_code = 3


class Conflict(SparkError):
    """A file is no longer what the patch was made for; nothing was written.

    Args: detail: lines that show both versions where they clash, or "". advice: what to do where nothing better is
        offered, or "". choosable: whether spark can go on with either version of what the detail shows.
    """

    exit_code = 4

    def __init__(self, message: str, detail: str = "", advice: str = "", *, choosable: bool = False) -> None:
        super().__init__(f"{message}: {advice}" if advice else message)
        self.detail, self.choosable = detail, choosable
        self.fact = message


class Transient(SparkError):
    """Something outside is busy or down; the same request may succeed later."""

    exit_code = 75


class Interrupted(SparkError):
    """The user stopped the work."""

    exit_code = 130


class ModelError(SparkError):
    """A model folder that cannot be loaded."""


class RepoError(SparkError):
    """A place that is not a repository spark can work in."""


class FileError(SparkError):
    """A file that cannot be read, written or edited as text."""


class ShapeError(SparkError):
    """Arrays whose shapes do not fit together."""
