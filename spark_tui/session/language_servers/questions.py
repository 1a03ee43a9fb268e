"""What a language server is asked about an edit, and what it finds."""

from dataclasses import dataclass, field
from pathlib import Path
from threading import Event

from spark_tui.editing.multi_file import changed
from spark_tui.editing.syntax import is_large
from spark_tui.editing.text import Text
from spark_tui.session.language_servers.catalog import ServerKind
from spark_tui.session.language_servers.diagnostics import TypeFault


@dataclass(frozen=True, slots=True)
class FileVersions:
    """A file before and after an edit; None where there is none."""

    path: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class Question:
    """What a server is asked.

    Attributes:
        files: The files of an edit, as they are without and with the edit.
        is_first: Whether the question is the first of a turn, so that the disk may have changed.
    """

    files: tuple[FileVersions, ...]
    is_first: bool = False


@dataclass(frozen=True, slots=True)
class Findings:
    """What a server found.

    Attributes:
        known: The errors of each file as it is without the edit, by path.
        added: The errors that the edit adds, each with its file.
    """

    known: dict[str, tuple[TypeFault, ...]] = field(default_factory=dict)
    added: tuple[tuple[str, TypeFault], ...] = ()


class Answer:
    """The answer of a server, once there is one. Mutable; one thread gives it, others wait.

    Attributes:
        findings: None until there is an answer, and where the server was lost or cannot read the
            text.
        is_dropped: Whether another question took the place of this one.
    """

    def __init__(self) -> None:
        self.findings: Findings | None = None
        self.is_dropped = False
        self._given = Event()

    def give(self, findings: Findings | None) -> None:
        """End the wait with what was found."""
        self.findings = findings
        self._given.set()

    def drop(self) -> None:
        """End the wait with nothing."""
        self.is_dropped = True
        self._given.set()

    @property
    def is_pending(self) -> bool:
        """Whether the server may still answer."""
        return not self._given.is_set()

    def wait(self, seconds: float) -> Findings | None:
        """Wait for the findings; None where there are none in time."""
        self._given.wait(seconds)
        return self.findings


def file_versions(
    base: Text, proposed: Text, path: str, kind: ServerKind
) -> tuple[FileVersions, ...]:
    """The versions of an edit's files that a server reads; none where it would misread one.

    Args:
        path: The path of a text that is a lone file.
    """
    files = []
    for each in changed(base, proposed, path):
        if Path(each.path).suffix not in kind.languages:
            continue
        if not (_is_readable(each.before) and _is_readable(each.after)):
            return ()
        files.append(FileVersions(each.path, _source(each.before), _source(each.after)))
    return tuple(files)


def _is_readable(text: Text | None) -> bool:
    """Whether a server counts the lines of a text as spark does, and it is not too large."""
    if text is None:
        return True
    # The protocol ends a line at a lone CR as well, so line numbers would differ. A surrogate
    # stands for a byte that is not UTF-8, which JSON cannot carry.
    if is_large(text) or any("\r" in line for line in text.lines):
        return False
    source = "".join(text.raw)
    return source.isascii() or not any("\ud800" <= char <= "\udfff" for char in source)


def _source(text: Text | None) -> str | None:
    return None if text is None else "".join(text.raw)
