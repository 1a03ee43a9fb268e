"""Patches of some of the hunks of a review, written without spark, for git to apply."""

from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path

from spark_tui.editing.hunks import Hunk
from spark_tui.session.change_review import ChangeReview, ReviewedChange
from spark_tui.vcs.changes import ChangeStatus
from tests.vcs.repos import git

_NO_NEWLINE = "\n\\ No newline at end of file\n"


def every_other(review: ChangeReview) -> list[str]:
    """The ids of the first hunk, the third one and so on, of all files together."""
    return [hunk_id for change in review.files for hunk_id, _ in change.hunks()][::2]


def apply_with_git(folder: Path, review: ChangeReview, kept: Collection[str]) -> None:
    """Have git apply some hunks, and of a review in place also what no hunk is about.

    Args:
        folder: A work tree in the state that the review is about the change of.
        kept: The ids of the hunks.
    """
    patch = "".join(line for change in review.files for line in _file_patch(change, kept))
    if patch:
        data = patch.encode("utf-8", "surrogateescape")
        options = ("--unidiff-zero", "--whitespace=nowarn")
        git(folder, "-c", "core.protectNTFS=false", "apply", *options, "-", stdin=data)


def _file_patch(change: ReviewedChange, kept: Collection[str]) -> Iterator[str]:
    versions = change.versions
    if change.file is None:
        return
    hunks = [hunk for hunk_id, hunk in change.hunks() if hunk_id in kept]
    is_whole = len(hunks) == len(change.hunks())
    if not hunks and change.hunks() and not (change.in_place and versions.old_path != change.path):
        return
    if not hunks and not change.in_place:
        return
    old = quoted(f"a/{versions.old_path}")
    new = quoted(f"b/{versions.path}")
    yield f"diff --git {old} {new}\n"
    if versions.status is ChangeStatus.ADDED:
        yield f"new file mode {versions.new_mode:o}\n"
        old = "/dev/null"
    if versions.status is ChangeStatus.DELETED and is_whole:
        yield f"deleted file mode {versions.old_mode:o}\n"
        new = "/dev/null"
    if versions.status is ChangeStatus.RENAMED:
        yield f"rename from {quoted(versions.old_path)}\nrename to {quoted(versions.path)}\n"
    if hunks:
        yield f"--- {old}\t\n+++ {new}\t\n" if " " in old + new else f"--- {old}\n+++ {new}\n"
        yield from _hunk_lines(hunks)


def _hunk_lines(hunks: Sequence[Hunk]) -> Iterator[str]:
    growth = 0
    for hunk in hunks:
        old_start = hunk.start + bool(hunk.old)
        new_start = hunk.start + growth + bool(hunk.new)
        yield f"@@ -{old_start},{len(hunk.old)} +{new_start},{len(hunk.new)} @@\n"
        for mark, lines in (("-", hunk.old), ("+", hunk.new)):
            for line in lines:
                yield mark + line if line.endswith("\n") else mark + line + _NO_NEWLINE
        growth += len(hunk.new) - len(hunk.old)


def quoted(path: str) -> str:
    """A path as git writes it in a patch."""
    data = path.encode("utf-8", "surrogateescape")
    if all(32 <= byte < 127 and byte not in b'"\\' for byte in data):
        return path
    return '"' + "".join(f"\\{byte:03o}" for byte in data) + '"'


def files_of(folder: Path, wanted: Callable[[str], bool] = lambda _: True) -> dict[str, bytes]:
    """The bytes of the regular files of a work tree, by path."""
    found = {}
    for path in folder.rglob("*"):
        name = path.relative_to(folder).as_posix()
        is_gits = name == ".git" or name.startswith(".git/")
        if not is_gits and path.is_file() and not path.is_symlink() and wanted(name):
            found[name] = path.read_bytes()
    return found
