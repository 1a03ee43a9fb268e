"""The turns of a session, saved as they begin and as they end; nobody waits for the disk, no turn fails over it."""

import secrets
from collections.abc import Sequence
from datetime import UTC, datetime
from threading import Lock, Thread
from time import monotonic

from spark_tui.errors import SparkError
from spark_tui.places import at_place, mention
from spark_tui.session.events import Status
from spark_tui.session.keeping.store import SavedSession, SavedTurn, SessionStore, added
from spark_tui.session.request import Request
from spark_tui.session.result import proposed_by
from spark_tui.session.turn import Turn
from spark_tui.vcs.consent import holds_secrets
from spark_tui.vcs.journal import JournalEntry, Tell
from spark_tui.vcs.repository import Repository


class Memory:
    """Keeps a session's turns in a store, by a thread of its own.

    Args: store: None: nothing is kept. tell: hears, once, that nothing can be saved.
    """

    def __init__(self, repo: Repository, store: SessionStore | None, tell: Tell) -> None:
        self._repo = repo
        self._store = store
        self._tell = tell
        self._accepts: dict[str, dict[str, int]] = {}
        """Of each turn what was accepted: the journal's ids, and how many lines each is about."""
        self.session_id = f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
        """The id under which this session is saved."""
        self._session = SavedSession(self.session_id, ())
        self._writing = Lock()
        self._refused = False
        self._listing, self._under_way = Lock(), list[Thread]()

    def accepted(self, turn: Turn, entry: JournalEntry, taken: int) -> None:
        """Keep a turn of which something was just accepted. Args: taken: how many of its lines; see `extent`."""
        self._accepts[turn.id] = {**self._accepts.get(turn.id, {}), entry.id: taken}
        self.keep(turn)

    def keep(self, *turns: Turn) -> None:
        """Keep turns as they are, a moment from now."""
        if self._store is not None:
            thread = Thread(target=self._write, args=(self._store, turns), name="spark-save")
            with self._listing:
                thread.start()
                self._under_way = [*filter(Thread.is_alive, self._under_way), thread]

    def wait(self, seconds: float) -> None:
        """Wait until all that is to be kept is saved, but no longer than this."""
        end = monotonic() + seconds
        for thread in self._under_way:
            thread.join(max(0.0, end - monotonic()))

    def _saved(self, turn: Turn) -> SavedTurn:
        path, accepts = str(turn.region.path), self._accepts.get(turn.id, {})
        return SavedTurn(
            id=turn.id, time=turn.begun_at, instruction=_asked(turn.request), path=path,
            start_line=turn.region.start_line, end_line=turn.region.end_line, status=turn.status.value,
            message=turn.message,
            patch="" if turn.status is Status.RUNNING or holds_secrets(path) else self._patch(turn),
            journal_ids=tuple(accepts), taken=tuple(accepts.values()), extent=turn.file.extent,
        )  # fmt: skip

    def _patch(self, turn: Turn) -> str:
        try:
            return proposed_by(self._repo, turn).decode("utf-8", "surrogateescape")
        except SparkError:  # the file cannot be looked at any more: the rest is worth keeping
            return ""

    def _write(self, store: SessionStore, turns: Sequence[Turn]) -> None:
        with self._writing:
            for turn in turns:
                self._session = added(self._session, self._saved(turn))
            try:
                store.save(self._session)
            except SparkError as e:
                if not self._refused:
                    self._tell(str(e))
                self._refused = True


def _asked(request: Request) -> str:
    """What was asked with the place that was told, so that the same can be asked again."""
    if not (path := request.path):
        return request.instruction
    place = mention(path, symbol=request.symbol, lines=request.lines)
    return at_place(request.instruction, place, lambda name: path if name == path else None)
