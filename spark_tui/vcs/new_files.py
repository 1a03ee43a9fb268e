"""The files of a work tree that git does not track, listed in a thread of its own.

To find new files, git walks through every folder. On a mount that does not answer the walk does not
end, and on a slow disk it takes long, while the index lists the tracked files at once.
"""

from collections.abc import Callable
from threading import Event, Lock, Thread

from spark_tui.errors import SparkError

PATIENCE_SECONDS = 1.5
"""How long a caller waits for the new files."""
Work = Callable[[], tuple[str, ...]]


class NewFiles:
    """The new files of one work tree, as far as they are known. For any thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._done: Event | None = None
        """Set once the listing that was begun last is over; None before the first one."""
        self._names: tuple[str, ...] | None = None
        self._error: SparkError | None = None
        self._is_slow = False
        """Whether a listing was not there in time: from then on nobody waits for one."""
        self._is_stuck = False

    @property
    def are_missing(self) -> bool:
        """Whether a caller waited for the new files in vain, and they are still unknown."""
        return self._is_stuck or (self._is_slow and self._names is None)

    def begin(self, work: Work, stuck: type[SparkError]) -> None:
        """Begin to list the new files, unless a listing goes on, or an earlier one never ended.

        Args:
            work: Lists the new files.
            stuck: The error of a `work` that was given up.
        """
        with self._lock:
            if self._is_stuck or (self._done is not None and not self._done.is_set()):
                return
            self._done = Event()
            self._error = None
            arguments = (work, stuck, self._done)
            Thread(target=self._list, args=arguments, name="spark-list", daemon=True).start()

    def wait(self) -> tuple[str, ...]:
        """Wait a moment for the listing, unless one was slow before.

        Returns:
            The names, as far as known.

        Raises:
            SparkError: They cannot be listed.
        """
        done = self._done
        if done is not None and not self._is_stuck:
            patience = 0.0 if self._is_slow else PATIENCE_SECONDS
            self._is_slow = not done.wait(patience) or self._is_slow
        if self._error is not None:
            raise self._error
        return self._names or ()

    def _list(self, work: Work, stuck: type[SparkError], done: Event) -> None:
        try:
            self._names = work()
        except stuck:
            self._is_stuck = True
        except SparkError as error:
            self._error = error
        finally:
            done.set()
