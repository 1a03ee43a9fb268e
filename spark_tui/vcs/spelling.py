"""How the name of a file is spelled where several spellings are one file.

macOS takes `README.md` and `readme.md` for one name, and so it does with an accented letter that is
one character (composed, NFC) or two (decomposed, NFD). Git knows a file by one spelling only. Here
the spellings that people type are brought together with those that the disk and git list. The
system is not asked what kind of file system it has: two spellings are one file where they lead to
the same file.
"""

import os
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path


def are_one(path: Path, other: Path) -> bool:
    """Whether two names lead to one file; links are not followed."""
    try:
        return os.path.samestat(os.lstat(path), os.lstat(other))
    except (OSError, ValueError):
        return False


def folded(path: str) -> str:
    """The same text for all spellings of a path: in one case, and composed.

    Source:
        The Unicode Standard, section 3.13, canonical caseless matching.
    """
    if path.isascii():
        return path.lower()
    return composed(unicodedata.normalize("NFD", path).casefold())


def composed(path: str) -> str:
    """A path with each accented letter as one character, as most keyboards write it (NFC)."""
    if path.isascii():
        return path
    return unicodedata.normalize("NFC", path)


def ignores_case(root: Path) -> bool:
    """Whether the top of a work tree is on a file system that ignores case.

    Git finds out about its own folder in this way when it creates a repository (core.ignorecase).
    """
    return are_one(root / ".git", root / ".GIT")


def on_disk(path: Path) -> Path:
    """Spell an absolute path as the disk lists its folders and its file.

    Returns:
        The path as it is where every spelling is another file, or nothing is there.
    """
    folder = Path(path.anchor)
    for name in path.parts[1:]:
        folder /= _listed_name(folder, name)
    return folder


def in_git(root: Path, path: str, names: Iterable[str]) -> str:
    """Spell a path as git does, or as much of it as git knows.

    Args:
        root: The top of the work tree.
        path: Relative to it, as the disk lists it; the file need not be there.
        names: The paths that git lists.
    """
    parts = path.split("/")
    best = path
    most = 0
    for name in names:
        known = name.split("/")
        count = _common(parts, known)
        if count > most and are_one(root.joinpath(*parts[:count]), root.joinpath(*known[:count])):
            best = "/".join([*known[:count], *parts[count:]])
            most = count
    return best


def repeated(root: Path, paths: Iterable[str]) -> list[list[str]]:
    """Group the paths that are one file by several spellings, in the order of the paths."""
    is_folding = ignores_case(root)
    groups: dict[str, list[str]] = {}
    for path in paths:
        if is_folding or not path.isascii():
            groups.setdefault(folded(path), []).append(path)
    repeated_files: list[list[str]] = []
    for group in groups.values():
        if len(group) > 1:
            repeated_files += _same_files(root, group)
    return repeated_files


def _same_files(root: Path, paths: Iterable[str]) -> list[list[str]]:
    """Group the paths that lead to one file, by device and inode."""
    files: dict[tuple[int, int], list[str]] = {}
    for path in paths:
        with suppress(OSError, ValueError):
            status = os.lstat(root / path)
            files.setdefault((status.st_dev, status.st_ino), []).append(path)
    return [same for same in files.values() if len(same) > 1]


def _listed_name(folder: Path, name: str) -> str:
    """The name that a folder lists for the file that a name leads to."""
    # Most file systems tell all spellings apart. A few looks show that, so only the others pay for
    # a listing of the folder.
    if not any(are_one(folder / name, folder / other) for other in _spellings(name)):
        return name
    try:
        listed = os.listdir(folder)  # noqa: PTH208 - the names alone
    except OSError:
        return name
    wanted = folded(name)
    same = [other for other in listed if folded(other) == wanted]
    if not same or name in same:
        return name
    return same[0]


def _spellings(name: str) -> Iterator[str]:
    """Other spellings of a name, one of each kind."""
    composed_name = unicodedata.normalize("NFC", name)
    decomposed_name = unicodedata.normalize("NFD", name)
    for spelling in dict.fromkeys([name.swapcase(), composed_name, decomposed_name]):
        if spelling != name:
            yield spelling


def _common(parts: Sequence[str], other_parts: Sequence[str]) -> int:
    """How many parts two paths have in common from the first on, however they are spelled."""
    count = 0
    for part, other in zip(parts, other_parts, strict=False):
        if part != other and folded(part) != folded(other):
            break
        count += 1
    return count
