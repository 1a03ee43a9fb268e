"""A note that an accept is to be staged, in case spark is killed between the two.

The note stands from before the accept until the edit is staged, and names the batch that was last
before the accept. A spark that finds a note no living process holds removes the note, and tells the
user if an edit was left unstaged.
"""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from spark_tui.errors import SparkError
from spark_tui.small_files import read_small
from spark_tui.vcs.lock import exclusive

_MOST_CHARACTERS = 200
"""Characters of the note that are read: more than an id of a batch has, whatever is in the file."""


class StagingNote:
    """The note of one work tree.

    Args:
        path: Where the note is kept, outside the repository.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = path.with_suffix(".lock")

    @contextmanager
    def standing(self, last: str) -> Iterator[None]:
        """Keep the note while an edit is applied and staged.

        Where the state folder cannot be written to there is no note, and the accept raises.

        Args:
            last: The id of the last batch before; "" for none.
        """
        with ExitStack() as held:
            with suppress(SparkError, OSError):
                held.enter_context(exclusive(self._lock, patience=0.0))
                # On the way out the note goes before the lock, or another spark could take the note
                # for that of a dead process.
                held.callback(self._remove)
                self._path.write_text(last, "utf-8")
            yield

    def take(self) -> str | None:
        """Remove the note of a process that is gone.

        Returns:
            The id of the last batch before, "" for none; None where there is no such note.
        """
        if not os.path.lexists(self._path):
            return None
        # A living spark holds the lock as long as its note stands.
        with suppress(SparkError, OSError), exclusive(self._lock, patience=0.0):
            last = read_small(self._path).decode("utf-8", "replace")[:_MOST_CHARACTERS]
            self._remove()
            return last
        return None

    def _remove(self) -> None:
        with suppress(OSError):
            self._path.unlink()
