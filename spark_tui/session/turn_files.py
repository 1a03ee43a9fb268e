"""The files that a turn is about: one, or several under review together (see `editing.documents`)."""

from collections.abc import Iterable

from spark_tui.editing.documents import apart, changed, joined
from spark_tui.editing.headings import is_document, sections
from spark_tui.editing.text import Text
from spark_tui.errors import FileError
from spark_tui.session.turn import Turn
from spark_tui.vcs.repository import Repository
from spark_tui.vcs.write import FileChange


def has_several(turn: Turn) -> bool:
    """Whether several files are under review together, or may be."""
    return is_document(turn.base.raw)


def paths_of(turn: Turn) -> tuple[str, ...]:
    """The files that it is about, and those it would bring, relative to the root; the caller holds the lock."""
    if not has_several(turn):
        return (str(turn.region.path),)
    found = [each.path for each in sections(turn.base.raw)]
    known = len(found)
    for text in (turn.review.base, turn.file.proposal, turn.review.proposed):  # which are all in the same order
        at = known
        for path in (each.path for each in sections(text.raw)):
            if path not in found:
                found.insert(at, path)
            at = max(at, found.index(path) + 1)
    return tuple(found)


def changes_between(before: Text, after: Text, path: str) -> tuple[FileChange, ...]:
    """What leads from one version of what a turn is about to another, file by file. Args: path: of a lone file."""
    return tuple(FileChange(each, _bytes(old), _bytes(new)) for each, old, new in changed(before, after, path))


def _bytes(text: Text | None) -> bytes | None:
    return None if text is None else text.to_bytes()


def on_disk(repo: Repository, turn: Turn) -> Text:
    """What a turn is about as it is on disk now. Raises: FileError: a lone file is gone, or one is no text any more."""
    if not has_several(turn):
        path = str(turn.region.path)
        return Text.from_bytes(repo.read(path), path)
    with turn.lock:
        paths = paths_of(turn)
    return joined({path: text for path in paths if (text := _read(repo, path)) is not None})


def with_files(turn: Turn, changes: Iterable[FileChange], *, before: bool) -> Text:
    """What a turn is about with files as changes have them; the caller holds the lock. Args: before: as they were."""
    images = {each.path: each.before if before else each.after for each in changes}
    if not has_several(turn):
        return Text.from_bytes(images[turn.region.path] or b"", turn.region.path)
    known = apart(turn.review.base) | {
        path: Text.from_bytes(data, path) for path, data in images.items() if data is not None
    }
    gone = {path for path, data in images.items() if data is None}
    return joined({path: known[path] for path in paths_of(turn) if path in known and path not in gone})


def _read(repo: Repository, path: str) -> Text | None:
    try:
        return Text.from_bytes(repo.read(path), path)
    except FileError:
        return None
