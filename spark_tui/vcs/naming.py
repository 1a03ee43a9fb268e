"""Which journal is a work tree's own, wherever it was moved; a copy of it, or another one in its place, has another.

A file `spark-id` in the git directory names the journal. It moves along and is copied along, so the journal says beside
itself where it was used last: the mover is known by its directory's number, a copy has neither number nor place.
"""

import os
import re
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from spark_tui.vcs.disk import Disk
from spark_tui.vcs.faults import told
from spark_tui.vcs.framing import frame, unframe
from spark_tui.vcs.repository import Repository
from spark_tui.vcs.store import write_whole

_ID_FILE = "spark-id"
_PLACE_FILE = "place"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,99}")


@dataclass(frozen=True, slots=True)
class _Place:
    """A work tree. `number`: of its git directory, as the system counts. `marked`: that directory names the journal."""

    root: str
    number: str
    marked: bool


class Naming:
    """Finds the name of a work tree's journal, and keeps it found.

    Args: repo: whose. folder: of all journals. disk: the system calls to use.
    Raises: FileError: the git directory cannot be looked at.
    """

    def __init__(self, repo: Repository, folder: Path, disk: Disk | None = None) -> None:
        self._repo, self._folder, self._disk = repo, folder, disk or Disk()
        self._id_file = repo.git_dir / _ID_FILE
        self.older: Path | None = None
        """A journal that was this one's, or that of its place, by the looks of it, and is not used."""
        self.name = self._find()

    def claim(self) -> None:
        """Have the work tree name its journal from now on, whose folder exists; where it cannot, its place does."""
        wanted = self._place(marked=True)
        if self._said() == self.name and self._known(self.name) == wanted:
            return
        marked = self._said() == self.name or self._mark()
        place = {"root": wanted.root, "number": wanted.number, "marked": marked}
        with suppress(OSError):  # the name alone will do until the work tree is moved
            write_whole(self._folder / self.name / _PLACE_FILE, frame(place), self._disk)

    def _find(self) -> str:
        here = self._place(marked=True)
        if said := self._said():
            known = self._known(said)
            if known is None or known.number == here.number or known.root == here.root:
                return said
            self.older = self._folder / said
        names = (f"{self._repo.key}-{number}" if number else self._repo.key for number in count())
        return next(name for name in names if self._is_free(name, here))

    def _is_free(self, name: str, here: _Place) -> bool:
        """Whether a name is nobody else's."""
        if not os.path.lexists(self._folder / name):
            return True
        known = self._known(name)
        if known is None or (known.root == here.root and not known.marked):
            return True
        if known.root == here.root:
            self.older = self._folder / name
        return False

    def _place(self, *, marked: bool) -> _Place:
        with told(f"cannot look at {self._repo.git_dir}"):
            status = self._repo.git_dir.stat()
        return _Place(os.fspath(self._repo.root), f"{status.st_dev:x}-{status.st_ino:x}", marked)

    def _said(self) -> str:
        """What the git directory names; "" when that is nothing, or no name."""
        try:
            said = self._id_file.read_bytes()[:200].decode("ascii", "replace").strip()
        except OSError:
            return ""
        return said if _NAME.fullmatch(said) else ""

    def _known(self, name: str) -> _Place | None:
        """Where a journal was used last; None when it does not say."""
        try:
            body = unframe((self._folder / name / _PLACE_FILE).read_bytes().rstrip(b"\n"))
        except OSError:
            return None
        if body is None:
            return None
        root, number, marked = (body.get(key) for key in ("root", "number", "marked"))
        if isinstance(root, str) and isinstance(number, str) and isinstance(marked, bool):
            return _Place(root, number, marked)
        return None  # spark cannot have written this

    def _mark(self) -> bool:
        """Write the name into the git directory. Returns: whether that was possible."""
        try:
            self._disk.remove(str(self._id_file))
            self._disk.put(str(self._id_file), 0o600, self.name.encode("ascii") + b"\n")
        except OSError:
            return False
        return True
