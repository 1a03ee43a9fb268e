"""What the user sent before, kept for later starts: a line each in a file of the repository's own, private to the user.

Knows no secrets, and so keeps nothing that begins with a space, as shells do.
"""

import os
from pathlib import Path

from spark_tui.errors import FileError
from spark_tui.vcs.disk import Disk
from spark_tui.vcs.framing import frame, unframe
from spark_tui.vcs.store import append_line, remove_temporaries, sync_folder, write_whole

MOST_KEPT = 1000
"""Of what was sent; the oldest are forgotten when the file is read."""
MOST_CHARACTERS = 20_000
"""Of one that is kept."""
MOST_BYTES = 4 << 20
"""What is read of the file: its end."""


class History:
    """A file of what was sent. A crash while one is added loses that one at most.

    Args: file: outside the repository; made with the first. disk: the system calls to use.
    """

    def __init__(self, file: Path, disk: Disk | None = None) -> None:
        self._file = file
        self._disk = disk or Disk()

    def add(self, text: str) -> None:
        """Keep a text that says something and does not begin with a space. Raises: FileError: the disk refused."""
        if not text.strip() or text.startswith(" ") or len(text) > MOST_CHARACTERS:
            return
        try:
            self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            append_line(self._file, frame({"text": text}), self._disk, sync=False)
        except OSError as e:
            raise FileError(f"cannot keep what was sent in {self._file}: {e.strerror}") from e

    def load(self) -> list[str]:
        """What was sent, the oldest first, each only where it was sent last. Damaged lines are left out.

        Raises: FileError: it cannot be read.
        """
        try:
            lines, cut = self._lines()
        except FileNotFoundError:
            return []
        except OSError as e:
            raise FileError(f"cannot read what was sent before in {self._file}: {e.strerror}") from e
        texts = [text for line in lines if isinstance(text := (unframe(line) or {}).get("text"), str)]
        newest = list(dict.fromkeys(reversed(texts)))[:MOST_KEPT][::-1]
        if cut or len(lines) > 2 * MOST_KEPT:
            self._shorten(newest)
        return newest

    def _lines(self) -> tuple[list[bytes], bool]:
        """The lines at the end of the file, and whether there are others."""
        with self._file.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - MOST_BYTES))
            lines = file.read(MOST_BYTES).split(b"\n")[:-1]
        return lines[size > MOST_BYTES :], size > MOST_BYTES

    def _shorten(self, texts: list[str]) -> None:
        try:
            write_whole(self._file, b"".join(frame({"text": text}) for text in texts), self._disk)
            sync_folder(self._file.parent, self._disk)
            remove_temporaries(self._file.parent, self._disk)
        except OSError:
            return  # it stays long; what is in it was read
