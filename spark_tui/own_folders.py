"""Advises what to do about a folder of spark's own that cannot be read or written.

Most often `sudo spark` has left it, so that it belongs to root.
"""

import errno
import os
import shlex
from pathlib import Path

from spark_tui import system
from spark_tui.remedies import LIMITS, NO_ROOM, UNREADABLE

_NAME = "spark"
_NOT_OF_THE_FOLDER = LIMITS | UNREADABLE
"""Errors that another folder would not help against."""


def remedy(error: OSError, path: Path, variable: str) -> str:
    """Say what to do where a file or folder of spark's own cannot be read or written.

    Args:
        error: The error of the system.
        path: The file or folder.
        variable: The one that names another place.
    """
    if error.errno in _NOT_OF_THE_FOLDER:
        return _NOT_OF_THE_FOLDER[error.errno]
    elsewhere = f"set {variable} to a folder of yours"
    if error.errno in NO_ROOM:
        return f"{NO_ROOM[error.errno]}, or {elsewhere}"
    if error.errno not in {errno.EACCES, errno.EPERM}:
        return elsewhere
    folder = _barrier(path)
    user = system.own_id()
    try:
        is_ours = folder.lstat().st_uid == user and _all_ours(folder, user)
    except OSError:
        is_ours = False
    quoted = shlex.quote(str(folder))
    if is_ours:
        return f"`chmod -R u+rwX {quoted}` opens it, or {elsewhere}"
    return f"`sudo chown -R {system.name_of(user)} {quoted}` makes it yours, or {elsewhere}"


def trouble_in(folder: Path) -> OSError | None:
    """Find out why something in a folder of spark's own cannot be read.

    Returns:
        None where everything can be read, or where the folder does not exist.
    """
    # A folder that is not there yet is no trouble, unless a folder above cannot be entered: then
    # nothing tells whether it is there.
    if not os.path.lexists(folder) and os.access(_nearest(folder), os.X_OK):
        return None
    found = list[OSError]()
    for place, _, files in os.walk(folder, onerror=found.append):
        paths = (f"{place}/{name}" for name in files)
        closed = (path for path in paths if not os.access(path, os.R_OK))
        denied = os.strerror(errno.EACCES)
        found += [PermissionError(errno.EACCES, denied, path) for path in closed]
        if found:
            break
    return found[0] if found else None


def files_in(folder: Path, ending: str) -> list[Path]:
    """Return the paths in a folder with an ending, sorted; none where it cannot be read."""
    try:
        return sorted(path for path in folder.iterdir() if path.name.endswith(ending))
    except OSError:
        return []


def _barrier(path: Path) -> Path:
    """The outermost folder in the way: another user's below one of ours, else spark's own."""
    below_ours = False
    for folder in (*reversed(path.parents), path):
        try:
            owner = folder.lstat().st_uid
        except OSError:
            break
        if folder.name == _NAME or (below_ours and owner != system.own_id()):
            return folder
        below_ours = below_ours or owner == system.own_id()
    return _nearest(path)


def _nearest(path: Path) -> Path:
    """A path, or the first of the folders above that is there, as far as the system tells."""
    candidates = (path, *path.parents)
    return next((each for each in candidates if os.path.lexists(each)), candidates[-1])


def _all_ours(folder: Path, user: int) -> bool:
    """Whether all in a folder belongs to the user, as far as the folder can be read."""
    for place, folders, files in os.walk(folder):
        if any(os.lstat(f"{place}/{name}").st_uid != user for name in (*folders, *files)):
            return False
    return True
