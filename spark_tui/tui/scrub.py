"""Where someone is who looks back at what a turn wrote, token by token. Knows no widgets."""

from itertools import pairwise

from spark_tui.marks import is_plain, visible
from spark_tui.session import branching
from spark_tui.session.turn import Turn
from spark_tui.tui.rows import DiffRows, live_line

_DOUBTS = (-0.02, -0.105, -0.7)
"""Log probabilities down to which a token is ever more unsure."""
_BACK = 3


class Scrub:
    """A place in the tokens of a turn: `at` counts them from 0. Mutable. Args: turn: one that wrote something."""

    def __init__(self, turn: Turn) -> None:
        self._turn = turn
        self.at = len(turn.tape) - 1

    @property
    def count(self) -> int:
        """How many tokens there are."""
        return len(self._turn.tape)

    def step(self, tokens: int) -> bool:
        """Go on, or back. Returns: whether that is another place."""
        before, self.at = self.at, max(0, min(self.at + tokens, self.count - 1))
        return self.at != before

    def to_whole(self) -> bool:
        """Go back to where no character is half written, which words go on from. Returns: whether that is elsewhere."""
        tape = self._turn.tape
        whole = self.at - tape.half(self.at)
        known = whole < self.at and whole >= 0 and tape[whole].attempt == tape[self.at].attempt
        return known and self.step(whole - self.at)

    def to_unsure(self) -> bool:
        """Go to the next uncertain token, or the first one. Returns: whether there is any."""
        found = self._turn.tape.unsure(self.at)
        self.at = self.at if found is None else found
        return found is not None

    def rows(self) -> tuple[DiffRows, int | None]:
        """The diff after the token, and the row that was being written."""
        known = [branching.hunks_at(self._turn, at) for at in range(max(0, self.at - _BACK), self.at + 1)]
        hunks, region = known[-1], self._turn.region
        before = next((each for each in reversed(known) if each != hunks), ())  # a token alone may change nothing
        rows = DiffRows(self._turn.base.lines, hunks, shown=[(region.start_line - 1, region.end_line)])
        live = live_line(before, hunks)
        return rows, rows.row_of(*live) if live else None

    def words(self) -> tuple[str, str, str]:
        """Which token it is, how sure the model was of it, and what it says."""
        token = self._turn.tape[self.at]
        attempt = f" (attempt {token.attempt})" if token.attempt > 1 else ""
        return (
            f"token {self.at + 1} of {self.count}{attempt}",
            f"logprob {round(token.logprob, 2) + 0.0:.2f}".replace("-", "−"),
            visible(self._turn.tape.meaning(self.at)),
        )

    def doubts(self, width: int) -> list[int]:
        """How unsure the tokens were, 0 to 3, over so many columns; each has the worst of those it stands for."""
        count = self.count  # once: the engine may not stand still yet
        levels = [sum(self._turn.tape.logprob(index) <= doubt for doubt in _DOUBTS) for index in range(count)]
        columns = min(width, count)
        edges = [column * count // columns for column in range(columns + 1)]
        return [max(levels[first:last]) for first, last in pairwise(edges)]

    def column(self, width: int) -> int:
        """The column of the place among those of `doubts`."""
        count = self.count
        columns = min(width, count)
        return next(column for column in range(columns) if (column + 1) * count // columns > self.at)

    @property
    def changes_nothing(self) -> bool:
        """Whether the file is as it was, after the token."""
        return not branching.hunks_at(self._turn, self.at)

    @property
    def takes_words(self) -> bool:
        """Whether words can go on from here."""
        return branching.takes_words(self._turn, self.at)

    @property
    def in_name(self) -> bool:
        """Whether it is a name that is being written, not a line."""
        return self._turn.tape.read(self.at).in_name

    def line(self) -> str | None:
        """The half-written line, if there is one that can be shown as it is."""
        line = self._turn.tape.read(self.at).open_line
        return line if line is not None and is_plain(line) else None

    def branch(self, words: str, *, fixed: bool) -> str:
        """What a branch begins with. Args: fixed: the words are the whole line. Raises: UsageError: they do not fit."""
        return (branching.with_line if fixed else branching.with_words)(self._turn, self.at, words)
