"""A staged copy and a file change places, in one step; what an editor saved in that instant goes back.

Nothing is deleted here: what was replaced lies under the copy's name afterwards.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from spark_tui.errors import Conflict, FileError
from spark_tui.vcs.attributes import Attributes
from spark_tui.vcs.disk import Disk
from spark_tui.vcs.faults import told
from spark_tui.vcs.journal import Tell
from spark_tui.vcs.leases import open_for_writing
from spark_tui.vcs.paths import folder_of, has_folder, open_regular, read_in, read_open
from spark_tui.vcs.renames import UNSUPPORTED
from spark_tui.vcs.store import content_hash

_ROUNDS = 100  # of giving saves back, each a save of the editor's made within microseconds of the one before


@dataclass(frozen=True, slots=True)
class _Spot:
    """A file and its copy, in an open folder."""

    path: str
    folder: int
    name: str
    copy: str

    def identity(self, name: str) -> tuple[int, int] | None:
        """Which file a name stands for; None: none."""
        try:
            status = os.lstat(name, dir_fd=self.folder)
        except FileNotFoundError:
            return None
        return status.st_dev, status.st_ino

    def content(self, name: str) -> str | None:
        """The hash of what a name stands for; None: no regular file. Raises: OSError: it cannot be read."""
        try:
            return content_hash(read_in(self.folder, name, self.path))
        except (FileNotFoundError, FileError):
            return None

    def beside(self, word: str) -> str:
        """A name for something to keep beside the file, which says what it is and of which batch."""
        return f"{self.name}.{word}{self.copy.removeprefix('.spark').removesuffix('.tmp')}"


class Swapper:
    """Exchanges files of a work tree for copies staged beside them.

    Args: tell: hears what became of versions that are kept beside a file.
    """

    def __init__(self, root: Path, disk: Disk, tell: Tell) -> None:
        self._root = root
        self._disk = disk
        self._tell = tell

    def swap(self, path: str, copy: str, old: str | None, new: str | None, *, propose: bool = True) -> None:
        """Put the copy in the place of a file, and the file in the copy's.

        Args: copy: the name of the copy beside the file. old: the hash of what must come out (None: nothing may be
            there). new: that of the copy (None: there is none, the file only goes). propose: keep the copy for the
            user where it cannot take the file's place.
        Raises: Conflict: something else came out, and is back. FileError: the disk refused.
        """
        with told(f"cannot replace {path}"), folder_of(self._root, path) as (folder, name):
            spot = _Spot(path, folder, name, copy)
            if old is None:
                self._put(spot)
            elif new is None:
                self._take(spot, old)
            else:
                self._exchange(spot, old, new, propose=propose)

    def holds(self, path: str, copy: str, content: str) -> bool:
        """Whether what lies under the copy's name has this hash."""
        with told(f"cannot look next to {path}"), folder_of(self._root, path) as (folder, name):
            return _Spot(path, folder, name, copy).content(copy) == content

    def give_back(self, path: str, copy: str, known: set[str | None]) -> None:
        """Put back what an editor saved, should a crash have left it under the copy's name.

        Args: known: the hashes of what spark itself puts there.
        Raises: FileError: the disk refused.
        """
        with told(f"cannot look next to {path}"):
            if not has_folder(self._root, path):
                return
        with told(f"cannot put back {path}"), folder_of(self._root, path) as (folder, name):
            spot = _Spot(path, folder, name, copy)
            if spot.identity(copy) is not None and spot.content(copy) not in known - {None}:
                ours, content = spot.identity(spot.name), spot.content(spot.name)
                if ours is None or (content is not None and content in known):
                    self._return_saves(spot, ours, content)
                else:
                    self._keep(spot, "saved")

    def _put(self, spot: _Spot) -> None:
        try:
            self._disk.move(spot.copy, spot.name, folder=spot.folder)
        except FileExistsError as e:
            raise Conflict(f"{spot.path} exists already; nothing was written: review it again") from e
        if not self._reached(spot):
            self._disk.move(spot.name, spot.copy, folder=spot.folder)
            raise Conflict(f"the folder of {spot.path} was moved meanwhile; nothing was written: try again")

    def _take(self, spot: _Spot, old: str) -> None:
        try:
            self._disk.move(spot.name, spot.copy, folder=spot.folder)
        except FileNotFoundError as e:
            raise Conflict(f"{spot.path} is gone; nothing was written: review it again") from e
        if self._came_out(spot, old, None):
            return
        try:
            self._disk.move(spot.copy, spot.name, folder=spot.folder)
        except FileExistsError:
            self._keep(spot, "saved")
        raise Conflict(f"{_meanwhile(spot)}; nothing was written: review it again")

    def _exchange(self, spot: _Spot, old: str, new: str, *, propose: bool) -> None:
        ours = spot.identity(spot.copy)
        with open_regular(spot.folder, spot.copy, spot.path) as file:
            attributes = Attributes.of(file)
        try:
            self._disk.exchange(spot.copy, spot.name, folder=spot.folder)
        except FileNotFoundError as e:
            raise Conflict(f"{spot.path} is gone; nothing was written: review it again") from e
        except OSError as e:
            if e.errno not in UNSUPPORTED:
                raise
            self._rename(spot, old)
            return
        if not self._came_out(spot, old, attributes):
            self._return_saves(spot, ours, new)
            kept = self._kept_aside(spot, new) if propose else ""
            raise Conflict(f"{_meanwhile(spot)}{kept}; no other file was changed: review it again")

    def _rename(self, spot: _Spot, old: str) -> None:
        """Replace the file where the file system knows no exchange: all there is left is to look just before."""
        if spot.content(spot.name) != old:
            raise Conflict(f"{spot.path} has changed on disk; nothing was written: review it again")
        self._disk.rename(spot.copy, spot.name, folder=spot.folder)
        self._tell(f"{spot.path}: this file system cannot swap two files; save nothing there while spark writes")

    def _came_out(self, spot: _Spot, old: str, like: Attributes | None) -> bool:
        """Whether what lies under the copy's name is the old content, and nobody is about to change it.

        Args: like: the attributes it must have; None: any.
        Raises: OSError: the look itself failed, which tells nothing of the file.
        """
        try:
            with open_regular(spot.folder, spot.copy, spot.path) as file:
                return (
                    not open_for_writing(file)
                    and (like is None or (os.fstat(file).st_nlink == 1 and Attributes.of(file) == like))
                    and content_hash(read_open(file)) == old
                    and self._reached(spot)
                )
        except (FileNotFoundError, FileError):
            return False

    def _reached(self, spot: _Spot) -> bool:
        """Whether the path still leads to the folder that was opened."""
        try:
            with folder_of(self._root, spot.path) as (folder, _):
                return os.path.samestat(os.fstat(folder), os.fstat(spot.folder))
        except (FileNotFoundError, FileError):
            return False

    def _return_saves(self, spot: _Spot, ours: tuple[int, int] | None, new: str | None) -> None:
        """Exchange until what comes out is ours: what an editor saves meanwhile goes back in its turn."""
        expected = ours
        for _ in range(_ROUNDS):
            save = spot.identity(spot.copy)
            self._swap_names(spot)
            out = spot.identity(spot.copy)
            if out is None or (out == expected and (out != ours or spot.content(spot.copy) == new)):
                return
            expected = save
        self._keep(spot, "saved")

    def _swap_names(self, spot: _Spot) -> None:
        try:
            self._disk.exchange(spot.copy, spot.name, folder=spot.folder)
        except FileNotFoundError:
            try:
                self._disk.move(spot.copy, spot.name, folder=spot.folder)
            except FileExistsError:
                self._disk.exchange(spot.copy, spot.name, folder=spot.folder)

    def _kept_aside(self, spot: _Spot, new: str) -> str:
        """Keep what lies under the copy's name, if anything; returns where spark's version is, as part of a message."""
        if spot.content(spot.copy) == new:
            return f", and spark's is beside it in {self._keep(spot, 'proposed')}"
        if spot.identity(spot.copy) is not None:
            self._keep(spot, "saved")
        return ""

    def _keep(self, spot: _Spot, word: str) -> str:
        """Give what lies under the copy's name one that tells what it is; returns its path."""
        kept = spot.beside(word)
        self._disk.move(spot.copy, kept, folder=spot.folder)
        path = str(Path(spot.path).parent / kept)
        whose = "spark's version" if word == "proposed" else "an earlier version that a program saved"
        self._tell(f"{spot.path} was saved by another program meanwhile; {whose} is in {path}")
        return path


def _meanwhile(spot: _Spot) -> str:
    return f"{spot.path} was saved by another program while spark was writing it; that version stays"
