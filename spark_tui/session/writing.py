"""One answer while it is written, piece by piece, and the file it amounts to."""

from collections.abc import Sequence
from threading import Lock

from spark_tui.answering.seam import Answer, Draft, Wrote
from spark_tui.editing.checks import Check
from spark_tui.editing.text import Text
from spark_tui.errors import SparkError
from spark_tui.session.page import Page


class Writing:
    """One answer. Mutable: one thread may write while another sees what is closed. Args: draft: reads it."""

    def __init__(self, page: Page, draft: Draft) -> None:
        self._page, self._draft = page, draft
        self._lock = Lock()
        self._states: list[tuple[Sequence[str], Sequence[tuple[str, str]]]] = []
        """The place each time that something was closed, and what was renamed by then."""
        self.broken = False
        """Whether something was written that does not fit; what comes after it is left out."""
        self.finished = False

    @property
    def kind(self) -> str | None:
        """What kind of edit it is, as far as it tells."""
        return self._draft.kind

    @property
    def declined(self) -> bool:
        """Whether it says that nothing is to be changed."""
        return self._draft.declined

    @property
    def missed(self) -> str:
        """What it says that fits nowhere and is left out, or ""."""
        return "; ".join(self._draft.missed)

    def worth_showing(self, *, slowly: bool) -> bool:
        """Whether to show it before the next piece: unless there is time, only a new line, which grows with each.

        Not where it reads just now like what was there, and the next piece tells if it stays so: that would take the
        change back for one piece, wherever a line or a name is only added to.
        """
        draft, lines = self._draft, self._page.lines
        same = draft.open_line in lines or (draft.in_name and tuple(draft.lines()) == tuple(lines))
        return (slowly or bool(draft.open_line)) and not same

    def take(self, wrote: Wrote) -> bool:
        """Take one piece. Returns: whether it closed anything."""
        with self._lock:
            try:
                closed = not self.broken and self._draft.take(wrote.piece)
            except SparkError:
                self.broken, closed = True, False
            if closed:
                self._keep_state()
            return closed

    def end(self, answer: Answer) -> None:
        """The answer is over."""
        with self._lock:
            self.finished = answer.finished and not self.broken
            if self.finished:
                self._draft.finish()
                self._keep_state()

    def _keep_state(self) -> None:
        self._states.append((self._draft.settled(), self._draft.renamed))

    def file(self) -> Text:
        """The file as it would be if the answer ended here."""
        with self._lock:
            return self._page.file(self._draft.lines(), self._draft.renamed)

    def closed_file(self) -> Text:
        """The file with nothing but what is closed."""
        with self._lock:
            return self._page.file(self._draft.settled(), self._draft.renamed)

    def sound_file(self) -> Text:
        """The file with as much of what is closed as parses without the rest, where that can be told."""
        files = ((self._page.file(*state), state[0]) for state in reversed(self._states))
        return next((file for file, lines in files if self._page.is_sound(file, lines)), self._page.base)

    def checks(self) -> tuple[Check, ...]:
        """What can be said of what is closed itself."""
        with self._lock:
            closed = self._draft.settled()
        return self._page.checks(self.closed_file(), closed, self._draft.renamed)
