"""Types as a check: whether an edit adds an error that a language server finds.

`TypeChecker` is all that a session and its turns know of the servers. A server is started in the
background when a turn is about a file of its language, once a session; one that hangs or breaks is
not started again. Nobody waits long for an answer: where there is none in time, or never will be,
the check says so. Where no server is installed, nothing more is imported and no thread begins.
"""

from collections.abc import Callable, Generator, Iterable
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from spark_tui.editing.checks import Check
from spark_tui.editing.text import Text
from spark_tui.session.events import Held
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
ONLY_EDIT_SECONDS = 5.0
"""How much longer the only edit of a process waits, whose server has always just started."""
_MOST_LATE = 3
"""How often in a row such a server is waited for in vain."""


class TypeChecker:
    """The language servers of one work tree, as a check. Any thread may ask.

    Args:
        root: The work tree.
        may_run_code: Whether the user trusts what the repository holds.
        files: The paths of the repository whose names end in one of these ways.
        is_for_one_edit: Whether the process makes one edit and ends. A program may read nothing of
            that but its exit code, so without an answer the edit is unsure.
    """

    def __init__(
        self,
        root: Path,
        may_run_code: Callable[[], bool] = lambda: False,
        files: Callable[[tuple[str, ...]], Iterable[str]] = lambda _: (),
        *,
        is_for_one_edit: bool = False,
    ) -> None:
        self._root = root
        self._may_run_code = may_run_code
        self._files = files
        self._is_for_one_edit = is_for_one_edit
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
        if worker := self._running_worker(path):
            worker.ask(base, base, path, is_first=True)

    def foresee(self, base: Text, proposed: Text, path: str) -> None:
        """Have an unfinished edit checked in the background, where the server is fast."""
        worker = self._running_worker(path)
        if worker is not None and worker.kind.is_fast:
            worker.ask(base, proposed, path)

    def known(self, base: Text, path: str) -> "tuple[TypeFault, ...]":
        """The errors of a lone file as it is, as far as they can be told at once."""
        worker = self._running_worker(path)
        if worker is None or not worker.is_warm:
            return ()
        findings = worker.ask(base, base, path).wait(PROMPT_SECONDS)
        return findings.known.get(path, ()) if findings else ()

    def check(self, base: Text, proposed: Text, path: str) -> Check | None:
        """Whether an edit adds no error; None where nobody can tell."""
        waiting = self.wait_for_check(base, proposed, path)
        while True:
            try:
                next(waiting)
            except StopIteration as end:
                found: Check | None = end.value
                return found

    def wait_for_check(
        self, base: Text, proposed: Text, path: str
    ) -> Generator[Held, None, Check | None]:
        """Check as `check` does, and say so before a wait that a user would notice."""
        worker = self._worker_for(path)
        if worker is None:
            return None
        answer = worker.ask(base, proposed, path)
        answer.wait(_patience_with(worker))
        if answer.is_pending and self._is_for_one_edit and worker.late < _MOST_LATE:
            yield Held(f"waiting for {worker.kind.program} to check the types")
            answer.wait(ONLY_EDIT_SECONDS)
        if answer.findings is not None:
            worker.late = 0
            return _check_of(answer.findings, path)
        if answer.is_pending:
            worker.late += 1
            detail = f"no answer yet from {worker.kind.program}"
            return Check(NAME, not self._is_for_one_edit, detail, withholds=False)
        if worker.problem:
            detail = f"not checked by {worker.kind.program}: {worker.problem} (see `spark doctor`)"
            return Check(NAME, True, detail, withholds=False)
        return None

    def close(self) -> None:
        """End all servers."""
        with self._lock:
            workers = [*self._workers.values()]
            self._workers = dict.fromkeys(self._workers)
        for worker in workers:
            if worker is not None:
                worker.close()

    def _worker_for(self, path: str) -> "Worker | None":
        """The worker of a file's server, if that was started."""
        kind = kind_for(path)
        if kind is None:
            return None
        with self._lock:
            return self._workers.get(kind.program)

    def _running_worker(self, path: str) -> "Worker | None":
        """The worker of a file's server, if that runs."""
        worker = self._worker_for(path)
        return None if worker is None or worker.has_ended else worker

    def _start(self, kind: ServerKind) -> "Worker | None":
        program = find_program(kind, self._root)
        if not program:
            return None
        from spark_tui.session.language_servers.worker import Worker  # noqa: PLC0415 - see above

        return Worker(kind, program, self._root, self._may_run_code, self._files)


def _patience_with(worker: "Worker") -> float:
    """The seconds that the end of a turn waits for a server.

    They are few for a fast one that has answered before, and none for one that was late several
    times in a row, whose answer still counts if it is there.
    """
    if worker.is_warm and worker.kind.is_fast:
        return FAST_SECONDS
    return SLOW_SECONDS if worker.late < _MOST_LATE else 0.0


def _check_of(findings: "Findings", path: str) -> Check:
    """The check that says which error an edit adds first, and how many more there are."""
    if not findings.added:
        return Check(NAME, True, withholds=False)
    where, fault = findings.added[0]
    words = str(fault) if where == path else f"{where}, {fault}"
    if more := len(findings.added) - 1:
        words += f" (and {more} more)"
    return Check(NAME, False, words, withholds=False)
