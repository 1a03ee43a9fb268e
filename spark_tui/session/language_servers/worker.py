"""The thread that a language server is asked on, and what it asks.

One question is answered after the other. A question that nobody waits for any more is dropped when
the next one comes.
"""

from collections import deque
from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from pathlib import Path
from threading import Lock, Thread

from spark_tui.editing.text import Text
from spark_tui.errors import SparkError
from spark_tui.session.language_servers.catalog import ServerKind
from spark_tui.session.language_servers.connection import Refused
from spark_tui.session.language_servers.diagnostics import TypeFault, added_faults
from spark_tui.session.language_servers.questions import (
    Answer,
    FileVersions,
    Findings,
    Question,
    file_versions,
)
from spark_tui.session.language_servers.server import LanguageServer

_IDLE_SECONDS = 3600.0  # of listening at once; a question wakes the thread
_CLOSE_SECONDS = 2.0  # for the thread to end, whose server is killed
_MOST_FILES = 10_000
"""Files of a repository that are looked after; of a larger one a server sees what it opens."""

_Stamp = tuple[int, int]
"""When a file was changed, and its size."""


class Worker:
    """A language server on a thread of its own; it begins at once.

    Mutable; any thread may call it.

    Attributes:
        is_warm: Whether the server has answered.
        late: How often in a row somebody waited in vain.
        has_ended: Whether the server was lost, or closed.
        problem: Why the server was lost, or "".

    Args:
        kind, program, root: As for `LanguageServer`.
        may_run_code, files: As for `type_check.TypeChecker`.
    """

    def __init__(
        self,
        kind: ServerKind,
        program: str,
        root: Path,
        may_run_code: Callable[[], bool],
        files: Callable[[tuple[str, ...]], Iterable[str]],
    ) -> None:
        self.kind = kind
        self.is_warm = False
        self.late = 0
        self.has_ended = False
        self.problem = ""
        self._program = program
        self._root = root
        self._may_run_code = may_run_code
        self._files = files
        self._asked = deque[tuple[Question, Answer]]()
        self._last: tuple[Question, Answer] | None = None
        self._answering: Answer | None = None
        self._lock = Lock()
        self._server: LanguageServer | None = None
        self._stamps: dict[str, _Stamp] | None = None
        self._bases = dict[FileVersions, tuple[TypeFault, ...]]()
        self._thread = Thread(target=self._run, name=f"spark-{kind.program}", daemon=True)
        self._thread.start()

    def ask(self, base: Text, proposed: Text, path: str, *, is_first: bool = False) -> Answer:
        """Ask about an edit; the answer is dropped where another question comes first.

        Args:
            path: The path of a text that is a lone file.
            is_first: Whether the question is the first of a turn, so that the disk may have
                changed.
        """
        question = Question(file_versions(base, proposed, path, self.kind), is_first)
        with self._lock:
            known = self._last
            if known is not None and known[0] == question and not known[1].is_dropped:
                return known[1]
            answer = Answer()
            if self.has_ended or not question.files:
                answer.give(None)
                return answer
            # Edits come faster than answers, so only the newest question stands. The first one of a
            # turn stays: it has the server look at the disk again.
            waiting = self._asked
            self._asked = deque()
            for earlier, unheard in waiting:
                if earlier.is_first:
                    self._asked.append((earlier, unheard))
                else:
                    unheard.drop()
            self._last = (question, answer)
            self._asked.append(self._last)
        self._wake()
        return answer

    def close(self) -> None:
        """End the server."""
        with self._lock:
            self.has_ended = True
        if (server := self._server) is not None:
            server.kill()
        self._thread.join(_CLOSE_SECONDS)

    def _wake(self) -> None:
        if (server := self._server) is not None:
            server.wake()

    def _run(self) -> None:
        try:
            # On this thread, as asking git about the repository takes a while.
            if self.kind.runs_code and not self._may_run_code():
                return
            self._server = LanguageServer(self.kind, self._program, self._root)
            with closing(self._server) as server:
                if not self.has_ended:
                    server.initialize()
                    self._serve(server)
        except SparkError as e:
            # The end of a server that was closed is none of its own.
            self.problem = "" if self.has_ended else str(e)
        finally:
            self._end()

    def _end(self) -> None:
        with self._lock:
            self.has_ended = True
            left = [answer for _, answer in self._asked]
            self._asked.clear()
        if self._answering is not None:
            left.append(self._answering)
        for answer in left:
            answer.drop()

    def _serve(self, server: LanguageServer) -> None:
        """Answer until the server is closed.

        Raises:
            SparkError: The server is lost.
        """
        while not self.has_ended:
            with self._lock:
                asked = self._asked.popleft() if self._asked else None
            if asked is None:
                server.listen(_IDLE_SECONDS)
                continue
            question, answer = asked
            self._answering = answer
            findings: Findings | None = None
            try:
                findings = self._find(server, question)
                self.is_warm = True
            except Refused:
                self._bases.clear()
            answer.give(findings)
            self._answering = None

    def _find(self, server: LanguageServer, question: Question) -> Findings:
        """Show the server the files without and with the edit, and compare their errors.

        Raises:
            SparkError: The server is lost.
        """
        if question.is_first:
            # The errors of a file may come from other files, which may have changed since.
            self._bases.clear()
            server.tell_changes(self._changes())
        files = question.files
        server.close_others([file.path for file in files])
        known = self._known(server, files)
        edited = [file for file in files if file.after is not None and file.after != file.before]
        # Show all before asking about any: the errors of one file depend on the others.
        for file in edited:
            server.show(file.path, file.after or "")
        added = list[tuple[str, TypeFault]]()
        for file in edited:
            before = known[file.path]
            for fault in added_faults(
                before, _lines(file.before), server.faults(file.path), _lines(file.after)
            ):
                added.append((file.path, fault))
        return Findings(known, tuple(added))

    def _known(
        self, server: LanguageServer, files: tuple[FileVersions, ...]
    ) -> dict[str, tuple[TypeFault, ...]]:
        """The errors of files without the edit, by path; those of a lone file are kept."""
        # While an edit grows, its file without the edit stays the same: ask about that once.
        lone = FileVersions(files[0].path, files[0].before, None) if len(files) == 1 else None
        if lone is not None and lone in self._bases:
            return {lone.path: self._bases[lone]}
        known = dict[str, tuple[TypeFault, ...]]()
        for file in files:
            if file.before is not None:
                server.show(file.path, file.before)
        for file in files:
            known[file.path] = () if file.before is None else server.faults(file.path)
        if lone is not None:
            self._bases[lone] = known[lone.path]
        return known

    def _changes(self) -> dict[str, str]:
        """What changed on disk since the last call, as for `LanguageServer.tell_changes`."""
        before = self._stamps
        stamps = self._look()
        self._stamps = stamps
        if before is None:
            return {}
        changes = dict[str, str]()
        for path in before.keys() | stamps.keys():
            if path not in stamps:
                changes[path] = "deleted"
            elif path not in before:
                changes[path] = "created"
            elif before[path] != stamps[path]:
                changes[path] = "changed"
        return changes

    def _look(self) -> dict[str, _Stamp]:
        stamps = dict[str, _Stamp]()
        suffixes = tuple(self.kind.languages)
        paths: Iterable[str] = ()
        with suppress(SparkError):  # a server sees what it opens, then
            paths = self._files(suffixes)
        for path in paths:
            if len(stamps) == _MOST_FILES:
                break
            with suppress(OSError):
                status = (self._root / path).stat()
                stamps[path] = (status.st_mtime_ns, status.st_size)
        return stamps


def _lines(source: str | None) -> list[str]:
    return (source or "").split("\n")
