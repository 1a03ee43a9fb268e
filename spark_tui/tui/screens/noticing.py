"""What the session wants the user to know, in a corner of the main screen and never over what is opened on top."""

from typing import TYPE_CHECKING

from spark_tui.marks import visible
from spark_tui.tui.screens.host import Host

if TYPE_CHECKING:
    from spark_tui.tui.desk import Desk

_STAYS_S = 15.0


class Noticing:
    """Notices over `screen`. Its style sheet shows none anywhere else."""

    def __init__(self, screen: Host) -> None:
        self._screen = screen
        self._until: dict[str, float] = {}
        """The notices that were shown last, and when each is over."""
        self._left: dict[str, float] = {}
        """Those that something was opened over, and the seconds that each has left."""

    def show(self, desk: "Desk") -> None:
        """Show what there is to know; under another screen that waits until it is closed."""
        if self._screen.is_active:
            for words in desk.session.take_notices():
                self._tell(words, _STAYS_S)

    def clear(self) -> None:
        """What could still be read is over: it was taken back, say."""
        self._screen.app.clear_notifications()
        self._until.clear()
        self._left.clear()

    def cover(self) -> None:
        """Something was opened on top: the time of what could still be read stands still."""
        now = self._screen.clock()
        self._left = {words: until - now for words, until in self._until.items() if until > now}
        self._until.clear()

    def uncover(self, desk: "Desk | None") -> None:
        """It was closed: go on, with what there is to know since."""
        self._screen.app.clear_notifications()
        for words, seconds in self._left.items():
            self._tell(words, seconds)
        self._left.clear()
        if desk is not None:
            self.show(desk)

    def _tell(self, words: str, seconds: float) -> None:
        self._until[words] = self._screen.clock() + seconds
        self._screen.notify(visible(words), timeout=seconds, markup=False)
