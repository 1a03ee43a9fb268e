"""Types as a check: whether an edit adds an error that a language server finds.

`TypeChecker` is all that a session and its turns know of the servers. A server is started in the
background when a turn is about a file of its language, once a session; one that hangs or breaks is
not started again. Nobody waits long for an answer: where there is none in time, there is no check.
Where no server is installed, nothing more is imported and no thread begins.
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from spark_tui.editing.checks import Check
from spark_tui.editing.text import Text
from spark_tui.session.language_servers.catalog import ServerKind, find_program, kind_for

if TYPE_CHECKING:
    from spark_tui.session.language_servers.diagnostics import TypeFault
    from spark_tui.session.language_servers.questions import Findings
    from spark_tui.session.language_servers.worker import Worker

NAME = "types"
"""The name of the check."""
PROMPT_SECONDS = 0.02
"""How long a prompt waits for the errors in view."""
FAST_SECONDS = 0.2
"""How long the end of a turn waits for a fast server.

That is ten times what such a server takes on an idle machine; on a busy one it may take longer.
"""
SLOW_SECONDS = 1.0
"""How long the end of a turn waits for any other server, and for one that has just started."""
_MOST_LATE = 3
"""How often in a row such a server is waited for in vain."""


class TypeChecker:
    """The language servers of one work tree, as a check. Any thread may ask.

    Args:
        root: The work tree.
        may_run_code: Whether the user trusts what the repository holds.
        files: The paths of the repository whose names end in one of these ways.
    """

    def __init__(
        self,
        root: Path,
        may_run_code: Callable[[], bool] = lambda: False,
        files: Callable[[tuple[str, ...]], Iterable[str]] = lambda _: (),
    ) -> None:
        self._root = root
        self._may_run_code = may_run_code
        self._files = files
        self._workers = dict[str, "Worker | None"]()
        self._lock = Lock()

    def begin(self, base: Text, path: str) -> None:
        """Have the server of a file read the file of a turn, as it is, in the background.

        Args:
            path: The file, or the first one of a document.
        """
        kind = kind_for(path)
        if kind is None:
            return
        with self._lock:
            if kind.program not in self._workers:
                self._workers[kind.program] = self._start(kind)
        if worker := self._worker_for(path):
            worker.ask(base, base, path, is_first=True)

    def foresee(self, base: Text, proposed: Text, path: str) -> None:
        """Have an unfinished edit checked in the background, where the server is fast."""
        worker = self._worker_for(path)
        if worker is not None and worker.kind.is_fast:
            worker.ask(base, proposed, path)

    def known(self, base: Text, path: str) -> "tuple[TypeFault, ...]":
        """The errors of a lone file as it is, as far as they can be told at once."""
        worker = self._worker_for(path)
        if worker is None or not worker.is_warm:
            return ()
        findings = worker.ask(base, base, path).wait(PROMPT_SECONDS)
        return findings.known.get(path, ()) if findings else ()

    def check(self, base: Text, proposed: Text, path: str) -> Check | None:
        """Whether an edit adds no error; None where that cannot be told, or not in time."""
        worker = self._worker_for(path)
        if worker is None:
            return None
        # Patience: little for a fast server that has answered before, none for one that was late
        # several times in a row (its answer still counts if it is there).
        seconds = SLOW_SECONDS
        if worker.is_warm and worker.kind.is_fast:
            seconds = FAST_SECONDS
        elif worker.late >= _MOST_LATE:
            seconds = 0.0
        findings = worker.ask(base, proposed, path).wait(seconds)
        if findings is None:
            worker.late += 1
            return None
        worker.late = 0
        return Check(NAME, not findings.added, _in_words(findings, path), withholds=False)

    def close(self) -> None:
        """End all servers."""
        with self._lock:
            workers = [*self._workers.values()]
            self._workers = dict.fromkeys(self._workers)
        for worker in workers:
            if worker is not None:
                worker.close()

    def _worker_for(self, path: str) -> "Worker | None":
        """The worker of a file's server, if that runs."""
        kind = kind_for(path)
        if kind is None:
            return None
        with self._lock:
            worker = self._workers.get(kind.program)
        return None if worker is None or worker.has_ended else worker

    def _start(self, kind: ServerKind) -> "Worker | None":
        program = find_program(kind, self._root)
        if not program:
            return None
        from spark_tui.session.language_servers.worker import Worker  # noqa: PLC0415 - see above

        return Worker(kind, program, self._root, self._may_run_code, self._files)


def _in_words(findings: "Findings", path: str) -> str:
    """The first error that an edit adds, and how many more there are."""
    if not findings.added:
        return ""
    where, fault = findings.added[0]
    words = str(fault) if where == path else f"{where}, {fault}"
    more = len(findings.added) - 1
    return f"{words} (and {more} more)" if more else words
