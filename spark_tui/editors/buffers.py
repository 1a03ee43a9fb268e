"""The files of a repository as an editor has them, unsaved text included."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from spark_tui.editors.editor import Editor
from spark_tui.errors import SparkError
from spark_tui.vcs.repository import MOST_READ, Repository


@dataclass(frozen=True)
class BufferedRepository(Repository):
    """A repository that reads some of its files as an editor has them.

    Attributes:
        buffers: The unsaved texts, by path; all other files are read from the disk. Mutable.
    """

    buffers: dict[str, bytes] = field(default_factory=dict, repr=False, compare=False)

    def read(self, path: str, most: int = -1) -> bytes:
        """See `Repository.read`."""
        data = self.buffers.get(path)
        if data is None:
            return super().read(path, most)
        return data if most < 0 else data[:most]

    def read_each(self, paths: Iterable[str], most: int) -> Iterator[tuple[str, bytes]]:
        """See `Repository.read_each`."""
        for path, data in super().read_each(paths, most):
            buffer = self.buffers.get(path)
            yield path, data if buffer is None else buffer[:most]

    def size(self, path: str) -> int:
        """See `Repository.size`."""
        data = self.buffers.get(path)
        return super().size(path) if data is None else len(data)

    def saved(self, path: str) -> bytes:
        """The bytes of a file on disk.

        Raises:
            FileError: See `read`.
        """
        return super().read(path)


class OpenFiles:
    """The files of a repository as an editor has them. Mutable.

    Args:
        editor: Asked for the texts.
        repo: Given the unsaved texts.
    """

    def __init__(self, editor: Editor, repo: BufferedRepository) -> None:
        self._editor = editor
        self._repo = repo
        self._seen = set[str]()

    async def look(self, paths: Iterable[str]) -> bool:
        """Have files read as the editor has them, from now on until `forget`.

        Args:
            paths: The paths of the files, from the root.

        Returns:
            Whether one of them, not looked at before, is unsaved.
        """
        is_news = False
        for path in paths:
            if path in self._seen:
                continue
            self._seen.add(path)
            text = await self.unsaved(path)
            if text is not None:
                self._repo.buffers[path] = text
                is_news = True
        return is_news

    def forget(self) -> None:
        """Have all files read from the disk again."""
        self._seen.clear()
        self._repo.buffers.clear()

    async def unsaved(self, path: str) -> bytes | None:
        """The text of a file as the editor has it; None if the disk has the same.

        Editors send lines without their CR, and some omit the end of the last line; some send an
        empty text for a file that they cannot read.

        Args:
            path: The path of the file, from the root.
        """
        try:
            on_disk = self._repo.saved(path).decode("utf-8")
        except (SparkError, UnicodeDecodeError):  # no file, or no text that an editor could send
            return None
        text = await self._editor.read(str(self._repo.root / path))
        if not text or "\0" in text or _bare(text) == _bare(on_disk):
            return None
        data = text.encode("utf-8")
        return data if len(data) <= MOST_READ else None


def _bare(text: str) -> str:
    return text.removeprefix("\ufeff").replace("\r\n", "\n").removesuffix("\n")
