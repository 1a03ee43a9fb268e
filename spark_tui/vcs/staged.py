"""What spark staged for which batch, kept beside the index that it is about; the index's lock guards it."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from spark_tui.vcs.framing import frame, unframe
from spark_tui.vcs.index import Entry, Index
from spark_tui.vcs.repository import Repository

_NAME = "spark-staged"
_MOST = 200
"""Steps that are remembered."""


@dataclass(frozen=True, slots=True)
class Step:
    """What a change came to in the index. Args: batch: its id. before, after: the entry of `path`; None: none."""

    batch: str
    path: str
    before: Entry | None
    after: Entry | None


class Staged:
    """The steps taken in the index of one work tree."""

    def __init__(self, repo: Repository, index: Index) -> None:
        self._file = repo.git_dir / _NAME
        self._index = index

    def note(self, steps: Sequence[Step]) -> None:
        """Remember steps that are about to be taken. The caller holds the index. Raises: FileError."""
        kept = [*self._read(), *(each for each in steps if each.before != each.after)][-_MOST:]
        self._index.keep(_NAME, b"".join(frame(asdict(each)) for each in kept))

    def last(self, batch: str) -> dict[str, Step]:
        """What was last staged for a batch, by path."""
        return {each.path: each for each in self._read() if each.batch == batch}

    def _read(self) -> list[Step]:
        """Those that can be read: without one, the user is told what the index holds."""
        try:
            lines = self._file.read_bytes().splitlines()
        except OSError:
            return []
        return [_step(body) for body in map(unframe, lines) if body is not None]


def _step(body: Mapping[str, Any]) -> Step:
    return Step(body["batch"], body["path"], _entry(body["before"]), _entry(body["after"]))


def _entry(body: Mapping[str, Any] | None) -> Entry | None:
    return None if body is None else Entry(body["mode"], body["blob"])
