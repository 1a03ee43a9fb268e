"""Every error spark raises on purpose, and the exit code each one ends the process with.

    SparkError                    1    something failed; the message says what to do
    ├── UsageError                2    the request itself is wrong (flag, path, model, region)
    │   ├── Unclear               2    there is no place that it may be about
    │   ├── ConsentMissing        2    it would show a file that may hold secrets to others
    │   └── Mistakes              2    several things are wrong with what somebody wrote
    ├── Abstained                 3    understood, but no edit that passes its checks
    ├── Conflict                  4    the files are no longer what the patch was made for
    ├── Transient                 75   try again: a lock is held, an endpoint is down
    │   └── UsedUp                75   an endpoint is to be paid, or rests for hours
    ├── Interrupted               130  the user stopped it
    ├── ModelError                1    weights, config or tokenizer missing, cut or mismatched
    ├── RepoError                 1    not a repository spark can work in
    ├── FilesLost                 1    files would be lost for good, which takes a second word
    ├── FileError                 1    a file that cannot be read, written or edited as text
    │   ├── DiskError             1    the system refuses to read or write it
    │   └── NotText               2    it is no UTF-8 text; another one is to be named
    └── ShapeError                1    arrays that do not fit together (a bug in the caller)

Messages are for people: one line, what is wrong, then what to do.
"""

import re  # noqa: TID251 - reads names and settings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import ClassVar


class SparkError(Exception):
    """Base of everything spark raises on purpose."""

    exit_code: ClassVar[int] = 1
    detail = ""
    """Lines that are shown below the message, as they are."""


class UsageError(SparkError):
    """The request itself is wrong.

    Args:
        message: One line.
        detail: Lines to paste, shown below the message; "" for none.
    """

    exit_code = 2

    def __init__(self, message: str, detail: str = "") -> None:
        super().__init__(message)
        self.detail = detail


class Unclear(UsageError):
    """There is no place that the request may be about."""


class ConsentMissing(UsageError):
    """The request would show the text of files to others, which needs a consent.

    Args:
        message: One line.
        paths: The files.
        why: Reasons, worded to follow the paths.
    """

    def __init__(self, message: str, paths: Sequence[str], why: Sequence[str]) -> None:
        super().__init__(message)
        self.paths = tuple(paths)
        self.why = tuple(why)


class Mistakes(UsageError):
    """Several things are wrong with what somebody wrote.

    Args:
        each: One line for each.
    """

    def __init__(self, each: Sequence[str]) -> None:
        super().__init__("; ".join(each))
        self.each = tuple(each)


class Problems:
    """Collects all that is wrong with what somebody wrote, such as settings, to tell it at once.

    Attributes:
        lacks_file: Whether a whole file cannot be read: the names that the file defines are
            unknown then, and no name counts as wrong.
    """

    def __init__(self) -> None:
        self._found: list[str] = []
        self._details = dict[str, str]()
        self.lacks_file = False

    @property
    def found(self) -> list[str]:
        """The problems by file and line, then those that stand in no file."""
        return sorted(self._found, key=_place)

    @contextmanager
    def collected(self) -> Iterator[None]:
        """Keep a UsageError of the block as a problem; the caller goes on with the next thing."""
        try:
            yield
        except UsageError as e:
            self._found.append(str(e))
            self._details[str(e)] = e.detail

    def tell(self) -> None:
        """Raise the problems, if there are any.

        Raises:
            UsageError: The only problem, or the first one and how many more there are.
        """
        if not (found := self.found):
            return
        if len(found) == 1:
            raise UsageError(found[0], self._details[found[0]])
        more = len(found) - _MOST_TOLD
        raise Mistakes(
            [
                *found[:_MOST_TOLD],
                *([f"and {more} more; `spark doctor` shows all"] if more > 0 else []),
            ]
        )


_MOST_TOLD = 10
_IN_A_FILE = re.compile(r"(.+?\.toml):(?:(\d+):)?")


def _place(problem: str) -> tuple[bool, str, int]:
    """Return a key to sort by: the path and the line with which a problem begins, if it does."""
    match = _IN_A_FILE.match(problem)
    return (False, match[1], int(match[2] or 0)) if match else (True, "", 0)


class Abstained(SparkError):
    """The instruction was read, but no edit passed its checks."""

    exit_code = 3


class ToolCalled(Abstained):
    """The model called a tool instead of answering."""


class Conflict(SparkError):
    """A file is no longer what the patch was made for; nothing was written.

    Args:
        detail: Lines that show both versions where they clash, or "".
        advice: The remedy where nothing better is offered, or "".
        choosable: Whether spark can go on with either version of what the detail shows.
        clashing: The lines [start, stop) of the patch's base, 0-based, that clash.
        path: The file of these lines.
    """

    exit_code = 4

    def __init__(
        self,
        message: str,
        detail: str = "",
        advice: str = "",
        *,
        choosable: bool = False,
        clashing: Sequence[tuple[int, int]] = (),
        path: str = "",
    ) -> None:
        super().__init__(f"{message}: {advice}" if advice else message)
        self.detail = detail
        self.choosable = choosable
        self.path = path
        self._clashing = clashing
        self.fact = message

    def touches(self, start: int, stop: int) -> bool:
        """Whether what clashes is in these lines of the base, or beside them."""
        return any(start <= end and begin <= stop for begin, end in self._clashing)


class Transient(SparkError):
    """Something outside is busy or down; the same request may succeed later."""

    exit_code = 75


class UsedUp(Transient):
    """A quota is used up: asking again does not help until somebody pays, or for hours."""


class Interrupted(SparkError):
    """The user stopped the work."""

    exit_code = 130


class ModelError(SparkError):
    """A model folder that cannot be loaded."""


class RepoError(SparkError):
    """A place that is not a repository spark can work in."""


class FilesLost(SparkError):
    """Files would be lost for good; the caller adds how to say that again."""


class FileError(SparkError):
    """A file that cannot be read, written or edited as text."""


class DiskError(FileError):
    """A file that the system refuses to read or write, whatever the file is."""


class NotText(FileError):
    """A file that is no UTF-8 text, as the user who named it can know."""

    exit_code = 2


class ShapeError(SparkError):
    """Arrays whose shapes do not fit together."""
