"""Files of a change whose places are taken: by a folder, or by a file where their folder was.

Spark writes files one by one, and no file can be written where a folder is, or within another file.
So a file that becomes a folder, or a folder that becomes a file, gets a reason why it is not
reviewed by hunk. It is named and stays as it is, and all other files can be decided.
"""

from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath

from spark_tui.errors import FileError, UsageError
from spark_tui.vcs.changes import ChangeStatus, FileVersions
from spark_tui.vcs.safe_paths import file_mode, identity

_GOES = frozenset({ChangeStatus.DELETED, ChangeStatus.RENAMED})
_COMES = frozenset({ChangeStatus.ADDED, ChangeStatus.RENAMED})


def with_exchanged_places(files: Collection[FileVersions]) -> tuple[FileVersions, ...]:
    """The files of a change, with a reason where one gives its place to another.

    Reasons are worded to follow the path.
    """
    gone = frozenset(file.old_path for file in files if file.status in _GOES)
    come = frozenset(file.path for file in files if file.status in _COMES)
    reasons = dict(_exchanges(gone, come))
    return tuple(_with_reason(file, reasons) for file in files)


def _exchanges(gone: frozenset[str], come: frozenset[str]) -> Iterator[tuple[str, str]]:
    """The paths of files that exchange places with a folder, each with its reason."""
    for path in come:
        for folder in gone.intersection(_folders_of(path)):
            yield path, f"is in a folder that takes the place of {folder}"
            yield folder, "becomes a folder"
    for path in gone:
        for file in come.intersection(_folders_of(path)):
            yield path, f"is in a folder that gives way to {file}"
            yield file, "takes the place of a folder"


def _folders_of(path: str) -> list[str]:
    return [str(folder) for folder in PurePosixPath(path).parents]


def with_blocked_places(root: Path, files: Collection[FileVersions]) -> tuple[FileVersions, ...]:
    """The files of a change of the work tree, with a reason where one cannot be brought back."""
    reasons: dict[str, str] = {}
    for file in files:
        if file.status in _GOES and (obstacle := _obstacle(root, file)):
            reasons[file.old_path] = f"cannot be brought back: {obstacle}"
    return tuple(_with_reason(file, reasons) for file in files)


def _obstacle(root: Path, file: FileVersions) -> str:
    """What stands where a file was, in words, or ""."""
    path = file.old_path
    try:
        if file_mode(root, path) is None:
            return ""
    except (FileError, UsageError) as e:
        return str(e)
    if file.path != path and identity(root, file.path) == identity(root, path):
        return f"{path} and {file.path} are one file on this disk"
    return f"{path} is a folder now" if (root / path).is_dir() else f"{path} is no file now"


def _with_reason(file: FileVersions, reasons: dict[str, str]) -> FileVersions:
    """A file with the reason that one of its paths has."""
    reason = reasons.get(file.path, "")
    if not reason and file.old_path in reasons:
        reason = f"was {file.old_path}, which {reasons[file.old_path]}"
    if file.reason or not reason:
        return file
    return replace(file, before=None, after=None, reason=reason)
