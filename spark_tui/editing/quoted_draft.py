"""A script that quotes, read as it is written, in pieces of any size: it knows no tokens."""

from collections.abc import Sequence

from spark_tui.editing.identifiers import substitute
from spark_tui.editing.quoting import ADD, NONE, RENAME, Applied


class QuotedDraft:
    """One answer as far as it is written. Mutable. Args: lines: the region.

    `script`: its closed lines; `open`: the bytes of the line being written; `applied`: the region as far as it is
    closed.
    """

    line_mark = ADD
    """What a new line begins with."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.applied = Applied(lines)
        self.script: list[str] = []
        self.open = b""
        self._finished = False

    @property
    def kind(self) -> str | None:
        """What kind of edit it is, as far as the script tells."""
        if not self.script:
            return None
        return NONE if self.script[0] == NONE else "rename" if self.script[0].startswith(RENAME) else "edit"

    @property
    def declined(self) -> bool:
        """Whether it says that nothing is to be changed."""
        return self.script[:1] == [NONE]

    @property
    def renamed(self) -> tuple[tuple[str, str], ...]:
        """The identifiers that are renamed: the old name and the new one."""
        pairs = [line.removeprefix(RENAME).split(" ") for line in self.script if line.startswith(RENAME)]
        return tuple((old, new) for old, new in pairs)

    @property
    def open_line(self) -> str | None:
        """The new line that is being written, as far as it is; None elsewhere."""
        opened = self.open.decode("utf-8", "ignore")
        return opened.removeprefix(ADD) if opened.startswith(ADD) else None

    missed: tuple[str, ...] = ()

    talks = False

    @property
    def in_name(self) -> bool:
        """Whether the new name of a renaming is being written."""
        return self.open.startswith(RENAME.encode()) and self.open.count(b" ") > 1

    def take(self, piece: bytes) -> bool:
        """Go on. Returns: whether that closed a line. Raises: QuotingError: the line does not fit the region."""
        *closed, self.open = (self.open + piece).split(b"\n")
        for written in closed:
            line = written.decode("utf-8", "replace")
            self.applied.take(line)
            self.script.append(line)
        return bool(closed)

    def finish(self) -> None:
        """The script is complete: nothing that it took away comes back otherwise."""
        self._finished = True

    def lines(self) -> list[str]:
        """The region as if the script ended after the line being written; one just begun is no blank one."""
        opened = self.open.decode("utf-8", "ignore")
        if opened.startswith(RENAME):
            _, old, new = (*opened.split(" "), "", "")[:3]
            return substitute(self.applied.result(), old, new) if new else self.applied.result()
        added = [opened.removeprefix(ADD)] if opened.startswith(ADD) and opened != ADD else []
        return [*self.applied.closed, *added, *self.applied.rest()]

    def settled(self) -> list[str]:
        """The region with what is fully written only."""
        return self.applied.result() if self._finished else self.applied.settled()
